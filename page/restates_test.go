package page

import (
	"strings"
	"testing"
)

func TestRestates(t *testing.T) {
	const text = "The ledger keeps one commit for each batch of writes. It runs apart from the lock of the tree, so that nobody waits for git. When a merge is under way it is skipped with one line. Whoever syncs next takes it up again.\n"
	read := func(title, body string) *Reading {
		return Read(Parse(Path(strings.ToLower(title)+".md"), []byte("---\ntitle: "+title+"\n---\n"+body)))
	}
	for _, c := range []struct {
		name string
		a, b *Reading
		opt  CompareOptions
		want bool
	}{
		{"the same", read("Ledger", text), read("Ledger", text), CompareOptions{}, true},
		{"a word here and there", read("Ledger", text), read("Ledger", strings.Replace(text, "nobody waits", "nobody ever waits", 1)), CompareOptions{}, true},
		{"of which one says more", read("Ledger", text), read("Ledger", text+"\nA repository of the user's own gets a ref beside its branches, and its index is mirrored for our entries alone.\n"), CompareOptions{}, false},
		{"under another name", read("Ledger", text), read("Journal", strings.Replace(text, "nobody waits", "nobody ever waits", 1)), CompareOptions{}, false},
		{"with another number", read("Ledger", text+"It waits 10 s."), read("Ledger", text+"It waits 20 s."), CompareOptions{}, false},
		{"far apart in meaning", read("Ledger", text), read("Ledger", strings.Replace(text, "nobody waits", "nobody ever waits", 1)), CompareOptions{0.5, 0.95}, false},
		{"short", read("Ledger", "One commit a batch."), read("Ledger", "One commit a batch of writes."), CompareOptions{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			share, got := c.a.Restates(c.b, c.opt)
			if _, back := c.b.Restates(c.a, c.opt); got != c.want || back != got {
				t.Errorf("%t, the other way %t, share %.2f", got, back, share)
			}
		})
	}
}
