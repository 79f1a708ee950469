package dream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"brain/page"
	"brain/store"
)

// A folder of a source or an issue that has many pages gets `_overview.md`, which names them
// with their abstracts, for who looks into the folder. It is made of the pages alone, so that
// the same pages give the same bytes. One that a person wrote stays as it is; one of ours
// goes with the pages that it was about. Ours says the hash of itself, so that one in which a
// person has changed a word stays, too.

const (
	manyPages    = 5   // make a folder that gets one
	mostInFolder = 200 // pages that one names
)

// overviews is the part of distill that keeps them. One of a folder in which something cannot be
// read stays as it is.
func (n *night) overviews(ctx context.Context) error {
	if !n.Layers || n.Completer == nil {
		return nil
	}
	tree, err := n.tree(ctx)
	if err != nil {
		return err
	}
	if n.unchanged("overviews", tree) {
		return nil
	}
	folders, err := n.folders(ctx)
	if err != nil {
		return err
	}
	want := map[store.OwnFile][]byte{}
	told := map[page.Path]brief{}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		raw, err := n.sidecar(ctx, folder, folders[folder], told)
		if err != nil {
			return err
		}
		if raw != nil && !n.unreadable(folder) {
			want[store.OverviewOf(folder)] = raw
		}
	}
	names, err := n.Store.Names(ctx, "sources")
	if err != nil && !n.unreadable("sources") {
		return err
	}
	for _, name := range names {
		f, folder := store.OwnFile(name), path.Dir(name)
		if path.Base(name) == "_overview.md" && want[f] == nil && f == store.OverviewOf(folder) && folder != "sources" && !n.unreadable(folder) {
			want[f] = nil
		}
	}
	for _, f := range slices.Sorted(maps.Keys(want)) {
		if err := n.putSidecar(ctx, f, want[f]); err != nil {
			return err
		}
	}
	return nil
}

// brief is what a list of pages says of one.
type brief struct{ title, abstract string }

// folders are those of sources and issues, with the pages in them.
func (n *night) folders(ctx context.Context) (map[string][]page.Path, error) {
	v, err := n.view(ctx)
	if err != nil {
		return nil, err
	}
	folders := map[string][]page.Path{}
	for row := range v.All {
		p := v.Page(row)
		parts := strings.Split(string(p.Path), "/")
		if parts[0] != "sources" || len(parts) < 3 || !p.Ranked || page.Retired(p.Status) {
			continue
		}
		for _, depth := range []int{2, 4} {
			if depth == 2 || len(parts) > 4 && parts[2] == "issues" {
				folder := strings.Join(parts[:depth], "/")
				folders[folder] = append(folders[folder], p.Path)
			}
		}
	}
	maps.DeleteFunc(folders, func(_ string, pages []page.Path) bool { return len(pages) < manyPages })
	return folders, nil
}

// sidecar is the text for a folder; nil where no page of it has an abstract. told is what is known
// of pages already.
func (n *night) sidecar(ctx context.Context, folder string, pages []page.Path, told map[page.Path]brief) ([]byte, error) {
	slices.Sort(pages)
	var b strings.Builder
	says := false
	for i, at := range pages {
		if i == mostInFolder {
			fmt.Fprintf(&b, "- and %d more\n", len(pages)-i)
			break
		}
		p, known := told[at]
		if !known {
			read, err := n.read(ctx, at)
			if err != nil {
				if err := n.without(ctx, at, err); err != nil {
					return nil, err
				}
				continue
			}
			p = brief{read.Title, read.Abstract}
			told[at] = p
		}
		fmt.Fprintf(&b, "- [%s](<%s>)", escapeText(p.title), strings.TrimPrefix(string(at), folder+"/"))
		if p.abstract != "" {
			b.WriteString(": " + escapeText(p.abstract))
			says = true
		}
		b.WriteByte('\n')
	}
	if !says {
		return nil, nil
	}
	return signed(page.Draft{Title: "Overview of " + path.Base(folder), Generated: true, Body: b.String()})
}

// signature is the key of that hash, which stands behind a word so that none looks like a number.
const (
	signature = "written"
	hashKind  = "sha256-"
)

// signed renders a page with the hash of what it is without that line.
func signed(d page.Draft) ([]byte, error) {
	raw, err := page.Format(d)
	if err != nil {
		return nil, err
	}
	d.More = append(d.More, page.Key{Name: signature, Value: hashKind + string(store.HashOf(raw))})
	return page.Format(d)
}

// unsigned reports whether a page is not to the byte what signed rendered.
func unsigned(raw []byte) bool {
	before, line, found := strings.Cut(string(raw), "\n"+signature+": "+hashKind)
	hash, after, _ := strings.Cut(line, "\n")
	return !found || store.Hash(hash) != store.HashOf([]byte(before+"\n"+after))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// putSidecar makes a sidecar say this, or go for nil, if it is brain's own to change.
func (n *night) putSidecar(ctx context.Context, f store.OwnFile, want []byte) error {
	have, err := n.Store.ReadOwn(ctx, f)
	if err != nil {
		return err
	}
	ours := have == nil || page.Parse(page.Path(f), have).Generated
	if !ours || string(have) == string(want) {
		return nil
	}
	if have != nil && unsigned(have) {
		n.left(Left{Path: string(f), What: "the overview of the folder was edited, so that it stays as it is", Hint: "delete it, and it is written again"})
		return nil
	}
	what := "overview of the folder written"
	if want == nil {
		what = "overview removed: its pages are gone"
	}
	if !n.DryRun {
		was := store.Hash("")
		if have != nil {
			was = store.HashOf(have)
		}
		err = n.update(ctx, "overview of a folder", func(tx *store.Tx) error {
			if want == nil {
				return tx.RemoveOwn(f, was)
			}
			return tx.WriteOwn(f, was, want)
		})
	}
	if errors.Is(err, store.ErrConflict) {
		n.later()
		return nil
	}
	if err == nil {
		n.changed(string(f), what)
	}
	return err
}
