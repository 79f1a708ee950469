package dream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/inbox"
	"brain/llm"
	"brain/memory"
	"brain/page"
)

// A year of nights on a brain that people work with. Each day somebody edits, adds,
// moves and deletes pages, talks, tells facts, settles a contradiction, or does nothing;
// each night the brain dreams. What has to hold every night:
//
//	after a day on which nothing happened    no file is touched, no model is asked
//	a page that was written                  stands in the report, and parses without a problem
//	a page that the report names             was written
//	a file that the dream did not make       is not deleted, nor is text of a person replaced
//	two claims that stay as they are         are the same open pair, with the same id as long as their subject has the same name
//	a pair that a person decided             does not come back
//
// and at the end of the year: what dream remembers is not much more than what a brain
// needs that dreams for the first time, and to lose it all makes nothing new.
//
// All of it takes minutes, and is run where somebody asks for it:
//
//	BRAIN_YEAR=1 go test ./dream -run TestAYearOfNights -v -timeout 30m

const nightsSeed = 20260302

// year is the brain, and the people who work with it.
type year struct {
	*world
	r     *rand.Rand
	pages []string // that people wrote and that are there
	made  int      // pages and sessions so far, for names
	model *model   // nil: rules

	own     map[string]bool   // paths that dreams wrote
	last    map[string]file   // after the night before
	ids     map[string]string // what a pair is of and its texts → its id
	open    map[string]Pair   // the open pairs, by their texts
	settled map[string]Pair   // pairs that a person decided, likewise
	kept    map[string]string // what was kept of them
	fresh   int               // pairs that came

	seen   map[string]int // what people did
	wrote  int            // files that dreams wrote, again and again counted
	calls  int
	forgot bool          // what dream remembered is lost: it may ask again
	spent  time.Duration // of all dreams
	worst  time.Duration
}

// What the pages speak of. A value of a system's metric is the same wherever it is
// named, until somebody changes his mind.
var (
	nightNames   = []string{"harbor", "lantern", "marlin", "cinder", "juniper", "tundra", "saffron", "pebble", "quartz", "willow", "falcon", "copper"}
	nightMetrics = []struct{ en, zh string }{
		{"The retry limit of %s is %d.", "%s 的重试上限是 %d 次。"},
		{"The timeout of %s is %d seconds.", "%s 的超时是 %d 秒。"},
		{"The cache of %s holds %d GB.", "%s 的缓存是 %d GB。"},
		{"The pool of %s has %d connections.", "%s 的连接池有 %d 个连接。"},
	}
	nightStates = []struct{ en, zh string }{
		{"Nightly backups of %s are %s.", "%s 的夜间备份已%s。"},
		{"Debug logging of %s is %s.", "%s 的调试日志已%s。"},
	}
	nightProse = []string{
		"We looked at it with the people who are on call and wrote down what they told us.",
		"The graph of the last weeks is in the dashboard, and nobody was surprised by it.",
		"Whoever changes this tells the team in the morning meeting first.",
		"改动之前先在早会上说一声,让值班的人心里有数。",
		"上周的曲线在看板里,大家看了都没有意见。",
		"出了问题先看日志,再问负责的人。",
	}
)

func newYear(t *testing.T, m *model, pages int) *year {
	y := &year{world: newWorld(t), r: rand.New(rand.NewPCG(nightsSeed, 1)), model: m,
		own: map[string]bool{}, ids: map[string]string{}, settled: map[string]Pair{}, kept: map[string]string{}, seen: map[string]int{}}
	for _, name := range nightNames {
		y.put("entities/"+name+".md", y.entity(name))
	}
	for len(y.pages) < pages {
		y.addPage()
	}
	return y
}

func (y *year) put(path, text string) {
	y.write(path, text)
	if !slices.Contains(y.pages, path) {
		y.pages = append(y.pages, path)
	}
}

