package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brain/memory/deermemtest"
	"brain/page"
	"brain/store"
)

// settle puts the files of one of DeerMem's users into the brain.
func (w *world) settle(bucket string) *deermemtest.Tree {
	w.t.Helper()
	tree := deermemtest.New()
	for name, content := range tree.Files {
		if rest, ok := strings.CutPrefix(name, "users/"+bucket+"/"); ok {
			w.plant(filepath.Join(w.dir, rest), []byte(content))
		}
	}
	return tree
}

func (w *world) wantTree(want map[string]string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.tree()); diff != "" {
		w.t.Errorf("the tree changed:\n%s", diff)
	}
}

// said are the contents of an agent's facts by their ids.
func (w *world) said(agent string) map[string]string {
	w.t.Helper()
	all := map[string]string{}
	for _, f := range w.list(agent).Facts {
		all[f.ID] = f.Content
	}
	return all
}

func meant(facts []deermemtest.Fact) map[string]string {
	all := map[string]string{}
	for _, f := range facts {
		all[f.ID] = f.Content
	}
	return all
}

// MV01, MS08
func TestReadingShowsWhatIsOfBeforeV2AndWritesNothing(t *testing.T) {
	ctx := context.Background()
	for _, bucket := range deermemtest.Buckets {
		w := newWorld(t)
		tree := w.settle(bucket)
		before := w.tree()
		for _, agent := range []string{"__default__", "coder"} {
			if diff := cmp.Diff(meant(tree.Of(bucket, agent)), w.said(agent)); diff != "" {
				t.Errorf("%s, %s:\n%s", bucket, agent, diff)
			}
			for _, f := range tree.Of(bucket, agent) {
				if got, err := w.Get(ctx, agent, f.ID); err != nil || got.Content != f.Content || got.Category != f.Category || got.Confidence != f.Confidence {
					t.Errorf("%s is %+v, %v", f.ID, got, err)
				}
			}
		}
		w.wantTree(before)
	}
	w := newWorld(t)
	w.settle("--1-857e3168f4aafbba")
	if l := w.list(""); l.Legacy != 10 {
		t.Errorf("%d facts of before v2, want 8 of memory.json and 2 of lead-agent", l.Legacy)
	}
	found, err := w.Search(ctx, "", Search{Query: "第3种茶", N: 1})
	if err != nil || len(found) != 1 || found[0].Fact.ID != "fact_01d00002" {
		t.Errorf("found %+v, %v", found, err)
	}
}

// MV05, MV06, deermem 17
func TestTheFirstChangeTakesOverWhatIsOfBeforeV2(t *testing.T) {
	const bucket = "--1-857e3168f4aafbba"
	ctx := context.Background()
	w := newWorld(t)
	tree := w.settle(bucket)
	before := w.tree()
	d, err := w.Add(ctx, "", Fact{Content: "喜欢咖啡", Confidence: 1})
	if err != nil {
		t.Fatal(err)
	}
	if d.Adopted != 10 || len(d.Upserted) != 1 || d.Revision != 1 {
		t.Errorf("%d adopted, %d written, revision %d", d.Adopted, len(d.Upserted), d.Revision)
	}
	after := w.tree()
	if after["memory.json.v1.bak"] != before["memory.json"] {
		t.Errorf("the copy of memory.json is\n%s", after["memory.json.v1.bak"])
	}
	if raw := after["memory.json"]; strings.Contains(raw, "facts") || !strings.Contains(raw, `"version": "2.0"`) || !strings.Contains(raw, "在银行工作") {
		t.Errorf("memory.json is\n%s", raw)
	}
	want := meant(tree.Of(bucket, "__default__"))
	want[d.Upserted[0].ID] = "喜欢咖啡"
	if diff := cmp.Diff(want, w.said("")); diff != "" {
		t.Error(diff)
	}
	for id := range want {
		raw := w.read(w.file("", id))
		if !strings.Contains(raw, "\nuser_id: 用户1\nagent_name: __default__\n---\n") {
			t.Errorf("%s is\n%s", id, raw)
		}
	}
	for name := range after {
		if strings.HasPrefix(name, "agents/lead-agent/") {
			t.Errorf("%s is still there", name)
		}
	}
	if w.list("").Legacy != 0 {
		t.Errorf("%d are left over", w.list("").Legacy)
	}
	// again it changes nothing
	if d, err := w.Migrate(ctx, false); err != nil || d.Job != "" || d.Facts != 0 {
		t.Errorf("a second time: %+v, %v", d, err)
	}
	w.wantTree(after)

	if _, _, err := w.Store.Undo(ctx, d.Job); err != nil {
		t.Fatal(err)
	}
	w.wantTree(before)
}

