package page

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrAgent is the error for a name that no agent can have.
var ErrAgent = errors.New("not an agent's name")

// maxAgent bounds an agent's name, in bytes.
const maxAgent = 64

// AgentName is the form in which an agent is known: without blanks at the ends,
// folded to lower case. The name becomes a folder's (agents/<agent>/) and is printed
// for people, so it holds no separator, no dot at the start, no control character and
// none that reorders a line; what script it is in does not matter.
func AgentName(name string) (string, error) {
	folded := strings.ToLower(strings.TrimSpace(name))
	switch {
	case folded == "" || folded[0] == '.', len(folded) > maxAgent, !utf8.ValidString(name),
		strings.ContainsAny(folded, `/\`), strings.IndexFunc(folded, unprintable) >= 0:
		return "", fmt.Errorf("%w: %q", ErrAgent, name)
	}
	return folded, nil
}

func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}
