package dream

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brain/index"
	"brain/page"
)

// linked makes two pages that link to each other, so that a brain has some habit of links.
func (w *world) linked() {
	w.write("notes/heron.md", "# Heron\nHerons stand in the reeds, see [[Reeds]].\n")
	w.write("notes/reeds.md", "# Reeds\nReeds grow where the [[Heron]] fishes.\n")
}

// toldOf gives what a report says of one page.
func toldOf(s *StageReport, path string) (all []string) {
	for _, l := range s.Left {
		if l.Path == path {
			all = append(all, l.What)
		}
	}
	return all
}

// D07
func TestAnUnlinkedPageIsArchivedOnlyWhenItIsTemporary(t *testing.T) {
	const passing = "---\ntitle: Scratch\ntemporary: true # for the demo\n---\nPort 8080 while the demo lasts.\n"
	w := newWorld(t)
	w.linked()
	w.write("notes/kept.md", "# Kept\nThe gas meter stands in the cellar.\n")
	w.write("notes/scratch.md", passing)
	w.write("notes/tagged.md", "---\ntags: [ephemeral]\n---\n# Tagged\nCall back on Monday.\n")
	w.write("notes/links.md", "---\ntemporary: true\n---\n# Links\nSee [[Heron]].\n")
	w.write("notes/dangles.md", "---\ntemporary: true\n---\n# Dangles\nSee [[Kingfisher]].\n")
	w.write("notes/named.md", "---\ntemporary: true\n---\n# Named\nText.\n")
	w.write("notes/namer.md", "# Namer\nSee [[Named]].\n")
	w.write("notes/stays.md", "---\ntemporary: false\n---\n# Stays\nAn umbrella stands behind the door.\n")

	c := w.cycle(nil)
	c.DryRun = true
	before := w.tree()
	s := stage(t, w.dream(c, Orphans), Orphans)
	want := []Change{}
	for _, p := range []string{"notes/scratch.md", "notes/tagged.md"} {
		want = append(want, Change{p, "archived: it is marked as temporary, and no link leads to it or from it"})
	}
	if !slices.Equal(s.Changed, want) || w.tree() != before {
		t.Fatalf("a dry run: %+v", s)
	}

	c.DryRun = false
	s = stage(t, w.dream(c, Orphans), Orphans)
	if !slices.Equal(s.Changed, want) || s.Counts["archived"] != 2 || !s.OK {
		t.Errorf("changed %+v", s)
	}
	if got := w.read("notes/scratch.md"); got != "---\ntitle: Scratch\nstatus: archived\ntemporary: true # for the demo\n---\nPort 8080 while the demo lasts.\n" {
		t.Errorf("archived: %q", got)
	}
	for _, p := range []string{"kept", "stays"} {
		if got := toldOf(s, "notes/"+p+".md"); !slices.Equal(got, []string{"it has no link, and none leads to it"}) {
			t.Errorf("%s: %q", p, got)
		}
	}
	for _, p := range []string{"kept", "links", "dangles", "named", "stays"} {
		if st := w.page("notes/" + p + ".md").Status; st == "archived" {
			t.Errorf("%s is archived", p)
		}
	}

	before = w.tree()
	if s = stage(t, w.dream(c, Orphans), Orphans); s.Skipped == "" || len(s.Changed) != 0 || w.tree() != before {
		t.Errorf("the night after: %+v", s)
	}
	if err := os.RemoveAll(c.State.path); err != nil {
		t.Fatal(err)
	}
	if s = stage(t, w.dream(c, Orphans), Orphans); s.Skipped != "" || len(s.Changed) != 0 || w.tree() != before {
		t.Errorf("with nothing remembered: %+v", s)
	}
}

func TestATemporaryPageThatCannotBeChangedHindersNoOther(t *testing.T) {
	for _, others := range [...][]string{nil, {"notes/b.md"}} {
		w := newWorld(t)
		w.linked()
		const odd = "---\n{title: Odd, tags: [temporary]}\n---\nPort 8080 while the demo lasts.\n"
		w.write("notes/a.md", odd)
		for _, p := range others {
			w.write(p, "---\ntitle: Scratch\ntemporary: true\n---\nCall back on Monday.\n")
		}
		s := stage(t, w.dream(w.cycle(nil), Orphans), Orphans)
		if !s.OK || len(s.Changed) != len(others) || w.read("notes/a.md") != odd {
			t.Errorf("failures %q, changed %v; want none but %q", s.Failures, s.Changed, others)
		}
		for _, p := range others {
			if w.page(p).Status != "archived" {
				t.Errorf("%s is not archived", p)
			}
		}
		told := toldOf(s, "notes/a.md")
		if len(told) != 2 || !strings.HasPrefix(told[0], "it is marked as temporary, and cannot be archived: ") {
			t.Errorf("the report says of the other: %q", told)
		}
		if next := stage(t, w.dream(w.cycle(nil), Orphans), Orphans); next.Skipped == "" || !slices.Equal(toldOf(next, "notes/a.md"), told) {
			t.Errorf("the night after it says %q, skipped %q", toldOf(next, "notes/a.md"), next.Skipped)
		}
	}
}

