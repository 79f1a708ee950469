package retrieve

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"brain/index"
	"brain/page"
)

// conversation gives the file of a session: turns as "role/speaker: text".
func conversation(agent string, turns ...string) string {
	var b strings.Builder
	line := func(v any) {
		raw, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		b.Write(append(raw, '\n'))
	}
	line(page.Head{Session: "s", Agent: agent})
	for _, t := range turns {
		who, said, _ := strings.Cut(t, ": ")
		role, speaker, _ := strings.Cut(who, "/")
		line(page.Turn{Role: role, Speaker: speaker, Text: said})
	}
	return b.String()
}

func sessionFile(id string) string { return "sessions/2026-03/" + id + "/" + page.SessionFile }

// A turn of 60 words stands half for itself; its neighbours stand for the rest.
func TestATurnsNeedOfItsNeighbours(t *testing.T) {
	b := newBrain(t, map[string]string{"a.md": "harbour\n", sessionFile("s"): conversation("kim",
		"/Al: "+strings.Repeat("crane of the harbour master ", 12), "/Bo: Cranes?", "/Al: yes")})
	v := b.view()
	row, _ := v.Lookup(page.Path(sessionFile("s")))
	p := newPlan(v, Query{Text: "the harbour crane", Agent: "kim", Now: clock}, nil)
	f := b.sr.arms(t.Context(), v, nil, &plan{q: p.q, terms: p.terms, arms: map[string]bool{Lexical: true, Vector: true}, accept: p.accept})
	defer f.close()
	turns := newAsker(p.q.Text).turns(v, f, row)
	if len(turns) != 3 || turns[0].Words != 61 || turns[2].Own != 0 || turns[2].Around == 0 {
		t.Fatalf("%+v", turns)
	}
	for i, need := range []float64{60. / (60 + 61), 60. / (60 + 2), 60. / (60 + 2)} {
		u := turns[i]
		want := turnOwn*u.Own + turnAround*((1-need)*u.Own+need*u.Around)
		if math.Abs(u.words-want) > 1e-15 {
			t.Errorf("turn %d: words %v, want %v", u.N, u.words, want)
		}
		// Two thirds its own cosine, one third the mean with those beside it.
		sum, n := 0.0, 0.0
		for _, j := range []int{i - 1, i, i + 1} {
			if j == i || j >= 0 && j < 3 && turns[j].HasVector {
				sum, n = sum+f.space.Calibrate(turns[j].Cosine), n+1
			}
		}
		if want := f.space.Calibrate(u.Cosine)*2/3 + sum/n/3; math.Abs(u.cosine-want) > 1e-15 {
			t.Errorf("turn %d: cosine %v, want %v", u.N, u.cosine, want)
		}
	}
	if turns[1].who != -turnAsks || turns[1].whose != "asks" {
		t.Errorf("%v %q", turns[1].who, turns[1].whose)
	}
}

func TestWhoIsAskedFor(t *testing.T) {
	user, assistant := index.Turn{User: true}, index.Turn{Assistant: true}
	said := func(name string) index.Turn { return index.Turn{Speaker: name} }
	for _, c := range []struct {
		q    string
		turn index.Turn
		want float64
	}{
		{"What did I buy?", user, turnRole},
		{"What did I buy?", assistant, 0},
		{"where is my key", user, turnRole},
		{"I've lost what you told me", user, 0}, // both are meant
		{"What did you suggest?", assistant, turnRole},
		{"What did you suggest?", user, 0},
		{"我买了什么", user, turnRole},
		{"你推荐了什么", assistant, turnRole},
		{"What is Nora's dog called?", said("Nora"), turnSpeaker},
		{"What is Nora’s dog called?", said("nora Berg"), turnSpeaker},
		{"What is the dog called?", said("Nora"), 0},
		{"Noras dog", said("Nora"), 0},
		{"诺拉的狗叫什么", said("诺拉"), turnSpeaker},
		{"诺言", said("诺"), 0}, // one character is in too many words
		{"what 's up", said(" "), 0},
		{"which tool failed", index.Turn{}, 0},
		{"What did Wei buy?", index.Turn{Speaker: "Wei", User: true}, turnSpeaker},
		{"What did I, Wei, buy?", index.Turn{Speaker: "Wei", User: true}, turnRole},
		{"What did I buy?", index.Turn{User: true, Asks: true}, turnRole - turnAsks},
		{"dog", index.Turn{Asks: true}, -turnAsks},
	} {
		a := newAsker(c.q)
		if got, why := a.who(&c.turn, a.names(c.turn.Speaker)); got != c.want || (why != "") != (got != 0) {
			t.Errorf("%q and a turn of %+v: %v (%s), want %v", c.q, c.turn, got, why, c.want)
		}
	}
}

