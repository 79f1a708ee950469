package dream

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/index"
	"brain/llm"
	"brain/page"
	"brain/retrieve"
	"brain/store"
)

// longText says something of a thing on so many lines, each of 20 tokens and more.
func longText(thing string, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "The %s of hall %d is cleaned by the night shift, and its filter is replaced after %d days of work.\n", thing, i+1, 10*(i+1))
	}
	return b.String()
}

// noted is a page of that kind in an issue.
func (w *world) noted(name, thing string, lines int, keys ...string) string {
	w.t.Helper()
	at := "sources/plant/issues/7/" + name + ".md"
	w.write(at, "---\ntitle: The "+thing+"\nschema_type: note\n"+strings.Join(append(keys, ""), "\n")+"---\n\n"+longText(thing, lines))
	return at
}

// layering is a Dream that writes layers.
func (w *world) layering(m llm.Completer) *Cycle {
	c := w.cycle(m)
	c.Layers = true
	return c
}

// describes is a model that says of each page what a function says of its number and title.
func describes(of func(n int, title string) layer) *model {
	return &model{say: func(_ int, r llm.Request) (string, error) {
		var all []string
		for i, page := range strings.Split(r.User, "<page ")[1:] {
			_, title, _ := strings.Cut(page, `title="`)
			title, _, _ = strings.Cut(title, `"`)
			l := of(i+1, title)
			l.N = i + 1
			all = append(all, fmt.Sprintf(`{"n":%d,"nothing":%t,"abstract":%q,"overview":%q}`, l.N, l.Nothing, l.Abstract, l.Overview))
		}
		return `{"pages":[` + strings.Join(all, ",") + `]}`, nil
	}}
}

// faithful says what stands in the page.
func faithful(_ int, title string) layer {
	return layer{Abstract: title + " is cleaned by the night shift.", Overview: title + " of hall 1 is cleaned by the night shift, and its filter is replaced after 10 days."}
}

