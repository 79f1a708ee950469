package store

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// world is a brain, its jobs and its ledger without disk and git. What brain
// writes begins with b, what a hand writes with h, so that each content tells
// whose it is.
type world struct {
	disk, git map[string]string
	jobs      []Job
	images    map[Hash]string      // bytes that jobs replaced
	changed   map[string]time.Time // when git got what it has
	wrote     map[string]bool
	n         int
	edited    bool // a hand was on renewedPath
}

func (w *world) next(who string) string {
	w.n++
	return fmt.Sprintf("%s%d", who, w.n)
}

// clock goes a second further each time it is looked at.
func (w *world) clock() time.Time {
	w.n++
	return time.Unix(int64(w.n), 0)
}

func (w *world) record(path, content string) {
	if w.git[path] != content {
		w.git[path], w.changed[path] = content, w.clock()
	}
}

func hashOf(content string) Hash {
	if content == "" {
		return ""
	}
	return HashOf([]byte(content))
}

// renewedPath changes with every write; what it held before is kept nowhere.
const renewedPath = "m.json"

// write is an update of some files by brain.
func (w *world) write(t *rapid.T, alone bool) {
	j := Job{ID: fmt.Sprint(w.n), At: w.clock(), Reason: "edit", Alone: alone}
	for _, path := range []string{"a.md", "b.md"} {
		if path == "b.md" && !rapid.Bool().Draw(t, "b too") {
			continue
		}
		after := ""
		if rapid.IntRange(0, 3).Draw(t, "keep") > 0 {
			after = w.next("b")
		}
		if before := w.disk[path]; before != after {
			c := Change{Path: path, Before: hashOf(before), After: hashOf(after)}
			if before != "" {
				c.Image = "0"
				w.images[c.Before] = before
			}
			w.wrote[path+string(c.After)] = true
			j.Changes = append(j.Changes, c)
			w.disk[path] = after
		}
	}
	if len(j.Changes) > 0 {
		after := w.next("b")
		c := Change{Path: renewedPath, Before: hashOf(w.disk[renewedPath]), After: hashOf(after), Renewed: true}
		w.wrote[c.Path+string(c.After)] = true
		j.Changes, w.disk[renewedPath] = append(j.Changes, c), after
	}
	w.jobs = append(w.jobs, j)
}

func (w *world) snapshot() *snapshot {
	s := &snapshot{disk: map[string]diskFile{}, old: map[Hash]func() ([]byte, error){}, oids: map[Hash]string{}}
	s.open = func(path string) ([]byte, fs.FileMode, error) { return []byte(w.disk[path]), 0, nil }
	s.name = func(raw []byte) string { return "object " + string(raw) }
	s.jobs = append(s.jobs, w.jobs...)
	for h, content := range w.images {
		s.old[h] = func() ([]byte, error) { return []byte(content), nil }
	}
	for _, path := range []string{"a.md", "b.md", renewedPath} {
		s.disk[path] = diskFile{sum: hashOf(w.disk[path]), oid: "object " + w.disk[path]}
	}
	return s
}

