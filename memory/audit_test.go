package memory

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func evictionOf(n int, shadow *Shadow, ids ...string) *Eviction {
	e := &Eviction{At: daysAgo(float64(-n)), Reason: "capacity", Policy: ByConfidence, Max: 10, Shadow: shadow}
	for _, id := range ids {
		e.Evicted = append(e.Evicted, Evicted{id, "context", .25, map[string]float64{"confidence": .25}})
	}
	return e
}

func (k *kept) audit() (out []*Eviction) {
	k.t.Helper()
	dir, err := os.OpenRoot(filepath.Join(k.base, k.agent))
	if err != nil {
		k.t.Fatal(err)
	}
	defer dir.Close()
	if err := readSidecar(dir, auditFile, &out); err != nil {
		k.t.Fatal(err)
	}
	return out
}

// MP11
func TestAuditHasIDsAndScoresAndNoText(t *testing.T) {
	k := keep(t)
	r := byConfidence(1)
	r.Shadow = true
	facts := []Fact{
		{ID: "fresh", Category: "goal", Title: "Secret one", Content: "Secret two", SourceError: "Secret three", Confidence: .75, Confirmed: evictionDay},
		{ID: "old", Category: "goal", Content: "Secret four", Confidence: .875},
	}
	k.record(context.Background(), []*Eviction{fit(facts, r, noHeat, evictionDay)}, 200)
	want := `[{"occurredAt":"2026-08-14T12:00:00Z","reason":"capacity","policyVersion":"confidence","maxFacts":1,"reservedCorrectionSlots":0,` +
		`"evicted":[{"factId":"fresh","category":"goal","score":0.75,"components":{"confidence":0.75}}],` +
		`"shadow":{"policyVersion":"hybrid-v1","wouldEvict":["old"],"disagrees":true}}]` + "\n"
	if got := k.text(auditFile); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if fi, err := os.Stat(k.file(auditFile)); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", fi.Mode(), err)
	}
	k.quiet()
}

// deermem 41
func TestAuditKeepsTheNewest(t *testing.T) {
	k := keep(t)
	var all []*Eviction
	for n := range 7 {
		e := evictionOf(n, nil, fmt.Sprint("f", n))
		all = append(all, e)
		k.record(context.Background(), []*Eviction{e}, 5)
	}
	if got := k.audit(); !reflect.DeepEqual(got, all[2:]) {
		t.Errorf("%d entries, the first %+v; want the last 5", len(got), got[0])
	}
	k.record(context.Background(), []*Eviction{evictionOf(8, nil, "x")}, 2)
	if got := k.audit(); len(got) != 2 || got[1].Evicted[0].ID != "x" {
		t.Errorf("%d entries after a smaller bound, want 2", len(got))
	}
	k.record(context.Background(), []*Eviction{evictionOf(9, nil, "y")}, 0)
	if k.text(auditFile) != "" {
		t.Error("an audit is kept where none is wanted")
	}
	k.quiet()
}

func TestNoAuditIsMadeWhereNoneIsWanted(t *testing.T) {
	k := keep(t)
	k.record(context.Background(), []*Eviction{evictionOf(1, nil, "x")}, 0)
	k.record(context.Background(), nil, 5)
	k.scrub(context.Background(), []string{"x"})
	k.clear(context.Background())
	if _, err := os.Lstat(k.base); !os.IsNotExist(err) {
		t.Errorf("a folder for nothing: %v", err)
	}
}

func TestLargeEvictionsDoNotMakeTheAuditGrow(t *testing.T) {
	ids := make([]string, 9000)
	for i := range ids {
		ids[i] = fmt.Sprint("f", i)
	}
	k := keep(t)
	for n := range 4 {
		k.record(context.Background(), []*Eviction{evictionOf(n, nil, ids...)}, 200)
	}
	if got := len(k.audit()); got != 2 {
		t.Errorf("%d entries of 9,000 facts each, want 2", got)
	}
	k.record(context.Background(), []*Eviction{evictionOf(5, nil, append(append(ids, ids...), ids...)...)}, 200)
	if got := k.audit(); len(got) != 1 || len(got[0].Evicted) != 27_000 {
		t.Errorf("%d entries, want the one of 27,000 facts", len(got))
	}
}

