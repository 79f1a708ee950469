package dream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"brain/page"
	"brain/store"
)

// How far an experience is to be trusted is learned from what came of following it:
//
//	success   eta + 0.1, at most 1; support + 1
//	failure   eta − 0.2, at least 0; a counter-example more
//
// It begins at 0.5. From 0.7 on, with two successes and no counter-example, it is mature:
// a skill is proposed (skill.go). A failure weighs twice, and a counter-example stops the
// experience from maturing until a person has looked at it and takes it out of the list.

const (
	firstEta      = 0.5
	etaGain       = 0.1
	etaLoss       = 0.2
	matureEta     = 0.7
	matureSupport = 2
)

// Mature reports whether a skill may be made of an experience.
func (x *Experience) Mature() bool {
	return x.Eta >= matureEta-1e-9 && x.Support >= matureSupport && x.Failed == 0
}

// Outcome is what came of following an experience, or a skill.
type Outcome struct {
	Success bool
	Note    string // what happened; of a failure it is the counter-example
	By      string
	At      time.Time
}

// Told is what a report of an outcome led to.
type Told struct {
	store.Receipt
	Experience *Experience // as it is now
	Skill      page.Path   // that was proposed now; ""
}

// ErrNoExperience is the error for a page that is neither an experience nor a skill.
var ErrNoExperience = errors.New("neither an experience nor a skill")

// ReportOutcome counts an outcome for the experience at a path, or the one that the skill at it was
// made of; a skill that was made of none keeps the figures itself. What matures by it is
// proposed as a skill in the same update.
func ReportOutcome(ctx context.Context, st *store.Store, pack *page.Pack, at page.Path, o Outcome) (*Told, error) {
	told := &Told{}
	var done *store.Receipt
	err := st.Update(ctx, "outcome", func(tx *store.Tx) error {
		done = tx.Receipt()
		x, err := reported(tx, at)
		if err != nil {
			return err
		}
		next, err := page.Splice(x.Path, x.page.Raw, append(x.after(o), x.page.Renewed(o.At)...)...)
		if err != nil {
			return err
		}
		if !bytes.Equal(next, x.page.Raw) {
			if err := tx.Replace(x.Path, store.HashOf(x.page.Raw), next); err != nil {
				return err
			}
		}
		told.Experience = ReadExperience(page.Parse(x.Path, next))
		told.Skill, err = propose(ctx, tx, st, pack, told.Experience, o.At)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("report an outcome of %s: %w", at, err)
	}
	told.Receipt = *done
	return told, nil
}

// reported is the experience that an outcome counts for.
func reported(tx *store.Tx, at page.Path) (*Experience, error) {
	raw, err := tx.Read(at)
	if err != nil {
		return nil, err
	}
	p := page.Parse(at, raw)
	switch p.Type {
	case "experience":
		return ReadExperience(p), nil
	case "skill":
		return ReadExperience(p).Origin(tx.Read)
	}
	return nil, fmt.Errorf("%w: %s is of type %s", ErrNoExperience, at, p.Type)
}

// Origin is the experience that a skill was made of, else the skill.
func (x *Experience) Origin(read func(page.Path) ([]byte, error)) (*Experience, error) {
	for _, target := range x.Sources {
		p, err := page.ParsePath(strings.TrimSuffix(target, ".md") + ".md")
		if err != nil {
			continue
		}
		raw, err := read(p)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if made := page.Parse(p, raw); made.Type == "experience" {
			return ReadExperience(made), nil
		}
	}
	return x, nil
}

// after are the changes of an outcome.
func (x *Experience) after(o Outcome) []page.Change {
	eta, support := x.Eta-etaLoss, x.Support
	if o.Success {
		eta, support = x.Eta+etaGain, x.Support+1
	}
	key := "eta"
	if len(page.Values(x.Path, x.page.Raw, "eta")) == 0 && len(page.Values(x.Path, x.page.Raw, "eta_score")) > 0 {
		key = "eta_score" // df-memory's name
	}
	all := []page.Change{page.SetText("support", strconv.Itoa(support)), page.SetText(key, formatEta(eta))}
	if !o.Success {
		all = append(all, page.AddTo("counter_examples", o.counterExample()))
	}
	return all
}

// counterExample is a failure as a line: when, by whom, what.
func (o Outcome) counterExample() string {
	what := strings.Join(strings.Fields(o.Note), " ")
	if what == "" {
		what = "it failed"
	}
	return strings.TrimSpace(o.At.UTC().Format("2006-01-02T15:04:05Z")+" "+o.By) + ": " + what
}

// formatEta keeps two digits: sums of tenths stay what they are on paper.
func formatEta(eta float64) string {
	return strconv.FormatFloat(math.Round(min(1, max(0, eta))*100)/100, 'f', -1, 64)
}
