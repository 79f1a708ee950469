package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"brain/page"
)

// Tombstone is a line of forgotten.jsonl: what was purged, as hashes alone, so
// that nothing that compiles or imports writes it again.
type Tombstone struct {
	At    time.Time `json:"at"`
	Kind  string    `json:"kind"` // page or session
	Path  Hash      `json:"path"`
	Words []Hash    `json:"words"` // of the body, the title and each fact: see page.WordHash
}

func tombstone(p *page.Page, now time.Time) Tombstone {
	t := Tombstone{At: now.UTC().Truncate(time.Second), Kind: "page", Path: HashOf([]byte(p.Path))}
	texts := []string{p.Title, p.Body}
	for _, f := range p.Facts {
		texts = append(texts, f.Text)
	}
	if p.Path.IsSession() {
		t.Kind, texts = "session", nil
		for _, turn := range p.Turns {
			texts = append(texts, turn.Text)
		}
	}
	for _, s := range texts {
		if h := Hash(page.WordHash(s)); h != "" && !slices.Contains(t.Words, h) {
			t.Words = append(t.Words, h)
		}
	}
	return t
}

// Purged says what a purge came to besides the page.
type Purged struct {
	// Jobs stay for their other files and can no longer be undone.
	Jobs []string
}

// PurgePage removes a page for good: from the tree with its sidecar and what brain wrote of
// it into those of its folders, and from
// the undo store in all its versions and former places, and where merges copied
// its text. Only hashes stay, in forgotten.jsonl. It cannot be undone. Commits
// that hold it stay as well: history is never rewritten. An error that tells of
// the undo store leaves the page gone; PurgeTraces finishes then.
func (st *Store) PurgePage(ctx context.Context, p page.Path, was Hash, now time.Time) (Purged, error) {
	var done *Tx
	err := st.Update(ctx, "purge", func(tx *Tx) error {
		done = tx
		raw, err := tx.Read(p)
		if err != nil {
			return err
		}
		if err := tx.bury(page.Parse(p, raw), now); err != nil {
			return err
		}
		if err := tx.purge(string(p), was); err != nil {
			return err
		}
		sidecar := strings.TrimSuffix(string(p), path.Ext(string(p))) + ".overview.md"
		h, err := hashAt(tx.root.Root, sidecar)
		if err == nil && h != "" {
			err = tx.purge(sidecar, h)
		}
		return errors.Join(err, tx.purgeOverviews(p))
	})
	if err != nil {
		return Purged{}, fmt.Errorf("purge %s: %w", p, err)
	}
	st.forgetPurge(done.Job())
	found := done.log.purged
	if found.err != nil {
		return Purged{}, fmt.Errorf("purge %s from the undo store: %w", p, found.err)
	}
	slices.Sort(found.jobs)
	return Purged{Jobs: slices.Compact(found.jobs)}, nil
}

// purgeOverviews purges what brain wrote of the folders that a page is in: it quotes the
// page, and is made again of those that are left.
func (tx *Tx) purgeOverviews(p page.Path) error {
	for folder := p.Dir(); strings.HasPrefix(folder, "sources/"); folder = path.Dir(folder) {
		f := OverviewOf(folder)
		raw, err := tx.ReadOwn(f)
		if err == nil && raw != nil && page.Parse(page.Path(f), raw).Generated {
			err = tx.purge(string(f), HashOf(raw))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// BurySession writes the tombstone of a session that is about to be removed for
// good.
func (st *Store) BurySession(ctx context.Context, p *page.Page, now time.Time) error {
	var job string
	err := st.Update(ctx, "purge", func(tx *Tx) error {
		job = tx.Job()
		return tx.bury(p, now)
	})
	if err != nil {
		return fmt.Errorf("purge %s: %w", p.Path, err)
	}
	st.forgetPurge(job)
	return nil
}

// forgetPurge drops the record of a purge, which holds the path, unless the ledger
// needs it.
func (st *Store) forgetPurge(job string) {
	if waits, err := st.undo.isDirty(job); err == nil && !waits {
		st.forget(job)
	}
}

// PurgeTraces finishes a purge that was cut short: of a page that is gone from the
// tree it removes what the undo store still holds. A path of which neither the
// undo store nor forgotten.jsonl knows, or one whose page moved elsewhere, is
// ErrNotFound. Without do it only finds out.
func (st *Store) PurgeTraces(ctx context.Context, p page.Path, do bool) (out Purged, err error) {
	err = st.Update(ctx, "purge", func(tx *Tx) error {
		if there, err := tx.Exists(p); err != nil || there {
			return cmp.Or(err, ErrExists)
		}
		if err := tx.traces(p); err != nil || !do {
			return err
		}
		out.Jobs, err = st.purge(string(p), "", nil)
		return err
	})
	if err != nil {
		err = fmt.Errorf("purge what is left of %s: %w", p, err)
	}
	return out, err
}

// traces looks whether anything tells of a page that is gone.
func (tx *Tx) traces(p page.Path) error {
	jobs, err := tx.st.Jobs(0)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		for _, c := range j.Changes {
			if c.Path != string(p) {
				continue
			}
			to := pathAfter(j, p)
			if there, err := tx.Exists(to); err != nil || !there || to == p {
				return err
			}
			return fmt.Errorf("%w: it was moved to %s", ErrNotFound, to)
		}
	}
	raw, err := tx.ReadOwn(Forgotten)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(raw) {
		var t Tombstone
		if json.Unmarshal(line, &t) == nil && t.Path == HashOf([]byte(p)) {
			return nil
		}
	}
	return ErrNotFound
}

// pathAfter is the path that a job gave a page, else the same.
func pathAfter(j Job, p page.Path) page.Path {
	for _, c := range j.Changes {
		if c.Before == "" && c.Path != string(p) && movedFrom(j, c) == p {
			return page.Path(c.Path)
		}
	}
	return p
}

// Moved is where the page is that was at p after the job since, as far as jobs tell; "" is the
// last job that changed p. It may be gone from there by hand.
func (tx *Tx) Moved(p page.Path, since string) (page.Path, error) {
	jobs, err := tx.st.Jobs(0)
	if err != nil {
		return p, err
	}
	slices.Reverse(jobs)
	from := 0
	for i, j := range jobs {
		if since == "" && slices.ContainsFunc(j.Changes, func(c Change) bool { return c.Path == string(p) }) {
			from = i
		} else if since != "" && j.ID <= since {
			from = i + 1
		}
	}
	for _, j := range jobs[from:] {
		p = pathAfter(j, p)
	}
	return p, nil
}

func (tx *Tx) bury(p *page.Page, now time.Time) error {
	tx.Alone()
	tx.job.Purged = true
	line, err := json.Marshal(tombstone(p, now))
	if err != nil {
		return err
	}
	if err := tx.Append(Forgotten, line); err != nil {
		return err
	}
	tx.at[string(Forgotten)].Purge = true // the lines before are in it still
	return nil
}

// purge stages a removal whose bytes are not kept.
func (tx *Tx) purge(name string, was Hash) error {
	have, err := hashAt(tx.root.Root, name)
	if err != nil {
		return err
	}
	if have != was {
		return &ConflictError{Path: name, Want: was, Have: have}
	}
	if err := tx.drop(page.Path(name), was); err != nil {
		return err
	}
	tx.at[name].Purge = true
	return nil
}
