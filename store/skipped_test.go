package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What Passed names is what List counts.
func TestPassedNamesWhatListCounts(t *testing.T) {
	st, dir := newBrain(t, "a.md", "a.overview.md", "甲/_overview.md", "甲/页.md", ".git/x.md", "node_modules/x.md", "img.png", "quiet.md", "bad\x01name.md", "messages.jsonl")
	large := strings.Repeat("x", MaxFile+1)
	for name, content := range map[string]string{"hidden/big.md": large, "big.md": large, "other/brain.yml": "format: 1\n", "other/big.md": large, ".brainignore": "hidden/\nquiet.md\n"} {
		put(t, filepath.Join(dir, name), content)
	}
	if err := os.Symlink("a.md", filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	all := []string{SkipSidecar, SkipTooLarge, SkipBadName, SkipSymlink, SkipOtherBrain, SkipDotFolder, SkipNodeModules, SkipNotMarkdown}
	got, err := st.Passed(context.Background(), all...)
	if err != nil {
		t.Fatal(err)
	}
	want := []Skip{{".git/", SkipDotFolder}, {"a.overview.md", SkipSidecar}, {"bad\x01name.md", SkipBadName}, {"big.md", SkipTooLarge}, {"img.png", SkipNotMarkdown},
		{"link.md", SkipSymlink}, {"messages.jsonl", SkipNotMarkdown}, {"node_modules/", SkipNodeModules}, {"other/", SkipOtherBrain}, {"甲/_overview.md", SkipSidecar}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	l, err := st.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]int{SkipIgnored: 2}
	for _, s := range got {
		counted[s.Reason]++
	}
	for reason, n := range l.Skipped {
		if counted[reason] != n {
			t.Errorf("%s: List counts %d, Passed names %d", reason, n, counted[reason])
		}
	}
	if one, err := st.Passed(context.Background(), SkipTooLarge); err != nil || len(one) != 1 {
		t.Errorf("%v, %v", one, err)
	}
}
