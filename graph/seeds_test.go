package graph

import (
	"fmt"
	"strings"
	"testing"

	"brain/graph/graphtest"
)

func names(l *graphtest.Links, seeds []Seed) string {
	var parts []string
	for _, s := range seeds {
		var nodes []string
		for _, n := range s.Nodes {
			nodes = append(nodes, short(l, n))
		}
		parts = append(parts, s.Name+"="+strings.Join(nodes, "|"))
	}
	return strings.Join(parts, ", ")
}

func demo() *graphtest.Links {
	l := graphtest.New()
	l.Page("people/john.md", "John Smith")
	l.Page("companies/john.md", "John Deere", "Deere & Company")
	l.Page("entities/views.md", "Views")
	l.Page("entities/acme-corp.md", "ACME Corporation", "Acme Inc.")
	l.Page("systems/pg.md", "PostgreSQL 数据库", "PG")
	l.Page("systems/payment.md", "支付系统", "支付")
	l.Page("systems/gateway.md", "支付系统网关")
	l.Page("notes/README.md", "README")
	l.Page("notes/go.md", "Go")
	l.Page("people/zhangsan.md", "张三")
	l.Page("langs/cpp.md", "C++")
	l.Page("systems/nodejs.md", "Node.js")
	old := l.Page("entities/old-pay.md", "旧支付平台")
	l.Redirect(old, l.Node("systems/payment"))
	return l
}

func TestSeeds(t *testing.T) {
	l := demo()
	g := New(l)
	for _, test := range []struct{ question, want string }{
		{"what happened in the interviews", ""},
		{"who opened views/list.md", "views=entities/views"},
		{"show me reviews and views", "views=entities/views"},
		{"what did john say", "john=people/john|companies/john"},
		{"tell me about people/john", "people/john=people/john"},
		{"see people/john.md please", "people/john.md=people/john"},
		{"is John Smith at John Deere?", "john smith=people/john, john deere=companies/john"},
		{"JOHN SMITH's report", "john smith=people/john"},
		{"the acme corp deal", "acme-corp=entities/acme-corp"},
		{"about Acme Inc. and its plans", "acme inc.=entities/acme-corp"},
		{"Deere & Company sales", "deere & company=companies/john"},
		{"张三最近在做什么", "张三=people/zhangsan"},
		{"支付系统网关挂了", "支付系统网关=systems/gateway"},
		{"支付系统和张三", "支付系统=systems/payment, 张三=people/zhangsan"},
		{"支付怎么退款", "支付=systems/payment"},
		{"旧支付平台怎么样", "旧支付平台=systems/payment"},
		{"PostgreSQL数据库怎么备份", "postgresql 数据库=systems/pg"},
		{"我们的 PostgreSQL 数据库怎么备份", "postgresql 数据库=systems/pg"},
		{"张三用Node.js写的服务", "张三=people/zhangsan, node.js=systems/nodejs"},
		{"is C++ faster", "c++=langs/cpp"},
		{"go to the readme", ""},
		{"README", "readme=notes/README"},
		{"Go?", "go=notes/go"},
		{"PG", "pg=systems/pg"},
		{"ｖｉｅｗｓ，张三", "views=entities/views, 张三=people/zhangsan"},
		{"", ""},
		{"???", ""},
	} {
		if got := names(l, g.Seeds(test.question)); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.question, got, test.want)
		}
	}
	if s := g.Seeds("john"); len(s) != 1 || !s[0].Ambiguous() {
		t.Errorf("john should be ambiguous: %v", s)
	}
}

func TestSeedsAreFew(t *testing.T) {
	l := graphtest.New()
	var question []string
	for i := range 20 {
		name := fmt.Sprintf("entity%c", 'a'+i)
		l.Page(name+".md", "")
		question = append(question, name)
	}
	for i := range 40 {
		l.Page(fmt.Sprintf("d%d/weekly.md", i), "")
	}
	g := New(l)
	if got := len(g.Seeds(strings.Join(question, ", "))); got != maxSeeds {
		t.Errorf("%d seeds, want %d", got, maxSeeds)
	}
	if got := g.Seeds("the weekly entitya"); len(got) != 1 || got[0].Name != "entitya" {
		t.Errorf("a name of 40 pages should seed nothing: %v", got)
	}
}

// counting counts lookups.
type counting struct {
	Links
	lookups int
}

func (c *counting) Resolve(name string) []uint32 {
	c.lookups++
	return c.Links.Resolve(name)
}

func TestSeedsLookupsAreBounded(t *testing.T) {
	c := &counting{Links: demo()}
	New(c).Seeds(strings.Repeat("数据库连接池在高峰期耗尽 because of slow queries ", 1000))
	if c.lookups > maxLookups+2 {
		t.Errorf("%d lookups", c.lookups)
	}
}

func BenchmarkSeeds(b *testing.B) {
	g := New(demo())
	for _, q := range []string{"what did John Smith say about the acme corp deal last week", "支付系统网关的重试策略怎么配置，张三知道吗"} {
		b.Run(q, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.Seeds(q)
			}
		})
	}
}
