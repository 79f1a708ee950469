package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"brain/inbox"
	"brain/page"
	"brain/store"
	"brain/text"
)

type inboxAddFlags struct {
	format, session, title, user, source string
	snapshot, yes                        bool
}

func inboxAddCommand() *command {
	var f inboxAddFlags
	return &command{
		name: "add", args: "[FILE…|-]", max: -1, schema: "inbox-add",
		short: "keep conversations",
		long: `Keeps the conversations of the files, or of standard input, as sessions. A folder stands for all *.jsonl files in it and below. The same once more adds nothing, and a longer one what is new, so that a transcript can be given again whenever it has grown.

Understood are messages as JSON lines (role, text, at), transcripts of Claude Code, rollouts of Codex, conversations.json of the exports of ChatGPT and Claude, and plain text (User: …, 用户：…, [2026-03-02 10:00] Alice: …). Which it is, the first lines tell, unless --format does. A line that is half written or no message is reported with its number and stops no other.

What must not be kept never reaches the disk: private spans (<private>…</private>), secrets, which are masked, memory that was injected, and tool output beyond 2,000 characters. Each line printed is a session: its id, how many turns were added, and what of it was left out. doc/inbox.md tells more.`,
		examples: []string{
			"brain inbox add ~/.claude/projects/-home-me-shop/",
			"brain inbox add ~/.codex/sessions/2026/03/02/rollout-*.jsonl",
			"brain inbox add conversations.json --source chatgpt",
			`brain inbox add --session standup --user wei < talk.txt`,
		},
		exits: []exitNote{
			{exitUsage, "no message in the input, or it is in no known format; several conversations, and one id or title for them; the session was purged; the agent has no memory (memory.agents_off)"},
			{exitNotFound, "no such file, memory root or brain"},
			{exitConflict, "the session is another agent's or user's"},
			{exitBusy, "too many sessions wait to be compiled, or another process adds to the session"},
			{exitEnvironment, "the disk is full or may not be written"},
		},
		flags: f.flags,
		run:   func(ctx context.Context, a *app, args []string) error { return a.inboxAdd(ctx, &f, args) },
	}
}

func (f *inboxAddFlags) flags(fs *pflag.FlagSet) {
	var known []string
	for _, format := range inbox.Formats {
		known = append(known, string(format))
	}
	fs.StringVar(&f.format, "format", string(inbox.Auto), "`FORMAT` of the input: "+strings.Join(known, ", "))
	fs.StringVar(&f.session, "session", "", "`ID` of the session, when the input is one (default: as the input says, else made)")
	fs.StringVar(&f.title, "title", "", "`TITLE` of the session, when it is new and the input is one")
	fs.StringVar(&f.user, "user", "", "`NAME` of the user who spoke")
	fs.StringVar(&f.source, "source", "", "`SOURCE` that the pages made of it belong to, a folder below sources/")
	fs.BoolVar(&f.snapshot, "snapshot", false, "the conversation is about to be compacted: compile what there is by itself, and at once")
	yesFlag(fs, &f.yes)
}

// inboxAdd keeps what is in the files: the input is read in order, several sessions are
// written at a time.
func (a *app) inboxAdd(ctx context.Context, f *inboxAddFlags, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	files, err := a.conversations(args)
	if err != nil {
		return err
	}
	if f.session != "" && len(files) > 1 {
		return usage(fmt.Sprintf("--session: %s is the name of one session, and the input is %s", f.session, named(files)), "leave --session out, or give one file")
	}
	o, err := a.openToWrite(f.yes)
	if err != nil {
		return err
	}
	if err := o.settings.remembers(a.self()); err != nil {
		return err
	}
	in, err := a.intake(ctx, o, f)
	if err != nil {
		return err
	}
	in.bar, in.size = a.progress(o.st.Name()), sizeOf(files)
	defer in.bar.wipe()
	for _, file := range files {
		if err := in.read(file); err != nil {
			if failed := in.group.Wait(); failed != nil {
				return failed // for which the reading was ended
			}
			return err
		}
	}
	if err := in.finish(); err != nil {
		return err
	}
	in.touch(ctx)
	return in.report(files)
}

