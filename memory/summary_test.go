package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"brain/page"
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

// emptyMemory is memory.json after one fact, as DeerMem writes it.
const emptyMemory = `{
  "version": "2.0",
  "revision": 1,
  "lastUpdated": "2026-11-29T17:56:24.877586Z",
  "user": {
    "workContext": {
      "summary": "",
      "updatedAt": ""
    },
    "personalContext": {
      "summary": "",
      "updatedAt": ""
    },
    "topOfMind": {
      "summary": "",
      "updatedAt": ""
    }
  },
  "history": {
    "recentMonths": {
      "summary": "",
      "updatedAt": ""
    },
    "earlierContext": {
      "summary": "",
      "updatedAt": ""
    },
    "longTermBackground": {
      "summary": "",
      "updatedAt": ""
    }
  }
}`

// MS04, MS05, deermem 2
func TestTheFirstFactMakesMemoryJSON(t *testing.T) {
	h := newHome(t)
	h.fact(t, "fact_a")
	if got := h.file(t, "memory.json"); got != emptyMemory {
		t.Errorf("%s", got)
	}
	h.fact(t, "fact_b")
	want := strings.Replace(strings.Replace(emptyMemory, `"revision": 1`, `"revision": 2`, 1), "24.877586Z", "25.877586Z", 1)
	if got := h.file(t, "memory.json"); got != want {
		t.Errorf("%s", got)
	}
}

