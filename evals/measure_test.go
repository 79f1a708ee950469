package evals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brain/llm"
	"brain/page"
	"brain/retrieve"
)

// A dozen documents that a person can rank: every question has words that
// only its answer holds.
func gardenSet() map[string]string {
	texts := []string{
		"Tomatoes want sun and water every morning.", "Basil grows beside tomatoes and keeps flies away.",
		"Potatoes are planted in April, a hand deep.", "Carrots dislike fresh manure.",
		"The apple tree is pruned in February.", "Cherries are netted against starlings.",
		"Compost is turned twice a year.", "The greenhouse is aired before noon.",
		"Slugs are gathered at dusk.", "Leeks stay in the ground all winter.",
		"Roses are cut back to five buds.", "番茄每天早上浇水。",
	}
	var docs, queries, qrels strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&docs, `{"id":"secret-id-%d","title":"Note %d","text":%q,"date":"2024-03-%02d"}`+"\n", i, i, text, i+1)
	}
	for i, q := range []string{"when is the apple tree pruned", "compost turned", "starlings cherries", "番茄浇水"} {
		fmt.Fprintf(&queries, `{"id":"q%d","text":%q,"answer":"unused"}`+"\n", i, q)
	}
	for q, d := range []int{4, 6, 5, 11} {
		fmt.Fprintf(&qrels, "q%d\tsecret-id-%d\t1\n", q, d)
	}
	return map[string]string{"docs.jsonl": docs.String(), "queries.jsonl": queries.String(), "qrels.tsv": qrels.String()}
}

