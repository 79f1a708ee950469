package main

import (
	"errors"
	"strings"

	"brain/page"
	"brain/text"
)

// builtinPack is the schema pack that needs no file.
const builtinPack = "problem-tree"

// pack reads the schema pack that the settings name, once.
func (o *opened) pack() (*page.Pack, error) {
	if o.schema == nil {
		pack, err := readPack(o.root.Dir, o.settings.SchemaPack)
		if err != nil {
			return nil, err
		}
		o.schema = pack
	}
	return o.schema, nil
}

func readPack(root, name string) (*page.Pack, error) {
	if name == builtinPack {
		return page.ProblemTree(), nil
	}
	raw, err := readSettings(resolved(root, name))
	if err != nil {
		hint := "`" + builtinPack + "`, or a YAML file, relative to " + root
		if text.Nearest(name, []string{builtinPack}) != "" {
			hint = "did you mean " + builtinPack + "?"
		}
		return nil, &failure{code: exitUsage, text: "schema.pack: " + name, cause: err, hint: hint}
	}
	return page.ParsePack(name, raw)
}

// packHint names what was probably meant.
func packHint(err error) string {
	e, ok := errors.AsType[*page.PackError](err)
	if !ok || e.Word == "" {
		return "doc/schema.md has the form of the file"
	}
	known := "known: " + strings.Join(e.Known, ", ")
	if near := text.Nearest(e.Word, e.Known); near != "" {
		return "did you mean " + near + "? " + known
	}
	return known
}

// obey refuses to write a page that the schema pack would complain about.
func obey(pack *page.Pack, typ string, p *page.Page) error {
	if _, known := pack.Type(typ); !known {
		unknown := pack.Unknown(typ)
		return usage(unknown.Message, unknown.Fix)
	}
	for _, problem := range pack.Check(p) {
		return usage(problem.Message, problem.Fix)
	}
	return nil
}
