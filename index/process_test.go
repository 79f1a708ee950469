//go:build unix

package index

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"brain/llm/llmtest"
	"brain/text"
)

// Some tests need several processes. They start the test binary again, which
// then does what the variable says instead of running tests.
const roleVariable = "INDEX_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := roles[role](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		n := "40" // each is some hundred fsyncs; -rapid.checks=1000 for a long look
		if testing.Short() {
			n = "8"
		}
		if err := f.Value.Set(n); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

var roles = map[string]func(args []string) error{
	"read":  readRole,
	"first": firstRole,
	"sync":  syncRole,
	"hold":  holdRole,
	"small": smallDiskRole,
}

// child starts this binary in a role.
func child(t testing.TB, role string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	c := exec.Command(exe, args...)
	c.Env = append(os.Environ(), roleVariable+"="+role)
	c.Stderr = os.Stderr
	return c
}

func openRole(args []string) (*Index, *tree, error) {
	ix, err := Open(Options{Dir: args[0], Embedder: llmtest.Hash(16)})
	return ix, &tree{dir: args[1]}, err
}

// markerPages names the page of a generation and what it holds. The pages of
// other generations are gone, so an answer tells to which one it belongs.
func markerPage(gen uint64) (path, body string) {
	return fmt.Sprintf("marker-%d.md", gen), fmt.Sprintf("marker sign%d end\n\n[[hub]]\n", gen)
}

// askMarker checks that the words, the vectors, the links and the page table
// of a view speak of the same generation.
func askMarker(v *View) error {
	ctx, gen := context.Background(), v.Generation()
	path, body := markerPage(gen)
	r, err := v.Lexical(ctx, text.Query("marker"), "")
	if err != nil {
		return err
	}
	defer r.Close()
	hits, err := r.Top(10, nil)
	if err != nil || len(hits) != 1 || hits[0].Path != path {
		return fmt.Errorf("generation %d: words find %v, %v", gen, hits, err)
	}
	q, err := llmtest.Hash(16).Embed(ctx, []string{"marker-" + strconv.FormatUint(gen, 10) + "\n\n" + body})
	if err != nil {
		return err
	}
	near, err := v.Nearest(ctx, q[0], v.Len(), func(row uint32) bool { return strings.HasPrefix(string(v.path(row)), "marker") })
	if err != nil || len(near) != 1 || near[0].Path != path {
		return fmt.Errorf("generation %d: vectors find %v, %v", gen, near, err)
	}
	hub, ok := v.Lookup("hub.md")
	if !ok {
		return fmt.Errorf("generation %d: no hub", gen)
	}
	n := 0
	v.Everything().Edges(hub, true, func(from uint32, _ string, _ int) bool {
		if string(v.path(from)) == path {
			n++
		}
		n++
		return true
	})
	if n != 2 {
		return fmt.Errorf("generation %d: edges of other generations: %d", gen, n)
	}
	return nil
}

// readRole asks until a file tells it to stop, and prints how often it asked
// and how many generations it saw.
func readRole(args []string) error {
	ix, _, err := openRole(args)
	if err != nil {
		return err
	}
	var last uint64
	asked, seen := 0, 0
	for {
		_, stop := os.Stat(args[2])
		v, err := ix.View()
		if err != nil {
			return err
		}
		if v.Generation() < last {
			return fmt.Errorf("generation went back from %d to %d", last, v.Generation())
		}
		if v.Generation() > last {
			seen++
		}
		last = v.Generation()
		if err := askMarker(v); err != nil {
			return err
		}
		if err := v.Release(); err != nil {
			return err
		}
		if asked++; stop == nil {
			fmt.Println(asked, seen, last)
			return ix.Close()
		}
		if asked%4 == 0 { // as a new process would
			if err := ix.Close(); err != nil {
				return err
			}
		}
	}
}

// setMarker replaces the marker page of the generation before.
func setMarker(t testing.TB, tr *tree, gen uint64) {
	t.Helper()
	if gen > 1 {
		p, _ := markerPage(gen - 1)
		tr.remove(t, p)
	}
	tr.write(t, "marker-"+strconv.FormatUint(gen, 10)+".md", second(markerPage(gen)))
}

func second(_, b string) string { return b }

// Readers in other processes beside a writer: every answer is of one
// generation, none fails, none goes back.
func TestReadersBesideAWriter(t *testing.T) {
	generations := uint64(100)
	if testing.Short() {
		generations = 25
	}
	setTail(t, 6)
	tr := newTree(t, map[string]string{"hub.md": "hub\n", "other.md": "some words\n"}).settled()
	ix := open(t, llmtest.Hash(16))
	setMarker(t, tr, 1)
	syncIn(t, ix, tr)
	stop := filepath.Join(t.TempDir(), "stop")
	var readers []*exec.Cmd
	var outs []*strings.Builder
	for range 3 {
		c := child(t, "read", ix.o.Dir, tr.dir, stop)
		out := &strings.Builder{}
		c.Stdout = out
		must(t, c.Start())
		readers, outs = append(readers, c), append(outs, out)
	}
	for gen := uint64(2); gen <= generations; gen++ {
		setMarker(t, tr, gen)
		if rep := syncWith(t, ix, tr, SyncOptions{Compact: gen%40 == 0}); rep.Generation != gen {
			t.Fatalf("generation %d after %d", rep.Generation, gen-1)
		}
	}
	must(t, os.WriteFile(stop, nil, 0o600))
	for i, c := range readers {
		if err := c.Wait(); err != nil {
			t.Errorf("reader: %v", err)
			continue
		}
		var asked, seen int
		var last uint64
		if _, err := fmt.Sscan(outs[i].String(), &asked, &seen, &last); err != nil || last != generations || asked < 10 || seen < 3 {
			t.Errorf("reader: %q: %v", outs[i], err)
		}
	}
	noLitter(t, ix.o.Dir)
}

