package page

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

func paragraphs(n, sentences int) string {
	var b strings.Builder
	for i := range n {
		for j := range sentences {
			fmt.Fprintf(&b, "Sentence %d of paragraph %d tells a little more. ", j, i)
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

func TestChunks(t *testing.T) {
	raw := "---\ntitle: Page\nabstract: The gist.\naliases: [Other]\n---\n# Page\n\n## First\n\n" + paragraphs(5, 6) + "## Second\n\n### Third\n\n" + paragraphs(1, 6)
	p := Parse("f.md", []byte(raw))
	chunks := p.Chunks()
	if len(chunks) != 4 {
		t.Fatalf("%d chunks", len(chunks))
	}
	for i, c := range chunks {
		if c.N != i || c.Start >= c.End || strings.Count(raw[:strings.Index(raw, p.Body)+c.Start], "\n")+1 != c.Line {
			t.Errorf("chunk %d: %+v", i, c)
		}
		if n := utf8.RuneCountInString(c.Embed); n > targetChunk+overlapChunk+100 {
			t.Errorf("chunk %d has %d characters", i, n)
		}
	}
	if !strings.HasPrefix(chunks[0].Embed, "Page\nFirst\nOther\nThe gist.\n") && !strings.HasPrefix(chunks[0].Embed, "Page\nOther\nThe gist.\n") {
		t.Errorf("chunk 0: %q", chunks[0].Embed)
	}
	if !strings.HasPrefix(chunks[1].Embed, "Page\nFirst\nSentence") || strings.Contains(chunks[1].Embed, "gist") {
		t.Errorf("chunk 1: %q", chunks[1].Embed)
	}
	if chunks[1].Start >= chunks[0].End || chunks[1].Start < chunks[0].End-3*overlapChunk {
		t.Errorf("overlap: %d..%d then %d", chunks[0].Start, chunks[0].End, chunks[1].Start)
	}
	if c := chunks[3]; c.Heading != "Page > Second" && c.Heading != "Page > Second > Third" {
		t.Errorf("heading path %q", c.Heading)
	}
	if again := Parse("moved.md", []byte(raw)).Chunks(); again[1].Key() != chunks[1].Key() {
		t.Error("a moved page must keep the keys of its chunks")
	}
}

func TestChunksOfLittle(t *testing.T) {
	for raw, want := range map[string]int{
		"": 0, " \n\n": 0, "---\ntitle: X\n---\n": 0, "---\n---\n---\n***\n| |\n|--|\n": 0, "- \n- \n": 0, "word": 1,
		"---\nabstract: x\n---\n": 1, "---\nfacts: [a, b]\n---\n": 1, "---\nfacts: [a]\n---\ntext": 2, "# Only a heading": 1, "```\ncode\n```": 1,
		"---\nfacts:\n  - {text: a, status: archived}\n---\n": 0,
	} {
		p := Parse("f.md", []byte(raw))
		chunks := p.Chunks()
		if len(chunks) != want {
			t.Errorf("%q: %d chunks, want %d", raw, len(chunks), want)
		}
		for _, c := range chunks {
			if strings.TrimSpace(c.Embed) == "" || c.Line < 1 {
				t.Errorf("%q: %+v", raw, c)
			}
		}
	}
}

func TestLongFenceIsCutAtLines(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "line_%03d := call(%d)\n", i, i)
	}
	short := "```\n" + b.String()[:600] + "\n```\n"
	p := Parse("f.md", []byte(strings.Repeat("Intro sentence. ", 30)+"\n\n"+short+"\n"+"```\n"+b.String()+"```\n"))
	chunks := p.Chunks()
	for _, c := range chunks {
		for _, l := range strings.Split(c.Embed, "\n") {
			if strings.HasPrefix(l, "line_") && !strings.HasSuffix(l, ")") && !strings.HasPrefix(p.found.text[strings.Index(p.found.text, l)+len(l):], "\n") {
				t.Errorf("a line is cut: %q", l)
			}
		}
	}
	if !strings.Contains(chunks[1].Embed, "line_000") || strings.Contains(chunks[0].Embed, "line_000") {
		t.Errorf("a fence that fits into a chunk is cut: %q", chunks[0].Embed)
	}
}

// No chunk ends inside a grapheme, whatever the text is made of; and together
// the chunks cover every word.
func TestChunksCoverTheBody(t *testing.T) {
	piece := rapid.OneOf(
		rapid.Just("## Heading\n"), rapid.Just("- item one\n"), rapid.Just("\n\n"), rapid.Just("| a | b |\n"),
		rapid.StringOfN(rapid.SampledFrom([]rune("👩‍👩‍👧🇩🇪e\u0301x ")), 1, 3000, -1),
		rapid.StringOfN(rapid.SampledFrom([]rune("中文字符。，数据")), 1, 2000, -1),
		rapid.StringOfN(rapid.SampledFrom([]rune("abc def. Ghi! ")), 1, 2000, -1),
	)
	rapid.Check(t, func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(piece, 1, 12).Draw(t, "pieces"), "")
		p := Parse("f.md", []byte(raw))
		bounds := map[int]bool{len(p.Body): true}
		for g, at := uniseg.NewGraphemes(p.Body), 0; g.Next(); {
			at, _ = g.Positions()
			bounds[at] = true
		}
		end := 0
		for _, c := range p.Chunks() {
			if !utf8.ValidString(c.Embed) || c.Start > c.End || c.End > len(p.Body) || !bounds[c.Start] || !bounds[c.End] {
				t.Fatalf("chunk %d is %d..%d of %d", c.N, c.Start, c.End, len(p.Body))
			}
			if c.Start > end && strings.IndexFunc(p.Body[end:c.Start], isTextRune) >= 0 {
				t.Fatalf("%q is in no chunk", p.Body[end:c.Start])
			}
			if n := utf8.RuneCountInString(c.Embed); n > targetChunk+minChunk+2*overlapChunk+600 {
				t.Fatalf("a chunk of %d characters", n)
			}
			end = max(end, c.End)
		}
	})
}

// isTextRune leaves out marks: a block of nothing else is in no chunk.
func isTextRune(r rune) bool { return unicode.IsLetter(r) }
