// Package lint finds what is wrong with the pages of a brain.
//
// Lint is strict where reading is tolerant. It looks four times, each time at more: at
// a page alone (page.go), at the tree that pages lie in (tree.go), at the names they
// bear (names.go), at the links between them (links.go). A finding names path, line,
// rule, what is wrong and what to do; the rules are a table (rules.go). What has one
// right answer can be mended (mend.go).
//
// Pages are read by as many workers as there are processors, since parsing is most of
// the work; names and links come from the index, which knows those of all pages without
// reading any.
package lint

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"brain/index"
	"brain/page"
	"brain/store"
)

// Options say what is looked at, and with whose help.
type Options struct {
	Store *store.Store
	Pack  *page.Pack // the schema pack that pages are to obey

	// View gives a state of the index that knows the tree as it is. It is asked once the
	// pages were read, and is its owner's to release after Look. nil: names and links are
	// not checked.
	View func(context.Context) (*index.View, error)

	Only []string // pages and folders by their paths; nil: the whole brain
	// Find gives the page of a name in Only below which nothing lies; nil: Store.Lookup.
	Find func(ctx context.Context, name string) (page.Path, error)
}

// Finding is one thing that is wrong with a page, a file or the tree.
type Finding struct {
	Path     string   `json:"path"`
	Line     int      `json:"line"` // 0: the whole file
	Code     string   `json:"code"` // of a rule
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Fix      string   `json:"fix"`     // what to do
	Fixable  bool     `json:"fixable"` // by Result.Mend
}

// Result is what was found, in the order of paths, lines and codes.
type Result struct {
	Pages     int // that were looked at
	Findings  []Finding
	Unchecked error // why names and links were not checked, or nil

	mends []mend
}

// look is one look at a brain.
type look struct {
	Options
	all    []page.File // the brain's pages
	files  []page.File // those to be checked
	chosen map[page.Path]bool
	view   *index.View
	lines  map[page.Path]nameLines
	stubs  map[page.Path][]byte // the redirects among them
	facts  []supersession
	mends  []mend
	found  []Finding
}

// Look checks the pages that are named, or the whole brain.
func Look(ctx context.Context, o Options) (*Result, error) {
	listing, err := o.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	l := &look{Options: o, all: listing.Files, chosen: map[page.Path]bool{}, lines: map[page.Path]nameLines{}, stubs: map[page.Path][]byte{}}
	if l.files, err = l.narrow(ctx); err != nil {
		return nil, err
	}
	for _, f := range l.files {
		l.chosen[f.Path] = true
	}
	if err := l.pages(ctx); err != nil {
		return nil, err
	}
	if err := l.tree(ctx, listing); err != nil {
		return nil, err
	}
	unchecked := l.relations(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	slices.SortFunc(l.mends, func(x, y mend) int { return strings.Compare(string(x.path), string(y.path)) })
	slices.SortStableFunc(l.found, func(x, y Finding) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), cmp.Compare(x.Line, y.Line), strings.Compare(x.Code, y.Code), strings.Compare(x.Message, y.Message))
	})
	return &Result{Pages: len(l.files), Findings: l.found, Unchecked: unchecked, mends: l.mends}, nil
}

// narrow gives the pages and those below the folders that are named.
func (l *look) narrow(ctx context.Context) ([]page.File, error) {
	if len(l.Only) == 0 {
		return l.all, nil
	}
	find := l.Find
	if find == nil {
		find = l.Store.Lookup
	}
	var chosen []page.File
	for _, name := range l.Only {
		prefix := strings.TrimSuffix(name, "/") + "/"
		below := slices.DeleteFunc(slices.Clone(l.all), func(f page.File) bool { return !strings.HasPrefix(string(f.Path), prefix) && name != "." })
		if len(below) == 0 {
			p, err := find(ctx, name)
			if err != nil {
				return nil, err
			}
			below = []page.File{{Path: p}}
		}
		chosen = append(chosen, below...)
	}
	slices.SortFunc(chosen, func(x, y page.File) int { return strings.Compare(string(x.Path), string(y.Path)) })
	return slices.CompactFunc(chosen, func(x, y page.File) bool { return x.Path == y.Path }), nil
}

// pages checks each page by itself, and notes what is needed of it later, in the order
// of paths.
func (l *look) pages(ctx context.Context) error {
	seen := make([]sight, len(l.files))
	g, ctx := errgroup.WithContext(ctx)
	workers := max(1, min(runtime.GOMAXPROCS(0), len(l.files)))
	for w := range workers {
		g.Go(func() error {
			for i := w; i < len(seen) && ctx.Err() == nil; i += workers {
				seen[i] = l.page(ctx, l.files[i].Path)
			}
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range seen {
		l.note(&seen[i])
	}
	l.habit()
	return nil
}

// In a tree of this many untitled pages, most of all, it is the habit of who writes them.
const habitual = 20

// habit says once what otherwise stood at nearly every page: that the names of files are
// the titles, as in many vaults.
func (l *look) habit() {
	named := func(f Finding) bool { return f.Code == ruleUntitled }
	n := 0
	for _, f := range l.found {
		if named(f) {
			n++
		}
	}
	if n >= habitual && 2*n > len(l.files) {
		l.found = slices.DeleteFunc(l.found, named)
		l.add("", 0, ruleUntitled, fmt.Sprintf("%d of %d pages say no title: answers show the names of their files", n, len(l.files)), "nothing, if that is how they are meant")
	}
}

// relations checks names and links, which only the index knows.
func (l *look) relations(ctx context.Context) (err error) {
	if l.View == nil {
		return nil
	}
	if l.view, err = l.View(ctx); err != nil {
		return err
	}
	l.names()
	l.links()
	l.redirects()
	l.circles()
	return nil
}

// add notes a finding of a rule.
func (l *look) add(path string, line int, code, message, fix string) {
	l.found = append(l.found, finding(path, line, code, message, fix))
}

func finding(path string, line int, code, message, fix string) Finding {
	return Finding{Path: path, Line: line, Code: code, Severity: severityOf(code), Message: message, Fix: fix}
}

func others(n int) string {
	if n == 1 {
		return "1 other page"
	}
	return fmt.Sprintf("%d other pages", n)
}
