package dream

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Report is what a run came to.
type Report struct {
	ID          string        `json:"id"` // ids sort by time
	Brain       string        `json:"brain"`
	Started     time.Time     `json:"started"`
	Took        time.Duration `json:"-"`
	TookMS      int64         `json:"took_ms"`
	Mode        string        `json:"mode"` // rules, or provider and model
	DryRun      bool          `json:"dry_run"`
	OK          bool          `json:"ok"` // nothing failed
	Interrupted bool          `json:"interrupted"`
	Stages      []StageReport `json:"stages"`
	Failures    []string      `json:"failures"` // of what follows the stages: the diary, what is remembered
	Cost
}

// Cost is what was asked of a model.
type Cost struct {
	Calls int `json:"calls"`
	In    int `json:"tokens_in"`
	Out   int `json:"tokens_out"`
}

func (c *Cost) add(d Cost) { c.Calls += d.Calls; c.In += d.In; c.Out += d.Out }

// StageReport is what one stage came to.
type StageReport struct {
	Stage   string `json:"stage"`
	OK      bool   `json:"ok"`      // nothing failed
	Skipped string `json:"skipped"` // why it looked at nothing; "" when it did
	Looked  int    `json:"looked"`
	Unit    string `json:"unit"` // of Looked: pages, claims, …

	Changed  []Change `json:"changed"`  // in a dry run: what would be
	Left     []Left   `json:"left"`     // for a person, or for another night
	Failures []string `json:"failures"` // each a reason why OK is false

	// Counts are figures of the stage by name.
	Counts map[string]int `json:"counts"`

	Cost
	Took   time.Duration `json:"-"`
	TookMS int64         `json:"took_ms"`
}

// Change is a file that was written.
type Change struct {
	Path string `json:"path"`
	What string `json:"what"` // such as "experience created"
}

// Left is what was found and not changed.
type Left struct {
	Path string `json:"path"` // of a page, or what else it concerns; "" for the brain
	Line int    `json:"line"` // 0: all of it
	What string `json:"what"`
	Hint string `json:"hint"` // what a person can do, or when it is looked at again
}

const reportFile = "report.json"

// LastReport is that of the last run that was no dry one, as it was kept in the folder for the
// state; nil when there is none.
func LastReport(state Folder) (*Report, error) {
	raw, err := readFile(state, reportFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	r := &Report{Failures: []string{}}
	if err == nil {
		err = json.Unmarshal(raw, r)
	}
	if err != nil {
		return nil, fmt.Errorf("read the last report of dream: %w", err)
	}
	r.Took = time.Duration(r.TookMS) * time.Millisecond
	for i := range r.Stages {
		r.Stages[i].Took = time.Duration(r.Stages[i].TookMS) * time.Millisecond
	}
	return r, nil
}
