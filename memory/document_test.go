package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brain/page"
	"brain/store"
)

func (w *world) exported(agent string) string {
	w.t.Helper()
	d, err := w.Export(context.Background(), agent)
	if err != nil {
		w.t.Fatal(err)
	}
	raw, err := plainJSON(d)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(raw)
}

func (w *world) imported(agent, raw string, o ImportOptions) *Imported {
	w.t.Helper()
	in, err := w.Import(context.Background(), agent, []byte(raw), o)
	if err != nil {
		w.t.Fatal(err)
	}
	return in
}

// MS26, deermem 1.7
func TestAnExportIsTheWholeMemoryOfOneAgent(t *testing.T) {
	w := newWorld(t)
	tree := w.settle("alice")
	var d struct {
		Version     string
		Revision    int
		LastUpdated string
		User        map[string]struct{ Summary, UpdatedAt string }
		History     map[string]struct{ Summary, UpdatedAt string }
		Facts       []struct {
			ID, Content, Category, Source string
			Confidence                    float64
			Revision                      int
		}
	}
	if err := json.Unmarshal([]byte(w.exported("coder")), &d); err != nil {
		t.Fatal(err)
	}
	if d.Version != "2.0" || d.Revision != 41 || d.LastUpdated != "2026-11-20T10:00:00.000001Z" || len(d.History) != 3 || d.User["topOfMind"].Summary != "Retiring the nightly batch." {
		t.Errorf("%+v", d)
	}
	got := map[string]string{}
	for _, f := range d.Facts {
		got[f.ID] = f.Content
		if f.Source == "" || f.Category == "" || f.Revision < 1 {
			t.Errorf("%+v", f)
		}
	}
	if diff := cmp.Diff(meant(tree.Of("alice", "coder")), got); diff != "" {
		t.Error(diff)
	}
}