// Roles are no names: a question about a tool or an unknown error prefers
// nobody.
func TestARoleIsNoName(t *testing.T) {
	b := wordsOnly(t, map[string]string{sessionFile("s"): conversation("kim",
		"tool: the deploy failed", ": the deploy failed", "tool/tool: the deploy failed", "/Tool: the deploy failed")})
	a := b.search(Query{Text: "tool unknown deploy", Agent: "kim", Unit: Passages})
	for _, h := range a.Hits {
		if s := signal(&h, "turn.who"); (s != nil) != (h.Turn == 4) {
			t.Errorf("turn %d: %s", h.Turn, told(h.Signals))
		}
	}
	if len(a.Hits) != 4 {
		t.Errorf("%d hits", len(a.Hits))
	}
}

// A passage is a turn: its number, line, speaker and words. The signals give
// its score exactly.
func TestPassagesOfSessionsAreTurns(t *testing.T) {
	b := newBrain(t, map[string]string{
		"a.md": "The harbour is large.\n",
		sessionFile("s"): conversation("kim", "user/Wei: Where is the crane?", "assistant: At the north pier, since May.",
			"user: Thanks.", "user: And the lighthouse?", "assistant: The lighthouse stands alone on the reef."),
	})
	a := b.search(Query{Text: "where does the lighthouse stand", Agent: "kim", Unit: Passages})
	h := a.Hits[0]
	if h.Path != sessionFile("s") || h.Turn != 5 || h.Line != 6 || h.Heading != "assistant" || h.Text != "The lighthouse stands alone on the reef." {
		t.Errorf("%+v", h)
	}
	seen := map[int]bool{}
	for _, h := range a.Hits {
		score := 0.0
		for _, s := range h.Signals {
			if s.Op == "mul" {
				score *= s.Value
			} else {
				score += s.Value
			}
		}
		if math.Float64bits(score) != math.Float64bits(h.Score) {
			t.Errorf("turn %d: signals give %v, score %v", h.Turn, score, h.Score)
		}
		if h.Turn > 0 && seen[h.Turn] {
			t.Errorf("turn %d twice", h.Turn)
		}
		seen[h.Turn] = true
	}
	pages := b.search(Query{Text: "where does the lighthouse stand", Agent: "kim"})
	best := hit(pages, sessionFile("s"))
	if best == nil || best.Turn != 5 || signal(best, "turn") == nil || signal(best, "turn").Note != "turn 5" {
		t.Errorf("%+v", best)
	}
}

// Who speaks makes no turn an answer that has nothing else of the question.
func TestWhoSpeaksFindsNothingAlone(t *testing.T) {
	b := wordsOnly(t, map[string]string{sessionFile("s"): conversation("kim",
		"user: my lighthouse", "user: one", "user: two", "user: three", "user: four", "user: five")})
	a := b.search(Query{Text: "what is my lighthouse", Agent: "kim", Unit: Passages})
	var turns []int
	for _, h := range a.Hits {
		turns = append(turns, h.Turn)
	}
	if !slices.Equal(turns, []int{1, 2, 3}) { // it, and what is said two turns on
		t.Errorf("turns %v", turns)
	}
}

