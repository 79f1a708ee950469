package graph

import (
	"slices"
	"strings"
	"sync"
)

// What relations are called. A sense is one relation as words speak of it: it
// has a doer and an object ("founds": a person, a company), and verbs, nouns
// for the doer (founder) and nouns for the object (brainchild). Most edges run
// from the doer to the object; where they run the other way (produced_by, or
// "employs" as the other side of works_at) the sense is turned.
//
// A word may stand in several senses. All of them are kept, in the order of
// the table, as readings of the question; which one was meant is for the edges
// to say (Answer).
//
// Words are lemmas, separated by |. In a phrase _ stands for the name in its
// midst ("get _ off ground"), * for up to three words of no interest ("lead *
// round"); articles and possessives are passed over.

// sense is one row of the table.
type sense struct {
	types  []string
	turned bool   // the edge runs from the object to the doer
	fellow bool   // whom it links stand on the same side: colleagues
	people bool   // its doers are people
	things string // kinds of its objects
	en, zh words
}

// anything is what a relation of a pack may be about.
const anything = "*"

type words struct{ verbs, doers, objects string }

// role is the side of a relation that a question asks for.
type role uint8

const (
	doer role = iota
	object
)

func (r role) other() role { return 1 - r }

// direction is that of the edges from the seed to what is asked for.
func (s *sense) direction(asked role) Direction {
	if (asked == doer) != s.turned {
		return In
	}
	return Out
}

var (
	mentioning = []string{Mentions, References}
	referring  = []string{References, Mentions}
	investing  = []string{InvestedIn, LedRound}
	introduced = []string{Introduced, RelatedTo, Mentions}
)

