package page

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// demoClaims are the claims of all pages of the demo brain.
func demoClaims(t testing.TB) (out []Claim) {
	t.Helper()
	root := filepath.Join("..", "brains", "demo")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".md" {
			return err
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		out = append(out, Claims(Parse(Path(filepath.ToSlash(rel)), raw))...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// BenchmarkCompareClaims compares every claim of the demo brain with every
// other one: read anew for each pair, and read once.
func BenchmarkCompareClaims(b *testing.B) {
	claims := demoClaims(b)
	perPair := func(b *testing.B, n int) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*b.N), "ns/pair")
	}
	b.Run("anew", func(b *testing.B) {
		some := claims[:100]
		for b.Loop() {
			for i := range some {
				for j := range i {
					Compare(some[i], some[j], CompareOptions{})
				}
			}
		}
		perPair(b, len(some)*(len(some)-1)/2)
	})
	b.Run("once", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			read := statements(claims)
			for i := range read {
				for j := range i {
					read[i].Compare(read[j], CompareOptions{})
				}
			}
		}
		perPair(b, len(claims)*(len(claims)-1)/2)
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			statements(claims)
		}
	})
}

func statements(claims []Claim) (out []*Statement) {
	for _, c := range claims {
		out = append(out, State(c))
	}
	return out
}

// The demo brain holds planted contradictions; nothing else in it may look like one.
func TestNothingElseOfTheDemoContradicts(t *testing.T) {
	read := statements(demoClaims(t))
	var found []string
	for i := range read {
		for j := range i {
			if v := read[j].Compare(read[i], CompareOptions{}); v.Kind == Contradiction {
				found = append(found, fmt.Sprintf("%s, %s: %v", v.Places[0].Path, v.Places[1].Path, v))
			}
		}
	}
	want := []string{"sources/ingest/issues/101-tenant-rate-limit/decisions/1-token-bucket.md, sources/ops/notes/2025-12-03-northquay-onboarding.md: " +
		`contradiction (slot): "600 n" against "900 n"`}
	if !slices.Equal(found, want) {
		t.Errorf("got  %q\nwant %q", found, want)
	}
}

func TestAPairPassedOverHidesNothing(t *testing.T) {
	word := rapid.SampledFrom(strings.Fields(`Alice Bob reports not 不 启用 停用 enabled disabled by is was managed 被 收购 100 1k 3 limit owner 限制 from moved 到 to Postgres minutes takes lasts kept deleted beat lost`))
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, 1, 8).Draw(t, "words")
		other := slices.Clone(words)
		for range rapid.IntRange(1, 3).Draw(t, "edits") {
			at := rapid.IntRange(0, len(other)-1).Draw(t, "at")
			if w := word.Draw(t, "word"); rapid.Bool().Draw(t, "insert") {
				other = slices.Insert(other, at, w)
			} else {
				other[at] = w
			}
		}
		a, b := State(claimText(strings.Join(words, " "))), State(claimText(strings.Join(other, " ")))
		common := a.words.common(b.words)
		if a.sharesEnough(b, common) {
			return
		}
		if f := a.screened(b, common); f.strength >= Convincing {
			t.Fatalf("%q, %q: %d words in common were too few, and yet: %s %q", a.Claim.Text, b.Claim.Text, common, f.screen, f.detail)
		}
	})
}

func TestTheKeyOfAClaimIsItsWordsAndValues(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"The limit is **1,000**.", "the limit is 1000 n"},
		{"the limit is 1k", "the limit is 1000 n"},
		{"会议在下午3点。", "会 议 在 15:00 clock"},
		{" … ", ""},
	} {
		if got := State(claimText(c.text)).Key(); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// Groups and frames are kept as bits. One more than there are bits for would be lost without a word.
func TestGroupsAndFramesHaveTheirBits(t *testing.T) {
	if n := len(frames); n > 64 {
		t.Errorf("%d frames, and 64 bits", n)
	}
	if n := len(opposites) + len(states); n >= 128 {
		t.Errorf("%d groups of opposites, the last of which can be 127", n)
	}
}
