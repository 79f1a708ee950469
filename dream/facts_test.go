package dream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/llm"
	"brain/memory"
	"brain/store"
)

// hold gives an agent facts that were found in a conversation so many days before the world
// begins, and returns their ids.
func (w *world) hold(agent, category string, daysAgo int, texts ...string) (ids []string) {
	return w.holdAs("session", agent, category, daysAgo, texts...)
}

func (w *world) holdAs(source, agent, category string, daysAgo int, texts ...string) (ids []string) {
	w.t.Helper()
	m := &memory.Facts{Store: w.st, Now: func() time.Time { return march.AddDate(0, 0, -daysAgo) }}
	for _, s := range texts {
		d, err := m.Add(w.t.Context(), agent, memory.Fact{Content: s, Category: category, Confidence: 0.8, Source: memory.Source{Type: source}})
		if err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, d.Upserted[0].ID)
	}
	return ids
}

func (w *world) factPath(agent, id string) string {
	w.t.Helper()
	p, err := memory.FactPath(agent, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(p)
}

// facts are what an agent's facts say.
func (w *world) facts(agent string) (texts []string) {
	w.t.Helper()
	l, err := (&memory.Facts{Store: w.st}).List(w.t.Context(), agent)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range l.Facts {
		texts = append(texts, f.Content)
	}
	slices.Sort(texts)
	return texts
}

var habits = []string{"Drinks green tea in the morning", "Commutes by bicycle", "Plays the cello on Sundays", "Keeps two cats", "Reads Polish novels", "Learns Portuguese"}

const keepAll = `{"staleFactsToRemove":[],"staleFactsToExtend":[],"factsToConsolidate":[]}`

func TestFactsThatGrewOldAreReviewedOnce(t *testing.T) {
	w := newWorld(t)
	ids := w.hold("coder", "preference", 200, habits...)
	w.hold("coder", "preference", 10, "Uses Helix as an editor")
	m := &model{say: func(call int, r llm.Request) (string, error) {
		for i, id := range ids {
			if !strings.Contains(r.User, id) || !strings.Contains(r.User, habits[i]) {
				t.Errorf("the question lacks %s: %s", id, r.User)
			}
		}
		if strings.Contains(r.User, "Helix") {
			t.Error("a fact of last week is asked about")
		}
		return fmt.Sprintf(`{"staleFactsToRemove":[{"id":%q,"reason":"try %d: long over"}],"staleFactsToExtend":[{"id":%q,"extend_by_days":365,"reason":"a habit"}],"factsToConsolidate":[]}`, ids[1], call, ids[2]), nil
	}}
	s := stage(t, w.dream(w.cycle(m), Distill), Distill)
	if !s.OK || s.Calls != 1 || s.Counts["facts_removed"] != 1 || s.Counts["facts_extended"] != 1 || len(s.Changed) != 2 {
		t.Errorf("%+v; want one removed, one extended", s)
	}
	want := append(slices.Clone(habits[:1]), habits[2:]...)
	want = append(want, "Uses Helix as an editor")
	if slices.Sort(want); !slices.Equal(w.facts("coder"), want) {
		t.Errorf("the agent holds %q, want %q", w.facts("coder"), want)
	}
	// It is 201 days old, and holds 365 more.
	if raw := w.read(w.factPath("coder", ids[2])); !strings.Contains(raw, "expected_valid_days: 566") {
		t.Errorf("the fact that holds longer:\n%s", raw)
	}
	before := w.tree()
	for range 3 {
		if s := stage(t, w.dream(w.cycle(m), Distill), Distill); s.Calls != 0 || len(s.Changed) != 0 {
			t.Errorf("another night: %+v; want no call and no change", s)
		}
	}
	if w.tree() != before {
		t.Error("a night without news wrote something")
	}
}

// A night that was killed between an answer and the update leaves the answer: a dry run says what
// is to come of it, and the next night does it without asking again.
func TestADryRunTellsOfAnAnswerThatWasNotCarriedOut(t *testing.T) {
	w := newWorld(t)
	ids := w.hold("coder", "preference", 200, habits...)
	m := always(fmt.Sprintf(`{"staleFactsToRemove":[{"id":%q,"reason":"long over"}],"staleFactsToExtend":[{"id":%q,"extend_by_days":365,"reason":"a habit"}],"factsToConsolidate":[]}`, ids[1], ids[2]))
	ctx, kill := context.WithCancel(t.Context())
	w.clock = w.clock.AddDate(0, 0, 1)
	killed := w.cycle(&model{say: func(call int, r llm.Request) (string, error) {
		kill()
		return m.say(call, r)
	}})
	if _, err := killed.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("the night that is killed: %v", err)
	}
	before := w.tree()
	dry := w.cycle(m)
	dry.DryRun = true
	s := stage(t, w.dream(dry, Distill), Distill)
	want := []Change{{w.factPath("coder", ids[1]), "aged fact removed: long over"}, {w.factPath("coder", ids[2]), "aged fact holds longer"}}
	if !s.OK || !slices.Equal(s.Changed, want) || w.tree() != before {
		t.Errorf("%+v; want %v, and nothing written", s, want)
	}
	if s := stage(t, w.dream(w.cycle(m), Distill), Distill); m.calls != 0 || s.Counts["facts_removed"] != 1 || s.Counts["facts_extended"] != 1 {
		t.Errorf("%d calls, %+v; want it carried out without another question", m.calls, s)
	}
}

