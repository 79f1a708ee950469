package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brain/memory/deermemtest"
	"brain/store"
)

// source is a DeerMem root on disk.
type source struct {
	*DeerMem
	t   *testing.T
	dir string
}

func newSource(t *testing.T, files map[string]string) *source {
	t.Helper()
	dir := t.TempDir()
	if err := (&deermemtest.Tree{Files: files}).Write(dir); err != nil {
		t.Fatal(err)
	}
	d, err := OpenDeerMem(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return &source{d, t, dir}
}

// user reads a user who is sound.
func (s *source) user(bucket string) *User {
	s.t.Helper()
	u, err := s.Read(context.Background(), bucket, "")
	if err != nil {
		s.t.Fatal(err)
	}
	return u
}

// files are all of the source, with when they were last written.
func (s *source) files() map[string]string {
	s.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(s.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		raw := []byte{}
		if fi.Mode().IsRegular() {
			raw, err = os.ReadFile(name)
		}
		all[name] = fmt.Sprint(fi.Mode(), fi.ModTime().UnixNano(), string(raw))
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

func (w *world) into(u *User) *Migrated {
	w.t.Helper()
	m, err := u.Into(context.Background(), w.Store, false)
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// MV07, MV08: what is of v2 comes byte for byte, what is older in the form of v2, once;
// nothing else comes, and the source is not written.
func TestAUserOfDeerMemBecomesABrain(t *testing.T) {
	tree := deermemtest.New()
	src := newSource(t, tree.Files)
	before := src.files()
	if buckets, err := src.Buckets(); err != nil || !cmp.Equal(buckets, deermemtest.Buckets) {
		t.Fatalf("buckets %q, %v", buckets, err)
	}
	for _, bucket := range deermemtest.Buckets {
		w := newWorld(t)
		u := src.user(bucket)
		if tried, err := u.Into(context.Background(), w.Store, true); err != nil || tried.Facts != u.Plan().Facts || len(w.tree()) != 1 {
			t.Errorf("a dry run: %+v, %v; wrote %v", tried, err, w.tree())
		}
		m := w.into(u)
		var want int
		for _, agent := range []string{"__default__", "coder", "lead-agent"} {
			facts := tree.Of(bucket, agent)
			want += len(facts)
			if diff := cmp.Diff(meant(facts), w.said(agent)); diff != "" {
				t.Errorf("%s, %s:\n%s", bucket, agent, diff)
			}
			for _, f := range facts {
				if !strings.HasPrefix(f.File, "agents/"+agent+"/") {
					continue // of before v2
				}
				if got := w.read(w.file(agent, f.ID)); got != tree.Files["users/"+bucket+"/"+f.File] {
					t.Errorf("%s is\n%s\nwas\n%s", f.File, got, tree.Files["users/"+bucket+"/"+f.File])
				}
			}
		}
		if m.Facts != want || m.Present != 0 || !m.Summaries {
			t.Errorf("%s: %+v, want %d facts", bucket, m, want)
		}
		for name := range w.tree() {
			if name != "brain.yml" && name != "memory.json" && !strings.HasSuffix(name, ".md") {
				t.Errorf("%s came along", name)
			}
		}
		after := w.tree()
		if again := w.into(src.user(bucket)); again.Changes() || again.Job != "" || again.Present != want {
			t.Errorf("%s once more: %+v", bucket, again)
		}
		w.wantTree(after)
	}
	if diff := cmp.Diff(before, src.files()); diff != "" {
		t.Errorf("the source changed:\n%s", diff)
	}
}

func TestTheSummariesOfAUserComeAsTheyAre(t *testing.T) {
	tree := deermemtest.New()
	src := newSource(t, tree.Files)
	w := newWorld(t)
	w.into(src.user("alice"))
	// The config.yaml that makes lead-agent an agent of its own stays with the host.
	want := strings.TrimSuffix(tree.Files["users/alice/memory.json"], "\n}") + ",\n  \"ownAgents\": [\n    \"lead-agent\"\n  ]\n}"
	if diff := cmp.Diff(want, w.read(filepath.Join(w.dir, "memory.json"))); diff != "" {
		t.Error(diff)
	}
	for name := range tree.Files {
		if strings.HasPrefix(name, "users/alice/agents/lead-agent/") {
			delete(tree.Files, name)
		}
	}
	w = newWorld(t)
	w.into(newSource(t, tree.Files).user("alice"))
	if diff := cmp.Diff(tree.Files["users/alice/memory.json"], w.read(filepath.Join(w.dir, "memory.json"))); diff != "" {
		t.Error(diff)
	}
	w = newWorld(t)
	w.into(src.user("--1-857e3168f4aafbba"))
	if got := w.read(filepath.Join(w.dir, "memory.json")); !strings.Contains(got, `"version": "2.0"`) || !strings.Contains(got, "在银行工作") || strings.Contains(got, "facts") {
		t.Errorf("memory.json is\n%s", got)
	}
}

func TestWhatIsTheHostsIsNamedAndLeft(t *testing.T) {
	u := newSource(t, deermemtest.New().Files).user("alice")
	want := []string{"agents/coder/SOUL.md", "agents/coder/config.yaml", "agents/lead-agent/config.yaml"}
	if diff := cmp.Diff(want, u.Left); diff != "" || u.ID != "alice" || u.Old != 2 {
		t.Errorf("of %q, %d old\n%s", u.ID, u.Old, diff)
	}
}

// Folders of users who have no memory are none, and the root itself is one if it has.
func TestWhichFoldersAreUsers(t *testing.T) {
	const fact = "agents/__default__/facts/9e/fact_1.md"
	src := newSource(t, map[string]string{
		"users/a/memory.json": "{}", "users/b/" + fact: "", "users/c/agents/coder/memory.json": "{}", "users/d/.memory.journal.json": "",
		"users/no/threads/x": "", "users/nor/agents/coder/config.yaml": "", "users/file": "", "agents/coder/config.yaml": "",
	})
	if got, err := src.Buckets(); err != nil || !cmp.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("%q, %v", got, err)
	}
	src = newSource(t, map[string]string{"memory.json": "{}"})
	if got, err := src.Buckets(); err != nil || !cmp.Equal(got, []string{NoBucket}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := newSource(t, nil).Buckets(); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
	for _, bucket := range []string{"nobody", "..", "../x", "a/b"} {
		if _, err := src.Read(context.Background(), bucket, ""); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: error %v", bucket, err)
		}
	}
}

// deermem 5: a change that was cut short counts as DeerMem's next start would leave it.
func TestAnUnfinishedChangeOfDeerMemsCountsAsItsNextStartWouldLeaveIt(t *testing.T) {
	ctx := context.Background()
	place := func(id string) string {
		at, err := FactPath("", id)
		if err != nil {
			t.Fatal(err)
		}
		return string(at)
	}
	fact := func(id, content string) string {
		return "---\nid: " + id + "\ncreatedAt: '2026-01-02T03:04:05Z'\nuser_id: a\nagent_name: __default__\n---\n\n# x\n\n" + content + "\n"
	}
	files := func(journal string) map[string]string {
		return map[string]string{
			"users/a/.memory.journal.json":                journal,
			"users/a/memory.json":                         `{"version": "2.0", "revision": 8, "user": {"topOfMind": {"summary": "half done"}}}`,
			"users/a/" + place("fact_changed"):            fact("fact_changed", "after"),
			"users/a/" + place("fact_new"):                fact("fact_new", "after"),
			"users/a/.recovery/op1/memory.json":           `{"version": "2.0", "revision": 7, "user": {"topOfMind": {"summary": "before"}}}`,
			"users/a/.recovery/op1/fact_changed.md":       fact("fact_changed", "before"),
			"users/a/.recovery/op1/fact_removed.md":       fact("fact_removed", "before"),
			"users/a/agents/coder/facts/00/unrelated.txt": "",
		}
	}
	journal := func(state string) string {
		return fmt.Sprintf(`{"operationId": "op1", "state": %q, "agentName": "__default__", "expectedRevision": 7, "nextRevision": 8,
			"factIds": ["fact_changed", "fact_new", "fact_removed"],
			"oldEntries": {"fact_changed": {"path": %q}, "fact_removed": {"path": %q}}}`, state, place("fact_changed"), place("fact_removed"))
	}
	for state, want := range map[string]map[string]string{
		"prepared":  {"fact_changed": "before", "fact_removed": "before", "": "before 7"},
		"committed": {"fact_changed": "after", "fact_new": "after", "": "half done 8"},
	} {
		src := newSource(t, files(journal(state)))
		before := src.files()
		w := newWorld(t)
		w.into(src.user("a"))
		got := w.said("")
		s, err := readSummaries([]byte(w.read(filepath.Join(w.dir, "memory.json"))))
		if err != nil {
			t.Fatal(err)
		}
		got[""] = fmt.Sprint(s.Sections["user"]["topOfMind"].Text, " ", s.Revision)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", state, diff)
		}
		if diff := cmp.Diff(before, src.files()); diff != "" {
			t.Errorf("the source changed:\n%s", diff)
		}
	}

	// before the first memory.json there was none
	first := files(`{"operationId": "op2", "state": "prepared", "agentName": "__default__", "expectedRevision": 0, "factIds": ["fact_new", "fact_changed"], "oldEntries": {}}`)
	if u := newSource(t, first).user("a"); len(u.facts) != 0 || u.summaries != nil {
		t.Errorf("%+v", u)
	}

	for name, raw := range map[string]string{
		"no JSON":             `{`,
		"another state":       journal("half"),
		"no state":            `{"operationId": "op1"}`,
		"no operation":        `{"state": "prepared"}`,
		"a folder above":      strings.Replace(journal("prepared"), `"op1"`, `".."`, 1),
		"an operation path":   strings.Replace(journal("prepared"), `"op1"`, `"../op1"`, 1),
		"a path that escapes": strings.Replace(journal("prepared"), place("fact_removed"), "../b/memory.json", 1),
		"an absolute path":    strings.Replace(journal("prepared"), place("fact_removed"), "/etc/passwd", 1),
		"an illegal id":       strings.Replace(journal("prepared"), `"fact_new"`, `"../fact_new"`, 1),
		"an illegal old id":   strings.Replace(journal("prepared"), `"fact_removed": {`, `"a/b": {`, 1),
		"no agent":            strings.Replace(journal("prepared"), `"agentName": "__default__", `, "", 1),
	} {
		if _, err := newSource(t, files(raw)).Read(ctx, "a", ""); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A user of whom anything is damaged is not taken over in part.
func TestAUserWhoIsDamagedIsRefused(t *testing.T) {
	ctx := context.Background()
	const at = "users/a/agents/__default__/facts/9e/fact_1.md"
	good := strings.NewReplacer("lead-agent", "__default__", "bob", "a").Replace(oldFact)
	for name, tc := range map[string]struct {
		files map[string]string
		want  error
	}{
		"no fact":               {map[string]string{at: "no front matter"}, ErrCorrupt},
		"another id":            {map[string]string{at: strings.Replace(good, "fact_1", "fact_2", 1)}, ErrCorrupt},
		"another agent":         {map[string]string{at: strings.Replace(good, "__default__", "coder", 1)}, ErrCorrupt},
		"another user":          {map[string]string{at: strings.Replace(good, "user_id: a", "user_id: b", 1)}, ErrCorrupt},
		"no active fact":        {map[string]string{at: strings.Replace(good, "label: kept", "status: archived", 1)}, ErrCorrupt},
		"memory.json is broken": {map[string]string{"users/a/memory.json": "{", at: good}, ErrCorrupt},
		"an agent in capitals":  {map[string]string{"users/a/agents/Coder/memory.json": "{}"}, ErrCorrupt},
		"one id twice":          {map[string]string{at: good, "users/a/agents/__default__/facts/fact_1.md": strings.Replace(good, "tea", "milk", 2)}, ErrLegacy},
		"two versions of one":   {map[string]string{at: good, "users/a/memory.json": `{"facts": [{"id": "fact_1", "content": "Likes milk"}]}`}, ErrLegacy},
		"two summaries": {map[string]string{"users/a/memory.json": `{"version": "2.0", "user": {"topOfMind": {"summary": "x"}}}`,
			"users/a/agents/coder/memory.json": `{"user": {"topOfMind": {"summary": "y"}}}`}, ErrLegacy},
	} {
		if _, err := newSource(t, tc.files).Read(ctx, "a", ""); !errors.Is(err, tc.want) {
			t.Errorf("%s: error %v, want %v", name, err, tc.want)
		}
	}
	src := newSource(t, map[string]string{"users/a/memory.json": "{}", "elsewhere.md": good})
	link := filepath.Join(src.dir, filepath.FromSlash(at))
	if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(filepath.Join(src.dir, "elsewhere.md"), link)); err != nil {
		t.Fatal(err)
	}
	if _, err := src.Read(ctx, "a", ""); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a link: error %v", err)
	}
}

func TestAUserIsTakenIntoABrainThatHasFacts(t *testing.T) {
	ctx := context.Background()
	tree := deermemtest.New()
	src := newSource(t, tree.Files)
	w := newWorld(t)
	own := w.add("", "Was here before", 0.9)
	same := tree.Of("alice", "coder")[0]
	w.plant(w.file("coder", same.ID), []byte(strings.Replace(tree.Files["users/alice/"+same.File], "revision: 1", "revision: 5", 1)))
	m := w.into(src.user("alice"))
	if m.Facts != 37 || m.Present != 1 || !m.Summaries {
		t.Errorf("%+v", m)
	}
	if raw := w.read(w.file("coder", same.ID)); !strings.Contains(raw, "revision: 5") {
		t.Errorf("a fact that means the same was written over:\n%s", raw)
	}
	if w.said("")[own] == "" || !strings.Contains(w.read(filepath.Join(w.dir, "memory.json")), "Works on billing") {
		t.Error("what was there before is gone, or no summaries came")
	}

	w.edit(w.file("coder", same.ID), same.Content+"\n", "Says another thing\n") // the heading
	w.edit(w.file("coder", same.ID), same.Content+"\n", "Says another thing\n")
	before := w.tree()
	if _, err := src.user("alice").Into(ctx, w.Store, false); !errors.Is(err, ErrLegacy) {
		t.Errorf("error %v, want %v", err, ErrLegacy)
	}
	w.wantTree(before)
}

func TestWhatWasPurgedIsNotMigrated(t *testing.T) {
	ctx := context.Background()
	src := newSource(t, deermemtest.New().Files)
	w := newWorld(t)
	w.into(src.user("alice"))
	at, err := FactPath("", "fact_0dd00005")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Store.PurgePage(ctx, at, store.HashOf([]byte(w.read(w.file("", "fact_0dd00005")))), w.now()); err != nil {
		t.Fatal(err)
	}
	m := w.into(src.user("alice"))
	if diff := cmp.Diff([]Skipped{{ID: "fact_0dd00005", Reason: SkippedForgotten}}, m.Skipped); diff != "" || m.Changes() {
		t.Errorf("%+v\n%s", m, diff)
	}
}
