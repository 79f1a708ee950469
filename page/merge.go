package page

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// How a page that exists may change. What a page says and what is said about it are
// two things: a requirement stands as it was agreed, yet its status, its tags and the
// links to it change with time. So the rules bind the body, the facts and all keys of
// the front matter but those in lifeKeys:
//
//	patch      anything may change
//	append     text, facts, links and keys may be added, the text at the end; what is
//	           there stays, word for word
//	immutable  nothing is added either; facts may be superseded
//
// The type stays under both: it is what the rule follows from. Rewriting a link
// because its target moved is not a change of the page, and asks no rule.

// MergeRule says how a page may change.
type MergeRule string

const (
	Patch     MergeRule = "patch"
	Append    MergeRule = "append"
	Immutable MergeRule = "immutable"
)

// MergeRules lists them.
var MergeRules = []MergeRule{Immutable, Append, Patch}

// ErrMerge is what a MergeError is.
var ErrMerge = errors.New("the page may not change so")

// MergeError says what a rule forbids of a change.
type MergeError struct {
	Path Path
	Type string
	Rule MergeRule
	Line int // of the new text, or of the old one where something is gone
	What string
}

func (e *MergeError) Error() string {
	return fmt.Sprintf("%s:%d: a %s is %s: %s", e.Path, e.Line, e.Type, map[MergeRule]string{Append: "only added to", Immutable: "immutable"}[e.Rule], e.What)
}

func (e *MergeError) Is(target error) bool { return target == ErrMerge }

// lifeKeys are what is said about a page, not by it: they change under every rule.
var lifeKeys = set(`status redirect sources merged_at merged_by revision tags tag aliases alias abstract overview provenance`)

func isLife(key string) bool { return lifeKeys[key] || dateKey(key) == "updated" }

// factLife are the keys of a fact by which it ends.
var factLife = set(`status valid_until superseded_by`)

// Allows gives a MergeError where the rule forbids that old becomes new. Both are
// versions of one page, as Parse gave them.
func (r MergeRule) Allows(old, new *Page) error {
	if r != Append && r != Immutable {
		return nil
	}
	c := change{r: r, old: old, new: new}
	if old.Type != new.Type {
		return c.refuse(1, "its type cannot become "+new.Type)
	}
	if err := c.keys(old.fields(), new.fields()); err != nil {
		return err
	}
	return c.body()
}

// change is one that a rule judges.
type change struct {
	r        MergeRule
	old, new *Page
}

func (c *change) refuse(line int, what string) error {
	return &MergeError{Path: c.new.Path, Type: c.old.Type, Rule: c.r, Line: line, What: what}
}

// keys compares the front matter.
func (c *change) keys(old, new []field) error {
	for _, o := range old {
		key := strings.ToLower(o.key)
		if isLife(key) {
			continue
		}
		i := slices.IndexFunc(new, func(f field) bool { return f.key == o.key })
		if i < 0 {
			return c.refuse(o.line, "the key "+o.key+" is gone")
		}
		if err := c.key(key, o, new[i]); err != nil {
			return err
		}
	}
	for _, n := range new {
		key := strings.ToLower(n.key)
		had := slices.ContainsFunc(old, func(f field) bool { return f.key == n.key })
		if c.r == Immutable && !had && !isLife(key) && key != "links" {
			return c.refuse(n.line, "the key "+n.key+" is added")
		}
	}
	return nil
}

// key compares a key that both have.
func (c *change) key(key string, old, new field) error {
	lists := old.val.kind == list && new.val.kind == list
	switch {
	case key == "facts" && lists:
		return c.facts(old.val.items, new)
	case key == "links" && lists:
		for _, l := range old.val.items {
			if !slices.ContainsFunc(new.val.items, l.same) {
				return c.refuse(l.line, "a link is gone")
			}
		}
	case !old.val.same(new.val):
		return c.refuse(new.line, "the key "+new.key+" is changed")
	}
	return nil
}

// facts demands that the facts that were there still are, in their order.
func (c *change) facts(old []node, new field) error {
	for i, o := range old {
		if i >= len(new.val.items) {
			return c.refuse(o.line, "a fact is gone")
		}
		if n := new.val.items[i]; !o.without(factLife).same(n.without(factLife)) {
			return c.refuse(n.line, "a fact is changed; supersede it")
		}
	}
	if len(new.val.items) > len(old) && c.r == Immutable {
		return c.refuse(new.val.items[len(old)].line, "a fact is added")
	}
	return nil
}

// body compares the text; white space at its end does not count.
func (c *change) body() error {
	old, new := strings.Trim(c.old.Body, " \t\r\n"), strings.Trim(c.new.Body, " \t\r\n")
	rest, kept := strings.CutPrefix(new, old)
	added := strings.TrimLeft(rest, " \t\r")
	switch {
	case rest == "" && kept:
		return nil
	case !kept || added[0] != '\n' && old != "":
		return c.refuse(c.lineOf(old, new), "its text is changed")
	case c.r == Immutable:
		return c.refuse(c.lineOf(old, new), "text is added")
	}
	return nil
}

// lineOf is the line of the new file on which its text begins to differ.
func (c *change) lineOf(old, new string) int {
	n := 0
	for n < len(old) && n < len(new) && old[n] == new[n] {
		n++
	}
	before := strings.Index(c.new.Body, new)
	return c.new.BodyLine + strings.Count(c.new.Body[:before+n], "\n")
}

// fields reads the front matter again, of which a Page does not keep what it does
// not know.
func (p *Page) fields() []field {
	q := &Page{Path: p.Path}
	block, found := q.cutBody(q.decode(p.Raw))
	if !found {
		return nil
	}
	return q.readBlock(block)
}

// same compares values, wherever they stand and however they are quoted.
func (n node) same(m node) bool {
	return n.kind == m.kind && n.text == m.text &&
		slices.EqualFunc(n.items, m.items, node.same) &&
		slices.EqualFunc(n.fields, m.fields, func(a, b field) bool { return a.key == b.key && a.val.same(b.val) })
}

// without leaves keys of a map out.
func (n node) without(keys map[string]bool) node {
	n.fields = slices.DeleteFunc(slices.Clone(n.fields), func(f field) bool { return keys[f.key] })
	return n
}
