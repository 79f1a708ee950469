package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"brain/page"
)

// What SARIF 2.1.0 requires of the objects that we write, and the values that it
// allows: sections 3.13 to 3.30 of the standard, in its own schema's words.
const sarifRequired = `{
  "type": "object", "required": ["version", "runs"],
  "properties": {
    "$schema": {"type": "string", "format": "uri"},
    "version": {"enum": ["2.1.0"]},
    "runs": {"type": "array", "items": {
      "type": "object", "required": ["tool"], "additionalProperties": false,
      "properties": {
        "tool": {"type": "object", "required": ["driver"], "additionalProperties": false, "properties": {
          "driver": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
            "name": {"type": "string"}, "version": {"type": "string"},
            "rules": {"type": "array", "uniqueItems": true, "items": {
              "type": "object", "required": ["id"], "additionalProperties": false,
              "properties": {
                "id": {"type": "string"},
                "shortDescription": {"$ref": "#/$defs/message"},
                "help": {"$ref": "#/$defs/message"},
                "defaultConfiguration": {"type": "object", "additionalProperties": false, "properties": {"level": {"$ref": "#/$defs/level"}}}
              }}}}}}},
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "originalUriBaseIds": {"type": "object", "additionalProperties": {"$ref": "#/$defs/place"}},
        "results": {"type": "array", "items": {
          "type": "object", "required": ["message"], "additionalProperties": false,
          "properties": {
            "ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": -1},
            "level": {"$ref": "#/$defs/level"}, "message": {"$ref": "#/$defs/message"},
            "locations": {"type": "array", "items": {"type": "object", "additionalProperties": false, "properties": {
              "physicalLocation": {"type": "object", "required": ["artifactLocation"], "additionalProperties": false, "properties": {
                "artifactLocation": {"$ref": "#/$defs/place"},
                "region": {"type": "object", "additionalProperties": false, "properties": {"startLine": {"type": "integer", "minimum": 1}}}
              }}}}}
          }}}
      }}}
  },
  "$defs": {
    "level": {"enum": ["none", "note", "warning", "error"]},
    "message": {"type": "object", "required": ["text"], "additionalProperties": false, "properties": {"text": {"type": "string", "minLength": 1}}},
    "place": {"type": "object", "additionalProperties": false, "properties": {"uri": {"type": "string", "format": "uri-reference"}, "uriBaseId": {"type": "string"}}}
  }
}`

func TestSARIFHasWhatTheStandardRequires(t *testing.T) {
	var findings []lintFinding
	for _, r := range lintRules() {
		findings = append(findings, lintFinding{Path: "notes/a.md", Line: 1, Code: r.code, Severity: r.severity, Message: "m", Fix: "f"})
	}
	paths := []string{"笔记/计划 #1.md", "a:b.md", "50%?.md", "notes/ü.md", ""}
	for _, p := range paths {
		findings = append(findings, lintFinding{Path: p, Code: "unheard-of", Severity: severityNote, Message: "m"})
	}
	raw, err := json.Marshal(sarifOf("/tmp/脑/default", findings))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(sarifRequired))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", schema); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(doc); err != nil {
		t.Errorf("%v\n%s", err, raw)
	}
	checkSARIF(t, raw, paths)
}

