package page

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Relinking leads the links of a page elsewhere, and changes nothing but the
// bytes that name the target. In the body the scan has noted them. In the
// front matter a name may be written in too many ways for that: there each
// place that looks like the target is tried, and the one counts after which
// the page reads as before but for this link.

// Relink asks to for each link, front matter first, and gives those for which
// change is true another target: what Link.Target is to be, such as
// Move.Retarget says. Label, heading or block, and all that the link is written
// with stay; the target is quoted or percent-encoded as its place demands, and
// keeps .md where it would be taken for a file of another kind without.
//
// path is where the page stands afterwards. The same bytes come back when
// nothing is to change, and of a session always: it is evidence. A mention
// (@slug) of what is no slug becomes a [[link]]; where a target cannot be
// written in a link's form otherwise, as | in [[…]], the error is ErrSplice.
func Relink(path Path, raw []byte, to func(Link) (target string, change bool)) ([]byte, error) {
	return relink(path, raw, builtinWords, to)
}

// Relink is page.Relink for a page that is read by the pack: its relations
// make links of keys that are none without it.
func (k *Pack) Relink(path Path, raw []byte, to func(Link) (target string, change bool)) ([]byte, error) {
	if k == nil || k.words == nil {
		return Relink(path, raw, to)
	}
	return relink(path, raw, k.words, to)
}

func relink(path Path, raw []byte, words *relationWords, to func(Link) (string, bool)) ([]byte, error) {
	if path.IsSession() {
		return raw, nil
	}
	s := readSheet(path, string(raw), words)
	wanted := make([]Link, len(s.page.Links), len(s.page.Links)+8)
	changed := map[int]bool{}
	for i, l := range s.page.Links {
		wanted[i] = l
		if target, change := to(l); change {
			wanted[i].Target = readable(target, FrontMatter)
			changed[i] = wanted[i].Target != l.Target
		}
	}
	edits, inBody, err := s.relinkBody(to)
	if err != nil {
		return nil, err
	}
	src := splice(s.src, edits)
	if len(edits) > 0 {
		if err := s.sameLinks(src, append(slices.Clone(s.page.Links), inBody...)); err != nil {
			return nil, err
		}
	}
	for i := range wanted {
		if changed[i] {
			if src, err = relinkFront(readSheet(path, src, words), i, wanted[i]); err != nil {
				return nil, err
			}
		}
	}
	return []byte(src), nil
}

// sameLinks refuses a result whose links are not those that were meant.
func (s *sheet) sameLinks(src string, want []Link) error {
	got := parseWhole(s.path, []byte(src), s.page.words).Links
	for i, l := range want {
		if i >= len(got) {
			return s.refuse(l.Line, "the link to %s would be none", l.Target)
		}
		g := got[i]
		if g.Target != l.Target || g.Fragment != l.Fragment || g.Line != l.Line {
			return s.refuse(l.Line, "a link to %s would be read as one to %s", l.Target, g.Target)
		}
	}
	if len(got) > len(want) {
		return s.refuse(got[len(want)].Line, "there would be a further link to %s", got[len(want)].Target)
	}
	return nil
}

// relinkBody gives the edits of the body and its links as they are to be.
func (s *sheet) relinkBody(to func(Link) (string, bool)) ([]edit, []Link, error) {
	body := sameLength(s.src[s.body:])
	sc := scanFrom(body, s.lineOf(s.body), s.page.torn, s.page.words)
	links := slices.Clone(sc.links)
	var edits []edit
	written := map[span]string{} // a definition serves several links
	for i, l := range sc.links {
		target, change := to(l)
		dest := sc.at[i].dest
		form, at, text := formOf(body, dest), targetIn(body, dest), ""
		if change {
			links[i].Target = readable(target, form)
			text = links[i].Target
			change = text != l.Target
		}
		switch {
		case !change:
			text = ""
		case form == Markdown:
			text = destinationText(text, at.in(body), body[dest.from-1] == '<')
		case form == Mention && !writable(form, text) && writable(Wiki, text):
			at.from, text = dest.from-1, "[["+text+"]]" // the @ goes, too
		case !writable(form, text):
			return nil, nil, s.refuse(l.Line, "%q cannot be written in this link", text)
		}
		before, known := written[at]
		if known && before != text {
			return nil, nil, s.refuse(l.Line, "the definition of the link to %s serves other links, too", l.Target)
		}
		if written[at] = text; change && !known {
			edits = append(edits, edit{span{s.body + at.from, s.body + at.to}, text})
		}
	}
	return edits, links, nil
}

// sameLength replaces bytes that are not UTF-8 one by one, so that offsets
// stay.
func sameLength(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	b := []byte(s)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			b[i] = '?'
		}
		i += n
	}
	return string(b)
}

