package page

import (
	"slices"
	"strings"

	"brain/text"
)

// Temporary reports a page whose writer said that it need not stay: a key `temporary` or
// `ephemeral` of the front matter that is not denied, or a tag of that name.
func (p *Page) Temporary() bool {
	passing := []string{"temporary", "ephemeral", "临时"}
	if slices.ContainsFunc(p.Tags, func(t string) bool { return slices.Contains(passing, strings.TrimPrefix(text.Fold(t), "#")) }) {
		return true
	}
	return slices.ContainsFunc(p.Keys, func(key string) bool {
		return slices.Contains(passing, strings.ToLower(key)) && affirmed(p.keyText(key))
	})
}

// keyText is what stands behind a key on its line.
func (p *Page) keyText(key string) string {
	at := p.KeyLine(key)
	line := 0
	for l := range strings.Lines(string(p.Raw[:min(len(p.Raw), maxBlock)])) {
		if line++; line == at {
			_, val, _ := splitKey(strings.TrimRight(l, " \r\n") + " ")
			val, _, _ = strings.Cut(val, " #")
			return strings.Trim(val, ` "'`)
		}
	}
	return ""
}

// affirmed reports a value that does not say no.
func affirmed(value string) bool {
	return !slices.Contains([]string{"", "false", "no", "off", "0", "null", "~", "n", "否"}, strings.ToLower(value))
}
