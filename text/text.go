// Package text knows Unicode: folding, scripts, the one tokenizer, sentence
// and grapheme cuts, token counts; and secrets, which it masks.
//
// Index and query go through the same tokenizer, so what the one writes the
// other finds. A text becomes a row of words; a word becomes one or more
// terms:
//
//	running          running, run                          (exact, stem)
//	PostgreSQL15     postgresql15, postgresql, postgre, sql, 15   (whole, parts)
//	snake_case-name  snake_case-name, snake, case, name
//	C++              c++, c
//	Alice's          alice                                 (see tokenize.go)
//	1,000            1000
//	北京大学         北 北京 京 京大 大 大学 学            (unigrams, bigrams)
//
// A run never crosses a change of script or a gap, and full-width forms,
// case and compatibility characters fold before anything is cut. Folding
// works segment by segment, so that every term still knows the bytes of the
// input that it came from.
//
// The files: fold.go (characters), script.go (classes), tokenize.go (words),
// compound.go (parts of words), stem.go (English stems), query.go and
// stopwords.go (questions), cut.go (sentences, graphemes, counts), mask.go and its
// neighbours (secrets).
package text

// Version names the tokenizer's behaviour. An index made by another version
// is rebuilt, so it changes with every change of what Terms emits.
const Version = 1

// maxRunes is the length at which a term is cut. Nothing that a person asks
// for is longer; what is longer is a hash, a key or base64.
const maxRunes = 64

// Kind says how a term came from its word.
type Kind uint8

const (
	Exact   Kind = iota // the folded word as written
	Stem                // its light English stem, where that differs
	Part                // a part of a compound or identifier (and that part's stem)
	Unigram             // one character of a Han, kana, hangul or Thai run
	Bigram              // two neighbouring characters of such a run
)

// Term is one unit of the index. Text is valid only during the call that
// delivers it; copy to keep. Terms of one word share Pos; each part of a
// compound is a word of its own, and the whole stands at its first part.
type Term struct {
	Text       []byte
	Kind       Kind
	Pos        int // word number from 0; each character of a Han run is a word
	Start, End int // byte range in the input as given
}

// Span is a byte range of a text.
type Span struct{ Start, End int }
