package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"brain/graph"
	"brain/index"
	"brain/text"
)

// scope is the links of a brain as one agent sees them, with what a graph asks
// of pages besides.
type scope struct {
	*index.Linked
	agent string
	lex   *graph.Lexicon
}

func scoped(v *index.View, agent string, lex *graph.Lexicon) scope {
	return scope{v.For(agent), agent, lex}
}

// Is tells a page's kind by its type, folders and tags.
func (s scope) Is(row uint32, kind string) bool {
	pg := s.Page(row)
	if s.lex.KindOf(strings.ToLower(pg.Type)) == kind {
		return true
	}
	folders := strings.Split(strings.ToLower(string(pg.Path)), "/")
	for _, f := range folders[:len(folders)-1] {
		if s.lex.KindOf(f) == kind {
			return true
		}
	}
	return slices.ContainsFunc(pg.Tags, func(tag string) bool { return s.lex.KindOf(strings.ToLower(tag)) == kind })
}

const (
	describedDepth = 20  // pages by words, among which names are compared
	describedShare = 0.5 // of the description's words must be in a page's names
	describedMost  = 3
)

// Described finds the pages whose title, aliases and file name have the most
// words of a description.
func (s scope) Described(description string) []graph.Described {
	terms := text.Query(description)
	if len(terms) == 0 {
		return nil
	}
	r, err := s.Lexical(context.Background(), terms, s.agent)
	if err != nil {
		return nil // the walk fails open: the other arms answer
	}
	defer r.Close()
	top, err := r.Top(describedDepth, func(row uint32) bool { return s.Ranked(row) && s.Sees(row) })
	if err != nil {
		return nil
	}
	var found []graph.Described
	for _, m := range top {
		if share := s.named(m.Row, terms); share >= describedShare {
			found = append(found, graph.Described{Node: m.Row, Share: share})
		}
	}
	slices.SortStableFunc(found, func(a, b graph.Described) int { return cmp.Compare(b.Share, a.Share) })
	return found[:min(len(found), describedMost)]
}

// named is the share of the words that the names of a page have.
func (s scope) named(row uint32, terms []text.QueryTerm) float64 {
	pg := s.Page(row)
	have := map[string]bool{}
	for _, name := range append([]string{pg.Title, pg.Slug, string(pg.Path)}, pg.Aliases...) {
		for _, t := range text.Query(name) {
			have[t.Text] = true
		}
	}
	words, known := map[int]bool{}, map[int]bool{}
	for _, t := range terms {
		words[t.Word] = true
		if have[t.Text] {
			known[t.Word] = true
		}
	}
	return float64(len(known)) / float64(len(words))
}
