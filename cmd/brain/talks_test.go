package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"brain/compile"
	"brain/inbox"
	"brain/page"
	"brain/store"
)

// Conversations for tests of what becomes of them. What is said tells what is to come
// of it: each statement holds names of its own, and half of them are made in several
// conversations.

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// scriptTurn is turn n, from 1, of a conversation. Every second one is an answer.
func scriptTurn(talk, n int) page.Turn {
	t := page.Turn{Role: "user", At: noon.Add(time.Duration(talk)*time.Hour + time.Duration(n)*time.Second)}
	if n%2 == 0 {
		t.Role, t.Text = "assistant", "Noted."
		return t
	}
	t.Text = statement(talk, n)
	return t
}

// statement is what is said in a turn. Half of it is said in four conversations.
func statement(talk, n int) string {
	if n/2%2 == 1 {
		talk %= 3
	}
	one, other := name(talk, n), name(talk, n+1000)
	switch n / 4 % 4 {
	case 0:
		return fmt.Sprintf("We decided to keep the backups of %s in %s.", one, other)
	case 1:
		return fmt.Sprintf("I prefer %s to %s.", one, other)
	case 2:
		return fmt.Sprintf("记住：%s 由 %s 负责。", one, other)
	}
	return fmt.Sprintf("Remember that %s reads the mail of %s.", one, other)
}

// name is a word that nothing else is called.
func name(a, b int) string {
	const open, vowels = "bdfgklmnprstvz", "aeiou"
	var w strings.Builder
	for n := (a*7919+b)*2654435761%1_000_003 + 1; n > 0; n /= len(open) * len(vowels) {
		k := n % (len(open) * len(vowels))
		w.WriteByte(open[k%len(open)])
		w.WriteByte(vowels[k/len(open)])
	}
	return strings.ToUpper(w.String()[:1]) + w.String()[1:] + "x"
}

func script(talk, turns int) []page.Turn {
	var all []page.Turn
	for n := range turns {
		all = append(all, scriptTurn(talk, n+1))
	}
	return all
}

func talkID(talk int) string { return "talk" + strconv.Itoa(talk) }

// checkCompiled looks at all that there is to see of conversations that were compiled,
// and at a run that has nothing to do.
func checkCompiled(t *testing.T, root string, c captured) {
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
	f, err := st.InFlight()
	if err != nil || f.Journal || len(f.Temps) > 0 || f.Left != nil || f.Writer != nil {
		t.Errorf("in flight after an update: %+v, %v", f, err)
	}
	dir := filepath.Join(root, "brains", "default")
	for _, pattern := range []string{".txn/*.lock", ".txn/*.turn", ".txn/*.new", "sessions/*/*/*.new*", "sessions/*.new*"} {
		if left, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(left) > 0 {
			t.Errorf("left over: %q, %v", left, err)
		}
	}
	checkMade(t, st, checkTalks(t, dir, c))

	before := treeOf(t, dir)
	for range 2 {
		out := brainCmd(t, root, "compile", "--json")
		if !strings.Contains(out, `"sessions":[]`) || !maps.Equal(before, treeOf(t, dir)) {
			t.Errorf("a run with nothing to do wrote something, or said so: %s", out)
		}
	}
	brainCmd(t, root, "check", "--deep")
}

