package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"brain/store"
)

// Migrated is what taking a user over came to.
type Migrated struct {
	Facts     int       // that got a file, or would
	Present   int       // that are there, with the same meaning
	Skipped   []Skipped // that were purged from the brain
	Summaries bool      // whether memory.json was written, or would be
	Job       string    // "" when nothing was
}

// Changes reports whether there was anything to do.
func (m *Migrated) Changes() bool { return m.Facts > 0 || m.Summaries }

// Plan is what Into would do in a brain that is new.
func (u *User) Plan() *Migrated { return &Migrated{Facts: len(u.facts), Summaries: u.summaries != nil} }

// Into writes a user's memory into a brain, in one update, and reads back what it wrote;
// dry only tries. Facts that are there with the same meaning stay as they are, and so do
// summaries; where the brain says another thing, nothing is written: ErrLegacy. Once
// more it does nothing.
func (u *User) Into(ctx context.Context, st *store.Store, dry bool) (*Migrated, error) {
	m, err := u.into(ctx, st, dry)
	if err != nil {
		return nil, fmt.Errorf("migrate user %q into brain %s: %w", u.Bucket, st.Name(), err)
	}
	return m, nil
}

func (u *User) into(ctx context.Context, st *store.Store, dry bool) (*Migrated, error) {
	var m *Migrated
	var written []sourceFact
	var receipt *store.Receipt
	err := st.Update(ctx, "migrate deermem", func(tx *store.Tx) (err error) {
		m, receipt = &Migrated{}, tx.Receipt()
		if written, err = u.stageFacts(ctx, st, tx, m); err == nil {
			err = u.stageSummaries(tx, m)
		}
		if err == nil && dry {
			err = errDry
		}
		return err
	})
	if dry && errors.Is(err, errDry) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	m.Job = receipt.Job
	return m, u.verify(ctx, st, m, written)
}

func (u *User) stageFacts(ctx context.Context, st *store.Store, tx *store.Tx, m *Migrated) (written []sourceFact, err error) {
	gone, err := st.Forgotten(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range u.facts {
		raw, err := tx.Read(s.path)
		switch {
		case err == nil:
			if err := s.isThere(raw); err != nil {
				return nil, err
			}
			m.Present++
		case !errors.Is(err, store.ErrNotFound):
			return nil, err
		case gone.Text(s.fact.Content):
			m.Skipped = append(m.Skipped, Skipped{ID: s.fact.ID, Reason: SkippedForgotten})
		default:
			if err := tx.Add(s.path, s.raw); err != nil {
				return nil, err
			}
			m.Facts++
			written = append(written, s)
		}
	}
	return written, nil
}

// isThere demands that what the brain has of a fact means the same.
func (s *sourceFact) isThere(raw []byte) error {
	if bytes.Equal(raw, s.raw) {
		return nil
	}
	have, _, err := ParseFact(s.path, raw)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", s.path, ErrCorrupt, err)
	}
	if !have.means(&s.fact) {
		return fmt.Errorf("%w: %s says another thing in the brain", ErrLegacy, s.path)
	}
	return nil
}

func (u *User) stageSummaries(tx *store.Tx, m *Migrated) error {
	raw, err := tx.ReadOwn(store.Summaries)
	if err != nil || u.summaries == nil {
		return err
	}
	if raw == nil {
		m.Summaries = true
		return tx.WriteOwn(store.Summaries, "", u.summaries)
	}
	ours, err := parseManifest(raw)
	if err != nil {
		return err
	}
	if ours.isOld() {
		return fmt.Errorf("memory.json: %w: it is of before version 2 in the brain as well: migrate the brain first, --from its folder", ErrUnsupported)
	}
	theirs, err := parseManifest(u.summaries)
	if err == nil {
		m.Summaries, err = ours.gain("the user's memory.json", theirs)
	}
	m.Summaries = u.claim(ours) || m.Summaries
	if err != nil || !m.Summaries {
		return err
	}
	return tx.WriteOwn(store.Summaries, store.HashOf(raw), ours.bytes())
}

// verify reads back what was written.
func (u *User) verify(ctx context.Context, st *store.Store, m *Migrated, written []sourceFact) error {
	for _, s := range written {
		raw, err := st.Read(ctx, s.path)
		if err != nil {
			return fmt.Errorf("read back: %w", err)
		}
		if !bytes.Equal(raw, s.raw) {
			return damage("%s was written and reads otherwise", s.path)
		}
	}
	if !m.Summaries {
		return nil
	}
	raw, err := st.ReadOwn(ctx, store.Summaries)
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	have, err := parseManifest(raw)
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	want, err := parseManifest(u.summaries)
	if err != nil {
		return err
	}
	if changed, err := have.gain("what was written", want); changed || err != nil {
		return damage("memory.json was written and reads otherwise")
	}
	return nil
}
