package retrieve

import (
	"math"
	"testing"

	"brain/index"
	"brain/llm"
	"brain/llm/llmtest"
	"brain/page"
)

func TestDoubtFallsWithTheBestPage(t *testing.T) {
	words := &index.LexicalResult{Ideal: 8}
	for best, want := range map[float64]float64{0: 1, 1: .75, 2: .5, 4: 0, 7: 0} {
		f := &found{words: words, lexical: []index.Match{{Score: best}, {Score: best / 2}}}
		if got := f.doubt(); math.Abs(got-want) > 1e-15 {
			t.Errorf("best page %v of 8: doubt %v, want %v", best, got, want)
		}
	}
	if got := (&found{words: words}).doubt(); got != 1 {
		t.Errorf("no page has a word: doubt %v", got)
	}
	for _, f := range []*found{{}, {words: &index.LexicalResult{}}} { // the arm did not run, or knows no word
		if got := f.doubt(); got != 0 {
			t.Errorf("no words: doubt %v", got)
		}
	}
}

// A page that says a question's words in another language gets, for each of
// them, what they are worth.
func TestKinFindsOtherWords(t *testing.T) {
	b := newBrain(t, map[string]string{
		"deploy.md": "---\ntitle: 部署\n---\n压缩 文件\n", "car.md": "---\ntitle: vehicle\n---\nengine\n",
		"none.md": "---\ntitle: theology\n---\n神学\n", "both.md": "---\ntitle: compress\n---\n压缩\n",
		sessionFile("s"): conversation("kim", "user: 压缩 文件"),
	})
	q := Query{Text: "compress files", Agent: "kim", N: 50}
	a := b.search(q)
	f := b.sr.arms(t.Context(), b.view(), nil, &plan{q: q, terms: newPlan(b.view(), q, nil).terms, arms: map[string]bool{Lexical: true}, accept: func(uint32) bool { return true }})
	defer f.close()
	words, err := llm.Words()
	if err != nil {
		t.Fatal(err)
	}
	v := b.view()
	k := v.Kin(words, q.Text)
	defer k.Close()
	for _, h := range a.Hits {
		row, _ := v.Lookup(page.Path(h.Path))
		s, want := signal(&h, "kin"), k.Score(row)
		switch {
		case want == 0 && s != nil:
			t.Errorf("%s: %+v", h.Path, s)
		case want > 0 && (s == nil || s.Raw != want || s.Value != kinShare*f.doubt()*want || s.Op != "add"):
			t.Errorf("%s: %+v, want %v of %v", h.Path, s, kinShare*f.doubt(), want)
		}
	}
	h := hit(a, "deploy.md")
	if h == nil || signal(h, "kin") == nil {
		t.Fatalf("found %q", paths(a))
	}
	if h := hit(a, sessionFile("s")); h != nil && signal(h, "kin") != nil {
		t.Error("a session has kin")
	}
	for _, arms := range [][]string{{Lexical}, {Vector}, {Graph}} {
		for _, h := range b.search(Query{Text: q.Text, Arms: arms}).Hits {
			if signal(&h, "kin") != nil {
				t.Errorf("%v: %s has kin", arms, h.Path)
			}
		}
	}
}

// Where a page has the question's words, other words add nothing.
func TestKinIsSilentWhereTheWordsAreFound(t *testing.T) {
	b := newBrain(t, map[string]string{"a.md": "compress files compress files\n", "b.md": "压缩 文件\n", "c.md": "granite\n", "d.md": "slate\n"})
	for _, h := range b.search(Query{Text: "compress files"}).Hits {
		if s := signal(&h, "kin"); s != nil && s.Value != 0 {
			t.Errorf("%s: %+v", h.Path, s)
		}
	}
}

// Words are compared whatever embedder made the vectors, and not without one.
func TestKinGoesWithAnyEmbedder(t *testing.T) {
	pages := map[string]string{"a.md": "vehicle\n", "b.md": "granite\n"}
	for name, c := range map[string]struct {
		b    *brain
		want bool
	}{
		"none":    {wordsOnly(t, pages), false},
		"another": {newBrainWith(t, pages, index.Options{Embedder: llmtest.Hash(64)}), true},
	} {
		h := hit(c.b.ask("granite car"), "a.md")
		if got := h != nil && signal(h, "kin") != nil; got != c.want {
			t.Errorf("%s: kin %v", name, got)
		}
	}
}
