package inbox

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"brain/page"
)

// journey is a session from its first turn to the end of its compilation: begun,
// handed over by a compaction, added to while it is compiled, compiled item by item.
// It can be gone again from the beginning, wherever it ended.
func journey(ib *Box) error {
	s := spoken("j", "I prefer tabs.", "Noted.", "And no semicolons.", "Noted as well.", "Bye, friend.")
	said := s.Turns
	s.Turns = said[:2]
	_, err := ib.Add(ctx, s)
	if err != nil {
		return err
	}
	s.Turns, s.Snapshot = said[:4], true
	if _, err := ib.Add(ctx, s); err != nil {
		return err
	}
	s.Snapshot = false
	for range 9 {
		due, _, err := ib.Queue(ctx, QueueOptions{All: true})
		if err != nil || len(due) == 0 {
			return err
		}
		s.Turns = said
		if err := compileItem(ib, due[0], func() error { _, err := ib.Add(ctx, s); return err }); err != nil {
			return err
		}
	}
	return errors.New("it does not end")
}

func compileItem(ib *Box, it Item, meanwhile func() error) error {
	l, err := ib.Take(ctx, it.Session)
	if err != nil {
		return err
	}
	err = l.Save(ctx, fmt.Appendf(nil, `{"format":1,"through":%d}`, l.Meta.Compiled))
	if err == nil {
		err = meanwhile()
	}
	if err = errors.Join(err, l.Alive()); err != nil {
		return errors.Join(err, l.Release())
	}
	return l.Settle(ctx, Outcome{Through: it.To, Pages: []page.Path{"notes/a.md"}})
}

// wantWhole checks the session of a journey that was interrupted: what stands can
// be read, nothing of it stands twice, and nobody holds it.
func wantWhole(t *testing.T, ib *Box, when string) {
	t.Helper()
	metas, err := ib.List(ctx)
	if err != nil || len(metas) > 1 {
		t.Fatalf("%s: %+v, %v", when, metas, err)
	}
	for _, m := range metas {
		if m.State != Pending && m.State != Done {
			t.Errorf("%s: %s", when, m.State)
		}
		s, _, err := ib.Read(ctx, "j")
		if err != nil || len(s.Turns) != m.Turns || m.Compiled > m.Turns {
			t.Errorf("%s: %d turns, %+v, %v", when, len(s.Turns), m, err)
		}
		onlyOnce(t, s)
		if m.State == Pending {
			l, err := ib.Take(ctx, "j")
			if err != nil {
				t.Errorf("%s: %v", when, err)
			} else if err := l.Release(); err != nil {
				t.Errorf("%s: %v", when, err)
			}
		}
	}
}

// wantArrived checks a session whose journey ended.
func wantArrived(t *testing.T, ib *Box, when string) {
	t.Helper()
	if err := journey(ib); err != nil {
		t.Fatalf("%s, gone again: %v", when, err)
	}
	s, problems, err := ib.Read(ctx, "j")
	if err != nil || len(problems) > 0 || len(s.Turns) != 5 {
		t.Fatalf("%s: %d turns, %v, %v", when, len(s.Turns), problems, err)
	}
	m := wantState(t, ib, "j", Done)
	if m.Compiled != 5 || m.Writer != nil || len(m.Snapshots) > 0 || !slices.Equal(m.Pages, []page.Path{"notes/a.md"}) {
		t.Errorf("%s: %+v", when, m)
	}
	added(t, ib, spoken("another", "which sweeps"))
	if err := ib.Remove(ctx, "another"); err != nil {
		t.Fatal(err)
	}
	got := tree(t, ib)
	for name := range got {
		if strings.Contains(name, ".new") || strings.HasSuffix(name, ".lock") {
			t.Errorf("%s: %s stayed", when, name)
		}
	}
}

// A process dies before each of its steps on disk.
func TestAProcessDiesBeforeEachOfItsSteps(t *testing.T) {
	for n := 1; ; n++ {
		ib := opened(t)
		cmd := as("die-at", ib.dir, strconv.Itoa(n))
		err := cmd.Run()
		when := fmt.Sprintf("dead before step %d", n)
		wantWhole(t, ib, when)
		wantArrived(t, ib, when)
		if err == nil {
			if n < 20 {
				t.Errorf("only %d steps", n)
			}
			return
		}
		if t.Failed() || n > 200 {
			t.Fatalf("%s: %v", when, err)
		}
	}
}

func dieAt(dir, at string) error {
	n, err := strconv.Atoi(at)
	if err != nil {
		return err
	}
	ib, err := Open(dir)
	if err != nil {
		return err
	}
	ib.Now = func() time.Time { return noon }
	ib.steps = func(string, string) error {
		if n--; n == 0 {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			return errors.Join(err, fmt.Errorf("still alive"))
		}
		return nil
	}
	return journey(ib)
}

