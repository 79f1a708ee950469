package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"brain/inbox"
	"brain/page"
)

func inboxCommand() *command {
	return &command{
		name: "inbox", group: groupWrite,
		short:    "conversations: keep them, see where they stand",
		long:     "A conversation is kept word for word as a session and can be found at once; `brain compile` makes pages and facts of it later. A session belongs to an agent (--agent), and is there for that agent alone.",
		examples: []string{"brain inbox add ~/.claude/projects/-home-me-shop/", "brain inbox list", "brain inbox show 20260302-4f1c8a2b9d3e"},
		sub:      []*command{inboxAddCommand(), inboxListCommand(), inboxShowCommand(), inboxRetryCommand(), inboxCancelCommand()},
	}
}

// sessionJSON is where a session stands.
type sessionJSON struct {
	Session string `json:"session"`
	Path    string `json:"path"`
	Title   string `json:"title"`
	Agent   string `json:"agent"`
	User    string `json:"user"`
	Source  string `json:"source"`
	State   string `json:"state"`

	Created string `json:"created_at"`
	Updated string `json:"updated_at"`
	Since   string `json:"pending_since"` // "" when nothing waits
	RetryAt string `json:"retry_at"`      // not before; "" for at once

	Turns     int            `json:"turns"`
	Compiled  int            `json:"compiled"` // turns 1 to this have been
	Snapshots []int          `json:"snapshots"`
	Signals   []string       `json:"signals"`
	Masked    map[string]int `json:"masked"`
	Private   int            `json:"private"`
	Injected  int            `json:"injected"`

	Attempts int      `json:"attempts"`
	Error    string   `json:"error"`
	Nothing  bool     `json:"nothing"` // compiled, and nothing was worth keeping
	Pages    []string `json:"pages"`
	Writer   string   `json:"writer"`  // who compiles it now
	Problem  string   `json:"problem"` // why this was told from the turns
}

func standing(m *inbox.Meta) sessionJSON {
	j := sessionJSON{
		Session: m.Session, Path: string(m.Path), Title: m.Title, Agent: m.Agent, User: m.User, Source: m.Source, State: m.State,
		Created: stamp(m.Created), Updated: stamp(m.Updated), Since: stamp(m.Since), RetryAt: stamp(m.RetryAt),
		Turns: m.Turns, Compiled: m.Compiled, Snapshots: list(m.Snapshots), Signals: list(m.Signals),
		Masked: m.Masked, Private: m.Private, Injected: m.Injected,
		Attempts: m.Attempts, Error: m.Error, Nothing: m.Nothing, Pages: []string{}, Problem: m.Problem,
	}
	if j.Masked == nil {
		j.Masked = map[string]int{}
	}
	for _, p := range m.Pages {
		j.Pages = append(j.Pages, string(p))
	}
	if w := m.Writer; w != nil && m.State == inbox.Compiling {
		j.Writer = fmt.Sprintf("process %d on %s since %s", w.PID, w.Host, stamp(w.Since))
	}
	return j
}

// minute is a moment for people, in their time zone.
func minute(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04")
}

// ourSession is where a session stands that a person names; one of another agent is not
// found. An id from elsewhere is known as well.
func (a *app) ourSession(ctx context.Context, box *inbox.Box, name string) (inbox.Meta, error) {
	id := strings.TrimSuffix(strings.TrimSuffix(name, "/"+page.SessionFile), "/")
	if strings.HasPrefix(id, "sessions/") { // its path
		id = id[strings.LastIndexByte(id, '/')+1:]
	}
	m, err := box.Meta(ctx, id)
	if is(inbox.ErrNotFound)(err) && inbox.SessionID(name) != id {
		m, err = box.Meta(ctx, inbox.SessionID(name))
	}
	if err == nil && m.Agent != a.self() {
		err = fmt.Errorf("look at session %q: %w", name, inbox.ErrNotFound)
	}
	return m, err
}

// ourSessions are the agent's sessions, by path.
func (a *app) ourSessions(ctx context.Context, box *inbox.Box) (ours []inbox.Meta, err error) {
	all, err := box.List(ctx)
	for _, m := range all {
		if m.Agent == a.self() {
			ours = append(ours, m)
		}
	}
	return ours, err
}
