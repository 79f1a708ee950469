//go:build unix

package main

import (
	"os"
	"syscall"
)

// apart starts a process in a session of its own: neither the terminal's Ctrl-C nor its
// end reaches it.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// askToEnd tells a process to end; it may finish what it is doing.
func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
