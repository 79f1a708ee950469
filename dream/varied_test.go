package dream

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

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
	for _, p := range regexp.MustCompile(`"id":"([0-9a-f]+)"`).FindAllStringSubmatch(user, -1) {
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
