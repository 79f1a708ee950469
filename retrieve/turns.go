package retrieve

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brain/index"
	"brain/page"
	"brain/text"
)

// Sessions are searched turn by turn, since what answers is something that
// was said; but a turn alone is too little text. "It was great, we stayed two
// weeks" has none of the words of "How long was Nora in Norway?". So a turn is
// scored together with what was said around it and with its session:
//
//	need(t)  = L / (L + words of t)                                  L = turnEnough
//	words(t) = own·bm25(t) + around·((1-need)·bm25(t) + need·bm25(t ± 2)) + session·bm25(session)
//	turn(t)  = words(t) + γ·(⅔·cosine(t) + ⅓·mean cosine of t and its neighbours) + who speaks
//
// The longer a turn, the better it stands for itself. All parts of BM25 are
// shares of their ideals, with statistics of turns and of sessions.
//
// A passage search answers with the turns; a page search with the sessions,
// which their best turn supports.

// scoredTurn is a turn with what its score is made of.
type scoredTurn struct {
	index.Turn
	words  float64 // of own and around
	cosine float64 // calibrated
	who    float64
	whose  string // why who
}

func (t *scoredTurn) score() float64 { return t.words + cosineShare*t.cosine + t.who }

// asker is what a question says about who said what it asks for.
type asker struct {
	text       string          // folded
	words      map[string]bool // of text
	user, them bool            // it speaks of "I" and "my", or of "you"
}

func newAsker(question string) asker {
	a := asker{text: text.Fold(question), words: map[string]bool{}}
	for _, w := range strings.FieldsFunc(a.text, notInName) {
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		a.words[w] = true
		switch w {
		case "i", "my", "me", "mine", "myself", "i've", "i'm", "i'd", "our", "we":
			a.user = true
		case "you", "your", "yours":
			a.them = true
		}
	}
	if strings.Contains(question, "我") {
		a.user = true
	}
	if strings.Contains(question, "你") || strings.Contains(question, "您") {
		a.them = true
	}
	return a
}

func notInName(r rune) bool { return strings.ContainsRune(" \t\n.,;:!?()[]\"“”", r) }

// names reports whether the question has the first name of a speaker: as a
// word, or anywhere where words are not set apart.
func (a asker) names(speaker string) bool {
	name, _, _ := strings.Cut(text.Fold(strings.TrimSpace(speaker)), " ")
	if first, size := utf8.DecodeRuneInString(name); text.IsCJK(first) && len(name) > size {
		return strings.Contains(a.text, name)
	}
	return name != "" && a.words[name]
}

// turns scores the turns of a session, in their order.
func (a asker) turns(v *index.View, f *found, row uint32) []scoredTurn {
	turns := v.Turns(row, f.words, f.query)
	out := make([]scoredTurn, len(turns))
	named := map[string]bool{}
	for i := range turns {
		who := turns[i].Speaker
		if _, known := named[who]; !known {
			named[who] = a.names(who)
		}
	}
	for i, t := range turns {
		s := &out[i]
		s.Turn = t
		need := turnEnough / (turnEnough + float64(t.Words))
		s.words = turnOwn*t.Own + turnAround*((1-need)*t.Own+need*t.Around)
		s.cosine = f.space.Calibrate(t.Cosine) * 2 / 3
		n, near := 0, 0.0
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < len(turns) && turns[j].HasVector {
				n, near = n+1, near+f.space.Calibrate(turns[j].Cosine)
			}
		}
		s.cosine += (s.cosine*1.5 + near) / float64(n+1) / 3
		s.who, s.whose = a.who(&t, named[t.Speaker])
	}
	return out
}

// who prefers turns by the one whom a question speaks of. What ends with a
// question asks for something and seldom tells it.
func (a asker) who(t *index.Turn, named bool) (value float64, why string) {
	switch {
	case a.user && !a.them && t.User:
		value, why = turnRole, "the user speaks"
	case a.them && t.Assistant:
		value, why = turnRole, "the assistant speaks"
	case named:
		value, why = turnSpeaker, t.Speaker+" speaks"
	}
	if t.Asks {
		value -= turnAsks
		why = strings.TrimPrefix(why+", asks", ", ")
	}
	return value, why
}

// supportSessions lets the best turn of each session support it.
func (sr *Searcher) supportSessions(v *index.View, p *plan, f *found, cands []*candidate) {
	a := newAsker(p.q.Text)
	each(cands, func(_ int, c *candidate) {
		if c.page.Turns == 0 {
			return
		}
		turns := a.turns(v, f, c.row)
		if len(turns) == 0 {
			return
		}
		best := slices.MaxFunc(turns, byTurn)
		c.turn = &best
		if best.words > 0 && p.arms[Lexical] {
			c.add(Signal{Name: "turn", Value: passageShare * best.words, Raw: best.words, Note: fmt.Sprintf("turn %d", best.N)})
		}
	})
}

