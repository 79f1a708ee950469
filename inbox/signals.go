package inbox

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"brain/page"
	"brain/text"
)

// A signal is a hint that something lasting was said: by it work is let in when
// many sessions wait, and whoever extracts looks closer. It is found by the words
// of a person, in English and Chinese; a false one costs little.

// cue are the words by which a kind of signal is known.
type cue struct {
	kind    string
	english []phrase
	chinese []string         // parts of a sentence
	shapes  []*regexp.Regexp // with something between; each begins with a fixed character
}

// cues are in the order of their names. How phrases are written tells phrase. They are
// made when they are first asked for: most commands never do.
var cues = sync.OnceValue(func() []cue {
	return []cue{
		{"correction", english(`
		that|this|it is|was not right|correct|true|what
		that|this|it is|was wrong|incorrect|false
		you are|were|have wrong|mistaken|misunderstood|misread
		you misunderstood|misunderstand|misread ; you got it|that|this wrong
		^ no i|it|that|the|not|we|you|use|do ; ^ actually ; ^ correction ; ^ wrong
		i meant ; i said ; i never said ; i did not say|ask|mean
		should not? be|use instead ; should have been ; must be not ; instead of ; try again
		stop doing|using|writing|adding|saying`),
			strings.Fields(`不对 不是这样 不是的 不正确 错了 有误 你错 您错 你说错 你弄错 你搞错 你记错 你理解错 您理解错 你写错 我的意思是 我是说 我说的是
			而不是 应该是 应为 纠正 更正 并非 重新来 重新做 重新写`), nil},
		{"decision", english(`
		i|we have? decided|agreed|chose|chosen|settled|opted|picked|concluded
		i|we will|would go|use|switch|stick|adopt|move|migrate|drop|keep|take
		i|we are going to use|switch|stick|adopt|move|migrate|drop|keep|take|go
		let us go|use|stick|switch|keep|drop|take|make ; going|go with ; the|our|my final? decision
		switch|switched|switching|moved|moving|migrated|migrating to|over|from`),
			strings.Fields(`决定 选定 敲定 拍板 确定用 确定使用 确定采用 就用 就选 就这么 就按 就定 改用 采用 换成 改为 改成 迁移到 切换到 定下来 定为
			一致同意 达成一致 结论是 我们用 我们选 咱们用 咱们选`), nil},
		{"goal", english(`
		my|our|the main? goal|aim|objective|target|plan|deadline|dream is ; my|our goal|aim|objective|target|deadline
		i|we am|are trying|planning|going|hoping|working|aiming|learning|preparing|building|about to|on|for|towards|a|the|an
		i|we plan|intend|aim|hope|need|want|have to ; by the end of ; by next|end`),
			strings.Fields(`目标是 我的目标 我们的目标 我的计划 我打算 我们打算 我计划 我们计划 我准备 我们准备 我正在 我们正在 我想要 我们想要 我需要 我们需要
			争取 计划是 计划在 计划于 为了实现 本周内 本月内 年底前 月底前 下周要 下个月要 截止日期 截止时间`), nil},
		{"identity", english(`
		i am a|an|the|from|based|called|responsible|in ; my name is ; call me
		i work|live|study|teach|specialize|specialise as|at|for|in|on|with
		my job|role|title|team|company|employer|profession|birthday|wife|husband|partner|son|daughter|boss|manager|email|hometown|timezone
		my native language ; my time zone ; as a|an developer|engineer|designer|manager|teacher|student|doctor|founder|researcher`),
			strings.Fields(`我是一名 我是一个 我是一位 我是个 我是名 我叫 我姓 我来自 我住在 我的名字 我的职业 我的工作 我的职位 我的公司 我的团队 我的生日 我的妻子 我的丈夫
			我老婆 我老公 我的儿子 我的女儿 我老板 我的母语 我的家乡 叫我 我负责 我从事`),
			[]*regexp.Regexp{regexp.MustCompile(`我在[^，。！？\n]{1,15}(?:工作|上班|上学|读书|任职)`), regexp.MustCompile(`我是[^说想不否在要，。！？\n]{1,12}(?:师|员|者|医生|学生|家|经理|人)`)}},
		{"preference", english(`
		i do? not? always|usually|generally|never|often? like|love|prefer|hate|dislike|enjoy|avoid|favor|favour
		i would rather|prefer|like ; my|our preference|favorite|favourite|preferred
		always|never use|write|answer|reply|add|put|call|do|make|ask|run|include|show ; from now on
		please always|never|do|keep|stick not? ; by default ; in the? future`),
			strings.Fields(`以后都 以后请 以后不要 以后别 以后就 请总是 请始终 请一直 请务必 要始终 别再 不要再 一律 默认用 默认使用 默认是 从现在开始 从现在起 今后
			我的偏好 我的习惯 我的喜好 我不想 我希望你 我希望您 我宁愿`),
			[]*regexp.Regexp{regexp.MustCompile(`我们?(?:更|比较|很|最|不|太|特别|非常|一直|通常|平时|也|都|还是){0,4}(?:喜欢|偏好|偏爱|讨厌|热爱|习惯|倾向)`)}},
		{"reinforcement", english(`
		perfect ; exactly ; well done ; great|good job ; nice work ; spot on
		that is right|correct|it|great|perfect ; that|this is what i want|wanted|need|needed|meant ; what i wanted
		keep|continue doing|like ; keep it up ; love|like it|this|that ; like how you ; works great|perfectly|well|now`),
			strings.Fields(`完全正确 正是 就是这样 没错 说得对 对的 很好 太好了 真好 太棒 做得好 干得好 完美 继续保持 保持这样 就这样 正合 满意`), nil},
		{"remember", english(`
		remember that|this|to|my|the|i|we|for|it ; do|never not? forget ; keep|bear in mind ; make|take a note ; for the record`),
			strings.Fields(`记住 记下 记得 记一下 请记 别忘 不要忘 勿忘 记着`), nil},
	}
})

