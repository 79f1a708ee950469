package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brain/compile"
	"brain/inbox"
	"brain/index"
	"brain/page"
	"brain/store"
	"brain/text"
)

// Who purges a page wants to know where it is still spoken of: on lines that hold one of
// its names, facts or sentences, and on those whose links lead to it. A page of a megabyte
// has ten thousand sentences, so a line is not searched for each of them: at each of its
// bytes one look-up tells whether any begins there.

// minNeedle is the length in bytes from which a text is telling wherever it stands;
// a name that is shorter must be a word of its own.
const minNeedle = 6

// needles are folded texts that tell one page from others.
type needles struct {
	starts map[string]bool // the first bytes of the long ones
	long   []string        // sorted; none begins with another
	words  map[string]bool
}

// telling are a page's names, facts and sentences: who says one of these still speaks
// of the page.
func telling(p *page.Page) *needles {
	names := append([]string{p.Title, p.Slug}, p.Aliases...)
	if !p.Path.IsSession() {
		names = append(names, strings.TrimSuffix(string(p.Path), ".md"))
	}
	n := &needles{starts: map[string]bool{}, words: map[string]bool{}}
	var long []string
	for _, s := range names {
		if s = text.Fold(strings.TrimSpace(s)); len(s) >= minNeedle {
			long = append(long, s)
		} else if len(s) > 1 {
			n.words[s] = true
		}
	}
	for _, s := range p.Sentences() {
		if s = text.Fold(s); len(s) >= minNeedle {
			long = append(long, s)
		}
	}
	slices.Sort(long)
	for _, s := range long { // one that begins with another tells no more than that
		if k := len(n.long); k == 0 || !strings.HasPrefix(s, n.long[k-1]) {
			n.long = append(n.long, s)
			n.starts[s[:minNeedle]] = true
		}
	}
	return n
}

// in reports whether a line holds one of them.
func (n *needles) in(line string) bool {
	line = text.Fold(line)
	inWord := false // the byte before is of a word
	for i, r := range line {
		if len(line)-i >= minNeedle && n.starts[line[i:i+minNeedle]] && n.begins(line[i:]) {
			return true
		}
		if !inWord && n.word(line[i:]) {
			return true
		}
		inWord = letterOrDigit(r)
	}
	return false
}

// begins reports whether a text begins with a long needle. As none begins with
// another, that is the last one that does not sort behind the text.
func (n *needles) begins(s string) bool {
	i, found := slices.BinarySearch(n.long, s)
	return found || i > 0 && strings.HasPrefix(s, n.long[i-1])
}

// word reports whether a text begins with a short name that ends where a word does.
func (n *needles) word(s string) bool {
	for k := 2; k < minNeedle && k <= len(s); k++ {
		if n.words[s[:k]] {
			if r, _ := utf8.DecodeRuneInString(s[k:]); k == len(s) || !letterOrDigit(r) {
				return true
			}
		}
	}
	return false
}

func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// pointing is what the index knows of the pages around one that is to go.
type pointing struct {
	agent string
	lines map[page.Path][]int // whose links lead to it
	seen  map[page.Path]bool  // of each page in the index: whether the agent sees it
}

// pointing asks the index while the page is in it. Without an index the lines that
// name the page are found all the same.
func (a *app) pointing(ctx context.Context, o *opened, p page.Path) *pointing {
	out := &pointing{a.self(), map[page.Path][]int{}, map[page.Path]bool{}}
	v, err := a.settled(ctx, o)
	if err != nil {
		a.warn("which links lead to %s is not known: %s", plain(string(p)), plain(err.Error()))
		return out
	}
	defer v.Release()
	links := v.For(out.agent)
	for row := range v.All {
		out.seen[v.PathOf(row)] = links.Sees(row)
	}
	row, ok := v.Lookup(p)
	if !ok {
		return out
	}
	leading := func(to uint32, of func(*index.Page) bool) (rows []uint32) {
		for _, from := range neighbours(links, to) {
			p := v.Page(from)
			for _, l := range links.Links(from) {
				if l.Resolved && l.To == to && of(&p) {
					out.lines[p.Path], rows = append(out.lines[p.Path], l.Line), append(rows, from)
				}
			}
		}
		return slices.Compact(rows)
	}
	// The words of a page stand in the experiences that it is a source of, and in their skills.
	for _, from := range leading(row, func(*index.Page) bool { return true }) {
		if p := v.Page(from); p.Type == "experience" {
			leading(from, func(p *index.Page) bool { return p.Type == "skill" })
		}
	}
	return out
}

// shows reports whether a page is the agent's to see.
func (in *pointing) shows(p page.Path, raw []byte) bool {
	if seen, known := in.seen[p]; known {
		return seen
	}
	owner := p.Agent()
	if p.IsSession() {
		owner = page.Parse(p, raw).Agent
	}
	return owner == "" || owner == in.agent
}

// mentions finds lines of the pages that the agent sees which hold a name, a fact or a
// whole sentence of a page, or link to it.
func mentions(ctx context.Context, st *store.Store, old *page.Page, in *pointing) ([]mentionJSON, error) {
	listing, err := st.List(ctx)
	if err != nil {
		return nil, err
	}
	needles := telling(old)
	all := []mentionJSON{}
	for _, f := range listing.Files {
		if f.Path == old.Path {
			continue
		}
		raw, err := st.Read(ctx, f.Path)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil || !in.shows(f.Path, raw):
			continue // what cannot be read is named by lint and doctor
		}
		n := 0
		for line := range strings.Lines(string(raw)) {
			if n++; slices.Contains(in.lines[f.Path], n) || needles.in(line) {
				all = append(all, mentionJSON{string(f.Path), n, clip(strings.TrimSpace(line))})
			}
		}
	}
	return all, nil
}

// turnsOf are the turns of sessions that a page says it, or a source of it, was made
// of: those of the agent that asks, and those of others, which are not its to take away
// whatever the page says.
func (a *app) turnsOf(ctx context.Context, o *opened, p *page.Page) (ours, others []turnsJSON, err error) {
	ours, others = []turnsJSON{}, []turnsJSON{}
	origins := compile.Origins(p)
	if p.Path.IsSession() || len(origins) == 0 {
		return ours, others, nil
	}
	box, err := a.box(o)
	if err != nil {
		return nil, nil, err
	}
	for _, from := range origins {
		if len(from.Turns) == 0 {
			continue
		}
		s, _, err := box.Read(ctx, from.Session)
		switch {
		case err != nil && !is(inbox.ErrNotFound)(err):
			return nil, nil, err
		case err == nil && cmp.Or(s.Agent, page.DefaultAgent) != a.self():
			others = append(others, turnsJSON{from.Session, from.Turns})
		default:
			ours = append(ours, turnsJSON{from.Session, from.Turns})
		}
	}
	return ours, others, nil
}