func TestWhereNothingIsLinkedThatIsSaidOnce(t *testing.T) {
	w := newWorld(t)
	things := strings.Fields("anvil barrel candle dagger easel flute goblet hammer inkwell jug kettle ladder mirror needle oar piano quill rope saddle trumpet")
	for i, thing := range things {
		w.write(fmt.Sprintf("n%02d.md", i), fmt.Sprintf("# %s\nThe %s number %d.\n", thing, thing, i))
	}
	s := stage(t, w.dream(w.cycle(nil), Orphans), Orphans)
	want := []string{":0: 20 of 20 pages have no link, and none leads to them; nothing, if links are no habit here: questions find pages without them"}
	if got := told(s); !slices.Equal(got, want) || s.Counts["unlinked"] != 20 {
		t.Errorf("%q, %v", got, s.Counts)
	}
}

func TestOnlyPagesThatPeopleKeepAreUnlinked(t *testing.T) {
	w := newWorld(t)
	w.linked()
	w.write("contradictions.md", "---\ngenerated: brain\n---\n# Contradictions\nNone.\n")
	w.write("old.md", "---\nstatus: archived\n---\n# Old\nIt was here.\n")
	w.write("agents/coder/notes/own.md", "# Own\nAn agent's.\n")
	if s := stage(t, w.dream(w.cycle(nil), Orphans), Orphans); s.Looked != 2 || len(s.Left) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestANameThatSeveralPagesWantIsTold(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "# A\nSee [[B]].\n\nAsk [[Project Ptarmigan]], and [[project ptarmigan]].\n")
	w.write("b.md", "# B\nSee [[A]] and [[Project Ptarmigan]], once [[Nobody Else]].\n")
	w.write("c/one.md", "# One\n[A](../a.md), [plan](../plans/next.md)\n")
	w.write("two.md", "# Two\n[A](a.md), [plan](plans/next.md)\n")
	s := stage(t, w.dream(w.cycle(nil), Orphans), Orphans)
	want := []string{
		`a.md:4: 2 pages link to "Project Ptarmigan", and no page is called so; make the page, or give the one that is meant this name as an alias`,
		`c/one.md:2: 2 pages link to "plans/next.md", and no page is called so; make the page, or give the one that is meant this name as an alias`,
	}
	if got := told(s); !slices.Equal(got, want) || s.Counts["unresolved"] != 2 {
		t.Errorf("%q", got)
	}
}

