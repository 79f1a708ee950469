package page

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Front matter: a block between `---` on the very first line and the next
// line `---` or `...`. What lies between must look like keys; a page that
// merely begins with a rule, or has one further down, has none.

// fences are the byte offsets of a block: its lines, and where the body begins.
type fences struct{ start, end, body int }

// splitFrontMatter finds the block; closed is false when the first line opens
// one that never ends.
func splitFrontMatter(s string) (f fences, opened, closed bool) {
	if !strings.HasPrefix(s, "---") {
		return f, false, false
	}
	first, _, _ := strings.Cut(s, "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return f, false, false
	}
	f.start = min(len(first)+1, len(s))
	for at := f.start; at < len(s); {
		line, next := s[at:], len(s)
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line, next = line[:i], at+i+1
		}
		if len(line) >= 3 && (line[0] == '-' || line[0] == '.') {
			if t := strings.TrimRight(line, " \t\r"); t == "---" || t == "..." {
				f.end, f.body = at, next
				return f, true, true
			}
		}
		at = next
	}
	return f, true, false
}

// readFrontMatter splits the file and reads the block.
func (p *Page) readFrontMatter(s string) {
	if block, found := p.cutBody(s); found {
		p.apply(p.readBlock(block))
		p.checkSpelling(block)
		p.checkConflict(block)
	}
}

// cutBody finds the body and gives the block before it.
func (p *Page) cutBody(s string) (block string, found bool) {
	p.Body = s
	f, opened, closed := splitFrontMatter(s)
	if !opened {
		return "", false
	}
	if !closed {
		if looksLikeKeys(s[f.start:], true) {
			p.problem(1, CodeUnclosed, "the front matter is never closed", "add a line --- after the last key")
		}
		return "", false
	}
	block = s[f.start:f.end]
	if strings.TrimSpace(block) != "" && !looksLikeKeys(block, false) {
		return "", false
	}
	p.Body = s[f.body:]
	p.BodyLine = 2 + strings.Count(block, "\n") + 1
	return block, true
}

// looksLikeKeys asks of the first lines whether they are keys: the first one
// when strictly, else at least as many keys as other lines.
func looksLikeKeys(block string, firstOnly bool) bool {
	keys, others := 0, 0
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, " \r\n")
		if line == "" || line[0] == '#' || line[0] == ' ' || line[0] == '\t' || isItem(line) || conflictMark(line) != 0 {
			if line == "" && keys == 0 && firstOnly {
				return false
			}
			continue
		}
		if _, _, ok := splitKey(line); ok || line[0] == '{' || line[0] == '?' {
			keys++
		} else {
			others++
		}
		if firstOnly || keys+others >= 20 {
			break
		}
	}
	return keys > 0 && keys >= others
}

// readBlock tries the three readers, cheapest first.
func (p *Page) readBlock(block string) []field {
	const firstLine = 2
	if fields, ok := readStrict(block, firstLine); ok {
		return fields
	}
	if len(block) > maxBlock {
		p.problem(1, CodeTooLarge, fmt.Sprintf("the front matter has %d KiB", len(block)>>10), "move the text into the body")
		return readLoose(block, firstLine)
	}
	fields, err := parseYAML(block, firstLine)
	switch {
	case err == nil:
		return fields
	case err == errTooMuch:
		p.problem(1, CodeTooLarge, "the front matter nests or repeats too much", "write the values out, flat")
	default:
		line, cause := explain(err, firstLine)
		p.problem(line, CodeYAML, "invalid YAML: "+cause, "correct the line, or put its value in quotes")
	}
	return readLoose(block, firstLine)
}

// checkSpelling names the two mistakes that people make most, with the line
// as it ought to be.
func (p *Page) checkSpelling(block string) {
	broken := false
	for _, pr := range p.Problems {
		broken = broken || pr.Code == CodeYAML
	}
	if !broken {
		return
	}
	line := 1
	for l := range strings.Lines(block) {
		line++
		l = strings.TrimRight(l, " \r\n")
		if l == "" || l[0] == '#' {
			continue
		}
		if strings.HasPrefix(strings.TrimLeft(l, " "), "\t") {
			p.problem(line, CodeTab, "indented with a tab", "use two blanks")
			continue
		}
		key, val, ok := splitKey(l)
		if ok && colonValue(val) {
			p.problem(line, CodeTitleColon, "the value of "+key+" holds a colon and a blank and is not quoted", key+": "+quote(val))
		}
	}
}

// colonValue reports whether a plain value holds what YAML takes for another
// key.
func colonValue(val string) bool {
	return val != "" && plainStart(val) && (strings.Contains(val, ": ") || val[len(val)-1] == ':')
}

