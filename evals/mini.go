package evals

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brain/llm"
	"brain/page"
	"brain/retrieve"
)

// The mini evaluation is what runs on every commit: questions that were written
// for the demo brain, asked of the demo brain, with the exact ranking in a
// golden file. Any change of an order shows as a diff that a person reads. It
// proves nothing about quality at large: the texts and the questions come from
// the same hands.
//
// Nonsense questions have no answer there. An honest engine still returns its
// best guesses and marks them weak; the share of both kinds that is marked is
// part of the golden file. So are the counts of what else we wrote ourselves,
// see mini_written.go.

//go:embed testdata/demo testdata/golden testdata/weak
//go:embed testdata/relations/*.jsonl testdata/relations/qrels.tsv
var testdata embed.FS

const (
	miniData   = "testdata/demo"
	miniGolden = "testdata/golden/demo.json"
	miniTop    = 5 // places of each question in the golden file
)

// MiniOptions of the mini evaluation.
type MiniOptions struct {
	Root     string // folder that holds brains/demo
	Embedder llm.Embedder
	Temp     string
}

// Golden is what the golden file holds.
type Golden struct {
	Embedder  string           `json:"embedder"`
	Rows      []GoldenRow      `json:"rows"`
	Questions []GoldenQuestion `json:"questions"` // of the fusion
	Weak      WeakShares       `json:"weak"`      // of these and of the nonsense beside them
	Relations []RelationCounts `json:"relations"`
	Refuse    RefuseCounts     `json:"refuse"`
	Marks     []MarkCounts     `json:"marks"`
}

// GoldenRow holds the metrics of a row to four decimals.
type GoldenRow struct {
	Arms    []string `json:"arms"`
	N       int      `json:"n"`
	Metrics Metrics  `json:"metrics"`
}

// GoldenQuestion holds the first places of a question.
type GoldenQuestion struct {
	ID     string   `json:"id"`
	Weak   bool     `json:"weak"`
	Ranked []string `json:"ranked"`
}

// WeakShares counts the answers that were marked weak.
type WeakShares struct {
	Nonsense    int      `json:"nonsense"` // of the questions without an answer: the more the better
	NonsenseOf  int      `json:"nonsense_of"`
	Confident   []string `json:"confident"` // nonsense that was answered without the mark
	Questions   int      `json:"questions"` // of those with an answer: the fewer the better
	QuestionsOf int      `json:"questions_of"`
}

// MiniReport is a run and how it differs from the golden file.
type MiniReport struct {
	Run       *Run             `json:"-"`
	Got       Golden           `json:"got"`
	Relations []RelationShares `json:"relations"`
	Changed   []string         `json:"changed"` // empty when everything is as recorded
}

// Mini asks the demo brain its questions, and then the demo brain and the world
// what was written about both. The tree is copied first: nothing is written
// beside the pages that are measured.
func Mini(ctx context.Context, o MiniOptions) (rep *MiniReport, err error) {
	demo := filepath.Join(o.Root, "brains", "demo")
	if st, serr := os.Stat(demo); serr != nil || !st.IsDir() {
		return nil, fmt.Errorf("mini evaluation: no folder brains/demo below %q, the pages it asks about: %w", o.Root, cmp.Or(serr, fs.ErrNotExist))
	}
	root, remove, err := tempRoot(o.Temp)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	t, err := copyBrain(demo, root)
	if err != nil {
		return nil, fmt.Errorf("mini evaluation: copy %s: %w", demo, err)
	}
	if rep, err = miniReport(ctx, o, t, root); err != nil {
		return nil, fmt.Errorf("mini evaluation: %w", err)
	}
	return rep, rep.compare()
}

