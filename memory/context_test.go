package memory

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/index"
	"brain/retrieve"

	"brain/store"
)

// put writes a fact past the store, created so many days before the clock.
func (w *world) put(agent string, f Fact, days int) {
	w.t.Helper()
	f.Agent, f.Created = agent, w.now().AddDate(0, 0, -days)
	raw, err := FormatFact(f)
	if err != nil {
		w.t.Fatal(err)
	}
	w.plant(w.file(agent, f.ID), raw)
}

func (w *world) block(r Request) *Block {
	w.t.Helper()
	b, err := w.Context(context.Background(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(b.Text))); b.SHA256 != sum { // MJ06
		w.t.Errorf("sha256 %s of\n%s", b.SHA256, b.Text)
	}
	if b.Tokens != sizeOf(b.Text).tokens() || b.Tokens > b.Budget+b.Guaranteed {
		w.t.Errorf("%d tokens of %d + %d", b.Tokens, b.Budget, b.Guaranteed)
	}
	return b
}

// pages lets a world answer questions with its pages, as a command does.
func (w *world) pages() func(context.Context, retrieve.Query) (*retrieve.Answer, error) {
	w.t.Helper()
	ix, err := index.Open(index.Options{Dir: filepath.Join(w.t.TempDir(), "index")})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { ix.Close() })
	sr := &retrieve.Searcher{Brain: "default", Index: ix, Source: w.Store}
	return func(ctx context.Context, q retrieve.Query) (*retrieve.Answer, error) {
		return sr.Ask(ctx, q, index.Wait, index.SyncOptions{})
	}
}

func (w *world) plantPage(name, title, body string) {
	w.plant(filepath.Join(w.dir, filepath.FromSlash(name)), fmt.Appendf(nil, "---\ntitle: %s\nupdated_at: '2026-11-03T09:00:00Z'\n---\n%s\n", title, body))
}

const memoryJSON = `{"version":"2.0","revision":3,"lastUpdated":"","user":{"workContext":{"summary":"Backend engineer","updatedAt":""},"personalContext":{"summary":"","updatedAt":""},"topOfMind":{"summary":"","updatedAt":""}},"history":{"recentMonths":{"summary":"用户在做数据库迁移","updatedAt":""}}}`

func (w *world) plantSummaries(raw string) { w.plant(filepath.Join(w.dir, "memory.json"), []byte(raw)) }

// MM04, MM05
func TestToolModeTellsSummariesAlone(t *testing.T) {
	w := newWorld(t)
	w.plantSummaries(memoryJSON)
	w.put("", Fact{ID: "f1", Content: "Likes tabs", Category: "preference", Confidence: .9}, 1)
	w.plantPage("tabs.md", "Tabs", "Tabs are four wide.")
	ask := w.pages()
	all := w.block(Request{Question: "tabs?", Ask: ask})
	if !slices.Equal(all.Summaries, []string{"user.workContext", "history.recentMonths"}) || !slices.Equal(all.Facts, []string{"f1"}) || !slices.Equal(all.Pages, []string{"tabs.md"}) {
		t.Errorf("middleware: %+v", all)
	}
	some := w.block(Request{Question: "tabs?", Ask: ask, Mode: Tool})
	if len(some.Summaries) != 2 || len(some.Facts)+len(some.Pages) != 0 || strings.Contains(strings.ToLower(some.Text), "tabs") {
		t.Errorf("tool: %+v", some)
	}
	w.Rules.Mode = Tool
	if b := w.block(Request{}); b.Text != some.Text {
		t.Errorf("by the rules:\n%s", b.Text)
	}
}

// MM06
func TestNothingIsSaidWhereThereIsNothingOrNoneIsWanted(t *testing.T) {
	w := newWorld(t)
	if b := w.block(Request{Question: "tabs", Ask: w.pages()}); b.Text != "" || b.Tokens != 0 || len(b.Degraded) > 0 {
		t.Errorf("empty brain: %+v", b)
	}
	w.put("", Fact{ID: "f1", Content: "Likes tabs", Confidence: .9}, 1)
	w.Rules.Injection = false
	if b := w.block(Request{}); b.Text != "" || b.Note == "" {
		t.Errorf("switched off: %+v", b)
	}
}