// apply takes the fields over, the first of a key wins.
func (p *Page) apply(fields []field) {
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		key := spelling(f.key)
		if seen[key] {
			p.problem(f.line, CodeDuplicateKey, "the key "+f.key+" stands twice", "delete one of them")
			continue
		}
		seen[key] = true
		p.Keys = append(p.Keys, f.key)
		if !p.applyNames(f) && !p.applyTexts(f) && !p.applyDates(f) && !p.applyLists(f) {
			p.propertyLinks(f)
		}
	}
}

// canonical is the name that brain writes for what a key is read as; a key
// that brain does not know is its own.
func canonical(key string) string {
	lower := strings.ToLower(key)
	switch lower {
	case "type":
		return "schema_type"
	case "tag":
		return "tags"
	case "alias":
		return "aliases"
	}
	switch d := dateKey(key); d {
	case "created", "updated":
		return d + "_at"
	case "at":
		return d
	}
	if isKnown(lower) {
		return lower
	}
	return key
}

func isKnown(key string) bool { return slices.Contains(keyOrder[:], key) }

// spelling is what two keys must share to be the same: keys of ours are read
// in any case, others as written.
func spelling(key string) string {
	if isKnown(canonical(key)) {
		return strings.ToLower(key)
	}
	return key
}

// applyNames reads the keys that are short names.
func (p *Page) applyNames(f field) bool {
	switch strings.ToLower(f.key) {
	case "title":
		p.declared.title = p.clip(p.text(f), f.line)
		p.Title = p.declared.title
	case "schema_type", "type":
		// schema_type wins wherever it stands.
		if t := strings.ToLower(p.text(f)); t != "" && (p.declared.typ == "" || f.key == "schema_type") {
			p.declared.typ, p.Type = t, t
		}
	case "status":
		if p.declared.status = p.text(f); p.declared.status != "" {
			p.Status = strings.ToLower(p.declared.status)
		}
	case "source":
		if f.val.kind != scalar || isWikilink(f.val.text) {
			return false // gbrain's link, DeerMem's record
		}
		p.declared.source = p.text(f)
		p.Source = p.declared.source
	case "created_by":
		p.CreatedBy = p.text(f)
	case "slug":
		p.Slug = p.clip(p.text(f), f.line)
	case "redirect":
		p.Redirect = p.clip(strings.TrimSuffix(strings.TrimPrefix(p.text(f), "[["), "]]"), f.line)
	case "generated":
		p.Generated = p.text(f) == "brain"
	case "path":
		if want := p.text(f); !p.Path.is(want) {
			p.problem(f.line, CodePath, fmt.Sprintf("path says %s, the file is %s", strings.TrimPrefix(want, "/"), p.Path), "delete the key or correct it")
		}
	default:
		return false
	}
	return true
}

// is reports whether a path key names the page, or nothing: with or without a
// leading / and .md.
func (p Path) is(said string) bool {
	said = strings.TrimPrefix(strings.TrimSpace(said), "/")
	return said == "" || trimMD(path.Clean(said)) == trimMD(string(p))
}

// applyTexts reads the keys that are running text.
func (p *Page) applyTexts(f field) bool {
	switch strings.ToLower(f.key) {
	case "abstract":
		p.Abstract = p.text(f)
	case "overview":
		p.Overview = p.text(f)
	case "layers_of":
		p.LayersOf = p.text(f)
	case "description", "summary", "desc":
		if p.Description == "" {
			p.Description = p.text(f)
		}
	default:
		return false
	}
	return true
}

func (p *Page) applyDates(f field) bool {
	var into = &p.Created
	switch dateKey(f.key) {
	case "created":
	case "updated":
		into = &p.Updated
	case "at":
		into = &p.At
	default:
		return false
	}
	if f.val.kind != scalar || f.val.text == "" {
		return true
	}
	t, ok := ParseDate(f.val.text)
	if !ok {
		p.problem(f.line, CodeBadDate, fmt.Sprintf("%s: %q is not a date", f.key, cut(f.val.text, 40)), "write it as 2026-01-31 or 2026-01-31T10:00:00Z")
	} else if into.IsZero() {
		*into = t
	}
	return true
}

func (p *Page) applyLists(f field) bool {
	switch strings.ToLower(f.key) {
	case "tags", "tag":
		for _, t := range p.names(f) {
			if t = strings.TrimLeft(t, "#"); t != "" {
				p.declared.tags = append(p.declared.tags, t)
			}
		}
		p.declared.tags = dedupe(p.declared.tags)
	case "aliases", "alias":
		p.Aliases = dedupe(append(p.Aliases, p.names(f)...))
	case "links":
		p.declaredLinks(f)
	case "facts":
		p.readFacts(f)
	case "provenance":
		p.readProvenance(f)
	case "sources":
		p.readSources(f)
		return false // gbrain's pages
	case "external_ids":
		p.readExternalIDs(f)
	default:
		return false
	}
	return true
}

