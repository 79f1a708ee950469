package dream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"brain/page"
	"brain/store"
)

// Verdicts are what people decided, a line of JSON each, in contradictions-reviews.jsonl.
// Lines are added and never changed; the last one of a pair counts. The log does not depend on
// contradictions.md, on the index or on what a Dream remembers: all of those can be deleted, and
// a pair that was rejected stays rejected. It is found by its id, and by its texts where what it
// speaks of has another name now.

// Verdict is one decision.
type Verdict struct {
	Pair  string    `json:"pair"`
	Texts string    `json:"texts"`
	Keep  string    `json:"keep"` // KeepA, KeepB, KeepBoth, or KeepOpen, which takes the one before back
	At    time.Time `json:"at"`
	By    string    `json:"by"` // an agent's name, "command", or "file" for an edit of contradictions.md
	Note  string    `json:"note,omitempty"`
	A     string    `json:"a"` // the two texts
	B     string    `json:"b"`
	Job   string    `json:"job,omitempty"` // by which it can be undone byte for byte
	Of    *Pair     `json:"of,omitempty"`  // the pair as it was decided
	Did   []Deed    `json:"did,omitempty"` // what became of the claim that was not kept
}

// Deed is a claim that left the index, and how.
type Deed struct {
	Path page.Path `json:"path"`
	How  string    `json:"how"`            // byStatus, byEntry or byPage
	Text string    `json:"text"`           // of the fact or entry, as it stands in the file
	Was  string    `json:"was,omitempty"`  // the status before
	Bare bool      `json:"bare,omitempty"` // the page had no front matter

	// By which the page is known where it was moved by hand: its title, and page.WordHash of its body.
	Title string `json:"title,omitempty"`
	Body  string `json:"body,omitempty"`
}

// shown reports whether who may see a pair may see the verdict: of one that lost a page to a
// purge, what became of the other page's claim.
func (d *Verdict) shown(may func(Pair) bool) bool {
	if d.Of != nil {
		return may(*d.Of)
	}
	return !slices.ContainsFunc(d.Did, func(deed Deed) bool { return !may(Pair{A: Side{Path: deed.Path}}) })
}

// owner is the agent whose pair it was, "" for all, and for one of which that is not known.
func (d *Verdict) owner() string {
	if d.Of == nil {
		return ""
	}
	return d.Of.owner()
}

// How a claim leaves the index.
const (
	byStatus = "status" // a fact of facts: is superseded
	byEntry  = "entry"  // an entry of facts: says so of a sentence
	byPage   = "page"   // the page, a fact of an agent, is superseded
)

// Verdicts is the log, read.
type Verdicts struct {
	All     []Verdict // in the order of the file
	Damaged []int     // lines that cannot be read, from 1; they stay as they are
	Foreign int       // lines of df-memory, which name facts by their numbers

	byID, byTexts map[string]int // of All
}

// readVerdicts reads the log. Texts are named anew, as words are read now.
func readVerdicts(raw []byte) *Verdicts {
	v := &Verdicts{byID: map[string]int{}, byTexts: map[string]int{}}
	n := 0
	for line := range bytes.Lines(raw) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var d Verdict
		err := json.Unmarshal(line, &d)
		if err == nil && d.Pair == "" && bytes.Contains(line, []byte(`"pair_id"`)) {
			v.Foreign++
			continue
		}
		if err != nil || d.Pair == "" || !isVerdict(d.Keep) {
			v.Damaged = append(v.Damaged, n)
			continue
		}
		v.add(d)
	}
	return v
}

func isVerdict(keep string) bool {
	return keep == KeepA || keep == KeepB || keep == KeepBoth || keep == KeepOpen
}

func (v *Verdicts) add(d Verdict) {
	v.All = append(v.All, d)
	n := len(v.All) - 1
	v.byID[d.Pair] = n
	if d.Texts != "" {
		v.byTexts[d.Texts] = n
	}
	if d.A != "" && d.B != "" {
		p := Pair{A: Side{Text: d.A}, B: Side{Text: d.B}}
		p.name(d.owner())
		v.byTexts[p.Texts] = n
	}
}

// clone is the same, to be added to.
func (v *Verdicts) clone() *Verdicts {
	return &Verdicts{slices.Clip(v.All), v.Damaged, v.Foreign, maps.Clone(v.byID), maps.Clone(v.byTexts)}
}

// Of is the verdict that stands on a pair.
func (v *Verdicts) Of(p Pair) (Verdict, bool) {
	n, ok := v.byID[p.ID]
	if !ok {
		n, ok = v.byTexts[p.Texts]
	}
	if !ok || v.All[n].Keep == KeepOpen {
		return Verdict{}, false
	}
	return v.All[n], true
}

// rejected reports a pair that a person found to be none, or whose words are none where all
// may see them. Where one of two claims was kept and the pair is found once more, the other one
// is said somewhere else.
func (v *Verdicts) rejected(p Pair) bool {
	d, ok := v.Of(p)
	if !(ok && d.Keep == KeepBoth) && p.owner() != "" {
		d, ok = v.Of(p.forAll())
	}
	return ok && d.Keep == KeepBoth
}

// Standing are the verdicts that count, in the order of the file.
func (v *Verdicts) Standing() []Verdict {
	var all []Verdict
	for n, d := range v.All {
		if v.byID[d.Pair] == n && d.Keep != KeepOpen {
			all = append(all, d)
		}
	}
	return all
}

// log writes a verdict down.
func logVerdict(tx *store.Tx, d Verdict) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		return fmt.Errorf("write a verdict: %w", err)
	}
	return tx.Append(store.Verdicts, []byte(strings.TrimRight(b.String(), "\n")))
}
