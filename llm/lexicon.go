package llm

import (
	"slices"

	"brain/llm/static"
)

// Lexicon knows words and how near they are in meaning, within a language and
// from one to the other. It is the table of the built-in embedder, asked for
// single words, and there whatever embedder is configured.
type Lexicon struct{ table *static.Table }

// LexiconVersion changes when a word gets another number.
const LexiconVersion = staticSum

// Words gives the lexicon inside the binary.
func Words() (*Lexicon, error) {
	table, err := openStatic()
	if err != nil {
		return nil, &Error{Class: Damaged, Cause: err, Hint: "reinstall brain"}
	}
	return &Lexicon{table}, nil
}

// WordsFor gives the lexicon to whoever has an embedder, nil without one: who
// wants no vectors wants no table of them either.
func WordsFor(e Embedder) *Lexicon {
	if e == nil {
		return nil
	}
	l, err := Words()
	if err != nil {
		return nil
	}
	return l
}

// commonWords are the numbers of the most common English words, which say
// nothing about a text.
const commonWords = 200

// Numbers gives the numbers of the words of a text that the lexicon knows,
// ascending, each once. Words that stand in every text are left out.
func (l *Lexicon) Numbers(text string) []uint32 {
	tokens := l.table.Tokens(text)
	slices.Sort(tokens)
	tokens = slices.Compact(tokens)
	out := make([]uint32, 0, len(tokens))
	for _, t := range tokens {
		if t >= commonWords {
			out = append(out, uint32(t))
		}
	}
	return out
}

// Rank is the number of a word, which is small for common ones; ok is false for
// what the lexicon does not know as one word.
func (l *Lexicon) Rank(word string) (rank int, ok bool) {
	tokens := l.table.Tokens(word)
	if len(tokens) != 1 {
		return 0, false
	}
	return int(tokens[0]), true
}

// Len is how many words there are; numbers run from 0.
func (l *Lexicon) Len() int { return l.table.Len() }

// Dims is the length of a word's vector.
func (l *Lexicon) Dims() int { return l.table.Dims() }

// Vector writes the unit vector of a word into v and gives what the word
// weighs in a text: less the more common it is. Words without a direction
// weigh nothing.
func (l *Lexicon) Vector(number uint32, v []float32) (weight float32) {
	length, weight := l.Row(number, v)
	if length == 0 {
		return 0
	}
	for i := range v {
		v[i] /= length
	}
	return weight
}

// Row is Vector without the division: v has the length that is given.
func (l *Lexicon) Row(number uint32, v []float32) (length, weight float32) {
	return l.table.Row(int32(number), v)
}
