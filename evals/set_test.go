package evals

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// writeSet writes files into a new folder; a name that ends in .gz is packed.
func writeSet(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "toy")
	for name, content := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		b := []byte(content)
		if strings.HasSuffix(name, ".gz") {
			var z bytes.Buffer
			zw := gzip.NewWriter(&z)
			if _, err := zw.Write(b); err != nil {
				t.Fatal(err)
			}
			if err := zw.Close(); err != nil {
				t.Fatal(err)
			}
			b = z.Bytes()
		}
		if err := os.WriteFile(full, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	toyDocs = `{"id":"d1","title":"One","text":"first","lang":"en","kind":"session"}
{"id":"d2","title":"Two","text":"second","lang":"zh","kind":"turn"}

{"id":"d3","text":"third","lang":"zh-Hant","date":"March-15-2024"}
`
	toyQueries = `{"id":"set/q1","text":"what is first","answer":1998,"category":2,"lang":"en"}
{"id":"set/q2","text":"what is second","answer":["a","b"],"category":3}
{"id":"other/q3","text":"nobody knows","no_evidence":true}
{"id":"other/q4","text":"not judged"}
`
	toyQrels = "query-id\tdoc-id\tgrade\nset/q1\td1\t1\nset/q2\td2\t3\nset/q2\td3\t1\nset/q2\td1\t0\nheld-out\td1\t1\n"
)

func toySet() map[string]string {
	return map[string]string{"docs.jsonl": toyDocs, "queries.jsonl": toyQueries, "qrels.tsv": toyQrels}
}

// printed lists what a set asks, for comparison in one line.
func printed(s *Set) string {
	var parts []string
	for _, q := range s.Questions {
		parts = append(parts, fmt.Sprintf("%s%v", q.ID, q.Relevant))
	}
	return strings.Join(parts, " ")
}

func docIDs(s *Set) string {
	var ids []string
	for _, d := range s.Docs {
		ids = append(ids, d.ID)
	}
	return strings.Join(ids, " ")
}

func TestLoad(t *testing.T) {
	packed := map[string]string{"docs.jsonl.gz": toyDocs, "queries.jsonl.gz": toyQueries, "qrels.tsv.gz": toyQrels}
	for _, test := range []struct {
		name      string
		files     map[string]string
		o         LoadOptions
		docs      string
		questions string
		skipped   Skipped
	}{
		{"plain", toySet(), LoadOptions{}, "d1 d2 d3", "set/q1map[d1:1] set/q2map[d2:3 d3:1]", Skipped{NoEvidence: 1, NoQrel: 1}},
		{"gzipped", packed, LoadOptions{}, "d1 d2 d3", "set/q1map[d1:1] set/q2map[d2:3 d3:1]", Skipped{NoEvidence: 1, NoQrel: 1}},
		{"byte order mark and CRLF", map[string]string{
			"docs.jsonl": "\ufeff" + strings.ReplaceAll(toyDocs, "\n", "\r\n"), "queries.jsonl": "\ufeff" + toyQueries,
			"qrels.tsv": "\ufeff" + strings.ReplaceAll(toyQrels, "\n", "\r\n")},
			LoadOptions{}, "d1 d2 d3", "set/q1map[d1:1] set/q2map[d2:3 d3:1]", Skipped{NoEvidence: 1, NoQrel: 1}},
		{"questions by value", toySet(), LoadOptions{Where: []string{"category=3,4"}}, "d1 d2 d3", "set/q2map[d2:3 d3:1]", Skipped{}},
		{"questions by prefix", toySet(), LoadOptions{Where: []string{"id=set/*"}}, "d1 d2 d3", "set/q1map[d1:1] set/q2map[d2:3 d3:1]", Skipped{}},
		{"every filter must pass", toySet(), LoadOptions{Where: []string{"id=set/*", "lang=en"}}, "d1 d2 d3", "set/q1map[d1:1]", Skipped{}},
		{"item of a list", toySet(), LoadOptions{Where: []string{"answer=b"}}, "d1 d2 d3", "set/q2map[d2:3 d3:1]", Skipped{}},
		{"documents by prefix", toySet(), LoadOptions{DocsWhere: []string{"lang=zh*"}}, "d2 d3", "set/q2map[d2:3 d3:1]", Skipped{NoEvidence: 1, NoQrel: 2}},
		{"documents by kind", toySet(), LoadOptions{Kind: "turn"}, "d2", "set/q2map[d2:3]", Skipped{NoEvidence: 1, NoQrel: 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := Load(writeSet(t, test.files), test.o)
			if err != nil {
				t.Fatal(err)
			}
			if s.Name != "toy" || docIDs(s) != test.docs || printed(s) != test.questions || s.Skipped != test.skipped {
				t.Errorf("%s: docs %s, questions %s, skipped %+v\nwant docs %s, questions %s, skipped %+v",
					s.Name, docIDs(s), printed(s), s.Skipped, test.docs, test.questions, test.skipped)
			}
		})
	}
}

