package page

import (
	"strings"
	"testing"
)

const tokenPage = `---
title: Token bucket
created_at: "2026-01-05T10:00:00Z"
source: ingest
tags: [limits]
---

Each tenant has a bucket of 100 tokens. A request takes one token, and the
bucket is filled again every minute.

- Owner: Alice
- The dashboard shows the level of each bucket
`

func edited(old, new string) string { return strings.Replace(tokenPage, old, new, 1) }

func TestComparePages(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		cosine     float64
		want       string
	}{
		{"another date, source and tag", tokenPage, strings.NewReplacer("2026-01-05", "2026-02-09", "ingest", "gate", "limits", "rate").Replace(tokenPage), 0, "duplicate (words)"},
		{"the title as heading", tokenPage, "# Token bucket\n" + tokenPage[strings.LastIndex(tokenPage, "---\n")+4:], 0, "duplicate (words)"},
		{"lines wrapped elsewhere, bold, CRLF", tokenPage, strings.ReplaceAll(edited("A request takes one token, and the\nbucket", "A **request** takes\none token, and the bucket"), "\n", "\r\n"), 0, "duplicate (words)"},
		{"numbers written otherwise", edited("100 tokens", "1,000 tokens"), edited("100 tokens", "1k tokens"), 0, "duplicate (words)"},
		{"another article, words alone", tokenPage, edited("A request", "The request"), 0, "different"},
		{"another article, and near", tokenPage, edited("A request", "The request"), 1, "duplicate (meaning): cosine 1.000, overlap 1.00"},
		{"one more paragraph", tokenPage, tokenPage + "\nThe bucket was enlarged after the incident in spring.\n", 1, "different"},
		{"a sentence replaced", tokenPage, edited("shows the level of each bucket", "hides a list of all tenants"), 1, "different"},
		{"another number", tokenPage, edited("100 tokens", "1,000 tokens"), 1, `contradiction (slot): "100 n" against "1000 n"`},
		{"a sentence denied", tokenPage, edited("shows", "does not show"), 1, `contradiction (negation): "The dashboard shows the level of each bucket" against "The dashboard does not show the level of each bucket"`},
		{"another owner", tokenPage, edited("Owner: Alice", "Owner: Bob"), 1, `contradiction (slot): "owner alice" against "owner bob"`},
		{"another order", "First stop the server. Then copy the files.\n", "Then copy the files. First stop the server.\n", 1, "different"},
		{"another link", "See [the page](a.md) for more.\n", "See [the page](b.md) for more.\n", 1, "different"},
		{"other code", "Run this:\n\n```\nrm -r a\n```\n", "Run this:\n\n```\nrm -r b\n```\n", 1, "different"},
		{"a box ticked", "- [ ] write the release notes\n", "- [x] write the release notes\n", 1, "different"},
		{"one pattern, other names", "---\ntitle: Project Kite status\n---\nThe deadline is March 1.\n", "---\ntitle: Project Heron status\n---\nThe deadline is March 5.\n", 1, "different"},
		{"notes of two days", "---\ntitle: Notes 2026-03-01\n---\nThe deadline is March 1.\n", "---\ntitle: Notes 2026-03-05\n---\nThe deadline is March 5.\n", 1, `contradiction (slot): "--03-01 date" against "--03-05 date"`},
		{"a list of values", "We bought 80 chairs for the office.\n\nWe bought 43 chairs for the office.\n", "We bought 80 chairs for the office.\n\nWe bought 22 chairs for the office.\n", 1, "different"},
		{"one pattern, other names, whole sentences", "---\ntitle: Project Kite status\n---\nThe whole team has 8 people in Oslo.\n", "---\ntitle: Project Heron status\n---\nThe whole team has 9 people in Oslo.\n", 1, "different"},
		{"facts of two years", "---\nfacts:\n  - text: revenue 5 million\n    period: \"2024\"\n---\n", "---\nfacts:\n  - text: revenue 6 million\n    period: \"2025\"\n---\n", 1, "different"},
		{"facts of one year", "---\nfacts:\n  - text: revenue was 5 million\n    period: \"2024\"\n---\n", "---\nfacts:\n  - text: revenue was 6 million\n    period: \"2024\"\n---\n", 1, `contradiction (slot): "5000000 n" against "6000000 n"`},
		{"a new database", "技术栈只用一个数据库:数据库是 MySQL。\n", "数据库是 PostgreSQL,因为写入太慢。\n", 1, "different"},
		{"the database, twice", "数据库是 MySQL。\n", "数据库是 PostgreSQL。\n", 1, `contradiction (slot): "数据库 mysql" against "数据库 postgresql"`},
		{"a form, filled in for two things", "# Colour of links\n\n- Default: 3\n", "# Width of tabs\n\n- Default: 8\n", 1, "different"},
		{"a form, filled in twice for one", "# Width of tabs\n\n- Default: 3\n", "# Width of tabs\n\n- Default: 8\n", 1, `contradiction (slot): "3 n" against "8 n"`},
		{"two sections of a form", "# Sluice\n\n## Port\n\n- Default: 3\n", "# Sluice\n\n## Width\n\n- Default: 8\n", 1, "different"},
		{"this, on two pages", "# Get\n\nYou can pipe a string to this command.\n", "# Set\n\nYou cannot pipe a string to this command.\n", 1, "different"},
		{"moved since, zh", "# 存储\n\n技术栈使用 MySQL 数据库。\n", "# 迁移记录\n\n技术栈的数据库从 MySQL 迁移到 PostgreSQL,因为写入太慢。\n", 0,
			`contradiction (change): "技术栈使用 MySQL 数据库。" against "技术栈的数据库从 MySQL 迁移到 PostgreSQL,因为写入太慢。"`},
		{"empty pages", "", "", 1, "different"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := Parse("notes/a.md", []byte(c.a)), Parse("notes/b.md", []byte(c.b))
			if got := ComparePages(a, b, c.cosine, 0.95).String(); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

// A pair of pages of which each says where.
func TestComparePagesNamesTheLines(t *testing.T) {
	a := Parse("notes/a.md", []byte(tokenPage))
	b := Parse("notes/b.md", []byte("# Other\n\nFirst line.\n\n"+"The dashboard does not show the level of each bucket.\n"))
	v := ComparePages(a, b, 0, 0)
	if want := [2]Place{{"notes/a.md", 12}, {"notes/b.md", 5}}; v.Kind != Contradiction || v.Places != want {
		t.Errorf("%v at %v, want a contradiction at %v", v, v.Places, want)
	}
	v = ComparePages(b, a, 0, 0)
	if want := [2]Place{{"notes/b.md", 5}, {"notes/a.md", 12}}; v.Kind != Contradiction || v.Places != want || !strings.Contains(v.Detail[0], "not") {
		t.Errorf("%v at %v, want a contradiction at %v", v, v.Places, want)
	}
}

// What lies behind the part that is compared in words still counts.
func TestComparePagesOfAnyLength(t *testing.T) {
	long := strings.Repeat("The gate counts what each tenant sends in a minute, one row a tenant.\n\n", 2000)
	a, b := Parse("a.md", []byte(long+"The end is here.\n")), Parse("b.md", []byte(long+"The end is there.\n"))
	if v := ComparePages(a, b, 1, 0.95); v.Kind != Different {
		t.Errorf("pages that end differently: %v", v)
	}
	if v := ComparePages(a, Parse("c.md", a.Raw), 0, 0); v.Kind != Duplicate {
		t.Errorf("a copy: %v", v)
	}
	tail := strings.Repeat("x ", 40_000) // one sentence, longer than any claim
	if v := ComparePages(Parse("a.md", []byte(tail+"1")), Parse("b.md", []byte(tail+"2")), 1, 0.95); v.Kind != Different {
		t.Errorf("sentences that end differently: %v", v)
	}
}

func TestClaims(t *testing.T) {
	raw := `---
title: Sluice
schema_type: entity
aliases: [the gate]
facts:
  - text: Sluice has a limit
    metric: limit
    value: "100"
    unit: requests
    attributed_to: Wei
    at: "2026-03-01"
    valid_from: "2026-03-01"
  - text: an old one
    status: superseded
---

# Sluice

Runs on Linux. The gate is owned by Alice.

| what | where |
|---|---|
| port | 7443 |

- two gates

` + "```\nsluice --limit 100\n```\n"
	got := Claims(Parse("entities/sluice.md", []byte(raw)))
	want := []Claim{
		{Speaker: "Wei", Slot: Slot{Metric: "limit", Value: "100", Unit: "requests", Date: "2026-03-01"}, Text: "Sluice has a limit 100 requests",
			Time: "2026-03-01/", Place: Place{"entities/sluice.md", 6}},
		{Subject: "sluice", Text: "Runs on Linux.", Place: Place{"entities/sluice.md", 19}, Form: Prose},
		{Text: "The gate is owned by Alice.", Place: Place{"entities/sluice.md", 19}, Form: Prose},
		{Subject: "sluice", Text: "what where", Place: Place{"entities/sluice.md", 21}, Form: Row},
		{Subject: "sluice", Text: "port 7443", Place: Place{"entities/sluice.md", 23}, Form: Row},
		{Subject: "sluice", Text: "two gates", Place: Place{"entities/sluice.md", 25}, Form: Item},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("claim %d: got %+v\nwant %+v", i, got[i], want[i])
		}
	}
	if got := Claims(Parse("a.md", []byte("---\ntitle: Use tokens for login\n---\n"))); len(got) != 1 || got[0].Text != "Use tokens for login" {
		t.Errorf("a page of a title: %+v", got)
	}
	if got := Claims(Parse("nothing-said.md", nil)); len(got) != 0 {
		t.Errorf("an empty page claims %+v", got)
	}
	if got := Claims(Parse("a.md", []byte("# Gate\n\nIt is written in Go.\n"))); len(got) != 1 || got[0].Subject != "gate" {
		t.Errorf("a pronoun: %+v", got)
	}
}

func TestATitleMadeOfTheTextSetsNoPageApart(t *testing.T) {
	note := func(title, body string) *Page {
		return Parse("n.md", []byte("---\ntitle: "+title+"\n---\n\n"+body+"\n"))
	}
	for _, c := range []struct {
		a, b *Page
		want Kind
	}{
		{note("The upload limit is 100 MB", "The upload limit is 100 MB."), note("The upload limit is 1000 MB", "The upload limit is 1000 MB."), Contradiction},
		{note("上传上限是一百兆", "上传上限是一百兆。"), note("上传上限是两百兆", "上传上限是两百兆。"), Contradiction},
		{note("The nightly backup of the staging database …", "The nightly backup of the staging database takes 3 hours."),
			note("The nightly backup of the staging database …", "The nightly backup of the staging database takes 5 hours."), Contradiction},
		{note("Alpha", "The upload limit is 100 MB."), note("Beta", "The upload limit is 1000 MB."), Different},                       // two things
		{note("The upload limit is 100 MB", "The upload limit is 100 MB."), note("Limits", "The upload limit is 100 MB."), Duplicate}, // that title says no more
		{note("The upload limit is 100 MB", "The upload limit is 100 MB."), note("Herons", "The upload limit is 100 MB."), Different},
	} {
		if got := ComparePages(c.a, c.b, 0, 0); got.Kind != c.want {
			t.Errorf("%s | %s: %v, want %v", c.a.Title, c.b.Title, got, c.want)
		}
	}
}
