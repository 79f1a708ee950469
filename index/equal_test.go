//go:build unix

package index

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brain/llm"
	"brain/llm/llmtest"
	"brain/page"
	"brain/text"

	"pgregory.net/rapid"
)

var (
	somePaths = []string{
		"a.md", "b.md", "c.md", "notes/a.md", "notes/b.md", "notes/deep/c.md", "entities/ada.md", "entities/数据库.md",
		"agents/kim/facts/aa/f.md", "agents/lee/facts/bb/f.md", "skills/deploy/SKILL.md", "notes/A.md", "caf\u00e9.md", "x/y/z.md",
	}
	someNames = []string{
		"a", "b", "c", "notes/a", "deep/c", "ada", "数据库", "deploy", "Ada Lovelace", "Countess", "cafe\u0301", "CAFÉ",
		"old", "older", "z", "nowhere", "A", "订单", "notes/deep/c",
	}
	someWords = []string{"amber", "basalt", "cobalt", "quartz", "granite", "数据库", "迁移", "running", "PostgreSQL15", "don't"}
)

// somePage draws a page: front matter that bears names, redirects or retires
// it, links of every form, and enough text for more than one chunk now and then.
func somePage(t *rapid.T) string {
	name := func(label string) string { return rapid.SampledFrom(someNames).Draw(t, label) }
	var b strings.Builder
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("---\nredirect: %q\n---\n", name("redirect"))
	case 2:
		b.WriteString("---\nstatus: archived\n---\n")
	case 3:
		b.WriteString("---\ngenerated: brain\n---\n")
	case 4:
		return "binary \x00 page"
	case 5, 6, 7:
		fmt.Fprintf(&b, "---\ntitle: %s\naliases: [%s, %s]\nslug: %s\n", name("title"), name("alias"), name("alias"), name("slug"))
		fmt.Fprintf(&b, "links: [{to: %s, type: decided}]\nprovenance: {session_id: s%d}\n---\n", name("fm"), rapid.IntRange(0, 3).Draw(t, "session"))
	}
	for range rapid.IntRange(0, 4).Draw(t, "lines") {
		fmt.Fprintf(&b, "%s %s ", rapid.SampledFrom(someWords).Draw(t, "w"), rapid.SampledFrom(someWords).Draw(t, "w"))
		switch rapid.IntRange(0, 4).Draw(t, "link") {
		case 0:
			fmt.Fprintf(&b, "[[%s]]", name("wiki"))
		case 1:
			fmt.Fprintf(&b, "[x](%s.md)", strings.ReplaceAll(name("md"), " ", "%20"))
		case 2:
			fmt.Fprintf(&b, "\n\n- founded_by [[%s]]", name("list"))
		case 3:
			fmt.Fprintf(&b, "was founded by [[%s]].", name("passive"))
		}
		b.WriteString("\n\n")
	}
	if rapid.IntRange(0, 5).Draw(t, "long") == 0 {
		b.WriteString(strings.Repeat("A long tail of words about amber and quartz. ", 40))
	}
	return b.String()
}

// edit makes one random change of the kinds that people make.
func edit(t *rapid.T, m *memory) {
	have := slices.Sorted(maps.Keys(m.files))
	op := rapid.IntRange(0, 14).Draw(t, "op")
	if op > 9 {
		say(t, m)
		return
	}
	if len(have) == 0 || op < 5 {
		m.put(rapid.SampledFrom(somePaths).Draw(t, "path"), somePage(t))
		return
	}
	p := rapid.SampledFrom(have).Draw(t, "which")
	switch op {
	case 5:
		delete(m.files, p)
	case 6: // touched
		m.put(string(p), m.files[p].data)
	case 7: // moved
		f := m.files[p]
		delete(m.files, p)
		m.files[page.Path(rapid.SampledFrom(somePaths).Draw(t, "to"))] = f
	case 8: // copied
		m.put(rapid.SampledFrom(somePaths).Draw(t, "to"), m.files[p].data)
	case 9: // an edit that the content hash does not see
		m.put(string(p), strings.Replace(m.files[p].data, "provenance: {session_id: s", "provenance: {session_id: t", 1))
	}
}

