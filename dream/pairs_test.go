package dream

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brain/page"
)

// A pair is the same one wherever its claims stand, and another one as soon as
// one of them says something else.
func TestAPairIsKnownByItsWordsAlone(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"kestrel", "retries", "limit", "队列", "启用", "五", "Mossgate", "100", "enabled"}), 2, 8)
	rapid.Check(t, func(t *rapid.T) {
		one := strings.Join(words.Draw(t, "one"), " ")
		two := strings.Join(words.Draw(t, "two"), " ")
		entity := rapid.SampledFrom([]string{"", "Kestrel", "队列"}).Draw(t, "entity")
		place := func(label, text string) Side {
			return Side{
				Text: text, Path: page.Path(rapid.SampledFrom([]string{"a.md", "notes/b.md", "c/d.md"}).Draw(t, label+" path")),
				Line: rapid.IntRange(0, 90).Draw(t, label+" line"), Fact: rapid.IntRange(-1, 5).Draw(t, label+" fact"),
				Date: rapid.SampledFrom([]string{"", "2026-03-01", "2025-01-31", "soon"}).Draw(t, label+" date"),
			}
		}
		p := Pair{Entity: entity, A: place("p a", one), B: place("p b", two), Detail: [2]string{one, two}}
		q := Pair{Entity: strings.ToUpper(entity), A: place("q a", two+" ."), B: place("q b", "  "+strings.ToUpper(one)), Detail: [2]string{two, one}}
		p.arrange()
		q.arrange()
		if p.ID != q.ID || p.Texts != q.Texts || len(p.ID) != 16 {
			t.Fatalf("one pair has two names: %s %s, %s %s", p.ID, q.ID, p.Texts, q.Texts)
		}
		other := Pair{Entity: entity, A: p.A, B: p.B}
		other.B.Text += " never"
		other.arrange()
		if other.ID == p.ID || other.Texts == p.Texts {
			t.Fatalf("another text has the same name: %s", p.ID)
		}
	})
}

func TestTheOlderClaimOfAPairStandsFirst(t *testing.T) {
	later := Side{Text: "The limit is 100", Date: "2026-03-02", Path: "a.md"}
	older := Side{Text: "The limit is 900", Date: "2026-03-01", Path: "b.md"}
	p := Pair{A: later, B: older, Detail: [2]string{"100", "900"}}
	p.arrange()
	if p.A.Path != "b.md" || p.Detail != [2]string{"900", "100"} {
		t.Errorf("the older claim is not the first: %+v", p)
	}
	p.A.Date = ""
	p.arrange()
	if p.A.Text != "The limit is 100" {
		t.Errorf("without dates the lesser words stand first: %q", p.A.Text)
	}
}

// Another entity is another pair; a verdict on the texts holds for both.
func TestTheSameTextsOfAnotherEntityAreFoundByTheirTexts(t *testing.T) {
	p := Pair{Entity: "Kestrel", A: Side{Text: "x is on"}, B: Side{Text: "x is off"}}
	q := Pair{Entity: "Harbour", A: Side{Text: "x is off"}, B: Side{Text: "x is on"}}
	p.arrange()
	q.arrange()
	if p.ID == q.ID || p.Texts != q.Texts {
		t.Errorf("%s %s, %s %s", p.ID, q.ID, p.Texts, q.Texts)
	}
}
