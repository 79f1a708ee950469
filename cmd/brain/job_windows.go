package main

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// apart starts a process without a console, so that the end of this one's does not
// reach it.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// askToEnd: a process here can only be killed from outside, in the middle of whatever
// it does.
func askToEnd(*os.Process) error { return errors.ErrUnsupported }