// say changes a session: turns are appended, a line stays half written or is
// completed, the file is begun anew for another agent, copied, cut, or deleted.
func say(t *rapid.T, m *memory) {
	sessions := []string{sessionFile("a"), sessionFile("b"), "sessions/2026-04/a/" + page.SessionFile}
	p := rapid.SampledFrom(sessions).Draw(t, "session")
	raw := m.files[page.Path(p)].data
	switch op := rapid.IntRange(0, 11).Draw(t, "say"); {
	case op == 0:
		delete(m.files, page.Path(p))
		return
	case op == 1:
		raw = strings.TrimSuffix(raw, "\n") + "\n" + `{"role":"user","text":"amber is cut`
	case op == 2:
		raw += ` here"}` + "\n"
	case op == 3:
		m.put(rapid.SampledFrom(sessions).Draw(t, "to"), raw)
		return
	case op == 4:
		raw = raw[:len(raw)*2/3]
	case op == 5:
		raw += "\x00\x00\n\n"
	case op >= 6 && op <= 8 || raw == "": // the head alone changes, too
		_, turns, _ := strings.Cut(raw, "\n")
		agent := rapid.SampledFrom([]string{"kim", "Lee", ""}).Draw(t, "agent")
		raw = talk(agent, rapid.SampledFrom([]string{"", "Ada Lovelace"}).Draw(t, "title")) + turns
	}
	for range rapid.IntRange(0, 3).Draw(t, "turns") {
		who := rapid.SampledFrom([]string{"user", "assistant", "/Ada", "user/Wei", "", "tool"}).Draw(t, "who")
		said := rapid.SampledFrom(someWords).Draw(t, "w") + " " + rapid.SampledFrom(someWords).Draw(t, "w")
		switch rapid.IntRange(0, 9).Draw(t, "form") {
		case 0:
			said += " [[" + rapid.SampledFrom(someNames).Draw(t, "wiki") + "]]?"
		case 1:
			said = strings.Repeat(said+". ", 100)
		case 2:
			said += "\n\nuser: " + said
		}
		_, turn, _ := strings.Cut(talk("", "", who+": "+said), "\n")
		raw += turn
	}
	m.put(p, raw)
}

// TestIncrementalEqualsRebuilt: after any edits over any syncs, folds and
// merges, the index answers as one that was built from the files as they are.
func TestIncrementalEqualsRebuilt(t *testing.T) {
	setTail(t, 3)
	setBatch(t, 2)
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		m := newMemory()
		ix := openIn(t, filepath.Join(dir, fmt.Sprint(n, "a")), llmtest.Hash(32))
		for range rapid.IntRange(1, 12).Draw(rt, "syncs") {
			for range rapid.IntRange(0, 5).Draw(rt, "edits") {
				edit(rt, m)
			}
			syncWith(t, ix, m, SyncOptions{Compact: rapid.IntRange(0, 7).Draw(rt, "compact") == 0})
		}
		built := openIn(t, filepath.Join(dir, fmt.Sprint(n, "b")), llmtest.Hash(32))
		syncIn(t, built, m)
		got, want := describe(t, ix, m), describe(t, built, m)
		if got != want {
			rt.Fatalf("incremental and rebuilt differ:\n%s", firstDifference(got, want))
		}
		if f, err := ix.Check(t.Context(), m, true); err != nil || len(f) > 0 {
			rt.Fatalf("check: %v %v", f, err)
		}
		must(t, ix.Close())
		must(t, built.Close())
		must(t, os.RemoveAll(ix.o.Dir))
		must(t, os.RemoveAll(built.o.Dir))
	})
}

