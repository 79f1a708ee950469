package graph

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"brain/text"
)

// Which entities does a question name? A brain has 50,000 names, a question
// a dozen words, so the question is taken apart and its pieces are looked up
// rather than the names searched: each lookup is one hash probe.
//
// The folded question becomes a row of units: a Latin word is one unit, each
// character of a script written without spaces is one unit. Every stretch of
// at most 6 words and 12 characters is a candidate; it may mix both
// ("PostgreSQL 数据库"). So a Latin name matches as whole words only ("views"
// is not in "interviews"), a Chinese one as a substring. A candidate with
// more than one unit is also tried in the forms people vary: with and without
// the blank between scripts, with blanks for hyphens and hyphens for blanks
// (a slug), and with the punctuation mark that follows ("Acme Inc.").
//
// Of the hits the longest wins and drops what it overlaps.

const (
	maxSeeds      = 8
	maxWords      = 6    // Latin words of a name
	maxCharacters = 12   // CJK characters of a name
	maxUnits      = 400  // of a question; what follows names no seeds
	maxLookups    = 4096 // a question's share of the index, well under 1 ms
	minLetters    = 3    // of a Latin name of one word
	maxCandidates = 16   // a name of more pages than that names none
)

// Seed is an entity named in a question.
type Seed struct {
	Name  string   // folded, as found in the question
	Nodes []uint32 // the page; several when the name is ambiguous
}

// Ambiguous reports whether the name stands for several pages.
func (s Seed) Ambiguous() bool { return len(s.Nodes) > 1 }

// Seeds gives the entities that a question names by path, file name, slug,
// title or alias, at most 8, in the order of the question. A question that is
// nothing but a name gives that name, however short or common it is.
func (g *Graph) Seeds(question string) []Seed {
	q := text.Fold(question)
	for _, whole := range []string{q, strings.TrimFunc(q, punctuation)} {
		if nodes := g.Resolve(whole); whole != "" && len(nodes) > 0 {
			return []Seed{{whole, nodes}}
		}
	}
	return choose(g.hits(q))
}

// hit is a stretch of the folded question that is a name.
type hit struct {
	Seed
	start, end int
}

func (g *Graph) hits(q string) []hit {
	var hits []hit
	row := units(q)
	lookups := maxLookups
	starts, knows := g.Links.(starter)
	for i := range row {
		if knows && !starts.Starts(start(q, row[i:])) {
			continue
		}
		words, characters := 0, 0
		for j := i; j < len(row); j++ {
			if row[j].cjk {
				characters++
			} else {
				words++
			}
			if words > maxWords || characters > maxCharacters || j > i && row[j].fresh {
				break
			}
			if !nameable(q, row[i:j+1], words, characters) {
				continue
			}
			for _, form := range forms(q, row[i].start, row[j].end, j > i && words > 0) {
				if lookups--; lookups < 0 {
					return hits
				}
				if nodes := g.Resolve(form); few(nodes) {
					hits = append(hits, hit{Seed{form, nodes}, row[i].start, row[j].end})
					break
				}
			}
		}
	}
	return hits
}

// starter is what a Links may also do: tell whether a name begins so, as Start gives it. Who
// looks for names in every sentence of a brain is spared nearly all of the look-ups.
type starter interface{ Starts(start string) bool }

// Start is how a name begins: its first word, or its first two characters where words are
// not apart. "" for what is no name.
func Start(name string) string {
	q := text.Fold(name)
	if row := units(q); len(row) > 0 {
		return start(q, row)
	}
	return ""
}

func start(q string, row []unit) string {
	if row[0].cjk && len(row) > 1 && row[1].cjk {
		return q[row[0].start:row[0].end] + q[row[1].start:row[1].end]
	}
	return q[row[0].start:row[0].end]
}

// choose keeps the longest hits that do not overlap, each entity once.
func choose(hits []hit) []Seed {
	slices.SortStableFunc(hits, func(a, b hit) int {
		return utf8.RuneCountInString(b.Name) - utf8.RuneCountInString(a.Name)
	})
	var kept []hit
	for _, h := range hits {
		clash := func(k hit) bool {
			return h.start < k.end && k.start < h.end || slices.Equal(h.Nodes, k.Nodes)
		}
		if len(kept) < maxSeeds && !slices.ContainsFunc(kept, clash) {
			kept = append(kept, h)
		}
	}
	slices.SortFunc(kept, func(a, b hit) int { return a.start - b.start })
	var seeds []Seed
	for _, h := range kept {
		seeds = append(seeds, h.Seed)
	}
	return seeds
}

// unit is a Latin word or one CJK character of a folded question.
type unit struct {
	start, end int
	cjk        bool
	fresh      bool // a sentence ended before it
}

