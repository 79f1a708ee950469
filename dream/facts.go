package dream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"brain/compile"
	"brain/llm"
	"brain/memory"
	"brain/page"
	"brain/store"
	"brain/text"
)

// Facts that an agent holds are looked after by the rules of memory: those that grew old,
// those that say parts of the same, those for which there is no room.
//
//	list → what was not looked at yet → one question → its verdicts, as far as they are
//	allowed and the facts are as they were shown → again, until all were looked at → room
//
// A fact is asked about once, as long as it is as it was: that it was looked at and stays is
// remembered by the hash of its file. What a person wrote is named to people and never shown
// to a model, since nobody is there who could say that it may go. Without a model there is
// only room to be made.

func (n *night) facts(ctx context.Context) error {
	if n.Facts == nil {
		return nil
	}
	inputs, err := n.factFiles(ctx)
	if err != nil {
		return err
	}
	if n.unchanged("facts", inputs...) {
		return nil
	}
	agents, err := n.Facts.Agents(ctx)
	if err != nil {
		return fmt.Errorf("list the agents: %w", err)
	}
	there := map[string]bool{}
	for _, agent := range agents {
		if n.off(agent) {
			continue
		}
		if err := n.factsOf(ctx, agent, there); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			n.failed("facts of agent %s: %v", agent, err)
		}
	}
	maps.DeleteFunc(n.state.Reviewed, func(key, _ string) bool { return !there[key] })
	return nil
}

// factFiles tells of the facts as the index knows them, of the rules for them, and of the
// day: they grow old by themselves.
func (n *night) factFiles(ctx context.Context) ([][]byte, error) {
	v, err := n.view(ctx)
	if err != nil {
		return nil, err
	}
	manifest, err := n.Store.ReadOwn(ctx, store.Summaries) // names facts that have no file yet
	if err != nil {
		return nil, err
	}
	rules, err := json.Marshal(n.Facts.Rules)
	if err != nil {
		return nil, err
	}
	var files []string
	for row := range v.All {
		if p := v.Page(row); p.Path.Agent() != "" && !p.Path.IsSession() {
			files = append(files, fmt.Sprintf("%s %x %d %d", p.Path, p.Hash, p.File.Size, p.File.Mtime))
		}
	}
	slices.Sort(files)
	return [][]byte{[]byte(n.at.UTC().Format(time.DateOnly)), manifest, rules, []byte(strings.Join(files, "\n"))}, nil
}

// aFewRounds bounds the questions about one agent's facts in one night.
const aFewRounds = 8

// factsOf looks after one agent's facts; there takes the keys of those it has.
func (n *night) factsOf(ctx context.Context, agent string, there map[string]bool) error {
	for round := range aFewRounds {
		l, err := n.Facts.List(ctx, agent)
		if err != nil {
			return err
		}
		r := n.toReview(agent, l.Facts)
		if round == 0 {
			n.looked(len(l.Facts), "facts")
			n.nameAged(r)
		}
		for i := range l.Facts {
			there[r.key(l.Facts[i].ID)] = true
		}
		if len(r.aged)+len(r.groups) == 0 || !n.Since.IsZero() {
			break
		}
		if done, err := n.review(ctx, r); err != nil {
			return err
		} else if !done {
			break
		}
	}
	return n.room(ctx, agent)
}

// review is a question about one agent's facts.
type review struct {
	agent  string
	all    []memory.Fact // as they were listed
	aged   []memory.Fact // to be asked about
	manual []memory.Fact // aged, and written by a person
	groups []memory.Group
	shown  map[string]store.Hash // of the files of those asked about, by id
}

// mostAged bounds a question about aged facts.
const mostAged = 30

// toReview chooses what is asked about: of those facts that nobody wrote by hand the ones
// at which no model has looked as they are now.
func (n *night) toReview(agent string, all []memory.Fact) *review {
	r := &review{agent: agent, all: all, shown: map[string]store.Hash{}}
	var open []memory.Fact
	for i := range all {
		if f := &all[i]; !byHand(f) && n.state.Reviewed[r.key(f.ID)] != string(f.Hash()) {
			open = append(open, *f)
		}
	}
	for _, f := range n.Facts.Aged(all) {
		if byHand(&f) {
			r.manual = append(r.manual, f)
		}
	}
	r.aged = n.Facts.Aged(open)
	r.aged = r.aged[:min(len(r.aged), mostAged)]
	r.groups = n.Facts.Mergeable(open)
	ask := slices.Clone(r.aged)
	for _, g := range r.groups {
		ask = append(ask, g.Facts...)
	}
	for i := range ask {
		r.shown[ask[i].ID] = ask[i].Hash()
	}
	return r
}

func byHand(f *memory.Fact) bool { return f.Source.Type == "manual" }

