package retrieve

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"brain/page"
	"brain/text"

	"github.com/rivo/uniseg"
)

func TestLineIsThatOfTheFile(t *testing.T) {
	body := []string{"# Title", "", "First paragraph.", "", "Second one.", "", "The walrus sleeps here.", "", "Last."}
	front := []string{"---", "title: Other", "tags: [a, b]", "---"}
	for _, end := range []string{"\n", "\r\n"} {
		for _, bom := range []string{"", "\ufeff"} {
			for _, head := range [][]string{nil, front} {
				lines := append(append([]string{}, head...), body...)
				b := wordsOnly(t, map[string]string{"p.md": bom + strings.Join(lines, end), "q.md": "Bread."})
				a := b.ask("walrus")
				want := len(head) + 7
				if len(a.Hits) != 1 || a.Hits[0].Line != want || a.Hits[0].Snippet != "The walrus sleeps here. Last." {
					t.Errorf("ends %q, BOM %q, front matter %v: %+v; want line %d", end, bom, head != nil, a.Hits, want)
				}
			}
		}
	}
}

func TestSnippetIsCutAtSentencesOfItsLanguage(t *testing.T) {
	pad := "这一段与问题毫无关系，只是为了把页面写得很长而已。"
	b := wordsOnly(t, map[string]string{
		"zh.md": strings.Repeat(pad, 30) + "第三仓库的制冷机组在周五更换！随后一切正常。" + strings.Repeat(pad, 30),
		"en.md": strings.Repeat("This has nothing to do with it. ", 30) + "Does the chiller of depot three leak? It does. " + strings.Repeat("This has nothing to do with it. ", 30),
	})
	h := b.words("制冷机组").Hits[0]
	if !strings.HasPrefix(h.Snippet, "第三仓库的制冷机组在周五更换！") || !strings.HasSuffix(h.Snippet, "。") || utf8.RuneCountInString(h.Snippet) > snippetRunes {
		t.Errorf("snippet %q", h.Snippet)
	}
	h = b.words("chiller depot").Hits[0]
	if !strings.HasPrefix(h.Snippet, "Does the chiller of depot three leak?") || !strings.HasSuffix(h.Snippet, ".") || utf8.RuneCountInString(h.Snippet) > snippetRunes {
		t.Errorf("snippet %q", h.Snippet)
	}
}

func TestOneEndlessSentenceIsCutAroundTheWords(t *testing.T) {
	for name, sentence := range map[string]string{
		"Han":   strings.Repeat("东西南北", 500) + "水獭" + strings.Repeat("前后左右", 500),
		"Latin": strings.Repeat("lorem ipsum ", 300) + "水獭 " + strings.Repeat("dolor sit ", 300),
	} {
		b := wordsOnly(t, map[string]string{"p.md": sentence})
		s := b.words("水獭").Hits[0].Snippet
		if n := utf8.RuneCountInString(s); n > snippetRunes || n < snippetRunes/2 || !strings.Contains(s, "水獭") {
			t.Errorf("%s: %d characters: %q", name, n, s)
		}
	}
}

// boundaries are the places where a text may be cut.
func boundaries(s string) map[int]bool {
	at, n := map[int]bool{0: true, len(s): true}, 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		n += len(g.Bytes())
		at[n] = true
	}
	return at
}

func TestSnippetNeverCutsAGrapheme(t *testing.T) {
	clusters := []string{"👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "e\u0301\u0323", "각", "नि", "👍🏽", "中", "é", "中\u3000"}
	for _, cluster := range clusters {
		for shift := range 9 {
			body := strings.Repeat("x", shift) + strings.Repeat(cluster, 400) + " narwhal " + strings.Repeat(cluster, 400) + strings.Repeat(cluster, 400)
			for _, target := range []string{"narwhal", ""} {
				start := strings.Index(body, "narwhal")
				if target == "" {
					start += 40 * len(cluster) // amid the clusters
					for !boundaries(body)[start] {
						start++
					}
				}
				from, to := around(body, start, start+1)
				if at := boundaries(body); !at[from] || !at[to] || from > to {
					t.Fatalf("%q, shift %d, target %q: cut at %d and %d", cluster, shift, target, from, to)
				}
			}
		}
	}
}

func TestSnippetOfAPageWithoutABodyIsItsAbstractOrTitle(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"a.md": "---\ntitle: Ostrich farm\nabstract: Where ostriches are kept. And fed.\n---\n",
		"b.md": "---\ntitle: Ostrich eggs\n---\n",
	})
	a := b.ask("ostrich")
	for path, want := range map[string]string{"a.md": "Where ostriches are kept.", "b.md": "Ostrich eggs"} {
		if h := hit(a, path); h == nil || h.Snippet != want {
			t.Errorf("%s: %+v, want snippet %q", path, h, want)
		}
	}
}

