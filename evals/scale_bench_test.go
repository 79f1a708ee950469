package evals

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"brain/index"
	"brain/llm"
	"brain/page"
	"brain/retrieve"
	"brain/store"
	"brain/text"

	_ "modernc.org/sqlite"
)

// Latency and indexing at scale, over real Markdown trees:
//
//	BRAIN_DATA=…/data go test ./evals -run - -bench Scale -benchtime 1000x
//	BRAIN_DATA=…/data BRAIN_SCALE=50000 go test ./evals -run - -bench Scale -benchtime 1000x
//
// The tree is made of the corpora in a fixed order until BRAIN_SCALE files
// (10,000) are there; the questions are those of the known-item sets, in a
// fixed shuffle. Percentiles are reported beside the mean, since a mean hides
// the questions that hurt.

// corpora are the trees in the order in which tiers take them.
var corpora = []string{"dendron-site", "tidb-docs-zh", "oi-wiki-zh", "rust-rfcs", "react-zh", "powershell-docs", "cpp-docs", "tldr"}

type scale struct {
	sr        *retrieve.Searcher
	view      *index.View
	questions []string
	fts       *sql.DB
	report    index.Report
}

var scaleOnce = sync.OnceValues(newScale)

func scaled(b *testing.B) *scale {
	b.Helper()
	if os.Getenv("BRAIN_DATA") == "" {
		b.Skip("BRAIN_DATA does not name the folder of the evaluation data")
	}
	s, err := scaleOnce()
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func newScale() (*scale, error) {
	files := 10000
	if v := os.Getenv("BRAIN_SCALE"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			return nil, err
		}
		files = n
	}
	dir, err := os.MkdirTemp("", "brain-scale-")
	if err != nil {
		return nil, err
	}
	if _, err := store.Init(dir, store.InitOptions{Brain: "default"}); err != nil {
		return nil, err
	}
	if err := plantCorpora(filepath.Join(dir, "brains", "default"), files); err != nil {
		return nil, err
	}
	root, err := store.Find(dir)
	if err != nil {
		return nil, err
	}
	st, err := store.Open(root, "default")
	if err != nil {
		return nil, err
	}
	e, err := llm.Static()
	if err != nil {
		return nil, err
	}
	ix, err := index.Open(index.Options{Dir: filepath.Join(dir, "index"), Embedder: e})
	if err != nil {
		return nil, err
	}
	s := &scale{sr: &retrieve.Searcher{Brain: "default", Index: ix, Source: st, Embedder: e}}
	if s.report, err = ix.Sync(context.Background(), st, index.SyncOptions{}); err != nil {
		return nil, err
	}
	if s.view, err = ix.View(); err != nil {
		return nil, err
	}
	if s.questions, err = knownItems(); err != nil {
		return nil, err
	}
	s.fts, err = plantFTS5(filepath.Join(dir, "fts5.db"), st)
	return s, err
}

