package store

import (
	"path/filepath"
	"testing"
)

// A change of the schema is a commit of its own, at the next write, after what
// waited.
func TestAChangeOfTheSchemaIsCommittedAtOnceAndAlone(t *testing.T) {
	st, said := ledgerBrain(t)
	st.Ledger.Settings = []string{"memory.yml"}
	memory := filepath.Join(top(st), "memory.yml")
	add(t, st, "甲.md", "x\n")
	wantLog(t, st, "HEAD", "init: 3 files") // nothing changed: it waits
	st.Ledger.Settings = []string{"memory.yml", "schema/包.yml"}
	put(t, memory, "version: 1\nschema:\n  pack: schema/包.yml\n")
	put(t, filepath.Join(top(st), "schema", "包.yml"), "name: mine\n")
	add(t, st, "b.md", "x\n")
	wantLog(t, st, "HEAD", "init: 3 files", "add: 2 files", "schema: 2 files")
	if got := git(t, top(st), "-c", "core.quotePath=false", "show", "--format=%an", "--name-only", "HEAD"); got != "Ada\n\nmemory.yml\nschema/包.yml" {
		t.Errorf("the commit holds %q", got)
	}
	add(t, st, "c.md", "x\n")
	wantLog(t, st, "HEAD", "init: 3 files", "add: 2 files", "schema: 2 files")
	put(t, memory, "version: 1\n")
	st.CommitDue(t.Context())
	wantLog(t, st, "HEAD", "init: 3 files", "add: 2 files", "schema: 2 files", "add: c.md", "settings: memory.yml")
	put(t, filepath.Join(top(st), "schema", "包.yml"), "name: other\n")
	st.CommitDue(t.Context())
	wantLog(t, st, "HEAD", "init: 3 files", "add: 2 files", "schema: 2 files", "add: c.md", "settings: memory.yml", "schema: schema/包.yml")
	if got := git(t, top(st), "status", "--porcelain") + said.take(); got != "" {
		t.Errorf("%q", got)
	}
}

// With the ref the ledger keeps the settings, too; on the user's branch they are
// the user's.
func TestTheSettingsInAUsersRepository(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{Mode: LedgerPerWrite, Settings: []string{"memory.yml"}})
	add(t, st, "a.md", "x\n")
	put(t, filepath.Join(top(st), "memory.yml"), "version: 1\nsearch:\n  mode: auto\n")
	add(t, st, "b.md", "x\n")
	wantLog(t, st, LedgerRef, "add: a.md", "settings: memory.yml", "add: b.md", "settings: memory.yml")
	if got := git(t, top(st), "status", "--porcelain", "--untracked-files=no"); got != " M memory.yml" {
		t.Errorf("status %q", got)
	}
	st.Ledger.Branch = LedgerCurrent
	add(t, st, "c.md", "x\n")
	commit(t, st)
	wantLog(t, st, "HEAD", "first", "add: c.md")
	if got := git(t, top(st), "status", "--porcelain", "--untracked-files=no"); got != " M memory.yml" {
		t.Errorf("status %q", got)
	}
}

// A settings file that cannot be one does not keep pages from being committed.
func TestSettingsThatCannotBeRead(t *testing.T) {
	st, _ := ledgerBrain(t)
	st.Ledger.Settings = []string{"memory.yml", "brains", "gone.yml", "../outside.yml"}
	add(t, st, "a.md", "x\n")
	commit(t, st)
	wantLog(t, st, "HEAD", "init: 3 files", "add: a.md")
}

// A root within a larger repository, and a vault that is a root and a brain.
func TestWhereTheRootLiesInARepository(t *testing.T) {
	for _, c := range []struct {
		root, dir, prefix string
		want              string
		ok                bool
	}{
		{"/r", "/r/brains/default", "brains/default/", "", true},
		{"/x/r", "/x/r/brains/default", "r/brains/default/", "r/", true},
		{"/r", "/r", "", "", true},
		{"/x/v", "/x/v", "v/", "v/", true},
		{"/r", "/r/brains/default", "", "", false},
		{"/r", "/r/brains/default", "default/", "default/", false},
	} {
		st := &Store{dir: filepath.FromSlash(c.dir), undo: undo{root: Root{Dir: filepath.FromSlash(c.root)}}}
		if got, ok := st.rootWithin(&repository{prefix: c.prefix}); ok != c.ok || got != c.want {
			t.Errorf("%+v: %q %v", c, got, ok)
		}
	}
}