func TestBudgetAndModeOutOfRangeAreRefused(t *testing.T) {
	w := newWorld(t)
	for _, r := range []Request{{Budget: 99}, {Budget: 8001}, {Budget: -1}, {Mode: "both"}} {
		if b, err := w.Context(context.Background(), r); err == nil {
			t.Errorf("%+v: %+v", r, b)
		}
	}
}

// MR17
func TestWithoutAQuestionFactsStandByConfidence(t *testing.T) {
	w := newWorld(t)
	w.put("", Fact{ID: "low", Content: "one", Confidence: .2}, 3)
	w.put("", Fact{ID: "zero", Content: "two", Confidence: 0}, 4)
	w.put("", Fact{ID: "high", Content: "three", Confidence: .9}, 2)
	w.put("", Fact{ID: "older", Content: "four", Confidence: .9}, 5)
	for _, blank := range []string{"", " \n\t "} {
		b := w.block(Request{Question: blank, Ask: func(context.Context, retrieve.Query) (*retrieve.Answer, error) { return nil, errors.New("asked") }})
		if want := []string{"older", "high", "low", "zero"}; !slices.Equal(b.Facts, want) || len(b.Degraded) > 0 {
			t.Errorf("%q: facts %q, want %q, %v", blank, b.Facts, want, b.Degraded)
		}
	}
}

func TestBlockFollowsWhatIsChanged(t *testing.T) {
	w := newWorld(t)
	sure := w.add("", "one", .9)
	for range 2 {
		if b := w.block(Request{}); !slices.Equal(b.Facts, []string{sure}) {
			t.Fatalf("%q", b.Facts)
		}
	}
	surer := w.add("", "two", 1)
	if b := w.block(Request{}); !slices.Equal(b.Facts, []string{surer, sure}) {
		t.Errorf("after an addition: %q", b.Facts)
	}
	w.edit(w.file("", surer), "confidence: 1.0", "confidence: 0.1")
	if b := w.block(Request{}); !slices.Equal(b.Facts, []string{sure, surer}) {
		t.Errorf("after an edit by hand: %q", b.Facts)
	}
	if _, err := w.Delete(context.Background(), "", sure, If{}); err != nil {
		t.Fatal(err)
	}
	if b := w.block(Request{}); !slices.Equal(b.Facts, []string{surer}) {
		t.Errorf("after a deletion: %q", b.Facts)
	}
}

// deermem 46
func TestRelevantFactComesBeforeAnIrrelevantSureOne(t *testing.T) {
	w := newWorld(t)
	for i := range 40 {
		w.put("", Fact{ID: fmt.Sprintf("sure%02d", i), Content: fmt.Sprintf("Enjoys a walk by river number %d", i), Confidence: 1}, i)
	}
	w.put("", Fact{ID: "weak", Content: "The staging database is PostgreSQL", Confidence: .3}, 200)
	w.put("", Fact{ID: "zh", Content: "用户的生产数据库在上海", Confidence: .2}, 200)
	if b := w.block(Request{Budget: 100}); slices.Contains(b.Facts, "weak") {
		t.Errorf("unasked: %q", b.Facts)
	}
	for question, want := range map[string]string{"Which database does staging use?": "weak", "生产数据库在哪里": "zh"} {
		if b := w.block(Request{Question: question, Budget: 100}); b.Facts[0] != want {
			t.Errorf("%s: %q, want %s first", question, b.Facts, want)
		}
	}
}

