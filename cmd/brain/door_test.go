package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brain/page"
	"brain/retrieve"
	"brain/store"
)

// Between the comparison and the write a twin may be edited by anybody.
func TestAPageWhoseTwinChangedMeanwhileIsWritten(t *testing.T) {
	dir := t.TempDir()
	rep, err := store.Init(dir, store.InitOptions{Brain: "default"})
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(rep.Root, "default")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	const said = "---\ntitle: Herons\nschema_type: note\n---\n\nGrey birds at the pond.\n"
	twin := filepath.Join(rep.Dir, "twin.md")
	for _, c := range []struct {
		name, now string
		path      page.Path // where what was said is found afterwards
	}{
		{"the same", said, "twin.md"},
		{"edited", strings.Replace(said, "Grey birds at the pond", "The pond is dry", 1), "new.md"},
		{"of another type", strings.Replace(said, "note", "decision", 1), "new.md"},
		{"gone", "", "new.md"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(twin, []byte(c.now), 0o644); err != nil {
				t.Fatal(err)
			}
			if c.now == "" {
				os.Remove(twin)
			}
			in := &arrival{
				writing: &writing{raw: []byte(said), path: "new.md"}, page: page.Parse("new.md", []byte(said)), from: "ops",
				twin: &retrieve.Neighbour{Path: "twin.md", Verdict: page.Verdict{Kind: page.Duplicate, Screen: page.ByWords}},
			}
			err := st.Update(context.Background(), "add", func(tx *store.Tx) error { return in.put(page.ProblemTree(), tx, nil) })
			if err != nil || in.at != c.path {
				t.Fatalf("at %s, %v, want %s", in.at, err, c.path)
			}
			raw, err := st.Read(context.Background(), in.at)
			if err != nil || !strings.Contains(string(raw), "Grey birds at the pond.") {
				t.Errorf("%s holds %q, %v", in.at, raw, err)
			}
			if gained := strings.Contains(string(raw), "- ops"); gained != (c.path == "twin.md") {
				t.Errorf("a source was gained: %v", gained)
			}
			if in.at == "new.md" {
				os.Remove(filepath.Join(rep.Dir, "new.md"))
			}
		})
	}
}
