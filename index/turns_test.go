//go:build unix

package index

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/page"
	"brain/text"
)

// talk gives the file of a session: its head, and turns as "role/speaker: text".
func talk(agent, title string, turns ...string) string {
	var b strings.Builder
	line := func(v any) {
		raw, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		b.Write(append(raw, '\n'))
	}
	line(page.Head{Session: "s", Agent: agent, Title: title})
	for _, t := range turns {
		who, said, _ := strings.Cut(t, ": ")
		role, speaker, _ := strings.Cut(who, "/")
		line(page.Turn{Role: role, Speaker: speaker, Text: said})
	}
	return b.String()
}

func sessionFile(id string) string { return "sessions/2026-03/" + id + "/" + page.SessionFile }

// lexical asks as an agent.
func lexical(t testing.TB, v *View, q, agent string) *LexicalResult {
	t.Helper()
	r, err := v.Lexical(t.Context(), text.Query(q), agent)
	must(t, err)
	t.Cleanup(r.Close)
	return r
}

func rowOf(t testing.TB, v *View, path string) uint32 {
	t.Helper()
	row, ok := v.Lookup(page.Path(path))
	if !ok {
		t.Fatalf("no row of %s", path)
	}
	return row
}

// Two sessions and two pages whose scores can be worked out by hand. A turn
// has a word for its speaker and those that it says; a title word counts 2.
//
//	long   title Rocks (2)   turns 2 + 3 + 3 + 2 + 2   14 words, 3 quartz, 2 opal
//	short  title Rocks (2)   turn  2                    4 words
//
// Of sessions N is 2 and the average 9; of turns N is 6 and the average 18/6.
var rocks = map[string]string{
	"a.md": "quartz\n", "b.md": "marble\n",
	sessionFile("long"): talk("kim", "Rocks",
		"/Al: quartz", "/Bo: slate opal", "/Al: quartz quartz", "/Bo: opal", "/Al: quiet"),
	sessionFile("short"): talk("kim", "Rocks", "/Al: slate"),
}

func TestTurnsAreScoredByHand(t *testing.T) {
	v := fresh(t, open(t, nil), newTree(t, rocks))
	r := lexical(t, v, "quartz opal", "kim")
	if len(r.Terms) != 2 || r.Terms[0].Weight != 1 || r.Terms[1].Weight != 1 {
		t.Fatalf("the question has other terms: %+v", r.Terms)
	}
	const k, b = bm25K1, bm25B
	sat := func(tf, length, avg float64) float64 { return tf * (k + 1) / (tf + k*(1-b+b*length/avg)) }
	quartz := math.Log(1 + (6-2+.5)/(2+.5)) // said three times, in two of six turns
	opal := math.Log(1 + (6-2+.5)/(2+.5))
	ideal := (k + 1) * (quartz + opal)
	turns := v.Turns(rowOf(t, v, sessionFile("long")), r, nil)
	// quartz, opal and words: of the turn, and of it with two on each side.
	for i, want := range [][6]float64{
		{1, 0, 2, 3, 1, 8}, {0, 1, 3, 3, 2, 10}, {2, 0, 3, 3, 2, 12}, {0, 1, 2, 2, 2, 10}, {0, 0, 2, 2, 1, 7},
	} {
		u := turns[i]
		if u.N != i+1 || u.Words != int(want[2]) || u.HasVector || u.Cosine != 0 {
			t.Errorf("turn %d: %+v", i+1, u)
		}
		near(t, fmt.Sprint("own ", u.N), u.Own, (quartz*sat(want[0], want[2], 3)+opal*sat(want[1], want[2], 3))/ideal)
		near(t, fmt.Sprint("around ", u.N), u.Around, (quartz*sat(want[3], want[5], 15)+opal*sat(want[4], want[5], 15))/ideal)
	}
	if v.Turns(rowOf(t, v, "a.md"), r, nil) != nil {
		t.Error("a page has turns")
	}
	for _, u := range v.Turns(rowOf(t, v, sessionFile("long")), nil, nil) {
		if u.Own != 0 || u.Around != 0 {
			t.Errorf("scored without a question: %+v", u)
		}
	}
}

