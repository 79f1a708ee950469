package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The program is tested as users run it: scripts that carry their own files and show
// output and exit code. `exit N brain …` runs a command and checks its exit code;
// `jsonschema NAME FILE` holds a file against a shipped schema and demands that it is
// one JSON value, a newline, and nothing else.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"brain": main, "brain-writer": killedWriter, "brain-capture": killedCapture, "brain-detach": detached,
		"brain-deaf": deafJob, "brain-from": brainFrom, "brain-0.9": main, "renamed": main,
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit":        exitCmd,
			"undolast":    undoLastCmd,
			"nowhere":     nowhereCmd,
			"jsonschema":  schemaCmd,
			"big":         bigCmd,
			"bytes":       bytesCmd,
			"damage":      damageCmd,
			"sametree":    sameTreeCmd,
			"sameanswer":  sameAnswerCmd,
			"modelserver": serverCmd,
			"embedded":    embeddedCmd,
			"completer":   completerCmd,
			"asked":       askedCmd,
			"append":      appendCmd,
			"deermem":     deerMemCmd,
			"hook":        hookCmd,
		},
		Condition: func(cond string) (bool, error) {
			if cond != "root" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			return os.Geteuid() == 0, nil // who may read everything
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("NO_COLOR", "1")
			e.Setenv("HOME", e.WorkDir)
			e.Values[modelServer{}] = &modelServer{t: t}
			e.Values[chatServer{}] = &chatServer{t: t}
			return nil
		},
	})
}

// exitCmd runs a program and demands an exit code: exit 3 brain read nothing.md
func exitCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE PROGRAM [ARGS…]")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

func schemaCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: jsonschema NAME FILE")
	}
	raw := []byte(ts.ReadFile(args[1]))
	if !bytes.HasSuffix(raw, []byte("\n")) {
		ts.Fatalf("no newline at the end")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(new(any)); err != nil {
		ts.Fatalf("not JSON: %v\n%s", err, raw)
	}
	if _, err := d.Token(); err != io.EOF {
		ts.Fatalf("more than one JSON value:\n%s", raw)
	}
	for _, escaped := range []string{`\u003c`, `\u003e`, `\u0026`} {
		if bytes.Contains(raw, []byte(escaped)) {
			ts.Fatalf("HTML-escaped: %s", escaped)
		}
	}
	err := validate(args[0], raw)
	if (err != nil) != neg {
		ts.Fatalf("schema %s: %v\n%s", args[0], err, raw)
	}
}

// validate holds JSON against a shipped schema.
func validate(name string, raw []byte) error {
	text, err := schemas.ReadFile("schemas/" + name + ".schema.json")
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name+".json", doc); err != nil {
		return err
	}
	s, err := c.Compile(name + ".json")
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// bigCmd writes a file of so many MiB: big notes/big.md 50
func bigCmd(ts *testscript.TestScript, _ bool, args []string) {
	n := map[string]int{"5": 5, "50": 50}[args[1]]
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, bytes.Repeat([]byte("many words stand here, one line after another\n"), n<<20/46), 0o666))
}

// bytesCmd writes raw bytes given in Go's escapes: bytes notes/latin.md 'caf\xe9'
func bytesCmd(ts *testscript.TestScript, _ bool, args []string) {
	text := strings.NewReplacer(`\xe9`, "\xe9", `\xff`, "\xff", `\xfe`, "\xfe", `\x00`, "\x00", `\x03`, "\x03", `\x04`, "\x04", `\e`, "\x1b", `\n`, "\n", `\r`, "\r").Replace(args[1])
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, []byte(text), 0o666))
}

// damageCmd cuts every segment of an index in half: damage .brain/index/default
func damageCmd(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".zap" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Truncate(name, info.Size()/2)
	}))
}

// sameTreeCmd demands that two brains hold the same names, modes and bytes.
func sameTreeCmd(ts *testscript.TestScript, _ bool, args []string) {
	all := func(dir string) string {
		var b strings.Builder
		ts.Check(filepath.WalkDir(ts.MkAbs(dir), func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.Name() == ".txn" {
				return fs.SkipDir
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(ts.MkAbs(dir), name)
			fmt.Fprintf(&b, "%s %v", rel, info.Mode())
			if info.Mode().IsRegular() {
				raw, err := os.ReadFile(name)
				ts.Check(err)
				fmt.Fprintf(&b, " %q", raw)
			}
			b.WriteString("\n")
			return err
		}))
		return b.String()
	}
	if a, b := all(args[0]), all(args[1]); a != b {
		ts.Fatalf("%s:\n%s\n%s:\n%s", args[0], a, args[1], b)
	}
}

// sameAnswerCmd demands that two answers of query --json are the same but for the time
// they took and the count of states that the index has had.
func sameAnswerCmd(ts *testscript.TestScript, _ bool, args []string) {
	answer := func(name string) string {
		var v map[string]any
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(name)), &v))
		if hits, ok := v["hits"].([]any); !ok || len(hits) == 0 {
			ts.Fatalf("%s: no hits", name)
		}
		for _, key := range []string{"took_ms", "arms_ms", "embed_ms", "generation"} {
			delete(v, key)
		}
		raw, err := json.MarshalIndent(v, "", " ")
		ts.Check(err)
		return string(raw)
	}
	if a, b := answer(args[0]), answer(args[1]); a != b {
		ts.Fatalf("%s:\n%s\n%s:\n%s", args[0], a, args[1], b)
	}
}
