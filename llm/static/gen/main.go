// Command gen derives the lookup file of a word table: gen ARTEFACT LOOKUP.
package main

import (
	"fmt"
	"os"

	"brain/llm/static"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want two arguments, artefact and lookup file, got %d", len(args))
	}
	artefact, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	lookup, err := static.BuildLookup(artefact)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return os.WriteFile(args[1], lookup, 0o644)
}
