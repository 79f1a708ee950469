package evals

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"
)

// A set is a folder with three files: docs.jsonl (id, title, text, and where
// there are such: scope, lang, path, date, kind; of turns session, speaker,
// role), queries.jsonl (id, text, scope, date, no_evidence) and qrels.tsv
// (question, document, grade). Each may be gzipped, each may be replaced by a
// file from elsewhere.
//
// Loading keeps of a document what placing it needs, and not its text: that is
// streamed again when the tree is written.

// LoadOptions choose files and records of a set; the zero value takes all.
type LoadOptions struct {
	Docs, Queries, Qrels string   // files instead of the set's own: as given, else inside the set
	Where, DocsWhere     []string // filters on questions and documents, "key=value,value*"
	Kind                 string   // keep documents of this kind
	Pooled               bool     // one brain for all scopes, all questions asked
}

// Set is a data set, ready to be measured.
type Set struct {
	Name      string
	Docs      []Doc // those that pass the filters, in file order
	Questions []Question
	Scoped    bool // a brain a scope; else one for all
	Skipped   Skipped
	Warnings  []string // what a reader of the figures should know

	docsFile string
}

// Skipped counts the questions that are not asked.
type Skipped struct {
	NoEvidence int `json:"no_evidence"` // marked so by the set
	NoQrel     int `json:"no_qrel"`     // no relevant document among those indexed
	NoScope    int `json:"no_scope"`    // the set is scoped and the question names no scope
}

// Doc is a document without its text.
type Doc struct {
	ID    string
	Scope string
	Path  string // the set's own file name, or ""
	Date  time.Time
	Turn  bool // one message of a conversation

	line int // of the documents' file
}

// Question is a question with its judgements.
type Question struct {
	ID       string
	Text     string
	Scope    string
	Date     time.Time      // when it is asked; zero when the set does not say
	Relevant map[string]int // document id → grade, at least 1
}

// brainOf names the brain of a scope: its own, or the one for all.
func (s *Set) brainOf(scope string) string {
	if s.Scoped {
		return scope
	}
	return ""
}

// ChooseQrels: a set counts in several ways and the caller named none of them.
type ChooseQrels struct {
	Dir   string
	Files []string
}

func (e *ChooseQrels) Error() string {
	return fmt.Sprintf("load %s: no qrels.tsv but several ways to count: choose one of %s", e.Dir, strings.Join(e.Files, ", "))
}

func (e *ChooseQrels) Is(target error) bool { return target == ErrUsage }

// Load reads a set: documents, then questions, then judgements, each checked
// against what came before.
func Load(dir string, o LoadOptions) (*Set, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", dir, err)
	}
	s := &Set{Name: filepath.Base(abs)}
	var queries, qrels string
	if s.docsFile, err = setFile(dir, o.Docs, "docs.jsonl"); err != nil {
		return nil, err
	}
	if queries, err = setFile(dir, o.Queries, "queries.jsonl"); err != nil {
		return nil, err
	}
	if qrels, err = qrelsFile(dir, o.Qrels); err != nil {
		return nil, err
	}
	known, err := s.readDocs(o)
	if err != nil {
		return nil, err
	}
	return s, s.readJudged(queries, qrels, o, known)
}

// readJudged reads questions and judgements over known documents (id → is
// among Docs) and drops the questions that cannot be scored.
func (s *Set) readJudged(queries, qrels string, o LoadOptions, known map[string]bool) error {
	asked, err := s.readQuestions(queries, o)
	if err != nil {
		return err
	}
	judged, err := readQrels(qrels, known)
	if err != nil {
		return err
	}
	return s.match(asked, judged, qrels)
}

// setFile finds one file of a set: the one named by the caller, as given or
// inside the set, else the default, plain or gzipped.
func setFile(dir, given, name string) (string, error) {
	tries := []string{filepath.Join(dir, name), filepath.Join(dir, name+".gz")}
	if given != "" {
		tries = []string{given}
		if !filepath.IsAbs(given) {
			tries = append(tries, filepath.Join(dir, given))
		}
	}
	for _, f := range tries {
		if st, err := os.Stat(f); err == nil && !st.IsDir() {
			return f, nil
		}
	}
	return "", fmt.Errorf("load %s: no file %s: %w", dir, strings.Join(tries, " or "), fs.ErrNotExist)
}

func qrelsFile(dir, given string) (string, error) {
	name, err := setFile(dir, given, "qrels.tsv")
	if err == nil || given != "" {
		return name, err
	}
	var found []string
	for _, pattern := range []string{"qrels*.tsv", "qrels*.tsv.gz"} {
		names, gerr := filepath.Glob(filepath.Join(globQuote(dir), pattern))
		if gerr != nil {
			return "", fmt.Errorf("load %s: %w", dir, gerr)
		}
		found = append(found, names...)
	}
	switch len(found) {
	case 0:
		return "", err
	case 1:
		return found[0], nil
	}
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	sort.Strings(found)
	return "", &ChooseQrels{Dir: dir, Files: found}
}

