//go:build unix

package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Written says what Links says, and Stubs each step alone.
func TestWrittenAndStubs(t *testing.T) {
	v := fresh(t, open(t, nil), newTree(t, map[string]string{
		"a.md": "# A\n[[b]] [[John]] [[nowhere]] [[c]]\n", "people/john.md": "# John\n", "companies/john.md": "# John\n", "甲.md": "# 甲\n",
		"b.md": "---\nredirect: c\n---\n", "c.md": "---\nredirect: \"[[甲]]\"\n---\n", "gone.md": "---\nredirect: nothing\n---\n", "many.md": "---\nredirect: John\n---\n",
	}))
	row, ok := v.Lookup("a.md")
	if !ok {
		t.Fatal("no a.md")
	}
	var got []Link
	v.Everything().Written(row, func(l Link, candidates []uint32) {
		for _, c := range candidates {
			l.Ambiguous = append(l.Ambiguous, v.PathOf(c))
		}
		got = append(got, l)
	})
	if want := v.Everything().Links(row); len(got) != 4 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	var stubs []string
	for _, s := range v.Stubs() {
		var to []string
		for _, r := range s.To {
			to = append(to, string(v.PathOf(r)))
		}
		stubs = append(stubs, fmt.Sprintf("%s → %s: %s", v.PathOf(s.Row), s.Target, strings.Join(to, " ")))
	}
	want := []string{"b.md → c: c.md", "c.md → 甲: 甲.md", "gone.md → nothing: ", "many.md → John: companies/john.md people/john.md"}
	if !slices.Equal(stubs, want) {
		t.Errorf("%q\nwant %q", stubs, want)
	}
}
