package page

import (
	"fmt"
	"slices"
	"strings"
)

// Do two claims say the same, do they contradict each other, or neither?
//
// Similarity alone decides nothing: to a bag of words "A reports to B" and "B
// reports to A" are one text, "enabled" and "not enabled" nearly so. So what
// makes a contradiction is looked for first, and it needs no model:
//
//	slot       same words, another number, date or unit; an attribute with
//	           another value ("the owner is …"); only these, all of those
//	negation   same words, one of them denied; what is denied of all
//	antonym    same words, one replaced by its opposite; two stages of one thing
//	direction  same words, the two ends of a relation exchanged, or told by the
//	           verb's converse
//	change     one says "moved from X to Y", the other still says X
//
// Then equal words are a duplicate, and only then a cosine counts, together
// with the overlap of the words. A contradiction found here is a candidate:
// it is shown to a person or a model, and nothing is done by itself.

// Kind is what two claims or pages are to each other.
type Kind uint8

const (
	Different     Kind = iota
	Duplicate          // they say the same
	Contradiction      // a candidate: both cannot hold
)

func (k Kind) String() string {
	return [...]string{"different", "duplicate", "contradiction"}[k]
}

// Screen names what decided.
type Screen string

const (
	BySlot      Screen = "slot"
	ByNegation  Screen = "negation"
	ByAntonym   Screen = "antonym"
	ByDirection Screen = "direction"
	ByChange    Screen = "change"
	ByWords     Screen = "words"   // equal words in equal order
	ByMeaning   Screen = "meaning" // cosine and overlap
)

// CompareOptions is what an embedder adds. The zero value compares words alone.
type CompareOptions struct {
	Cosine    float64 // of the two texts
	Threshold float64 // from which a cosine means the same (llm.Info.Same); 0: no embedder
}

// Verdict is the outcome of a comparison; it prints itself.
type Verdict struct {
	Kind    Kind
	Screen  Screen    // "" for different
	Detail  [2]string // of a contradiction: what differs, as the screen reads it
	Texts   [2]string // the sentences in which it stands
	Places  [2]Place  // where they say it
	Overlap float64   // shared words, of those of the longer text
	Cosine  float64

	// Strength is how much speaks for a contradiction, 0 to 1. From Convincing on
	// it is called one; below, it ranks pairs that are not called one and is of use
	// to who looks at the likeliest first. It always comes from both texts.
	Strength float64
}

func (v Verdict) String() string {
	switch v.Kind {
	case Duplicate:
		if v.Screen == ByMeaning {
			return fmt.Sprintf("duplicate (meaning): cosine %.3f, overlap %.2f", v.Cosine, v.Overlap)
		}
		return fmt.Sprintf("duplicate (%s)", v.Screen)
	case Contradiction:
		return fmt.Sprintf("contradiction (%s): %q against %q", v.Screen, v.Detail[0], v.Detail[1])
	}
	return "different"
}

// Convincing is the strength from which a pair is called a contradiction.
const Convincing = 0.5

// How much of the words two claims must share, besides what differs, to be
// about one thing; measured on pairs-sick and pairs-ocnli (doc/duplicates.md).
const (
	minOverlap  = 0.9 // of a duplicate by meaning
	minSlot     = 0.75
	minDenied   = 0.7
	minGeneral  = 0.3 // of what is denied of all
	minOpposed  = 0.75
	minDetailed = 0.5 // of opposites, where only one side says more
)

// Compare says what two claims are to each other. The kind does not depend on
// their order. Who compares many claims reads each once: State.
func Compare(a, b Claim, o CompareOptions) Verdict {
	return State(a).Compare(State(b), o)
}

// Compare looks for a contradiction first; the screens, one of which fits what differs, are in
// screened. Then come equal words, then the cosine.
func (a *Statement) Compare(b *Statement, o CompareOptions) Verdict {
	common := a.words.common(b.words)
	v := Verdict{Cosine: o.Cosine, Overlap: share(common, len(a.strict), len(b.strict))}
	if len(a.all) == 0 || len(b.all) == 0 || independent(&a.Claim, &b.Claim) {
		return v
	}
	turned := slices.CompareFunc(a.all, b.all, byText) > 0
	first, second := a, b
	if turned { // so that the order in which they are given decides nothing
		first, second = b, a
	}
	f := first.contradicts(second, common)
	if v.Strength = max(f.strength, first.hint(second, common)); v.Strength >= Convincing {
		if turned {
			f.detail[0], f.detail[1] = f.detail[1], f.detail[0]
		}
		v.Kind, v.Screen, v.Detail = Contradiction, f.screen, f.detail
		v.Texts = [2]string{a.Claim.Text, b.Claim.Text}
		v.Places = [2]Place{a.Claim.Place, b.Claim.Place}
		return v
	}
	switch {
	case slices.EqualFunc(a.all, b.all, func(x, y token) bool { return x.text == y.text }):
		v.Kind, v.Screen = Duplicate, ByWords
	case o.Threshold > 0 && o.Cosine >= o.Threshold && v.Overlap >= minOverlap && onlyPadded(first.strict, second.strict):
		v.Kind, v.Screen = Duplicate, ByMeaning
	}
	return v
}

