// Exit codes, in one place. A library says what went wrong by a sentinel or a type;
// here, and only here, that becomes an exit code, a stable name for programs, and a
// hint for people.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"brain/compile"
	"brain/dream"
	"brain/evals"
	"brain/inbox"
	"brain/index"
	"brain/llm"
	"brain/memory"
	"brain/page"
	"brain/store"
	"brain/text"
)

const (
	exitOK          = 0
	exitNegative    = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitConflict    = 4
	exitBusy        = 5
	exitEnvironment = 6
	exitInterrupted = 130
)

// exitCodes is the list that help prints; name is "code" of the JSON error.
var exitCodes = []struct {
	code       int
	name, what string
}{
	{exitOK, "ok", "done; also when an answer is weak, degraded or stale"},
	{exitNegative, "negative", "a negative answer: nothing found, or findings of check, lint or doctor"},
	{exitUsage, "usage", "usage, invalid input or settings, or refused"},
	{exitNotFound, "not_found", "no such root, brain, page, section or file"},
	{exitConflict, "conflict", "it exists, it changed meanwhile, or the name is ambiguous"},
	{exitBusy, "busy", "another process holds the lock, or the time ran out"},
	{exitEnvironment, "environment", "disk, permissions, model server, damaged data"},
	{exitInterrupted, "interrupted", "stopped by Ctrl-C or SIGTERM"},
}

// causes are what programs tell apart within an exit code: the name stands in the JSON
// error instead of that of the code. The special before the general.
func causes() []cause {
	const repeat = "read it again and repeat the change; nothing was written"
	return []cause{
		{memory.ErrUnknown, exitNotFound, "fact_not_found", "the agent has no such fact", "`brain fact list` names them; --agent says whose they are"},
		{memory.ErrEmpty, exitUsage, "fact_empty", "a fact says nothing", "give its text; - stands for standard input"},
		{memory.ErrDuplicate, exitConflict, "duplicate_fact", "another fact says the very same", "`brain fact confirm ID` says that it still holds, `brain fact update ID` changes it"},
		{memory.ErrEvicted, exitConflict, "fact_evicted", "there is no room for a fact that counts for so little", "`brain fact delete` makes room, memory.max_facts says how much there is; or give it more --confidence"},
		{memory.ErrManifestConflict, exitConflict, "manifest_conflict", "memory.json is at another revision", repeat},
		{memory.ErrFactConflict, exitConflict, "fact_conflict", "a fact is at another revision, or its file was edited", repeat},
		{memory.ErrDocument, exitUsage, "document", "a file of facts is not what it should be", "nothing was changed; `brain export --format deermem` shows the form"},
		{memory.ErrLegacy, exitConflict, "legacy_conflict", "what DeerMem left of before version 2 says another thing than what is there", "nothing was changed: decide which of the two is right; doc/migrate.md tells how"},
		{memory.ErrSummary, exitUsage, "summary", "no summary has that name, or it is no text", "nothing was changed; `brain summary get --json` has all names"},
		{memory.ErrUnsupported, exitUsage, "unsupported", "memory.json has the form of before version 2, in which that cannot be written", "`brain migrate deermem --from` the brain's folder takes it over"},
		{memory.ErrNewer, exitEnvironment, "newer", "a newer brain or DeerMem wrote memory.json", "install the newer brain; until then memory is read and not written"},
		{dream.ErrStage, exitUsage, "stage", "no stage of Dream has that name", "the stages are " + strings.Join(dream.Stages, ", ")},
		{dream.ErrSchedule, exitUsage, "schedule", "an expression is no schedule", "five fields, minute, hour, day of the month, month and day of the week: `0 3 * * *` is every night at three"},
		{dream.ErrNoPair, exitNotFound, "pair_not_found", "no pair has an id that begins so", "`brain contradiction list --all` names them"},
		{dream.ErrManyPairs, exitConflict, "pair_ambiguous", "several pairs have ids that begin so", "give more of the id"},
		{dream.ErrKeep, exitUsage, "keep", "a decision names neither a claim of the pair nor both", "keep a, b or both"},
		{dream.ErrClaimGone, exitConflict, "claim_gone", "a claim does not stand in its page any more", "nothing was written; `brain dream` looks at the page as it is now"},
		{dream.ErrUndecided, exitConflict, "pair_open", "nothing was decided on a pair, or it was taken back", "`brain contradiction resolve` settles it"},
		{dream.ErrDecided, exitConflict, "pair_decided", "a pair was decided before", "nothing was written; `brain contradiction undo ID` opens it again, then resolve it anew"},
		{dream.ErrBusy, exitBusy, "dreaming", "another process dreams of this brain", "one Dream of a brain runs at a time: try again when the other one is done"},
		{dream.ErrNoExperience, exitUsage, "no_experience", "a page is neither an experience nor a skill", "`brain skill list` names the skills, `brain query --kind experience` finds experiences"},
		{memory.ErrCorrupt, exitEnvironment, "fact_corrupt", "the file of a fact, or memory.json, is damaged", "`brain lint` names file, line and fix"},
	}
}

