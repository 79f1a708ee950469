package graph

import "sync"

// The forms of relational questions, tried from the top: df-memory's 18
// templates, gbrain's relational questions, and the freer ways in which both
// are asked. A folded question is lower case; a Chinese one has no blanks
// beside Chinese characters.
//
// The direction is that of the statement an edge stands for, so alice→acme
// founded: "who founded Acme" follows edges into Acme. "produced_by" points
// from the product to its maker. Where a page cannot know who did what to
// whom (a meeting that lists people), the edge may stand the other way round;
// Answer takes such edges second.

var (
	mentioning = []string{Mentions, References}
	referring  = []string{References, Mentions}
	investing  = []string{InvestedIn, LedRound}
	introduced = []string{Introduced, RelatedTo, Mentions}
)

var englishForms = sync.OnceValue(func() []pattern {
	return compile([]pattern{
		{"works_on-out", []string{"work", "responsible", "charge", "own", "lead", "maintain", "manage"}, []string{WorksOn}, Out, false, []form{
			{expr: `(?:what|which)(?: \w+)? (?:does|did|do|is|are|was|has) {x} (?:work|working|worked|been working) on`, example: "What is Alice working on?"},
			{expr: `(?:what|which)(?: \w+)? (?:is|are|was) {x} (?:responsible for|in charge of)`, example: "what is Bob in charge of"},
			{expr: `(?:what|which)(?: \w+)? (?:does|did|do) {x} (?:own|lead|maintain|manage)`, example: "which services does Bob own"},
		}},
		{"references-in", []string{"refer", "cite", "link", "point", "depend", "rel", "use", "require"}, referring, In, false, []form{
			{expr: `(?:what|who|which \w+) (?:references?|referenced|refers? to|cites?|cited|links? to|points? to|depends? on|relies on|rely on|uses?|requires?) {x}`, example: "Which services depend on Redis?"},
		}},
		{"connection", []string{"connect", "link", "tie", "relat", "path"}, nil, Both, false, []form{
			{expr: `(?:what|which|how|who)(?: \w+)?? (?:connects?|links?|ties) {x} (?:and|to|with) {y}`, example: "What connects Alice and Acme?"},
			{expr: `(?:what(?:'s| is| are| was) |is there |are there |find |show )?(?:the |a |any )?(?:connections?|links?|ties|relations?|relationships?|paths?) between {x} and {y}`, example: "What is the connection between Alice Smith and Acme Corp?"},
			{expr: `how (?:is|are|was|were|do|does) {x} (?:and|to|with) {y} (?:connected|related|linked|tied|relate|connect)(?: to each other)?`, example: "How are Alice and Bob connected?"},
			{expr: `how (?:is|are|was|were|do|does) {x} (?:connected|related|linked|tied|relate|connect) (?:to|with) {y}`, example: "how is Redis related to the payment system"},
		}},
		{"introduced", []string{"introduced", "connected", "referred"}, introduced, In, true, []form{
			{expr: `who (?:has )?(?:introduced|connected|referred) (?:me|us) (?:to|with) {x}`, example: "Who introduced me to Carol?"},
		}},
		{"inside", []string{"who "}, []string{WorksAt}, In, true, []form{
			{expr: `who (?:at|from|in|inside) {x} (?:works? on|worked on|leads?|runs?|owns?|manages?|maintains?|(?:is|are) (?:working on|responsible for|in charge of|leading)) {y}`, example: "Who at Acme works on Payments?"},
		}},
		{"works_on", []string{"work", "lead", "run", "own", "maintain", "manage", "responsible", "charge", "handle"}, []string{WorksOn}, In, true, []form{
			{expr: `(?:who|which people) (?:works?|worked|(?:is|are|was|were|has been|have been|started) working) on {x}`, example: "who is working on the Payment Gateway?"},
			{expr: `who (?:leads?|led|runs?|owns?|owned|maintains?|maintained|manages?|managed|handles?|handled|(?:is|are|was|were) (?:responsible for|in charge of|leading|running|maintaining|managing)) {x}`, example: "Who is responsible for billing?"},
			{expr: `(?:who (?:is|are|was|were) )?(?:the )?(?:owners?|maintainers?|leads?|leaders?|managers?|person in charge|person responsible|people responsible) (?:of|for) {x}`, example: "Who is the maintainer of Atlas"},
			{expr: `(?:who (?:is|are|was|were) )?{x}'s? (?:owners?|maintainers?|leads?|leaders?|managers?)`, example: "who is Atlas's owner"},
		}},
		{"invested_in-out", []string{"invest", "fund", "back", "portfolio"}, investing, Out, false, []form{
			{expr: `(?:what|which|who|whom)(?: \w+){0,2}? (?:did|does|do|has|have) {x} (?:invest(?:ed)? in|fund(?:ed)?|back(?:ed)?)`, example: "What companies did Sequoia invest in?"},
			{expr: `(?:what (?:is|are) )?{x}'s? (?:investments?|portfolio)`, example: "what are Sequoia's investments"},
		}},
		{"invested_in", []string{"invest", "fund", "back", "financ", "round"}, investing, In, true, []form{
			{expr: `(?:who|which \w+) (?:has |have )?(?:invest(?:s|ed)? in|fund(?:s|ed)?|back(?:s|ed)?|financ(?:es|ed)|(?:co-?)?led (?:the |a |an )?(?:[\w-]+ ){0,3}round (?:in|of|for|at)) {x}`, example: "Who led the seed round in Acme?"},
			{expr: `(?:who (?:is|are|was|were) )?(?:the |an? )?(?:investors?|backers?) (?:of|in|behind) {x}`, example: "who are the investors in Acme"},
			{expr: `(?:who (?:is|are|was|were) )?{x}'s? (?:investors?|backers?)`, example: "Acme's investors"},
		}},
		{"founded-out", []string{"found", "start", "establish"}, []string{Founded}, Out, false, []form{
			{expr: `(?:what|which)(?: \w+)? (?:did|does|has) {x} (?:co-?)?(?:found(?:ed)?|start(?:ed)?|establish(?:ed)?)`, example: "Which companies did Alice co-found?"},
		}},
		{"founded", []string{"found", "start", "establish", "set up"}, []string{Founded}, In, true, []form{
			{expr: `(?:who|which \w+) (?:has |have )?(?:co-?)?(?:founds?|founded|starts?|started|established|set up) {x}`, example: "Who co-founded Acme?"},
			{expr: `(?:who (?:is|are|was|were) )?(?:the |an? )?(?:co-?)?founders? (?:of|behind) {x}`, example: "who are the founders of Acme Inc."},
			{expr: `(?:who (?:is|are|was|were) )?{x}'s? (?:co-?)?founders?`, example: "Acme's founder"},
			{expr: `(?:who|by whom) was {x} (?:co-?)?(?:founded|started|established)(?: by)?`, example: "who was Acme founded by?"},
			{expr: `{x} was (?:co-?)?(?:founded|started|established) by whom?`, example: "Acme was founded by whom?"},
		}},
		{"advises-out", []string{"advis", "mentor"}, []string{Advises}, Out, false, []form{
			{expr: `(?:who|whom|what|which)(?: \w+)? (?:does|did|is|has) {x} (?:advis(?:e|ed|ing)|mentor(?:ed|ing)?)`, example: "Which startups does Carol advise?"},
		}},
		{"advises", []string{"advis", "mentor"}, []string{Advises}, In, true, []form{
			{expr: `(?:who|which \w+) (?:has |have |is |are )?(?:advis(?:es?|ed|ing)|mentor(?:s|ed|ing)?) {x}`, example: "Who advises Acme?"},
			{expr: `(?:who (?:is|are|was|were) )?(?:the |an? )?(?:advis[eo]rs?|mentors?) (?:of|to|for|at) {x}`, example: "who are the advisors of Acme"},
			{expr: `(?:who (?:is|are|was|were) )?{x}'s? (?:advis[eo]rs?|mentors?)`, example: "who is Acme's advisor"},
		}},
		{"works_at-out", []string{"work", "employ"}, []string{WorksAt}, Out, false, []form{
			{expr: `where (?:does|did|do|is|was|has) {x} (?:work|working|worked|employed)`, example: "Where does Alice work?"},
			{expr: `(?:what|which|who|whom)(?: \w+)? (?:does|did|do|is) {x} (?:work|working) (?:at|for)`, example: "which company does Alice work for"},
			{expr: `(?:who|which \w+) (?:employs|employed) {x}`, example: "who employs Alice?"},
			{expr: `(?:who (?:is|was) |what (?:is|was) )?(?:{x}'s? employer)`, example: "what is Alice's employer"},
		}},
		{"works_at", []string{"work", "employ", "staff", "people at"}, []string{WorksAt}, In, true, []form{
			{expr: `(?:who|which people|what people) (?:works?|worked|(?:is|are|was|were) (?:working|employed)) (?:at|for|by) {x}`, example: "Who works at Acme?"},
			{expr: `(?:who (?:is|are) )?(?:the )?(?:employees?|staff|people) (?:of|at) {x}`, example: "the employees of Acme"},
			{expr: `who (?:does|did) {x} employ`, example: "who does Acme employ"},
		}},
		{"attended-out", []string{"attend"}, []string{Attended}, Out, false, []form{
			{expr: `(?:what|which)(?: \w+)? (?:did|does|has|have) {x} attend(?:ed)?`, example: "Which meetings did Bob attend?"},
		}},
		{"attended", []string{"attend", "joined", "particip", "took part", "at "}, []string{Attended}, In, true, []form{
			{expr: `(?:who|which people) (?:attend(?:s|ed)?|joined|participated in|took part in|(?:was|were) at) {x}`, example: "Who attended the Kickoff Meeting?"},
			{expr: `(?:who (?:is|are|was|were) )?(?:the )?(?:attendees?|participants?) (?:of|at|in) {x}`, example: "attendees of the kickoff meeting"},
		}},
		{"decided-out", []string{"decide", "decision"}, []string{Decided}, Out, false, []form{
			{expr: `(?:what|which)(?: \w+)? (?:did|has|does) {x} decided?(?: on)?`, example: "What did Alice decide?"},
			{expr: `(?:what|which) decisions? (?:did|has|does) {x} (?:make|made|take|taken)`, example: "which decisions did Alice make"},
		}},
		{"decided", []string{"decide", "decision", "chose"}, []string{Decided}, In, true, []form{
			{expr: `who (?:has )?(?:decided|made the decision|chose)(?: on| about| to use| to adopt| to)?? {x}`, example: "Who decided on PostgreSQL?"},
		}},
		{"produced_by-out", []string{"produce", "make", "made", "writ", "author", "creat", "buil", "design"}, []string{ProducedBy}, In, false, []form{
			{expr: `(?:what|which)(?: \w+)? (?:did|has|have|does) {x} (?:produced?|make|made|write|written|author|authored|create|created|build|built|design|designed)`, example: "What did Bob write?"},
		}},
		{"produced_by", []string{"produce", "make", "made", "wr", "author", "creat", "buil", "design", "implement", "develop"}, []string{ProducedBy}, Out, true, []form{
			{expr: `who (?:has )?(?:produces?|produced|makes?|made|writes?|wrote|written|authored|creates?|created|builds?|built|designed|implemented|develops?|developed) {x}`, example: "Who produced the Migration Report?"},
			{expr: `(?:who (?:is|are|was|were) )?(?:the |an? )?(?:authors?|creators?) of {x}`, example: "who is the author of the Migration Report"},
			{expr: `(?:who|by whom) was {x} (?:produced|made|written|authored|created|built|designed|implemented|developed)(?: by)?`, example: "who was Atlas built by"},
		}},
		{"belongs_to", []string{"belong"}, []string{BelongsTo}, In, false, []form{
			{expr: `(?:what|who|which \w+) belongs? to {x}`, example: "what belongs to the Platform Team"},
		}},
		{"belongs_to-out", []string{"belong"}, []string{BelongsTo}, Out, false, []form{
			{expr: `(?:what|who|whom|which|where)(?: \w+)? (?:does|do|did) {x} belong(?: to)?`, example: "Which team does Atlas belong to?"},
		}},
		{"belongs_to-statement", []string{"belong"}, []string{BelongsTo}, In, false, []form{
			{expr: `(?:does |do )?(?:.+?) belongs? to {y}`, example: "Atlas belongs to Platform Team"},
		}},
		{"mentions-out", []string{"mention", "talk", "discuss"}, mentioning, Out, false, []form{
			{expr: `(?:who|whom|what|which)(?: \w+)? (?:did|does|do|has) {x} (?:mention(?:ed)?|talk(?:ed)? about|discuss(?:ed)?)`, example: "Who does the Q3 Report mention?"},
		}},
		{"mentions", []string{"mention", "talk", "discuss"}, mentioning, In, false, []form{
			{expr: `(?:who|what|which \w+) (?:has |have )?(?:mention(?:s|ed)?|talk(?:s|ed)? about|discuss(?:es|ed)?) {x}`, example: "Which pages mention Redis?"},
			{expr: `where (?:is|are|was|were) {x} (?:mentioned|discussed)`, example: "where is Redis mentioned"},
			{expr: `(?:all )?(?:pages?|notes?|documents?|docs|everything|anyone|people)(?: that| which| who)? (?:mentions?|mentioning) {x}`, example: "notes that mention Redis"},
		}},
		{"references-out", []string{"refer", "cite", "link", "point", "depend", "rely", "use", "require"}, referring, Out, false, []form{
			{expr: `(?:what|which|who)(?: \w+)? (?:does|do|did) {x} (?:reference|refer to|cite|link to|point to|depend on|rely on|use|require)`, example: "What does Atlas depend on?"},
			{expr: `(?:what are )?(?:the )?(?:dependencies|references|citations|outgoing links) (?:of|for|in) {x}`, example: "what are the dependencies of Atlas"},
			{expr: `(?:what are )?{x}'s? (?:dependencies|references)`, example: "Atlas's dependencies"},
			{expr: `{x} references`, example: "Atlas references"},
		}},
		{"backlinks", []string{"link"}, nil, In, false, []form{
			{expr: `(?:what are |show |list )?(?:the |all )?(?:backlinks|back links|inbound links|incoming links|links) (?:of|to|for) {x}`, example: "show all backlinks to Redis"},
		}},
		{"related", []string{"related", "connected", "linked"}, nil, Both, false, []form{
			{expr: `(?:who|what|which \w+) (?:is|are) (?:related|connected|linked) (?:to|with) {x}`, example: "What is related to Redis?"},
			{expr: `(?:all )?(?:pages?|notes?|people|everything|anything|things) (?:that (?:is|are) )?(?:related|connected|linked) to {x}`, example: "everything related to Redis"},
		}},
		{"source", []string{"source", "origin", "come from", "came from"}, []string{Source}, Out, false, []form{
			{expr: `(?:what (?:is|are|was) )?(?:the )?(?:sources?|origins?) (?:of|for|behind) {x}`, example: "What is the source of the Q3 Figures?"},
			{expr: `where (?:does|did|do) {x} come from`, example: "where does the Q3 figure come from"},
		}},
	})
})

