package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestThreatsHaveTests holds doc/threat-model.md against the tests: every line of its
// tables names at least one, and each that is named exists.
func TestThreatsHaveTests(t *testing.T) {
	raw, err := os.ReadFile("../../doc/threat-model.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([^`]+)`")
	funcs := map[string]map[string]bool{}
	rows := 0
	for i, line := range strings.Split(string(raw), "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.TrimSpace(cells[len(cells)-1]) == "shown by" {
			continue
		}
		rows++
		tests := named.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 3 || len(tests) == 0 {
			t.Errorf("line %d: no test shows it: %s", i+1, line)
		}
		for _, m := range tests {
			if !testExists(t, funcs, m[1]) {
				t.Errorf("line %d: no such test: %s", i+1, m[1])
			}
		}
	}
	if rows < 50 {
		t.Errorf("%d lines: the test does not read the tables", rows)
	}
}

// testExists looks for name.txtar among the scripts, for package.TestName among the
// tests of the package in the folder of that name.
func testExists(t *testing.T, funcs map[string]map[string]bool, name string) bool {
	if strings.HasSuffix(name, ".txtar") {
		_, err := os.Stat(filepath.Join("testdata", "script", name))
		return err == nil
	}
	pkg, fn, ok := strings.Cut(name, ".")
	if funcs[pkg] == nil {
		funcs[pkg] = testFuncs(t, pkg)
	}
	return ok && funcs[pkg][fn]
}

func testFuncs(t *testing.T, pkg string) map[string]bool {
	dir := filepath.Join("..", "..", pkg)
	if pkg == "brain" {
		dir = "."
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllSubmatch(raw, -1) {
			all[string(m[1])] = true
		}
	}
	return all
}
