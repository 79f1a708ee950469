package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestUnified(t *testing.T) {
	for name, test := range map[string]struct{ before, after, want string }{
		"same":       {"a\n", "a\n", ""},
		"a new file": {"", "a\nb\n", "--- f\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		"one line": {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfünf\n6\n7\n8\n9\n",
			"--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+fünf\n 6\n 7\n 8\n"},
		"no line end":    {"a", "a\n", "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		"two far apart":  {"a\n" + strings.Repeat("x\n", 9) + "b\n", "A\n" + strings.Repeat("x\n", 9) + "B\n", "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-a\n+A\n x\n x\n x\n@@ -8,4 +8,4 @@\n x\n x\n x\n-b\n+B\n"},
		"escape removed": {"", "a\x1b[31m\n", "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a[31m\n"},
	} {
		if got := unified("f", test.before, test.after); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// patch, which knows the form, makes the later text of the earlier one.
func TestPatchTakesWhatUnifiedShows(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("no patch here")
	}
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n"}), 0, 30).Draw(t, "lines"), "")
		})
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		shown := unified("f", before, after)
		if shown == "" {
			if before != after {
				t.Fatalf("nothing shown")
			}
			return
		}
		name := filepath.Join(dir, "f")
		if err := os.WriteFile(name, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(patch, "-s", "-o", "-", name)
		cmd.Stdin = strings.NewReader(shown)
		if got, err := cmd.Output(); err != nil || string(got) != after {
			t.Fatalf("%v: %q, want %q, by\n%s", err, got, after, shown)
		}
	})
}