// "Keep all" is an answer like any other.
func TestThatAllFactsStayIsRemembered(t *testing.T) {
	w := newWorld(t)
	at := w.factPath("coder", w.hold("coder", "preference", 200, habits...)[0])
	before, m := w.tree(), always(keepAll)
	for range 3 {
		w.dream(w.cycle(m), Distill)
	}
	if m.calls != 1 || w.tree() != before {
		t.Errorf("%d calls, tree as before: %t; want one call and no change", m.calls, w.tree() == before)
	}
	// One that changes is one that nobody has looked at: but one alone is not worth a question.
	w.write(at, strings.ReplaceAll(w.read(at), "Drinks", "Enjoys"))
	w.dream(w.cycle(m), Distill)
	w.hold("coder", "preference", 300, "Sings in a choir", "Collects stamps")
	w.dream(w.cycle(m), Distill)
	if m.calls != 2 {
		t.Errorf("%d calls, want a second one for three other facts", m.calls)
	}
}

// drinks are eight facts of one category, as many as make a group.
var drinks = []string{
	"Orders espresso at the Rialto cafe", "Brews oolong tea at home", "Avoids milk since 2019", "Buys beans from Hansa roasters",
	"Owns a Bialetti moka pot", "Drinks water with lemon slices", "Dislikes sugared lemonade", "Visits the brewery in Pilsen yearly",
}

// consolidating is a Dream that may merge facts.
func (w *world) consolidating(m llm.Completer) *Cycle {
	c := w.cycle(m)
	rules := memory.DefaultRules()
	rules.Consolidation = true
	c.Facts.Rules = rules
	return c
}