// Forty readers of one process at once, with a writer beside them.
func TestParallelReaders(t *testing.T) {
	tr := newTree(t, map[string]string{"hub.md": "hub\n"}).settled()
	ix := open(t, llmtest.Hash(16))
	setMarker(t, tr, 1)
	syncIn(t, ix, tr)
	var failed atomic.Int64
	var done atomic.Bool
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			for n := 0; n < 3 || !done.Load(); n++ {
				v, err := ix.View()
				if err == nil {
					err = errors.Join(askMarker(v), v.Release())
				}
				if err != nil {
					failed.Add(1)
					t.Error(err)
					return
				}
			}
		})
	}
	for gen := uint64(2); gen <= 12 && failed.Load() == 0; gen++ {
		setMarker(t, tr, gen)
		syncIn(t, ix, tr)
	}
	done.Store(true)
	group.Wait()
}

func firstRole(args []string) error {
	ix, tr, err := openRole(args)
	if err != nil {
		return err
	}
	v, built, err := ix.First(context.Background(), tr, SyncOptions{})
	if err != nil {
		return err
	}
	fmt.Printf("%d %d %s\n", v.Generation(), v.Len(), built)
	return errors.Join(v.Release(), ix.Close())
}

// Eight processes that all find no index build one.
func TestFirstOpenByEightProcesses(t *testing.T) {
	tr := newTree(t, corpus(60))
	past := time.Now().Add(-time.Hour)
	for p := range corpus(60) {
		must(t, os.Chtimes(tr.file(p), past, past))
	}
	dir := filepath.Join(t.TempDir(), "index")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			out, err := child(t, "first", dir, tr.dir).Output()
			var gen, pages int
			if _, serr := fmt.Sscan(string(out), &gen, &pages); err != nil || serr != nil || pages != 60 {
				t.Errorf("%q: %v", out, err)
			}
		})
	}
	group.Wait()
	ix := openIn(t, dir, llmtest.Hash(16))
	if v := view(t, ix); v.Generation() != 1 {
		t.Errorf("eight first opens made %d generations", v.Generation())
	}
	noLitter(t, dir)
}

// holdRole takes the index lock, says so, and keeps it until it dies.
func holdRole(args []string) error {
	ix, _, err := openRole(args)
	if err != nil {
		return err
	}
	if _, err := ix.lock(context.Background(), SyncOptions{}, "sync"); err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(time.Hour)
	return nil
}

// hold starts a process that holds the lock; kill ends it as kill -9 does.
func hold(t *testing.T, dir, tree string) (pid int, kill func()) {
	t.Helper()
	c := child(t, "hold", dir, tree)
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatal(line, err)
	}
	var once sync.Once
	kill = func() {
		once.Do(func() {
			must(t, c.Process.Signal(syscall.SIGKILL))
			if err := c.Wait(); err == nil {
				t.Error("the holder ended by itself")
			}
		})
	}
	t.Cleanup(kill)
	return c.Process.Pid, kill
}

func TestBusyIndex(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "amber\n"})
	ix := open(t, nil)
	syncIn(t, ix, tr)
	pid, kill := hold(t, ix.o.Dir, tr.dir)
	tr.write(t, "a.md", "basalt now\n")

	v, err := ix.View()
	must(t, err)
	c, err := ix.Look(t.Context(), tr, v)
	must(t, err)
	v, stale, err := ix.Refresh(t.Context(), tr, v, c, Auto)
	must(t, err)
	if stale == nil || stale.Changed != 1 || !strings.Contains(stale.Why, "another process") {
		t.Errorf("a question beside a writer: %+v", stale)
	}
	found(t, v, "amber", "a.md")
	must(t, v.Release())

	_, err = ix.Sync(t.Context(), tr, SyncOptions{NoWait: true})
	var busy *BusyError
	if !errors.Is(err, ErrBusy) || !errors.As(err, &busy) || busy.Holder.PID != pid || !strings.Contains(err.Error(), strconv.Itoa(pid)) {
		t.Errorf("NoWait: %v; holder is %d", err, pid)
	}
	st, err := ix.Status(t.Context(), tr)
	must(t, err)
	if st.Lock == nil || st.Lock.PID != pid || st.Changed != 1 {
		t.Errorf("status: %+v", st)
	}

	// A sync waits as long as the holder lives, and ends when its time is up.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := ix.Sync(ctx, tr, SyncOptions{}); !errors.Is(err, ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("past its deadline: %v", err)
	}
	told := 0
	rep := syncWith(t, ix, tr, SyncOptions{OnWait: func(h Holder) {
		if told++; h.PID != pid {
			t.Errorf("told of %+v", h)
		}
		kill()
	}})
	if told != 1 || rep.Changed != 1 {
		t.Errorf("after the holder's death: told %d times, %+v", told, rep)
	}
	found(t, view(t, ix), "basalt", "a.md")
	if st, err = ix.Status(t.Context(), tr); err != nil || st.Lock != nil {
		t.Errorf("lock of nobody: %+v %v", st.Lock, err)
	}
}

// Two writers that see the same edit: the second finds nothing to do.
func TestTwoWritersOfOneEdit(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "amber\n"}).settled()
	ix, other := open(t, nil), (*Index)(nil)
	other = openIn(t, ix.o.Dir, nil)
	syncIn(t, ix, tr)
	tr.write(t, "a.md", "basalt now\n")
	var group sync.WaitGroup
	for _, w := range []*Index{ix, other} {
		group.Go(func() {
			if _, err := w.Sync(t.Context(), tr, SyncOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if v := view(t, ix); v.Generation() != 2 {
		t.Errorf("generation %d after one edit", v.Generation())
	}
}