func (r *review) key(id string) string { return r.agent + "/" + id }

// nameAged names facts that grew old and that no model is asked about.
func (n *night) nameAged(r *review) {
	aged := r.manual
	if n.Completer == nil {
		aged = n.Facts.Aged(r.all)
	}
	for i := range aged {
		if i == mostNamed {
			n.left(Left{Path: "agents/" + r.agent + "/facts", What: fmt.Sprintf("%d more facts grew old", len(aged)-i), Hint: "`brain fact list" + r.flag() + "` lists all"})
			break
		}
		f := &aged[i]
		n.left(Left{Path: r.path(f.ID), What: "nobody confirmed it for a long time: " + text.Clip(strings.Join(strings.Fields(f.Content), " "), 80),
			Hint: "`brain fact confirm " + f.ID + r.flag() + "` if it holds, `brain fact delete` if not"})
	}
	if len(aged) > 0 {
		n.did("facts_aged", len(aged))
	}
}

// flag is how a command is told whose facts are meant.
func (r *review) flag() string {
	if r.agent == page.DefaultAgent {
		return ""
	}
	return " --agent " + r.agent
}

func (r *review) path(id string) string {
	p, err := memory.FactPath(r.agent, id)
	if err != nil {
		return "agents/" + r.agent + "/facts"
	}
	return string(p)
}

