package dream

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"brain/page"
	"brain/text"
)

// The form of an experience and of a skill; doc/experiences.md shows both. What they say
// stands in the body, under a heading each: when it applies, what to do, where it ends.
// What is known about them stands in the front matter:
//
//	subject           what its sources speak of, by which it is found again
//	sources           the pages that it was made of, links of type source
//	support, eta      how often it helped, and how far it is to be trusted (outcome.go)
//	counter_examples  how it failed
//	digest            of what the sources said when they were last listed
//	judged            likewise, when a model last judged them
//	written           of the text that brain wrote: who edits that makes the page theirs
//	skill             the skill that was made of it
//
// Pages that people or other tools wrote are read as well: a section may be a heading, a
// word in bold before a colon, or a key of the front matter, in English or Chinese.

// Author is who wrote what Dream writes.
const Author = "brain"

// Experience is one as its page tells it.
type Experience struct {
	Path    page.Path
	Title   string
	Status  string
	Subject string
	Sources []string // as written

	Trigger, Procedure, Boundary string
	Verification                 string // of a skill

	Support int
	Eta     float64
	Counter []string // "2026-03-02 marlin: the night calls did not stop"
	Failed  int      // how many counter-examples there are, also those in another form

	Digest, Judged string
	Skill          string

	page    *page.Page
	written string // the digest that the page holds
}

// Statement is a sentence of an experience, and which of its sources say so, from 1.
type Statement struct {
	Text    string `json:"text"`
	Sources []int  `json:"sources"`
}

// ReadExperience reads an experience or a skill.
func ReadExperience(p *page.Page) *Experience {
	value := func(keys ...string) string {
		for _, key := range keys {
			if v := page.Values(p.Path, p.Raw, key); len(v) > 0 {
				return strings.Join(v, ", ")
			}
		}
		return ""
	}
	s := sectionsOf(p)
	x := &Experience{
		Path: p.Path, Title: p.Title, Status: p.Status, Subject: value("subject"),
		Trigger: cmp.Or(s["trigger"], value("trigger")), Procedure: cmp.Or(s["procedure"], value("procedure")),
		Boundary: cmp.Or(s["boundary"], value("boundary")), Verification: cmp.Or(s["verification"], value("verification")),
		Counter: page.Values(p.Path, p.Raw, "counter_examples"), Failed: page.Entries(p.Path, p.Raw, "counter_examples"),
		Digest: value("digest"), Judged: value("judged"), Skill: value("skill"), written: value("written"), page: p,
	}
	for _, l := range p.Links {
		if l.Kind == page.FrontMatter && l.Type == "source" {
			x.Sources = append(x.Sources, l.Target)
		}
	}
	x.Support, _ = strconv.Atoi(value("support"))
	x.Eta = firstEta
	if eta, err := strconv.ParseFloat(value("eta", "eta_score"), 64); err == nil {
		x.Eta = min(1, max(0, eta))
	}
	return x
}

// Ours reports whether Dream may write the text: brain wrote the page, and nobody changed
// what it says since.
func (x *Experience) Ours() bool {
	return x.page.CreatedBy == Author && x.written != "" && x.written == textDigest(x.Title, x.page.Body)
}

// Filled reports whether it says more than where it was learned.
func (x *Experience) Filled() bool { return x.Procedure != "" }

// sections are the names that a section goes by.
var sectionNames = map[string][]string{
	"trigger":      {"trigger", "when", "when to use", "触发条件", "触发", "何时", "何时使用", "适用"},
	"procedure":    {"procedure", "do", "what to do", "steps", "how", "做法", "步骤", "怎么做", "操作"},
	"boundary":     {"boundary", "boundaries", "limits", "when not to use", "边界", "限制", "不适用"},
	"verification": {"verification", "verify", "check", "验证", "检查"},
	"sources":      {"sources", "来源"},
}

func sectionOf(name string) string {
	name = strings.Trim(text.Fold(name), " \t*_:.#")
	for key, names := range sectionNames {
		if slices.Contains(names, name) {
			return key
		}
	}
	return ""
}

// sectionsOf gives what stands under each section of a body.
func sectionsOf(p *page.Page) map[string]string {
	out := map[string]string{}
	key := ""
	for line := range strings.Lines(strings.ReplaceAll(p.Body, "\r\n", "\n")) {
		line = strings.TrimRight(line, " \t\n")
		if head := strings.TrimLeft(line, "#"); head != line && strings.HasPrefix(head, " ") {
			key = sectionOf(head)
			continue
		}
		if name, rest, ok := lead(line); ok {
			key, line = name, rest
		} else if line == "" && out[key] == "" {
			continue
		}
		if key != "" {
			out[key] += line + "\n"
		}
	}
	for key, s := range out {
		out[key] = strings.TrimSpace(s)
	}
	return out
}

// lead reads a section that begins with its name: **When**: …, 做法：…
func lead(line string) (key, rest string, ok bool) {
	at := strings.IndexAny(line, ":：")
	if at < 0 || at > 40 {
		return "", "", false
	}
	key = sectionOf(line[:at])
	return key, strings.TrimLeft(strings.TrimLeft(line[at:], ":： "), "* "), key != ""
}

