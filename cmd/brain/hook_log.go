package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"brain/store"
)

// The log of the hooks, .brain/hook.log, has a line for each call:
//
//	2026-03-02T09:00:20Z Stop session=4f1c turns=2 masked=1 took=14ms
//	2026-03-02T09:01:07Z Stop session=4f1c took=3ms error="the root is not trusted: brain trust"
//
// It says how much was taken in and never what.

const (
	hookLogFile = "hook.log"
	hookLogOld  = "hook.log.1" // what was there before, once it is full
	maxHookLog  = 1 << 20
	maxHookNote = 300 // bytes of one value
)

// hookLog is the line of one call in the making.
type hookLog struct {
	event string

	mu      sync.Mutex // the call writes it, or the timer that ends the call
	root    *store.Root
	notes   strings.Builder
	written bool
}

// at says in which root the log is.
func (l *hookLog) at(r store.Root, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.root = &r
	}
}

// note adds a value, unless it is zero.
func (l *hookLog) note(key string, value any) {
	text := fmt.Sprint(value)
	if value == nil || text == "" || text == "0" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes.WriteString(" " + key + "=" + logged(text))
}

// logged writes a value so that it stays one on its line.
func logged(text string) string {
	text = plain(text)
	if len(text) > maxHookNote {
		text = strings.ToValidUTF8(text[:maxHookNote], "") + "…"
	}
	if strings.ContainsAny(text, " \"=\\") {
		return strconv.Quote(text)
	}
	return text
}

// write appends the line. That it cannot be written is nothing a hook could tell anybody.
func (l *hookLog) write(now time.Time, took time.Duration, failed error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.root == nil || l.written {
		return
	}
	l.written = true
	line := fmt.Sprintf("%s %s%s took=%dms", stamp(now), logged(l.event), l.notes.String(), took.Milliseconds())
	if failed != nil {
		line += " error=" + logged(failed.Error())
	}
	if state, err := openState(*l.root); err == nil {
		_ = appendLog(state, line+"\n") // a hook has nowhere else to say so, and must not fail
		state.Close()
	}
}

func appendLog(state *os.Root, line string) error {
	f, err := openPlain(state, hookLogFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	if full(state, f, len(line)) {
		if err := errors.Join(f.Close(), state.Rename(hookLogFile, hookLogOld)); err != nil {
			return err
		}
		if f, err = openPlain(state, hookLogFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE); err != nil {
			return err
		}
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// full reports whether the log has no room for so many bytes, and has not been put away
// by another call meanwhile.
func full(state *os.Root, f *os.File, more int) bool {
	info, err := f.Stat()
	if err != nil || info.Size()+int64(more) <= maxHookLog {
		return false
	}
	now, err := state.Lstat(hookLogFile)
	return err == nil && os.SameFile(info, now)
}
