package store

import (
	"bufio"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"brain/page"
)

func update(t *testing.T, st *Store, fn func(*Tx) error) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return st.Update(ctx, "test", fn)
}

// wantClean checks that no update left anything in .txn.
func wantClean(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, txnDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains([]string{"LOCK", ".gitignore", "LAST"}, e.Name()) {
			t.Errorf(".txn holds %s", e.Name())
		}
	}
}

func TestAddedFilesAppearTogetherAtTheEnd(t *testing.T) {
	st, dir := newBrain(t)
	err := update(t, st, func(tx *Tx) error {
		for _, p := range []page.Path{"a.md", "new/folder/b.md"} {
			if err := tx.Add(p, []byte("text of "+p)); err != nil {
				return err
			}
		}
		wantPaths(t, st)
		if raw, err := tx.Read("new/folder/b.md"); err != nil || string(raw) != "text of new/folder/b.md" {
			t.Errorf("read inside: %q, %v", raw, err)
		}
		for p, want := range map[page.Path]bool{"a.md": true, "c.md": false, "none/c.md": false} {
			if got, err := tx.Exists(p); err != nil || got != want {
				t.Errorf("exists %s: %v, %v", p, got, err)
			}
		}
		if want := []page.Path{"a.md", "new/folder/b.md"}; !slices.Equal(tx.Written(), want) {
			t.Errorf("written %q", tx.Written())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantPaths(t, st, "a.md", "new/folder/b.md")
	raw, err := st.Read(context.Background(), "new/folder/b.md")
	if err != nil || string(raw) != "text of new/folder/b.md" {
		t.Errorf("read: %q, %v", raw, err)
	}
	fi, err := os.Stat(filepath.Join(dir, "a.md"))
	if err != nil || fi.Mode().Perm()&0o600 != 0o600 || fi.Mode().Perm()&0o111 != 0 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	wantClean(t, dir)
}

func TestNothingStaysAfterAnErrorOrAPanic(t *testing.T) {
	st, dir := newBrain(t, "there.md")
	boom := errors.New("boom")
	for name, fail := range map[string]func(*Tx) error{
		"error":  func(*Tx) error { return boom },
		"panic":  func(*Tx) error { panic(boom) },
		"exists": func(tx *Tx) error { return tx.Add("there.md", nil) },
		"late": func(tx *Tx) error { // somebody else takes the last name meanwhile
			write(t, dir, "z/late.md")
			return nil
		},
		"file for a folder": func(tx *Tx) error { return tx.Add("z/late.md/x.md", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			err := func() (err error) {
				defer func() {
					if p := recover(); p != nil {
						err = p.(error)
					}
				}()
				return update(t, st, func(tx *Tx) error {
					for _, p := range []page.Path{"a.md", "new/b.md", "z/late.md"} {
						if err := tx.Add(p, []byte("x")); err != nil {
							return err
						}
					}
					return fail(tx)
				})
			}()
			if err == nil {
				t.Error("no error")
			}
			wantClean(t, dir)
			if name == "late" {
				wantErr(t, err, ErrExists)
				if raw, _ := os.ReadFile(filepath.Join(dir, "z/late.md")); string(raw) != "z/late.md" {
					t.Errorf("the other's file now holds %q", raw)
				}
				if err := os.RemoveAll(filepath.Join(dir, "z")); err != nil {
					t.Fatal(err)
				}
			}
			wantPaths(t, st, "there.md")
			if _, err := os.Lstat(filepath.Join(dir, "new")); !errors.Is(err, fs.ErrNotExist) {
				t.Error("an empty folder stayed")
			}
		})
	}
	if err := update(t, st, func(tx *Tx) error { return tx.Add("a.md", nil) }); err != nil {
		t.Errorf("the lock was not given back: %v", err)
	}
}

func TestATransactionThatIsOverWritesNothing(t *testing.T) {
	st, _ := newBrain(t)
	var kept *Tx
	if err := update(t, st, func(tx *Tx) error { kept = tx; return nil }); err != nil {
		t.Fatal(err)
	}
	wantErr(t, kept.Add("a.md", nil), ErrTxDone)
	wantPaths(t, st)
}

func TestAddRefusesATwin(t *testing.T) {
	st, _ := newBrain(t, "tasks/Buy groceries.md", "caf\u00e9.md", "People/john.md")
	for p, existing := range map[page.Path]page.Path{
		"tasks/buy groceries.md": "tasks/Buy groceries.md",
		"cafe\u0301.md":          "caf\u00e9.md",
		"people/jane.md":         "People/jane.md",
		"new/A.md":               "new/a.md",
	} {
		err := update(t, st, func(tx *Tx) error {
			if err := tx.Add("new/a.md", nil); err != nil {
				return err
			}
			return tx.Add(p, nil)
		})
		var twin *TwinError
		if !errors.As(err, &twin) || twin.Existing != existing {
			t.Errorf("add %q: %v, want a twin of %q", p, err, existing)
		}
	}
	wantPaths(t, st, "People/john.md", "caf\u00e9.md", "tasks/Buy groceries.md")
}

func TestAddNewTakesTheNextFreeName(t *testing.T) {
	st, dir := newBrain(t, "notes/x.md", "notes/X-2.md")
	var got []page.Path
	err := update(t, st, func(tx *Tx) error {
		for range 3 {
			p, err := tx.AddNew("notes/x.md", nil)
			if err != nil {
				return err
			}
			got = append(got, p)
		}
		return nil
	})
	if want := []page.Path{"notes/x-3.md", "notes/x-4.md", "notes/x-5.md"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	write(t, dir, "y.md")
	for n := 2; n < maxSuffix; n++ {
		write(t, dir, fmt.Sprintf("y-%d.md", n))
	}
	for n := range 2 {
		err := update(t, st, func(tx *Tx) error { _, err := tx.AddNew("y.md", nil); return err })
		if n == 0 && err != nil || n == 1 && !errors.Is(err, ErrExists) {
			t.Errorf("the last name but %d: %v", 1-n, err)
		}
	}
	err = update(t, st, func(tx *Tx) error { return tx.Add("big.md", make([]byte, MaxFile+1)) })
	wantErr(t, err, ErrTooLarge)
}

func TestTwoProcessesAdd20EachAndNoneIsLost(t *testing.T) {
	st, dir := newBrain(t)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			if out, err := as(t, "add20", rootOf(st), fmt.Sprint("STORE_TEST_ID=", i)).Output(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	// each took the names of its own, and ten both wanted
	if l := list(t, st); len(l.Files) != 40 {
		t.Errorf("%d files: %q", len(l.Files), paths(l))
	}
	wantClean(t, dir)
}

func add20(root string) error {
	st, err := openDefault(root)
	if err != nil {
		return err
	}
	for i := range 20 {
		p := page.Path(fmt.Sprintf("facts/%s-%d.md", os.Getenv("STORE_TEST_ID"), i))
		if i%2 == 0 {
			p = "facts/shared.md"
		}
		if err := st.Update(context.Background(), "add", func(tx *Tx) error {
			_, err := tx.AddNew(p, []byte("a fact"))
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// hangInTx writes a page, says so, and never comes to its end.
func hangInTx(root string) error {
	st, err := openDefault(root)
	if err != nil {
		return err
	}
	return st.Update(context.Background(), "hang", func(tx *Tx) error {
		if err := tx.Add("half.md", []byte("half")); err != nil {
			return err
		}
		fmt.Println("inside")
		time.Sleep(time.Hour)
		return nil
	})
}

func TestALiveHolderIsNamedAndADeadOneReplacedAtOnce(t *testing.T) {
	st, dir := newBrain(t)
	cmd := as(t, "hang-in-tx", rootOf(st))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "inside\n" {
		t.Fatalf("%q, %v", line, err)
	}
	var told []Holder
	st.OnWait = func(h Holder) { told = append(told, h) }
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	err = st.Update(ctx, "second", func(*Tx) error { t.Error("both are inside"); return nil })
	var busy *BusyError
	if !errors.As(err, &busy) || busy.Holder.PID != cmd.Process.Pid || busy.Holder.Reason != "hang" ||
		!strings.Contains(err.Error(), fmt.Sprint(cmd.Process.Pid)) {
		t.Errorf("error %v", err)
	}
	if len(told) != 1 || told[0].PID != cmd.Process.Pid {
		t.Errorf("told while waiting: %v", told)
	}
	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	err = st.Update(ctx, "third", func(*Tx) error { return nil })
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrBusy) {
		t.Errorf("an interrupt gives %v", err)
	}

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	var swept []string
	st.OnNote = func(line string) { swept = append(swept, line) }
	began := time.Now()
	if err := update(t, st, func(tx *Tx) error { return tx.Add("whole.md", nil) }); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the dead one's lock was free after %v", took)
	}
	if len(swept) != 1 {
		t.Errorf("swept %q", swept)
	}
	wantPaths(t, st, "whole.md")
	wantClean(t, dir)
}

func TestOnlyTheWaitForAnotherWriterIsBounded(t *testing.T) {
	a, _ := newBrain(t)
	b := reopen(t, a.undo.root.Dir, nil)
	defer b.Close()
	a.MaxWait, b.MaxWait = time.Nanosecond, time.Millisecond
	err := a.Update(t.Context(), "long", func(tx *Tx) error {
		err := b.Update(t.Context(), "other", func(*Tx) error { return nil }) // longer than a may wait
		if busy := new(BusyError); !errors.As(err, &busy) || busy.Holder.Reason != "long" {
			t.Errorf("%v", err)
		}
		return tx.Add("a.md", nil)
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAKilledWriterLeavesNoHalfPage(t *testing.T) {
	st, dir := newBrain(t)
	for range 6 {
		cmd := as(t, "add-for-ever", rootOf(st))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30*time.Millisecond + time.Duration(rand.IntN(30))*time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		for _, f := range list(t, st).Files {
			if f.Size != longPage {
				t.Errorf("%s has %d bytes of %d", f.Path, f.Size, longPage)
			}
		}
	}
	if err := update(t, st, func(tx *Tx) error { return tx.Add("last.md", nil) }); err != nil {
		t.Error(err)
	}
	wantClean(t, dir)
}

const longPage = 200_000

func addForEver(root string) error {
	st, err := openDefault(root)
	if err != nil {
		return err
	}
	for {
		err := st.Update(context.Background(), "add", func(tx *Tx) error {
			return tx.Add(page.Path("x/"+crand.Text()+".md"), make([]byte, longPage))
		})
		if err != nil {
			return err
		}
	}
}

func TestGoroutinesTakeTurns(t *testing.T) {
	st, _ := newBrain(t)
	var wg sync.WaitGroup
	var inside, most atomic.Int32
	for i := range 8 {
		wg.Go(func() {
			err := update(t, st, func(tx *Tx) error {
				most.Store(max(most.Load(), inside.Add(1)))
				defer inside.Add(-1)
				_, err := tx.AddNew("n.md", fmt.Append(nil, i))
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if l := list(t, st); len(l.Files) != 8 || most.Load() != 1 {
		t.Errorf("%d files, %d inside at once", len(l.Files), most.Load())
	}
}

func TestALockFileRemovedByHandLocksNobodyOut(t *testing.T) {
	st, dir := newBrain(t)
	err := update(t, st, func(tx *Tx) error { return os.Remove(filepath.Join(dir, lockName)) })
	if err != nil {
		t.Error(err)
	}
	if err := update(t, st, func(tx *Tx) error { return tx.Add("a.md", nil) }); err != nil {
		t.Error(err)
	}
}

func TestALinkInPlaceOfTxnIsRefused(t *testing.T) {
	st, dir := newBrain(t)
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(dir, txnDir)); err != nil {
		t.Skip("no symlinks here: ", err)
	}
	if err := update(t, st, func(tx *Tx) error { return tx.Add("a.md", nil) }); err == nil {
		t.Error("wrote through the link")
	}
	if got, _ := os.ReadDir(elsewhere); len(got) > 0 {
		t.Errorf("elsewhere holds %v", got)
	}
}

func TestATreeWithoutWriteRightsNamesPathAndCause(t *testing.T) {
	st, dir := newBrain(t, "shut/a.md")
	chmod(t, 0o555, dir) // also for who owns it
	if out, err := unprivileged(t, "update-denied", rootOf(st)); err != nil || !strings.Contains(out, txnDir) {
		t.Errorf("brain not writable: %q, %v", out, err)
	}
	chmod(t, 0o777, dir)
	chmod(t, 0o555, filepath.Join(dir, "shut"))
	if out, err := unprivileged(t, "update-denied", rootOf(st)); err != nil || !strings.Contains(out, "shut/b.md: ") {
		t.Errorf("folder not writable: %q, %v", out, err)
	}
	wantPaths(t, st, "shut/a.md")
	wantClean(t, dir)
}

func updateDenied(root string) error {
	st, err := openDefault(root)
	if err != nil {
		return err
	}
	err = st.Update(context.Background(), "add", func(tx *Tx) error {
		return errors.Join(tx.Add("open.md", []byte("x")), tx.Add("shut/b.md", []byte("x")))
	})
	if !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("want a permission error, got %w", err)
	}
	fmt.Println(err)
	return nil
}

func TestAFullDiskLeavesNothingBehind(t *testing.T) {
	small := t.TempDir()
	mountSmall(t, small)
	rep, err := Init(small, InitOptions{Brain: "default"})
	if err != nil {
		t.Fatal(err)
	}
	st := open(t, rep.Root.Dir)
	err = update(t, st, func(tx *Tx) error {
		if err := tx.Add("a.md", []byte("small")); err != nil {
			return err
		}
		return tx.Add("notes/big.md", make([]byte, 1<<20))
	})
	if !isNoSpace(err) || !strings.Contains(err.Error(), "notes/big.md") {
		t.Errorf("error %v", err)
	}
	wantPaths(t, st)
	wantClean(t, rep.Dir)
	if err := update(t, st, func(tx *Tx) error { return tx.Add("a.md", []byte("small")) }); err != nil {
		t.Errorf("afterwards: %v", err)
	}

	// A brain that found no room is not there at all.
	fill, err := os.Create(filepath.Join(small, "fill"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = fill.Write(make([]byte, 4096))
	}
	fill.Close()
	if _, err := Init(small, InitOptions{Brain: "second"}); !isNoSpace(err) {
		t.Errorf("init on a full disk: %v", err)
	}
	if brains, err := rep.Root.Brains(); err != nil || !slices.Equal(brains, []string{"default"}) {
		t.Errorf("brains %q, %v", brains, err)
	}
}

func byLink(root *os.Root, from, to string) error { return disk{Root: root}.moveNewByLink(from, to) }

func TestMoveNewByLinkNeverReplaces(t *testing.T) {
	_, dir := newBrain(t, "a.md", "b.md")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, move := range map[string]func(*os.Root, string, string) error{"moveNew": moveNew, "byLink": byLink} {
		if err := move(root, "a.md", "b.md"); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s over a file: %v", name, err)
		}
		if err := move(root, "a.md", name+".md"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if raw, err := root.ReadFile(name + ".md"); err != nil || string(raw) != "a.md" {
			t.Errorf("%s: %q, %v", name, raw, err)
		}
		if _, err := root.Lstat("a.md"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s left the first name: %v", name, err)
		}
		put(t, filepath.Join(dir, "a.md"), "a.md")
	}
}
