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
	sum := sha256.Sum256([]byte(p.System + "\x00" + p.User + "\x00" + string(replySchema)))
	return hex.EncodeToString(sum[:8])
}

// around is what a model is shown beside the turns.
type around struct {
	titles []string
	facts  []known
}

// known is a fact that the agent holds already.
type known struct {
	id, category, content string
	manual                bool // a person wrote it
}

// request fills the places.
func (p *Prompts) request(w *work, window []inbox.Fed, a around, language string) string {
	var turns, titles, facts strings.Builder
	for i := range window {
		turnTag(&turns, &window[i])
	}
	for _, t := range a.titles {
		titles.WriteString("- " + escape(t) + "\n")
	}
	for _, f := range a.facts {
		mark := ""
		if f.manual {
			mark = "[MANUAL] "
		}
		fmt.Fprintf(&facts, "- %sid=%s category=%s: %s\n", mark, escape(f.id), escape(f.category), escape(oneLine(f.content)))
	}
	date := ""
	if at := began(w); !at.IsZero() {
		date = at.UTC().Format(time.DateOnly)
	}
	return strings.NewReplacer(turnsPlace, strings.TrimRight(turns.String(), "\n"), "{titles}", strings.TrimRight(titles.String(), "\n"),
		"{facts}", strings.TrimRight(facts.String(), "\n"), "{title}", escape(oneLine(w.meta.Title)), "{date}", date, "{hints}", hints(window),
		"{language}", escape(cmp.Or(language, "the language of the conversation"))).Replace(p.User)
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