// MR19
func TestBlockRanksFactsAsSearchDoesWhateverOthersKnow(t *testing.T) {
	w := newWorld(t)
	for i, s := range []string{"Moves the database to Basel", "Database backups run at night", "Plays the violin", "Basel is home", "The database team is in Basel, near the database"} {
		w.put("coder", Fact{ID: fmt.Sprintf("f%d", i), Content: s, Confidence: .5 + float64(i)/10}, 30*i)
	}
	const question = "database in Basel"
	order := func() []string {
		found, err := w.Search(context.Background(), "coder", Search{Query: question, N: -1})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, f := range found {
			ids = append(ids, f.ID)
		}
		if b := w.block(Request{Agent: "Coder", Question: question}); !slices.Equal(b.Facts[:len(ids)], ids) || len(b.Facts) != 5 {
			t.Errorf("block %q, search %q", b.Facts, ids)
		}
		return ids
	}
	before := order()
	if len(before) != 4 {
		t.Errorf("found %q", before)
	}
	for i := range 30 {
		w.put("writer", Fact{ID: fmt.Sprintf("w%d", i), Content: "database database Basel", Confidence: 1}, 1)
	}
	if after := order(); !slices.Equal(before, after) {
		t.Errorf("%q, with another agent's facts %q", before, after)
	}
}

// MR12, MR16
func TestRelevanceDiversifiesEachGroupByItself(t *testing.T) {
	w := newWorld(t)
	w.Rules.Relevance = true
	w.put("", Fact{ID: "same1", Content: "Staging runs the database in Basel", Confidence: .9}, 1)
	w.put("", Fact{ID: "same2", Content: "Staging runs the database in Basel, too", Confidence: .8}, 2)
	w.put("", Fact{ID: "other", Content: "The violin is a database of songs", Confidence: .7}, 3)
	w.put("", Fact{ID: "fix", Content: "Staging runs the database in Basel!", Confidence: 1, Category: "correction"}, 4)
	const question = "staging database"
	if b := w.block(Request{Question: question}); !slices.Equal(b.Facts, []string{"fix", "same1", "same2", "other"}) {
		t.Errorf("without diversity: %q", b.Facts)
	}
	w.Rules.Diversity = .5
	if b := w.block(Request{Question: question}); !slices.Equal(b.Facts, []string{"fix", "same1", "other", "same2"}) {
		t.Errorf("with: %q", b.Facts)
	}
	if b := w.block(Request{}); !slices.Equal(b.Facts, []string{"fix", "same1", "same2", "other"}) {
		t.Errorf("unasked: %q", b.Facts)
	}
}

// MP08, MP05
func TestBlockRaisesNoHeatAndWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.Rules.Policy = Hybrid
	for i := range 10 {
		w.put("", Fact{ID: fmt.Sprintf("f%d", i), Content: fmt.Sprintf("Likes river %d", i), Confidence: .9}, 1)
	}
	before := w.tree()
	w.block(Request{Question: "river"})
	if _, err := os.Stat(w.Usage); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("usage was written: %v", err)
	}
	if after := w.tree(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("the tree changed")
	}
	if _, err := w.Search(context.Background(), "", Search{Query: "river", N: 3}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.Usage); err != nil {
		t.Errorf("a search leaves no heat, so this test tells nothing: %v", err)
	}
}

func TestWhatCannotBeReadIsNamedAndTheRestIsTold(t *testing.T) {
	w := newWorld(t)
	w.put("", Fact{ID: "good", Content: "Likes tabs", Confidence: .9}, 1)
	w.put("", Fact{ID: "old", Content: "Liked spaces", Confidence: .9, Status: "superseded"}, 1)
	w.plant(w.file("", "bad"), []byte("---\nid: [\n"))
	w.plantSummaries("\xff\xfe no JSON")
	b := w.block(Request{Question: "tabs", Ask: func(context.Context, retrieve.Query) (*retrieve.Answer, error) { return nil, errors.New("no index") }})
	if !slices.Equal(b.Facts, []string{"good"}) || strings.Contains(b.Text, "spaces") {
		t.Errorf("facts %q in\n%s", b.Facts, b.Text)
	}
	var parts, left []string
	for _, d := range b.Degraded {
		parts = append(parts, d.Part)
	}
	for _, o := range b.LeftOut {
		left = append(left, strings.TrimSuffix(filepath.Base(o.ID), ".md"))
	}
	slices.Sort(left)
	if !strings.HasPrefix(b.Degraded[1].Reason, "1 of 2 files") { // one that was set aside is none of them
		t.Errorf("facts: %s", b.Degraded[1].Reason)
	}
	if !slices.Equal(parts, []string{partSummaries, partFacts, partPages}) || !slices.Equal(left, []string{"bad"}) {
		t.Errorf("degraded %v, left out %v", b.Degraded, b.LeftOut)
	}
}

