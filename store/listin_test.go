package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brain/page"
)

func TestOneFolderIsListedAsTheWholeTreeIs(t *testing.T) {
	st, dir := newBrain(t)
	plant(t, dir, map[string]string{
		".brainignore":                          "agents/c/\n*.tmp.md\n",
		"a.md":                                  "outside",
		"agents/a/facts/00/one.md":              "1",
		"agents/a/facts/00/two.tmp.md":          "ignored by a rule above",
		"agents/a/facts/ff/three.md":            "3",
		"agents/a/facts/ff/.brainignore":        "four.md\n",
		"agents/a/facts/ff/four.md":             "ignored beside it",
		"agents/a/facts/ff/deep/five.md":        "5",
		"agents/a/facts/ff/config.yaml":         "not a page",
		"agents/a/facts/note.md":                "in no shard",
		"agents/a/facts/other/brain.yml":        "format: 1\n",
		"agents/a/facts/other/x.md":             "another brain's",
		"agents/a/facts/node_modules/x/y.md":    "skipped",
		"agents/a/facts/.hidden/z.md":           "skipped",
		"agents/b/facts/00/one.md":              "another agent's",
		"agents/c/facts/00/one.md":              "an ignored agent's",
		"agents/a/facts-of-old/00/not-below.md": "a name that begins alike",
	})
	ctx := context.Background()
	all, err := st.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"agents/a/facts", "agents/a/facts/ff", "agents/c/facts", "agents", "agents/nobody/facts", "agents/a/facts/.hidden", "a.md"} {
		got, err := st.ListIn(ctx, at)
		if err != nil {
			t.Fatal(err)
		}
		var want []page.File
		for _, f := range all.Files {
			if strings.HasPrefix(string(f.Path), at+"/") {
				want = append(want, f)
			}
		}
		if diff := cmp.Diff(want, got.Files); diff != "" {
			t.Errorf("%s (-whole tree +folder):\n%s", at, diff)
		}
	}
	got, err := st.ListIn(ctx, "agents/a/facts")
	if want := map[string]int{SkipIgnored: 2, SkipNotMarkdown: 1, SkipOtherBrain: 1, SkipNodeModules: 1, SkipDotFolder: 1}; err != nil || !cmp.Equal(got.Skipped, want) {
		t.Errorf("skipped %v %v, want %v", got.Skipped, err, want)
	}
}

func TestAFolderThatCannotBeReadIsNotEmpty(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads every folder")
	}
	st, dir := newBrain(t)
	plant(t, dir, map[string]string{"agents/a/facts/00/one.md": "1", "agents/a/facts/11/two.md": "2"})
	shut := filepath.Join(st.Dir(), "agents/a/facts/00")
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(shut, 0o755)
	got, err := st.ListIn(context.Background(), "agents/a/facts")
	if err != nil || !slices.Equal(got.Unreadable, []string{"agents/a/facts/00"}) || len(got.Files) != 1 {
		t.Errorf("%+v %v", got, err)
	}
}

func BenchmarkListIn10K(b *testing.B) {
	rep, err := Init(b.TempDir(), InitOptions{Brain: "default"})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 10_000 {
		put(b, fmt.Sprintf("%s/agents/a/facts/%02x/fact_%08x.md", rep.Dir, i%256, i), "x")
	}
	st, err := Open(rep.Root, "default")
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	for b.Loop() {
		if l, err := st.ListIn(context.Background(), "agents/a/facts"); err != nil || len(l.Files) != 10_000 {
			b.Fatal(len(l.Files), err)
		}
	}
}