func TestLoadOverrides(t *testing.T) {
	files := toySet()
	files["other/docs.jsonl.gz"] = `{"id":"d1","text":"elsewhere"}`
	files["qrels-short.tsv"] = "set/q2\td1\t2\n"
	dir := writeSet(t, files)
	s, err := Load(dir, LoadOptions{Docs: filepath.Join(dir, "other", "docs.jsonl.gz"), Qrels: "qrels-short.tsv"})
	if err != nil {
		t.Fatal(err)
	}
	if docIDs(s) != "d1" || printed(s) != "set/q2map[d1:2]" {
		t.Errorf("docs %s, questions %s", docIDs(s), printed(s))
	}
	if _, err := Load(dir, LoadOptions{Queries: "nowhere.jsonl"}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "nowhere.jsonl") {
		t.Errorf("a missing override: %v", err)
	}
}

func TestLoadSeveralWaysToCount(t *testing.T) {
	files := toySet()
	delete(files, "qrels.tsv")
	files["qrels-turns.tsv"], files["qrels-sessions.tsv"] = toyQrels, toyQrels
	dir := writeSet(t, files)
	_, err := Load(dir, LoadOptions{})
	var choose *ChooseQrels
	if !errors.As(err, &choose) || !errors.Is(err, ErrUsage) || !reflect.DeepEqual(choose.Files, []string{"qrels-sessions.tsv", "qrels-turns.tsv"}) {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(err.Error(), "qrels-sessions.tsv, qrels-turns.tsv") {
		t.Errorf("the message names no files: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "qrels-turns.tsv")); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(dir, LoadOptions{}); err != nil || len(s.Questions) != 2 {
		t.Errorf("one way to count needs no choice: %v", err)
	}
}

func TestLoadFailsLoudly(t *testing.T) {
	for _, test := range []struct {
		name, file, content string
		o                   LoadOptions
		want                error
		says                string
	}{
		{"judged document absent", "qrels.tsv", toyQrels + "set/q1\td99\t1\n", LoadOptions{}, ErrData, `qrels.tsv: line 7: unusable data set: question "set/q1" is judged by document "d99"`},
		{"absent even for a question that is not asked", "qrels.tsv", toyQrels + "held-out\td99\t1\n", LoadOptions{}, ErrData, "d99"},
		{"grade is no number", "qrels.tsv", toyQrels + "set/q1\td1\thigh\n", LoadOptions{}, ErrData, `line 7`},
		{"two columns", "qrels.tsv", "set/q1\td1\n", LoadOptions{}, ErrData, "2 columns"},
		{"same id twice", "docs.jsonl", toyDocs + `{"id":"d1","text":"again"}`, LoadOptions{}, ErrData, `docs.jsonl: line 5`},
		{"no id", "queries.jsonl", `{"text":"?"}`, LoadOptions{}, ErrData, "queries.jsonl: line 1"},
		{"empty question", "queries.jsonl", `{"id":"set/q1","text":" "}`, LoadOptions{}, ErrData, "no text"},
		{"broken line", "docs.jsonl", "{\"id\":\"d1\"\n", LoadOptions{}, ErrData, "docs.jsonl: line 1"},
		{"empty file", "docs.jsonl", "", LoadOptions{}, ErrUsage, "0 documents"},
		{"malformed filter", "", "", LoadOptions{Where: []string{"category"}}, ErrUsage, "key=value"},
		{"misspelt field", "", "", LoadOptions{Where: []string{"langage=en"}}, ErrUsage, "langage"},
		{"misspelt document field", "", "", LoadOptions{DocsWhere: []string{"langage=en"}}, ErrUsage, "langage"},
		{"filter too narrow", "", "", LoadOptions{DocsWhere: []string{"lang=fr"}}, ErrUsage, "3 documents, none"},
		{"judgements of other documents", "", "", LoadOptions{DocsWhere: []string{"lang=zh*"}, Where: []string{"lang=en"}}, ErrUsage, "1 of them without a relevant document"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := toySet()
			if test.file != "" {
				files[test.file] = test.content
			}
			_, err := Load(writeSet(t, files), test.o)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v\nwant %v saying %q", err, test.want, test.says)
			}
		})
	}
}

