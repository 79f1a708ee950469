package page

import (
	"slices"
	"strconv"
	"strings"
)

// Single values, new keys, removed keys, the body.

// speaking is the field that gives a canonical key its value, nil if none
// does. Where a page has several names for one thing, the reader's rule says
// which: schema_type before type, the first date that can be read, else the
// first.
func (s *sheet) speaking(key string) *field {
	var first *field
	for _, i := range s.named(key) {
		f := &s.fields[i]
		switch {
		case !s.counts[i]:
			continue
		case key == "schema_type":
			if f.key == key {
				return f
			}
		case isDate(key):
			if _, ok := ParseDate(f.val.text); ok && f.val.kind == scalar {
				return f
			}
			if !strings.EqualFold(f.key, key) {
				continue // `date: soon` is somebody's remark
			}
		case key == "tags" || key == "aliases":
			if strings.EqualFold(f.key, key) {
				return f
			}
		}
		if first == nil {
			first = f
		}
	}
	return first
}

func isDate(key string) bool { return key == "created_at" || key == "updated_at" || key == "at" }

func (s *sheet) setText(key, value string) ([]edit, error) {
	head, below := textLines(value, "  ")
	f := s.speaking(canonical(key))
	if f == nil {
		return s.newKey(key, key+": "+head, below)
	}
	if f.val.kind == scalar && strings.TrimSpace(f.val.text) == value {
		return nil, nil
	}
	if canonical(key) == "source" && (f.val.kind != scalar || isWikilink(f.val.text)) {
		return nil, s.refuse(f.line, "source holds a link")
	}
	pl, err := s.place(*f)
	if err != nil {
		return nil, err
	}
	if isNumber(value) && isNumber(pl.value.in(s.src)) {
		head = value
	}
	return s.rewrite(pl, head, below), nil
}

// isNumber reports a number as every reader of YAML writes it: 12, 0.5, and not 1e3 or 1.10.
func isNumber(s string) bool {
	if strings.Trim(s, "-.0123456789") != "" {
		return false
	}
	n, err := strconv.ParseFloat(s, 64)
	return err == nil && strconv.FormatFloat(n, 'f', -1, 64) == s
}

// rewrite gives a key another value: head on its line, the rest below. A
// comment at the end of the line stays; what stands within the old value goes
// with it.
func (s *sheet) rewrite(pl place, head string, below []string) []edit {
	after := s.next(pl.value.to)
	first := edit{pl.value, head}
	switch {
	case head == "":
		first.from = pl.colon
	case pl.value.from == pl.colon:
		first.text = " " + head
	}
	return []edit{first, {span{after, max(after, pl.end)}, s.text(below)}}
}

// text joins lines as the page ends them.
func (s *sheet) text(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l)
		b.WriteString(s.eol)
	}
	return b.String()
}

// newKey puts a key where Format's order has it, behind the last of the keys
// that come before it; in a page without front matter it begins a block.
func (s *sheet) newKey(key, line string, below []string) ([]edit, error) {
	lines := append([]string{line}, below...)
	if !s.found {
		lines = slices.Concat([]string{"---"}, lines, []string{"---"})
		return []edit{{span{s.body, s.body}, s.text(lines)}}, nil
	}
	i := s.before(canonical(key))
	at := s.block.from
	if i < 0 && len(s.fields) == 0 {
		at = s.block.to
	}
	if i >= 0 {
		pl, err := s.place(s.fields[i])
		if err != nil {
			return nil, err
		}
		at = pl.end
	}
	return []edit{{span{at, at}, s.text(lines)}}, nil
}

// before is the field behind which a key belongs, -1 for none.
func (s *sheet) before(key string) int {
	rank := slices.Index(keyOrder[:], key)
	after := -1 // the first key that comes later
	for i := len(s.fields) - 1; i >= 0 && rank >= 0; i-- {
		r := slices.Index(keyOrder[:], canonical(s.fields[i].key))
		if r >= 0 && r <= rank {
			return i
		}
		if r > rank {
			after = i
		}
	}
	if after >= 0 {
		return after - 1
	}
	return len(s.fields) - 1
}

// unset removes the fields that are read as the key, repeated ones too.
func (s *sheet) unset(key string) ([]edit, error) {
	var edits []edit
	for _, i := range s.named(key) {
		pl, err := s.place(s.fields[i])
		if err != nil {
			return nil, err
		}
		edits = append(edits, edit{span{pl.at, pl.end}, ""})
	}
	return edits, nil
}

// named lists the fields that go by a canonical key; one that is not ours is
// looked for as written, then in any case.
func (s *sheet) named(key string) []int {
	var exact, folded []int
	for i, f := range s.fields {
		if canonical(f.key) == key {
			exact = append(exact, i)
		} else if !isKnown(key) && strings.EqualFold(f.key, key) {
			folded = append(folded, i)
		}
	}
	if exact == nil {
		return folded
	}
	return exact
}

// read lists those of them that count.
func (s *sheet) read(key string) []field {
	var out []field
	for _, i := range s.named(key) {
		if s.counts[i] {
			out = append(out, s.fields[i])
		}
	}
	return out
}

func (s *sheet) appendBody(text string) []edit {
	if text == "" {
		return nil
	}
	text = s.withEndings(strings.TrimRight(text, "\r\n") + "\n")
	if n := len(s.src); n > 0 && s.src[n-1] != '\n' && s.src != "\uFEFF" {
		text = s.eol + text
	}
	return []edit{{span{len(s.src), len(s.src)}, text}}
}

func (s *sheet) setBody(text string) []edit {
	old := s.src[s.body:]
	lead := old[:len(old)-len(strings.TrimLeft(old, "\r\n"))]
	if lead == "" && old == "" && s.found {
		lead = s.eol
	}
	if text = strings.Trim(text, "\r\n"); text == "" {
		lead = ""
	} else {
		text = s.withEndings(text + "\n")
	}
	if s.found && text != "" && s.src[s.body-1] != '\n' {
		lead = s.eol + lead
	}
	if old == lead+text {
		return nil
	}
	return []edit{{span{s.body, len(s.src)}, lead + text}}
}

// withEndings gives text the line endings of the page.
func (s *sheet) withEndings(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if s.eol == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", s.eol)
}