// I07
func TestLongPagesGetAnAbstractAndAnOverview(t *testing.T) {
	w := newWorld(t)
	long, short := w.noted("press", "press", 30), w.noted("drill", "drill", 3)
	body := w.page(long).Body
	m := describes(faithful)
	s := stage(t, w.dream(w.layering(m), Distill), Distill)
	if !s.OK || s.Calls != 1 || len(s.Changed) != 1 || s.Changed[0].Path != long {
		t.Fatalf("%+v; want one page changed, in one call", s)
	}
	p := w.page(long)
	if p.Abstract != "The press is cleaned by the night shift." || !strings.HasPrefix(p.Overview, "The press of hall 1") || p.Body != body {
		t.Errorf("the page is now\n%s", p.Raw)
	}
	if w.page(short).Abstract != "" {
		t.Error("a short page has an abstract")
	}
	c := w.layering(m)
	v, _, err := c.Index.First(t.Context(), w.st, index.SyncOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Release()
	a, err := c.Searcher.Search(t.Context(), v, retrieve.Query{Text: "press", N: 1, Budget: 20})
	if err != nil || len(a.Hits) != 1 || a.Hits[0].Text != p.Abstract || a.Hits[0].Layer != "L0" {
		t.Errorf("within 20 tokens a question is answered with %+v, %v; want the abstract", a.Hits, err)
	}
	before := w.tree()
	for range 2 {
		if s := stage(t, w.dream(w.layering(m), Distill), Distill); s.Calls != 0 || len(s.Changed) != 0 || w.tree() != before {
			t.Errorf("another night: %+v; want nothing done", s)
		}
	}
}

func TestOwnLayersAreRenewedAndThoseOfPeopleAreNot(t *testing.T) {
	w := newWorld(t)
	mine := w.noted("press", "press", 30)
	hand := w.noted("lathe", "lathe", 30, "abstract: Ask Ann before you touch it.")
	edited, taken, shrunk := w.noted("crane", "crane", 30), w.noted("welder", "welder", 30), w.noted("oven", "oven", 30)
	m := describes(faithful)
	w.dream(w.layering(m), Distill)
	if w.page(hand).Abstract != "Ask Ann before you touch it." || w.page(hand).Overview != "" || w.page(edited).Overview == "" {
		t.Fatalf("the first night:\n%s\n%s", w.read(hand), w.read(edited))
	}
	w.write(edited, strings.Replace(w.read(edited), "The crane is cleaned by the night shift.", "Never without a spotter.", 1)+longText("crane", 2))
	w.write(mine, w.read(mine)+"The press of hall 99 is new.\n")
	raw := w.read(taken)
	from, to := strings.Index(raw, "abstract:"), strings.Index(raw, "layers_of:")
	w.write(taken, raw[:from]+raw[to:])
	bare := w.read(taken)
	w.write(shrunk, strings.Replace(w.read(shrunk), longText("oven", 30), "The oven is gone.\n", 1))
	second := describes(func(_ int, title string) layer {
		return layer{Abstract: title + " of hall 99 is new.", Overview: title + " is cleaned by the night shift. " + title + " of hall 99 is new."}
	})
	s := stage(t, w.dream(w.layering(second), Distill), Distill)
	if got := w.page(mine).Abstract; got != "The press of hall 99 is new." {
		t.Errorf("the abstract of a page that changed is %q", got)
	}
	if got := w.page(edited).Abstract; got != "Never without a spotter." {
		t.Errorf("an abstract that somebody edited is now %q", got)
	}
	if w.page(hand).Abstract != "Ask Ann before you touch it." {
		t.Errorf("an abstract of a person is now %q", w.page(hand).Abstract)
	}
	if w.read(taken) != bare {
		t.Errorf("an abstract that somebody took away is back:\n%s", w.read(taken))
	}
	if p := w.page(shrunk); p.Abstract+p.Overview+p.LayersOf != "" || !strings.Contains(p.Body, "gone") {
		t.Errorf("a page that became short:\n%s", p.Raw)
	}
	if s.Calls != 1 || s.Counts["layers_written"] != 2 {
		t.Errorf("%+v; want one renewed and one removed", s)
	}
}

// withoutKeys takes keys out of a page's front matter, with the lines that belong to them.
func withoutKeys(text string, keys ...string) string {
	var b strings.Builder
	skip := false
	for line := range strings.Lines(text) {
		if name, _, key := strings.Cut(line, ":"); key && line[0] != ' ' {
			skip = slices.Contains(keys, name)
		} else if strings.HasPrefix(line, "---") {
			skip = false
		}
		if !skip {
			b.WriteString(line)
		}
	}
	return b.String()
}

// What a person took away does not come back: with its key or without, whether the body changes
// or not, and also when all that was remembered is lost.
func TestLayersThatAPersonTookAwayDoNotComeBack(t *testing.T) {
	w := newWorld(t)
	all, two := w.noted("press", "press", 30), w.noted("lathe", "lathe", 30)
	never := w.noted("oven", "oven", 30, "layers_of: none")
	m := describes(faithful)
	c := w.layering(m)
	w.dream(c, Distill)
	if w.page(never).Abstract != "" || w.page(all).Abstract == "" || w.page(two).Abstract == "" {
		t.Fatal("the first night wrote other layers than those of two pages")
	}
	w.write(all, withoutKeys(w.read(all), "abstract", "overview", "layers_of"))
	w.write(two, withoutKeys(w.read(two), "abstract", "overview"))
	pages := func() string { return w.read(all) + w.read(two) + w.read(never) }
	before, calls := pages(), m.calls
	dry := w.layering(m)
	dry.DryRun = true
	if s := stage(t, w.dream(dry, Distill), Distill); len(s.Changed) != 1 || pages() != before {
		t.Errorf("a dry run tells %+v; want that it is noted", s.Changed)
	}
	want := w.page(all)
	w.dream(w.layering(m), Distill)
	if p := w.page(all); p.LayersOf != noLayers || p.Abstract+p.Overview != "" || p.Body != want.Body || p.Title != want.Title {
		t.Errorf("without all three keys it is now\n%s", p.Raw)
	}
	noted := pages()
	again := func(what string) {
		t.Helper()
		if w.dream(w.layering(m), Distill); pages() != noted || m.calls != calls {
			t.Errorf("%s: %d calls more, the pages are\n%s", what, m.calls-calls, pages())
		}
	}
	again("another night")
	if err := os.RemoveAll(c.State.path); err != nil {
		t.Fatal(err)
	}
	again("nothing is remembered")
	for _, path := range []string{all, two, never} {
		w.write(path, w.read(path)+"The body is another one.\n")
	}
	noted = pages()
	again("the bodies changed")
	w.write(all, withoutKeys(w.read(all), "layers_of"))
	if w.dream(w.layering(m), Distill); w.page(all).Abstract == "" {
		t.Error("who takes the key away, too, gets them again, and did not")
	}
}

// A page that became short and long again was nobody's doing.
func TestLayersComeBackWithTheBody(t *testing.T) {
	w := newWorld(t)
	at := w.noted("press", "press", 30)
	bare := w.read(at)
	m := describes(faithful)
	w.dream(w.layering(m), Distill)
	w.write(at, strings.Replace(w.read(at), longText("press", 30), "Gone.\n", 1))
	w.dream(w.layering(m), Distill)
	w.write(at, bare)
	if w.dream(w.layering(m), Distill); w.page(at).Abstract == "" {
		t.Errorf("it is now\n%s", w.read(at))
	}
}

// L10, and every other way in which a reply is of no use: the pages stay as they are, the stage
// says so, and their folders get their overviews all the same.
func TestRepliesOfNoUseLeavePagesAsTheyAre(t *testing.T) {
	says := func(abstract, overview string) *model {
		return describes(func(n int, title string) layer { return layer{Abstract: abstract, Overview: overview} })
	}
	good := faithful(0, "The press")
	for _, c := range []struct {
		name string
		says *model
		ok   bool
	}{
		{"an empty abstract", says("", good.Overview), false},
		{"an empty overview", says(good.Abstract, " \n"), false},
		{"no page", always(`{"pages":[]}`), false},
		{"no reply", always(``), false},
		{"words that do not stand there", says("A submarine dives under arctic ice with forty sailors.", good.Overview), false},
		{"a number that does not stand there", says("The press of hall 77777 is cleaned by the night shift.", good.Overview), false},
		{"too long", says(strings.Repeat("The press is cleaned by the night shift. ", 11), good.Overview), false},
		{"a link", says("The [[press]] is cleaned by the night shift.", good.Overview), false},
		{"refusal", fails(llm.Refused), false},
		{"no access", fails(llm.Unauthorized), false},
		{"silence", fails(llm.Timeout), false},
		{"no budget", fails(llm.OverBudget), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.noted("press", "press", 30)
			w.noted("lathe", "lathe", 30)
			for i := range 5 {
				w.noted(fmt.Sprintf("short%d", i), "drill", 1, "abstract: Of a drill.")
			}
			before := w.list()
			bytes := map[string]string{}
			for _, path := range before {
				bytes[path] = w.read(path)
			}
			s := stage(t, w.dream(w.layering(c.says), Distill), Distill)
			if s.OK != c.ok || c.says.calls != 1 {
				t.Errorf("ok %t, %d calls, failures %q", s.OK, c.says.calls, s.Failures)
			}
			for path, text := range bytes {
				if got := w.read(path); got != text {
					t.Errorf("%s is now\n%s", path, got)
				}
			}
			if made := len(w.list()) - len(before); made != 2 || !strings.Contains(w.read("sources/plant/issues/7/_overview.md"), "(<short0.md>): Of a drill.") {
				t.Errorf("%d files made; want the overviews of the issue and of the source", made)
			}
		})
	}
}

