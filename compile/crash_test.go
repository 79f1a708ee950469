package compile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brain/compile"
	"brain/inbox"
	"brain/index"
	"brain/llm"
	"brain/memory"
	"brain/page"
	"brain/store"
)

// A compiler may die at any moment: between what it found and what it writes, in
// the middle of its pages, between them and the word that it is done. Each of
// these moments is sought out here: another process of this test compiles, and
// ends itself as a kill would as soon as the disk shows that the moment has come.
// Then somebody else goes on.

const dyingIn = "COMPILE_TEST_DIES_IN" // a moment, for the process that dies
const dyingAt = "COMPILE_TEST_ROOT"    // the memory root that it works on

// died is the exit code of a process that met its moment.
const died = 97

// moments are what a brain looks like when the compiler of session "redis" dies.
var moments = map[string]func(*disk) bool{
	"after the checkpoint":           func(d *disk) bool { return d.record("windows") && !d.record("plan") },
	"in the update, before its end":  func(d *disk) bool { return d.record("plan") && !d.written() && !d.journal("") },
	"with pages that do not stand":   func(d *disk) bool { return d.journal("prepared") && d.written() },
	"with pages, not cleared up":     func(d *disk) bool { return d.journal("committed") },
	"after the commit":               func(d *disk) bool { return d.record("plan") && d.written() && !d.journal("") },
	"with the record, and unsettled": func(d *disk) bool { return d.record("passes") && d.state() == inbox.Compiling },
}

// disk looks at a brain from outside, without its locks.
type disk struct{ dir string }

func (d *disk) read(name string) string {
	raw, _ := os.ReadFile(filepath.Join(d.dir, filepath.FromSlash(name))) // absent is empty
	return string(raw)
}

func (d *disk) record(key string) bool {
	return strings.Contains(d.read("sessions/2026-03/redis/extracted.json"), `"`+key+`":`)
}

func (d *disk) journal(state string) bool {
	raw := d.read(".txn/JOURNAL")
	return raw != "" && (state == "" || strings.Contains(raw, `"state":"`+state+`"`))
}

func (d *disk) state() string {
	var m inbox.Meta
	if json.Unmarshal([]byte(d.read("sessions/2026-03/redis/meta.json")), &m) != nil {
		return ""
	}
	return m.State
}

// written reports whether a page is there that only session "redis" speaks of.
func (d *disk) written() bool {
	return d.read("sources/default/notes/2026-03-02-where-billing-listens.md") != ""
}

// mortal is a context whose holder dies when it looks at it at a certain moment.
type mortal struct {
	context.Context
	now func() bool
}

func (m mortal) Err() error {
	if m.now() {
		os.Exit(died)
	}
	return m.Context.Err()
}

// TestCompilerThatDies is the other process.
func TestCompilerThatDies(t *testing.T) {
	now := moments[os.Getenv(dyingIn)]
	if now == nil {
		t.Skip("only as the other process of TestExactlyOnceWheneverACompilerDies")
	}
	w := reopened(t, os.Getenv(dyingAt))
	d := &disk{w.dir}
	go func() { // for what is over before anybody looks at a context
		for !now(d) {
		}
		os.Exit(died)
	}()
	items, _, err := w.box.Queue(context.Background(), inbox.QueueOptions{All: true, Session: "redis"})
	if err != nil || len(items) != 1 {
		t.Fatalf("%v, %v", items, err)
	}
	ctx := mortal{context.Background(), func() bool { return now(d) }}
	if _, err := w.pass(&listener{finds: inRedis}).Session(ctx, items[0]); err != nil {
		t.Fatal(err)
	}
}

// reopened is the world of a memory root that is there.
func reopened(t *testing.T, root string) *world {
	t.Helper()
	r, err := store.At(root)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := r.BrainDir("test")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root, dir: dir, clock: march.Add(time.Hour)}
	w.open(r)
	return w
}

