package evals

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brain/page"
)

// planted loads a set and writes its trees; the result maps "scope/path" to
// the file's content.
func planted(t *testing.T, files map[string]string, o LoadOptions) map[string]string {
	t.Helper()
	s, err := Load(writeSet(t, files), o)
	if err != nil {
		t.Fatal(err)
	}
	m := newMeasurement(s, Options{}, nil)
	root := t.TempDir()
	trees, err := m.plant(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, tr := range trees {
		err := fs.WalkDir(os.DirFS(tr.dir), ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == "brain.yml" {
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
