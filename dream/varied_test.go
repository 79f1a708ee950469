package dream

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"brain/inbox"
	"brain/llm"
)

// varied is a model that answers whatever a Dream asks, properly, and never twice in the
// same words: what it says stands in the question, and which of it, and how it begins, goes
// by how often it was asked. asked counts the questions by kind.
func varied(t testing.TB) (m *model, asked map[string]int) {
	asked = map[string]int{}
	answers := []struct {
		kind, mark string // of the schema
		say        func(call int, user string) any
	}{
		{"session", `"newFacts"`, saysOfSession},
		{"facts", `"staleFactsToRemove"`, saysOfFacts},
		{"experience", `"procedure"`, saysOfSubject},
		{"layers", `"abstract"`, saysOfPages},
		{"pairs", `"verdict"`, saysOfPairs},
	}
	return &model{say: func(call int, r llm.Request) (string, error) {
		for _, a := range answers {
			if strings.Contains(string(r.Schema), a.mark) {
				asked[a.kind]++
				raw, err := json.Marshal(a.say(call, r.User))
				return string(raw), err
			}
		}
		t.Errorf("a question of a new kind: %s", r.Schema)
		return "", errors.New("what?")
	}}, asked
}

type object = map[string]any

func saysOfSession(call int, user string) any {
	items := []any{}
	for _, at := range regexp.MustCompile(`(?s)<turn n="(\d+)"[^>]*>\nPlease remember: (.+?)\n</turn>`).FindAllStringSubmatch(user, 1) {
		n, _ := strconv.Atoi(at[1])
		body := html.UnescapeString(at[2])
		words := strings.Fields(body)
		items = append(items, object{"type": "note", "bucket": "environment", "outcome": "success", "title": strings.Join(words[:min(len(words), 2+call%3)], " "), "body": body, "turns": []int{n}})
	}
	return object{"items": items, "newFacts": []any{}, "factsToRemove": []any{}, "staleFactsToRemove": []any{}, "staleFactsToExtend": []any{}, "factsToConsolidate": []any{}}
}

func saysOfFacts(int, string) any {
	return object{"staleFactsToRemove": []any{}, "staleFactsToExtend": []any{}, "factsToConsolidate": []any{}}
}

// saysOfSubject repeats what was learned so far and takes a sentence of the last source;
// what is long enough it leaves as it is.
func saysOfSubject(call int, user string) any {
	type statement struct {
		Text    string `json:"text"`
		Sources []int  `json:"sources"`
	}
	said := map[string][]statement{"trigger": {}, "procedure": {}, "boundary": {}}
	for _, was := range regexp.MustCompile(`(?m)^(trigger|procedure|boundary): (.+) \[([\d, ]+)\]$`).FindAllStringSubmatch(user, -1) {
		s := statement{Text: html.UnescapeString(was[2])}
		for n := range strings.SplitSeq(was[3], ",") {
			i, _ := strconv.Atoi(strings.TrimSpace(n))
			s.Sources = append(s.Sources, i)
		}
		said[was[1]] = append(said[was[1]], s)
	}
	title := ""
	for _, source := range regexp.MustCompile(`(?s)<source n="(\d+)"[^>]*title="([^"]*)"[^>]*>\n(.*?)\n</source>`).FindAllStringSubmatch(user, -1) {
		n, _ := strconv.Atoi(source[1])
		body := slices.DeleteFunc(strings.Split(html.UnescapeString(source[3]), "\n"), func(l string) bool { return len(l) < 20 || strings.ContainsAny(l, "#[]") })
		if len(body) == 0 {
			continue
		}
		title = html.UnescapeString(source[2])
		s := statement{Text: body[call%len(body)], Sources: []int{n}}
		if len(said["trigger"]) == 0 {
			said["trigger"] = append(said["trigger"], s)
		}
		if len(said["procedure"]) == 0 {
			said["procedure"] = append(said["procedure"], s)
		}
	}
	if title == "" {
		return object{"decision": "skip", "title": "", "trigger": []any{}, "procedure": []any{}, "boundary": []any{}}
	}
	return object{"decision": "merge", "title": fmt.Sprintf("%s once more", title), "trigger": said["trigger"], "procedure": said["procedure"], "boundary": said["boundary"]}
}

func saysOfPages(call int, user string) any {
	pages := []any{}
	for _, p := range regexp.MustCompile(`(?s)<page n="(\d+)"[^>]*>\n(.*?)\n</page>`).FindAllStringSubmatch(user, -1) {
		n, _ := strconv.Atoi(p[1])
		body := slices.DeleteFunc(strings.Split(html.UnescapeString(p[2]), "\n"), func(l string) bool { return len(l) < 20 || len(l) > 390 || strings.ContainsAny(l, "#[]") })
		if len(body) == 0 {
			pages = append(pages, object{"n": n, "nothing": true, "abstract": "", "overview": ""})
			continue
		}
		pages = append(pages, object{"n": n, "nothing": false, "abstract": body[call%len(body)], "overview": body[(call+1)%len(body)]})
	}
	return object{"pages": pages}
}