func TestSnippetDropsTheTitleOnlyAsAHeading(t *testing.T) {
	for body, want := range map[string]string{
		"# Ostrich\n\nA large bird.\n":              "A large bird.",
		"Ostrich\n=======\nA large bird.\n":         "A large bird.",
		"# Ostrich\r\n\r\nOstrich is a bird.\r\n":   "Ostrich is a bird.",
		"---\ntitle: Ostrich\n---\nOstrich eggs.\n": "Ostrich eggs.",
		"Ostrich eggs.\n":                           "Ostrich eggs.",
		"# Ostrich\n\n## Ostrich eggs\n\nLarge.\n":  "Ostrich eggs Large.",
	} {
		a := wordsOnly(t, map[string]string{"Ostrich.md": body}).ask("ostrich")
		if h := hit(a, "Ostrich.md"); h == nil || h.Snippet != want {
			t.Errorf("%q: %+v, want snippet %q", body, h, want)
		}
	}
}

func TestSnippetFollowsMeaningWhereNoWordIsThere(t *testing.T) {
	b := newBrain(t, map[string]string{
		"p.md": "# Things\n\n" + strings.Repeat("The meeting was about chairs and tables in the office. ", 40) + "\n\n## Vehicles\n\nThe automobile was repaired by the mechanic.\n",
	})
	a := b.search(Query{Text: "汽车修理", Arms: []string{Vector}})
	if len(a.Hits) != 1 || !strings.Contains(a.Hits[0].Snippet, "automobile") || a.Hits[0].Heading != "Things > Vehicles" {
		t.Errorf("hits %+v", a.Hits)
	}
}

func TestPageThatIsNotUTF8IsShownWithoutHarm(t *testing.T) {
	b := newBrain(t, map[string]string{
		"latin.md": strings.Repeat("Caf\xe9 cr\xe8me br\xfbl\xe9e \xfc\xfc\xfc\xfc. ", 120) + "The automobile was repaired by the mechanic.",
	})
	for _, text := range []string{"汽车修理", "automobile mechanic", "crème"} {
		for _, q := range []Query{{}, {Unit: Passages}, {Arms: []string{Vector}}, {Budget: 2000}, {Overview: true}} {
			q.Text = text
			for _, h := range b.search(q).Hits {
				if !utf8.ValidString(h.Snippet) || !utf8.ValidString(h.Text) {
					t.Errorf("%q: snippet or text is not UTF-8: %q", text, h.Snippet)
				}
			}
		}
	}
}

func TestOverviewShowsWhatThePageIsAbout(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"abstract.md": "---\ntags: [zoo, city]\nabstract: All about pandas. In two sentences.\n---\n# Pandas\n\nBamboo is eaten.\n",
		"plain.md":    "---\ntags: [zoo, city]\n---\n# Bears\n\nBears sleep in winter. Bamboo is for pandas.\n",
	})
	a := b.search(Query{Text: "bamboo", Overview: true})
	for path, want := range map[string]string{"abstract.md": "All about pandas.", "plain.md": "Bears sleep in winter."} {
		if h := hit(a, path); h == nil || h.Snippet != want {
			t.Errorf("%s: %+v, want snippet %q", path, h, want)
		}
	}
}

func tokens(a *Answer) (sum int) {
	for _, h := range a.Hits {
		sum += text.Tokens(h.Text)
	}
	return sum
}

func TestBudgetPacksLayersAndIsNeverExceeded(t *testing.T) {
	b := theDemo(t)
	layers := map[string]bool{}
	for _, question := range goldenQueries {
		for _, unit := range []Unit{Pages, Passages} {
			for _, budget := range []int{1, 17, 60, 200, 600, 1500, 4000, 100000} {
				a := b.search(Query{Text: question, Budget: budget, Unit: unit})
				if got := tokens(a); got > budget {
					t.Errorf("%q: budget %d, unit %d: %d tokens", question, budget, unit, got)
				}
				for _, h := range a.Hits {
					if unit == Pages && (h.Text == "") != (h.Layer == "") {
						t.Errorf("%q: %s: layer %q of a text of %d bytes", question, h.Path, h.Layer, len(h.Text))
					}
					layers[h.Layer] = true
					if budget == 100000 && unit == Pages && h.Layer != "L2" {
						t.Errorf("%q: %s: layer %q though all fits", question, h.Path, h.Layer)
					}
				}
			}
		}
	}
	for _, l := range []string{"", "L0", "L1", "L2"} {
		if !layers[l] {
			t.Errorf("layer %q never occurred", l)
		}
	}
}

