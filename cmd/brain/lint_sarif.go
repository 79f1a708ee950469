package main

import (
	"cmp"
	"net/url"
	"path/filepath"
	"strings"

	"brain/lint"
)

// SARIF 2.1.0 (OASIS, March 2020) is the form in which editors and code hosts take
// findings. One log holds one run: the tool with its rules, and a result for each
// finding. Places are relative to the brain's folder, whose own place the run
// says once, so that a result can be moved with the tree.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool                `json:"tool"`
	ColumnKind string                   `json:"columnKind"`
	Bases      map[string]sarifArtifact `json:"originalUriBaseIds"`
	Results    []sarifResult            `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID       string        `json:"id"`
	Short    sarifText     `json:"shortDescription"`
	Help     sarifText     `json:"help"`
	Defaults sarifDefaults `json:"defaultConfiguration"`
}

type sarifDefaults struct {
	Level lint.Severity `json:"level"` // error, warning, note: as ours are called
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"` // -1: the rule is not in the table
	Level     lint.Severity   `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"` // absent: the whole file
}

type sarifArtifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

const sarifBase = "BRAIN"

// sarifOf makes the log of the findings in a brain's folder.
func sarifOf(dir string, findings []lint.Finding) sarifLog {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "brain", Version: build().Version}},
		ColumnKind: "unicodeCodePoints",
		Bases:      map[string]sarifArtifact{sarifBase: {URI: fileURI(dir) + "/"}},
		Results:    []sarifResult{},
	}
	at := map[string]int{}
	for i, r := range lint.Rules() {
		at[r.Code] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{r.Code, sarifText{r.What}, sarifText{r.Help}, sarifDefaults{r.Severity}})
	}
	for _, f := range findings {
		index, known := at[f.Code]
		if !known {
			index = -1
		}
		place := sarifPhysical{Artifact: sarifArtifact{relativeURI(f.Path), sarifBase}}
		if f.Line > 0 {
			place.Region = &sarifRegion{f.Line}
		}
		run.Results = append(run.Results, sarifResult{f.Code, index, f.Severity, sarifText{f.Message + before("; fix: ", f.Fix)}, []sarifLocation{{place}}})
	}
	return sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
}

// relativeURI is a path as a relative reference: percent-encoded, and with ./
// where its first part holds a colon. "" is the folder itself.
func relativeURI(path string) string {
	return (&url.URL{Path: cmp.Or(path, ".")}).String()
}

func fileURI(dir string) string {
	path := filepath.ToSlash(dir)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive's letter
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