func byTurn(x, y scoredTurn) int {
	switch d := x.score() - y.score(); {
	case d > 0:
		return 1
	case d < 0:
		return -1
	}
	return y.N - x.N
}

// expandSessions puts the best turns in the place of their sessions.
func (sr *Searcher) expandSessions(v *index.View, p *plan, f *found, cands []*candidate) []*candidate {
	a := newAsker(p.q.Text)
	out := make([][]*candidate, len(cands))
	each(cands, func(i int, c *candidate) {
		if c.page.Turns == 0 {
			out[i] = []*candidate{c}
			return
		}
		turns := a.turns(v, f, c.row)
		for _, t := range turns {
			if t.words > 0 || t.cosine > 0 {
				out[i] = append(out[i], c.asTurn(&t, f))
			}
		}
		if most := max(armDepth, 3*p.q.N); len(out[i]) > most { // more cannot be shown
			slices.SortFunc(out[i], byScore)
			out[i] = out[i][:most]
		}
		if len(out[i]) == 0 && len(turns) > 0 { // found by its title, by a link, by faint meaning
			best := slices.MaxFunc(turns, func(x, y scoredTurn) int {
				return cmp.Or(cmp.Compare(x.Cosine, y.Cosine), y.N-x.N)
			})
			out[i] = append(out[i], c.asTurn(&best, f))
		}
	})
	return slices.Concat(out...)
}

// asTurn makes a candidate of one turn of a session, with a score of its own.
func (c *candidate) asTurn(t *scoredTurn, f *found) *candidate {
	s := &candidate{row: c.row, path: c.path, page: c.page, reached: c.reached, chunk: -1, bm25: c.bm25, cosine: t.cosine, turn: t, said: true, typo: c.typo, like: c.like}
	for _, sig := range c.signals {
		switch {
		case strings.HasPrefix(sig.Name, "rrf"):
			if sig.Op == "add" {
				s.add(sig)
			} else {
				s.mul(sig)
			}
		case sig.Name == "bm25":
			sig.Value *= turnSession
			sig.Note = "of the session"
			s.add(sig)
		}
	}
	if t.words > 0 {
		s.add(Signal{Name: "turn", Value: t.words, Raw: t.Own, Note: fmt.Sprintf("turn %d, %.3f with its neighbours", t.N, t.Around)})
	}
	if t.cosine > 0 {
		s.add(Signal{Name: "cosine", Value: cosineShare * t.cosine, Raw: t.Cosine})
	}
	if who := max(t.who, -s.score); who != 0 { // no score is below nothing
		s.add(Signal{Name: "turn.who", Value: who, Note: t.whose})
	}
	s.bm25 = turnSession*c.bm25 + t.words
	return s
}

// findTurn reads a turn from its session's file; the passage is its best
// place.
func (sr *Searcher) findTurn(ctx context.Context, c *candidate, w *wanted) error {
	raw, err := sr.Source.Read(ctx, page.Path(c.path))
	if err != nil {
		return err
	}
	t, ok := page.ReadTurn(raw, c.turn.Offset)
	if !ok {
		return fmt.Errorf("%s: no turn at byte %d", c.path, c.turn.Offset)
	}
	ps := &passage{raw: raw, body: t.Text, bodyLine: 1 + bytes.Count(raw[:c.turn.Offset], []byte("\n")), who: t.Who()}
	if !t.At.IsZero() {
		ps.who += t.At.Format(", 2006-01-02 15:04")
	}
	ps.page = &page.Page{Path: page.Path(c.path), Title: c.page.Title, Body: t.Text, BodyLine: ps.bodyLine}
	marks := w.marks(ps.body, 0)
	if ps.found = len(marks) > 0; ps.found {
		ps.start, ps.end, ps.covered = w.window(marks)
	}
	if !w.whole {
		ps.raw = nil // a session may be long, and stand in an answer many times
	}
	c.pass = ps
	return nil
}

// capSessions lets at most sessionCap sessions be among the first ten: what
// people wrote down comes before what was merely said. Where nothing else was
// found, or sessions are asked for, they stand as they are.
func capSessions(q *Query, cands []*candidate) []*candidate {
	if q.asksSessions() {
		return cands
	}
	out := make([]*candidate, 0, len(cands))
	var later []*candidate
	sessions := 0
	for _, c := range cands {
		if c.page.Turns > 0 && len(out) < sessionsOf && !c.pinned {
			if sessions++; sessions > sessionCap {
				later = append(later, c)
				continue
			}
		}
		if len(out) == sessionsOf {
			out, later = append(out, later...), nil
		}
		out = append(out, c)
	}
	return append(out, later...)
}

// asksSessions reports whether the filters of a question ask for sessions.
func (q *Query) asksSessions() bool {
	return slices.ContainsFunc(q.Kinds, func(k string) bool { return strings.EqualFold(k, "session") }) ||
		slices.ContainsFunc(q.Paths, func(p string) bool {
			folder, _, _ := strings.Cut(strings.TrimLeft(p, "/"), "/")
			return folder == "sessions"
		})
}
