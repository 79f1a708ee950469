package dream

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"brain/llm"
	"brain/text"
)

// Words as subjects: the last resort, for pages that share no entity, issue or tag. A word
// counts where it stands in titles, and it must tell something:
//
//	Latin    four letters at least, or an abbreviation; not among the commonest two
//	         thousand words of the language; compared by its stem
//	Chinese  two to six characters that are a word; among those that the same titles share
//	         the longest
//	neither  a word that says what the page is (lesson, 教训), one of the name of an entity,
//	         or one that more than half of all pages have, where there are enough to tell
//
// A name of the text counts as well, where each page begins with it and has it twice: a rare
// word with a capital.
// A word that very many pages have is none: what so many speak of has a page, or a tag.

const (
	commonEnglish = 2000   // first words of the lexicon that say little
	rareEnglish   = 15_000 // and from which on a word is one that stands out
	commonChinese = 1500   // likewise of its Chinese words, which follow the English
	firstChinese  = 70_900 // where those begin
	enoughToTell  = 20     // pages, from which on a word can be too common among them
	mostTimes     = 4      // as many as make a subject may have it, or
	mostShare     = 0.05   // so many of all
	longestWord   = 6      // characters of a Chinese one
	leadBytes     = 400    // of a text, in which its subject is named
)

// words gives subjects of the pages that no other subject covers.
func (a *about) words(covered map[*learned]bool, least int) (out []*subject) {
	by := map[string]*subject{}
	for _, l := range a.all {
		if covered[l] {
			continue
		}
		for key, as := range a.wordsOf(l) {
			if by[key] == nil {
				by[key] = &subject{kind: ofWord, key: "word " + key, label: as}
			}
			by[key].members = append(by[key].members, l)
		}
	}
	most := len(a.all)
	if most >= enoughToTell {
		most = min(most/2, max(mostTimes*least, int(mostShare*float64(most))))
	}
	for _, key := range slices.Sorted(maps.Keys(by)) {
		if s := by[key]; len(s.members) >= least && len(a.withWord(key)) <= most {
			out = append(out, s)
		}
	}
	// The widest first: of words that the same pages share the longest, in whatever
	// language, speaks for all.
	slices.SortStableFunc(out, func(x, y *subject) int {
		return cmp.Or(cmp.Compare(len(y.members), len(x.members)), cmp.Compare(utf8.RuneCountInString(y.label), utf8.RuneCountInString(x.label)))
	})
	for _, s := range out {
		s.members = a.withWord(strings.TrimPrefix(s.key, "word "))
	}
	return out
}

// withWord are the pages that have a word.
func (a *about) withWord(key string) (out []*learned) {
	for _, l := range a.all {
		if _, ok := a.wordsOf(l)[key]; ok {
			out = append(out, l)
		}
	}
	return out
}

// ofWord makes a subject of a word that has an experience.
func (a *about) ofWord(key string) {
	if members := a.withWord(key); len(members) > 0 {
		a.known[text.Fold("word "+key)] = &subject{kind: ofWord, key: "word " + key, label: a.wordsOf(members[0])[key], members: members}
	}
}

// wordsOf gives the telling words of a page by their key, each as it is written there.
func (a *about) wordsOf(l *learned) map[string]string {
	if l.words == nil {
		l.words = map[string]string{}
		for word := range latinWords(l.Title) {
			if key, ok := tells(word, commonEnglish); ok {
				l.words[key] = word
			}
		}
		for _, w := range chineseWords(l.Title) {
			l.words[w] = w
		}
		for key, word := range namesOf(l.text.Prose()) {
			if l.words[key] == "" {
				l.words[key] = word
			}
		}
	}
	maps.DeleteFunc(l.words, func(key, _ string) bool { return a.nameWords()[key] })
	return l.words
}