func TestAFactThatMovesToTheDefaultAgentKeepsItsFile(t *testing.T) {
	w := newWorld(t)
	w.plant(w.file("lead-agent", "fact_1"), []byte(oldFact))
	if _, err := w.Migrate(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	got := w.read(w.file("", "fact_1"))
	if !strings.HasPrefix(got, "---\nid: fact_1\nconfidence: 0.75\ncreatedAt: '2026-01-02T03:04:05Z'\nlabel: kept\n") ||
		!strings.HasSuffix(got, "\nuser_id: bob\nagent_name: __default__\n---\n\n# Likes tea\n\nLikes tea\n") {
		t.Errorf("got\n%s\nof\n%s", got, oldFact)
	}
}

func TestAnAgentsOwnMemoryJSONIsTakenOverWithItsFacts(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	tree := w.settle("alice")
	before := w.tree()
	if _, err := w.Add(ctx, "", Fact{Content: "Of another agent", Confidence: 1}); err != nil {
		t.Fatal(err)
	}
	if after := w.tree(); after["agents/coder/memory.json"] != before["agents/coder/memory.json"] {
		t.Error("a change of another agent's facts took it over")
	}
	content := "Debugs with a debugger"
	d, err := w.Update(ctx, "coder", "fact_01dc0de1", Patch{Content: &content}, If{Revision: 1})
	if err != nil {
		t.Fatal(err)
	}
	if d.Adopted != 1 || len(d.Upserted) != 1 || d.Upserted[0].Revision != 2 || d.Revision != 43 {
		t.Errorf("%+v", d)
	}
	want := meant(tree.Of("alice", "coder"))
	want["fact_01dc0de1"] = content
	if diff := cmp.Diff(want, w.said("coder")); diff != "" {
		t.Error(diff)
	}
	after := w.tree()
	if _, there := after["agents/coder/memory.json"]; there || after["agents/coder/memory.json.v1.bak"] != before["agents/coder/memory.json"] {
		t.Error("agents/coder/memory.json should be a copy alone")
	}
	for _, name := range []string{"agents/coder/config.yaml", "agents/coder/SOUL.md", "agents/coder/.metadata/fact-usage.json", "threads/t1/uploads/plan.txt"} {
		if after[name] != before[name] || after[name] == "" {
			t.Errorf("%s is %q", name, after[name])
		}
	}
}

func TestDeletingAFactOfBeforeV2LeavesTheOthers(t *testing.T) {
	w := newWorld(t)
	w.plant(filepath.Join(w.dir, "memory.json"), []byte(`{"facts": [{"id": "fact_1", "content": "Likes tea"}, {"id": "fact_2", "content": "Likes milk"}]}`))
	if _, err := w.Delete(context.Background(), "", "fact_1", If{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"fact_2": "Likes milk"}, w.said("")); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(w.file("", "fact_1")); !os.IsNotExist(err) {
		t.Errorf("it got a file: %v", err)
	}
}

// MV03, MV05, MV06, deermem 18, 19
func TestWhatCannotBeTakenOverStaysAsItIs(t *testing.T) {
	const old = `{"user": {"workContext": {"summary": "At a bank", "updatedAt": "x"}}, "facts": [{"id": "fact_1", "content": "Likes tea"}]}`
	other := strings.ReplaceAll(oldFact, "tea", "milk")
	other = strings.Replace(other, "agent_name: lead-agent", "agent_name: __default__", 1)
	for name, tc := range map[string]struct {
		files map[string]string
		want  error
	}{
		"another copy":           {map[string]string{"memory.json": old, "memory.json.v1.bak": "{}"}, ErrLegacy},
		"another fact":           {map[string]string{"memory.json": old, "agents/__default__/facts/" + shard("fact_1") + "/fact_1.md": other}, ErrLegacy},
		"two summaries":          {map[string]string{"memory.json": old, "agents/__default__/memory.json": `{"user": {"workContext": {"summary": "At a school"}}}`}, ErrLegacy},
		"no fact":                {map[string]string{"memory.json": `{"facts": [7]}`}, ErrCorrupt},
		"a stray file":           {map[string]string{"agents/lead-agent/facts/00/fact_1.md": oldFact, "agents/lead-agent/stray.txt": "x"}, ErrCorrupt},
		"a path that leads out":  {map[string]string{"memory.json": `{"facts": {"fact_1": {"path": "../../fact_1.md"}}}`}, ErrCorrupt},
		"a file that was edited": {map[string]string{"memory.json": `{"facts": {"fact_1": {"path": "fact_1.md", "contentHash": "sha256:00"}}}`, "fact_1.md": oldFact}, ErrCorrupt},
		"an agent's, no JSON":    {map[string]string{"agents/__default__/memory.json": "# notes"}, ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for at, content := range tc.files {
				w.plant(filepath.Join(w.dir, at), []byte(content))
			}
			before := w.tree()
			_, err := w.Add(context.Background(), "", Fact{Content: "New", Confidence: 1})
			if !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
			if _, err := w.Migrate(context.Background(), false); !errors.Is(err, tc.want) {
				t.Errorf("migrate: error %v, want %v", err, tc.want)
			}
			w.wantTree(before)
		})
	}
}

