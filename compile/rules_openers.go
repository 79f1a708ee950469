package compile

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A finding is read alone, long after. How its sentence was tied to the talk
// ("Hey Nate, by the way, …", 好的，…) tells nothing then and would begin its
// title; so it goes, while words that say something (no, actually, today) stay.

// What is loose needs no mark behind it; ties do.
const (
	loose = `ok okay oh hey hi by_the_way btw anyway um hmm and but`
	ties  = `hello well so yeah yep yes sure right alright all_right cool great nice awesome wow perfect excellent fine also plus honestly basically look listen
haha lol thanks thank_you good morning good_morning got_it understood you_know i_mean of_course sounds_good good_news
好的 好 好吧 好嘞 好啦 嗯 嗯嗯 哦 噢 啊 哎 哈哈 哈哈哈 行 行吧 可以 没问题 收到 了解 明白 对了 对 是的 嘿 喂 诶 欸 那 那么 顺便 顺便说一下 顺便说一句 顺便提一下 说实话 另外 还有 谢谢 同意 话说`
)

var (
	tiesByFirst = sync.OnceValue(func() map[string][]string { return byFirst(loose, ties) })
	looseTies   = sync.OnceValue(func() []string { return phrases(loose) })
)

// greetings may have a name behind them.
var greetings = wordSet(`hey hi hello thanks ok okay oh well yeah yes wow sure great`)

// withoutOpeners is the sentence without what only ties it to the talk before,
// but with all from a byte of the plain form on, when that is not 0.
func (s *sentence) withoutOpeners(to int) string {
	p, i := s.plain, 0
	if to == 0 {
		to = len(p.s)
	}
	for i < to {
		next := s.opener(i)
		if next == i || next > to {
			break
		}
		i = next
	}
	if i = skipSpace(p.s, i); i == 0 || i >= len(p.s) || vague(p.s[i:]) {
		return s.raw
	}
	rest := strings.TrimLeft(s.raw[p.at[i]:], " ,;:.!，、；：。！…—-")
	first, size := utf8.DecodeRuneInString(rest)
	if capital, _ := utf8.DecodeRuneInString(s.raw); unicode.IsUpper(capital) && unicode.IsLower(first) && !looksTechnical(p.s[i:p.wordEnd(i)]) {
		return string(unicode.ToUpper(first)) + rest[size:]
	}
	return rest
}

// opener gives the end of the tie at i of the plain form, with its mark, else i.
func (s *sentence) opener(i int) int {
	p := s.plain.s
	at := skipSpace(p, i)
	if at >= len(p) {
		return i
	}
	for _, w := range tiesByFirst()[firstOf(p[at:])] {
		next, ok := literal(p, at, w)
		if !ok {
			continue
		}
		if greetings[w] {
			if name := skipSpace(p, next); name < len(p) && s.isName(p[name:s.plain.wordEnd(name)], name, s.plain.wordEnd(name)) {
				if marked := pastMark(p, s.plain.wordEnd(name)); marked > 0 {
					return marked
				}
			}
		}
		if marked := pastMark(p, next); marked > 0 {
			return marked
		}
		if slices.Contains(looseTies(), w) {
			return next
		}
	}
	return i
}

// pastMark is the end of the mark at i, 0 for none.
func pastMark(p string, i int) int {
	if i = skipSpace(p, i); i < len(p) && strings.IndexByte(",;:.", p[i]) >= 0 {
		return i + 1
	}
	return 0
}
