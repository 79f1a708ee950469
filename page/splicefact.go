package page

import (
	"slices"
	"strings"
)

// Lists of records: links and facts.

func (s *sheet) addLink(l Link) ([]edit, error) {
	for _, have := range s.page.Links {
		if sameLink(have, l) {
			return nil, nil
		}
	}
	return s.addItem("links", linkItem(l))
}

// sameLink reports whether a link of the front matter says what l would.
func sameLink(have, l Link) bool {
	if have.Target != l.Target || have.Fragment != l.Fragment || have.Origin != l.Origin {
		return false
	}
	want, reverse := "references", false
	if t, r := builtinWords.relation(strings.TrimSpace(l.Type)); t != "" {
		want, reverse = t, r
	}
	return have.Type == want && have.Reverse == reverse
}

func (s *sheet) addFact(f Fact) ([]edit, error) {
	for _, have := range s.page.Facts {
		if have.Line, f.Line = 0, 0; have == f {
			return nil, nil
		}
	}
	return s.addItem("facts", factItem(f))
}

// addItem appends an entry to a list of records.
func (s *sheet) addItem(key string, it listItem) ([]edit, error) {
	fresh := slot{-1, it}
	f := s.speaking(key)
	if f == nil {
		return s.newList(key, []slot{fresh})
	}
	if f.val.kind != list || len(wikiTargets(f.val)) > 0 {
		return s.listOfOne(*f, fresh)
	}
	return s.editList(*f, append(kept(len(f.val.items)), fresh))
}

// listOfOne makes a list of the one value that stood for it.
func (s *sheet) listOfOne(f field, more ...slot) ([]edit, error) {
	pl, err := s.place(f)
	if err != nil {
		return nil, err
	}
	raw := pl.value.in(s.src)
	if strings.Contains(raw, "\n") || pl.end > s.next(pl.value.to) {
		return nil, s.refuse(f.line, "the value of %s spans lines; write it as a list", f.key)
	}
	var below []string
	if f.val.kind != scalar || f.val.text != "" {
		below = append(below, "  - "+raw)
	}
	for _, sl := range more {
		below = append(below, sl.item.block("  ")...)
	}
	return s.rewrite(pl, "", below), nil
}

// setFact changes one key of the n-th fact.
func (s *sheet) setFact(n int, key, value string) ([]edit, error) {
	if n < 0 || n >= len(s.page.Facts) {
		return nil, s.refuse(1, "there is no fact %d", n)
	}
	fact := s.page.Facts[n]
	into := fact.slot(key)
	if into == nil {
		return nil, s.refuse(fact.Line, "a fact has no key %s", key)
	}
	if *into == value {
		return nil, nil
	}
	if *into = value; !legal(fact, key) {
		return nil, s.refuse(fact.Line, "%s cannot be %q", key, cut(value, 40))
	}
	f := s.speaking("facts")
	if f == nil {
		return nil, s.refuse(fact.Line, "the fact stands elsewhere")
	}
	pl, err := s.place(*f)
	if err != nil {
		return nil, err
	}
	return s.setRecord(pl, nthFact(f.val, n), key, value)
}

// removeFact takes the entry of the n-th fact away.
func (s *sheet) removeFact(n int) ([]edit, error) {
	f := s.speaking("facts")
	if n < 0 || n >= len(s.page.Facts) || f == nil {
		return nil, s.refuse(1, "there is no fact %d", n)
	}
	if f.val.kind != list {
		return s.unset("facts")
	}
	i := nthFact(f.val, n)
	if i < 0 {
		return nil, s.refuse(s.page.Facts[n].Line, "the entries of facts cannot be told apart")
	}
	return s.editList(*f, slices.Delete(kept(len(f.val.items)), i, i+1))
}

// legal asks the limits of facts for what the key has to do with; what else
// is wrong with an old fact is not its fault.
func legal(f Fact, key string) bool {
	probe := Fact{Text: "x"}
	keys := []string{key}
	if key == "valid_from" || key == "valid_until" {
		keys = []string{"valid_from", "valid_until"}
	}
	for _, k := range keys {
		if v := *f.slot(k); k == key || v == "" {
			*probe.slot(k) = v
		} else if _, ok := ParseDate(v); ok {
			*probe.slot(k) = v
		}
	}
	return probe.Check() == nil
}

// nthFact is the entry of the list that is the n-th fact.
func nthFact(v node, n int) int {
	if v.kind != list {
		return 0
	}
	return slices.IndexFunc(v.items, func(item node) bool {
		if _, ok := readFact(item); ok {
			n--
		}
		return n < 0
	})
}