// Sessions are scored by their own statistics and put on the pages' scale.
func TestSessionsAreScoredOnThePagesScale(t *testing.T) {
	v := fresh(t, open(t, nil), newTree(t, rocks))
	r := lexical(t, v, "quartz opal", "kim")
	const k, b = bm25K1, bm25B
	// Of two pages one has quartz and none opal: ln(1 + 1.5/1.5), ln(1 + 2.5/0.5).
	near(t, "ideal", r.Ideal, (k+1)*(math.Log(2)+math.Log(6)))
	// Of two sessions one has each: both words weigh ln 2, half of the ideal.
	sat := func(tf float64) float64 { return tf * (k + 1) / (tf + k*(1-b+b*14./9)) }
	got, err := r.Score(rowOf(t, v, sessionFile("long")))
	must(t, err)
	near(t, "long", got, r.Ideal*(sat(3)+sat(2))/(2*(k+1)))
	got, err = r.Score(rowOf(t, v, sessionFile("short")))
	must(t, err)
	near(t, "short", got, 0)
}

// Words that nobody said count in the ideal: a turn with half of the question
// is half of an answer.
func TestUnsaidWordsLowerTheTurnsShare(t *testing.T) {
	v := fresh(t, open(t, nil), newTree(t, rocks))
	row := rowOf(t, v, sessionFile("long"))
	alone := v.Turns(row, lexical(t, v, "quartz", "kim"), nil)[2].Own
	both := v.Turns(row, lexical(t, v, "quartz zirconium", "kim"), nil)[2].Own
	quartz, unsaid := math.Log(1+4.5/2.5), math.Log(1+6.5/.5)
	near(t, "share", both, alone*quartz/(quartz+unsaid))
	for _, u := range v.Turns(row, lexical(t, v, "marble", "kim"), nil) { // on a page, said by nobody
		if u.Own != 0 || u.Around != 0 {
			t.Errorf("%+v", u)
		}
	}
}

// What pages are worth does not change with what is said.
func TestSessionsDoNotBendThePages(t *testing.T) {
	tr := newTree(t, corpus(40))
	ix := open(t, nil)
	want := ranking(t, fresh(t, ix, tr))
	for i := range 10 {
		tr.write(t, sessionFile(fmt.Sprint("s", i)), talk("kim", "Quartz", "user: quartz granite 数据库迁移 page 17", "assistant: opal ruby"))
	}
	v := fresh(t, ix, tr)
	if ranking(t, v) != want {
		t.Error("pages are scored otherwise for nobody")
	}
	sessions := 0
	for _, q := range questions {
		for _, agent := range []string{"kim", "lee"} {
			r := lexical(t, v, q, agent)
			m, err := r.Top(1000, nil)
			must(t, err)
			before := words(t, v, q)
			for _, m := range m {
				if page.Path(m.Path).IsSession() {
					sessions++
					continue
				}
				if m != before[0] {
					t.Fatalf("%q as %s: %+v, without sessions %+v", q, agent, m, before[0])
				}
				before = before[1:]
			}
			if len(before) > 0 {
				t.Errorf("%q as %s misses %v", q, agent, before)
			}
		}
	}
	if sessions == 0 {
		t.Error("no session was found")
	}
}

// Another agent's sessions are neither found nor counted.
func TestAnotherAgentsSessionsAreNotCounted(t *testing.T) {
	tr := newTree(t, rocks)
	ix := open(t, nil)
	tell := func(v *View, agent string) string {
		var b strings.Builder
		for _, q := range []string{"quartz opal", "slate", "rocks", "Al"} {
			r := lexical(t, v, q, agent)
			m, err := r.Top(100, nil)
			must(t, err)
			for _, m := range m {
				fmt.Fprintf(&b, "%s %s %x\n", q, m.Path, math.Float64bits(m.Score))
				for _, u := range v.Turns(rowOf(t, v, m.Path), r, nil) {
					fmt.Fprintf(&b, "  %d %x %x\n", u.N, math.Float64bits(u.Own), math.Float64bits(u.Around))
				}
			}
		}
		return b.String()
	}
	agents := []string{"kim", "lee", page.DefaultAgent, "", "s/kim", "s/"}
	want := map[string]string{}
	v := fresh(t, ix, tr)
	for _, a := range agents {
		want[a] = tell(v, a)
	}
	if !strings.Contains(want["kim"], sessionFile("long")) {
		t.Fatalf("kim finds %s", want["kim"])
	}
	for _, a := range agents[1:] {
		if strings.Contains(want[a], "sessions/") {
			t.Errorf("%q finds kim's sessions: %s", a, want[a])
		}
	}
	for i := range 5 {
		tr.write(t, sessionFile(fmt.Sprint("spy", i)), talk("Spy", "Rocks", "user: quartz quartz opal", "user: slate", "/Al: rocks"))
	}
	v = fresh(t, ix, tr)
	for _, a := range agents {
		if got := tell(v, a); got != want[a] {
			t.Errorf("%q is answered otherwise beside another agent's sessions:\n%s\nwithout\n%s", a, got, want[a])
		}
	}
	if got := tell(v, "spy"); !strings.Contains(got, "spy4") || strings.Contains(got, "long") {
		t.Errorf("spy finds %s", got)
	}
}

