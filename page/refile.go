package page

import (
	"path"
	"strings"
)

// Refile leads Markdown links and images that name other files than pages
// elsewhere: to is asked for each with the target as read (percent-decoded), and
// gives what it is to be. Embeds in double brackets are found by their name alone
// and stay. All else comes back as it was, of a session everything; ErrSplice if
// a target could not be read back.
func Refile(p Path, raw []byte, to func(target string) (string, bool)) ([]byte, error) {
	if p.IsSession() {
		return raw, nil
	}
	s := readSheet(p, string(raw), builtinWords)
	body := sameLength(s.src[s.body:])
	sc := scanFrom(body, s.lineOf(s.body), s.page.torn, s.page.words)
	var edits []edit
	written := map[span]bool{} // a definition serves several links
	for _, dest := range sc.files {
		at := targetIn(body, dest)
		target, change := to(unescapePercent(unescapeMarks(at.in(body))))
		if !change || written[at] {
			continue
		}
		written[at] = true
		text := destinationText(target, at.in(body), body[dest.from-1] == '<')
		edits = append(edits, edit{span{s.body + at.from, s.body + at.to}, text})
	}
	if len(edits) == 0 {
		return raw, nil
	}
	src := splice(s.src, edits)
	if err := s.sameLinks(src, s.page.Links); err != nil {
		return nil, err
	}
	return []byte(src), nil
}

// RefileMoved keeps the files that a page's own relative links name where they
// are, when the page moves; there reports whether a file lies at a path within
// the brain.
func (m Move) RefileMoved(raw []byte, there func(path string) bool) ([]byte, error) {
	return Refile(m.From, raw, func(target string) (string, bool) {
		if strings.HasPrefix(target, "/") {
			return "", false
		}
		old := path.Join(m.From.Dir(), target)
		if strings.HasPrefix(old, "../") || !there(old) {
			return "", false
		}
		now := relativeTo(m.To.Dir(), old)
		if strings.HasPrefix(target, "./") && !strings.HasPrefix(now, "../") {
			now = "./" + now
		}
		return now, now != target
	})
}
