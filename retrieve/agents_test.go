package retrieve

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
)

func fact(agent, id, text string) (path, content string) {
	return "agents/" + agent + "/facts/00/" + id + ".md", "---\nid: " + id + "\nstatus: active\n---\n\n# " + text + "\n\n" + text + "\n"
}

var shared = map[string]string{
	"entities/anna.md":  "---\ntitle: Anna Berg\nschema_type: entity\n---\nAnna Berg keeps the [[cellar]] key.\n",
	"entities/boris.md": "---\ntitle: Boris\nschema_type: entity\n---\nBoris paints doors.\n",
	"cellar.md":         "The cellar is locked at night.",
	"doors.md":          "Doors are painted in May by [[boris]].",
}

// with gives the shared pages and another agent's facts: one that links two
// pages, one that bears a page's title, many that make words common.
func withFacts(agent string) map[string]string {
	pages := map[string]string{}
	for p, c := range shared {
		pages[p] = c
	}
	add := func(id, text string) {
		p, c := fact(agent, id, text)
		pages[p] = c
	}
	add("f1", "[[anna]] trusts [[boris]] with the cellar key")
	add("f2", "Boris")
	for _, id := range strings.Fields("g1 g2 g3 g4 g5 g6 g7 g8") {
		add(id, "The cellar key of "+id+" is a secret about doors, see [[anna]]")
	}
	return pages
}

func TestAnotherAgentsFactsAreNeitherFoundNorCounted(t *testing.T) {
	without, with := newBrain(t, shared), newBrain(t, withFacts("spy"))
	for _, text := range []string{"cellar key", "Anna Berg", "boris", "who paints doors", "what is linked to Anna Berg", "谁负责 boris", "secret of g3", "agents/spy/facts/00/f2.md", "trusts"} {
		for _, agent := range []string{"", "other"} {
			a, b := without.search(Query{Text: text, Agent: agent, N: 50}), with.search(Query{Text: text, Agent: agent, N: 50})
			if !reflect.DeepEqual(a.Hits, b.Hits) || a.Weak != b.Weak || a.Note != b.Note {
				t.Errorf("%q as %q: another agent's facts show:\nwithout %s\n   with %s", text, agent, toldAll(a), toldAll(b))
			}
		}
	}
	own := with.search(Query{Text: "secret about doors", Agent: "spy", N: 50})
	if hit(own, "agents/spy/facts/00/g3.md") == nil {
		t.Errorf("the agent does not find its own facts: %q", paths(own))
	}
	if why := with.why(Query{Text: "secret"}, "agents/spy/facts/00/g3.md"); !strings.Contains(why, "belongs to agent spy") {
		t.Errorf("why: %s", why)
	}
}

func toldAll(a *Answer) string {
	var b strings.Builder
	for _, h := range a.Hits {
		b.WriteString("\n  " + h.Path + " " + strings.Join(h.Evidence, ";") + " " + told(h.Signals))
	}
	return b.String()
}

func TestAgentNamesFoldToLowerCase(t *testing.T) {
	p, c := fact("Marlin", "f1", "Coffee is taken black")
	b := newBrain(t, map[string]string{p: c})
	if a := b.search(Query{Text: "coffee black", Agent: "marlin"}); len(a.Hits) != 1 {
		t.Errorf("found %q", paths(a))
	}
	wantNone(t, b.words("coffee black"))
}

// A name that another agent's page bears, better or as good, changes no answer:
// not what is pinned, not what a link means, not a score.
func TestAnotherAgentsNamesChangeNothing(t *testing.T) {
	shared := map[string]string{
		"notes/one.md":   "---\ntitle: Halyard\n---\nIt keeps the readings.\n",
		"notes/two.md":   "The console asks [[Halyard]] every minute.\n",
		"notes/three.md": "Halyard and the console are old.\n",
	}
	questions := []string{"Halyard", "what is linked to Halyard", "console and Halyard", "who works on Halyard", "Halyrad"}
	ask := func(extra map[string]string) string {
		pages := maps.Clone(shared)
		maps.Copy(pages, extra)
		b := wordsOnly(t, pages)
		var out strings.Builder
		for _, q := range questions {
			a := b.ask(q)
			fmt.Fprintf(&out, "%s: weak %v, relation %q\n", q, a.Weak, a.Relation)
			for _, h := range a.Hits {
				fmt.Fprintf(&out, "  %s %v %v %v\n", h.Path, h.Score, h.Evidence, h.Signals)
			}
		}
		return out.String()
	}
	want := ask(nil)
	if !strings.Contains(want, "exact name") {
		t.Fatalf("nothing is pinned: nothing would be proved\n%s", want)
	}
	for name, extra := range map[string]map[string]string{
		"a file name before the title": {"agents/spy/facts/00/halyard.md": "A secret.\n"},
		"the same title":               {"agents/spy/facts/00/x.md": "---\ntitle: Halyard\n---\nA secret. [[two]]\n"},
		"a session's title":            {"sessions/2026-01/s/messages.jsonl": "{\"session\":\"s\",\"agent\":\"spy\",\"title\":\"Halyard\"}\n{\"role\":\"user\",\"text\":\"a secret [[Halyard]]\"}\n"},
	} {
		if got := ask(extra); got != want {
			t.Errorf("%s changes the answers\n got %s\nwant %s", name, got, want)
		}
	}
}
