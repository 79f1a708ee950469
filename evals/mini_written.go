package evals

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"brain/page"
	"brain/retrieve"
)

// Beside the rankings of the demo brain, the mini evaluation counts how the
// questions of testdata/relations and testdata/weak fare, in the demo brain and
// in the world. Each half of the questions is counted apart, and of the half
// that nobody tunes on nothing but counts is ever shown: a question that is
// named will be looked at.

// The halves of the questions, as Untuned splits them.
const (
	tunedHalf   = "tuned"
	untunedHalf = "untuned"
)

var halves = []string{tunedHalf, untunedHalf}

func halfOf(id string) string {
	if Untuned(id) {
		return untunedHalf
	}
	return tunedHalf
}

// written is a question that we wrote for one of our trees.
type written struct {
	ID, Text, Lang, Tree string
	Want                 string // the page that answers, of testdata/weak/good.jsonl
}

func readWritten(file string) ([]written, error) {
	var qs []written
	err := eachRecord(file, func(_ int, r record) error {
		q := written{r.text("id"), r.text("text"), r.text("lang"), r.text("tree"), r.text("want")}
		if q.ID == "" || q.Text == "" || !slices.Contains(languages, q.Lang) || q.Tree == "" {
			return fmt.Errorf("%w: question %q lacks id, text, language or tree", ErrData, q.ID)
		}
		qs = append(qs, q)
		return nil
	})
	return qs, err
}

// reply is what was found for a question.
type reply struct {
	ranked []string // paths
	weak   bool
	as     string // the relation that the question was taken for
}

// writtenSet holds the questions of both folders, and the replies.
type writtenSet struct {
	relations, refuse, nonsense, good []written
	judged                            map[string]map[string]int // of relations
	replies                           map[string]reply          // by id
}

// readWrittenSet reads the questions from a copy of testdata. Every page that
// is judged has to be among those of the trees.
func readWrittenSet(dir string, trees []*tree) (*writtenSet, error) {
	w := &writtenSet{replies: map[string]reply{}}
	for name, into := range map[string]*[]written{
		"relations/queries.jsonl": &w.relations, "relations/refuse.jsonl": &w.refuse,
		"weak/nonsense.jsonl": &w.nonsense, "weak/good.jsonl": &w.good,
	} {
		qs, err := readWritten(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		*into = qs
	}
	known := map[string]bool{}
	for _, t := range trees {
		for name := range t.paths {
			known[name] = true
		}
	}
	for _, q := range w.good {
		if !known[q.Want] {
			return nil, fmt.Errorf("%w: question %q wants %q, which no tree has", ErrData, q.ID, q.Want)
		}
	}
	var err error
	w.judged, err = readQrels(filepath.Join(dir, "relations", "qrels.tsv"), known)
	return w, err
}

// ask puts the questions of one tree.
func (w *writtenSet) ask(ctx context.Context, e *engine) error {
	for _, q := range slices.Concat(w.relations, w.refuse, w.nonsense, w.good) {
		if q.Tree != e.t.brain {
			continue
		}
		ranked, ans, err := e.ask(ctx, retrieve.Query{Text: q.Text, N: 10, Agent: page.DefaultAgent, Now: e.clock(time.Time{})})
		if err != nil {
			return fmt.Errorf("ask %q: %w", q.ID, err)
		}
		w.replies[q.ID] = reply{ranked, ans.Weak || len(ans.Hits) == 0, ans.Relation}
	}
	return nil
}

// askWritten asks the questions of testdata/relations and testdata/weak in
// their trees.
func askWritten(ctx context.Context, dir string, o Options, trees ...*tree) (*writtenSet, error) {
	w, err := readWrittenSet(dir, trees)
	if err != nil {
		return nil, err
	}
	for _, t := range trees {
		if err := withEngine(ctx, t, o, func(e *engine) error { return w.ask(ctx, e) }); err != nil {
			return nil, err
		}
	}
	for _, q := range slices.Concat(w.relations, w.refuse, w.nonsense, w.good) {
		if _, asked := w.replies[q.ID]; !asked {
			return nil, fmt.Errorf("%w: question %q is about a tree %q that there is not", ErrData, q.ID, q.Tree)
		}
	}
	return w, nil
}

// withEngine opens a tree for as long as f runs.
func withEngine(ctx context.Context, t *tree, o Options, f func(*engine) error) (err error) {
	e, err := openEngine(ctx, t, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	return f(e)
}

// plantWorld writes the world as a brain of a temporary root.
func plantWorld(root string) (*tree, error) {
	t, err := newBrain(root, "world", "")
	if err != nil {
		return nil, err
	}
	pages := World(WorldSeed).Pages
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		p, err := page.ParsePath(name)
		if err != nil {
			return nil, err
		}
		if err := t.write(p, pages[name]); err != nil {
			return nil, err
		}
		t.ids[p], t.paths[name] = name, p
	}
	return t, nil
}
