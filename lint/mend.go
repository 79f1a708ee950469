package lint

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"brain/page"
	"brain/store"
)

// Mending. What a page needs was worked out when it was read; inside the
// transaction the page is read again, and mended as it is then. Pages are
// written in batches, each whole or not at all, so that nobody else waits long.

// mend is what a page needs.
type mend struct {
	path  page.Path
	edits []page.Edit
	end   page.Path // of its chain of redirects, or ""
}

// apply mends the bytes of the page.
func (m *mend) apply(raw []byte) ([]byte, []page.Edit) {
	out, edits := page.Mend(m.path, raw)
	if m.end == "" {
		return out, edits
	}
	out, more := page.MendRedirect(m.path, out, withoutMD(m.end))
	gone := 0
	for i := range more { // lines of the mended page → lines of the page
		for _, e := range edits {
			if e.Gone && e.Line <= more[i].Line+gone {
				gone++
			}
		}
		more[i].Line += gone
	}
	edits = append(edits, more...)
	slices.SortFunc(edits, func(a, b page.Edit) int { return a.Line - b.Line })
	return out, edits
}

func withoutMD(p page.Path) string {
	if s := string(p); strings.HasSuffix(strings.ToLower(s), ".md") {
		return s[:len(s)-len(".md")]
	}
	return string(p)
}

// straighten notes that a chain is to be led to its end, where that can be done
// in one line.
func (l *look) straighten(path, end page.Path) {
	i := slices.IndexFunc(l.mends, func(m mend) bool { return m.path == path })
	if i < 0 {
		i = len(l.mends)
		l.mends = append(l.mends, mend{path: path})
	}
	m := l.mends[i]
	m.end = end
	_, edits := m.apply(l.stubs[path])
	if len(edits) > len(m.edits) {
		m.edits = edits
		l.mends[i] = m
		l.found[len(l.found)-1].Fixable = true
	} else if len(m.edits) == 0 {
		l.mends = slices.Delete(l.mends, i, i+1)
	}
}

// Mended is a line that a mend changes.
type Mended struct {
	Path string `json:"path"`
	Line int    `json:"line"` // of the page as it was
	Code string `json:"code"` // of the rule
	Old  string `json:"old"`
	New  string `json:"new"`
	Gone bool   `json:"deleted"`
}

// Mends is what Mend would do.
func (r *Result) Mends() (all []Mended) {
	for _, m := range r.mends {
		all = append(all, m.mended(m.edits)...)
	}
	return all
}

// mendBatch is how many pages one transaction rewrites.
const mendBatch = 200

// Mend mends what has one right answer and tells what it did, also when it comes to an
// error on the way. It writes through update: Store.Update, or what stands before it.
func (r *Result) Mend(ctx context.Context, update func(context.Context, string, func(*store.Tx) error) error) (done []Mended, err error) {
	for batch := range slices.Chunk(r.mends, mendBatch) {
		var now []Mended
		err := update(ctx, "lint --fix", func(tx *store.Tx) (err error) {
			now, err = rewrite(tx, batch)
			return err
		})
		if err != nil {
			return done, err
		}
		done = append(done, now...)
	}
	return done, nil
}

// rewrite mends pages as they are now.
func rewrite(tx *store.Tx, batch []mend) (done []Mended, err error) {
	for _, m := range batch {
		raw, err := tx.Read(m.path)
		if errors.Is(err, store.ErrNotFound) {
			continue // deleted since
		}
		if err != nil {
			return nil, err
		}
		out, edits := m.apply(raw)
		if bytes.Equal(out, raw) {
			continue
		}
		if err := tx.Replace(m.path, store.HashOf(raw), out); err != nil {
			return nil, err
		}
		done = append(done, m.mended(edits)...)
	}
	return done, nil
}

func (m *mend) mended(edits []page.Edit) (all []Mended) {
	for _, e := range edits {
		all = append(all, Mended{string(m.path), e.Line, e.Code, e.Old, e.New, e.Gone})
	}
	return all
}
