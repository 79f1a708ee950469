package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"brain/store"
)

// summaryDay is when the clock of these tests begins; each look at it is a second later.
var summaryDay = time.Date(2026, 11, 29, 17, 56, 24, 877586000, time.UTC)

// home is a brain whose updates renew memory.json.
type home struct {
	*store.Store
	notes []string
	n     int
}

func newHome(t testing.TB, files ...string) *home {
	t.Helper()
	rep, err := store.Init(t.TempDir(), store.InitOptions{Brain: "default"})
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(rep.Root, "default")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	h := &home{Store: st}
	st.Renew = Renew(h.now)
	st.OnNote = func(line string) { h.notes = append(h.notes, line) }
	for i := 0; i+1 < len(files); i += 2 {
		h.put(t, files[i], files[i+1])
	}
	return h
}

func (h *home) now() time.Time {
	h.n++
	return summaryDay.Add(time.Duration(h.n-1) * time.Second)
}

func (h *home) put(t testing.TB, name, content string) {
	t.Helper()
	name = filepath.Join(h.Dir(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// file is a file's content, "" without it.
func (h *home) file(t testing.TB, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(h.Dir(), filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(raw)
}

// update is one update; its job is returned.
func (h *home) update(t testing.TB, fn func(*store.Tx) error) string {
	t.Helper()
	job := ""
	err := h.Update(context.Background(), "test", func(tx *store.Tx) error {
		job = tx.Job()
		return fn(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
	return job
}

func (h *home) patch(t testing.TB, p SummaryPatch) string {
	t.Helper()
	return h.update(t, func(tx *store.Tx) error {
		return patch(tx, p, h.now())
	})
}

func patch(tx *store.Tx, p SummaryPatch, now time.Time) error {
	return changeManifest(tx, now, func(m *manifest) (bool, error) { return m.apply(p, now) })
}

func (h *home) fact(t testing.TB, id string) string {
	t.Helper()
	f := likes(id)
	raw, err := FormatFact(f)
	if err != nil {
		t.Fatal(err)
	}
	p, err := FactPath("", id)
	if err != nil {
		t.Fatal(err)
	}
	return h.update(t, func(tx *store.Tx) error { return tx.Add(p, raw) })
}

func likes(id string) Fact {
	return Fact{ID: id, Content: "Likes " + id, Created: summaryDay}
}

func (h *home) revision(t testing.TB) int {
	t.Helper()
	return manifestRevision([]byte(h.file(t, "memory.json")))
}

// testdata/memory.json was written by Python 3.11: json.dumps(…, ensure_ascii=False, indent=2).
func TestMemoryJSONIsSpelledAsPythonDoes(t *testing.T) {
	raw, err := os.ReadFile("testdata/memory.json")
	if err != nil {
		t.Fatal(err)
	}
	m, err := parseManifest(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []SummaryName{{"user", "workContext"}, {"user", "topOfMind"}} {
		section, _ := m.section(n.Section)
		child, _, _ := parseMembers(string(section.get(n.Key)))
		text := child.text("summary")
		if changed, err := m.patch(n, "another", summaryDay); err != nil || !changed {
			t.Fatalf("%v, %v", changed, err)
		}
		if _, err := m.patch(n, text, parsedTime(child.text("updatedAt"))); err != nil {
			t.Fatal(err)
		}
	}
	m.stamp(3, summaryDay)
	if got := m.bytes(); string(got) != string(raw) {
		t.Errorf("%s", got)
	}
}

// MS25, deermem 8
func TestASummaryLeavesAllElseAsItIs(t *testing.T) {
	h := newHome(t, "memory.json", `{"zeta":[1,2.50,"\u00e9"],"version":"2.0","user":{"note":7,"topOfMind":{"by":{"x":1},"updatedAt":"","summary":"old","by2":2},
		"workContext":{"summary":"Go.","updatedAt":"2026-01-01T00:00:00Z"},"mood":{"summary":"calm"}},"revision":41}`)
	h.patch(t, SummaryPatch{"user": {"topOfMind": " The new text\r\nof two lines. "}})
	want := `{
  "zeta": [
    1,
    2.50,
    "\u00e9"
  ],
  "version": "2.0",
  "user": {
    "note": 7,
    "topOfMind": {
      "by": {
        "x": 1
      },
      "updatedAt": "2026-11-29T17:56:24.877586Z",
      "summary": "The new text\nof two lines.",
      "by2": 2
    },
    "workContext": {
      "summary": "Go.",
      "updatedAt": "2026-01-01T00:00:00Z"
    },
    "mood": {
      "summary": "calm"
    }
  },
  "revision": 42,
  "lastUpdated": "2026-11-29T17:56:25.877586Z"
}`
	if got := h.file(t, "memory.json"); got != want {
		t.Errorf("%s", got)
	}
	h.patch(t, SummaryPatch{"user": {"mood": "tired"}})
	if got := h.file(t, "memory.json"); !strings.Contains(got, `"summary": "tired"`) {
		t.Errorf("a summary that only this file has: %s", got)
	}
}

func TestASummaryThatSaysTheSameChangesNothing(t *testing.T) {
	h := newHome(t)
	h.patch(t, SummaryPatch{"user": {"topOfMind": "Tests."}})
	was := h.file(t, "memory.json")
	h.patch(t, SummaryPatch{"user": {"topOfMind": "Tests. "}, "history": {"recentMonths": ""}})
	if got := h.file(t, "memory.json"); got != was {
		t.Errorf("%s", got)
	}
}

// MG03: what is no summary of the user finds no place.
func TestWhatIsNoSummaryIsRefused(t *testing.T) {
	h := newHome(t, "memory.json", emptyMemory)
	for _, p := range []SummaryPatch{
		{"project": {"topOfMind": "x"}}, {"user": {"topOfMnd": "x"}}, {"user": {"recentMonths": "x"}}, {"version": {"": "x"}},
		{"user": {"topOfMind": "\xff"}}, {"user": {"topOfMind": "\x00"}},
	} {
		err := h.Update(t.Context(), "test", func(tx *store.Tx) error {
			return patch(tx, p, h.now())
		})
		if !errors.Is(err, ErrSummary) {
			t.Errorf("%v: %v", p, err)
		}
	}
	if got := h.file(t, "memory.json"); got != emptyMemory {
		t.Errorf("%s", got)
	}
}

// MS30
func TestAByteOrderMarkIsReadAndNotWritten(t *testing.T) {
	h := newHome(t, "memory.json", "\uFEFF"+emptyMemory)
	h.patch(t, SummaryPatch{"user": {"topOfMind": "x"}})
	if got := h.file(t, "memory.json"); !strings.HasPrefix(got, "{\n") || h.revision(t) != 2 {
		t.Errorf("%q", got)
	}
	if h.notes != nil {
		t.Error(h.notes)
	}
}

// MS27
func TestSummariesStandBetweenFencesInMarkdown(t *testing.T) {
	text := "# About me\r\n\r\n````memory-json\nnot this one\n````\n\n```memory-json \r\n" +
		"{\"version\": \"2.0\", \"revision\": 6, \"user\": {\"topOfMind\": {\"summary\": \"```go\\nx := 1\\n```\", \"updatedAt\": \"\"}}}\n" +
		"```\n\nNotes.\n```sh\nls\n```\n"
	h := newHome(t, "memory.json", text)
	s, err := readSummaries([]byte(text))
	if err != nil || s.Revision != 6 || s.Get(SummaryName{"user", "topOfMind"}).Text != "```go\nx := 1\n```" {
		t.Fatalf("%+v, %v", s, err)
	}
	h.patch(t, SummaryPatch{"user": {"workContext": "Go."}})
	got := h.file(t, "memory.json")
	before, rest, _ := strings.Cut(text, "{\"version\"")
	_, after, _ := strings.Cut(rest, "}}}")
	if !strings.HasPrefix(got, before+"{\n  \"version\": \"2.0\",\n  \"revision\": 7") || !strings.HasSuffix(got, "\n}"+after) {
		t.Errorf("%s", got)
	}
	if s, err = readSummaries([]byte(got)); err != nil || s.Get(SummaryName{"user", "workContext"}).Text != "Go." || len(h.notes) > 0 {
		t.Errorf("%+v, %v, %q", s, err, h.notes)
	}
}

// unreadable are memory.jsons that nobody can read.
var unreadable = map[string]string{
	"no UTF-8":            "{\"version\": \"2.0\", \"revision\": 8, \"x\": \"\xff\"}",
	"cut short":           "{\"version\": \"2.0\",\n \"revision\" : 8, \"user\": {",
	"two objects":         "{\"revision\": 8} {}",
	"a list":              "[{\"revision\": 8}]",
	"a fence without end": "```memory-json\n{\"revision\": 8}\nnotes\n",
	"no object in it":     "```memory-json\n[8]\n```\n\"revision\":8",
}

// MS28, deermem 12: what cannot be understood is told when it is read, never taken for
// an empty memory, and put aside by the next write.
func TestWhatNobodyCanReadIsPutAside(t *testing.T) {
	for name, raw := range unreadable {
		if s, err := readSummaries([]byte(raw)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: read as %+v, %v", name, s, err)
		}
		for _, write := range []func(*home){
			func(h *home) { h.fact(t, "fact_a") },
			func(h *home) { h.patch(t, SummaryPatch{"user": {"topOfMind": ""}}) },
		} {
			h := newHome(t, "memory.json", raw)
			write(h)
			aside := h.aside(t)
			if len(aside) != 1 || h.file(t, aside[0]) != raw {
				t.Fatalf("%s: aside %q", name, aside)
			}
			if len(h.notes) != 1 || !strings.Contains(h.notes[0], aside[0]) {
				t.Errorf("%s: told %q", name, h.notes)
			}
			if h.revision(t) != 9 {
				t.Errorf("%s: the revision begins anew: %s", name, h.file(t, "memory.json"))
			}
		}
	}
	if s, err := readSummaries([]byte("")); !errors.Is(err, ErrCorrupt) {
		t.Errorf("nothing in the file: %+v, %v", s, err)
	}
}

func (h *home) aside(t testing.TB) (names []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(h.Dir(), "memory.json.corrupt-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		names = append(names, filepath.Base(name))
	}
	return names
}

// MS28: that a file cannot be read says nothing of what it holds.
func TestAMemoryJSONThatTheSystemDoesNotGiveStaysAndNothingIsWritten(t *testing.T) {
	h := newHome(t)
	h.put(t, "memory.json/inside", "x") // a folder in its place
	for name, write := range map[string]func(*store.Tx) error{
		"fact": func(tx *store.Tx) error { return tx.Add("agents/lead/facts/aa/x.md", []byte("x")) },
		"summary": func(tx *store.Tx) error {
			return patch(tx, SummaryPatch{"user": {"topOfMind": "x"}}, h.now())
		},
	} {
		if err := h.Update(t.Context(), name, write); err == nil || errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if h.file(t, "memory.json/inside") != "x" || h.file(t, "agents/lead/facts/aa/x.md") != "" || len(h.aside(t)) > 0 {
		t.Error("something was written")
	}
}

func TestASectionOfAnotherDocumentReplacesOurs(t *testing.T) {
	h := newHome(t)
	h.patch(t, SummaryPatch{"user": {"topOfMind": "x"}, "history": {"recentMonths": "y"}})
	h.update(t, func(tx *store.Tx) error {
		return changeManifest(tx, h.now(), func(m *manifest) (bool, error) {
			return m.replace(map[string]json.RawMessage{"user": json.RawMessage(`{"mood":{"summary":"calm"},"topOfMind":{"summary":"z","updatedAt":"2026-01-01T00:00:00Z","by":1}}`)})
		})
	})
	s, err := readSummaries([]byte(h.file(t, "memory.json")))
	if err != nil {
		t.Fatal(err)
	}
	user := map[string]Summary{"mood": {Text: "calm"}, "topOfMind": {"z", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}, "workContext": {}, "personalContext": {}}
	if !reflect.DeepEqual(s.Sections["user"], user) || s.Sections["history"]["recentMonths"].Text != "y" || s.Revision != 2 {
		t.Errorf("%+v", s)
	}
	if got := h.file(t, "memory.json"); !strings.Contains(got, `"by": 1`) {
		t.Error(got)
	}
	for section, raw := range map[string]string{"user": "[]", "facts": "{}"} {
		if _, err := newManifest().replace(map[string]json.RawMessage{section: json.RawMessage(raw)}); !errors.Is(err, ErrSummary) {
			t.Errorf("%s %s: %v", section, raw, err)
		}
	}
}

func TestClearedSummariesSayNothing(t *testing.T) {
	h := newHome(t, "memory.json", `{"version":"2.0","revision":3,"user":{"topOfMind":{"summary":"x","by":1},"mood":{"summary":"calm"},"n":1},"history":{"recentMonths":{"summary":"y"}}}`)
	clear := func() {
		h.update(t, func(tx *store.Tx) error {
			return changeManifest(tx, h.now(), func(m *manifest) (bool, error) { return m.clear(h.now()) })
		})
	}
	clear()
	got := h.file(t, "memory.json")
	for _, said := range []string{`"x"`, `"calm"`, `"y"`} {
		if strings.Contains(got, said) {
			t.Errorf("%s is still there: %s", said, got)
		}
	}
	if !strings.Contains(got, `"by": 1`) || !strings.Contains(got, `"n": 1`) || h.revision(t) != 4 {
		t.Error(got)
	}
	clear()
	if h.revision(t) != 4 {
		t.Error("what is clear was cleared again")
	}
}

func TestASectionThatIsNoObjectIsReadAsEmptyAndNotWrittenOver(t *testing.T) {
	const odd = `{"version":"2.0","user":["kept"],"history":null}`
	h := newHome(t, "memory.json", odd)
	s, err := readSummaries([]byte(odd))
	if err != nil || len(s.Sections["user"]) != 3 || len(s.Sections["history"]) != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	err = h.Update(t.Context(), "test", func(tx *store.Tx) error {
		return patch(tx, SummaryPatch{"user": {"topOfMind": "x"}}, h.now())
	})
	if got := h.file(t, "memory.json"); got != odd || !errors.Is(err, ErrCorrupt) {
		t.Errorf("%s, %v", got, err)
	}
	h.patch(t, SummaryPatch{"history": {"recentMonths": "x"}})
	if got := h.file(t, "memory.json"); !strings.Contains(got, `"kept"`) {
		t.Error(got)
	}
}

func TestSummariesAsJSONAreWholeAndNeverHoldFacts(t *testing.T) {
	s, err := readSummaries(nil)
	if err != nil || s.Version != "1.0" || s.Revision != 0 || !s.Updated.IsZero() {
		t.Errorf("%+v, %v", s, err)
	}
	got, err := json.MarshalIndent(s, "", "  ")
	want := strings.NewReplacer(`"2.0"`, `"1.0"`, `"revision": 1`, `"revision": 0`, "2026-11-29T17:56:24.877586Z", "").Replace(emptyMemory)
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	s, err = readSummaries([]byte(`{"version":"1.0","revision":4,"mood":1,"facts":[1],"user":{"topOfMind":{"summary":"x","by":1}},"lastUpdated":"2026-01-02T03:04:05Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(s)
	if want := `{"version":"1.0","revision":4,"mood":1,"user":{"topOfMind":{"summary":"x","by":1},"workContext":{"summary":"","updatedAt":""},"personalContext":{"summary":"","updatedAt":""}},` +
		`"lastUpdated":"2026-01-02T03:04:05Z","history":{"recentMonths":{"summary":"","updatedAt":""},"earlierContext":{"summary":"","updatedAt":""},"longTermBackground":{"summary":"","updatedAt":""}}}`; err != nil || string(raw) != want {
		t.Errorf("%s, %v", raw, err)
	}
}

// anyValue draws JSON of some depth, spelled in odd ways.
func anyValue(t *rapid.T, depth int) string {
	kinds := 5
	if depth == 0 {
		kinds = 3
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]string{"1", "-0.50", "1e3", "true", "null", "12345678901234567890"}).Draw(t, "number")
	case 1, 2:
		return rapid.SampledFrom([]string{`""`, `"a"`, `"\u00e9 <&>"`, `"\ud800"`, `"` + "```" + `\n"`, `"x\\\"}"`, "\"\u2028\""}).Draw(t, "text")
	case 3:
		var items []string
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, anyValue(t, depth-1))
		}
		return "[ " + strings.Join(items, " ,") + "]"
	}
	return anyObject(t, depth-1, "k1", `k\u00e9`, "summary", "updatedAt")
}

func anyObject(t *rapid.T, depth int, keys ...string) string {
	var items []string
	for _, k := range rapid.Permutation(keys).Draw(t, "keys") {
		if rapid.Bool().Draw(t, "has "+k) {
			items = append(items, "\n\t\""+k+"\" :"+anyValue(t, depth))
		}
	}
	return "{" + strings.Join(items, ",") + " }"
}

func decoded(t *rapid.T, raw []byte) map[string]any {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v map[string]any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

// Whatever a memory.json holds and however often it is changed: what was not to change
// is there, and reads as before.
func TestAnySummariesKeepUnknownKeysAndSiblings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		user := anyObject(t, 2, "workContext", "topOfMind", "mood")
		x := anyValue(t, 2)
		text := `{"version": "2.0", "x": ` + x + `, "user": ` + user + `, "history": ` + anyObject(t, 2, "recentMonths", "n") + `}`
		raw, want := []byte(text), decoded(t, []byte(text))
		for i := range rapid.IntRange(1, 5).Draw(t, "changes") {
			m, err := parseManifest(raw)
			if err != nil {
				t.Fatalf("%v in %s", err, raw)
			}
			n := rapid.SampledFrom(SummaryNames()).Draw(t, "name")
			says := rapid.SampledFrom([]string{"", "a", "b\u2028", `"`}).Draw(t, "says")
			now := summaryDay.Add(time.Duration(i) * time.Hour)
			changed, err := m.patch(n, says, now)
			if err != nil {
				t.Fatal(err)
			}
			m.stamp(i, now)
			raw = m.bytes()
			want["revision"], want["lastUpdated"] = json.Number(fmt.Sprint(i)), timeText(now)
			if !changed {
				continue
			}
			child, ok := want[n.Section].(map[string]any)[n.Key].(map[string]any)
			if !ok {
				child = map[string]any{}
			}
			child["summary"], child["updatedAt"] = says, timeText(now)
			want[n.Section].(map[string]any)[n.Key] = child
		}
		if got := decoded(t, raw); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nwant %v", raw, want)
		}
		for _, spelled := range []string{`\ud800`, `k\u00e9`, "-0.50"} {
			if strings.Contains(x, spelled) && !strings.Contains(string(raw), spelled) {
				t.Fatalf("%s is spelled in another way: %s", spelled, raw)
			}
		}
	})
}

// Whatever stands in memory.json is there after the next write, in the file or aside.
func FuzzMemoryJSON(f *testing.F) {
	for _, s := range unreadable {
		f.Add([]byte(s))
	}
	for _, s := range []string{emptyMemory, "\uFEFF{}", "x\n```memory-json\n{\"a\": 1}\n``` y", `{"a":1,"a":2,"":{}}`, `{"version":"2.0","user":{"topOfMind":7}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		manifestRevision(raw)
		m, err := parseManifest(raw)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		m.summaries()
		if _, err := json.Marshal(m.summaries()); err != nil {
			t.Fatal(err)
		}
		m.stamp(7, summaryDay)
		out := m.bytes()
		again, err := parseManifest(out)
		if err != nil || again.revision() != 7 || string(again.bytes()) != string(out) {
			t.Fatalf("%q became %q, %v", raw, out, err)
		}
		for _, was := range m.top {
			var then, now bytes.Buffer
			if json.Compact(&then, was.raw) != nil || json.Compact(&now, again.top.get(was.name)) != nil {
				t.Fatalf("%q: %q is none", out, was.raw)
			}
			if !bytes.Contains(compact(t, again.top.bytes()), append(append([]byte{}, was.key...), ':')) {
				t.Fatalf("%q lost %s", out, was.key)
			}
		}
		if !strings.HasPrefix(string(out), m.before) || !strings.HasSuffix(string(out), m.after) || !strings.HasSuffix(string(raw), m.after) {
			t.Fatalf("%q lost the text around it: %q", raw, out)
		}
	})
}

func compact(t *testing.T, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
