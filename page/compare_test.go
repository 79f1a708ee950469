package page

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func claimText(s string) Claim { return Claim{Text: s} }

// close stands for an embedder that finds everything alike.
var alike = CompareOptions{Cosine: 1, Threshold: 0.95}

func TestCompareClaims(t *testing.T) {
	for _, c := range []struct {
		a, b string
		o    CompareOptions
		want string
	}{
		{"limit is 100", "limit is 1000", alike, `contradiction (slot): "100 n" against "1000 n"`},
		{"the sync is enabled", "the sync is not enabled", alike, `contradiction (negation): "the sync is enabled" against "the sync is not enabled"`},
		{"the meeting is at 3 pm", "The meeting is at 15:00", CompareOptions{}, "duplicate (words)"},
		{"会议在下午3点", "会议在15:00", CompareOptions{}, "duplicate (words)"},
		{"limit is 1k", "limit is 1,000", CompareOptions{}, "duplicate (words)"},
		{"每页二十条", "每页20条", CompareOptions{}, "duplicate (words)"},
		{"Alice reports to Bob", "Bob reports to Alice", alike, `contradiction (direction): "alice reports to bob" against "bob reports to alice"`},
		{"Alice manages Bob", "Bob is managed by Alice", alike, "different"},
		{"Alice manages Bob", "Alice is managed by Bob", alike, `contradiction (direction): "alice manages bob" against "bob managed alice"`},
		{"张三向李四汇报", "李四向张三汇报", alike, `contradiction (direction): "张三向李四" against "李四向张三"`},
		{"Alice and Bob lead the team", "Bob and Alice lead the team", alike, "different"},
		{"moved from MySQL to Postgres", "moved from Postgres to MySQL", alike, `contradiction (direction): "mysql to postgres" against "postgres to mysql"`},
		{"缓存已启用", "缓存已停用", alike, `contradiction (antonym): "启用" against "停用"`},
		{"这个方案非常好用", "这个方案好用", alike, "different"},
		{"允许外部访问", "禁止外部访问", alike, `contradiction (negation): "允许外部访问" against "禁止外部访问"`},
		{"The revenue in 2024 was 5 million", "The revenue in 2025 was 6 million", alike, "different"},
		{"The deadline is March 1", "The deadline is March 5", alike, `contradiction (slot): "--03-01 date" against "--03-05 date"`},
		{"The deadline is March 1", "The deadline is 2026-03-01", alike, "different"},
		{"Issue 12 is closed by the release", "Issue 13 is closed by the release", alike, "different"},
		{"Fixed by #12 in the gate", "Fixed by #13 in the gate", alike, "different"},
		{"Go 1.21 is fast", "Go 1.22 is fast", alike, "different"},
		{"The gate needs Go 1.21", "The gate needs Go 1.22", alike, `contradiction (slot): "1.21 version" against "1.22 version"`},
		{"We decided to set the index timeout of service router-37 to 37 seconds", "We decided to set the parser timeout of service index-79 to 79 seconds", alike, "different"},
		{"The timeout of router-37 is 37 s", "The timeout of router-38 is 38 s", alike, "different"},
		{"The timeout of router-37 is 37 s", "The timeout of router-37 is 38 s", alike, `contradiction (slot): "37 s" against "38 s"`},
		{"服务 router-37 的超时为 37 秒", "服务 router-38 的超时为 38 秒", alike, "different"},
		{"服务 router-37 的超时为 37 秒", "服务 router-37 的超时为 38 秒", alike, `contradiction (slot): "37 s" against "38 s"`},
		{"The cache of node s3 is enabled", "The cache of node s4 is not enabled", alike, "different"},
		{"The cache of node s3 is enabled", "The cache of node s4 is disabled", alike, "different"},
		{"The owner is s3", "The owner is s4", alike, `contradiction (slot): "owner s3" against "owner s4"`},
		{"The default source is Alice", "The default target is Bob", alike, "different"},
		{"The team uses Jira", "The team moved from Jira to Linear", alike, `contradiction (change): "The team uses Jira" against "The team moved from Jira to Linear"`},
		{"The team uses Linear", "The team moved from Jira to Linear", alike, "different"},
		{"The owner is Alice", "The owner is Bob", alike, `contradiction (slot): "owner alice" against "owner bob"`},
		{"The owner is Alice Wong of Oslo", "The owner is Bob", alike, `contradiction (slot): "owner alice wong of oslo" against "owner bob"`},
		{"The server is fast", "The server is cheap", alike, "different"},
		{"A parrot is speaking loudly today", "The parrot is speaking loudly today", alike, "duplicate (meaning): cosine 1.000, overlap 1.00"},
		{"A parrot is speaking loudly today", "The parrot is speaking loudly today", CompareOptions{}, "different"},
		{"tests ✅", "tests ❌", alike, "different"},
		{"", "", alike, "different"},
		{"…", "…", alike, "different"},
	} {
		if got := Compare(claimText(c.a), claimText(c.b), c.o).String(); got != c.want {
			t.Errorf("%q, %q:\n got %s\nwant %s", c.a, c.b, got, c.want)
		}
	}
}