// Statements cuts a section that brain wrote into its sentences, one a line.
func Statements(section string) (out []Statement) {
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		line = strings.TrimPrefix(line, "- ")
		if digits := strings.TrimLeft(line, "0123456789"); digits != line && strings.HasPrefix(digits, ". ") {
			line = digits[2:]
		}
		s := Statement{Text: line}
		if open := strings.LastIndex(line, " ["); open >= 0 && strings.HasSuffix(line, "]") {
			if refs, ok := numbers(line[open+2 : len(line)-1]); ok {
				s.Text, s.Sources = line[:open], refs
			}
		}
		if s.Text != "" {
			out = append(out, s)
		}
	}
	return out
}

func numbers(list string) (out []int, ok bool) {
	for part := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

// reference is a source in the list below the text.
type reference struct {
	path  page.Path
	title string
}

// refs are the sources that the list in the body names, in its order.
func (x *Experience) refs() (out []reference) {
	in := false
	for line := range strings.Lines(x.page.Body) {
		line = strings.TrimRight(line, " \t\r\n")
		if head := strings.TrimLeft(line, "#"); head != line {
			in = sectionOf(head) == "sources"
		}
		if r, ok := parseReference(line); ok && in {
			out = append(out, r)
		}
	}
	return out
}

// parseReference reads a line of the list: 3. [[sources/a/issues/1/lessons|Title]]
func parseReference(line string) (r reference, ok bool) {
	rest := strings.TrimLeft(line, "0123456789")
	inner, marked := strings.CutPrefix(rest, ". [[")
	inner, closed := strings.CutSuffix(inner, "]]")
	if rest == line || !marked || !closed {
		return r, false
	}
	target, title, labelled := strings.Cut(inner, "|")
	p, err := page.ParsePath(strings.TrimSuffix(target, ".md") + ".md")
	return reference{p, title}, labelled && err == nil
}

func (r reference) String() string {
	title := strings.Join(strings.Fields(strings.Map(func(c rune) rune {
		if strings.ContainsRune("[]|", c) {
			return ' '
		}
		return c
	}, r.title)), " ")
	return "[[" + strings.TrimSuffix(string(r.path), ".md") + "|" + cmp.Or(title, r.path.Stem()) + "]]"
}

// source is how a page is named in `sources:`. A name with a blank or a colon is taken for
// a page's only in brackets.
func (r reference) source() string {
	if strings.ContainsAny(string(r.path), " :") || !strings.Contains(string(r.path), "/") {
		return "[[" + strings.TrimSuffix(string(r.path), ".md") + "]]"
	}
	return string(r.path)
}

// linkable reports a path that a link can name.
func linkable(p page.Path) bool { return !strings.ContainsAny(string(p), "[]|#^\"") }

// draftText is the text of an experience.
type draftText struct {
	title, language              string
	trigger, procedure, boundary []Statement
	verification                 []Statement
	refs                         []reference
}

// headings of the sections, by language.
var headings = map[string][5]string{
	"":   {"Trigger", "Procedure", "Boundary", "Verification", "Sources"},
	"zh": {"触发条件", "做法", "边界", "验证", "来源"},
}

// body renders the text: a heading a section, a line a statement.
func (t *draftText) body() string {
	names := headings[t.language]
	var b strings.Builder
	b.WriteString("# " + t.title + "\n")
	for i, section := range [][]Statement{t.trigger, t.procedure, t.boundary, t.verification} {
		if len(section) == 0 {
			continue
		}
		b.WriteString("\n## " + names[i] + "\n\n")
		for n, s := range section {
			mark := "- "
			if i == 1 {
				mark = strconv.Itoa(n+1) + ". "
			}
			b.WriteString(mark + s.String() + "\n")
		}
	}
	if len(t.refs) > 0 {
		b.WriteString("\n## " + names[4] + "\n\n")
		for n, r := range t.refs {
			fmt.Fprintf(&b, "%d. %s\n", n+1, r)
		}
	}
	return b.String()
}

func (s Statement) String() string {
	if len(s.Sources) == 0 {
		return s.Text
	}
	refs := make([]string, len(s.Sources))
	for i, n := range s.Sources {
		refs[i] = strconv.Itoa(n)
	}
	return s.Text + " [" + strings.Join(refs, ", ") + "]"
}

// textDigest is of what a text says, its list of sources left out: their paths and titles
// change when they are moved, and so does the list.
func textDigest(title, body string) string {
	var b strings.Builder
	b.WriteString(title + "\n")
	for line := range strings.Lines(strings.ReplaceAll(body, "\r\n", "\n")) {
		line = strings.TrimRight(line, " \t\n")
		if _, isRef := parseReference(line); !isRef && line != "" {
			b.WriteString(line + "\n")
		}
	}
	return digest(b.String())
}

// formExperience renders a new experience.
func formExperience(t *draftText, subject, inputs, judged string, at time.Time) ([]byte, error) {
	body := t.body()
	d := page.Draft{
		Title: t.title, Type: "experience", CreatedBy: Author, Created: at.UTC().Truncate(time.Second), Updated: at.UTC().Truncate(time.Second), Body: body,
		More: []page.Key{{Name: "subject", Value: subject}, {Name: "support", Value: "0", Number: true}, {Name: "eta", Value: formatEta(firstEta), Number: true},
			{Name: "digest", Value: inputs}, {Name: "judged", Value: judged}, {Name: "written", Value: textDigest(t.title, body)}},
	}
	for _, r := range t.refs {
		d.Sources = append(d.Sources, r.source())
	}
	return page.Format(d)
}

// isHan reports a text that is written in Chinese.
func isHan(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0
}