// miniReport asks everything, in a temporary root that holds the demo brain.
func miniReport(ctx context.Context, o MiniOptions, t *tree, root string) (*MiniReport, error) {
	if err := os.CopyFS(root, testdata); err != nil {
		return nil, err
	}
	s, nonsense, err := miniSet(t, filepath.Join(root, filepath.FromSlash(miniData)))
	if err != nil {
		return nil, err
	}
	opts := Options{Embedder: o.Embedder, Arms: Arms}
	if o.Embedder == nil {
		opts.Arms = []string{"lexical", "graph"}
	}
	rows, err := opts.plan()
	if err != nil {
		return nil, err
	}
	opts.K = 10
	m := newMeasurement(s, opts, rows)
	rep := &MiniReport{Changed: []string{}}
	if err := m.brain(ctx, t); err != nil {
		return nil, err
	}
	if rep.Run, err = m.run(); err != nil {
		return nil, err
	}
	weak, err := askWeak(ctx, t, opts, s.Questions, nonsense)
	if err != nil {
		return nil, err
	}
	rep.Got = golden(rep.Run, weak)
	return rep, rep.askWritten(ctx, root, opts, t)
}

// askWritten adds what the questions about both trees give.
func (r *MiniReport) askWritten(ctx context.Context, root string, o Options, demo *tree) error {
	world, err := plantWorld(root)
	if err != nil {
		return fmt.Errorf("write the world: %w", err)
	}
	w, err := askWritten(ctx, filepath.Join(root, "testdata"), o, demo, world)
	if err != nil {
		return err
	}
	r.Got.Relations, r.Relations = w.relationCounts()
	var named []string
	if r.Got.Refuse, named = w.refuseCounts(); r.Got.Refuse.Related > 0 {
		r.Changed = append(r.Changed, r.Got.Refuse.wrongly(named))
	}
	r.Got.Marks = w.markCounts(demo, world)
	return nil
}

// copyBrain copies a brain's files into a new brain of a temporary root.
func copyBrain(from, root string) (*tree, error) {
	t, err := newBrain(root, "demo", "")
	if err != nil {
		return nil, err
	}
	src := os.DirFS(from)
	return t, fs.WalkDir(src, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || name == "brain.yml" {
			return err
		}
		raw, err := fs.ReadFile(src, name)
		if err != nil {
			return err
		}
		if err := t.write(page.Path(name), raw); err != nil {
			return err
		}
		if p, perr := page.ParsePath(name); perr == nil {
			t.ids[p], t.paths[name] = name, p
		}
		return nil
	})
}

// miniSet reads questions, judgements and nonsense; a document's id is its
// path here, since the pages are our own.
func miniSet(t *tree, dir string) (*Set, []Question, error) {
	s := &Set{Name: "demo"}
	known := map[string]bool{}
	for id := range t.paths {
		known[id] = true
		s.Docs = append(s.Docs, Doc{ID: id, Path: id})
	}
	if err := s.readJudged(filepath.Join(dir, "queries.jsonl"), filepath.Join(dir, "qrels.tsv"), LoadOptions{}, known); err != nil {
		return nil, nil, err
	}
	nonsense, err := (&Set{}).readQuestions(filepath.Join(dir, "nonsense.jsonl"), LoadOptions{})
	return s, nonsense, err
}

// weakAnswers are the ids of the questions whose answer is marked weak.
type weakAnswers struct {
	marked              map[string]bool
	questions, nonsense []Question
}

// askWeak asks both kinds once more, with default settings, for the mark.
func askWeak(ctx context.Context, t *tree, o Options, questions, nonsense []Question) (weakAnswers, error) {
	w := weakAnswers{map[string]bool{}, questions, nonsense}
	return w, withEngine(ctx, t, o, func(e *engine) error {
		for _, q := range slices.Concat(questions, nonsense) {
			_, ans, err := e.ask(ctx, retrieve.Query{Text: q.Text, N: o.K, Now: e.clock(q.Date)})
			if err != nil {
				return fmt.Errorf("ask %q: %w", q.ID, err)
			}
			w.marked[q.ID] = ans.Weak || len(ans.Hits) == 0
		}
		return nil
	})
}

