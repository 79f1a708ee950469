package dream

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/inbox"
	"brain/llm"
	"brain/page"
)

// say keeps a conversation of a day before the world begins, a turn a line: "who: what".
func (w *world) say(agent, id string, turns ...string) {
	w.t.Helper()
	s := inbox.Session{ID: id, Agent: agent}
	for i, l := range turns {
		who, what, _ := strings.Cut(l, ": ")
		s.Turns = append(s.Turns, page.Turn{Role: who, Text: what, At: march.Add(time.Duration(i-1440) * time.Minute)})
	}
	if _, err := w.box.Add(w.t.Context(), s); err != nil {
		w.t.Fatal(err)
	}
}

// pages are all Markdown files, by path.
func (w *world) pages() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	l, err := w.st.List(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range l.Files {
		if !f.Path.IsSession() {
			all[string(f.Path)] = w.read(string(f.Path))
		}
	}
	return all
}

func (w *world) state(id string) string {
	w.t.Helper()
	m, err := w.box.Meta(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return m.State
}

// K12
func TestSessionsAreCompiledOnce(t *testing.T) {
	w := newWorld(t)
	w.say("", "first", "user: We decided to use PostgreSQL 15 for the ledger.", "assistant: Noted.")
	w.say("", "second", "user: 我们决定用 Redis 做缓存。")
	s := stage(t, w.dream(w.cycle(nil)), Distill)
	if !s.OK || s.Counts["sessions_compiled"] != 2 || len(s.Changed) != 2 || s.Calls != 0 {
		t.Errorf("%+v; want two sessions compiled, a page of each", s)
	}
	for _, c := range s.Changed {
		if p := w.page(c.Path); p.Type != "decision" {
			t.Errorf("%s is a %q, want a decision", c.Path, p.Type)
		}
	}
	before := w.tree()
	for range 2 {
		if s := stage(t, w.dream(w.cycle(nil)), Distill); !s.OK || len(s.Changed)+s.Counts["sessions_compiled"] != 0 {
			t.Errorf("again: %+v", s)
		}
	}
	if w.tree() != before {
		t.Error("a night without news wrote something")
	}
}

func TestADryRunCompilesNothing(t *testing.T) {
	w := newWorld(t)
	w.say("", "first", "user: We decided to use PostgreSQL 15 for the ledger.")
	before, m := w.tree(), always(`{}`)
	c := w.cycle(m)
	c.DryRun = true
	s := stage(t, w.dream(c, Distill), Distill)
	if m.calls != 0 || w.tree() != before || s.Counts["sessions_due"] != 1 || len(s.Changed) != 1 || !strings.Contains(s.Changed[0].Path, "first") {
		t.Errorf("%d calls, %+v; want a session that would be compiled, and nothing else", m.calls, s)
	}
}

func TestSessionsThatAreNotOursToCompileStay(t *testing.T) {
	w := newWorld(t)
	w.say("", "held", "user: We decided to use PostgreSQL 15.")
	w.say("coder", "off", "user: We decided to use Redis 7.")
	w.say("", "lively", "user: We decided to use NATS 2.")
	lease, err := w.box.Take(t.Context(), "held")
	if err != nil {
		t.Fatal(err)
	}
	c := w.cycle(nil)
	c.AgentsOff = []string{"coder"}
	w.clock = w.clock.AddDate(0, 0, -1) // dream adds a day
	c.Debounce, c.MaxWait = 72*time.Hour, 72*time.Hour
	if s := stage(t, w.dream(c, Distill), Distill); !s.OK || len(s.Changed) != 0 || len(s.Left) == 0 {
		t.Errorf("%+v; want nothing compiled", s)
	}
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
	c.Debounce, c.MaxWait = 0, 0
	s := stage(t, w.dream(c, Distill), Distill)
	if s.Counts["sessions_compiled"] != 2 || w.state("off") != inbox.Pending {
		t.Errorf("%v, off is %s; want the two others compiled", s.Counts, w.state("off"))
	}
}

// A model that fails leaves no trace but a report that says so.
func TestFailuresOfAModelLeaveSessionsToBeTriedAgain(t *testing.T) {
	for _, c := range []struct {
		name     string
		says     *model
		fallback bool
		ok       bool
		state    string
		made     int
	}{
		{"refusal", fails(llm.Refused), true, false, inbox.Failed, 0},
		{"no access", fails(llm.Unauthorized), true, false, inbox.Pending, 0},
		{"silence", fails(llm.Timeout), true, false, inbox.Pending, 0},
		{"no answer", fails(llm.Misshapen), true, false, inbox.Failed, 0},
		{"an empty reply", always(``), true, false, inbox.Failed, 0},
		{"no server", fails(llm.Down), false, false, inbox.Pending, 0},
		{"no server, and rules stand in", fails(llm.Down), true, false, inbox.Done, 1},
		{"no budget", fails(llm.OverBudget), true, true, inbox.Pending, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.say("", "first", "user: We decided to use PostgreSQL 15 for the ledger.")
			cy := w.cycle(c.says)
			cy.Fallback = c.fallback
			s := stage(t, w.dream(cy, Distill), Distill)
			if s.OK != c.ok || len(w.pages()) != c.made || w.state("first") != c.state {
				t.Errorf("ok %t, %d pages, %s, failures %q; want %t, %d, %s", s.OK, len(w.pages()), w.state("first"), s.Failures, c.ok, c.made, c.state)
			}
			named := slices.ContainsFunc(s.Left, func(l Left) bool { return strings.Contains(l.Hint, "retry first") })
			if named != (c.state == inbox.Failed) {
				t.Errorf("left %v", s.Left)
			}
		})
	}
}