// plantCorpora writes the first n files of the corpora as a tree.
func plantCorpora(dir string, n int) error {
	for _, name := range corpora {
		err := eachRecord(filepath.Join(os.Getenv("BRAIN_DATA"), "corpora", name+".jsonl.gz"), func(_ int, r record) error {
			if n == 0 {
				return io.EOF
			}
			n--
			path := filepath.Join(dir, name, filepath.FromSlash(r.text("path")))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			return os.WriteFile(path, []byte(r.text("text")), 0o644)
		})
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

func knownItems() ([]string, error) {
	var out []string
	for _, set := range []string{"tidb-known-item", "tldr-known-item"} {
		err := eachRecord(filepath.Join(os.Getenv("BRAIN_DATA"), set, "queries.jsonl"), func(_ int, r record) error {
			out = append(out, r.text("text"))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	rand.New(rand.NewSource(1)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out, nil
}

// plantFTS5 indexes the same pages in SQLite, cut by the same tokenizer: every
// term is a word for it, since only blanks separate.
func plantFTS5(name string, st *store.Store) (*sql.DB, error) {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	for _, stmt := range []string{
		"PRAGMA journal_mode=OFF", "PRAGMA cache_size=-400000", "PRAGMA mmap_size=2000000000",
		`CREATE VIRTUAL TABLE d USING fts5(t, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'")`,
		"BEGIN",
	} {
		if _, err := db.Exec(stmt); err != nil {
			return nil, fmt.Errorf("%s: %w", stmt, err)
		}
	}
	ctx := context.Background()
	l, err := st.List(ctx)
	if err != nil {
		return nil, err
	}
	insert, err := db.Prepare("INSERT INTO d(rowid, t) VALUES(?, ?)")
	if err != nil {
		return nil, err
	}
	for i, f := range l.Files {
		raw, err := st.Read(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		if _, err := insert.Exec(i+1, terms(page.Parse(f.Path, raw))); err != nil {
			return nil, err
		}
	}
	for _, stmt := range []string{"COMMIT", "INSERT INTO d(d) VALUES('optimize')"} {
		if _, err := db.Exec(stmt); err != nil {
			return nil, err
		}
	}
	return db, nil
}

func terms(p *page.Page) string {
	c := p.Clean()
	var b strings.Builder
	for _, part := range append([]string{c.Title, c.Body, c.Code}, c.Headings...) {
		text.Terms(part, func(t text.Term) { b.Write(t.Text); b.WriteByte(' ') })
	}
	return b.String()
}

// timed runs one question after another and reports percentiles.
func (s *scale) timed(b *testing.B, ask func(q string) (time.Duration, error)) {
	for _, q := range s.questions[:100] { // warm
		if _, err := ask(q); err != nil {
			b.Fatal(err)
		}
	}
	var took []time.Duration
	i := 0
	for b.Loop() {
		d, err := ask(s.questions[i%len(s.questions)])
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, d)
		i++
	}
	slices.Sort(took)
	ms := func(q float64) float64 { return took[int(q*float64(len(took)-1))].Seconds() * 1000 }
	b.ReportMetric(ms(.5), "p50-ms")
	b.ReportMetric(ms(.95), "p95-ms")
	b.ReportMetric(ms(.99), "p99-ms")
	b.ReportMetric(0, "ns/op")
}

func (s *scale) lexical(q string) (time.Duration, error) {
	start := time.Now()
	r, err := s.view.Lexical(context.Background(), text.Query(q), "")
	if err != nil {
		return 0, err
	}
	_, err = r.Top(10, nil)
	r.Close()
	return time.Since(start), err
}

func (s *scale) fts5(q string) (time.Duration, error) {
	var words []string
	for _, t := range text.Query(q) {
		words = append(words, `"`+strings.ReplaceAll(t.Text, `"`, `""`)+`"`)
	}
	if len(words) == 0 {
		return 0, nil
	}
	start := time.Now()
	rows, err := s.fts.Query("SELECT rowid FROM d WHERE d MATCH ? ORDER BY bm25(d) LIMIT 10", strings.Join(words, " OR "))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return 0, err
		}
	}
	return time.Since(start), rows.Err()
}

// BenchmarkScaleLexical is the lexical arm alone, on an open generation.
func BenchmarkScaleLexical(b *testing.B) {
	s := scaled(b)
	s.timed(b, s.lexical)
}

// BenchmarkScaleFTS5 is SQLite's full text search over the same terms.
func BenchmarkScaleFTS5(b *testing.B) {
	s := scaled(b)
	s.timed(b, s.fts5)
}

// BenchmarkScaleHybrid is a whole search, snippets included, without the look
// at the tree and the embedding of the question.
func BenchmarkScaleHybrid(b *testing.B) {
	s := scaled(b)
	s.timed(b, func(q string) (time.Duration, error) {
		start := time.Now()
		a, err := s.sr.Search(context.Background(), s.view, retrieve.Query{Text: q})
		if err != nil {
			return 0, err
		}
		return time.Since(start) - time.Duration(a.EmbedMS*float64(time.Millisecond)), nil
	})
}

// BenchmarkScaleSyncOnePage changes a page and takes it in.
func BenchmarkScaleSyncOnePage(b *testing.B) {
	s := scaled(b)
	st := s.sr.Source.(*store.Store)
	l, err := st.List(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	name := filepath.Join(st.Dir(), filepath.FromSlash(string(l.Files[len(l.Files)/2].Path)))
	raw, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	var written []int64
	i := 0
	for b.Loop() {
		i++
		if err := os.WriteFile(name, fmt.Appendf(slices.Clone(raw), "\n\nChange number %d of the page.\n", i), 0o644); err != nil {
			b.Fatal(err)
		}
		rep, err := s.sr.Index.Sync(context.Background(), st, index.SyncOptions{})
		if err != nil {
			b.Fatal(err)
		}
		written = append(written, rep.Written)
	}
	slices.Sort(written)
	b.ReportMetric(float64(written[len(written)/2])/1e6, "median-MB-written")
	b.ReportMetric(float64(written[len(written)-1])/1e6, "max-MB-written")
}

// BenchmarkScaleTouch adds pages and takes in these alone, as `brain add` does,
// one at a time and two hundred at a time.
func BenchmarkScaleTouch(b *testing.B) {
	s := scaled(b)
	for _, n := range []int{1, 200} {
		b.Run(strconv.Itoa(n), func(b *testing.B) { s.touch(b, n) })
	}
}

func (s *scale) touch(b *testing.B, n int) {
	st := s.sr.Source.(*store.Store)
	ctx := context.Background()
	if _, err := s.sr.Index.Sync(ctx, st, index.SyncOptions{}); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		w := index.Written{}
		for k := range n {
			p := page.Path(fmt.Sprintf("touched/%d-%d-%d.md", n, i, k))
			name := filepath.Join(st.Dir(), string(p))
			text := fmt.Sprintf("# Note %d of batch %d\n\nWhat was decided on day %d: the build of part %d goes first, see [[%d-%d-%d]].\n", k, i, i*7, k*13, n, i, k/2)
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
				b.Fatal(err)
			}
			w.Paths = append(w.Paths, p)
		}
		start := time.Now()
		rep, err := s.sr.Index.Touch(ctx, st, w)
		if err != nil || rep.Added != n {
			b.Fatalf("%+v %v", rep, err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(took[len(took)-1].Seconds()*1000, "max-ms")
}
