package dream

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"brain/page"
	"brain/store"
)

// Proposing brings together what was open and what a night has found:
//
//	answers in contradictions.md     decided first
//	found, and rejected once         left out
//	found, and open already          renewed: places and dates are those of now
//	open, not found, looked for      gone: one of its claims is, or was changed
//	open, not looked for             stays: its turn comes in another night

// propose does so in one update. looked reports whether an open pair would have been found in
// this night, did it still hold. It is asked before, as it may take long; a pair that came
// meanwhile stays.
func (n *night) propose(ctx context.Context, found []Pair, looked func(Pair) bool) error {
	var m *merged
	var taken []Verdict
	var left []Left
	var kept store.OwnFile
	var rewritten bool
	before, err := n.docket(ctx)
	if err != nil {
		return err
	}
	sought := map[string]bool{}
	for _, p := range before.open {
		sought[p.ID] = looked(p)
	}
	err = n.update(ctx, "contradictions", func(tx *store.Tx) error {
		d, err := before.again(tx.Read, tx.ReadOwn)
		if err != nil {
			return err
		}
		if left, err = d.takeAnswers(tx, n.at, nil); err != nil {
			return err
		}
		m = d.merge(undecided(found, d.taken), func(p Pair) bool { return sought[p.ID] }, n.maxPairs())
		var lost []Left
		taken, lost = d.told(nil)
		left = append(append(left, lost...), d.unclear()...)
		rewritten, err = d.write(tx)
		m.noRoom(d.noPlace)
		kept = d.kept
		return err
	})
	if err != nil {
		return err
	}
	n.tellTaken(taken)
	if kept != "" {
		n.changed(string(kept), "another program's list of contradictions, kept")
	}
	if rewritten {
		n.changed(string(ReviewFile), m.String())
	}
	n.stage.Left = append(n.stage.Left, left...)
	n.tellPairs(m)
	return nil
}

// carryOutAnswers decides what people answered in the list, before pairs are looked for: where
// one place lost, another that says the same is found in this night and not in the next.
func (n *night) carryOutAnswers(ctx context.Context) error {
	d, err := ReadDocket(ctx, n.Store)
	if err != nil || len(d.Answers) == 0 {
		return err
	}
	var taken []Verdict
	var lost []Left
	err = n.update(ctx, "contradictions", func(tx *store.Tx) error {
		d, err := readDocket(tx.Read, tx.ReadOwn)
		if err != nil {
			return err
		}
		if _, err := d.takeAnswers(tx, n.at, nil); err != nil || len(d.taken) == 0 {
			return err // propose tries those that failed once more, and names them
		}
		taken, lost = d.told(nil) // propose does not see them any more
		_, err = d.write(tx)
		return err
	})
	if err == nil && len(taken) > 0 {
		n.stage.Left = append(n.stage.Left, lost...)
		n.tellTaken(taken)
		n.changed(string(ReviewFile), fmt.Sprintf("%d answers carried out", len(taken)))
	}
	return err
}

// tellTaken puts decisions into the report.
func (n *night) tellTaken(taken []Verdict) {
	for _, v := range taken {
		for _, deed := range v.Did {
			s := Side{Path: deed.Path, Text: deed.Text}
			n.changed(string(deed.Path), "superseded: "+s.told())
		}
	}
	n.did("answers", len(taken))
}

// wouldPropose tells what propose would do.
func (n *night) wouldPropose(ctx context.Context, found []Pair, looked func(Pair) bool) error {
	d, err := n.docket(ctx)
	if err != nil {
		return err
	}
	ordered, _ := inOrder(d.answered(n.at))
	for _, c := range ordered {
		n.count("answers", 1)
		n.changed(string(ReviewFile), fmt.Sprintf("keep %s of the pair %s is carried out", c.how.Keep, c.ID))
	}
	m := d.merge(found, looked, n.maxPairs())
	m.noRoom(d.noPlace)
	if next, err := reviewBytes(d.open, d.answers); err != nil {
		return err
	} else if d.noPlace == "" && string(next) != string(d.raw) && (d.raw != nil || len(d.open) > 0) {
		n.changed(string(ReviewFile), m.String())
	}
	n.tellPairs(m)
	return nil
}

// docket is as it is now, outside of an update.
func (n *night) docket(ctx context.Context) (*docket, error) {
	return readDocket(func(p page.Path) ([]byte, error) { return n.Store.Read(ctx, p) },
		func(f store.OwnFile) ([]byte, error) { return n.Store.ReadOwn(ctx, f) })
}

func (n *night) maxPairs() int {
	if n.MaxPairs > 0 {
		return n.MaxPairs
	}
	return DefaultMaxPairs
}

