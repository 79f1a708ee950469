package index

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"brain/page"
	"brain/text"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	bleveindex "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// bleve keeps the postings: which page holds which term how often, in
// immutable segments that it writes, merges and recovers. The score is ours,
// textbook BM25 (Robertson and Walker 1994, with the non-negative idf of
// Lucene), since bleve's own takes its average length from the number of
// distinct terms per segment, so that it depends on how segments happen to
// lie:
//
//	idf(t)     = ln(1 + (N - df + 0.5) / (df + 0.5))
//	score(d)   = Σ_t w_t · idf(t) · tf·(k1+1) / (tf + k1·(1 - b + b·len/avg))
//	ideal(q)   = Σ_t w_t · idf(t) · (k1+1)
//
// N and avg are the true totals of the manifest, df counts live pages only,
// and terms are added up in the order of the question: no score depends on
// segments, batches or merges. Postings are read term by term into one array
// of scores, which costs a few nanoseconds a posting.
//
// A page's field is "t" for the shared pages, "t/<agent>" for an agent's own,
// so that the statistics of one agent's facts never reach another's ranking,
// and "s/<agent>" for its sessions, so that what is said all the time makes no
// word of a page common. Sessions are scored by statistics of their own and
// put on the pages' scale: both are shares of their ideals.
const (
	bm25K1 = 1.2
	bm25B  = 0.75

	fieldPrefix = "t"
	boltTimeout = "2s" // a published generation is never open for writing; a wait means a bug

	maxSegments   = 16   // small ones are folded above this many beyond the large
	smallSegment  = 200  // documents
	maxAllSegment = 48   // everything is merged above this
	deadShare     = 0.25 // … or when this share of the documents is deleted
)

// fieldName is the field of a scope's pages.
func fieldName(scope string) string {
	switch {
	case scope == "":
		return fieldPrefix
	case strings.HasPrefix(scope, sessionPrefix):
		return scope
	}
	return fieldPrefix + "/" + scope
}

// sessionPrefix begins the scope of an agent's sessions; no agent's name holds
// a slash.
const sessionPrefix = "s/"

func sessionScope(agent string) string { return sessionPrefix + agent }

// scopeOf is whose statistics a page counts in.
func scopeOf(p *page.Page) string {
	if p.Path.IsSession() {
		return sessionScope(p.Agent)
	}
	return p.Agent
}

// scope is scopeOf the page of a row.
func (r *record) scope() string {
	if r.flags&flagSession != 0 {
		return sessionScope(string(metaField(r.meta, metaAgent)))
	}
	return r.file.Path.Agent()
}

// lexDoc is one page as bleve takes it: an id and one field of counted terms.
type lexDoc struct {
	id    string
	field lexField
}

func (d *lexDoc) ID() string                                      { return d.id }
func (d *lexDoc) Size() int                                       { return len(d.id) + 16*len(d.field.freqs) }
func (d *lexDoc) VisitComposite(bleveindex.CompositeFieldVisitor) {}
func (d *lexDoc) HasComposite() bool                              { return false }
func (d *lexDoc) NumPlainTextBytes() uint64                       { return 0 }
func (d *lexDoc) AddIDField()                                     {}
func (d *lexDoc) StoredFieldsBytes() uint64                       { return uint64(len(d.id)) }
func (d *lexDoc) Indexed() bool                                   { return true }
func (d *lexDoc) VisitFields(visit bleveindex.FieldVisitor) {
	visit(&lexField{name: "_id", value: []byte(d.id), length: 1, options: bleveindex.IndexField | bleveindex.StoreField,
		freqs: bleveindex.TokenFrequencies{d.id: once}})
	visit(&d.field)
}

var once = func() *bleveindex.TokenFreq {
	f := &bleveindex.TokenFreq{}
	f.SetFrequency(1)
	return f
}()

const indexOnly = bleveindex.IndexField

// lexField is a field whose tokens are counted already.
type lexField struct {
	name    string
	value   []byte
	length  int
	options bleveindex.FieldIndexingOptions
	freqs   bleveindex.TokenFrequencies
}

func (f *lexField) Name() string                                          { return f.name }
func (f *lexField) Value() []byte                                         { return f.value }
func (f *lexField) ArrayPositions() []uint64                              { return nil }
func (f *lexField) EncodedFieldType() byte                                { return 't' }
func (f *lexField) Analyze()                                              {}
func (f *lexField) Options() bleveindex.FieldIndexingOptions              { return f.options }
func (f *lexField) AnalyzedLength() int                                   { return f.length }
func (f *lexField) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies { return f.freqs }
func (f *lexField) NumPlainTextBytes() uint64                             { return 0 }

