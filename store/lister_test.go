package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

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
	for _, known := range []bool{false, true} {
		b.Run(fmt.Sprintf("known=%v", known), func(b *testing.B) {
			l := st.Lister("agents/a/facts")
			for b.Loop() {
				if !known {
					l = st.Lister("agents/a/facts")
				}
				if l, err := l.List(context.Background()); err != nil || len(l.Files) != 10_000 {
					b.Fatal(len(l.Files), err)
				}
			}
		})
	}
}

// A Lister that keeps what it saw must say what one says that saw nothing, whatever
// happens between two looks.
func TestAListerMissesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		st, dir := newBrain(t)
		at := filepath.Join(dir, "agents/a/facts")
		var files []string
		for i := range 6 {
			name := fmt.Sprintf("%02x/fact_%d.md", i%3, i)
			put(t, filepath.Join(at, name), "0")
			files = append(files, filepath.Join(at, name))
		}
		l := st.Lister("agents/a/facts")
		l.rest = 0
		for step := range rapid.IntRange(1, 8).Draw(rt, "steps") {
			time.Sleep(8 * time.Millisecond) // two ticks of the clock: then all is at rest
			for range 2 {
				got, err := l.List(context.Background())
				want, err2 := st.ListIn(context.Background(), "agents/a/facts")
				if err != nil || err2 != nil || !cmp.Equal(got, want) {
					rt.Fatalf("step %d: %v %v\n%s", step, err, err2, cmp.Diff(want, got))
				}
			}
			name := rapid.SampledFrom(files).Draw(rt, "file")
			shard := filepath.Dir(name)
			switch rapid.IntRange(0, 8).Draw(rt, "what") {
			case 0:
				put(t, name, strings.Repeat("x", step))
			case 1:
				os.Remove(name)
			case 2:
				put(t, filepath.Join(shard, fmt.Sprintf("new_%d.md", step)), "n")
			case 3:
				put(t, filepath.Join(shard, "below", fmt.Sprintf("new_%d.md", step)), "n")
			case 4:
				put(t, filepath.Join(shard, ".brainignore"), rapid.SampledFrom([]string{"*.md\n", "# none\n"}).Draw(rt, "rules"))
			case 5:
				put(t, filepath.Join(dir, ".brainignore"), rapid.SampledFrom([]string{"fact_1.md\n", ""}).Draw(rt, "rules"))
			case 6:
				put(t, filepath.Join(shard, "big.md"), strings.Repeat("x", MaxFile+rapid.IntRange(0, 1).Draw(rt, "too large")))
			case 7:
				os.RemoveAll(shard)
			case 8:
				os.Remove(name)
				os.Symlink("elsewhere.md", name)
			}
		}
	})
}

// What a look saw that was broken off is not what is there.
func TestAListerForgetsALookThatWasBrokenOff(t *testing.T) {
	st, dir := newBrain(t)
	put(t, filepath.Join(dir, "agents/a/facts/00/one.md"), "1")
	put(t, filepath.Join(dir, "agents/a/facts/11/two.md"), "2")
	l := st.Lister("agents/a/facts")
	l.rest = 0
	time.Sleep(8 * time.Millisecond)
	for after := range 12 {
		ctx := &cancelledAfter{Context: context.Background()}
		ctx.left.Store(int32(after))
		_, cut := l.List(ctx)
		got, err := l.List(context.Background())
		if err != nil || len(got.Files) != 2 {
			t.Fatalf("after a look that was broken off at its %d. question (%v): %v %v", after+1, cut, got.Files, err)
		}
		l.known = nil
	}
}

// cancelledAfter is a context that is cancelled once it was asked so often.
type cancelledAfter struct {
	context.Context
	left atomic.Int32
}

func (c *cancelledAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}