// say is a sentence with the value that all pages give, moved by off.
func (y *year) say(name string, metric, off int) string {
	if i := metric - len(nightMetrics); i >= 0 {
		on := (len(name)+i+off)%2 == 0
		if y.r.IntN(2) == 0 {
			return fmt.Sprintf(nightStates[i].en, name, map[bool]string{true: "enabled", false: "disabled"}[on])
		}
		return fmt.Sprintf(nightStates[i].zh, name, map[bool]string{true: "启用", false: "停用"}[on])
	}
	n := 10*(1+len(name)+metric) + 100*off
	if y.r.IntN(2) == 0 {
		return fmt.Sprintf(nightMetrics[metric].en, name, n)
	}
	return fmt.Sprintf(nightMetrics[metric].zh, name, n)
}

func (y *year) anyName() string { return nightNames[y.r.IntN(len(nightNames))] }

func (y *year) anyMetric() int { return y.r.IntN(len(nightMetrics) + len(nightStates)) }

func (y *year) entity(name string) string {
	metric := y.anyMetric()
	return lines("---", "title: "+name, "schema_type: entity", "aliases:", "  - "+name+"-svc", "facts:",
		"  - text: \""+y.say(name, metric, 0)+"\"", "---", "", "# "+name, "", name+" is a service. "+y.say(name, (metric+1)%6, 0))
}

// addPage writes a page about a system; one in twelve gives a value of its own, one in
// twenty-five is long.
func (y *year) addPage() {
	y.made++
	name, kind, off := y.anyName(), []string{"decision", "lesson", "note", "decision"}[y.r.IntN(4)], 0
	if y.r.IntN(12) == 0 {
		off = 1 + y.r.IntN(3)
	}
	day := y.clock.AddDate(0, 0, -y.r.IntN(300)).Format("2006-01-02")
	long := ""
	for i := range 40 * (y.r.IntN(25) / 24) {
		long += fmt.Sprintf("\n\nThe observation with the number %d was written down by the team on duty.", y.made+i)
	}
	y.put(fmt.Sprintf("sources/%s/%ss/%04d.md", name, kind, y.made), lines("---", fmt.Sprintf("title: About %s %d", name, y.made), "schema_type: "+kind,
		"created_at: \""+day+"T08:00:00Z\"", "---", "", fmt.Sprintf("# About %s %d", name, y.made), "",
		y.prose()+" See [["+name+"]].", "", y.say(name, y.anyMetric(), off), "", y.prose()+fmt.Sprintf(" That was number %d.", y.made)+long))
}

func (y *year) prose() string { return nightProse[y.r.IntN(len(nightProse))] }

func (y *year) anyPage() string { return y.pages[y.r.IntN(len(y.pages))] }

// day is what people do before a night: nothing on two days of five.
func (y *year) day() (quiet bool) {
	if y.r.IntN(5) < 2 {
		return true
	}
	acts := []struct {
		name string
		do   func()
	}{
		{"add", y.addPage}, {"edit", y.edit}, {"edit", y.edit}, {"change", y.change}, {"delete", y.remove},
		{"move", y.move}, {"talk", y.talk}, {"tell", y.tell}, {"touch", y.touch}, {"settle", y.settle},
	}
	for range 1 + y.r.IntN(4) {
		a := acts[y.r.IntN(len(acts))]
		a.do()
		y.seen[a.name]++
	}
	return false
}

// edit adds a sentence to a page.
func (y *year) edit() {
	p := y.anyPage()
	y.write(p, y.read(p)+"\n"+y.prose()+fmt.Sprintf(" Added on %s.\n", y.clock.Format("2006-01-02")))
}

// change has a page say another value of what it speaks of.
func (y *year) change() {
	p := y.anyPage()
	name := nightNames[0]
	for _, n := range nightNames {
		if strings.Contains(p, "/"+n) {
			name = n
		}
	}
	y.write(p, y.read(p)+"\n"+y.say(name, y.anyMetric(), y.r.IntN(3))+"\n")
}

