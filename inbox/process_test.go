package inbox

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"brain/page"
)

// TestMain lets the test binary act as another process that adds.
func TestMain(m *testing.M) {
	if role := os.Getenv("INBOX_TEST_ROLE"); role != "" {
		if err := roles[role](os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var roles = map[string]func(dir, name string) error{"add-telling": addTelling, "add30": add30, "add-for-ever": addForEver, "die-at": dieAt, "work-for-ever": workForEver}

func as(role, dir, name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], dir, name)
	cmd.Env = append(os.Environ(), "INBOX_TEST_ROLE="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// say is turn n of a talk: of one speaker alone, or of both when n is even.
func say(name string, n int) page.Turn {
	if n%2 == 0 {
		name = "both"
	}
	return page.Turn{Role: "user", Speaker: name, At: noon.Add(time.Duration(n) * time.Second), Text: fmt.Sprintf("turn %d of %s%s.", n, name, strings.Repeat("x", n%7*1000))}
}

// add30 adds a talk turn by turn, each time with all before it.
func add30(dir, name string) error {
	ib, err := Open(dir)
	if err != nil {
		return err
	}
	defer ib.Close()
	s := Session{ID: "shared"}
	for n := range 30 {
		s.Turns = append(s.Turns, say(name, n))
		s.At = noon.AddDate(0, len(name), 0) // each thinks of another month
		if _, err := ib.Add(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func TestProcessesAddAtOnce(t *testing.T) {
	ib := opened(t)
	var wg sync.WaitGroup
	names := []string{"a", "bb", "ccc"}
	for _, name := range names {
		wg.Go(func() {
			if err := as("add30", ib.dir, name).Run(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, problems, err := ib.Read(ctx, "shared")
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v, %v", problems, err)
	}
	if want := 15 + 15*len(names); len(s.Turns) != want {
		t.Errorf("%d turns, want %d", len(s.Turns), want)
	}
	onlyOnce(t, s)
	for _, name := range names {
		for n := range 30 {
			wantTurn(t, s, say(name, n))
		}
	}
	if got, err := ib.List(ctx); err != nil || len(got) != 1 || got[0].Turns != len(s.Turns) || got[0].Problem != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func onlyOnce(t *testing.T, s Session) {
	t.Helper()
	seen := map[string]bool{}
	for _, turn := range s.Turns {
		if seen[turn.Text] {
			t.Errorf("%.40q stands twice", turn.Text)
		}
		seen[turn.Text] = true
	}
}

func wantTurn(t *testing.T, s Session, want page.Turn) {
	t.Helper()
	for _, turn := range s.Turns {
		if turn.Text == want.Text && turn.At.Equal(want.At) && turn.Speaker == want.Speaker {
			return
		}
	}
	t.Errorf("no turn %.40q", want.Text)
}

// addForEver adds turns to a session, each in a call of its own, and prints the
// number of each whose Add returned.
func addForEver(dir, from string) error {
	ib, err := Open(dir)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(from)
	if err != nil {
		return err
	}
	for ; ; n++ {
		id := fmt.Sprintf("s%d", n/20) // and now and then a new session
		if _, err := ib.Add(ctx, Session{ID: id, Turns: []page.Turn{say("one", n), say("two", n+1)}}); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

func TestAKilledProcessLosesNothingItAdded(t *testing.T) {
	ib := opened(t)
	rounds := 8
	if testing.Short() {
		rounds = 3
	}
	next, done := 0, map[int]bool{}
	for range rounds {
		cmd := as("add-for-ever", ib.dir, strconv.Itoa(next))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(40*time.Millisecond+rand.N(120*time.Millisecond), func() { cmd.Process.Kill() })
		for lines := bufio.NewScanner(out); lines.Scan(); {
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatal(err)
			}
			done[n], next = true, n // the next process says the last turn again
		}
		timer.Stop()
		cmd.Wait()
		check(t, ib, done)
	}
	if len(done) < rounds {
		t.Errorf("only %d turns were added", len(done))
	}
	// Everything said once more, by one who saw it all, adds only what is missing.
	for n := range next + 1 {
		added(t, ib, Session{ID: fmt.Sprintf("s%d", n/20), Turns: []page.Turn{say("one", n), say("two", n+1)}})
		done[n] = true
	}
	check(t, ib, done)
	// What those that were killed left behind goes with the next session that begins.
	added(t, ib, Session{ID: "last", Turns: []page.Turn{say("one", 0)}})
	if left, err := filepath.Glob(filepath.Join(ib.dir, ".txn", "*")); err != nil || len(left) != 1 || filepath.Base(left[0]) != ".gitignore" {
		t.Errorf("left in .txn: %q, %v", left, err)
	}
}

func check(t *testing.T, ib *Box, done map[int]bool) {
	t.Helper()
	sessions := map[string]Session{}
	for n := range done {
		id := fmt.Sprintf("s%d", n/20)
		if _, read := sessions[id]; !read {
			s, _, err := ib.Read(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			onlyOnce(t, s)
			sessions[id] = s
		}
		wantTurn(t, sessions[id], say("one", n))
		wantTurn(t, sessions[id], say("two", n+1))
	}
	if _, err := ib.List(ctx); err != nil {
		t.Error(err)
	}
}

// Whoever dies while it has the turn, or gives it on without having told the index,
// leaves word of it to all who come after, until one of them has.
func TestATurnThatWasNotToldIsHandedOn(t *testing.T) {
	ib := opened(t)
	for i, turn := range []struct{ behind, told bool }{{false, true}, {false, false}, {true, false}, {true, true}, {false, true}} {
		behind, over, err := ib.MyTurn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if behind != turn.behind {
			t.Errorf("turn %d is behind: %v, want %v", i, behind, turn.behind)
		}
		if err := over(turn.told); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(ib.dir, ".txn", "compile*")); err != nil || len(left) > 0 {
		t.Errorf("left in .txn: %q, %v", left, err)
	}
}