// nameWords are the words of the names of entities: what speaks of one of those has it for its
// subject, or is not about it.
func (a *about) nameWords() map[string]bool {
	if a.names != nil {
		return a.names
	}
	a.names = map[string]bool{}
	for row := range a.v.All {
		if !a.isEntity(row) {
			continue
		}
		p := a.v.Page(row)
		for _, name := range append([]string{p.Title, p.Slug}, p.Aliases...) {
			for word := range latinWords(name) {
				if key, ok := tells(word, 0); ok {
					a.names[key] = true
				}
			}
			for _, word := range chineseWords(name) {
				a.names[word] = true
			}
		}
	}
	return a.names
}

// namesOf gives the rare names with which a text begins and that it has twice.
func namesOf(prose string) map[string]string {
	names := map[string]string{}
	for word := range latinWords(prose[:text.CutGrapheme(prose, leadBytes)]) {
		if key, ok := tells(word, rareEnglish); ok && isNameLike(word) && names[key] == "" && strings.Count(prose, word) > 1 {
			names[key] = word
		}
	}
	return names
}

// isNameLike reports a word with a capital that is no abbreviation.
func isNameLike(word string) bool {
	return word[0] >= 'A' && word[0] <= 'Z' && len(word) >= 4 && strings.ToUpper(word) != word
}

// latinWords visits the words of a text that are written in letters with blanks between them.
func latinWords(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, w := range strings.FieldsFunc(s, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) || text.IsCJK(r)
		}) {
			if !yield(w) {
				return
			}
		}
	}
}

// tells gives the stem of a word that says something, of those beyond the first of the lexicon.
func tells(word string, common int) (key string, ok bool) {
	folded := text.Fold(word)
	letters := 0
	for _, r := range folded {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	abbreviation := letters >= 2 && len(word) <= 5 && strings.ToUpper(word) == word
	terms := text.Query(folded)
	if letters < 4 && !abbreviation || len(terms) == 0 || plainTags[folded] || plainWords[folded] {
		return "", false
	}
	if rank, known := lexicon().Rank(folded); known && rank < common && !abbreviation {
		return "", false
	}
	return terms[len(terms)-1].Text, true
}

// chineseWords are the words within the runs of Chinese characters of a title.
func chineseWords(title string) (out []string) {
	run := []rune{}
	flush := func() {
		for i := range run {
			for j := i + 2; j <= min(len(run), i+longestWord); j++ {
				if w := string(run[i:j]); isChineseWord(w) && !slices.Contains(out, w) {
					out = append(out, w)
				}
			}
		}
		run = run[:0]
	}
	for _, r := range text.Fold(title) {
		if unicode.Is(unicode.Han, r) && !strings.ContainsRune(particles, r) {
			run = append(run, r)
			continue
		}
		flush()
	}
	flush()
	return out
}

// particles end a word.
const particles = "的了在是和与及或不没无也都就被把让给从对向到为以而则之其这那一个次后前中里上下内外时要会能可"

func isChineseWord(w string) bool {
	if plainTags[w] || plainWords[w] {
		return false
	}
	rank, known := lexicon().Rank(w)
	return known && rank >= firstChinese+commonChinese
}

var plainWords = setOf(`bugs fixes fixed issues problem problems error errors incident ticket tickets proposal summary outcome results
	avoid prefer choose chosen instead keep never always should decide decided learn learnt adopt adopted switch switched
	remove removed rename renamed delete deleted drop dropped show allow enable disable improve introduce replace extend split merge reset
	handle clean guide overview introduction manual readme
	问题 故障 方案 选择 采用 使用 改为 决定 上线 处理 修复 支持 需要 避免 结果 建议 讨论 常见 简介 介绍 指南 概览 概述 实践 文档 说明 手册`)

// lexicon knows which words are common.
var lexicon = sync.OnceValue(func() *llm.Lexicon {
	l, err := llm.Words()
	if err != nil {
		panic(err) // the table is part of the program
	}
	return l
})
