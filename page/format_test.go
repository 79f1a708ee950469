package page

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func sampleDraft() Draft {
	day := func(s string) time.Time { t, _ := time.Parse(time.RFC3339, s); return t }
	return Draft{
		Title: "Payments run on PostgreSQL", Type: "decision", Status: "stale", Source: "billing", Slug: "payments-postgres",
		Sources: []string{"agent-3", "minutes of January"},
		Tags:    []string{"database", "2026"}, Aliases: []string{"支付数据库"}, CreatedBy: "agent-7",
		Created: day("2026-01-31T10:00:00Z"), Updated: day("2026-02-01T08:30:00Z"), At: day("2026-01-30T00:00:00Z"),
		Abstract: "One database for all payments: PostgreSQL.",
		Overview: "Payments moved from MySQL to PostgreSQL.\n\nThe move took two weekends.",
		Links:    []Link{{Target: "entities/postgres", Type: "decided", Origin: "wikilink"}},
		Facts: []Fact{
			{Text: "The payment database holds 40 GB", At: "2026-01-30", Metric: "size", Value: "40", Unit: "GB", ValidFrom: "2026-01-30"},
			{Text: "Payments run on MySQL", Status: "superseded"},
		},
		Provenance: Provenance{Session: "s-0042", Turns: []int{3, 4}, Ref: "sessions/2026-01/s-0042"},
		Body:       "# Payments run on PostgreSQL\n\nWe decided to use [[Postgres|PostgreSQL]] for payments.",
	}
}

