package dream

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"brain/page"
	"brain/store"
)

// An answer that a person wrote into contradictions.md is carried out by the next night or verdict,
// whatever that is about. Each is, stays, or goes with its pair:
//
//	carried out    as a verdict by "file"
//	stays          it is no answer, or its claim or page is in the way; that is said each time
//	goes           its pair does: the text was edited, a claim is gone, another verdict settled it

// choice is a pair and what is chosen of it.
type choice struct {
	Pair
	how Decision
}

// answered are the answers in the list.
func (d *docket) answered(at time.Time) (all []choice) {
	for _, p := range d.open {
		if said := d.answers[p.ID]; said.keep != "" {
			all = append(all, choice{p, Decision{Keep: said.keep, Note: said.note, By: "file", At: at}})
		}
	}
	return all
}

// inOrder puts first what keeps a claim, and then what drops it, so that of 900 over 600 and 950 over
// 900 both can be carried out. Choices that go round in a circle, and those that would come after
// them, have no such order.
func inOrder(all []choice) (ordered, circle []choice) {
	type said struct {
		path page.Path
		key  string
	}
	claim := func(s *Side) said { return said{s.Path, page.ClaimKey(s.Text)} }
	drops, keeps, kept := map[string]said{}, map[string][]said{}, map[said]int{}
	for _, c := range all {
		loser := c.loser(c.how.Keep)
		if loser != nil {
			drops[c.ID] = claim(loser)
		}
		for _, s := range [...]*Side{&c.A, &c.B} {
			if loser == nil || s.Text != loser.Text || s.Path != loser.Path {
				keeps[c.ID] = append(keeps[c.ID], claim(s))
				kept[claim(s)]++
			}
		}
	}
	circle = slices.Clone(all)
	for {
		i := slices.IndexFunc(circle, func(c choice) bool { return kept[drops[c.ID]] == 0 })
		if i < 0 {
			return ordered, circle
		}
		for _, s := range keeps[circle[i].ID] {
			kept[s]--
		}
		ordered, circle = append(ordered, circle[i]), slices.Delete(circle, i, i+1)
	}
}

// takeAnswers decides the pairs that a person answered in the list. One that cannot be carried out
// stays there as it is. Only those that may be seen are named, nil is all of them.
func (d *docket) takeAnswers(tx *store.Tx, at time.Time, may func(Pair) bool) (left []Left, err error) {
	ordered, circle := inOrder(d.answered(at))
	name := func(c choice, why error) {
		if may == nil || may(c.Pair) {
			left = append(left, notCarriedOut(&c, why))
		}
	}
	for _, c := range ordered {
		why, err := d.carryOut(tx, c)
		if err != nil {
			return nil, err
		}
		if why != nil {
			name(c, why)
		}
	}
	for _, c := range circle {
		name(c, errCircle)
	}
	return left, nil
}

var errCircle = errors.New("each of several answers drops a claim that another one keeps; take one of them back")

// carryOut decides what was answered on a pair, unless that went with another one. why is what came
// in its way, if it stays.
func (d *docket) carryOut(tx *store.Tx, c choice) (why, err error) {
	if !d.isOpen(c.ID) {
		return nil, nil
	}
	v, _, _, err := d.decide(tx, c.Pair, c.how)
	var ofPage claimError
	switch {
	case errors.As(err, &ofPage) && !isEnded(err):
		return err, nil
	case err != nil:
		return nil, err
	}
	delete(d.answers, c.ID)
	d.taken = append(d.taken, v)
	return nil, nil
}

// notCarriedOut says why, unless that would quote a fact of an agent: a report is read by all.
func notCarriedOut(c *choice, why error) Left {
	what := fmt.Sprintf("keep %s of the pair %s cannot be carried out", c.how.Keep, c.ID)
	if c.ShownTo("") || why == errCircle {
		what += ": " + why.Error()
	}
	return Left{Path: string(ReviewFile), What: what, Hint: "brain contradiction show " + c.ID}
}

// lost is an answer that goes with its pair.
type lost struct {
	of Pair
	Left
}

// lose lets go of what was answered on a pair that leaves the list, and says why it was not
// carried out.
func (d *docket) lose(p Pair, why, hint string) {
	said := d.answers[p.ID]
	delete(d.answers, p.ID)
	if said != (answer{}) {
		d.lost = append(d.lost, lost{p, Left{Path: string(ReviewFile), Hint: hint,
			What: fmt.Sprintf("%s was not carried out: %s", said.told(&p), why)}})
	}
}

// dropEdited takes the answers away that were given on a text which is not the pair's.
func (d *docket) dropEdited() {
	for _, id := range d.damaged {
		if !d.isOpen(id) {
			d.lose(Pair{ID: id}, "its text was edited in the list", "answer it again when it is listed as it stands in the pages; to change a claim, edit its page")
		}
	}
}

// told is what a report quotes of the answer on a pair. All agents may read it: where not all may
// see the pair, or its text was edited and nobody can tell whose it is, that is the choice alone.
func (a answer) told(p *Pair) string {
	said := cmp.Or(a.keep, "…")
	if p.A.Path != "" && p.ShownTo("") {
		said = shortly(a.plain())
	}
	return fmt.Sprintf("keep %s of the pair %s", said, p.ID)
}

// told are the answers that were carried out and those that are lost, of pairs that may be seen;
// nil is all of them.
func (d *docket) told(may func(Pair) bool) (taken []Verdict, left []Left) {
	for _, v := range d.taken {
		if may == nil || may(*v.Of) {
			taken = append(taken, v)
		}
	}
	for _, l := range d.lost {
		if may == nil || may(l.of) {
			left = append(left, l.Left)
		}
	}
	return taken, left
}

// unclear names the open pairs in whose lines something stands that is no answer.
func (d *docket) unclear() (left []Left) {
	for _, p := range d.open {
		if said := d.answers[p.ID]; said.unclear != "" {
			left = append(left, Left{Path: string(ReviewFile), What: said.told(&p) + " is no answer",
				Hint: "write a, b or both behind keep, and no other of them nor a question mark behind that; or: brain contradiction resolve " + p.ID})
		}
	}
	return left
}
