package memory

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func (w *world) clear(agent string, all bool) *Delta {
	w.t.Helper()
	d, err := w.Clear(context.Background(), agent, all)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// without is a tree but for some files, by how their paths begin.
func without(tree map[string]string, prefixes ...string) map[string]string {
	rest := map[string]string{}
	for name, content := range tree {
		keep := true
		for _, p := range prefixes {
			keep = keep && !strings.HasPrefix(name, p)
		}
		if keep {
			rest[name] = content
		}
	}
	return rest
}

// MX08, MS07, MP13
func TestClearingAnAgentTakesItsFactsAndLeavesAllElse(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.Rules.Policy = "hybrid-v1" // so that heat is kept
	tree := w.settle("alice")
	w.plant(filepath.Join(w.dir, "agents/coder/facts/00/note.txt"), []byte("the host's"))
	w.plant(w.file("coder", "fact_broken"), []byte("no front matter"))
	if _, err := w.Search(ctx, "coder", Search{Query: "service", N: 5}); err != nil {
		t.Fatal(err)
	}
	usage := filepath.Join(w.Usage, "coder", usageFile)
	if _, err := os.Stat(usage); err != nil {
		t.Fatal("no heat was kept:", err)
	}
	before := w.tree()

	d := w.clear("coder", false)
	if len(d.Deleted) != 14 || d.Revision != 42 || d.Job == "" {
		t.Errorf("%d deleted, revision %d, job %q", len(d.Deleted), d.Revision, d.Job)
	}
	if len(w.said("coder")) != 0 || len(w.said("")) != 20 || len(w.said("lead-agent")) != 4 {
		t.Errorf("left are %d, %d and %d", len(w.said("coder")), len(w.said("")), len(w.said("lead-agent")))
	}
	after := w.tree()
	gone := []string{"memory.json", "agents/coder/memory.json"}
	for _, f := range tree.Of("alice", "coder") {
		if f.File != "" {
			gone = append(gone, f.File)
		}
	}
	if diff := cmp.Diff(without(before, gone...), without(after, append(gone, "memory.json.v1.bak", "agents/coder/memory.json.v1.bak")...)); diff != "" {
		t.Errorf("all else should be as it was:\n%s", diff)
	}
	for _, f := range tree.Of("alice", "coder") {
		if _, there := after[f.File]; there {
			t.Errorf("%s is still there", f.File)
		}
	}
	if !strings.Contains(after["memory.json"], "Works on billing") {
		t.Errorf("memory.json is\n%s", after["memory.json"])
	}
	if _, err := os.Stat(usage); !os.IsNotExist(err) {
		t.Errorf("heat is still kept: %v", err)
	}
	if _, _, err := w.Store.Undo(ctx, d.Job); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(without(before, "memory.json"), without(w.tree(), "memory.json")); diff != "" {
		t.Errorf("undo:\n%s", diff)
	}
}

// MX07, deermem 20
func TestClearingAllLeavesNothingThatComesBack(t *testing.T) {
	w := newWorld(t)
	w.settle("--1-857e3168f4aafbba")
	w.plant(filepath.Join(w.dir, "agents/coder/config.yaml"), []byte("name: coder\n"))
	w.plant(filepath.Join(w.dir, "agents/writer/memory.json"), []byte(`{"user": {"workContext": {"summary": "at odds with memory.json"}}, "facts": [{"id": "fact_w", "content": "Writes"}]}`))
	before := w.tree()

	d := w.clear("", true)
	if len(d.Deleted) != 13 || d.Revision != 1 {
		t.Errorf("%d deleted, revision %d", len(d.Deleted), d.Revision)
	}
	later := openWorld(t, filepath.Dir(filepath.Dir(w.dir)))
	for _, agent := range []string{"", "coder", "writer", "lead-agent"} {
		if said := later.said(agent); len(said) != 0 {
			t.Errorf("%q still has %v", agent, said)
		}
		later.add(agent, "Begins anew", 0.9)
		if said := later.said(agent); len(said) != 1 {
			t.Errorf("to %q came back %v", agent, said)
		}
	}
	raw := w.read(filepath.Join(w.dir, "memory.json"))
	if strings.Contains(raw, "在银行工作") || strings.Contains(raw, "at odds") || strings.Contains(raw, "facts") {
		t.Errorf("memory.json is\n%s", raw)
	}
	if got := w.read(filepath.Join(w.dir, "agents/coder/config.yaml")); got != "name: coder\n" {
		t.Errorf("config.yaml is %q", got)
	}
	if got := w.read(filepath.Join(w.dir, "memory.json.v1.bak")); got != before["memory.json"] {
		t.Errorf("the copy is\n%s", got)
	}
}

func TestAClearOfAllCanBeUndone(t *testing.T) {
	w := newWorld(t)
	w.settle("--1-857e3168f4aafbba")
	before := w.tree()
	d := w.clear("", true)
	if _, _, err := w.Store.Undo(context.Background(), d.Job); err != nil {
		t.Fatal(err)
	}
	w.wantTree(before)
}

func TestAClearIsNotStoppedByWhatIsBrokenOfBeforeV2(t *testing.T) {
	w := newWorld(t)
	w.plant(filepath.Join(w.dir, "memory.json"), []byte(`{"facts": [7, {"id": "fact_1", "content": "Likes tea"}]}`))
	w.plant(filepath.Join(w.dir, "agents/lead-agent/stray.txt"), []byte("whose?"))
	w.plant(w.file("lead-agent", "fact_1"), []byte(oldFact))
	w.clear("", false)
	if l := w.list(""); len(l.Facts) != 0 || len(l.Damaged) != 0 {
		t.Errorf("%+v", l)
	}
	if got := w.read(filepath.Join(w.dir, "agents/lead-agent/stray.txt")); got != "whose?" {
		t.Errorf("the stray file is %q", got)
	}
}

func TestClearingNothingWritesNothing(t *testing.T) {
	w := newWorld(t)
	before := w.tree()
	if d := w.clear("", true); d.Job != "" || len(d.Deleted) != 0 {
		t.Errorf("%+v", d)
	}
	w.wantTree(before)
}

// MS18, deermem 15
func TestAClearAmongAddsTakesWhatCameBeforeAndNothingElse(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.Rules.Max = 1000
	other := openWorld(t, filepath.Dir(filepath.Dir(w.dir)))
	other.Rules.Max = 1000
	var mu sync.Mutex
	added := map[string]int{} // id → revision of memory.json with which it came
	var g sync.WaitGroup
	for i, m := range []*Facts{w.Facts, other.Facts, w.Facts} {
		g.Go(func() {
			for n := range 15 {
				d, err := m.Add(ctx, "", Fact{ID: fmt.Sprintf("fact_%d_%d", i, n), Content: fmt.Sprintf("Statement %d of writer %d", n, i), Confidence: 0.9})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				added[d.Upserted[0].ID] = d.Revision
				mu.Unlock()
			}
		})
	}
	var cleared int
	g.Go(func() {
		for {
			mu.Lock()
			n := len(added)
			mu.Unlock()
			if n > 10 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		cleared = w.clear("", false).Revision
	})
	g.Wait()
	said := w.said("")
	for id, revision := range added {
		if _, there := said[id]; there != (revision > cleared) {
			t.Errorf("%s came with revision %d, all was cleared with %d, and now it is there: %v", id, revision, cleared, there)
		}
	}
	if len(said) == 0 || len(said) == len(added) {
		t.Errorf("%d of %d are left: nothing raced", len(said), len(added))
	}
}

// A copy that lies elsewhere is the same fact, and would count in its place.
func TestWhatWasClearedDoesNotComeBackByACopyOfItsFile(t *testing.T) {
	w := newWorld(t)
	at := w.file("", w.add("", "Prefers tabs", .9))
	raw, copied := w.read(at), filepath.Join(w.dir, "agents/__default__/facts/moved", filepath.Base(at))
	w.plant(copied, []byte(raw))

	d := w.clear("", false)
	if left := w.files(); len(left) != 0 || len(d.Deleted) != 1 {
		t.Errorf("left are %q, deleted %q", left, d.Deleted)
	}
	if _, _, err := w.Store.Undo(context.Background(), d.Job); err != nil || w.read(at) != raw || w.read(copied) != raw {
		t.Errorf("undo does not bring both back: %v", err)
	}
}
