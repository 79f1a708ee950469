package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A brain that was dreamt of and not touched is dreamt of again: no byte of it may
// change, and no model be asked. The demo brain always; large ones where BRAIN_DATA
// names the folder of the evaluation data:
//
//	BRAIN_DATA=…/data go test ./cmd/brain -run ASecondDream -v

// D04 D06 D21, K12
func TestASecondDreamOfTheDemoBrainWritesNothing(t *testing.T) {
	root := killingGround(t)
	dir := filepath.Join(root, "brains", "default")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "brains", "demo"))); err != nil {
		t.Fatal(err)
	}
	dreamTwice(t, root)
}

func TestASecondDreamOfTenThousandPagesWritesNothing(t *testing.T) {
	data := evaluationData(t)
	root := killingGround(t)
	if n := plantCorpora(t, filepath.Join(data, "corpora"), filepath.Join(root, "brains", "default"), 10_000); n != 10_000 {
		t.Fatalf("%d pages", n)
	}
	dreamTwice(t, root)
}

func TestASecondDreamOfTheSessionsOfLoCoMoWritesNothing(t *testing.T) {
	data := evaluationData(t)
	root := killingGround(t)
	t.Setenv("BRAIN_CAPTURE_DEBOUNCE", "1ms") // what was said just now is due
	brainCmd(t, root, "inbox", "add", locomoTurns(t, filepath.Join(data, "locomo", "docs.jsonl")))
	dreamTwice(t, root)
}

func evaluationData(t *testing.T) string {
	t.Helper()
	data := os.Getenv("BRAIN_DATA")
	if data == "" || testing.Short() {
		t.Skip("BRAIN_DATA does not name the folder of the evaluation data, or the tests are to be short")
	}
	return data
}

// dreamtJSON is what these tests read of `brain dream --json`.
type dreamtJSON struct {
	OK     bool `json:"ok"`
	Calls  int  `json:"calls"`
	TookMS int  `json:"took_ms"`
	Stages []struct {
		Stage   string            `json:"stage"`
		TookMS  int               `json:"took_ms"`
		Looked  int               `json:"looked"`
		Unit    string            `json:"unit"`
		Skipped string            `json:"skipped"`
		Changed []json.RawMessage `json:"changed"`
		Left    []json.RawMessage `json:"left"`
		Counts  map[string]int    `json:"counts"`
	} `json:"stages"`
}

func dreamOnce(t *testing.T, root string) (r dreamtJSON, took time.Duration) {
	t.Helper()
	began := time.Now()
	cmd := exec.Command("brain", "dream", "--json", "--root", root)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	took = time.Since(began)
	if err != nil {
		t.Fatalf("brain dream: %v: %s%s", err, errs.String(), out)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: %.300s", err, out)
	}
	if !r.OK || len(r.Stages) != 5 {
		t.Errorf("brain dream: %.3000s", out)
	}
	var b strings.Builder
	for _, s := range r.Stages {
		fmt.Fprintf(&b, "\n  %-14s %5d ms  looked %d %s, changed %d, left %d, %v %s", s.Stage, s.TookMS, s.Looked, s.Unit, len(s.Changed), len(s.Left), s.Counts, s.Skipped)
	}
	t.Logf("%v, %d calls%s", took.Round(time.Millisecond), r.Calls, b.String())
	return r, took
}

func dreamTwice(t *testing.T, root string) {
	t.Helper()
	dreamOnce(t, root)
	want := filesOf(t, root)
	r, _ := dreamOnce(t, root)
	if r.Calls != 0 {
		t.Errorf("a model was asked %d times", r.Calls)
	}
	if got := filesOf(t, root); !maps.Equal(got, want) {
		t.Errorf("the second Dream changed the brain:\n%.3000s", differences(want, got))
	}
}

// plantCorpora writes the first pages of the trees, in the order that their README
// gives for tiers.
func plantCorpora(t *testing.T, from, dir string, pages int) (n int) {
	t.Helper()
	for _, name := range []string{"dendron-site", "tidb-docs-zh", "oi-wiki-zh", "rust-rfcs", "react-zh", "powershell-docs", "cpp-docs", "tldr"} {
		f, err := os.Open(filepath.Join(from, name+".jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		for d := json.NewDecoder(z); n < pages; n++ {
			var p struct{ Path, Text string }
			if err := d.Decode(&p); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, name, filepath.FromSlash(p.Path))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(p.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return n
}

// locomoTurns is a file with all turns, as `brain inbox add` reads them.
func locomoTurns(t *testing.T, docs string) string {
	t.Helper()
	f, err := os.Open(docs)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := os.Create(filepath.Join(t.TempDir(), "locomo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := json.NewEncoder(out)
	s := bufio.NewScanner(f)
	for s.Buffer(nil, 1<<20); s.Scan(); {
		var d struct{ ID, Kind, Text, Speaker, Date, Session string }
		if err := json.Unmarshal(s.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		if d.Kind != "turn" {
			continue
		}
		at, err := time.Parse("3:04 pm on 2 January, 2006", d.Date)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Encode(map[string]string{"role": "user", "speaker": d.Speaker, "id": d.ID, "at": at.Format(time.RFC3339),
			"session": strings.ReplaceAll(strings.ToLower(d.Session), "/", "-"), "text": strings.TrimPrefix(d.Text, d.Speaker+": ")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return out.Name()
}
