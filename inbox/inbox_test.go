package inbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/page"
)

var (
	ctx  = context.Background()
	noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
)

// opened gives the sessions of an empty brain, at noon.
func opened(t testing.TB) *Box {
	t.Helper()
	return reopened(t, t.TempDir())
}

func reopened(t testing.TB, dir string) *Box {
	t.Helper()
	ib, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ib.Close() })
	ib.Now = func() time.Time { return noon }
	return ib
}

// turns reads "u: text" and "a: text" lines, a minute apart from nine on; with
// timed false, without times.
func turns(timed bool, lines ...string) []page.Turn {
	var out []page.Turn
	for i, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		t := page.Turn{Role: map[string]string{"u": "user", "a": "assistant"}[who], Text: text}
		if timed {
			t.At = time.Date(2026, 3, 2, 9, i, 0, 0, time.UTC)
		}
		out = append(out, t)
	}
	return out
}

func added(t testing.TB, ib *Box, s Session) Added {
	t.Helper()
	a, err := ib.Add(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func write(t testing.TB, ib *Box, name, content string) {
	t.Helper()
	full := filepath.Join(ib.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tree gives every file of the brain's folder.
func tree(t testing.TB, ib *Box) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(ib.dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(filepath.Join(ib.dir, p))
		files[p] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// texts reads a session and gives what was said in it.
func texts(t testing.TB, ib *Box, id string) string {
	t.Helper()
	s, _, err := ib.Read(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range s.Turns {
		out = append(out, s.Turns[i].Who()[:1]+": "+s.Turns[i].Text)
	}
	return strings.Join(out, " | ")
}

// The form on disk, byte for byte.
func TestASessionOnDisk(t *testing.T) {
	ib := opened(t)
	s := Session{ID: "4f1c", Agent: "Coder", User: "wei", Title: "Login <loop>", Turns: turns(true, "u: The login loops.", "a: Which browser?\nAny.")}
	s.Turns[0].Speaker = "Wei"
	a := added(t, ib, s)
	if want := (Added{Path: "sessions/2026-03/4f1c/messages.jsonl", New: true, Turns: 2}); !reflect.DeepEqual(a, want) {
		t.Errorf("%+v, want %+v", a, want)
	}
	ib.Now = func() time.Time { return noon.Add(time.Hour) }
	s.Turns = append(s.Turns, page.Turn{Role: "user", Text: "Safari & Firefox."})
	if a = added(t, ib, s); a.New || a.Turns != 1 {
		t.Errorf("%+v", a)
	}
	want := map[string]string{
		".txn/.gitignore":     "*\n",
		"sessions/.gitignore": "*\n",
		"sessions/2026-03/4f1c/messages.jsonl": `{"session":"4f1c","agent":"coder","user":"wei","title":"Login <loop>","at":"2026-03-02T09:00:00Z"}
{"role":"user","speaker":"Wei","at":"2026-03-02T09:00:00Z","text":"The login loops."}
{"role":"assistant","at":"2026-03-02T09:01:00Z","text":"Which browser?\nAny."}
{"role":"user","text":"Safari & Firefox."}
`,
		"sessions/2026-03/4f1c/meta.json": `{"format":1,"session":"4f1c","agent":"coder","user":"wei","title":"Login <loop>","state":"pending",` +
			`"created_at":"2026-03-02T12:00:00Z","updated_at":"2026-03-02T13:00:00Z","turns":3,"bytes":307,"pending_since":"2026-03-02T12:00:00Z","compiled":0}` + "\n",
	}
	got := tree(t, ib)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s holds\n%s\nwant\n%s", name, got[name], want[name])
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("files besides: %v", got)
	}
	for name, mode := range map[string]fs.FileMode{"sessions": 0o700, "sessions/2026-03": 0o700, "sessions/2026-03/4f1c": 0o700,
		"sessions/2026-03/4f1c/messages.jsonl": 0o600, "sessions/2026-03/4f1c/meta.json": 0o600} {
		if fi, err := os.Stat(filepath.Join(ib.dir, name)); err != nil || fi.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v, want %v", name, fi.Mode(), err, mode)
		}
	}
}

func TestAddingAgainWritesNothing(t *testing.T) {
	ib := opened(t)
	s := Session{ID: "s", Turns: turns(true, "u: one", "a: two")}
	added(t, ib, s)
	before := tree(t, ib)
	ib.Now = func() time.Time { return noon.Add(time.Hour) }
	s.Title = "too late"
	s.At = noon.AddDate(0, 2, 0) // said to have begun in another month
	if a := added(t, ib, s); a.New || a.Turns != 0 || a.Path != "sessions/2026-03/s/messages.jsonl" {
		t.Errorf("%+v", a)
	}
	if after := tree(t, ib); !maps.Equal(before, after) {
		t.Errorf("before %v\nafter %v", before, after)
	}
}

func TestOnlyUnseenTurnsAreAdded(t *testing.T) {
	for _, test := range []struct {
		name       string
		timed      bool
		kept, sent string
		fresh      string
	}{
		{"all of it again", false, "u: a|a: b", "u: a|a: b", ""},
		{"all of it and more", false, "u: a|a: b", "u: a|a: b|u: c", "u: c"},
		{"its end and more", false, "u: a|a: b|u: c", "a: b|u: c|a: d", "a: d"},
		{"only more", false, "u: a|a: b", "u: c|a: d", "u: c|a: d"},
		{"a part of it", false, "u: a|a: b|u: c|a: d", "u: a|u: c", ""},
		{"said twice", false, "u: a", "u: a|u: a", "u: a"},
		{"said again later", false, "u: yes|a: done|a: which?|u: the red one", "a: which?|u: the red one|a: sure?|u: yes", "a: sure?|u: yes"},
		{"another speaker", false, "u: a", "a: a", "a: a"},
		{"between those of another", false, "u: a|u: x|a: b|a: y", "u: a|a: b|u: c", "u: c"},
		{"blanks around", false, "u: a", "u:  a \n", ""},
	} {
		split := func(s string) []page.Turn { return turns(false, strings.Split(s, "|")...) }
		var got []string
		sent := split(test.sent)
		for _, f := range picked(sent, unseen(split(test.kept), sent)) {
			got = append(got, f.Role[:1]+": "+f.Text)
		}
		if strings.Join(got, "|") != test.fresh {
			t.Errorf("%s: %q, want %q", test.name, got, test.fresh)
		}
	}
}

// What has a time is known wherever it stands.
func TestTimedTurnsAreKnownInAnyOrder(t *testing.T) {
	all := turns(true, "u: a", "a: ok", "u: b", "a: ok", "u: c")
	for _, test := range []struct {
		kept, sent []int
		fresh      []int
	}{
		{[]int{0, 1, 2}, []int{2, 1, 0}, nil},
		{[]int{0, 2}, []int{0, 1, 2, 3}, []int{1, 3}},
		{[]int{4, 0}, []int{1, 0, 4, 2}, []int{1, 2}},
		{[]int{0, 1}, []int{3, 1}, []int{3}},
		{nil, []int{1, 1}, []int{1, 1}},
		{[]int{1}, []int{1, 1}, []int{1}},
	} {
		pick := func(ns []int) (out []page.Turn) {
			for _, n := range ns {
				out = append(out, all[n])
			}
			return out
		}
		sent := pick(test.sent)
		for i := range sent {
			sent[i].At = sent[i].At.In(time.FixedZone("", 8*3600)) // the same moment
		}
		got := picked(sent, unseen(pick(test.kept), sent))
		same := func(a, b page.Turn) bool { return a.At.Equal(b.At) && a.Text == b.Text }
		if want := pick(test.fresh); !slices.EqualFunc(got, want, same) {
			t.Errorf("%v on %v: %v, want %v", test.sent, test.kept, got, want)
		}
	}
}

func TestTextIsKeptAsGiven(t *testing.T) {
	ib := opened(t)
	a := added(t, ib, Session{ID: "s", Turns: []page.Turn{
		{Role: "user", Text: "  indented\r\n\tcode  \n"}, {Text: ""}, {Text: " \n\t"}, {Text: "\x00"},
		{Role: "us\xffer", Text: "nul\x00 and \xff\xfe bytes"},
	}})
	if a.Turns != 2 || a.Skipped != 3 {
		t.Errorf("%+v", a)
	}
	file := tree(t, ib)[string(a.Path)]
	for _, want := range []string{`"text":"  indented\r\n\tcode  \n"`, `"role":"us�er","text":"nul and � bytes"`} {
		if !strings.Contains(file, want) {
			t.Errorf("no %s in\n%s", want, file)
		}
	}
}

func TestAHalfLineStaysAndEnds(t *testing.T) {
	ib := opened(t)
	s := Session{ID: "s", Turns: turns(true, "u: one", "a: two")}
	a := added(t, ib, s)
	name := filepath.Join(ib.dir, string(a.Path))
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	half := string(whole[:len(whole)-9])
	write(t, ib, string(a.Path), half)
	if _, problems, err := ib.Read(ctx, "s"); err != nil || len(problems) != 1 || problems[0].Code != page.CodeBadTurn || problems[0].Line != 3 {
		t.Errorf("problems %v, %v", problems, err)
	}
	s.Turns = turns(true, "u: one", "a: two", "u: three")
	if a = added(t, ib, s); a.Turns != 2 || a.Half != 1 {
		t.Errorf("%+v", a)
	}
	if got := tree(t, ib)[string(a.Path)]; !strings.HasPrefix(got, half+"\n{") {
		t.Errorf("the file is\n%s", got)
	}
	if got := texts(t, ib, "s"); got != "u: one | a: two | u: three" {
		t.Error(got)
	}
	// A whole line that only lacks its end is a turn.
	write(t, ib, string(a.Path), strings.TrimSuffix(string(whole), "\n"))
	if a = added(t, ib, s); a.Turns != 1 || a.Half != 0 || texts(t, ib, "s") != "u: one | a: two | u: three" {
		t.Errorf("%+v: %s", a, texts(t, ib, "s"))
	}
}

// No id leads out of the folder of the sessions (M04).
func TestNames(t *testing.T) {
	ib := opened(t)
	for _, id := range []string{"A", "-a", "_a", "a b", "a/b", "..", "a.", "ä", "a\n", strings.Repeat("a", 65)} {
		_, err := ib.Add(ctx, Session{ID: id, Turns: turns(true, "u: one")})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), fmt.Sprintf("add session %q", id)) {
			t.Errorf("id %q: %v", id, err)
		}
	}
	for _, id := range []string{"a", "0", "a_b-c", strings.Repeat("a", 64)} {
		if a := added(t, ib, Session{ID: id, Turns: turns(true, "u: one")}); a.Path.Stem() != id {
			t.Errorf("id %q: %+v", id, a)
		}
	}
	for name, s := range map[string]Session{
		"no turns":      {ID: "x"},
		"empty turns":   {ID: "x", Turns: turns(true, "u:  ")},
		"neither":       {},
		"a far year":    {ID: "x", Turns: []page.Turn{{At: time.UnixMilli(1 << 50), Text: "x"}}},
		"a far year at": {ID: "x", At: time.UnixMilli(1 << 50), Turns: turns(true, "u: one")},
	} {
		if _, err := ib.Add(ctx, s); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := ib.Read(ctx, "x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a refused session: %v", err)
	}
	for _, id := range []string{"", "..", "../a", "a/b", ".hidden", "nobody"} {
		if _, _, err := ib.Read(ctx, id); !errors.Is(err, ErrNotFound) {
			t.Errorf("read %q: %v", id, err)
		}
	}
}

func TestASessionWithoutAnID(t *testing.T) {
	ib := opened(t)
	first := added(t, ib, Session{Turns: turns(true, "u: one")})
	again := added(t, ib, Session{Turns: turns(true, "u: one", "a: two")})
	if !strings.HasPrefix(first.Path.Stem(), "20260302-") || again.Path != first.Path || again.Turns != 1 {
		t.Errorf("%+v, then %+v", first, again)
	}
	if other := added(t, ib, Session{Turns: turns(true, "u: other")}); other.Path == first.Path {
		t.Errorf("two sessions at %s", other.Path)
	}
	undated := added(t, ib, Session{Turns: turns(false, "u: one")})
	ib.Now = func() time.Time { return noon.AddDate(1, 0, 0) }
	if again := added(t, ib, Session{Turns: turns(false, "u: one")}); undated.Path.Dir()[:17] != "sessions/2026-03/" || again.Path != undated.Path {
		t.Errorf("%+v, then %+v", undated, again)
	}
}

// deermem 22
func TestASessionIsOfOneAgentAndUser(t *testing.T) {
	ib := opened(t)
	s := Session{ID: "s", Agent: "coder", User: "wei", Turns: turns(true, "u: one")}
	added(t, ib, s)
	before := tree(t, ib)
	for _, other := range []Session{{Agent: "writer", User: "wei"}, {Agent: "coder", User: "li"}, {Agent: "coder"}, {User: "wei"}} {
		other.ID, other.Turns = "s", turns(true, "u: two")
		if _, err := ib.Add(ctx, other); !errors.Is(err, ErrConflict) {
			t.Errorf("%+v: %v", other, err)
		}
	}
	if after := tree(t, ib); !maps.Equal(before, after) {
		t.Error("a refused session was written")
	}
	s.Agent = " CODER "
	s.Turns = turns(true, "u: one", "u: two")
	if a := added(t, ib, s); a.Turns != 1 {
		t.Errorf("%+v", a)
	}
	// A file without a head is of the default agent.
	write(t, ib, "sessions/2026-01/bare/messages.jsonl", `{"text":"hello"}`)
	if _, err := ib.Add(ctx, Session{ID: "bare", Agent: "coder", Turns: turns(true, "u: two")}); !errors.Is(err, ErrConflict) {
		t.Error(err)
	}
	added(t, ib, Session{ID: "bare", Turns: turns(true, "u: two")})
	if got := texts(t, ib, "bare"); got != "u: hello | u: two" {
		t.Error(got)
	}
}

func TestList(t *testing.T) {
	ib := opened(t)
	if got, err := ib.List(ctx); err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
	for i, id := range []string{"c", "a", "b", "newer", "gone", "behind"} {
		added(t, ib, Session{ID: id, Title: "T " + id, At: noon.AddDate(0, -(i % 2), 0), Turns: turns(true, "u: one", "a: two")})
	}
	write(t, ib, "sessions/2026-02/a/meta.json", `{"format":1,"sess`)
	write(t, ib, "sessions/2026-02/newer/meta.json", `{"format":2,"session":"newer","state":7}`)
	if err := os.Remove(filepath.Join(ib.dir, "sessions/2026-03/gone/meta.json")); err != nil {
		t.Fatal(err)
	}
	settled := strings.Replace(tree(t, ib)["sessions/2026-02/behind/meta.json"], "pending", "settled", 1)
	write(t, ib, "sessions/2026-02/behind/meta.json", settled)
	write(t, ib, "sessions/2026-02/behind/messages.jsonl", tree(t, ib)["sessions/2026-02/behind/messages.jsonl"]+`{"text":"three"}`+"\n")
	write(t, ib, "sessions/2026-03/no-turns/meta.json", `{}`)
	write(t, ib, "sessions/stray.txt", "")
	got, err := ib.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range got {
		lines = append(lines, fmt.Sprintf("%s %q %s %d %v", m.Path.Dir(), m.Title, m.State, m.Turns, m.Problem != ""))
	}
	want := []string{
		`sessions/2026-02/a "T a" pending 2 true`,
		`sessions/2026-02/behind "T behind" pending 3 true`,
		`sessions/2026-02/newer ""  0 true`,
		`sessions/2026-03/b "T b" pending 2 false`,
		`sessions/2026-03/c "T c" pending 2 false`,
		`sessions/2026-03/gone "T gone" pending 2 true`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if _, err := ib.Add(ctx, Session{ID: "newer", Turns: turns(true, "u: 3")}); !errors.Is(err, ErrNewer) {
		t.Error(err)
	}
	for _, id := range []string{"a", "gone", "behind"} { // the next Add, even of nothing new, puts it right
		added(t, ib, Session{ID: id, Turns: turns(true, "u: one")})
	}
	got, err = ib.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range got {
		if m.Session != "newer" && m.Problem != "" {
			t.Errorf("%s: %s", m.Path, m.Problem)
		}
	}
}

func TestLinksAreRefused(t *testing.T) {
	outside := t.TempDir()
	link := func(ib *Box, to, name string) {
		t.Helper()
		full := filepath.Join(ib.dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, full); err != nil {
			t.Skip(err)
		}
	}
	for _, name := range []string{"sessions", "sessions/2026-03", "sessions/2026-03/s", "sessions/2026-03/s/messages.jsonl", ".txn", ".txn/session-s.lock"} {
		for _, to := range []string{outside, filepath.Join(outside, "absent")} {
			ib := opened(t)
			link(ib, to, name)
			if _, err := ib.Add(ctx, Session{ID: "s", Turns: turns(true, "u: one")}); err == nil || !strings.Contains(err.Error(), "symlink") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("written outside: %v, %v", left, err)
	}
}

func TestWaitingEnds(t *testing.T) {
	ib := opened(t)
	s := Session{ID: "s", Turns: turns(true, "u: one")}
	if err := ib.makeTxn(); err != nil {
		t.Fatal(err)
	}
	unlock, err := ib.tryLock(lockFile("s"))
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := ib.Add(short, s); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	stopped, stop := context.WithCancel(ctx)
	time.AfterFunc(20*time.Millisecond, stop)
	if _, err := ib.Add(stopped, s); !errors.Is(err, context.Canceled) || errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	added(t, ib, Session{ID: "other", Turns: turns(true, "u: one")}) // others need not wait
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	added(t, ib, s)
	if _, err := os.Stat(filepath.Join(ib.dir, lockFile("s"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock's file stayed: %v", err)
	}
}

// What a process that died left in .txn goes with the next new session.
func TestLeftoversAreSwept(t *testing.T) {
	ib := opened(t)
	for _, id := range []string{"s", "other"} {
		write(t, ib, newFolder(id)+"/messages.jsonl", "private")
		write(t, ib, lockFile(id), "")
	}
	write(t, ib, lockFile("held"), "")
	unlock, err := ib.tryLock(lockFile("held"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, ib, newFolder("held")+"/messages.jsonl", "being written")
	added(t, ib, Session{ID: "s", Turns: turns(true, "u: one")})
	want := []string{".txn/session-held.lock", ".txn/session-held.new/messages.jsonl", "sessions/.gitignore", "sessions/2026-03/s/messages.jsonl", "sessions/2026-03/s/meta.json"}
	if got := slices.Sorted(maps.Keys(tree(t, ib))); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefusesWhatIsNoFolder(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("a folder that is not there was opened")
	}
}
