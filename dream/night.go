package dream

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"
	"time"

	"brain/index"
	"brain/llm"
	"brain/page"
	"brain/store"
)

// night is one run of a Cycle. Whatever a stage reads, writes, asks and finds goes
// through it.
type night struct {
	*Cycle
	at     time.Time // when it began: what is dated is dated so
	report *Report
	stage  *StageReport // of the stage that runs

	lease func() error // gives it back; nil in a dry run
	slots slots        // of the schedule, as claimed
	state *state
	memo  *memo
	part  *part // of the stage, see unchanged

	current *index.View // nil: none yet
	behind  bool        // something was written since current was taken
	unread  []string    // parts of the tree that could not be read when it was
	lost    []string    // pages that it knew as well, and that could not be read since
	digest  []byte      // of current, see tree; nil: not made yet
	taken   int         // files that looks at the tree took into the index

	mute error // why no model is asked any more
}

func (c *Cycle) begin() (*night, error) {
	n := &night{Cycle: c, at: c.now()}
	n.report = &Report{ID: n.at.UTC().Format("20060102-150405.000"), Brain: c.Store.Name(), Started: n.at, Mode: c.Mode(), DryRun: c.DryRun, OK: true, Stages: []StageReport{}, Failures: []string{}}
	var err error
	if !c.DryRun {
		if err := c.Store.MakeState(); err != nil {
			return nil, err
		}
		if n.lease, err = takeLease(c.State, n.at); err != nil {
			return nil, err
		}
		if err := n.claim(); err != nil {
			return nil, errors.Join(err, n.lease())
		}
	}
	n.state = readState(c.State)
	n.memo = readMemo(c.State)
	return n, nil
}

// stages are what runs, by name.
func (n *night) stages() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		Lint: n.lint, Sync: n.sync, Distill: n.distill, Contradictions: n.contradictions, Orphans: n.orphans,
	}
}

func (n *night) run(ctx context.Context) error {
	run := n.stages()
	for _, name := range Stages {
		if n.Stages != nil && !slices.Contains(n.Stages, name) {
			continue
		}
		if err := n.one(ctx, name, run[name]); err != nil {
			n.report.Interrupted, n.report.OK = true, false
			return err
		}
	}
	if err := n.faults(n.diary(ctx)); ctx.Err() != nil {
		return err
	}
	return nil
}

// faults notes what failed beside the stages, if anything did: what they changed is changed all
// the same, and the report tells of it. It gives that as one error.
func (n *night) faults(all ...error) error {
	for _, err := range all {
		if err == nil {
			continue
		}
		n.report.OK = false
		if !slices.Contains(n.report.Failures, err.Error()) {
			n.report.Failures = append(n.report.Failures, err.Error())
		}
	}
	return errors.Join(all...)
}

// one runs a stage. Its error is that of a run that was ended from outside; every other is
// the stage's own, and the next one runs all the same.
func (n *night) one(ctx context.Context, name string, stage func(context.Context) error) error {
	began := n.now()
	n.stage = &StageReport{Stage: name, Changed: []Change{}, Left: []Left{}, Failures: []string{}, Counts: map[string]int{}}
	err := stage(ctx)
	if err != nil {
		n.failed("%v", err)
	}
	n.endPart()
	if !n.DryRun {
		n.faults(n.state.save()) // so that one who is killed in the next stage need not do this one again
	}
	if waits := n.stage.Counts["waiting_for_model"]; waits > 0 && errors.Is(n.mute, llm.OverBudget) {
		n.left(Left{What: fmt.Sprintf("%d questions wait for another night: the budget is used up", waits), Hint: "dream.budget_calls and dream.budget_tokens bound a night"})
	}
	s := n.stage
	s.OK = len(s.Failures) == 0
	s.Took = max(0, n.now().Sub(began))
	s.TookMS = s.Took.Milliseconds()
	n.report.OK = n.report.OK && s.OK
	n.report.Cost.add(s.Cost)
	n.report.Stages = append(n.report.Stages, *s)
	if n.Told != nil {
		n.Told(*s)
	}
	return ctx.Err()
}

