package inbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"brain/page"
)

// Purged stands in place of a turn that was removed for good. It keeps the
// numbers of the turns after it, by which pages name them.
const Purged = "[purged]"

// extractedFile is what was made of the turns, beside them.
const (
	extractedFile = "extracted.json"
	extractedTemp = "extracted.new.json"
)

// Redact removes for good what was said in some turns of a session, numbered
// from 1; who spoke and when stays. It is the one case in which evidence is
// rewritten. What was extracted from the session goes with it: it may quote them; so
// do half lines, and the names of pages that are purged as well: a page's path says
// what it is about. It returns how many turns still had their text.
func (ib *Box) Redact(ctx context.Context, id string, turns []int, pages ...page.Path) (n int, err error) {
	err = ib.locked(ctx, id, func(p page.Path) error {
		n, err = ib.redact(p, turns, pages)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("purge turns of session %q: %w", id, err)
	}
	return n, nil
}

// Remove removes a session for good, with all that was made beside it.
func (ib *Box) Remove(ctx context.Context, id string) error {
	err := ib.locked(ctx, id, func(p page.Path) error {
		// Renamed first: half a session is never seen.
		temp := newFolder(id)
		if err := ib.removeAll(temp); err != nil {
			return err
		}
		if err := ib.rename(p.Dir(), temp); err != nil {
			return err
		}
		return errors.Join(ib.sync(path.Dir(p.Dir())), ib.removeAll(temp))
	})
	if err != nil {
		return fmt.Errorf("purge session %q: %w", id, err)
	}
	return nil
}

// RemoveRest finishes a Remove that was cut short: it removes what is left of a session
// that is in its place no more.
func (ib *Box) RemoveRest(ctx context.Context, id string) error {
	if !validID().MatchString(id) {
		return nil
	}
	if _, err := ib.root.Lstat(newFolder(id)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := ib.lock(ctx, lockFile(id))
	if err == nil {
		err = errors.Join(ib.removeAll(newFolder(id)), unlock())
	}
	if err != nil {
		return fmt.Errorf("purge what is left of session %q: %w", id, err)
	}
	return nil
}

func (ib *Box) removeAll(folder string) error {
	if err := ib.step("remove", folder); err != nil {
		return err
	}
	defer ib.full.Store(nil)
	return ib.root.RemoveAll(folder)
}

// locked runs fn on a session that is there while nobody adds to it.
func (ib *Box) locked(ctx context.Context, id string, fn func(page.Path) error) error {
	if _, err := ib.find(id); err != nil { // an id that makes a path, before the lock's file is made of it
		return err
	}
	unlock, err := ib.lock(ctx, lockFile(id))
	if err != nil {
		return err
	}
	p, err := ib.find(id)
	if err == nil {
		err = fn(p)
	}
	return errors.Join(err, unlock())
}

func (ib *Box) redact(p page.Path, turns []int, pages []page.Path) (int, error) {
	said, err := ib.evidence(p)
	if err != nil {
		return 0, err
	}
	m, lost := ib.meta(p, said)
	if errors.Is(lost, ErrNewer) {
		return 0, lost
	}
	content, n, err := redacted(said, turns)
	if err != nil {
		return 0, err
	}
	before := len(m.Pages)
	m.Pages = slices.DeleteFunc(m.Pages, func(made page.Path) bool { return slices.Contains(pages, made) })
	changed := len(m.Pages) < before
	if n > 0 && m.Writer != nil {
		m.State, m.Writer, changed = Pending, nil, true // what is being made of them is dropped: see Lease.Alive
	}
	// These first: should this end before the turns are rewritten, it is repeated.
	if changed {
		if err := ib.writeMeta(p.Dir(), m); err != nil {
			return 0, err
		}
	}
	for _, name := range []string{extractedFile, extractedTemp} {
		if err := ib.remove(path.Join(p.Dir(), name)); err != nil {
			return 0, err
		}
	}
	if n == 0 {
		return 0, nil
	}
	temp := path.Join(p.Dir(), "purge.new.json") // a name that no walk takes for a page
	if err := ib.replace(temp, string(p), content); err != nil {
		return 0, err
	}
	m.Bytes = int64(len(content))
	return n, ib.writeMeta(p.Dir(), m)
}

// redacted is the file of a session without the text of some turns, and how many
// had theirs. Lines that hold no turn go as well: one that was cut in half may be the
// beginning of what is purged, and its turn was added again behind it.
func redacted(said evidence, turns []int) (content []byte, n int, err error) {
	half, at := map[int]bool{}, map[int]int{} // by line
	for _, p := range said.Problems {
		half[p.Line] = p.Code == page.CodeBadTurn || half[p.Line]
	}
	for _, n := range turns {
		if n > 0 && n <= len(said.Turns) && said.Turns[n-1].Text != Purged {
			at[said.Turns[n-1].Line] = n
		}
	}
	var b bytes.Buffer
	line := 0
	for raw := range bytes.Lines(said.Raw) {
		line++
		switch {
		case half[line]:
		case at[line] > 0:
			t := said.Turns[at[line]-1]
			t.Text = Purged // keys that brain does not know may quote the text: they go as well
			raw, err := json.Marshal(t)
			if err != nil {
				return nil, 0, fmt.Errorf("turn %d: %w", at[line], err)
			}
			b.Write(append(raw, '\n'))
			n++
		default:
			b.Write(raw)
		}
	}
	return b.Bytes(), n, nil
}
