package page

import "testing"

func TestALinkFollowsAPageThatMoves(t *testing.T) {
	m := Move{From: "people/john.md", To: "archive/2026/john-smith.md", Unique: true}
	for _, c := range []struct {
		on     Path
		kind   LinkKind
		target string
		want   string // "" is no change
	}{
		{"notes/a.md", Wiki, "people/john", "archive/2026/john-smith"},
		{"notes/a.md", Wiki, "people/john.md", "archive/2026/john-smith.md"},
		{"notes/a.md", Wiki, "People/John", "archive/2026/john-smith"},
		{"notes/a.md", Wiki, "john", "john-smith"},
		{"notes/a.md", Wiki, "John Smith", ""}, // a title: it comes along
		{"notes/a.md", Wiki, "../people/john", "../archive/2026/john-smith"},
		{"people/b.md", Wiki, "./john", "../archive/2026/john-smith"},
		{"archive/2026/c.md", Wiki, "../../people/john", "./john-smith"},
		{"notes/a.md", Markdown, "../people/john.md", "../archive/2026/john-smith.md"},
		{"notes/a.md", Markdown, "people/john.md", "archive/2026/john-smith.md"},
		{"people/b.md", Markdown, "john.md", "../archive/2026/john-smith.md"},
		{"archive/2026/c.md", Markdown, "/people/john", "/archive/2026/john-smith"},
		{"archive/2026/c.md", Markdown, "../../people/john.md", "john-smith.md"},
		{"notes/a.md", FrontMatter, "people/john.md", "archive/2026/john-smith.md"},
		// Nothing lies there: they led to it by its file name.
		{"notes/a.md", Markdown, "/john.md", "/archive/2026/john-smith.md"},
		{"notes/a.md", Markdown, "john", "../archive/2026/john-smith"},
		{"notes/a.md", Markdown, "./john.md", "../archive/2026/john-smith.md"},
		{"notes/a.md", Wiki, "friends/john", "archive/2026/john-smith"},
	} {
		got, change := m.Retarget(c.on, Link{Kind: c.kind, Target: c.target}, m.From)
		if got != c.want && change || change != (c.want != "") {
			t.Errorf("%s on %s: %q, %v, want %q", c.target, c.on, got, change, c.want)
		}
	}
}

func TestLinksOfAPageThatMovesLeadWhereTheyLed(t *testing.T) {
	m := Move{From: "notes/甲.md", To: "archive/甲.md", Unique: true}
	for _, c := range []struct {
		kind   LinkKind
		target string
		to     Path
		want   string
	}{
		{Markdown, "b.md", "notes/b.md", "../notes/b.md"},
		{Markdown, "../people/john.md", "people/john.md", ""},
		{Markdown, "/notes/b.md", "notes/b.md", ""},
		{Markdown, "甲.md", "notes/甲.md", ""}, // to itself
		{Wiki, "notes/b", "notes/b.md", ""},
		{Wiki, "./b", "notes/b.md", "../notes/b"},
		{Wiki, "b", "notes/b.md", ""},
	} {
		got, change := m.Retarget(m.From, Link{Kind: c.kind, Target: c.target}, c.to)
		if got != c.want && change || change != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", c.target, got, change, c.want)
		}
	}
	m = Move{From: "a/x.md", To: "b/y.md"} // another y is there already
	if got, _ := m.Retarget("n.md", Link{Kind: Wiki, Target: "x"}, m.From); got != "b/y" {
		t.Errorf("a bare name that would be ambiguous: %q", got)
	}
	m = Move{From: "foo.md", To: "archive/foo.md"} // notes/foo.md is there, too: [[foo]] led by path
	for kind, want := range map[LinkKind]string{Wiki: "archive/foo", FrontMatter: "archive/foo", Mention: "archive/foo"} {
		if got, change := m.Retarget("n.md", Link{Kind: kind, Target: "foo"}, m.From); got != want || !change {
			t.Errorf("a file name that fits two pages after the move: %q, %v", got, change)
		}
	}
	if got, change := m.Retarget(m.From, Link{Kind: Wiki, Target: "other"}, "other.md"); change {
		t.Errorf("a file name that the move has nothing to do with: %q", got)
	}
	m = Move{From: "docs/index.md", To: "docs/start.md", Unique: true}
	if got, _ := m.Retarget("n.md", Link{Kind: Markdown, Target: "docs/"}, m.From); got != "docs/start" {
		t.Errorf("a folder's index: %q", got)
	}
}
