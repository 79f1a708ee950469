package migrate

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brain/store"
)

// onDisk makes files; a name that ends in / is a folder.
func onDisk(t *testing.T, named map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range named {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// dropsOf reads a folder on disk and gives why each thing was dropped.
func dropsOf(t *testing.T, format, name string) (pages int, why map[string]Reason) {
	t.Helper()
	src, closer, err := OpenSource(name)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	why = map[string]Reason{}
	err = readerOf(t, format)(context.Background(), src, Options{Now: now}, func(it Item) error {
		if it.Dropped != nil {
			why[it.Dropped.What] = it.Dropped.Reason
		} else {
			pages++
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return pages, why
}

func TestWhatIsNoTextOrTooLargeIsDroppedByName(t *testing.T) {
	dir := onDisk(t, map[string]string{
		"utf16.md": "\xff\xfea\x00", "utf16be.md": "\xfe\xff\x00a", "binary.md": "a\x00", "cp1252.md": "one\ncaf\xe9", "gbk.md": "\xd6\xd0\xce\xc4",
		"bom.md": "\ufeffa text", "large.md": strings.Repeat("x", store.MaxFile+1), "just.md": strings.Repeat("x", store.MaxFile), "a\tb.md": "x", "back\\slash.md": "x", "data.json": "{}",
	})
	pages, why := dropsOf(t, "basic-memory", dir)
	want := map[string]Reason{"utf16.md": NotText, "utf16be.md": NotText, "binary.md": NotText, "cp1252.md": NotText, "gbk.md": NotText,
		"large.md": TooLarge, "a b.md": BadName, "back\\slash.md": BadName, "data.json": NotMarkdown}
	if diff := cmp.Diff(want, why); diff != "" || pages != 2 {
		t.Errorf("%d pages, %s", pages, diff)
	}
}

func TestASourceMayBeNamedByALink(t *testing.T) {
	dir := onDisk(t, map[string]string{"real/m.jsonl": `{"type":"entity","name":"Ann","observations":[]}`})
	for name, to := range map[string]string{"file": "real/m.jsonl", "folder": "real"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if pages, why := dropsOf(t, "server-memory", filepath.Join(dir, name)); pages != 1 || len(why) != 0 {
			t.Errorf("%s: %d, %v", name, pages, why)
		}
	}
}

func TestPackedRecordsAreRead(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprintln(w, `{"id":"1","content":"Likes tea"}`)
	fmt.Fprintln(w, `{"id":"2","content":"caf`+"\xe9"+`"}`)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := onDisk(t, map[string]string{"m.jsonl.gz": packed.String(), "cut.jsonl.gz": packed.String()[:30]})
	got := read(t, "mem0", mustOpen(t, dir), Options{Now: now})
	for _, want := range []string{"| m.jsonl.gz:1 | Likes tea", "drop not-text | a record | m.jsonl.gz:2", "drop broken | the rest of cut.jsonl.gz | cut.jsonl.gz:1 | it ends too early"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func mustOpen(t *testing.T, name string) *Source {
	t.Helper()
	src, closer, err := OpenSource(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closer.Close() })
	return src
}

func TestARecordThatIsTooLongCostsItselfAlone(t *testing.T) {
	long := strings.Repeat("x", maxRecord)
	lines := `{"type":"entity","name":"Ann","observations":[]}` + "\n" + `{"type":"entity","name":"` + long + `"}` + "\n" + `{"type":"entity","name":"Bo","observations":[]}` + "\n"
	got := read(t, "server-memory", files(map[string]string{"m.jsonl": lines}), Options{})
	if strings.Count(got, "page entities/") != 2 || !strings.Contains(got, "drop too-large | a line | m.jsonl:2 | longer than 4 MiB") {
		t.Errorf("%.2000s", got)
	}
	// In a document what follows is lost with it, and that is said.
	got = read(t, "mem0", files(map[string]string{"m.json": "[\n{\"id\":\"1\",\"memory\":\"tea\"},\n{\"id\":\"2\",\"memory\":\"" + long + long + "\"}]"}), Options{})
	if !strings.Contains(got, "| m.json:2 | tea") || !strings.Contains(got, "drop broken | the rest of m.json | m.json:") || !strings.Contains(got, "more than 4 MiB") {
		t.Errorf("%.2000s", got)
	}
}

func TestManyRecordsTakeTheMemoryOfOne(t *testing.T) {
	const n = 200_000
	var b strings.Builder
	b.WriteString(`{"results":[`)
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{"id":"%d","memory":"Likes colour %d"}`, i, i)
	}
	b.WriteString("]}")
	src, seen, last := files(map[string]string{"m.json": b.String()}), 0, ""
	err := src.records(context.Background(), "m.json", []string{"results"}, func(it Item) error { return fmt.Errorf("dropped: %+v", it.Dropped) }, func(r *record) error {
		seen++
		last = r.where()
		return nil
	})
	if err != nil || seen != n || last != fmt.Sprintf("m.json:%d", n) {
		t.Errorf("%d, %s, %v", seen, last, err)
	}
}
