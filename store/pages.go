package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"brain/page"
)

// What is done to a page as a whole. Each is one update, so that it happens
// entirely or not at all, and one job, so that it can be undone.

// Edit is a change of one page.
type Edit struct {
	Reason string
	Path   page.Path
	If     Hash      // what the page must be; "" is whatever it is
	Now    time.Time // the date of the change, for a page that keeps dates
	// Changes are asked for with the page as it is under the lock.
	Changes func(*page.Page) ([]page.Change, error)
	// Check, when set, may refuse what comes out.
	Check func(old, new *page.Page) error
}

// Edited says what an edit came to.
type Edited struct {
	Receipt
	Hash    Hash // of the page as it is now
	Changed bool
}

// EditPage changes lines of a page, and with them its date and a fact's revision
// (see page.Page.Renewed); all others stay as they are, byte for byte. Changes
// that change nothing are no job.
func (st *Store) EditPage(ctx context.Context, e Edit) (Edited, error) {
	var out Edited
	var done *Receipt
	err := st.Update(ctx, e.Reason, func(tx *Tx) error {
		done = tx.Receipt()
		raw, err := tx.Read(e.Path)
		if err != nil {
			return err
		}
		out = Edited{Hash: HashOf(raw)}
		if e.If != "" && e.If != out.Hash {
			return fmt.Errorf("edit %w", &ConflictError{Path: string(e.Path), Want: e.If, Have: out.Hash})
		}
		next, err := tx.edit(e, raw)
		if err != nil || bytes.Equal(next, raw) {
			return err
		}
		out = Edited{Hash: HashOf(next), Changed: true}
		return tx.Replace(e.Path, HashOf(raw), next)
	})
	if err == nil {
		out.Receipt = *done
	}
	return out, err
}

func (tx *Tx) edit(e Edit, raw []byte) ([]byte, error) {
	old := page.Parse(e.Path, raw)
	changes, err := e.Changes(old)
	if err != nil {
		return nil, err
	}
	next, err := page.Splice(e.Path, raw, changes...)
	if err == nil && !bytes.Equal(next, raw) {
		next, err = page.Splice(e.Path, next, old.Renewed(e.Now)...)
	}
	if err != nil {
		return nil, fmt.Errorf("edit %s: %w", e.Path, err)
	}
	if e.Check != nil {
		err = e.Check(old, page.Parse(e.Path, next))
	}
	return next, err
}

// LinkKey is how a link is written; a redirect counts as one of the front matter.
// Within one page links of one key lead to the same page.
type LinkKey struct {
	Kind   page.LinkKind
	Target string
}

// Leads tells, for each page with links that a move concerns, where they lead:
// of the page that moves all, of the others those that lead to it.
type Leads map[page.Path]map[LinkKey]page.Path

// Moved says what a move came to.
type Moved struct {
	Receipt
	Relinked []page.Path // pages whose links were rewritten, in order
}

// MovePage gives a page another path and rewrites the links that would break:
// those of other pages to it, redirects too, and its own that are relative, to
// pages and to other files. Its permissions stay.
// Labels, headings and the form of a link stay. Titles and aliases need no
// rewriting.
func (st *Store) MovePage(ctx context.Context, m page.Move, leads Leads) (Moved, error) {
	var out Moved
	var done *Receipt
	err := st.Update(ctx, "move", func(tx *Tx) error {
		done = tx.Receipt()
		raw, err := tx.Read(m.From)
		if err != nil {
			return err
		}
		moved, err := relink(m, m.From, raw, leads[m.From])
		if err != nil {
			return err
		}
		if moved, err = m.RefileMoved(moved, tx.isFile); err != nil {
			return err
		}
		if p := page.Parse(m.From, raw); slices.Contains(p.Keys, "path") {
			if moved, err = page.Splice(m.From, moved, page.SetText("path", string(m.To))); err != nil {
				return err
			}
		}
		if err := tx.Remove(m.From, HashOf(raw)); err != nil {
			return err
		}
		if err := tx.addLike(m.From, m.To, moved); err != nil {
			return err
		}
		out.Relinked, err = tx.relinkOthers(m, leads)
		return err
	})
	if err == nil {
		out.Receipt = *done
	}
	return out, err
}

// isFile reports whether a regular file lies at a path within the brain.
func (tx *Tx) isFile(name string) bool {
	fi, err := tx.root.Lstat(name)
	return err == nil && fi.Mode().IsRegular()
}

// addLike adds a page with the permissions of another.
func (tx *Tx) addLike(like, p page.Path, content []byte) error {
	if err := tx.Add(p, content); err != nil {
		return err
	}
	fi, err := tx.root.Lstat(string(like))
	if err != nil {
		return err
	}
	return tx.root.Chmod(tx.at[string(p)].Temp, fi.Mode().Perm())
}

func (tx *Tx) relinkOthers(m page.Move, leads Leads) (changed []page.Path, err error) {
	for _, p := range slices.Sorted(maps.Keys(leads)) {
		if p == m.From {
			continue
		}
		raw, err := tx.Read(p)
		if errors.Is(err, ErrNotFound) {
			continue // deleted since it was looked at
		}
		if err != nil {
			return nil, err
		}
		next, err := relink(m, p, raw, leads[p])
		if err == nil {
			next, err = redirect(m, p, next, leads[p])
		}
		if err != nil {
			return nil, err
		}
		if bytes.Equal(next, raw) {
			continue
		}
		if err := tx.Replace(p, HashOf(raw), next); err != nil {
			return nil, err
		}
		changed = append(changed, p)
	}
	return changed, nil
}

func relink(m page.Move, on page.Path, raw []byte, leads map[LinkKey]page.Path) ([]byte, error) {
	if len(leads) == 0 {
		return raw, nil
	}
	out, err := page.Relink(on, raw, func(l page.Link) (string, bool) {
		to, ok := leads[LinkKey{l.Kind, l.Target}]
		if !ok {
			return "", false
		}
		return m.Retarget(on, l, to)
	})
	if err != nil {
		return nil, fmt.Errorf("rewrite the links of %s: %w", on, err)
	}
	return out, nil
}

// redirect leads a stub's redirect where its links go.
func redirect(m page.Move, on page.Path, raw []byte, leads map[LinkKey]page.Path) ([]byte, error) {
	l := page.Link{Kind: page.FrontMatter, Target: page.Parse(on, raw).Redirect}
	to, ok := leads[LinkKey{l.Kind, l.Target}]
	if !ok || l.Target == "" {
		return raw, nil
	}
	target, change := m.Retarget(on, l, to)
	if !change {
		return raw, nil
	}
	out, err := page.Splice(on, raw, page.SetText("redirect", target))
	if err != nil {
		return nil, fmt.Errorf("lead %s to %s: %w", on, m.To, err)
	}
	return out, nil
}