// setRecord changes a key of the i-th record of a list, however it is
// written.
func (s *sheet) setRecord(pl place, i int, key, value string) ([]edit, error) {
	if i < 0 {
		return nil, s.refuse(pl.line, "the entries of %s cannot be told apart", pl.key)
	}
	if pl.val.kind != list {
		return nil, s.refuse(pl.line, "%s is one value; write it as a list", pl.key)
	}
	item := pl.val.items[i]
	if pl.value.from < pl.value.to && s.src[pl.value.from] == '[' {
		spans, _, ok := flowSpans(s.src[:s.block.to], pl.value.from)
		if !ok || len(spans) != len(pl.val.items) {
			return nil, s.refuse(pl.line, "the entries of %s cannot be told apart", pl.key)
		}
		return s.setInFlow(pl, item, spans[i], key, value)
	}
	items, err := s.items(pl)
	if err != nil {
		return nil, err
	}
	dash := s.line(items[i].from)
	col := indentation(dash) + 1
	col += indentation(dash[col:])
	content := span{items[i].from + col, items[i].from + len(dash)}
	switch {
	case content.from < content.to && s.src[content.from] == '{', item.kind == scalar && items[i].to == s.next(content.from):
		return s.setInFlow(pl, item, content, key, value)
	case item.kind != mapping:
		return nil, s.refuse(item.line, "the fact spans lines without being a record")
	}
	return s.setInBlock(item, items[i], col, key, value)
}

// setInFlow changes `{text: …, status: …}`, or a text that stands for it.
func (s *sheet) setInFlow(pl place, item node, at span, key, value string) ([]edit, error) {
	if item.kind == scalar {
		return s.textToRecord(pl, at, key, value)
	}
	pairs, shut, ok := flowSpans(s.src[:s.block.to], at.from)
	if !ok || s.src[at.from] != '{' || len(pairs) != len(item.fields) {
		return nil, s.refuse(item.line, "the keys of the fact cannot be told apart")
	}
	i := fieldIndex(item, key)
	slots := kept(len(pairs))
	switch {
	case i >= 0 && value != "":
		slots[i] = added(value)[0]
		slots[i].item.lines[0] = key + ": " + slots[i].item.lines[0]
	case i >= 0:
		slots = slices.Delete(slots, i, i+1)
	default:
		slots = append(slots, slot{-1, listItem{lines: []string{key + ": " + quote(value)}}})
	}
	text, lost := reflow(s.src, span{at.from + 1, shut}, pairs, slots)
	if strings.Contains(lost, "#") {
		return nil, s.refuse(item.line, "a comment stands within the fact")
	}
	return []edit{{span{at.from + 1, shut}, text}}, nil
}

// textToRecord makes a record of a fact that is only its text.
func (s *sheet) textToRecord(pl place, at span, key, value string) ([]edit, error) {
	flow := pl.value.from < pl.value.to
	switch {
	case key == "text":
		to, _, ok := s.valueEnd(at.from, indentBefore(s.src, at.from))
		if flow {
			to = at.to
		}
		if !ok || to > at.to {
			return nil, s.refuse(pl.line, "the fact does not end where it seems to")
		}
		return []edit{{span{at.from, to}, quote(value)}}, nil
	case flow:
		return []edit{{at, "{text: " + at.in(s.src) + ", " + key + ": " + quote(value) + "}"}}, nil
	}
	line := s.src[at.from-indentBefore(s.src, at.from) : at.from]
	indent := line[:indentation(line)] + strings.Repeat(" ", len(line)-indentation(line))
	after := s.next(at.from)
	return []edit{
		{span{at.from, at.from}, "text: "},
		{span{after, after}, s.text([]string{indent + key + ": " + quote(value)})},
	}, nil
}

// indentBefore is how many bytes of its line stand before at.
func indentBefore(src string, at int) int { return at - strings.LastIndexByte(src[:at], '\n') - 1 }

// fieldIndex is the field of a fact that is read for a key, -1 if none is.
func fieldIndex(item node, key string) int {
	found := -1
	for i, g := range item.fields {
		if g.key == key && g.val.kind == scalar && (found < 0 || strings.TrimSpace(item.fields[found].val.text) == "") {
			found = i
		}
	}
	return found
}

// setInBlock changes a record whose keys stand on lines of their own, in
// column col, the first beside the dash.
func (s *sheet) setInBlock(item node, lines span, col int, key, value string) ([]edit, error) {
	places := make([]place, len(item.fields))
	for i, g := range item.fields {
		at, err := s.start(g.line)
		if err != nil || at < lines.from || at >= lines.to || i > 0 && at <= places[i-1].at {
			return nil, s.refuse(g.line, "the key %s stands elsewhere", g.key)
		}
		if at != lines.from {
			col = indentation(s.line(at))
		}
		if places[i], err = s.placeAt(g, at, col); err != nil {
			return nil, err
		}
	}
	switch i := fieldIndex(item, key); {
	case i >= 0 && value != "":
		return s.rewrite(places[i], quote(value), nil), nil
	case i > 0:
		return []edit{{span{places[i].at - col, places[i].end}, ""}}, nil
	case i == 0 && len(places) > 1 && places[1].at-col == places[0].end: // what follows moves up beside the dash
		return []edit{{span{places[0].at, places[1].at}, ""}}, nil
	case i == 0:
		return nil, s.refuse(item.line, "the first key of the fact cannot be removed")
	}
	at := places[0].end
	for j, g := range item.fields {
		if r := slices.Index(factKeys[:], g.key); r >= 0 && r < slices.Index(factKeys[:], key) {
			at = places[j].end
		}
	}
	return []edit{{span{at, at}, s.text([]string{strings.Repeat(" ", col) + key + ": " + quote(value)})}}, nil
}
