package lint

import (
	"cmp"
	"fmt"
	"slices"

	"brain/index"
	"brain/page"
	"brain/text"
)

// Names. A page is asked for by title, alias and slug, whatever their case,
// width or accents (text.Fold): two pages of one such name are a duplicate. Two
// names that become one when a hyphen, an underscore and a blank count the same
// are twins, probably of one thing. Each name is put into a table once, so that
// three thousand daily notes of one title cost no more than three thousand
// others.

// bearer is a page that bears a name.
type bearer struct {
	row   uint32
	path  page.Path
	agent string // whose page it is
	name  string // as written
	alias bool
	kind  string // the page's type
}

// nameTable groups bearers by a form of their name, each page once, in order of
// path.
type nameTable map[string][]bearer

func (t nameTable) add(key string, b bearer) {
	if n := len(t[key]); key != "" && (n == 0 || t[key][n-1].row != b.row) {
		t[key] = append(t[key], b)
	}
}

// names finds names that several pages bear, and names that only look different.
func (l *look) names() {
	same, alike := nameTable{}, nameTable{}
	var order []string
	l.view.All(func(row uint32) bool {
		p := l.view.Page(row)
		if !p.Ranked || p.Path.IsSession() || page.Retired(p.Status) {
			return true
		}
		for _, b := range bearers(&p) {
			key := text.Fold(b.name)
			same.add(key, b)
			alike.add(page.NameForm(b.name), b)
		}
		return true
	})
	for key := range alike {
		order = append(order, key)
	}
	slices.Sort(order)
	for _, key := range order {
		l.twins(alike[key])
	}
	l.fileTwins()
	for key := range same {
		l.duplicates(same[key])
	}
}

// bearers are the names of a page beside its path.
func bearers(p *index.Page) []bearer {
	b := bearer{row: p.Row, path: p.Path, agent: p.Agent, kind: p.Type, name: p.Title}
	all := []bearer{b}
	for _, name := range append([]string{p.Slug}, p.Aliases...) {
		b.name, b.alias = name, name != p.Slug
		all = append(all, b)
	}
	return all
}

// duplicates tells each page of a group of one of the others that are seen
// together with it, and how many there are.
func (l *look) duplicates(group []bearer) {
	if len(group) < 2 {
		return
	}
	byAgent := map[string][]bearer{}
	for _, b := range group {
		byAgent[b.agent] = append(byAgent[b.agent], b)
	}
	for _, b := range group {
		seen := [][]bearer{group}
		if b.agent != "" {
			seen = [][]bearer{byAgent[""], byAgent[b.agent]}
		}
		if other, more := another(seen, b.row); other != nil && l.chosen[b.path] {
			message := fmt.Sprintf("%q is the name of %s too", b.name, other.path)
			if more > 0 {
				message += ", and of " + others(more)
			}
			l.add(string(b.path), l.nameLine(b), ruleDuplicate, message, "give one of them another title, or an alias of its own")
		}
	}
}

// another is the first bearer that is another page, and how many more there are.
func another(groups [][]bearer, row uint32) (other *bearer, more int) {
	for _, g := range groups {
		more += len(g)
		for i := 0; i < len(g) && other == nil; i++ {
			if g[i].row != row {
				other = &g[i]
			}
		}
	}
	return other, more - 2 // this one and that one
}

func (l *look) nameLine(b bearer) int {
	at := l.lines[b.path]
	if b.alias {
		return cmp.Or(at.alias, at.title)
	}
	return at.title
}

// twins tells each page of a group of one whose name is another word letter by
// letter. Two entities of such names are nearly always one.
func (l *look) twins(group []bearer) {
	if len(group) < 2 {
		return
	}
	first := group[0]
	other := slices.IndexFunc(group, func(b bearer) bool { return text.Fold(b.name) != text.Fold(first.name) })
	if other < 0 {
		return
	}
	for _, b := range group {
		twin := first
		if text.Fold(b.name) == text.Fold(first.name) {
			twin = group[other]
		}
		if !l.chosen[b.path] || twin.agent != b.agent && twin.agent != "" && b.agent != "" {
			continue
		}
		l.twin(b.path, twin.path, l.nameLine(b), fmt.Sprintf("%q and %q (%s) differ only in form", b.name, twin.name, twin.path))
		if b.kind == "entity" && twin.kind == "entity" {
			l.found[len(l.found)-1].Severity = Warning
		}
	}
}

func (l *look) twin(path, other page.Path, line int, message string) {
	if path != other {
		l.add(string(path), line, ruleTwin, message, "make them one page, or tell them apart by more than a sign")
	}
}

// fileTwins finds files of one folder whose names are alike, such as `foo.md` and
// `ＦＯＯ.md`; those that a disk may take for one are told of elsewhere, and those
// whose titles are alike already.
func (l *look) fileTwins() {
	told := map[string]bool{}
	for _, f := range l.found {
		told[f.Path] = told[f.Path] || f.Code == ruleTwin
	}
	first := map[string]page.Path{}
	second := map[page.Path]page.Path{}
	for _, f := range l.all {
		if f.Path.IsSession() {
			continue
		}
		key := f.Path.Dir() + "/" + page.NameForm(f.Path.Stem())
		if other, ok := first[key]; !ok {
			first[key] = f.Path
		} else if oneFile(string(other)) != oneFile(string(f.Path)) {
			second[f.Path] = other
			second[other] = cmp.Or(second[other], f.Path)
		}
	}
	for _, f := range l.files {
		if other := second[f.Path]; other != "" && !told[string(f.Path)] {
			l.twin(f.Path, other, 0, fmt.Sprintf("the name of the file and that of %s differ only in form", other))
		}
	}
}
