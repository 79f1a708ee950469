package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"brain/inbox"
)

// A transcript grows by a few lines between two calls, and may be of any size. So how
// far it was read is remembered, in .brain/hook/<session>.json, and a call reads on from
// there. Whether it is the same transcript still, the bytes before that place tell. The
// file can be lost at any time: then all is read again, and the inbox knows what it has.
//
// What is read ends where nothing belongs together with what comes later. For Claude
// Code that is the end of any line. Codex writes a message twice, for the model and for
// the user, and only the reader of both knows that it is one; there it is the beginning
// of a turn of the agent, so that the last turn is read once more.

const (
	hookDir       = "hook"
	firstPiece    = 1 << 20  // of a transcript that a call takes in: so much it can always do
	maxPiece      = 8 << 20  // to which the next ones grow, each twice the one before
	maxLine       = 64 << 20 // beyond which a piece does not grow for want of an end
	maxCheck      = 1 << 10
	maxHeadLine   = 1 << 20
	bookmarkStays = 30 * 24 * time.Hour
)

// transcript is an agent's own record of a session.
type transcript struct {
	name  string
	f     *os.File
	size  int64
	codex bool
	ended bool // nobody completes the last line any more
	bookmark
}

// bookmark is how far a transcript was read for a session.
type bookmark struct {
	Brain      string `json:"brain"`
	Transcript string `json:"transcript"`
	Offset     int64  `json:"offset"`
	Check      string `json:"check"` // SHA-256 of the bytes before it, at most maxCheck
}

// bookmarkFile is where the bookmark of a session is kept.
func bookmarkFile(session string) string { return inbox.SessionID(session) + ".json" }

// openTranscript opens what an event names as one. The name came on standard input: only
// a regular file that could be a transcript is read, and nothing else is waited for.
func openTranscript(name string) (*transcript, error) {
	if !filepath.IsAbs(name) || filepath.Ext(name) != ".jsonl" {
		return nil, fmt.Errorf("no transcript: %s: want the whole path of a .jsonl file", name)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("no transcript: %s is no regular file", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &transcript{name: name, f: f, size: info.Size(), codex: strings.HasPrefix(filepath.Base(name), "rollout-")}, nil
}

// resume reads on where a bookmark is, if it is of this transcript and for this brain;
// else, or when nothing was kept of it, at the beginning.
func (t *transcript) resume(state *os.Root, session, brain string, kept bool) {
	t.bookmark = bookmark{Brain: brain, Transcript: t.name}
	f, err := openPlain(state, hookDir+"/"+bookmarkFile(session), os.O_RDONLY)
	if err != nil {
		return
	}
	defer f.Close()
	var old bookmark
	if json.NewDecoder(io.LimitReader(f, 64<<10)).Decode(&old) != nil {
		return
	}
	if !kept || old.Brain != brain || old.Transcript != t.name || old.Offset <= 0 || old.Offset > t.size {
		return
	}
	if check, err := t.check(old.Offset); err == nil && check == old.Check {
		t.bookmark = old
	}
}

// remember writes the bookmark.
func (t *transcript) remember(state *os.Root, session string) error {
	var err error
	if t.Check, err = t.check(t.Offset); err != nil {
		return err
	}
	raw, err := json.Marshal(t.bookmark)
	if err != nil {
		return err
	}
	if err := state.Mkdir(hookDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	name := hookDir + "/" + bookmarkFile(session)
	temp := fmt.Sprintf("%s.%d", name, os.Getpid())
	if err := state.WriteFile(temp, raw, 0o600); err != nil {
		return err
	}
	return state.Rename(temp, name)
}

func (t *transcript) check(offset int64) (string, error) {
	n := min(offset, maxCheck)
	raw := make([]byte, n)
	if _, err := t.f.ReadAt(raw, offset-n); err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// sweepBookmarks removes those that nobody has moved for long.
func sweepBookmarks(state *os.Root, now time.Time) {
	f, err := state.Open(hookDir)
	if err != nil {
		return
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > bookmarkStays {
			_ = state.Remove(hookDir + "/" + e.Name()) // if it stays, it goes another time
		}
	}
}

// head is the first line, in which Codex says what the transcript is.
func (t *transcript) head() ([]byte, error) {
	line, err := bufio.NewReader(io.NewSectionReader(t.f, 0, maxHeadLine)).ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	return line, err
}

// piece is whole lines of a transcript.
type piece struct {
	text   []byte
	done   int  // bytes of it, and of what was passed over, behind which to read on
	last   bool // nothing is left behind it
	passed int  // lines that no message can be
}

// read reads on: so many bytes, or as many more as it takes to come to an end.
func (t *transcript) read(room int64) (p piece, err error) {
	for ; ; room *= 2 {
		left := t.size - t.Offset
		p.last = left <= room
		raw := make([]byte, min(left, room))
		if _, err := io.ReadFull(io.NewSectionReader(t.f, t.Offset, left), raw); err != nil {
			return p, err
		}
		p.text = raw[:bytes.LastIndexByte(raw, '\n')+1]
		if p.done = len(p.text); t.codex {
			p.done = lastTurnOfCodex(p.text)
		}
		switch {
		case p.last:
			if t.ended {
				p.text = raw
			}
			return p, nil
		case p.done > 0:
			p.text = p.text[:p.done]
			return p, nil
		case room >= maxLine && len(p.text) > 0: // what belongs together is torn, but no line
			p.done = len(p.text)
			return p, nil
		case room >= maxLine:
			p.done, p.passed = len(raw), 1
			return p, nil
		}
	}
}

// lastTurnOfCodex is where the last turn begins, 0 when that is the beginning or none is
// there.
func lastTurnOfCodex(text []byte) int {
	end := len(text)
	for end > 0 {
		start := bytes.LastIndexByte(text[:end-1], '\n') + 1
		if line := text[start:end]; bytes.Contains(line[:min(len(line), 200)], []byte(`"type":"turn_context"`)) {
			return start
		}
		end = start
	}
	return 0
}
