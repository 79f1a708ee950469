package evals

// How the pages of the world say what they say. {S} is the subject of a
// relation, {O} its object, one of them the page itself; {s} a pronoun; several
// subjects or objects are joined. Sentences are varied on purpose: nobody
// should learn the engine's patterns from them or write patterns after them.
type phrases struct {
	subject []string // on the subject's page, one object
	many    []string // on the subject's page, several objects
	object  []string // on the object's page, one subject
	joint   []string // on the object's page, several subjects
	denied  []string // on the subject's page: denies the relation
	absent  []string // on the object's page: denies the relation
}

var phrasesEN = map[string]phrases{
	"works_at": {
		subject: []string{
			"{S} works at {O}.",
			"{S} joined {O} as {role} in {year}.",
			"Since {year} {s} has been {role} at {O}.",
			"{S} is employed by {O} as {role}.",
			"{S} has worked for {O} since {year}.",
			"{S} is {role} at {O}, and likes it there.",
			"By day {s} is on the staff of {O}.",
		},
		object: []string{
			"{S} joined us as {role} in {year}.",
			"{S} works here as {role}.",
			"{S} has been with {O} since {year}.",
			"{O} hired {S} as {role} in {year}.",
			"Our {role} is {S}.",
			"{O} employs {S}, {role}.",
		},
		joint: []string{
			"{S} work at {O}.",
			"The staff includes {S}.",
			"{O} employs {S}.",
		},
		denied: []string{
			"{S} left {O} in {year}.",
			"{S} worked at {O} until {year} and no longer does.",
			"{S} turned down an offer from {O}.",
			"{S} has never worked at {O}, although the old directory says so.",
		},
	},
	"founded": {
		subject: []string{
			"{S} founded {O} in {year}.",
			"{S} started {O} from a rented garage.",
			"{O} was set up by {S} in {year}.",
			"{S} is the founder of {O}.",
			"In {year} {s} founded {O}, against the advice of most friends.",
		},
		object: []string{
			"{O} was founded by {S} in {year}.",
			"{S} founded {O} in {year}, in a room above a bakery.",
			"The founder is {S}.",
			"It was {S} who started {O}.",
			"{O} was established in {year} by {S}.",
		},
		joint: []string{
			"{O} was founded in {year} by {S}.",
			"{S} co-founded {O} in {year}.",
			"The founders are {S}.",
			"{O} was started by {S} after a conference.",
		},
		denied: []string{
			"Contrary to an old press note, {S} did not found {O}.",
			"{S} is often taken for a founder of {O}, which is wrong.",
		},
	},
	"invested_in": {
		subject: []string{
			"{S} invested in {O} in {year}.",
			"{S} led the seed round of {O}.",
			"{S} backs {O} since {year}.",
			"{S} holds a stake in {O}.",
			"{S} put two million into {O} in {year}.",
		},
		many: []string{
			"{S} invested in {O}.",
			"The portfolio holds {O}.",
			"{S} has backed {O}.",
		},
		object: []string{
			"{S} invested in {O} in {year}.",
			"The first round was led by {S}.",
			"{O} is backed by {S}.",
			"{S} became an investor in {year}.",
			"{O} raised money from {S} in {year}.",
		},
		joint: []string{
			"{O} is funded by {S}.",
			"Investors: {S}.",
			"{S} invested in {O}.",
			"{O} raised its money from {S}.",
		},
		denied: []string{
			"{S} never invested in {O}.",
			"{S} looked at {O} twice and did not invest.",
			"{S} sold its whole stake in {O} in {year}.",
			"{S} declined to fund {O}.",
		},
	},
	"advises": {
		subject: []string{
			"{S} advises {O} on hiring.",
			"{S} has been an adviser to {O} since {year}.",
			"{S} sits on the advisory board of {O}.",
			"Twice a month {s} counsels {O}.",
			"{O} is advised by {S} on safety matters.",
		},
		many: []string{
			"{S} advises {O}.",
			"{S} is an adviser to {O}.",
			"{S} gives advice to {O}.",
		},
		object: []string{
			"{S} advises {O} on regulation.",
			"The adviser of {O} is {S}.",
			"{O} is advised by {S}.",
			"{S} joined the advisory board in {year}.",
		},
		joint: []string{
			"{O} is advised by {S}.",
			"Advisers: {S}.",
		},
		denied: []string{
			"{S} was asked to advise {O} and said no.",
			"{S} stopped advising {O} in {year}.",
			"{S} does not advise {O}.",
		},
	},
	"works_on": {
		subject: []string{
			"{S} works on {O}.",
			"{S} is building {O}.",
			"{S} leads {O}.",
			"Most of {poss} week goes into work on {O}.",
			"{S} is responsible for {O}.",
			"{S} maintains {O} together with others.",
		},
		many: []string{
			"{S} works on {O}.",
			"{S} contributes to {O}.",
		},
		object: []string{
			"{S} works on {O}.",
			"{O} is maintained by {S}.",
			"{S} leads the work on {O}.",
			"{S} is in charge of {O}.",
			"{O} is being built by {S}.",
		},
		joint: []string{
			"{S} work on {O}.",
			"{O} is developed by {S}.",
			"The people behind {O} are {S}.",
		},
		denied: []string{
			"{S} no longer works on {O}.",
			"{S} never worked on {O}, whatever the org chart says.",
			"{S} handed {O} over in {year}.",
		},
	},
	"belongs_to": {
		subject: []string{
			"{S} belongs to {O}.",
			"{S} is part of {O}.",
			"{S} is owned by {O}.",
			"{S} is one of the things {O} runs.",
		},
		object: []string{
			"{S} is part of {O}.",
			"{S} belongs to {O}.",
			"{O} runs {S}.",
			"{O} includes {S}.",
		},
		joint: []string{
			"{S} belong to {O}.",
			"{O} is made up of {S}.",
			"{O} consists of {S}.",
		},
		denied: []string{
			"{S} does not belong to {O}, though the two share a floor.",
			"Until {year} {S} was part of {O}.",
		},
	},
	"decided": {
		subject: []string{
			"{S} decided {O}.",
			"The decision {O} was taken by {S}.",
			"It was {S} who decided: {O}.",
		},
		object: []string{
			"Decided by {S}.",
			"{S} decided this after a week of trials.",
			"The decision was made by {S}.",
			"{S} made the call.",
		},
		joint: []string{
			"Decided by {S}.",
			"{S} decided this together.",
			"The decision was taken by {S}.",
		},
		absent: []string{
			"{S} was against it and did not decide anything here.",
			"It was not {S} who decided this, as was later claimed.",
		},
	},
	"produced_by": {
		subject: []string{
			"This document was produced by {O}.",
			"Written by {O}.",
			"{O} wrote it.",
			"Prepared by {O}.",
			"The author is {O}.",
		},
		many: []string{
			"Written by {O}.",
			"{O} produced this document.",
		},
		object: []string{
			"{O} wrote {S}.",
			"{O} is the author of {S}.",
			"{S} was written by {O}.",
		},
		denied: []string{
			"It was not written by {O}, whose name stood on an early draft.",
		},
	},
	"references": {
		subject: []string{
			"It cites {O}.",
			"See {O}.",
			"This builds on {O}.",
			"The figures refer to {O}.",
		},
		many: []string{
			"References: {O}.",
			"See also {O}.",
		},
	},
	"attended": {
		subject: []string{
			"{S} attended {O}.",
			"{S} took part in {O}.",
			"{S} was present at {O}.",
		},
		object: []string{
			"{S} attended as well.",
			"{S} joined by video.",
		},
		joint: []string{
			"Attendees: {S}.",
			"Present: {S}.",
			"{S} attended.",
			"{S} took part.",
			"In the room were {S}.",
		},
		absent: []string{
			"Apologies: {S}.",
			"{S} could not attend.",
			"{S} was invited and did not come.",
		},
	},
	"concerns": { // a mention that says what a page is about
		subject: []string{
			"The subject was {O}.",
			"All of this concerns {O}.",
			"It is about {O} and nothing else.",
		},
	},
	"mentions": {
		subject: []string{
			"Somebody asked whether {O} had a stand this year.",
			"The poster on the wall shows {O}.",
			"A question about {O} stayed open.",
			"The name {O} came up once more.",
			"There is a long passage about {O} in the newsletter.",
			"At the next table people talked about {O}.",
			"We compared notes with what {O} had said in spring.",
		},
		many: []string{
			"On the list stand {O}, in no order.",
			"The photograph shows {O}, who met that day for the first time.",
			"I keep mixing up {O}.",
			"Names that fell: {O}.",
			"Cards go to {O}.",
		},
	},
}

