package dream

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// hide makes a folder that cannot be read, for root neither: what it hides is unknown where its
// .brainignore is too large. show undoes it.
func (w *world) hide(folder string) (show func()) {
	w.t.Helper()
	at := folder + "/.brainignore"
	w.write(at, strings.Repeat("x\n", 1<<20))
	return func() { w.t.Helper(); w.remove(at) }
}

func (w *world) loseIndex() {
	w.t.Helper()
	dir := filepath.Join(w.root.StateDir(), "index", "test")
	if err := errors.Join(w.ix.Close(), os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		w.t.Fatal(err)
	}
}

// limit writes a decision and an entity, with a limit that another page may contradict.
func (w *world) limit(path, of, messages string) {
	w.write("entities/"+strings.ToLower(of)+".md", lines("---", "title: "+of, "schema_type: entity", "---", "", "A gateway."))
	w.write(path, lines("---", "title: "+filepath.Base(path)+" of "+of, "schema_type: decision", "---", "",
		"The ingest limit of "+of+" is "+messages+" messages per second per tenant."))
}

// onlySyncFailed demands a night that went on over what could be read.
func onlySyncFailed(t *testing.T, r *Report, path string) {
	t.Helper()
	for _, s := range r.Stages {
		if s.OK != (s.Stage != Sync) {
			t.Errorf("%s: ok %t, %q; want a failure of sync alone", s.Stage, s.OK, s.Failures)
		}
	}
	if s := stage(t, r, Sync); len(s.Failures) != 1 || !strings.Contains(s.Failures[0], path) {
		t.Errorf("sync failed of %q; want %s named", s.Failures, path)
	}
}

func TestAPageThatCannotBeReadStopsNoNight(t *testing.T) {
	for _, c := range []struct {
		name, path string
		hide       func(w *world) (show func())
	}{
		{"its folder", "sources/a/closed", func(w *world) func() {
			show := w.hide("sources/a/closed")
			raw := w.read("sources/a/closed/two.md")
			w.remove("sources/a/closed/two.md") // for all that is known of it
			return func() { w.write("sources/a/closed/two.md", raw); show() }
		}},
		{"its file", "sources/a/closed/two.md", func(w *world) func() {
			if runtime.GOOS == "windows" || os.Geteuid() == 0 {
				w.t.Skip("permission bits do not bind this user")
			}
			name := filepath.Join(w.dir, "sources/a/closed/two.md")
			chmod := func(mode os.FileMode) {
				if err := os.Chmod(name, mode); err != nil {
					w.t.Fatal(err)
				}
			}
			chmod(0)
			return func() { chmod(0o644) }
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.t = t
			w.limit("sources/a/one.md", "Sluice", "600")
			w.limit("sources/a/closed/two.md", "Sluice", "900")
			if r := w.dream(w.cycle(nil)); !r.OK || len(w.open()) != 1 {
				t.Fatalf("the first night: %+v, %d pairs; want one", r, len(w.open()))
			}
			show := c.hide(w)
			w.limit("sources/b/one.md", "Weir", "70")
			w.limit("sources/b/two.md", "Weir", "80")
			onlySyncFailed(t, w.dream(w.cycle(nil)), c.path)
			if pairs := w.open(); len(pairs) != 2 {
				t.Errorf("open pairs: %v; want that of the page still, and the new one", pairs)
			}
			before := w.read(string(ReviewFile))
			r := w.dream(w.cycle(nil))
			if onlySyncFailed(t, r, c.path); w.read(string(ReviewFile)) != before || stage(t, r, Contradictions).Skipped == "" {
				t.Errorf("another night: %+v; want nothing looked at twice", r.Stages)
			}
			show()
			if r := w.dream(w.cycle(nil)); !r.OK || len(w.open()) != 2 || stage(t, r, Contradictions).Skipped != "" {
				t.Errorf("when it can be read again: %+v, %v; want it looked at", r.Stages, w.open())
			}
		})
	}
}

// An index that is made while a page cannot be read does not know of it, and the night goes on.
func TestANightOverATreeOfWhichAPartWasNeverRead(t *testing.T) {
	w := newWorld(t)
	w.limit("sources/a/one.md", "Sluice", "600")
	w.limit("sources/a/two.md", "Sluice", "900")
	w.write("closed/vault.md", "# Vault\n\nText.\n")
	w.hide("closed")
	onlySyncFailed(t, w.dream(w.cycle(nil)), "closed")
	if len(w.open()) != 1 {
		t.Errorf("open pairs: %v; want one", w.open())
	}
	dry := w.cycle(nil)
	dry.DryRun = true
	onlySyncFailed(t, w.dream(dry), "closed")
}

func TestAnExperienceKeepsASourceThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	paths := w.retries(1, 6)
	w.dream(w.cycle(nil))
	made := w.experiences()
	if len(made) != 1 {
		t.Fatalf("%v; want one experience", made)
	}
	before := w.read(made[0])
	raw := w.read(paths[5])
	show := w.hide(filepath.Dir(paths[5]))
	w.remove(paths[5])
	w.write("sources/shop/issues/1/lessons.md", w.read(paths[0])+"\nOne line more.\n")
	if w.dream(w.cycle(nil)); w.read(made[0]) != before {
		t.Errorf("while a source cannot be read it is\n%s", w.read(made[0]))
	}
	w.write(paths[5], raw)
	show()
	if s := stage(t, w.dream(w.cycle(nil)), Distill); !s.OK || len(s.Changed) != 1 {
		t.Errorf("when it can be read again: %+v; want the experience looked at", s)
	}
}

// One that is there and cannot be read gets no double: neither where the index knows of it, by
// whatever name, nor in its own place, where it does not.
func TestAnExperienceThatCannotBeReadIsNotMadeAgain(t *testing.T) {
	for _, name := range []string{"learned/by-another-name.md", "experiences/exp-paygate.md"} {
		w := newWorld(t)
		w.retries(1, 5)
		w.dream(w.cycle(nil))
		raw := w.read("experiences/exp-paygate.md")
		w.remove("experiences/exp-paygate.md")
		if w.write(name, raw); name == "learned/by-another-name.md" {
			w.dream(w.cycle(nil))
		} else {
			w.loseIndex()
		}
		w.hide(filepath.Dir(name))
		w.remove(name)
		w.retries(6, 6)
		s := stage(t, w.dream(w.cycle(nil)), Distill)
		if got := w.experiences(); !s.OK || len(got) != 0 || len(s.Left) != 1 {
			t.Errorf("%s: %v, %+v; want none made, and that said", name, got, s)
		}
	}
}

func TestTheOverviewOfAFolderThatCannotBeReadStays(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		w.noted(name, "press", 1, "abstract: Of a press.")
	}
	m := describes(faithful)
	w.dream(w.layering(m), Distill)
	const issue, source = "sources/plant/issues/7/_overview.md", "sources/plant/_overview.md"
	was := w.read(issue) + w.read(source)
	show := w.hide("sources/plant/issues/7")
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		w.remove("sources/plant/issues/7/" + name + ".md")
	}
	s := stage(t, w.dream(w.layering(m), Distill), Distill)
	if got := w.read(issue) + w.read(source); !s.OK || got != was {
		t.Errorf("%+v: the overviews are now\n%s", s, got)
	}
	show()
	w.dream(w.layering(m), Distill)
	if _, err := os.Stat(filepath.Join(w.dir, issue)); err == nil {
		t.Error("it is there though its pages are gone")
	}
}