func TestEveryHitGetsItsShortestLayerBeforeAnyGetsMore(t *testing.T) {
	long := strings.Repeat("The otter swims in the river near the mill. ", 50)
	b := wordsOnly(t, map[string]string{
		"a.md": "---\nabstract: Otters one.\noverview: Otters one swim and more.\n---\n" + long,
		"b.md": "---\nabstract: Otters two.\n---\n" + long + "Again.",
		"c.md": "---\nabstract: Otters three.\n---\n" + long + "And again.",
	})
	need := text.Tokens("Otters one.") + text.Tokens("Otters two.") + text.Tokens("Otters three.")
	a := b.search(Query{Text: "otter river", Budget: need})
	for _, h := range a.Hits {
		if h.Layer != "L0" {
			t.Errorf("%s: layer %q, want L0", h.Path, h.Layer)
		}
	}
	a = b.search(Query{Text: "otter river", Budget: need + text.Tokens("Otters one swim and more.")})
	if h := hit(a, "a.md"); h.Layer != "L1" || h.Text != "Otters one swim and more." {
		t.Errorf("a.md: %q %q, want its overview", h.Layer, h.Text)
	}
}

func TestPassageIsTheChunkWithItsHeadingAndLine(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"p.md": "---\ntitle: Garden\n---\n# Garden\n\n" + strings.Repeat("Weeds are pulled on Tuesday by the crew. ", 30) + "\n\n## Shed\n\nThe wheelbarrow is in the shed.\n",
	})
	a := b.search(Query{Text: "wheelbarrow shed", Unit: Passages})
	if len(a.Hits) != 1 {
		t.Fatalf("hits %+v", a.Hits)
	}
	h := a.Hits[0]
	if !strings.Contains(h.Text, "The wheelbarrow is in the shed.") || utf8.RuneCountInString(h.Text) > 1000 || !strings.HasSuffix(h.Heading, "Shed") {
		t.Errorf("text %q, heading %q", h.Text, h.Heading)
	}
	p := page.Parse("p.md", []byte(fmt.Sprint(readAll(t, b, "p.md"))))
	for _, c := range p.Chunks() {
		if strings.Contains(p.Body[c.Start:c.End], "wheelbarrow") {
			if h.Line != c.Line {
				t.Errorf("line %d, want %d", h.Line, c.Line)
			}
			return
		}
	}
	t.Error("no chunk holds the words")
}

func readAll(t *testing.T, b *brain, path string) string {
	raw, err := b.st.Read(t.Context(), page.Path(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestTwentyKilobytesOfEmojiGiveValidPassages(t *testing.T) {
	cluster := "👩‍👩‍👧‍👦🏳️‍🌈🇩🇪"
	body := strings.Repeat(cluster, 230) + " pelican " + strings.Repeat(cluster, 230)
	b := newBrain(t, map[string]string{"p.md": body})
	at := boundaries(body)
	for _, unit := range []Unit{Pages, Passages} {
		a := b.search(Query{Text: "pelican", Unit: unit})
		if wantJSON(t, a); len(a.Hits) != 1 {
			t.Fatalf("hits %+v", a.Hits)
		}
		for _, s := range []string{a.Hits[0].Snippet, a.Hits[0].Text} {
			if i := strings.Index(body, s); i < 0 || !at[i] || !at[i+len(s)] {
				t.Errorf("unit %d: cut inside a grapheme: %q … %q", unit, s[:min(40, len(s))], s[max(0, len(s)-40):])
			}
		}
	}
}

func TestPageThatVanishedIsShownByWhatTheIndexKnows(t *testing.T) {
	b := wordsOnly(t, map[string]string{"p.md": "---\ntitle: Gone soon\n---\nThe lemur jumps.", "q.md": "Bread."})
	b.remove("p.md")
	a := b.ask("lemur jumps")
	if len(a.Hits) != 1 || a.Hits[0].Snippet != "Gone soon" || a.Hits[0].Line != 1 {
		t.Errorf("hits %+v", a.Hits)
	}
	wantJSON(t, a)
}

// What is superseded in a page finds it no more, and is shown nowhere.
func TestASupersededSentenceIsNeitherFoundNorShown(t *testing.T) {
	body := "The walrus sleeps in dock nine. Its keeper counts herrings.\n\n- The otter sleeps in dock two.\n- The seal is fed at noon.\n"
	front := "---\ntitle: Basin\nfacts:\n  - text: The walrus sleeps in dock nine\n    status: superseded\n  - text: The otter sleeps in dock two\n    status: superseded\n---\n"
	b := wordsOnly(t, map[string]string{"p.md": front + body, "q.md": "Bread."})
	if a := b.ask("walrus"); len(a.Hits) != 0 {
		t.Errorf("found: %+v", a.Hits)
	}
	h := b.ask("keeper herrings").Hits[0]
	if h.Snippet != "Its keeper counts herrings. - The seal is fed at noon." || h.Line != 9 {
		t.Errorf("line %d, snippet %q", h.Line, h.Snippet)
	}
	if text := b.search(Query{Text: "keeper herrings", Unit: Passages}).Hits[0].Text; text != "Its keeper counts herrings.\n\n- The seal is fed at noon." {
		t.Errorf("passage %q", text)
	}
	if text := b.search(Query{Text: "keeper herrings", Budget: 200}).Hits[0].Text; text != "Its keeper counts herrings.\n\n- The seal is fed at noon." {
		t.Errorf("with room %q", text)
	}
}