// describe writes down all that a view can be asked, rows as paths.
func describe(t testing.TB, ix *Index, m *memory) string {
	v, err := ix.View()
	must(t, err)
	defer func() { must(t, v.Release()) }()
	var b strings.Builder
	for _, q := range append(someWords, "amber quartz 迁移", "a b c", "Ada") {
		for _, mt := range words(t, v, q) {
			fmt.Fprintf(&b, "words %q: %s %x\n", q, mt.Path, math.Float64bits(mt.Score))
		}
		vecs, err := llmtest.Hash(32).Embed(t.Context(), []string{q})
		must(t, err)
		for _, k := range []int{1, 3, 100} {
			near, err := v.Nearest(t.Context(), vecs[0], k, nil)
			must(t, err)
			for _, mt := range near {
				fmt.Fprintf(&b, "near %q %d: %s %x %d\n", q, k, mt.Path, math.Float64bits(mt.Score), mt.Chunk)
			}
		}
	}
	describeTurns(t, &b, v)
	for _, name := range someNames {
		fmt.Fprintf(&b, "name %q:", name)
		for _, r := range v.Everything().Resolve(name) {
			fmt.Fprintf(&b, " %s", v.path(r))
		}
		b.WriteString("\n")
	}
	v.walk(func(row uint32, _ *table, _ uint32) bool {
		p := v.Page(row)
		p.Row = 0
		fmt.Fprintf(&b, "page %+v\n", p)
		for _, l := range v.Everything().Links(row) {
			to := ""
			if l.Resolved {
				to = string(v.path(l.To))
			}
			l.From, l.To = 0, 0
			fmt.Fprintf(&b, "link %s: %s %+v\n", p.Path, to, l)
		}
		for _, in := range []bool{false, true} {
			for _, e := range edges(v, row, in) {
				fmt.Fprintf(&b, "edge %s %v %s\n", p.Path, in, e)
			}
		}
		fmt.Fprintf(&b, "degree %d\n", v.Everything().Degree(row))
		return true
	})
	st, err := ix.Status(t.Context(), m)
	must(t, err)
	fmt.Fprintf(&b, "status %d %d %d %d %d %d %d %d\n",
		st.Pages, st.Ranked, st.Chunks, st.Pending, st.Failed, st.Links, st.Unresolved, st.Changed)
	fmt.Fprintf(&b, "totals %v %d\n", v.m.Scopes, v.m.Text)
	return b.String()
}

// describeTurns writes down what agents are told of their sessions, and what
// pages say in other words.
func describeTurns(t testing.TB, b *strings.Builder, v *View) {
	const q = "amber quartz 迁移 running"
	vecs, err := hash32.Embed(t.Context(), []string{q})
	must(t, err)
	for _, agent := range []string{"kim", "lee", page.DefaultAgent} {
		r, err := v.Lexical(t.Context(), text.Query(q), agent)
		must(t, err)
		m, err := r.Top(1000, nil)
		must(t, err)
		for _, mt := range m {
			fmt.Fprintf(b, "%s: %s %x\n", agent, mt.Path, math.Float64bits(mt.Score))
			for _, u := range v.Turns(mt.Row, r, vecs[0]) {
				fmt.Fprintf(b, "turn %+v %x %x %x\n", u, math.Float64bits(u.Own), math.Float64bits(u.Around), math.Float64bits(u.Cosine))
			}
		}
		r.Close()
	}
	l, err := llm.Words()
	must(t, err)
	k := v.Kin(l, "stone rock database")
	defer k.Close()
	v.All(func(row uint32) bool {
		fmt.Fprintf(b, "kin %s %x of %q\n", v.path(row), math.Float64bits(k.Score(row)), v.Agent(row))
		return true
	})
}

var hash32 = llmtest.Hash(32)

// edges gives a page's edges as "path type line", in the order of the visit.
func edges(v *View, row uint32, in bool) []string {
	var out []string
	v.Everything().Edges(row, in, func(to uint32, typ string, line int) bool {
		out = append(out, fmt.Sprintf("%s %s %d", v.path(to), typ, line))
		return true
	})
	return out
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("incremental: %s\nrebuilt:     %s", x[i], y[i])
		}
	}
	return fmt.Sprintf("%d lines and %d", len(x), len(y))
}

// Edges in are the exact mirror of edges out.
func TestEdgesInMirrorEdgesOut(t *testing.T) {
	setTail(t, 4)
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		m := newMemory()
		ix := openIn(t, filepath.Join(dir, fmt.Sprint(n)), nil)
		for range rapid.IntRange(1, 3).Draw(rt, "syncs") {
			for range rapid.IntRange(1, 8).Draw(rt, "edits") {
				edit(rt, m)
			}
			syncIn(t, ix, m)
		}
		v, err := ix.View()
		must(t, err)
		var out, in []string
		v.All(func(row uint32) bool {
			v.Everything().Edges(row, false, func(to uint32, typ string, line int) bool {
				out = append(out, fmt.Sprintf("%s → %s %s %d", v.path(row), v.path(to), typ, line))
				return true
			})
			v.Everything().Edges(row, true, func(from uint32, typ string, line int) bool {
				in = append(in, fmt.Sprintf("%s → %s %s %d", v.path(from), v.path(row), typ, line))
				return true
			})
			return true
		})
		slices.Sort(out)
		slices.Sort(in)
		if !slices.Equal(out, in) {
			rt.Fatalf("out: %q\nin:  %q", out, in)
		}
		must(t, v.Release())
		must(t, ix.Close())
		must(t, os.RemoveAll(ix.o.Dir))
	})
}
