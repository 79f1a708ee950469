package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write generated documents and copies anew")

// golden compares a file with what it should be, or writes it with -update.
func golden(t *testing.T, name string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date: run go test ./cmd/brain -run %s -update and look at the diff", name, t.Name())
	}
}

func TestCommandDocument(t *testing.T) {
	golden(t, "../../doc/cli.md", []byte(commandDocument(table())))
}

func TestSettingsDocument(t *testing.T) {
	golden(t, "../../doc/settings.md", []byte(settingsDocument()))
}

// TestLicenses keeps the embedded texts equal to those at their own place.
func TestLicenses(t *testing.T) {
	for name, original := range map[string]string{
		"LICENSE": "../../LICENSE", "NOTICE": "../../NOTICE", "NOTICE.words": "../../llm/static/NOTICE",
	} {
		want, err := os.ReadFile(original)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		golden(t, filepath.Join("licenses", name), want)
	}
}

// TestHelpIsComplete demands of every command what its help promises.
func TestHelpIsComplete(t *testing.T) {
	schemaOf := map[string]bool{}
	for _, name := range schemaNames() {
		schemaOf[name] = true
	}
	each(table(), "brain", func(path string, c *command) {
		switch {
		case c.short == "" || strings.HasSuffix(c.short, "."):
			t.Errorf("%s: short help: %q", path, c.short)
		case len(c.examples) == 0:
			t.Errorf("%s: no example", path)
		case c.run != nil && c.long == "" && !strings.HasPrefix(path, "brain config"):
			t.Errorf("%s: no description", path)
		case c.schema != "" && !schemaOf[c.schema]:
			t.Errorf("%s: no schema %q", path, c.schema)
		}
		for _, e := range c.examples {
			if !strings.Contains(e, "brain ") {
				t.Errorf("%s: example %q", path, e)
			}
		}
		if strings.Count(path, " ") == 1 && !slices.Contains(groups, c.group) {
			t.Errorf("%s: group %q", path, c.group)
		}
	})
}

// TestSchemasCompile checks the shipped schemas themselves.
func TestSchemasCompile(t *testing.T) {
	for _, name := range schemaNames() {
		raw, err := schemas.ReadFile("schemas/" + name + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(name, doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := c.Compile(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
