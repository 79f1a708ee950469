package text

import (
	"strings"
	"unicode"
)

// A question goes through the tokenizer of the index and loses what an answer
// would not contain. Words that remain are numbered; the terms of one word
// share that number, so that a reader can ask how many of the words a page
// has. Weights are a term's share in its word's score.

// How much each form of a word counts. A page with the word as it was asked
// holds exact form and stem and gets both shares; a page with another form of
// it holds the stem alone. Any exact share from 0.2 to 0.5 ranks public English
// collections alike (nDCG within 0.01), so none of these wants fine tuning.
const (
	exactWeight = 0.3  // the form asked for, where its stem is another word
	stemWeight  = 0.7  // every form of the word: what the question means
	wholeWeight = 1.0  // a compound as written: rare, so right when it is there
	partWeight  = 0.5  // parts at joiners, and letters apart from digits
	caseWeight  = 0.25 // parts at capitals: often no words (i, phone)
)

// QueryTerm is one thing a question looks for.
type QueryTerm struct {
	Text   string
	Weight float64 // share of the word: an exact form and its stem share 1
	Kind   Kind
	Word   int // which word of the question, from 0; each bigram is one
}

// Query gives the distinct terms of a question without stop words (English,
// Chinese question words and particles, …); a run of two or more characters
// gives bigrams only, a lone character its unigram. It is empty when nothing
// but stop words, punctuation or symbols was asked. A compound has its whole
// with weight 1 and its parts with less; a term that occurs twice is there
// once, with the greater of its weights.
func Query(s string) []QueryTerm {
	l := lexers.Get().(*lexer)
	b := questioner{lexer: l, seen: make(map[string]int)}
	l.terms(s, b.term)
	b.flush()
	b.endRun()
	l.release()
	return b.out
}

// questioner collects the terms of a question as the lexer delivers them.
type questioner struct {
	lexer *lexer
	out   []QueryTerm
	seen  map[string]int // text → index in out
	word  int            // number of the word in progress

	compound int       // the one that the last word belonged to
	held     QueryTerm // the form last delivered, whose stem may follow

	run    []string // characters of the CJK run in progress
	script class
	paired bool // a bigram came last: the next character goes on with the run
}

func (b *questioner) term(t Term) {
	switch {
	case t.Kind == Bigram:
		b.paired = true
		return
	case t.Kind == Unigram:
		if !b.paired {
			b.flush()
			b.endRun()
		}
		b.run, b.script, b.paired = append(b.run, string(t.Text)), b.lexer.run, false
		return
	}
	b.endRun()
	if b.lexer.isStem {
		b.stem(t)
	} else {
		b.form(t)
	}
}

// form takes a word or part as it was written, and holds it until it is known
// whether a stem shares its weight.
func (b *questioner) form(t Term) {
	b.flush()
	word := string(t.Text)
	if englishStops[word] {
		return
	}
	if b.compound != b.lexer.compound {
		b.compound = b.lexer.compound
		b.nextWord()
	}
	b.held = QueryTerm{Text: word, Kind: t.Kind, Weight: b.weight(t.Kind)}
}

// stem divides the weight of the form before it, unless that was a stop word.
func (b *questioner) stem(t Term) {
	if b.held.Text == "" {
		return
	}
	w := b.held.Weight
	b.held.Weight = w * exactWeight
	b.flush()
	b.add(string(t.Text), t.Kind, w*stemWeight)
}

// flush adds the form that was held.
func (b *questioner) flush() {
	if b.held.Text != "" {
		b.add(b.held.Text, b.held.Kind, b.held.Weight)
	}
	b.held.Text = ""
}

func (b *questioner) weight(k Kind) float64 {
	switch {
	case k != Part:
		return wholeWeight
	case b.lexer.level == atCase:
		return caseWeight
	}
	return partWeight
}

// endRun adds the bigrams of the pieces that stop words leave of a run.
func (b *questioner) endRun() {
	if len(b.run) == 0 {
		return
	}
	stops := stopped(b.script, b.run)
	for i := 0; i < len(b.run); {
		if stops[i] {
			i++
			continue
		}
		j := i + 1
		for j < len(b.run) && !stops[j] {
			j++
		}
		b.piece(b.run[i:j])
		i = j
	}
	b.run, b.paired = b.run[:0], false
}

func (b *questioner) piece(chars []string) {
	if len(chars) == 1 {
		b.nextWord()
		b.add(chars[0], Unigram, 1)
	}
	for i := 1; i < len(chars); i++ {
		b.nextWord()
		b.add(chars[i-1]+chars[i], Bigram, 1)
	}
}

// nextWord gives the terms to come the next number; a word of which every
// term was there already has used none.
func (b *questioner) nextWord() {
	if n := len(b.out); n > 0 {
		b.word = b.out[n-1].Word + 1
	}
}

// add adds a term, or raises the weight of the one that is there.
func (b *questioner) add(text string, kind Kind, weight float64) {
	if i, ok := b.seen[text]; ok {
		b.out[i].Weight = max(b.out[i].Weight, weight)
		return
	}
	b.seen[text] = len(b.out)
	b.out = append(b.out, QueryTerm{Text: text, Weight: weight, Kind: kind, Word: b.word})
}

// IsNumber reports a term that is digits, with what joins them.
func IsNumber(s string) bool {
	return strings.ContainsFunc(s, unicode.IsDigit) &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) && !strings.ContainsRune(".,:-/", r) })
}