// cause is one row of them.
type cause struct {
	err        error
	code       int
	name, what string
	hint       string
}

// These end a command that has printed what it found; nothing more is said.
var (
	errNegative   = errors.New("negative answer")
	errIncomplete = errors.New("not everything could be taken in")
	errDamaged    = errors.New("the index is damaged")
	errRunning    = errors.New("the job still runs")
)

// ended ends a command, with that exit code, that has told already what went wrong.
type ended struct{ code int }

func (e ended) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// failure is an error made here: the code is known, the hint says the next step.
type failure struct {
	code  int
	text  string
	hint  string
	cause error
}

func (f *failure) Error() string {
	if f.cause != nil {
		return f.text + ": " + f.cause.Error()
	}
	return f.text
}

func (f *failure) Unwrap() error { return f.cause }

// usage is a failure of the caller.
func usage(text, hint string) error { return &failure{code: exitUsage, text: text, hint: hint} }

// verdict is what an error means to the caller of the program.
type verdict struct {
	code int
	hint string
}

// judge maps an error to its exit code and hint.
func judge(err error) verdict {
	if f, ok := errors.AsType[*failure](err); ok {
		v := verdict{f.code, f.hint}
		if f.code == 0 {
			v.code = judge(f.cause).code
		}
		return v
	}
	for _, c := range causes() {
		if errors.Is(err, c.err) {
			return verdict{c.code, c.hint}
		}
	}
	for _, k := range kinds() {
		if k.is(err) {
			return verdict{k.code, k.hint(err)}
		}
	}
	return verdict{exitEnvironment, ""}
}

// kind is one row of the mapping.
type kind struct {
	is   func(error) bool
	code int
	hint func(error) string
}

