package graphtest

import "testing"

func TestDanglingLinkResolvesWhenThePageAppears(t *testing.T) {
	l := Of("a mentions ?ghost")
	edges := func() (n int) {
		l.Edges(0, false, func(uint32, string, int) bool { n++; return true })
		return n
	}
	if edges() != 0 {
		t.Fatal("a dangling link is an edge")
	}
	ghost := l.Page("notes/ghost.md", "The Ghost")
	if edges() != 1 {
		t.Fatal("the link did not resolve")
	}
	if got := l.Resolve("the ghost"); len(got) != 1 || got[0] != ghost {
		t.Fatalf("title resolves to %v", got)
	}
}

func TestBestKindWinsAndRedirectsAreFollowed(t *testing.T) {
	l := New()
	l.Page("x.md", "", "pay")
	pay := l.Page("pay.md", "")
	stub := l.Page("old.md", "")
	l.Redirect(stub, pay)
	for _, name := range []string{"pay", "old", "old.md"} {
		if got := l.Resolve(name); len(got) != 1 || got[0] != pay {
			t.Errorf("%s resolves to %v, want %d", name, got, pay)
		}
	}
}
