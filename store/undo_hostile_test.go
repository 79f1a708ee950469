package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An undo store may come with a clone or an archive: it must not make us touch
// a file that no update could.
func TestARecordThatNamesAFileElsewhereDeletesNothing(t *testing.T) {
	id := newJobID(time.Now())
	h := HashOf([]byte("n/a.md"))
	for name, change := range map[string]string{
		"climbs":     fmt.Sprintf(`{"path":"n/a.md","before":%q,"after":%q,"image":"../../../../victim.txt"}`, h, HashOf(nil)),
		"is folder":  fmt.Sprintf(`{"path":"n/a.md","before":%q,"after":%q,"image":".."}`, h, HashOf(nil)),
		"climbs out": fmt.Sprintf(`{"path":"../../victim.txt","before":%q,"after":%q,"image":"0"}`, h, HashOf(nil)),
		"a hash":     `{"path":"n/a.md","before":"../x","image":"0"}`,
		"nothing":    `{"path":"n/a.md"}`,
	} {
		st, _ := newBrain(t, "n/a.md")
		root := st.undo.root.Dir
		victim := filepath.Join(root, "victim.txt")
		put(t, victim, "mine")
		put(t, st.undo.record(id), fmt.Sprintf(`{"id":%q,"at":"2026-01-01T00:00:00Z","reason":"edit","changes":[%s]}`, id, change))
		if err := os.MkdirAll(st.undo.images(id), 0o700); err != nil {
			t.Fatal(err)
		}
		if j, err := st.undo.read(id); err == nil {
			t.Errorf("%s: read %+v", name, j)
		}
		if _, err := st.PurgePage(context.Background(), "n/a.md", h, time.Now()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !fileIs(victim, "mine") {
			t.Errorf("%s: a file outside was deleted", name)
		}
	}
}

// A folder of images that is a link leads nowhere.
func TestALinkInPlaceOfAJobsImagesIsNotFollowed(t *testing.T) {
	st, _ := newBrain(t)
	add(t, st, "a.md", "one sentence that is long enough to tell\n")
	rewrite(t, st, "a.md", "two\n")
	id := must(st.Jobs(1))[0].ID
	elsewhere := t.TempDir()
	put(t, filepath.Join(elsewhere, "0"), "mine")
	if err := os.RemoveAll(st.undo.images(id)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, st.undo.images(id)); err != nil {
		t.Skip(err)
	}
	if _, err := st.PurgePage(context.Background(), "a.md", HashOf([]byte("two\n")), time.Now()); err != nil {
		t.Log(err)
	}
	if !fileIs(filepath.Join(elsewhere, "0"), "mine") {
		t.Error("a file elsewhere was deleted")
	}
}