// mostScanned is how many bytes at the beginning of a turn, and as many at its end,
// are looked at: what is longer was pasted.
const mostScanned = 4000

// Signals gives the kinds of signals in what people said, in the order of their
// names: correction, decision, goal, identity, preference, reinforcement, remember.
func Signals(turns []page.Turn) (kinds []string) {
	found := make([]bool, len(cues()))
	for i := range turns {
		t := &turns[i]
		if !isPerson(t) || t.Kind != "" || t.Text == Purged {
			continue
		}
		s := ends(uploads().ReplaceAllString(t.Text, ""))
		inEnglish(s, found)
		if strings.ContainsFunc(s, text.IsCJK) {
			inChinese(s, found)
		}
	}
	for i, c := range cues() {
		if found[i] {
			kinds = append(kinds, c.kind)
		}
	}
	return kinds
}

func inChinese(s string, found []bool) {
	for i := range cues() {
		c := &cues()[i]
		found[i] = found[i] || slices.ContainsFunc(c.chinese, func(part string) bool { return strings.Contains(s, part) }) ||
			slices.ContainsFunc(c.shapes, func(p *regexp.Regexp) bool { return p.MatchString(s) })
	}
}

func inEnglish(s string, found []bool) {
	words := wordsOf(s)
	for i, w := range words {
		for _, b := range begun()[w] {
			found[b.cue] = found[b.cue] || b.begins(words[i:])
		}
	}
}

// begun are the English phrases by the words with which they may begin.
var begun = sync.OnceValue(func() map[string][]beginning {
	all := map[string][]beginning{}
	for i, c := range cues() {
		for _, p := range c.english {
			for n := range p {
				for _, w := range p[n].words {
					all[w] = append(all[w], beginning{i, p[n:]})
				}
				if !p[n].optional {
					break
				}
			}
		}
	}
	return all
})

type beginning struct {
	cue int
	phrase
}

// phrase is a sequence of words: "i|we have? decided" stands for "I decided" and
// "we have decided". ^ is the beginning of a sentence.
type phrase []slot

type slot struct {
	words    []string
	optional bool
}

// english reads phrases: one a line, or with semicolons between.
func english(list string) (out []phrase) {
	for line := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == '\n' || r == ';' }) {
		var p phrase
		for word := range strings.FieldsSeq(line) {
			all, optional := strings.CutSuffix(word, "?")
			p = append(p, slot{strings.Split(all, "|"), optional})
		}
		if len(p) > 0 {
			out = append(out, p)
		}
	}
	return out
}

func (p phrase) begins(words []string) bool {
	for len(p) > 0 {
		has := len(words) > 0 && slices.Contains(p[0].words, words[0])
		if !has && !p[0].optional {
			return false
		}
		if has {
			words = words[1:]
		}
		p = p[1:]
	}
	return true
}

// fillers change nothing of what is meant, and stand anywhere.
var fillers = phrases(`really | just | also | finally | all | much | very | definitely | so | still | currently`)

var contractions = map[string]string{"s": "is", "m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would"}

// wordsOf gives the Latin words of a text in lower case, without fillers, with ^
// where a sentence begins, and with contractions in full.
func wordsOf(s string) (out []string) {
	begins := true
	add := func(w string) {
		if begins {
			out, begins = append(out, "^"), false
		}
		if !fillers[w] {
			out = append(out, w)
		}
	}
	s = strings.ToLower(strings.ReplaceAll(s, "’", "'"))
	for s != "" {
		n := strings.IndexFunc(s, func(r rune) bool { return !(r < utf8.RuneSelf && unicode.IsLetter(r)) && r != '\'' })
		if n < 0 {
			n = len(s)
		}
		if n == 0 {
			r, size := utf8.DecodeRuneInString(s)
			begins = begins || strings.ContainsRune(".!?\n。！？;；", r)
			s = s[size:]
			continue
		}
		stem, end, _ := strings.Cut(strings.Trim(s[:n], "'"), "'")
		s = s[n:]
		full := contractions[end]
		switch {
		case stem == "let" && end == "s":
			full = "us"
		case end == "t":
			stem, full = strings.TrimSuffix(stem, "n"), "not"
		}
		if stem != "" {
			add(stem)
		}
		if full != "" {
			add(full)
		}
	}
	return out
}

// ends is a text without the middle of a long one.
func ends(s string) string {
	if len(s) <= 2*mostScanned {
		return s
	}
	a, b := mostScanned, len(s)-mostScanned
	for !utf8.RuneStart(s[a]) {
		a--
	}
	for !utf8.RuneStart(s[b]) {
		b++
	}
	return s[:a] + "\n" + s[b:]
}