func (f *inboxAddFlags) check() error {
	if !slices.Contains(inbox.Formats, inbox.Format(f.format)) {
		var known []string
		for _, format := range inbox.Formats {
			known = append(known, string(format))
		}
		hint := "allowed: " + strings.Join(known, ", ")
		if near := text.Nearest(f.format, known); near != "" {
			hint = "did you mean " + near + "? " + hint
		}
		return usage(fmt.Sprintf("--format: %q is no format", f.format), hint)
	}
	return folderName("source", f.source)
}

// conversationFile is an input; of those found in a folder some may be something else.
type conversationFile struct {
	name  string // as given, "-" for standard input
	found bool
	size  int64 // -1: not known
}

// conversations are the files that the arguments stand for.
func (a *app) conversations(args []string) (files []conversationFile, err error) {
	if len(args) == 0 {
		args = []string{"-"}
		if terminal(a.in) {
			return nil, usage("brain inbox add: no input", "name a FILE, or pipe one in")
		}
	}
	for _, name := range args {
		if name == "-" {
			files = append(files, conversationFile{name: name, size: -1})
			continue
		}
		fi, err := os.Stat(a.path(name))
		if err != nil {
			return nil, &failure{text: name, cause: bare(err)}
		}
		if !fi.IsDir() {
			one := conversationFile{name: name, size: -1}
			if fi.Mode().IsRegular() {
				one.size = fi.Size()
			}
			files = append(files, one)
			continue
		}
		below, err := a.transcripts(name)
		if err != nil {
			return nil, err
		}
		files = append(files, below...)
	}
	return files, nil
}

// transcripts are the *.jsonl files below a folder, in order.
func (a *app) transcripts(folder string) (files []conversationFile, err error) {
	err = filepath.WalkDir(a.path(folder), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.Type().IsRegular() && strings.EqualFold(filepath.Ext(path), ".jsonl") {
			rel, err := filepath.Rel(a.path(folder), path)
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			files = append(files, conversationFile{filepath.Join(folder, rel), true, info.Size()})
		}
		return nil
	})
	if err != nil {
		return nil, &failure{text: folder, cause: bare(err)}
	}
	if len(files) == 0 {
		return nil, usage(folder+": no *.jsonl file in this folder or below", "name the files themselves")
	}
	return files, nil
}

// inboxAddedJSON is what became of a session.
type inboxAddedJSON struct {
	File      string         `json:"file"` // "-" for standard input
	Session   string         `json:"session"`
	Path      string         `json:"path"`
	New       bool           `json:"new"`
	Turns     int            `json:"turns"`   // added
	Known     int            `json:"known"`   // that stood there already
	Skipped   int            `json:"skipped"` // of which nothing was left to keep
	Private   int            `json:"private"`
	Injected  int            `json:"injected"`
	Masked    map[string]int `json:"masked"`
	Cut       int            `json:"cut"`
	Forgotten int            `json:"forgotten"` // not kept, since they were purged
	Signals   []string       `json:"signals"`
	Snapshots int            `json:"snapshots"` // that wait
	Error     string         `json:"error"`

	err    error
	passed bool // a file of a folder that is no conversation, as some are
}

// intake is one run of the command.
type intake struct {
	a    *app
	o    *opened
	box  *inbox.Box
	f    *inboxAddFlags
	ctx  context.Context
	file string // that is being read

	bar        *progress
	done, size int64 // bytes read, of how many; a size of 0 is not known

	group  *errgroup.Group
	behind map[string]chan struct{} // closed when what was last begun of a session is done
	single *inbox.Session           // until it is known to be the only one

	rows []*inboxAddedJSON
	mu   sync.Mutex
}

// writers is how many sessions are written at a time: each waits for the disk.
const writers = 8

func (a *app) intake(ctx context.Context, o *opened, f *inboxAddFlags) (*intake, error) {
	box, err := a.box(o)
	if err != nil {
		return nil, err
	}
	in := &intake{a: a, o: o, box: box, f: f, behind: map[string]chan struct{}{}}
	in.group, in.ctx = errgroup.WithContext(ctx)
	in.group.SetLimit(writers)
	return in, nil
}

