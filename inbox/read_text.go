package inbox

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"time"

	"brain/page"
	"brain/text"
)

// Plain text in which lines say who speaks:
//
//	User: The login loops.                   用户：登录一直循环。
//	Assistant: Which browser?                助手：哪个浏览器？
//	[2026-03-02 10:00] Alice: Any of them.
//	Alice (2026-03-02 10:01): Also Firefox.
//
// A name that is no role counts only beside a time: "Note: …" is no speaker. What follows
// belongs to the turn until the next such line. A text without one is one turn of the user.
//
// Within a private span no line begins a turn: what follows it up to </private> would be
// kept, since the door sees a turn at a time. A span that does not end, within maxTurn,
// ends with its turn.

const maxTurn = 1 << 20 // bytes; what is longer goes on in a turn of its own

var (
	roleLine  = text.Pattern(`^(?:#{1,6} +)?(?:\*\*|__)?(User|USER|Human|HUMAN|Assistant|ASSISTANT|AI|ChatGPT|Claude|System|SYSTEM|Tool|TOOL|用户|使用者|人类|助手|助理|系统|工具)(?:\*\*|__)?[ \t]*[:：](?:\*\*|__)?[ \t]*(.*)$`)
	roleTitle = text.Pattern(`^#{1,6} +(?:\*\*|__)?(User|Human|Assistant|AI|ChatGPT|Claude|用户|助手)(?:\*\*|__)?[ \t]*()$`)
	timedLine = text.Pattern(`^\[([^\[\]]{4,40})\][ \t]*([^:：\[\]]{1,60}?)[ \t]*[:：][ \t]*(.*)$`)
	namedLine = text.Pattern(`^([^:：()（）]{1,60}?)[ \t]*[(（]([^()（）]{4,40})[)）][ \t]*[:：][ \t]*(.*)$`)
	clock     = text.Pattern(`^\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?$`)
)

// textLine is what a line says of its speaker.
type textLine struct {
	name string
	at   time.Time
	rest string
}

// speaks reads a line that begins a turn.
func speaks(line string) (l textLine, ok bool) {
	for _, form := range []*regexp.Regexp{roleLine(), roleTitle()} {
		if m := form.FindStringSubmatch(line); m != nil {
			return textLine{name: m[1], rest: m[2]}, true
		}
	}
	if m := timedLine().FindStringSubmatch(line); m != nil {
		at, ok := moment(m[1])
		return textLine{m[2], at, m[3]}, ok
	}
	if m := namedLine().FindStringSubmatch(line); m != nil {
		at, ok := moment(m[2])
		return textLine{m[1], at, m[3]}, ok
	}
	return textLine{}, false
}

// moment reads a date; a time of day alone is one that nobody can place.
func moment(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if clock().MatchString(s) {
		return time.Time{}, true
	}
	return page.ParseDate(strings.Replace(s, ", ", " ", 1))
}

// conversation is a text that is being read.
type conversation struct {
	g    *gather
	turn page.Turn
	text strings.Builder

	private int      // how many private spans are open
	since   int      // bytes since the first of them was
	held    []string // lines of which that decides whether they begin turns
}

func readText(in *input, g *gather) error {
	c := &conversation{g: g, turn: page.Turn{Role: "user"}}
	for {
		raw, err := in.readLine()
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errTooLong) {
			return err
		}
		if errors.Is(err, errTooLong) {
			g.skip(in.line, err.Error())
		}
		if in.line == 1 {
			raw = []byte(strings.TrimPrefix(string(raw), "\uFEFF"))
		}
		if err := c.line(string(raw)); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			if err := c.release(); err != nil {
				return err
			}
			return c.end()
		}
	}
}

func (c *conversation) line(raw string) error {
	within := c.private > 0
	closed := c.pass(raw)
	if !within {
		c.since = 0
		return c.take(raw)
	}
	c.held = append(c.held, raw)
	c.since += len(raw)
	if closed {
		for _, l := range c.held {
			c.text.WriteString(l)
		}
		c.held = nil
	}
	if c.since > maxTurn {
		return c.release()
	}
	return nil
}

// pass counts the private spans of a line, and reports whether one ended.
func (c *conversation) pass(raw string) (closed bool) {
	if !strings.Contains(raw, "<") {
		return false
	}
	for _, t := range privateTags(raw) {
		switch {
		case !t.closes:
			c.private++
		case c.private > 0:
			c.private, closed = c.private-1, true
		}
	}
	return closed
}

// release gives up waiting for the end of a private span.
func (c *conversation) release() error {
	lines := c.held
	c.private, c.since, c.held = 0, 0, nil
	for _, l := range lines {
		if err := c.take(l); err != nil {
			return err
		}
	}
	return nil
}

func (c *conversation) take(raw string) error {
	if l, ok := speaks(strings.TrimRight(raw, "\r\n")); ok {
		if err := c.end(); err != nil {
			return err
		}
		c.turn = turnOf(l)
		raw = l.rest + "\n"
	}
	if c.text.Len()+len(raw) > maxTurn && c.text.Len() > 0 {
		if err := c.end(); err != nil {
			return err
		}
	}
	c.text.WriteString(raw)
	return nil
}

// end adds the turn that has begun.
func (c *conversation) end() error {
	t, err := c.g.talk("")
	if err != nil {
		return err
	}
	c.turn.Text = strings.TrimSpace(strings.ReplaceAll(c.text.String(), "\r\n", "\n"))
	if t.Title == "" {
		t.Title = stem(c.g.o.Name)
	}
	c.g.add(t, c.turn)
	c.text.Reset()
	return nil
}

// turnOf begins the turn of a speaker: a role, or a person's name.
func turnOf(l textLine) page.Turn {
	t := page.Turn{At: l.at, Role: "user"}
	switch role := roleOf(l.name); role {
	case "user", "assistant", "tool":
		t.Role = role
	case "system":
		t.Role, t.Kind = role, page.Hidden
	default:
		t.Speaker = strings.TrimSpace(l.name)
	}
	if strings.EqualFold(l.name, "chatgpt") || strings.EqualFold(l.name, "claude") {
		t.Speaker = l.name
	}
	return t
}
