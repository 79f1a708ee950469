package page

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Format writes a page in the one form that brain creates; doc/format.md
// describes it. Changing a page that exists is not done here but by splicing
// its lines, since what a person wrote stays as it was written.

// Draft is a page to be written. The zero value of a field leaves its key out.
type Draft struct {
	Title      string // 1-200 characters
	Type       string
	Source     string
	Sources    []string // who else said the same
	Slug       string
	Redirect   string
	Status     string // active is written as nothing
	CreatedBy  string // at most 128 characters
	Created    time.Time
	Updated    time.Time
	At         time.Time
	Tags       []string
	Aliases    []string
	Abstract   string
	Overview   string
	LayersOf   string // see Page.LayersOf
	Links      []Link // Target, Type, Origin are written
	Facts      []Fact
	Provenance Provenance
	More       []Key // those that one kind of page has of its own, in this order
	Generated  bool
	Body       string // as given; ends in one line feed
}

// Key is a key of the front matter that is none of those that all pages have.
type Key struct {
	Name, Value string
	Number      bool // the value is written as the number that it is
}

// ErrDraft is what Format returns for a draft that breaks a limit.
var ErrDraft = errors.New("not a valid page")

// Limits of what brain writes, in characters.
const (
	MaxTitle     = 200
	MaxBody      = 200_000
	MaxFact      = 2_000
	MaxCreatedBy = 128
)

// keyOrder is the order in which Format writes keys; a key that is spliced in
// takes its place by it.
var keyOrder = [...]string{"title", "schema_type", "status", "source", "sources", "slug", "redirect", "tags", "aliases", "created_by",
	"created_at", "updated_at", "at", "abstract", "overview", "layers_of", "links", "facts", "provenance", "generated"}

// Format renders d: fixed key order, LF, final newline, quoted timestamps.
// The same draft gives the same bytes, and Parse reads it back.
func Format(d Draft) ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDraft, err)
	}
	var w writer
	w.line("---")
	w.scalar("title", d.Title)
	w.scalar("schema_type", d.Type)
	w.scalar("status", d.Status)
	w.scalar("source", d.Source)
	w.list("sources", d.Sources)
	w.scalar("slug", d.Slug)
	w.scalar("redirect", d.Redirect)
	w.list("tags", d.Tags)
	w.list("aliases", d.Aliases)
	w.scalar("created_by", d.CreatedBy)
	w.time("created_at", d.Created)
	w.time("updated_at", d.Updated)
	w.time("at", d.At)
	w.text("abstract", d.Abstract)
	w.text("overview", d.Overview)
	w.scalar("layers_of", d.LayersOf)
	w.links(d.Links)
	w.facts(d.Facts)
	w.provenance(d.Provenance)
	for _, k := range d.More {
		w.own(k)
	}
	if d.Generated {
		w.line("generated: brain")
	}
	w.line("---")
	if body := strings.TrimRight(strings.ReplaceAll(d.Body, "\r\n", "\n"), "\n"); body != "" {
		w.line("")
		w.line(strings.TrimLeft(body, "\n"))
	}
	return []byte(w.b.String()), nil
}

func (d *Draft) check() error {
	if err := errors.Join(checkTitle(d.Title), checkBody(d.Body), checkCreatedBy(d.CreatedBy)); err != nil {
		return err
	}
	lines := []string{d.Title, d.Type, d.Status, d.Source, d.Slug, d.Redirect, d.CreatedBy, d.LayersOf, d.Provenance.Session, d.Provenance.Ref}
	lines = append(append(append(lines, d.Tags...), d.Aliases...), d.Sources...)
	for _, k := range d.More {
		if k.Name == "" || !strictKey(k.Name) || isKnown(canonical(k.Name)) || k.Number && !isNumber(k.Value) {
			return fmt.Errorf("%q is no key of one kind of page, or its value is none", k.Name)
		}
		lines = append(lines, k.Value)
	}
	for _, l := range d.Links {
		if strings.TrimSpace(l.Target) == "" {
			return errors.New("a link without a target")
		}
		lines = append(lines, l.Target, l.Type, l.Origin)
	}
	for i := range d.Facts {
		if err := d.Facts[i].Check(); err != nil {
			return fmt.Errorf("fact %d: %w", i+1, err)
		}
		for _, key := range factKeys[1:] {
			lines = append(lines, *d.Facts[i].slot(key))
		}
	}
	if err := checkLines(lines...); err != nil {
		return err
	}
	return checkText(d.Body, d.Abstract, d.Overview)
}