func TestAPageThatIsNoFactRenewsNothing(t *testing.T) {
	h := newHome(t)
	for _, p := range []page.Path{"note.md", "agents/lead/note.md", "facts/aa/x.md", "agents/lead/other/facts/x.md"} {
		h.update(t, func(tx *store.Tx) error { return tx.Add(p, []byte("text")) })
	}
	if got := h.file(t, "memory.json"); got != "" {
		t.Errorf("%s", got)
	}
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

func TestAnUndoLeavesWhatWasPutAside(t *testing.T) {
	h := newHome(t, "memory.json", "broken")
	job := h.fact(t, "fact_a")
	if _, _, err := h.Undo(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if aside := h.aside(t); len(aside) != 1 || h.file(t, aside[0]) != "broken" {
		t.Errorf("aside %q", aside)
	}
	h.put(t, "memory.json", "broken again")
	h.n = 0 // a clock that was set back to the same moment
	h.fact(t, "fact_b")
	if aside := h.aside(t); len(aside) != 2 || h.file(t, aside[1]) != "broken again" {
		t.Errorf("aside %q", aside)
	}
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

func TestTheFormOfBeforeIsLeftAlone(t *testing.T) {
	for _, old := range []string{
		`{"version":"1.0","user":{},"facts":[{"id":"x"}]}`, `{"version":"2.0","revision":5,"facts":[]}`, `{"revision":5}`, `{"version":2}`,
	} {
		h := newHome(t, "memory.json", old)
		h.fact(t, "fact_a")
		err := h.Update(t.Context(), "test", func(tx *store.Tx) error {
			return patch(tx, SummaryPatch{"user": {"topOfMind": "x"}}, h.now())
		})
		if got := h.file(t, "memory.json"); got != old || !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s became %s, %v", old, got, err)
		}
	}
}

func TestTheRevisionGoesOnFromTheOldForm(t *testing.T) {
	h := newHome(t, "memory.json", `{"version":"1.0","revision":5,"facts":[]}`)
	h.update(t, func(tx *store.Tx) error {
		raw, err := tx.ReadOwn(store.Summaries)
		if err != nil {
			return err
		}
		return tx.WriteOwn(store.Summaries, store.HashOf(raw), newManifest().bytes())
	})
	if h.revision(t) != 6 {
		t.Errorf("%s", h.file(t, "memory.json"))
	}
}

func TestTheRevisionIsReadAsItIsMeant(t *testing.T) {
	for raw, want := range map[string]int{
		`{"revision": 7}`: 7, `{"revision": " 7 "}`: 7, `{"revision": 7.9}`: 7, `{"revision": 7e2}`: 700, `{"revision": -7}`: 0, `{"revision": "7.5"}`: 0,
		`{"revision": true}`: 0, `{"revision": null}`: 0, `{}`: 0, `{"revision": 1e400}`: 0, `{"revision": 99999999999999999999}`: 1 << 53,
		`{"revision": 7, "revision": 9}`: 9, `{"revision": 12, "cut`: 12, `"revision": "12"`: 12, `{"revision": 12345678901234567890, "cut`: 0,
		"x": 0,
	} {
		if got := manifestRevision([]byte(raw)); got != want {
			t.Errorf("%s: %d, want %d", raw, got, want)
		}
	}
	if got := manifestRevision(nil); got != 0 {
		t.Errorf("no file: %d", got)
	}
	h := newHome(t, "memory.json", `{"version": "2.0", "revision": 99999999999999999999}`)
	h.fact(t, "fact_a")
	if h.revision(t) != 1<<53 {
		t.Errorf("beyond what can be counted: %s", h.file(t, "memory.json"))
	}
}

// deermem 4: the revision is that of the whole memory, and an update counts once.
func TestTheRevisionGrowsByOneWithEachUpdate(t *testing.T) {
	h := newHome(t)
	job := ""
	for i, step := range []func(){
		func() { job = h.fact(t, "fact_a") },
		func() { h.patch(t, SummaryPatch{"user": {"topOfMind": "x"}}) },
		func() { // both at once, and asked for twice
			h.update(t, func(tx *store.Tx) error {
				err := patch(tx, SummaryPatch{"user": {"topOfMind": "y"}}, h.now())
				return errors.Join(err, tx.Add("agents/lead/facts/aa/x.md", []byte("x")), Renew(h.now)(tx), tx.Add("agents/lead/facts/aa/y.md", []byte("y")))
			})
		},
		func() { // a fact that goes, and one that moves
			if _, err := h.MovePage(t.Context(), page.Move{From: "agents/lead/facts/aa/x.md", To: "agents/lead/facts/aa/z.md"}, nil); err != nil {
				t.Fatal(err)
			}
		},
		func() {
			if _, _, err := h.Undo(t.Context(), job); err != nil {
				t.Fatal(err)
			}
		},
	} {
		step()
		if got := h.revision(t); got != i+1 {
			t.Fatalf("step %d: revision %d", i, got)
		}
	}
}

func TestUndoOfASummaryPutsTheTextBackAndTheRevisionOn(t *testing.T) {
	h := newHome(t)
	first := h.patch(t, SummaryPatch{"user": {"topOfMind": "first"}})
	second := h.patch(t, SummaryPatch{"user": {"topOfMind": "second"}})
	h.fact(t, "fact_a")
	undo := func(job, want string, revision int) {
		t.Helper()
		if _, _, err := h.Undo(t.Context(), job); err != nil {
			t.Fatal(err)
		}
		s, err := readSummaries([]byte(h.file(t, "memory.json")))
		if err != nil || s.Get(SummaryName{"user", "topOfMind"}).Text != want || s.Revision != revision {
			t.Errorf("%+v, %v; want %q at %d", s, err, want, revision)
		}
	}
	undo(second, "first", 4)
	h.fact(t, "fact_b")
	undo(first, "", 6) // there was no file before
	jobs, err := h.Jobs(1)
	if err != nil {
		t.Fatal(err)
	}
	undo(jobs[0].ID, "first", 7)
}

// A summary that another changed since is not undone over its head.
func TestUndoOfASummaryThatWasChangedSinceConflicts(t *testing.T) {
	h := newHome(t)
	job := h.patch(t, SummaryPatch{"user": {"topOfMind": "first"}})
	h.patch(t, SummaryPatch{"user": {"workContext": "Go."}})
	if _, _, err := h.Undo(t.Context(), job); !errors.Is(err, store.ErrConflict) {
		t.Error(err)
	}
}

func TestUndoOfAFactLeavesTheSummariesThatMovedOn(t *testing.T) {
	h := newHome(t)
	job := h.fact(t, "fact_a")
	h.patch(t, SummaryPatch{"user": {"topOfMind": "later"}})
	if _, _, err := h.Undo(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	s, err := readSummaries([]byte(h.file(t, "memory.json")))
	if err != nil || s.Get(SummaryName{"user", "topOfMind"}).Text != "later" || s.Revision != 3 {
		t.Errorf("%+v, %v", s, err)
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

// deermem 8: two processes that change different summaries at once both have their way.
func TestProcessesThatChangeDifferentSummariesLoseNothing(t *testing.T) {
	const each = 25
	if key := os.Getenv("MEMORY_TEST_SUMMARY"); key != "" {
		changeSummary(t, os.Getenv("MEMORY_TEST_ROOT"), key, each)
		return
	}
	h := newHome(t)
	keys := []string{"workContext", "topOfMind"}
	var all []*exec.Cmd
	for _, key := range keys {
		cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "MEMORY_TEST_SUMMARY="+key, "MEMORY_TEST_ROOT="+filepath.Dir(filepath.Dir(h.Dir())))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, cmd.Stdout)
		}
	}
	s, err := readSummaries([]byte(h.file(t, "memory.json")))
	if err != nil || s.Revision != len(keys)*each {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, key := range keys {
		if got, want := s.Sections["user"][key].Text, fmt.Sprint(key, " ", each); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

func changeSummary(t *testing.T, dir, key string, times int) {
	root, err := store.At(dir)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(root, "default")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	st.Renew = Renew(time.Now)
	for i := range times {
		err := st.Update(t.Context(), "summary set", func(tx *store.Tx) error {
			return patch(tx, SummaryPatch{"user": {key: fmt.Sprint(key, " ", i+1)}}, time.Now())
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