// checkTalks holds the conversations against what was added and returns which
// statements stand where.
func checkTalks(t *testing.T, dir string, c captured) map[string][]compile.Origin {
	t.Helper()
	ctx := context.Background()
	box, err := inbox.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	said := map[string][]compile.Origin{}
	for talk := range c.acknowledged {
		s, _, err := box.Read(ctx, talkID(talk))
		if err != nil && c.acknowledged[talk] == 0 {
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		n := len(s.Turns)
		if n < c.acknowledged[talk] || n > c.tried[talk] {
			t.Errorf("%s has %d turns; %d were acknowledged, %d tried", s.ID, n, c.acknowledged[talk], c.tried[talk])
		}
		for i, turn := range s.Turns {
			if want := scriptTurn(talk, i+1); turn.Text != want.Text || !turn.At.Equal(want.At) {
				t.Errorf("%s: turn %d is %q, want %q", s.ID, i+1, turn.Text, want.Text)
				break
			}
			if turn.Role == "user" {
				said[turn.Text] = append(said[turn.Text], compile.Origin{Session: s.ID, Turns: []int{i + 1}})
			}
		}
		m, err := box.Meta(ctx, s.ID)
		if err != nil || m.State != inbox.Done || m.Compiled != n || m.Turns != n || m.Problem != "" {
			t.Errorf("%s is %+v, %v; want it done through turn %d", s.ID, m, err, n)
		}
		checkRecord(t, filepath.Join(dir, "sessions", "2026-03", s.ID, "extracted.json"), &m)
	}
	return said
}

// checkRecord checks that each turn was compiled in one pass, and each page came of one.
func checkRecord(t *testing.T, file string, m *inbox.Meta) {
	t.Helper()
	var rec struct {
		Through int
		Open    any
		Passes  []struct {
			From, To int
			Pages    []struct{ Path page.Path }
		}
	}
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &rec)
	}
	if err != nil {
		t.Error(err)
		return
	}
	next := 1
	var pages []page.Path
	for _, p := range rec.Passes {
		if p.From != next {
			t.Errorf("%s: a pass begins with turn %d, want %d", m.Session, p.From, next)
		}
		next = p.To + 1
		for _, one := range p.Pages {
			pages = append(pages, one.Path)
		}
	}
	if next != m.Turns+1 || rec.Through != m.Turns || rec.Open != nil {
		t.Errorf("%s: passes end with turn %d of %d, open %v", m.Session, next-1, m.Turns, rec.Open)
	}
	slices.Sort(pages)
	slices.Sort(m.Pages)
	if !slices.Equal(pages, m.Pages) {
		t.Errorf("%s: passes made %q, meta.json has %q", m.Session, pages, m.Pages)
	}
}

// checkMade holds the pages and facts against what was said.
func checkMade(t *testing.T, st *store.Store, said map[string][]compile.Origin) {
	t.Helper()
	l, err := st.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	made, twice := map[string]page.Path{}, 0
	for _, f := range l.Files {
		if f.Path.IsSession() {
			continue
		}
		raw, err := st.Read(context.Background(), f.Path)
		if err != nil {
			t.Fatal(err)
		}
		p := page.Parse(f.Path, raw)
		if len(p.Problems) > 0 {
			t.Errorf("%s: %v", f.Path, p.Problems)
		}
		var want []compile.Origin
		for text, origins := range said {
			if !strings.Contains(p.Body, strings.TrimSuffix(text, ".")) {
				continue
			}
			if other, ok := made[text]; ok {
				t.Errorf("%q stands in %s and %s", text, other, f.Path)
			}
			made[text] = f.Path
			want = append(want, origins...)
		}
		got := compile.Origins(p)
		if len(got) > 1 {
			twice++
		}
		if p.Type == "fact" && len(got) == 1 && slices.ContainsFunc(want, func(o compile.Origin) bool { return fmt.Sprint(o) == fmt.Sprint(got[0]) }) {
			continue // said again is not confirmed: who said it first
		}
		if fmt.Sprint(sorted(got)) != fmt.Sprint(sorted(want)) {
			t.Errorf("%s (%s) comes of %v, want %v", f.Path, p.Title, got, want)
		}
	}
	for text, origins := range said {
		if made[text] == "" {
			t.Errorf("nothing came of %q of %v", text, origins)
		}
	}
	t.Logf("%d statements in %d pages and facts, %d of them of several conversations", len(said), len(made), twice)
	if twice == 0 {
		t.Error("no page has several sources")
	}
}

// sorted gives origins one turn each, in order.
func sorted(origins []compile.Origin) (out []string) {
	for _, o := range origins {
		for _, n := range o.Turns {
			out = append(out, fmt.Sprintf("%s#%d", o.Session, n))
		}
	}
	slices.Sort(out)
	return out
}

// treeOf are the files below a folder: size, time and content.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(name)
		all[name] = fmt.Sprint(info.ModTime().UnixNano(), " ", string(raw))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