var senses = []sense{
	{types: []string{ProducedBy}, things: "document note page lesson", turned: true, people: true,
		en: words{"write|author|produce|make|create|build|design|draft|compile|prepare|implement|develop|pen|compose|edit|publish|draw up|put together|put _ together",
			"author|coauthor|writer|editor|creator|producer", "document|paper|work|handiwork|writing|report|publication|article|text|manual"},
		zh: words{"产出|编写|撰写|写|写下|制作|设计|起草|开发|实现|做|编|编制|编纂|整理|执笔|创作|合写|写成",
			"作者|撰写人|产出人|执笔人|编者|编写者|编写人|撰稿人|起草人", "著作|作品|文章|文档|材料|文稿|手稿|报告"}},
	{types: []string{ProducedBy}, things: "document note page lesson",
		en: words{"from pen of|from hand of|work of|written by hand of", "", ""},
		zh: words{"出自", "", ""}},
	{types: []string{Founded}, things: "company", people: true,
		en: words{"found|start|establish|set up|set _ up|create|launch|begin|open|incorporate|start up|get _ off ground|get off ground|bring _ to life|bring to life|call _ into being|build _ from scratch|bring _ into being|behind|give birth to",
			"founder|cofounder|founding team|founding member|creator|father|mother|initiator", "brainchild|venture|startup|creation|company|firm"},
		zh: words{"创立|创办|创建|成立|建立|发起|组建|开创|开办|创|办|开|一手创办|一手创立",
			"创始人|联合创始人|创办人|创立者|创建者|创始团队|发起人|创业团队|创始成员", "公司|企业|创业公司"}},
	{types: []string{Founded}, things: "company", fellow: true, people: true,
		en: words{"", "business partner|partner|cofounder", ""},
		zh: words{"", "合伙人|创业伙伴|创业合伙人|联合创始人|创业搭档", ""}},
	{types: investing, things: "company",
		en: words{"invest in|put money into|put money in|put capital into|put cash into|fund|back|finance|bankroll|bet on|buy into|sink money into|pump money into|own stake in|own share of|own share in|hold stake in|hold share in|have stake in|give money to|write cheque for|write check for|write cheque to|lead * round in|lead * round of|lead * round for|join * round of|stand behind financially|pay for|supply capital to|provide capital to|put up money for|own piece of|have share in|share stake in",
			"investor|backer|shareholder|funder|financier|stakeholder|angel|owner of share", "investment|portfolio|portfolio company|holding|bet|stake|capital|money|funding"},
		zh: words{"投资|领投|参投|跟投|投|投钱|投了钱|注资|出资|出钱|出_钱|出的钱|入股|掏钱|砸钱|押注|投入资金|给钱|拿钱|资助",
			"投资人|投资方|投资者|投资机构|股东|出资人|出资方|金主|领投方|资方|投资基金", "投资组合|被投公司|被投企业|投资标的|投资项目|投资对象"}},
	{types: investing, things: "company", turned: true,
		en: words{"raise * from|receive * from|get money from|get * funding from|take money from|collect money from|secure * from", "", ""},
		zh: words{"拿_钱|拿_投资|获得_投资|接受_投资|得到_投资|得到_资金", "", ""}},
	{types: []string{Advises}, things: "company project", people: true,
		en: words{"advise|counsel|mentor|coach|guide|consult for|give advice to|give counsel to|give _ advice|offer advice to|offer counsel to|provide advice to|lend advice to|on advisory board of",
			"adviser|advisor|mentor|consultant|counsellor|counselor|coach|advisory board", "counsel|advice|guidance|advisee|mentee|client"},
		zh: words{"出谋划策|提供咨询|咨询|指导|辅导|出主意|建言|献策|献计|提建议|给建议|把关|参谋|出点子",
			"顾问|外部顾问|导师|参谋|智囊|军师|咨询师|顾问团", ""}},
	{types: []string{Advises}, things: "company project", turned: true,
		en: words{"go to for advice|go for advice to|turn to for advice|turn to for counsel|come to for advice|turn for advice|turn for counsel|turn to _ for advice|turn to _ for counsel|seek advice from|get advice from|take advice from|take counsel from|listen to|ask _ for advice|consult|rely on advice of|rely on counsel of", "", ""}},
	{types: []string{WorksAt}, things: "company fund", people: true,
		en: words{"work at|work for|work in|work|job at|job with|position at|post at|on payroll of|on payroll at|on staff of|on staff at|draw salary from|earn salary at|earn living at|employed at|employed with|join|with|be on team at",
			"employee|staff|staff member|worker|workforce|personnel|people at|people of|people from|person at|everyone at|everybody at|anyone at|anybody at|member", "employer|workplace|place of work|company|firm"},
		zh: words{"工作|上班|任职|就职|供职|任职于|就职于|供职于|入职|入职于|加入|做事|效力|效力于|打工|受雇于|在职|当班",
			"员工|雇员|职员|工作人员|成员|人员|人手", "雇主|东家|工作单位|就职公司|公司|单位|所在公司|任职公司"}},
	{types: []string{WorksAt}, things: "company fund", turned: true,
		en: words{"employ|hire|recruit|take on|have on payroll|pay", "", ""},
		zh: words{"雇|雇用|雇了|聘用|聘请|招聘|录用", "", ""}},
	{types: []string{WorksAt}, things: "company fund", fellow: true, people: true,
		en: words{"share employer with|share workplace with|share office with|work at same company as|work for same company as|work at same place as|work in same company as|employed by same company as|work with|work alongside|work together with",
			"colleague|coworker|workmate|peer|associate", ""},
		zh: words{"在同一家公司|同在一家公司|在一家公司|共事|是同事|在同一个单位", "同事|同僚|同仁|搭档|工作伙伴", ""}},
	{types: []string{Attended}, things: "meeting", people: true,
		en: words{"attend|join|take part in|participate in|at|present at|present for|present in|in room at|in room for|in room during|there at|there for|meet for|meet at|come to|go to|show up at|show up for|show up to|turn up at|turn up for|sit in on|dial in to|dial into|in attendance at|be to|gather for|gather at|come together for|around table at|at table for|at table at",
			"attendee|participant|people at|everyone at|everybody at|people in|guest|attendance|attendance list", "meeting|call|session"},
		zh: words{"参加|出席|到场|在场|参会|与会|到会|列席|参与|去|来|露面|在座|开",
			"参会人|参会人员|参会者|与会者|与会人员|与会人|参加者|参加人员|参加人|出席者|出席人员|出席人|出席名单|参会名单|到场人员|到会人员|签到名单|与会名单", "会议|会"}},
	{types: []string{WorksOn}, things: "project", people: true,
		en: words{"work on|responsible for|in charge of|have charge of|lead|own|maintain|manage|handle|run|develop|build|look after|take care of|care for|contribute to|involved in|participate in|busy with|busy on|assigned to|drive|oversee|head|implement|design|program|engaged in|engaged on|steer|spend time on|put time into|keep _ running|keep _ alive|take part in|behind|on",
			"owner|maintainer|lead|leader|manager|head|developer|engineer|builder|contributor|person in charge|person responsible|people responsible|people in charge|people behind|person behind|everyone behind|team behind|mind behind|brain behind|people on|everyone on|everybody on|crew|caretaker", "project|system|assignment|responsibility|job|task"},
		zh: words{"负责|主管|分管|维护|主导|牵头|管理|管|参与|参加|开发|做|忙|忙着|跟进|经手|照看|推进|主持|承担|带队|研发|运维|打理|操心|实现|设计|牵头做",
			"负责人|主管|维护者|维护人|owner|开发者|开发人员|开发人|参与者|参与人|参与人员|牵头人|主持人|经办人|项目经理|开发团队|带头人|项目成员|技术负责人|项目负责人|产品负责人|主要负责人|管理员", "项目|系统|任务|职责|工作"}},
	{types: []string{WorksOn}, things: "project", turned: true,
		en: words{"keep _ busy|keep busy|occupy|take up time of|led by", "", ""},
		zh: words{"归_管|归_负责|由_管", "", ""}},
	{types: []string{WorksOn}, things: "project", fellow: true, people: true,
		en: words{"work with|collaborate with|work alongside|work together with", "collaborator|teammate|partner", ""},
		zh: words{"合作|搭档|共事", "搭档|合作者|队友", ""}},
	{types: []string{BelongsTo}, things: "team company",
		en: words{"belong to|belong|part of|sit on|sit in|fall under|come under|live under|be in|join|serve on|on|in|make up|form",
			"member|part|component|subsidiary|division|team|group|project|product|system|service|requirement|unit|department", "team|group|parent|parent company|company|home|squad|owner"},
		zh: words{"属于|隶属|隶属于|归属|归属于|归|从属于|归_管|归_所有|是_一部分",
			"成员|组员|队员|子公司|产品|项目|系统|小组|团队|需求|部门|服务|子项目|组", "团队|小组|上级|母公司|公司|部门|所属公司|所属团队|组|老东家"}},
	{types: []string{BelongsTo}, things: "team company", turned: true,
		en: words{"own|comprise|include|contain|consist of|run|house|operate", "", ""},
		zh: words{"拥有|包括|包含|下设|设有|下辖", "", ""}},
	{types: []string{BelongsTo}, things: "team company", fellow: true, people: true,
		en: words{"share team with|in same team as|on same team as", "teammate", ""},
		zh: words{"在同一个组|在同一个团队|同组", "队友|组友", ""}},
	{types: []string{Decided}, things: "decision", people: true,
		en: words{"decide on|decide about|decide to use|decide to adopt|decide that|decide to|decide for|decide upon|decide|make|take|make decision|take decision|make call|make choice|choose|settle on|settle|settle that|rule on|rule that|rule|approve|sign off on|opt for|pick|resolve|determine|agree on|agree that|have final say on|have last word on|come up with",
			"decision maker|decider", "decision|call|idea|choice|ruling|verdict"},
		zh: words{"决定|拍板|敲定|定|定下|做主|作主|决策|选定|批准|裁定|做_决定|作_决定|做出_决定|作出_决定|做决定|作决定|做出决定|作出决定|拿主意|拿的主意|拍的板|做的决定|作的决定",
			"决策人|决策者|决定人|决定者|拍板人|拍板者", "决定|决策|主意"}},
	{types: mentioning,
		en: words{"mention|talk about|discuss|named|speak of|speak about|touch on|write about|bring up|cover", "", ""},
		zh: words{"提到|提及|提过|提起|说到|谈到|讲到|讨论|谈及|聊到|写到|谈过|讲过", "", ""}},
	{types: mentioning, turned: true,
		en: words{"come up|appear|occur|turn up|crop up|feature|show up|pop up", "", ""},
		zh: words{"出现在|出现", "", ""}},
	{types: []string{Source},
		en: words{"come from|originate from|originate in|stem from|taken from", "", "source|origin"},
		zh: words{"来自|出自|源自|来源于|源于|来自于", "", "来源|出处"}},
	{types: referring,
		en: words{"reference|refer to|cite|link to|point to|depend on|rely on|use|require|base on|build on|rest on|draw on|rest upon|build upon|base upon|lean on|quote|stand on|rooted in|founded on|ground in|hinge on",
			"", "dependency|reference|citation|source|basis|outgoing link|foundation|bibliography"},
		zh: words{"依赖|引用|用到|使用|链接到|指向|在用|参考|参照|依据|基于|援引|借鉴|根据|建立在", "",
			"依赖|依赖项|上游|参考文献|参考资料|依据|根据|来源|出处"}},
}

