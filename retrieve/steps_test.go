package retrieve

import (
	"math"
	"testing"
	"time"
)

// The page that answers shares no word with the page that the question finds;
// that page names it.
func TestAPageThatAFoundPageNamesJoinsBelowIt(t *testing.T) {
	b := wordsOnly(t, filler(map[string]string{
		"game.md":   "# Quokka Quest\n\nA game after a tale by Doris Malvern.\n",
		"doris.md":  "# Doris Malvern\n\nShe writes genre fiction.\n",
		"genres.md": "# Shelves\n\nEvery genre has a shelf. A genre is a genre.\n",
	}, 10, func(int) string { return "Nothing of note." }))
	a := b.ask("which genre is the author of Quokka Quest known for")
	if p := paths(a); len(p) < 2 || p[0] != "game.md" || p[1] != "doris.md" {
		t.Fatalf("got %v", p)
	}
	s := signal(&a.Hits[1], "joined")
	if s == nil || s.Value <= 0 || s.Note != "game.md names it" {
		t.Errorf("joined: %+v", s)
	}
	if a.Hits[1].Score > a.Hits[0].Score {
		t.Error("what is named stands above what names it")
	}
}

func TestNamesAreFoundAsWholeWords(t *testing.T) {
	for _, c := range []struct {
		body, name string
		want       bool
	}{
		{"by doris malvern.", "doris malvern", true},
		{"the interviews of may", "views", false},
		{"views, interviews", "views", true},
		{"由林潮生创立", "林潮生", true},
	} {
		if got := named(c.body, c.name); got != c.want {
			t.Errorf("named(%q, %q) = %v", c.body, c.name, got)
		}
	}
}

func TestADateFitsFromTheDaysNamedAndFadesBehindThem(t *testing.T) {
	may := span{from: date(2023, 5, 1), to: date(2023, 6, 1)}
	for day, want := range map[time.Time]float64{
		date(2023, 4, 30): 0, date(2023, 5, 1): 1, date(2023, 5, 31): 1, date(2023, 6, 1): 1,
		date(2023, 6, 16): 0.5, date(2023, 7, 1): 0, // 15 and 30 of 30 days behind
	} {
		if got := may.fit(day); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v fits %v, want %v", day.Format(time.DateOnly), got, want)
		}
	}
	may.open = true
	if got := may.fit(date(2023, 5, 2)); got != 0.5 {
		t.Errorf("with one end it fits %v", got)
	}
}

func TestTheKindAskedForStandsInFront(t *testing.T) {
	for question, want := range map[string]string{
		"The company whose CEO likes boards": "company", "any security-focused advisors": "person", "who keeps the key": "person",
		"哪些公司做传感器": "company", "谁管钥匙": "person", "why is the index of our company slow": "company",
		"how does a write reach disk before the people notice": "",
	} {
		if got := (&plan{q: Query{Text: question}}).askedKind(); got != want {
			t.Errorf("%q asks for %q, want %q", question, got, want)
		}
	}
}
