package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"brain/inbox"
	"brain/page"
	"brain/store"
)

type inboxShowFlags struct {
	turns string
	fed   bool
}

func inboxShowCommand() *command {
	var f inboxShowFlags
	return &command{
		name: "show", args: "SESSION", min: 1, max: 1, schema: "inbox-show",
		short:    "a session: where it stands, and what was said",
		long:     "Shows where a session stands, the pages that were made of it (those that were undone, deleted or moved are marked as gone), and its turns with their numbers. --fed tells of each turn whether it is extracted from, and why not. SESSION is an id, also as the program that it came from calls it, or the path of a session.",
		examples: []string{"brain inbox show 4f1c", "brain inbox show 4f1c --turns 20-40", "brain inbox show 4f1c --fed --json"},
		exits:    []exitNote{{exitNotFound, "the agent has no such session"}},
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&f.turns, "turns", "", "only the turns `A-B`, or A, or from A- on")
			fs.BoolVar(&f.fed, "fed", false, "tell what is extracted from, and why the rest is not")
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.inboxShow(ctx, &f, args[0]) },
	}
}

// shownTurnJSON is a turn of a session.
type shownTurnJSON struct {
	N       int    `json:"n"`
	ID      string `json:"id"`
	Role    string `json:"role"`
	Speaker string `json:"speaker"`
	Kind    string `json:"kind"` // "", tools, hidden
	At      string `json:"at"`
	Text    string `json:"text"` // with --fed as it is fed
	// With --fed.
	Fed *bool  `json:"fed,omitempty"`
	Why string `json:"why,omitempty"` // it is not fed
}

type inboxShowJSON struct {
	Brain string `json:"brain"`
	sessionJSON
	Shown []shownTurnJSON `json:"shown"`
	Gone  []string        `json:"gone"` // of pages: undone, deleted, moved
	Half  int             `json:"half"` // lines of the file that hold no turn
}

func (a *app) inboxShow(ctx context.Context, f *inboxShowFlags, name string) error {
	from, to, err := turnRange(f.turns)
	if err != nil {
		return err
	}
	o, err := a.open()
	if err != nil {
		return err
	}
	box, err := a.box(o)
	if err != nil {
		return err
	}
	m, err := a.ourSession(ctx, box, name)
	if err != nil {
		return err
	}
	s, problems, err := box.Read(ctx, m.Session)
	if err != nil {
		return err
	}
	if f.turns != "" && from > len(s.Turns) {
		return usage(fmt.Sprintf("--turns: %s begins with turn %d, the session has %s", f.turns, from, count(len(s.Turns), "turn")), "")
	}
	j := inboxShowJSON{Brain: o.st.Name(), sessionJSON: standing(&m), Shown: shownTurns(s.Turns, from, min(to, len(s.Turns)), f.fed)}
	if j.Gone, err = gone(ctx, o, m.Pages); err != nil {
		return err
	}
	for _, p := range problems {
		if p.Code == page.CodeBadTurn {
			j.Half++
		}
	}
	if a.global.json {
		return a.json(j)
	}
	return a.print("%s", j.text(&m))
}

// gone are those of the pages that are there no more.
func gone(ctx context.Context, o *opened, pages []page.Path) ([]string, error) {
	all := []string{}
	for _, p := range pages {
		switch _, err := o.st.Read(ctx, p); {
		case is(store.ErrNotFound)(err):
			all = append(all, string(p))
		case ctx.Err() != nil:
			return nil, err
		}
	}
	return all, nil
}

// turnRange reads A-B, A- or A; nothing is all.
func turnRange(s string) (from, to int, err error) {
	const all = int(^uint(0) >> 1)
	if s == "" {
		return 1, all, nil
	}
	a, b, isRange := strings.Cut(s, "-")
	from, err = strconv.Atoi(strings.TrimSpace(a))
	switch to = from; {
	case err != nil:
	case isRange && strings.TrimSpace(b) == "":
		to = all
	case isRange:
		to, err = strconv.Atoi(strings.TrimSpace(b))
	}
	if err != nil || from < 1 || to < from {
		return 0, 0, usage(fmt.Sprintf("--turns: %q is no range of turns", s), "write 20-40, 20- or 20; the first turn is 1")
	}
	return from, to, nil
}