func byText(x, y token) int { return strings.Compare(x.text, y.text) }

// independent reports claims that speak of different subjects, times or
// periods, or are said by different people.
func independent(a, b *Claim) bool {
	differ := func(x, y string) bool { return x != "" && y != "" && !strings.EqualFold(x, y) }
	return differ(a.Subject, b.Subject) || differ(a.Speaker, b.Speaker) || differ(a.Time, b.Time) ||
		differ(a.Slot.Metric, b.Slot.Metric) || differ(a.Slot.Period, b.Slot.Period) ||
		differ(a.Slot.Date, b.Slot.Date) && !strings.HasPrefix(a.Slot.Date, b.Slot.Date) && !strings.HasPrefix(b.Slot.Date, a.Slot.Date)
}

// finding is what speaks for a contradiction; the zero value is nothing.
type finding struct {
	screen   Screen
	detail   [2]string
	strength float64
}

// How a strength comes about. A screen that fires gives convincing + half of
// the agreement, so 0.85 and more; what nearly fires stays below.
const nearly = 0.9 * Convincing

func convincing(agree float64) float64 { return Convincing + (1-Convincing)*agree }

// contradicts looks for what both cannot hold, of two that have some words in common.
func (a *Statement) contradicts(b *Statement, common int) finding {
	if f := a.otherValue(b); f.screen != "" {
		return f
	}
	if !a.sharesEnough(b, common) {
		return finding{}
	}
	return a.screened(b, common)
}

// screened asks the screen that fits what differs.
func (a *Statement) screened(b *Statement, common int) finding {
	c := contrastOf(a, b)
	values := c.takeValues()
	opposed, isOpposed := c.takeOpposed()
	if values.independent || c.named {
		return finding{}
	}
	if way := a.dealt(b); way != 0 && values.n == 0 {
		return a.dealtWith(b, way)
	}
	turns := a.turnsAt(b)
	switch denied := a.denied != b.denied && !turns; {
	case turns && values.n == 0:
	case values.n > 0 && !denied && !isOpposed && !values.uneven:
		f := c.found(BySlot, values.detail, minSlot)
		if detail, ok := otherHolder(a, b); ok && f.strength < Convincing && !c.otherRate() && !a.exclude(b) {
			return finding{BySlot, detail, convincing(0.8)} // an address, a name with a number in it
		}
		return f
	case values.n > 0:
	case denied && !isOpposed && (a.deniesElsewhere(b) || b.deniesElsewhere(a)):
	case denied && !isOpposed:
		return c.staged(c.denial())
	case isOpposed && !denied:
		enough := minOpposed
		if a.sharesWords(b, common, 0) && (len(c.left) == 0 || len(c.right) == 0) {
			enough = minDetailed
		}
		return c.staged(c.found(ByAntonym, opposed, enough))
	case !denied:
		if detail, ok := c.onlySome(); ok && !a.exclude(b) {
			return finding{BySlot, detail, convincing(0.6)}
		}
		return c.staged(a.exchanged(b))
	}
	return finding{}
}

// dealtWith weighs two statements of one dealing: the same way round they contradict each
// other where one is denied, exchanged where none is.
func (a *Statement) dealtWith(b *Statement, way int) finding {
	detail := [2]string{a.Claim.Text, b.Claim.Text}
	switch denied := a.denied != b.denied; {
	case a.exclude(b):
	case way > 0 && denied:
		return finding{ByNegation, detail, convincing(0.8)}
	case way < 0 && !a.denied && !b.denied:
		if ends, ok := turnedRound(a, b); ok { // the same verb: its ends tell more
			detail = ends
		}
		return finding{ByDirection, detail, convincing(1)}
	}
	return finding{}
}

// found weighs what a screen found by the rest of the words: where they agree
// it is a contradiction, else no more than a hint.
func (c *contrast) found(screen Screen, detail [2]string, enough float64) finding {
	agree := c.agree(0)
	switch {
	case c.shared == 0:
		return finding{}
	case agree >= enough && !c.replaced() && !c.a.exclude(c.b) && !c.exchangedEnds():
		return finding{screen, detail, convincing(agree)}
	}
	return finding{screen, detail, nearly * agree}
}

// staged gives what was found or, if that is too little, what the stages say.
func (c *contrast) staged(f finding) finding {
	if f.strength >= Convincing {
		return f
	}
	if detail, ok := c.otherStage(); ok {
		return finding{ByAntonym, detail, convincing(0.6)}
	}
	return f
}

