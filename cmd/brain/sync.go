package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"brain/index"
	"brain/store"
	"brain/text"
)

type syncFlags struct {
	rebuild, compact, pending, noWait, watch, commit bool
}

func syncCommand() *command {
	var f syncFlags
	return &command{
		name: "sync", group: groupKeep, max: 0, schema: "sync",
		short: "bring the index up to date with the files",
		long: `Looks at every file and takes in what changed. Queries do this by themselves for a few files; sync does it for all, with progress. Nothing that could not be read is dropped from the index: it is named, and the exit code says so.

Words and links are searchable first; vectors from a model server follow. --watch stays and takes changes in as they happen. --commit also has git keep all that brain wrote and that is not committed yet; in a repository that brain made, what was written by hand, too. See doc/ledger.md.`,
		examples: []string{"brain sync", "brain sync --rebuild", "brain sync --pending-embeddings", "brain sync --watch", "brain sync --commit"},
		exits: []exitNote{
			{exitNotFound, "no memory root or brain"},
			{exitBusy, "another process holds the index (with --no-wait)"},
			{exitEnvironment, "a file or folder could not be read, embeddings failed, --commit left writes uncommitted, or the disk is full"},
			{exitInterrupted, "stopped; what was done is kept"},
		},
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&f.rebuild, "rebuild", false, "make the index anew; vectors whose checksum is right are kept")
			fs.BoolVar(&f.compact, "compact", false, "merge the index's segments and give space back")
			fs.BoolVar(&f.pending, "pending-embeddings", false, "also embed what a model server could not embed before")
			fs.BoolVar(&f.noWait, "no-wait", false, "end at once when another process holds the index")
			fs.BoolVar(&f.watch, "watch", false, "stay, and take changes in as they happen")
			fs.BoolVar(&f.commit, "commit", false, "commit to git what is not committed yet")
		},
		run: func(ctx context.Context, a *app, _ []string) error { return a.sync(ctx, &f) },
	}
}

// syncJSON is index.Report with the brain's name and the time.
type syncJSON struct {
	Brain string `json:"brain"`
	index.Report
	Ledger *store.LedgerReport `json:"ledger"` // of --commit
	TookMS float64             `json:"took_ms"`
}

func (a *app) sync(ctx context.Context, f *syncFlags) error {
	o, err := a.open()
	if err != nil {
		return err
	}
	e, err := a.engine(o)
	if err != nil {
		return err
	}
	a.stream = f.watch
	ledger, err := a.keep(ctx, o, f.commit)
	if err != nil {
		return err
	}
	first := !e.built()
	e.bar.first = first
	r, err := e.ix.Sync(ctx, e.st, index.SyncOptions{
		NoWait: f.noWait, Rebuild: f.rebuild, Compact: f.compact, Pending: f.pending, OnWait: a.indexWaiting(o.st.Name()),
	})
	e.bar.wipe()
	if err != nil && (!isModel(err) || ctx.Err() != nil) {
		return err
	}
	if e.embedder == nil {
		r.Pending, r.Failed = 0, 0 // nobody waits for vectors
	}
	if err := a.printSync(o.st.Name(), &r, ledger, first); err != nil {
		return err
	}
	if err != nil { // words and links are in; only vectors are missing
		a.note("brain: %s", plain(err.Error()))
		a.note("hint: %s", plain(cmp.Or(modelHint(err), "brain sync --pending-embeddings, when the server is back")))
	}
	if f.watch {
		return a.watch(ctx, e)
	}
	if f.commit && ledger.Skipped != "" && ledger.Left > 0 {
		return errIncomplete
	}
	return incomplete(&r, err)
}

// incomplete is the error of a sync that did not get everything.
func incomplete(r *index.Report, model error) error {
	if model != nil || len(r.Unreadable) > 0 || r.Failed+r.Pending > 0 {
		return errIncomplete
	}
	return nil
}

// keep commits what is due, or with all whatever is not committed yet.
func (a *app) keep(ctx context.Context, o *opened, all bool) (*store.LedgerReport, error) {
	if !all {
		o.st.CommitDue(ctx)
		return nil, nil
	}
	rep, err := o.st.CommitAll(ctx)
	if err != nil {
		return nil, err
	}
	a.tellLedger(&rep, rep.Skipped != "")
	return &rep, nil
}