func checkTitle(s string) error {
	if n := utf8.RuneCountInString(s); n == 0 || n > MaxTitle || strings.TrimSpace(s) == "" {
		return fmt.Errorf("title has %d characters, want 1 to %d", n, MaxTitle)
	}
	return nil
}

func checkBody(s string) error {
	if n := utf8.RuneCountInString(s); n > MaxBody {
		return fmt.Errorf("body has %d characters, at most %d", n, MaxBody)
	}
	return nil
}

func checkCreatedBy(s string) error {
	if n := utf8.RuneCountInString(s); n > MaxCreatedBy {
		return fmt.Errorf("created_by has %d characters, at most %d", n, MaxCreatedBy)
	}
	return nil
}

// checkLines refuses what is no text of one line.
func checkLines(lines ...string) error {
	for _, s := range lines {
		if strings.ContainsAny(s, "\n\r") {
			return fmt.Errorf("%q spans lines", cut(s, 40))
		}
	}
	return checkText(lines...)
}

func checkText(texts ...string) error {
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
			return fmt.Errorf("%q is not text", cut(s, 40))
		}
	}
	return nil
}

// Check says what is wrong with a fact that is to be written.
func (f *Fact) Check() error {
	if n := utf8.RuneCountInString(f.Text); n == 0 || n > MaxFact || strings.TrimSpace(f.Text) == "" {
		return fmt.Errorf("text has %d characters, want 1 to %d", n, MaxFact)
	}
	if !utf8.ValidString(f.Text) || strings.IndexByte(f.Text, 0) >= 0 {
		return errors.New("text is not UTF-8")
	}
	var bounds [2]time.Time
	for i, s := range [...]string{f.ValidFrom, f.ValidUntil} {
		if s == "" {
			continue
		}
		t, ok := ParseDate(s)
		if !ok {
			return fmt.Errorf("%q is not a date", cut(s, 40))
		}
		bounds[i] = t
	}
	if !bounds[0].IsZero() && !bounds[1].IsZero() && bounds[1].Before(bounds[0]) {
		return fmt.Errorf("valid_until %s lies before valid_from %s", f.ValidUntil, f.ValidFrom)
	}
	switch f.Status {
	case "", "superseded", "archived":
		return nil
	}
	return fmt.Errorf("status %q is neither superseded nor archived", f.Status)
}

// writer renders the front matter.
type writer struct{ b strings.Builder }

func (w *writer) line(s string) {
	w.b.WriteString(s)
	w.b.WriteByte('\n')
}

func (w *writer) scalar(key, val string) {
	if val != "" {
		w.line(key + ": " + quote(val))
	}
}

func (w *writer) own(k Key) {
	if k.Number {
		w.line(k.Name + ": " + k.Value)
		return
	}
	w.scalar(k.Name, k.Value)
}

func (w *writer) time(key string, t time.Time) {
	if !t.IsZero() {
		w.line(key + `: "` + t.UTC().Format(time.RFC3339Nano) + `"`)
	}
}

func (w *writer) list(key string, vals []string) {
	var items []listItem
	for _, v := range vals {
		items = append(items, listItem{lines: []string{quote(v)}})
	}
	w.items(key, items)
}

// items writes a list in block form.
func (w *writer) items(key string, items []listItem) {
	if len(items) > 0 {
		w.line(key + ":")
	}
	for _, it := range items {
		for _, l := range it.block("  ") {
			w.line(l)
		}
	}
}

// listItem is one entry of a list: a scalar, or a record with a key on each
// line.
type listItem struct {
	lines  []string
	record bool
}

