package main

import (
	"fmt"
	"strings"

	"brain/page"
)

// schemaProblems says where a page and the schema pack disagree. A type that stands
// under the key `type` alone is another program's, and its business.
func schemaProblems(pack *page.Pack, p *page.Page) []page.Problem {
	t, known := pack.Type(p.Type)
	line := p.KeyLine("schema_type")
	if !known {
		if line == 0 {
			return nil
		}
		return []page.Problem{{Line: line, Code: page.CodeUnknownType, Message: unknownType(pack, p.Type), Fix: typeHint(pack, p.Type)}}
	}
	var found []page.Problem
	for _, key := range t.Missing(p) {
		found = append(found, page.Problem{Line: max(line, 1), Code: page.CodeMissingKey,
			Message: fmt.Sprintf("the type %s requires the key %s", t.Name, key), Fix: "add " + key + ": to the front matter"})
	}
	return found
}

func unknownType(pack *page.Pack, typ string) string {
	return fmt.Sprintf("the schema pack %s has no type %q", pack.Name, typ)
}

// typeHint says what to write instead of a type that is not known.
func typeHint(pack *page.Pack, name string) string {
	if near := nearest(name, pack.TypeNames()); near != "" {
		return "did you mean " + near + "? Types of your own go into a schema pack: schema.pack"
	}
	return "known: " + strings.Join(pack.TypeNames(), ", ") + "; types of your own go into a schema pack: schema.pack"
}

// obey refuses to write a page that the schema pack would complain about.
func obey(pack *page.Pack, typ string, p *page.Page) error {
	if _, known := pack.Type(typ); !known {
		return usage(unknownType(pack, typ), typeHint(pack, typ))
	}
	for _, problem := range schemaProblems(pack, p) {
		return usage(problem.Message, problem.Fix)
	}
	return nil
}