// L03
func TestAPageOfWhichThereIsNothingToSayIsAskedAboutOnce(t *testing.T) {
	w := newWorld(t)
	log := w.noted("log", "press", 30)
	m := describes(func(int, string) layer { return layer{Nothing: true} })
	before := w.tree()
	for range 4 {
		w.dream(w.layering(m), Distill)
	}
	if m.calls != 1 || w.tree() != before {
		t.Errorf("%d calls, want one", m.calls)
	}
	w.noted("other", "lathe", 30) // another page asks no more of this one
	w.dream(w.layering(m), Distill)
	if m.calls != 2 {
		t.Errorf("%d calls, want one for the page that came", m.calls)
	}
	w.write(log, w.read(log)+"One more line.\n")
	w.dream(w.layering(m), Distill)
	if m.calls != 3 {
		t.Errorf("%d calls, want one for the page that changed", m.calls)
	}
}

// One bad text of several costs itself alone.
func TestOfSeveralPagesTheGoodOnesAreWritten(t *testing.T) {
	w := newWorld(t)
	good, bad := w.noted("a", "press", 30), w.noted("b", "lathe", 30)
	m := describes(func(n int, title string) layer {
		l := faithful(n, title)
		if n == 2 {
			l.Abstract = "Submarines dive under arctic ice."
		}
		return l
	})
	s := stage(t, w.dream(w.layering(m), Distill), Distill)
	if !s.OK || w.page(good).Abstract == "" || w.page(bad).Abstract != "" || len(s.Left) != 1 || s.Left[0].Path != bad {
		t.Errorf("%+v; want the first written, the second named", s)
	}
}

