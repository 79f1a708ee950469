package graph

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A few questions are not a word with its two sides: what lies between two
// names, what links to a page. They are whole sentences, tried first. Each
// stands behind words of which one must occur and is compiled when one does,
// since a process that answers one question has no milliseconds to spend on
// expressions it does not need.

// sentence is a shape of question; {x} is its seed and {y} the second one.
type sentence struct {
	expr  string
	words string // one of these occurs in it
	r     Relation
	re    func() *regexp.Regexp
}

var placeholders = strings.NewReplacer("{x}", `(?P<x>.+?)`, "{y}", `(?P<y>.+?)`,
	"{tail}", `(?:都|分别)*(?:是|有)?(?:谁|什么|哪位|哪些\p{Han}{0,2}|哪几(?:个|位|篇))?`)

var sentences = sync.OnceValue(func() []sentence {
	connected := Relation{Dir: Both}
	linking := Relation{Dir: In}
	acquainted := Relation{Types: introduced, Type: Introduced, Dir: In, Kind: PersonKind}
	quoted := Relation{Types: referring, Type: References, Dir: Both}
	list := []sentence{
		{`(?:what|which|how|who)(?: \w+)?? (?:connects?|links?|ties) {x} (?:and|to|with) {y}`, "connect|link|tie", connected, nil},
		{`(?:what(?:'s| is| are| was) |is there |are there |find |show )?(?:the |a |any )?(?:connections?|links?|ties|relations?|relationships?|paths?) between {x} and {y}`, "between", connected, nil},
		{`how (?:is|are|was|were|do|does) {x} (?:and|to|with) {y} (?:connected|related|linked|tied|relate|connect)(?: to each other)?`, "how ", connected, nil},
		{`how (?:is|are|was|were|do|does) {x} (?:connected|related|linked|tied|relate|connect) (?:to|with) {y}`, "how ", connected, nil},
		{`who (?:has )?(?:introduced|connected|referred) (?:me|us) (?:to|with) {x}`, " me | us ", acquainted, nil},
		{`(?:what are |show |list )?(?:the |all )?(?:backlinks|back links|inbound links|incoming links|links) (?:of|to|for) {x}`, "links ", linking, nil},
		{`(?:who|what|which \w+) (?:is|are) (?:related|connected|linked) (?:to|with) {x}`, "related|connected|linked", connected, nil},
		{`(?:all )?(?:pages?|notes?|people|everything|anything|things) (?:that (?:is|are) )?(?:related|connected|linked) to {x}`, "related|connected|linked", connected, nil},

		{`{x}(?:和|与|跟|同|及){y}(?:之间)?(?:到底|究竟)?(?:的|是|有|存在)?(?:什么|哪些|何)?(?:关系|联系|关联)(?:是?什么|有哪些|如何|怎么样|怎样)?`, "关系|联系|关联", connected, nil},
		{`{x}(?:和|与|跟|同){y}(?:之间)?是?(?:怎么|如何|怎样)(?:联系|关联|连接|认识)(?:起来|在一起|上)?的?`, "联系|关联|认识|连接", connected, nil},
		{`谁(?:把|将){x}(?:介绍|引荐)给了?我们?的?`, "介绍|引荐", acquainted, nil},
		{`谁(?:介绍|引荐)了?我们?(?:去)?认识了?{x}(?:的)?`, "介绍|引荐", acquainted, nil},
		{`谁(?:给|向|为)我们?(?:介绍|引荐)了?{x}`, "介绍|引荐", acquainted, nil},
		{`{x}的(?:反向链接|反链|下游){tail}`, "反向链接|反链|下游", linking, nil},
		{`{x}的(?:引用|链接){tail}`, "引用|链接", quoted, nil},
		{`(?:(?:哪|什么)\p{Han}{0,4}?)?(?:与|和|跟|同){x}(?:相关|有关)(?:的\p{Han}{0,6}?)?{tail}`, "相关|有关", connected, nil},
		{`{x}的?相关的?(?:页面|文档|笔记|内容|资料|人|人员|项目){tail}`, "相关", connected, nil},
	}
	for i := range list {
		s := &list[i]
		s.re = sync.OnceValue(func() *regexp.Regexp {
			return regexp.MustCompile(`^(?:` + placeholders.Replace(s.expr) + `)$`)
		})
	}
	return list
})

// readSentence reads a question that is one of the sentences.
func readSentence(q string) (Relation, bool) {
	for i := range sentences() {
		s := &sentences()[i]
		if !slices.ContainsFunc(strings.Split(s.words, "|"), func(w string) bool { return strings.Contains(q, w) }) {
			continue
		}
		m := s.re().FindStringSubmatch(q)
		if m == nil {
			continue
		}
		r := s.r
		if strings.HasPrefix(q, "who ") || strings.HasPrefix(q, "which people ") {
			r.Kind = PersonKind
		}
		r.Seed = seedName(m[1])
		if len(m) > 2 {
			r.Seed2 = seedName(m[2])
		}
		if r.Seed != "" && (len(m) == 2 || r.Seed2 != "") {
			return r, true
		}
	}
	return Relation{}, false
}
