package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"brain/inbox"
	"brain/store"
	"brain/text"
)

// capturing is a transcript on its way into a brain.
type capturing struct {
	h     *hook
	in    hookInput
	t     *transcript
	ib    *inbox.Box
	brain string
	state *os.Root // .brain

	sum    inbox.Added
	masked int
	bad    int // lines that hold no message
}

// capture takes in what a transcript says that is new.
func (h *hook) capture(ctx context.Context, r store.Root, l *loaded, in hookInput) error {
	if in.Session == "" {
		return errors.New("the event names no session")
	}
	if in.Transcript == "" {
		return nil // an agent that keeps none, or not yet
	}
	t, err := openTranscript(in.Transcript)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was said yet
	}
	if err != nil {
		return err
	}
	h.a.closers = append(h.a.closers, t.f.Close)
	t.ended = h.event == "SessionEnd"
	c := &capturing{h: h, in: in, t: t}
	if err := c.open(ctx, r, l); err != nil {
		return err
	}
	late := time.Now()
	if end, ok := ctx.Deadline(); ok {
		late = late.Add(time.Until(end) / 2) // one that is begun before can still be done
	}
	err = c.all(ctx, late)
	c.tell()
	if err != nil || !t.ended {
		return err
	}
	sweepBookmarks(c.state, time.Now())
	if l.AfterSession == "yes" {
		return c.compileLater(ctx, r)
	}
	return nil
}

// open opens the brain that the transcript goes to, and finds out where to read on.
func (c *capturing) open(ctx context.Context, r store.Root, l *loaded) (err error) {
	a := c.h.a
	if c.brain, err = brainName(r, l); err != nil {
		return err
	}
	st, err := store.Open(r, c.brain)
	if err != nil {
		return err
	}
	a.closers = append(a.closers, st.Close)
	if err := mayCapture(st); err != nil {
		return err
	}
	if c.ib, err = a.box(&opened{root: r, settings: l, st: st}); err != nil {
		return err
	}
	if c.state, err = openState(r); err != nil {
		return err
	}
	a.closers = append(a.closers, c.state.Close)
	_, gone := c.ib.Meta(ctx, inbox.SessionID(c.in.Session))
	c.t.resume(c.state, c.in.Session, c.brain, gone == nil)
	return nil
}

// all takes in piece after piece, and begins none once it is late.
func (c *capturing) all(ctx context.Context, late time.Time) error {
	var head []byte
	if c.t.codex && c.t.Offset > 0 {
		var err error
		if head, err = c.t.head(); err != nil {
			return err
		}
	}
	for room := int64(firstPiece); ; room = min(2*room, maxPiece) {
		p, err := c.t.read(room)
		if err != nil {
			return err
		}
		c.bad += p.passed
		if err := c.take(ctx, append(head[:len(head):len(head)], p.text...), p.last); err != nil {
			return err
		}
		if p.done > 0 {
			c.t.Offset += int64(p.done)
			if err := c.t.remember(c.state, c.in.Session); err != nil {
				return fmt.Errorf("remember how far the transcript was read: %w", err)
			}
		}
		if p.last || !time.Now().Before(late) {
			return nil
		}
	}
}

// take gives the sessions in a piece to the inbox. What a compaction is about to drop
// becomes an item of its own, also when nothing new was said before it.
func (c *capturing) take(ctx context.Context, text []byte, last bool) error {
	format := inbox.ClaudeCode
	if c.t.codex {
		format = inbox.Codex
	}
	own, agent := inbox.SessionID(c.in.Session), c.h.a.self()
	snapshot := last && c.h.event == "PreCompact"
	skipped, err := inbox.ReadSessions(bytes.NewReader(text), inbox.ReadOptions{Format: format, Name: c.t.name, Agent: agent},
		func(s inbox.Session) error {
			if s.ID == own {
				s.Snapshot, snapshot = snapshot, false
			}
			return c.add(ctx, s)
		})
	c.bad += skipped.N
	if err == nil && snapshot {
		err = c.add(ctx, inbox.Session{ID: own, Agent: agent, Snapshot: true})
	}
	return err
}

// add keeps what is new of a session. What will never be kept is no reason to come back
// to it.
func (c *capturing) add(ctx context.Context, s inbox.Session) error {
	a, err := c.ib.Add(ctx, s)
	switch {
	case errors.Is(err, inbox.ErrForgotten):
		c.sum.Forgotten += len(s.Turns)
		return nil
	case errors.Is(err, inbox.ErrInvalid):
		c.sum.Skipped += len(s.Turns)
		return nil
	case err != nil:
		return err
	}
	c.sum.Turns += a.Turns
	c.sum.Skipped += a.Skipped
	c.sum.Private += a.Private
	c.sum.Injected += a.Injected
	c.sum.Forgotten += a.Forgotten
	c.sum.Snapshots = max(c.sum.Snapshots, a.Snapshots)
	for _, n := range a.Masked {
		c.masked += n
	}
	return nil
}

// compileLater starts a compile of the session that ended, if anything of it waits. It is
// not waited for, and what it starts calls no hooks.
func (c *capturing) compileLater(ctx context.Context, r store.Root) error {
	own := inbox.SessionID(c.in.Session)
	m, err := c.ib.Meta(ctx, own)
	if errors.Is(err, inbox.ErrNotFound) || err == nil && m.State != inbox.Pending {
		return nil
	}
	if err != nil {
		return err
	}
	a := c.h.a
	a.global.root, a.global.brain = r.Dir, c.brain
	id, err := a.detach(ctx, "compile", []string{"compile", "--yes", "--stream", "--", own})
	c.h.note("job", id)
	return err
}

// tell notes what was done.
func (c *capturing) tell() {
	h := c.h
	h.note("turns", c.sum.Turns)
	h.note("masked", c.masked)
	h.note("private", c.sum.Private)
	h.note("injected", c.sum.Injected)
	h.note("forgotten", c.sum.Forgotten)
	h.note("empty", c.sum.Skipped)
	h.note("bad_lines", c.bad)
	if h.event == "PreCompact" && manySnapshots(c.sum.Snapshots) {
		h.note("snapshots", c.sum.Snapshots)
	}
	if left := c.t.size - c.t.Offset; left > maxPiece {
		h.note("left", text.Size(left))
	}
}