func TestABrainWithoutMemoryExportsAnEmptyOne(t *testing.T) {
	const none = `{"summary":"","updatedAt":""}`
	got := newWorld(t).exported("")
	want := `{"version":"1.0","revision":0,"lastUpdated":"","user":{"workContext":` + none + `,"personalContext":` + none + `,"topOfMind":` + none +
		`},"history":{"recentMonths":` + none + `,"earlierContext":` + none + `,"longTermBackground":` + none + `},"facts":[]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAKeyThatBrainDoesNotKnowIsRestored(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.settle("alice")
	backup := w.exported("")
	file := w.file("", "fact_0dd00003")
	before := w.read(file)
	w.edit(file, "labels: [a, b]  # a hand wrote this\n", "labels: [a]\nmine: 1\n")
	w.imported("", backup, ImportOptions{})
	f, err := w.Get(ctx, "", "fact_0dd00003")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := plainJSON(object(f.extras()))
	if want := `{"futureKey":{"nested":[1,"two"]},"labels":["a","b"],"mine":1}`; err != nil || string(raw) != want || f.Revision != 2 {
		t.Errorf("%s at revision %d, want %s\n%s", raw, f.Revision, want, before)
	}
}

func TestAFileThatIsNoFactEndsAnExport(t *testing.T) {
	w := newWorld(t)
	w.add("", "Likes tea", 0.9)
	w.plant(w.file("", "fact_broken"), []byte("no front matter"))
	if _, err := w.Export(context.Background(), ""); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "fact_broken.md") {
		t.Errorf("error %v", err)
	}
}

// MX04
func TestABackupIsRestoredOverFactsThatWereEdited(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.settle("alice")
	before := w.said("")
	backup := w.exported("")
	if _, err := w.Update(ctx, "", "fact_0dd00003", Patch{Content: ptr("Says release"), Confidence: ptr(0.1)}, If{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Delete(ctx, "", "fact_0dd00007", If{}); err != nil {
		t.Fatal(err)
	}
	later := w.add("", "Came after the backup", 0.9)

	in := w.imported("", backup, ImportOptions{})
	if diff := cmp.Diff(before, w.said("")); diff != "" {
		t.Error(diff)
	}
	restored, err := w.Get(ctx, "", "fact_0dd00003")
	if err != nil || restored.Revision != 3 || restored.Confidence != 0.95 || restored.SourceError != "The assistant said release" {
		t.Errorf("%+v, %v", restored, err)
	}
	if raw := w.read(w.file("", "fact_0dd00003")); !strings.Contains(raw, "labels: [a, b]  # a hand wrote this\n") {
		t.Errorf("a key of its own is gone:\n%s", raw)
	}
	if f, err := w.Get(ctx, "", "fact_0dd00007"); err != nil || f.Confirmations != 2 || len(f.Merged) != 2 {
		t.Errorf("%+v, %v", f, err)
	}
	if in.Unchanged != 18 || len(in.Upserted) != 2 || !slices.Equal(in.Deleted, []string{later}) || in.Revision <= 44 {
		t.Errorf("%d unchanged, %d written, %v deleted, revision %d", in.Unchanged, len(in.Upserted), in.Deleted, in.Revision)
	}
	after := w.tree()
	if in := w.imported("", backup, ImportOptions{}); in.Unchanged != 20 || in.Job != "" {
		t.Errorf("a second time: %d unchanged, job %q", in.Unchanged, in.Job)
	}
	w.wantTree(after)
}

// MX01, MX05, MS12, deermem 13
func TestADocumentThatIsNotSoundChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.settle("alice")
	before := w.tree()
	for _, raw := range []string{
		``, `[]`, `{`, `{"facts": []} {}`, "{\"facts\": [], \"x\": \"\xff\"}",
		`{}`, `{"user": {}}`, `{"facts": null}`, `{"facts": {}}`, `{"facts": "none"}`,
		`{"facts": [{"content": "x"}, 7]}`, `{"facts": [{"content": "x"}, null]}`, `{"facts": [{"content": " "}]}`,
		`{"facts": [{"content": "x", "id": "fact_1"}, {"content": "y", "id": "fact_1"}]}`,
		`{"facts": [{"content": "x", "id": "../fact_1"}]}`,
		`{"facts": [{"content": "x", "revision": -1}]}`, `{"revision": -1, "facts": []}`, `{"revision": "seven", "facts": []}`,
		`{"facts": [], "user": []}`, `{"facts": [], "history": "long"}`,
	} {
		if _, err := w.Import(context.Background(), "", []byte(raw), ImportOptions{Summaries: true}); !errors.Is(err, ErrDocument) {
			t.Errorf("%s: error %v", raw, err)
		}
	}
	w.wantTree(before)
}

// MX03
func TestAnEmptyListClearsAnAgentsFacts(t *testing.T) {
	w := newWorld(t)
	w.settle("alice")
	in := w.imported("", `{"facts": []}`, ImportOptions{Summaries: true})
	if len(in.Deleted) != 20 || len(w.said("")) != 0 || len(w.said("coder")) != 14 {
		t.Errorf("%d deleted; left are %v and %d of coder", len(in.Deleted), w.said(""), len(w.said("coder")))
	}
	if !strings.Contains(w.read(filepath.Join(w.dir, "memory.json")), "Works on billing") {
		t.Error("sections that the document has not are gone")
	}
}

// MS31, MX02
func TestWhatADocumentLacksIsFilledIn(t *testing.T) {
	w := newWorld(t)
	w.imported("", fmt.Sprintf("\uFEFF"+`{"facts": [{"content": " Likes tea ", "confidence": %s, "source": " "}, {"id": "", "content": "Likes milk"}]}`, strings.Repeat("7", 400)), ImportOptions{})
	var got []string
	for _, f := range w.list("").Facts {
		got = append(got, fmt.Sprintf("%s|%v|%s|%s|%v|%d", f.Content, f.Confidence, f.Source.Type, f.Category, f.Created.Equal(w.now()), f.Revision))
		if checkID(f.ID) != nil {
			t.Errorf("id %q", f.ID)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"Likes milk|0.5|unknown|context|true|1", "Likes tea|0.5|unknown|context|true|1"}, got); diff != "" {
		t.Error(diff)
	}
}

// MX06
func TestAnImportWithARevisionMeetsAWriteThatWasFaster(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.settle("alice")
	backup := w.exported("")
	w.add("coder", "Raced the import", 0.9) // memory.json goes from 41 to 42, also by another agent
	before := w.tree()
	_, err := w.Import(ctx, "", []byte(backup), ImportOptions{IfRevision: ptr(41)})
	if r, is := errors.AsType[*RevisionError](err); !is || r.Want != 41 || r.Have != 42 || !errors.Is(err, store.ErrConflict) {
		t.Errorf("error %v", err)
	}
	w.wantTree(before)
	w.imported("", backup, ImportOptions{IfRevision: ptr(42)}) // that the document itself is of 41 is no matter
}

func TestImportedSummariesReplaceASectionWhole(t *testing.T) {
	w := newWorld(t)
	w.settle("alice")
	doc := `{"facts": [], "user": {"workContext": {"summary": "At a school", "updatedAt": "2026-01-01T00:00:00Z"}, "personalContext": 7, "mood": "kept"}}`
	w.imported("coder", doc, ImportOptions{}) // of one agent alone
	if raw := w.read(filepath.Join(w.dir, "memory.json")); !strings.Contains(raw, "Works on billing") {
		t.Errorf("summaries changed:\n%s", raw)
	}
	w.imported("coder", doc, ImportOptions{Summaries: true})
	m, err := parseManifest([]byte(w.read(filepath.Join(w.dir, "memory.json"))))
	if err != nil {
		t.Fatal(err)
	}
	section, err := m.section("user")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(string(section.bytes())), " ")
	want := `{"workContext":{ "summary": "At a school", "updatedAt": "2026-01-01T00:00:00Z" },"personalContext":{ "summary": "", "updatedAt": "" },"mood":"kept","topOfMind":{ "summary": "", "updatedAt": "" }}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFactsThatSayTheSameAreImportedOnce(t *testing.T) {
	w := newWorld(t)
	in := w.imported("", `{"facts": [{"id": "fact_a", "content": "Likes tea"}, {"id": "fact_b", "content": "likes  TEA"}]}`, ImportOptions{})
	if diff := cmp.Diff([]Skipped{{ID: "fact_b", Reason: SkippedDuplicate, Of: "fact_a"}}, in.Skipped); diff != "" || len(in.Upserted) != 1 {
		t.Errorf("%d written\n%s", len(in.Upserted), diff)
	}
}

func TestFactsThatExchangeTheirContentsAreNoDuplicates(t *testing.T) {
	w := newWorld(t)
	w.imported("", `{"facts": [{"id": "fact_a", "content": "Likes tea"}, {"id": "fact_b", "content": "Likes milk"}, {"id": "fact_c", "content": "Likes juice"}]}`, ImportOptions{})
	w.imported("", `{"facts": [{"id": "fact_a", "content": "Likes milk"}, {"id": "fact_b", "content": "Likes tea"}, {"id": "fact_d", "content": "Likes juice"}]}`, ImportOptions{})
	if diff := cmp.Diff(map[string]string{"fact_a": "Likes milk", "fact_b": "Likes tea", "fact_d": "Likes juice"}, w.said("")); diff != "" {
		t.Error(diff)
	}
}

func TestAnImportMakesRoomByTheRules(t *testing.T) {
	w := newWorld(t)
	w.Rules.Max = 10
	var facts []string
	for i := range 12 {
		facts = append(facts, fmt.Sprintf(`{"id": "fact_%d", "content": "Fact number %d", "confidence": %v}`, i, i, 0.3+float64(i)/20))
	}
	in := w.imported("", `{"facts": [`+strings.Join(facts, ",")+`]}`, ImportOptions{})
	if len(in.Evicted) != 2 || len(w.said("")) != 10 || w.said("")["fact_0"] != "" || w.said("")["fact_1"] != "" {
		t.Errorf("%v evicted, left %v", in.Evicted, w.said(""))
	}
}

func TestWhatWasPurgedIsNotImported(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	id := w.add("", "The password of the vault is long", 0.9)
	w.add("", "Likes tea", 0.9)
	backup := w.exported("")
	at, err := FactPath("", id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Store.PurgePage(ctx, at, store.HashOf([]byte(w.read(w.file("", id)))), w.now()); err != nil {
		t.Fatal(err)
	}
	in := w.imported("", backup, ImportOptions{})
	if diff := cmp.Diff([]Skipped{{ID: id, Reason: SkippedForgotten}}, in.Skipped); diff != "" || len(w.said("")) != 1 {
		t.Errorf("%v\n%s", w.said(""), diff)
	}
}

func TestADryImportTellsAndWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.settle("alice")
	before := w.tree()
	in := w.imported("", `{"facts": [{"id": "fact_new", "content": "New"}]}`, ImportOptions{DryRun: true})
	if len(in.Upserted) != 1 || len(in.Deleted) != 20 || in.Job != "" {
		t.Errorf("%d written, %d deleted, job %q", len(in.Upserted), len(in.Deleted), in.Job)
	}
	w.wantTree(before)
}

func TestAnImportOverFactsOfBeforeV2TakesThemOver(t *testing.T) {
	w := newWorld(t)
	tree := w.settle("--1-857e3168f4aafbba")
	backup := w.exported("")
	w.imported("", backup, ImportOptions{Summaries: true})
	if diff := cmp.Diff(meant(tree.Of("--1-857e3168f4aafbba", "__default__")), w.said("")); diff != "" || w.list("").Legacy != 0 {
		t.Errorf("%d left over\n%s", w.list("").Legacy, diff)
	}
}

// What nobody knows the facts of is no empty folder: a .brainignore that cannot be read
// hides nobody knows what.
func TestNothingIsExportedWhileAFolderOfFactsCannotBeRead(t *testing.T) {
	w := newWorld(t)
	shut := filepath.Dir(w.file("", w.add("", "Prefers tabs", .9)))
	w.plant(filepath.Join(shut, ".brainignore"), make([]byte, 4<<20))
	folder, _ := filepath.Rel(w.dir, shut)

	w = openWorld(t, filepath.Dir(filepath.Dir(w.dir)))
	if l := w.list(""); len(l.Damaged) != 1 || l.Damaged[0].Path != page.Path(filepath.ToSlash(folder)) {
		t.Errorf("damaged: %v", l.Damaged)
	}
	if d, err := w.Export(context.Background(), ""); !errors.Is(err, ErrCorrupt) {
		t.Errorf("exported: %v %v", d, err)
	}
	if b := w.block(Request{}); len(b.Degraded) != 1 {
		t.Errorf("degraded: %v", b.Degraded)
	}
}