// block gives the lines of the entry in a list indented so.
func (it listItem) block(indent string) []string {
	out := make([]string, len(it.lines))
	for i, l := range it.lines {
		out[i] = indent + "  " + l
	}
	out[0] = indent + "- " + it.lines[0]
	return out
}

// flow gives the entry as it stands in a list on one line.
func (it listItem) flow() string {
	if it.record {
		return "{" + strings.Join(it.lines, ", ") + "}"
	}
	return it.lines[0]
}

// put adds a key unless it is empty.
func (it *listItem) put(key, val string) {
	if it.record = true; val != "" {
		it.lines = append(it.lines, key+": "+quote(val))
	}
}

// text writes running text.
func (w *writer) text(key, val string) {
	if val = strings.TrimSpace(val); val == "" {
		return
	}
	head, below := textLines(val, "  ")
	w.line(key + ": " + head)
	for _, l := range below {
		w.line(l)
	}
}

// textLines gives running text as the value of a key: on the key's line if it
// is one line, else as a block below it.
func textLines(val, indent string) (head string, below []string) {
	if !blockable(val) {
		return quote(val), nil
	}
	for l := range strings.SplitSeq(val, "\n") {
		if l != "" {
			l = indent + l
		}
		below = append(below, l)
	}
	return "|-", below
}

// blockable reports a text of several lines that a block scalar gives back.
func blockable(s string) bool {
	if !strings.Contains(s, "\n") || s[0] == ' ' || s[0] == '\t' {
		return false
	}
	for l := range strings.SplitSeq(s, "\n") {
		if strings.TrimRight(l, " \t") != l {
			return false
		}
	}
	return !needsEscape(strings.ReplaceAll(s, "\n", ""))
}

func linkItem(l Link) (it listItem) {
	to := l.Target
	if l.Fragment != "" {
		to += "#" + l.Fragment
	}
	it.put("to", to)
	it.put("type", l.Type)
	it.put("source", l.Origin)
	return it
}

func (w *writer) links(links []Link) {
	var items []listItem
	for _, l := range links {
		items = append(items, linkItem(l))
	}
	w.items("links", items)
}

func factItem(f Fact) (it listItem) {
	for _, key := range factKeys {
		it.put(key, *f.slot(key))
	}
	return it
}

func (w *writer) facts(facts []Fact) {
	var items []listItem
	for _, f := range facts {
		items = append(items, factItem(f))
	}
	w.items("facts", items)
}

func (w *writer) provenance(p Provenance) {
	if p.Session == "" && p.Ref == "" && len(p.Turns) == 0 {
		return
	}
	w.line("provenance:")
	if p.Session != "" {
		w.line("  session_id: " + quote(p.Session))
	}
	if len(p.Turns) > 0 {
		turns := make([]string, len(p.Turns))
		for i, n := range p.Turns {
			turns[i] = strconv.Itoa(n)
		}
		w.line("  turns: [" + strings.Join(turns, ", ") + "]")
	}
	if p.Ref != "" {
		w.line("  history_ref: " + quote(p.Ref))
	}
}

// quote writes a scalar plain where every YAML reader takes it for the same
// string, else in double quotes.
func quote(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case escaped(r) && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case escaped(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// escaped reports characters that YAML forbids or takes for line breaks.
func escaped(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xA0 || r == 0x2028 || r == 0x2029 || r == 0xFEFF || r == 0xFFFE || r == 0xFFFF
}

func needsEscape(s string) bool { return strings.IndexFunc(s, escaped) >= 0 }

// isPlain is stricter than YAML: what begins with a letter, holds no colon or
// number sign, and is no word that some reader takes for a boolean or null.
func isPlain(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	if s == "" || !(r >= 0x80 || r|0x20 >= 'a' && r|0x20 <= 'z') || s[len(s)-1] == ' ' {
		return false
	}
	if strings.ContainsAny(s, ":#,[]{}\"\\") || needsEscape(s) || strings.HasPrefix(s, "\u00a0") {
		return false
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf":
		return false
	}
	return true
}