func mergeOf(content string, ids ...string) string {
	raw, err := json.Marshal(map[string]any{
		"staleFactsToRemove": []any{}, "staleFactsToExtend": []any{},
		"factsToConsolidate": []any{map[string]any{"sourceIds": ids, "consolidated": map[string]any{
			"content": content, "category": "preference", "confidence": 0.8, "scope": "user", "durability": "durable", "authority": "descriptive"}}},
	})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestFactsThatSayPartsOfTheSameBecomeOne(t *testing.T) {
	w := newWorld(t)
	ids := w.hold("", "preference", 10, drinks...)
	merged := "Orders espresso at the Rialto cafe and brews oolong tea at home"
	m := always(mergeOf(merged, ids[0], ids[1]))
	s := stage(t, w.dream(w.consolidating(m), Distill), Distill)
	want := append(slices.Clone(drinks[2:]), merged)
	slices.Sort(want)
	if !s.OK || s.Counts["facts_merged"] != 1 || !slices.Equal(w.facts(""), want) {
		t.Errorf("%+v, %q; want them merged", s, w.facts(""))
	}
	before := w.tree()
	if s := stage(t, w.dream(w.consolidating(m), Distill), Distill); s.Calls != 0 || w.tree() != before {
		t.Errorf("again: %+v", s)
	}
}

// L07
func TestAConsolidationThatDropsHalfOfTheEntriesIsRefused(t *testing.T) {
	w := newWorld(t)
	ids := w.hold("", "preference", 10, drinks...)
	before := w.tree()
	m := always(mergeOf("Orders espresso at the Rialto cafe, brews oolong tea at home, avoids milk since 2019 and buys beans from Hansa roasters", ids...))
	s := stage(t, w.dream(w.consolidating(m), Distill), Distill)
	if s.OK || len(s.Failures) != 1 || !strings.Contains(s.Failures[0], "it loses") || w.tree() != before {
		t.Errorf("%+v; want it refused, and the tree as it was", s)
	}
}

// Each way in which a model fails leaves the facts as they are, and only a budget that is
// used up is no failure.
func TestFailuresOfAModelLeaveFactsAsTheyAre(t *testing.T) {
	for _, c := range []struct {
		name string
		says *model
		ok   bool
	}{
		{"refusal", fails(llm.Refused), false},
		{"no access", fails(llm.Unauthorized), false},
		{"silence", fails(llm.Timeout), false},
		{"no server", fails(llm.Down), false},
		{"cut off", fails(llm.Truncated), false},
		{"nothing at all", always(``), false},
		{"an empty object", always(`{}`), false},
		{"lists that are none", always(`{"staleFactsToRemove":"all","staleFactsToExtend":[],"factsToConsolidate":[]}`), false},
		{"facts that nobody showed", always(`{"staleFactsToRemove":[{"id":"fact_0000","reason":"over"}],"staleFactsToExtend":[],"factsToConsolidate":[]}`), false},
		{"no reasons", &model{say: func(_ int, r llm.Request) (string, error) {
			at := strings.Index(r.User, "fact_")
			id := strings.Fields(r.User[at:])[0]
			return fmt.Sprintf(`{"staleFactsToRemove":[{"id":%q,"reason":" "}],"staleFactsToExtend":[],"factsToConsolidate":[]}`, id), nil
		}}, false},
		{"no budget", fails(llm.OverBudget), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.hold("coder", "preference", 200, habits...)
			before := w.tree()
			s := stage(t, w.dream(w.cycle(c.says), Distill), Distill)
			if s.OK != c.ok || w.tree() != before || c.says.calls != 1 {
				t.Errorf("ok %t, %d calls, failures %q, tree as before: %t", s.OK, c.says.calls, s.Failures, w.tree() == before)
			}
		})
	}
}

func TestAnEditMadeWhileAModelIsAskedWins(t *testing.T) {
	w := newWorld(t)
	ids := w.hold("coder", "preference", 200, habits...)
	at := w.factPath("coder", ids[0])
	m := &model{say: func(int, llm.Request) (string, error) {
		w.write(at, strings.ReplaceAll(w.read(at), "green tea", "black tea"))
		return fmt.Sprintf(`{"staleFactsToRemove":[{"id":%q,"reason":"over"},{"id":%q,"reason":"over"}],"staleFactsToExtend":[],"factsToConsolidate":[]}`, ids[0], ids[1]), nil
	}}
	w.dream(w.cycle(m), Distill)
	want := append([]string{"Drinks black tea in the morning"}, habits[2:]...)
	if slices.Sort(want); !slices.Equal(w.facts("coder"), want) {
		t.Errorf("the agent holds %q, want %q", w.facts("coder"), want)
	}
}