// oneEntry has what the command writes be one entry of the ledger, made when it ends.
func (o *opened) oneEntry() {
	if o.st.Ledger.Mode != "" {
		o.st.Ledger.Mode, o.st.Ledger.Writes, o.st.Ledger.Age = store.LedgerBatch, math.MaxInt, math.MaxInt64
	}
}

// endEntry makes that entry. What was written stays, whatever becomes of it.
func (a *app) endEntry(ctx context.Context, o *opened, wrote bool) {
	rep, err := o.st.Commit(context.WithoutCancel(ctx))
	if err == nil {
		a.tellLedger(&rep, rep.Skipped != "" && rep.Left > 0)
	} else if wrote {
		a.warn("written, but not committed: %s", plain(err.Error()))
	}
}

// tellLedger says what a person should know of a pass, and with skipped why it did
// nothing.
func (a *app) tellLedger(rep *store.LedgerReport, skipped bool) {
	for _, n := range rep.Notes {
		a.warn("%s", plain(n))
	}
	if skipped {
		a.warn("the ledger is skipped: %s", plain(rep.Skipped))
	}
}

func (a *app) printReport(brain string, r *index.Report, first bool) error {
	return a.printSync(brain, r, nil, first)
}

func (a *app) printSync(brain string, r *index.Report, ledger *store.LedgerReport, first bool) error {
	r.Unreadable = list(r.Unreadable)
	if r.Skipped == nil {
		r.Skipped = map[string]int{}
	}
	if a.global.json {
		return a.json(syncJSON{brain, *r, ledger, float64(r.Took.Microseconds()) / 1000})
	}
	if r.Rebuilt != "" && !first {
		a.warn("the index of brain %s was made anew: %s", plain(brain), plain(r.Rebuilt))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "brain %s: %d added, %d changed, %d moved, %d deleted, %d unchanged (%s in %.1f s)\n",
		plain(brain), r.Added, r.Changed, r.Moved, r.Deleted, r.Unchanged+r.Refreshed, text.Size(r.Bytes), r.Took.Seconds())
	if r.Embedded+r.Reused+r.Pending+r.Failed > 0 {
		fmt.Fprintf(&b, "embeddings: %d made, %d reused, %d pending, %d failed\n", r.Embedded, r.Reused, r.Pending, r.Failed)
	}
	writeCounts(&b, "skipped", r.Skipped)
	writeUnreadable(&b, r.Unreadable)
	if r.InFlight > 0 {
		fmt.Fprintf(&b, "in flight: %s of a write that is under way (what the index knows of them is kept)\n", count(r.InFlight, "file"))
	}
	if ledger != nil && ledger.Skipped == "" {
		fmt.Fprintf(&b, "ledger: %s of %s in %s\n", count(len(ledger.Commits), "commit"), count(ledger.Files, "file"), plain(ledger.Ref))
	}
	return a.print("%s", b.String())
}

// writeCounts prints how many there were of each kind, if there were any.
func writeCounts(b *strings.Builder, what string, of map[string]int) {
	var parts []string
	for kind, n := range of {
		parts = append(parts, fmt.Sprintf("%d %s", n, kind))
	}
	slices.Sort(parts)
	if len(parts) > 0 {
		fmt.Fprintf(b, "%s: %s\n", what, strings.Join(parts, ", "))
	}
}

func writeUnreadable(b *strings.Builder, paths []string) {
	for i, p := range paths {
		if i == 20 {
			fmt.Fprintf(b, "unreadable: and %d more\n", len(paths)-i)
			return
		}
		if p == "" {
			p = "the brain's folder"
		}
		fmt.Fprintf(b, "unreadable: %s (what the index knows of it is kept)\n", plain(p))
	}
}

// indexWaiting tells who holds the index.
func (a *app) indexWaiting(brain string) func(index.Holder) {
	return func(h index.Holder) {
		if !a.global.quiet {
			a.note("brain: waiting for the index of %s: process %d (%s)", plain(brain), h.PID, plain(h.What))
		}
	}
}
