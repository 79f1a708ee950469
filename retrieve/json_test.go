package retrieve

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// wantJSON demands that an answer marshals, and that what callers range over
// is a list even when it is empty.
func wantJSON(t testing.TB, a *Answer) {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatalf("%.60q: %v", a.Query, err)
	}
	if !json.Valid(raw) || !utf8.Valid(raw) {
		t.Fatalf("%.60q: not valid JSON", a.Query)
	}
	var got struct {
		Hits     *[]map[string]json.RawMessage `json:"hits"`
		Degraded json.RawMessage               `json:"degraded"`
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.Hits == nil {
		t.Errorf("%.60q: hits is null", a.Query)
		return
	}
	if !strings.HasPrefix(string(got.Degraded), "[") {
		t.Errorf("%.60q: degraded is %s", a.Query, got.Degraded)
	}
	for _, h := range *got.Hits {
		for _, key := range []string{"evidence", "sources", "disputed", "signals"} {
			if !strings.HasPrefix(string(h[key]), "[") {
				t.Errorf("%.60q: %s: %s is %s", a.Query, h["path"], key, h[key])
			}
		}
		for _, key := range []string{"rank", "path", "title", "schema_type", "score", "snippet", "line", "updated"} {
			if _, ok := h[key]; !ok {
				t.Errorf("%.60q: a hit has no %s", a.Query, key)
			}
		}
	}
}

func TestAnswersMarshalWithListsNeverNull(t *testing.T) {
	b := theDemo(t)
	for _, text := range append([]string{""}, goldenQueries...) {
		for _, q := range []Query{{}, {Budget: 300}, {Unit: Passages}, {Arms: []string{Graph}}, {Agent: "marlin"}, {Overview: true}} {
			q.Text = text
			wantJSON(t, b.search(q))
		}
		a, err := b.sr.Scan(t.Context(), Query{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, a)
	}
}
