package main

import (
	"fmt"
	"strings"

	"brain/text"
)

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

func clip(s string) string { return text.Clip(strings.TrimRight(s, ".。!！ "), maxTitle) }
