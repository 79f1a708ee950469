package store

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The plan says which commits the dirty jobs become. A job is known by hashes:
// what each of its files was before and after. So it can be told what happened
// between two of them: a file that is not, before a job, what the job before it
// left (or what git has) was edited by hand, and that edit becomes a commit of
// its own before the job's.
//
//	git has A;  job: A → B                 commit B
//	git has A;  job: C → B                 by hand C, commit B
//	git has A;  job: A → B, on disk C      commit B if its bytes can be had, by hand C
//
// The bytes of a state are on disk, or among those that a later job replaced. What
// is merely renewed with every change has them on disk alone, and nothing is said
// of the states between.
// Those of B in the last line often are neither: a person edited the file before
// it was committed. Then the edit by hand says in its message what it holds
// besides. Nothing is taken for a person's that is not said to be more.

// version is one planned commit.
type version struct {
	hand   bool // made by hand
	swept  bool // found on disk, not by way of a job
	reason string
	files  map[string]Hash  // path → content, "" for none
	jobs   []Job            // whose changes these are
	by     map[string][]int // of each path, those of the jobs that changed it
	notes  []string         // lines for the message
}

func (v *version) paths() []string {
	var paths []string
	for p := range v.files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

// planner goes through the jobs of a snapshot in order.
type planner struct {
	s        *snapshot
	most     limits
	past     map[string]past     // of each path, what the jobs did to it
	from     map[string]int      // of each path, how many of its changes git has already
	seen     map[string]int      // of each path, how many of its changes were met
	now      map[string]string   // of each path, the hash of its state in the plan
	lost     map[string][]string // of each path, what came before and is missing
	withheld map[string]bool     // paths that were purged
	done     []*version
	git      recorded
	hand     *version // edits by hand before ours, nil for none
	earlier  *version // what brain wrote before that, and git does not have
	ours     *version // the commit that is being filled, nil for none
}

// elsewhere is a state that is none of the jobs'.
const elsewhere = "?"

// recorded is what the plan asks of git.
type recorded struct {
	has   func(path string, h Hash) (bool, error)       // is this the content at a path?
	since func(path string, at time.Time) (bool, error) // was it committed later than that?
	// wrote tells of a content that git does not have whether a job made it after
	// all: one that was not on the list, or is in another ref.
	wrote func(path string, h Hash) bool
}

// past is what the jobs did to a path: its states before and after the first
// change, before and after the second …
type past struct {
	states []Hash
	first  time.Time // when the first was
}

// limits say when a commit is full; a job is never divided.
type limits struct{ jobs, files int }

// planLedger makes the plan for a brain that lies at prefix.
func planLedger(s *snapshot, prefix string, most limits, git recorded) ([]*version, error) {
	p := &planner{s: s, git: git, most: most, past: map[string]past{}, from: map[string]int{}, seen: map[string]int{}, now: map[string]string{}, lost: map[string][]string{}, withheld: map[string]bool{}}
	p.collect()
	p.withhold()
	for _, path := range s.paths() {
		if err := p.begin(path, git); err != nil {
			return nil, err
		}
	}
	for _, j := range s.jobs {
		p.job(j)
	}
	p.close()
	p.rest(prefix)
	return p.done, nil
}

// begin finds the point in a path's changes at which git stands. Usually that is
// before the first. It is later when the user committed the file in between.
// Where git has none of the states, a hand edited the file before the first
// change; or somebody committed it after the jobs, and then only the last state
// is still of interest.
func (p *planner) begin(path string, git recorded) error {
	states, first := p.past[path].states, p.past[path].first
	i, err := standing(path, states, git)
	if err != nil {
		return err
	}
	if i >= 0 {
		p.from[path], p.now[path] = (i+1)/2, string(states[i])
		return nil
	}
	p.now[path] = elsewhere
	disk := p.s.disk[path].sum
	same, err := git.has(path, disk)
	if err != nil {
		return err
	}
	if same {
		p.from[path], p.now[path] = len(states), string(disk)
		return nil
	}
	if len(states) == 0 {
		return nil
	}
	passed, err := git.since(path, first)
	switch last := len(states) - 1; {
	case passed && states[last] == disk:
		p.from[path], p.now[path] = last/2, string(states[last-1])
	case passed:
		p.from[path] = len(states)
	}
	return err
}

// collect gathers each path's past in one walk through the jobs.
func (p *planner) collect() {
	for _, j := range p.s.jobs {
		for _, c := range j.Changes {
			met, again := p.past[c.Path]
			if !again {
				met.first = j.At
			}
			met.states = append(met.states, c.Before, c.After)
			p.past[c.Path] = met
		}
	}
}

// standing is which of a path's states git has: the first, or else the last of the
// others; -1 for none.
func standing(path string, states []Hash, git recorded) (int, error) {
	for n := range states {
		i := (len(states) - n) % len(states)
		ok, err := git.has(path, states[i])
		if ok || err != nil {
			return i, err
		}
	}
	return -1, nil
}

// withhold finds the files that were purged, by their bytes before that nobody
// kept, and the names that they had before they were moved. What the jobs before
// made of them must not get into git now.
func (p *planner) withhold() {
	for _, j := range slices.Backward(p.s.jobs) {
		for _, c := range j.Changes {
			if c.After == "" {
				if p.s.object(c.Path, c.Before) == "" {
					p.withheld[c.Path] = true
				}
			} else if c.Before == "" && p.withheld[c.Path] {
				p.withheld[string(movedFrom(j, c))] = true
			}
		}
	}
}

// job adds one job to the plan.
func (p *planner) job(j Job) {
	var ours []Change
	for _, c := range j.Changes {
		p.seen[c.Path]++
		if p.seen[c.Path] > p.from[c.Path] {
			ours = append(ours, c)
		}
	}
	edited := func(c Change) bool {
		return p.now[c.Path] != string(c.Before) && !(c.Renewed && p.git.wrote(c.Path, c.Before))
	}
	meets := func(c Change) bool { return edited(c) && p.touched(c.Path) }
	if j.Alone || p.full() || slices.ContainsFunc(ours, meets) {
		p.close()
	}
	if p.ours == nil {
		p.hand, p.earlier, p.ours = newHand(), newEarlier(), newOurs()
	}
	for _, c := range ours {
		if edited(c) {
			p.made(p.hand, p.earlier, c.Path, c.Before)
		}
		p.ours.files[c.Path] = c.After
		p.ours.by[c.Path] = append(p.ours.by[c.Path], len(p.ours.jobs))
		p.now[c.Path] = string(c.After)
	}
	p.ours.jobs = append(p.ours.jobs, j)
	if j.Alone {
		p.close()
	}
}

// full reports whether the commit that is being filled takes no other job.
func (p *planner) full() bool {
	return p.ours != nil && (len(p.ours.jobs) >= p.most.jobs || len(p.ours.files) >= p.most.files)
}

func newOurs() *version { return &version{files: map[string]Hash{}, by: map[string][]int{}} }

func newHand() *version { return &version{hand: true, files: map[string]Hash{}} }

func newEarlier() *version { return &version{reason: "earlier writes", files: map[string]Hash{}} }

// made puts a state that no job of the list made where it belongs.
func (p *planner) made(hand, earlier *version, path string, h Hash) {
	if p.git.wrote(path, h) {
		earlier.files[path] = h
	} else {
		hand.files[path] = h
	}
}

// touched reports whether the commit that is being filled has a path already.
func (p *planner) touched(path string) bool {
	if p.ours == nil {
		return false
	}
	_, ours := p.ours.files[path]
	_, hand := p.hand.files[path]
	_, earlier := p.earlier.files[path]
	return ours || hand || earlier
}

// close ends the commit that is being filled.
func (p *planner) close() {
	if p.ours != nil {
		p.add(p.earlier)
		p.add(p.hand)
		p.add(p.ours)
	}
	p.earlier, p.hand, p.ours = nil, nil, nil
}

// rest adds what stands on disk and is not what the last job left.
func (p *planner) rest(prefix string) {
	hand, earlier := newHand(), newEarlier()
	hand.swept = true
	said := &version{swept: true, reason: "sessions", files: map[string]Hash{}}
	settings := &version{hand: true, reason: "settings", files: map[string]Hash{}}
	for path, f := range p.s.disk {
		switch {
		case p.now[path] == string(f.sum):
		case p.s.settings[path]:
			if settings.files[path] = f.sum; !strings.HasSuffix("/"+path, "/"+rootFile) {
				settings.reason = "schema"
			}
		case inSessions(strings.TrimPrefix(path, prefix)):
			said.files[path] = f.sum
		default:
			p.made(hand, earlier, path, f.sum)
		}
	}
	p.add(said)
	p.add(earlier)
	p.add(hand)
	p.add(settings)
}

// add puts a version into the plan. A file whose bytes cannot be had any more,
// or that was purged since, is left out, and the next version of it says so.
func (p *planner) add(v *version) {
	for _, path := range v.paths() {
		h := v.files[path]
		switch {
		case p.withheld[path] && h != "":
			delete(v.files, path)
		case h != "" && p.s.object(path, h) == "":
			delete(v.files, path)
			if !v.renewed(path) {
				p.lost[path] = append(p.lost[path], v.what(path))
			}
		case len(p.lost[path]) > 0:
			v.notes = append(v.notes, path+" also holds what came before and was replaced before it could be committed: "+strings.Join(p.lost[path], ", "))
			delete(p.lost, path)
		}
	}
	p.done = append(p.done, v)
}

// renewed reports whether a file is in a version for renewals alone.
func (v *version) renewed(path string) bool {
	return len(v.by[path]) > 0 && !slices.ContainsFunc(v.by[path], func(i int) bool {
		return slices.ContainsFunc(v.jobs[i].Changes, func(c Change) bool { return c.Path == path && !c.Renewed })
	})
}

// what says how a file came into a version.
func (v *version) what(path string) string {
	if v.hand {
		return "an edit by hand"
	}
	if v.reason != "" {
		return v.reason
	}
	var from []string
	for _, i := range v.by[path] {
		from = append(from, fmt.Sprintf("%s (job %s)", v.jobs[i].Reason, v.jobs[i].ID))
	}
	return strings.Join(from, ", ")
}

// Lines of a commit's message by which it is known again.
const (
	trailerJob  = "Brain-Job: "
	trailerHand = "Brain-Edit: hand"
)

// maxNamed is how many files a message names.
const maxNamed = 100

// message is that of a commit which changes these files, named within the brain;
// prefix is where the brain is.
func (v *version) message(named []string, prefix string) string {
	in := map[string]bool{}
	for _, n := range named {
		in[prefix+n] = true
	}
	var jobs, reasons []string
	for _, j := range v.jobs {
		if !slices.ContainsFunc(j.Changes, func(c Change) bool { return in[c.Path] }) {
			continue
		}
		jobs = append(jobs, trailerJob+j.ID)
		if r := strings.Join(strings.Fields(j.Reason), " "); !slices.Contains(reasons, r) {
			reasons = append(reasons, r)
		}
	}
	if v.hand {
		reasons, jobs = []string{"edit by hand"}, []string{trailerHand}
	}
	if v.reason != "" {
		reasons = []string{v.reason}
	}
	var b strings.Builder
	b.WriteString(strings.Join(reasons, ", ") + ": ")
	if len(named) == 1 {
		b.WriteString(named[0] + "\n")
	} else {
		fmt.Fprintf(&b, "%d files\n\n%s\n", len(named), strings.Join(named[:min(len(named), maxNamed)], "\n"))
	}
	for _, part := range [][]string{v.notes, jobs} {
		if len(part) > 0 {
			b.WriteString("\n" + strings.Join(part, "\n") + "\n")
		}
	}
	return b.String()
}
