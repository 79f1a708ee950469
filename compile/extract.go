package compile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"brain/inbox"
	"brain/llm"
	"brain/memory"
	"brain/retrieve"
	"brain/text"
)

const (
	nearestTitles = 5
	mostFacts     = 60    // of the agent, shown to a model
	replyTokens   = 2_000 // of a window: twenty turns hold no more that is worth it
	questionBytes = 1_000 // of a window, as the question for its neighbours
	replyTries    = 2     // a reply of no use is asked for once more
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
	}
	return all
}

// ask has the model look at one window; at its halves when the window, or what there
// is to say of it, is more than the model can hold.
func (c *Pass) ask(ctx context.Context, w *work, window []inbox.Fed) (*Found, error) {
	f, err := c.askOnce(ctx, w, window)
	if len(window) == 1 || !errors.Is(err, llm.TooLong) && !errors.Is(err, llm.Truncated) {
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
	req := llm.Request{System: p.System, User: p.request(w, window, a, c.Language), Schema: replySchema, MaxTokens: replyTokens}
	for try := 1; ; try++ {
		answer, err := c.Completer.Complete(ctx, req)
		w.report.Calls++
		w.report.In, w.report.Out = w.report.In+answer.In, w.report.Out+answer.Out
		var f *Found
		if err == nil {
			f, err = parseReply([]byte(answer.Text))
		}
		if err == nil {
			return f, nil
		}
		if again := errors.Is(err, ErrRejected) || errors.Is(err, llm.Protocol) || errors.Is(err, llm.Misshapen); !again || try == replyTries {
			return nil, fmt.Errorf("turns %d to %d: %w", window[0].N, window[len(window)-1].N, err)
		}
	}
}

// around finds what the brain knows already of what a window speaks of. That it
// cannot be found costs twins, which are recognised later all the same.
func (c *Pass) around(ctx context.Context, w *work, window []inbox.Fed) (a around, err error) {
	if w.known == nil {
		if w.known, err = c.knownFacts(ctx, w.meta.Agent); err != nil {
			return a, c.note(ctx, w, "the model was not told which facts are known", err)
		}
	}
	a.facts = w.known
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

// knownFacts reads what the agent holds of its user; none is an empty list, so that
// it is asked for once.
func (c *Pass) knownFacts(ctx context.Context, agent string) (out []known, err error) {
	if c.Index == nil {
		return nil, nil
	}
	v, _, err := c.view(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Release()
	out = []known{}
	prefix := "agents/" + agent + "/facts/"
	for row := range v.All {
		p := v.PathOf(row)
		if len(out) == mostFacts {
			break
		}
		if !strings.HasPrefix(string(p), prefix) {
			continue
		}
		raw, err := c.Store.Read(ctx, p)
		if err != nil {
			continue // it went, or cannot be read: lint names it
		}
		if f, _, err := memory.ParseFact(p, raw); err == nil && f.Status == "active" {
			out = append(out, known{id: f.ID, category: f.Category, content: f.Content, manual: f.Source.Type == "manual"})
		}
	}
	return out, nil
}
