package page

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"
)

// A claim is read once, however often it is compared: to cut it into words and
// values costs some 15 µs, and to see that two statements have too few words
// in common to be about one thing some 20 ns. All pairs of a brain of a
// thousand claims are compared in a blink, and no index of them is needed.

// Statement is a claim, read. It is not changed after, and may be shared.
type Statement struct {
	Claim Claim

	all    []token // everything, in order
	strict []token // without articles and their like
	core   []token // what it speaks of: also without negators and qualifiers
	denied bool    // an odd number of negators

	words   bag       // of strict
	values  int       // in core
	full    int       // words of core that carry something
	held    []holding // who has an attribute, in each way to read it: "the owner is …"
	changes bool      // it tells of a change: "from A to B"
	marks   mark
	stage   stage     // of what it speaks of
	since   int       // the place of the word that says the stage
	sides   [2]groups // of which groups of opposites it has the one, the other side

	deal      dealing // who does it to whom, where a verb has a converse
	framed    uint64  // the frames of its words and values
	framing   int     // how many words of core are of such frames
	notBefore bool    // it denies something of the time before an hour
}

// State reads a claim.
func State(c Claim) *Statement {
	all := tokens(c.Text)
	st := &Statement{Claim: c, all: all, strict: make([]token, 0, len(all)), core: make([]token, 0, len(all))}
	for i, t := range st.all {
		if n := len(st.core); n > 0 && (copulas[t.text] || t.text == "在" && lexicon().attributes[st.core[n-1].stem] || t.text == "的" && st.core[n-1].text == "用") {
			st.core[n-1].colon = true
		}
		if t.role == light {
			continue
		}
		st.strict = append(st.strict, t)
		switch {
		case t.role == negator:
			st.denied = st.denied != (t.text != "nor" || !hasStem(st.all[:i], "neither")) // neither … nor denies once
		case t.role == permit, t.role == qualifier && t.antonym.group == 0:
		default:
			st.core = append(st.core, t)
		}
	}
	st.weigh()
	return st
}

// copulas stand between an attribute and its value, as a colon does.
var copulas = map[string]bool{"is": true, "are": true, "是": true, "为": true, "為": true, "换成": true, "换为": true, "改成": true, "改为": true}

// weigh notes what tells cheaply that two statements have nothing to do with each other.
func (a *Statement) weigh() {
	a.words = newBag(a.strict)
	for _, t := range a.core {
		if t.role == value {
			a.values++
		}
		if t.weight == full {
			a.full++
		}
		if g := t.antonym; g.side > 0 {
			a.sides[0].add(g.group)
		} else if g.side < 0 {
			a.sides[1].add(g.group)
		}
	}
	a.held = a.holdings()
	was, _, _ := a.change()
	a.changes = len(was) > 0
	a.mark()
	a.stage, a.since = a.readStage()
	a.framed, a.framing = a.framesOf()
	a.deal = a.dealing()
	a.notBefore = a.deniesUntil()
}

// Key is the text in the form in which it is compared: the words and values,
// a blank between two. Texts with the same key say the same of the same.
func (a *Statement) Key() string {
	var b strings.Builder
	for i, t := range a.all {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// identity is what makes two claims equal: text, slot and what they speak of.
func (a *Statement) identity() string {
	var b strings.Builder
	b.WriteString(a.Key())
	c := a.Claim
	for _, s := range [...]string{c.Subject, c.Speaker, c.Time, c.Slot.Metric, c.Slot.Value, c.Slot.Unit, c.Slot.Period, c.Slot.Date} {
		b.WriteByte('\n')
		b.WriteString(s)
	}
	return b.String()
}

// groups is a set of groups of opposites.
type groups [2]uint64

func (g *groups) add(n int8) { g[n>>6] |= 1 << (n & 63) }

func (g groups) meet(o groups) bool { return g[0]&o[0]|g[1]&o[1] != 0 }

// bag is the words of a text, however they stand: hashes of their stems,
// sorted, each as often as it occurs.
type bag []uint64

var bagSeed = sync.OnceValue(maphash.MakeSeed)

func newBag(ts []token) bag {
	b := make(bag, len(ts))
	for i := range ts {
		b[i] = maphash.String(bagSeed(), ts[i].stem)
	}
	slices.Sort(b)
	return b
}

// common counts the words in both. Which of two hashes is greater is chance,
// and a wrong guess of the processor dearer than the step: so no branch.
func (b bag) common(o bag) (n int) {
	for i, j := 0, 0; i < len(b) && j < len(o); {
		x, y := b[i], o[j]
		n += one(x == y)
		i += one(x <= y)
		j += one(y <= x)
	}
	return n
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// share is how many of the words of the longer of two texts are common to both.
func share(common, a, b int) float64 {
	if common == 0 {
		return 0
	}
	return float64(common) / float64(max(a, b))
}