func (y *year) remove() {
	p := y.anyPage()
	if strings.HasPrefix(p, "entities/") {
		return
	}
	if err := os.Remove(filepath.Join(y.dir, filepath.FromSlash(p))); err != nil {
		y.t.Fatal(err)
	}
	y.pages = slices.DeleteFunc(y.pages, func(q string) bool { return q == p })
}

func (y *year) move() {
	p := y.anyPage()
	if strings.HasPrefix(p, "entities/") {
		return
	}
	y.made++
	to := fmt.Sprintf("moved/%04d.md", y.made)
	text := y.read(p)
	if err := os.Remove(filepath.Join(y.dir, filepath.FromSlash(p))); err != nil {
		y.t.Fatal(err)
	}
	y.pages = slices.DeleteFunc(y.pages, func(q string) bool { return q == p })
	y.put(to, text)
}

// touch gives a file another time and leaves its text.
func (y *year) touch() {
	name := filepath.Join(y.dir, filepath.FromSlash(y.anyPage()))
	if err := os.Chtimes(name, time.Now(), time.Now()); err != nil {
		y.t.Fatal(err)
	}
}

func (y *year) talk() {
	y.made++
	name := y.anyName()
	said := []string{"Good morning, what is new?", "Please remember: " + y.say(name, y.anyMetric(), 0), "We decided that " + name + fmt.Sprintf(" gets release %d on Monday.", y.made)}
	s := inbox.Session{ID: fmt.Sprintf("talk%04d", y.made)}
	for i, text := range said {
		s.Turns = append(s.Turns, page.Turn{Role: "user", Text: text, At: y.clock.Add(time.Duration(i) * time.Minute)})
	}
	if _, err := y.box.Add(context.Background(), s); err != nil {
		y.t.Fatal(err)
	}
}

// tell gives the memory a fact; there are twelve of them, so most are said again.
func (y *year) tell() {
	n := y.r.IntN(12)
	f := memory.Fact{Content: fmt.Sprintf("The user prefers the %s report on the %s screen", nightNames[n], nightNames[n/2]), Category: "preference", Confidence: 0.9}
	if _, err := y.cycle(nil).Facts.Add(context.Background(), "", f); err != nil && !errors.Is(err, memory.ErrDuplicate) {
		y.t.Fatal(err)
	}
}

// settle answers an open pair as people do: in the list.
func (y *year) settle() {
	if len(y.open) == 0 {
		return
	}
	all := slices.Sorted(maps.Keys(y.open))
	texts, keep := all[y.r.IntN(len(all))], []string{KeepA, KeepB, KeepBoth}[y.r.IntN(3)]
	id, list := y.open[texts].ID, y.read(string(ReviewFile))
	answered := strings.Replace(list, "pair "+id+": keep ?", "pair "+id+": keep "+keep, 1)
	if y.kept[texts] == "" && answered == list {
		y.t.Errorf("no place for an answer on %s in\n%s", id, list)
	}
	y.write(string(ReviewFile), answered)
	y.settled[texts], y.kept[texts] = y.open[texts], keep
}

// file is a file below the brain at some moment.
type file struct {
	at   time.Time
	text string
}

// files are all files below the brain, what is in flight aside.
func (y *year) files() map[string]file {
	out := map[string]file{}
	err := filepath.WalkDir(y.dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".txn":
			return filepath.SkipDir
		case e.IsDir():
			return nil
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(y.dir, path)
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(path)
		out[filepath.ToSlash(rel)] = file{fi.ModTime(), string(raw)}
		return err
	})
	if err != nil {
		y.t.Fatal(err)
	}
	return out
}

// kept is written beside pages and facts, and in no report: where a session stands, the
// revision of an agent's memory.
func kept(path string) bool {
	return path == "memory.json" || path == "contradictions-reviews.jsonl" || strings.HasPrefix(path, "sessions/")
}

