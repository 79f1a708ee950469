package page

import (
	"slices"
	"testing"
)

func TestSentencesOfAPage(t *testing.T) {
	p := Parse("a.md", []byte("---\ntitle: The heron\nabstract: A bird. Grey.\nfacts:\n  - It eats fish.\n---\n苍鹭在池边。它很安静。\n\n- one\n- two\n"))
	got := p.Sentences()
	want := []string{"The heron", "A bird.", "Grey.", "苍鹭在池边。", "它很安静。", "- one", "- two", "It eats fish."}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