func measured(t *testing.T, files map[string]string, lo LoadOptions, o Options) *Run {
	t.Helper()
	s, err := Load(writeSet(t, files), lo)
	if err != nil {
		t.Fatal(err)
	}
	o.Temp = t.TempDir()
	run, err := Measure(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(o.Temp); err != nil || len(left) > 0 {
		t.Errorf("the temporary root stayed: %v, %v", left, err)
	}
	return run
}

func staticEmbedder(t *testing.T) llm.Embedder {
	t.Helper()
	e, err := llm.Static()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func armsOf(run *Run) string {
	var rows []string
	for _, row := range run.Rows {
		rows = append(rows, strings.Join(row.Arms, "+"))
	}
	return strings.Join(rows, " ")
}

func TestMeasure(t *testing.T) {
	run := measured(t, gardenSet(), LoadOptions{}, Options{Embedder: staticEmbedder(t)})
	if got := armsOf(run); got != "lexical vector lexical+vector+graph" {
		t.Errorf("rows %s", got)
	}
	for _, row := range []*Row{&run.Rows[0], run.Fusion()} {
		if row.Metrics.R1 != 1 || row.Metrics.MRR10 != 1 || row.Metrics.NDCG10 != 1 {
			t.Errorf("%v: %+v", row.Arms, row.Metrics)
		}
		if row.N != 4 || row.K != 10 || row.Unit != "page" || row.Scope != "all" || row.Index.Files != 12 || row.Degraded != 0 {
			t.Errorf("row %+v", row)
		}
		if row.LatencyMS.P50 <= 0 || row.Index.Bytes <= 0 || row.Index.TextBytes <= 0 || row.Index.Seconds <= 0 {
			t.Errorf("costs %+v %+v", row.LatencyMS, row.Index)
		}
	}
	if got := run.Fusion().Results[3]; got.ID != "q3" || got.Ranked[0] != "secret-id-11" {
		t.Errorf("the last question: %+v", got)
	}
	var table strings.Builder
	if err := run.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"set toy   unit page   scope all   n 4   k 10", "nDCG@10", "lexical+vector+graph", "1.000", "12 files"} {
		if !strings.Contains(table.String(), part) {
			t.Errorf("no %q in\n%s", part, table.String())
		}
	}
}

// The shape that scripts read.
func TestRowsAsJSON(t *testing.T) {
	run := measured(t, gardenSet(), LoadOptions{}, Options{Arms: []string{"graph", "lexical"}})
	if got := armsOf(run); got != "lexical graph lexical+graph" {
		t.Errorf("rows %s", got)
	}
	raw, err := json.Marshal(run.Rows)
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	keys := func(v any, want ...string) {
		t.Helper()
		for _, k := range want {
			if _, ok := v.(map[string]any)[k]; !ok {
				t.Errorf("no %q in %v", k, v)
			}
		}
	}
	last := rows[len(rows)-1]
	keys(last, "set", "unit", "arms", "n", "metrics", "latency_ms", "index", "settings_digest", "skipped")
	keys(last["metrics"], MetricNames...)
	keys(last["latency_ms"], "p50", "p95", "p99")
	keys(last["index"], "files", "seconds", "bytes", "text_bytes")
	keys(last["skipped"], "no_evidence", "no_scope")
	if strings.Contains(string(raw), "secret-id") {
		t.Error("rows hold the questions' rankings, which belong in the run file")
	}
}

func TestMeasureScopedAndPooled(t *testing.T) {
	files := map[string]string{
		"docs.jsonl": `{"id":"a1","scope":"a","text":"The boat is blue."}
{"id":"b1","scope":"b","text":"The boat is blue, and the boat is new."}
`,
		"queries.jsonl": `{"id":"qa","scope":"a","text":"blue boat"}
{"id":"qb","scope":"b","text":"blue boat"}
`,
		"qrels.tsv": "qa\ta1\t1\nqb\tb1\t1\n",
	}
	run := measured(t, files, LoadOptions{}, Options{Arms: []string{"lexical"}})
	if row := run.Fusion(); len(run.Rows) != 1 || row.Metrics.R1 != 1 || row.Scope != "scoped" || fmt.Sprint(row.Results[0].Ranked, row.Results[1].Ranked) != "[a1] [b1]" {
		t.Errorf("scoped: %+v", run.Rows)
	}
	run = measured(t, files, LoadOptions{Pooled: true}, Options{Arms: []string{"lexical"}})
	if row := run.Fusion(); row.Metrics.R1 != 0.5 || row.Metrics.R5 != 1 || row.Scope != "pooled" {
		t.Errorf("pooled: %+v", run.Rows)
	}
}

// A document that the engine leaves out on its own rules is missed and said.
func TestMeasureNamesWhatIsNotIndexed(t *testing.T) {
	files := gardenSet()
	files["docs.jsonl"] = strings.Replace(files["docs.jsonl"], `"id":"secret-id-4"`, `"id":"secret-id-4","path":"guides/bees.overview.md"`, 1)
	run := measured(t, files, LoadOptions{}, Options{Arms: []string{"lexical"}})
	if got := run.Fusion(); got.Metrics.R10 != 0.75 || got.Index.Files != 11 {
		t.Errorf("%+v, %+v", got.Metrics, got.Index)
	}
	if got, want := strings.Join(run.Warnings, "; "),
		`1 of 4 relevant documents are not ranked by the index and count as missed, first "secret-id-4"; files that are not indexed: 1 "sidecar"`; got != want {
		t.Errorf("warnings %q, want %q", got, want)
	}
}

func TestMeasureRefuses(t *testing.T) {
	hidden := gardenSet()
	hidden["docs.jsonl"] = strings.ReplaceAll(hidden["docs.jsonl"], `"text":"`, `"text":"\u0000`)
	for _, test := range []struct {
		name  string
		files map[string]string
		o     Options
		want  error
	}{
		{"unknown arm", gardenSet(), Options{Arms: []string{"bm25"}}, ErrUsage},
		{"vectors without an embedder", gardenSet(), Options{Arms: []string{"vector"}}, ErrUsage},
		{"k below one", gardenSet(), Options{K: -1}, ErrUsage},
		{"no relevant document is indexed", hidden, Options{}, ErrNotIndexed},
	} {
		s, err := Load(writeSet(t, test.files), LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		test.o.Temp = t.TempDir()
		if _, err := Measure(context.Background(), s, test.o); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

func TestRankingMapsHitsToDocuments(t *testing.T) {
	tr := newTree("", "")
	for _, id := range []string{"a", "b", "c", "d"} {
		tr.ids[page.Path(id+".md")] = id
	}
	got, err := tr.ranking([]retrieve.Hit{{Path: "a.md", Sources: []string{"b.md"}}, {Path: "a.md"}, {Path: "c.md"}, {Path: "d.md"}}, 3)
	if err != nil || strings.Join(got, " ") != "a b c" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := tr.ranking([]retrieve.Hit{{Path: "other.md"}}, 3); err == nil {
		t.Error("a page that was never written passed")
	}
}

func TestMeasureTurns(t *testing.T) {
	run := measured(t, chatSet(), LoadOptions{}, Options{Passages: true, Embedder: staticEmbedder(t)})
	for _, row := range run.Rows {
		if row.Unit != "passage" || row.Scope != "scoped" || row.Index.Files != 5 || row.Index.TextBytes == 0 {
			t.Errorf("%v: unit %s, scope %s, index %+v", row.Arms, row.Unit, row.Scope, row.Index)
		}
	}
	for _, row := range []*Row{&run.Rows[0], run.Fusion()} {
		if row.Metrics.R1 != 1 {
			t.Errorf("%v: %+v", row.Arms, row.Results)
		}
	}
	if got, want := strings.Join(run.Warnings, "; "), `documents of several kinds are indexed together: 1 "note", 3 "", 5 "turn"`; got != want {
		t.Errorf("warnings %q, want %q", got, want)
	}
}

// A turn that says nothing is missed and said, like a page that is not indexed.
func TestMeasureNamesTurnsThatAreNotIndexed(t *testing.T) {
	files := chatSet()
	files["qrels.tsv"] += "q1\tconv-a/D1:3\t1\n"
	run := measured(t, files, LoadOptions{Kind: "turn"}, Options{Passages: true, Arms: []string{"lexical"}})
	if got, want := strings.Join(run.Warnings, "; "),
		`1 of 2 relevant documents are not ranked by the index and count as missed, first "conv-a/D1:3"`; got != want {
		t.Errorf("warnings %q, want %q", got, want)
	}
	if got := run.Fusion(); got.Metrics.R10 != 0.5 {
		t.Errorf("%+v", got.Results)
	}
}

// Tests over public sets run where somebody has put them.
func dataDir(t *testing.T, set string) string {
	t.Helper()
	base := os.Getenv("BRAIN_DATA")
	if base == "" {
		base = filepath.Join("..", "..", "shared", "data")
	}
	dir := filepath.Join(base, set)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no public data: set BRAIN_DATA to a folder with %s", set)
	}
	return dir
}

func TestLoadPublicSets(t *testing.T) {
	for _, test := range []struct {
		set           string
		o             LoadOptions
		docs, asked   int
		skipped       Skipped
		turns, scoped bool
	}{
		{"scifact", LoadOptions{Where: []string{"split=test"}}, 5183, 212, Skipped{}, false, false},
		{"cranfield", LoadOptions{}, 1400, 150, Skipped{}, false, false},
		{"locomo", LoadOptions{Kind: "session", Qrels: "qrels-sessions.tsv"}, 272, 1408, Skipped{NoEvidence: 3}, false, true},
		{"locomo", LoadOptions{Kind: "turn", Qrels: "qrels-turns-audited.tsv", Where: []string{"category=1,2,3,4"}}, 5882, 1085, Skipped{NoEvidence: 3}, true, true},
		{"longmemeval-mini", LoadOptions{}, 343, 14, Skipped{NoScope: 11}, false, true},
		{"longmemeval-mini", LoadOptions{Pooled: true}, 343, 25, Skipped{}, false, false},
		{"beam-100k", LoadOptions{}, 5732, 235, Skipped{NoEvidence: 25}, true, true},
		{"multihop", LoadOptions{Where: []string{"id=hotpotqa/*"}}, 2884, 78, Skipped{}, false, false},
		{"xquad-en-zh", LoadOptions{Qrels: "qrels-cross.tsv", Where: []string{"lang=en"}, DocsWhere: []string{"lang=zh"}}, 240, 832, Skipped{}, false, false},
		{"tldr-known-item", LoadOptions{Qrels: "qrels-same.tsv", Where: []string{"lang=zh"}}, 3070, 370, Skipped{}, false, false},
	} {
		s, err := Load(dataDir(t, test.set), test.o)
		if err != nil {
			t.Errorf("%s: %v", test.set, err)
			continue
		}
		if len(s.Docs) != test.docs || len(s.Questions) != test.asked || s.Skipped != test.skipped || s.Docs[0].Turn != test.turns || s.Scoped != test.scoped {
			t.Errorf("%s: %d documents, %d questions, skipped %+v, turns %v, scoped %v", test.set, len(s.Docs), len(s.Questions), s.Skipped, s.Docs[0].Turn, s.Scoped)
		}
		if len(s.Warnings) > 0 {
			t.Errorf("%s: %v", test.set, s.Warnings)
		}
	}
}

// One conversation the whole way, asked for its turns.
func TestMeasurePublicTurns(t *testing.T) {
	s, err := Load(dataDir(t, "locomo"), LoadOptions{Kind: "turn", Qrels: "qrels-turns.tsv", Where: []string{"id=conv-26/*"}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := Measure(context.Background(), s, Options{Arms: []string{"lexical"}, Passages: true, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Fusion(); got.Index.Files != 19 || got.Metrics.R10 < 0.5 || len(run.Warnings) > 0 {
		t.Errorf("%d files, %+v, warnings %v", got.Index.Files, got.Metrics, run.Warnings)
	}
}

// The whole way on linked pages that nobody here wrote.
func TestMeasurePublicSet(t *testing.T) {
	s, err := Load(dataDir(t, "brainbench-world"), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := Measure(context.Background(), s, Options{Arms: []string{"lexical", "graph"}, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Fusion(); got.N != 142 || got.Index.Files != 240 || got.Metrics.R10 < 0.5 || len(run.Warnings) > 0 {
		t.Errorf("%+v, warnings %v", got.Metrics, run.Warnings)
	}
}
