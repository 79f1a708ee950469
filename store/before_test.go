package store

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"
)

func TestBytesBeforeAJobAreHadAsLongAsTheyAreKept(t *testing.T) {
	st, _ := newBrain(t, "a.md", "b.md")
	err := st.Update(context.Background(), "test", func(tx *Tx) error {
		tx.Because("a.md", "nothing to say: it is not touched yet")
		return errors.Join(tx.Remove("a.md", HashOf([]byte("a.md"))), tx.Replace("b.md", HashOf([]byte("b.md")), []byte("new")), tx.Add("c.md", []byte("c")))
	})
	if err != nil {
		t.Fatal(err)
	}
	j := must(st.Jobs(1))[0]
	of := func(p string) Change {
		return j.Changes[slices.IndexFunc(j.Changes, func(c Change) bool { return c.Path == p })]
	}
	for p, want := range map[string]string{"a.md": "a.md", "b.md": "b.md"} {
		if raw, err := st.Before(j.ID, of(p)); err != nil || string(raw) != want {
			t.Errorf("of %s: %q, %v", p, raw, err)
		}
	}
	if _, err := st.Before(j.ID, of("c.md")); !errors.Is(err, ErrNotFound) {
		t.Errorf("of what was added: %v, want ErrNotFound", err)
	}
	elsewhere := of("a.md")
	elsewhere.Image = "../DIRTY"
	for _, c := range []Change{elsewhere, {Path: "a.md"}} {
		if _, err := st.Before(j.ID, c); !errors.Is(err, ErrNoJob) {
			t.Errorf("of %+v: %v, want ErrNoJob", c, err)
		}
	}
	if _, err := st.Before("../x", of("a.md")); !errors.Is(err, ErrNoJob) {
		t.Errorf("of no job: %v, want ErrNoJob", err)
	}
	for _, c := range j.Changes {
		if c.Why != "" {
			t.Errorf("%s was removed for %q", c.Path, c.Why)
		}
		if c.Path == "a.md" {
			if err := os.WriteFile(st.undo.image(j.ID, c.Image), []byte("other"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := st.Before(j.ID, of("a.md")); !errors.Is(err, ErrCannotUndo) {
		t.Errorf("of damaged bytes: %v, want ErrCannotUndo", err)
	}
	if _, err := st.PurgePage(context.Background(), "b.md", HashOf([]byte("new")), time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Before(j.ID, of("b.md")); !errors.Is(err, ErrCannotUndo) {
		t.Errorf("of what was purged: %v, want ErrCannotUndo", err)
	}
}

// A job may remove files for reasons of their own, and an undo of it still works.
func TestWhyAFileWasRemovedStandsInTheJob(t *testing.T) {
	st, _ := newBrain(t, "a.md", "b.md")
	err := st.Update(context.Background(), "test", func(tx *Tx) error {
		err := errors.Join(tx.Remove("a.md", HashOf([]byte("a.md"))), tx.Remove("b.md", HashOf([]byte("b.md"))))
		tx.Because("a.md", "capacity")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	j := must(st.Jobs(1))[0]
	for _, c := range j.Changes {
		if want := map[string]string{"a.md": "capacity"}[c.Path]; c.Why != want {
			t.Errorf("%s was removed for %q, want %q", c.Path, c.Why, want)
		}
	}
	if _, _, err := st.Undo(context.Background(), j.ID); err != nil {
		t.Errorf("undo: %v", err)
	}
}