// readExternalIDs reads the ids that other systems have for an entity: a list, or
// a map from system to id, which becomes "system:id".
func (p *Page) readExternalIDs(f field) {
	if f.val.kind == mapping {
		for _, g := range f.val.fields {
			if g.val.kind == scalar && g.val.text != "" {
				p.ExternalIDs = append(p.ExternalIDs, g.key+":"+g.val.text)
			}
		}
		return
	}
	p.ExternalIDs = append(p.ExternalIDs, p.names(f)...)
}

// text reads a value that ought to be one scalar. A list gives its parts,
// joined, since a reader would understand it; a map gives nothing.
func (p *Page) text(f field) string {
	switch f.val.kind {
	case scalar:
		return strings.TrimSpace(f.val.text)
	case list:
		p.problem(f.line, CodeBadType, "the value of "+f.key+" is a list", "write one value")
		var parts []string
		for _, item := range f.val.items {
			if item.kind == scalar && item.text != "" {
				parts = append(parts, item.text)
			}
		}
		return strings.Join(parts, ", ")
	}
	p.problem(f.line, CodeBadType, "the value of "+f.key+" is a mapping", "write one value")
	return ""
}

// maxNames bounds a list of tags or aliases: more are no names.
const maxNames = 1000

// names reads a list, or a scalar that stands for one: `a, b`.
func (p *Page) names(f field) []string {
	var out []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" && len(out) < maxNames {
			out = append(out, p.clip(s, f.line))
		}
	}
	switch f.val.kind {
	case scalar:
		if !f.val.plain {
			add(f.val.text)
			break
		}
		for s := range strings.SplitSeq(f.val.text, ",") {
			add(s)
		}
	case list:
		for _, item := range f.val.items {
			if item.kind == scalar {
				add(item.text)
			} else {
				p.problem(item.line, CodeBadType, "an entry of "+f.key+" is not a name", "write one name a line")
			}
		}
	case mapping:
		p.problem(f.line, CodeBadType, "the value of "+f.key+" is a mapping", "write a list")
	}
	return out
}

// readSources reads the names that are text; what else stands in the list may
// still be a link.
func (p *Page) readSources(f field) {
	for _, item := range itemsOf(f.val) {
		if item.kind == scalar && len(p.Sources) < maxNames {
			one := field{key: f.key, line: item.line, val: item}
			one.val.plain = item.plain && f.val.kind == scalar // `a, b` is two names only as a whole value
			p.Sources = append(p.Sources, p.names(one)...)
		}
	}
	p.Sources = dedupe(p.Sources)
}

// itemsOf gives the entries of a list, or the one value that stands for a
// list of it; an unquoted [[Page]] is one value.
func itemsOf(n node) []node {
	if n.kind != list || len(wikiTargets(n)) > 0 {
		return []node{n}
	}
	return n.items
}

func (p *Page) readFacts(f field) {
	items := f.val.items
	if f.val.kind != list {
		items = []node{f.val}
	}
	for _, item := range items {
		if fact, ok := readFact(item); ok {
			p.Facts = append(p.Facts, fact)
		} else if item.kind != scalar || item.text != "" {
			p.problem(item.line, CodeBadType, "a fact without text", "add text: …")
		}
	}
}

func readFact(item node) (fact Fact, ok bool) {
	fact.Line = item.line
	if item.kind == scalar {
		fact.Text = strings.TrimSpace(item.text)
	}
	for _, g := range item.fields {
		if into := fact.slot(g.key); into != nil && *into == "" && g.val.kind == scalar {
			*into = strings.TrimSpace(g.val.text)
		}
	}
	return fact, fact.Text != "" || fact.Metric != ""
}

// slot is the field of a fact that a key of the front matter names.
func (f *Fact) slot(key string) *string {
	switch key {
	case "text":
		return &f.Text
	case "event_type":
		return &f.EventType
	case "attributed_to":
		return &f.AttributedTo
	case "at":
		return &f.At
	case "metric":
		return &f.Metric
	case "value":
		return &f.Value
	case "unit":
		return &f.Unit
	case "period":
		return &f.Period
	case "valid_from":
		return &f.ValidFrom
	case "valid_until":
		return &f.ValidUntil
	case "supersedes":
		return &f.Supersedes
	case "status":
		return &f.Status
	}
	return nil
}

func (p *Page) readProvenance(f field) {
	for _, g := range f.val.fields {
		switch g.key {
		case "session_id", "session":
			p.Provenance.Session = g.val.text
		case "history_ref", "ref":
			p.Provenance.Ref = g.val.text
		case "turns":
			items := g.val.items
			if g.val.kind == scalar {
				items = []node{g.val}
			}
			for _, item := range items {
				if n, err := strconv.Atoi(item.text); err == nil {
					p.Provenance.Turns = append(p.Provenance.Turns, n)
				}
			}
		}
	}
}

// cut shortens s for a message.
func cut(s string, n int) string {
	if i := byteOffset(s, n); i < len(s) {
		return s[:i] + "…"
	}
	return s
}