// noMerge keeps bleve's background merger idle: an index that is open for
// milliseconds would start merges only to abort them.
var noMerge = map[string]any{
	"MaxSegmentsPerTier": 1000000, "SegmentsPerMergeTask": 10, "MaxSegmentSize": 5000000,
	"TierGrowth": 10.0, "FloorSegmentSize": 1, "ReclaimDeletesWeight": 2.0,
}

func lexConfig(dir string, readOnly bool) map[string]any {
	return map[string]any{
		"path": filepath.Join(dir, "store"), "read_only": readOnly, "bolt_timeout": boltTimeout,
		"scorchMergePlanOptions": noMerge,
	}
}

// lexWriter changes the words of the generation in preparation.
type lexWriter struct {
	ix    *scorch.Scorch
	queue *bleveindex.AnalysisQueue
}

// openLexWriter opens dir for writing, empty or cloned.
func openLexWriter(dir string) (*lexWriter, error) {
	q := bleveindex.NewAnalysisQueue(2)
	ix, err := scorch.NewScorch(scorch.Name, lexConfig(dir, false), q)
	if err == nil {
		err = ix.Open()
	}
	if err != nil {
		q.Close()
		return nil, fmt.Errorf("words: %w", err)
	}
	return &lexWriter{ix.(*scorch.Scorch), q}, nil
}

// apply writes documents and deletions as one segment. It may be called from
// several goroutines.
func (w *lexWriter) apply(docs []*lexDoc, gone []string, gen uint64) error {
	b := bleveindex.NewBatch()
	for _, d := range docs {
		b.Update(d)
	}
	for _, id := range gone {
		b.Delete(id)
	}
	if gen != 0 {
		b.SetInternal([]byte("gen"), []byte(strconv.FormatUint(gen, 10)))
	}
	return w.ix.Batch(b)
}

// merge folds small segments, or all, when there are too many.
func (w *lexWriter) merge(ctx context.Context, all bool) error {
	r, err := w.ix.Reader()
	if err != nil {
		return err
	}
	snap := r.(*scorch.IndexSnapshot)
	small, live, full := 0, int64(0), int64(0)
	for _, s := range snap.Segments() {
		live, full = live+s.LiveSize(), full+s.FullSize()
		if s.LiveSize() < smallSegment {
			small++
		}
	}
	n := len(snap.Segments())
	if err := r.Close(); err != nil {
		return err
	}
	o := mergeplan.MergePlanOptions{MaxSegmentsPerTier: 1, MaxSegmentSize: 2 * smallSegment, TierGrowth: 1,
		SegmentsPerMergeTask: 100, FloorSegmentSize: 2 * smallSegment, ReclaimDeletesWeight: 2}
	switch {
	case n > 1 && (all || n > maxAllSegment || float64(full-live) > deadShare*float64(full)):
		o = mergeplan.SingleSegmentMergePlanOptions
		o.SegmentsPerMergeTask = max(o.SegmentsPerMergeTask, n) // else ten at a time, and several remain
	case small <= maxSegments:
		return nil
	}
	if err := w.ix.ForceMerge(ctx, &o); err != nil {
		return fmt.Errorf("words: merge: %w", err)
	}
	return w.settle(ctx)
}

// settle waits until what is in memory is on disk: ForceMerge returns before.
func (w *lexWriter) settle(ctx context.Context) error {
	for range 10000 {
		m := w.ix.StatsMap()
		if m["CurRootEpoch"] == m["LastPersistedEpoch"] {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Microsecond):
		}
	}
	return errors.New("words: a merge was not written within its time")
}

// close waits briefly for bleve to drop the snapshots it no longer needs, so
// that the next generation does not link files only they name.
func (w *lexWriter) close() error {
	for range 50 {
		epochs, err := w.ix.RootBoltSnapshotEpochs()
		if err != nil || len(epochs) <= 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	err := w.ix.Close()
	w.queue.Close()
	return err
}

// lexReader is the words of one generation.
type lexReader struct {
	ix   *scorch.Scorch
	snap *scorch.IndexSnapshot
	acc  sync.Pool // []float64, a score for each document number
}

// guard makes damage of a panic: bleve trusts the bytes of its segments and
// indexes out of range when they were changed behind its back.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("words: %w: %v", errDamaged, r)
	}
}

func openLexReader(dir string, gen uint64) (_ *lexReader, err error) {
	defer guard(&err)
	ix, err := scorch.NewScorch(scorch.Name, lexConfig(dir, true), nil)
	if err == nil {
		err = ix.Open()
	}
	if err != nil {
		return nil, fmt.Errorf("words: %w: %v", errDamaged, err)
	}
	r, err := ix.Reader()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("words: %w: %v", errDamaged, err), ix.Close())
	}
	l := &lexReader{ix: ix.(*scorch.Scorch), snap: r.(*scorch.IndexSnapshot)}
	// bleve falls back to an older snapshot when a segment cannot be opened,
	// without an error; the number inside says whether this is ours.
	got, err := r.GetInternal([]byte("gen"))
	if err == nil && string(got) != strconv.FormatUint(gen, 10) {
		err = fmt.Errorf("holds generation %q", got)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("words: %w: %v", errDamaged, err), l.close())
	}
	return l, nil
}

