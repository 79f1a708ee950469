package migrate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"brain/memory"
	"brain/page"
	"brain/store"
)

// brainAt makes an empty brain.
func brainAt(t testing.TB) *store.Store {
	t.Helper()
	made, err := store.Init(t.TempDir(), store.InitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(made.Root, "default")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

func files(named map[string]string) *Source {
	tree := fstest.MapFS{}
	for name, text := range named {
		tree[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return &Source{FS: tree, Name: "in"}
}

func importOf(t testing.TB, st *store.Store, format string, src *Source) *Import {
	t.Helper()
	return &Import{Store: st, Facts: &memory.Facts{Store: st, Rules: memory.DefaultRules()}, Source: src, Read: readerOf(t, format), Options: Options{Now: now}}
}

func looked(t testing.TB, im *Import) *Report {
	t.Helper()
	rep, err := im.Look(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func ran(t testing.TB, im *Import) *Report {
	t.Helper()
	rep, err := im.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func write(t testing.TB, st *store.Store, name, text string) {
	t.Helper()
	at := filepath.Join(st.Dir(), filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// tree is what a brain holds, but for what belongs to its writers.
func tree(t testing.TB, st *store.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(st.Dir(), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(st.Dir(), name)
		if strings.HasPrefix(rel, ".txn") {
			return nil
		}
		raw, err := os.ReadFile(name)
		all[filepath.ToSlash(rel)] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// aSource has something for every rule.
func aSource() *Source {
	return files(map[string]string{
		"Ann.md": "a note about Ann\n", "水厂.md": "---\ntitle: 水厂\npermalink: works\n---\n两台水泵。\n",
		"same.md": "as it is\n", "taken.md": "theirs\n", "NAMES/x.md": "in capitals\n", "a.png": "\x00",
	})
}

func TestADryRunTellsWhatARunDoesAndWritesNothing(t *testing.T) {
	st := brainAt(t)
	write(t, st, "same.md", "as it is\n")
	write(t, st, "taken.md", "others\n") // as long as theirs
	write(t, st, "names/x.md", "in small letters\n")
	im := importOf(t, st, "basic-memory", aSource())
	before := tree(t, st)
	dry := looked(t, im)
	if diff := cmp.Diff(before, tree(t, st)); diff != "" {
		t.Errorf("the look wrote: %s", diff)
	}
	if want := (Tally{Found: 5, Written: 2, There: 1, Different: 2}); dry.Pages != want {
		t.Errorf("pages %+v, want %+v", dry.Pages, want)
	}
	wet := ran(t, im)
	dry.Jobs, wet.Jobs = nil, nil
	byWhere := cmpopts.SortSlices(func(a, b Dropped) bool { return a.Where < b.Where })
	if diff := cmp.Diff(dry, wet, byWhere); diff != "" {
		t.Errorf("look and run differ: %s", diff)
	}
	after := tree(t, st)
	if after["taken.md"] != "others\n" || after["Ann.md"] != "a note about Ann\n" || after["NAMES/x.md"] != "" {
		t.Errorf("%v", after)
	}
}

func TestTheSameImportTwiceWritesNothing(t *testing.T) {
	for format, src := range map[string]*Source{
		"basic-memory": aSource(), "gbrain": aSource(), "df-memory": files(map[string]string{"brain.yml": "id: x\n", "notes/a.md": "a note\n"}),
		"server-memory": files(map[string]string{"m.jsonl": `{"type":"entity","name":"Ann","entityType":"x","observations":["a"]}` + "\n" + `{"type":"entity","name":"ANN","entityType":"y","observations":["b"]}`}),
		"mem0":          files(map[string]string{"m.json": `[{"id":"1","memory":"Likes tea"},{"memory":"喜欢茶"}]`}),
	} {
		t.Run(format, func(t *testing.T) {
			st := brainAt(t)
			im := importOf(t, st, format, src)
			first := ran(t, im)
			if first.Pages.Written+first.Facts.Written == 0 {
				t.Fatal("nothing was written")
			}
			before := tree(t, st)
			again := ran(t, im)
			if again.Pages.Written+again.Facts.Written != 0 || len(again.Jobs) != 0 {
				t.Errorf("written again: %+v", again)
			}
			if again.Pages.There+again.Facts.There != first.Pages.Written+first.Facts.Written {
				t.Errorf("of %+v %+v, known are %+v %+v", first.Pages, first.Facts, again.Pages, again.Facts)
			}
			if diff := cmp.Diff(before, tree(t, st)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAMadePageIsKnownByWhatItWasMadeOf(t *testing.T) {
	st := brainAt(t)
	write(t, st, "entities/ann.md", "another Ann\n")
	src := func(notes string) *Source {
		return files(map[string]string{"m.jsonl": `{"type":"entity","name":"Ann","entityType":"x","observations":[` + notes + `]}`})
	}
	rep := ran(t, importOf(t, st, "server-memory", src(`"a"`)))
	if diff := cmp.Diff([]Renamed{{"entities/ann.md", "entities/ann-2.md"}}, rep.Renamed); diff != "" || rep.Pages.Written != 1 {
		t.Fatalf("%s %+v", diff, rep)
	}
	// The entity has grown: what is here stays, and no third page appears.
	rep = ran(t, importOf(t, st, "server-memory", src(`"a","b"`)))
	if rep.Pages.Different != 1 || rep.Pages.Written != 0 || rep.Dropped[0].What != "entities/ann-2.md" {
		t.Errorf("%+v", rep)
	}
	if all := tree(t, st); len(all) != 3 || strings.Contains(all["entities/ann-2.md"], "- b") { // with brain.yml
		t.Errorf("%v", all)
	}
}

func TestWhatWasPurgedDoesNotComeBack(t *testing.T) {
	st := brainAt(t)
	ctx := context.Background()
	for name, text := range map[string]string{"secret.md": "The code of the valve is 4711.", "other.md": "---\nfacts:\n  - text: The valve has a code of four digits\n---\nx y z\n"} {
		write(t, st, name, text)
		p, err := page.ParsePath(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.PurgePage(ctx, p, store.HashOf([]byte(text)), now); err != nil {
			t.Fatal(err)
		}
	}
	src := files(map[string]string{
		"secret.md": "# News\n\nnow another text", "elsewhere.md": "the **code** of the valve is 4711\n", "kept.md": "something else",
		"facts.md": "---\nfacts:\n  - the valve has a code of four digits\n---\nb\n",
	})
	for _, rep := range []*Report{looked(t, importOf(t, st, "gbrain", src)), ran(t, importOf(t, st, "gbrain", src))} {
		if rep.Pages.Written != 1 || rep.Reasons[Forgotten] != 3 {
			t.Errorf("%+v", rep)
		}
		for _, d := range rep.Dropped {
			if strings.Contains(d.What+d.Detail, "4711") {
				t.Errorf("the report repeats it: %+v", d)
			}
		}
	}
	facts := files(map[string]string{"m.json": `[{"id":"1","memory":"The valve has a code of four digits!"},{"id":"2","memory":"Likes tea"}]`})
	im := importOf(t, st, "mem0", facts)
	rep := ran(t, im)
	if list, err := im.Facts.List(ctx, ""); err != nil || len(list.Facts) != 1 || rep.Facts.Written != 1 || rep.Reasons[Forgotten] != 1 {
		t.Errorf("%+v %v %v", rep, list, err)
	}
}

// TestOthersWriteBetween: an import of several slices gives the lock back between them.
func TestOthersWriteBetween(t *testing.T) {
	st := brainAt(t)
	named := map[string]string{}
	for i := range 2*slicePages + 1 {
		named[fmt.Sprintf("n/%04d.md", i)] = fmt.Sprintf("note %d\n", i)
	}
	im := importOf(t, st, "gbrain", files(named))
	var done []int
	im.Progress = func(n int) {
		done = append(done, n)
		err := st.Update(context.Background(), "add", func(tx *store.Tx) error {
			return tx.Add(page.Path(fmt.Sprintf("between-%d.md", n)), []byte("x"))
		})
		if err != nil {
			t.Error(err)
		}
	}
	rep := ran(t, im)
	if want := []int{100, 200, 201}; !cmp.Equal(done, want) || rep.Pages.Written != 201 || len(rep.Jobs) != 3 {
		t.Errorf("%v %+v", done, rep.Pages)
	}
	// The last job is the first to be undone.
	if !slices.IsSortedFunc(rep.Jobs, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("%v", rep.Jobs)
	}
	for _, job := range rep.Jobs {
		if _, _, err := st.Undo(context.Background(), job); err != nil {
			t.Fatal(err)
		}
	}
	if all := tree(t, st); len(all) != 4 { // brain.yml and what came between
		t.Errorf("%d files are left", len(all))
	}
}

func TestARunThatIsStoppedGoesOnTheNextTime(t *testing.T) {
	st := brainAt(t)
	named := map[string]string{}
	for i := range slicePages + 10 {
		named[fmt.Sprintf("n/%04d.md", i)] = "note\n"
	}
	im := importOf(t, st, "gbrain", files(named))
	ctx, stop := context.WithCancel(context.Background())
	im.Progress = func(int) { stop() }
	rep, err := im.Run(ctx)
	if !errors.Is(err, context.Canceled) || rep.Pages.Written != slicePages {
		t.Fatalf("%v %+v", err, rep.Pages)
	}
	im.Progress = nil
	if rep := ran(t, im); rep.Pages.Written != 10 || rep.Pages.There != slicePages {
		t.Errorf("%+v", rep.Pages)
	}
}

func TestFactsGoToTheCallersAgentUnlessAgentsAreKept(t *testing.T) {
	src := files(map[string]string{"m.json": `[{"id":"1","memory":"Likes tea","agent_id":"Barista"},{"id":"2","memory":"Likes cake"},{"id":"3","memory":"Likes rain","agent_id":"../x"}]`})
	for _, c := range []struct {
		keep          bool
		agent         string
		want, refused int
		agents        map[string]int
	}{
		{false, "", 3, 0, map[string]int{"__default__": 3}},
		{false, "Helper", 3, 0, map[string]int{"helper": 3}},
		{true, "helper", 2, 1, map[string]int{"barista": 1, "helper": 1}},
	} {
		st := brainAt(t)
		im := importOf(t, st, "mem0", src)
		im.Agent, im.Options.KeepAgents = c.agent, c.keep
		dry, wet := looked(t, im), ran(t, im)
		if dry.Facts != wet.Facts || wet.Facts.Written != c.want || wet.Reasons[NotWritable] != c.refused {
			t.Errorf("%+v: %+v %+v %v", c, dry.Facts, wet.Facts, wet.Dropped)
		}
		got := map[string]int{}
		for _, room := range dry.Agents {
			got[room.Agent] = room.Come
			list, err := im.Facts.List(context.Background(), room.Agent)
			if err != nil || len(list.Facts) != room.Come {
				t.Errorf("%s has %v, %v", room.Agent, list, err)
			}
		}
		if diff := cmp.Diff(c.agents, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAFactKeepsItsDatesAndComesOnce(t *testing.T) {
	st := brainAt(t)
	src := files(map[string]string{"m.json": `[{"id":"1","memory":"Likes tea","created_at":"2025-01-02T03:04:05Z","updated_at":"2025-02-03T04:05:06Z","run_id":"r-7","user_id":"ann"}]`})
	im := importOf(t, st, "mem0", src)
	ran(t, im)
	list, err := im.Facts.List(context.Background(), "")
	if err != nil || len(list.Facts) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	f := list.Facts[0]
	if f.Created.Format("2006-01-02 15:04:05") != "2025-01-02 03:04:05" || f.Updated.Format("2006-01-02") != "2025-02-03" || f.Source != (memory.Source{Type: "conversation", Thread: "r-7"}) || f.User != "default" {
		t.Errorf("%+v", f)
	}
	// Edited here, it stays; archived here, it does not come back.
	text := "Likes coffee"
	if _, err := im.Facts.Update(context.Background(), "", f.ID, memory.Patch{Content: &text}, memory.If{}); err != nil {
		t.Fatal(err)
	}
	if rep := ran(t, im); rep.Facts.Different != 1 || rep.Facts.Written != 0 {
		t.Errorf("edited: %+v", rep.Facts)
	}
	at, err := memory.FactPath("", f.ID)
	if err != nil {
		t.Fatal(err)
	}
	raw := tree(t, st)[string(at)]
	write(t, st, string(at), strings.Replace(raw, "status: active", "status: archived", 1))
	if dry, wet := looked(t, im), ran(t, im); wet.Facts.Different != 1 || dry.Facts != wet.Facts {
		t.Errorf("archived: %+v %+v", dry.Facts, wet.Facts)
	}
}

func TestWhatHasNoRoomIsSaidBeforeAndNamedAfter(t *testing.T) {
	st := brainAt(t)
	var list []string
	for i := range 14 {
		list = append(list, fmt.Sprintf(`{"id":"%d","memory":"Likes colour %d","metadata":{"confidence":0.%d}}`, i, i, i%7+2))
	}
	im := importOf(t, st, "mem0", files(map[string]string{"m.json": "[" + strings.Join(list, ",") + "]"}))
	im.Facts.Rules.Max = 10
	if _, err := im.Facts.Add(context.Background(), "", memory.Fact{Content: "Is here already", Confidence: 0.1}); err != nil {
		t.Fatal(err)
	}
	dry := looked(t, im)
	if want := (Room{"__default__", 1, 14, 10}); len(dry.Agents) != 1 || dry.Agents[0] != want || want.Over() != 5 {
		t.Errorf("%+v", dry.Agents)
	}
	rep := ran(t, im)
	// The four of .2 and .3 go, and the one of .1 that was here.
	if rep.Facts.Written != 10 || rep.Reasons[Evicted] != 4 || len(rep.Evicted) != 1 {
		t.Errorf("%+v %v", rep.Facts, rep.Evicted)
	}
	for _, d := range rep.Dropped {
		if d.Reason == Evicted && !strings.Contains("Likes colour 0 Likes colour 1 Likes colour 7 Likes colour 8", d.What) {
			t.Errorf("%+v", d)
		}
	}
}

func TestABrainIsOneUsers(t *testing.T) {
	st := brainAt(t)
	im := importOf(t, st, "mem0", files(map[string]string{"m.json": `[{"id":"1","memory":"a b","user_id":"ann"},{"id":"2","memory":"c d","user_id":7},{"id":"3","memory":"e f"}]`}))
	if rep, err := im.Look(context.Background()); !errors.Is(err, ErrUsers) || !cmp.Equal(rep.Users, []string{"7", "ann"}) {
		t.Errorf("%v %v", rep.Users, err)
	}
	im.Options.User = "7"
	if rep := looked(t, im); rep.Facts.Written != 2 || rep.Reasons[OtherUser] != 1 {
		t.Errorf("%+v", rep)
	}
}

func TestAPathThatTheBrainWouldNotShowIsNamed(t *testing.T) {
	st := brainAt(t)
	write(t, st, ".brainignore", "drafts/\n")
	rep := ran(t, importOf(t, st, "gbrain", files(map[string]string{"drafts/a.md": "x", "b.md": "y", strings.Repeat("é", 130) + ".md": "a name of 260 bytes"})))
	if rep.Pages.Written != 1 || rep.Reasons[NotWritable] != 2 {
		t.Errorf("%+v", rep)
	}
}
