package main

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"brain/page"
	"brain/text"
)

// Where a page belongs that was given no path:
//
//	decision, requirement, lesson of an issue   sources/<source>/issues/<issue>/
//	                                              decisions/<n>-<slug>.md, requirement.md, lessons.md
//	entity                                      entities/<slug>.md
//	experience                                  experiences/<slug>.md
//	skill                                       skills/<slug>/SKILL.md
//	all else                                    sources/<source>/notes/<date>-<slug>.md

// spot is what the place of a page depends on.
type spot struct {
	kind, source, issue, title string
	day                        time.Time
}

// place gives the path; pages are those that exist, for the number of a decision.
func (s spot) place(pages []page.File) (page.Path, error) {
	name := slug(s.title)
	if name == "" {
		name = "page"
	}
	source := "sources/default"
	if s.source != "" {
		source = "sources/" + s.source
	}
	switch folder := path.Join(source, "issues", s.issue); {
	case s.issue != "" && s.kind == "decision":
		return page.ParsePath(fmt.Sprintf("%s/decisions/%d-%s.md", folder, nextNumber(pages, folder+"/decisions/"), name))
	case s.issue != "" && s.kind == "requirement":
		return page.ParsePath(folder + "/requirement.md")
	case s.issue != "" && s.kind == "lesson":
		return page.ParsePath(folder + "/lessons.md")
	case s.kind == "entity":
		return page.ParsePath("entities/" + name + ".md")
	case s.kind == "experience":
		return page.ParsePath("experiences/" + name + ".md")
	case s.kind == "skill":
		return page.ParsePath("skills/" + name + "/SKILL.md")
	}
	return page.ParsePath(source + "/notes/" + s.day.Format(time.DateOnly) + "-" + name + ".md")
}

// nextNumber is one more than the highest number with which a name in a folder begins.
func nextNumber(pages []page.File, folder string) int {
	highest := 0
	for _, f := range pages {
		name, ok := strings.CutPrefix(string(f.Path), folder)
		if !ok {
			continue
		}
		if digits, _, ok := strings.Cut(name, "-"); ok {
			if n, err := strconv.Atoi(digits); err == nil {
				highest = max(highest, n)
			}
		}
	}
	return highest + 1
}

// maxSlug bounds the names that are made, in bytes: file systems take 255, and a date
// and a number are to fit beside it.
const maxSlug = 120

// slug makes a file name of a title: letters and digits of any script in lower case,
// one - between what stood apart.
func slug(title string) string {
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

// folderName checks a source or an issue, each of which names one folder.
func folderName(flag, name string) error {
	if strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") || name != strings.TrimSpace(name) {
		return usage(fmt.Sprintf("--%s: %q cannot be a folder's name", flag, name), "without / and \\, a dot at the start, or blanks at the ends")
	}
	return nil
}

// titleOf is the title of a text that was given none: its first heading, else its first
// sentence, cut to what fits a line.
func titleOf(body string) string {
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "#"); ok && strings.HasPrefix(strings.TrimLeft(heading, "#"), " ") {
			return clip(strings.Trim(heading, "# "))
		}
		if line != "" {
			break
		}
	}
	body = strings.TrimSpace(body)
	if spans := text.Sentences(body); len(spans) > 0 {
		return clip(strings.Join(strings.Fields(body[spans[0].Start:spans[0].End]), " "))
	}
	return ""
}

// maxTitle is a title made of a text, in bytes.
const maxTitle = 120

func clip(s string) string {
	s = strings.TrimRight(s, ".。!！ ")
	if len(s) <= maxTitle {
		return s
	}
	s = s[:text.CutGrapheme(s, maxTitle)]
	if i := strings.LastIndexByte(s, ' '); i > maxTitle/2 {
		s = s[:i]
	}
	return s + "…"
}
