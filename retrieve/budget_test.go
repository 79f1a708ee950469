package retrieve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"brain/page"
	"brain/text"
)

// ten is a sentence of 39 characters: 10 tokens, and 10·n for n of them with
// blanks between.
func ten(n int) string { return fmt.Sprintf("Sentence %03d says something of 39 rune.", n) }

// paragraphs joins sentences 1, 2, 3 … of ten into paragraphs of these sizes.
func paragraphs(sentence func(int) string, blank string, sizes ...int) string {
	var out []string
	n := 0
	for _, size := range sizes {
		var p []string
		for range size {
			n++
			p = append(p, sentence(n))
		}
		out = append(out, strings.Join(p, blank))
	}
	return strings.Join(out, "\n\n") + "\n"
}

// numbers are those of the sentences in an excerpt.
func numbers(s string) (out []int) {
	for i := 0; i < len(s); i++ {
		var n int
		if _, err := fmt.Sscanf(s[i:], "Sentence %d", &n); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// The excerpt grows over the sentence that answers, its paragraph, then the
// paragraph behind, the one before, and so on; where a sentence does not fit
// that side is closed.
func TestExcerptGrowsAroundTheAnswer(t *testing.T) {
	if n := text.Tokens(ten(1)); n != 10 {
		t.Fatalf("a sentence has %d tokens", n)
	}
	body := paragraphs(ten, " ", 2, 3, 3, 2) // 1 2 / 3 4 5 / 6 7 8 / 9 10
	at := strings.Index(body, ten(7))
	for room, want := range map[int][]int{
		9:    nil,
		10:   {7},
		19:   {7},
		20:   {7, 8},
		30:   {6, 7, 8},
		39:   {6, 7, 8},
		40:   {6, 7, 8, 9},           // 4·39 and 4 between them: 160 characters
		50:   {6, 7, 8, 9, 10},       // 200
		60:   {6, 7, 8, 9, 10},       //
		61:   {5, 6, 7, 8, 9, 10},    // 241, with the blank line
		71:   {4, 5, 6, 7, 8, 9, 10}, // 281
		5000: {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
	} {
		e := pageExcerpt(&passage{body: body, start: at, end: at + 8})
		grew := e.grow(room)
		got := e.text(e.taken)
		if grew != (want != nil) || !slices.Equal(numbers(got), want) || text.Tokens(got) > room {
			t.Errorf("room %d: %v, want %v (%d tokens)", room, numbers(got), want, text.Tokens(got))
		}
		if whole := room == 5000; e.taken.holds(e.whole) != whole || whole && got != strings.TrimSpace(body) {
			t.Errorf("room %d: whole page: %v", room, e.taken.holds(e.whole))
		}
	}
}

// A sentence of nine Han characters and a full stop has 10 tokens, n of them
// 9·n + ⌈n/4⌉.
func TestExcerptOfChineseText(t *testing.T) {
	zh := func(n int) string {
		return strings.Repeat(string([]rune("零一二三四五六七八九")[n]), 9) + "。"
	}
	body := paragraphs(zh, "", 1, 4, 1) // 1 / 2 3 4 5 / 6
	at := strings.Index(body, zh(3))
	for room, want := range map[int]string{
		9:  "",
		10: zh(3),
		18: zh(3),
		19: zh(3) + zh(4),
		28: zh(3) + zh(4) + zh(5),
		37: zh(2) + zh(3) + zh(4) + zh(5),
		47: zh(2) + zh(3) + zh(4) + zh(5) + "\n\n" + zh(6), // 45 + ⌈7/4⌉
		99: strings.TrimSpace(body),
	} {
		e := pageExcerpt(&passage{body: body, start: at, end: at + 3})
		e.grow(room)
		if got := e.text(e.taken); got != want {
			t.Errorf("room %d: %q, want %q", room, got, want)
		}
	}
}

// What stands around the answer is no use while the answer itself does not
// fit.
func TestExcerptStopsInsideAnAnswerThatDoesNotFit(t *testing.T) {
	body := paragraphs(ten, " ", 5)
	e := pageExcerpt(&passage{body: body, start: strings.Index(body, ten(2)), end: strings.Index(body, ten(5)) - 1})
	if e.grow(25); !slices.Equal(numbers(e.text(e.taken)), []int{2, 3}) || e.taken.holds(e.place) {
		t.Errorf("took %q", e.text(e.taken))
	}
	if e.grow(30); !e.taken.holds(e.place) {
		t.Errorf("took %q", e.text(e.taken))
	}
}

func TestLongPageIsShownByItsPassage(t *testing.T) {
	pages := map[string]string{
		"en.md": "---\ntitle: Boats\n---\n" + paragraphs(ten, " ", 40, 40) + "\nThe samovar stands in the galley.\n\n" + paragraphs(ten, " ", 40, 40),
		"zh.md": "---\ntitle: 船\n---\n" + strings.Repeat("这一段与问题毫无关系。", 200) + "\n\n茶炊放在厨房的柜子里。\n\n" + strings.Repeat("这一段也没有关系。", 200),
	}
	b := wordsOnly(t, pages)
	for question, c := range map[string]struct{ path, answer string }{
		"samovar galley": {"en.md", "The samovar stands in the galley."},
		"茶炊放在哪里":         {"zh.md", "茶炊放在厨房的柜子里。"},
	} {
		for _, budget := range []int{40, 200, 700} {
			a := b.search(Query{Text: question, Budget: budget})
			h := hit(a, c.path)
			if h == nil || !strings.Contains(h.Text, c.answer) || h.Layer != "L2" || !h.Truncated {
				t.Errorf("%q, budget %d: %+v", question, budget, h)
				continue
			}
			// What is left is filled up to less than one more sentence.
			if used := text.Tokens(h.Text); len(a.Hits) == 1 && (used > budget || used < budget-12) {
				t.Errorf("%q: %d of %d tokens used", question, used, budget)
			}
		}
		whole := b.search(Query{Text: question, Budget: 10000})
		if h := hit(whole, c.path); h.Truncated || h.Layer != "L2" || h.Text != strings.TrimSpace(body(pages[c.path])) {
			t.Errorf("%q: not the whole page: truncated %v, %s", question, h.Truncated, h.Layer)
		}
	}
}

func body(content string) string { s, _ := page.Split([]byte(content)); return s }

// Three pages of 500 tokens. 3·10 tokens give each its first sentence; a
// passage has at most passageRoom.
func TestTokensAreGivenOutInRounds(t *testing.T) {
	pages := map[string]string{}
	for i, name := range []string{"a.md", "b.md", "c.md"} {
		pages[name] = "---\nabstract: Otters, part " + fmt.Sprint(i+1) + ".\n---\n" + paragraphs(ten, " ", 25) + "\nThe otter swims in the river beside the mill every morning.\n" + strings.Repeat("Otter otter. ", 2-i) + "\n" + paragraphs(ten, " ", 25)
	}
	b := wordsOnly(t, pages)
	l0 := text.Tokens("Otters, part 1.")
	layers := func(budget int) (out []string) {
		for _, h := range b.search(Query{Text: "otter", Budget: budget}).Hits {
			s := h.Layer
			if h.Truncated {
				s += "…"
			}
			out = append(out, s)
		}
		return out
	}
	for _, c := range []struct {
		budget int
		want   []string
	}{
		{l0 - 1, []string{"", "", ""}},
		{l0, []string{"L0…", "…", "…"}},
		{3 * l0, []string{"L0…", "L0…", "L0…"}},
		{2*l0 + passageRoom, []string{"L2…", "L0…", "L0…"}},
		{3 * passageRoom, []string{"L2…", "L2…", "L2…"}},
		{2*passageRoom + 520, []string{"L2", "L2…", "L2…"}},
		{3 * 520, []string{"L2", "L2", "L2"}},
	} {
		if c.want[0] == "" {
			c.want = []string{"…", "…", "…"}
		}
		if got := layers(c.budget); !slices.Equal(got, c.want) {
			t.Errorf("budget %d: %q, want %q", c.budget, got, c.want)
		}
	}
}

func TestHeadingsStandForAPageWithoutAnOverview(t *testing.T) {
	p := page.Parse("p.md", []byte("# Mill\n\nThe mill grinds. "+strings.Repeat("It is old. ", 100)+"\n\n## Wheel\n\nThe wheel turns. "+strings.Repeat("It creaks. ", 100)+"\n"))
	if got, want := headings(p), "Mill: The mill grinds.\nMill > Wheel: The wheel turns."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSentenceLongerThanTheBudgetIsDroppedAndNeverCut(t *testing.T) {
	for name, sentence := range map[string]string{
		"Latin": strings.Repeat("lorem ipsum ", 300) + "otter " + strings.Repeat("dolor sit ", 300) + "amet.",
		"Han":   strings.Repeat("东西南北", 500) + "水獭" + strings.Repeat("前后左右", 500) + "。",
	} {
		b := wordsOnly(t, map[string]string{"p.md": sentence + "\n"})
		for _, question := range []string{"otter", "水獭"} {
			a := b.search(Query{Text: question, Budget: 500})
			for _, h := range a.Hits {
				if h.Text != "" || !h.Truncated || *a.Budget != (Budget{500, 0, 1}) {
					t.Errorf("%s: %d tokens of text, truncated %v, budget %+v", name, text.Tokens(h.Text), h.Truncated, *a.Budget)
				}
			}
			for _, h := range b.search(Query{Text: question, Budget: 5000}).Hits {
				if h.Text != sentence || h.Truncated {
					t.Errorf("%s: the sentence fits and is not there", name)
				}
			}
		}
	}
}

func TestAnswerWithoutABudgetSaysNothingOfOne(t *testing.T) {
	b := wordsOnly(t, fewPages)
	if a := b.ask("boiler pressure"); a.Budget != nil || a.Hits[0].Truncated || a.Hits[0].Layer != "" {
		t.Errorf("%+v", a)
	}
}

const talkPath = "sessions/2026-03/4f1c/messages.jsonl"

// talk is a session of turns said by user and assistant in turn.
func talk(title string, turns ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"session":"4f1c","agent":"coder","title":%q,"at":"2026-03-02T09:00:00Z"}`+"\n", title)
	for i, s := range turns {
		fmt.Fprintf(&b, `{"role":%q,"speaker":%q,"at":"2026-03-02T09:%02d:00Z","text":%q}`+"\n",
			[]string{"user", "assistant"}[i%2], []string{"Wei", "Ada"}[i%2], i, s)
	}
	return b.String()
}

func TestSessionShowsTheTurnWithItsNeighbours(t *testing.T) {
	b := wordsOnly(t, map[string]string{talkPath: talk("Login", "Good morning.", "What happened?", "The login loops. It began on Monday.", "Which browser?", "Safari.")})
	q := Query{Text: "login loops", Agent: "coder"}
	// Each line: speaker, time, what was said.
	lines := []string{"Wei (2026-03-02 09:00): Good morning.", "Ada (2026-03-02 09:01): What happened?",
		"Wei (2026-03-02 09:02): The login loops. It began on Monday.", "Ada (2026-03-02 09:03): Which browser?", "Wei (2026-03-02 09:04): Safari."}
	first := "Wei (2026-03-02 09:02): The login loops."
	tokens := func(from, to int) int { return text.Tokens(strings.Join(lines[from:to], "\n\n")) }
	for _, c := range []struct {
		budget    int
		want      string
		truncated bool
	}{
		{text.Tokens(first) - 1, "", true},
		{text.Tokens(first), first, true},
		{tokens(2, 3), lines[2], false},
		{tokens(2, 4), strings.Join(lines[2:4], "\n\n"), false},
		{tokens(1, 4), strings.Join(lines[1:4], "\n\n"), false},
		{1000, strings.Join(lines, "\n\n"), false},
	} {
		q.Budget = c.budget
		h := hit(b.search(q), talkPath)
		if h == nil || h.Text != c.want || h.Truncated != c.truncated {
			t.Errorf("budget %d: %+v, want %q", c.budget, h, c.want)
		}
	}
}

func TestPassagesAreGivenWholeOrLeftOut(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"a.md": "Otter otter otter. " + ten(1) + " " + ten(2),
		"b.md": "The otter. " + strings.Repeat("It rains a lot in the valley. ", 20),
		"c.md": "The otter is small, and nobody in the valley has seen it for years.",
	})
	all := b.search(Query{Text: "otter", Unit: Passages})
	if len(all.Hits) != 3 {
		t.Fatalf("hits %q", paths(all))
	}
	need := map[string]int{}
	for _, h := range all.Hits {
		need[h.Path] = text.Tokens(h.Text)
	}
	budget := need["a.md"] + need["c.md"]
	a := b.search(Query{Text: "otter", Unit: Passages, Budget: budget})
	for i, h := range a.Hits {
		left := h.Path == "b.md"
		if h.Truncated != left || (h.Text == "") != left || !left && h.Text != all.Hits[i].Text {
			t.Errorf("%s: truncated %v, text %q", h.Path, h.Truncated, h.Text)
		}
	}
	if *a.Budget != (Budget{budget, budget, 1}) {
		t.Errorf("budget %+v", *a.Budget)
	}
}

// randomPages are in both languages, of all lengths, with headings, code, long
// sentences, abstracts and overviews.
func randomPages(r *rand.Rand, n int) map[string]string {
	en := strings.Fields("otter river mill boat lantern anvil saddle thimble kettle copper walks sees takes gives under over beside the a of")
	zh := []rune("水獭在河里游泳船灯铁砧马鞍茶壶铜走看拿给下上旁边的一个")
	sentence := func(han bool) string {
		var b strings.Builder
		for range 1 + r.IntN(25)*r.IntN(25)/8 {
			if han {
				b.WriteRune(zh[r.IntN(len(zh))])
			} else {
				b.WriteString(en[r.IntN(len(en))] + " ")
			}
		}
		if han {
			return b.String() + "。"
		}
		return strings.TrimSpace(b.String()) + ". "
	}
	pages := map[string]string{}
	for i := range n {
		var b strings.Builder
		han := r.IntN(2) == 0
		b.WriteString("---\n")
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "abstract: %q\n", sentence(han)+sentence(han))
		}
		if r.IntN(4) == 0 {
			fmt.Fprintf(&b, "overview: %q\n", sentence(han)+sentence(han)+sentence(han))
		}
		b.WriteString("---\n")
		for range r.IntN(30) * r.IntN(30) / 20 {
			switch r.IntN(9) {
			case 0:
				b.WriteString("\n\n## " + strings.TrimSpace(sentence(han)) + "\n\n")
			case 1:
				b.WriteString("\n\n")
			case 2:
				b.WriteString("\n```\notter --mill 9\n\nlantern\n```\n")
			case 3:
				b.WriteString("\n- ")
			}
			b.WriteString(sentence(han))
		}
		pages[fmt.Sprintf("p%02d.md", i)] = b.String()
	}
	return pages
}

func TestBudgetHoldsForRandomPages(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	pages := randomPages(r, 60)
	pages[talkPath] = talk("Mill", "The otter is at the mill.", "水獭在河里。", strings.Repeat("Kettle under the river. ", 40), "Yes.")
	b := newBrain(t, pages)
	questions := []string{"otter river mill", "水獭在河里", "copper kettle beside the anvil", "茶壶 lantern", "saddle"}
	for range 150 {
		q := Query{Text: questions[r.IntN(len(questions))], Budget: 1 + r.IntN(5000), N: 1 + r.IntN(15), Unit: Unit(r.IntN(2)), Agent: "coder"}
		if r.IntN(2) == 0 {
			q.Budget = 1 + r.IntN(200)
		}
		checkBudget(t, b.search(q), q, pages)
	}
}

func checkBudget(t *testing.T, a *Answer, q Query, pages map[string]string) {
	t.Helper()
	used, without := 0, 0
	for _, h := range a.Hits {
		used += text.Tokens(h.Text)
		if h.Text == "" {
			without++
		}
		if h.Text == "" && strings.TrimSpace(body(pages[h.Path])) != "" && !h.Truncated {
			t.Errorf("%v: %s: no text and not said", q, h.Path)
		}
		if q.Unit == Pages && h.Layer == "L2" && h.Path != talkPath {
			checkWhole(t, q, &h, body(pages[h.Path]))
		}
	}
	if used > q.Budget || *a.Budget != (Budget{q.Budget, used, without}) {
		t.Errorf("%v: %d tokens, %d without text: %+v", q, used, without, *a.Budget)
	}
}

// checkWhole demands that a text begins and ends where sentences do.
func checkWhole(t *testing.T, q Query, h *Hit, body string) {
	t.Helper()
	if h.Truncated == (h.Text == strings.TrimSpace(body)) {
		t.Errorf("%v: %s: truncated %v", q, h.Path, h.Truncated)
	}
	starts, ends := map[int]bool{}, map[int]bool{}
	for _, s := range text.Sentences(body) {
		said := strings.TrimSpace(body[s.Start:s.End])
		start := s.Start + strings.Index(body[s.Start:s.End], said)
		starts[start], ends[start+len(said)] = true, true
	}
	for i := strings.Index(body, h.Text); i >= 0; {
		if starts[i] && ends[i+len(h.Text)] {
			return
		}
		next := strings.Index(body[i+1:], h.Text)
		if next < 0 {
			break
		}
		i += 1 + next
	}
	if h.Text != wholeSentence(h.Text) { // one that says it all is on one line
		t.Errorf("%v: %s: cut inside a sentence: %q", q, h.Path, h.Text)
	}
}
