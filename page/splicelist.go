package page

import (
	"strings"
)

// Lists. The list as it is to be is written as slots: entries that stand
// there, in their order, and new ones between them. What stays keeps its
// bytes, whether the list is a block, one line, or several lines in brackets;
// only a list written in another way (`a, b`, an alias) is written anew.

// slot is one entry of the list as it is to be.
type slot struct {
	old  int // which of the entries that stand there, -1 for a new one
	item listItem
}

func kept(n int) []slot {
	out := make([]slot, n)
	for i := range out {
		out[i].old = i
	}
	return out
}

func added(values ...string) []slot {
	var out []slot
	for _, v := range values {
		out = append(out, slot{-1, listItem{lines: []string{quote(v)}}})
	}
	return out
}

// entries gives what the reader takes for the entries of a list of names.
func entries(v node) []string {
	var out []string
	if v.kind == scalar && v.plain {
		for name := range strings.SplitSeq(v.text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				out = append(out, name)
			}
		}
		return out
	}
	if v.kind == scalar && strings.TrimSpace(v.text) == "" {
		return nil
	}
	for _, item := range itemsOf(v) {
		out = append(out, strings.TrimSpace(item.text)) // "" for what is no name
	}
	return out
}

// names are the entries of a field as names.
func (f *field) names() []string { return names(f.key, entries(f.val)) }

func (s *sheet) setList(key string, values []string) ([]edit, error) {
	f := s.speaking(canonical(key))
	if f == nil {
		return s.newList(key, added(values...))
	}
	have := entries(f.val)
	head := 0
	for head < len(have) && head < len(values) && have[head] == values[head] {
		head++
	}
	tail := 0
	for tail < len(have)-head && tail < len(values)-head && have[len(have)-1-tail] == values[len(values)-1-tail] {
		tail++
	}
	all := kept(len(have))
	slots := append(all[:head:head], added(values[head:len(values)-tail]...)...)
	slots = append(slots, all[len(have)-tail:]...)
	edits, err := s.editList(*f, slots)
	if err != nil {
		return nil, err
	}
	for _, other := range s.read(canonical(key)) {
		if strings.EqualFold(other.key, f.key) {
			continue
		}
		pl, err := s.place(other)
		if err != nil {
			return nil, err
		}
		edits = append(edits, edit{span{pl.at, pl.end}, ""})
	}
	return edits, nil
}

// changeList adds to a list or removes from it, under each of its names.
func (s *sheet) changeList(c Change) ([]edit, error) {
	key := canonical(c.key)
	if c.op == addTo {
		return s.addToList(c.key, c.values)
	}
	var edits []edit
	for _, f := range s.read(key) {
		have := entries(f.val)
		var slots []slot
		for i, name := range have {
			if key == "tags" {
				name = strings.TrimLeft(name, "#")
			}
			if name == "" || !holds(c.values, name) {
				slots = append(slots, slot{old: i})
			}
		}
		if len(slots) == len(have) {
			continue
		}
		more, err := s.editList(f, slots)
		if err != nil {
			return nil, err
		}
		edits = append(edits, more...)
	}
	return edits, nil
}