func golden(run *Run, w weakAnswers) Golden {
	g := Golden{Embedder: run.Settings.Embedder, Weak: WeakShares{NonsenseOf: len(w.nonsense), QuestionsOf: len(w.questions), Confident: []string{}}}
	for _, row := range run.Rows {
		m := row.Metrics
		for _, f := range m.fields() {
			*f = rounded(*f)
		}
		g.Rows = append(g.Rows, GoldenRow{row.Arms, row.N, m})
	}
	for _, q := range run.Fusion().Results {
		g.Questions = append(g.Questions, GoldenQuestion{q.ID, w.marked[q.ID], q.Ranked[:min(miniTop, len(q.Ranked))]})
		if w.marked[q.ID] {
			g.Weak.Questions++
		}
	}
	for _, q := range w.nonsense {
		if w.marked[q.ID] {
			g.Weak.Nonsense++
		} else {
			g.Weak.Confident = append(g.Weak.Confident, q.ID)
		}
	}
	return g
}

func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// compare lists what differs from the golden file. Other vectors than those it
// was made with have other rankings: then there is nothing to compare with.
func (r *MiniReport) compare() error {
	raw, err := testdata.ReadFile(miniGolden)
	if errors.Is(err, fs.ErrNotExist) {
		r.Changed = append(r.Changed, "no golden file: "+miniGolden)
		return nil
	}
	if err != nil {
		return err
	}
	var want Golden
	if err := json.Unmarshal(raw, &want); err != nil {
		return fmt.Errorf("read %s: %w", miniGolden, err)
	}
	if want.Embedder != r.Got.Embedder {
		r.Changed = append(r.Changed, fmt.Sprintf("embedder: %s, recorded with %s", orNone(r.Got.Embedder), orNone(want.Embedder)))
		return nil
	}
	r.Changed = append(r.Changed, want.differences(r.Got)...)
	return nil
}

// differences lists in words what got has otherwise than g.
func (g Golden) differences(got Golden) []string {
	var out []string
	for i, row := range got.Rows {
		if i >= len(g.Rows) || !slices.Equal(g.Rows[i].Arms, row.Arms) {
			return append(out, "rows: of other arms than recorded")
		}
		for j, f := range row.Metrics.fields() {
			if old := *g.Rows[i].Metrics.fields()[j]; old != *f {
				out = append(out, fmt.Sprintf("%s %s: %.4f, recorded %.4f", strings.Join(row.Arms, "+"), MetricNames[j], *f, old))
			}
		}
	}
	old := map[string]GoldenQuestion{}
	for _, q := range g.Questions {
		old[q.ID] = q
	}
	for _, q := range got.Questions {
		was, known := old[q.ID]
		delete(old, q.ID)
		if !known || was.Weak != q.Weak || !slices.Equal(was.Ranked, q.Ranked) {
			out = append(out, fmt.Sprintf("%s: %s, recorded %s", q.ID, q, was))
		}
	}
	for id := range old {
		out = append(out, id+": recorded and not asked")
	}
	if !slices.Equal(g.Weak.Confident, got.Weak.Confident) || g.Weak.NonsenseOf != got.Weak.NonsenseOf {
		out = append(out, fmt.Sprintf("nonsense answered without a mark: %v, recorded %v", got.Weak.Confident, g.Weak.Confident))
	}
	out = append(out, g.countDifferences(got)...)
	slices.Sort(out)
	return out
}

func (q GoldenQuestion) String() string {
	s := strings.Join(q.Ranked, " ")
	if q.Weak {
		s = "weak " + s
	}
	return "[" + s + "]"
}

// encode writes the golden file: indented, so that a diff reads well.
func (g Golden) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(g)
	return b.Bytes(), err
}

// WriteText prints the report for people: the table of the demo brain's
// questions, then the counts. What changed is the caller's to print.
func (r *MiniReport) WriteText(w io.Writer) error {
	if err := r.Run.WriteTable(w); err != nil {
		return err
	}
	var b strings.Builder
	k := r.Got.Weak
	fmt.Fprintf(&b, "marked weak: %d of %d nonsense questions, %d of %d others\n\n", k.Nonsense, k.NonsenseOf, k.Questions, k.QuestionsOf)
	r.relationTable(&b)
	r.markTable(&b)
	_, err := io.WriteString(w, b.String())
	return err
}
