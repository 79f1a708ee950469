package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"brain/page"
)

// flights asks for the epoch and what is in flight.
func flights(t *testing.T, st *Store) (string, []page.Path) {
	t.Helper()
	epoch, flying, err := st.Epoch(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return epoch, flying
}

func TestListingTellsWhatIsInFlight(t *testing.T) {
	st, dir := newBrain(t, "a.md", "b.md", "中文/页.md")
	txn := filepath.Join(dir, ".txn")
	if err := os.MkdirAll(txn, 0o755); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, c := range []struct{ name, journal, last, want string }{
		{"nothing was ever written", "", "", "[]"},
		{"after a write", "", "one\n", "[]"},
		{"during the next", `{"id":"two","state":"prepared","files":[{"path":"b.md"},{"path":"中文/页.md"},{"path":"a.md","x":1},{"path":"b.md"},{"path":"forgotten.jsonl"}]}`, "one\n", "[a.md b.md 中文/页.md]"},
		{"over, journal still there", `{"id":"two","state":"committed","files":[{"path":"a.md"}]}`, "two\n", "[a.md]"},
		{"and gone", "", "two\n", "[]"},
		{"cut short", `{"id":"three","files":[{"pa`, "two\n", "[]string{\"\"}"},
		{"of nothing", `{}`, "two\n", "[]string{\"\"}"},
		{"without files", `{"id":"four","files":[]}`, "two\n", "[]string{\"\"}"},
	} {
		for name, text := range map[string]string{"JOURNAL": c.journal, "LAST": c.last} {
			name = filepath.Join(txn, name)
			if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if text != "" {
				put(t, name, text)
			}
		}
		l := list(t, st)
		got := fmt.Sprint(l.InFlight)
		if slices.Contains(l.InFlight, "") {
			got = fmt.Sprintf("%#v", []string{string(l.InFlight[0])})
		}
		if got != c.want || len(l.Files) != 3 {
			t.Errorf("%s: in flight %s, want %s; %d files", c.name, got, c.want, len(l.Files))
		}
		epoch, flying := flights(t, st)
		if epoch != l.Epoch || !slices.Equal(flying, l.InFlight) {
			t.Errorf("%s: %q %v, the listing says %q %v", c.name, epoch, flying, l.Epoch, l.InFlight)
		}
		if other := seen[epoch]; other != "" {
			t.Errorf("%s and %s have the same epoch %q", c.name, other, epoch)
		}
		seen[epoch] = c.name
	}
}

// What stands in place of the journal is neither followed nor waited for.
func TestOddJournals(t *testing.T) {
	st, dir := newBrain(t, "a.md")
	name := filepath.Join(dir, ".txn", "JOURNAL")
	if err := os.MkdirAll(name, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, flying := flights(t, st); !slices.Equal(flying, []page.Path{""}) {
		t.Errorf("a folder: %q in flight", flying)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "journal")
	put(t, outside, `{"id":"x","files":[{"path":"a.md"}]}`)
	if err := os.Symlink(outside, name); err != nil {
		t.Skip(err)
	}
	if _, flying := flights(t, st); !slices.Equal(flying, []page.Path{""}) {
		t.Errorf("a link out of the brain: %q in flight", flying)
	}
}

// A few paths are listed by the rules of the whole walk.
func TestListOfAFewPathsAgreesWithTheWalk(t *testing.T) {
	st, dir := newBrain(t, "a.md", "b.md", "x/c.md", "x/skip.md", "x/y/d.md", "other/e.md", "node_modules/f.md", ".git/g.md",
		"x/h.overview.md", "photo.png", "sessions/2024-05/s1/messages.jsonl", "loose/messages.jsonl", "中文/页.md")
	put(t, filepath.Join(dir, "x", ".brainignore"), "skip.md\n")
	put(t, filepath.Join(dir, "other", "brain.yml"), "name: other\n")
	if err := os.WriteFile(filepath.Join(dir, "big.md"), make([]byte, MaxFile+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.md", filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("x", filepath.Join(dir, "door")); err != nil {
		t.Fatal(err)
	}
	all := list(t, st)
	var asked []page.Path
	for _, p := range []string{"中文/页.md", "x/c.md", "a.md", "a.md", "gone.md", "x/gone/z.md", "x/skip.md", "x/y/d.md", "other/e.md", "node_modules/f.md",
		".git/g.md", "x/h.overview.md", "photo.png", "sessions/2024-05/s1/messages.jsonl", "loose/messages.jsonl", "big.md", "link.md", "door/c.md", "a.md/b.md", "b.md"} {
		asked = append(asked, page.Path(p))
	}
	few, err := st.ListOf(context.Background(), asked)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(few.Files, all.Files) || len(few.Files) != 6 || len(few.Unreadable) > 0 {
		t.Errorf("listed %q, the walk %q", paths(few), paths(all))
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if l, err := st.ListOf(context.Background(), asked); err == nil || !slices.Equal(l.Unreadable, []string{""}) {
		t.Errorf("without its folder: %+v, %v", l, err)
	}
}