// The sample of the documentation is, byte for byte, what brain writes.
func TestFormatMatchesDocumentation(t *testing.T) {
	doc, err := os.ReadFile("../doc/format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(doc), "```markdown\n")
	sample, _, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatal("doc/format.md holds no sample")
	}
	got, err := Format(sampleDraft())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample, string(got)); diff != "" {
		t.Errorf("doc/format.md and Format differ (-doc +code):\n%s", diff)
	}
	if p := Parse("sources/billing/issues/1/decisions/1-db.md", got); len(p.Problems) > 0 {
		t.Errorf("brain's own form has problems: %v", p.Problems)
	}
}

// The form that brain writes is one that the fast reader takes, but for
// blocks of several lines and the nested provenance.
func TestFormatIsReadFast(t *testing.T) {
	d := sampleDraft()
	d.Overview, d.Provenance = "", Provenance{}
	raw, err := Format(d)
	if err != nil {
		t.Fatal(err)
	}
	f, _, _ := splitFrontMatter(string(raw))
	if _, ok := readStrict(string(raw[f.start:f.end]), 2); !ok {
		t.Errorf("not read by the strict reader:\n%s", raw)
	}
}

func TestFormatRefuses(t *testing.T) {
	long := strings.Repeat("长", 201)
	for name, change := range map[string]func(*Draft){
		"no title":                       func(d *Draft) { d.Title = "" },
		"title of 201 characters":        func(d *Draft) { d.Title = long },
		"title of two lines":             func(d *Draft) { d.Title = "a\nb" },
		"body of 200,001 characters":     func(d *Draft) { d.Body = strings.Repeat("x", 200_001) },
		"fact of 2,001 characters":       func(d *Draft) { d.Facts = []Fact{{Text: strings.Repeat("x", 2001)}} },
		"fact without text":              func(d *Draft) { d.Facts = []Fact{{Metric: "size"}} },
		"valid_until before valid_from":  func(d *Draft) { d.Facts = []Fact{{Text: "x", ValidFrom: "2026-02-01", ValidUntil: "2026-01-01"}} },
		"valid_from that is not a date":  func(d *Draft) { d.Facts = []Fact{{Text: "x", ValidFrom: "soon"}} },
		"unknown status of a fact":       func(d *Draft) { d.Facts = []Fact{{Text: "x", Status: "gone"}} },
		"link without target":            func(d *Draft) { d.Links = []Link{{Type: "decided"}} },
		"title that is not UTF-8":        func(d *Draft) { d.Title = "caf\xe9" },
		"body with a NUL":                func(d *Draft) { d.Body = "a\x00b" },
		"created_by of 129 characters":   func(d *Draft) { d.CreatedBy = strings.Repeat("x", 129) },
		"title of nothing but blanks":    func(d *Draft) { d.Title = "  " },
		"fact text that is not UTF-8":    func(d *Draft) { d.Facts = []Fact{{Text: "\xff"}} },
		"tag with a line break":          func(d *Draft) { d.Tags = []string{"a\nb"} },
		"supersedes with a line break":   func(d *Draft) { d.Facts = []Fact{{Text: "x", Supersedes: "a\rb"}} },
		"abstract that is not UTF-8":     func(d *Draft) { d.Abstract = "\xff" },
		"own key that all pages have":    func(d *Draft) { d.More = []Key{{Name: "Tags", Value: "x"}} },
		"own key of no form":             func(d *Draft) { d.More = []Key{{Name: "a: b", Value: "x"}} },
		"own key of two lines":           func(d *Draft) { d.More = []Key{{Name: "a", Value: "x\ny: z"}} },
		"own number that is none":        func(d *Draft) { d.More = []Key{{Name: "a", Value: "0x1", Number: true}} },
		"title of one kind of line feed": func(d *Draft) { d.Title = "a\r" },
	} {
		d := Draft{Title: "ok", Body: "text"}
		change(&d)
		if _, err := Format(d); !errors.Is(err, ErrDraft) {
			t.Errorf("%s: error %v, want ErrDraft", name, err)
		}
	}
}

// asDraft is the draft that a page was written from.
func asDraft(p *Page) Draft {
	d := Draft{
		Title: p.declared.title, Type: p.declared.typ, Status: p.declared.status, Source: p.declared.source, Sources: p.Sources, Slug: p.Slug, Redirect: p.Redirect,
		CreatedBy: p.CreatedBy, Created: p.Created, Updated: p.Updated, At: p.At, Tags: p.declared.tags, Aliases: p.Aliases,
		Abstract: p.Abstract, Overview: p.Overview, Facts: p.Facts, Provenance: p.Provenance, Generated: p.Generated,
		Body: strings.Trim(p.Body, "\n"),
	}
	for i := range d.Facts {
		d.Facts[i].Line = 0
	}
	for _, l := range p.Links[:p.declared.links] {
		d.Links = append(d.Links, Link{Target: l.Target, Fragment: l.Fragment, Type: l.Type, Origin: l.Origin})
	}
	return d
}

func drawDraft(t *rapid.T) Draft {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.TrimSpace(rapid.OneOf(
			rapid.StringN(0, 40, 160),
			rapid.SampledFrom([]string{"no", "1e3", "0123", "null", "~", "a: b", "# x", "- y", "[a]", "'q'", `"q"`, "x #y", "日本語：です", "a, b", "*a", "&b", "!c", "%d", "@e", "`f", "true", "---", "...", "|", ">-", "=", "<<", "2024-05-01", "\u2028", "a\tb", "\u0085", "{x}", "? a"}),
		).Filter(func(s string) bool { return !strings.ContainsAny(s, "\n\r\x00") }).Draw(t, "text"))
	})
	word := text.Filter(func(s string) bool { return s != "" && len(s) < 200 })
	name := rapid.StringMatching(`[a-zA-Z0-9日本][a-zA-Z0-9 :'"日本_/.-]{0,20}[a-z]`)
	voice := word.Filter(func(s string) bool { return !strings.ContainsAny(s, "/[") }) // what would also be a link
	date := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "s"), 0).UTC()
	})
	d := Draft{
		Title: word.Draw(t, "title"), Type: rapid.SampledFrom([]string{"", "note", "fact"}).Draw(t, "type"),
		Source: name.Draw(t, "source"), Sources: rapid.SliceOfNDistinct(voice, 0, 3, strings.ToLower).Draw(t, "sources"), CreatedBy: word.Draw(t, "by"), Created: date.Draw(t, "created"),
		Tags: rapid.SliceOfNDistinct(name, 0, 4, strings.ToLower).Draw(t, "tags"), Aliases: rapid.SliceOfNDistinct(name, 0, 4, strings.ToLower).Draw(t, "aliases"),
		Abstract:  text.Draw(t, "abstract"),
		Overview:  strings.TrimSpace(strings.Join(rapid.SliceOfN(text, 0, 4).Draw(t, "overview"), "\n")),
		Generated: rapid.Bool().Draw(t, "generated"),
		Body:      strings.Trim(strings.ReplaceAll(rapid.StringN(0, 80, 300).Draw(t, "body"), "\x00", ""), "\r\n"),
	}
	if d.Body = strings.ReplaceAll(d.Body, "\r\n", "\n"); strings.TrimSpace(d.Body) == "" {
		d.Body = ""
	}
	for range rapid.IntRange(0, 3).Draw(t, "facts") {
		d.Facts = append(d.Facts, Fact{Text: word.Draw(t, "fact"), Value: text.Draw(t, "value"), Unit: text.Draw(t, "unit")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "links") {
		target := strings.ReplaceAll(name.Draw(t, "to"), ":", "")
		if otherFile(target) {
			continue
		}
		d.Links = append(d.Links, Link{Target: target, Type: rapid.SampledFrom([]string{"decided", "produced_by", "mentions"}).Draw(t, "link")})
	}
	return d
}

// Parse(Format(d)) gives d back.
func TestFormatRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDraft(t)
		raw, err := Format(d)
		if err != nil {
			t.Fatal(err)
		}
		p := Parse("notes/x.md", raw)
		if diff := cmp.Diff(d, asDraft(p), cmp.Transformer("nil", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
			t.Errorf("round trip (-draft +page):\n%s\n%s", diff, raw)
		}
		for _, pr := range p.Problems {
			if pr.Code == CodeYAML || pr.Code == CodeBadType || pr.Code == CodeDuplicateKey {
				t.Errorf("brain's own form has a problem: %+v\n%s", pr, raw)
			}
		}
	})
}