// finding is something that a listener finds where its turns are shown.
type finding struct {
	kind  string // items or newFacts, or anything else of a reply
	turns []int
	json  string // without turns
}

// listener is a model that finds, of what it knows to be there, all that stands in
// the turns that it is shown.
type listener struct {
	finds []finding
	mu    sync.Mutex
	asked []llm.Request
}

func (l *listener) Info() llm.CompleterInfo { return llm.CompleterInfo{Provider: "test", Model: "m"} }

func (l *listener) Complete(_ context.Context, r llm.Request) (llm.Completion, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, r)
	shown := slices.DeleteFunc(slices.Clone(l.finds), func(f finding) bool {
		return slices.ContainsFunc(f.turns, func(n int) bool { return !strings.Contains(r.User, fmt.Sprintf(`<turn n="%d"`, n)) })
	})
	return llm.Completion{Text: replyOf(shown...)}, nil
}

// replyOf is a model's answer with these findings.
func replyOf(all ...finding) string {
	found := map[string][]string{}
	for _, f := range all {
		turns := strings.ReplaceAll(fmt.Sprint(f.turns), " ", ",")
		found[f.kind] = append(found[f.kind], strings.TrimSuffix(f.json, "}")+`,"turns":`+turns+"}")
	}
	lists := reply(strings.Join(found["items"], ","), strings.Join(found["newFacts"], ","), strings.Join(found["factsToRemove"], ","))
	for _, f := range all {
		switch f.kind {
		case "topOfMind":
			lists = lists[:len(lists)-1] + `,"user":{"topOfMind":` + found[f.kind][0] + "}}"
		case "verdicts":
			lists = lists[:len(lists)-1] + "," + f.json + "}"
		}
	}
	return lists
}

// What is said in session "redis", and more that is said once its compiler died.
var (
	longTalk = append(slices.Clone(redisTalk),
		"user: The billing service listens on port 7001.", "user: Backups of the ledger are kept for 30 days.",
		"user: 每周三晚上发布新版本。", "assistant: Understood.")
	moreTalk = []string{"user: Invoices are archived in the Lisbon bucket.", "assistant: Noted."}

	inRedis = []finding{
		note("decision", "Redis is the session cache", "The session cache runs on Redis 7, on port 6380.", 1, 3),
		note("note", "Where billing listens", "The billing service listens on port 7001.", 5),
		note("lesson", "How long backups are kept", "Backups of the ledger are kept for 30 days.", 6),
		note("note", "发布时间", "每周三晚上发布新版本。", 7),
		{"newFacts", []int{1}, `{"content":"The user runs the session cache on Redis 7","category":"knowledge","confidence":0.9,"scope":"user","durability":"durable","authority":"descriptive"}`},
		note("note", "Where invoices are", "Invoices are archived in the Lisbon bucket.", 9),
		{"topOfMind", []int{1, 6}, `{"summary":"The session cache on Redis 7, backups of 30 days.","shouldUpdate":true,"scope":"user","authority":"descriptive"}`},
		{"verdicts", []int{1, 7}, verdicts([]string{idOf("oranges")}, idOf("apples")+" 30")},
	}
)

// idOf is the id of a fact that the user likes a fruit.
func idOf(fruit string) string { return memory.FactID(memory.ContentKey("The user likes " + fruit)) }

func note(kind, title, body string, turns ...int) finding {
	return finding{"items", turns, fmt.Sprintf(`{"type":%q,"bucket":"environment","outcome":"success","title":%q,"body":%q}`, kind, title, body)}
}

func TestExactlyOnceWheneverACompilerDies(t *testing.T) {
	for name, now := range moments {
		for _, more := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, turns meanwhile %v", name, more), func(t *testing.T) {
				w, _ := dead(t, name, now)
				said, committed := longTalk, (&disk{w.dir}).committed()
				if more {
					said = slices.Concat(longTalk, moreTalk)
					w.say("redis", said...)
				}
				model := &listener{finds: inRedis}
				w.mustCompile(w.pass(model))
				w.compiledOnce(len(said))
				switch {
				case !more && len(model.asked) > 0:
					t.Errorf("a model was asked %d times for what was found already", len(model.asked))
				case more && committed && strings.Contains(model.asked[0].User, `<turn n="1"`):
					t.Error("a model was shown turns whose pages were written")
				}
			})
		}
	}
}

