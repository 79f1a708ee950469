package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamesAreAllFilesOfAFolderAlsoThoseThatAreNoPages(t *testing.T) {
	st, dir := newBrain(t, "agents/a/facts/00/x.md", "agents/a/facts.md", "agents/a/config.yaml", "agents/a/.metadata/heat.json", "agents/b/y.md")
	if err := os.MkdirAll(filepath.Join(dir, "agents/a/empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../b", filepath.Join(dir, "agents/a/link")); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string][]string{
		"agents/a": {"agents/a/.metadata/heat.json", "agents/a/config.yaml", "agents/a/empty/",
			"agents/a/facts/00/x.md", "agents/a/facts.md", "agents/a/link"},
		"agents/nobody": nil,
	} {
		got, err := st.Names(context.Background(), at)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", at, err, diff)
		}
	}
	_, err := st.Names(context.Background(), "agents/a/link")
	wantErr(t, err, ErrNotPage)
}

func TestABrainMayHaveANameThatAnotherProgramGave(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"--1-857e3168f4aafbba", "Alice", "a-b-com-fb98d44ad7501a95"} {
		rep, err := Init(root, InitOptions{Brain: name, Given: true})
		if err != nil {
			t.Fatal(err)
		}
		if st, err := Open(rep.Root, name); err != nil || st.Name() != name {
			t.Errorf("open %s: %v", name, err)
		}
	}
	for _, bad := range []string{"", ".hidden", "a/b", "a\nb"} {
		_, err := Init(root, InitOptions{Brain: bad, Given: true})
		wantErr(t, err, ErrBrainName)
	}
}
