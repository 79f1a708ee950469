package dream

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brain/compile"
	"brain/llm"
	"brain/text"
)

// What a model says of a subject is a stranger's word. A statement counts if it cites sources
// that are there and hold its words and numbers, by the rule by which a finding is held
// against the turns of a session (compile.Support). The whole answer is refused if
//
//	half of what it says does not count, or nothing of its procedure does
//	it drops more than a third of what the experience said

//go:embed prompts/experience.txt
var experiencePrompt string

// experienceVersion is of the prompt, and of what an answer must be.
const experienceVersion = 1

const (
	mostShown     = 24    // sources that a model reads: the latest
	mostOfSource  = 1_500 // characters of each
	mostStatement = 600   // characters of one
	mostSaid      = 40    // statements of an answer
	answerTokens  = 2_500
	lossLimit     = 3 // at most one in so many statements may go
	keptShare     = 0.5
)

var experienceSchema = json.RawMessage(`{
  "type": "object",
  "additionalProperties": false,
  "required": ["decision", "title", "trigger", "procedure", "boundary"],
  "properties": {
    "decision": {"type": "string", "enum": ["create", "merge", "skip"]},
    "title": {"type": "string"},
    "trigger": {"type": "array", "items": {"type": "object", "additionalProperties": false, "required": ["text", "sources"], "properties": {"text": {"type": "string"}, "sources": {"type": "array", "items": {"type": "integer"}}}}},
    "procedure": {"type": "array", "items": {"type": "object", "additionalProperties": false, "required": ["text", "sources"], "properties": {"text": {"type": "string"}, "sources": {"type": "array", "items": {"type": "integer"}}}}},
    "boundary": {"type": "array", "items": {"type": "object", "additionalProperties": false, "required": ["text", "sources"], "properties": {"text": {"type": "string"}, "sources": {"type": "array", "items": {"type": "integer"}}}}}
  }
}`)

// verdict is an answer.
type verdict struct {
	Decision  string      `json:"decision"`
	Title     string      `json:"title"`
	Trigger   []Statement `json:"trigger"`
	Procedure []Statement `json:"procedure"`
	Boundary  []Statement `json:"boundary"`
}

