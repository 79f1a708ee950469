package migrate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brain/page"
)

// A fence of gbrain is a table between two comments:
//
//	<!--- gbrain:facts:begin -->
//	| # | claim | kind | confidence | visibility | … | valid_from | valid_until | source | context |
//	|---|-------|------|------------|------------|---|------------|-------------|--------|---------|
//	| 1 | Runs on MySQL    | fact | 1.0 | world | … | 2024-01-01 | | wiki | superseded by #2 |
//	<!--- gbrain:facts:end -->
//
// A claim that is struck (~~…~~) counts no more; the context says why. Takes have a
// fence of the same form: claim, kind, who, weight, since, source. Rows become entries
// of facts:, and with the last row its fence leaves the body. A row that is none stays
// there.

// fences is what the fences of a page come to.
type fences struct {
	path  page.Path
	first int // line of the file on which the body begins
	facts []page.Fact
	body  string // without the rows that became facts
	left  []Item
}

// changes turn the page into one with the facts in its front matter.
func (f *fences) changes() []page.Change {
	out := []page.Change{page.SetBody(f.body)}
	for _, fact := range f.facts {
		out = append(out, page.AddFact(fact))
	}
	return out
}

// readFences reads the fences of a body. Marks in a block of code are talk about them.
func readFences(path page.Path, p *page.Page) *fences {
	f := &fences{path: path, first: p.BodyLine}
	lines := slices.Collect(strings.Lines(p.Body))
	kept := make([]string, 0, len(lines))
	code := ""
	for i := 0; i < len(lines); i++ {
		code = codeFence(code, lines[i])
		kind := fenceMark(lines[i], "begin")
		end := -1
		if code == "" && kind != "" {
			end = slices.IndexFunc(lines[i+1:], func(l string) bool { return fenceMark(l, "end") == kind })
		}
		if end < 0 {
			if code == "" && kind != "" {
				f.leave(AsText, "gbrain:"+kind+":begin", i, "its end is missing")
			}
			kept = append(kept, lines[i])
			continue
		}
		rest := f.table(kind, lines[i+1:i+1+end], i+1)
		if len(rest) > 0 {
			kept = append(append(append(kept, lines[i]), rest...), lines[i+1+end])
		} else {
			kept = withoutHeading(kept, lines[i+2+end:])
			for n := len(kept); i+2+end < len(lines) && isBlank(lines[i+2+end]) && n > 0 && isBlank(kept[n-1]); n-- {
				kept = kept[:n-1]
			}
		}
		i += 1 + end
	}
	f.body = strings.Join(kept, "")
	return f
}

func (f *fences) leave(why Reason, what string, line int, detail string) {
	f.left = append(f.left, drop(why, what, at(string(f.path), f.first+line), detail))
}

// codeFence follows blocks of code: it is the mark that the open one began with.
func codeFence(open, line string) string {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"```", "~~~"} {
		switch {
		case open == "" && strings.HasPrefix(line, mark):
			return mark
		case open == mark && strings.HasPrefix(line, mark) && strings.Trim(line, mark[:1]) == "":
			return ""
		}
	}
	return open
}

// fenceMark is the kind of fence that a line begins or ends: facts, takes, or "".
func fenceMark(line, which string) string {
	inner, ok := strings.CutPrefix(strings.TrimSpace(line), "<!--")
	if !ok || !strings.HasSuffix(inner, "-->") {
		return ""
	}
	switch strings.Trim(strings.TrimSuffix(inner, "-->"), "- ") {
	case "gbrain:facts:" + which:
		return "facts"
	case "gbrain:takes:" + which:
		return "takes"
	}
	return ""
}

// withoutHeading drops the heading of a section of which a fence was all.
func withoutHeading(above, below []string) []string {
	n := len(above)
	for n > 0 && isBlank(above[n-1]) {
		n--
	}
	if n == 0 || !isHeading(above[n-1]) {
		return above
	}
	switch strings.ToLower(strings.TrimSpace(strings.TrimLeft(above[n-1], "# "))) {
	case "facts", "takes":
	default:
		return above
	}
	for _, line := range below {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !isHeading(line) && line != "---" && !strings.HasPrefix(line, "<!--") {
			return above
		}
		break
	}
	return above[:n-1]
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

func isHeading(line string) bool {
	mark := len(line) - len(strings.TrimLeft(line, "#"))
	return mark > 0 && mark <= 6 && strings.HasPrefix(line[mark:], " ")
}

// row is a line of a table by the names of its columns.
type row map[string]string

// table makes facts of the rows; rest is what stays of the table, nothing when all
// became facts. first is the number of its first line in the body.
func (f *fences) table(kind string, lines []string, first int) (rest []string) {
	var columns []string
	var head []string // header and rule, which stay with a row that stays
	begin := len(f.facts)
	replaced := map[string]string{} // number of a row → that of the row that replaced it
	numbers := map[string]int{}     // number of a row → its place in facts
	for i, line := range lines {
		cells := cellsOf(line)
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case cells == nil:
			f.leave(AsText, line, first+i, "no row of a table")
		case columns == nil && slices.Contains(lowered(cells), "claim"):
			columns = lowered(cells)
			head = append(head, line)
			continue
		case columns == nil:
			f.leave(AsText, line, first+i, "a row before the header")
		case isRule(cells):
			head = append(head, line)
			continue
		default:
			r := row{}
			for k, c := range cells[:min(len(cells), len(columns))] {
				r[columns[k]] = c
			}
			why := f.take(kind, r, first+i, replaced)
			if why == "" {
				if n := r["#"]; n != "" && len(f.facts) > begin {
					numbers[n] = len(f.facts) - 1
				}
				continue
			}
			f.leave(AsText, r["claim"], first+i, why)
		}
		rest = append(rest, line)
	}
	f.connect(replaced, numbers)
	if len(rest) == 0 {
		return nil
	}
	return append(head, rest...)
}