var chineseForms = sync.OnceValue(func() []pattern {
	return compile([]pattern{
		{"zh-connection", []string{"关系", "联系", "关联", "认识"}, nil, Both, false, []form{
			{expr: `{x}(?:和|与|跟|同|及){y}(?:之间)?(?:到底|究竟)?(?:的|是|有|存在)?(?:什么|哪些|何)?(?:关系|联系|关联)(?:是?什么|有哪些|如何|怎么样|怎样)?`, example: "张三和 Acme 是什么关系？"},
			{expr: `{x}(?:和|与|跟|同){y}(?:之间)?是?(?:怎么|如何|怎样)(?:联系|关联|连接|认识)(?:起来|在一起|上)?的?`, example: "张三和李四是怎么认识的"},
		}},
		{"zh-introduced", []string{"介绍", "引荐"}, introduced, In, true, []form{
			{expr: `谁(?:把|将){x}(?:介绍|引荐)给了?我们?的?`, example: "谁把王五介绍给我的？"},
			{expr: `谁(?:介绍|引荐)了?我们?(?:去)?认识了?{x}(?:的)?`, example: "谁介绍我认识王五的"},
			{expr: `谁(?:给|向|为)我们?(?:介绍|引荐)了?{x}`, example: "谁给我介绍了王五"},
		}},
		{"zh-inside", []string{"谁"}, []string{WorksAt}, In, true, []form{
			{expr: `在?{x}(?:里面?|内部|那边)是?谁在?(?:负责|主导|管理|维护|开发|做){y}`, example: "阿里巴巴内部谁负责支付系统？"},
			{expr: `谁在{x}(?:负责|主导|管理|维护|开发){y}`, example: "谁在阿里巴巴负责支付系统"},
		}},
		{"zh-decided-out", []string{"决定", "拍板", "敲定"}, []string{Decided}, Out, false, []form{
			{expr: `{x}(?:都)?(?:决定|拍板|敲定)(?:了|过)?{what}`, example: "李四决定了什么？"},
			{expr: `{x}(?:都)?(?:做|作)(?:了|过|出了?)(?:什么|哪些)(?:决定|决策)`, example: "李四做了哪些决定"},
		}},
		{"zh-works_on-out", []string{"负责", "主管", "维护", "主导", "参与", "做"}, []string{WorksOn}, Out, false, []form{
			{expr: `{x}(?:现在|目前|都|主要|在|是)*(?:负责|主管|维护|主导|参与|做)(?:的|了|过|着)?是?{what}`, example: "张三负责哪些项目？"},
			{expr: `{x}(?:是|担任)(?:哪些|哪个|什么|谁)\p{Han}{0,6}?的?负责人`, example: "张三是哪个项目的负责人"},
		}},
		{"zh-works_on", []string{"负责", "主管", "分管", "维护", "主导", "牵头", "管", "参与"}, []string{WorksOn}, In, true, []form{
			{expr: `{who}(?:在|来|是)*(?:负责|主管|分管|维护|主导|牵头|管理|参与)(?:了|着|过|的)?是?{x}`, example: "谁负责支付系统？"},
			{expr: `(?:谁|哪位)是{x}的?(?:项目|技术|产品)?(?:负责人|主管|维护者|owner)`, example: "谁是 Atlas 的负责人"},
			{expr: `{x}(?:现在|目前|主要|是|由|归|让|都|该|应该|有)*(?:谁|哪位|哪些人|什么人)(?:在|来|主要)*(?:负责|管理?|主管|维护|主导|牵头)(?:的|着)?`, example: "支付系统由谁负责"},
			{expr: `{x}的?(?:项目|技术|产品|主要)?(?:负责人|主管|维护者|owner){tail}`, example: "支付系统的负责人是谁？"},
		}},
		{"zh-mentions", []string{"提到", "提及", "提过", "说到", "谈到", "讲到", "讨论"}, mentioning, In, false, []form{
			{expr: `{ask}(?:提到|提及|提过|说到|谈到|讲到|讨论)(?:了|过)?{x}`, example: "谁提到了 Redis"},
			{expr: `{x}(?:都|曾)?(?:在|被)(?:哪里|哪儿|谁|哪些\p{Han}{0,4})(?:被)?(?:提到|提及|提过|讨论)(?:了|过)?`, example: "Redis 在哪些页面被提到过"},
		}},
		{"zh-mentions-out", []string{"提到", "提及", "谈到", "说到", "讨论"}, mentioning, Out, false, []form{
			{expr: `{x}(?:都|还|里面?|中)*(?:提到|提及|谈到|说到|讨论)(?:了|过)?{what}`, example: "季度报告提到了哪些人？"},
		}},
		{"zh-mentions-statement", []string{"提到", "提及"}, mentioning, In, false, []form{
			{expr: `(?:提到|提及)(?:了|过)?{y}(?:的(?:页面|文档|笔记|文章|内容|地方|人))?{tail}`, example: "提到 Redis 的页面有哪些"},
			{expr: `.+?(?:提到|提及)(?:了|过)?{y}`, example: "会议纪要提到了李四"},
		}},
		{"zh-references", []string{"依赖", "引用", "用到", "使用", "链接到", "指向", "在用", "用了"}, referring, In, false, []form{
			{expr: `{ask}(?:依赖|引用|用到|使用|链接到|指向|在用|用了)(?:了|着|于|过)?{x}`, example: "哪些服务依赖 Redis？"},
		}},
		{"zh-references-out", []string{"依赖", "引用", "用到", "使用", "链接到", "指向", "在用", "用了", "上游"}, referring, Out, false, []form{
			{expr: `{x}(?:都|还|主要)*(?:依赖|引用|用到|使用|链接到|指向|在用|用了)(?:了|着|于|过)?(?:的是)?{what}`, example: "支付系统依赖什么？"},
			{expr: `{x}的(?:依赖项?|上游){tail}`, example: "支付系统的依赖有哪些"},
		}},
		{"zh-citations", []string{"引用", "链接"}, referring, Both, false, []form{
			{expr: `{x}的(?:引用|链接){tail}`, example: "支付系统的引用"},
		}},
		{"zh-backlinks", []string{"反", "下游"}, nil, In, false, []form{
			{expr: `{x}的(?:反向链接|反链|下游){tail}`, example: "Redis 的反向链接"},
		}},
		{"zh-works_at-out", []string{"工作", "上班", "职", "雇主", "东家"}, []string{WorksAt}, Out, false, []form{
			{expr: `{x}(?:现在|目前|曾经?|之?前)*在(?:哪|{what})(?:工作|上班|任职|就职|供职)`, example: "张三在哪家公司工作？"},
			{expr: `{x}(?:就职|任职|供职)于{what}`, example: "张三就职于哪家公司"},
			{expr: `{x}的(?:雇主|东家|工作单位|就职公司){tail}`, example: "张三的雇主是谁"},
		}},
		{"zh-works_at", []string{"工作", "上班", "职", "员工", "雇员", "成员"}, []string{WorksAt}, In, true, []form{
			{expr: `{who}在{x}(?:工作|上班|任职|就职|供职)`, example: "谁在阿里巴巴工作？"},
			{expr: `{who}(?:就职于|任职于|供职于){x}`, example: "哪些人就职于 Acme"},
			{expr: `{x}的?(?:员工|雇员|成员){tail}`, example: "Acme 的员工有哪些"},
		}},
		{"zh-founded-out", []string{"创立", "创办", "创建", "成立"}, []string{Founded}, Out, false, []form{
			{expr: `{x}(?:联合|共同)?(?:创立|创办|创建|成立)(?:了|过|的)?是?{what}`, example: "马云创立了哪些公司？"},
		}},
		{"zh-founded", []string{"创立", "创办", "创建", "成立", "创始"}, []string{Founded}, In, true, []form{
			{expr: `{who}(?:联合|共同)?(?:创立|创办|创建|成立)(?:了|的)?是?{x}`, example: "谁创立了阿里巴巴？"},
			{expr: `{x}(?:是|由)*(?:谁|哪些人|哪位)(?:联合|共同)?(?:创立|创办|创建|成立)的?`, example: "阿里巴巴是谁创办的"},
			{expr: `(?:谁|哪位|哪些人)是{x}的?(?:联合)?创始人`, example: "谁是 Acme 的联合创始人"},
			{expr: `{x}的?(?:联合)?(?:创始人|创办人|创立者){tail}`, example: "阿里巴巴的创始人是谁"},
		}},
		{"zh-decided", []string{"决定", "拍板", "敲定", "决策", "谁定的"}, []string{Decided}, In, true, []form{
			{expr: `{who}(?:决定|拍板|敲定)(?:了|要|采用|使用)*{x}`, example: "谁决定采用 PostgreSQL？"},
			{expr: `{x}(?:是|由)*(?:谁|哪位|哪些人)(?:来)?(?:决定|拍板|敲定|定)的?`, example: "数据库选型是谁决定的"},
			{expr: `{x}的?决策(?:人|者){tail}`, example: "数据库选型的决策人是谁"},
		}},
		{"zh-produced_by-out", []string{"产出", "写", "制作", "设计", "起草", "开发"}, []string{ProducedBy}, In, false, []form{
			{expr: `{x}(?:都)?(?:产出|编写|撰写|写|制作|设计|起草|开发)(?:了|过)?{what}`, example: "王五写了哪些文档？"},
		}},
		{"zh-produced_by", []string{"产出", "写", "制作", "设计", "起草", "开发", "实现", "谁做", "作者"}, []string{ProducedBy}, Out, true, []form{
			{expr: `{who}(?:产出|编写|撰写|写|制作|设计|起草|开发|实现|做)(?:了|的|出了?)?是?{x}`, example: "谁产出了迁移报告？"},
			{expr: `{x}(?:是|由)*(?:谁|哪位|哪些人|哪个团队)(?:产出|编写|撰写|写|制作|设计|起草|开发|实现|做)的?`, example: "迁移报告是谁写的"},
			{expr: `{x}的?(?:作者|撰写人|产出人){tail}`, example: "迁移报告的作者是谁"},
		}},
		{"zh-belongs_to", []string{"属"}, []string{BelongsTo}, In, false, []form{
			{expr: `{ask}(?:属于|隶属于?|归属于?){x}`, example: "哪些服务属于平台组？"},
		}},
		{"zh-belongs_to-out", []string{"属"}, []string{BelongsTo}, Out, false, []form{
			{expr: `{x}(?:属于|隶属于?|归属于?){what}`, example: "支付系统属于哪个团队？"},
		}},
		{"zh-belongs_to-statement", []string{"属"}, []string{BelongsTo}, In, false, []form{
			{expr: `.+?(?:属于|隶属于?|归属于?){y}`, example: "支付系统属于平台组"},
		}},
		{"zh-invested_in-out", []string{"投"}, investing, Out, false, []form{
			{expr: `{x}(?:都|还)*(?:投资|领投|参投|跟投|投)(?:了|过)?{what}`, example: "红杉投资了哪些公司？"},
		}},
		{"zh-invested_in", []string{"投", "股东"}, investing, In, true, []form{
			{expr: `{ask}(?:投资|领投|参投|跟投|投了|投过)(?:了|过|的)?{x}`, example: "谁投资了 Acme？"},
			{expr: `(?:谁|哪些\p{Han}{0,3})是{x}的?(?:投资人|投资方|投资者|投资机构|股东)`, example: "谁是 Acme 的投资人"},
			{expr: `{x}(?:是|由)*(?:谁|哪家\p{Han}{0,3}|哪些\p{Han}{0,3})(?:投资|领投|投)的?`, example: "Acme 是谁投资的"},
			{expr: `{x}的?(?:投资人|投资方|投资者|投资机构|股东){tail}`, example: "Acme 的投资人有哪些"},
		}},
		{"zh-advises-out", []string{"顾问"}, []string{Advises}, Out, false, []form{
			{expr: `{x}(?:是|担任|当)了?{what}的?顾问`, example: "赵六是哪些公司的顾问？"},
		}},
		{"zh-advises", []string{"顾问"}, []string{Advises}, In, true, []form{
			{expr: `{who}(?:是|担任|当|做)了?{x}的?顾问`, example: "谁是 Acme 的顾问？"},
			{expr: `{who}(?:给|为){x}(?:当|做|担任)顾问`, example: "谁给 Acme 当顾问"},
			{expr: `{x}的?顾问{tail}`, example: "Acme 的顾问都有谁"},
		}},
		{"zh-attended-out", []string{"参加", "出席"}, []string{Attended}, Out, false, []form{
			{expr: `{x}(?:都)?(?:参加|出席)(?:了|过)?{what}`, example: "李四参加了哪些会议？"},
		}},
		{"zh-attended", []string{"参加", "出席", "参会", "与会"}, []string{Attended}, In, true, []form{
			{expr: `{who}(?:参加|出席)(?:了|过|的)?{x}`, example: "谁参加了启动会？"},
			{expr: `{x}(?:都|一共)*有?(?:谁|哪些\p{Han}{0,3}?)(?:参加|出席)(?:了|过)?`, example: "启动会都有谁参加"},
			{expr: `{x}的?(?:参会人员?|与会者|与会人员|参加者|参会者|出席者){tail}`, example: "启动会的参会人有哪些"},
		}},
		{"zh-source", []string{"来源", "出处", "来自", "出自"}, []string{Source}, Out, false, []form{
			{expr: `{x}的(?:来源|出处){tail}`, example: "季度数据的来源是什么？"},
			{expr: `{x}(?:来自|出自)(?:于)?{what}`, example: "季度数据来自哪里"},
		}},
		{"zh-related", []string{"相关", "有关"}, nil, Both, false, []form{
			{expr: `(?:{ask})?(?:与|和|跟|同){x}(?:相关|有关)(?:的\p{Han}{0,6}?)?{tail}`, example: "和 Redis 有关的页面有哪些？"},
			{expr: `{x}的?相关的?(?:页面|文档|笔记|内容|资料|人|人员|项目){tail}`, example: "Redis 相关的文档有哪些"},
		}},
	})
})
