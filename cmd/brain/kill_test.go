package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"brain/page"
	"brain/store"
)

// Three processes write one brain in loops: adds, edits, moves, updates of
// several pages, forgets, undos. Two of them call the store, one after the other
// without rest; the third is one command of the program after the other. A killer
// ends them at random moments. Every page carries its checksum, and every writer
// says what it is about to do and what it has done, so that afterwards it can be
// decided what each page may be.

const (
	wantKills    = 200
	maxKilled    = 90 * time.Second
	sharedGroups = 4 // pages that are only ever written together
	grouped      = 3 // pages of a group
)

// sealed is a page's text with its version and its checksum.
func sealed(version string) []byte {
	body := fmt.Sprintf("---\ntitle: %q\n---\n\n版本 %s\n\n%s\n", "page "+version, version, strings.Repeat("words 词 ", 1+len(version)*20))
	sum := sha256.Sum256([]byte(body))
	return []byte(body + "sum " + hex.EncodeToString(sum[:]) + "\n")
}

// version opens a seal; "" means that the page is no whole version of any.
func version(raw []byte) string {
	_, rest, _ := strings.Cut(string(raw), "版本 ")
	v, _, _ := strings.Cut(rest, "\n")
	if v == "" || !bytes.Equal(raw, sealed(v)) {
		return ""
	}
	return v
}

// killedWriter is the loop of one writer on the store: ROOT SLOT. It prints, for
// each page, the state that it is about to bring it to ("?" PATH VERSION), and then
// that it has ("!"), that it could not ("x").
func killedWriter() {
	root, slot := os.Args[1], os.Args[2]
	w := &writer{slot: slot, out: os.Stdout}
	if err := w.run(root); err != nil {
		fmt.Fprintln(os.Stderr, "writer", slot, err)
		os.Exit(1)
	}
}

type writer struct {
	slot string
	st   *store.Store
	out  *os.File
	n    int
}

func (w *writer) run(root string) error {
	r, err := store.At(root)
	if err != nil {
		return err
	}
	if w.st, err = store.Open(r, "default"); err != nil {
		return err
	}
	if w.slot == "a" {
		w.st.Ledger = store.LedgerOptions{Mode: "batch"}
	}
	if err := w.st.Recover(); err != nil {
		return err
	}
	w.n = int(time.Now().UnixNano() % 1e12) // versions of a process after a kill are new ones
	for {
		if err := w.step(); err != nil {
			return err
		}
	}
}

func (w *writer) step() error {
	w.n++
	l, err := w.st.List(context.Background())
	if err != nil {
		return err
	}
	var mine []page.Path
	for _, f := range l.Files {
		if strings.HasPrefix(string(f.Path), "pages/"+w.slot+"/") {
			mine = append(mine, f.Path)
		}
	}
	op := rand.IntN(10)
	if len(mine) < 5 {
		op = 0
	}
	switch {
	case op < 2 && len(mine) < 60:
		return w.add()
	case op < 5:
		return w.edit(mine[rand.IntN(len(mine))])
	case op < 6:
		return w.forget(mine[rand.IntN(len(mine))])
	case op < 8:
		return w.move(mine[rand.IntN(len(mine))])
	}
	return w.group(rand.IntN(sharedGroups))
}

// doing frames an update with what it brings pages to; "-" is no page.
func (w *writer) doing(states map[page.Path]string, fn func(*store.Tx) error) error {
	say := func(sign string) {
		var b strings.Builder
		for p, v := range states {
			fmt.Fprintf(&b, "%s %s %s\n", sign, p, v)
		}
		w.out.WriteString(b.String() + ".\n")
	}
	say("?")
	err := w.st.Update(context.Background(), "kill test", fn)
	if err != nil {
		say("x")
		return err
	}
	say("!")
	return nil
}

func (w *writer) next() string { return w.slot + strconv.Itoa(w.n) }

func (w *writer) add() error {
	v := w.next()
	p := page.Path("pages/" + w.slot + "/" + v + " 页.md")
	return w.doing(map[page.Path]string{p: v}, func(tx *store.Tx) error { return tx.Add(p, sealed(v)) })
}

func (w *writer) edit(p page.Path) error {
	v := w.next()
	return w.doing(map[page.Path]string{p: v}, func(tx *store.Tx) error {
		raw, err := tx.Read(p)
		if err != nil {
			return err
		}
		return tx.Replace(p, store.HashOf(raw), sealed(v))
	})
}

