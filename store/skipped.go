package store

import (
	"context"
	"slices"
	"strings"

	"brain/page"
)

// Skip is one entry that a walk passes over. Path ends in "/" for a folder.
type Skip struct {
	Path   string
	Reason string // one of the Skip reasons
}

// Passed names what List only counts, for the reasons asked for, in byte order
// of their paths. A brain holds far more attachments than pages that ought to
// be found, so List keeps no names; who looks for a page that is missing asks
// here. What cannot be read is left out: List tells of it.
func (st *Store) Passed(ctx context.Context, reasons ...string) ([]Skip, error) {
	root, err := st.current()
	if err != nil {
		return nil, err
	}
	top, err := openTop(root)
	if err != nil {
		return nil, st.unreadable(err)
	}
	defer top.close()
	p := passer{ctx: ctx, wanted: reasons}
	if err := p.folder(top, "", nil, 0); err != nil {
		return nil, errContext(ctx, "list what is skipped in brain "+st.name)
	}
	slices.SortFunc(p.out, func(a, b Skip) int { return strings.Compare(a.Path, b.Path) })
	return p.out, nil
}

type passer struct {
	ctx    context.Context
	wanted []string
	out    []Skip
}

// folder takes the way of walk.folder. An error ends the look at this folder.
func (p *passer) folder(d folder, prefix string, ig *ignores, depth int) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	entries, err := d.entries(prefix, nil)
	if err != nil {
		return err
	}
	if ig, err = loadIgnores(d, prefix, entries, ig); err != nil {
		return err
	}
	for _, e := range entries {
		name := e.path[len(prefix):]
		if own(prefix, name) || name == ignoreFile {
			continue
		}
		reason := skipReason(name, e.kind)
		switch {
		case reason != "":
			p.add(e, reason)
		case ig.match(e.path, e.kind == dir):
		case e.kind == dir && depth >= maxDepth:
			p.add(e, SkipTooDeep)
		case e.kind == dir:
			if err := p.descend(d, e, name, ig, depth+1); err != nil {
				return err
			}
		default:
			p.file(d, e, name)
		}
	}
	return nil
}

func (p *passer) add(e entry, reason string) {
	if e.kind == dir {
		e.path += "/"
	}
	if slices.Contains(p.wanted, reason) {
		p.out = append(p.out, Skip{e.path, reason})
	}
}

// file judges what may be a page.
func (p *passer) file(d folder, e entry, name string) {
	path, err := page.ParsePath(e.path)
	if err != nil {
		reason := SkipBadName
		if name == page.SessionFile {
			reason = SkipNotMarkdown // not in a session's folder
		}
		p.add(e, reason)
	} else if in, err := d.stat(name); err == nil && in.size > maxSize(path) {
		p.add(e, SkipTooLarge)
	}
}

// descend looks into a folder that is no brain of its own. Only the end of the
// context is an error: the rest of the tree is worth a look.
func (p *passer) descend(parent folder, e entry, name string, ig *ignores, depth int) error {
	d, err := parent.open(name)
	if err != nil {
		return nil
	}
	defer d.close()
	if _, err := d.stat(brainFile); err == nil {
		p.add(e, SkipOtherBrain)
		return nil
	}
	if err := p.folder(d, e.path+"/", ig, depth); err != nil {
		return p.ctx.Err()
	}
	return nil
}
