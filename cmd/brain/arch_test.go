package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The architecture is this table: a package, and which others of ours its code
// (not its tests) may import. ARCHITECTURE.md says the same in prose. A package
// that is missing here fails, so that a new one is placed before it grows.
var allowedImports = map[string][]string{
	"text":               {},
	"page":               {"text"},
	"llm/static":         {},
	"llm":                {"text", "llm/static"},
	"store":              {"page"},
	"inbox":              {"text", "page"},
	"graph":              {"text", "page"},
	"index":              {"text", "page", "llm"},
	"retrieve":           {"text", "page", "llm", "index", "graph"},
	"memory":             {"text", "page", "store", "index", "retrieve"},
	"lint":               {"text", "page", "store", "index", "graph", "memory"},
	"compile":            {"text", "page", "llm", "store", "inbox", "index", "graph", "retrieve", "memory"},
	"dream":              {"text", "page", "llm", "store", "inbox", "index", "graph", "retrieve", "memory", "compile", "lint"},
	"migrate":            {"text", "page", "store", "memory"},
	"evals":              {"text", "page", "llm", "store", "inbox", "index", "graph", "retrieve", "dream"},
	"cmd/brain":          {"text", "page", "llm", "store", "inbox", "index", "graph", "retrieve", "memory", "lint", "compile", "migrate", "dream", "evals"},
	"graph/graphtest":    {"text", "page", "graph"}, // for tests of graph
	"llm/llmtest":        {"llm"},                   // for tests of what asks a model
	"memory/deermemtest": {},                        // for tests of what reads DeerMem's files
	"llm/static/gen":     {"llm/static"},            // a command that makes llm/static's lookup file
}

// adapters says where alone a library may be imported: a package, or a file of
// one. A name with a slash at its end stands for all below it.
var adapters = map[string][]string{
	"github.com/blevesearch/":            {"index"},
	"github.com/philippgille/chromem-go": {"index"},
	"github.com/viterin/vek/":            {"index"},
	"github.com/dominikbraun/graph":      {"graph/algo.go"},
	"github.com/dominikbraun/graph/":     {"graph/algo.go"},
	"github.com/ollama/ollama/":          {"llm"},
	"github.com/openai/":                 {"llm/openai_chat.go"},
	"go.yaml.in/yaml/v3":                 {"page", "store", "memory/parse.go", "cmd/brain"},
	"github.com/netresearch/go-cron":     {"dream/schedule.go"},
	"github.com/spf13/":                  {"cmd/brain"},
	"github.com/fsnotify/fsnotify":       {"cmd/brain"},
	"net/http":                           {"llm", "llm/llmtest"},
	"net/http/":                          {"llm", "llm/llmtest"},
	"net":                                {"llm", "cmd/brain/settings.go"}, // there to read an address
	"net/rpc":                            {}, "net/smtp": {}, "crypto/tls": {"llm"}, "golang.org/x/net/": {},
	"gopkg.in/yaml.v3":             {}, // the archived path of the one above
	"C":                            {}, // one static binary
	"github.com/santhosh-tekuri/":  {}, // tests only, like all below
	"github.com/rogpeppe/":         {},
	"github.com/google/go-cmp/":    {},
	"github.com/yuin/goldmark":     {},
	"github.com/kljensen/snowball": {},
	"modernc.org/":                 {},
	"pgregory.net/rapid":           {},
}

// surface are the names that only a program's main package may use: they print,
// read the environment, or exit.
var surface = map[string][]string{
	"os":  {"Getenv", "LookupEnv", "Environ", "ExpandEnv", "Setenv", "Unsetenv", "Clearenv", "Exit", "Stdin", "Stdout", "Stderr", "Args"},
	"fmt": {"Print", "Printf", "Println"},
	"log": {"*"}, "log/slog": {"*"},
	"syscall": {"Getenv", "Environ", "Setenv", "Exit"},
}

// goPackage is what we read of `go list -json`.
type goPackage struct {
	ImportPath, Dir, Name             string
	GoFiles, CgoFiles, IgnoredGoFiles []string
	TestImports, XTestImports         []string
}

// sourceFile is one parsed non-test file.
type sourceFile struct {
	pkg  string // path within the module
	name string
	main bool
	*ast.File
}

func (f *sourceFile) imports() []string {
	var all []string
	for _, i := range f.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			path = i.Path.Value
		}
		all = append(all, path)
	}
	return all
}

// sources parses every file of the module, also those that other systems build.
func sources(t *testing.T) []*sourceFile {
	t.Helper()
	var all []*sourceFile
	fset := token.NewFileSet()
	for _, p := range goList(t) {
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, &sourceFile{strings.TrimPrefix(p.ImportPath, "brain/"), name, p.Name == "main", parsed})
		}
	}
	if len(all) < 50 {
		t.Fatalf("found only %d files: the test looks in the wrong place", len(all))
	}
	return all
}

func goList(t *testing.T) []goPackage {
	t.Helper()
	if testing.Short() {
		t.Skip("asks the go command")
	}
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Name,GoFiles,CgoFiles,IgnoredGoFiles,TestImports,XTestImports", "brain/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var all []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range sources(t) {
		seen[f.pkg] = true
		allowed, ok := allowedImports[f.pkg]
		if !ok {
			t.Errorf("package %s is not in the table", f.pkg)
			continue
		}
		for _, path := range f.imports() {
			ours, ok := strings.CutPrefix(path, "brain/")
			if ok && !slices.Contains(allowed, ours) {
				t.Errorf("%s/%s imports %s; %s may import %v", f.pkg, f.name, ours, f.pkg, allowed)
			}
		}
	}
	for pkg := range allowedImports {
		if !seen[pkg] {
			t.Errorf("package %s is in the table and does not exist", pkg)
		}
	}
}