// A session that grew since the index was made still shows the turn that was
// found; one that was written anew or is gone shows its title.
func TestTurnsOfAFileThatChanged(t *testing.T) {
	whole := conversation("kim", "user: The lighthouse stands on the reef.")
	b := wordsOnly(t, map[string]string{sessionFile("s"): whole})
	q := Query{Text: "lighthouse", Agent: "kim", Unit: Passages}
	b.write(sessionFile("s"), whole+`{"role":"user","text":"More."}`+"\n")
	if h := b.search(q).Hits[0]; h.Text != "The lighthouse stands on the reef." || h.Line != 2 {
		t.Errorf("%+v", h)
	}
	b.write(sessionFile("s"), "{}\n")
	if h := b.search(q).Hits[0]; h.Text != "" || h.Snippet != h.Title {
		t.Errorf("%+v", h)
	}
	if err := os.Remove(filepath.Join(b.dir, filepath.FromSlash(sessionFile("s")))); err != nil {
		t.Fatal(err)
	}
	if h := b.search(q).Hits[0]; h.Text != "" {
		t.Errorf("%+v", h)
	}
}

// Another agent's sessions are neither found nor counted, by any arm.
func TestAnotherAgentsSessionsAreNeitherFoundNorCounted(t *testing.T) {
	pages := func(spy bool) map[string]string {
		out := map[string]string{
			sessionFile("own"):  conversation("kim", "user: The cellar key hangs by the door.", "assistant: Noted."),
			sessionFile("none"): conversation("", "user: The cellar key is lost."),
		}
		for p, c := range shared {
			out[p] = c
		}
		for i := range 8 {
			if spy {
				out[sessionFile(fmt.Sprint("spy", i))] = conversation("Spy", "user: Anna Berg [[anna]] trusts [[boris]] with the cellar key of the doors", "assistant: Boris.")
			}
		}
		return out
	}
	without, with := newBrain(t, pages(false)), newBrain(t, pages(true))
	for _, text := range []string{"cellar key", "Anna Berg", "boris", "who paints doors", "what is linked to Anna Berg", "trusts", "where is my key"} {
		for _, agent := range []string{"", "kim", page.DefaultAgent} {
			for _, unit := range []Unit{Pages, Passages} {
				q := Query{Text: text, Agent: agent, N: 50, Unit: unit}
				a, b := without.search(q), with.search(q)
				if !reflect.DeepEqual(a.Hits, b.Hits) || a.Weak != b.Weak || a.Note != b.Note {
					t.Errorf("%q as %q: another agent's sessions show:\nwithout %s\n   with %s", text, agent, toldAll(a), toldAll(b))
				}
			}
		}
	}
	for agent, want := range map[string]string{"kim": "own", page.DefaultAgent: "none", "spy": "spy0", "": ""} {
		a := with.search(Query{Text: "cellar key", Agent: agent, N: 50})
		for _, id := range []string{"own", "none", "spy0"} {
			if got := hit(a, sessionFile(id)) != nil; got != (id == want) {
				t.Errorf("%q finds session %s: %v", agent, id, got)
			}
		}
	}
}

// afterCap prints an order after the cap: p for a page, s for a session, S for
// one that the question names.
func afterCap(q *Query, order string) string {
	var in []*candidate
	for _, c := range order {
		x := &candidate{path: string(c), pinned: c == 'S'}
		if c != 'p' {
			x.page.Turns = 1
		}
		in = append(in, x)
	}
	var out strings.Builder
	for _, c := range capSessions(q, in) {
		out.WriteString(c.path)
	}
	return out.String()
}

func TestSessionsAreCapped(t *testing.T) {
	for order, want := range map[string]string{
		"":                 "",
		"ppp":              "ppp",
		"sss":              "sss",
		"sssss":            "sssss", // nothing else was found
		"sssspp":           "ssspps",
		"ssssppppppp":      "sssppppppps",
		"sssssspppppppppp": "sssppppppp" + "sss" + "ppp", // behind the first ten, in their order
		"ppppppppppssss":   "ppppppppppssss",
		"ssspppppppsss":    "ssspppppppsss",
		"Sssssp":           "Ssssps", // what the question names does not count
	} {
		if got := afterCap(&Query{}, order); got != want {
			t.Errorf("%s: %s, want %s", order, got, want)
		}
	}
	for _, q := range []Query{
		{Kinds: []string{"note", "Session"}}, {Paths: []string{"sessions"}}, {Paths: []string{"/sessions/2026-03"}}, {Paths: []string{"sessions/**"}},
	} {
		if got := afterCap(&q, "sssspp"); got != "sssspp" {
			t.Errorf("%+v: %s", q, got)
		}
	}
	for _, q := range []Query{{Kinds: []string{"note"}}, {Paths: []string{"sessions-of-the-board"}}, {Paths: []string{"notes/sessions"}}, {Unit: Passages}} {
		if got := afterCap(&q, "sssspp"); got != "ssspps" {
			t.Errorf("%+v: %s", q, got)
		}
	}
}

