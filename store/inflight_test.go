package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func inFlight(t *testing.T, st *Store) InFlight {
	t.Helper()
	f, err := st.InFlight()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestInFlightTellsTheLivingFromTheDead(t *testing.T) {
	st, dir := newBrain(t, "a.md")
	if f := inFlight(t, st); f.Writer != nil || f.Left != nil || f.Cut() {
		t.Errorf("a brain that was never written: %+v", f)
	}
	if _, err := os.Lstat(filepath.Join(dir, txnDir)); err == nil {
		t.Error("looking made .txn")
	}
	err := st.Update(context.Background(), "测试", func(tx *Tx) error {
		if err := tx.Add("b.md", []byte("b")); err != nil {
			return err
		}
		f := inFlight(t, st)
		if f.Writer == nil || f.Writer.PID != os.Getpid() || f.Writer.Reason != "测试" || len(f.Temps) != 1 || f.Cut() {
			t.Errorf("while it is written: %+v", f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if f := inFlight(t, st); f.Writer != nil || f.Left != nil || f.Cut() {
		t.Errorf("after the write: %+v", f)
	}
	write(t, dir, ".txn/tmp-x")
	put(t, filepath.Join(dir, holderName), `{"pid":4242,"host":"h","reason":"add"}`)
	put(t, filepath.Join(dir, journalName), "{")
	if f := inFlight(t, st); f.Writer != nil || f.Left == nil || f.Left.PID != 4242 || !f.Journal || len(f.Temps) != 1 || !f.Cut() || !errors.Is(f.Damaged, ErrDamaged) {
		t.Errorf("after a death: %+v", f)
	}
}