// What the gate drops of a reply is counted, and the rest is kept. L05
func TestOneBadFindingOfTenIsReportedAndNineAreKept(t *testing.T) {
	w := newWorld(t)
	var turns, items []string
	for i, what := range []string{"Kafka 3", "Redis 7", "NATS 2", "Nginx 1", "Vault 9", "Consul 8", "Grafana 11", "Loki 6", "Tempo 5"} {
		turns = append(turns, "user: The team runs "+what+" in the "+[]string{"north", "south", "east", "west", "upper", "lower", "inner", "outer", "middle"}[i]+" hall.")
		items = append(items, mustJSON(t, map[string]any{"type": "note", "bucket": "environment", "outcome": "success", "title": what, "body": strings.TrimPrefix(turns[i], "user: "), "turns": []int{i + 1}}))
	}
	items = append(items, `{"type":"note","bucket":"place","outcome":"success","title":"Mars","body":"A base on Mars has 9000 people.","turns":[1]}`)
	w.say("", "first", turns...)
	s := stage(t, w.dream(w.cycle(always(`{"items":[`+strings.Join(items, ",")+`],"newFacts":[],"factsToRemove":[]}`)), Distill), Distill)
	if !s.OK || len(s.Changed) != 9 || s.Counts["findings_dropped"] != 1 || len(w.pages()) != 9 {
		t.Errorf("ok %t, %d pages, %v, failures %q; want nine pages and one dropped", s.OK, len(w.pages()), s.Counts, s.Failures)
	}
}

// Whoever dies with a session in hand leaves it to the next one.
func TestASessionOfOneWhoDiedIsCompiledByTheNext(t *testing.T) {
	w := newWorld(t)
	w.say("", "first", "user: We decided to use PostgreSQL 15 for the ledger.")
	lease, err := w.box.Take(t.Context(), "first")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(w.dir, filepath.FromSlash(lease.Meta.Path.Dir()), "meta.json")
	raw, err := os.ReadFile(name) // it says that somebody compiles
	if err = errors.Join(err, lease.Release()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if s := stage(t, w.dream(w.cycle(nil), Distill), Distill); s.Counts["sessions_compiled"] != 1 {
		t.Errorf("%+v; want it compiled", s)
	}
}
