package compile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brain/inbox"
	"brain/llm"
	"brain/memory"
	"brain/retrieve"
	"brain/text"
)

const (
	nearestTitles = 5
	mostFacts     = 60     // of the agent, shown to a model: those that changed last
	mostAged      = 30     // and of those that ask for a review
	mostChars     = 12_000 // of each list of facts
	replyTokens   = 2_000  // of a window: twenty turns hold no more that is worth it
	reviewTokens  = 1_500  // more where known facts are asked about
	questionBytes = 1_000  // of a window, as the question for its neighbours
	replyTries    = 2      // a reply of no use is asked for once more
)

// extract finds what is worth keeping in the turns that were fed.
func (c *Pass) extract(ctx context.Context, w *work) (*Found, error) {
	if c.Completer == nil {
		return fromRules(Rules(w.fed), w.fed), nil
	}
	all := windows(w.fed)
	w.report.Windows = len(all)
	done := w.rec.Open.Windows
	if len(done) > len(all) {
		done = nil
	}
	w.report.Resumed = len(done)
	if len(done) > 0 && len(done) < len(all) {
		if err := c.learn(ctx, w); err != nil {
			return nil, err
		}
		for _, f := range done {
			w.followed(f)
		}
		w.reviewed = true
	}
	for _, window := range all[len(done):] {
		f, err := c.ask(ctx, w, window)
		if err != nil {
			return nil, err
		}
		done = append(done, f)
		w.rec.Open.Windows = done
		if err := w.save(ctx); err != nil {
			return nil, err
		}
	}
	return united(done), nil
}

// united puts the findings of windows together; what removals name moves along.
func united(windows []*Found) *Found {
	all := &Found{}
	for _, f := range windows {
		base := len(all.Facts)
		all.Items, all.Facts, all.Dropped = append(all.Items, f.Items...), append(all.Facts, f.Facts...), append(all.Dropped, f.Dropped...)
		for _, rm := range f.Removals {
			if rm.Replacement != nil {
				moved := *rm.Replacement + base
				if *rm.Replacement < 0 || *rm.Replacement >= len(f.Facts) {
					moved = -1
				}
				rm.Replacement = &moved
			}
			all.Removals = append(all.Removals, rm)
		}
		all.Summaries, all.Merges = append(all.Summaries, f.Summaries...), append(all.Merges, f.Merges...)
		all.Over, all.Longer = append(all.Over, f.Over...), append(all.Longer, f.Longer...)
	}
	return all
}

// ask has the model look at one window; without asking for a review, and then at its
// halves, when that, or what there is to say of it, is more than the model can hold.
func (c *Pass) ask(ctx context.Context, w *work, window []inbox.Fed) (*Found, error) {
	f, err := c.askOnce(ctx, w, window)
	if !errors.Is(err, llm.TooLong) && !errors.Is(err, llm.Truncated) {
		return f, err
	}
	if !w.reviewed && len(w.aged)+len(w.groups) > 0 { // what is known can wait for another session
		w.reviewed = true
		return c.ask(ctx, w, window)
	}
	if len(window) == 1 {
		return f, err
	}
	first, err := c.ask(ctx, w, window[:len(window)/2])
	if err != nil {
		return nil, err
	}
	second, err := c.ask(ctx, w, window[len(window)/2:])
	if err != nil {
		return nil, err
	}
	return united([]*Found{first, second}), nil
}

// askOnce asks about a window, and once more for a reply of no use.
func (c *Pass) askOnce(ctx context.Context, w *work, window []inbox.Fed) (*Found, error) {
	a, err := c.around(ctx, w, window)
	if err != nil {
		return nil, err
	}
	p := c.prompts()
	most := replyTokens
	if len(a.aged)+len(a.groups) > 0 {
		most += reviewTokens
	}
	req := llm.Request{System: p.System, User: p.request(w, window, a, c.Language), Schema: replySchema, Optional: optionalKeys, MaxTokens: most}
	for try := 1; ; try++ {
		answer, err := c.Completer.Complete(ctx, req)
		if !errors.Is(err, llm.OverBudget) { // that was none
			w.report.Calls++
		}
		w.report.In, w.report.Out = w.report.In+answer.In, w.report.Out+answer.Out
		var f *Found
		if err == nil {
			f, err = parseReply([]byte(answer.Text))
		}
		if err == nil {
			w.follow(f)
			w.date(f)
			w.reviewed = true
			return f, nil
		}
		if again := errors.Is(err, ErrRejected) || errors.Is(err, llm.Protocol) || errors.Is(err, llm.Misshapen); !again || try == replyTries {
			return nil, fmt.Errorf("turns %d to %d: %w", window[0].N, window[len(window)-1].N, err)
		}
	}
}