// Each step on disk fails, once or from then on.
func TestEachStepFails(t *testing.T) {
	full := errors.New("no space left")
	for _, once := range []bool{true, false} {
		for n := 1; ; n++ {
			ib, steps := opened(t), 0
			ib.steps = func(string, string) error {
				if steps++; steps == n || steps > n && !once {
					return full
				}
				return nil
			}
			err := journey(ib)
			ib.steps = nil
			when := fmt.Sprintf("step %d failed, once %v", n, once)
			if steps < n {
				break
			}
			if !errors.Is(err, full) {
				t.Errorf("%s: %v", when, err)
			}
			wantWhole(t, ib, when)
			wantArrived(t, ib, when)
			if t.Failed() {
				return
			}
		}
	}
}

// workForEver adds turns to sessions that others add to as well, and compiles what
// waits, until it is killed. It prints "added N" for each turn that was, and
// "together ID" should somebody else compile a session that it holds.
func workForEver(dir, name string) error {
	ib, err := Open(dir)
	if err != nil {
		return err
	}
	who, from, _ := strings.Cut(name, " ")
	n, err := strconv.Atoi(from)
	if err != nil {
		return err
	}
	for ; ; n++ {
		if _, err := ib.Add(ctx, workSaid(who, n)); err != nil {
			return err
		}
		fmt.Println("added", n)
		due, _, err := ib.Queue(ctx, QueueOptions{All: true})
		if err != nil {
			return err
		}
		if len(due) == 0 {
			continue
		}
		it := due[rand.N(len(due))]
		err = compileItem(ib, it, func() error { return alone(dir, it.Session) })
		if err != nil && !errors.Is(err, ErrBusy) && !errors.Is(err, ErrNotPending) && !strings.Contains(err.Error(), "none of") {
			return err
		}
	}
}

func workSaid(who string, n int) Session {
	return Session{ID: fmt.Sprintf("s%d", n/15), At: noon, Snapshot: n%7 == 0, Turns: []page.Turn{
		{ID: fmt.Sprintf("%s-%d", who, n), Role: "user", Text: fmt.Sprintf("turn %d of %s%s", n, who, strings.Repeat("x", n%5*900))},
	}}
}

// alone tells on standard output when somebody else writes the same file meanwhile.
func alone(dir, id string) error {
	name, mine := filepath.Join(dir, "holder-"+id), strconv.Itoa(os.Getpid())
	if err := os.WriteFile(name, []byte(mine), 0o600); err != nil {
		return err
	}
	time.Sleep(rand.N(2 * time.Millisecond))
	raw, err := os.ReadFile(name)
	if string(raw) != mine {
		fmt.Println("together", id)
	}
	return err
}

// Three processes add and compile and are killed at random, a hundred times in all.
func TestKilledWorkersLoseAndDoubleNothing(t *testing.T) {
	ib := opened(t)
	kills := 100
	if testing.Short() {
		kills = 12
	}
	var mu sync.Mutex
	acked, together := map[string]int{}, 0
	var wg sync.WaitGroup
	for _, who := range []string{"a", "b", "c"} {
		wg.Go(func() {
			next := 0
			for range (kills + 2) / 3 {
				for _, line := range killed(t, as("work-for-ever", ib.dir, fmt.Sprintf("%s %d", who, next))) {
					what, of, _ := strings.Cut(line, " ")
					n, err := strconv.Atoi(of)
					mu.Lock()
					if what == "added" && err == nil {
						acked[who], next = n, n+1
					} else {
						together++
						t.Error(line)
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	for who, last := range acked { // what was not acknowledged is said again
		for n := range last + 2 {
			added(t, ib, workSaid(who, n))
		}
	}
	due, _, err := ib.Queue(ctx, QueueOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range due {
		if err := compileItem(ib, it, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	wantAll(t, ib, acked)
	t.Logf("turns acknowledged: %v", acked)
}

func wantAll(t *testing.T, ib *Box, acked map[string]int) {
	t.Helper()
	metas, err := ib.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range metas {
		s, problems, err := ib.Read(ctx, m.Session)
		if err != nil || m.State != Done || m.Problem != "" || m.Compiled != len(s.Turns) {
			t.Errorf("%+v, %d turns, %v", m, len(s.Turns), err)
		}
		for _, p := range problems {
			if p.Code != page.CodeBadTurn { // half a line of one who was killed
				t.Errorf("%s: %v", m.Path, p)
			}
		}
		for _, turn := range s.Turns {
			if seen[turn.ID] {
				t.Errorf("%s stands twice", turn.ID)
			}
			seen[turn.ID] = true
		}
	}
	for who, last := range acked {
		for n := range last + 1 {
			if id := fmt.Sprintf("%s-%d", who, n); !seen[id] {
				t.Errorf("%s is lost", id)
			}
		}
	}
}

// killed runs a process, kills it after a while and gives the lines that it printed.
func killed(t *testing.T, cmd *exec.Cmd) (lines []string) {
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	timer := time.AfterFunc(30*time.Millisecond+rand.N(100*time.Millisecond), func() { cmd.Process.Kill() })
	for in := bufio.NewScanner(out); in.Scan(); {
		lines = append(lines, in.Text())
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("it ended by itself: %v", err)
	}
	timer.Stop()
	return lines
}
