package page

import (
	"slices"
	"strings"
	"time"
)

// The proof of a change: the result is read, and must show the change and
// nothing else.

func (c Change) verify(before, after *sheet) error {
	switch {
	case c.op == appendBody || c.op == setBody:
		return bodyOnly(before, after)
	case !after.found && strings.TrimSpace(after.src[after.body:]) != "" && len(before.fields) > 0:
		return after.refuse(2, "nothing that looks like a key would be left between the fences")
	case !after.found || after.src[after.body:] != before.src[before.body:]:
		return after.refuse(1, "the front matter would end elsewhere")
	case after.loose && !before.loose:
		return after.refuse(after.firstProblem(), "the front matter would not be YAML")
	}
	if err := c.othersStay(before, after); err != nil {
		return err
	}
	if !c.shows(before, after) {
		return after.refuse(after.lineOfKey(c), "the change of %s would not be read as meant", c.key)
	}
	return nil
}

// bodyOnly refuses a body that would be taken for front matter, or would
// close it. A closing fence at the very end of the file gains its line feed.
func bodyOnly(before, after *sheet) error {
	grown := after.body - before.body
	fence := grown == len(before.eol) && before.found && before.body == len(before.src)
	if grown != 0 && !fence || after.found != before.found || after.has(CodeUnclosed) != before.has(CodeUnclosed) ||
		!sameFields(before.fields, after.fields, func(field) bool { return false }) {
		return after.refuse(1, "the new text would be read as front matter")
	}
	return nil
}

func (s *sheet) firstProblem() int {
	if len(s.page.Problems) > 0 {
		return s.page.Problems[0].Line
	}
	return 1
}

func (s *sheet) lineOfKey(c Change) int {
	if f := s.speaking(canonical(c.key)); f != nil {
		return f.line
	}
	return 1
}

// othersStay compares what the change has nothing to do with. Where a block
// that was no YAML has become it, values are read better than before; their
// lines are the same, so only the keys are compared.
func (c Change) othersStay(before, after *sheet) error {
	mine := before.changedBy(c)
	same := sameFields(before.fields, after.fields, mine)
	if before.loose && !after.loose {
		same = slices.EqualFunc(without(before.fields, mine), without(after.fields, mine), func(a, b field) bool { return a.key == b.key })
	}
	if !same {
		return after.refuse(1, "another key would be read differently")
	}
	count := map[string]int{}
	for _, pr := range after.page.Problems {
		count[pr.Code]++
	}
	for _, pr := range before.page.Problems {
		count[pr.Code]--
	}
	for _, pr := range after.page.Problems {
		if count[pr.Code] > 0 {
			return after.refuse(pr.Line, "%s", pr.Message)
		}
	}
	return nil
}

// changedBy tells the fields that a change may touch from all others.
func (s *sheet) changedBy(c Change) func(field) bool {
	key := canonical(c.key)
	if c.op == setFact {
		key = "facts"
	}
	keys := map[string]bool{c.key: c.op != setFact}
	for _, i := range s.named(key) {
		keys[s.fields[i].key] = true
	}
	return func(f field) bool { return keys[f.key] }
}

func without(fields []field, but func(field) bool) []field {
	return slices.DeleteFunc(slices.Clone(fields), but)
}

func sameFields(a, b []field, but func(field) bool) bool {
	return slices.EqualFunc(without(a, but), without(b, but), sameField)
}

func sameField(a, b field) bool { return a.key == b.key && sameNode(a.val, b.val) }

// shows reports whether the page says what the change asked for.
func (c Change) shows(before, after *sheet) bool {
	key := canonical(c.key)
	f := after.speaking(key)
	switch c.op {
	case unset:
		return len(after.named(key)) == 0
	case setText:
		return f != nil && f.val.kind == scalar && strings.TrimSpace(f.val.text) == c.values[0] && after.page.says(key, c.values[0])
	case setList:
		return f != nil && slices.Equal(after.list(key), c.values)
	case addTo:
		have := after.list(key)
		return holdsAll(have, before.list(key)) && !slices.ContainsFunc(c.values, func(v string) bool { return !holds(have, v) })
	case removeFrom:
		want := slices.DeleteFunc(before.list(key), func(v string) bool { return holds(c.values, v) })
		return slices.Equal(after.list(key), want)
	case addLink:
		return oneMore(before, after, key) && slices.ContainsFunc(after.page.Links, func(l Link) bool { return sameLink(l, c.link) })
	case addFact:
		n := len(after.page.Facts) - 1
		return oneMore(before, after, key) && n == len(before.page.Facts) && sameFact(after.page.Facts[n], c.fact)
	}
	if c.op == removeFact {
		left := slices.Delete(slices.Clone(before.page.Facts), c.n, c.n+1)
		return slices.EqualFunc(left, after.page.Facts, sameFact)
	}
	return c.onlyFact(before, after)
}

// list is what the fields of a key hold together.
func (s *sheet) list(key string) []string {
	var out []string
	for _, f := range s.read(key) {
		out = append(out, f.names()...)
	}
	return dedupe(out)
}

// Entries counts the values that a key of the front matter has, records too.
func Entries(path Path, raw []byte, key string) (n int) {
	for _, f := range readSheet(path, string(raw), builtinWords).read(canonical(key)) {
		n += len(entries(f.val))
	}
	return n
}

// holdsAll reports whether a list of names still has all that it had.
func holdsAll(have, old []string) bool {
	return !slices.ContainsFunc(old, func(v string) bool { return !slices.Contains(have, v) })
}

// oneMore reports a list of records that gained one at its end.
func oneMore(before, after *sheet, key string) bool {
	var old, now []node
	if f := before.speaking(key); f != nil && (f.val.kind != scalar || f.val.text != "") {
		old = itemsOf(f.val)
	}
	if f := after.speaking(key); f != nil {
		now = itemsOf(f.val)
	}
	return len(now) == len(old)+1 && slices.EqualFunc(old, now[:len(old)], sameNode)
}

func sameFact(a, b Fact) bool {
	for _, key := range factKeys {
		if *a.slot(key) != strings.TrimSpace(*b.slot(key)) {
			return false
		}
	}
	return true
}

// onlyFact reports whether one key of one fact changed, and no other.
func (c Change) onlyFact(before, after *sheet) bool {
	if len(before.page.Facts) != len(after.page.Facts) {
		return false
	}
	for i, was := range before.page.Facts {
		if i == c.n {
			*was.slot(c.key) = c.values[0]
		}
		if !sameFact(after.page.Facts[i], was) {
			return false
		}
	}
	return true
}

// says reports whether the page, read, has the value for a key that brain
// knows; other keys are compared as they stand.
func (p *Page) says(key, value string) bool {
	switch key {
	case "title":
		return p.declared.title == value
	case "schema_type":
		return p.declared.typ == strings.ToLower(value)
	case "status":
		return p.declared.status == value
	case "source":
		return p.declared.source == value
	case "slug":
		return p.Slug == value
	case "redirect":
		return p.Redirect == strings.TrimSuffix(strings.TrimPrefix(value, "[["), "]]")
	case "created_by":
		return p.CreatedBy == value
	case "abstract":
		return p.Abstract == value
	case "overview":
		return p.Overview == value
	case "layers_of":
		return p.LayersOf == value
	case "generated":
		return p.Generated == (value == "brain")
	case "created_at":
		return isStamp(p.Created, value)
	case "updated_at":
		return isStamp(p.Updated, value)
	case "at":
		return isStamp(p.At, value)
	}
	return true
}

func isStamp(t time.Time, value string) bool {
	want, ok := ParseDate(value)
	return ok && t.Equal(want)
}
