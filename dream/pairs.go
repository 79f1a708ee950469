package dream

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"brain/page"
	"brain/text"
)

// A pair is known by what it says, not by where it stands: its id is made from
// the words of the two claims and the name of what they speak of. Pages move,
// lines shift, facts are put in another order, and the pair stays the same one;
// so a verdict on it holds until one of the two says something else.
//
//	id     = SHA-256(entity \0 lesser words \0 greater words), 16 hex digits
//	texts  = SHA-256(lesser words \0 greater words), 16 hex digits
//
// The entity is folded, words are those of page.ClaimKey. The second name is
// what a verdict is found by when the entity has another name now.
//
// A pair with a fact of an agent is that agent's, another pair than the one that all may see
// and than that of the next agent, also where their words are the same: both names have
// \0 agent behind them. So none stands in the place of another.

// What two claims are proposed as.
const (
	KindContradiction = "contradiction" // both cannot hold
	KindSupersession  = "supersession"  // B is dated later and may have taken A's place
	KindUnsure        = "unsure"        // nearly the same, and nobody could tell
)

// Pair is two claims that cannot both hold, or may say the same. It is proposed
// and nothing more: a person decides.
type Pair struct {
	ID       string    `json:"id"`
	Texts    string    `json:"texts"`
	Entity   string    `json:"entity,omitempty"` // what both speak of, as people read it; "" for none
	Kind     string    `json:"kind"`
	A        Side      `json:"a"` // the older where dates are known, else the lesser words
	B        Side      `json:"b"`
	Screen   string    `json:"screen"`   // which found it: slot, negation, antonym, direction, change, meaning
	Strength float64   `json:"strength"` // of the evidence, 0 to 1
	Detail   [2]string `json:"detail"`   // what differs, as the screen reads it
}

// Side is one claim of a pair, and where it stands.
type Side struct {
	Text    string    `json:"text"`
	Path    page.Path `json:"path"`
	Line    int       `json:"line"`              // 1-based in the file; 0 unknown
	Date    string    `json:"date,omitempty"`    // when it holds, or was said
	Speaker string    `json:"speaker,omitempty"` // who said so
	Sources []string  `json:"sources,omitempty"` // what it names as its sources, turns included
	Fact    int       `json:"fact"`              // which of facts: counted from 0, or one of the two below
	Agent   string    `json:"agent,omitempty"`   // whose it is, "" for all
}

// What a side is that is no entry of facts:.
const (
	SentenceSide  = -1 // a sentence of the body
	AgentFactSide = -2 // a fact of an agent, a file of its own
)

// arrange puts each text on one line and the sides in their order, which does not
// depend on who came first, and names the pair.
func (p *Pair) arrange() {
	p.Entity = flatText(p.Entity)
	for i, what := range p.Detail { // a number without a unit is one of n
		p.Detail[i] = strings.TrimSuffix(flatText(what), " n")
	}
	for _, s := range [...]*Side{&p.A, &p.B} {
		s.Text, s.Date, s.Speaker = flatText(s.Text), flatText(s.Date), flatText(s.Speaker)
		for i, from := range s.Sources {
			s.Sources[i] = flatText(from)
		}
	}
	a, b := page.ClaimKey(p.A.Text), page.ClaimKey(p.B.Text)
	p.name(p.owner())
	if order := compareDates(p.A.Date, p.B.Date); order > 0 || order == 0 && lessSide(p.B, b, p.A, a) {
		p.A, p.B = p.B, p.A
		p.Detail[0], p.Detail[1] = p.Detail[1], p.Detail[0]
	}
}

// compareDates is 0 where one is unknown, or no date.
func compareDates(a, b string) int {
	x, okX := page.ParseDate(a)
	y, okY := page.ParseDate(b)
	if !okX || !okY {
		return 0
	}
	return x.Compare(y)
}

func lessSide(a Side, keyA string, b Side, keyB string) bool {
	switch {
	case keyA != keyB:
		return keyA < keyB
	case a.Path != b.Path:
		return a.Path < b.Path
	}
	return a.Line < b.Line
}

// name gives the pair the names that it has as a pair of that agent, "" as one of all.
func (p *Pair) name(agent string) {
	a, b := page.ClaimKey(p.A.Text), page.ClaimKey(p.B.Text)
	words := []string{min(a, b), max(a, b)}
	if agent != "" {
		words = append(words, agent)
	}
	p.ID, p.Texts = digest(append([]string{text.Fold(p.Entity)}, words...)...), digest(words...)
}

// forAll is the pair that all may see, should pages say the same.
func (p Pair) forAll() Pair {
	p.name("")
	return p
}

// owner is the agent whose pair it is, "" for all. Claims of two agents never meet.
func (p *Pair) owner() string { return max(p.A.owner(), p.B.owner()) }

func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// mostClaim is how many characters a claim may have that a person is asked about. What is longer
// is no claim that could be settled as one, and a few of them would fill the list.
const mostClaim = 1_000

func (p *Pair) tooLong() bool {
	return utf8.RuneCountInString(p.A.Text) > mostClaim || utf8.RuneCountInString(p.B.Text) > mostClaim
}

// ShownTo reports whether both claims are found by who asks as an agent: what belongs to all,
// and what is its own.
func (p *Pair) ShownTo(agent string) bool {
	owned := func(s *Side) bool { return s.owner() == "" || s.owner() == agent }
	return owned(&p.A) && owned(&p.B)
}

// Visible reports whether who asks may see the pair: an agent's fact is shown to
// that agent, and to who asks for none.
func (p *Pair) Visible(agent string) bool {
	return p.A.visible(agent) && p.B.visible(agent)
}

func (s *Side) visible(agent string) bool {
	return agent == "" || s.owner() == "" || s.owner() == agent
}

// owner is the agent whose claim it is; the path tells, whatever a list says.
func (s *Side) owner() string { return cmp.Or(s.Path.Agent(), s.Agent) }