func (l *lexReader) close() error {
	return errors.Join(l.snap.Close(), l.ix.Close())
}

func (l *lexReader) docs() int {
	n := 0
	for _, s := range l.snap.Segments() {
		n += int(s.FullSize())
	}
	return n
}

// linker clones an index by linking its segments; bleve writes only the small
// root.bolt anew.
type linker struct {
	d        *disk
	from, to string
}

func (k linker) GetWriter(name string) (io.WriteCloser, error) {
	dst := filepath.Join(k.to, name)
	if err := os.MkdirAll(filepath.Dir(dst), 0o700); err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".zap") {
		return nil, k.d.link(filepath.Join(k.from, name), dst)
	}
	return os.OpenFile(dst, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// clone copies the words of this generation into dir without copying.
func (l *lexReader) clone(d *disk, from, to string) (err error) {
	defer guard(&err)
	if err := l.snap.CopyTo(linker{d, from, to}); err != nil {
		return fmt.Errorf("words: clone: %w", err)
	}
	return nil
}

// TermStat is a term of the question as the index knows it.
type TermStat struct {
	text.QueryTerm
	DF  int
	IDF float64
}

// LexicalResult holds the BM25 scores of all pages for one question until
// Close.
type LexicalResult struct {
	Terms []TermStat
	Ideal float64 // what a page full of every term would approach
	view  *View
	acc   []float64
	turns turnStats
}

// search scores every page that holds a term of the question.
func (l *lexReader) search(ctx context.Context, terms []text.QueryTerm, fields []string, sum totals) (_ *LexicalResult, err error) {
	defer guard(&err)
	r := &LexicalResult{acc: l.scores()}
	avg := sum.average()
	for _, t := range terms {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lists, df, err := l.postings(t.Text, fields)
		if err != nil {
			return nil, err
		}
		w := idf(sum.Docs, float64(df))
		r.Terms = append(r.Terms, TermStat{t, df, w})
		r.Ideal += t.Weight * w * (bm25K1 + 1)
		for _, p := range lists {
			if _, err := p.score(r.acc, t.Weight*w, avg); err != nil {
				return nil, fmt.Errorf("words: %q: %w", t.Text, err)
			}
		}
	}
	return r, nil
}

// searchSessions adds the sessions of a scope to the scores, on the scale of
// the pages, and notes what the words are worth among turns.
func (l *lexReader) searchSessions(ctx context.Context, r *LexicalResult, scope string, sum totals) (err error) {
	defer guard(&err)
	if sum.Docs == 0 {
		return nil
	}
	type found struct {
		lists []posting
		idf   float64
	}
	all := make([]found, len(r.Terms))
	ideal := 0.0
	for i, t := range r.Terms {
		if err := ctx.Err(); err != nil {
			return err
		}
		lists, df, err := l.postings(t.Text, []string{fieldName(scope)})
		if err != nil {
			return err
		}
		all[i] = found{lists, idf(sum.Docs, float64(df))}
		ideal += t.Weight * all[i].idf * (bm25K1 + 1)
	}
	if ideal == 0 {
		return nil
	}
	r.turns.avg = max(1, float64(sum.Words)/float64(max(1, sum.Turns))/termUnit)
	for i, t := range r.Terms {
		said := 0
		for _, p := range all[i].lists {
			n, err := p.score(r.acc, t.Weight*all[i].idf*r.Ideal/ideal, sum.average())
			if err != nil {
				return fmt.Errorf("words: %q: %w", t.Text, err)
			}
			said += n
		}
		w := t.Weight * idf(sum.Turns, float64(min(said, sum.Turns)))
		r.turns.ideal += w * (bm25K1 + 1)
		if said > 0 {
			r.turns.terms = append(r.turns.terms, turnTerm{termHash([]byte(t.Text)), w})
		}
	}
	return nil
}

func idf(docs int, df float64) float64 {
	return math.Log(1 + (float64(docs)-df+0.5)/(df+0.5))
}

// average is the mean length of a page in words.
func (t totals) average() float64 {
	if t.Docs == 0 {
		return 1
	}
	return max(1, float64(t.Words)/float64(t.Docs)/termUnit)
}

func (l *lexReader) scores() []float64 {
	n := l.docs()
	if a, ok := l.acc.Get().(*[]float64); ok && len(*a) == n {
		clear(*a)
		return *a
	}
	return make([]float64, n)
}

// posting is one term's list in one segment.
type posting struct {
	list   segment.PostingsList
	offset int
}

func (l *lexReader) postings(term string, fields []string) (out []posting, df int, err error) {
	offset := 0
	for _, s := range l.snap.Segments() {
		for _, f := range fields {
			dict, err := s.Segment().Dictionary(f)
			if err != nil {
				return nil, 0, err
			}
			list, err := dict.PostingsList([]byte(term), s.Deleted(), nil)
			if err != nil {
				return nil, 0, err
			}
			if n := int(list.Count()); n > 0 {
				df += n
				out = append(out, posting{list, offset})
			}
		}
		offset += int(s.FullSize())
	}
	return out, df, nil
}

// score adds weight·tf·(k1+1)/(tf + k1·norm) to every page of the list, and
// gives, of sessions, in how many turns the term was said.
func (p posting) score(acc []float64, weight, avg float64) (turns int, err error) {
	const a, b = bm25K1 * (1 - bm25B), bm25K1 * bm25B
	it := p.list.Iterator(true, true, false, nil)
	for {
		m, err := it.Next()
		if err != nil || m == nil {
			return turns, err
		}
		turns += int(m.Frequency() / saidIn)
		tf := float64(m.Frequency()%saidIn) / termUnit
		acc[p.offset+int(m.Number())] += weight * tf * (bm25K1 + 1) / (tf + a + b*fieldLength(m)/avg)
	}
}

// fieldLength gives the page's length in words. bleve stores the length
// itself; its interface offers only 1/sqrt of it.
func fieldLength(m segment.Posting) float64 {
	if n, ok := m.(interface{ NormUint64() uint64 }); ok {
		return float64(n.NormUint64()) / termUnit
	}
	n := m.Norm()
	return math.Round(1/(n*n)) / termUnit
}

// docID gives the path of a document number.
func (l *lexReader) docID(n int) (_ string, err error) {
	defer guard(&err)
	for _, s := range l.snap.Segments() {
		if full := int(s.FullSize()); n >= full {
			n -= full
			continue
		}
		b, err := s.DocID(uint64(n))
		return string(b), err
	}
	return "", fmt.Errorf("words: %w: no document %d", errDamaged, n)
}

// docNumber gives the document number of a path.
func (l *lexReader) docNumber(path string) (_ int, _ bool, err error) {
	defer guard(&err)
	id, err := l.snap.InternalID(path)
	if err != nil || id == nil {
		return 0, false, err
	}
	return int(id.Value()), true, nil
}

// scored is a document number with its score, in a heap with the best on top.
type scored struct {
	score float64
	doc   int
}
type scoredHeap []scored

func (h scoredHeap) Len() int           { return len(h) }
func (h scoredHeap) Less(i, j int) bool { return h[i].score > h[j].score }
func (h scoredHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *scoredHeap) Push(x any)        { *h = append(*h, x.(scored)) }
func (h *scoredHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// Match is a page that an arm found.
type Match struct {
	Row   uint32
	Path  string
	Score float64
	Chunk int // of the vector arm: the best chunk
}

// Top gives the k best pages that accept lets pass (nil: all), best first,
// equal scores by path. Every page with a term of the question is a
// candidate, so a filter never starves the answer.
func (r *LexicalResult) Top(k int, accept func(row uint32) bool) ([]Match, error) {
	if k <= 0 {
		return nil, nil
	}
	h := make(scoredHeap, 0, 256)
	for d, s := range r.acc {
		if s > 0 {
			h = append(h, scored{s, d})
		}
	}
	heap.Init(&h)
	var out []Match
	for k > 0 && len(h) > 0 {
		s := heap.Pop(&h).(scored)
		if len(out) >= k && s.score < out[k-1].Score {
			break // equal scores are all taken, so that paths decide
		}
		id, err := r.view.lex.docID(s.doc)
		if err != nil {
			return nil, err
		}
		row, ok := r.view.lookup(id)
		if !ok || accept != nil && !accept(row) {
			continue
		}
		out = append(out, Match{Row: row, Path: id, Score: s.score})
	}
	return firstMatches(out, k), nil
}

// firstMatches sorts by score, equal ones by path, and keeps k.
func firstMatches(out []Match, k int) []Match {
	slices.SortStableFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path))
	})
	return out[:min(k, len(out))]
}

// Score gives a page's BM25, zero when it holds no term of the question.
func (r *LexicalResult) Score(row uint32) (float64, error) {
	n, ok, err := r.view.lex.docNumber(string(r.view.path(row)))
	if err != nil || !ok {
		return 0, err
	}
	return r.acc[n], nil
}

// Close gives the scores' memory back.
func (r *LexicalResult) Close() {
	if r.acc != nil {
		acc := r.acc
		r.acc = nil
		r.view.lex.acc.Put(&acc)
	}
}

// buildWorkers is how many goroutines parse, count and write at a first build.
func buildWorkers() int { return max(1, min(runtime.GOMAXPROCS(0), 8)) }
