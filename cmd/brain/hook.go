package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"brain/inbox"
	"brain/store"
	"brain/text"
)

func hookCommand() *command {
	return &command{
		name: "hook", group: groupTool, args: "EVENT", min: 1, max: 1,
		short: "take in what an agent says, called by the agent itself",
		long: `Agents such as Claude Code and Codex run a command at certain events and hand it a JSON object on standard input. brain hook is such a command: at UserPromptSubmit, PreCompact, SubagentStop, Stop and SessionEnd it reads on in the transcript that the event names and keeps what is new as a session. SessionStart is known and takes nothing in.

It never stands in an agent's way: whatever happens it exits 0, prints nothing, and ends after hook.timeout. One line for each call in .brain/hook.log says what was done or what went wrong; it holds nothing of what was said. Only roots that you trust take sessions in. An agent that brain itself has started is not captured.

brain hook install sets it up.`,
		examples: []string{"brain hook install claude-code", `echo '{"session_id":"4f1c","transcript_path":"/home/wei/.claude/projects/x/4f1c.jsonl","cwd":"/w/x"}' | brain hook Stop`},
		exits:    []exitNote{{exitOK, "always, once an EVENT is given"}, {exitUsage, "no EVENT was given"}},
		complete: hookEvents,
		run:      func(ctx context.Context, a *app, args []string) error { return a.hook.run(ctx, args[0]) },
		sub:      []*command{hookInstallCommand(), hookUninstallCommand()},
	}
}

// hookMarker is the environment variable that tells a hook that brain is among those
// who started it: what brain starts must not be captured by brain.
const hookMarker = "BRAIN_HOOK"

const (
	maxHookInput    = 8 << 20
	maxHookOverflow = 1 << 30 // of input that is read away, so that the agent can write it

	// hookGC lets the heap grow before it is collected: a call is over soon, and a third of
	// its work was collecting. hookMemory bounds that: an agent may call several at once.
	hookGC     = 400
	hookMemory = 128 << 20

	// hookTimeout holds until the settings are known; hook.timeout has the same default.
	hookTimeout = 2 * time.Second
)

// hookCall finds out whether a command line is a hook's, with flags in any place and of
// any kind: an exit code other than 0 could stop the agent, also for a mistake in it.
func hookCall(args []string) (event string, ok bool) {
	var words []string
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			words, i = append(words, args[i+1:]...), len(args)
		case arg == "--help" || arg == "-h":
			return "", false
		case arg == "--root" || arg == "--brain" || arg == "--agent":
			i++
		case !strings.HasPrefix(arg, "-"):
			words = append(words, arg)
		}
	}
	if len(words) < 2 || words[0] != "hook" || words[1] == "install" || words[1] == "uninstall" {
		return "", false
	}
	return words[1], true
}

// hook is one call of a hook.
type hook struct {
	a     *app
	began time.Time
	watch *time.Timer
	ran   bool // the command line was understood
	hookLog
}

// runHook runs a command line that is a hook's. It says nothing to anybody but the log
// and ends with exit 0, come what may.
func (a *app) runHook(ctx context.Context, event string, args []string) int {
	a.out, a.err, a.global.quiet = io.Discard, io.Discard, true
	h := &hook{a: a, began: time.Now(), hookLog: hookLog{event: event}}
	a.hook = h
	defer func() {
		if r := recover(); r != nil {
			h.end(fmt.Errorf("internal error: %v", r))
		}
	}()
	if a.exit != nil {
		debug.SetGCPercent(hookGC)
		debug.SetMemoryLimit(min(hookMemory, debug.SetMemoryLimit(-1)))
		h.watch = time.AfterFunc(hookTimeout, h.giveUp)
		defer h.watch.Stop()
	}
	if a.inHook {
		h.end(h.drain()) // no root, no line
		return exitOK
	}
	err := a.execute(ctx, args)
	if !h.ran { // a flag that there is not
		h.at(a.root())
		err = errors.Join(err, h.drain())
	}
	h.end(err)
	return exitOK
}

// giveUp ends the process when the time is up. A disk that does not answer does not
// answer the log either, which is not waited for.
func (h *hook) giveUp() {
	logged := make(chan struct{})
	go func() {
		h.end(errTooSlow)
		close(logged)
	}()
	select {
	case <-logged:
	case <-time.After(hookTimeout / 10):
	}
	h.a.exit(exitOK)
}

var errTooSlow = errors.New("the time was up (hook.timeout); the next call goes on")

// end writes the line of this call to the log, if there is a root to write it to.
func (h *hook) end(err error) {
	h.write(time.Now(), time.Since(h.began), err)
}