// globQuote keeps brackets and stars in a folder's name from being a pattern.
func globQuote(dir string) string {
	if os.PathSeparator == '\\' {
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// readDocs fills s.Docs and returns every id of the file with whether it
// passed the filters.
func (s *Set) readDocs(o LoadOptions) (map[string]bool, error) {
	where, err := parseFilters(o.DocsWhere)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	fields := map[string]bool{}
	kinds := map[string]int{}
	undated := 0
	err = eachRecord(s.docsFile, func(line int, r record) error {
		id := r.text("id")
		if _, twice := known[id]; id == "" || twice {
			return fmt.Errorf("%w: document id %q is missing or not the first of its name", ErrData, id)
		}
		for k := range r {
			fields[k] = true
		}
		kind := r.text("kind")
		known[id] = where.keep(r) && (o.Kind == "" || o.Kind == kind)
		if !known[id] {
			return nil
		}
		kinds[kind]++
		d := Doc{ID: id, Scope: r.text("scope"), Path: r.text("path"), Turn: isTurn(r), line: line}
		if date := r.text("date"); date != "" {
			var ok bool
			if d.Date, ok = ParseDate(date); !ok {
				undated++
			}
		}
		s.Scoped = s.Scoped || d.Scope != "" && !o.Pooled
		s.Docs = append(s.Docs, d)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if f, missing := where.unmatched(fields); missing {
		return nil, fmt.Errorf("%w: filter documents by %s: no document of %s has that field", ErrUsage, f, s.docsFile)
	}
	if len(s.Docs) == 0 {
		return nil, fmt.Errorf("%w: load %s: %d documents, none passes the filters", ErrUsage, s.docsFile, len(known))
	}
	if undated > 0 {
		s.warn("%d documents have a date of unknown form; it is left out", undated)
	}
	if len(kinds) > 1 {
		s.warn("documents of several kinds are indexed together: %s", countNames(kinds))
	}
	return known, nil
}

// isTurn tells one message of a conversation from a page: sets say kind
// "turn", or who speaks.
func isTurn(r record) bool {
	return r.text("kind") == "turn" || r.text("kind") == "" && (r.text("role") != "" || r.text("speaker") != "")
}

func (s *Set) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

func countNames(counts map[string]int) string {
	var parts []string
	for name, n := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", n, strconv.Quote(name)))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

// readQuestions returns the questions that pass the filters and are not
// marked no_evidence.
func (s *Set) readQuestions(name string, o LoadOptions) ([]Question, error) {
	where, err := parseFilters(o.Where)
	if err != nil {
		return nil, err
	}
	var qs []Question
	seen := map[string]bool{}
	fields := map[string]bool{}
	undated := 0
	err = eachRecord(name, func(_ int, r record) error {
		q := Question{ID: r.text("id"), Text: r.text("text"), Scope: r.text("scope"), Relevant: map[string]int{}}
		if q.ID == "" || seen[q.ID] {
			return fmt.Errorf("%w: question id %q is missing or not the first of its name", ErrData, q.ID)
		}
		seen[q.ID] = true
		for k := range r {
			fields[k] = true
		}
		if !where.keep(r) {
			return nil
		}
		if r.truth("no_evidence") {
			s.Skipped.NoEvidence++
			return nil
		}
		if strings.TrimSpace(q.Text) == "" {
			return fmt.Errorf("%w: question %q has no text", ErrData, q.ID)
		}
		if date := r.text("date"); date != "" {
			var ok bool
			if q.Date, ok = ParseDate(date); !ok {
				undated++
			}
		}
		qs = append(qs, q)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if f, missing := where.unmatched(fields); missing {
		return nil, fmt.Errorf("%w: filter questions by %s: no question of %s has that field", ErrUsage, f, name)
	}
	if undated > 0 {
		s.warn("%d questions have a date of unknown form; the newest of their documents stands for it", undated)
	}
	return qs, nil
}

// readQrels returns question → document → grade, of documents that are among
// the chosen. A document that the set does not have at all is an error: such a
// question could only ever count as missed.
func readQrels(name string, known map[string]bool) (map[string]map[string]int, error) {
	judged := map[string]map[string]int{}
	err := eachLine(name, func(line int, b []byte) error {
		if strings.TrimSpace(string(b)) == "" {
			return nil
		}
		col := strings.Split(string(b), "\t")
		if len(col) != 3 {
			return fmt.Errorf("%w: %d columns, want question, document, grade", ErrData, len(col))
		}
		grade, err := strconv.Atoi(strings.TrimSpace(col[2]))
		if err != nil {
			if line == 1 {
				return nil // the header
			}
			return fmt.Errorf("%w: grade %q is not a whole number", ErrData, col[2])
		}
		q, doc := strings.TrimSpace(col[0]), strings.TrimSpace(col[1])
		chosen, exists := known[doc]
		if !exists {
			return fmt.Errorf("%w: question %q is judged by document %q, which the documents do not have", ErrData, q, doc)
		}
		if !chosen || grade < 1 {
			return nil
		}
		if judged[q] == nil {
			judged[q] = map[string]int{}
		}
		judged[q][doc] = max(grade, judged[q][doc])
		return nil
	})
	return judged, err
}

// match joins questions with their judgements and keeps those that can be
// scored.
func (s *Set) match(asked []Question, judged map[string]map[string]int, qrels string) error {
	scopeOf := make(map[string]string, len(s.Docs))
	for _, d := range s.Docs {
		scopeOf[d.ID] = d.Scope
	}
	for _, q := range asked {
		q.Relevant = judged[q.ID]
		switch {
		case s.Scoped && q.Scope == "":
			s.Skipped.NoScope++
			continue
		case len(q.Relevant) == 0:
			s.Skipped.NoQrel++
			continue
		}
		for doc := range q.Relevant {
			if s.Scoped && scopeOf[doc] != q.Scope {
				return fmt.Errorf("%w: question %q asks in scope %q, its relevant document %q is of scope %q: only a pooled run can find it",
					ErrData, q.ID, q.Scope, doc, scopeOf[doc])
			}
		}
		s.Questions = append(s.Questions, q)
	}
	if len(s.Questions) == 0 {
		return fmt.Errorf("%w: load %s: no question can be scored: %d pass the filters, %d of them without a relevant document among the chosen, %d without a scope, and %d are marked no_evidence",
			ErrUsage, qrels, len(asked), s.Skipped.NoQrel, s.Skipped.NoScope, s.Skipped.NoEvidence)
	}
	return nil
}
