package page

import (
	"strings"
	"sync"
)

// Words that mean one thing together, and the word that they are compared as. Words of a
// phrase stand side by side.
const phraseWords = `no-longer:not out-of-work:unemployed between-jobs:unemployed out-of-stock:sold-out sold-out:sold-out in-stock:in-stock plain-text:plaintext clear-text:plaintext
	full-time:full-time part-time:part-time left-handed:left-handed right-handed:right-handed read-only:readonly out-of-date:outdated up-to-date:up-to-date
	shut-down:closed closed-down:closed turned-on:enabled turned-off:disabled switched-on:enabled switched-off:disabled out-of-order:broken out-of-service:broken
	up-and-running:running on-hold:hold in-progress:progress called-off:cancelled rolled-back:rolled-back passed-away:dead
	laid-off:fired let-go:fired turned-down:rejected turn-down:reject turns-down:rejects from-home:remotely from-the-office:onsite in-the-office:onsite yet-to:not unable-to:cannot not-able-to:cannot no-idea:unknowing no-clue:unknowing
	have-to:must has-to:must had-to:must every-day:daily each-day:daily every-night:daily every-week:weekly each-week:weekly
	every-month:monthly each-month:monthly every-year:yearly each-year:yearly every-quarter:quarterly
	每-天:daily 每-日:daily 天-天:daily 每-晚:daily 每-周:weekly 每-星-期:weekly 每-月:monthly 每个-月:monthly 每-年:yearly 每-季-度:quarterly`

type phrase struct{ word, as string } // word is all of it, without blanks

var phrases = sync.OnceValue(func() map[string][]phrase {
	m := map[string][]phrase{}
	for _, f := range strings.Fields(phraseWords) {
		words, as, _ := strings.Cut(f, ":")
		first, _, _ := strings.Cut(words, "-")
		m[first] = append(m[first], phrase{strings.ReplaceAll(words, "-", ""), as})
	}
	return m
})

// mergePhrases makes one token of the words of each phrase.
func mergePhrases(ts []token) []token {
	out := ts[:0]
	for i := 0; i < len(ts); {
		t, n := ts[i], 1
		for _, p := range phrases()[t.text] {
			if k := spellsAt(ts, i, p.word); k > n {
				t.role, t.weight, t.antonym, t.han = plain, full, antonym{}, false
				n, t.text, t.stem = k, p.as, stemOf(p.as)
				if p.word[0] >= 0x80 {
					t.text, t.stem = p.word, p.as
					e := lexicon().exact[p.as]
					t.antonym, t.weight = e.antonym, e.weight
				}
				t.end, t.colon = ts[i+n-1].end, ts[i+n-1].colon
			}
		}
		out = append(out, t)
		i += n
	}
	return out
}
