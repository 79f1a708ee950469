package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"brain/inbox"
	"brain/text"
)

type inboxListFlags struct {
	state string
	all   bool
	n     int
}

// sessionStates are the states of a session, in the order of its life.
var sessionStates = []string{inbox.Pending, inbox.Compiling, inbox.Done, inbox.Failed, inbox.Cancelled}

func inboxListCommand() *command {
	var f inboxListFlags
	return &command{
		name: "list", max: 0, schema: "inbox-list",
		short:    "sessions and where they stand",
		long:     "Lists the agent's sessions that are not settled yet (pending, compiling, failed), the newest first: id, state, turns, when it was last added to, title. --all lists those that are done or cancelled as well, --state those in one state.",
		examples: []string{"brain inbox list", "brain inbox list --all -n 0", "brain inbox list --state failed --json"},
		exits:    []exitNote{{exitNegative, "there is none"}, {exitNotFound, "no memory root or brain"}},
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&f.state, "state", "", "only sessions in `STATE`: "+strings.Join(sessionStates, ", "))
			fs.BoolVar(&f.all, "all", false, "also sessions that are done or cancelled")
			fs.IntVarP(&f.n, "number", "n", 50, "list at most `N` sessions; 0 is all")
		},
		run: func(ctx context.Context, a *app, _ []string) error { return a.inboxList(ctx, &f) },
	}
}

type inboxListJSON struct {
	Brain    string         `json:"brain"`
	Agent    string         `json:"agent"`
	Sessions []sessionJSON  `json:"sessions"`
	States   map[string]int `json:"states"` // how many of the agent's sessions are in each
}

func (a *app) inboxList(ctx context.Context, f *inboxListFlags) error {
	if err := f.check(); err != nil {
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
	ours, err := a.ourSessions(ctx, box)
	if err != nil {
		return err
	}
	slices.SortStableFunc(ours, func(x, y inbox.Meta) int {
		return cmp.Or(y.Updated.Compare(x.Updated), cmp.Compare(y.Path, x.Path))
	})
	j := inboxListJSON{Brain: o.st.Name(), Agent: a.self(), Sessions: []sessionJSON{}, States: map[string]int{}}
	var b strings.Builder
	more := 0
	for i := range ours {
		m := &ours[i]
		j.States[m.State]++
		switch {
		case !f.wants(m.State):
		case f.n > 0 && len(j.Sessions) == f.n:
			more++
		default:
			j.Sessions = append(j.Sessions, standing(m))
			b.WriteString(sessionLine(m))
		}
	}
	return a.printList(f, &j, b.String(), more)
}

func (a *app) printList(f *inboxListFlags, j *inboxListJSON, lines string, more int) (err error) {
	settled := j.States[inbox.Done] + j.States[inbox.Cancelled]
	switch {
	case a.global.json:
		err = a.json(j)
	case len(j.Sessions) == 0:
		err = a.print("no sessions\n")
	default:
		err = a.print("%s", lines)
	}
	if err != nil {
		return err
	}
	if !a.global.json && !a.global.quiet {
		if more > 0 {
			a.note("brain: %s more; -n 0 lists all", count(more, "session"))
		}
		if !f.all && f.state == "" && settled > 0 {
			a.note("brain: %s done or cancelled; --all lists them", count(settled, "session"))
		}
	}
	if len(j.Sessions) == 0 {
		return errNegative
	}
	return nil
}

func (f *inboxListFlags) check() error {
	switch {
	case f.n < 0:
		return usage(fmt.Sprintf("-n: %d: from 0", f.n), "")
	case f.state != "" && !slices.Contains(sessionStates, f.state):
		hint := "allowed: " + strings.Join(sessionStates, ", ")
		if near := text.Nearest(f.state, sessionStates); near != "" {
			hint = "did you mean " + near + "? " + hint
		}
		return usage(fmt.Sprintf("--state: %q is no state of a session", f.state), hint)
	}
	return nil
}

// wants reports whether sessions in a state are listed.
func (f *inboxListFlags) wants(state string) bool {
	if f.state != "" {
		return state == f.state
	}
	return f.all || state != inbox.Done && state != inbox.Cancelled
}

func sessionLine(m *inbox.Meta) string {
	s := fmt.Sprintf("%s  %-9s %s  %s", plain(m.Session), plain(m.State), count(m.Turns, "turn"), minute(m.Updated))
	if m.Title != "" {
		s += "  " + plain(m.Title)
	}
	if waits := m.Turns - m.Compiled; m.Compiled > 0 && waits > 0 {
		s += fmt.Sprintf(" (%d wait)", waits)
	}
	if m.State == inbox.Failed && m.Error != "" {
		s += ": " + squeeze(m.Error)
	}
	return s + "\n"
}
