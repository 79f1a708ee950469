package store

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"brain/page"
)

// A name that the file system does not take must not stop the writes after it.

func TestANameTooLongIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	st, dir := newBrain(t, "n/s.md")
	for _, p := range []page.Path{
		page.Path("n/" + strings.Repeat("x", 300) + ".md"),
		page.Path("n/" + strings.Repeat("鹭", 85) + ".md"), // 258 bytes
		page.Path(strings.Repeat("x", 256) + "/a.md"),
	} {
		err := update(t, st, func(tx *Tx) error {
			return errors.Join(tx.Remove("n/s.md", HashOf([]byte("n/s.md"))), tx.Add(p, []byte("n/s.md")))
		})
		wantErr(t, err, ErrNotPage)
	}
	longest := page.Path(strings.Repeat("鹭", 84) + ".md") // 255 bytes
	if err := update(t, st, func(tx *Tx) error { return tx.Add(longest, nil) }); err != nil {
		t.Error(err)
	}
	wantClean(t, dir)
	wantPaths(t, st, "n/s.md", string(longest))
}

func TestANameThatTheFileSystemRefusesStopsNoWriteAfterIt(t *testing.T) {
	for _, cause := range []error{syscall.EINVAL, syscall.EILSEQ, syscall.ENAMETOOLONG} {
		st, dir := newBrain(t, "n/s.md", "n/edit.md")
		st.steps = func(op, name string) error {
			if strings.HasSuffix(name, "refused.md") {
				return &os.LinkError{Op: op, New: name, Err: cause}
			}
			return nil
		}
		err := update(t, st, func(tx *Tx) error {
			return errors.Join(
				tx.Replace("n/edit.md", HashOf([]byte("n/edit.md")), []byte("edited")),
				tx.Remove("n/s.md", HashOf([]byte("n/s.md"))), tx.Add("n/refused.md", []byte("n/s.md")))
		})
		wantErr(t, err, cause)
		if errors.Is(err, errStuck) {
			t.Error(err)
		}
		if err := update(t, st, func(tx *Tx) error { return tx.Add("next.md", nil) }); err != nil {
			t.Error(err)
		}
		wantClean(t, dir)
		wantPaths(t, st, "n/edit.md", "n/s.md", "next.md")
	}
}

// What a writer that died after its journal leaves, with names that no file
// system takes.
func TestAJournalWithANameThatIsRefusedIsTakenBack(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, name := range []string{"n/" + long + ".md", long + "/a.md"} {
		for _, staged := range []bool{true, false} { // false: who took it back died, too
			st, dir := newBrain(t, "n/s.md")
			id := newJobID(time.Unix(1767225600, 0))
			temp := tempOf(id, "NEW")
			j := fmt.Sprintf(`{"id":%q,"at":"2026-01-01T00:00:00Z","reason":"move","state":"prepared","files":[
				{"path":%q,"after":%q,"temp":%q},{"path":"n/gone.md","after":%q,"temp":%q}]}`,
				id, name, HashOf([]byte("new")), temp, HashOf([]byte("gone")), tempOf(id, "GONE"))
			write(t, dir, ".txn/JOURNAL")
			put(t, dir+"/.txn/JOURNAL", j)
			if staged {
				put(t, dir+"/"+temp, "new")
			}
			if err := st.Recover(); err != nil {
				t.Error(err)
			}
			if err := update(t, st, func(tx *Tx) error { return tx.Add("next.md", nil) }); err != nil {
				t.Error(err)
			}
			wantClean(t, dir)
		}
	}
}

// A page that another program made with the bytes that were to be placed stays.
func TestARollbackTakesNoPageOfAnothersThatHasItsBytes(t *testing.T) {
	st, dir := newBrain(t, "b.md")
	st.steps = func(op, name string) error {
		if op == "move" && name == "a.md" {
			put(t, dir+"/a.md", "same")
		}
		return nil
	}
	err := update(t, st, func(tx *Tx) error {
		return errors.Join(tx.Replace("b.md", HashOf([]byte("b.md")), []byte("B")), tx.Add("a.md", []byte("same")))
	})
	wantErr(t, err, ErrExists)
	wantClean(t, dir)
	wantPaths(t, st, "a.md", "b.md")
}