// formOf tells the inside of [[…]] and @slug from the destination of a
// Markdown link, by what stands before it: Wiki, Mention or Markdown.
func formOf(body string, dest span) LinkKind {
	switch body[dest.from-1] {
	case '[':
		return Wiki
	case '@':
		return Mention
	}
	return Markdown
}

// targetIn cuts heading, label and query off.
func targetIn(body string, dest span) span {
	text, form := dest.in(body), formOf(body, dest)
	if form == Wiki {
		text, _, _ = strings.Cut(text, "|")
		text = strings.TrimSuffix(text, `\`)
	}
	text, _, escaped := strings.Cut(text, "#")
	if form == Markdown {
		if escaped {
			text = strings.TrimSuffix(text, `\`)
		}
		return span{dest.from, dest.from + withoutQuery(text)}
	}
	return span{dest.from, dest.from + len(text)}.trim(body)
}

// readable gives a target the spelling in which it is read as a page.
func readable(target string, form LinkKind) string {
	if otherFile(target) {
		target += ".md"
	}
	if form == Markdown && hasScheme(target) {
		target = "./" + target
	}
	return target
}

// writable reports a name that [[…]] or @slug gives back.
func writable(form LinkKind, name string) bool {
	if form == Mention {
		return len(name) >= 2 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == "" && strings.TrimRight(name, "-_") == name
	}
	return name != "" && name == strings.TrimSpace(name) && !strings.ContainsAny(name, "[]|#\n\r") && len(name) < maxTarget
}

// destinationText writes a target as the destination of a Markdown link,
// percent-encoded where it must be, and beyond ASCII where the old one was.
func destinationText(target, old string, angle bool) string {
	marks := "<>\\%#?|`\"&$[]"
	if !angle {
		marks += " '"
		if !balanced(target) {
			marks += "()"
		}
	}
	beyond := false
	for i := 0; i+1 < len(old); i++ {
		beyond = beyond || old[i] == '%' && old[i+1] >= '8'
	}
	var b strings.Builder
	for i := 0; i < len(target); i++ {
		if c := target[i]; c < ' ' || c == 0x7f || c >= 0x80 && beyond || strings.IndexByte(marks, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func balanced(s string) bool {
	depth := 0
	for i := 0; i < len(s) && depth >= 0; i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	return depth == 0
}

// maxTries bounds how often a block is read to place one link.
const maxTries = 200

// relinkFront leads the i-th link of the front matter to want.
func relinkFront(s *sheet, i int, want Link) (string, error) {
	src := s.src
	if err := s.sound(); err != nil {
		return "", err
	}
	old := s.page.Links[i].Target
	at, err := s.start(want.Line)
	if err != nil {
		return "", err
	}
	end := s.block.to
	for _, f := range s.fields {
		if next, err := s.start(f.line); err == nil && next > at {
			end = min(end, next)
		}
	}
	tries := 0
	for _, written := range []string{old, strings.ReplaceAll(old, "'", "''"), escapeQuotes.Replace(old)} {
		for from := at; from < end && tries < maxTries; from++ {
			k := strings.Index(src[from:end], written)
			if k < 0 {
				break
			}
			from += k
			for _, e := range s.namings(span{from, from + len(written)}, want.Target) {
				tries++
				if out := splice(src, []edit{e}); s.onlyLink(readSheet(s.path, out, s.page.words), i, want) {
					return out, nil
				}
			}
		}
	}
	return "", s.refuse(want.Line, "the link to %s cannot be led to %s", old, want.Target)
}

var escapeQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// namings are the ways to write a name where another stands, the least
// change first.
func (s *sheet) namings(at span, name string) []edit {
	out := []edit{{at, name}, {at, strings.ReplaceAll(name, "'", "''")}, {at, escapeQuotes.Replace(name)}, {at, quote(name)},
		{at, `"[[` + escapeQuotes.Replace(name) + `]]"`}}
	if before := s.src[:at.from]; strings.HasSuffix(before, "[[") {
		if k := strings.Index(s.src[at.to:s.block.to], "]]"); k >= 0 {
			whole := span{at.from - 2, at.to + k + 2}
			out = append(out, edit{whole, `"[[` + escapeQuotes.Replace(name) + s.src[at.to:at.to+k] + `]]"`})
		}
	}
	return out
}

// onlyLink reports whether after differs from s by its i-th link alone.
func (s *sheet) onlyLink(after *sheet, i int, want Link) bool {
	links := slices.Clone(s.page.Links)
	links[i] = want
	if after.loose != s.loose || after.src[after.body:] != s.src[s.body:] || !slices.Equal(links, after.page.Links) ||
		len(after.page.Problems) > len(s.page.Problems) || len(after.fields) != len(s.fields) {
		return false
	}
	differ := 0
	for j := range s.fields {
		if !sameField(s.fields[j], after.fields[j]) {
			differ++
		}
	}
	return differ <= 1
}
