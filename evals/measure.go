package evals

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"brain/llm"
	"brain/page"
	"brain/retrieve"
	"brain/text"
)

// Questions are asked one after another by one caller, so that a latency is
// that of an idle machine and not of a queue. Brains are made, asked and
// dropped one by one: memory is bounded by the largest of them.

// Options of a measurement; the zero value is what a new user gets, without
// vectors.
type Options struct {
	Arms     []string     // lexical, vector, graph; empty: all, with rows of their own for lexical and vector
	K        int          // results asked for; 0 means 10
	Passages bool         // the unit is the passage, not the page; turns are kept as sessions
	Embedder llm.Embedder // nil: no vectors
	Vectors  string       // how vectors are stored; "" is the default
	Temp     string       // where the temporary root is made; "" is the system's place
	Progress func(Progress)
}

// Progress of a measurement.
type Progress struct {
	Stage       string // "write", "index", "ask"
	Done, Total int    // documents, brains, questions times rows
}

func (o Options) tell(stage string, done, total int) {
	if o.Progress != nil {
		o.Progress(Progress{stage, done, total})
	}
}

func (o Options) unit() string {
	if o.Passages {
		return "passage"
	}
	return "page"
}

// Arms are the arms there are, in the order of rows.
var Arms = []string{"lexical", "vector", "graph"}

// rowPlan is a row to be measured.
type rowPlan struct {
	arms  []string // that take part
	query []string // what the query asks for; empty is the default
}

// plan gives the rows: each asked arm alone, then all of them together. With
// nothing asked, the graph has no row of its own: it answers few questions
// alone and is meant to help the others.
func (o Options) plan() ([]rowPlan, error) {
	for _, a := range o.Arms {
		if !slices.Contains(Arms, a) {
			return nil, fmt.Errorf("%w: arm %q: the arms are %s", ErrUsage, a, strings.Join(Arms, ", "))
		}
	}
	if o.Embedder == nil && slices.Contains(o.Arms, "vector") {
		return nil, fmt.Errorf("%w: the vector arm is asked for and there is no embedder", ErrUsage)
	}
	var asked []string
	for _, a := range Arms {
		if slices.Contains(o.Arms, a) || len(o.Arms) == 0 && (a != "vector" || o.Embedder != nil) {
			asked = append(asked, a)
		}
	}
	var rows []rowPlan
	for _, a := range asked {
		if len(o.Arms) > 0 || a != "graph" {
			rows = append(rows, rowPlan{arms: []string{a}, query: []string{a}})
		}
	}
	switch {
	case len(o.Arms) == 0:
		rows = append(rows, rowPlan{arms: asked})
	case len(asked) > 1:
		rows = append(rows, rowPlan{arms: asked, query: asked})
	}
	return rows, nil
}

// Measure writes the set's documents as trees, indexes them, asks every
// question once for each row, and scores the answers.
func Measure(ctx context.Context, s *Set, o Options) (run *Run, err error) {
	rows, err := o.plan()
	if err != nil {
		return nil, err
	}
	o.K = cmp.Or(o.K, 10)
	if o.K < 1 {
		return nil, fmt.Errorf("%w: k is %d, want 1 or more", ErrUsage, o.K)
	}
	root, remove, err := tempRoot(o.Temp)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	m := newMeasurement(s, o, rows)
	trees, err := m.plant(ctx, root)
	if err != nil {
		return nil, err
	}
	for i, t := range trees {
		o.tell("index", i, len(trees))
		if err := m.brain(ctx, t); err != nil {
			return nil, err
		}
	}
	return m.run()
}

// measurement gathers what the brains of a set contribute.
type measurement struct {
	s       *Set
	o       Options
	rows    []rowPlan
	byScope map[string][]int // scope → positions in s.Questions
	out     []rowData
	cost    IndexCost
	lost    []string       // relevant documents that the index does not rank
	sought  int            // relevant documents
	bare    int            // passages without a vector
	left    map[string]int // files that the engine does not index, by why
	done    int
}

// rowData is a row while it is measured, by position of the question.
type rowData struct {
	results  []Result
	ms       []float64
	embedMS  []float64
	degraded map[string]int // "arm: reason" → questions
}

func newMeasurement(s *Set, o Options, rows []rowPlan) *measurement {
	m := &measurement{s: s, o: o, rows: rows, byScope: map[string][]int{}, left: map[string]int{}}
	for i, q := range s.Questions {
		scope := s.brainOf(q.Scope)
		m.byScope[scope] = append(m.byScope[scope], i)
	}
	for range rows {
		n := len(s.Questions)
		m.out = append(m.out, rowData{make([]Result, n), make([]float64, n), make([]float64, n), map[string]int{}})
	}
	return m
}

// plant writes the trees of all scopes that are asked, in the order in which
// their first question stands.
func (m *measurement) plant(ctx context.Context, root string) ([]*tree, error) {
	m.o.tell("write", 0, len(m.s.Docs))
	trees := map[string]*tree{}
	var order []*tree
	for _, q := range m.s.Questions {
		scope := m.s.brainOf(q.Scope)
		if trees[scope] != nil {
			continue
		}
		t, err := newBrain(root, fmt.Sprintf("b%04d", len(order)+1), scope)
		if err != nil {
			return nil, err
		}
		t.sessions = m.o.Passages
		trees[scope] = t
		order = append(order, t)
	}
	if err := m.s.plant(ctx, trees); err != nil {
		return nil, err
	}
	m.o.tell("write", len(m.s.Docs), len(m.s.Docs))
	return order, nil
}