// read takes in a file.
func (in *intake) read(file conversationFile) error {
	r, closeIn, err := in.a.openConversation(in.ctx, file.name)
	if err != nil {
		return err
	}
	defer closeIn()
	in.file = file.name
	o := inbox.ReadOptions{
		Format: inbox.Format(in.f.format), ID: inbox.SessionID(in.f.session),
		Agent: in.a.self(), User: in.f.user, Source: in.f.source, // whose it is, no file decides
	}
	if file.name != "-" {
		o.Name = filepath.Base(file.name)
	}
	skipped, err := inbox.ReadSessions(metered{r, &in.done}, o, in.take)
	in.tellSkipped(skipped)
	if is(inbox.ErrFormat)(err) {
		in.refuse(file, o.Name, err)
		return nil
	}
	return err
}

// refuse notes a file that is no conversation. The error names it without its folder.
func (in *intake) refuse(file conversationFile, base string, err error) {
	if base != "" {
		err = errors.Unwrap(err)
	}
	in.rows = append(in.rows, &inboxAddedJSON{
		File: file.name, Signals: []string{}, Masked: map[string]int{}, passed: file.found,
		Error: err.Error(), err: &failure{text: named([]conversationFile{file}), cause: err, hint: judge(err).hint},
	})
}

// openConversation opens an input whose reading ends with ctx.
func (a *app) openConversation(ctx context.Context, name string) (io.Reader, func() error, error) {
	in, done := a.in, func() error { return nil }
	if name != "-" {
		f, err := await(ctx, func() (*os.File, error) { return os.Open(a.path(name)) })
		if err != nil {
			return nil, nil, &failure{text: name, cause: bare(err)}
		}
		in, done = f, f.Close
	}
	r, w := io.Pipe() // since a read of standard input cannot be ended
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	stop := context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	return r, func() error { stop(); return errors.Join(r.Close(), done()) }, nil
}

// tellSkipped reports what of a file could not be used.
func (in *intake) tellSkipped(s inbox.Skipped) {
	if s.N > 0 {
		in.bar.wipe()
	}
	for _, one := range s.First {
		where := fmt.Sprintf("%s:%d", in.file, one.N)
		switch {
		case one.N == 0:
			where = in.file
		case s.Unit != "line":
			where = fmt.Sprintf("%s: %s %d", in.file, s.Unit, one.N)
		}
		in.a.note("%s: %s", plain(where), plain(one.Why))
	}
	if more := s.N - len(s.First); more > 0 {
		in.a.note("%s: and %d more", plain(in.file), more)
	}
}

// take hands a session that was read to a writer. Given a title, it may be the only one.
func (in *intake) take(s inbox.Session) error {
	s.Snapshot = in.f.snapshot
	if in.f.title == "" {
		return in.begin(s)
	}
	if in.single != nil {
		return usage("--title: the input holds several conversations", "give each its own, or leave --title out")
	}
	s.Title = in.f.title
	in.single = &s
	return nil
}

// begin writes a session beside the others, pieces of one in their order.
func (in *intake) begin(s inbox.Session) error {
	row := &inboxAddedJSON{File: in.file, Session: s.ID, Signals: []string{}, Masked: map[string]int{}}
	in.rows = append(in.rows, row)
	in.show()
	before, done := in.behind[s.ID], make(chan struct{})
	in.behind[s.ID] = done
	in.group.Go(func() error {
		defer close(done)
		if before != nil {
			<-before
		}
		return in.add(s, row)
	})
	return in.ctx.Err()
}

// add keeps a session. An error that others would meet as well ends the run.
func (in *intake) add(s inbox.Session, row *inboxAddedJSON) error {
	ctx, stop := context.WithTimeout(in.ctx, writeTimeout)
	defer stop()
	added, err := in.box.Add(ctx, s)
	if err != nil {
		row.err, row.Error = err, err.Error()
		if in.ctx.Err() != nil || judge(err).code == exitEnvironment {
			return err
		}
		return nil
	}
	row.Path, row.New, row.Turns = string(added.Path), added.New, added.Turns
	row.Skipped, row.Forgotten = added.Skipped, added.Forgotten
	row.Known = max(0, len(s.Turns)-added.Turns-added.Skipped-added.Forgotten)
	row.Private, row.Injected, row.Cut, row.Signals = added.Private, added.Injected, added.Cut, list(added.Signals)
	if added.Masked != nil {
		row.Masked = added.Masked
	}
	if row.Snapshots = added.Snapshots; s.Snapshot && manySnapshots(added.Snapshots) {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.bar.wipe()
		in.a.warn("%d snapshots of session %s (user %q, agent %s) wait to be compiled: `brain compile` does it",
			added.Snapshots, plain(s.ID), plain(s.User), plain(in.a.self()))
	}
	return nil
}

