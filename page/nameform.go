package page

import (
	"strings"

	"brain/text"
)

// separators become one sign: "Foo Bar", "foo-bar" and "foo_bar" are alike.
var separators = strings.NewReplacer("-", " ", "_", " ", "‐", " ", "–", " ", "·", " ", "・", " ")

// NameForm is the form in which two names are twins, probably of one thing: folded
// (text.Fold), one blank for whatever separates words. "Foo Bar", "foo-bar" and
// "ＦＯＯ＿ＢＡＲ" have one form; "C++" and "C#" have not.
func NameForm(name string) string {
	return strings.Join(strings.Fields(separators.Replace(text.Fold(name))), " ")
}
