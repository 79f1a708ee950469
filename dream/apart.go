package dream

import (
	"slices"
	"strings"

	"brain/page"
)

// What is no contradiction, whatever the words are. Screens see two texts; that these are two
// agents', of two things, of two times, a list or a history, stands beside them. Few pairs and
// right ones: who is shown a pair that is none looks at the next one less closely.

// apart reports claims that need not agree: of two agents, said by two people of something
// that is no common thing, of two times.
func apart(x, y *claim) bool {
	switch {
	case x.from.agent != y.from.agent && x.from.agent != "" && y.from.agent != "":
		return true
	case x.until != "" && y.when() > x.until, y.until != "" && x.when() > y.until:
		return true
	case (x.event || y.event) && x.when() != y.when():
		return true
	case x.speaker != y.speaker && x.speaker != "" && y.speaker != "" && !sameThing(x, y):
		return true
	}
	return x.from == y.from && tellsChange(x, y)
}

// sameThing reports claims that measure the same of the same: who says so does not matter.
func sameThing(x, y *claim) bool {
	return x.metric() != "" && x.metric() == y.metric() && shareName(x, y)
}

func shareName(x, y *claim) bool {
	return slices.ContainsFunc(x.names, func(row uint32) bool { return slices.Contains(y.names, row) })
}

// tellsChange reports two claims of one page that tell how one value became another, or list
// the values of several things. Who wrote the page knew both.
func tellsChange(x, y *claim) bool {
	const apart = 2 // lines: what follows at once continues
	for _, c := range [...]*claim{x, y} {
		if c.values > 2 || c.past || c.fact == SentenceSide && (c.Form != page.Prose || tellsTime(c.Text)) {
			return true
		}
	}
	if x.fact >= 0 && y.fact >= 0 {
		return x.when() != y.when()
	}
	lines := x.Place.Line - y.Place.Line
	return x.fact == SentenceSide && y.fact == SentenceSide && lines < apart && lines > -apart
}

// beside reports a contradiction of the words that is none of what they speak of.
func (s *search) beside(b *bucket, x, y *claim, v page.Verdict) bool {
	switch {
	case v.Strength < page.Convincing:
		return true
	case v.Screen == page.ByChange:
		return !tellsChangeDone(x, y) || !b.isEntity() && !(x.from.project == y.from.project && alike(x, y, minChange))
	case x.past != y.past:
		return true
	case s.otherThings(x, y, v):
		return true
	case x.metric() != "" && x.metric() == y.metric() && !shareName(x, y) && x.Subject == "" && v.Overlap < minMetric:
		return true // a metric alone is no thing: "duration"
	case !b.isEntity() && replaced(x, y, v):
		return true // "the queue of Oslo holds 10", "the queue of Lima holds 20"
	case x.fact == SentenceSide && y.fact == SentenceSide && !plain(b, x, y, v):
		return true
	}
	inSeries := func(c *claim) bool { return c.fact == SentenceSide && c.values > 1 }
	return v.Screen == page.BySlot && x.from != y.from && (inSeries(x) || inSeries(y))
}

// replaced reports that each of two claims has a word that the other lacks, besides what they
// differ by: they speak of two things.
func replaced(x, y *claim, v page.Verdict) bool {
	differs := map[uint64]bool{}
	for _, detail := range v.Detail {
		if v.Screen == page.ByNegation {
			break // it shows the whole texts
		}
		page.State(page.Claim{Text: detail}).Words(func(stem string) { differs[hashOf(stem)] = true })
	}
	only := func(a, b *claim) bool {
		return slices.ContainsFunc(a.words, func(w uint64) bool { return !differs[w] && !slices.Contains(b.words, w) })
	}
	return v.Screen != page.ByDirection && only(x, y) && only(y, x)
}

// plain reports two sentences that are about one thing beyond doubt: both have words enough to
// stand on their own and say what they measure ("Port: 7443" belongs to its heading). Of two
// that speak of no entity, one must be as the other but for what they differ by, in the same
// project, since another has a limit of its own.
func plain(b *bucket, x, y *claim, v page.Verdict) bool {
	code := strings.HasSuffix(v.Detail[0], " code")
	switch {
	case len(x.words) < ownWords || len(y.words) < ownWords || code && v.Screen == page.BySlot:
		return false
	case b.isEntity():
		return true
	case x.from == y.from || x.from.project != y.from.project || v.Screen == page.ByDirection || strings.HasSuffix(v.Detail[0], " version"):
		return false
	}
	return alike(x, y, minAlone)
}

const (
	ownWords  = 3   // with a meaning, of a sentence that stands on its own
	minAlone  = 0.9 // of the words of the longer of two sentences without an entity
	minChange = 0.3 // likewise, of one that tells a change and one that does not know of it
)

// alike reports whether two claims share a part of the words of the longer of them.
func alike(x, y *claim, part float64) bool {
	common := 0
	for _, w := range x.words {
		if slices.Contains(y.words, w) {
			common++
		}
	}
	return common > 0 && float64(common) >= part*float64(max(len(x.words), len(y.words)))
}

// tellsChangeDone reports that one of two sentences tells of a change that took place, and not
// how one is made, or why.
func tellsChangeDone(x, y *claim) bool {
	done := func(c *claim) bool { return c.fact != SentenceSide || hasWord(c.Text, changedWords, changedHan[:]) }
	return done(x) || done(y)
}

// minMetric is the share of words that two facts of one metric have in common where neither
// says of what.
const minMetric = 0.5

// otherThings reports that each of two claims names something that the other does not, and
// that is not what they differ by.
func (s *search) otherThings(x, y *claim, v page.Verdict) bool {
	only := func(a, b *claim, detail string) bool {
		return slices.ContainsFunc(a.names, func(row uint32) bool {
			return !slices.Contains(b.names, row) && !(v.Screen == page.BySlot && s.of.isNamed(row, detail))
		})
	}
	return only(x, y, v.Detail[0]) && only(y, x, v.Detail[1])
}
