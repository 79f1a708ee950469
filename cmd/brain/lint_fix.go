package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
func (l *linter) straighten(path, end page.Path) {
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

// lintFix is a line that --fix changed.
type lintFix struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Code string `json:"code"`
	Old  string `json:"old"`
	New  string `json:"new"`
	Gone bool   `json:"deleted"`
}

// fixBatch is how many pages one transaction rewrites.
const fixBatch = 200

// fix mends what was found, or with --dry-run tells what it would do.
func (l *linter) fix(ctx context.Context, f *lintFlags) (done []lintFix, err error) {
	if f.dryRun || len(l.mends) == 0 {
		for _, m := range l.mends {
			done = append(done, fixes(m.path, m.edits)...)
		}
		return done, nil
	}
	if err := l.a.mayWrite(l.o.st, f.yes); err != nil {
		return nil, err
	}
	for batch := range slices.Chunk(l.mends, fixBatch) {
		fixed, err := l.fixBatch(ctx, batch)
		if err != nil {
			return done, err
		}
		done = append(done, fixed...)
	}
	return done, nil
}

func (l *linter) fixBatch(ctx context.Context, batch []mend) (done []lintFix, err error) {
	err = l.o.st.Update(ctx, "lint --fix", func(tx *store.Tx) error {
		done = done[:0]
		for _, m := range batch {
			raw, err := tx.Read(m.path)
			if errors.Is(err, store.ErrNotFound) {
				continue // deleted since
			}
			if err != nil {
				return err
			}
			out, edits := m.apply(raw)
			if bytes.Equal(out, raw) {
				continue
			}
			if err := tx.Replace(m.path, store.HashOf(raw), out); err != nil {
				return err
			}
			done = append(done, fixes(m.path, edits)...)
		}
		return nil
	})
	return done, err
}

func fixes(path page.Path, edits []page.Edit) []lintFix {
	var all []lintFix
	for _, e := range edits {
		all = append(all, lintFix{string(path), e.Line, e.Code, e.Old, e.New, e.Gone})
	}
	return all
}

// diff shows fixes in the unified form, without lines around them.
func diff(all []lintFix) string {
	var b strings.Builder
	path, gone := "", 0
	for _, f := range all {
		if f.Path != path {
			path, gone = f.Path, 0
			fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", plain(path), plain(path))
		}
		if f.Gone {
			gone++
			fmt.Fprintf(&b, "@@ -%d +%d,0 @@\n-%s\n", f.Line, f.Line-gone, harmless(f.Old))
			continue
		}
		fmt.Fprintf(&b, "@@ -%d +%d @@\n-%s\n+%s\n", f.Line, f.Line-gone, harmless(f.Old), harmless(f.New))
	}
	return b.String()
}