// A process that compiles for hours has looked at the tree before another one dies:
// it sees what that one wrote all the same, and says nothing twice.
func TestWhoLivesOnKnowsThePagesOfWhoDied(t *testing.T) {
	for name, now := range moments {
		t.Run(name, func(t *testing.T) {
			w, alive := dead(t, name, now)
			committed := (&disk{w.dir}).committed()
			w.say("after", "user: The billing service listens on port 7001.", "assistant: Noted.")
			again := []finding{note("note", "Where billing listens", "The billing service listens on port 7001.", 1)}
			alive.Completer = &listener{finds: again}
			if r := w.mustCompileOne(alive, "after"); len(r.Pages) != 1 || r.Pages[0].Gained != committed {
				t.Fatalf("%+v, want that the page gained a source: %v", r.Pages, committed)
			}
			alive.Completer = &listener{finds: inRedis}
			w.mustCompileOne(alive, "redis")
			all, want := w.pages(), 7
			origins := map[page.Path]int{}
			for name, raw := range all {
				origins[page.Path(name)] = len(compile.Origins(page.Parse(page.Path(name), []byte(raw))))
			}
			if len(all) != want || origins[billing] != 2 || w.state("redis").Compiled != len(longTalk) {
				t.Errorf("pages and how many sessions said them: %v; want %d pages, of %s two", origins, want, billing)
			}
			w.clean()
		})
	}
}

// billing is a page that no session but "redis" speaks of.
const billing page.Path = "sources/default/notes/2026-03-02-where-billing-listens.md"

// committed reports whether the update of the one that died stands.
func (d *disk) committed() bool { return d.written() && !d.journal("prepared") }

// dead is a world in which the compiler of session "redis" died at a moment, and a
// pass that compiled another session before, which says a part of it already.
func dead(t *testing.T, name string, now func(*disk) bool) (*world, *compile.Pass) {
	t.Helper()
	for range 50 {
		w := newWorld(t)
		w.aged("oranges apples pears")
		w.say("before", redisTalk...)
		c := w.pass(&listener{finds: inRedis[:1]})
		w.mustCompile(c)
		w.say("redis", longTalk...)
		cmd := exec.Command(os.Args[0], "-test.run=^TestCompilerThatDies$")
		cmd.Env = append(os.Environ(), dyingIn+"="+name, dyingAt+"="+w.root)
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != died {
			t.Logf("it did not die: %v: %s", err, out)
			continue
		}
		if d := (&disk{w.dir}); now(d) {
			return w, c
		}
	}
	t.Fatal("no compiler died at that moment")
	return nil, nil
}

// compiledOnce checks all that there is to see of session "redis", compiled.
func (w *world) compiledOnce(turns int) {
	w.t.Helper()
	want := map[string]string{ // body → where it comes from
		"The session cache runs on Redis 7, on port 6380.": "[{before [1 3]} {redis [1 3]}]",
		"The billing service listens on port 7001.":        "[{redis [5]}]",
		"Backups of the ledger are kept for 30 days.":      "[{redis [6]}]",
		"每周三晚上发布新版本。":                                      "[{redis [7]}]",
		"The user runs the session cache on Redis 7":       "[{redis [1]}]",
		"The user likes apples":                            "[]",
		"The user likes pears":                             "[]",
	}
	if turns > len(longTalk) {
		want["Invoices are archived in the Lisbon bucket."] = "[{redis [9]}]"
	}
	var paths []page.Path
	for name, raw := range w.pages() {
		p := page.Parse(page.Path(name), []byte(raw))
		body := bodyOf(p)
		origin := fmt.Sprint(compile.Origins(p))
		if want[body] != origin {
			w.t.Errorf("%s: %q is of %s, want %q", name, body, origin, want[body])
		}
		delete(want, body)
		if origin != "[]" {
			paths = append(paths, page.Path(name))
		}
	}
	for body := range want {
		w.t.Errorf("no page says %q", body)
	}
	m := w.state("redis")
	slices.Sort(m.Pages)
	slices.Sort(paths)
	if m.State != inbox.Done || m.Compiled != turns || m.Turns != turns || m.Nothing || !slices.Equal(m.Pages, paths) {
		w.t.Errorf("the session is %+v\nwant it done through turn %d, of pages %v", m, turns, paths)
	}
	w.passesOnce(turns)
	w.reviewedOnce()
	w.clean()
}