func TestLibrariesStayBehindTheirAdapters(t *testing.T) {
	for _, f := range sources(t) {
		for _, path := range f.imports() {
			for lib, where := range adapters {
				if !(path == lib || strings.HasSuffix(lib, "/") && strings.HasPrefix(path, lib)) {
					continue
				}
				if !slices.Contains(where, f.pkg) && !slices.Contains(where, f.pkg+"/"+f.name) {
					t.Errorf("%s/%s imports %s; only %v may", f.pkg, f.name, path, where)
				}
			}
		}
	}
}

// TestOnlyCommandsTouchTheProcess holds every library to values in, values out.
func TestOnlyCommandsTouchTheProcess(t *testing.T) {
	for _, f := range sources(t) {
		if f.main {
			continue
		}
		names := map[string]string{} // as the file calls a package → its path
		for i, path := range f.imports() {
			if _, ok := surface[path]; !ok {
				continue
			}
			name := path[strings.LastIndex(path, "/")+1:]
			if as := f.Imports[i].Name; as != nil {
				name = as.Name
			}
			names[name] = path
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				pkg, ok := n.X.(*ast.Ident)
				if !ok || names[pkg.Name] == "" {
					return true
				}
				if bad := surface[names[pkg.Name]]; slices.Contains(bad, n.Sel.Name) || slices.Contains(bad, "*") {
					t.Errorf("%s/%s uses %s.%s; only a command may", f.pkg, f.name, pkg.Name, n.Sel.Name)
				}
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "print" || id.Name == "println") {
					t.Errorf("%s/%s calls the built-in %s", f.pkg, f.name, id.Name)
				}
			}
			return true
		})
	}
}

// requirement is a line of go.mod.
type requirement struct{ module, version string }

// directRequirements are the modules that our packages, tests and tools name. It
// fails where go.mod marks one of them indirect, which it does when a
// dependency is added before its first import.
func directRequirements(t *testing.T) []requirement {
	t.Helper()
	imported := map[string]bool{}
	for _, p := range goList(t) {
		for _, path := range slices.Concat(p.TestImports, p.XTestImports) {
			imported[path] = true
		}
	}
	for _, f := range sources(t) {
		for _, path := range f.imports() {
			imported[path] = true
		}
	}
	file, err := os.Open(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []requirement
	tools := map[string]bool{}
	var indirect []requirement
	inRequire := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "require (":
			inRequire = true
			continue
		case line == ")":
			inRequire = false
		}
		line, single := strings.CutPrefix(line, "require ")
		if tool, ok := strings.CutPrefix(line, "tool "); ok {
			tools[strings.TrimSpace(tool)] = true
		}
		if f := strings.Fields(line); (inRequire || single) && len(f) >= 2 {
			r := requirement{f[0], f[1]}
			if strings.HasSuffix(line, "// indirect") {
				indirect = append(indirect, r)
			} else {
				all = append(all, r)
			}
		}
	}
	for _, r := range indirect { // a tool's module stands there as indirect
		below := func(path string) bool { return path == r.module || strings.HasPrefix(path, r.module+"/") }
		if slices.ContainsFunc(slices.Collect(maps.Keys(tools)), below) {
			all = append(all, r)
		} else if slices.ContainsFunc(slices.Collect(maps.Keys(imported)), below) {
			t.Errorf("go.mod: %s is imported and marked indirect", r.module)
			all = append(all, r)
		}
	}
	if len(all) < 5 {
		t.Fatalf("go.mod: only %d direct requirements found", len(all))
	}
	return all
}

// TestDependenciesAreExplained: each direct dependency has its reason, version
// and licence in a row of doc/dependencies.md, and no row outlives its dependency.
func TestDependenciesAreExplained(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "doc", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(raw)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if module := strings.Trim(cells[0], "`"); len(cells) == 4 && module != cells[0] {
			rows[module] = cells
		}
	}
	for _, r := range directRequirements(t) {
		row, ok := rows[r.module]
		if !ok {
			t.Errorf("%s %s has no row in doc/dependencies.md", r.module, r.version)
			continue
		}
		delete(rows, r.module)
		if row[1] != r.version {
			t.Errorf("doc/dependencies.md: %s is %s, go.mod has %s", r.module, row[1], r.version)
		}
		if row[2] == "" || len(row[3]) < 20 {
			t.Errorf("doc/dependencies.md: %s needs a licence and a reason: %v", r.module, row)
		}
	}
	for module := range rows {
		t.Errorf("doc/dependencies.md explains %s, which go.mod does not require directly", module)
	}
}

func TestOneYAMLModule(t *testing.T) {
	var yaml []string
	for _, r := range directRequirements(t) {
		if strings.Contains(r.module, "yaml") {
			yaml = append(yaml, fmt.Sprint(r.module, " ", r.version))
		}
	}
	if len(yaml) != 1 {
		t.Errorf("want one YAML module required directly, have %v", yaml)
	}
}
