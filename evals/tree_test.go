package evals

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brain/page"
	"brain/retrieve"
)

// trees loads a set and writes its trees.
func trees(t *testing.T, files map[string]string, lo LoadOptions, o Options) []*tree {
	t.Helper()
	s, err := Load(writeSet(t, files), lo)
	if err != nil {
		t.Fatal(err)
	}
	all, err := newMeasurement(s, o, nil).plant(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// planted loads a set and writes its trees; the result maps "scope/path" to
// the file's content.
func planted(t *testing.T, files map[string]string, lo LoadOptions) map[string]string {
	t.Helper()
	return filesOf(t, trees(t, files, lo, Options{}))
}

// filesOf gives the files that make pages and sessions.
func filesOf(t *testing.T, all []*tree) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, tr := range all {
		err := fs.WalkDir(os.DirFS(tr.dir), ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == "brain.yml" || d.Name() == "meta.json" || d.Name() == ".gitignore" {
				return err
			}
			b, err := os.ReadFile(filepath.Join(tr.dir, filepath.FromSlash(p)))
			got[tr.scope+"/"+p] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return got
}

func sameFiles(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s holds %q, want %q", name, got[name], content)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("unexpected file %s", name)
		}
	}
}

func TestPlantWritesWhatAPersonWould(t *testing.T) {
	docs := []string{
		`{"id":"conv-26/D1:3","title":"Caroline: \"Hi\" \\ #1","text":"Body.","date":"1:56 pm on 8 May, 2023","lang":"en","answer":"42","user_text":"U","bib":"B","role":""}`,
		`{"id":"x2","title":"","text":"No front matter at all"}`,
		`{"id":"x3","title":"ignored","text":"---\ntitle: Own\n---\nAs it is.","date":"March-15-2024"}`,
		`{"id":"x4","path":"guides/启动 #1.md","title":"启动","text":"有路径"}`,
		`{"id":"x5","title":"Rule","text":"---\n\nA rule, no front matter.\n\n---\n"}`,
		`{"id":"x6","path":"000006.md","text":"takes a number"}`,
		`{"id":"x7","text":"gets the next one"}`,
	}
	files := map[string]string{"docs.jsonl": strings.Join(docs, "\n"),
		"queries.jsonl": `{"id":"q","text":"?"}`, "qrels.tsv": "q\tx2\t1\n"}
	sameFiles(t, planted(t, files, LoadOptions{}), map[string]string{
		"/000001.md":       "---\ntitle: \"Caroline: \\\"Hi\\\" \\\\ #1\"\ndate: \"2023-05-08T13:56:00Z\"\nlang: \"en\"\n---\n\nBody.",
		"/000002.md":       "No front matter at all",
		"/000003.md":       "---\ntitle: Own\n---\nAs it is.",
		"/guides/启动 #1.md": "---\ntitle: \"启动\"\n---\n\n有路径",
		"/000005.md":       "---\ntitle: \"Rule\"\n---\n\n---\n\nA rule, no front matter.\n\n---\n",
		"/000006.md":       "takes a number",
		"/000007.md":       "gets the next one",
	})
}

func TestPlantGivesEachAskedScopeABrain(t *testing.T) {
	files := map[string]string{
		"docs.jsonl":    `{"id":"a1","scope":"a","text":"one"}` + "\n" + `{"id":"b1","scope":"b","text":"two"}` + "\n" + `{"id":"a2","scope":"a","text":"three"}` + "\n" + `{"id":"c1","scope":"c","text":"four"}`,
		"queries.jsonl": `{"id":"q1","scope":"b","text":"?"}` + "\n" + `{"id":"q2","scope":"a","text":"?"}`,
		"qrels.tsv":     "q1\tb1\t1\nq2\ta2\t1\n",
	}
	sameFiles(t, planted(t, files, LoadOptions{}), map[string]string{"a/000001.md": "one", "a/000002.md": "three", "b/000001.md": "two"})
	sameFiles(t, planted(t, files, LoadOptions{Pooled: true}), map[string]string{
		"/000001.md": "one", "/000002.md": "two", "/000003.md": "three", "/000004.md": "four"})
}

func TestPlantRefusesPaths(t *testing.T) {
	for name, docs := range map[string]string{
		"outside":    `{"id":"d","path":"../d.md","text":"x"}`,
		"not a page": `{"id":"d","path":"d.txt","text":"x"}`,
		"twice":      `{"id":"d","path":"d.md","text":"x"}` + "\n" + `{"id":"e","path":"d.md","text":"y"}`,
	} {
		s, err := Load(writeSet(t, map[string]string{"docs.jsonl": docs, "queries.jsonl": `{"id":"q","text":"?"}`, "qrels.tsv": "q\td\t1\n"}), LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newMeasurement(s, Options{}, nil).plant(context.Background(), t.TempDir()); !errors.Is(err, ErrData) {
			t.Errorf("%s: %v, want ErrData", name, err)
		}
	}
}

// chatSet has turns of two sessions of scope a, in no order, those of a scope
// without sessions, and one that is a page.
func chatSet() map[string]string {
	docs := []string{
		`{"id":"conv-a/D1:1","scope":"a","kind":"turn","title":"Nora, 1:56 pm on 8 May, 2023","speaker":"Nora","date":"1:56 pm on 8 May, 2023","session":"conv-a/S1","text":"Nora: We moved to Tromsø."}`,
		`{"id":"conv-a/D2:1","scope":"a","kind":"turn","speaker":"Nora","date":"9:00 am on 1 June, 2023","session":"conv-a/S2","text":"Nora: Thanks!"}`,
		`{"id":"conv-a/D1:2","scope":"a","kind":"turn","speaker":"Ada","date":"1:56 pm on 8 May, 2023","session":"conv-a/S1","text":"Nora: is that far north?"}`,
		`{"id":"conv-a/D1:3","scope":"a","kind":"turn","speaker":"Ada","date":"1:56 pm on 8 May, 2023","session":"conv-a/S1","text":"Ada:  \u0000"}`,
		`{"id":"conv-a/D2:2","scope":"a","kind":"turn","speaker":"Nora","date":"9:00 am on 1 June, 2023","session":"conv-a/S2","text":"Nora: Thanks!"}`,
		`{"id":"c01/m0","scope":"b","role":"user","title":"user, March-15-2024","date":"March-15-2024","text":"user: plan my tasks"}`,
		`{"id":"c01/m1","scope":"b","role":"assistant","date":"March-15-2024","text":"Here is a plan."}`,
		`{"id":"c01/m2","scope":"b","role":"user","date":"March-16-2024","text":"Change it."}`,
		`{"id":"note","scope":"a","kind":"note","title":"Tromsø","text":"A town."}`,
	}
	queries := `{"id":"q1","scope":"a","text":"who moved to Tromsø"}` + "\n" + `{"id":"q2","scope":"b","text":"change the plan"}`
	return map[string]string{"docs.jsonl": strings.Join(docs, "\n"), "queries.jsonl": queries, "qrels.tsv": "q1\tconv-a/D1:1\t1\nq2\tc01/m2\t1\n"}
}

func TestPlantKeepsTurnsAsSessions(t *testing.T) {
	const a1, a2 = "sessions/2023-05/s0001/messages.jsonl", "sessions/2023-06/s0002/messages.jsonl"
	const b1, b2 = "sessions/2024-03/s0001/messages.jsonl", "sessions/2024-03/s0002/messages.jsonl"
	all := trees(t, chatSet(), LoadOptions{}, Options{Passages: true})
	sameFiles(t, filesOf(t, all), map[string]string{
		"a/" + a1: `{"session":"s0001","agent":"__default__","at":"2023-05-08T13:56:00Z"}
{"speaker":"Nora","at":"2023-05-08T13:56:00Z","text":"We moved to Tromsø."}
{"speaker":"Ada","at":"2023-05-08T13:56:00Z","text":"Nora: is that far north?"}
`,
		"a/" + a2: `{"session":"s0002","agent":"__default__","at":"2023-06-01T09:00:00Z"}
{"speaker":"Nora","at":"2023-06-01T09:00:00Z","text":"Thanks!"}
{"speaker":"Nora","at":"2023-06-01T09:00:00Z","text":"Thanks!"}
`,
		"a/000001.md": "---\ntitle: \"Tromsø\"\n---\n\nA town.",
		"b/" + b1: `{"session":"s0001","agent":"__default__","at":"2024-03-15T00:00:00Z"}
{"role":"user","at":"2024-03-15T00:00:00Z","text":"user: plan my tasks"}
{"role":"assistant","at":"2024-03-15T00:00:00Z","text":"Here is a plan."}
`,
		"b/" + b2: `{"session":"s0002","agent":"__default__","at":"2024-03-16T00:00:00Z"}
{"role":"user","at":"2024-03-16T00:00:00Z","text":"Change it."}
`,
	})
	a, b := all[0], all[1]
	if got := a.newest.Format(time.DateOnly) + " " + b.newest.Format(time.DateOnly); got != "2023-06-01 2024-03-16" {
		t.Errorf("newest %s", got)
	}
	for i, test := range []struct {
		t    *tree
		hits []retrieve.Hit
		want string
	}{
		{a, []retrieve.Hit{{Path: a2, Turn: 2}, {Path: a1, Turn: 1}, {Path: "000001.md"}, {Path: a2, Turn: 2}, {Path: a1, Turn: 2}}, "conv-a/D2:2 conv-a/D1:1 note conv-a/D1:2"},
		{b, []retrieve.Hit{{Path: b2, Turn: 1}, {Path: b1}, {Path: b1, Turn: 2}}, "c01/m2 " + b1 + " c01/m1"},
	} {
		if got, err := test.t.ranking(test.hits, 10); err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%d: %q, %v, want %q", i, got, err, test.want)
		}
	}
	for _, h := range []retrieve.Hit{{Path: a1, Turn: 3}, {Path: a1, Turn: -1}, {Path: "sessions/2023-05/s0009/messages.jsonl", Turn: 1}} {
		if got, err := a.ranking([]retrieve.Hit{h}, 10); err == nil {
			t.Errorf("%+v is taken for %q", h, got)
		}
	}
	if _, has := a.paths["conv-a/D1:3"]; has {
		t.Error("a turn without text has a path")
	}
	for id, want := range map[string]page.Path{"conv-a/D1:2": a1, "conv-a/D2:2": a2, "note": "000001.md"} {
		if a.paths[id] != want {
			t.Errorf("%s lies at %q, want %q", id, a.paths[id], want)
		}
	}
}

func TestPlantMakesPagesOfTurnsByPage(t *testing.T) {
	got := planted(t, chatSet(), LoadOptions{})
	if len(got) != 9 || got["b/000003.md"] != "---\ndate: \"2024-03-16T00:00:00Z\"\n---\n\nChange it." {
		t.Errorf("%v", got)
	}
}

// Pooled, sessions of the same name in two scopes stay two.
func TestPlantKeepsSessionsOfScopesApart(t *testing.T) {
	files := map[string]string{
		"docs.jsonl": `{"id":"1","scope":"a","kind":"turn","session":"S1","text":"one"}
{"id":"2","scope":"b","kind":"turn","session":"S1","text":"two"}
{"id":"3","scope":"a","kind":"turn","session":"S1","text":"three"}
{"id":"4","scope":"a","kind":"turn","date":"2024-03-01 10:00","text":"morning"}
{"id":"5","scope":"a","kind":"turn","date":"2024-03-01 20:00","text":"evening"}
{"id":"6","scope":"a","kind":"turn","date":"once","text":"undated"}`,
		"queries.jsonl": `{"id":"q","text":"?"}`, "qrels.tsv": "q\t1\t1\n",
	}
	tr := trees(t, files, LoadOptions{Pooled: true}, Options{Passages: true})[0]
	got := map[string]string{}
	for p, ids := range tr.turns {
		got[p.Dir()] = strings.Join(ids, " ")
	}
	want := map[string]string{"sessions/2024-01/s0001": "1 3", "sessions/2024-01/s0002": "2", "sessions/2024-03/s0003": "4 5", "sessions/2024-01/s0004": "6"}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// What is written as a title is what a page reads back.
func TestYAMLStringsReadBack(t *testing.T) {
	for _, title := range []string{"plain", `q"uo'te`, `back\slash`, "colon: here", "# hash", "- dash", "[list]", "{map}", "emoji 😀 启动",
		"tab\there", "c1\u0085x", "ls\u2028ps\u2029", "del\u007f", "bom\ufeffx", "null", "2024-01-02", "<b>&amp;"} {
		content := "---\ntitle: " + yamlString(title) + "\n---\n\nBody.\n"
		p := page.Parse("x.md", []byte(content))
		if strings.Join(strings.Fields(p.Title), " ") != strings.Join(strings.Fields(title), " ") || len(p.Problems) > 0 || strings.TrimSpace(p.Body) != "Body." {
			t.Errorf("title %q reads back as %q, problems %v", title, p.Title, p.Problems)
		}
	}
}

func TestHasFrontMatter(t *testing.T) {
	for text, want := range map[string]bool{
		"---\ntitle: x\n---\nbody":      true,
		"---\r\ntitle: x\r\n---\r\n":    true,
		"\ufeff---\ntitle: x\n---\n":    true,
		"---\n# comment\n\na-b: 1\n---": true,
		"---\ntitle: x\n...\nbody":      true,
		"---\ntitle: never closed":      false,
		"---\n\nA paragraph: yes.\n---": false,
		"---\n---\n":                    false,
		"text\n---\ntitle: x\n---":      false,
		"----\ntitle: x\n---":           false,
		"---":                           false,
		"":                              false,
	} {
		if got := hasFrontMatter(text); got != want {
			t.Errorf("hasFrontMatter(%q) = %v", text, got)
		}
	}
}
