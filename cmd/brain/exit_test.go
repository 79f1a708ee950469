package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"brain/memory"
	"brain/store"
)

// Every error that programs tell apart keeps its name and exit code however it is
// wrapped, and the schema of errors knows it. MS19
func TestNamesOfErrors(t *testing.T) {
	raw, err := schemas.ReadFile("schemas/error.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct {
			Error struct {
				Properties struct {
					Code struct{ Enum []string }
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	known := schema.Properties.Error.Properties.Code.Enum
	for _, e := range exitCodes[1:] {
		if !slices.Contains(known, e.name) {
			t.Errorf("%s is not in the schema", e.name)
		}
	}
	for _, c := range causes() {
		err := fmt.Errorf("fact add: %w", c.err)
		v := judge(err)
		if v.code != c.code || codeName(err, v.code) != c.name || !slices.Contains(known, c.name) {
			t.Errorf("%s: exit %d, %s", c.name, v.code, codeName(err, v.code))
		}
	}
	for want, err := range map[string]error{
		"duplicate_fact":    &memory.DuplicateError{ID: "fact_0"},
		"fact_conflict":     &memory.RevisionError{ID: "fact_0", Want: 1, Have: 2},
		"manifest_conflict": &memory.RevisionError{Want: 1, Have: 2},
		"fact_corrupt":      fmt.Errorf("%w: %w", memory.ErrCorrupt, memory.ErrFact),
		"usage":             memory.ErrFact,
		"conflict":          store.ErrConflict,
		"environment":       errors.New("something else"),
	} {
		if got := codeName(err, judge(err).code); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}
