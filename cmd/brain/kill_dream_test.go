package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/inbox"
	"brain/text"
)

// A Dream is killed at random moments, again and again, until one that nobody disturbs
// goes on with what is there. Afterwards the brain has to be the very brain that one
// undisturbed Dream makes of the same beginning, but for the times that stand in it.

// dreamer is a brain that a Dream has something to do with in each of its stages.
type dreamer struct {
	t    *testing.T
	base string        // never dreamt of
	env  []string      // of the commands
	want brainFiles    // what becomes of it
	took time.Duration // how long an undisturbed Dream needs
}

// brainFiles are the files of a brain by path, times of day struck out.
type brainFiles map[string]string

func TestKilledDreamsAreFinishedByTheNext(t *testing.T) {
	want, limit := 100, 3*time.Minute
	switch {
	case testing.Short():
		want = 12
	case withRace():
		want = 20
	}
	d := newDreamer(t)
	kills, roots, until := 0, 0, time.Now().Add(limit)
	for ; kills < want && time.Now().Before(until) && !t.Failed(); roots++ {
		kills += d.disturbed(1 + rand.IntN(5))
	}
	t.Logf("%d kills in %d brains; an undisturbed Dream takes %v and leaves %d files", kills, roots, d.took.Round(time.Millisecond), len(d.want))
	if kills < want {
		t.Errorf("only %d kills", kills)
	}
}

func newDreamer(t *testing.T) *dreamer {
	t.Setenv("BRAIN_CAPTURE_DEBOUNCE", "1ms") // what was said just now is due
	d := &dreamer{t: t, base: killingGround(t)}
	d.fill()
	root := d.copy()
	began := time.Now()
	brainCmd(t, root, "dream")
	d.took = time.Since(began)
	d.want = filesOf(t, root)
	if had := filesOf(t, d.base); maps.Equal(had, d.want) {
		t.Fatal("a Dream has nothing to do with this brain")
	}
	brainCmd(t, root, "dream")
	if again := filesOf(t, root); !maps.Equal(again, d.want) {
		t.Fatalf("a second Dream changed the brain:\n%s", differences(d.want, again))
	}
	return d
}

// fill writes what there is to do: claims that cannot both hold, conversations that
// nobody compiled, lessons on one subject, pages that nothing leads to and one of them
// temporary.
func (d *dreamer) fill() {
	write := func(name string, lines ...string) {
		name = filepath.Join(d.base, "brains", "default", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			d.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			d.t.Fatal(err)
		}
	}
	for i, name := range []string{"harbor", "lantern", "marlin", "cinder", "juniper"} {
		write("entities/"+name+".md", "---", "title: "+name, "schema_type: entity", "facts:",
			fmt.Sprintf("  - text: The retry limit of %s is %d.", name, 10+i), "---", "", "# "+name, "", name+" is a service.")
		write("sources/ops/decisions/"+name+".md", "---", "title: Retries of "+name, "schema_type: decision", "created_at: \"2026-01-02T08:00:00Z\"", "---", "",
			fmt.Sprintf("The retry limit of %s is %d. See [[%s]].", name, 20+i, name))
		for j := range 6 {
			write(fmt.Sprintf("sources/ops/lessons/%s-%d.md", name, j), "---", fmt.Sprintf("title: Lesson %d on %s", j, name), "schema_type: lesson",
				fmt.Sprintf("created_at: \"2026-01-%02dT08:00:00Z\"", 3+j), "---", "", fmt.Sprintf("Deploys of [[%s]] went well after the cache was warmed, number %d.", name, j))
		}
		write("notes/alone-"+name+".md", "---", "title: Alone "+name, "schema_type: note", "temporary: true", "created_at: \"2025-01-02T08:00:00Z\"", "---", "", "Nothing leads here, and "+name+" is not even linked.")
		talk := filepath.Join(d.t.TempDir(), name+".jsonl")
		said := fmt.Sprintf(`{"role":"user","text":"Good morning, how is it going?","at":"2026-02-0%[2]dT09:00:00Z"}
{"role":"user","text":"Please remember: the backups of %[1]s are kept in Dublin.","at":"2026-02-0%[2]dT09:01:00Z"}
`, name, i+1)
		if err := os.WriteFile(talk, []byte(said), 0o600); err != nil {
			d.t.Fatal(err)
		}
		brainCmd(d.t, d.base, "inbox", "add", talk, "--session", "talk-"+name)
	}
}

// copy is another root with the same brain.
func (d *dreamer) copy() string {
	d.t.Helper()
	root, err := os.MkdirTemp(filepath.Dir(d.base), "brain-")
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { os.RemoveAll(root) })
	if err := os.CopyFS(root, os.DirFS(d.base)); err != nil {
		d.t.Fatal(err)
	}
	return root
}

// disturbed kills some Dreams of one brain and lets the next one be.
func (d *dreamer) disturbed(times int) (kills int) {
	d.t.Helper()
	root := d.copy()
	defer os.RemoveAll(root)
	var moments []time.Duration
	for range times {
		after := time.Duration(5+rand.IntN(int(d.took.Milliseconds())+50)) * time.Millisecond
		moments = append(moments, after)
		cmd := exec.Command("brain", "--root", root, "dream")
		cmd.Env = append(os.Environ(), d.env...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			d.t.Fatal(err)
		}
		if !killAfter(cmd, after) {
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				d.t.Errorf("a Dream after kills ends with %d: %s", code, errs.String())
			}
			break // it was done before
		}
		kills++
	}
	brainCmd(d.t, root, "dream")
	got := filesOf(d.t, root)
	if !maps.Equal(got, d.want) {
		d.t.Errorf("after kills at %v:\n%s", moments, differences(d.want, got))
	}
	for _, m := range sessionsOf(d.t, root) {
		if m.State != inbox.Done {
			d.t.Errorf("after kills at %v the session %s is %s", moments, m.Session, m.State)
		}
	}
	brainCmd(d.t, root, "check")
	return kills
}

func sessionsOf(t *testing.T, root string) []inbox.Meta {
	t.Helper()
	box, err := inbox.Open(filepath.Join(root, "brains", "default"))
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	all, err := box.List(t.Context())
	if err != nil || len(all) == 0 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	return all
}

// filesOf reads a brain. Where a session stands has times and counts of attempts in
// it, and is asked of the command.
func filesOf(t *testing.T, root string) brainFiles {
	t.Helper()
	moment := text.Pattern(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	out, dir := brainFiles{}, filepath.Join(root, "brains", "default")
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".txn":
			return filepath.SkipDir
		case e.IsDir(), e.Name() == "meta.json", e.Name() == "extracted.json":
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = moment().ReplaceAllString(string(raw), "TIME")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// differences are the files that two brains do not share, for people.
func differences(want, got brainFiles) string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[path]; !ok {
			fmt.Fprintf(&b, "too much: %s\n%s\n", path, got[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		is, ok := got[path]
		switch {
		case !ok:
			fmt.Fprintf(&b, "missing: %s\n%s\n", path, want[path])
		case is != want[path]:
			fmt.Fprintf(&b, "another: %s\n%s\nand not\n%s\n", path, is, want[path])
		}
	}
	return b.String()
}