// A session that names no agent is the default agent's.
func TestSessionsWithoutAnAgentAreTheDefaultAgents(t *testing.T) {
	tr := newTree(t, map[string]string{sessionFile("s"): `{"text":"quartz"}` + "\n", "a.md": "granite\n"})
	v := fresh(t, open(t, nil), tr)
	row := rowOf(t, v, sessionFile("s"))
	if got := v.Agent(row); got != page.DefaultAgent {
		t.Errorf("agent %q", got)
	}
	m, err := lexical(t, v, "quartz", page.DefaultAgent).Top(5, nil)
	must(t, err)
	if paths(m) != sessionFile("s") {
		t.Errorf("found %q", paths(m))
	}
	found(t, v, "quartz", "") // for nobody
}

// A session that changes hands is found by its new owner and no more by the
// old, though no word of it changed.
func TestASessionThatChangesHands(t *testing.T) {
	tr := newTree(t, rocks).settled()
	ix := open(t, nil)
	syncIn(t, ix, tr)
	raw := strings.Replace(rocks[sessionFile("long")], `"kim"`, `"lee"`, 1)
	tr.write(t, sessionFile("long"), raw)
	v := fresh(t, ix, tr)
	for agent, want := range map[string]string{"kim": "a.md", "lee": "a.md " + sessionFile("long")} {
		m, err := lexical(t, v, "quartz", agent).Top(5, nil)
		must(t, err)
		if got := strings.Fields(paths(m)); !slices.Equal(slices.Sorted(slices.Values(got)), strings.Fields(want)) {
			t.Errorf("%s finds %q, want %q", agent, got, want)
		}
	}
	if v.m.Scopes["s/kim"].Docs != 1 || v.m.Scopes["s/lee"].Docs != 1 || v.m.Scopes["s/lee"].Turns != 5 {
		t.Errorf("%+v", v.m.Scopes)
	}
	sound(t, ix, tr)
}

// Two sessions that read alike may have other turns.
func TestTurnsThatReadAlikeAreCutAnew(t *testing.T) {
	tr := newTree(t, map[string]string{sessionFile("s"): talk("kim", "T", "/A: x\n\nB: y", "/C: quartz")}).settled()
	ix := open(t, fixed{4, func(string) []float32 { return angle(4, .5) }})
	syncIn(t, ix, tr)
	tr.write(t, sessionFile("s"), talk("kim", "T", "/A: x", "/B: y", "/C: quartz"))
	v := fresh(t, ix, tr)
	turns := v.Turns(rowOf(t, v, sessionFile("s")), lexical(t, v, "quartz", "kim"), angle(4, 1))
	if len(turns) != 3 || turns[0].Own != 0 || turns[2].Own == 0 || !turns[2].HasVector {
		t.Errorf("%+v", turns)
	}
	sound(t, ix, tr)
}

