package page

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Path is a page's identity: its file's path relative to the brain, slash
// separated, as on disk. Who holds a Path never checks it again.
type Path string

var ErrPath = errors.New("not a page path")

// ParsePath checks a path given from outside: relative, clean, inside the
// brain, no NUL, no backslash tricks, ends in .md or is the file of a session.
// The name is kept byte for byte: blanks, signs and emoji are part of an
// identity.
func ParsePath(s string) (Path, error) {
	if isPlainPath(s) {
		return Path(s), nil
	}
	fail := func(why string) (Path, error) { return "", fmt.Errorf("%w: %q: %s", ErrPath, s, why) }
	switch {
	case s == "":
		return fail("empty")
	case !utf8.ValidString(s):
		return fail("not UTF-8")
	case strings.HasPrefix(s, "/") || hasDrive(s):
		return fail("absolute")
	case strings.ContainsRune(s, '\\'):
		return fail("holds a backslash")
	}
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] == 0x7f {
			return fail("holds a control character")
		}
	}
	for seg := range strings.SplitSeq(s, "/") {
		switch seg {
		case "":
			return fail("holds an empty part")
		case ".", "..":
			return fail("leaves the brain or is not clean")
		}
	}
	if stem := Path(s).Stem(); !hasMD(s) && !Path(s).IsSession() || stem == "" {
		return fail("does not end in .md")
	}
	return Path(s), nil
}

// isPlainPath recognises nearly every path in one pass, since a walk asks it of each file:
// ASCII, .md at the end, and nothing that makes ParsePath look twice.
func isPlainPath(s string) bool {
	start := true // of a part
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < 0x20 || c >= 0x7f || c == '\\' || c == ':' || start && (c == '.' || c == '/'):
			return false
		case c == '/':
			start = true
		default:
			start = false
		}
	}
	return hasMD(s) && len(s) > 3 && s[len(s)-4] != '/'
}

// hasDrive reports whether s begins as an absolute Windows path.
func hasDrive(s string) bool {
	return len(s) > 2 && s[1] == ':' && s[2] == '/' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}

func hasMD(s string) bool {
	return len(s) >= 3 && strings.EqualFold(s[len(s)-3:], ".md")
}

func trimMD(s string) string {
	if hasMD(s) {
		return s[:len(s)-3]
	}
	return s
}

// Dir is the folder of the page, "" for the brain itself.
func (p Path) Dir() string {
	if i := strings.LastIndexByte(string(p), '/'); i >= 0 {
		return string(p[:i])
	}
	return ""
}

// Stem is the file name without .md; of a session, its id.
func (p Path) Stem() string {
	s := string(p)
	if p.IsSession() {
		s = p.Dir()
	}
	return trimMD(s[strings.LastIndexByte(s, '/')+1:])
}

// Agent is the agent whose folder the page lies in, folded to lower case, or
// "" for a page that belongs to all.
func (p Path) Agent() string {
	rest, ok := strings.CutPrefix(string(p), "agents/")
	if !ok {
		return ""
	}
	agent, _, ok := strings.Cut(rest, "/")
	if !ok {
		return ""
	}
	return strings.ToLower(agent)
}

// Source is the source whose folder the page lies in, or "".
func (p Path) Source() string {
	rest, ok := strings.CutPrefix(string(p), "sources/")
	if !ok {
		return ""
	}
	source, _, ok := strings.Cut(rest, "/")
	if !ok {
		return ""
	}
	return source
}

// Type is the kind of page that belongs at this place in the tree.
func (p Path) Type() string {
	parts := strings.Split(string(p), "/")
	file, dirs := parts[len(parts)-1], parts[:len(parts)-1]
	if len(dirs) == 0 {
		return "note"
	}
	switch dirs[0] {
	case "skills":
		if file == "SKILL.md" {
			return "skill"
		}
	case "experiences":
		return "experience"
	case "entities":
		return "entity"
	case "sessions":
		return "session"
	case "agents":
		if len(dirs) >= 3 && dirs[2] == "facts" {
			return "fact"
		}
	case "sources":
		return typeInSource(dirs, file)
	}
	return "note"
}

func typeInSource(dirs []string, file string) string {
	for _, d := range dirs[1:] {
		switch d {
		case "decisions":
			return "decision"
		case "lessons":
			return "lesson"
		}
	}
	if len(dirs) >= 4 && dirs[2] == "issues" && file == "requirement.md" {
		return "requirement"
	}
	if file == "lessons.md" {
		return "lesson"
	}
	return "note"
}

// File is what a directory walk knows of a page's file without opening it.
type File struct {
	Path  Path
	Size  int64
	Mtime int64 // ns since 1970
	Ctime int64 // ns since 1970; 0 where the system has none
	Inode uint64
}

// Listing is one look at a brain's tree.
type Listing struct {
	Files      []File         // sorted by Path (byte order)
	Skipped    map[string]int // reason → count: "ignored", "dot-folder", "too-large", "symlink", "sidecar", "special", …
	Unreadable []string       // brain-relative paths of folders or files that could not be read; "" is the brain itself

	// InFlight are the paths, sorted, that a write of several files is changing
	// at this moment: some may be in their new state and some not yet, so who
	// keeps a copy of the tree leaves what it has of them. "" is every path.
	InFlight []Path
	// Epoch names the state of such writes when the look began: another one
	// later means that files of this listing may be of two states by then.
	Epoch string
}