// A page of which a model never says anything keeps no other from its texts: they are written, the
// stage is not ok, and the next night asks about that page alone, and then not for a while.
func TestAPageThatAModelLeavesOutHoldsUpNoOther(t *testing.T) {
	for _, empty := range []bool{false, true} {
		w := newWorld(t)
		mute, one, two := w.noted("a", "press", 30), w.noted("b", "lathe", 30), w.noted("c", "oven", 30)
		var asked []int // pages of each question
		m := &model{say: func(_ int, r llm.Request) (string, error) {
			pages := []layer{}
			for i, shown := range strings.Split(r.User, "<page ")[1:] {
				_, title, _ := strings.Cut(shown, `title="`)
				title, _, _ = strings.Cut(title, `"`)
				l := faithful(i+1, title)
				if l.N = i + 1; title == "The press" {
					l.Overview = ""
				}
				if l.Overview != "" || empty {
					pages = append(pages, l)
				}
			}
			asked = append(asked, strings.Count(r.User, "<page "))
			return mustJSON(t, map[string]any{"pages": pages}), nil
		}}
		s := stage(t, w.dream(w.layering(m), Distill), Distill)
		if s.OK || len(s.Failures) != 1 || !strings.Contains(s.Failures[0], mute) || w.page(one).Abstract == "" || w.page(two).Abstract == "" || w.page(mute).Abstract != "" {
			t.Errorf("empty %t: %+v; want the two others written, and the page named", empty, s)
		}
		four := w.noted("d", "crane", 30)
		s = stage(t, w.dream(w.layering(m), Distill), Distill)
		if s.OK || w.page(four).Abstract == "" || !slices.Equal(asked, []int{3, 1, 1}) {
			t.Errorf("empty %t, the next night: %+v, questions %v; want the new page written, the other asked about by itself", empty, s, asked)
		}
		w.clock = w.clock.Add(-20 * time.Hour) // so that the next night is 4 hours later
		w.noted("e", "welder", 30)
		if w.dream(w.layering(m), Distill); !slices.Equal(asked, []int{3, 1, 1, 1}) {
			t.Errorf("empty %t: questions %v; want none about the page so soon", empty, asked)
		}
	}
}