// checkSARIF checks what a schema cannot say: indexes and places mean something.
func checkSARIF(t *testing.T, raw []byte, paths []string) {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal(raw, &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	base, err := url.Parse(run.Bases[sarifBase].URI)
	if err != nil || base.String() != "file:///tmp/%E8%84%91/default/" {
		t.Fatalf("base %v, %v", base, err)
	}
	want := []string{"%E7%AC%94%E8%AE%B0/%E8%AE%A1%E5%88%92%20%231.md", "./a:b.md", "50%25%3F.md", "notes/%C3%BC.md", "."}
	for i, r := range run.Results {
		place := r.Locations[0].Physical
		if n := i - len(run.Tool.Driver.Rules); n >= 0 {
			if place.Artifact.URI != want[n] || r.RuleIndex != -1 || place.Region != nil {
				t.Errorf("%+v, want %s", r, want[n])
			}
			to, err := base.Parse(place.Artifact.URI)
			if err != nil || to.Path != "/tmp/脑/default/"+paths[n] {
				t.Errorf("%s leads to %v, %v", place.Artifact.URI, to, err)
			}
			continue
		}
		if rule := run.Tool.Driver.Rules[r.RuleIndex]; rule.ID != r.RuleID || rule.Defaults.Level != r.Level || rule.Help.Text == "" || r.Message.Text != "m; fix: f" || place.Region.StartLine != 1 {
			t.Errorf("%+v under rule %+v", r, rule)
		}
	}
}

// Each code that a page's reader knows is a rule, and doc/lint.md has a section for
// each rule, in the order of the table, with its severity, an example and a fix.
func TestLintRulesAreDocumented(t *testing.T) {
	var codes []string
	for _, r := range lintRules() {
		if r.what == "" || !strings.HasSuffix(r.help, ".") || slices.Contains(codes, r.code) {
			t.Errorf("rule %+v", r)
		}
		codes = append(codes, r.code)
	}
	for code := range page.Codes {
		if !slices.Contains(codes, code) {
			t.Errorf("page's %s is no rule", code)
		}
	}
	raw, err := os.ReadFile("../../doc/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := regexp.MustCompile("(?m)^### `([a-z0-9-]+)`, (error|warning|note)$").FindAllStringSubmatchIndex(string(raw), -1)
	var told []string
	for i, at := range sections {
		code, level := string(raw[at[2]:at[3]]), string(raw[at[4]:at[5]])
		end := len(raw)
		if i+1 < len(sections) {
			end = sections[i+1][0]
		}
		told = append(told, code)
		if text := string(raw[at[1]:end]); !strings.Contains(text, "**Fix.**") || !strings.Contains(text, "    ") && !strings.Contains(text, "`") {
			t.Errorf("doc/lint.md: %s has no example, or no fix", code)
		}
		if severityOf(code) != severity(level) {
			t.Errorf("doc/lint.md: %s is a %s there", code, level)
		}
	}
	if !slices.Equal(told, codes) {
		t.Errorf("doc/lint.md tells %q\nthe table has %q", told, codes)
	}
}

func TestOneFile(t *testing.T) {
	for _, c := range []struct {
		a, b string
		one  bool
	}{
		{"README.md", "readme.md", true},
		{"caf\u00e9.md", "cafe\u0301.md", true},
		{"STRASSE.md", "straße.md", true},
		{"café.md", "cafe.md", false},
		{"ＦＯＯ.md", "foo.md", false},
		{"计划.md", "計劃.md", false},
	} {
		if (oneFile(c.a) == oneFile(c.b)) != c.one {
			t.Errorf("%q and %q: want one file: %v", c.a, c.b, c.one)
		}
	}
}

// A lint of an agent's page names nothing of another agent's.
func TestAnotherCountsWhatIsSeen(t *testing.T) {
	group := []bearer{{row: 1}, {row: 2}, {row: 3}}
	for _, c := range []struct {
		row, other uint32
		more       int
	}{{1, 2, 1}, {2, 1, 1}, {3, 1, 1}} {
		if other, more := another([][]bearer{group}, c.row); other == nil || other.row != c.other || more != c.more {
			t.Errorf("of %d: %v and %d more", c.row, other, more)
		}
	}
	if other, _ := another([][]bearer{nil, {{row: 1}}}, 1); other != nil {
		t.Errorf("alone: %v", other)
	}
}

// Between the look and the write a page may change, or go: it is mended as it is
// then.
func TestFixMendsWhatIsThereThen(t *testing.T) {
	o := testBrain(t)
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(o.st.Dir(), name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.md", "---\ntitle: A: 1\n---\nold\n")
	write("b.md", "---\ntitle: B: 1\n---\n")
	write("c.md", "---\ntitle: C: 1\n---\n")
	ctx := context.Background()
	a := &app{out: io.Discard, err: io.Discard, env: func(string) (string, bool) { return "", false }, global: globals{quiet: true}}
	l := &linter{a: a, o: o, lines: map[page.Path]nameLines{}, stubs: map[page.Path][]byte{}}
	for _, p := range []page.Path{"a.md", "b.md", "c.md"} {
		if err := l.page(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	write("a.md", "---\ntitle: A: 2\ntags: [甲]\n---\nnew\n")
	write("b.md", "---\ntitle: \"B: 2\"\n---\n")
	if err := os.Remove(filepath.Join(o.st.Dir(), "c.md")); err != nil {
		t.Fatal(err)
	}
	done, err := l.fix(ctx, &lintFlags{fix: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []lintFix{{"a.md", 2, page.CodeTitleColon, "title: A: 2", `title: "A: 2"`, false}}
	if !slices.Equal(done, want) {
		t.Errorf("%+v, want %+v", done, want)
	}
	for name, want := range map[string]string{"a.md": "---\ntitle: \"A: 2\"\ntags: [甲]\n---\nnew\n", "b.md": "---\ntitle: \"B: 2\"\n---\n"} {
		if got, err := os.ReadFile(filepath.Join(o.st.Dir(), name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	if info, err := os.Stat(filepath.Join(o.st.Dir(), "a.md")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions: %v, %v", info.Mode(), err)
	}
}
