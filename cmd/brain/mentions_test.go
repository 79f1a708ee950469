package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brain/page"
	"brain/text"
)

func TestLinesThatSpeakOfAPage(t *testing.T) {
	n := telling(page.Parse("notes/pg.md", []byte("---\ntitle: Big Bird\nslug: big-bird\naliases: [PG, 鹭, 苍鹭]\nfacts:\n  - text: It stands since 2024.\n---\n\nGrey at the pond. 它在池边。\n")))
	for line, want := range map[string]bool{
		"we saw BIG BIRD there":             true,
		"ask @big-bird":                     true,
		"> it stands since 2024. As I said": true,
		"he wrote: “Grey at the pond.”":     true,
		"据说，它在池边。":                          true,
		"see notes/pg.md":                   true,
		"moved to PG last year":             true,
		"ＰＧ，再见":                             true,
		"pgx and upg and pg2":               false,
		"白鹭飞":                               false, "（鹭）": true, "一只苍鹭啊": true,
		"grey at the lake": false, "": false, "p": false,
	} {
		if n.in(line) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}

// Looking at each byte finds what searching for each needle finds.
func TestNeedlesAreFoundWhereverTheyStand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[ab鹭 ]{1,9}`)
		sentences := rapid.SliceOfN(rapid.StringMatching(`[ab鹭]{6,9}`), 0, 6).Draw(t, "sentences")
		n := telling(&page.Page{Path: "x.md", Body: strings.Join(sentences, "\n")})
		line := strings.Join(rapid.SliceOfN(rapid.OneOf(word, rapid.SampledFrom(append(sentences, "b"))), 0, 5).Draw(t, "line"), "")
		want := slices.ContainsFunc(sentences, func(s string) bool { return strings.Contains(text.Fold(line), text.Fold(s)) })
		if n.in(line) != want {
			t.Fatalf("%q in %q: want %v", sentences, line, want)
		}
	})
}

// BenchmarkMentions searches a megabyte for the sentences of another.
func BenchmarkMentions(b *testing.B) {
	var long, other strings.Builder
	for i := range 16_000 {
		fmt.Fprintf(&long, "The system shall keep record %d of the pond, always.\n", i)
		fmt.Fprintf(&other, "The system shall keep record %d of the lake, always.\n", i)
	}
	n := telling(page.Parse("long.md", []byte(long.String())))
	b.SetBytes(int64(other.Len()))
	for b.Loop() {
		for line := range strings.Lines(other.String()) {
			if n.in(line) {
				b.Fatal(line)
			}
		}
	}
}
