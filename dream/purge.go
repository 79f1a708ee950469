package dream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"brain/page"
	"brain/store"
)

// Purge takes what a page said out of the list and of the log, before the page itself goes
// for good, and out of what the undo store holds of them: open pairs that name it go, and of verdicts on them the hashes stay, by which what was
// rejected stays rejected. It is the one thing that changes lines of the log. It returns the jobs that can no longer
// be undone for it.
//
// versions are the page as it is and was. A pair names it by a path that one of them had, unless
// another page stands there now, or says what one of them says: what was moved before the undo
// store began is known by its words alone.
func Purge(ctx context.Context, st *store.Store, p page.Path, versions ...*page.Page) (jobs []string, err error) {
	var gone *purged
	jobs, err = st.PurgeQuotes(ctx, "contradiction purge", func(tx *store.Tx) (err error) {
		if gone, err = purging(tx, p, versions); err != nil {
			return err
		}
		d, err := readDocket(tx.Read, tx.ReadOwn)
		if err != nil {
			return err
		}
		if len(d.remove(gone.pair)) > 0 || gone.quoted(string(ReviewFile), d.raw) {
			if _, err := d.write(tx); err != nil {
				return err
			}
		}
		if err := gone.fromKept(tx); err != nil {
			return err
		}
		return gone.fromLog(tx)
	}, func(file string, raw []byte) bool { return gone.quoted(file, raw) })
	if err != nil {
		err = fmt.Errorf("purge %s from the contradictions of brain %s: %w", p, st.Name(), err)
	}
	return jobs, err
}

// purged is what is to go: the paths of a page, and the words of what it said.
type purged struct {
	paths map[page.Path]bool
	says  map[string]bool // by page.ClaimKey
}

func purging(tx *store.Tx, p page.Path, versions []*page.Page) (*purged, error) {
	g := &purged{map[page.Path]bool{p: true}, map[string]bool{}}
	defer delete(g.says, "") // which is said by whatever has no words
	for _, v := range versions {
		for _, c := range page.Claims(v) {
			g.says[page.ClaimKey(c.Text)] = true
		}
		for _, f := range v.Facts {
			g.says[page.ClaimKey(f.Statement())] = true
		}
		for _, s := range v.Sentences() {
			g.says[page.ClaimKey(s)] = true
		}
		_, err := tx.Read(v.Path)
		switch {
		case errors.Is(err, store.ErrNotFound):
			g.paths[v.Path] = true
		case err != nil:
			return nil, err
		}
	}
	return g, nil
}

func (g *purged) pair(p Pair) bool { return g.side(p.A) || g.side(p.B) }

func (g *purged) side(s Side) bool { return g.paths[s.Path] || g.says[page.ClaimKey(s.Text)] }

// deed tells of one that undo has nothing to do for any more. That of the other page is how its
// claim comes back.
func (g *purged) deed(d Deed) bool { return g.side(Side{Path: d.Path, Text: d.Text}) }

// verdict reports one that quotes the page.
func (g *purged) verdict(v *Verdict) bool {
	return v.Of != nil && g.pair(*v.Of) || g.says[page.ClaimKey(v.A)] || g.says[page.ClaimKey(v.B)] || slices.ContainsFunc(v.Did, g.deed)
}

// named reports a text that holds one of the paths, as it is or as a link to it.
func (g *purged) named(s string) bool {
	for p := range g.paths {
		if strings.Contains(s, string(p)) || strings.Contains(s, (&url.URL{Path: string(p)}).EscapedPath()) {
			return true
		}
	}
	return false
}

// quoted reports whether a version of the log, or of a list, quotes the page.
func (g *purged) quoted(file string, raw []byte) bool {
	if store.OwnFile(file) != store.Verdicts {
		return g.named(string(raw)) || slices.ContainsFunc(append(readReviewFile(raw).pairs, readForeign(raw)...), g.pair)
	}
	for line := range bytes.Lines(raw) {
		var v Verdict
		if json.Unmarshal(line, &v) != nil && g.named(string(line)) || g.verdict(&v) {
			return true
		}
	}
	return false
}

// fromKept takes the lines that name the page out of the lists of other programs.
func (g *purged) fromKept(tx *store.Tx) error {
	for n := 1; n <= maxKept; n++ {
		f := store.ReviewOfOld(n)
		raw, err := tx.ReadOwn(f)
		if err != nil || raw == nil {
			return err
		}
		out := string(raw)
		for _, entry := range listEntries(out) {
			if g.named(entry) || slices.ContainsFunc(readForeign([]byte(entry)), g.pair) {
				out = strings.ReplaceAll(out, entry, "")
			}
		}
		if out == string(raw) {
			continue
		}
		if err := tx.WriteOwn(f, store.HashOf(raw), []byte(out)); err != nil {
			return err
		}
	}
	return nil
}

func (g *purged) fromLog(tx *store.Tx) error {
	raw, err := tx.ReadOwn(store.Verdicts)
	if err != nil || raw == nil {
		return err
	}
	var out bytes.Buffer
	for line := range bytes.Lines(raw) {
		var v Verdict
		if json.Unmarshal(line, &v) == nil && g.verdict(&v) {
			v = Verdict{Pair: v.Pair, Texts: v.Texts, Keep: v.Keep, At: v.At, By: v.By, Job: v.Job, Did: slices.DeleteFunc(v.Did, g.deed)}
			short, err := json.Marshal(v)
			if err != nil {
				return err
			}
			line = append(short, '\n')
		}
		out.Write(line)
	}
	if bytes.Equal(out.Bytes(), raw) {
		return nil
	}
	return tx.WriteOwn(store.Verdicts, store.HashOf(raw), out.Bytes())
}