// manySnapshots reports whether so many deserve a warning: 32, and each doubling.
func manySnapshots(n int) bool { return n >= 32 && n&(n-1) == 0 }

// finish waits for the writers.
func (in *intake) finish() error {
	if in.single != nil {
		if err := in.begin(*in.single); err != nil {
			return err
		}
	}
	err := in.group.Wait()
	in.bar.wipe()
	return err
}

// touch lets the index know the sessions, so that who asks next finds them: it takes in
// few files by itself and not hundreds.
func (in *intake) touch(ctx context.Context) {
	var r store.Receipt
	for _, row := range in.rows {
		if row.Turns > 0 {
			r.Paths = append(r.Paths, page.Path(row.Path))
		}
	}
	epoch, _, err := in.o.st.Epoch(ctx)
	if err != nil {
		in.a.warn("kept, but the index is not up to date: %s", plain(err.Error()))
		return
	}
	r.Before, r.After = epoch, epoch // of no write of several pages
	in.a.touch(ctx, in.o, r)
}

// report prints what became of the sessions. Of several, those that were purged or of
// which nothing is left are no failure.
func (in *intake) report(files []conversationFile) error {
	var worst error
	good := false
	rows := slices.DeleteFunc(slices.Clone(in.rows), func(row *inboxAddedJSON) bool { return row.passed })
	for _, row := range rows {
		good = good || row.err == nil
	}
	for _, row := range rows {
		if row.err != nil && (worst == nil || judge(worst).code == exitUsage) && !(good && row.nothing()) {
			worst = row.err
		}
	}
	if len(rows) == 0 {
		in.tellRefused()
		return usage("brain inbox add: no message in "+named(files), "doc/inbox.md describes the formats; --format says which it is")
	}
	if worst != nil && len(in.rows) == 1 {
		return worst
	}
	if err := in.print(); err != nil || worst == nil {
		return err
	}
	if hint := judge(worst).hint; hint != "" && !in.a.global.json {
		in.a.note("hint: %s", plain(hint))
	}
	return ended{judge(worst).code}
}

// nothing reports whether a session was refused since nothing of it is to be kept.
func (j *inboxAddedJSON) nothing() bool { return is(inbox.ErrForgotten, inbox.ErrInvalid)(j.err) }

func named(files []conversationFile) string {
	switch {
	case len(files) > 1:
		return count(len(files), "file")
	case files[0].name == "-":
		return "standard input"
	}
	return files[0].name
}

// maxRefusals is how many sessions that were not kept are worth a line each.
const maxRefusals = 10

func (in *intake) print() error {
	if in.a.global.json {
		return in.a.json(in.rows)
	}
	in.tellRefused()
	var b strings.Builder
	for _, row := range in.rows {
		if row.err == nil {
			b.WriteString(row.line())
		}
	}
	return in.a.print("%s", b.String())
}

// tellRefused names what was not kept.
func (in *intake) tellRefused() {
	refused := 0
	for _, row := range in.rows {
		if row.err == nil {
			continue
		}
		if refused++; refused <= maxRefusals {
			in.a.note("brain: %s: %s", plain(row.File), plain(row.Error))
		}
	}
	if more := refused - maxRefusals; more > 0 {
		in.a.note("brain: and %d more; --json names them", more)
	}
}

func (j *inboxAddedJSON) line() string {
	masked := 0
	for n := range maps.Values(j.Masked) {
		masked += n
	}
	s := plain(j.Session) + "  " + count(j.Turns, "turn") + " added"
	for _, n := range []struct {
		n    int
		what string
	}{
		{j.Known, "known"}, {masked, "masked"}, {j.Private, "private"}, {j.Injected, "injected"}, {j.Cut, "cut"},
		{j.Skipped, "empty"}, {j.Forgotten, "forgotten"},
	} {
		if n.n > 0 {
			s += fmt.Sprintf(", %d %s", n.n, n.what)
		}
	}
	return s + "\n"
}
