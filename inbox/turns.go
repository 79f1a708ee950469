package inbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"brain/page"
)

var validID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

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
	if !validID.MatchString(s.ID) {
		return s, p, fmt.Errorf("%w: its id must be 1 to 64 of a-z, 0-9, _ and -, the first a letter or a digit", ErrInvalid)
	}
	if s.At.IsZero() {
		s.At = ib.now().UTC()
	}
	return s, p, nil
}

// validTime reports whether RFC 3339 can write a time, or there is none.
func validTime(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }

// generatedID names a session by its day, if known, and by how it began, so
// that sending it again, longer, names it the same.
func generatedID(s Session) (string, error) {
	if len(s.Turns) == 0 {
		return "", fmt.Errorf("%w: it has neither an id nor a turn with text", ErrInvalid)
	}
	raw, err := json.Marshal([]any{s.Agent, s.User, s.Title, s.Turns[0]})
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

// said is what makes two turns the same.
type said struct {
	role, speaker, text string
	second              int64
	nano                int
	timed               bool
}

func saidOf(t *page.Turn) said {
	k := said{role: t.Role, speaker: t.Speaker, text: strings.TrimSpace(t.Text)}
	if !t.At.IsZero() {
		k.timed, k.second, k.nano = true, t.At.Unix(), t.At.Nanosecond()
	}
	return k
}

// unseen gives the turns that are not among those kept, in their order.
//
// Who sends turns begins somewhere in what is kept and goes on behind its end.
// So turns are followed through the kept ones in order as long as each is
// found further on; the first that is not is new. After it, what has a time
// may still be known, since nobody says the same twice at one moment; "yes"
// without a time is taken as said again.
//
//	kept  yes · done · which? · the red one
//	sent              which? · the red one · sure? · yes
//	new                                      sure? · yes
func unseen(kept, sent []page.Turn) (fresh []page.Turn) {
	at := make(map[said][]int, len(kept)) // positions, ascending, that no sent turn has taken
	for i := range kept {
		k := saidOf(&kept[i])
		at[k] = append(at[k], i)
	}
	take := func(k said, from int) int {
		for n, i := range at[k] {
			if i >= from {
				at[k] = append(at[k][:n:n], at[k][n+1:]...)
				return i
			}
		}
		return -1
	}
	next := 0
	for i := range sent {
		k := saidOf(&sent[i])
		if len(fresh) == 0 {
			if found := take(k, next); found >= 0 {
				next = found + 1
				continue
			}
		}
		if !k.timed || take(k, 0) < 0 {
			fresh = append(fresh, sent[i])
		}
	}
	return fresh
}
