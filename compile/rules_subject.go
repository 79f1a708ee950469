package compile

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"brain/text"
)

// What a finding is about, in a few words: of what the cue is about the first
// group of words that holds a name (an identifier, a quoted span, a capital),
// else the first group. "to use Postgres for the audit log because …" is about
// Postgres, "to set the cache TTL to 10 minutes" about the cache TTL,
// 把缓存过期时间改成十分钟 about 缓存过期时间. Groups end at prepositions,
// articles, pronouns, verbs that every decision has, and marks, so that saying
// it a little differently names the same.

const (
	longestSubject = 4  // words
	longestHan     = 12 // characters
)

// group is some words of a sentence.
type group struct {
	from, to int // bytes of the plain form
	words    int
	han      int
	named    bool
	left     bool // what something else is chosen over
}

// subject is what a stretch of the plain form is about, as it was written.
func (s *sentence) subject(from, to int) string {
	var best group
	for _, g := range s.groups(from, to) {
		switch {
		case best.to == 0, best.left && !g.left, g.left == best.left && g.named && !best.named:
			best = g
		}
	}
	if best.to == 0 {
		return ""
	}
	a, b := s.plain.source(best.from, best.to)
	return strings.Trim(strings.TrimSpace(s.raw[a:b]), ` ,.;:!?()[]"'*_`+"`“”「」『』‘’《》，。；：！？、（）")
}

// groups cuts a stretch of the plain form into groups of words.
func (s *sentence) groups(from, to int) (all []group) {
	var g group
	words := strings.Fields(s.plain.s[:from])
	over := len(words) > 0 && leaving[words[len(words)-1]]
	flush := func() {
		if g.to > 0 {
			g.left = over
			all = append(all, g)
			over = false
		}
		g = group{}
	}
	p := s.plain
	for i := from; i < to; {
		end := min(p.wordEnd(i), to)
		w := p.s[i:end]
		switch r, _ := utf8.DecodeRuneInString(w); {
		case w == "":
		case unicode.Is(unicode.Han, r):
			s.hanPieces(i, end, &g, &over, flush)
		case leaving[w]:
			flush()
			over = true
		case subjectStops[w] || strings.Contains(",;:.?()", w):
			flush()
		default:
			if g.words == longestSubject || g.han > longestHan {
				flush()
			}
			if g.to == 0 {
				g.from = i
			}
			g.to = end
			g.words++
			g.named = g.named || s.isName(w, i, end)
		}
		i = end + 1
	}
	flush()
	return all
}

// hanPieces adds a run of Han characters to groups, cut at words that no
// subject has.
func (s *sentence) hanPieces(from, to int, g *group, over *bool, flush func()) {
	for i := from; i < to; {
		if n := hanStop(s.plain.s[i:to]); n > 0 {
			flush()
			*over = *over || leaving[s.plain.s[i:i+n]]
			i += n
			continue
		}
		_, size := utf8.DecodeRuneInString(s.plain.s[i:])
		if g.han == longestHan {
			flush()
		}
		if g.to == 0 {
			g.from = i
		}
		i += size
		g.to = i
		g.han++
	}
}

// hanStop is the length of the word at the beginning of s that no subject has.
func hanStop(s string) (n int) {
	r, _ := utf8.DecodeRuneInString(s)
	for _, w := range subjectStopsHan[r] {
		if strings.HasPrefix(s, w) {
			return max(n, len(w))
		}
	}
	return n
}

// isName reports a word that is written like a name.
func (s *sentence) isName(w string, from, to int) bool {
	if w == name || looksTechnical(w) {
		return true
	}
	a, b := s.plain.source(from, to)
	raw := strings.TrimSpace(s.raw[a:b])
	r, size := utf8.DecodeRuneInString(raw)
	switch {
	case calendarWords[w], !strings.HasPrefix(strings.ToLower(raw), w): // half of a contraction
		return false
	case strings.ContainsFunc(raw[min(size, len(raw)):], unicode.IsUpper):
		return true
	case unicode.IsUpper(r):
		return a > 0
	}
	return strings.ContainsFunc(raw, unicode.IsDigit) && strings.ContainsFunc(raw, unicode.IsLetter)
}

// turning words say that something is given up for what was decided.
var turning = phrases(`instead rather_than after_all no_longer replace replaces replaced replacing drop dropped dropping ditch ditching abandon is_out is_off is_dead is_gone
	switched switching switch_from move_off moving_off away_from not_use not_using over from_the changed_our_mind changed_my_mind on_second_thought from
	不用 不再 而不是 而非 代替 替换 替代 取代 放弃 弃用 改用 换成 改成 改为 还是 取消 作废`)

// leaves gives what a sentence turns away from: all that it says, when it has
// a word of turning, else nothing.
func (s *sentence) leaves() string {
	if hasAny(s.plain.s, turning...) == "" {
		return ""
	}
	return s.plain.s
}

// leaving words stand before what something else is chosen over.
var leaving = wordSet(`from off than instead 从 由 不用 不再 放弃 代替 替换`)

// foldedSubject is a subject as it is compared.
func foldedSubject(s string) string {
	return strings.Map(simple, strings.TrimSpace(text.Fold(s)))
}

var subjectStops = wordSet(`a an the this that these those it its i we you he she they my our your his her their me us them him to of in on at for with from by as into onto over under about than via per
	and or but if so because since while when where who which what how why not no is are was were be been being am do does did has have had will would shall should can could may might must
	use uses using used go going gone went keep keeping make making made set setting put move moving moved switch switching switched run running stick sticking store storing adopt drop dropping replace replacing
	instead rather before after until till now then just only also still always never ever all every each any some more most less very really too again already ever there here let be get got
	please remember note add added fix fixed update updated remove removed create created write wrote finish finished migrate migrated deploy deployed implement implemented build built ship shipped release released
	start starting stop end begin support supporting want need like prefer out up down off back new main sure as well that's rename renamed merge merged call called name pick choose chose`)

var calendarWords = wordSet(`i monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december today yesterday tomorrow ok`)

// subjectStopsHan by their first character, the longest first.
var subjectStopsHan = func() map[rune][]string {
	m := map[rune][]string{}
	for _, list := range byFirst(`用 使用 采用 改用 换成 选择 选用 选 走 改成 改为 设为 设成 调成 调为 调到 保留 统一用 统一 换用 切换到 切换 切到 迁移到 迁到 继续 不再 不用 放弃 取消 支持 作为 来 做 因为 由于 而不是 而 代替 替换 把 将 在 对 给 从 到 为 成 是 的 了 着
	和 与 及 以及 或 就 都 也 还 再 先 后 已 已经 都已 全部 我们 我 你 他 她 它 大家 这个 那个 这 那 每次 每 所有 一律 以后 今后 请 不要 别 要 会 能 可以 应该 必须 需要 让 被 比 更 最 很 吧 啊 呢 哦 写 跑 放在 放到 部署到 部署在 修复 修好 完成 更新 添加 加上 加了
	删除 删掉 删了 上线 发布 合并 重构 实现 优化 新增 时候 之前 之后 并且 但 但是 所以 如果 用来 不 没 没有 由 记得 决定 定 定在 定为 于`) {
		for _, w := range list {
			r, _ := utf8.DecodeRuneInString(w)
			m[r] = append(m[r], w)
		}
	}
	return m
}()
