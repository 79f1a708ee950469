package page

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"brain/text"
)

// WordHash is the SHA-256, in hex, of what a text says, whatever its Markdown,
// punctuation, case and width: the runs of letters and digits of its folded form,
// a blank between two. "" when there are none.
func WordHash(s string) string {
	words := strings.FieldsFunc(text.Fold(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	if len(words) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(words, " ")))
	return hex.EncodeToString(sum[:])
}
