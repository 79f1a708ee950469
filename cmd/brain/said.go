package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brain/compile"
	"brain/inbox"
	"brain/page"
)

// What was said: the turns of sessions that a page came from, in the words in which
// they were said.

// saidJSON are the turns of one session that a page names.
type saidJSON struct {
	Session string     `json:"session"`
	Path    string     `json:"path"` // of the session, "" when it is gone
	Why     string     `json:"why"`  // why its turns are not shown, "" when they are
	Turns   []turnJSON `json:"turns"`
}

type turnJSON struct {
	N       int    `json:"n"`
	Role    string `json:"role"`
	Speaker string `json:"speaker"`
	At      string `json:"at"`
	Text    string `json:"text"`
}

// said reads the turns that a page came from. Those of another agent's session are
// not shown, and neither are those of one that is gone; both are named.
func (a *app) said(ctx context.Context, o *opened, p *page.Page) ([]saidJSON, error) {
	all := []saidJSON{}
	origins := compile.Origins(p)
	if len(origins) == 0 {
		return all, nil
	}
	box, err := a.box(o)
	if err != nil {
		return nil, err
	}
	for _, from := range origins {
		j := saidJSON{Session: from.Session, Turns: []turnJSON{}}
		m, err := box.Meta(ctx, from.Session)
		var s inbox.Session
		if err == nil {
			s, _, err = box.Read(ctx, from.Session)
		}
		switch {
		case is(inbox.ErrNotFound)(err):
			j.Why = "the session is gone"
		case err != nil:
			return nil, err
		case m.Agent != a.self():
			j.Why = "the session is of another agent"
		default:
			j.Path = string(m.Path)
			j.Turns = turnsIn(s.Turns, from.Turns)
		}
		all = append(all, j)
	}
	return all, nil
}

// turnsIn picks turns by number; none named is all.
func turnsIn(turns []page.Turn, numbers []int) []turnJSON {
	out := []turnJSON{}
	for i := range turns {
		if t := &turns[i]; len(numbers) == 0 || slices.Contains(numbers, i+1) {
			out = append(out, turnJSON{i + 1, t.Role, t.Speaker, stamp(t.At), t.Text})
		}
	}
	return out
}

// tellSaid writes turns for a person.
func tellSaid(all []saidJSON) string {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "\nsaid in session %s%s\n", plain(s.Session), before(": ", s.Why))
		for _, t := range s.Turns {
			who := t.Speaker
			if who == "" {
				who = t.Role
			}
			fmt.Fprintf(&b, "  [%d] %s%s: %s\n", t.N, plain(who), before(" ", t.At), strings.ReplaceAll(harmless(t.Text), "\n", "\n      "))
		}
	}
	return b.String()
}
