package dream

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"brain/page"
	"brain/store"
)

// A page may have another path by the time that its claim loses, or that a verdict on it is taken
// back:
//
//	moved by brain    the records of jobs tell where it is
//	moved by hand     it carries the mark of the verdict, and has the title or says the words that it had
//
// A mark alone tells nothing: another verdict may have made it, or a person on a page that says
// the same. Where a page is not known for certain, none is changed.

// follow is where the page that was at p after the job since is, as far as records tell. No
// move makes a page another agent's.
func follow(tx *store.Tx, p page.Path, since string) (page.Path, error) {
	to, err := tx.Moved(p, since)
	if err != nil || to.Agent() != p.Agent() {
		return p, err
	}
	return to, nil
}

// find is the page of a deed that the job since did. Where it is gone, files are looked
// through. others are what other verdicts did.
func (d Deed) find(tx *store.Tx, since string, files func() (page.Listing, error), others []Deed) (*page.Page, error) {
	at, err := follow(tx, d.Path, since)
	if err != nil {
		return nil, err
	}
	raw, err := tx.Read(at)
	if err == nil {
		return page.Parse(at, raw), nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	l, err := files()
	if err != nil {
		return nil, err
	}
	var found []*page.Page
	var doubtful []string
	for _, f := range l.Files {
		p, err := d.carried(tx, f.Path)
		switch taken := func(o Deed) bool { return o.Path == f.Path && o.Text == d.Text }; {
		case err != nil:
			return nil, err
		case p == nil || slices.ContainsFunc(others, taken):
		case d.Title != "" && p.Title == d.Title || d.Body != "" && page.WordHash(p.Body) == d.Body:
			found = append(found, p)
		default:
			doubtful = append(doubtful, string(p.Path))
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	for _, p := range found {
		doubtful = append(doubtful, string(p.Path))
	}
	err = fmt.Errorf("%q cannot return: %w: %s is gone", shortly(d.Text), ErrClaimGone, at)
	if len(doubtful) > 0 {
		err = fmt.Errorf("%w, and whether it is %s now nobody can tell: give it its path back, or edit it", err, strings.Join(doubtful, " or "))
	}
	return nil, err
}

// carried is a page if it belongs to whom the deed's did and carries its mark, else nil.
func (d Deed) carried(tx *store.Tx, at page.Path) (*page.Page, error) {
	if at.Agent() != d.Path.Agent() {
		return nil, nil
	}
	raw, err := tx.Read(at)
	if errors.Is(err, store.ErrNotFound) || err == nil && !bytes.Contains(raw, []byte(superseded)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := page.Parse(at, raw)
	if len(d.back(p, time.Time{})) == 0 || d.How == byPage && !says(p, d.Text) {
		return nil, nil
	}
	return p, nil
}
