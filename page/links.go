package page

import (
	"net/url"
	"path"
	"strings"
)

// Links of the body. A link is noted where inline text is read, so nothing in
// code or comments is one; its type is found afterwards from the words around
// it (verbs.go), when the text of its block is complete.

// addLink notes a link that stands at body offset i, whose target is written
// in dest, and whose label takes t0..t1 of the text.
func (s *scanner) addLink(l Link, i int, dest span, t0, t1 int32) {
	c := &s.counted
	if int(c.pos) < i {
		c.line += int32(strings.Count(s.src[c.pos:i], "\n"))
		c.pos = int32(i)
	}
	l.Line = int(c.line)
	s.links = append(s.links, l)
	// A label of blanks alone may have taken the blank before it along.
	s.at = append(s.at, linkAt{min(t0, t1), t1, int32(len(s.blocks)), dest})
}

// image reads ![[embed]] and ![alt](source): the alternative text stays.
func (s *scanner) image(i, end int) int {
	j := s.bracketAs(i+1, end, true)
	if j == i+1 {
		return i
	}
	return j
}

func (s *scanner) bracket(i, end int) int { return s.bracketAs(i, end, false) }

func (s *scanner) bracketAs(i, end int, image bool) int {
	if i+1 < end && s.src[i+1] == '[' {
		if j := s.wikilink(i, end, image); j > i {
			return j
		}
	}
	if i+1 < end && s.src[i+1] == '^' {
		if k := strings.IndexByte(s.src[i:min(end, i+200)], ']'); k > 2 && strings.IndexByte(s.src[i:i+k], ' ') < 0 {
			return i + k + 1 // a footnote's mark
		}
	}
	if s.depth >= maxLabels {
		return i
	}
	shut := labelEnd(s.src, i, end)
	if shut < 0 {
		return i
	}
	dest, after, ok := s.destination(i, shut, end)
	if !ok {
		return i
	}
	t0 := int32(len(s.out))
	s.mark(i + 1)
	s.depth++
	s.inline(i+1, shut)
	s.depth--
	if image {
		s.blank()
	}
	s.markdownLink(dest, i, t0, image)
	return after
}

// labelEnd finds the ] that belongs to the [ at i, passing over nested
// brackets, escapes and code spans; labels are short and flat.
func labelEnd(src string, i, end int) int {
	end = min(end, i+2000)
	depth := 0
	for k := i; k < end; k++ {
		switch src[k] {
		case '\\':
			k++
		case '`':
			if e := strings.IndexByte(src[k+1:end], '`'); e >= 0 {
				k += e + 1
			}
		case '[':
			if depth++; depth > maxLabels {
				return -1
			}
		case ']':
			if depth--; depth == 0 {
				return k
			}
		}
	}
	return -1
}

// destination reads what follows a label: (url "title"), [ref], [], or
// nothing where the label itself is defined.
func (s *scanner) destination(i, shut, end int) (dest span, after int, ok bool) {
	k := shut + 1
	if k < end && s.src[k] == '(' {
		if dest, after, ok = inlineDestination(s.src, k, end); ok {
			return dest, after, true
		}
	}
	if len(s.defs) == 0 {
		return dest, 0, false
	}
	label, after := s.src[i+1:shut], k
	if k < end && s.src[k] == '[' {
		if e := strings.IndexByte(s.src[k:min(end, k+1000)], ']'); e > 0 {
			if e > 1 {
				label = s.src[k+1 : k+e]
			}
			after = k + e + 1
		}
	}
	dest, ok = s.defs[foldLabel(label)]
	return dest, after, ok
}