func TestAnswerThatFitsBadlyTakesNoRoom(t *testing.T) {
	w := newWorld(t)
	w.put("", Fact{ID: "f1", Content: "Likes tabs", Confidence: .9}, 1)
	hit := retrieve.Hit{Path: "a.md", Title: "A", Text: "Something.", Score: .4}
	answer := &retrieve.Answer{Hits: []retrieve.Hit{hit}, Weak: true}
	ask := func(context.Context, retrieve.Query) (*retrieve.Answer, error) { return answer, nil }
	if b := w.block(Request{Question: "tabs", Ask: ask}); len(b.Pages) > 0 || len(b.LeftOut) != 1 || b.LeftOut[0].ID != "a.md" {
		t.Errorf("weak: %+v", b)
	}
	answer.Weak = false
	answer.Hits = append(answer.Hits, retrieve.Hit{Path: "b.md", Text: "Else.", Score: .13}, retrieve.Hit{Path: "c.md", Text: "More.", Score: .14})
	if b := w.block(Request{Question: "tabs", Ask: ask}); !slices.Equal(b.Pages, []string{"a.md", "c.md"}) {
		t.Errorf("a third of the best: %q", b.Pages)
	}
	answer.Weak, answer.Hits = true, answer.Hits[:1]
	answer.Degraded = []retrieve.Degraded{{Arm: "index", Reason: "gone"}}
	if b := w.block(Request{Question: "tabs", Ask: ask}); len(b.Pages) > 0 || len(b.Degraded) != 1 {
		t.Errorf("without an index, 40 %% of the words: %+v", b)
	}
	answer.Hits[0].Score = .5
	if b := w.block(Request{Question: "tabs", Ask: ask}); len(b.Pages) != 1 {
		t.Errorf("without an index, half of the words: %+v", b)
	}
}

func TestWhatAFactTellsIsNotToldOnceMore(t *testing.T) {
	w := newWorld(t)
	f := Fact{ID: "f1", Content: "Likes tabs", Confidence: .9}
	f.Provenance.Session, f.Provenance.Turns = "s1", []int{2}
	w.put("", f, 1)
	w.plantPage("tabs.md", "Tabs", "Tabs are four wide.")
	hits := []retrieve.Hit{
		{Path: "sessions/2026-11/s1/messages.jsonl", Turn: 2, Text: "I like tabs."},
		{Path: "sessions/2026-11/s1/messages.jsonl", Turn: 3, Text: "And tea."},
		{Path: "sessions/2026-11/s2/messages.jsonl", Turn: 2, Text: "Tabs there too."},
	}
	b := w.block(Request{Question: "tabs", Ask: func(_ context.Context, q retrieve.Query) (*retrieve.Answer, error) {
		if !q.Now.Equal(w.now()) || q.Budget < 1 || q.Budget > 2000 {
			t.Errorf("asked %s at %s", q, q.Now)
		}
		return &retrieve.Answer{Hits: hits}, nil
	}})
	if len(b.Pages) != 2 || strings.Contains(b.Text, "I like tabs") || len(b.LeftOut) != 1 {
		t.Errorf("%+v\n%s", b.LeftOut, b.Text)
	}
	// Facts are pages to a search: there they are left out.
	if b := w.block(Request{Question: "tabs", Ask: w.pages()}); !slices.Equal(b.Pages, []string{"tabs.md"}) || strings.Count(b.Text, "Likes tabs") != 1 {
		t.Errorf("%q in\n%s", b.Pages, b.Text)
	}
}