func shownTurns(turns []page.Turn, from, to int, fed bool) []shownTurnJSON {
	why := make([]string, len(turns))
	if fed {
		turns, why = inbox.Judge(turns)
	}
	shown := []shownTurnJSON{}
	for n := from; n <= to; n++ {
		t := &turns[n-1]
		j := shownTurnJSON{N: n, ID: t.ID, Role: t.Role, Speaker: t.Speaker, Kind: t.Kind, At: stamp(t.At), Text: t.Text}
		if fed {
			is := why[n-1] == ""
			j.Fed, j.Why = &is, why[n-1]
		}
		shown = append(shown, j)
	}
	return shown
}

func (j *inboxShowJSON) text(m *inbox.Meta) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", strings.TrimRight(plain(j.Session)+"  "+plain(j.Title), " "))
	line("%s, %s", plain(j.State), j.progress())
	line("agent %s%s%s", plain(j.Agent), word(", user ", j.User), word(", source ", j.Source))
	line("%s  %s – %s", plain(j.Path), minute(m.Created), minute(m.Updated))
	if kept := j.withheld(); kept != "" {
		line("kept back: %s", kept)
	}
	for _, n := range []struct{ what, text string }{
		{"signals", strings.Join(j.Signals, ", ")}, {"compiled by", j.Writer}, {"error", j.Error}, {"not before", minute(m.RetryAt)}, {"told from the turns", j.Problem},
	} {
		if n.text != "" {
			line("%s: %s", n.what, squeeze(n.text))
		}
	}
	for _, p := range j.Pages {
		line("→ %s%s", plain(p), either(slices.Contains(j.Gone, p), " (gone)", ""))
	}
	for i := range j.Shown {
		b.WriteString("\n" + j.Shown[i].text())
	}
	return b.String()
}

// word is a text behind what it is, nothing when there is none.
func word(what, text string) string {
	if text == "" {
		return ""
	}
	return what + plain(text)
}

// progress tells how much of a session has been compiled.
func (j *inboxShowJSON) progress() string {
	s := count(j.Turns, "turn")
	switch {
	case j.Nothing && j.Compiled == j.Turns:
		s += ", nothing was worth keeping"
	case j.Compiled > 0:
		s += fmt.Sprintf(", %d compiled", j.Compiled)
	}
	if len(j.Snapshots) > 0 {
		s += ", " + count(len(j.Snapshots), "snapshot") + " waiting"
	}
	if j.Attempts > 0 {
		s += ", " + count(j.Attempts, "failed attempt")
	}
	if j.Half > 0 {
		s += ", " + count(j.Half, "half line")
	}
	return s
}

// withheld is what the door kept back.
func (j *inboxShowJSON) withheld() string {
	var all []string
	for _, kind := range slices.Sorted(maps.Keys(j.Masked)) {
		all = append(all, fmt.Sprintf("%d × %s", j.Masked[kind], plain(kind)))
	}
	if j.Private > 0 {
		all = append(all, fmt.Sprintf("%d private", j.Private))
	}
	if j.Injected > 0 {
		all = append(all, fmt.Sprintf("%d injected", j.Injected))
	}
	return strings.Join(all, ", ")
}

// text is a turn as a person reads it: a line that says who and when, and below it,
// indented so that nothing in it looks like such a line, what was said.
func (t *shownTurnJSON) text() string {
	s := fmt.Sprintf("%d  %s", t.N, plain(t.Role))
	if t.Speaker != "" {
		s += " " + plain(t.Speaker)
	}
	if t.Kind != "" {
		s += " (" + plain(t.Kind) + ")"
	}
	if t.At != "" {
		s += "  " + plain(t.At)
	}
	if t.Why != "" {
		s += "  not fed: " + plain(t.Why)
	}
	return s + "\n    " + strings.ReplaceAll(harmless(t.Text), "\n", "\n    ") + "\n"
}