func TestEntitiesThatCameToNothing(t *testing.T) {
	w := newWorld(t)
	w.write("entities/dead.md", "---\nschema_type: entity\ntitle: Foo\n---\nA thing.\n")
	w.write("entities/told.md", "---\nschema_type: entity\ntitle: Bar\n---\nBar runs the payments of the northern region, and is on call in May.\n")
	w.write("entities/fact.md", "---\nschema_type: entity\ntitle: Baz\nfacts:\n  - text: Baz leads the team that keeps the ledger of all payments\n---\n")
	w.write("entities/wei.md", "---\nschema_type: entity\ntitle: 伟\n---\n张伟是支付组的负责人，五月份值班。\n")
	w.write("entities/gone.md", "---\nschema_type: entity\nredirect: nowhere\n---\n")
	w.write("entities/hub.md", "---\nschema_type: entity\ntitle: Meeting\n---\nA meeting.\n")
	for i, day := range strings.Fields("one two three four five six seven eight nine ten") {
		w.write(fmt.Sprintf("notes/%02d.md", i), fmt.Sprintf("# Day %s\nWe had a [[Meeting]] about item %s.\n", day, day))
	}
	s := stage(t, w.dream(w.cycle(nil), Orphans), Orphans)
	for path, want := range map[string][]string{
		"entities/dead.md": {"an entity that says nearly nothing, and no link leads to it"},
		"entities/told.md": {"it has no link, and none leads to it"},
		"entities/fact.md": {"it has no link, and none leads to it"},
		"entities/wei.md":  {"it has no link, and none leads to it"},
		"entities/gone.md": {`it redirects to "nowhere", and no page is called so`},
		"entities/hub.md":  {"10 of 10 pages with links lead to it, and it says nearly nothing"},
	} {
		if got := toldOf(s, path); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if s.Counts["dead_entities"] != 2 || s.Counts["hollow_entities"] != 1 || s.Counts["unlinked"] != 3 {
		t.Errorf("%v", s.Counts)
	}
}

const ledgerText = "The ledger keeps one commit for each batch of writes. It runs apart from the lock of the tree, so that nobody waits for git. When a merge is under way it is skipped with one line. Git has 10 s for it. Whoever syncs next takes it up again. See [[Heron]].\n"

func TestTwinsAreNamedTogether(t *testing.T) {
	w := newWorld(t)
	w.linked()
	w.write("a/ledger.md", "# Ledger\n"+ledgerText)
	w.write("b/ledger.md", "---\ntags: [git]\n---\n# Ledger\n"+ledgerText)
	w.write("c/ledger.md", "# Ledger\n"+strings.Replace(ledgerText, "nobody waits", "nobody ever waits", 1))
	w.write("d/ledger.md", "# Ledger\n"+strings.Replace(ledgerText, "10 s", "20 s", 1)) // no twin: it contradicts
	w.write("e/journal.md", "# Journal\n"+ledgerText)                                   // another name
	w.write("notes/uses.md", "# Uses\nAs [[c/ledger]] says.\n")
	s := stage(t, w.dream(w.cycle(nil), Orphans), Orphans)
	if s.Counts["twins"] != 1 {
		t.Fatalf("%v %q", s.Counts, told(s))
	}
	got := toldOf(s, "c/ledger.md")
	if len(got) != 1 || !strings.HasPrefix(got[0], "nearly the same (9") || !strings.HasSuffix(got[0], "of the words) stands in a/ledger.md, b/ledger.md") {
		t.Errorf("the one that is linked stands first: %q", told(s))
	}
}

// What was found of a pair is remembered: it is not compared again until one of the two
// changes. To see that, another answer is remembered in its stead.
func TestAPairIsComparedOnce(t *testing.T) {
	w := newWorld(t)
	w.linked()
	w.write("a/ledger.md", "# Ledger\n"+ledgerText)
	w.write("b/ledger.md", "# Ledger\n"+ledgerText+"So it goes.\n")
	c := w.cycle(nil)
	if s := stage(t, w.dream(c, Orphans), Orphans); s.Counts["twins"] != 1 {
		t.Fatalf("%q", told(s))
	}
	name := filepath.Join(c.State.path, notesFile)
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var known notesOnDisk
	if err := gob.NewDecoder(bytes.NewReader(raw)).Decode(&known); err != nil || len(known.Pairs) != 1 {
		t.Fatalf("%d pairs, %v", len(known.Pairs), err)
	}
	for key := range known.Pairs {
		known.Pairs[key] = 0
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(known); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	w.write("notes/new.md", "# New\nA page of its own, about [[Heron]].\n")
	if s := stage(t, w.dream(c, Orphans), Orphans); s.Counts["twins"] != 0 {
		t.Errorf("compared again: %q", told(s))
	}
	w.write("b/ledger.md", "# Ledger\n"+ledgerText+"So it is.\n")
	if s := stage(t, w.dream(c, Orphans), Orphans); s.Counts["twins"] != 1 {
		t.Errorf("one changed: %q", told(s))
	}
}

// A thousand copies of a template are no million pairs.
func TestManyAlikeAreFewPairs(t *testing.T) {
	c := &census{known: &pageNotes{of: map[page.Path]pageNote{}}}
	for i := range 1000 {
		p := index.Page{Path: page.Path(fmt.Sprintf("n%04d.md", i)), Title: "Stand-up"}
		words := units(fmt.Sprintf("what we did what we do what hinders us on day %d of the year", i))
		c.pages = append(c.pages, p)
		c.known.of[p.Path] = pageNote{Text: uint64(i), Sketch: sketch(words)}
	}
	pairs := (&twinSearch{c: c}).candidates()
	if len(pairs) < 999 || len(pairs) > 1000*(crowded+neighbours) {
		t.Errorf("%d pairs", len(pairs))
	}
}

func TestASketchIsOfWords(t *testing.T) {
	if got, want := units("Über-Wörter: 检索 v2.1!"), []string{"uber", "worter", "检", "索", "v2", "1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	a, b := sketch(units("one two three four")), sketch(units("Two three FOUR five"))
	if len(a) != 2 || len(b) != 2 || slices.Equal(a, b) || !slices.ContainsFunc(a, func(x uint32) bool { return slices.Contains(b, x) }) {
		t.Errorf("of two runs they share one: %x %x", a, b)
	}
	if sketch(nil) != nil || len(sketch([]string{"one"})) != 1 {
		t.Error("of nothing, or of one word")
	}
}
