package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What the pages mean depends on the schema, so that a change of it is committed at
// once and alone: whoever looks at a page of some day finds the schema of that day.
// It is changed in an editor, and nobody tells brain. What the last pass saw of the
// settings is kept, and each write compares: two small files are read and hashed.
//
// On a branch of the user's own the files are theirs to commit, like everything
// that they write there.

// settingsMark is what is told apart: the settings as they are now.
func (st *Store) settingsMark() string {
	if len(st.Ledger.Settings) == 0 {
		return ""
	}
	root, err := os.OpenRoot(st.undo.root.Dir)
	if err != nil {
		return ""
	}
	defer root.Close()
	var b strings.Builder
	b.WriteString("branch " + st.Ledger.Branch + "\n")
	for _, name := range st.Ledger.Settings {
		sum, err := contentAt(root, name)
		if err == nil {
			b.WriteString(string(sum) + " " + name + "\n")
		}
	}
	return b.String()
}

func (u undo) settings() string { return filepath.Join(u.dir, "SETTINGS") }

// settingsChanged reports whether the settings were changed since a pass saw them.
func (st *Store) settingsChanged() bool {
	seen, err := os.ReadFile(st.undo.settings())
	return err == nil && len(st.Ledger.Settings) > 0 && string(seen) != st.settingsMark()
}

// settingsFiles are those files of the settings, within the work tree, that a pass is
// to compare with what the ref has, and the mark to keep when it is done.
func (st *Store) settingsFiles(g *repository) (files []string, mark string, err error) {
	mark = st.settingsMark()
	seen, err := os.ReadFile(st.undo.settings())
	if mark == "" || err == nil && string(seen) == mark {
		return nil, "", nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	within, ok := st.rootWithin(g)
	if !ok || st.Ledger.Branch == LedgerCurrent && !g.made() {
		return nil, mark, nil
	}
	for _, name := range st.Ledger.Settings {
		if filepath.IsLocal(name) {
			files = append(files, within+name)
		}
	}
	return files, mark, nil
}

// rootWithin is the folder of the memory root within the work tree, "" or ending in
// /; ok is false when it lies outside.
func (st *Store) rootWithin(g *repository) (within string, ok bool) {
	rel, err := filepath.Rel(st.undo.root.Dir, st.dir)
	if err != nil || rel == "." {
		return g.prefix, err == nil
	}
	return strings.CutSuffix(g.prefix, filepath.ToSlash(rel)+"/")
}