// tellPairs puts what is open into the report, behind what is said of all of it: of a long list
// people are told the first.
func (n *night) tellPairs(m *merged) {
	n.count("pairs_open", len(m.open))
	n.did("pairs_new", m.fresh)
	n.did("pairs_gone", m.gone)
	if m.noPlace != "" && m.waiting > 0 {
		n.left(Left{Path: string(m.noPlace), What: fmt.Sprintf("%d contradictions wait: this page stands in the place of their list, %s", m.waiting, ReviewFile),
			Hint: "give the page another name: brain move"})
	} else if m.waiting > 0 {
		limit, hint := fmt.Sprintf("dream.max_pairs lets %d be open", n.maxPairs()), "decide some of those that are open, or raise dream.max_pairs"
		if m.full {
			limit, hint = "the list is as long as a page may be", "decide some of those that are open"
		}
		n.left(Left{Path: string(ReviewFile), What: fmt.Sprintf("%d more pairs have no room: %s", m.waiting, limit), Hint: hint})
	}
	if m.long > 0 {
		n.left(Left{Path: string(ReviewFile), What: fmt.Sprintf("%d pairs left out: a claim of more than %d characters", m.long, mostClaim),
			Hint: "cut what is said there into claims of their own"})
	}
	for _, p := range m.open {
		n.left(Left{Path: string(p.A.Path), Line: p.A.Line, Hint: "brain contradiction show " + p.ID,
			What: fmt.Sprintf("%s with %s:%d (%s): %s, %s", p.Kind, p.B.Path, p.B.Line, p.Screen, p.A.told(), p.B.told())})
	}
}

// told is what a report says of a claim: all agents may read that, so of what belongs to one
// not a word.
func (s *Side) told() string {
	if agent := s.owner(); agent != "" {
		return "a fact of the agent " + agent
	}
	return strconv.Quote(shortly(s.Text))
}

// undecided leaves out pairs that were decided this moment: they were found before.
func undecided(found []Pair, taken []Verdict) []Pair {
	return slices.DeleteFunc(slices.Clone(found), func(p Pair) bool {
		return slices.ContainsFunc(taken, func(v Verdict) bool {
			if v.Texts == p.Texts {
				return true
			}
			loser := v.Of.loser(v.Keep)
			return loser != nil && (loser.same(p.A) || loser.same(p.B))
		})
	})
}

// same reports the same claim of the same page.
func (s *Side) same(o Side) bool {
	return s.Path == o.Path && page.ClaimKey(s.Text) == page.ClaimKey(o.Text)
}

// merged says what a merge came to.
type merged struct {
	open                 []Pair // afterwards
	fresh, gone, waiting int
	full                 bool      // some wait since the list has no room, however many may be open
	noPlace              page.Path // a person's page, for which there is no list
	long                 int       // found, and left out: a claim is too long to be asked about
}

// noRoom lets all pairs wait while a page has the place of their list.
func (m *merged) noRoom(page page.Path) {
	if m.noPlace = page; page != "" {
		m.waiting += len(m.open)
		m.open, m.fresh, m.gone = nil, 0, 0
	}
}

func (m *merged) String() string {
	return fmt.Sprintf("%d open pairs, %d of them new, %d gone", len(m.open), m.fresh, m.gone)
}

// merge brings what was found into the list. Texts tell which pairs are the same: of what they
// speak may have another name now. What is open already has its place before what is new.
func (d *docket) merge(found []Pair, looked func(Pair) bool, most int) *merged {
	m := &merged{}
	now := map[string]Pair{}
	var order []string
	for _, p := range slices.SortedStableFunc(slices.Values(found), strongest) {
		switch _, dup := now[p.Texts]; {
		case dup || d.verdicts.rejected(p):
		case p.tooLong():
			m.long++
		default:
			now[p.Texts] = p
			order = append(order, p.Texts)
		}
	}
	var open []Pair
	had := map[string]bool{}
	for _, p := range d.open {
		next, again := now[p.Texts]
		switch {
		case had[p.Texts]:
			continue
		case again:
			next.turnLike(p)
			d.rename(p.ID, next.ID)
			p = next
		case looked(p):
			m.gone++
			if d.answers[p.ID].keep == "" { // else it was tried, and named
				d.lose(p, "it is no answer, and one of its claims is gone", "")
			}
			delete(d.answers, p.ID)
			continue
		}
		had[p.Texts] = true
		open = append(open, p)
	}
	for _, texts := range order {
		switch {
		case had[texts]:
		case len(open) >= most:
			m.waiting++
		default:
			open = append(open, now[texts])
		}
	}
	d.open = open
	without := d.fit()
	m.waiting, m.full = m.waiting+without, without > 0
	slices.SortStableFunc(d.open, strongest)
	for _, p := range d.open {
		if !had[p.Texts] {
			m.fresh++
		}
	}
	m.open = d.open
	return m
}

// turnLike gives the pair's claims the order in which they were shown: somebody may be about to
// answer.
func (p *Pair) turnLike(shown Pair) {
	if page.ClaimKey(p.A.Text) != page.ClaimKey(shown.A.Text) {
		p.A, p.B = p.B, p.A
		p.Detail[0], p.Detail[1] = p.Detail[1], p.Detail[0]
	}
}

// rename carries an answer over to the id that its pair has now.
func (d *docket) rename(was, is string) {
	if said, ok := d.answers[was]; ok && was != is {
		delete(d.answers, was)
		d.answers[is] = said
	}
}
