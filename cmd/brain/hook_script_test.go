package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// appendCmd adds files at the end of another; a last line that ends with a backslash is
// not ended: append transcript.jsonl more.jsonl
func appendCmd(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY|os.O_APPEND, 0)
	ts.Check(err)
	for _, name := range args[1:] {
		_, err := f.WriteString(strings.TrimSuffix(ts.ReadFile(name), "\\\n"))
		ts.Check(err)
	}
	ts.Check(f.Close())
}

// hookCmd calls a hook with a file on standard input, in which variables count, and
// demands that it exits 0 and says nothing: hook stop.json Stop --agent coder
func hookCmd(ts *testscript.TestScript, _ bool, args []string) {
	in := ts.MkAbs(args[0]) + ".in"
	ts.Check(os.WriteFile(in, []byte(os.Expand(ts.ReadFile(args[0]), ts.Getenv)), 0o666))
	ts.Check(ts.Exec("brain-from", append([]string{in, "hook"}, args[1:]...)...))
	if said := ts.ReadFile("stdout") + ts.ReadFile("stderr"); said != "" {
		ts.Fatalf("brain hook %s: said:\n%s", strings.Join(args[1:], " "), said)
	}
}

// brainFrom is brain with a file on standard input: FILE ARGS…
func brainFrom() {
	in, err := os.Open(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Stdin, os.Args = in, append([]string{"brain"}, os.Args[2:]...)
	main()
}