func TestLoadScopes(t *testing.T) {
	files := map[string]string{
		"docs.jsonl": `{"id":"a1","scope":"a","text":"x","role":"user","date":"March-15-2024"}
{"id":"b1","scope":"b","text":"y","date":"soon"}
`,
		"queries.jsonl": `{"id":"q1","scope":"a","text":"in a"}
{"id":"q2","scope":"","text":"anywhere"}
{"id":"q3","scope":"b","text":"in b","date":"2023/12/18 (Mon) 04:17"}
`,
		"qrels.tsv": "q1\ta1\t1\nq2\tb1\t1\nq3\tb1\t1\n",
	}
	s, err := Load(writeSet(t, files), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Scoped || printed(s) != "q1map[a1:1] q3map[b1:1]" || s.Skipped.NoScope != 1 {
		t.Errorf("scoped %v, %s, %+v", s.Scoped, printed(s), s.Skipped)
	}
	if !s.Docs[0].Turn || s.Docs[1].Turn {
		t.Error("a message with a role is a turn, one without is not")
	}
	if want := time.Date(2023, 12, 18, 4, 17, 0, 0, time.UTC); !s.Questions[1].Date.Equal(want) {
		t.Errorf("asked at %v", s.Questions[1].Date)
	}
	if got := strings.Join(s.Warnings, "; "); !strings.Contains(got, "1 documents have a date of unknown form") {
		t.Errorf("warnings %q", got)
	}
	if s, err = Load(writeSet(t, files), LoadOptions{Pooled: true}); err != nil || s.Scoped || len(s.Questions) != 3 || s.Skipped.NoScope != 0 {
		t.Errorf("pooled: %+v, %v", s, err)
	}
	files["qrels.tsv"] += "q1\tb1\t1\n"
	if _, err := Load(writeSet(t, files), LoadOptions{}); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), "pooled") {
		t.Errorf("judged across scopes: %v", err)
	}
}

// A line longer than any buffer is one record.
func TestLongLines(t *testing.T) {
	const size = 5 << 20
	files := toySet()
	files["docs.jsonl"] = `{"id":"d1","text":"` + strings.Repeat("long ", size/5) + "\"}\n" + strings.Replace(toyDocs, `"d1"`, `"d0"`, 1)
	dir := writeSet(t, files)
	var lengths []int
	err := eachRecord(filepath.Join(dir, "docs.jsonl"), func(_ int, r record) error {
		lengths = append(lengths, len(r.text("text")))
		return nil
	})
	if err != nil || fmt.Sprint(lengths) != fmt.Sprint([]int{size, 5, 6, 5}) {
		t.Errorf("lengths %v, %v", lengths, err)
	}
	if _, err := Load(dir, LoadOptions{}); err != nil {
		t.Error(err)
	}
}

func TestRecordReadsOddValues(t *testing.T) {
	name := filepath.Join(writeSet(t, map[string]string{"x.jsonl": `{"s":"text","n":3.50,"t":true,"f":false,"z":null,"l":["a",2],"o":{"k":1},"zero":0,"word":"False"}`}), "x.jsonl")
	err := eachRecord(name, func(_ int, r record) error {
		for key, want := range map[string]string{"s": "text", "n": "3.50", "t": "true", "z": "", "l": "", "o": "", "absent": ""} {
			if got := r.text(key); got != want {
				t.Errorf("text(%s) = %q, want %q", key, got, want)
			}
		}
		for key, want := range map[string]bool{"s": true, "n": true, "t": true, "f": false, "z": false, "zero": false, "word": false, "absent": false} {
			if got := r.truth(key); got != want {
				t.Errorf("truth(%s) = %v", key, got)
			}
		}
		if got := fmt.Sprint(r.values("l"), r.values("s"), len(r.values("absent"))); got != "[a 2] [text] 1" {
			t.Errorf("values: %s", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestParseDate(t *testing.T) {
	for in, want := range map[string]string{
		"1:56 pm on 8 May, 2023":    "2023-05-08T13:56:00Z",
		"12:09 am on 13 June, 2022": "2022-06-13T00:09:00Z",
		"10:31 AM on 13 June, 2022": "2022-06-13T10:31:00Z",
		"2023/07/12 (Wed) 10:14":    "2023-07-12T10:14:00Z",
		"March-15-2024":             "2024-03-15T00:00:00Z",
		"may-05-2024":               "2024-05-05T00:00:00Z",
		"2023-05-30T23:40:00":       "2023-05-30T23:40:00Z",
		"2024-02-29":                "2024-02-29T00:00:00Z",
		"2024-02-29T10:00:00+08:00": "2024-02-29T02:00:00Z",
		"2023-01-02 03:04:05":       "2023-01-02T03:04:05Z",
		" 8 May 2023 ":              "2023-05-08T00:00:00Z",
		"2023/07/12":                "2023-07-12T00:00:00Z",
		"May 8, 2023":               "2023-05-08T00:00:00Z",
	} {
		got, ok := ParseDate(in)
		if !ok || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("ParseDate(%q) = %v, %v; want %s", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "soon", "2023-02-30", "13:61 pm on 8 May, 2023", "15"} {
		if got, ok := ParseDate(in); ok {
			t.Errorf("ParseDate(%q) = %v, want none", in, got)
		}
	}
}

func TestFilterPrintsItself(t *testing.T) {
	f, err := ParseFilter(" id = hotpotqa/* , x ")
	if err != nil || f.String() != "id=hotpotqa/*,x" {
		t.Errorf("%v, %v", f, err)
	}
	if f, err = ParseFilter("scope="); err != nil || !f.keeps(record{}) || f.keeps(record{"scope": []byte(`"a"`)}) {
		t.Errorf("an empty value asks for records without the field: %v, %v", f, err)
	}
	if f, err = ParseFilter("a=b=c"); err != nil || !f.keeps(record{"a": []byte(`"b=c"`)}) {
		t.Errorf("a value may hold an equals sign: %v, %v", f, err)
	}
}
