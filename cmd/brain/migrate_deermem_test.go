package main

import (
	"github.com/rogpeppe/go-internal/testscript"

	"brain/memory/deermemtest"
)

// deerMemCmd writes a root of DeerMem, with 50 facts of two users: deermem DIR
func deerMemCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: deermem DIR")
	}
	ts.Check(deermemtest.New().Write(ts.MkAbs(args[0])))
}