// take makes a fact of a row, or says why it cannot.
func (f *fences) take(kind string, r row, line int, replaced map[string]string) (why string) {
	claim, struck := strings.TrimSpace(r["claim"]), false
	if inner, ok := strings.CutPrefix(claim, "~~"); ok && strings.HasSuffix(inner, "~~") {
		claim, struck = strings.TrimSpace(strings.TrimSuffix(inner, "~~")), true
	}
	fact := page.Fact{Text: claim, EventType: r["kind"], ValidFrom: r["valid_from"], ValidUntil: r["valid_until"],
		Metric: r["claim_metric"], Value: r["claim_value"], Unit: r["claim_unit"], Period: r["claim_period"]}
	said := r["context"]
	if kind == "takes" {
		fact.AttributedTo, said = r["who"], r["source"]
		fact.ValidFrom, fact.ValidUntil = span(r["since"])
	}
	by, isReplaced := replacedBy(said)
	switch {
	case struck && strings.HasPrefix(strings.ToLower(said), "forgotten"):
		f.leave(Gone, claim, line, said)
		return ""
	case struck && isReplaced:
		fact.Status = "superseded"
		replaced[r["#"]] = by
	case struck:
		fact.Status = "archived"
	}
	if err := fact.Check(); err != nil {
		return err.Error()
	}
	if _, err := page.Format(page.Draft{Title: "t", Facts: []page.Fact{fact}}); err != nil {
		return err.Error()
	}
	f.facts = append(f.facts, fact)
	if lost := r.lost(kind, isReplaced); lost != "" {
		f.leave(NoPlace, claim, line, lost)
	}
	return ""
}

// connect says of each fact that replaced another which one that was.
func (f *fences) connect(replaced map[string]string, numbers map[string]int) {
	for old, by := range replaced {
		i, have := numbers[old]
		k, is := numbers[by]
		if have && is && i != k && f.facts[k].Supersedes == "" && len(f.facts[i].Text) <= maxSupersedes {
			f.facts[k].Supersedes = f.facts[i].Text
		}
	}
}

// maxSupersedes bounds the text of a fact that another names as replaced, in bytes.
const maxSupersedes = 500

// lost are the columns of a row that a fact of a page has no key for.
func (r row) lost(kind string, replaced bool) string {
	columns := []string{"confidence", "visibility", "notability", "source", "context"}
	if kind == "takes" {
		columns = []string{"weight", "source"}
	}
	var parts []string
	for i, c := range columns {
		if v := r[c]; v != "" && !(replaced && i == len(columns)-1) {
			parts = append(parts, c+": "+v)
		}
	}
	return strings.Join(parts, ", ")
}

// replacedBy reads "superseded by #3".
func replacedBy(s string) (number string, ok bool) {
	_, rest, ok := strings.Cut(strings.ToLower(s), "superseded by #")
	if !ok {
		return "", false
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	n, err := strconv.Atoi(rest[:digits])
	return fmt.Sprint(n), err == nil
}

// span reads a date, or two with an arrow between them.
func span(s string) (from, until string) {
	for _, arrow := range []string{"→", "->"} {
		if a, b, ok := strings.Cut(s, arrow); ok {
			return strings.TrimSpace(a), strings.TrimSpace(b)
		}
	}
	return strings.TrimSpace(s), ""
}

// cellsOf splits a row of a table; nil for a line that is none. \| is no border.
func cellsOf(line string) []string {
	line = strings.TrimSpace(line)
	if len(line) < 2 || line[0] != '|' || line[len(line)-1] != '|' {
		return nil
	}
	var cells []string
	var cell strings.Builder
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && line[i+1] == '|':
			cell.WriteByte('|')
			i++
		case line[i] == '|':
			cells = append(cells, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(line[i])
		}
	}
	return cells
}

func isRule(cells []string) bool {
	return !slices.ContainsFunc(cells, func(c string) bool { return strings.Trim(c, "-: ") != "" })
}

func lowered(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = strings.ToLower(c)
	}
	return out
}