func TestCompareFacts(t *testing.T) {
	fact := func(text string, s Slot) Claim { return Claim{Text: text, Slot: s} }
	for _, c := range []struct {
		name string
		a, b Claim
		want Kind
	}{
		{"another value of the metric", fact("ingest", Slot{Metric: "limit", Value: "100"}), fact("ingest", Slot{Metric: "Limit", Value: "1k"}), Contradiction},
		{"the same value, written otherwise", fact("ingest limit", Slot{Metric: "limit", Value: "1,000"}), fact("ingest limit", Slot{Metric: "limit", Value: "1k"}), Duplicate},
		{"another unit", fact("t", Slot{Metric: "timeout", Value: "60", Unit: "s"}), fact("t", Slot{Metric: "timeout", Value: "1", Unit: "minute"}), Duplicate},
		{"another period", fact("revenue", Slot{Metric: "revenue", Value: "5", Period: "2024"}), fact("revenue", Slot{Metric: "revenue", Value: "6", Period: "2025"}), Different},
		{"another day", fact("x y", Slot{Date: "2026-03-01"}), fact("x y", Slot{Date: "2026-03-02"}), Different},
		{"a day and an hour of it", fact("x y", Slot{Date: "2026-03-01"}), fact("x y", Slot{Date: "2026-03-01T09:00:00Z"}), Duplicate},
		{"another speaker", Claim{Text: "the limit is 100", Speaker: "Wei"}, Claim{Text: "the limit is 1000", Speaker: "Lin"}, Different},
		{"another subject", Claim{Text: "reports to Bob", Subject: "alice"}, Claim{Text: "reports to Carol", Subject: "dan"}, Different},
		{"another time", Claim{Text: "the limit is 100", Time: "2024-01-01/"}, Claim{Text: "the limit is 1000", Time: "2025-01-01/"}, Different},
	} {
		if got := Compare(c.a, c.b, CompareOptions{}); got.Kind != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// someText is made of words that the screens look for, in both languages.
func someText(t *rapid.T, name string) string {
	words := rapid.SampledFrom(strings.Fields(`Alice Bob reports to is not never 不 没有 启用 停用 enabled disabled by was managed 被 收购 向 汇报
		100 1k 1,000 3 pm 15:00 下午3点 March 1 2026 2026-03-01 二十 个 the limit 限制 from moved 迁移到 and 和 only 非常 % $ ✅ - . : ! 第 三 七八 十 分 钟 万
		half quarter past a an hour hours of and once twice one dozen 半 小时 米 块 分之 周五 晚上 每 月 号 before until at beat lost sold to from 卖给 从 买 kept lasts version`))
	joint := rapid.SampledFrom([]string{" ", "", " ", ", "})
	var b strings.Builder
	for range rapid.IntRange(0, 12).Draw(t, name) {
		b.WriteString(words.Draw(t, "word"))
		b.WriteString(joint.Draw(t, "joint"))
	}
	return b.String()
}

func TestCompareIsSymmetricAndReflexive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := claimText(someText(t, "a")), claimText(someText(t, "b"))
		o := CompareOptions{Cosine: rapid.SampledFrom([]float64{0, 0.9, 1}).Draw(t, "cosine"), Threshold: 0.95}
		checkCompare(t, a, b, o)
	})
}

func checkCompare(t interface {
	Fatalf(string, ...any)
}, a, b Claim, o CompareOptions) {
	ab, ba := Compare(a, b, o), Compare(b, a, o)
	if ab.Kind != ba.Kind || ab.Screen != ba.Screen {
		t.Fatalf("%q, %q: %v, the other way %v", a.Text, b.Text, ab, ba)
	}
	for _, c := range []Claim{a, b} {
		if v := Compare(c, c, CompareOptions{}); len(tokens(c.Text)) > 0 && v.Kind != Duplicate {
			t.Fatalf("%q against itself: %v", c.Text, v)
		}
	}
}

func FuzzCompare(f *testing.F) {
	for _, s := range [][2]string{
		{"limit is 100", "limit is 1k"}, {"A is managed by B", "B manages A"}, {"会议在下午三点半", "会议不在15:30"},
		{"moved from X to Y", "X 迁移到 Y"}, {"二〇二六年三月一日", "March 1, 2026"}, {"$1,000 -5% 3:30pm", "第二 十分 七八个"}, {"\xff\xfe", "ﬁ①㈱ ´`"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		checkCompare(t, claimText(a), claimText(b), alike)
		checkPages(t, a, b)
	})
}

func checkPages(t interface {
	Fatalf(string, ...any)
}, a, b string) {
	p, q := Parse("a.md", []byte(a)), Parse("b.md", []byte(b))
	pq, qp := ComparePages(p, q, 1, 0.95), ComparePages(q, p, 1, 0.95)
	if pq.Kind != qp.Kind {
		t.Fatalf("pages %q, %q: %v, the other way %v", a, b, pq, qp)
	}
	if r := Read(p); r.length > 0 {
		if v := r.Compare(r, CompareOptions{}); v.Kind != Duplicate {
			t.Fatalf("page %q against itself: %v", a, v)
		}
	}
}