// Whatever failed before, of facts or sessions, keeps no folder from its overview.
func TestAFailedPartKeepsNoOverviewFromBeingWritten(t *testing.T) {
	w := newWorld(t)
	w.hold("amy", "context", 400, "Amy works on the press.", "Amy lives in Bern.", "Amy has a red bicycle.")
	for i := range 4 {
		w.noted(fmt.Sprintf("short%d", i), "drill", 1)
	}
	long := w.noted("press", "press", 30)
	good := describes(faithful)
	m := &model{say: func(call int, r llm.Request) (string, error) {
		if !strings.Contains(r.User, "<page ") {
			return "no answer", nil
		}
		return good.say(call, r)
	}}
	s := stage(t, w.dream(w.layering(m), Distill), Distill)
	if s.OK || len(s.Failures) != 1 || w.page(long).Abstract == "" {
		t.Fatalf("%+v; want the question about facts to fail, and the page written", s)
	}
	for _, folder := range []string{"sources/plant/issues/7", "sources/plant"} {
		if got := w.read(folder + "/_overview.md"); !strings.Contains(got, "The press is cleaned") {
			t.Errorf("the overview of %s is\n%s", folder, got)
		}
	}
	before := w.tree()
	if w.dream(w.layering(m), Distill); w.tree() != before {
		t.Error("the next night wrote something")
	}
}

// A large brain gets its layers in many nights, so that other questions have their part of
// a budget.
func TestANightAsksAboutSoManyPagesAndGoesOn(t *testing.T) {
	w := newWorld(t)
	for i := range 12 {
		w.noted(fmt.Sprintf("n%02d", i), fmt.Sprintf("press%d", i), 30)
	}
	m := describes(faithful)
	for night, want := range []int{1, 2, 3, 3} { // five pages a question
		c := w.layering(m)
		c.MostLayers = 1
		s := stage(t, w.dream(c, Distill), Distill)
		if m.calls != want {
			t.Errorf("night %d: %d calls, want %d", night, m.calls, want)
		}
		if waits := slices.ContainsFunc(s.Left, func(l Left) bool { return strings.Contains(l.What, "wait for an abstract") }); waits != (night < 2) {
			t.Errorf("night %d: left %v", night, s.Left)
		}
	}
}

func TestAPageThatIsEditedWhileAModelIsAskedStays(t *testing.T) {
	w := newWorld(t)
	at := w.noted("press", "press", 30)
	inner := describes(faithful)
	m := &model{say: func(call int, r llm.Request) (string, error) {
		if call == 1 {
			w.write(at, w.read(at)+"A person was here.\n")
		}
		return inner.say(call, r)
	}}
	s := stage(t, w.dream(w.layering(m), Distill), Distill)
	if p := w.page(at); p.Abstract != "" || !strings.HasSuffix(p.Body, "A person was here.\n") || !s.OK {
		t.Errorf("the page is now\n%s", p.Raw)
	}
	if w.dream(w.layering(m), Distill); w.page(at).Abstract == "" {
		t.Error("the next night did not look at it again")
	}
}

func TestChinesePagesGetChineseLayers(t *testing.T) {
	w := newWorld(t)
	at := "sources/工厂/notes/冲压机.md"
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, "第%d车间的冲压机由夜班负责清洗，滤芯使用%d天后必须更换，更换记录交给设备科存档。\n", i+1, 10*(i+1))
	}
	w.write(at, "---\ntitle: 冲压机\nschema_type: note\n---\n"+b.String())
	want := layer{Abstract: "冲压机由夜班负责清洗，滤芯需要更换。", Overview: "第1车间的冲压机由夜班清洗，滤芯使用10天后更换，记录交给设备科存档。"}
	s := stage(t, w.dream(w.layering(describes(func(int, string) layer { return want })), Distill), Distill)
	if p := w.page(at); !s.OK || p.Abstract != want.Abstract || p.Overview != want.Overview {
		t.Errorf("%+v\n%s", s, p.Raw)
	}
	w.write("sources/工厂/notes/other.md", "---\ntitle: 另一台冲压机\nschema_type: note\n---\n"+b.String())
	s = stage(t, w.dream(w.layering(describes(func(int, string) layer {
		return layer{Abstract: "潜艇在北极冰层下航行四十天。", Overview: want.Overview}
	})), Distill), Distill)
	if s.OK {
		t.Error("an abstract of something else was taken")
	}
}