// denial weighs a claim that denies what the other one says. Who denies a thing denies every one of
// its kind, and only of its kind:
//
//	We have no car.        We have a red car.     both cannot hold
//	We have no red car.    We have a car.         both can
func (c *contrast) denial() finding {
	f := c.found(ByNegation, [2]string{c.a.Claim.Text, c.b.Claim.Text}, minDenied)
	denies, denied, more, general := c.a, c.b, c.left, c.right
	if c.b.denied {
		denies, denied, more, general = c.b, c.a, c.right, c.left
	}
	more = denies.inDenied(more)
	general = slices.DeleteFunc(slices.Clone(general), func(t token) bool { return marksOf()[t.text]&required != 0 })
	needed := denied.marks&required != 0
	owed := needed && denies.lacks()
	switch called := f.strength >= Convincing; {
	case called && len(more) > 0 && len(general) == 0, called && owed:
		f.strength = nearly
	case called || owed || denies.exclude(denied):
	case len(general) == 0 && needed && denies.goesWithout(denied), len(more) == 0 && c.deniesAll(denies, denied):
		f.strength = convincing(c.agree(0))
	}
	return f
}

// deniesAll reports whether one statement denies all of what the other says of one of it: both
// speak of the same, and the other says it in one clause and without a condition.
func (c *contrast) deniesAll(denies, denied *Statement) bool {
	agree := c.agree(0)
	return agree >= minGeneral && (agree >= minElsewhere || c.sameBegin()) && denied.marks&negated == 0 && !c.exchangedEnds() && (denied.has() || !denies.hasNo()) &&
		denied.inOneClause(denies.inDenied(denies.core))
}

// exchanged looks at claims without another value or polarity.
func (a *Statement) exchanged(b *Statement) finding {
	if detail, ok := turnedRound(a, b); ok {
		return finding{ByDirection, detail, convincing(1)}
	}
	if a.exclude(b) {
		return finding{}
	}
	if detail, ok := otherDoer(a, b); ok {
		return finding{BySlot, detail, convincing(0.8)}
	}
	if detail, ok := otherHolder(a, b); ok {
		return finding{BySlot, detail, convincing(0.8)}
	}
	if detail, ok := changed(a, b); ok {
		return finding{ByChange, detail, convincing(0.6)}
	}
	return finding{}
}

// otherValue compares the slots of two facts. Values that are written
// differently and mean the same are equal.
func (a *Statement) otherValue(b *Statement) finding {
	x, y := a.Claim.Slot, b.Claim.Slot
	if x.Metric == "" || y.Metric == "" || x.Value == "" || y.Value == "" {
		return finding{}
	}
	left, right := strings.TrimSpace(x.Value+" "+x.Unit), strings.TrimSpace(y.Value+" "+y.Unit)
	if slices.EqualFunc(tokens(left), tokens(right), func(x, y token) bool { return x.text == y.text }) {
		return finding{}
	}
	return finding{BySlot, [2]string{x.Metric + " " + left, y.Metric + " " + right}, 1}
}

// sharesEnough reports whether a screen can fire at all, by the number of
// words that two statements have in common. It says no to nearly every pair
// of a brain, and costs nothing beside an alignment.
func (a *Statement) sharesEnough(b *Statement, common int) bool {
	if common == 0 {
		return false
	}
	return a.sharesWords(b, common, 0) || a.denied != b.denied && common >= min(a.full, b.full) || a.framed&b.framed != 0 && a.sharesWords(b, common, 1) ||
		a.elsewhere(b) || a.holdTheSame(b) || a.changes || b.changes || a.deal.kind != 0 && a.deal.kind == b.deal.kind
}

// sharesWords reports whether two statements have enough words in common for most of the screens;
// framing words, which may stand for each other, count where framed is 0.
func (a *Statement) sharesWords(b *Statement, common, framed int) bool {
	longer := max(a.full-framed*a.framing, b.full-framed*b.framing)
	besides := max(1, min(a.values, b.values)) // what may differ and not count
	return float64(common) >= min(minDenied, minSlot, minOpposed)*float64(longer-besides)
}

// hasOpposite reports whether one has a word of a group of opposites, and the other one of its other side.
func (a *Statement) hasOpposite(b *Statement) bool {
	return a.sides[0].meet(b.sides[1]) || a.sides[1].meet(b.sides[0])
}

// onlyPadded reports whether two texts differ by a few words that one has
// and the other lacks, none of which turns, narrows or measures anything.
// Words that stand for others, or elsewhere, are more than that.
func onlyPadded(a, b []token) bool {
	d := align(a, b)
	for _, c := range d.chunks {
		left, right := d.a[c.a0:c.a1], d.b[c.b0:c.b1]
		if len(left) > 0 && len(right) > 0 {
			return false
		}
		for _, t := range slices.Concat(left, right) {
			if t.role != plain || t.antonym.group != 0 || isPlace(t) {
				return false
			}
		}
	}
	return d.agree(0) >= minOverlap
}
