package page

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The file of a schema pack:
//
//	name: ops                                    # default: the file's name
//	types:
//	  runbook:
//	    merge: patch                             # immutable, append or patch (the default)
//	    file: runbooks/{slug}.md                 # or a list; default: where notes lie
//	    words: [playbook, 操作手册]                # by which questions ask for it
//	    required: [owner]                        # keys of the front matter
//	relations:
//	  maintains:
//	    verbs: [maintains, looks after, 维护]
//	    nouns: [maintainer, 维护者]
//	    inverse: [is kept alive by]
//
// It is read strictly: a key or value that is not known is an error with its line, since
// a pack with a typing error in it would file pages in the wrong place for months.

// Bounds of a pack, so that a hostile one is refused instead of read.
const (
	maxPackTypes  = 200
	maxPackWords  = 100 // of a type or a form of a relation
	maxWordLength = 40  // characters; what surrounds a link is searched no further
)

// ParsePack reads the YAML of a pack that extends ProblemTree. file is what errors
// call it and, without .yml, its name where it has none. The error is a PackError.
func ParsePack(file string, raw []byte) (*Pack, error) {
	r := &packReader{file: file, pack: ProblemTree(), kinds: map[string]string{}, verbs: map[string]string{}}
	r.pack.Name = Slug(strings.TrimSuffix(strings.TrimSuffix(path.Base(strings.ReplaceAll(file, `\`, "/")), ".yml"), ".yaml"))
	if len(raw) > maxBlock || !utf8.Valid(raw) {
		return nil, r.fail(0, fmt.Sprintf("not text, or larger than %d KiB", maxBlock>>10))
	}
	fields, err := parseYAML(strings.TrimPrefix(string(raw), "\uFEFF"), 1)
	if err != nil {
		line, cause := explain(err, 1)
		return nil, r.fail(line, "invalid YAML: "+cause)
	}
	if err := r.read(fields); err != nil {
		return nil, err
	}
	if r.pack.Name == "" || r.pack.Name == ProblemTree().Name {
		return nil, r.fail(0, "a pack needs a name of its own")
	}
	r.pack.words = relationsOf(r.pack.Relations)
	return r.pack, nil
}

// packReader fills a pack.
type packReader struct {
	file  string
	pack  *Pack
	kinds map[string]string // word → the type that has it
	verbs map[string]string // word → the relation that has it
}

func (r *packReader) fail(line int, what string) error {
	return &PackError{File: r.file, Line: line, What: what}
}

func (r *packReader) unknown(line int, what, word string, known ...string) error {
	return &PackError{File: r.file, Line: line, What: fmt.Sprintf("%s %q", what, word), Word: word, Known: known}
}

// each visits the fields of a map, none twice.
func (r *packReader) each(what string, n node, visit func(f field) error) error {
	if n.kind != mapping && !(n.kind == scalar && n.text == "") {
		return r.fail(n.line, what+": a list of keys expected")
	}
	seen := map[string]bool{}
	for _, f := range n.fields {
		if seen[f.key] {
			return r.fail(f.line, what+": "+f.key+" stands twice")
		}
		seen[f.key] = true
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

func (r *packReader) read(fields []field) error {
	return r.each("the pack", node{kind: mapping, fields: fields}, func(f field) error {
		switch f.key {
		case "name":
			if f.val.kind != scalar || Slug(f.val.text) != f.val.text || f.val.text == "" {
				return r.fail(f.line, "name: letters, digits and - expected")
			}
			r.pack.Name = f.val.text
			return nil
		case "types":
			return r.each("types", f.val, r.typ)
		case "relations":
			return r.each("relations", f.val, r.relation)
		}
		return r.unknown(f.line, "unknown key", f.key, "name", "types", "relations")
	})
}

// typ reads a type: one of the pack's own, or what changes of a built-in one.
func (r *packReader) typ(f field) error {
	if f.key != strings.ToLower(f.key) || strings.ReplaceAll(f.key, "_", "-") != Slug(f.key) {
		return r.fail(f.line, fmt.Sprintf("type %q: lower-case letters, digits, - and _ expected", f.key))
	}
	at := slices.IndexFunc(r.pack.Types, func(t Type) bool { return t.Name == f.key })
	if at < 0 {
		if at = len(r.pack.Types); at == maxPackTypes {
			return r.fail(f.line, fmt.Sprintf("more than %d types", maxPackTypes))
		}
		r.pack.Types = append(r.pack.Types, Type{Name: f.key, Merge: Patch})
	}
	t := &r.pack.Types[at]
	return r.each("type "+f.key, f.val, func(g field) (err error) {
		switch g.key {
		case "merge":
			if t.Merge = MergeRule(g.val.text); !slices.Contains(MergeRules, t.Merge) {
				return r.unknown(g.line, "unknown merge rule", g.val.text, "immutable", "append", "patch")
			}
		case "file":
			t.Files, err = r.files(t, g)
		case "words":
			t.Words, err = r.words(t.Name, r.kinds, g)
		case "required":
			t.Required, err = r.strings(g)
		default:
			err = r.unknown(g.line, "type "+f.key+": unknown key", g.key, "merge", "file", "words", "required")
		}
		return err
	})
}

func (r *packReader) files(t *Type, f field) (files []Template, err error) {
	if t.Name == "fact" || t.Name == "session" {
		return nil, r.fail(f.line, "a "+t.Name+" has a place of its own")
	}
	all, err := r.strings(f)
	for _, s := range all {
		if what, word := Template(s).fault(); word != "" {
			return nil, r.unknown(f.line, "file: unknown placeholder", word, placeholders...)
		} else if what != "" {
			return nil, r.fail(f.line, "file: "+what)
		}
		files = append(files, Template(s))
	}
	return files, err
}

func (r *packReader) relation(f field) error {
	if edgeName(f.key) != f.key {
		return r.fail(f.line, fmt.Sprintf("relation %q: one to three words in lower case, joined by _", f.key))
	}
	rel := Relation{Name: f.key}
	err := r.each("relation "+f.key, f.val, func(g field) (err error) {
		switch g.key {
		case "verbs":
			rel.Verbs, err = r.words(f.key, r.verbs, g)
		case "nouns":
			rel.Nouns, err = r.words(f.key, r.verbs, g)
		case "inverse":
			rel.Inverse, err = r.words(f.key, r.verbs, g)
		default:
			err = r.unknown(g.line, "relation "+f.key+": unknown key", g.key, "verbs", "nouns", "inverse")
		}
		return err
	})
	if err == nil && len(rel.Verbs)+len(rel.Nouns)+len(rel.Inverse) == 0 {
		return r.fail(f.line, "relation "+f.key+" has no words")
	}
	r.pack.Relations = append(r.pack.Relations, rel)
	return err
}

// words reads words of a type or relation, each of which means one thing.
func (r *packReader) words(of string, taken map[string]string, f field) ([]string, error) {
	all, err := r.strings(f)
	for i, w := range all {
		w = strings.ToLower(strings.Join(strings.Fields(w), " "))
		switch other, known := taken[w]; {
		case known:
			return nil, r.fail(f.line, fmt.Sprintf("%q is a word of %s already", w, other))
		case utf8.RuneCountInString(w) > maxWordLength || strings.IndexFunc(w, unicode.IsLetter) < 0:
			return nil, r.fail(f.line, fmt.Sprintf("%q: a word or phrase of at most %d characters expected", cut(w, maxWordLength), maxWordLength))
		case strings.ContainsAny(w, "|_*[]"):
			return nil, r.fail(f.line, fmt.Sprintf("%q: words hold no | _ * [ ]", w))
		}
		taken[w], all[i] = of, w
	}
	return all, err
}

// strings reads a value or a list of values.
func (r *packReader) strings(f field) (all []string, err error) {
	items := f.val.items
	if f.val.kind == scalar {
		items = []node{f.val}
	}
	for _, n := range items {
		if n.kind != scalar || strings.TrimSpace(n.text) == "" {
			return nil, r.fail(f.line, f.key+": a word or a list of words expected")
		}
		all = append(all, strings.TrimSpace(n.text))
	}
	switch {
	case f.val.kind == mapping:
		return nil, r.fail(f.line, f.key+": a word or a list of words expected")
	case len(all) > maxPackWords:
		return nil, r.fail(f.line, fmt.Sprintf("%s: more than %d", f.key, maxPackWords))
	}
	return all, nil
}
