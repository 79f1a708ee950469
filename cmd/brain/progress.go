package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"brain/index"
)

// progress shows what an index does: one line when a first build begins, and on a
// terminal a bar that is redrawn a few times a second and wiped at the end.
type progress struct {
	w     io.Writer
	brain string
	quiet bool
	bar   bool // a terminal that takes escape sequences
	first bool // there was no index: say that one is being built

	mu    sync.Mutex // of what follows and of first: several workers tell their progress
	drawn bool
	last  time.Time
}

func (a *app) progress(brain string) *progress {
	return &progress{w: a.err, brain: brain, quiet: a.global.quiet, bar: a.fancy(a.err)}
}

// show is the index's Progress function.
func (p *progress) show(s index.Progress) {
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first && s.Stage == "index" {
		p.first = false
		fmt.Fprintf(p.w, "brain: building the index of brain %s: %s…\n", plain(p.brain), count(s.Total, "file"))
	}
	p.draw(s.Stage, s.Done, s.Total)
}

// draw shows the bar; what is done within a moment shows none. The caller holds mu, or
// is alone.
func (p *progress) draw(stage string, done, total int) {
	now := time.Now()
	if p.quiet || !p.bar || total <= 0 || now.Sub(p.last) < 80*time.Millisecond {
		return
	}
	if p.last.IsZero() {
		p.last = now
		return
	}
	p.last, p.drawn = now, true
	const cells = 30
	full := min(cells, cells*done/total)
	fmt.Fprintf(p.w, "\r\x1b[K%-8s %s%s %d/%d", stage, strings.Repeat("█", full), strings.Repeat("░", cells-full), done, total)
}

// wipe removes the bar before anything else is printed.
func (p *progress) wipe() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}