// review asks about facts and carries out what is allowed of the answer; done: they were
// looked at.
func (n *night) review(ctx context.Context, r *review) (done bool, err error) {
	req, err := compile.ReviewRequest(r.aged, r.groups, n.Language)
	if err != nil {
		return false, err
	}
	raw, _, err := n.ask(ctx, "facts", compile.ReviewVersion, req, func(raw json.RawMessage) error {
		_, err := n.verdicts(r, raw)
		return err
	})
	if err != nil {
		return false, unanswered(err)
	}
	v, err := n.verdicts(r, raw)
	if err != nil {
		return false, err
	}
	if n.DryRun { // the answer of a night that did not come so far as to carry it out
		n.wouldCarryOut(r, v)
		return false, nil
	}
	made, err := n.carryOut(ctx, r, v)
	if errors.Is(err, store.ErrConflict) {
		n.later()
		n.left(Left{Path: "agents/" + r.agent + "/facts", What: "somebody changed them meanwhile", Hint: "they are looked at another night"})
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for id, hash := range r.shown {
		n.state.Reviewed[r.key(id)] = string(hash)
	}
	for i := range made {
		n.state.Reviewed[r.key(made[i].ID)] = string(made[i].Hash())
	}
	return true, nil
}

// unanswered keeps the error of a question that ends more than the question; all else is
// noted where it was asked.
func unanswered(err error) error {
	_, ofModel := errors.AsType[*llm.Error](err)
	if ofModel || errors.Is(err, ErrNoModel) || errors.Is(err, ErrDry) || errors.Is(err, ErrRejected) || errors.Is(err, ErrNotYet) {
		return nil
	}
	return err
}

// verdicts reads a reply. One of which nothing may be carried out, though it proposes
// something, is of no use: so is a fact in place of others that drops what they say.
func (n *night) verdicts(r *review, raw json.RawMessage) (*compile.Reviewed, error) {
	v, err := compile.ReadReview(raw)
	if err != nil {
		return nil, err
	}
	unknown := func(id string) bool { _, ok := r.shown[id]; return !ok }
	proposed := len(v.Review.Remove) + len(v.Review.Extend) + len(v.Merges)
	v.Review.Remove = slices.DeleteFunc(v.Review.Remove, func(x memory.StaleRemoval) bool { return unknown(x.ID) })
	v.Review.Extend = slices.DeleteFunc(v.Review.Extend, func(x memory.StaleExtension) bool { return unknown(x.ID) })
	v.Merges = slices.DeleteFunc(v.Merges, func(c memory.Consolidation) bool { return slices.ContainsFunc(c.Sources, unknown) })
	if proposed == 0 {
		return v, nil
	}
	switch good, refused := n.Facts.Judge(r.all, v.Review, v.Merges); {
	case good > 0:
		return v, nil
	case len(refused) > 0:
		return nil, fmt.Errorf("of %s: %s", strings.Join(refused[0].IDs, ", "), refused[0].Reason)
	}
	return nil, errors.New("it is about facts that were not shown")
}

// wouldCarryOut tells what carryOut would do, as far as the facts allow it.
func (n *night) wouldCarryOut(r *review, v *compile.Reviewed) {
	_, refused := n.Facts.Judge(r.all, v.Review, v.Merges)
	allowed := func(ids ...string) bool {
		return !slices.ContainsFunc(refused, func(no memory.Refusal) bool { return slices.Equal(no.IDs, ids) })
	}
	for _, x := range v.Review.Remove {
		if allowed(x.ID) {
			n.changed(r.path(x.ID), "aged fact removed: "+text.Clip(x.Reason, 120))
		}
	}
	for _, x := range v.Review.Extend {
		if allowed(x.ID) {
			n.changed(r.path(x.ID), "aged fact holds longer")
		}
	}
	for _, c := range v.Merges {
		if allowed(c.Sources...) {
			n.changed("agents/"+r.agent+"/facts", "fact made of "+strings.Join(c.Sources, ", "))
		}
	}
}

// carryOut does what a reply says, in one update. A fact that is not as it was shown stays
// as it is.
func (n *night) carryOut(ctx context.Context, r *review, v *compile.Reviewed) (made []memory.Fact, err error) {
	if len(v.Review.Remove)+len(v.Review.Extend)+len(v.Merges) == 0 {
		return nil, nil
	}
	var came factChanges
	var refused []memory.Refusal
	d, err := n.changeFacts(ctx, "facts of agent "+r.agent, r.agent, func(b *memory.Batch) error {
		came, refused = factChanges{}, nil
		other := func(id string) bool {
			f, err := b.Fact(id)
			return err != nil || f.Hash() != r.shown[id]
		}
		var review memory.Review
		for _, x := range v.Review.Remove {
			if !other(x.ID) {
				review.Remove = append(review.Remove, x)
			}
		}
		for _, x := range v.Review.Extend {
			if !other(x.ID) {
				review.Extend = append(review.Extend, x)
			}
		}
		gone, err := n.Store.Forgotten(ctx)
		if err != nil {
			return err
		}
		var merges []memory.Consolidation
		for _, c := range v.Merges {
			if !slices.ContainsFunc(c.Sources, other) && !compile.Tells(gone, c.Content) {
				merges = append(merges, c)
			}
		}
		rep, err := b.Review(review)
		if err != nil {
			return err
		}
		con, err := b.Consolidate(merges)
		came.stale, came.extended, came.merged = rep.Removed, rep.Extended, con.Merged
		refused = slices.Concat(rep.Refused, con.Refused)
		return err
	})
	if err != nil {
		return nil, err
	}
	n.factsChanged(r.agent, came)
	for _, no := range refused {
		n.left(Left{Path: r.path(no.IDs[0]), What: "a model's proposal was refused: " + no.Reason, Hint: "the facts stay as they are"})
	}
	if dropped := len(v.Dropped) + len(refused); dropped > 0 {
		n.did("proposals_refused", dropped)
	}
	return d.Upserted, nil
}

// changeFacts is an update of one agent's facts.
func (n *night) changeFacts(ctx context.Context, reason, agent string, fn func(*memory.Batch) error) (d *memory.Delta, err error) {
	err = n.update(ctx, reason, func(tx *store.Tx) error {
		b, err := n.Facts.Batch(ctx, tx, agent)
		if err == nil {
			err = fn(b)
		}
		if err == nil {
			d, err = b.Write()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	n.Facts.Settle(d)
	return d, nil
}

// room takes away what an agent has too many of.
func (n *night) room(ctx context.Context, agent string) error {
	l, err := n.Facts.List(ctx, agent)
	if err != nil {
		return err
	}
	over := n.Facts.Excess(len(l.Facts))
	switch {
	case over == 0:
		return nil
	case n.DryRun:
		n.changed("agents/"+agent+"/facts", fmt.Sprintf("%d facts removed to make room", over))
		return nil
	}
	var came factChanges
	_, err = n.changeFacts(ctx, "room for the facts of agent "+agent, agent, func(b *memory.Batch) (err error) {
		came.evicted, err = b.Fit()
		return err
	})
	if err == nil {
		n.factsChanged(agent, came)
	}
	return err
}

// factChanges is what became of facts.
type factChanges struct {
	stale    []memory.StaleRemoval
	extended []memory.Extended
	evicted  []memory.Evicted
	merged   []memory.Consolidated
}

func (n *night) factsChanged(agent string, c factChanges) {
	r := &review{agent: agent}
	for _, x := range c.stale {
		n.changed(r.path(x.ID), "aged fact removed: "+text.Clip(x.Reason, 120))
	}
	for _, x := range c.extended {
		n.changed(r.path(x.ID), fmt.Sprintf("aged fact holds %d days since it was made", x.Days))
	}
	for _, x := range c.merged {
		n.changed(r.path(x.ID), "fact made of "+strings.Join(x.From, ", "))
	}
	for _, x := range c.evicted {
		n.changed(r.path(x.ID), "fact removed to make room")
	}
	for what, by := range map[string]int{"facts_removed": len(c.stale), "facts_extended": len(c.extended), "facts_merged": len(c.merged), "facts_evicted": len(c.evicted)} {
		if by > 0 {
			n.did(what, by)
		}
	}
}
