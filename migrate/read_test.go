package migrate

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what was read into the archives; look at the diff")

// now is when all of these tests run.
var now = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// TestFormats reads sources, one an archive: the files below in/ are the source, want is
// what is found in it. Its name begins with that of the format, and "keep" in it takes
// agents as they are.
func TestFormats(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) < 10 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			format, rest, _ := strings.Cut(filepath.Base(name), "_")
			src, want := sourceOf(a)
			got := read(t, format, src, Options{KeepAgents: strings.Contains(rest, "keep"), Now: now})
			if *update {
				writeWant(t, name, a, got)
			} else if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// sourceOf makes a source of the files in an archive.
func sourceOf(a *txtar.Archive) (src *Source, want *txtar.File) {
	tree := fstest.MapFS{}
	for i, f := range a.Files {
		if inside, ok := strings.CutPrefix(f.Name, "in/"); ok {
			tree[inside] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
		} else {
			want = &a.Files[i]
		}
	}
	return &Source{FS: tree, Name: "in"}, want
}

func writeWant(t *testing.T, name string, a *txtar.Archive, got string) {
	t.Helper()
	for i := range a.Files {
		if a.Files[i].Name == "want" {
			a.Files[i].Data = []byte(got)
		}
	}
	if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// read prints what a reader finds.
func read(t *testing.T, format string, src *Source, o Options) string {
	t.Helper()
	var b strings.Builder
	err := readerOf(t, format)(context.Background(), src, o, func(it Item) error {
		b.WriteString(show(src, it))
		return nil
	})
	if err != nil {
		fmt.Fprintf(&b, "error %v\n", err)
	}
	return b.String()
}

func readerOf(t testing.TB, format string) Reader {
	t.Helper()
	for _, f := range Formats() {
		if f.Name == format {
			return f.Read
		}
	}
	t.Fatalf("no format %q", format)
	return nil
}

func show(src *Source, it Item) string {
	switch {
	case it.Page != nil:
		p := it.Page
		line := fmt.Sprintf("page %s | %s", p.Path, p.Where)
		if raw, err := fs.ReadFile(src.FS, p.Where); err == nil && bytes.Equal(raw, p.Raw) {
			return line + " | as it is\n"
		}
		if p.Origin != "" {
			line += " | " + p.Origin
		}
		for l := range strings.Lines(string(p.Raw)) {
			if strings.TrimSpace(l) == "" {
				line += "\n"
				continue
			}
			line += "\n\t" + strings.TrimRight(l, "\n")
		}
		return line + "\n"
	case it.Fact != nil:
		f := it.Fact
		return strings.TrimRight(fmt.Sprintf("fact %s agent=%s user=%s %s %v %s | %s | %s", f.ID, f.Agent, f.User, f.Category, f.Confidence, f.Created.Format(time.DateOnly), f.Where, f.Content)+extras(f), " ") + "\n"
	}
	d := it.Dropped
	return strings.TrimRight(fmt.Sprintf("drop %s | %s | %s | %s", d.Reason, d.What, d.Where, d.Detail), " ") + "\n"
}

// extras are the fields of a fact that most of them do not have.
func extras(f *Fact) string {
	var out string
	if len(f.Topics) > 0 {
		out += " | topics " + strings.Join(f.Topics, ",")
	}
	if f.ValidDays > 0 {
		out += fmt.Sprint(" | valid for ", f.ValidDays, " days")
	}
	if f.Source.Thread != "" {
		out += " | " + f.Source.Type + " " + f.Source.Thread
	}
	return out
}