// reviewedOnce checks that what session "redis" says of what was known is done, and done
// once.
func (w *world) reviewedOnce() {
	w.t.Helper()
	for _, f := range w.facts() {
		want := [2]int{1, 0} // revision, and how long it holds
		if f.ID == idOf("apples") {
			want = [2]int{2, 229} // 199 days old, and 30
		}
		if got := [2]int{f.Revision, f.ValidDays}; got != want {
			w.t.Errorf("%s: revision and days %v, want %v", f.Content, got, want)
		}
	}
	if got := w.mind(); got != "The session cache on Redis 7, backups of 30 days." {
		w.t.Errorf("the summary says %q", got)
	}
}

// bodyOf is what a page says, without the heading of a fact.
func bodyOf(p *page.Page) string {
	body := strings.TrimSpace(p.Body)
	return body[strings.LastIndexByte(body, '\n')+1:]
}

// passesOnce checks that the record of session "redis" has each turn in one pass and
// each page once.
func (w *world) passesOnce(turns int) {
	w.t.Helper()
	var rec struct {
		Through int
		Open    any
		Passes  []struct {
			From, To int
			Pages    []struct{ Path string }
		}
	}
	raw := (&disk{w.dir}).read("sessions/2026-03/redis/extracted.json")
	if err := json.Unmarshal([]byte(raw), &rec); err != nil {
		w.t.Fatal(err)
	}
	next, seen := 1, map[string]bool{}
	for _, p := range rec.Passes {
		if p.From != next {
			w.t.Errorf("a pass begins with turn %d, want %d", p.From, next)
		}
		next = p.To + 1
		for _, made := range p.Pages {
			if seen[made.Path] {
				w.t.Errorf("%s is of two passes", made.Path)
			}
			seen[made.Path] = true
		}
	}
	if next != turns+1 || rec.Through != turns || rec.Open != nil {
		w.t.Errorf("the record does not end with turn %d: %s", turns, raw)
	}
}

// clean checks that nothing of a write is left over, and that the index, once it has
// looked, is what a new one would be.
func (w *world) clean() {
	w.t.Helper()
	ctx := context.Background()
	// A lock that its holder never gave back stays, empty, until the next one wants it.
	_, over, err := w.box.MyTurn(ctx)
	if err == nil {
		err = over(true)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if f, err := w.st.InFlight(); err != nil || f.Journal || len(f.Temps) > 0 || f.Writer != nil {
		w.t.Errorf("in flight: %+v, %v", f, err)
	}
	for _, pattern := range []string{".txn/*.lock", ".txn/*.turn", ".txn/*.new", "sessions/*/*/*.new*", "sessions/*.new*"} {
		if left, err := filepath.Glob(filepath.Join(w.dir, pattern)); err != nil || len(left) > 0 {
			w.t.Errorf("left over: %q, %v", left, err)
		}
	}
	if _, err := w.ix.Sync(ctx, w.st, index.SyncOptions{}); err != nil {
		w.t.Fatal(err)
	}
	if bad, err := w.ix.Check(ctx, w.st, true); err != nil || len(bad) > 0 {
		w.t.Errorf("the index: %v, %v", bad, err)
	}
}