func TestWhatAPersonWroteIsNamedAndNotShownToAModel(t *testing.T) {
	w := newWorld(t)
	w.holdAs("manual", "coder", "preference", 200, habits...)
	before, m := w.tree(), always(keepAll)
	s := stage(t, w.dream(w.cycle(m), Distill), Distill)
	if m.calls != 0 || len(s.Left) != len(habits) || !strings.Contains(s.Left[0].Hint, " --agent coder` if it holds") || w.tree() != before {
		t.Errorf("%d calls, left %v; want all named", m.calls, s.Left)
	}
}

func TestWithoutAModelAgedFactsAreNamed(t *testing.T) {
	w := newWorld(t)
	w.hold("coder", "preference", 200, habits...)
	before := w.tree()
	for range 2 {
		s := stage(t, w.dream(w.cycle(nil), Distill), Distill)
		if !s.OK || len(s.Left) != len(habits) || w.tree() != before {
			t.Errorf("left %v; want all named, and nothing written", s.Left)
		}
	}
}

func TestFactsAboveTheCapMakeRoom(t *testing.T) {
	w := newWorld(t)
	w.hold("coder", "preference", 10, append(slices.Clone(drinks), habits[:3]...)...)
	sure := w.facts("coder")
	m := &memory.Facts{Store: w.st, Now: w.now}
	for _, s := range habits[3:5] {
		if _, err := m.Add(t.Context(), "coder", memory.Fact{Content: s, Confidence: 0.5}); err != nil {
			t.Fatal(err)
		}
	}
	c := w.cycle(nil)
	c.Facts.Rules = memory.DefaultRules()
	c.Facts.Rules.Max = 11
	dry := w.cycle(nil)
	dry.Facts.Rules, dry.DryRun = c.Facts.Rules, true
	before := w.tree()
	if s := stage(t, w.dream(dry, Distill), Distill); len(s.Changed) != 1 || !strings.Contains(s.Changed[0].What, "2 facts") || w.tree() != before {
		t.Errorf("a dry run: %v", s.Changed)
	}
	s := stage(t, w.dream(c, Distill), Distill)
	if !s.OK || s.Counts["facts_evicted"] != 2 || len(s.Changed) != 2 || !slices.Equal(w.facts("coder"), sure) {
		t.Errorf("%+v, %q; want the two least sure gone by name", s, w.facts("coder"))
	}
	for _, c := range s.Changed {
		if _, err := os.Stat(filepath.Join(w.dir, c.Path)); err == nil {
			t.Errorf("%s is named as gone, and there", c.Path)
		}
	}
}

// What was purged is not written again in other facts' place.
func TestAMergeDoesNotBringBackWhatWasPurged(t *testing.T) {
	w := newWorld(t)
	ids := w.hold("", "preference", 10, drinks...)
	merged := "Orders espresso at the Rialto cafe and brews oolong tea at home"
	w.write("secret.md", merged+"\n")
	if _, err := w.st.PurgePage(t.Context(), "secret.md", store.HashOf([]byte(merged+"\n")), march); err != nil {
		t.Fatal(err)
	}
	w.dream(w.consolidating(always(mergeOf(merged, ids[0], ids[1]))), Distill)
	want := slices.Sorted(slices.Values(drinks))
	if !slices.Equal(w.facts(""), want) {
		t.Errorf("%q; want the facts as they were", w.facts(""))
	}
}

func TestFactsOfAgentsWithoutAMemoryStay(t *testing.T) {
	w := newWorld(t)
	w.hold("coder", "preference", 200, habits...)
	c := w.cycle(always(keepAll))
	c.AgentsOff = []string{"coder"}
	if s := stage(t, w.dream(c, Distill), Distill); s.Calls != 0 || s.Looked != 0 {
		t.Errorf("%+v; want nothing looked at", s)
	}
}
