// Package dream is the nightly upkeep of a brain: five stages, always in this order.
//
//	lint            what is wrong with the pages and the links between them
//	sync            the index is as the files are
//	distill         what was said becomes pages, what was learned often an experience
//	contradictions  what cannot both hold is put before a person
//	orphans         what nothing leads to, what is there twice
//
// It can run every night for a year and no one regrets it, because of what holds for
// each stage:
//
//   - What did not change is not looked at again: neither by a stage (night.unchanged)
//     nor by a model (night.ask). A second run writes no byte below the brain.
//   - That a page is not made twice is seen from the tree, never from what is remembered
//     beside it: all of that can be deleted and costs time and calls alone.
//   - What was made here is marked and never read as a source.
//   - No page and no session is deleted, and no text of a person is replaced. A fact of
//     an agent goes only by the rules that the agent's memory has anyway (room, age,
//     merging), and is kept where it can be restored.
//   - A model's reply is checked before it counts, and a bad one changes nothing.
//   - One failing stage hides nothing of the others, and says that it failed.
//
// One Dream a brain runs at a time: a lock of the system is the lease, which ends with
// its process.
package dream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"brain/compile"
	"brain/inbox"
	"brain/index"
	"brain/llm"
	"brain/memory"
	"brain/page"
	"brain/retrieve"
	"brain/store"
)

// The stages.
const (
	Lint           = "lint"
	Sync           = "sync"
	Distill        = "distill"
	Contradictions = "contradictions"
	Orphans        = "orphans"
)

// Stages are all of them, in the order in which they run.
var Stages = []string{Lint, Sync, Distill, Contradictions, Orphans}

// Cycle is what the upkeep of one brain needs. Its fields are set before Run and not
// changed after.
type Cycle struct {
	Store    *store.Store
	Box      *inbox.Box
	Pack     *page.Pack // nil: the built-in one
	Index    *index.Index
	Searcher *retrieve.Searcher
	Embedder llm.Embedder // nil: nothing is compared by meaning
	Facts    *memory.Facts

	// Completer is the model that is asked, within its budget; nil means rules alone.
	Completer llm.Completer
	Prompts   *compile.Prompts // for sessions; nil: the built-in ones
	Language  string           // in which a model writes; "": that of what it reads

	// State is the folder for what may be lost: the lease, what was looked at already,
	// the replies of models, the last report.
	State Folder

	Options

	// Schedule, if there is one, has Run do nothing and give ErrNotDue unless a run of it is due.
	Schedule *Schedule

	Now      func() time.Time                    // nil is time.Now
	Told     func(StageReport)                   // told of each stage as it ends; may be nil
	Progress func(stage string, done, total int) // may be nil
}

// Options say what a run does.
type Options struct {
	Stages []string // nil: all; they run in their own order
	DryRun bool     // writes nothing and asks no model, and says what a run would do

	// Since leaves out of distill and contradictions what did not change since; the zero
	// time leaves out nothing.
	Since time.Time

	MinSources int  // pages on one subject that make an experience; 0: DefaultMinSources
	Layers     bool // abstracts and overviews are written, if there is a model
	MostLayers int  // questions about them, at most, so that a budget is left for others; 0: any number
	Diary      bool // a page tells of each night in which something was changed
	FixLint    bool // what has one right answer is mended
	MaxPairs   int  // open pairs in contradictions.md at most; 0: DefaultMaxPairs

	// Of sessions: when one is due (inbox.QueueOptions), how many are compiled at a time, and
	// whether rules compile them where no model answers.
	Debounce, MaxWait time.Duration
	Parallel          int
	Fallback          bool

	AgentsOff []string // agents without a memory: nothing of theirs is compiled or changed

	// MaxCompared is how often two claims are compared in a night at most; the rest has its
	// turn in the next ones. 0: DefaultMaxCompared.
	MaxCompared int
}

// What Options mean where they say nothing.
const (
	DefaultMinSources = 5
	DefaultMaxPairs   = 200
	// DefaultMaxCompared is several times what 10,000 pages come to, and some ten seconds.
	DefaultMaxCompared = 3_000_000
)

// ErrStage is the error for a stage that does not exist.
var ErrStage = errors.New("no such stage")

// CheckStages finds the first name that is no stage's.
func CheckStages(names []string) error {
	for _, name := range names {
		if !slices.Contains(Stages, name) {
			return fmt.Errorf("%w: %q", ErrStage, name)
		}
	}
	return nil
}

// Run runs the stages. The report tells of each, also with an error: of a run that was
// ended, *BusyError where another process dreams, ErrNotDue by the schedule, those of the
// folder for the state, which wrap ErrState. That a stage failed is no error, nor that the diary or
// what is remembered cannot be written; Report.OK says so.
func (c *Cycle) Run(ctx context.Context) (*Report, error) {
	if err := CheckStages(c.Stages); err != nil {
		return nil, fmt.Errorf("dream: %w", err)
	}
	n, err := c.begin()
	if err != nil {
		return nil, fmt.Errorf("dream: brain %s: %w", c.Store.Name(), err)
	}
	err = n.run(ctx)
	if fault := n.end(); err != nil {
		return n.report, fmt.Errorf("dream: brain %s: %w", c.Store.Name(), errors.Join(err, fault))
	}
	return n.report, nil
}

func (c *Cycle) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

// Mode is compile.ModeRules, or the provider and name of the model that is asked.
func (c *Cycle) Mode() string {
	if c.Completer == nil {
		return compile.ModeRules
	}
	i := c.Completer.Info()
	return i.Provider + "/" + i.Model
}