// A turn has the cosine of its best chunk, whatever stands in other turns.
func TestATurnHasTheCosineOfItsBestChunk(t *testing.T) {
	e := fixed{4, func(s string) []float32 {
		for _, c := range []struct {
			word string
			cos  float64
		}{{"best", .9}, {"good", .5}, {"far", -.5}} {
			if strings.Contains(s, c.word) {
				return angle(4, c.cos)
			}
		}
		return nil
	}}
	tr := newTree(t, map[string]string{sessionFile("s"): talk("kim", "T",
		"user: "+strings.Repeat("good day. ", 200)+"The best of all. "+strings.Repeat("good day. ", 100),
		"assistant: good", "user: nothing", "assistant: far",
		"user: "+strings.Repeat("nothing. ", 200)+"far")})
	v := fresh(t, open(t, e), tr)
	row := rowOf(t, v, sessionFile("s"))
	if n := v.Page(row).Chunks; n < 8 {
		t.Fatalf("%d chunks", n)
	}
	q := angle(4, 1)
	for i, want := range []float64{.9, .5, 0, -.5, -.5} {
		u := v.Turns(row, nil, q)[i]
		if math.Abs(u.Cosine-want) > 1e-6 || u.HasVector != (want != 0) {
			t.Errorf("turn %d: cosine %v, vector %v, want %v", u.N, u.Cosine, u.HasVector, want)
		}
	}
	for _, q := range [][]float32{nil, angle(8, 1)} { // none, and another embedder's
		if u := v.Turns(row, nil, q)[0]; u.HasVector || u.Cosine != 0 {
			t.Errorf("%+v", u)
		}
	}
}