func TestKeysOfOneKindOfPageStandLast(t *testing.T) {
	got, err := Format(Draft{Title: "A", Type: "experience", CreatedBy: "brain", More: []Key{{"subject", "[[a/b]]", false}, {"eta", "0.5", true}, {"name", "12", false}, {"none", "", false}}, Body: "B"})
	if want := "---\ntitle: A\nschema_type: experience\ncreated_by: brain\nsubject: \"[[a/b]]\"\neta: 0.5\nname: \"12\"\n---\n\nB\n"; err != nil || string(got) != want {
		t.Errorf("%s, error %v, want\n%s", got, err, want)
	}
}

func TestADecimalStaysANumber(t *testing.T) {
	for _, c := range []struct{ was, value, want string }{
		{"0.5", "0.6", "0.6"}, {"1", "2", "2"}, {"0.5", "1", "1"}, {"-1", "-0.25", "-0.25"},
		{"0.5", "1.10", `"1.10"`}, {"0.5", "1e3", `"1e3"`}, {"0.5", "NaN", `"NaN"`}, {"half", "0.6", `"0.6"`}, {"0.5", "1.2.3", `"1.2.3"`}, {"1", "12345678901234567890", `"12345678901234567890"`},
	} {
		got, err := Splice("x.md", []byte("---\neta: "+c.was+"\n---\n"), SetText("eta", c.value))
		if want := "---\neta: " + c.want + "\n---\n"; err != nil || string(got) != want {
			t.Errorf("%s to %s: %q, error %v", c.was, c.value, got, err)
		}
	}
}