// inlineDestination reads (dest), (<dest with blanks>), (dest "title").
// Blanks in a bare destination are read too: people write them.
func inlineDestination(src string, k, end int) (dest span, after int, ok bool) {
	k++
	for k < end && (src[k] == ' ' || src[k] == '\n') {
		k++
	}
	if k < end && src[k] == '<' {
		e := strings.IndexAny(src[k:end], ">\n")
		if e < 0 || src[k+e] != '>' {
			return dest, 0, false
		}
		p := strings.IndexByte(src[k+e:end], ')')
		if p < 0 {
			return dest, 0, false
		}
		return span{k + 1, k + e}, k + e + p + 1, true
	}
	depth, quote := 0, byte(0)
	stop := -1 // where the destination ends if a title follows
	limit := min(end, k+maxTag)
	for j := k; j < limit; j++ {
		switch c := src[j]; {
		case quote != 0:
			if c == quote {
				quote = 0
			} else if c == '\n' && j+1 < limit && src[j+1] == '\n' {
				return dest, 0, false
			}
		case c == '\\':
			j++
		case (c == '"' || c == '\'') && j > k && (src[j-1] == ' ' || src[j-1] == '\n'):
			quote = c
			if stop < 0 {
				stop = j
			}
		case c == '\n' && stop < 0 && j > k && strings.IndexByte(` "'`, src[min(j+1, limit-1)]) < 0:
			return dest, 0, false
		case c == '(':
			if depth++; depth > maxLabels {
				return dest, 0, false
			}
		case c == ')':
			if depth--; depth < 0 {
				if stop < 0 {
					stop = j
				}
				return span{k, stop}.trim(src), j + 1, true
			}
		}
	}
	return dest, 0, false
}

// markdownLink notes the link if it can lead to a page.
func (s *scanner) markdownLink(dest span, i int, t0 int32, image bool) {
	target, fragment, _ := strings.Cut(unescapeMarks(dest.in(s.src)), "#")
	if hasScheme(target) || strings.HasPrefix(target, "//") {
		return
	}
	target = target[:withoutQuery(target)]
	target, fragment = unescapePercent(target), unescapePercent(fragment)
	if target == "" {
		return
	}
	if image && !hasMD(target) || otherFile(target) {
		s.files = append(s.files, dest)
		return
	}
	s.addLink(Link{Target: target, Fragment: fragment, Kind: Markdown}, i, dest, t0, int32(len(s.out)))
}

// withoutQuery is where `page.md?raw=1` ends.
func withoutQuery(target string) int {
	if q := strings.IndexByte(target, '?'); q > 0 && (hasMD(target[:q]) || strings.IndexByte(target[q:], '=') > 0) {
		return q
	}
	return len(target)
}

// wikilink reads [[Page#Heading|label]] and ![[Page]]; i is the first [.
func (s *scanner) wikilink(i, end int, embed bool) int {
	limit := min(end, i+maxTarget)
	k := strings.Index(s.src[i+2:limit], "]]")
	if k <= 0 {
		return i
	}
	inner := s.src[i+2 : i+2+k]
	if strings.ContainsAny(inner, "[\n") {
		return i
	}
	after := i + 2 + k + 2
	// [[0]] and [[maybe_unused]](x) of programs and notes: a label in
	// brackets with a destination is a Markdown link.
	if after < end && s.src[after] == '(' {
		return i
	}
	l, shown := splitWikilink(inner)
	t0 := int32(len(s.out))
	s.mark(i + 2)
	s.out = append(s.out, shown...)
	if l.Target == "" || strings.Contains(l.Target, "://") || otherFile(l.Target) {
		return after
	}
	if embed {
		l.Kind = Embed
	}
	s.addLink(l, i, span{i + 2, i + 2 + k}, t0, int32(len(s.out)))
	return after
}