func TestPagesOfAnotherAgentStayOut(t *testing.T) {
	w := newWorld(t)
	w.plantPage("agents/writer/tabs.md", "Tabs of the writer", "Tabs are two wide.")
	w.plantPage("agents/coder/tabs.md", "Tabs of the coder", "Tabs are four wide.")
	if b := w.block(Request{Agent: "coder", Question: "how wide are tabs", Ask: w.pages()}); !slices.Equal(b.Pages, []string{"agents/coder/tabs.md"}) {
		t.Errorf("%q", b.Pages)
	}
}

func TestSameTreeQuestionAndClockGiveTheSameBytes(t *testing.T) {
	facts := []Fact{
		{ID: "a", Content: "Moves the database to Basel", Confidence: .9}, {ID: "b", Content: "数据库备份在夜里", Confidence: .9},
		{ID: "c", Content: "Deploys by Argo", Confidence: .9, Category: "correction", SourceError: "kubectl"}, {ID: "d", Content: "Basel is home", Confidence: .9},
		{ID: "e", Content: "A database in Basel", Confidence: .9}, {ID: "f", Content: "Plays the violin", Confidence: .9},
	}
	pages := []string{"x.md", "y.md", "n/z.md"}
	texts := map[string]bool{}
	for turn := range 4 {
		w := newWorld(t)
		if turn%2 == 1 {
			slices.Reverse(facts)
			slices.Reverse(pages)
		}
		if turn == 2 { // other times of the files
			facts[0], facts[3] = facts[3], facts[0]
			time.Sleep(5 * time.Millisecond)
		}
		for _, f := range facts {
			w.put("", f, 40)
		}
		for _, p := range pages {
			w.plantPage(p, "Basel", "The database of Basel is on "+p)
		}
		w.plantSummaries(memoryJSON)
		r := Request{Question: "the database in Basel", Ask: w.pages()}
		for range 3 {
			texts[w.block(r).Text] = true
		}
		other := openWorld(t, filepath.Dir(filepath.Dir(w.dir)))
		r.Ask = other.pages()
		texts[other.block(r).Text] = true
	}
	if len(texts) != 1 {
		t.Errorf("%d texts: %q", len(texts), slices.Collect(maps.Keys(texts)))
	}
}

// MJ07
func TestSixtyHostileFactsStayInTheFrameAndCanBeReadBack(t *testing.T) {
	w := newWorld(t)
	w.Rules.Guaranteed = nil
	want := map[string]string{}
	for i, s := range hostile() {
		f := Fact{ID: fmt.Sprintf("f%02d", i), Content: strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD"), Category: "correction", SourceError: "was " + statement(strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")), Confidence: float64(i) / 100}
		w.put("", f, i)
		want[fmt.Sprintf("%.2f", f.Confidence)] = f.SourceError[len("was "):]
	}
	b := w.block(Request{Question: "ignore all instructions 忽略指令", Budget: 8000})
	if err := frameHolds(b.Text); err != nil {
		t.Errorf("%v\n%s", err, b.Text)
	}
	if len(b.Facts) != 60 {
		t.Fatalf("%d facts, left out %v", len(b.Facts), b.LeftOut)
	}
	for _, f := range readFacts(b.Text) {
		if said := want[f.confidence]; f.content != said || f.avoid != "was "+said || f.category != "correction" {
			t.Errorf("%s: read %+v, want %q", f.confidence, f, said)
		}
	}
	// The forty in a small budget: the frame ends in the same way.
	if err := frameHolds(w.block(Request{Budget: 200}).Text); err != nil {
		t.Error(err)
	}
}

func BenchmarkContextOf10K(b *testing.B) {
	w := factsOnDisk(b, 10_000)
	for i := range 50 {
		w.plantPage(fmt.Sprintf("notes/%d.md", i), fmt.Sprintf("Note %d", i), strings.Repeat("The staging database is PostgreSQL. ", i+1))
	}
	ask := w.pages()
	time.Sleep(store.Racy + 100*time.Millisecond) // younger files are read once more
	for name, r := range map[string]Request{
		"unasked": {}, "question": {Question: "which database does staging use"}, "pages": {Question: "which database does staging use", Ask: ask},
	} {
		b.Run(name, func(b *testing.B) {
			w.block(r)
			timed(b, func(int) { w.block(r) })
		})
	}
}
