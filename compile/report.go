package compile

import (
	"time"

	"brain/memory"
	"brain/page"
)

// Report tells what became of a session's turns.
type Report struct {
	Session  string
	Path     page.Path // of the session
	Agent    string
	From, To int    // turns, from 1
	Fed      int    // turns that extraction saw; the others were said to nobody
	Mode     string // ModeRules, or provider/model
	Windows  int
	Resumed  int // windows whose findings were known from before
	Changes
	Dropped []Dropped
	Nothing bool // nothing was worth keeping
	Notes   []string
	Calls   int // of the model
	In, Out int // its tokens
	Took    time.Duration
}

// Changes is what came of the session, in one update.
type Changes struct {
	Pages        []Made
	Removed      []page.Path // facts that a finding took away
	Summaries    []Summarized
	Stale        []memory.StaleRemoval // facts that grew old and were taken away
	Extended     []memory.Extended     // or hold longer
	Evicted      []memory.Evicted      // facts that had to make room
	Consolidated []memory.Consolidated
	Job          string // by which it can be undone; "" when nothing was written
}

// count is how many changes there are.
func (c *Changes) count() int {
	return len(c.Pages) + len(c.Removed) + len(c.Summaries) + len(c.Stale) + len(c.Extended) + len(c.Evicted) + len(c.Consolidated)
}

// Summarized is a summary that says something else now.
type Summarized struct {
	Key           string // user.topOfMind
	Turns         []int
	Before, After string // "" where only that it changed is known
}

// Made is a page that came of the session, or one that says it already.
type Made struct {
	Path      page.Path
	Title     string
	Type      string
	Turns     []int
	Duplicate bool // Path said it before
	Gained    bool // and has the session as a source now
	Merged    bool // a fact: Path says nearly the same and stands for it
	Why       string
	Against   []Against // what says otherwise; both stay
	Before    []byte    // of a dry run: the page as it is, nil for none
	After     []byte    // of a dry run: as it would be
}

// Against is a page that contradicts one that was made.
type Against struct {
	Path         page.Path
	Line         int
	Screen       string
	Ours, Theirs string
}

// Dropped is a finding that was not kept.
type Dropped struct {
	Text   string // its beginning
	Turns  []int
	Reason Reason
	Detail string
}

// Reason is why a finding was dropped.
type Reason string

// The reasons, in the order in which they are looked for.
const (
	Malformed    Reason = "malformed"    // not of the form that was asked for
	NamesPath    Reason = "names a path" // path, link or front matter: where is not for it to say
	InventedTurn Reason = "no such turn" // cites what is not there, or nothing
	NoEvidence   Reason = "no evidence"  // the turns that it cites do not hold its words
	NotUsers     Reason = "scope"        // of a thread or project, not of the user
	NotDurable   Reason = "durability"   // true only for now
	NoAuthority  Reason = "authority"    // an instruction, not a description
	Unlabelled   Reason = "no label"     // one of the three is missing or unknown
	Unsure       Reason = "confidence"   // below 0.7, or none
	NoReason     Reason = "no reason"    // a removal that does not say why
	UnknownFact  Reason = "unknown fact" // a removal of what is not there
	NoReplacing  Reason = "not replaced" // a removal whose replacement was not kept
	SaidTwice    Reason = "said twice"   // the same as another finding of the session
	NotAllowed   Reason = "schema"       // the schema pack has no place for it
	Unwritable   Reason = "not writable" // no page can hold it
	WasPurged    Reason = "was purged"   // forgotten for good
	NoRoom       Reason = "no room"      // a fact that counts for less than all that are kept
	Overtaken    Reason = "overtaken"    // a summary or a fact that somebody changed while a model was asked
	NotReviewed  Reason = "review"       // a fact that may not be taken away, or extended, for its age
	NotMerged    Reason = "merge"        // facts that may not become this one
)

func (r *Report) drop(text string, turns []int, why Reason, detail string) {
	r.Dropped = append(r.Dropped, Dropped{Text: beginning(text), Turns: turns, Reason: why, Detail: beginning(detail)})
}

// Rejects reports a reason that speaks against what was found. What was said twice, what
// there is no room for, and what somebody else was faster with might have been good.
func (r Reason) Rejects() bool { return r != SaidTwice && r != NoRoom && r != Overtaken }

// Rejected is how many findings the gate dropped of how many.
func (r *Report) Rejected() (rejected, all int) {
	for _, d := range r.Dropped {
		if d.Reason.Rejects() {
			rejected++
		}
	}
	return rejected, rejected + r.count() - len(r.Evicted)
}

// mostRejected is the share from which rejections deserve a warning, fewRejected
// the number below which a share says nothing.
const (
	mostRejected = 0.6
	fewRejected  = 5
)

// MostlyRejected reports that a model's findings are mostly of no use: the model
// is too small, or the prompts do not fit it.
func MostlyRejected(rejected, all int) bool {
	return rejected >= fewRejected && float64(rejected) > mostRejected*float64(all)
}

func (r *Report) paths() (out []page.Path) {
	for _, m := range r.Pages {
		out = append(out, m.Path)
	}
	return out
}