// MP13, deermem 41
func TestDeletedFactIsInNoSidecar(t *testing.T) {
	k := keep(t, "a", "b")
	k.search(evictionDay, "a", "b")
	k.record(context.Background(), []*Eviction{
		evictionOf(1, &Shadow{Hybrid, []string{"a", "b"}, true}, "b"),
		evictionOf(2, &Shadow{Hybrid, []string{"b"}, true}, "a", "b"),
		evictionOf(3, &Shadow{Hybrid, []string{"b"}, true}, "a"), // nothing of it is left
		evictionOf(4, nil, "c"),
	}, 200)
	k.scrub(context.Background(), []string{"a"})
	want := []*Eviction{
		evictionOf(1, &Shadow{Hybrid, []string{"b"}, false}, "b"),
		evictionOf(2, &Shadow{Hybrid, []string{"b"}, false}, "b"),
		evictionOf(4, nil, "c"),
	}
	if got := k.audit(); !reflect.DeepEqual(got, want) {
		t.Errorf("audit %s", k.text(auditFile))
	}
	if got := k.heat(); len(got) != 1 || got["b"].Count != 1 {
		t.Errorf("heat %+v, want that of b", got)
	}
	k.scrub(context.Background(), []string{"b", "c"})
	if k.any() {
		t.Errorf("nothing is left to tell of: %q %q", k.text(usageFile), k.text(auditFile))
	}
	k.quiet()
}

func TestAuditThatIsNoneBeginsAnew(t *testing.T) {
	k := keep(t)
	for _, broken := range []string{"", "{}", `[{"evicted":`, "null{"} {
		k.write(k.file(auditFile), broken)
		k.record(context.Background(), []*Eviction{evictionOf(1, nil, "x")}, 5)
		k.told("begins anew")
		if got := k.audit(); len(got) != 1 {
			t.Errorf("after %q: %d entries, want 1", broken, len(got))
		}
	}
	good := strings.Trim(k.text(auditFile), "[]\n")
	k.write(k.file(auditFile), `[7,{"evicted":"a"},`+good+`,{"evicted":[]},null]`)
	k.record(context.Background(), []*Eviction{evictionOf(2, nil, "y")}, 5)
	k.told("entries")
	if got := k.audit(); len(got) != 2 || got[0].Evicted[0].ID != "x" || got[1].Evicted[0].ID != "y" {
		t.Errorf("%s, want x and y", k.text(auditFile))
	}
}

// What cannot be understood may name a fact that was deleted.
func TestDeletedFactIsNotLeftInABrokenSidecar(t *testing.T) {
	k := keep(t)
	k.write(k.file(usageFile), `{"secret":`)
	k.write(k.file(auditFile), `[{"evicted":[{"factId":"secret"}],"shadow":7}]`)
	k.scrub(context.Background(), []string{"other"})
	if k.any() {
		t.Errorf("left: %q %q", k.text(usageFile), k.text(auditFile))
	}
}

// MP13
func TestClearRemovesWhatIsKnownOfTheFacts(t *testing.T) {
	k := keep(t, "a")
	k.search(evictionDay, "a")
	k.record(context.Background(), []*Eviction{evictionOf(1, nil, "x")}, 5)
	k.clear(context.Background())
	if k.any() {
		t.Error("they are still there")
	}
	k.quiet()
}

// MP13
func TestClearOfAllReachesAgentsThatHaveNoFactLeft(t *testing.T) {
	w, _ := full(t)
	for i := range 11 {
		w.add("coder", fmt.Sprint("fact ", i), .5+float64(i)/100)
	}
	if err := os.RemoveAll(filepath.Join(w.dir, "agents", "coder")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Clear(context.Background(), "", true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(w.Usage, "coder", auditFile)); !os.IsNotExist(err) {
		t.Errorf("the audit is still there: %v", err)
	}
}
