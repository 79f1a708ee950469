package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// undoLastCmd undoes the newest job: undolast
func undoLastCmd(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("brain", append([]string{"undo", "-n", "1", "--json"}, args...)...))
	var j undoJSON
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &j))
	if len(j.Jobs) != 1 {
		ts.Fatalf("no job to undo")
	}
	ts.Check(ts.Exec("brain", append([]string{"undo", j.Jobs[0].ID}, args...)...))
}

// nowhereCmd demands that no file below a folder, but for git's, holds a text or has it
// in its name: nowhere TEXT DIR
func nowhereCmd(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: nowhere TEXT DIR")
	}
	files := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if strings.Contains(d.Name(), args[0]) {
			ts.Fatalf("%s is still called that", name)
		}
		if d.IsDir() {
			return nil
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if files++; bytes.Contains(raw, []byte(args[0])) {
			ts.Fatalf("%s still holds %q", name, args[0])
		}
		return nil
	}))
	if files == 0 {
		ts.Fatalf("no files there")
	}
}
