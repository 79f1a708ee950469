package inbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"brain/page"
	"brain/text"
)

var validID = text.Pattern(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// prepare gives a session the form in which it is kept, and tells how it came
// through the door.
func (ib *Box) prepare(s Session) (_ Session, p passage, err error) {
	for i := range s.Turns {
		if at := s.Turns[i].At.UTC(); !validTime(at) {
			return s, p, fmt.Errorf("%w: turn %d: its time is of the year %d", ErrInvalid, i+1, at.Year())
		}
	}
	s, p = admit(s)
	if strings.TrimSpace(s.Agent) == "" {
		s.Agent = page.DefaultAgent
	}
	if s.Agent, err = page.AgentName(s.Agent); err != nil {
		return s, p, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if !validSource(s.Source) {
		return s, p, fmt.Errorf("%w: %q is no name that a source can have", ErrInvalid, s.Source)
	}
	if s.At = s.At.UTC(); !validTime(s.At) {
		return s, p, fmt.Errorf("%w: it began in the year %d", ErrInvalid, s.At.Year())
	}
	for i := 0; s.At.IsZero() && i < len(s.Turns); i++ {
		s.At = s.Turns[i].At
	}
	if s.ID == "" {
		if s.ID, err = generatedID(s); err != nil {
			return s, p, err
		}
	}
	if !validID().MatchString(s.ID) {
		return s, p, fmt.Errorf("%w: its id must be 1 to 64 of a-z, 0-9, _ and -, the first a letter or a digit", ErrInvalid)
	}
	if s.At.IsZero() {
		s.At = ib.now().UTC()
	}
	return s, p, nil
}

// TurnsHash names turns by who spoke, their ids and their texts: of a session whose
// file a person emptied or replaced, what was known of its turns is of others.
func TurnsHash(turns []page.Turn) string {
	h := sha256.New()
	for i := range turns {
		t := &turns[i]
		fmt.Fprintf(h, "%q %q %q\n", t.Role, t.ID, t.Text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// SameTurns reports whether the first n of the turns are those that a TurnsHash names;
// "", of who kept none, is that of any.
func SameTurns(turns []page.Turn, n int, hash string) bool {
	return hash == "" || n >= 0 && n <= len(turns) && TurnsHash(turns[:n]) == hash
}

// validTime reports whether RFC 3339 can write a time, or there is none.
func validTime(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }

// validSource reports whether pages of a source can have paths, or there is none.
func validSource(name string) bool {
	_, err := page.ParsePath("sources/" + name + "/x.md")
	return name == "" || err == nil && name[0] != '.' && !strings.Contains(name, "/")
}

// generatedID names a session by its day, if known, and by how it began, so
// that sending it again, longer, names it the same.
func generatedID(s Session) (string, error) {
	if len(s.Turns) == 0 {
		return "", fmt.Errorf("%w: it has neither an id nor a turn with text", ErrInvalid)
	}
	first := s.Turns[0]
	if first.ID != "" {
		first = page.Turn{ID: first.ID} // which says more than what was said
	}
	raw, err := json.Marshal([]any{s.Agent, s.User, s.Title, first})
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	sum := sha256.Sum256(raw)
	id := hex.EncodeToString(sum[:6])
	if !s.At.IsZero() {
		id = s.At.Format("20060102-") + id
	}
	return id, nil
}
