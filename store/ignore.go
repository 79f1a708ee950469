package store

import (
	"bytes"
	"strings"
)

// .brainignore has the syntax of .gitignore, and a test holds this matcher
// against `git check-ignore`. It is written here because the small libraries
// translate patterns to regular expressions and get `?`, classes, escapes or
// trailing spaces wrong, and the right one comes with a whole git.
//
// Like git's, patterns work on bytes: `?` is one byte. Later rules win over
// earlier ones, deeper files over those above, and nothing below an ignored
// folder can be taken back in, since the walk does not enter it.

// maxIgnore bounds a .brainignore in bytes.
const maxIgnore = 1 << 20

// ignores is the rules of one .brainignore, on top of those of the folders
// above. A nil *ignores ignores nothing.
type ignores struct {
	base  string // the folder's path, with "/" at its end; "" at the top
	rules []rule // in the order of the file
	up    *ignores
}

type rule struct {
	negate  bool // "!": take back in
	folders bool // "/" at the end: folders only
	name    bool // no other "/": compared with the last part of the path
	pattern pattern
}

// match reports whether a path, given relative to the brain, is ignored; that
// its parents are not is taken for granted.
func (ig *ignores) match(path string, isDir bool) bool {
	for ; ig != nil; ig = ig.up {
		rel := path[len(ig.base):]
		parts := strings.Split(rel, "/")
		for i := len(ig.rules) - 1; i >= 0; i-- {
			r := &ig.rules[i]
			if r.folders && !isDir {
				continue
			}
			subject := parts
			if r.name {
				subject = parts[len(parts)-1:]
			}
			if r.pattern.match(subject) {
				return !r.negate
			}
		}
	}
	return false
}

func parseIgnores(raw []byte, base string, up *ignores) *ignores {
	ig := &ignores{base: base, up: up}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	for line := range bytes.SplitSeq(raw, []byte("\n")) {
		if r, ok := parseRule(string(line)); ok {
			ig.rules = append(ig.rules, r)
		}
	}
	return ig
}

func parseRule(line string) (rule, bool) {
	if strings.HasPrefix(line, "#") {
		return rule{}, false
	}
	line = trimSpaces(strings.TrimSuffix(line, "\r"))
	var r rule
	if strings.HasPrefix(line, "!") {
		r.negate = true
		line = line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.folders = true
		line = line[:len(line)-1]
	}
	r.name = !strings.Contains(line, "/")
	var ok bool
	r.pattern, ok = parsePattern(strings.TrimPrefix(line, "/"))
	return r, ok && line != ""
}

// trimSpaces removes spaces at the end, except one behind a backslash.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(s))
	}
	return s[:end]
}
