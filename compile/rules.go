package compile

import (
	"strings"

	"brain/inbox"
	"brain/text"
)

// Rules find what is worth keeping when there is no model to ask. They know
// how people say that something is to be kept: remember that …, we decided to
// …, I prefer …, no, it is …, it turned out that …, I fixed …, in English and
// in Chinese. All else is left alone: a memory full of things that nobody meant
// is worse than one that misses some, since the session itself stays.
//
// A turn goes through four steps, each in a file of its own:
//
//	speech    what of the turn was said, not pasted or quoted   rules_speech.go
//	normal    each sentence in the form that shapes match       rules_plain.go
//	cues      shapes of clauses at the places where one begins  rules_shape.go, tables in rules_en.go and rules_zh.go
//	screens   what makes a clause something else after all: a question, a
//	          condition, somebody else's words, nothing said    rules_screen.go
//
// What is found has a subject (rules_subject.go). A later turn may take a
// finding back, or decide the same subject anew (rules_later.go).

// Kind says what a finding is.
type Kind string

const (
	Remember   Kind = "remember"   // asked to be kept
	Decision   Kind = "decision"   // what was decided
	Preference Kind = "preference" // how somebody wants it, from now on
	Correction Kind = "correction" // what is so, and not as was said
	Lesson     Kind = "lesson"     // what was learned
	Task       Kind = "task"       // what was done
)

// Finding is a sentence worth keeping.
type Finding struct {
	Kind       Kind
	Turn       int     // its number in the session, from 1
	Text       string  // as said, relative dates made absolute
	Subject    string  // what it is about, short; may be ""
	Confidence float64 // in (0, 1]
	Before     int     // turn of a decision that this one replaces, told at the end of Text; 0 for none
}

// turns are those that its text is made of.
func (f Finding) turns() []int {
	if f.Before > 0 && f.Before != f.Turn {
		return []int{f.Before, f.Turn}
	}
	return []int{f.Turn}
}

// longestSentence is the length above which a sentence is no statement that
// somebody made but text that somebody pasted.
const longestSentence = 600

// Rules gives what the turns of a session say that is worth keeping, in their
// order. The same turns give the same findings; turns that follow add findings,
// or take back or replace those that they speak of, and change no other.
func Rules(fed []inbox.Fed) []Finding {
	var out []Finding
	for _, f := range rule(fed).found {
		if !f.gone {
			out = append(out, f.told())
		}
	}
	return out
}

func rule(fed []inbox.Fed) *ruling {
	r := &ruling{tables: cueTables()}
	for i := range fed {
		r.turn(&fed[i])
	}
	return r
}

// ruling is the work on a session.
type ruling struct {
	tables *tables
	found  []*ruled
	agent  bool    // one spoke already
	turns  []heard // those looked at
	now    *inbox.Fed
}

// ruled is a finding and what later turns need to know of it.
type ruled struct {
	Finding
	by   *cue
	left string // a decision that turns away from something: all that it says
	who  string
	gone bool

	before string // the text of the decision that it replaces
}

// heard is whose turn it was.
type heard struct {
	n   int
	who string
}

// turn takes what one turn says.
func (r *ruling) turn(t *inbox.Fed) {
	role := role(t.Role)
	if role == "" {
		return
	}
	who := t.Who()
	r.agent = r.agent || role != "user"
	r.now = t
	r.turns = append(r.turns, heard{t.N, who})
	w := wording{}
	for _, u := range speech(t.Text) {
		s := &sentence{utterance: u, role: role, people: !r.agent && (t.Speaker != "" || t.Role == "")}
		if len(u.raw) > longestSentence {
			w = wording{}
			continue
		}
		s.plain = normal(u.hidden)
		r.retract(s, who)
		w = r.sentence(s, w)
	}
}

// wording is what a sentence needs to know of the one before it.
type wording struct {
	said  *sentence
	found *ruled // what was found in it
	open  *cue   // announces something, which the next sentence says
}

// sentence takes what a sentence says.
func (r *ruling) sentence(s *sentence, before wording) wording {
	now := wording{said: s}
	f, about := r.judge(s)
	switch {
	case f == nil && before.open != nil && s.says(before.open):
		now.found = r.keep(s, before.open, 0, len(s.plain.s))
		if s.item {
			now.open = before.open // the list may go on
		}
	case f == nil && before.found != nil && givesReason(s.plain):
		before.found.Text += glue(before.found.Text) + absolute(s.raw, r.now.At)
	case f == nil:
	case f.cue.has("p"):
		if b := before.said; b != nil && before.found == nil && b.says(f.cue) {
			now.found = r.keep(b, f.cue, 0, len(b.plain.s))
		}
	case about[0] >= about[1]:
		now.open = f.cue
	default:
		now.found = r.keep(s, f.cue, about[0], about[1])
	}
	return now
}

// role is who speaks as far as rules care: people, agents, or neither.
func role(name string) string {
	switch name {
	case "user", "", "human":
		return "user"
	case "assistant":
		return name
	}
	return ""
}

// glue joins two sentences of a text.
func glue(s string) string {
	if strings.HasSuffix(s, "。") || strings.HasSuffix(s, "！") {
		return ""
	}
	return " "
}

// judge gives the cue by which a sentence is worth keeping, the one of the
// highest confidence, and what it is about: nothing when the next sentence
// must say that.
func (r *ruling) judge(s *sentence) (best *found, about [2]int) {
	if s.screened() {
		return nil, about
	}
	unbound := r.tables.unbound(s.plain.s)
	for _, at := range s.places() {
		for _, c := range r.tables.at(s.plain.s, at.at, unbound) {
			if best != nil && !best.opens && c.confidence <= best.cue.confidence || !s.allows(c, at) {
				continue
			}
			f, ok := c.match(s.plain, at.at)
			if !ok {
				continue
			}
			object, ok := s.passes(&f)
			if f.opens = object[0] >= object[1] && !c.has("p"); f.opens && best != nil {
				continue // the next sentence is asked only when this one says nothing
			}
			if ok {
				best, about = &f, object
			}
		}
	}
	return best, about
}

// keep adds a finding; nil when it was said before.
func (r *ruling) keep(s *sentence, c *cue, from, to int) *ruled {
	f := &ruled{by: c, who: r.now.Who(), Finding: Finding{
		Kind: c.kind, Turn: r.now.N, Confidence: c.confidence,
		Text:    absolute(s.withoutOpeners(from), r.now.At),
		Subject: s.subject(from, to),
	}}
	if s.role != "user" {
		f.Confidence -= agentDiscount
	}
	f.left = s.leaves()
	for _, e := range r.found {
		if !e.gone && e.Kind == f.Kind && text.Fold(e.Text) == text.Fold(f.Text) {
			return nil // said before
		}
	}
	if f.Kind == Decision && r.replace(f, s.role) {
		return f
	}
	r.found = append(r.found, f)
	return f
}

// agentDiscount is how much less an agent's word counts than a person's.
const agentDiscount = 0.1
