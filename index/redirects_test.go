//go:build unix

package index

import (
	"fmt"
	"strings"
	"testing"
)

func TestRedirectsInACircleAreFound(t *testing.T) {
	stub := func(to string) string { return "---\nredirect: " + to + "\n---\n" }
	v := fresh(t, open(t, nil), newTree(t, map[string]string{
		"a.md": stub("b"), "b.md": stub("a"), // two
		"x/1.md": stub("x/2"), "x/2.md": stub("x/3"), "x/3.md": stub("x/1"), // three, and one that leads there
		"w.md": stub("x/2"), "self.md": stub("self"),
		"old.md": stub("new"), "older.md": stub("old"), "new.md": "1", "lost.md": stub("nowhere"), "two.md": stub("twin"), "p/twin.md": "1", "q/twin.md": "1",
	}))
	var got []string
	for _, c := range v.RedirectCycles() {
		var paths []string
		for _, r := range c {
			paths = append(paths, string(v.path(r)))
		}
		got = append(got, strings.Join(paths, " "))
	}
	if want := "[a.md b.md self.md x/2.md x/3.md x/1.md]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