func (w *writer) forget(p page.Path) error {
	return w.doing(map[page.Path]string{p: "-"}, func(tx *store.Tx) error {
		raw, err := tx.Read(p)
		if err != nil {
			return err
		}
		return tx.Remove(p, store.HashOf(raw))
	})
}

func (w *writer) move(p page.Path) error {
	raw, err := w.st.Read(context.Background(), p)
	if err != nil {
		return err
	}
	v := version(raw)
	to := page.Path(fmt.Sprintf("pages/%s/moved/%s %d.md", w.slot, v, w.n))
	return w.doing(map[page.Path]string{p: "-", to: v}, func(tx *store.Tx) error {
		if err := tx.Remove(p, store.HashOf(raw)); err != nil {
			return err
		}
		return tx.Add(to, raw)
	})
}

// group rewrites pages that all writers share. Inside an update they are always
// of one version.
func (w *writer) group(g int) error {
	v := w.next()
	return w.st.Update(context.Background(), "group", func(tx *store.Tx) error {
		seen := map[string]bool{}
		for i := range grouped {
			p := groupPage(g, i)
			raw, err := tx.Read(p)
			if err != nil {
				return err
			}
			seen[version(raw)] = true
			if err := tx.Replace(p, store.HashOf(raw), sealed(v)); err != nil {
				return err
			}
		}
		if len(seen) != 1 || seen[""] {
			return fmt.Errorf("group %d has the versions %v", g, seen)
		}
		return nil
	})
}

func groupPage(g, i int) page.Path {
	return page.Path(fmt.Sprintf("groups/%d/%c.md", g, 'a'+i))
}

// legal is what each page of one writer may be.
type legal map[string][]string

// take reads what a writer said until it was killed. A line that it could not
// finish was not said.
func (l legal) take(out []byte) {
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 2)
		if !strings.HasSuffix(line, "\n") || len(f) != 2 {
			continue
		}
		i := strings.LastIndexByte(f[1], ' ')
		p, v := f[1][:i], f[1][i+1:]
		was, ok := l[p]
		if !ok {
			was = []string{"-"}
		}
		switch f[0] {
		case "?":
			l[p] = append(slices.Clone(was), v)
		case "!":
			l[p] = []string{v}
		case "x":
			l[p] = slices.DeleteFunc(slices.Clone(was), func(s string) bool { return s == v })
		}
	}
}

func TestKilledWritersLoseNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of kills")
	}
	root := killingGround(t)
	for g := range sharedGroups {
		for i := range grouped {
			name := filepath.Join(root, "brains", "default", filepath.FromSlash(string(groupPage(g, i))))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, sealed("first"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	k := newKilling(t, root, wantKills, maxKilled)
	var wg sync.WaitGroup
	states := []legal{{}, {}}
	for i, slot := range []string{"a", "b"} {
		wg.Go(func() { k.storeSlot(slot, states[i]) })
	}
	commands := &commandLine{}
	wg.Go(func() { k.commandSlot(commands) })
	began := time.Now()
	wg.Wait()
	t.Logf("%d kills in %v: %d and %d pages' states, %d commands of the program", k.kills, time.Since(began).Round(time.Second), len(states[0]), len(states[1]), commands.n)
	if k.kills < wantKills {
		t.Errorf("only %d kills", k.kills)
	}
	afterKills(t, root, states, commands)
}

// killingGround is a memory root in memory, where there is some: a killed process
// takes nothing with it that it gave to the system, and without waits for a disk a
// kill often comes between two files of one update.
func killingGround(t *testing.T) string {
	t.Helper()
	root, err := os.MkdirTemp("/dev/shm", "brain-")
	if err != nil {
		root = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	brainCmd(t, root, "init", "--brain", "default")
	return root
}

// killing counts the kills of all slots.
type killing struct {
	t     *testing.T
	root  string
	want  int
	until time.Time
	span  time.Duration // within which a kill comes

	mu    sync.Mutex
	kills int
}

// newKilling kills want times, and for at most as long as limit. Kills come within a span in
// which a command can end by itself, so that work is done under them on a slow machine, too.
func newKilling(t *testing.T, root string, want int, limit time.Duration) *killing {
	t.Helper()
	began := time.Now()
	brainCmd(t, root, "compile") // nothing: as long as a command needs at least
	const slots = 3              // that kill, each after half of the span: so half of the limit is needed
	span := min(max(400*time.Millisecond, 6*time.Since(began)), limit*slots/time.Duration(want))
	return &killing{t: t, root: root, want: want, until: time.Now().Add(limit), span: span}
}

func (k *killing) over() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kills >= k.want || time.Now().After(k.until) || k.t.Failed()
}

// killed kills a command at some moment within the span and reports whether that ended it.
func (k *killing) killed(cmd *exec.Cmd) bool {
	killed := killAfter(cmd, 20*time.Millisecond+rand.N(k.span))
	k.mu.Lock()
	defer k.mu.Unlock()
	if killed {
		k.kills++
	}
	return killed
}

// killAfter kills a command when its time is over and reports whether that ended it.
func killAfter(cmd *exec.Cmd, after time.Duration) bool {
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	timer.Stop()
	return cmd.ProcessState.ExitCode() < 0
}

func (k *killing) storeSlot(slot string, l legal) {
	for !k.over() {
		var out, errs bytes.Buffer
		cmd := exec.Command("brain-writer", k.root, slot)
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			k.t.Error(err)
			return
		}
		if !k.killed(cmd) {
			k.t.Errorf("writer %s ended by itself: %s", slot, errs.String())
		}
		l.take(out.Bytes())
	}
}

// commandLine is what the commands of the third writer did.
type commandLine struct {
	n     int
	added map[int]bool // number of page → whether its command ended well
}

// commandSlot runs one command of the program after the other; most are killed.
func (k *killing) commandSlot(c *commandLine) {
	c.added = map[int]bool{}
	for !k.over() {
		c.n++
		args := c.next()
		cmd := exec.Command("brain", append([]string{"--root", k.root}, args...)...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			k.t.Error(err)
			return
		}
		killed := k.killed(cmd)
		switch code := cmd.ProcessState.ExitCode(); {
		case killed:
		case code == exitUsage && args[0] == "entity": // one of the two is a redirect by now
		case code == exitUsage || code == exitEnvironment || code == exitBusy:
			k.t.Errorf("brain %q: exit code %d: %s", args, code, errs.String())
		case code == 0 && args[0] == "add":
			c.added[c.n] = true
		}
	}
}

func (c *commandLine) next() []string {
	n := strconv.Itoa(c.n)
	some := "cli/" + strconv.Itoa(1+rand.IntN(c.n)) + ".md"
	switch rand.IntN(9) {
	case 0, 1, 2, 3:
		if c.n%5 == 0 {
			return []string{"add", "--force", "--type", "entity", "--path", "cli/" + n + ".md", "--title", "System " + n, "--text", line(n), "--link", "related_to:" + some}
		}
		return []string{"add", "--force", "--path", "cli/" + n + ".md", "--title", "Page 页 " + n, "--text", line(n) + "\n\n见 [[" + some + "]]."}
	case 4:
		return []string{"edit", some, "--append", line("edit " + n)}
	case 5:
		return []string{"move", some, "cli/moved/" + path.Base(some)}
	case 6:
		return []string{"forget", some}
	case 7:
		return []string{"forget", some, "--purge", "--confirm"}
	}
	return []string{"entity", "merge", "cli/" + strconv.Itoa(5*(1+rand.IntN(1+c.n/5))) + ".md", "cli/" + strconv.Itoa(5*(1+rand.IntN(1+c.n/5))) + ".md", "--confirm"}
}

// line is a line that says whether it is whole.
func line(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "line <" + s + "> " + hex.EncodeToString(sum[:])
}

// afterKills looks at what is left: first as it is, then after one recovery.
func afterKills(t *testing.T, root string, states []legal, c *commandLine) {
	t.Helper()
	r, err := store.At(root)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(r, "default")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.Recover(); err != nil {
		t.Fatal(err)
	}
	f, err := st.InFlight()
	if err != nil || f.Journal || len(f.Temps) > 0 || f.Left != nil || f.Writer != nil {
		t.Errorf("in flight after a recovery: %+v, %v", f, err)
	}
	checkPages(t, st, states, c)

	// The index, brought up to date in small steps by all those processes, knows
	// what the files say, and answers as one that is built from them.
	brainCmd(t, root, "sync")
	brainCmd(t, root, "check", "--deep")
	ask := func() string {
		var b strings.Builder
		for _, q := range []string{"words 词", "版本", "System", "Page 页", "line edit"} {
			var answer struct{ Hits []json.RawMessage }
			if err := json.Unmarshal([]byte(brainCmd(t, root, "query", "-n", "100", "--json", q)), &answer); err != nil || len(answer.Hits) == 0 {
				t.Fatalf("query %s: %v, %d hits", q, err, len(answer.Hits))
			}
			for _, h := range answer.Hits {
				b.Write(append(h, '\n'))
			}
		}
		return b.String()
	}
	grown := ask()
	if err := os.RemoveAll(filepath.Join(root, ".brain", "index")); err != nil {
		t.Fatal(err)
	}
	brainCmd(t, root, "sync")
	if built := ask(); built != grown {
		t.Errorf("the index that grew answers otherwise than one that is built:\n%s\n%s", grown, built)
	}

	checkLedger(t, root)
}

// checkLedger checks that git has a sound history, and everything in it once it is
// asked for.
func checkLedger(t *testing.T, root string) {
	t.Helper()
	brainCmd(t, root, "sync", "--commit")
	for _, args := range [][]string{{"fsck", "--strict"}, {"ls-tree", "-r", "HEAD"}} {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			t.Errorf("git %s: %v: %s", args, err, out)
		}
	}
	if out, err := exec.Command("git", "-C", root, "status", "--porcelain", "--", "brains").CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("git status: %v: %.500s", err, out)
	}
}

