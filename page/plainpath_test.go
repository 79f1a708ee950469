package page

import (
	"testing"

	"pgregory.net/rapid"
)

// The short way must say yes to nothing that the long way refuses.
func TestAPlainPathIsAPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[/.\\:a-cé\x01 ]{0,8}(\.md|\.MD|md|/|)`).Draw(t, "path")
		if isPlainPath(s) {
			if err := slowly(s); err != nil {
				t.Fatalf("%q: %v", s, err)
			}
		}
	})
	for _, s := range []string{"a.md", "a/b c/d.MD", "agents/x/facts/00/fact_1.md", "x..md", "a.b/c.md"} {
		if !isPlainPath(s) {
			t.Errorf("%q goes the long way", s)
		}
	}
	for _, s := range []string{"", ".md", "a/.md", "/a.md", "a//b.md", "./a.md", "a/../b.md", "a.txt", "C:/a.md", "a\\b.md", "é.md", "a/"} {
		if isPlainPath(s) {
			t.Errorf("%q is plain", s)
		}
	}
}

// slowly is what ParsePath says of a path that is not plain: an é in another part of it
// leaves the rest as it is.
func slowly(s string) error {
	_, err := ParsePath("é/" + s)
	return err
}
