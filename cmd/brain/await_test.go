//go:build unix

package main

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A pipe that nobody writes to is waited for, and no longer than until Ctrl-C.
func TestCtrlCEndsTheWaitForAPipe(t *testing.T) {
	a := &app{dir: t.TempDir()}
	ok(t, unix.Mkfifo(filepath.Join(a.dir, "pipe"), 0o600))
	for name, open := range map[string]func(context.Context) error{
		"inbox add": func(ctx context.Context) error { _, _, err := a.openConversation(ctx, "pipe"); return err },
		"add":       func(ctx context.Context) error { _, err := a.fileText(ctx, "pipe"); return err },
		"add batch": func(ctx context.Context) error { _, _, err := a.batchInput(ctx, "pipe"); return err },
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- open(ctx) }()
		interrupt()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s waits on", name)
		}
	}
}