func TestSummariesOfAnAgentComeToThoseOfAll(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.plant(filepath.Join(w.dir, "memory.json"), []byte(`{"version": "2.0", "revision": 7, "user": {"workContext": {"summary": "At a bank", "updatedAt": "2026-01-01T00:00:00Z"}, "mood": {"summary": "kept"}}}`))
	w.plant(filepath.Join(w.dir, "agents/coder/memory.json"), []byte(`{"user": {"workContext": {"summary": "At a bank", "updatedAt": ""}, "topOfMind": {"summary": "Ledger", "updatedAt": "2025-01-01T00:00:00Z"}},
		"history": {"recentMonths": {"summary": ""}}}`))
	if _, err := w.Migrate(ctx, false); err != nil {
		t.Fatal(err)
	}
	m, err := parseManifest([]byte(w.read(filepath.Join(w.dir, "memory.json"))))
	if err != nil {
		t.Fatal(err)
	}
	s := m.summaries()
	got := fmt.Sprint(s.Revision, " ", s.Sections["user"]["workContext"].Text, " ", s.Sections["user"]["topOfMind"].Text, " ", s.Sections["user"]["mood"].Text, " ", timeText(s.Sections["user"]["topOfMind"].Updated))
	if want := "8 At a bank Ledger kept 2025-01-01T00:00:00Z"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// deermem 16
func TestALeadAgentThatBrainWritesForIsAnAgentOfItsOwn(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	id := w.add(leadAgent, "Plans in writing", 0.9)
	if said := w.said(""); len(said) != 0 {
		t.Errorf("the default agent sees %v", said)
	}
	w.add("", "Likes tea", 0.9)
	w.add(leadAgent, "Plans aloud", 0.9)
	if said := w.said(leadAgent); len(said) != 2 || said[id] == "" {
		t.Errorf("lead-agent has %v", said)
	}
	if d, err := w.Migrate(ctx, false); err != nil || d.Facts != 0 {
		t.Errorf("%+v, %v", d, err)
	}
	if names := ownNames(t, w); !slices.Equal(names, []string{leadAgent}) {
		t.Errorf("memory.json names %q", names)
	}
}

func ownNames(t *testing.T, w *world) []string {
	t.Helper()
	m, err := parseManifest([]byte(w.read(filepath.Join(w.dir, "memory.json"))))
	if err != nil {
		t.Fatal(err)
	}
	return m.ownAgents()
}

// deermem 17
func TestTwoThatTakeOverAtOnceEndTheSame(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.settle("--1-857e3168f4aafbba")
	other := openWorld(t, filepath.Dir(filepath.Dir(w.dir)))
	before := w.said("")
	var g sync.WaitGroup
	adopted := make([]int, 2)
	for i, m := range []*Facts{w.Facts, other.Facts} {
		g.Go(func() {
			d, err := m.Migrate(ctx, false)
			if err != nil {
				t.Error(err)
				return
			}
			adopted[i] = d.Facts
		})
	}
	g.Wait()
	if adopted[0]+adopted[1] != 10 || adopted[0]*adopted[1] != 0 {
		t.Errorf("adopted %v, want all by one of them", adopted)
	}
	if diff := cmp.Diff(before, other.said("")); diff != "" {
		t.Error(diff)
	}
}

func TestADryMigrationTriesAndWritesNothing(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.settle("--1-857e3168f4aafbba")
	before := w.tree()
	if d, err := w.Migrate(ctx, true); err != nil || d.Facts != 10 || d.Job != "" {
		t.Errorf("%+v, %v", d, err)
	}
	w.wantTree(before)
	w.plant(filepath.Join(w.dir, "memory.json.v1.bak"), []byte("{}"))
	if _, err := w.Migrate(ctx, true); !errors.Is(err, ErrLegacy) {
		t.Errorf("error %v, want %v", err, ErrLegacy)
	}
}

func TestWhatWasPurgedIsNotTakenOver(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	id := w.add("", "The password of the vault is long", 0.9)
	at, err := FactPath("", id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Store.PurgePage(ctx, at, store.HashOf([]byte(w.read(w.file("", id)))), w.now()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(w.dir, "memory.json")); err != nil {
		t.Fatal(err)
	}
	w.plant(filepath.Join(w.dir, "memory.json"), []byte(`{"facts": [{"id": "fact_1", "content": "the password of the vault is long."}, {"id": "fact_2", "content": "Likes tea"}]}`))
	var told []string
	w.Store.OnNote = func(line string) { told = append(told, line) }
	if d, err := w.Migrate(ctx, false); err != nil || d.Facts != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	if said := w.said(""); len(said) != 1 || said["fact_2"] == "" || len(told) != 1 || !strings.Contains(told[0], "fact_1") {
		t.Errorf("%v; told %q", said, told)
	}
}

// The agents that migration asks about are the folders that can be an agent's.
func TestAgentsAreFoldersAndTheDefaultOne(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"agents/coder/config.yaml", "agents/Writer/config.yaml", "agents/note.md", "agents/.hidden/x"} {
		w.plant(filepath.Join(w.dir, name), nil)
	}
	got, err := w.Agents(context.Background())
	if diff := cmp.Diff([]string{page.DefaultAgent, "coder"}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}