// end keeps what the next night has to know. Its error stands in the report, too.
func (n *night) end() (err error) {
	if n.current != nil {
		err = n.faults(n.current.Release())
	}
	n.report.Took = max(0, n.now().Sub(n.at))
	n.report.TookMS = n.report.Took.Milliseconds()
	if n.DryRun {
		return err
	}
	err = errors.Join(err, n.faults(n.memo.save(), n.state.save(), n.settle()))
	return errors.Join(err, n.faults(writeJSON(n.State, reportFile, n.report)), n.faults(n.lease()))
}

// changed notes what was written, or would be.
func (n *night) changed(path, what string) {
	n.stage.Changed = append(n.stage.Changed, Change{path, what})
}

// left notes what stays as it is.
func (n *night) left(l Left) { n.stage.Left = append(n.stage.Left, l) }

// failed notes a failure: the stage is not ok.
func (n *night) failed(format string, args ...any) {
	n.stage.Failures = append(n.stage.Failures, fmt.Sprintf(format, args...))
}

// looked counts what was looked at.
func (n *night) looked(count int, unit string) {
	n.stage.Looked += count
	n.stage.Unit = unit
}

// count counts what is found, which stands in the report again while nothing changes.
func (n *night) count(key string, by int) { n.stage.Counts[key] += by }

// did counts what was done in this night alone.
func (n *night) did(key string, by int) {
	n.count(key, by)
	if n.part != nil {
		n.part.counts[key] += by
	}
}

// view is the index as the tree is now. It belongs to the night, and the next write makes it
// old: who writes asks again.
func (n *night) view(ctx context.Context) (*index.View, error) {
	if n.current != nil && !n.behind {
		return n.current, nil
	}
	v := n.current
	n.current = nil
	if v == nil {
		first, _, err := n.Index.First(ctx, n.Store, index.SyncOptions{})
		if err != nil {
			return nil, fmt.Errorf("open the index: %w", err)
		}
		v = first
	}
	change, err := n.Index.Look(ctx, n.Store, v)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("compare the index with the files: %w", err), v.Release())
	}
	v, stale, err := n.Index.Refresh(ctx, n.Store, v, change, index.Wait)
	if err != nil {
		return nil, fmt.Errorf("bring the index up to date: %w", err)
	}
	n.unread = nil
	if stale != nil {
		if n.unread = stale.Unreadable; n.unread == nil {
			return nil, errors.Join(fmt.Errorf("bring the index up to date: %s", stale.Why), v.Release())
		}
	}
	n.taken += max(0, change.Changed-(len(n.unread)-len(change.Unreadable))) // less the files among them that could not be read
	n.current, n.behind, n.digest = v, false, nil
	return v, nil
}

// unreadable reports whether a page lies in a part of the tree that could not be read, or is a
// folder above one. Such a page is as the index knows it: nothing is taken for gone, and nothing
// that was made of it is made again without it.
func (n *night) unreadable(at string) bool { return touches(n.unread, at) || touches(n.lost, at) }

// touches reports whether a path is one of these parts of a tree, within one or above one.
func touches(parts []string, at string) bool {
	within := func(at, part string) bool { return part == "" || at == part || strings.HasPrefix(at, part+"/") }
	return slices.ContainsFunc(parts, func(part string) bool { return within(at, part) || within(part, at) })
}

// without goes on without a page that could not be read for that reason, unless the run was
// ended. One that is gone is no loss. Of what the look at the tree could not read the stage
// sync tells; any other is a failure of the stage that came upon it.
func (n *night) without(ctx context.Context, p page.Path, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, store.ErrNotFound):
	case touches(n.unread, string(p)):
		n.count("unreadable", 1)
	default:
		n.lost = append(n.lost, string(p))
		n.failed("%v", err)
	}
	return nil
}

// read is a page as its file is now.
func (n *night) read(ctx context.Context, p page.Path) (*page.Page, error) {
	raw, err := n.Store.Read(ctx, p)
	if err != nil {
		return nil, err
	}
	return n.pack().Parse(p, raw), nil
}

func (n *night) pack() *page.Pack {
	if n.Pack != nil {
		return n.Pack
	}
	return page.ProblemTree()
}

