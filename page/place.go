package page

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"brain/text"
)

// Where a page belongs that was given no path. A template is a path with
// placeholders:
//
//	{source}  the source, else default     {date}   2026-11-29
//	{issue}   the issue                    {slug}   the title as a file name: use-postgresql
//	{n}       one more than the highest    {title}  the title as it is, without the signs
//	          number that is there                  that file names may not have
//
// A template whose issue was not given cannot be filled, and the next one is tried;
// the place of a note is always one.

// Template is the path of a new page, with placeholders.
type Template string

const notePlace Template = "sources/{source}/notes/{date}-{slug}.md"

var placeholders = []string{"source", "issue", "n", "date", "slug", "title"}

// Spot is what the place of a page depends on.
type Spot struct {
	Type, Source, Issue, Title string
	Day                        time.Time
}

// Place gives the path; pages are those that exist, for the number in it.
func (k *Pack) Place(s Spot, pages []File) (Path, error) {
	path := s.fill(k.template(s))
	if before, after, ok := strings.Cut(path, "{n}"); ok {
		path = before + strconv.Itoa(nextNumber(pages, before, after)) + after
	}
	return ParsePath(path)
}

// Numbered reports whether the place has a number, so that Place needs the pages.
func (k *Pack) Numbered(s Spot) bool { return strings.Contains(string(k.template(s)), "{n}") }

// template is the first one of the type that can be filled.
func (k *Pack) template(s Spot) Template {
	t, _ := k.Type(s.Type)
	for _, f := range t.Files {
		if s.Issue != "" || !strings.Contains(string(f), "{issue}") {
			return f
		}
	}
	if note, ok := k.Type("note"); ok && t.Name != "note" {
		return k.template(Spot{Type: note.Name, Issue: s.Issue})
	}
	return notePlace
}

// fill puts the values in, but for the number.
func (s Spot) fill(t Template) string {
	slug, title, source := Slug(s.Title), fileTitle(s.Title), s.Source
	if slug == "" {
		slug = "page"
	}
	if title == "" {
		title = slug
	}
	if source == "" {
		source = "default"
	}
	return strings.NewReplacer("{source}", source, "{issue}", s.Issue, "{date}", s.Day.Format(time.DateOnly),
		"{slug}", slug, "{title}", title).Replace(string(t))
}

// nextNumber is one more than the highest number that stands between before and
// the beginning of after.
func nextNumber(pages []File, before, after string) int {
	highest := 0
	for _, f := range pages {
		rest, ok := strings.CutPrefix(string(f.Path), before)
		if !ok {
			continue
		}
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if n, err := strconv.Atoi(rest[:digits]); err == nil && strings.HasPrefix(rest[digits:], after[:1]) {
			highest = max(highest, n)
		}
	}
	return highest + 1
}

// maxSlug bounds the names that are made, in bytes: file systems take 255, and a date
// and a number are to fit beside it.
const maxSlug = 120

// Slug makes a file name of a title: letters and digits of any script in lower case,
// one - between what stood apart; "" when it has neither.
func Slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range text.Fold(title) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			gap = b.Len() > 0
			continue
		}
		if b.Len() > maxSlug {
			break
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// fileTitle keeps of a title what a file may be called on every system and a link
// can name.
func fileTitle(title string) string {
	title = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|#^[]{}`, r) || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, title)
	title = strings.Join(strings.Fields(title), " ")
	if len(title) > maxSlug {
		title = title[:text.CutGrapheme(title, maxSlug)]
	}
	return strings.Trim(title, ". ")
}

// fault says what is wrong with a template, "" when nothing is; word is a
// placeholder that is not known.
func (t Template) fault() (what, word string) {
	rest := string(t)
	for {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			break
		}
		name, next, closed := strings.Cut(after, "}")
		if !closed || !slices.Contains(placeholders, name) {
			return "unknown placeholder {" + name + "}", name
		}
		rest = next
	}
	sample := Spot{Source: "s", Issue: "i", Title: "t", Day: time.Unix(0, 0).UTC()}.fill(t)
	switch p, err := ParsePath(strings.ReplaceAll(sample, "{n}", "1")); {
	case err != nil:
		return err.Error(), ""
	case strings.HasPrefix(string(t), ".") || strings.Contains(string(t), "/."):
		return "a name that begins with a dot is hidden", ""
	case strings.HasPrefix(string(t), "sessions/") || strings.HasPrefix(string(t), "agents/"):
		return "pages below " + strings.SplitN(string(p), "/", 2)[0] + "/ have forms of their own", ""
	case strings.Count(string(t), "{n}") > 1 || strings.Contains(string(t), "{n}{"):
		return "{n} stands once, and something other than a placeholder follows it", ""
	}
	return "", ""
}
