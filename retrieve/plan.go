package retrieve

import (
	"path"
	"slices"
	"strings"
	"time"

	"brain/graph"
	"brain/index"
	"brain/text"
)

// plan is a question understood: what each arm asks for.
type plan struct {
	q        Query
	lex      *graph.Lexicon
	terms    []text.QueryTerm
	intent   string
	relation graph.Relation
	related  bool
	others   []graph.Relation  // other readings of the relation, for corrected words
	typos    []typo            // words of the question that were corrected
	spelt    []string          // the question with them
	failed   error             // of the correction
	exact    map[uint32]string // rows that the whole question names, with how
	arms     map[string]bool
	accept   func(row uint32) bool
	filtered bool
}

const (
	Lexical = "lexical"
	Vector  = "vector"
	Graph   = "graph"
)

// AllArms is every arm, in the order in which they are shown.
var AllArms = []string{Lexical, Vector, Graph}

func newPlan(v *index.View, q Query, lex *graph.Lexicon) *plan {
	p := &plan{q: q, lex: lex, terms: text.Query(q.Text), intent: lex.Intent(q.Text), arms: map[string]bool{}}
	for _, a := range AllArms {
		p.arms[a] = len(q.Arms) == 0 || slices.Contains(q.Arms, a)
	}
	p.accept = p.filter(v)
	p.exact = map[uint32]string{}
	if row, how, ok := p.named(v); ok {
		p.exact[row] = how
	}
	p.failed = p.correct(v)
	if p.arms[Graph] {
		p.relate()
	}
	return p
}

// named gives the one page that the whole question names: as a path with .md,
// which no name has, else as a path without it, title or alias; and how.
func (p *plan) named(v *index.View) (row uint32, how string, ok bool) {
	names := v.For(p.q.Agent)
	for _, name := range []string{strings.TrimSuffix(strings.TrimSpace(p.q.Text), ".md"), p.q.Text} {
		if rows := slices.DeleteFunc(names.Resolve(name), func(r uint32) bool { return !p.accept(r) }); len(rows) == 1 {
			if names.Redirected(name) {
				return rows[0], "redirect", true
			}
			return rows[0], "exact name", true
		}
	}
	return 0, "", false
}

// filter gives the test that every arm applies before it ranks.
func (p *plan) filter(v *index.View) func(uint32) bool {
	q := p.q
	p.filtered = len(q.Kinds)+len(q.Sources)+len(q.Tags)+len(q.Paths) > 0 || !q.Since.IsZero() || !q.Until.IsZero()
	seen, all := v.For(q.Agent), !p.filtered && len(q.Without) == 0
	return func(row uint32) bool {
		if !v.Ranked(row) {
			return false
		}
		return seen.Sees(row) && (all || q.match(v.Page(row)))
	}
}

// match applies the filters to a page.
func (q *Query) match(pg index.Page) bool {
	any := func(want []string, ok func(string) bool) bool {
		return len(want) == 0 || slices.ContainsFunc(want, ok)
	}
	typed := func(k string) bool { return strings.EqualFold(k, pg.Type) }
	if !any(q.Kinds, typed) || slices.ContainsFunc(q.Without, typed) ||
		!any(q.Sources, func(s string) bool { return strings.EqualFold(s, pg.Source) }) ||
		!any(q.Paths, func(pat string) bool { return matchPath(pat, string(pg.Path)) }) {
		return false
	}
	if !any(q.Tags, func(t string) bool {
		t = text.Fold(strings.TrimPrefix(t, "#"))
		return slices.ContainsFunc(pg.Tags, func(have string) bool { return text.Fold(have) == t })
	}) {
		return false
	}
	d := pageDate(pg)
	if !q.Since.IsZero() && (d.IsZero() || d.Before(q.Since)) {
		return false
	}
	return q.Until.IsZero() || !d.IsZero() && d.Before(q.Until)
}

// matchPath matches a folder, a path without .md, or a glob, in which ** stands for
// any number of folders. "" is the whole brain.
func matchPath(pattern, p string) bool {
	pattern = strings.Trim(pattern, "/")
	if pattern == "" || pattern == p || pattern+".md" == p || strings.HasPrefix(p, pattern+"/") {
		return true
	}
	if strings.Contains(pattern, "**") {
		return matchParts(strings.Split(pattern, "/"), strings.Split(p, "/"))
	}
	ok, err := path.Match(pattern, p)
	return err == nil && ok
}

// matchParts is greedy: when a part fails, it goes on behind the last **.
func matchParts(pattern, parts []string) bool {
	back, from := -1, 0
	i, at := 0, 0
	for at < len(parts) {
		if i < len(pattern) && pattern[i] == "**" {
			if i++; i == len(pattern) {
				return true
			}
			back, from = i, at
			continue
		}
		if i < len(pattern) {
			if ok, err := path.Match(pattern[i], parts[at]); err == nil && ok {
				i++
				at++
				continue
			}
		}
		if back < 0 {
			return false
		}
		from++
		i, at = back, from
	}
	return i == len(pattern)
}

// pageDate is the date that filters and hotness go by: when what the page
// tells happened, else its last change, else its creation; never the time of
// the file or of a sync.
func pageDate(pg index.Page) time.Time {
	for _, d := range []time.Time{pg.At, pg.Updated, pg.Created} {
		if !d.IsZero() {
			return d
		}
	}
	return time.Time{}
}