func is(targets ...error) func(error) bool {
	return func(err error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
}

func say(hint string) func(error) string { return func(error) string { return hint } }

// kinds is the mapping, the special before the general.
func kinds() []kind {
	return []kind{
		{is(context.Canceled), exitInterrupted, say("")},
		{is(store.ErrExportNewer), exitUsage, say("install the newer brain")},
		{is(store.ErrExportRefused), exitUsage, say("nothing was written; `brain export` makes exports that are taken")},
		{is(store.ErrExportDamaged), exitEnvironment, say("nothing was written; take another copy of the export")},
		{is(store.ErrChanging), exitBusy, say("try again when less is being written")},
		{is(store.ErrNoRoot), exitNotFound, say("`brain init` makes a memory root here; or name one with --root")},
		{is(store.ErrNoBrain), exitNotFound, brainHint},
		{is(store.ErrBrainName), exitUsage, say("")},
		{is(store.ErrAmbiguous), exitConflict, say("name one of them by its path")},
		{is(store.ErrNotFound), exitNotFound, say("`brain query` finds pages by what they say")},
		{is(page.ErrPath), exitUsage, say("a path is relative to the brain, with / between folders, and ends in .md")},
		{is(page.ErrDraft), exitUsage, say("")},
		{is(memory.ErrFact), exitUsage, say("doc/facts.md says what a fact is; nothing was written")},
		{is(page.ErrAgent), exitUsage, say("an agent's name has at most 64 bytes, no / or \\, no dot at the start, and no control characters")},
		{is(page.ErrPack), exitUsage, packHint},
		{is(page.ErrMerge), exitUsage, say("add to the end, or add a page that supersedes this one; `merge` in the schema pack is what decides")},
		{is(store.ErrNotPage), exitUsage, say("links, pipes and devices are never opened: put the file or folder itself there")},
		{is(store.ErrTooLarge), exitUsage, say("split it: a page has at most 4 MiB")},
		{is(page.ErrSplice), exitUsage, say("`brain lint` names the line and the fix; nothing was written")},
		{is(store.ErrConflict), exitConflict, say("read it again and repeat the change; nothing was written")},
		{is(store.ErrNoJob), exitNotFound, say("`brain undo` lists the jobs")},
		{is(store.ErrCannotUndo), exitConflict, say("nothing was written")},
		{is(store.ErrMerge), exitUsage, say("only entities that are no redirects are merged; nothing was written")},
		{is(inbox.ErrNotFound), exitNotFound, say("`brain inbox list` names the sessions")},
		{is(inbox.ErrFull), exitBusy, say("`brain compile` makes room, then add the same again; capture.queue_max_depth says how many may wait")},
		{is(inbox.ErrForgotten), exitUsage, say("what was purged is not kept again")},
		{is(inbox.ErrNotPending), exitConflict, say("`brain inbox retry` makes a session pending again")},
		{is(inbox.ErrCancelled), exitConflict, say("nothing was written")},
		{is(compile.ErrPrompts), exitUsage, say("doc/compile.md gives the form; unset compile.prompts for those inside the program")},
		{is(compile.ErrRejected), exitEnvironment, say("try a larger model, or --mode rules")},
		{is(inbox.ErrFormat), exitUsage, say("--format says what it is; doc/inbox.md describes the formats")},
		{is(inbox.ErrInvalid), exitUsage, say("")},
		{is(inbox.ErrConflict), exitConflict, say("")},
		{is(inbox.ErrBusy), exitBusy, say("try again when the other process is done")},
		{is(inbox.ErrNewer), exitEnvironment, say("install the newer brain")},
		{is(dream.ErrState), exitEnvironment, say("all of .brain/dream can be deleted: it costs time and calls, and no content")},
		{is(store.ErrExists, store.ErrTwin), exitConflict, say("choose another path; what exists is never overwritten")},
		{is(store.ErrReadOnly), exitUsage, say("`write:` in brain.yml says whether brain may write here")},
		{is(store.ErrBusy, index.ErrBusy), exitBusy, say("try again when the other process is done")},
		{is(store.ErrDamaged), exitEnvironment, say("until then pages are read and not written; see doc/writing.md")},
		{is(store.ErrUnreadable), exitEnvironment, say("check that the folder exists and may be read; nothing was dropped from the index")},
		{is(index.ErrNewer), exitEnvironment, say("install the newer brain, or delete the index: it comes back from the files")},
		{is(index.ErrNoIndex), exitEnvironment, say("run `brain sync`")},
		{is(llm.BadOption), exitUsage, modelHint},
		{isModel, exitEnvironment, modelHint},
		{is(evals.ErrUsage), exitUsage, say("")},
		{is(evals.ErrData), exitUsage, say("")},
		{is(context.DeadlineExceeded), exitBusy, say("the time ran out; try again")},
		{is(syscall.ENOSPC), exitEnvironment, say("the disk is full; the files under brains/ are as they were")},
		{is(syscall.ENAMETOOLONG), exitUsage, say("a name has at most 255 bytes, a path about 4,000")},
		{is(fs.ErrPermission), exitEnvironment, say("check the permissions of that path")},
		{is(fs.ErrNotExist), exitNotFound, say("")},
		{is(fs.ErrExist), exitConflict, say("")},
	}
}

func isModel(err error) bool {
	_, ok := errors.AsType[*llm.Error](err)
	return ok
}

func modelHint(err error) string {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return ""
	}
	if e.Hint == "" && e.Class == llm.BadOption {
		if e.Op == "complete" {
			return "see llm.* in `brain help settings`"
		}
		return "see embedding.* in `brain help settings`"
	}
	return e.Hint
}

// brainHint names the brain that was probably meant.
func brainHint(err error) string {
	e, ok := errors.AsType[*store.NoBrainError](err)
	switch {
	case !ok:
		return ""
	case len(e.Known) == 0:
		return "`brain init --brain " + e.Name + "` makes it"
	}
	if near := text.Nearest(e.Name, e.Known); near != "" {
		return fmt.Sprintf("did you mean --brain %s?", near)
	}
	return "name one with --brain, or `brain: NAME` in memory.yml"
}

// codeName is the name of what went wrong, for programs.
func codeName(err error, code int) string {
	for _, c := range causes() {
		if c.code == code && errors.Is(err, c.err) {
			return c.name
		}
	}
	for _, e := range exitCodes {
		if e.code == code {
			return e.name
		}
	}
	return "error"
}

// errorJSON is what --json prints instead of a result.
type errorJSON struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	} `json:"error"`
}

// fail prints an error and gives the exit code.
func (a *app) fail(err error) int {
	switch {
	case errors.Is(err, errNegative):
		return exitNegative
	case errors.Is(err, errIncomplete), errors.Is(err, errDamaged):
		return exitEnvironment
	case errors.Is(err, errRunning):
		return exitBusy
	}
	if e, ok := errors.AsType[ended](err); ok {
		return e.code
	}
	v := judge(err)
	message := plain(err.Error())
	if v.code == exitInterrupted {
		message = "interrupted"
	}
	a.failed = message
	if a.global.json {
		var e errorJSON
		e.Error.Code, e.Error.Message, e.Error.Hint = codeName(err, v.code), message, v.hint
		if a.json(e) != nil {
			return exitEnvironment
		}
		return v.code
	}
	a.note("brain: %s", strings.TrimPrefix(message, "brain "))
	if v.hint != "" {
		a.note("hint: %s", plain(v.hint))
	}
	return v.code
}
