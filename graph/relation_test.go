package graph

import (
	"strings"
	"testing"
)

// Refused questions print as "-".
var questions = []struct{ question, want string }{
	// df-memory's templates.
	{"谁提到了 Redis", `in mentions|references "redis" person`},
	{"谁提到 Redis？", `in mentions|references "redis" person`},
	{"谁提及 Redis", `in mentions|references "redis" person`},
	{"谁负责支付系统", `in works_on "支付系统" person`},
	{"支付系统的负责人", `in works_on "支付系统" person`},
	{"支付系统 的 依赖", `out references|mentions "支付系统"`},
	{"支付系统的引用", `both references|mentions "支付系统"`},
	{"Atlas references", `out references|mentions "atlas"`},
	{"周报提到了张三", `in mentions|references "张三"`},
	{"周报提到张三", `in mentions|references "张三"`},
	{"提到了张三", `in mentions|references "张三"`},
	{"who works at Acme", `in works_at "acme" person`},
	{"who founded Acme", `in founded "acme" person`},
	{"谁决定了数据库选型", `in decided "数据库选型" person`},
	{"who decided PostgreSQL", `in decided "postgresql" person`},
	{"谁产出了迁移报告", `out produced_by "迁移报告" person`},
	{"who produced the migration report", `out produced_by "migration report" person`},
	{"支付系统属于平台组", `in belongs_to "平台组"`},
	{"Atlas belongs to the Platform Team", `in belongs_to "platform team"`},
	{"谁投资了 Acme", `in invested_in|led_round "acme" person`},
	{"who invested in Acme?", `in invested_in|led_round "acme" person`},
	{"谁是 Acme 的顾问", `in advises "acme" person`},
	{"谁是Acme顾问", `in advises "acme" person`},
	{"who advises Acme", `in advises "acme" person`},
	// gbrain's.
	{"What connects Alice and Acme?", `both any "alice" "acme"`},
	{"which people link Alice with Bob", `both any "alice" "bob" person`},
	{"connection between Alice Smith and Acme Corp", `both any "alice smith" "acme corp"`},
	{"how are Alice and Bob connected?", `both any "alice" "bob"`},
	{"How is Redis related to the payment system?", `both any "redis" "payment system"`},
	{"who introduced me to Carol", `in introduced|related_to|mentions "carol" person`},
	{"Who at Acme works on Payments?", `in works_on "payments" near "acme" person`},
	{"who in the platform team leads Atlas", `in works_on "atlas" near "platform team" person`},
	{"who funded Acme", `in invested_in|led_round "acme" person`},
	{"Who led the Series A round in Acme?", `in invested_in|led_round "acme" person`},
	{"which funds backed Acme", `in invested_in|led_round "acme" fund`},
	{"who co-founded Acme?", `in founded "acme" person`},
	{"who started Acme", `in founded "acme" person`},
	{"who works for Acme Inc.?", `in works_at "acme inc" person`},
	{"who attended the kickoff", `in attended "kickoff" person`},
	{"What companies did Sequoia invest in?", `out invested_in|led_round "sequoia" company`},
	{"where does Alice work?", `out works_at "alice"`},
	// Freer forms.
	{"Please tell me who founded the Acme Corporation?", `in founded "acme corporation" person`},
	{"Do you know who currently works at \"Acme\"?", `in works_at "acme" person`},
	{"who is the founder of Acme", `in founded "acme" person`},
	{"who is Acme's founder", `in founded "acme" person`},
	{"WHO WAS ACME FOUNDED BY", `in founded "acme" person`},
	{"who is responsible for billing", `in works_on "billing" person`},
	{"who is working on [[Payment Gateway]]?", `in works_on "payment gateway" person`},
	{"which services depend on Redis", `in references|mentions "redis" project`},
	{"what does Atlas depend on", `out references|mentions "atlas"`},
	{"Who wrote the postmortem?", `out produced_by "postmortem" person`},
	{"What did Bob write", `in produced_by "bob"`},
	{"what did Alice decide", `out decided "alice"`},
	{"which pages mention C++?", `in mentions|references "c++" page`},
	{"show all backlinks to Redis", `in any "redis"`},
	{"what is related to Redis", `both any "redis"`},
	{"who does Carol advise", `out advises "carol" person`},
	{"请问谁负责支付系统？", `in works_on "支付系统" person`},
	{"你知道支付系统是谁负责的吗？", `in works_on "支付系统" person`},
	{"ＡＣＭＥ的创始人是谁？", `in founded "acme" person`},
	{"张三在哪家公司工作？", `out works_at "张三" company`},
	{"张三在哪里工作", `out works_at "张三"`},
	{"谁在阿里巴巴工作", `in works_at "阿里巴巴" person`},
	{"谁在阿里巴巴负责支付系统", `in works_on "支付系统" near "阿里巴巴" person`},
	{"张三和 Acme 是什么关系", `both any "张三" "acme"`},
	{"张三和李四之间有什么联系？", `both any "张三" "李四"`},
	{"哪些服务依赖 Redis？", `in references|mentions "redis" project`},
	{"PostgreSQL 数据库由谁维护", `in works_on "postgresql数据库" person`},
	{"红杉投资了哪些公司", `out invested_in|led_round "红杉" company`},
	{"赵六是哪些公司的顾问", `out advises "赵六" company`},
	{"谁参加了启动会", `in attended "启动会" person`},
	{"李四参加了哪些会议", `out attended "李四" meeting`},
	{"季度报告提到了哪些人", `out mentions|references "季度报告" person`},
	{"who founded 阿里巴巴", `in founded "阿里巴巴" person`},
	// One of each shape.
	{"What is Alice working on?", `out works_on "alice"`},
	{"what is Bob in charge of", `out works_on "bob"`},
	{"which services does Bob own", `out works_on "bob" project`},
	{"Which services depend on Redis?", `in references|mentions "redis" project`},
	{"What is the connection between Alice Smith and Acme Corp?", `both any "alice smith" "acme corp"`},
	{"How are Alice and Bob connected?", `both any "alice" "bob"`},
	{"how is Redis related to the payment system", `both any "redis" "payment system"`},
	{"Who introduced me to Carol?", `in introduced|related_to|mentions "carol" person`},
	{"who is working on the Payment Gateway?", `in works_on "payment gateway" person`},
	{"Who is responsible for billing?", `in works_on "billing" person`},
	{"Who is the maintainer of Atlas", `in works_on "atlas" person`},
	{"who is Atlas's owner", `in works_on "atlas" person`},
	{"what are Sequoia's investments", `out invested_in|led_round "sequoia"`},
	{"Who led the seed round in Acme?", `in invested_in|led_round "acme" person`},
	{"who are the investors in Acme", `in invested_in|led_round "acme" person`},
	{"Acme's investors", `in invested_in|led_round "acme"`},
	{"Which companies did Alice co-found?", `out founded "alice" company`},
	{"Who co-founded Acme?", `in founded "acme" person`},
	{"who are the founders of Acme Inc.", `in founded "acme inc" person`},
	{"Acme's founder", `in founded "acme" person`},
	{"who was Acme founded by?", `in founded "acme" person`},
	{"Acme was founded by whom?", `in founded "acme" person`},
	{"Which startups does Carol advise?", `out advises "carol" company`},
	{"Who advises Acme?", `in advises "acme" person`},
	{"who are the advisors of Acme", `in advises "acme" person`},
	{"who is Acme's advisor", `in advises "acme" person`},
	{"Where does Alice work?", `out works_at "alice"`},
	{"which company does Alice work for", `out works_at "alice" company`},
	{"who employs Alice?", `out works_at "alice" person`},
	{"what is Alice's employer", `out works_at "alice" company`},
	{"Who works at Acme?", `in works_at "acme" person`},
	{"the employees of Acme", `in works_at "acme" person`},
	{"who does Acme employ", `in works_at "acme" person`},
	{"Which meetings did Bob attend?", `out attended "bob" meeting`},
	{"Who attended the Kickoff Meeting?", `in attended "kickoff meeting" person`},
	{"attendees of the kickoff meeting", `in attended "kickoff meeting" person`},
	{"What did Alice decide?", `out decided "alice"`},
	{"which decisions did Alice make", `out decided "alice" decision`},
	{"Who decided on PostgreSQL?", `in decided "postgresql" person`},
	{"What did Bob write?", `in produced_by "bob"`},
	{"Who produced the Migration Report?", `out produced_by "migration report" person`},
	{"who is the author of the Migration Report", `out produced_by "migration report" person`},
	{"who was Atlas built by", `out produced_by "atlas" person`},
	{"what belongs to the Platform Team", `in belongs_to "platform team"`},
	{"Which team does Atlas belong to?", `out belongs_to "atlas" team`},
	{"Atlas belongs to Platform Team", `in belongs_to "platform team"`},
	{"Who does the Q3 Report mention?", `out mentions|references "q3 report" person`},
	{"Which pages mention Redis?", `in mentions|references "redis" page`},
	{"where is Redis mentioned", `in mentions|references "redis"`},
	{"notes that mention Redis", `in mentions|references "redis" note`},
	{"What does Atlas depend on?", `out references|mentions "atlas"`},
	{"what are the dependencies of Atlas", `out references|mentions "atlas"`},
	{"Atlas's dependencies", `out references|mentions "atlas"`},
	{"What is related to Redis?", `both any "redis"`},
	{"everything related to Redis", `both any "redis"`},
	{"What is the source of the Q3 Figures?", `out source "q3 figures"`},
	{"where does the Q3 figure come from", `out source "q3 figure"`},
	{"张三和 Acme 是什么关系？", `both any "张三" "acme"`},
	{"张三和李四是怎么认识的", `both any "张三" "李四"`},
	{"谁把王五介绍给我的？", `in introduced|related_to|mentions "王五" person`},
	{"谁介绍我认识王五的", `in introduced|related_to|mentions "王五" person`},
	{"谁给我介绍了王五", `in introduced|related_to|mentions "王五" person`},
	{"阿里巴巴内部谁负责支付系统？", `in works_on "支付系统" near "阿里巴巴" person`},
	{"李四决定了什么？", `out decided "李四"`},
	{"李四做了哪些决定", `out decided "李四"`},
	{"张三负责哪些项目？", `out works_on "张三" project`},
	{"张三是哪个项目的负责人", `out works_on "张三" project`},
	{"谁负责支付系统？", `in works_on "支付系统" person`},
	{"谁是 Atlas 的负责人", `in works_on "atlas" person`},
	{"支付系统由谁负责", `in works_on "支付系统" person`},
	{"支付系统的负责人是谁？", `in works_on "支付系统" person`},
	{"Redis 在哪些页面被提到过", `in mentions|references "redis" page`},
	{"季度报告提到了哪些人？", `out mentions|references "季度报告" person`},
	{"提到 Redis 的页面有哪些", `in mentions|references "redis" page`},
	{"会议纪要提到了李四", `in mentions|references "李四"`},
	{"支付系统依赖什么？", `out references|mentions "支付系统"`},
	{"支付系统的依赖有哪些", `out references|mentions "支付系统"`},
	{"Redis 的反向链接", `in any "redis"`},
	{"张三就职于哪家公司", `out works_at "张三" company`},
	{"张三的雇主是谁", `out works_at "张三" person`},
	{"谁在阿里巴巴工作？", `in works_at "阿里巴巴" person`},
	{"哪些人就职于 Acme", `in works_at "acme" person`},
	{"Acme 的员工有哪些", `in works_at "acme" person`},
	{"马云创立了哪些公司？", `out founded "马云" company`},
	{"谁创立了阿里巴巴？", `in founded "阿里巴巴" person`},
	{"阿里巴巴是谁创办的", `in founded "阿里巴巴" person`},
	{"谁是 Acme 的联合创始人", `in founded "acme" person`},
	{"阿里巴巴的创始人是谁", `in founded "阿里巴巴" person`},
	{"谁决定采用 PostgreSQL？", `in decided "postgresql" person`},
	{"数据库选型是谁决定的", `in decided "数据库选型" person`},
	{"数据库选型的决策人是谁", `in decided "数据库选型" person`},
	{"王五写了哪些文档？", `in produced_by "王五" document`},
	{"谁产出了迁移报告？", `out produced_by "迁移报告" person`},
	{"迁移报告是谁写的", `out produced_by "迁移报告" person`},
	{"迁移报告的作者是谁", `out produced_by "迁移报告" person`},
	{"哪些服务属于平台组？", `in belongs_to "平台组" project`},
	{"支付系统属于哪个团队？", `out belongs_to "支付系统" team`},
	{"红杉投资了哪些公司？", `out invested_in|led_round "红杉" company`},
	{"谁投资了 Acme？", `in invested_in|led_round "acme" person`},
	{"谁是 Acme 的投资人", `in invested_in|led_round "acme" person`},
	{"Acme 是谁投资的", `in invested_in|led_round "acme" person`},
	{"Acme 的投资人有哪些", `in invested_in|led_round "acme"`},
	{"赵六是哪些公司的顾问？", `out advises "赵六" company`},
	{"谁是 Acme 的顾问？", `in advises "acme" person`},
	{"谁给 Acme 当顾问", `in advises "acme" person`},
	{"Acme 的顾问都有谁", `in advises "acme" person`},
	{"李四参加了哪些会议？", `out attended "李四" meeting`},
	{"谁参加了启动会？", `in attended "启动会" person`},
	{"启动会都有谁参加", `in attended "启动会" person`},
	{"启动会的参会人有哪些", `in attended "启动会" person`},
	{"季度数据的来源是什么？", `out source "季度数据"`},
	{"季度数据来自哪里", `out source "季度数据"`},
	{"和 Redis 有关的页面有哪些？", `both any "redis"`},
	{"Redis 相关的文档有哪些", `both any "redis"`},
	// Refused: negation, counting, dates.
	{"who does not work at Acme", "-"},
	{"who doesn't work at Acme", "-"},
	{"who never invested in Acme", "-"},
	{"who works at Acme except Bob", "-"},
	{"how many people work at Acme", "-"},
	{"who worked at Acme in 2020", "-"},
	{"who joined Acme last year", "-"},
	{"when was Acme founded", "-"},
	{"who founded Acme before Bob joined", "-"},
	{"谁没有参加启动会", "-"},
	{"谁不负责支付系统", "-"},
	{"除了张三谁负责支付系统", "-"},
	{"多少人在阿里巴巴工作", "-"},
	{"有几个人负责支付系统", "-"},
	{"谁去年投资了 Acme", "-"},
	{"阿里巴巴是哪年创立的", "-"},
	// Refused: no name.
	{"who founded it", "-"},
	{"who works at the", "-"},
	{"who founded ???", "-"},
	{"who works on this", "-"},
	{"谁负责这个", "-"},
	{"谁提到了什么", "-"},
	{"who founded " + strings.Repeat("very long name ", 6), "-"},
	// No relation at all.
	{"", "-"},
	{"？", "-"},
	{"how do I configure retries", "-"},
	{"Redis 连接池怎么配置", "-"},
	{"部署的经验", "-"},
	{"users who work late need better lighting", "-"},
	{"the founding of the republic", "-"},
	{"用户登录接口的设计", "-"},
}

