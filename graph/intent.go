package graph

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"brain/text"
)

// Intents: what kind of answer a question wants. Retrieval weighs its arms by
// them.
const (
	General    = "general"
	Relational = "relation"
	Person     = "person"
	Experience = "experience"
)

// Intent tells the intent of a question by rules, the first that holds:
//
//	a relational form       relation    谁负责支付, who founded Acme
//	a person is asked for   person      谁, who, @name, 负责人
//	experience is wanted    experience  经验, 踩坑, lessons learned, how did we … before
//	a short "X 的 Y"         relation    at most 40 characters, Y a relation word
//	otherwise               general
//
// (df-memory's order without its "task" intent, which no weight told apart.)
func (l *Lexicon) Intent(question string) string {
	if _, ok := l.Parse(question); ok {
		return Relational
	}
	q := text.Fold(question)
	switch {
	case personWords().MatchString(q):
		return Person
	case experienceWords().MatchString(q):
		return Experience
	case possessive(q):
		return Relational
	}
	return General
}

var personWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bwho(?:m|se)?\b|(?:^|[^\pL\pN._-])@[\pL\pN]|谁|哪位|什么人|哪些人|哪个人|负责人|联系人|\bcontact person\b`)
})

var experienceWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`经验|教训|踩过?的?坑|避坑|心得|复盘|最佳实践` +
		`|\blessons?\b|\blearn(?:ed|t|ings?)\b|\bpitfalls?\b|\bgotchas?\b|\bpost-?mortems?\b|\bretrospectives?\b|\bbest practices?\b|\bexperiences? (?:with|of|from|in|on)\b` +
		`|\b(?:how|what|why) did we\b.*\b(?:before|last time|previously|back then)\b|\bhave we (?:ever )?(?:seen|done|tried|hit|solved|fixed)\b` +
		`|(?:之前|以前|上次|当时|过去).*(?:怎么|如何|怎样)(?:解决|处理|做|修|搞|实现|绕|排查)|(?:怎么|如何|怎样)(?:解决|处理|修复|排查)(?:的|过)`)
})

const possessiveRunes = 40

// relationWords are what "X 的 Y" asks for when it asks for a relation.
var relationWords = lexicon(`负责人 主管 经理 老板 上级 下属 同事 搭档 团队 成员 员工 雇主 公司 部门 组织 作者 维护者 创始人 联合创始人
	投资人 投资方 股东 顾问 客户 供应商 合作伙伴 合伙人 依赖 依赖项 上游 下游 引用 来源 出处 关系 联系人 朋友 家人 父母 妻子 丈夫
	老婆 老公 孩子 儿子 女儿 参会人 决策人`)

func possessive(q string) bool {
	if utf8.RuneCountInString(q) > possessiveRunes {
		return false
	}
	x, y, ok := cutLast(strings.TrimFunc(q, punctuation), "的")
	for _, tail := range []string{"是谁", "是什么", "有哪些", "有谁", "是哪位", "是哪个", "是哪家"} {
		y = strings.TrimSuffix(y, tail)
	}
	return ok && strings.TrimSpace(x) != "" && relationWords()[strings.TrimSpace(y)]
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
