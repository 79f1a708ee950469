package memory

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"brain/store"
)

// The test binary is its own worker: many processes change the facts of one user.

const workerEnv = "BRAIN_TEST_FACTS"

func TestMain(m *testing.M) {
	if spec := os.Getenv(workerEnv); spec != "" {
		if err := worker(spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// did is a line that a worker prints before and after each operation.
type did struct {
	Op       string `json:"op"`
	ID       string `json:"id"`
	Done     bool   `json:"done"`
	Revision int    `json:"revision"` // of memory.json, 0 when nothing was written
	Fact     int    `json:"fact"`     // revision of the fact
	Text     string `json:"text"`
}

// counters are facts that everybody counts up, each from the state that it read.
const counters = 4

func counter(i int) string { return fmt.Sprintf("counter%d", i) }

// worker does n random operations: SPEC is root|name|n|seed.
func worker(spec string) error {
	parts := strings.Split(spec, "|")
	n, _ := strconv.Atoi(parts[2])
	seed, _ := strconv.ParseUint(parts[3], 10, 64)
	r, err := store.At(parts[0])
	if err != nil {
		return err
	}
	st, err := store.Open(r, "default")
	if err != nil {
		return err
	}
	defer st.Close()
	rules := DefaultRules()
	rules.Max, rules.Audit, rules.Policy = 40, 50, Hybrid
	m := &Facts{Store: st, Rules: rules, Usage: filepath.Join(r.StateDir(), "usage", "default")}
	st.Renew = Renew(m.now)
	w := &working{m: m, name: parts[1], random: rand.New(rand.NewPCG(seed, 1))}
	if err := st.Recover(); err != nil {
		return err
	}
	for range n {
		if err := w.step(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

type working struct {
	m      *Facts
	name   string
	random *rand.Rand
	mine   []string
	count  int
}

func (w *working) say(d did) {
	raw, _ := json.Marshal(d)
	os.Stdout.Write(append(raw, '\n')) // at once: who is killed has said it
}

func (w *working) step(ctx context.Context) error {
	switch n := w.random.IntN(10); {
	case n < 4:
		return w.countUp(ctx, counter(w.random.IntN(counters)))
	case n < 7:
		w.count++
		text := fmt.Sprintf("%s says that %d is a number", w.name, w.count)
		w.say(did{Op: "add", Text: text})
		d, err := w.m.Add(ctx, "", Fact{Content: text, Confidence: 0.2 + w.random.Float64()/2})
		if errors.Is(err, ErrEvicted) {
			return nil
		}
		if err != nil {
			return err
		}
		id := d.Upserted[len(d.Upserted)-1].ID
		w.mine = append(w.mine, id)
		w.say(did{Op: "add", ID: id, Text: text, Done: true, Revision: d.Revision, Fact: 1})
	case n < 8 && len(w.mine) > 0:
		i := w.random.IntN(len(w.mine))
		id := w.mine[i]
		w.mine = slices.Delete(w.mine, i, i+1)
		w.say(did{Op: "delete", ID: id})
		d, err := w.m.Delete(ctx, "", id, If{})
		if errors.Is(err, ErrUnknown) { // it had to make room
			return nil
		}
		if err != nil {
			return err
		}
		w.say(did{Op: "delete", ID: id, Done: true, Revision: d.Revision})
	case n < 9:
		_, err := w.m.Search(ctx, "", Search{Query: "a number that " + w.name + " says"})
		return err
	default:
		d, err := w.m.Confirm(ctx, "", counter(0), If{})
		if err != nil {
			return err
		}
		w.say(did{Op: "confirm", ID: counter(0), Done: true, Revision: d.Revision})
	}
	return nil
}

// countUp reads a fact, and writes one more than it says if it is as it was read.
func (w *working) countUp(ctx context.Context, id string) error {
	for {
		f, err := w.m.Get(ctx, "", id)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(strings.TrimPrefix(f.Content, id+" is at "))
		if err != nil {
			return err
		}
		w.say(did{Op: "count", ID: id})
		d, err := w.m.Update(ctx, "", id, Patch{Content: ptr(fmt.Sprintf("%s is at %d", id, n+1))}, If{Revision: f.Revision})
		if errors.Is(err, ErrFactConflict) {
			continue
		}
		if err != nil {
			return err
		}
		w.say(did{Op: "count", ID: id, Done: true, Revision: d.Revision, Fact: d.Upserted[0].Revision})
		return nil
	}
}

// startWorker runs one, and gives what it said once it has ended.
func startWorker(t *testing.T, root, name string, n int, seed uint64) (cmd *exec.Cmd, said func() []did) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%s|%d|%d", workerEnv, root, name, n, seed))
	var out, bad strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &bad
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, func() (all []did) {
		err := cmd.Wait()
		if err != nil && cmd.ProcessState.Exited() {
			t.Errorf("worker %s: %v: %s", name, err, bad.String())
		}
		for s := bufio.NewScanner(strings.NewReader(out.String())); s.Scan(); {
			var d did
			if json.Unmarshal(s.Bytes(), &d) == nil { // the last line may be half
				all = append(all, d)
			}
		}
		return all
	}
}

func countersIn(t *testing.T) (w *world, root string) {
	w = newWorld(t)
	for i := range counters {
		if _, err := w.Add(ctx, "", Fact{ID: counter(i), Content: counter(i) + " is at 0", Category: "correction", Confidence: 1}); err != nil {
			t.Fatal(err)
		}
	}
	return w, filepath.Dir(filepath.Dir(w.dir))
}

// reached is what a counter stands at.
func (w *world) reached(id string) (count, revision int) {
	f, err := w.Get(ctx, "", id)
	if err != nil {
		w.t.Fatal(err)
	}
	count, err = strconv.Atoi(strings.TrimPrefix(f.Content, id+" is at "))
	if err != nil {
		w.t.Fatal(err)
	}
	return count, f.Revision
}

// MS14: eight processes, two hundred operations each: every count is there, no two
// changes are of one revision, and the audit stays within its bounds.
func TestEightProcessesLoseNothing(t *testing.T) {
	w, root := countersIn(t)
	n := 200
	if testing.Short() {
		n = 40
	}
	var workers []func() []did
	for i := range 8 {
		_, said := startWorker(t, root, fmt.Sprintf("worker %c", 'a'+i), n, uint64(i))
		workers = append(workers, said)
	}
	counts, confirmed, texts := map[string]int{}, map[string]int{}, map[string]string{}
	var revisions []int
	gone := map[string]bool{}
	for _, said := range workers {
		last := 0
		for _, d := range said() {
			if !d.Done {
				continue
			}
			if d.Revision <= last {
				t.Errorf("revision %d after %d in one process", d.Revision, last)
			}
			last = d.Revision
			revisions = append(revisions, d.Revision)
			switch d.Op {
			case "count":
				counts[d.ID]++
			case "confirm":
				confirmed[d.ID]++
			case "add":
				texts[d.ID] = d.Text
			case "delete":
				gone[d.ID] = true
			}
		}
	}
	slices.Sort(revisions)
	for i, r := range revisions { // the counters were the first ones
		if r != counters+1+i {
			t.Fatalf("change %d is of revision %d: one was lost or two are of one revision", i, r)
		}
	}
	l := w.list("")
	if want := counters + len(revisions); l.Revision != want {
		t.Errorf("memory.json is at %d after %d changes", l.Revision, want)
	}
	for i := range counters {
		if count, revision := w.reached(counter(i)); count != counts[counter(i)] || revision != count+1+confirmed[counter(i)] {
			t.Errorf("%s stands at %d, revision %d, after %d updates", counter(i), count, revision, counts[counter(i)])
		}
	}
	if len(l.Facts) > 40 || len(l.Damaged) > 0 {
		t.Errorf("%d facts, damaged %v", len(l.Facts), l.Damaged)
	}
	for _, f := range l.Facts {
		if gone[f.ID] {
			t.Errorf("%s was deleted and is there", f.ID)
		}
		if text, ok := texts[f.ID]; ok && text != f.Content {
			t.Errorf("%s says %q, not %q", f.ID, f.Content, text)
		}
	}
	raw := w.read(filepath.Join(w.Usage, "__default__", auditFile))
	var audit []Eviction
	if err := json.Unmarshal([]byte(raw), &audit); err != nil || len(audit) == 0 || len(audit) > 50 {
		t.Errorf("%d entries in the audit, %v", len(audit), err)
	}
	if strings.Contains(raw, "says that") {
		t.Error("the audit holds text")
	}
	t.Logf("%d changes, counts %v, %d evictions in the audit", len(revisions), counts, len(audit))
}

// MS16: processes that are killed at any moment lose nothing that they were told is
// done, and leave no half of a change behind.
func TestKilledProcessesLeaveNoHalfOfAChange(t *testing.T) {
	w, root := countersIn(t)
	kills := 60
	if testing.Short() {
		kills = 10
	}
	counts, tried := map[string]int{}, map[string]int{}
	random := rand.New(rand.NewPCG(7, 7))
	revision := counters
	for round := range kills {
		var workers []func() []did
		for i := range 2 {
			cmd, said := startWorker(t, root, fmt.Sprintf("worker %d-%d", round, i), 1000, random.Uint64())
			workers = append(workers, said)
			defer time.AfterFunc(time.Duration(40+random.IntN(150))*time.Millisecond, func() { cmd.Process.Kill() }).Stop()
		}
		var highest int
		for _, said := range workers {
			begun := map[string]int{}
			for _, d := range said() {
				switch {
				case d.Op == "count" && d.Done:
					counts[d.ID]++
					begun[d.ID] = 0
				case d.Op == "count":
					begun[d.ID] = 1
				}
				highest = max(highest, d.Revision)
			}
			for id, n := range begun {
				tried[id] += n
			}
		}
		other := openWorld(t, root)
		if err := other.Store.Recover(); err != nil {
			t.Fatal(err)
		}
		l := other.list("")
		if len(l.Damaged) > 0 {
			t.Fatalf("round %d: %v", round, l.Damaged)
		}
		if l.Revision < max(highest, revision) {
			t.Fatalf("round %d: memory.json is at %d, and was at %d", round, l.Revision, max(highest, revision))
		}
		revision = l.Revision
		if left, _ := filepath.Glob(filepath.Join(w.dir, ".txn", "tmp-*")); len(left) > 0 {
			t.Errorf("round %d: %q are left", round, left)
		}
	}
	for i := range counters {
		id := counter(i)
		if count, _ := w.reached(id); count < counts[id] || count > counts[id]+tried[id] {
			t.Errorf("%s stands at %d: %d updates were done and %d cut short", id, count, counts[id], tried[id])
		}
	}
	w.add("", "a change after all of it", 1)
	t.Logf("%d kills, counts %v, revision %d", 2*kills, counts, revision)
}