func TestParse(t *testing.T) {
	for _, test := range questions {
		got := "-"
		if r, ok := Parse(test.question); ok {
			got = r.String()
		}
		if got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.question, got, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, q := range questions {
		f.Add(q.question)
	}
	f.Fuzz(func(t *testing.T, q string) {
		r, ok := Parse(q)
		if ok != (r.Seed != "") || len([]rune(r.Seed)) > maxSeedRunes {
			t.Errorf("%q: %v, %v", q, r, ok)
		}
		Intent(q)
	})
}

func TestIntent(t *testing.T) {
	for question, want := range map[string]string{
		"谁负责支付":                              Relational,
		"who founded Acme":                   Relational,
		"张三的上级":                              Relational,
		"支付系统的供应商有哪些":                        Relational,
		"谁最懂 Kubernetes":                     Person,
		"who should I ask about billing":     Person,
		"find @alice-smith":                  Person,
		"支付系统负责人电话":                          Person,
		"how many people who left":           Person,
		"mail bob@example.com":               General,
		"部署 Redis 的经验":                       Experience,
		"lessons from the outage":            Experience,
		"K8s 迁移踩坑":                           Experience,
		"what have we learned about caching": Experience,
		"how did we fix the OOM before":      Experience,
		"之前登录超时是怎么解决的":                       Experience,
		"unlearned":                          General,
		"Redis connection pool size":         General,
		"支付系统的架构":                            General,
		"whole grain recipes":                General,
		"":                                   General,
		"在那个下着雨的夜晚我们讨论了很多关于系统未来发展方向以及团队规划和预算安排的问题以及他的负责": General,
	} {
		if got := Intent(question); got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, q := range []string{"who founded Acme", "支付系统的负责人是谁？", "how do I configure the retry policy of the payment gateway", "支付网关的重试策略怎么配置"} {
		b.Run(q, func(b *testing.B) {
			for b.Loop() {
				Parse(q)
			}
		})
	}
}
