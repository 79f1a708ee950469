package inbox

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"brain/page"

	"pgregory.net/rapid"
)

// saidAs reads turns "[id@]role: text[ #minute]", with bars between; P is a text that
// was purged.
func saidAs(s string) (out []page.Turn) {
	for _, l := range strings.Split(s, "|") {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		l, minute, timed := strings.Cut(l, " #")
		who, text, _ := strings.Cut(l, ": ")
		t := page.Turn{Role: who, Text: text}
		if id, role, has := strings.Cut(who, "@"); has {
			t.ID, t.Role = id, role
		}
		if t.Text == "P" {
			t.Text = Purged
		}
		if n, err := strconv.Atoi(minute); timed && err == nil {
			t.At = noon.Add(time.Duration(n) * time.Minute)
		}
		out = append(out, t)
	}
	return out
}

func told(turns []page.Turn) string {
	var out []string
	for _, t := range turns {
		s := t.Role + ": " + t.Text
		if t.ID != "" {
			s = t.ID + "@" + s
		}
		if !t.At.IsZero() {
			s += " #" + strconv.Itoa(int(t.At.Sub(noon).Minutes()))
		}
		out = append(out, s)
	}
	return strings.Join(out, " | ")
}

func TestTurnsWithAnIDAreKnownByItAlone(t *testing.T) {
	for _, test := range []struct{ name, kept, sent, fresh string }{
		{"the same, in other words", "1@u: a | 2@a: b", "1@u: A! | 2@a: bb #9", ""},
		{"another, in the same words", "1@u: yes #1", "2@u: yes #1", "2@u: yes #1"},
		{"in any order", "1@u: a | 2@a: b | 3@u: c", "3@u: c | 1@u: a | 4@a: d | 2@a: b", "4@a: d"},
		{"twice at once", "", "1@u: a | 1@u: a | 2@a: b | 1@u: a", "1@u: a | 2@a: b"},
		{"after a summary, as of a compaction", "1@u: a | 2@a: b | 3@u: c", "9@system: what was said | 3@u: c | 4@a: d", "9@system: what was said | 4@a: d"},
		{"kept before it had ids", "u: a | a: b", "1@u: a | 2@a: b | 3@u: a", "3@u: a"},
		{"kept with ids, sent without", "1@u: a | 2@a: b", "u: a | a: b | u: c", "u: c"},
		{"kept before it had ids, with times", "u: a #1 | a: b #2", "0@u: x #0 | 1@u: a #1 | 2@a: b #2", "0@u: x #0"},
	} {
		sent := saidAs(test.sent)
		if got := told(picked(sent, unseen(saidAs(test.kept), sent))); got != test.fresh {
			t.Errorf("%s: %q, want %q", test.name, got, test.fresh)
		}
	}
}

func TestAReplayBringsNothingPurgedBack(t *testing.T) {
	for _, test := range []struct{ name, kept, sent, fresh string }{
		{"by its id", "1@u: P | 2@a: b", "1@u: secret | 2@a: b | 3@u: c", "3@u: c"},
		{"by its time", "u: P #1 | a: b #2", "u: secret #1 | a: b #2 | u: c #3", "u: c #3"},
		{"by its time, alone and late", "u: a #1 | u: P #2 | a: b #3", "u: x #9 | u: secret #2", "u: x #9"},
		{"by its time, another's", "u: P #1", "a: b #1", "a: b #1"},
		{"the whole of it", "u: P | a: b", "u: secret | a: b | u: c", "u: c"},
		{"its end", "u: a | a: b | u: P | a: d", "a: b | u: secret | a: d | u: e", "u: e"},
		{"its end, from the purged turn on", "u: a | a: b | u: P | a: d", "u: secret | a: d | u: e", "u: e"},
		{"two in a row", "u: a | u: P | a: P | u: d", "u: a | u: s1 | a: s2 | u: d", ""},
		{"two in a row, from there on", "u: a | u: P | a: P | u: d", "u: s1 | a: s2 | u: d | a: e", "a: e"},
		{"the last", "u: a | a: P", "u: a | a: secret | u: c", "u: c"},
		{"all of it", "u: P | a: P", "u: s1 | a: s2", ""},
		{"all of it and more", "u: P", "u: secret | a: b", "a: b"},
		{"said again later, in the same words", "u: P | a: ok | u: yes | a: fine", "u: yes | a: ok | u: yes | a: fine | u: yes", "u: yes"},
		{"between those of another", "u: a | u: x | u: P | a: b", "u: a | u: secret | a: b", ""},
		{"sent alone, it is a turn like any other", "u: P | a: b | u: c | a: d", "u: next", "u: next"},
		{"only more", "u: P | a: b", "u: c | a: d", "u: c | a: d"},
		{"with ids that it was kept without", "u: a | u: P | a: b", "1@u: a | 2@u: secret | 3@a: b | 4@u: c", "4@u: c"},
		{"another's id", "1@u: P", "2@u: b", "2@u: b"},
	} {
		sent := saidAs(test.sent)
		if got := told(picked(sent, unseen(saidAs(test.kept), sent))); got != test.fresh {
			t.Errorf("%s: %q, want %q", test.name, got, test.fresh)
		}
	}
}

