package evals

import (
	"encoding/json"
	"fmt"
	"os"
)

// A run file holds what was measured and, question by question, what was
// found, so that two versions can be compared on the same questions instead of
// by their means. It is one JSON object; fields may be added, never renamed.
// doc/eval.md describes it.

// RunFormat is the version of run files that this package writes.
const RunFormat = 1

// Run is one measurement of one set.
type Run struct {
	Format   int      `json:"format"`
	Set      string   `json:"set"`
	Settings Settings `json:"settings"`
	Version  string   `json:"version"` // of the program: its commit, "" when it was not built from one
	Machine  string   `json:"machine"` // operating system, processor kind, cores, Go
	Rows     []Row    `json:"rows"`    // each arm alone, then the fusion
	Warnings []string `json:"warnings,omitempty"`
}

// Row is what one arm, or the fusion, reached.
type Row struct {
	Set       string      `json:"set"`
	Unit      string      `json:"unit"`  // page, passage
	Scope     string      `json:"scope"` // scoped: one brain a scope; pooled: one for all; all: the set has no scopes
	Arms      []string    `json:"arms"`
	N         int         `json:"n"` // questions
	K         int         `json:"k"` // results asked for
	Metrics   Metrics     `json:"metrics"`
	LatencyMS Percentiles `json:"latency_ms"` // of a whole question
	EmbedMS   Percentiles `json:"embed_ms"`   // the part of it that embedded the question
	Index     IndexCost   `json:"index"`
	Memory    int64       `json:"peak_memory_bytes"` // of the process so far; 0 where unknown
	Digest    string      `json:"settings_digest"`
	Skipped   Skipped     `json:"skipped"`
	Degraded  int         `json:"degraded"` // questions that an arm could not answer

	Results []Result `json:"-"`
}

// IndexCost is what it took to index all brains of the set.
type IndexCost struct {
	Files     int     `json:"files"`
	Seconds   float64 `json:"seconds"`
	Bytes     int64   `json:"bytes"`      // of the index on disk
	TextBytes int64   `json:"text_bytes"` // of the files
}

// FilesPerSecond and MBPerSecond are the speed of indexing.
func (c IndexCost) FilesPerSecond() float64 { return perSecond(float64(c.Files), c.Seconds) }

// MBPerSecond counts a megabyte as 10^6 bytes of text.
func (c IndexCost) MBPerSecond() float64 { return perSecond(float64(c.TextBytes)/1e6, c.Seconds) }

func perSecond(n, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return n / seconds
}

// Result is one question of a row.
type Result struct {
	ID      string   `json:"id"`
	Ranked  []string `json:"ranked"` // document ids, best first
	Metrics Metrics  `json:"metrics"`
}

// Settings are what a figure depends on beside data and code.
type Settings struct {
	Embedder  string `json:"embedder"`  // fingerprint, or "" without vectors
	Vectors   string `json:"vectors"`   // how they are stored, or ""
	Tokenizer int    `json:"tokenizer"` // version of the rules that cut words
	Unit      string `json:"unit"`
	K         int    `json:"k"`
	Pooled    bool   `json:"pooled"`
}

// rowWithResults is a Row as a run file holds it: `--json` prints rows
// without the questions.
type rowWithResults struct {
	Row
	Results []Result `json:"questions"`
}

// runOnDisk is the form of the file.
type runOnDisk struct {
	Run
	Rows []rowWithResults `json:"rows"`
}

// Save writes the run with every question's ranking.
func (r *Run) Save(name string) error {
	out := runOnDisk{Run: *r}
	for _, row := range r.Rows {
		out.Rows = append(out.Rows, rowWithResults{row, row.Results})
	}
	b, err := json.Marshal(out)
	if err != nil {
		return fmt.Errorf("save run %s: %w", name, err)
	}
	if err := os.WriteFile(name, append(b, '\n'), 0o666); err != nil {
		return fmt.Errorf("save run: %w", err)
	}
	return nil
}

// ReadRun reads a file that Save wrote.
func ReadRun(name string) (*Run, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	var in runOnDisk
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("read run %s: %w: %w", name, ErrData, err)
	}
	if in.Format != RunFormat {
		return nil, fmt.Errorf("read run %s: %w: format %d, want %d: a file that `eval --out` wrote", name, ErrData, in.Format, RunFormat)
	}
	r := in.Run
	r.Rows = nil
	for _, row := range in.Rows {
		row.Row.Results = row.Results
		r.Rows = append(r.Rows, row.Row)
	}
	return &r, nil
}

// Fusion is the last row: all arms that were asked together.
func (r *Run) Fusion() *Row { return &r.Rows[len(r.Rows)-1] }