// units cuts a folded question. A dot or underscore between letters belongs
// to the word (main.go, snake_case), as do + and # after it (c++); hyphen,
// slash and apostrophe separate words, which a name may span.
func units(q string) []unit {
	var row []unit
	fresh := false
	for i := 0; i < len(q) && len(row) < maxUnits; {
		r, n := utf8.DecodeRuneInString(q[i:])
		switch {
		case text.IsCJK(r):
			row = append(row, unit{i, i + n, true, fresh})
			i, fresh = i+n, false
		case wordRune(r):
			end := wordEnd(q, i)
			row = append(row, unit{i, end, false, fresh})
			i, fresh = end, false
		default:
			fresh = fresh || strings.ContainsRune("?!。;", r)
			i += n
		}
	}
	return row
}

func wordEnd(q string, i int) int {
	for i < len(q) {
		r, n := utf8.DecodeRuneInString(q[i:])
		next, _ := utf8.DecodeRuneInString(q[i+n:])
		switch {
		case wordRune(r) && !text.IsCJK(r):
		case r == '.' && wordRune(next) && !text.IsCJK(next):
		case (r == '+' || r == '#') && !wordRune(next):
		default:
			return i
		}
		i += n
	}
	return i
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

func punctuation(r rune) bool {
	return unicode.IsPunct(r) || unicode.IsSpace(r) || unicode.IsSymbol(r)
}

// nameable refuses stretches that would make a seed of everyday language.
func nameable(q string, row []unit, words, characters int) bool {
	name := q[row[0].start:row[len(row)-1].end]
	if common()[name] {
		return false
	}
	switch {
	case words == 0:
		return characters >= 2
	case characters > 0:
		return true
	case words == 1:
		return utf8.RuneCountInString(name) >= minLetters && !stop()[name] && !numeric(name)
	}
	for _, u := range row {
		if w := q[u.start:u.end]; !stop()[w] && len(w) > 1 {
			return true
		}
	}
	return false
}

func numeric(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' }) < 0
}

// forms are the spellings under which q[start:end] is looked up; varied when
// it is several units that are not all CJK.
func forms(q string, start, end int, varied bool) []string {
	name := q[start:end]
	list := []string{name}
	add := func(s string) {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	if varied {
		add(joinScripts(name))
		add(splitScripts(name))
		add(strings.ReplaceAll(name, " ", "-"))
		add(strings.ReplaceAll(name, "-", " "))
	}
	if r, n := utf8.DecodeRuneInString(q[end:]); n > 0 && r < utf8.RuneSelf && unicode.IsPunct(r) {
		add(q[start : end+n])
	}
	return list
}

// joinScripts drops the blanks beside CJK characters; splitScripts puts one
// wherever a Latin word and a CJK character meet.
func joinScripts(s string) string {
	if strings.IndexByte(s, ' ') < 0 || strings.IndexFunc(s, text.IsCJK) < 0 {
		return s
	}
	var b strings.Builder
	last := rune(-1)
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if r != ' ' || !text.IsCJK(last) && !text.IsCJK(next) {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

func splitScripts(s string) string {
	if strings.IndexFunc(s, text.IsCJK) < 0 {
		return s
	}
	var b strings.Builder
	last := rune(-1)
	for _, r := range s {
		if last >= 0 && text.IsCJK(r) != text.IsCJK(last) && wordRune(r) && wordRune(last) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// common are names that many trees give to pages which are about nothing in
// particular; they seed only when they are the whole question.
var common = lexicon(`readme index notes note todo inbox home log journal diary draft drafts misc
	overview summary changelog license contributing about help template templates untitled archive
	main test tests docs doc page pages file files project projects issue issues task tasks meeting
	meetings people person team company companies decision decisions lesson lessons requirement
	experience experiences entity entities skill skills fact facts session sessions memory
	readme.md index.md notes.md todo.md changelog.md
	笔记 目录 索引 首页 说明 概览 概述 总结 摘要 模板 草稿 归档 日志 日记 待办 文档 页面 文件 项目 问题 任务
	会议 人员 团队 公司 决定 决策 需求 经验 教训 技能 事实 会话 记忆 什么 哪些 怎么 我们 你们 他们 如何 为什么 关系`)

// stop are English words that are no name by themselves.
var stop = lexicon(`the and for are was were has had have did does not but can could will would should
	may might must shall who whom whose what which when where why how with from into onto about over
	under between that this these those there here they them their she her his him its our your you
	all any some each other another more most such than then also only just very been being get got
	let tell show find give know please use used using work works worked make made say said see new
	old one two first last me my we us it is be by of on in at to as an or if so do no he`)

// lexicon is a set of words, made when first asked for.
func lexicon(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, w := range strings.Fields(words) {
			set[w] = true
		}
		return set
	})
}