// night dreams and looks at what came of it.
func (y *year) night(quiet bool) (took time.Duration) {
	y.t.Helper()
	before, began := y.files(), time.Now()
	var m llm.Completer
	if y.model != nil {
		m = y.model
	}
	c := y.cycle(m)
	c.Layers = true
	r := y.dream(c)
	took = time.Since(began)
	y.spent, y.worst, y.calls = y.spent+took, max(y.worst, took), y.calls+r.Calls
	for _, s := range r.Stages {
		if !s.OK {
			y.t.Errorf("%s: stage %s failed: %q", r.ID, s.Stage, s.Failures)
		}
	}
	after := y.files()
	if quiet && r.Calls > 0 && !y.forgot {
		y.t.Errorf("%s: %d questions were asked though nothing had happened", r.ID, r.Calls)
	}
	y.compare(r, quiet, before, after)
	y.look(r, after)
	return took
}

// compare looks at each file that a night wrote.
func (y *year) compare(r *Report, quiet bool, before, after map[string]file) {
	y.t.Helper()
	told := map[string]string{}
	for _, s := range r.Stages {
		for _, c := range s.Changed {
			told[c.Path] = s.Stage + ": " + c.What
		}
	}
	for path, was := range before {
		if _, there := after[path]; !there && !y.own[path] {
			y.t.Errorf("%s: %s, which a person wrote, is gone (%s); it said %q", r.ID, path, told[path], was.text)
		}
	}
	for path, is := range after {
		was, old := before[path]
		if old && was == is {
			if what, ok := told[path]; ok {
				y.t.Errorf("%s: %s was not written, and is reported: %s", r.ID, path, what)
			}
			continue
		}
		y.wrote++
		switch {
		case quiet:
			y.t.Errorf("%s: %s was written (%s) though nothing had happened:\n%s", r.ID, path, told[path], changed(was.text, is.text))
		case old && was.text == is.text:
			y.t.Errorf("%s: %s was written as it was", r.ID, path)
		case told[path] == "" && !kept(path):
			y.t.Errorf("%s: %s was written and is not reported:\n%s", r.ID, path, changed(was.text, is.text))
		}
		if old && !y.own[path] && !kept(path) {
			y.unharmed(r, path, was.text, is.text)
		}
		if !old {
			y.own[path] = true
		}
		if strings.HasSuffix(path, ".md") {
			y.parses(path, is.text)
		}
	}
}

// look compares the list of open pairs with that of the night before.
func (y *year) look(r *Report, after map[string]file) {
	y.t.Helper()
	was := y.open
	y.open = map[string]Pair{}
	for _, p := range Open([]byte(after[string(ReviewFile)].text)) {
		p.name(p.owner())
		y.open[p.Texts] = p
		known := p.Entity + " " + p.Texts
		if id := y.ids[known]; id != "" && id != p.ID {
			y.t.Errorf("%s: %q and %q, of %s, had the id %s and now %s", r.ID, p.A.Text, p.B.Text, p.Entity, id, p.ID)
		}
		if y.cameBack(p) {
			y.t.Errorf("%s: the pair %s came back after keep %s: %+v", r.ID, p.ID, y.kept[p.Texts], p)
		}
		if _, old := was[p.Texts]; !old {
			y.fresh++
		}
		y.ids[known] = p.ID
	}
	if len(y.open) >= DefaultMaxPairs {
		y.t.Errorf("%s: %d open pairs leave no room", r.ID, len(y.open))
	}
	for texts, p := range was {
		_, open := y.open[texts]
		same := func(s Side) bool { return y.last[string(s.Path)].text == after[string(s.Path)].text }
		if !open && y.kept[texts] == "" && same(p.A) && same(p.B) {
			y.t.Errorf("%s: the open pair %s is gone, and %s and %s are as they were: %+v", r.ID, p.ID, p.A.Path, p.B.Path, p)
		}
	}
	y.last = after
}