// term is a word or phrase of the lexicon with all that it may mean.
type term struct {
	text  string
	means []meaning
}

// words are those of an English phrase.
func (t *term) words() []string { return strings.Fields(t.text) }

// halves are what a Chinese phrase has around its name; the second is empty
// where it has none.
func (t *term) halves() (before, after string) {
	before, after, _ = strings.Cut(t.text, "_")
	return before, after
}

type meaning struct {
	*sense
	form form
}

type form uint8

const (
	verb form = iota
	doerNoun
	objectNoun
)

// asked is the side that a noun names.
func (f form) asked() role {
	if f == objectNoun {
		return object
	}
	return doer
}

// phrases is a set of phrases, made when first asked for.
func phrases(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for p := range strings.SplitSeq(list, "|") {
			set[p] = true
		}
		return set
	})
}

// The built-in terms: English phrases by their first word, Chinese ones by their first
// character.
var (
	englishTerms = sync.OnceValue(func() map[string][]*term { return gather(false, senses) })
	chineseTerms = sync.OnceValue(func() map[string][]*term { return gather(true, senses) })
)

func gather(chinese bool, senses []sense) map[string][]*term {
	arena := make([]term, 0, 640) // one allocation while it suffices
	by := make(map[string][]*term, 512)
	add := func(list string, m meaning) {
		for text := range strings.SplitSeq(list, "|") {
			if text == "" {
				continue
			}
			first := text
			if chinese {
				first = firstRune(text)
			} else if i := strings.IndexByte(text, ' '); i > 0 {
				first = text[:i]
			}
			at := slices.IndexFunc(by[first], func(t *term) bool { return t.text == text })
			if at >= 0 {
				by[first][at].means = append(by[first][at].means, m)
				continue
			}
			arena = append(arena, term{text, []meaning{m}})
			by[first] = append(by[first], &arena[len(arena)-1])
		}
	}
	for i := range senses {
		s := &senses[i]
		w := s.en
		if chinese {
			w = s.zh
		}
		add(w.verbs, meaning{s, verb})
		add(w.doers, meaning{s, doerNoun})
		add(w.objects, meaning{s, objectNoun})
	}
	return by
}

