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
	{"Who at Acme works on Payments?", `in works_at "acme" "payments" person`},
	{"who in the platform team leads Atlas", `in works_at "platform team" "atlas" person`},
	{"who funded Acme", `in invested_in|led_round "acme" person`},
	{"Who led the Series A round in Acme?", `in invested_in|led_round "acme" person`},
	{"which funds backed Acme", `in invested_in|led_round "acme"`},
	{"who co-founded Acme?", `in founded "acme" person`},
	{"who started Acme", `in founded "acme" person`},
	{"who works for Acme Inc.?", `in works_at "acme inc" person`},
	{"who attended the kickoff", `in attended "kickoff" person`},
	{"What companies did Sequoia invest in?", `out invested_in|led_round "sequoia"`},
	{"where does Alice work?", `out works_at "alice"`},
	// Freer forms.
	{"Please tell me who founded the Acme Corporation?", `in founded "acme corporation" person`},
	{"Do you know who currently works at \"Acme\"?", `in works_at "acme" person`},
	{"who is the founder of Acme", `in founded "acme" person`},
	{"who is Acme's founder", `in founded "acme" person`},
	{"WHO WAS ACME FOUNDED BY", `in founded "acme" person`},
	{"who is responsible for billing", `in works_on "billing" person`},
	{"who is working on [[Payment Gateway]]?", `in works_on "payment gateway" person`},
	{"which services depend on Redis", `in references|mentions "redis"`},
	{"what does Atlas depend on", `out references|mentions "atlas"`},
	{"Who wrote the postmortem?", `out produced_by "postmortem" person`},
	{"What did Bob write", `in produced_by "bob"`},
	{"what did Alice decide", `out decided "alice"`},
	{"which pages mention C++?", `in mentions|references "c++"`},
	{"show all backlinks to Redis", `in any "redis"`},
	{"what is related to Redis", `both any "redis"`},
	{"who does Carol advise", `out advises "carol" person`},
	{"请问谁负责支付系统？", `in works_on "支付系统" person`},
	{"你知道支付系统是谁负责的吗？", `in works_on "支付系统" person`},
	{"ＡＣＭＥ的创始人是谁？", `in founded "acme" person`},
	{"张三在哪家公司工作？", `out works_at "张三"`},
	{"张三在哪里工作", `out works_at "张三"`},
	{"谁在阿里巴巴工作", `in works_at "阿里巴巴" person`},
	{"谁在阿里巴巴负责支付系统", `in works_at "阿里巴巴" "支付系统" person`},
	{"张三和 Acme 是什么关系", `both any "张三" "acme"`},
	{"张三和李四之间有什么联系？", `both any "张三" "李四"`},
	{"哪些服务依赖 Redis？", `in references|mentions "redis"`},
	{"PostgreSQL 数据库由谁维护", `in works_on "postgresql数据库" person`},
	{"红杉投资了哪些公司", `out invested_in|led_round "红杉"`},
	{"赵六是哪些公司的顾问", `out advises "赵六"`},
	{"谁参加了启动会", `in attended "启动会" person`},
	{"李四参加了哪些会议", `out attended "李四"`},
	{"季度报告提到了哪些人", `out mentions|references "季度报告" person`},
	{"who founded 阿里巴巴", `in founded "阿里巴巴" person`},
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

// Every form is reached by its own example: no earlier form swallows it.
func TestEveryFormMatchesItsExample(t *testing.T) {
	n := 0
	for _, table := range [][]pattern{englishForms(), chineseForms()} {
		for i := range table {
			p := &table[i]
			for j := range p.forms {
				n++
				f := &p.forms[j]
				r, ok := Parse(f.example)
				if !ok || r.Pattern != p.name {
					t.Errorf("%s: %q gives %v by %q", p.name, f.example, r, r.Pattern)
				}
				q := plainQuestion(f.example)
				if !f.re().MatchString(q) && !f.re().MatchString(joinScripts(q)) {
					t.Errorf("%s: %q does not match its own form", p.name, f.example)
				}
			}
		}
	}
	t.Logf("%d forms", n)
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
