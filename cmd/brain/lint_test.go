package main

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"brain/lint"
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
	var findings []lint.Finding
	for _, r := range lint.Rules() {
		findings = append(findings, lint.Finding{Path: "notes/a.md", Line: 1, Code: r.Code, Severity: r.Severity, Message: "m", Fix: "f"})
	}
	paths := []string{"笔记/计划 #1.md", "a:b.md", "50%?.md", "notes/ü.md", ""}
	for _, p := range paths {
		findings = append(findings, lint.Finding{Path: p, Code: "unheard-of", Severity: lint.Note, Message: "m"})
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
