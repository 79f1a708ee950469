package dream

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"brain/llm"
	"brain/memory"
	"brain/page"
)

// openTo are the open pairs that an agent may see, "" for all of them, each as the places it names.
func (w *world) openTo(agent string) (out []string) {
	for _, p := range w.docket().Pairs {
		if p.Visible(agent) {
			out = append(out, cmp.Or(p.owner(), "all"))
		}
	}
	slices.Sort(out)
	return out
}

// What all may see stays seen by all, whatever agents know; who has a pair of his own sees it, and
// nobody that of another. A verdict of one agent settles nothing for others, one for all does.
func TestAPairIsThatOfAllOrOfOneAgent(t *testing.T) {
	w := newWorld(t)
	w.write("entities/sluice.md", entityPage("Sluice", "Gateway."))
	w.write("one.md", noteWith(fact("The ingest limit of Sluice is 600 messages.", "")))
	w.write("two.md", noteWith(fact("The ingest limit of Sluice is 900 messages.", "")))
	c := w.cycle(nil)
	know := func(text string, agents ...string) {
		for _, agent := range agents {
			if _, err := c.Facts.Add(context.Background(), agent, memory.Fact{Content: text, Category: "knowledge", Confidence: 0.9}); err != nil {
				t.Fatal(err)
			}
		}
	}
	agents := []string{"alice", "bob"}
	for i := range 70 { // more than a claim meets of one kind
		agents = append(agents, fmt.Sprintf("c%02d", i))
	}
	know("The ingest limit of Sluice is 900 messages.", agents...)
	w.dream(c, Contradictions)
	for agent, want := range map[string][]string{"alice": {"alice", "all"}, "bob": {"all", "bob"}, "eve": {"all"}, "c69": {"all", "c69"}} {
		if got := w.openTo(agent); !slices.Equal(got, want) {
			t.Errorf("%s sees the pairs of %q, want %q", agent, got, want)
		}
	}
	ids := map[string]string{}
	for _, p := range w.docket().Pairs {
		ids[p.owner()] = p.ID
	}
	if len(ids) != 1+len(agents) || len(w.docket().Damaged) > 0 {
		t.Errorf("%d pairs, damaged %q", len(ids), w.docket().Damaged)
	}
	// Alice finds nothing wrong with hers: bob has his own, and all have theirs.
	if _, err := w.decide(ids["alice"], KeepBoth); err != nil {
		t.Fatal(err)
	}
	w.dream(c, Contradictions)
	if got := w.openTo("alice"); !slices.Equal(got, []string{"all"}) {
		t.Errorf("decided, alice sees the pairs of %q", got)
	}
	if got := w.openTo("bob"); !slices.Equal(got, []string{"all", "bob"}) {
		t.Errorf("bob sees the pairs of %q", got)
	}
	// What is nothing where all see it is nothing for each.
	out, err := Decide(context.Background(), w.st, Decision{ID: ids[""], Keep: KeepBoth, At: march, May: func(p Pair) bool { return p.Visible("bob") }})
	if err != nil || out.Fell != 1 {
		t.Errorf("%v: bob is told of %d pairs that fell, want his own", err, out.Fell)
	}
	w.dream(c, Contradictions)
	if got := w.openTo(""); len(got) != 0 {
		t.Errorf("rejected for all, open are those of %q", got)
	}
}

// Many agents that say the same as a page, and so come before all others, hide no other page from
// it, nor an agent's own facts from that agent.
func TestWhatManyAgentsKnowHidesNoPage(t *testing.T) {
	b := &bucket{}
	of := func(agent string) {
		b.claims = append(b.claims, &claim{from: &claimPage{agent: agent}, words: []uint64{1, 2}})
	}
	for i := range 200 {
		of(fmt.Sprint("agent ", i/2))
	}
	of("")
	of("")
	for i, want := range map[int][]int{200: {0, 1, 2, 3, 4, 201}, 7: {6, 200, 201}} {
		if got := (&search{}).candidates(b, i); !slices.Equal(got, want) {
			t.Errorf("claim %d meets %v, want %v", i, got, want)
		}
	}
}

// A model is asked of words, once, whoever says them; its answer holds for all who do.
func TestAModelIsAskedOnceOfWhatAgentsSayToo(t *testing.T) {
	w := newWorld(t)
	w.write("entities/kestrel.md", entityPage("Kestrel", "A bird."))
	w.write("a.md", noteWith(fact("Kestrel nests in the old barn near the river", "")))
	w.write("b.md", noteWith(fact("Kestrel nests in the old mill near the river", "")))
	m := judgeModel(func(question) string { return saysContradiction })
	c := w.cycle(m)
	c.Embedder = greyEmbedder{}
	var hers page.Path
	for _, agent := range []string{"bob", "alice"} {
		added, err := c.Facts.Add(context.Background(), agent, memory.Fact{Content: "Kestrel nests in the old mill near the river", Category: "knowledge", Confidence: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		if hers, err = memory.FactPath(agent, added.Upserted[0].ID); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	m.say = func(say func(int, llm.Request) (string, error)) func(int, llm.Request) (string, error) {
		return func(n int, r llm.Request) (string, error) {
			asked += strings.Count(r.User, `"id"`)
			return say(n, r)
		}
	}(m.say)
	w.dream(c, Contradictions)
	if got := w.openTo(""); asked != 1 || !slices.Equal(got, []string{"alice", "all", "bob"}) {
		t.Errorf("asked of %d pairs; open are those of %q", asked, got)
	}
	// The pair of an agent ends with its fact, also in a night that cannot ask, and whatever pages say so.
	w.remove(string(hers))
	c.Completer = nil
	w.dream(c, Contradictions)
	if got := w.openTo(""); !slices.Equal(got, []string{"all", "bob"}) {
		t.Errorf("open are the pairs of %q", got)
	}
}

// An agent's facts are compared with each other and with what everybody sees, never with
// another agent's.
func TestFactsOfTwoAgentsNeverMeet(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	facts := &memory.Facts{Store: w.st, Now: w.now}
	for agent, text := range map[string]string{"tern": "The user drinks 3 cups of tea a day", "gull": "The user drinks 5 cups of tea a day"} {
		if _, err := facts.Add(ctx, agent, memory.Fact{Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	w.wants(w.cycle(nil))
	w.write("a.md", noteWith(fact("The user drinks 4 cups of tea a day", "    at: \"2025-01-01\"\n")))
	pairs, _ := w.found(w.cycle(nil))
	agents := []string{}
	for _, p := range pairs {
		if p.A.Agent != "" || p.B.Agent == "" || p.B.Fact != AgentFactSide || strings.Split(w.read(string(p.B.Path)), "\n")[p.B.Line-1] != p.B.Text {
			t.Errorf("pair of %+v and %+v", p.A, p.B)
		}
		agents = append(agents, p.B.Agent)
	}
	slices.Sort(agents)
	if !slices.Equal(agents, []string{"gull", "tern"}) {
		t.Errorf("pairs of agents %q", agents)
	}
}
