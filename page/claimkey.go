package page

import (
	"strings"

	"brain/text"
)

// ClaimKey is what a claim's text says, word for word: its tokens in order,
// folded, values in their normal form, with a blank between them. Two texts of
// one key are the same statement, however they are punctuated.
func ClaimKey(s string) string {
	ts := tokens(s)
	if len(ts) == 0 {
		return strings.Join(strings.Fields(text.Fold(s)), " ")
	}
	var b strings.Builder
	for i, t := range ts {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}