// hookInput is what an agent says of an event.
type hookInput struct {
	Session    string `json:"session_id"`
	Transcript string `json:"transcript_path"`
	Dir        string `json:"cwd"`
	Source     string `json:"source"`  // of SessionStart
	Reason     string `json:"reason"`  // of SessionEnd
	Trigger    string `json:"trigger"` // of PreCompact
}

// run does what an event asks for.
func (h *hook) run(ctx context.Context, event string) error {
	h.ran = true
	h.at(h.a.root()) // until the input says where the agent works
	in, err := h.input()
	if in.Session == "" && in.Dir == "" && err != nil {
		return err
	}
	h.note("session", inbox.SessionID(in.Session))
	h.note("input", err)
	r, err := h.a.hookRoot(in)
	if errors.Is(err, store.ErrNoRoot) {
		return nil // nobody asked for a memory here, and there is no log
	}
	if err != nil {
		return err
	}
	h.at(r, nil)
	if !slices.Contains(hookEvents, event) {
		return errors.New("no such event")
	}
	trusted, err := h.a.trusted(r)
	if err != nil {
		return err
	}
	if !trusted {
		return errors.New("the root is not trusted: brain trust")
	}
	l, err := h.a.settings(r)
	if err != nil {
		return err
	}
	if h.watch != nil {
		h.watch.Reset(l.HookTimeout - time.Since(h.began))
	}
	ctx, cancel := context.WithDeadline(ctx, h.began.Add(l.HookTimeout*4/5))
	defer cancel()
	if err := l.remembers(h.a.self()); err != nil {
		return fmt.Errorf("refused: %w", err)
	}
	for _, why := range []string{in.Source, in.Reason, in.Trigger} {
		if variableName(why) { // a word such as startup, clear or auto, and nothing that was said
			h.note("why", why)
		}
	}
	if event == "SessionStart" {
		return nil
	}
	return h.capture(ctx, r, l, in)
}

// input reads what the agent hands over. Of more than there is room for the first part
// is read, which says whose session it is, and an error that says so.
func (h *hook) input() (in hookInput, err error) {
	raw, err := io.ReadAll(io.LimitReader(h.a.in, maxHookInput))
	if err != nil {
		return in, fmt.Errorf("read the input: %w", err)
	}
	parsed := in.parse(raw)
	if err := h.drain(); err != nil {
		return in, err
	}
	return in, parsed
}

// drain reads away what is left of the input, and is an error if there is any: an agent
// that cannot write all it has to say takes that for a failure.
func (h *hook) drain() error {
	rest, err := io.Copy(io.Discard, io.LimitReader(h.a.in, maxHookOverflow))
	if err != nil {
		return fmt.Errorf("read the input: %w", err)
	}
	if rest > 0 && h.ran {
		return fmt.Errorf("the input of %s was cut at %s", text.Size(maxHookInput+rest), text.Size(maxHookInput))
	}
	return nil
}

// parse reads an object as far as it is one.
func (in *hookInput) parse(raw []byte) error {
	fields := map[string]*string{
		"session_id": &in.Session, "transcript_path": &in.Transcript, "cwd": &in.Dir,
		"source": &in.Source, "reason": &in.Reason, "trigger": &in.Trigger,
	}
	bad := func(err error) error { return fmt.Errorf("the input is no JSON object: %w", err) }
	d := json.NewDecoder(bytes.NewReader(raw))
	first, err := d.Token()
	if err != nil {
		return bad(err)
	}
	if first != json.Delim('{') {
		return bad(fmt.Errorf("it begins with %v", first))
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return bad(err)
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return bad(err)
		}
		name, _ := key.(string)
		if text, ok := value.(string); ok && fields[name] != nil {
			*fields[name] = text
		}
	}
	if _, err := d.Token(); err != nil {
		return bad(err)
	}
	return nil
}

// hookRoot finds the root that a session goes to: the one that is named, else the one
// nearest to where the agent works. A linked worktree of git stands for its main
// checkout, so that nothing is kept in a folder that is soon deleted.
func (a *app) hookRoot(in hookInput) (store.Root, error) {
	if env, _ := a.env("BRAIN_ROOT"); a.global.root != "" || env != "" {
		return a.root()
	}
	dir := a.dir
	if filepath.IsAbs(in.Dir) {
		dir = in.Dir
	}
	there := nearestFolder(dir)
	if there != filepath.Clean(dir) { // deleted since, as worktrees are
		if r, ok := a.rootOfSession(in.Session); ok {
			return r, nil
		}
	}
	if main, ok := mainCheckout(there); ok {
		if r, err := store.Find(main); !errors.Is(err, store.ErrNoRoot) {
			return r, err
		}
	}
	return store.Find(there)
}