var phrasesZH = map[string]phrases{
	"works_at": {
		subject: []string{
			"{S}任职于{O}，担任{role}。",
			"{S}于{year}年入职{O}。",
			"{S}现在{O}做{role}。",
			"{S}是{O}的{role}。",
			"{year}年起，{S}供职于{O}。",
			"{S}就职于{O}，已经好几年了。",
			"{S}在{O}上班，职务是{role}。",
		},
		object: []string{
			"{S}是这里的{role}，{year}年入职。",
			"{S}在{O}担任{role}。",
			"{S}于{year}年加入{O}。",
			"{O}的{role}是{S}。",
			"{O}聘请了{S}做{role}。",
		},
		joint: []string{
			"{S}都在{O}工作。",
			"员工有{S}。",
			"{S}任职于{O}。",
		},
		denied: []string{
			"{S}已于{year}年从{O}离职。",
			"{S}在{O}工作到{year}年，如今不在那里了。",
			"{S}没有接受{O}的录用。",
			"{S}从未在{O}任职，旧名录写错了。",
		},
	},
	"founded": {
		subject: []string{
			"{S}于{year}年创立{O}。",
			"{S}创办了{O}。",
			"{O}由{S}创立。",
			"{S}是{O}的创始人。",
			"{year}年，{S}白手起家成立了{O}。",
		},
		object: []string{
			"{O}由{S}创立，时间是{year}年。",
			"创始人是{S}。",
			"{year}年，{S}在一间旧仓库里创办了{O}。",
			"{O}是{S}一手创立的。",
		},
		joint: []string{
			"{O}由{S}共同创立。",
			"{S}在{year}年一起创办了{O}。",
			"创始人有{S}。",
			"{O}是{S}合伙创立的。",
		},
		denied: []string{
			"报道有误，{S}并没有创立{O}。",
			"常有人以为{S}是{O}的创始人，其实不是。",
		},
	},
	"invested_in": {
		subject: []string{
			"{S}于{year}年投资了{O}。",
			"{S}领投了{O}的种子轮。",
			"{S}持有{O}的股份。",
			"{S}在{year}年入股{O}。",
		},
		many: []string{
			"{S}投资了{O}。",
			"投资组合里有{O}。",
			"{S}先后投过{O}。",
		},
		object: []string{
			"{O}获得{S}的投资。",
			"{S}在{year}年投资了{O}。",
			"首轮融资由{S}领投。",
			"{O}的投资方是{S}。",
		},
		joint: []string{
			"{O}的投资方有{S}。",
			"{S}共同投资了{O}。",
			"{O}拿到了{S}的钱。",
		},
		denied: []string{
			"{S}从未投资{O}。",
			"{S}看过{O}两次，最后没有投。",
			"{S}已在{year}年退出{O}的全部股份。",
		},
	},
	"advises": {
		subject: []string{
			"{S}担任{O}的顾问。",
			"{S}自{year}年起为{O}提供咨询。",
			"{S}是{O}的顾问，每月去两天。",
			"{O}聘请{S}做安全顾问。",
		},
		many: []string{
			"{S}同时担任{O}的顾问。",
			"{S}为{O}提供咨询。",
			"{S}是{O}的顾问。",
		},
		object: []string{
			"{O}的顾问是{S}。",
			"{S}担任{O}的顾问。",
			"{S}为{O}出谋划策，{year}年受聘。",
		},
		joint: []string{
			"{O}的顾问有{S}。",
			"{S}担任{O}的顾问。",
		},
		denied: []string{
			"{S}婉拒了{O}的顾问邀请。",
			"{S}{year}年起不再担任{O}的顾问。",
			"{S}不是{O}的顾问。",
		},
	},
	"works_on": {
		subject: []string{
			"{S}负责{O}。",
			"{S}参与{O}的开发。",
			"{S}牵头{O}。",
			"{S}大部分时间在做{O}。",
			"{S}主导{O}。",
			"{S}在维护{O}。",
		},
		many: []string{
			"{S}负责{O}。",
			"{S}参与了{O}。",
		},
		object: []string{
			"{O}由{S}负责。",
			"{S}负责{O}的日常维护。",
			"{O}由{S}牵头。",
			"{S}正在开发{O}。",
			"{S}主持{O}的工作。",
		},
		joint: []string{
			"{O}由{S}负责。",
			"{S}一起开发{O}。",
			"参与{O}的有{S}。",
		},
		denied: []string{
			"{S}已不再负责{O}。",
			"{S}从未参与{O}，组织图画错了。",
			"{S}在{year}年把{O}移交给了别人。",
		},
	},
	"belongs_to": {
		subject: []string{
			"{S}属于{O}。",
			"{S}隶属{O}。",
			"{S}归{O}管。",
			"{S}是{O}的一部分。",
		},
		object: []string{
			"{S}属于{O}。",
			"{O}下设{S}。",
			"{S}隶属{O}。",
			"{O}旗下有{S}。",
		},
		joint: []string{
			"{S}属于{O}。",
			"{O}的成员有{S}。",
			"{O}由{S}组成。",
		},
		denied: []string{
			"{S}不属于{O}，只是同在一层楼。",
			"{year}年以前{S}归{O}，现在不是了。",
		},
	},
	"decided": {
		subject: []string{
			"{S}决定了{O}。",
			"{O}是{S}拍板的。",
			"{O}这一条由{S}决定。",
		},
		object: []string{
			"由{S}决定。",
			"{S}试了一周以后作出这个决定。",
			"拍板的是{S}。",
			"决定人是{S}。",
		},
		joint: []string{
			"由{S}共同决定。",
			"{S}一起作出了这个决定。",
		},
		absent: []string{
			"{S}当时反对，并没有参与决定。",
			"外面传说是{S}决定的，不对。",
		},
	},
	"produced_by": {
		subject: []string{
			"本文由{O}撰写。",
			"作者是{O}。",
			"{O}写了这份材料。",
			"由{O}编写，内部传阅。",
		},
		many: []string{
			"本文由{O}合写。",
			"作者是{O}。",
		},
		object: []string{
			"{O}撰写了{S}。",
			"{S}出自{O}之手。",
			"{O}是{S}的作者。",
		},
		denied: []string{
			"不是{O}写的，早期草稿上署错了名。",
		},
	},
	"references": {
		subject: []string{
			"参见{O}。",
			"引用了{O}。",
			"数据出自{O}。",
			"依据是{O}。",
		},
		many: []string{
			"参考：{O}。",
			"另见{O}。",
		},
	},
	"attended": {
		subject: []string{
			"{S}参加了{O}。",
			"{S}出席了{O}。",
			"{S}列席{O}。",
		},
		object: []string{
			"{S}也参加了。",
			"{S}远程参会。",
		},
		joint: []string{
			"参会：{S}。",
			"出席：{S}。",
			"{S}参加了会议。",
			"到场的有{S}。",
		},
		absent: []string{
			"请假：{S}。",
			"{S}未出席。",
			"{S}受到邀请，没有来。",
		},
	},
	"concerns": {
		subject: []string{
			"说的是{O}。",
			"这件事只和{O}有关。",
			"主题是{O}。",
		},
	},
	"mentions": {
		subject: []string{
			"有人问起{O}今年有没有展位。",
			"墙上的海报画着{O}。",
			"关于{O}的问题没有问完。",
			"又听到了{O}这个名字。",
			"通讯里有一大段讲{O}。",
			"邻桌在聊{O}。",
			"和春天{O}说过的话对了一下。",
		},
		many: []string{
			"名单上写着{O}，不分先后。",
			"照片里是{O}，那天第一次见面。",
			"总把{O}弄混。",
			"席间提到的名字：{O}。",
			"贺卡寄给{O}。",
		},
	},
}

var (
	rolesEN = []string{"head of operations", "field engineer", "staff engineer", "product lead", "finance lead", "test engineer", "data analyst", "safety officer", "site manager", "interaction designer"}
	rolesZH = []string{"运营主管", "现场工程师", "资深工程师", "产品经理", "财务主管", "测试工程师", "数据分析师", "安全主管", "驻场经理", "交互设计师"}
)