// saysOfPairs answers by what is asked, so that a pair has one answer whenever it is asked of.
func saysOfPairs(call int, user string) any {
	pairs := []any{}
	for _, p := range regexp.MustCompile(`"id": *"([0-9a-f]+)"`).FindAllStringSubmatch(user, -1) {
		verdict := []string{"independent", "duplicate", "supersede", "contradiction", "unsure"}[int(p[1][0])%5]
		pairs = append(pairs, object{"id": p[1], "verdict": verdict, "reason": fmt.Sprintf("so it reads, for the %dth time", call)})
	}
	return object{"pairs": pairs}
}

// What brain writes about a page is no news of it: abstracts that come in one night are no
// reason to judge their subject again in the next.
func TestAbstractsOfItsSourcesChangeNoExperience(t *testing.T) {
	w := newWorld(t)
	for _, p := range w.retries(1, 5) {
		w.write(p, w.read(p)+"\n"+longText("pump", 60))
	}
	m, asked := varied(t)
	c := w.cycle(m)
	c.Layers = true
	w.dream(c, Distill)
	if asked["experience"] != 1 || asked["layers"] == 0 || w.page("sources/shop/issues/1/lessons.md").Abstract == "" {
		t.Fatalf("asked %v; the first lesson: %s", asked, w.read("sources/shop/issues/1/lessons.md"))
	}
	tree, calls := w.tree(), m.calls
	if w.dream(c, Distill); w.tree() != tree || m.calls != calls {
		t.Errorf("asked %v; the tree changed: %t", asked, w.tree() != tree)
	}
}

// L01, K12: all stages, over six pages on one subject and what was said of it.
func TestTwentyFourNightsOverSixNotesMakeNoPageAfterTheFirst(t *testing.T) {
	w := newWorld(t)
	for _, p := range w.retries(1, 6) {
		w.write(p, w.read(p)+"\n"+longText("pump", 40))
	}
	w.say("", "talk", "user: Please remember: Paygate runs in the north hall.", "assistant: I shall.")
	m, asked := varied(t)
	c := w.cycle(m)
	c.Layers = true
	first := w.dream(c)
	pages, tree := w.pages(), w.tree()
	if !first.OK || first.Calls == 0 || first.Calls != m.calls || first.In != 100*m.calls || asked["session"] != 1 || asked["experience"] != 1 || len(w.experiences()) != 1 {
		t.Fatalf("the first night asked %v and made %d pages: %+v", asked, len(pages), first)
	}
	for night := 2; night <= 24; night++ {
		if r := w.dream(c); !r.OK || r.Calls != 0 || w.tree() != tree {
			t.Errorf("night %d: ok %t, %d calls, the tree changed: %t, %d pages after %d", night, r.OK, r.Calls, w.tree() != tree, len(w.pages()), len(pages))
		}
	}
	t.Logf("24 nights cost %d calls, %d tokens in: %v", m.calls, first.In, asked)
}

// Whatever goes wrong with a model, and whichever part of the night asks it: no page is
// written, and the stage says that it failed.
func TestEachFailureOfAModelLeavesThePagesAndFailsTheStage(t *testing.T) {
	half := func(int, llm.Request) (string, error) { return `{"items":[{"type":"no`, nil }
	for name, broken := range map[string]*model{
		"it refuses":        always(`{"error": "I cannot help with that."}`),
		"it says nothing":   always(``),
		"it says {}":        always(`{}`),
		"half of an answer": {say: half},
		"403":               fails(llm.Unauthorized),
		"silence":           fails(llm.Timeout),
		"a refusal":         fails(llm.Refused),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for _, p := range w.retries(1, 5) {
				w.write(p, w.read(p)+"\n"+longText("valve", 3))
			}
			good, _ := varied(t)
			if r := w.dream(w.cycle(good)); !r.OK || len(w.experiences()) != 1 {
				t.Fatalf("%+v", r)
			}
			for _, p := range w.retries(6, 6) {
				w.write(p, w.read(p)+"\n"+longText("pump", 40))
			}
			w.say("", "talk", "user: Please remember: Paygate runs in the north hall.")
			before := w.pages()
			c := w.cycle(broken)
			c.Layers = true
			r := w.dream(c)
			if s := stage(t, r, Distill); r.OK || s.OK || len(s.Failures) == 0 || broken.calls == 0 {
				t.Errorf("ok %t, failures %q, %d calls", s.OK, s.Failures, broken.calls)
			}
			if after := w.pages(); !maps.Equal(before, after) {
				t.Errorf("pages changed: %v", slices.Sorted(maps.Keys(after)))
			}
			// The next good night does all that.
			w.clock = w.clock.AddDate(0, 0, 7)
			if _, err := w.box.Retry(t.Context(), []string{"talk"}); err != nil && w.state("talk") != inbox.Pending {
				t.Fatal(err)
			}
			c = w.cycle(good)
			c.Layers = true
			r = w.dream(c)
			if !r.OK || w.state("talk") != inbox.Done || w.page("sources/shop/issues/6/lessons.md").Abstract == "" {
				t.Errorf("afterwards: %+v, the conversation is %s", r.Stages, w.state("talk"))
			}
		})
	}
}