// date notes which state of a fact a removal is about.
func (w *work) date(f *Found) {
	for i := range f.Removals {
		rm := &f.Removals[i]
		rm.Was = ""
		if at := slices.IndexFunc(w.shown, func(f memory.Fact) bool { return f.ID == rm.ID }); at >= 0 {
			rm.Was = w.shown[at].Hash()
		}
	}
}

// around finds what the brain knows already of what a window speaks of. That it
// cannot be found costs twins, which are recognised later all the same.
func (c *Pass) around(ctx context.Context, w *work, window []inbox.Fed) (a around, err error) {
	if err := c.learn(ctx, w); err != nil {
		return a, err
	}
	a.facts, a.summaries = w.listed, w.summaries
	if !w.reviewed { // once a pass is enough
		a.aged, a.groups = w.aged, w.groups
	}
	if c.Searcher == nil {
		return a, nil
	}
	v, _, err := c.view(ctx)
	if err != nil {
		return a, c.note(ctx, w, "the model was not told what the brain says already", err)
	}
	defer v.Release()
	q := retrieve.Query{Text: question(window), N: nearestTitles, Agent: w.meta.Agent, Kinds: titledKinds}
	answer, err := c.Searcher.Search(ctx, v, q)
	if err != nil {
		return a, c.note(ctx, w, "the model was not told what the brain says already", err)
	}
	for _, h := range answer.Hits {
		a.titles = append(a.titles, h.Title)
	}
	return a, nil
}

// titledKinds are pages whose titles say what is known.
var titledKinds = []string{"decision", "lesson", "note", "requirement", "entity", "experience", "skill"}

// question is what a window is about: what its people said, as far as a
// question goes.
func question(window []inbox.Fed) string {
	var b strings.Builder
	for i := range window {
		if t := &window[i]; t.Role != "assistant" && b.Len() < questionBytes {
			b.WriteString(t.Text[:text.CutGrapheme(t.Text, questionBytes-b.Len())])
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// note keeps a trouble that stops nothing; the error is that of a context that
// is over.
func (c *Pass) note(ctx context.Context, w *work, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if line := what + ": " + err.Error(); !slices.Contains(w.report.Notes, line) { // once, however often it is tried
		w.report.Notes = append(w.report.Notes, line)
	}
	return nil
}

// learn reads what the agent holds of its user, once. That it cannot be read costs twins
// and reviews.
func (c *Pass) learn(ctx context.Context, w *work) error {
	if w.summaries != nil {
		return nil
	}
	w.summaries = map[string]string{}
	all, damaged, err := c.summaries(ctx)
	if err == nil {
		w.summaries = all
	}
	if err := cmp.Or(err, damaged); err != nil {
		if err := c.note(ctx, w, "the model was not told what the summaries say", err); err != nil {
			return err
		}
	}
	return c.learnFacts(ctx, w)
}

func (c *Pass) learnFacts(ctx context.Context, w *work) error {
	l, err := c.facts().List(ctx, w.meta.Agent)
	if err != nil {
		return c.note(ctx, w, "the model was not told which facts are known", err)
	}
	w.held = l.Facts
	w.listed = latest(l.Facts)
	w.aged = fitting(c.facts().Aged(l.Facts))
	w.aged = w.aged[:min(len(w.aged), mostAged)]
	w.groups = c.facts().Mergeable(l.Facts)
	w.shown = slices.Concat(w.listed, w.aged)
	for i := range w.groups {
		w.groups[i].Facts = fitting(w.groups[i].Facts)
		w.shown = append(w.shown, w.groups[i].Facts...)
	}
	return nil
}

// latest are the facts that changed last and that a request has room for, in the order
// in which they are given.
func latest(facts []memory.Fact) []memory.Fact {
	by := slices.SortedStableFunc(slices.Values(facts), func(a, b memory.Fact) int { return b.Updated.Compare(a.Updated) })
	keep := map[string]bool{}
	for _, f := range fitting(by[:min(len(by), mostFacts)]) {
		keep[f.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(facts), func(f memory.Fact) bool { return !keep[f.ID] })
}

// fitting are the first facts that a request has room for, whole.
func fitting(facts []memory.Fact) []memory.Fact {
	chars := 0
	for i := range facts {
		if chars += utf8.RuneCountInString(facts[i].Content); chars > mostChars {
			return facts[:i]
		}
	}
	return facts
}

// isManual reports a fact that a person wrote.
func isManual(f *memory.Fact) bool { return f.Source.Type == "manual" }