func TestADryRunWritesNoLayers(t *testing.T) {
	w := newWorld(t)
	at := w.noted("press", "press", 30)
	m := describes(faithful)
	c := w.layering(m)
	c.DryRun = true
	before := w.tree()
	if s := stage(t, w.dream(c, Distill), Distill); m.calls != 0 || w.tree() != before || s.Counts["would_ask"] != 1 || len(s.Changed) != 1 || s.Changed[0].Path != at {
		t.Errorf("%d calls, %+v", m.calls, s)
	}
}

func TestFoldersWithManyPagesGetAnOverviewOfThem(t *testing.T) {
	w := newWorld(t)
	for i, thing := range []string{"press", "lathe", "crane", "oven"} {
		w.noted(fmt.Sprintf("n%d", i), thing, 3)
	}
	w.noted("n9", "welder", 30)
	byHand := filepath.Join(w.dir, "sources/other/_overview.md")
	for i := range 5 {
		w.write(fmt.Sprintf("sources/other/notes/%d.md", i), "---\nabstract: One of them.\nschema_type: note\n---\nText.\n")
	}
	w.write("sources/other/_overview.md", "Mine.\n")
	m := describes(faithful)
	w.dream(w.layering(m), Distill)
	const issue, source = "sources/plant/issues/7/_overview.md", "sources/plant/_overview.md"
	want := lines("---", `title: Overview of 7`, "generated: brain", "---", "",
		"- [The press](<n0.md>)", "- [The lathe](<n1.md>)", "- [The crane](<n2.md>)", "- [The oven](<n3.md>)",
		"- [The welder](<n9.md>): The welder is cleaned by the night shift.")
	if got := w.read(issue); unsigned([]byte(got)) || withoutHash(got) != want {
		t.Errorf("the overview of the issue is\n%s\nwant\n%s", got, want)
	}
	if got := w.read(source); !strings.Contains(got, "- [The welder](<issues/7/n9.md>): The welder is") {
		t.Errorf("the overview of the source is\n%s", got)
	}
	if w.read("sources/other/_overview.md") != "Mine.\n" {
		t.Error("the overview that a person wrote was replaced")
	}
	l, err := w.st.List(t.Context())
	if err != nil || l.Skipped[store.SkipSidecar] != 3 {
		t.Errorf("%d sidecars are skipped, %v; want 3", l.Skipped[store.SkipSidecar], err)
	}
	before := w.tree()
	if w.dream(w.layering(m), Distill); w.tree() != before {
		t.Error("a night without news wrote something")
	}
	for _, name := range []string{"n0", "n1", "n2", "n3", "n9"} {
		if err := os.Remove(filepath.Join(w.dir, "sources/plant/issues/7", name+".md")); err != nil {
			t.Fatal(err)
		}
	}
	w.dream(w.layering(m), Distill)
	for _, name := range []string{issue, source} {
		if _, err := os.Stat(filepath.Join(w.dir, name)); err == nil {
			t.Errorf("%s is there without its pages", name)
		}
	}
	if _, err := os.Stat(byHand); err != nil {
		t.Error(err)
	}
}

// withoutHash is an overview without the line that differs with each word of it.
func withoutHash(text string) string {
	before, rest, _ := strings.Cut(text, "written: ")
	_, after, _ := strings.Cut(rest, "\n")
	return before + after
}