// commit makes the plan, checks each of its versions, and applies it.
func (w *world) commit(t *rapid.T, perWrite bool) {
	s := w.snapshot()
	most := limits{jobs: 1000, files: rapid.IntRange(1, 4).Draw(t, "files")}
	if perWrite {
		most.jobs = 1
	}
	plan, err := planLedger(s, "", most, recorded{
		has:   func(p string, h Hash) (bool, error) { return hashOf(w.git[p]) == h, nil },
		since: func(p string, at time.Time) (bool, error) { return w.changed[p].After(at), nil },
		wrote: func(p string, h Hash) bool { return w.wrote[p+string(h)] },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range plan {
		if notes := strings.Join(v.notes, "\n"); !w.edited && strings.Contains(notes, renewedPath) {
			t.Fatalf("nothing is missed of what is renewed, but: %s", notes)
		}
		for _, path := range v.paths() {
			raw := ""
			if h := v.files[path]; h != "" {
				bytes, err := s.read(path, h)
				if err != nil {
					t.Fatal(err)
				}
				raw = string(bytes)
			}
			if raw == w.git[path] {
				continue
			}
			if whose := map[bool]string{true: "h", false: "b"}[v.hand]; raw != "" && !strings.HasPrefix(raw, whose) {
				t.Fatalf("%s: %s is committed as if it were of %s", path, raw, whose)
			}
			if strings.HasPrefix(raw, "h") && !v.hand {
				t.Fatalf("%s: a hand's %s in brain's commit", path, raw)
			}
			w.record(path, raw)
		}
		if len(v.jobs) > 1 && (perWrite || v.jobs[0].Alone || v.jobs[len(v.jobs)-1].Alone) {
			t.Fatalf("a job that is to be alone is with %d others", len(v.jobs)-1)
		}
	}
	for path := range s.disk {
		if w.git[path] != w.disk[path] {
			t.Fatalf("%s: git has %q, disk %q", path, w.git[path], w.disk[path])
		}
	}
}

// TestThePlanOfAnyHistoryEndsAtWhatIsOnDiskAndTakesNobodysWorkForAnothers lets brain
// and a hand write in any order, with passes that died before they shortened the
// list and users who commit on the same branch.
func TestThePlanOfAnyHistoryEndsAtWhatIsOnDiskAndTakesNobodysWorkForAnothers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{disk: map[string]string{}, git: map[string]string{}, images: map[Hash]string{}, changed: map[string]time.Time{}, wrote: map[string]bool{}}
		t.Repeat(map[string]func(*rapid.T){
			"write":            func(t *rapid.T) { w.write(t, false) },
			"alone":            func(t *rapid.T) { w.write(t, true) },
			"hand":             func(t *rapid.T) { w.disk["a.md"] = w.next("h") },
			"hand on renewed":  func(t *rapid.T) { w.disk[renewedPath], w.edited = w.next("h"), true },
			"the list is lost": func(t *rapid.T) { w.jobs = nil },
			"delete by hand": func(t *rapid.T) {
				w.disk["b.md"] = ""
			},
			"the user commits": func(t *rapid.T) {
				for p, c := range w.disk {
					w.record(p, c)
				}
			},
			"commit": func(t *rapid.T) {
				w.commit(t, rapid.Bool().Draw(t, "per write"))
				if rapid.IntRange(0, 4).Draw(t, "died") > 0 {
					w.jobs = nil
				}
			},
		})
		w.commit(t, false)
	})
}

func TestAMessageNamesFilesReasonsAndJobs(t *testing.T) {
	v := version{files: map[string]Hash{}, notes: []string{"a note"}}
	for i, reason := range []string{"add", "edit\nof two lines", "add"} {
		v.jobs = append(v.jobs, Job{ID: fmt.Sprint("job", i), Reason: reason, Changes: []Change{{Path: fmt.Sprintf("brains/x/%d.md", i)}}})
	}
	got := v.message([]string{"0.md", "1.md"}, "brains/x/")
	if want := "add, edit of two lines: 2 files\n\n0.md\n1.md\n\na note\n\nBrain-Job: job0\nBrain-Job: job1\n"; got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestTheEnvironmentOfAGitThatCalledUsIsNotPassedOn(t *testing.T) {
	st, _ := ledgerBrain(t)
	other := t.TempDir()
	for name, value := range map[string]string{
		"GIT_DIR": other, "GIT_WORK_TREE": other, "GIT_INDEX_FILE": other + "/index", "GIT_OBJECT_DIRECTORY": other,
		"GIT_AUTHOR_NAME": "Mallory", "GIT_CONFIG_PARAMETERS": "'user.name=Mallory'", "GIT_EDITOR": "false", "LC_ALL": "de_DE.UTF-8",
	} {
		t.Setenv(name, value)
	}
	add(t, st, "a.md", "x\n")
	rep := commit(t, st)
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_CONFIG_PARAMETERS"} {
		os.Unsetenv(name)
	}
	if len(rep.Commits) != 1 {
		t.Fatalf("%+v", rep)
	}
	if got := git(t, top(st), "log", "-1", "--format=%an %s"); got != "brain add: a.md" {
		t.Errorf("%q", got)
	}
}