// size is by how much a phrase is preferred to a shorter one.
func (t *term) size() int {
	return len(t.text) + 100*(strings.Count(t.text, " ")+strings.Count(t.text, "_"))
}

func firstRune(s string) string {
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}

// PersonKind is the kind of page that "who" asks for. A page is of a kind by its
// type, folder or tag, in either language.
const PersonKind = "person"

var kinds = sync.OnceValue(func() map[string]string {
	set := map[string]string{}
	for kind, names := range map[string]string{
		PersonKind: `person people persons everyone everybody anyone anybody human contact contacts member members employee employees staff engineer engineers developer developers designer designers manager managers founder founders
			entrepreneur entrepreneurs author authors adviser advisers advisor advisors analyst analysts individual individuals men women
			人 人物 人员 员工 成员 组员 队员 个人 联系人 哪些人`,
		"company": `company companies firm firms startup startups business businesses corporation corporations organization organizations
			organisation organisations employer employers org orgs customer customers client clients 公司 企业 单位 机构 组织 客户 家公司`,
		"fund":     `fund funds vc 基金 资本 投资机构`,
		"team":     `team teams group groups squad squads department departments crew crews unit units 团队 组 小组 部门 班组`,
		"project":  `project projects system systems product products service services application applications app apps 项目 系统 产品 服务 应用 计划`,
		"meeting":  `meeting meetings call calls session sessions workshop workshops standup standups 会议 会 周会 例会 评审会 会议纪要`,
		"decision": `decision decisions adr adrs 决定 决策 事`,
		"document": `document documents doc docs paper papers report reports article articles manual manuals file files text texts
			文档 文件 材料 报告 资料 文章 手册 文稿`,
		"note":        `note notes journal journals 笔记 日记 便条`,
		"requirement": `requirement requirements story stories 需求`,
		"lesson":      `lesson lessons 教训`,
		"page":        `page pages 页面`,
	} {
		for _, w := range strings.Fields(names) {
			set[w] = kind
		}
	}
	return set
})