func TestWhatATurnSays(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 5, 0, time.UTC)
	raw := `{"session":"s","agent":"kim"}
{"role":"user","speaker":"Wei","at":"2026-03-02T09:00:05Z","text":"the of and?"}
{"role":"Assistant","text":"Which one?"}
{"role":"tool","text":"exit 0"}
{"speaker":"Nora","text":"Wei."}
`
	v := fresh(t, open(t, nil), newTree(t, map[string]string{sessionFile("s"): raw}))
	got := v.Turns(rowOf(t, v, sessionFile("s")), nil, nil)
	line := func(n int) int { return len(strings.Join(strings.SplitAfter(raw, "\n")[:n], "")) }
	want := []Turn{
		{N: 1, Offset: line(1), Words: 4, Speaker: "Wei", User: true, Asks: true, At: at},
		{N: 2, Offset: line(2), Words: 3, Assistant: true, Asks: true},
		{N: 3, Offset: line(3), Words: 3},
		{N: 4, Offset: line(4), Words: 2, Speaker: "Nora"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	for _, u := range got {
		if turn, ok := page.ReadTurn([]byte(raw), u.Offset); !ok || turn.Speaker != u.Speaker {
			t.Errorf("turn %d is not at byte %d", u.N, u.Offset)
		}
	}
}

func TestAsks(t *testing.T) {
	for s, want := range map[string]bool{
		"": false, "?": true, "Why?": true, "Why? \n": true, `He said "why?"`: true, "(really?)": true, "为什么？": true,
		"你好吗": true, "“好吗？”": true, "他呢": true, "Why? Because.": false, "why": false, "好的。": false, "吗啡是药": false,
	} {
		if got := asks(s); got != want {
			t.Errorf("asks(%q) = %v", s, got)
		}
	}
}

func TestRoleOf(t *testing.T) {
	for s, want := range map[string]role{
		"user": roleUser, "User": roleUser, "human": roleUser, "assistant": roleAssistant, "MODEL": roleAssistant,
		"ai": roleAssistant, "": roleOther, "tool": roleOther, "system": roleOther, "users": roleOther,
	} {
		if got := roleOf(s); got != want {
			t.Errorf("roleOf(%q) = %v", s, got)
		}
	}
}

// Nothing of a long conversation is lost to a small number.
func TestTurnsBeyondSmallNumbers(t *testing.T) {
	const many = 70_000
	var b strings.Builder
	for range many - 1 {
		b.WriteString(`{"text":"yes"}` + "\n")
	}
	fmt.Fprintf(&b, `{"text":"quartz%s"}`+"\n", strings.Repeat(" no", many))
	tr := newTree(t, map[string]string{sessionFile("s"): b.String()})
	ix := open(t, nil)
	v := fresh(t, ix, tr)
	turns := v.Turns(rowOf(t, v, sessionFile("s")), lexical(t, v, "quartz", page.DefaultAgent), nil)
	if len(turns) != many {
		t.Fatalf("%d turns", len(turns))
	}
	for i, u := range turns {
		if last := i == many-1; (u.Own > 0) != last || (u.Around > 0) != (i >= many-1-turnWindow) {
			t.Fatalf("turn %d: %+v", u.N, u)
		}
	}
	if last := turns[many-1]; last.Words != many+2 {
		t.Errorf("the last turn has %d words", last.Words)
	}
	tb := openTurns(appendTurns(nil, page.Parse(page.Path(sessionFile("s")), []byte(b.String()))))
	tb.count(termHash([]byte("no")), func(turn int, tf float64) {
		if turn != many-1 || tf != maxCount {
			t.Errorf("turn %d says no %v times", turn, tf)
		}
	})
	sound(t, ix, tr)
}

// A session's frequency of a term holds how often it is said and in how many
// turns; the first stops growing before it reaches the second.
func TestFrequenciesOfASession(t *testing.T) {
	often := saidIn/wBody + 100
	p := page.Parse(page.Path(sessionFile("s")), []byte(talk("kim", "Quartz", "/Al: quartz opal quartz", "/Al: opal", "/Al: jade", "/Bo:"+strings.Repeat(" a", often))))
	freqs, words := newCounter().page(p)
	for term, want := range map[string][2]int{"quartz": {1, wTitle + 2*wBody}, "opal": {2, 2 * wBody}, "al": {3, 3 * wBody}, "a": {1, saidIn / 2}, "bo": {1, wBody}} {
		if f := freqs[term].Frequency(); f/saidIn != want[0] || f%saidIn != want[1] {
			t.Errorf("%s: said %d in %d turns, want %v", term, f%saidIn, f/saidIn, want)
		}
	}
	if want := wTitle + wBody*(4+2+2+1+often); words != want {
		t.Errorf("%d words, want %d", words, want)
	}
}

func TestSpeakersAreNumbered(t *testing.T) {
	s := newSpeakers()
	for i, name := range []string{"Al", "Bo", "Al", "", "Cy"} {
		if got, want := s.number(name), []uint16{0, 1, 0, noSpeaker, 2}[i]; got != want {
			t.Errorf("%q is %d, want %d", name, got, want)
		}
	}
	for i := range noSpeaker + 5 {
		s.number(fmt.Sprint(i))
	}
	if n := len(s.names); n != noSpeaker || s.number("late") != noSpeaker || s.number("Cy") != 2 {
		t.Errorf("%d names", n)
	}
}

// A line that is no turn, cut in half or full of NULs, costs that line only,
// and is a turn once it is complete.
func TestALineThatIsNoTurn(t *testing.T) {
	whole := talk("kim", "Rocks", "user: quartz")
	half := `{"role":"user","text":"gra`
	for name, broken := range map[string]string{"half": half, "nul": "\x00\x00\x00\n", "nul before": "\x00\x00" + half + "nite\"}\n"} {
		tr := newTree(t, map[string]string{sessionFile("s"): whole + broken}).settled()
		ix := open(t, nil)
		v := fresh(t, ix, tr)
		if n := len(v.Turns(rowOf(t, v, sessionFile("s")), nil, nil)); n != 1 || v.m.Binary != 0 {
			t.Errorf("%s: %d turns, %d binary", name, n, v.m.Binary)
		}
		sound(t, ix, tr)
	}
	tr := newTree(t, map[string]string{sessionFile("s"): whole + half}).settled()
	ix := open(t, nil)
	syncIn(t, ix, tr)
	tr.write(t, sessionFile("s"), whole+half+"nite\"}\n")
	v := fresh(t, ix, tr)
	if turns := v.Turns(rowOf(t, v, sessionFile("s")), lexical(t, v, "granite", "kim"), nil); len(turns) != 2 || turns[1].Own == 0 {
		t.Errorf("%+v", turns)
	}
}

// What is appended is found after the next sync; the same bytes again change
// nothing; what is taken away is gone.
func TestAppendedTurnsAreFound(t *testing.T) {
	tr := newTree(t, rocks).settled()
	ix := open(t, static(t))
	syncIn(t, ix, tr)
	path := sessionFile("long")
	raw := rocks[path]
	for i, word := range []string{"topaz", "opal", "iolite"} {
		raw += fmt.Sprintf(`{"role":"user","text":"Here is %s."}`+"\n", word)
		tr.write(t, path, raw)
		v := fresh(t, ix, tr)
		turns := v.Turns(rowOf(t, v, path), lexical(t, v, word, "kim"), nil)
		if len(turns) != 6+i || turns[5+i].Own == 0 || turns[0].Own != 0 {
			t.Errorf("%s: %+v", word, turns)
		}
		sound(t, ix, tr)
	}
	m := newMemory()
	for p, s := range rocks {
		m.put(p, s)
	}
	ix = open(t, hash32)
	syncIn(t, ix, m)
	want := describe(t, ix, m)
	m.put(path, raw)
	syncIn(t, ix, m)
	if describe(t, ix, m) == want {
		t.Error("new turns change nothing")
	}
	m.put(path, rocks[path])
	syncIn(t, ix, m)
	// Size, inode and times are the file's, the rest is as it was.
	if got, want := stripFile(describe(t, ix, m)), stripFile(want); got != want {
		t.Error(firstDifference(got, want))
	}
	delete(m.files, page.Path(path))
	syncIn(t, ix, m)
	v := view(t, ix)
	if _, ok := v.Lookup(page.Path(path)); ok {
		t.Error("a deleted session is there")
	}
	if n := v.m.Scopes["s/kim"]; n.Docs != 1 || n.Turns != 1 {
		t.Errorf("%+v", n)
	}
}

func stripFile(s string) string {
	var out []string
	for _, l := range strings.Split(s, "\n") {
		before, _, _ := strings.Cut(l, " File:")
		out = append(out, before)
	}
	return strings.Join(out, "\n")
}

// A session without turns is no page to find, whatever its head says.
func TestASessionWithoutTurns(t *testing.T) {
	for _, raw := range []string{"", "\n\n", "no json\n", talk("kim", "Quartz"), talk("kim", "")} {
		tr := newTree(t, map[string]string{sessionFile("s"): raw, "a.md": "granite\n"})
		ix := open(t, static(t))
		v := fresh(t, ix, tr)
		row := rowOf(t, v, sessionFile("s"))
		if turns := v.Turns(row, lexical(t, v, "quartz", "kim"), nil); len(turns) != 0 {
			t.Errorf("%q: %+v", raw, turns)
		}
		sound(t, ix, tr)
	}
}

func TestTermHashIsFNV1a(t *testing.T) {
	for s, want := range map[string]uint32{"": 0x811c9dc5, "a": 0xe40c292c, "foobar": 0xbf9cf968} {
		if got := termHash([]byte(s)); got != want {
			t.Errorf("%q: %x, want %x", s, got, want)
		}
	}
}

// Whose a session is costs nothing to ask.
func TestAgentDoesNotAllocate(t *testing.T) {
	v := fresh(t, open(t, nil), newTree(t, rocks))
	row := rowOf(t, v, sessionFile("long"))
	if n := testing.AllocsPerRun(100, func() { v.Agent(row) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// bigTalk is a session of 400 turns.
func bigTalk() string {
	vocabulary := strings.Fields("amber basalt cobalt dolomite emerald feldspar granite hematite iolite jasper kyanite lapis marble nickel opal pyrite quartz ruby slate topaz")
	var turns []string
	for i := range 400 {
		said := []string{"user: So", "assistant: Well"}[i%2]
		for j := range 20 + i%17 {
			said += " " + vocabulary[(i*7+j*j)%len(vocabulary)]
		}
		turns = append(turns, said)
	}
	return talk("kim", "Rocks", turns...)
}

// One allocation of 54 KB for the turns, three of 10 KB for their scores; about
// 80 µs, an eighth of it for cosines.
func BenchmarkTurns(b *testing.B) {
	tr := newTree(b, map[string]string{sessionFile("s"): bigTalk(), "a.md": "quartz\n"}).settled()
	ix := open(b, static(b))
	v := fresh(b, ix, tr)
	q := "amber basalt cobalt dolomite emerald feldspar granite hematite iolite jasper kyanite lapis"
	r, err := v.Lexical(b.Context(), text.Query(q), "kim")
	must(b, err)
	vecs, err := static(b).Embed(context.Background(), []string{q})
	must(b, err)
	row, _ := v.Lookup(page.Path(sessionFile("s")))
	b.ReportAllocs()
	for b.Loop() {
		v.Turns(row, r, vecs[0])
	}
	b.ReportMetric(float64(len(r.turns.terms)), "terms")
}

func BenchmarkAgent(b *testing.B) {
	v := fresh(b, open(b, nil), newTree(b, rocks))
	row, _ := v.Lookup(page.Path(sessionFile("long")))
	b.ReportAllocs()
	for b.Loop() {
		v.Agent(row)
	}
}
