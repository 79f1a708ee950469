package compile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"brain/memory"
	"brain/store"
	"brain/text"
)

// A summary is written anew whenever it changes: what still holds of the old text, and
// what is new. So it is held against both:
//
//	words    those of the text that the model was shown are free; of the others at least
//	         half stand in the turns that it cites
//	numbers  each stands in that text or in the turns, but for dates
//	labels   scope user, authority descriptive
//
// It takes the place of the very text that the model was shown, and of no other: who
// edited it meanwhile is not overwritten. Of several windows each is shown the text that
// the one before it came to, and in the end one patch has the words of all.

// Summary is a text of memory.json as a model would have it.
type Summary struct {
	Key       string `json:"key"` // user.topOfMind
	Text      string `json:"summary"`
	Update    bool   `json:"shouldUpdate"`
	Scope     string `json:"scope"`
	Authority string `json:"authority"`
	Turns     []int  `json:"turns"`
	Was       string `json:"was,omitempty"` // the text that the model was shown
}

// maxSummary bounds a summary in characters.
const maxSummary = 2_000

// readSummaries reads the summaries of a section. One that says nothing new is no
// finding.
func (f *Found) readSummaries(section string, raw json.RawMessage) {
	var all map[string]json.RawMessage
	if len(raw) > 0 && json.Unmarshal(raw, &all) != nil {
		f.drop(section, Malformed, "it is no object")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		key := section + "." + name
		one := all[name]
		if string(one) == "null" {
			continue
		}
		if !slices.Contains(memory.SummaryNames(), memory.SummaryName{Section: section, Key: name}) {
			f.drop(key, Malformed, "there is no such summary")
			continue
		}
		var s struct {
			Summary                      string
			ShouldUpdate                 bool
			Scope, Durability, Authority string
			Turns                        []int
		}
		if f.read(one, &s, "summary") && s.ShouldUpdate {
			f.Summaries = append(f.Summaries, Summary{Key: key, Text: mask(s.Summary), Update: true, Scope: s.Scope, Authority: s.Authority, Turns: s.Turns})
		}
	}
}

// keptSummary is a patch of one text.
type keptSummary struct {
	key, was, text string
	turns          []int
	said           []string // as they were found
}

// summaries judges what was found, and makes one patch of those that follow each other.
func (g *gate) summaries(found []Summary) (out []keptSummary) {
	for _, s := range found {
		k, why, detail := g.summary(s)
		if why != "" {
			g.report.drop(s.Key+": "+s.Text, k.turns, why, detail)
			continue
		}
		i := slices.IndexFunc(out, func(o keptSummary) bool { return o.key == k.key && o.text == k.was })
		if i < 0 {
			out = append(out, k)
			continue
		}
		out[i].text, out[i].turns, out[i].said = k.text, ordered(append(out[i].turns, k.turns...)), append(out[i].said, k.said...)
	}
	return out
}

func (g *gate) summary(s Summary) (k keptSummary, why Reason, detail string) {
	k = keptSummary{key: s.Key, was: s.Was, text: strings.TrimSpace(s.Text), turns: ordered(s.Turns)}
	k.said = []string{k.text}
	if why, detail := labels(s.Scope, "durable", s.Authority); why != "" {
		return k, why, detail
	}
	switch what := Placed(k.text); {
	case k.text == "":
		return k, Malformed, "it says nothing"
	case utf8.RuneCountInString(k.text) > maxSummary:
		return k, Malformed, fmt.Sprintf("longer than %d characters", maxSummary)
	case what != "":
		return k, NamesPath, what
	}
	if why, detail := g.judgeNew(k.text, Terms(k.was), k.turns); why != "" {
		return k, why, detail
	}
	k.text = g.outward(k.text, g.said(k.turns))
	return k, "", ""
}

// summaries is what they say, by key. A file that nobody can read says nothing: the next
// write puts it aside (damaged is why).
func (c *Pass) summaries(ctx context.Context) (all map[string]string, damaged, err error) {
	s, err := c.facts().Summaries(ctx)
	all = map[string]string{}
	if errors.Is(err, memory.ErrCorrupt) {
		return all, err, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, n := range memory.SummaryNames() {
		all[n.String()] = s.Get(n).Text
	}
	return all, nil, nil
}

// follow lets what a window came to be what the next one is shown, and notes what this
// one was shown.
func (w *work) follow(f *Found) {
	g := w.gate()
	for i := range f.Summaries {
		s := &f.Summaries[i]
		s.Was = w.summaries[s.Key]
		if k, why, _ := g.summary(*s); why == "" {
			w.summaries[s.Key] = k.text
		}
	}
}

// followed is follow of a window that was looked at before this process: what it was
// shown stands there, and if the text is another one by now it is not followed.
func (w *work) followed(f *Found) {
	g := w.gate()
	for _, s := range f.Summaries {
		if k, why, _ := g.summary(s); why == "" && s.Was == w.summaries[s.Key] {
			w.summaries[s.Key] = k.text
		}
	}
}

// summarize writes the patches whose text is still what the model was shown.
func (c *Pass) summarize(ctx context.Context, w *work, b *memory.Batch, all []keptSummary, gone *store.Purges) error {
	if len(all) == 0 {
		return nil
	}
	now, _, err := c.summaries(ctx)
	if err != nil {
		return err
	}
	patch := memory.SummaryPatch{}
	for _, k := range all {
		switch {
		case slices.ContainsFunc(append(k.said, k.text), func(s string) bool { return Tells(gone, s) }):
			w.report.drop(k.key, k.turns, WasPurged, "")
		case now[k.key] == k.text: // written by one who died before it was noted
		case now[k.key] != k.was:
			w.report.drop(k.key+": "+k.text, k.turns, Overtaken, "somebody changed the summary meanwhile")
		default:
			section, name, _ := strings.Cut(k.key, ".")
			if patch[section] == nil {
				patch[section] = map[string]string{}
			}
			patch[section][name] = k.text
			w.report.Summaries = append(w.report.Summaries, Summarized{k.key, k.turns, k.was, k.text})
		}
	}
	if len(patch) == 0 {
		return nil
	}
	return b.PatchSummaries(patch)
}

// Tells reports whether a text, or a sentence of it, was purged.
func Tells(gone *store.Purges, s string) bool {
	return gone.Text(s) || slices.ContainsFunc(text.Sentences(s), func(at text.Span) bool { return gone.Text(s[at.Start:at.End]) })
}