// Whatever parts of a conversation are sent, however often, and whatever of it is
// purged meanwhile, each of its turns is kept once, in order.
func TestWhatIsKeptIsWhatWasSaidInOrder(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		sub := filepath.Join(dir, strconv.Itoa(n))
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		ib, err := Open(sub)
		if err != nil {
			t.Fatal(err)
		}
		defer ib.Close()
		how := rapid.SampledFrom([]string{"ids", "times", "either", "neither"}).Draw(t, "known by")
		all := make([]page.Turn, rapid.IntRange(1, 10).Draw(t, "turns"))
		for i := range all {
			all[i] = page.Turn{Role: rapid.SampledFrom([]string{"user", "assistant"}).Draw(t, "role"), Text: rapid.SampledFrom([]string{"yes", "ok", "好", "more"}).Draw(t, "text")}
			timed := how == "times" || how == "either" && rapid.Bool().Draw(t, "timed")
			switch {
			case timed:
				all[i].At = noon.Add(time.Duration(i) * time.Second)
			case how == "neither":
				all[i].Text += strconv.Itoa(i / 2) // else nobody could tell where a part begins
			default:
				all[i].ID = "m" + strconv.Itoa(i)
			}
		}
		kept, purged := 0, map[int]bool{}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			from, to := rapid.IntRange(0, kept).Draw(t, "from"), rapid.IntRange(1, len(all)).Draw(t, "to")
			if how == "neither" { // the whole as far as it goes
				from, to = 0, max(kept, to)
			}
			if from >= to {
				continue
			}
			if _, err := ib.Add(ctx, Session{ID: "s", At: noon, Turns: all[from:to]}); err != nil {
				t.Fatal(err)
			}
			kept = max(kept, to)
			if rapid.IntRange(0, 2).Draw(t, "purge") == 0 {
				out := rapid.IntRange(1, kept).Draw(t, "out")
				if _, err := ib.Redact(ctx, "s", []int{out}); err != nil {
					t.Fatal(err)
				}
				purged[out] = true
			}
			var want []page.Turn
			for i, turn := range all[:kept] {
				if purged[i+1] {
					turn.Text = Purged
				}
				want = append(want, turn)
			}
			s, problems, err := ib.Read(ctx, "s")
			if err != nil || len(problems) > 0 || told(s.Turns) != told(want) {
				t.Fatalf("%v, %v: kept\n%s\nwant\n%s", problems, err, told(s.Turns), told(want))
			}
		}
	})
}

// The names of a turn are kept, so is whose pages are made of the session.
func TestIDsKindsAndSourceAreKept(t *testing.T) {
	ib := opened(t)
	s := Session{ID: "s", Source: "shop", Turns: []page.Turn{
		{ID: "m-1", Role: "user", Text: "Which port?"}, {ID: "m-2", Role: "assistant", Kind: page.AsksTools, Text: "(reads the settings)"}, {Role: "user", Kind: page.Hidden, Text: "Be brief."},
	}}
	a := added(t, ib, s)
	back, _, err := ib.Read(ctx, "s")
	if err != nil || back.Source != "shop" || len(back.Turns) != 3 {
		t.Fatalf("%+v, %v", back, err)
	}
	for i, turn := range back.Turns {
		if want := s.Turns[i]; turn.ID != want.ID || turn.Kind != want.Kind || turn.Text != want.Text {
			t.Errorf("turn %d is %+v, want %+v", i+1, turn, want)
		}
	}
	file := tree(t, ib)[string(a.Path)]
	for _, want := range []string{`"source":"shop"`, `{"id":"m-2","role":"assistant","kind":"tools","text":"(reads the settings)"}`} {
		if !strings.Contains(file, want) {
			t.Errorf("no %s in\n%s", want, file)
		}
	}
	if m, err := ib.Meta(ctx, "s"); err != nil || m.Source != "shop" {
		t.Errorf("%+v, %v", m, err)
	}
	for _, name := range []string{"a/b", "..", ".hidden", "a\\b", "a\nb"} {
		if _, err := ib.Add(ctx, Session{ID: "x", Source: name, Turns: saidAs("user: a")}); !errors.Is(err, ErrInvalid) {
			t.Errorf("source %q: %v", name, err)
		}
	}
}

// A session that has no id goes by the id of its first turn.
func TestASessionIsNamedByTheIDOfItsFirstTurn(t *testing.T) {
	ib := opened(t)
	a := added(t, ib, Session{Turns: saidAs("m1@user: a #1")})
	b := added(t, ib, Session{Turns: saidAs("m1@user: a, told anew #1 | m2@assistant: b #2")})
	if a.Path != b.Path || b.Turns != 1 {
		t.Errorf("%+v, then %+v", a, b)
	}
}

func FuzzUnseen(f *testing.F) {
	f.Add("u: a | a: b", "u: a | a: b | u: c")
	f.Add("1@u: P | a: P #1 | u: c", "u: x | 1@u: b | a: d #1")
	f.Fuzz(func(t *testing.T, kept, sent string) {
		k, s := saidAs(kept), saidAs(sent)
		fresh := unseen(k, s)
		last := -1
		for _, i := range fresh {
			if i <= last || i >= len(s) {
				t.Fatalf("fresh %v of %d", fresh, len(s))
			}
			last = i
		}
		all := append(append([]page.Turn{}, k...), picked(s, fresh)...)
		if again := unseen(all, s); len(again) > 0 && !untimedAgain(s) {
			t.Fatalf("kept %s\nsent %s\nfresh %v, again %v", told(k), told(s), fresh, again)
		}
	})
}

// untimedAgain reports that turns without id and time stand behind a turn that may
// be new: those are taken as said again.
func untimedAgain(s []page.Turn) bool {
	for _, t := range s {
		if t.ID == "" && t.At.IsZero() {
			return true
		}
	}
	return false
}
