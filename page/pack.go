package page

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A schema pack says what kinds of pages a brain has: their names, how each may
// change (MergeRule), where a new one belongs (Template), the words by which
// questions ask for it, the keys that it must have; and which relations the brain
// has besides those that brain knows, with their words.
//
// Packs are written in YAML (packfile.go) and extend the built-in one, problem-tree.
// They rule what is written. Reading is never refused: a page of a type that no pack
// knows is a page of that kind. A pack changes what is read in one thing, the types of
// links: its words stand beside those of verbs.go, before them where they are equal.
//
// A nil Pack reads as the built-in one does. Packs are only read once they are made.

// Pack is a schema pack.
type Pack struct {
	Name      string
	Types     []Type     // the built-in ones first, then in the order of the file
	Relations []Relation // those of the file alone

	words *relationWords // nil: the built-in ones
}

// Type is a kind of page.
type Type struct {
	Name     string
	Merge    MergeRule
	Files    []Template // where a new page belongs: the first that can be filled; none: as a note
	Words    []string   // by which questions ask for it, besides its name
	Required []string   // keys of the front matter
}

// Relation is a type of links that a pack adds, or adds words to. The page that a
// verb's sentence stands on is the doer, the link that follows is what it is done to.
type Relation struct {
	Name    string
	Verbs   []string // maintains, looks after, 维护
	Nouns   []string // what the doer is called: maintainer, 维护者
	Inverse []string // verbs whose subject is what it is done to
}

// ProblemTree is the built-in pack: what df-memory's brains are made of.
func ProblemTree() *Pack {
	const issue = "sources/{source}/issues/{issue}/"
	return &Pack{Name: "problem-tree", Types: []Type{
		{Name: "requirement", Merge: Immutable, Files: []Template{issue + "requirement.md"}},
		{Name: "decision", Merge: Append, Files: []Template{issue + "decisions/{n}-{slug}.md"}},
		{Name: "lesson", Merge: Append, Files: []Template{issue + "lessons.md"}},
		{Name: "note", Merge: Patch, Files: []Template{notePlace}},
		{Name: "experience", Merge: Patch, Files: []Template{"experiences/{slug}.md"}},
		{Name: "skill", Merge: Patch, Files: []Template{"skills/{slug}/SKILL.md"}},
		{Name: "entity", Merge: Patch, Files: []Template{"entities/{slug}.md"}},
		{Name: "fact", Merge: Immutable},
		{Name: "session", Merge: Append},
	}}
}

// Type finds a type by its name, in any case.
func (k *Pack) Type(name string) (t Type, ok bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	i := slices.IndexFunc(k.Types, func(t Type) bool { return t.Name == name })
	if i < 0 {
		return Type{}, false
	}
	return k.Types[i], true
}

// TypeNames lists the types.
func (k *Pack) TypeNames() []string {
	names := make([]string, len(k.Types))
	for i, t := range k.Types {
		names[i] = t.Name
	}
	return names
}

// Merge is the rule for pages of a type; one that the pack does not know may
// change freely.
func (k *Pack) Merge(typ string) MergeRule {
	if t, ok := k.Type(typ); ok {
		return t.Merge
	}
	return Patch
}

// Missing lists the required keys that the front matter of p does not have.
func (t *Type) Missing(p *Page) []string {
	return slices.DeleteFunc(slices.Clone(t.Required), func(key string) bool {
		return slices.ContainsFunc(p.Keys, func(have string) bool { return strings.EqualFold(have, key) })
	})
}

// Parse reads a file as the function Parse does, with the pack's words for the types
// of links. The content hash does not depend on the pack.
func (k *Pack) Parse(path Path, raw []byte) *Page {
	if k == nil || k.words == nil {
		return Parse(path, raw)
	}
	p := parse(path, raw, k.words)
	if p.declared.links > 0 {
		plain := &Page{Path: path, words: builtinWords}
		plain.readFrontMatter(plain.decode(raw))
		p.declared.plain = plain.Links
	}
	return p
}

// Digest names what pages are read by: two packs of the same digest read every page
// alike. It is "" for the built-in one and for those that add no relation.
func (k *Pack) Digest() string {
	if k == nil || len(k.Relations) == 0 {
		return ""
	}
	return fmt.Sprintf("%s-%x", k.Name, sha256.Sum256(fmt.Appendf(nil, "%q", k.Relations)))[:len(k.Name)+17]
}

// ErrPack is what a PackError is.
var ErrPack = errors.New("not a schema pack")

// PackError is a mistake in the file of a schema pack.
type PackError struct {
	File  string
	Line  int // 1-based; 0: no line of its own
	What  string
	Word  string   // what is not known, "" when it is something else
	Known []string // what could have been meant
}

func (e *PackError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.What
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What)
}

func (e *PackError) Is(target error) bool { return target == ErrPack }