// checkPages holds every page against what it may be.
func checkPages(t *testing.T, st *store.Store, states []legal, c *commandLine) {
	t.Helper()
	l, err := st.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(l.InFlight) > 0 {
		t.Errorf("in flight: %q", l.InFlight)
	}
	is := map[string]string{}
	inGroup := map[string]map[string]bool{}
	cli := 0
	for _, f := range l.Files {
		raw, err := st.Read(context.Background(), f.Path)
		if err != nil {
			t.Fatal(err)
		}
		top, rest, _ := strings.Cut(string(f.Path), "/")
		v := version(raw)
		switch top {
		case "pages":
			is[string(f.Path)] = v
		case "groups":
			g := path.Dir(rest)
			if inGroup[g] == nil {
				inGroup[g] = map[string]bool{}
			}
			inGroup[g][v] = true
		case "cli":
			cli++
			wholeLines(t, f.Path, raw)
			continue
		default:
			t.Errorf("a page that nobody wrote: %s", f.Path)
		}
		if v == "" {
			t.Errorf("%s is no whole version: %.200q", f.Path, raw)
		}
	}
	for g, versions := range inGroup {
		if len(versions) != 1 {
			t.Errorf("group %s is of the versions %v", g, versions)
		}
	}
	if len(inGroup) != sharedGroups {
		t.Errorf("%d groups", len(inGroup))
	}
	for _, l := range states {
		for p, may := range l {
			v, ok := is[p]
			if !ok {
				v = "-"
			}
			if !slices.Contains(may, v) {
				t.Errorf("%s is %q, and may be %q", p, v, may)
			}
			delete(is, p)
		}
	}
	for p := range is {
		t.Errorf("%s is there, and nobody said so", p)
	}
	t.Logf("%d pages, %d of them by commands of the program (%d adds acknowledged)", len(l.Files), cli, len(c.added))
}

// wholeLines checks what commands wrote: front matter that reads, lines that are
// as they were given.
func wholeLines(t *testing.T, p page.Path, raw []byte) {
	t.Helper()
	pg := page.Parse(p, raw)
	if len(pg.Problems) > 0 {
		t.Errorf("%s: %v", p, pg.Problems)
	}
	for sc := bufio.NewScanner(bytes.NewReader(raw)); sc.Scan(); {
		rest, ok := strings.CutPrefix(sc.Text(), "line <")
		if !ok {
			continue
		}
		s, _, _ := strings.Cut(rest, ">")
		if sc.Text() != line(s) {
			t.Errorf("%s: a line that nobody wrote: %q", p, sc.Text())
		}
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// brainCmd runs the program and demands that it ends well.
func brainCmd(t *testing.T, root string, args ...string) string {
	t.Helper()
	cmd := exec.Command("brain", append(args, "--root", root)...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("brain %q: %v: %.1000s%.1000s", args, err, errs.String(), out)
	}
	return string(out)
}
