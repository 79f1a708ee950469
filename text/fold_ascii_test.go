package text

import (
	"testing"

	"pgregory.net/rapid"
)

// The short way for ASCII gives what the long way gives: a letter beyond ASCII
// behind the text takes the long way.
func TestFoldingASCIIIsFolding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching("[\\x00-\\x7f]{0,40}").Draw(t, "s")
		if got, want := Fold(s+" x"), Fold(s+" \uff58"); got != want { // a full-width x folds to x
			t.Fatalf("Fold(%q) = %q, the long way gives %q", s, got, want)
		}
	})
}
