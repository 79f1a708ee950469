package page

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func superseding(t *testing.T, body string, texts ...string) *Page {
	t.Helper()
	var b strings.Builder
	b.WriteString("---\ntitle: \"Kestrel\"\nfacts:\n")
	for _, s := range texts {
		b.WriteString("  - text: \"" + s + "\"\n    status: \"superseded\"\n")
	}
	b.WriteString("---\n" + body)
	return Parse("entities/kestrel.md", []byte(b.String()))
}

func TestASupersededSentenceOfTheBodyIsNotRead(t *testing.T) {
	const body = "# Kestrel\n\nThe **queue** holds 600\njobs. It is drained at [[Harbour]].\n\n- Run by [[Team Tern]].\n- Written in Go.\n"
	p := superseding(t, body, "the queue holds 600 jobs", "Run by Team Tern")
	if p.Body != body {
		t.Errorf("the file's text has changed: %q", p.Body)
	}
	if got, want := p.Clean().Body, "It is drained at Harbour.\nWritten in Go.\n"; got != want {
		t.Errorf("words %q, want %q", got, want)
	}
	for _, c := range p.Chunks() {
		if strings.Contains(c.Embed, "600") || strings.Contains(c.Embed, "Tern") {
			t.Errorf("embedded: %q", c.Embed)
		}
	}
	var links []string
	for _, l := range p.Links {
		links = append(links, l.Target)
	}
	if diff := cmp.Diff([]string{"Harbour"}, links); diff != "" {
		t.Error(diff)
	}
	var said []string
	lines := map[string]int{}
	for _, c := range Claims(p) {
		said = append(said, c.Text)
		lines[c.Text] = c.Place.Line
	}
	if diff := cmp.Diff([]string{"It is drained at Harbour.", "Written in Go."}, said); diff != "" {
		t.Error(diff)
	}
	// The front matter has 8 lines; lines of what stays are those of the file.
	if lines["It is drained at Harbour."] != 12 || lines["Written in Go."] != 15 {
		t.Errorf("lines %v", lines)
	}
	if len(p.Standing()) != len(body) || strings.Count(p.Standing(), "\n") != strings.Count(body, "\n") {
		t.Errorf("places are not kept: %q", p.Standing())
	}
	if got, want := p.Gone().Cut(p.Standing(), 0, len(body)), "# Kestrel\n\nIt is drained at [[Harbour]].\n\n- Written in Go.\n"; got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
}

func TestWhatSupersedesNothingIsReadAsBefore(t *testing.T) {
	const body = "The queue holds 600 jobs today.\n\n## The queue holds 600 jobs\n\n```\nThe queue holds 600 jobs\n```\n\nThe queue holds 60 jobs.\n"
	p := superseding(t, body, "The queue holds 600 jobs")
	if p.Standing() != body || p.Gone() != nil {
		t.Errorf("read: %q", p.Standing())
	}
}

// A statement within a longer sentence goes, and what stands around it stays.
func TestASupersededClauseOfASentenceIsNotRead(t *testing.T) {
	p := superseding(t, "Our answer: **the limit of Sluice is 900 a second**, so a night is taken in. 自 1 月起，Silo 的读数库使用 ClickHouse（24.8，三节点）；完。\n\n"+
		"In production the limit of Sluice is 900 a second. The limit of Sluice is 900 a second each. No limit is 5, yes.\n", "The limit of Sluice is 900 a second.", "Silo 的读数库使用 ClickHouse。", "yes", "No limit is 5")
	want := "Our answer:, so a night is taken in. 自 1 月起，（24.8，三节点）；完。\n" +
		"In production the limit of Sluice is 900 a second. The limit of Sluice is 900 a second each. No limit is 5, yes.\n"
	if got := p.Clean().Body; got != want {
		t.Errorf("words %q", got)
	}
}

// A live fact of the same words keeps the sentence.
func TestASentenceThatALiveFactSaysToo(t *testing.T) {
	raw := "---\nfacts:\n  - text: \"Limit is 5\"\n    status: superseded\n  - text: \"Limit is 5\"\n---\nLimit is 5.\n"
	if p := Parse("a.md", []byte(raw)); p.Standing() != "Limit is 5.\n" {
		t.Errorf("%q", p.Standing())
	}
}

func TestOfOneTextInTwoSectionsOneIsSuperseded(t *testing.T) {
	const body = "## Retries\n\nDefault: 100\n\n## Sockets\n\nDefault: 100\n"
	p := superseding(t, body, "Retries > Default: 100")
	if got := p.Clean().Body; got != "Default: 100\n" {
		t.Errorf("words %q", got)
	}
	if !strings.HasSuffix(p.Standing(), "Default: 100\n") {
		t.Errorf("the other one went: %q", p.Standing())
	}
	want := []Saying{{"Retries", 9, true}, {"Sockets", 13, false}}
	if diff := cmp.Diff(want, p.Says("default: 100.")); diff != "" {
		t.Error(diff)
	}
}

