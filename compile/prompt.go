package compile

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"brain/inbox"
	"brain/memory"
	"brain/page"
)

// A prompt is two texts: what the model is told, and a request with places for
// what was said. Everything that a person or an agent wrote goes in escaped, so
// that no text can close the block that it stands in; and in one go, so that no
// text can hold a place of the request.

//go:embed prompts/system.txt
var systemPrompt string

//go:embed prompts/user.txt
var userPrompt string

//go:embed prompts/aged.txt
var agedPrompt string

//go:embed prompts/groups.txt
var groupsPrompt string

//go:embed schema.json
var replySchema []byte

// Prompts are the texts that a model is asked with.
type Prompts struct{ System, User string }

// ErrPrompts is what ReadPrompts returns for texts that would not work.
var ErrPrompts = errors.New("the prompts cannot be used")

// turnsPlace is where the conversation goes; a request without it asks for nothing.
const turnsPlace = "{turns}"

// labelNames must be spoken of, or every fact would be refused for want of them.
var labelNames = []string{"scope", "durability", "authority", "turns"}

// ReadPrompts reads system.txt and user.txt of a folder; one that is not there
// is the built-in one. Texts that do not ask for the labels by which facts are
// judged, or have no place for the conversation, are ErrPrompts.
func ReadPrompts(dir fs.FS) (*Prompts, error) {
	p := &Prompts{systemPrompt, userPrompt}
	for name, into := range map[string]*string{"system.txt": &p.System, "user.txt": &p.User} {
		raw, err := fs.ReadFile(dir, name)
		switch {
		case err == nil:
			*into = string(raw)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("read the prompts: %w", err)
		}
	}
	if !strings.Contains(p.User, turnsPlace) {
		return nil, fmt.Errorf("%w: user.txt has no place %s for the conversation", ErrPrompts, turnsPlace)
	}
	for _, name := range labelNames {
		if !strings.Contains(p.System+p.User, name) {
			return nil, fmt.Errorf("%w: they do not ask for %q, without which nothing found is kept", ErrPrompts, name)
		}
	}
	return p, nil
}

func (c *Pass) prompts() *Prompts {
	if c.Prompts != nil {
		return c.Prompts
	}
	return &Prompts{systemPrompt, userPrompt}
}

func (p *Prompts) digest() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{p.System, p.User, agedPrompt, groupsPrompt, string(replySchema)}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// around is what a model is shown beside the turns.
type around struct {
	titles    []string
	facts     []memory.Fact     // that the agent holds already
	summaries map[string]string // by key
	aged      []memory.Fact     // to be reviewed
	groups    []memory.Group    // to be made less
}

// request fills the places.
func (p *Prompts) request(w *work, window []inbox.Fed, a around, language string) string {
	var turns, titles, summaries strings.Builder
	for i := range window {
		turnTag(&turns, &window[i])
	}
	for _, t := range a.titles {
		titles.WriteString("- " + escape(t) + "\n")
	}
	for _, n := range memory.SummaryNames() {
		if s := a.summaries[n.String()]; s != "" {
			summaries.WriteString("- " + n.String() + ": " + escape(oneLine(s)) + "\n")
		}
	}
	date := ""
	if at := began(w); !at.IsZero() {
		date = at.UTC().Format(time.DateOnly)
	}
	return strings.NewReplacer(turnsPlace, lastLine(turns.String()), "{titles}", lastLine(titles.String()),
		"{facts}", factLines(a.facts, factLine), "{summaries}", lastLine(summaries.String()), "{aged}", agedBlock(a.aged), "{groups}", groupsBlock(a.groups),
		"{title}", escape(oneLine(w.meta.Title)), "{date}", date, "{hints}", hints(window),
		"{language}", escape(cmp.Or(language, "the language of the conversation"))).Replace(p.User)
}

func lastLine(s string) string { return strings.TrimRight(s, "\n") }

func factLines(facts []memory.Fact, line func(*memory.Fact) string) string {
	var b strings.Builder
	for i := range facts {
		b.WriteString(line(&facts[i]))
	}
	return lastLine(b.String())
}

func factLine(f *memory.Fact) string {
	return fmt.Sprintf("- %sid=%s category=%s: %s\n", manualMark(f), escape(f.ID), escape(f.Category), escape(oneLine(f.Content)))
}

func manualMark(f *memory.Fact) string {
	if isManual(f) {
		return "[MANUAL] "
	}
	return ""
}

// agedBlock asks for a review, if there is something to review.
func agedBlock(facts []memory.Fact) string {
	return block(agedPrompt, factLines(facts, func(f *memory.Fact) string {
		from, valid := f.Created, ""
		if !f.Confirmed.IsZero() {
			from = f.Confirmed
		}
		if f.ValidDays > 0 {
			valid = fmt.Sprintf(" valid:%dd", f.ValidDays)
		}
		return fmt.Sprintf("- %sid=%s category=%s confidence=%.2f since %s%s: \"%s\"\n", manualMark(f), escape(f.ID), escape(f.Category), f.Confidence,
			from.UTC().Format(time.DateOnly), valid, escape(oneLine(f.Content)))
	}))
}

func groupsBlock(groups []memory.Group) string {
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "%s (%d facts):\n", escape(g.Category), g.Size)
		b.WriteString(factLines(g.Facts, func(f *memory.Fact) string {
			return fmt.Sprintf("- %sid=%s confidence=%.2f: \"%s\"\n", manualMark(f), escape(f.ID), f.Confidence, escape(oneLine(f.Content)))
		}) + "\n")
	}
	return block(groupsPrompt, lastLine(b.String()))
}

// block is a part of a request that is there only if it has lines.
func block(prompt, lines string) string {
	if lines == "" {
		return ""
	}
	return strings.Replace(prompt, "{list}", lines, 1)
}

// hints are the kinds of statements that patterns notice in a window.
func hints(window []inbox.Fed) string {
	turns := make([]page.Turn, len(window))
	for i := range window {
		turns[i] = window[i].Turn
	}
	return strings.Join(inbox.Signals(turns), ", ")
}

func turnTag(b *strings.Builder, t *inbox.Fed) {
	role := t.Role
	if role == "" {
		role = "user"
	}
	b.WriteString(`<turn n="` + strconv.Itoa(t.N) + `" role="` + escape(oneLine(role)) + `"`)
	if t.Speaker != "" { // besides: a name says nothing of whom to believe
		b.WriteString(` name="` + escape(oneLine(t.Speaker)) + `"`)
	}
	if !t.At.IsZero() {
		b.WriteString(` at="` + t.At.UTC().Format("2006-01-02 15:04") + `"`)
	}
	b.WriteString(">\n" + escape(shownText(t.Text)) + "\n</turn>\n")
}

// Escape makes text that can close no block of a request. Other characters stay as they are.
func Escape(s string) string { return escape(s) }

// escape makes text that holds no tag. Other characters stay as they are.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace

// began is when the conversation was had, as far as its turns tell.
func began(w *work) time.Time {
	for i := range w.fed {
		if !w.fed[i].At.IsZero() {
			return w.fed[i].At
		}
	}
	return w.meta.Created
}