// judge has a model say what a subject teaches. What fails leaves everything as it is, for
// another night.
func (l *learning) judge(ctx context.Context, d *lesson) error {
	raw, _, err := l.ask(ctx, "experience", experienceVersion, l.request(d), func(raw json.RawMessage) error {
		_, err := l.verdict(d, raw)
		return err
	})
	if err == nil {
		var t *draftText
		if t, err = l.verdict(d, raw); err == nil {
			return l.take(ctx, d, t)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, ErrDry) {
		l.left(Left{Path: d.where(l), What: fmt.Sprintf("a model would be asked what %d pages on %s teach", len(d.members), d.label)})
	}
	return nil // told in the report where it was asked
}

func (d *lesson) where(l *learning) string {
	if d.old != nil {
		return string(d.old.Path)
	}
	at, _ := l.place(d.subject) // for people
	return string(at)
}

// take does what was said; no text means that nothing is to be said.
func (l *learning) take(ctx context.Context, d *lesson, t *draftText) error {
	switch {
	case t == nil && d.old == nil:
		l.count("skipped", 1)
		return nil
	case t == nil:
		t = d.old.text(d, l.gone)
		return l.rewrite(ctx, d, t, d.inputs, "judged: nothing new")
	case d.old == nil:
		return l.create(ctx, d, t, d.inputs)
	case d.old.Filled():
		return l.rewrite(ctx, d, t, d.inputs, "merged")
	}
	return l.rewrite(ctx, d, t, d.inputs, "filled")
}

// request shows the sources, the latest if there are many, and what was learned so far.
func (l *learning) request(d *lesson) llm.Request {
	var b strings.Builder
	fmt.Fprintf(&b, "Subject: %s\nWrite in %s.\n", compile.Escape(d.label), compile.Escape(l.languageOf(d)))
	if d.old != nil && d.old.Filled() {
		t := d.old.text(d, l.gone)
		fmt.Fprintf(&b, "\n<experience title=\"%s\">\n", compile.Escape(t.title))
		for i, section := range [][]Statement{t.trigger, t.procedure, t.boundary} {
			for _, s := range section {
				fmt.Fprintf(&b, "%s: %s\n", strings.ToLower(headings[""][i]), compile.Escape(s.String()))
			}
		}
		b.WriteString("</experience>\n")
	}
	for _, n := range d.shown() {
		s := d.by[n]
		fmt.Fprintf(&b, "\n<source n=\"%d\" type=\"%s\" title=\"%s\" date=\"%s\">\n%s\n</source>\n", n, compile.Escape(s.Type), compile.Escape(s.Title), s.dated(), compile.Escape(text.Clip(s.said(), mostOfSource)))
	}
	return llm.Request{System: experiencePrompt, User: b.String(), Schema: experienceSchema, MaxTokens: answerTokens}
}

func (l *learning) languageOf(d *lesson) string {
	if d.language == "zh" {
		return cmp.Or(l.Language, "Chinese")
	}
	return cmp.Or(l.Language, "the language of the sources")
}

// dated is the day of a page as it says itself: that of its file is another on every machine.
func (l *learned) dated() string {
	for _, t := range []string{dayAt(l.At), dayAt(l.Updated), dayAt(l.Created)} {
		if t != "" {
			return t
		}
	}
	return ""
}

func dayAt(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// shown are the numbers of the sources that a model reads.
func (d *lesson) shown() (out []int) {
	for n := range d.refs {
		if d.by[n+1] != nil {
			out = append(out, n+1)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(d.by[b].dated(), d.by[a].dated()) })
	out = out[:min(len(out), mostShown)]
	slices.Sort(out)
	return out
}

// said is what a page says to a reader, besides summaries of it.
func (l *learned) said() string {
	all := []string{strings.TrimSpace(l.text.Body)}
	if all[0] == "" {
		all[0] = l.text.Abstract
	}
	for _, f := range l.text.Facts {
		if f.Live() {
			all = append(all, f.Text)
		}
	}
	return strings.TrimSpace(strings.Join(all, "\n"))
}

// terms are its words.
func (l *learned) terms() map[string]bool {
	if l.has == nil {
		l.has = compile.Terms(l.Title + "\n" + l.said())
	}
	return l.has
}

// verdict reads an answer and holds it against the sources; nil is one that skips.
func (l *learning) verdict(d *lesson, raw json.RawMessage) (*draftText, error) {
	var v verdict
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, err
	}
	switch v.Decision {
	case "skip":
		return nil, nil
	case "create", "merge":
	default:
		return nil, fmt.Errorf("decision %q", text.Clip(v.Decision, 40))
	}
	j := &examination{learning: l, lesson: d, title: d.title(), free: map[string]bool{}}
	if d.old != nil {
		j.old = d.old.text(d, l.gone)
		j.title = d.old.Title
		for _, s := range j.old.all() {
			for term := range compile.Terms(s.Text) {
				j.free[term] = true
			}
		}
	}
	return j.text(&v)
}

// examination holds an answer against what was shown.
type examination struct {
	*learning
	*lesson
	old     *draftText // what was learned so far; nil: nothing
	title   string
	free    map[string]bool // its words, which need no source
	dropped int
	why     error // of the first that was dropped
}

func (j *examination) text(v *verdict) (*draftText, error) {
	all := len(v.Trigger) + len(v.Procedure) + len(v.Boundary)
	if all > mostSaid {
		return nil, fmt.Errorf("%d statements, at most %d", all, mostSaid)
	}
	t := &draftText{title: j.title, language: j.language, refs: j.refs}
	t.trigger, t.procedure, t.boundary = j.kept(v.Trigger), j.kept(v.Procedure), j.kept(v.Boundary)
	switch {
	case len(t.procedure) == 0 && j.why != nil:
		return nil, j.why
	case len(t.procedure) == 0 || len(t.trigger) == 0:
		return nil, errors.New("it does not say when to do what")
	case 2*j.dropped > all:
		return nil, fmt.Errorf("%d of its %d statements do not stand in the sources that they cite: %w", j.dropped, all, j.why)
	}
	if j.old != nil {
		if lost := t.lacks(j.old); len(lost) > len(j.old.all())/lossLimit {
			return nil, fmt.Errorf("it drops %d of %d statements, such as %q", len(lost), len(j.old.all()), text.Clip(lost[0].Text, 60))
		}
	}
	if j.old == nil || len(j.old.procedure) == 0 {
		if title, ok := j.entitled(v.Title); ok {
			t.title = title
		}
	}
	return t, nil
}

// kept are the statements that count.
func (j *examination) kept(all []Statement) (out []Statement) {
	for _, s := range all {
		s.Text, _ = text.Mask(strings.Join(strings.Fields(s.Text), " "))
		slices.Sort(s.Sources)
		s.Sources = slices.Compact(s.Sources)
		if err := j.supported(&s); err != nil {
			j.dropped, j.why = j.dropped+1, first(j.why, err)
			continue
		}
		out = append(out, s)
	}
	return out
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// supported holds a statement against the sources that it cites.
func (j *examination) supported(s *Statement) error {
	switch {
	case s.Text == "":
		return errors.New("a statement says nothing")
	case utf8.RuneCountInString(s.Text) > mostStatement:
		return fmt.Errorf("%q is longer than %d characters", text.Clip(s.Text, 40), mostStatement)
	case len(s.Sources) == 0:
		return fmt.Errorf("%q cites no source", text.Clip(s.Text, 60))
	case compile.Tells(j.gone, s.Text):
		return errors.New("it says what was purged")
	}
	if what := compile.Placed(s.Text); what != "" {
		return fmt.Errorf("%q: %s", text.Clip(s.Text, 60), what)
	}
	for _, n := range s.Sources {
		if n < 1 || n > len(j.refs) {
			return fmt.Errorf("%q cites source %d, which there is not", text.Clip(s.Text, 60), n)
		}
	}
	share, missing := compile.SupportIn(s.Text, func(term string) bool {
		return j.free[term] || slices.ContainsFunc(s.Sources, func(n int) bool { return j.by[n] != nil && j.by[n].terms()[term] })
	})
	switch {
	case missing != "":
		return fmt.Errorf("%q: %s stands in none of the sources that it cites", text.Clip(s.Text, 60), missing)
	case share < compile.MinSupport:
		return fmt.Errorf("%q: of its words %.0f %% stand in the sources that it cites", text.Clip(s.Text, 60), 100*share)
	}
	return nil
}

// entitled is a title whose words the sources have, and that is no name of another page.
func (j *examination) entitled(title string) (string, bool) {
	title, _ = text.Mask(strings.Join(strings.Fields(title), " "))
	title = text.Clip(title, 120)
	share, missing := compile.SupportIn(title, func(term string) bool {
		for _, s := range j.by {
			if s.terms()[term] {
				return true
			}
		}
		return false
	})
	taken := slices.ContainsFunc(j.names.Resolve(title), func(row uint32) bool {
		return j.lesson.old == nil || j.names.Page(row).Path != j.lesson.old.Path
	})
	return title, !taken && title != "" && missing == "" && share >= compile.MinSupport && compile.Placed(title) == "" && !j.gone.Text(title)
}

func (t *draftText) all() []Statement { return slices.Concat(t.trigger, t.procedure, t.boundary) }

// lacks are the statements of a text that another does not hold in any of its own. One whose
// sources are all gone nobody can cite any more, and it may go with them.
func (t *draftText) lacks(old *draftText) (lost []Statement) {
	for _, s := range old.all() {
		held := len(s.Sources) == 0 || slices.ContainsFunc(t.all(), func(now Statement) bool {
			terms := compile.Terms(now.Text)
			share, _ := compile.SupportIn(s.Text, func(term string) bool { return terms[term] })
			return share >= keptShare
		})
		if !held {
			lost = append(lost, s)
		}
	}
	return lost
}