func TestSeveralSentencesAndSummariesAreSuperseded(t *testing.T) {
	raw := "---\nabstract: \"Queue first. The port is 80.\"\nfacts:\n  - text: \"端口是80。用 TCP\"\n    status: superseded\n  - {text: The port is 80, status: Superseded}\n---\n" +
		"网关。端口是80。用 TCP。别的。\n"
	p := Parse("a.md", []byte(raw))
	if p.Abstract != "Queue first." {
		t.Errorf("abstract %q", p.Abstract)
	}
	if got := p.Clean().Body; strings.Contains(got, "端口") || !strings.Contains(got, "网关。") || !strings.Contains(got, "别的。") {
		t.Errorf("words %q", got)
	}
}

// A change of the page's front matter, or of a link in what is superseded, is possible.
func TestAPageWithWhatIsSupersededCanBeChanged(t *testing.T) {
	p := superseding(t, "Run by [[Team Tern]].\n", "Run by Team Tern")
	if len(p.Links) != 0 {
		t.Fatalf("links %v", p.Links)
	}
	out, err := Relink(p.Path, p.Raw, func(l Link) (string, bool) { return "Team Gull", l.Target == "Team Tern" })
	if err != nil || !strings.Contains(string(out), "[[Team Gull]]") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err = Splice(p.Path, p.Raw, SetFact(0, "status", "")); err != nil || Parse(p.Path, out).Standing() != p.Body {
		t.Errorf("%v\n%s", err, out)
	}
}

// What stays is read as it was, at the lines where it was.
func TestWhatIsNotSupersededKeepsItsWordsAndLines(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"Alpha is 1. ", "*Beta* is 2! ", "见 [[伽马]]。", "`delta` is 4.\n", "\n\n- Alpha is 1.\n", "\n\n> Beta is 2!\n\n", "\n\n## Alpha is 1\n\n",
		"\n- [x] Run [by](x.md) one.\n  - Beta is 2!\n", "\n\n| a | b |\n|---|---|\n| Alpha is 1. | c |\n\n", "<!-- Alpha is 1. --> ", "Epsilon\nis 5. ",
	})
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(piece, 1, 12).Draw(t, "pieces"), "")
		all := Claims(Parse("a.md", []byte("---\na: b\nc: d\ne: f\n---\n"+body)))
		if len(all) == 0 {
			return
		}
		lost := rapid.SampledFrom(all).Draw(t, "lost").Text
		p := Parse("a.md", []byte("---\nfacts:\n- text: '"+lost+"'\n  status: superseded\n---\n"+body))
		var want []Claim
		for _, c := range all {
			if sameText(c.Text) != sameText(lost) {
				want = append(want, c)
			}
		}
		got := Claims(p)
		if p.ownTitle() && len(got) == 1 && got[0].Text == p.Title || len(want) == 0 {
			return // nothing but the title is left
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("without %q of %q: %s", lost, body, diff)
		}
		for _, c := range p.Chunks() {
			p.Gone().Cut(p.Standing(), c.Start, c.End)
		}
	})
}

// What was superseded by an entry of its own comes back without it, and the file is as it was.
func TestAnEntryOfFactsIsTakenAway(t *testing.T) {
	for name, raw := range map[string]string{
		"no front matter":  "The queue holds 600 jobs.\n",
		"no facts":         "---\ntitle: a # b\n---\nThe queue holds 600 jobs.\n",
		"a block":          "---\nfacts:\n  - text: x\n    metric: m\n  - y\nz: 1\n---\nThe queue holds 600 jobs.\n",
		"brackets":         "---\nfacts: [x, {text: y, metric: m}] # c\n---\nb",
		"one value, CRLF":  "---\r\nfacts: x\r\n---\r\nThe queue holds 600 jobs.\r\n",
		"one that is last": "---\ntags: [a]\nfacts:\n- text: x # c\n---\n",
	} {
		with, err := Splice("a.md", []byte(raw), AddFact(Fact{Text: "The queue holds 600 jobs", Status: "superseded"}))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n := len(Parse("a.md", with).Facts)
		out, err := Splice("a.md", with, RemoveFact(n-1))
		if err != nil || len(Parse("a.md", out).Facts) != n-1 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		t.Logf("%s: %q", name, out)
	}
	if _, err := Splice("a.md", []byte("---\nfacts: [x]\n---\n"), RemoveFact(1)); err == nil {
		t.Error("a fact that is not there was taken away")
	}
}

// Statements and sentences that almost agree, many times over, cost no more than reading them.
func TestManySentencesThatAlmostAreOneStatementAreReadAtOnce(t *testing.T) {
	almost := strings.Repeat("Bad words stand here. ", 20) + "Not these."
	body := strings.Repeat("Bad words stand here. ", 20_000)
	raw := "---\nfacts:\n  - text: \"" + almost + "\"\n    status: superseded\n  - text: \"" + strings.Repeat("Bad words stand here ", 5000) + "\"\n    status: superseded\n---\n" + body
	p := Parse("a.md", []byte(raw)) // which took hours where each row of sentences was looked at
	if got := strings.Count(p.Clean().Body, "Bad words stand here."); got != 20_000 {
		t.Errorf("%d sentences are read, want all 20,000", got)
	}
}