// In a whole answer, too, three sessions come before the pages, and the rest
// after ten.
func TestSessionsInAnAnswer(t *testing.T) {
	pages := map[string]string{}
	for i := range 6 {
		pages[sessionFile(fmt.Sprint("s", i))] = conversation("kim", fmt.Sprintf("user: lighthouse lighthouse %d", i))
		pages[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("Page %d has the lighthouse once among many other words of little use here.\n", i)
	}
	b := wordsOnly(t, pages)
	count := func(q Query) (n int) {
		q.Text, q.Agent = "lighthouse", "kim"
		a := b.search(q)
		for _, h := range a.Hits {
			if page.Path(h.Path).IsSession() {
				n++
			}
		}
		return n
	}
	if n := count(Query{N: 9}); n != sessionCap {
		t.Errorf("%d sessions", n)
	}
	if n := count(Query{N: 12}); n != 6 {
		t.Errorf("%d sessions of 12 hits", n)
	}
	if n := count(Query{N: 9, Kinds: []string{"session"}}); n != 6 {
		t.Errorf("%d sessions when asked for", n)
	}
	if n := count(Query{N: 9, Kinds: []string{"note"}}); n != 0 {
		t.Errorf("%d sessions among notes", n)
	}
}

// Turns of equal score stand in the order in which they were said.
func TestEqualTurnsStandInTheirOrder(t *testing.T) {
	same := slices.Repeat([]string{"/Al: the lighthouse"}, 9)
	b := wordsOnly(t, map[string]string{sessionFile("a"): conversation("kim", same...)})
	a := b.search(Query{Text: "lighthouse", Agent: "kim", Unit: Passages, N: 9, Kinds: []string{"session"}})
	for i := 1; i < len(a.Hits); i++ {
		if x, y := a.Hits[i-1], a.Hits[i]; x.Score == y.Score && x.Turn > y.Turn {
			t.Errorf("turn %d before %d", x.Turn, y.Turn)
		}
	}
	if len(a.Hits) != 9 {
		t.Errorf("%d hits", len(a.Hits))
	}
	x, y := scoredTurn{Turn: index.Turn{N: 4}}, scoredTurn{Turn: index.Turn{N: 7}}
	if best := slices.MaxFunc([]scoredTurn{y, x}, byTurn); best.N != 4 {
		t.Errorf("of equal turns the best is %d", best.N)
	}
}

// Without an index, another agent's sessions are not read either, and a session
// is shown as it was spoken, not as its file's JSON.
func TestScanReadsSessionsOfTheOwnAgentAlone(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"sessions/2026-01/mine/messages.jsonl":   "{\"session\":\"mine\",\"agent\":\"kim\"}\n{\"role\":\"user\",\"text\":\"the quokka sleeps\"}\n",
		"sessions/2026-01/theirs/messages.jsonl": "{\"session\":\"theirs\",\"agent\":\"lee\"}\n{\"role\":\"user\",\"text\":\"the quokka eats\"}\n",
	})
	a, err := b.sr.Scan(t.Context(), Query{Text: "quokka", Agent: "kim"})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Hits) != 1 || a.Hits[0].Path != "sessions/2026-01/mine/messages.jsonl" || a.Hits[0].Snippet != "user: the quokka sleeps" {
		t.Errorf("%+v", a.Hits)
	}
}

// A session that is found by its title alone still gives a turn.
func TestSessionFoundByItsTitleGivesATurn(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"sessions/2026-01/s/messages.jsonl": "{\"session\":\"s\",\"agent\":\"kim\",\"title\":\"Quokka\"}\n{\"role\":\"user\",\"text\":\"it sleeps\"}\n",
	})
	a := b.search(Query{Text: "quokka", Agent: "kim", Unit: Passages})
	if len(a.Hits) != 1 || a.Hits[0].Turn != 1 || a.Hits[0].Text != "it sleeps" {
		t.Errorf("%+v", a.Hits)
	}
}