// splitWikilink cuts the inside of [[…]] and gives what a reader sees: the
// label, else the last part of the target and the heading.
func splitWikilink(inner string) (l Link, shown string) {
	target, label, labelled := strings.Cut(inner, "|")
	target = strings.TrimSuffix(target, `\`) // [[Page\|label]] in a table
	target, fragment, _ := strings.Cut(target, "#")
	l = Link{Target: strings.TrimSpace(target), Fragment: strings.TrimSpace(fragment), Label: strings.TrimSpace(label)}
	if labelled && l.Label != "" {
		return l, l.Label
	}
	shown = trimMD(l.Target[strings.LastIndexByte(strings.TrimSuffix(l.Target, "/"), '/')+1:])
	if l.Fragment != "" && l.Fragment[0] != '^' {
		shown = strings.TrimSpace(shown + " " + l.Fragment)
	}
	return l, shown
}

func isWikilink(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) > 4 && strings.HasPrefix(s, "[[") && strings.HasSuffix(s, "]]")
}

// hasScheme reports https:, mailto:, obsidian: and their like.
func hasScheme(s string) bool {
	k := strings.IndexByte(s, ':')
	if k < 2 || k > 20 || k+1 < len(s) && s[k+1] == ' ' {
		return false
	}
	for i := 0; i < k; i++ {
		if c := s[i]; !(isWord(c) && c != '_') && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return s[0] > '9'
}

func unescapeMarks(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && s[i+1] > ' ' && s[i+1] < 0x7f && !isWord(s[i+1]) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func unescapePercent(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	if u, err := url.PathUnescape(s); err == nil {
		return strings.ToValidUTF8(u, "\uFFFD")
	}
	return s
}

// otherFile reports a target that names a file of another kind. Page names
// may hold dots, so only extensions in use count.
func otherFile(target string) bool {
	dot := strings.LastIndexByte(target, '.')
	if dot < 0 || len(target)-dot > 12 || strings.IndexByte(target[dot:], '/') >= 0 {
		return false
	}
	return fileTypes[strings.ToLower(target[dot+1:])]
}

var fileTypes = set(`png jpg jpeg gif svg webp bmp ico tif tiff avif heic pdf doc docx xls xlsx ppt pptx odt ods odp epub zip gz tar tgz bz2 xz
	7z rar mp3 mp4 m4a mov wav avi mkv webm ogg flac csv tsv json jsonl yaml yml toml xml html htm js mjs cjs ts jsx tsx css scss less py go rs c cc
	cpp cxx h hpp hxx cs java kt swift rb php pl lua sh bash zsh ps1 psm1 psd1 bat cmd sql ipynb txt log ini cfg conf exe dll so bin iso dmg deb rpm
	jar war canvas excalidraw drawio vsdx fig sketch psd ai eps ttf otf woff woff2 lock proto graphql tex bib rst adoc org`)

// Candidates are the names by which the link's target is looked for, in
// order, without .md and never outside the brain. A Markdown link is relative
// to the page's folder, then to the root; a wikilink with a slash is meant
// from the root, then relative; a bare name is resolved by the index alone.
func (l Link) Candidates(from Path) []string {
	target := strings.TrimSpace(strings.ReplaceAll(l.Target, `\`, "/"))
	var out []string
	add := func(base string) {
		p := path.Clean(path.Join("/", base, "x")) // "/" keeps Join from cleaning away a climb
		if depth(base, target) < 0 {
			return
		}
		p = strings.TrimPrefix(path.Join(path.Dir(p), target), "/")
		if p = trimMD(p); p != "" && p != "." {
			for _, have := range out {
				if have == p {
					return
				}
			}
			out = append(out, p)
		}
	}
	switch {
	case target == "":
	case strings.HasPrefix(target, "/"):
		target = strings.TrimLeft(target, "/")
		add("")
	case l.Kind == Markdown, strings.HasPrefix(target, "./"), strings.HasPrefix(target, "../"):
		add(from.Dir())
		add("")
	case strings.Contains(target, "/"):
		add("")
		add(from.Dir())
	default:
		out = append(out, trimMD(target))
	}
	if strings.HasSuffix(target, "/") {
		for _, p := range out {
			out = append(out, p+"/index", p+"/README")
		}
	}
	return out
}

// depth is how deep below the brain's root target ends from base; negative
// when it climbs out on the way.
func depth(base, target string) int {
	n := 0
	if base != "" {
		n = 1 + strings.Count(base, "/")
	}
	for part := range strings.SplitSeq(target, "/") {
		switch part {
		case "..":
			if n--; n < 0 {
				return n
			}
		case "", ".":
		default:
			n++
		}
	}
	return n
}