// No title and no abstract makes a link of its own, or text that hides.
func TestAnOverviewShowsTitlesAsTheyAre(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.write(fmt.Sprintf("sources/plant/%d.md", i), fmt.Sprintf("---\ntitle: 'Pay](<https://evil.example>) %d <b>'\nabstract: 'See [[Other]].'\nschema_type: note\n---\nText.\n", i))
	}
	w.dream(w.layering(describes(faithful)), Distill)
	got := w.read("sources/plant/_overview.md")
	if want := `- [Pay\](\<https://evil.example\>) 0 \<b\>](<0.md>): See \[\[Other\]\].` + "\n"; !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant in it\n%s", got, want)
	}
	if links := page.Parse("sources/plant/x.md", []byte(got)).Links; len(links) != 5 {
		t.Errorf("%d links, want one to each page: %v", len(links), links)
	}
}

// What a person writes into an overview of brain's stays, whatever becomes of the pages.
func TestAnOverviewThatAPersonEditedStays(t *testing.T) {
	w := newWorld(t)
	for i, thing := range []string{"press", "lathe", "crane", "oven", "welder"} {
		w.noted(fmt.Sprintf("n%d", i), thing, 30)
	}
	w.dream(w.layering(describes(faithful)), Distill)
	const issue, source = "sources/plant/issues/7/_overview.md", "sources/plant/_overview.md"
	edited := map[string]string{
		issue:  strings.Replace(w.read(issue), "generated: brain\n", "generated: brain\ntags: [mine]\n", 1),
		source: w.read(source) + "\nAsk Ada about the crane.\n",
	}
	for path, text := range edited {
		w.write(path, text)
	}
	w.noted("n5", "mixer", 30)
	s := stage(t, w.dream(w.layering(describes(faithful)), Distill), Distill)
	for path, text := range edited {
		if got := w.read(path); got != text {
			t.Errorf("%s is now\n%s", path, got)
		}
		if got := toldOf(s, path); len(got) != 1 {
			t.Errorf("the report says of %s: %q", path, got)
		}
	}
	if err := os.Remove(filepath.Join(w.dir, source)); err != nil {
		t.Fatal(err)
	}
	w.noted("n6", "forge", 30)
	w.dream(w.layering(describes(faithful)), Distill)
	if got := w.read(source); unsigned([]byte(got)) || !strings.Contains(got, "The forge") {
		t.Errorf("deleted, it is written again as\n%s", got)
	}
}

// A page that is purged is quoted nowhere any more.
func TestAPurgeTakesTheOverviewsThatQuoteThePage(t *testing.T) {
	w := newWorld(t)
	for i, thing := range []string{"press", "lathe", "crane", "oven", "welder"} {
		w.noted(fmt.Sprintf("n%d", i), thing, 30)
	}
	w.dream(w.layering(describes(faithful)), Distill)
	w.write("sources/plant/notes/late.md", "---\nschema_type: note\n---\nLate.\n") // so that a version is left in the undo store
	w.dream(w.layering(describes(faithful)), Distill)
	at := w.page("sources/plant/issues/7/n4.md")
	if !strings.Contains(w.read("sources/plant/_overview.md"), at.Abstract) {
		t.Fatal("the overview does not quote the page")
	}
	if _, err := w.st.PurgePage(t.Context(), at.Path, store.HashOf(at.Raw), w.now()); err != nil {
		t.Fatal(err)
	}
	if err := Forget(w.cycle(nil).State); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(w.root.Dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.Contains(path, "/index/") {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), at.Abstract) {
			t.Errorf("%s quotes it", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(w.list(), "sources/plant/_overview.md") {
		t.Error("the overview is there")
	}
}

// list are the names of all files below sources.
func (w *world) list() []string {
	w.t.Helper()
	names, err := w.st.Names(w.t.Context(), "sources")
	if err != nil {
		w.t.Fatal(err)
	}
	return names
}
