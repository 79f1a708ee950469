package page

import (
	"fmt"
	"strings"

	"brain/text"
)

// Check says where a page and the pack disagree. A type that stands under the key
// `type` alone is another program's, and its business.
func (k *Pack) Check(p *Page) []Problem {
	t, known := k.Type(p.Type)
	line := p.KeyLine("schema_type")
	if !known {
		if line == 0 {
			return nil
		}
		unknown := k.Unknown(p.Type)
		unknown.Line = line
		return []Problem{unknown}
	}
	var found []Problem
	for _, key := range t.Missing(p) {
		found = append(found, Problem{Line: max(line, 1), Code: CodeMissingKey,
			Message: fmt.Sprintf("the type %s requires the key %s", t.Name, key), Fix: "add " + key + ": to the front matter"})
	}
	return found
}

// Unknown is the problem of a type that the pack does not have, with what may have
// been meant.
func (k *Pack) Unknown(typ string) Problem {
	pr := Problem{Code: CodeUnknownType, Message: fmt.Sprintf("the schema pack %s has no type %q", k.Name, typ)}
	if near := text.Nearest(typ, k.TypeNames()); near != "" {
		pr.Fix = "did you mean " + near + "? Types of your own go into a schema pack: schema.pack"
	} else {
		pr.Fix = "known: " + strings.Join(k.TypeNames(), ", ") + "; types of your own go into a schema pack: schema.pack"
	}
	return pr
}