// update writes to the brain, as Store.Update does, and tells the index. A dry run must not
// come so far.
func (n *night) update(ctx context.Context, reason string, fn func(*store.Tx) error) error {
	if n.DryRun {
		panic("dream: a dry run writes")
	}
	var receipt *store.Receipt
	err := n.Store.Update(ctx, "dream: "+reason, func(tx *store.Tx) error {
		receipt = tx.Receipt()
		return fn(tx)
	})
	if err != nil {
		return err
	}
	if len(receipt.Paths) > 0 {
		n.behind = true
		// Where it cannot be told just now, the next view looks at the whole tree.
		_, err = n.Index.Touch(ctx, n.Store, index.Written{Paths: receipt.Paths, Before: receipt.Before, After: receipt.After})
		if errors.Is(err, index.ErrBusy) || errors.Is(err, index.ErrNoIndex) {
			err = nil
		}
	}
	return err
}

// tree is a digest of all pages but brain's own output: their paths, what they say, size and
// time of their files; and of what could not be read.
func (n *night) tree(ctx context.Context) ([]byte, error) {
	v, err := n.view(ctx)
	if err != nil {
		return nil, err
	}
	if n.digest != nil {
		return n.digest, nil
	}
	pages := make([]index.Page, 0, v.Len())
	for row := range v.All {
		if p := v.Page(row); !p.Generated {
			pages = append(pages, p)
		}
	}
	slices.SortFunc(pages, func(a, b index.Page) int { return strings.Compare(string(a.Path), string(b.Path)) })
	h := sha256.New()
	for _, p := range pages {
		add(h, []byte(p.Path), p.Hash[:], number(p.File.Size), number(p.File.Mtime))
	}
	add(h, []byte(strings.Join(n.unread, "\n")))
	n.digest = h.Sum(nil)
	return n.digest, nil
}

// A part is what a stage finds between two calls of unchanged.
type part struct {
	name   string
	digest string
	left   int            // of the stage's, when it began
	failed int            // likewise
	counts map[string]int // likewise, and what was done since
	open   bool           // something waits for another night
}

// unchanged begins a part of a stage: it reports whether all that the part looks at is as it
// was when it was last looked at completely, in which case what was found then stands in the
// report again. inputs are that, besides the options and the model. The part ends with the next
// one or the stage; it is looked at again if it failed, or left something for another night.
func (n *night) unchanged(name string, inputs ...[]byte) bool {
	n.endPart()
	p := &part{name: name, digest: n.digestOf(name, inputs), left: len(n.stage.Left), failed: len(n.stage.Failures), counts: maps.Clone(n.stage.Counts)}
	was, known := n.state.Parts[name]
	if !known || was.Digest != p.digest {
		n.part = p
		return false
	}
	n.stage.Left = append(n.stage.Left, was.Left...)
	for key, by := range was.Counts {
		n.count(key, by)
	}
	return true
}

// sawAlso says that the part knows its inputs as they are now, since it was it that changed
// them: its own output is no news to the next night.
func (n *night) sawAlso(inputs ...[]byte) {
	if n.part != nil {
		n.part.digest = n.digestOf(n.part.name, inputs)
	}
}

func (n *night) digestOf(part string, inputs [][]byte) string {
	o := n.Options
	o.Stages, o.DryRun = nil, false
	options, _ := json.Marshal(o) // no field of it can fail
	h := sha256.New()
	add(h, []byte(part), []byte(n.report.Mode), options)
	add(h, inputs...)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// skip says that the stage looked at nothing.
func (n *night) skip(part string) {
	n.stage.Skipped = "nothing changed since " + n.state.Parts[part].At.Local().Format("2006-01-02 15:04")
}

// later says that the part is not done: something of it waits for another night.
func (n *night) later() {
	if n.part != nil {
		n.part.open = true
	}
}

func (n *night) endPart() {
	p := n.part
	n.part = nil
	if p == nil || p.open || len(n.stage.Failures) > p.failed || n.DryRun {
		return
	}
	counts := map[string]int{}
	for key, now := range n.stage.Counts {
		if by := now - p.counts[key]; by != 0 {
			counts[key] = by
		}
	}
	n.state.Parts[p.name] = settled{p.digest, n.at, slices.Clone(n.stage.Left[p.left:]), counts}
}

// add adds each text with its length, so that no two lists give the same.
func add(h hash.Hash, texts ...[]byte) {
	for _, t := range texts {
		h.Write(number(int64(len(t))))
		h.Write(t)
	}
}

func number(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }
