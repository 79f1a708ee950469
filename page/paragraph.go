package page

import (
	"regexp"
	"strings"
)

var itemMark = regexp.MustCompile(`^\s*([-*+]|\d{1,9}[.)])\s`)

// AppendParagraph adds a text below what the page says: apart by a blank line,
// but for the item of a list that follows another.
func (p *Page) AppendParagraph(text string) Change {
	text = strings.Trim(text, "\r\n")
	body := strings.TrimRight(p.Body, " \t")
	last := strings.TrimRight(body, "\r\n")
	last = last[strings.LastIndexByte(last, '\n')+1:]
	apart := strings.HasSuffix(strings.ReplaceAll(body, "\r\n", "\n"), "\n\n")
	switch {
	case text == "" || apart:
	case strings.TrimSpace(body) == "" && len(p.Keys) == 0:
	case itemMark.MatchString(last) && itemMark.MatchString(text):
	default:
		text = "\n" + text
	}
	return AppendBody(text)
}
