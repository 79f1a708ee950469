//go:build unix

package index

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"brain/text"
)

// Three pages whose BM25 can be worked out by hand. Lengths in words, where a
// title word counts 2 (wTitle/termUnit), a body word 1, a word of the path ½:
//
//	a  title Quartz (2)  body granite (1)                     path a (½)  3.5
//	b  title Beta   (2)  body quartz quartz slate granite (4) path b (½)  6.5
//	c  title Gamma  (2)  body granite (1)                     path c (½)  3.5
//	                                                   average 13.5/3  =  4.5
//
// Of N = 3 pages, 2 hold quartz and 3 granite:
//
//	idf(quartz)  = ln(1 + (3-2+½)/(2+½)) = ln 1.6
//	idf(granite) = ln(1 + (3-3+½)/(3+½)) = ln 8/7
//
// K = k1·(1-b + b·len/avg) is 1.2·(¼ + ¾·3.5/4.5) = 1 for a and c, and
// 1.2·(¼ + ¾·6.5/4.5) = 1.6 for b. Then tf·2.2/(tf+K) is, for quartz, 4.4/3 in
// a (tf 2, its title word) and 4.4/3.6 in b (tf 2); for granite 2.2/2 in a and
// c, 2.2/2.6 in b.
func TestBM25ByHand(t *testing.T) {
	ix := open(t, nil)
	v := fresh(t, ix, newTree(t, map[string]string{
		"a.md": "---\ntitle: Quartz\n---\ngranite\n",
		"b.md": "---\ntitle: Beta\n---\nquartz quartz slate granite\n",
		"c.md": "---\ntitle: Gamma\n---\ngranite\n",
	}))
	q, g := math.Log(1.6), math.Log(8.0/7)
	for _, c := range []struct {
		terms string
		want  map[string]float64
		ideal float64
	}{
		{"quartz", map[string]float64{"a.md": q * 4.4 / 3, "b.md": q * 4.4 / 3.6}, 2.2 * q},
		{"quartz granite", map[string]float64{
			"a.md": q*4.4/3 + g*2.2/2, "b.md": q*4.4/3.6 + g*2.2/2.6, "c.md": g * 2.2 / 2}, 2.2 * (q + g)},
		{"nowhere", map[string]float64{}, 2.2 * math.Log(8)},
	} {
		var terms []text.QueryTerm
		for _, w := range strings.Fields(c.terms) {
			terms = append(terms, text.QueryTerm{Text: w, Weight: 1})
		}
		r, err := v.Lexical(t.Context(), terms, "")
		must(t, err)
		got, err := r.Top(10, nil)
		must(t, err)
		if len(got) != len(c.want) {
			t.Errorf("%s: %d pages, want %d", c.terms, len(got), len(c.want))
		}
		for i, m := range got {
			near(t, c.terms+" in "+m.Path, m.Score, c.want[m.Path])
			if i > 0 && m.Score > got[i-1].Score {
				t.Errorf("%s: %s is out of order", c.terms, m.Path)
			}
			one, err := r.Score(m.Row)
			must(t, err)
			if one != m.Score {
				t.Errorf("%s: Score says %v, Top %v", m.Path, one, m.Score)
			}
		}
		near(t, c.terms+": ideal", r.Ideal, c.ideal)
		r.Close()
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s: %.15f, want %.15f", what, got, want)
	}
}

// An agent's own pages are counted for that agent and nobody else: N, the
// average length and df change for it alone.
func TestAgentsDoNotBendOtherStatistics(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "quartz granite\n", "b.md": "slate\n"})
	ix := open(t, nil)
	before := words(t, fresh(t, ix, tr), "quartz")
	for i := range 5 {
		tr.write(t, fmt.Sprintf("agents/kim/facts/0%d/f.md", i), "quartz and a long tail of other words\n")
	}
	v := fresh(t, ix, tr)
	if after := words(t, v, "quartz"); fmt.Sprint(after[0].Score, len(after)) != fmt.Sprint(before[0].Score, len(before)) {
		t.Errorf("shared pages: %v before, %v after an agent wrote", before, after)
	}
	r, err := v.Lexical(t.Context(), text.Query("quartz"), "kim")
	must(t, err)
	defer r.Close()
	if r.Terms[0].DF != 6 {
		t.Errorf("kim's df of quartz: %d, want 6", r.Terms[0].DF)
	}
	near(t, "kim's idf", r.Terms[0].IDF, math.Log(1+1.5/6.5))
}

// corpus is a few hundred pages that share words in many combinations.
func corpus(n int) map[string]string {
	pages := map[string]string{}
	vocabulary := strings.Fields("amber basalt cobalt dolomite emerald feldspar granite hematite iolite jasper kyanite lapis marble nickel opal pyrite quartz ruby slate topaz 数据库 迁移 订单")
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, "# Page %d %s\n\n", i, vocabulary[i%len(vocabulary)])
		for j := range 5 + i%37 {
			b.WriteString(vocabulary[(i*7+j*j)%len(vocabulary)])
			b.WriteString(" ")
		}
		fmt.Fprintf(&b, "\n\nSee [[p%d]] and [other](../g%d/p%d.md).\n", (i+1)%n, (i+3)%5, (i+3)%n)
		pages[fmt.Sprintf("g%d/p%d.md", i%5, i)] = b.String()
	}
	return pages
}

var questions = []string{"quartz", "granite slate", "page 17", "数据库迁移", "opal ruby topaz marble", "p3", "订单 jasper"}

// ranking prints what the questions find, scores to the last bit.
func ranking(t testing.TB, v *View) string {
	t.Helper()
	var b strings.Builder
	for _, q := range questions {
		for _, m := range words(t, v, q) {
			fmt.Fprintf(&b, "%s %s %x\n", q, m.Path, math.Float64bits(m.Score))
		}
	}
	return b.String()
}

func setBatch(t testing.TB, docs int) {
	old := batchDocs
	batchDocs = docs
	t.Cleanup(func() { batchDocs = old })
}

func setTail(t testing.TB, rows int) {
	old := maxTailRows
	maxTailRows = rows
	t.Cleanup(func() { maxTailRows = old })
}

// How pages fall into segments must not be seen in any score.
func TestRankingDoesNotDependOnBatches(t *testing.T) {
	tr := newTree(t, corpus(203))
	var want string
	for _, size := range []int{500, 1, 10, 25} {
		setBatch(t, size)
		ix := open(t, nil)
		v := fresh(t, ix, tr)
		got := ranking(t, v)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("batches of %d rank otherwise", size)
		}
		if size == 25 && len(v.lex.snap.Segments()) < 3 {
			t.Error("batches of 25 made few segments: the limit is not used")
		}
		syncWith(t, ix, tr, SyncOptions{Compact: true})
		v = view(t, ix)
		if n := len(v.lex.snap.Segments()); n != 1 {
			t.Errorf("%d segments after a full merge", n)
		}
		if ranking(t, v) != want {
			t.Errorf("batches of %d rank otherwise after a full merge", size)
		}
		sound(t, ix, tr)
	}
}