// brain indexes one tree and asks the questions of its scope.
func (m *measurement) brain(ctx context.Context, t *tree) (err error) {
	e, err := openEngine(ctx, t, m.o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	m.cost.Files += e.cost.Files
	m.cost.Seconds += e.cost.Seconds
	m.cost.Bytes += e.cost.Bytes
	m.cost.TextBytes += e.cost.TextBytes
	m.bare += e.bare
	for why, n := range e.left {
		m.left[why] += n
	}
	positions := m.byScope[t.scope]
	if err := m.findable(e, positions); err != nil {
		return err
	}
	for r := range m.rows {
		for _, i := range positions {
			if err := m.question(ctx, e, r, i); err != nil {
				return fmt.Errorf("ask question %q of the %s row: %w", m.s.Questions[i].ID, strings.Join(m.rows[r].arms, "+"), err)
			}
			m.done++
			m.o.tell("ask", m.done, len(m.rows)*len(m.s.Questions))
		}
	}
	return nil
}

// findable notes relevant documents that no answer can name, and refuses a
// brain of which none can be: that is a wrong set, not a bad engine.
func (m *measurement) findable(e *engine, positions []int) error {
	want := map[string]bool{}
	for _, i := range positions {
		for id := range m.s.Questions[i].Relevant {
			want[id] = true
		}
	}
	ids := make([]string, 0, len(want))
	for id := range want {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	lost := e.missing(ids)
	if len(lost) == len(ids) {
		return fmt.Errorf("scope %q: %w: none of %d, first %q", e.t.scope, ErrNotIndexed, len(ids), ids[0])
	}
	m.lost = append(m.lost, lost...)
	m.sought += len(ids)
	return nil
}

func (m *measurement) question(ctx context.Context, e *engine, row, i int) error {
	q := retrieve.Query{
		Text: m.s.Questions[i].Text, N: m.o.K, Agent: page.DefaultAgent,
		Arms: m.rows[row].query, Now: e.clock(m.s.Questions[i].Date),
	}
	if m.o.Passages {
		q.Unit = retrieve.Passages
	}
	start := time.Now()
	ranked, ans, err := e.ask(ctx, q)
	if err != nil {
		return err
	}
	out := &m.out[row]
	out.ms[i] = float64(time.Since(start).Nanoseconds()) / 1e6
	out.embedMS[i] = ans.EmbedMS
	out.results[i] = Result{ID: m.s.Questions[i].ID, Ranked: ranked, Metrics: Score(ranked, m.s.Questions[i].Relevant)}
	for _, d := range ans.Degraded {
		out.degraded[d.Arm+": "+d.Reason]++
	}
	return nil
}

// run makes the rows of what was gathered.
func (m *measurement) run() (*Run, error) {
	set := Settings{Tokenizer: text.Version, Unit: m.o.unit(), K: m.o.K, Pooled: !m.s.Scoped}
	if m.o.Embedder != nil {
		set.Embedder = m.o.Embedder.Info().Fingerprint
		set.Vectors = cmp.Or(m.o.Vectors, "flat")
	}
	digest, err := set.digest()
	if err != nil {
		return nil, err
	}
	run := &Run{
		Format: RunFormat, Set: m.s.Name, Settings: set, Warnings: m.warnings(),
		Version: version(), Machine: fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
	}
	for r, plan := range m.rows {
		out := m.out[r]
		row := Row{
			Set: m.s.Name, Unit: m.o.unit(), Scope: m.scope(), Arms: plan.arms, N: len(out.results), K: m.o.K,
			Metrics: meanOf(out.results), LatencyMS: percentiles(out.ms), EmbedMS: percentiles(out.embedMS),
			Index: m.cost, Memory: peakMemory(), Digest: digest, Skipped: m.s.Skipped, Results: out.results,
		}
		for why, n := range out.degraded {
			row.Degraded += n
			run.Warnings = append(run.Warnings, fmt.Sprintf("%s: %d questions were answered without %s", strings.Join(plan.arms, "+"), n, why))
		}
		run.Rows = append(run.Rows, row)
	}
	slices.Sort(run.Warnings)
	return run, nil
}

// warnings are what the engine left out, beside the set's own.
func (m *measurement) warnings() []string {
	out := slices.Clone(m.s.Warnings)
	if len(m.left) > 0 {
		out = append(out, "files that are not indexed: "+countNames(m.left))
	}
	if len(m.lost) > 0 {
		out = append(out, fmt.Sprintf("%d of %d relevant documents are not ranked by the index and count as missed, first %q", len(m.lost), m.sought, m.lost[0]))
	}
	if m.bare > 0 {
		out = append(out, fmt.Sprintf("%d passages have no vector: the embedder failed on them", m.bare))
	}
	return out
}

func (m *measurement) scope() string {
	switch {
	case m.s.Scoped:
		return "scoped"
	case slices.ContainsFunc(m.s.Docs, func(d Doc) bool { return d.Scope != "" }):
		return "pooled"
	}
	return "all"
}

// digest names settings in twelve characters.
func (s Settings) digest() (string, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("digest settings: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))[:12], nil
}

// version is the commit that the program was built from, with a mark when
// its files had changed since.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	return commit + changed
}