// cameBack reports an open pair that a person decided. Where one of the two lost, the same
// may be said elsewhere, and so far nobody decided about that place.
func (y *year) cameBack(p Pair) bool {
	was, keep := y.settled[p.Texts], y.kept[p.Texts]
	loser := was.loser(keep)
	return keep == KeepBoth || loser != nil && (loser.same(p.A) || loser.same(p.B))
}

// unharmed demands that what a person wrote still stands there: a dream may add a key.
func (y *year) unharmed(r *Report, path, was, is string) {
	y.t.Helper()
	if a, b := page.Parse(page.Path(path), []byte(was)), page.Parse(page.Path(path), []byte(is)); a.Body != b.Body || a.Title != b.Title {
		y.t.Errorf("%s: the text of %s is another:\n%s", r.ID, path, changed(was, is))
	}
}

// changed are the lines that two texts do not share, for people.
func changed(was, is string) string {
	var b strings.Builder
	for _, side := range []struct{ mark, text, other string }{{"-", was, is}, {"+", is, was}} {
		for line := range strings.Lines(side.text) {
			if !strings.Contains("\n"+side.other, "\n"+line) {
				b.WriteString(side.mark + line)
			}
		}
	}
	return b.String()
}

func (y *year) parses(path, text string) {
	y.t.Helper()
	for _, p := range page.Parse(page.Path(path), []byte(text)).Check() {
		y.t.Errorf("%s has a problem: %+v", path, p)
	}
}

// bytes is the size of all files below a folder.
func (y *year) bytes(dir string) (n int64) {
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			fi, err := e.Info()
			if err != nil {
				return err
			}
			n += fi.Size()
		}
		return err
	})
	if err != nil {
		y.t.Fatal(err)
	}
	return n
}

func (y *year) state() string { return filepath.Join(y.root.StateDir(), "dream", "test") }

func TestAYearOfNights(t *testing.T) {
	nights, pages := 45, 500
	switch {
	case os.Getenv("BRAIN_YEAR") != "":
		nights, pages = 365, 1000
	case testing.Short():
		nights, pages = 30, 150
	}
	if _, err := os.Stat("/dev/shm"); err == nil {
		t.Setenv("TMPDIR", "/dev/shm") // a year of waiting for a disk proves nothing
	}
	m, asked := varied(t)
	y := newYear(t, m, pages)
	first := y.night(false)
	began, quiet := len(y.files()), 0
	for range nights {
		idle := y.day()
		if y.night(idle); idle {
			quiet++
		}
		if t.Failed() {
			t.Fatalf("after %v", y.seen)
		}
	}
	t.Logf("the first night took %v; it and %d more %v, the longest %v, with %d questions: %v; %d nights were quiet; people did %v; dreams wrote %d files, found %d pairs, of which %d are open; files then %d, now %d",
		first.Round(time.Millisecond), nights, y.spent.Round(time.Millisecond), y.worst.Round(time.Millisecond), y.calls, asked, quiet, y.seen, y.wrote, y.fresh, len(y.open), began, len(y.files()))
	y.lastDay()
}

// lastDay has the brain forget all that dream remembers.
func (y *year) lastDay() {
	y.t.Helper()
	size, before := y.bytes(y.state()), y.files()
	if err := os.RemoveAll(y.state()); err != nil {
		y.t.Fatal(err)
	}
	y.forgot = true
	y.night(true)
	fresh := y.bytes(y.state())
	y.t.Logf("dream remembers %d bytes after this time, %d after one night", size, fresh)
	if size > 2*fresh+100_000 {
		y.t.Errorf("dream remembers %d bytes after this time, and %d are enough", size, fresh)
	}
	if after := y.files(); !maps.Equal(before, after) {
		y.t.Error("a brain that forgot what it had dreamt was changed")
	}
}