func (s *sheet) addToList(key string, values []string) ([]edit, error) {
	var have []string
	for _, f := range s.read(canonical(key)) {
		have = append(have, f.names()...)
	}
	var fresh []string
	for _, v := range values {
		if !holds(have, v) && !holds(fresh, v) {
			fresh = append(fresh, v)
		}
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	f := s.speaking(canonical(key))
	if f == nil {
		return s.newList(key, added(fresh...))
	}
	return s.editList(*f, append(kept(len(entries(f.val))), added(fresh...)...))
}

func (s *sheet) newList(key string, slots []slot) ([]edit, error) {
	var below []string
	for _, sl := range slots {
		below = append(below, sl.item.block("  ")...)
	}
	return s.newKey(key, key+":", below)
}

// editList makes the list of f what the slots say.
func (s *sheet) editList(f field, slots []slot) ([]edit, error) {
	pl, err := s.place(f)
	switch {
	case err != nil:
		return nil, err
	case f.val.kind == mapping:
		return nil, s.refuse(f.line, "the value of %s is a mapping, not a list", f.key)
	case len(slots) == 0:
		return []edit{{span{pl.at, pl.end}, ""}}, nil
	case f.val.kind != list || len(wikiTargets(f.val)) > 0:
		return s.anew(pl, slots)
	case pl.value.from < pl.value.to && s.src[pl.value.from] == '[':
		return s.editFlow(pl, slots)
	case pl.value.from < pl.value.to && s.src[pl.value.from] == '*':
		return s.anew(pl, slots)
	}
	return s.editBlock(pl, slots)
}

// anew writes a list below its key that stood on the key's line.
func (s *sheet) anew(pl place, slots []slot) ([]edit, error) {
	raw := pl.value.in(s.src)
	names := entries(pl.val)
	if len(names) > 0 && strings.Contains(raw, "\n") || pl.end > s.next(pl.value.to) {
		return nil, s.refuse(pl.line, "the value of %s spans lines; write it as a list", pl.key)
	}
	var below []string
	for _, sl := range slots {
		switch {
		case sl.old < 0:
			below = append(below, sl.item.block("  ")...)
		case pl.val.kind == scalar && !pl.val.plain, len(wikiTargets(pl.val)) > 0:
			below = append(below, "  - "+raw) // a quoted value, [[Page]]
		case names[sl.old] == "":
			return nil, s.refuse(pl.line, "an entry of %s is not a name", pl.key)
		default:
			below = append(below, "  - "+quote(names[sl.old]))
		}
	}
	return s.rewrite(pl, "", below), nil
}

// editFlow changes what stands between brackets; what lies between two
// entries belongs to the second.
func (s *sheet) editFlow(pl place, slots []slot) ([]edit, error) {
	open := pl.value.from
	spans, shut, ok := flowSpans(s.src[:s.block.to], open)
	if !ok || len(spans) != len(pl.val.items) {
		return nil, s.refuse(pl.line, "the entries of %s cannot be told apart", pl.key)
	}
	text, lost := reflow(s.src, span{open + 1, shut}, spans, slots)
	if strings.Contains(lost, "#") {
		return nil, s.refuse(pl.line, "a comment stands within %s", pl.key)
	}
	return []edit{{span{open + 1, shut}, text}}, nil
}

// reflow gives the inside of the brackets, and what is lost of the gaps.
func reflow(src string, inside span, spans []span, slots []slot) (text, lost string) {
	gap := func(i int) string {
		if i == 0 {
			return src[inside.from:spans[0].from]
		}
		return src[spans[i-1].to:spans[i].from]
	}
	var b strings.Builder
	next := 0 // the first entry not yet seen
	for n, sl := range slots {
		if sl.old < 0 {
			if n > 0 {
				b.WriteString(", ")
			} else if len(spans) > 0 && !strings.Contains(gap(0), "\n") {
				b.WriteString(gap(0))
			}
			b.WriteString(sl.item.flow())
			continue
		}
		for ; next < sl.old; next++ {
			lost += gap(next)
		}
		switch next = sl.old + 1; {
		case n == 0 && sl.old == 0, n > 0 && sl.old > 0:
			b.WriteString(gap(sl.old))
		case n > 0:
			b.WriteString(", ")
			lost += gap(0)
		default:
			b.WriteString(strings.TrimLeft(gap(sl.old), ", "))
		}
		b.WriteString(spans[sl.old].in(src))
	}
	for ; next < len(spans); next++ {
		lost += gap(next)
	}
	if len(spans) > 0 && len(slots) > 0 {
		b.WriteString(src[spans[len(spans)-1].to:inside.to])
	}
	return b.String(), lost
}

// editBlock inserts and removes whole entries of a list below its key.
func (s *sheet) editBlock(pl place, slots []slot) ([]edit, error) {
	items, err := s.items(pl)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, s.refuse(pl.line, "the entries of %s cannot be told apart", pl.key)
	}
	dash := s.line(items[0].from)
	indent := dash[:indentation(dash)]
	var edits []edit
	at, next := items[0].from, 0
	drop := func(to int) {
		for ; next < to; next++ {
			edits = append(edits, edit{items[next], ""})
		}
	}
	for _, sl := range slots {
		if sl.old < 0 {
			edits = append(edits, edit{span{at, at}, s.text(sl.item.block(indent))})
			continue
		}
		drop(sl.old)
		at, next = items[sl.old].to, sl.old+1
	}
	drop(len(items))
	return edits, nil
}

// items finds the lines of each entry of a block list; blank lines and
// comments between two entries belong to neither.
func (s *sheet) items(pl place) ([]span, error) {
	var items []span
	indent := -1
	for at := s.next(pl.value.to); at < pl.end; {
		line, from := s.line(at), at
		at = s.next(at)
		in := indentation(line)
		if t := line[in:]; t == "" || t[0] == '#' {
			continue
		}
		if indent < 0 {
			indent = in
		}
		switch n := len(items); {
		case in == indent && isItem(line[in:]):
			items = append(items, span{from, at})
		case in > indent && n > 0:
			items[n-1].to = at
		default:
			return nil, s.refuse(s.lineOf(from), "this is no entry of %s", pl.key)
		}
	}
	if len(items) != len(pl.val.items) {
		return nil, s.refuse(pl.line, "the entries of %s cannot be told apart", pl.key)
	}
	return items, nil
}
