//go:build unix

package index

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"brain/llm"
	"brain/llm/llmtest"
	"brain/page"
)

func lexicon(t testing.TB) *llm.Lexicon {
	t.Helper()
	l, err := llm.Words()
	must(t, err)
	return l
}

func kin(t testing.TB, v *View, q string) *Kin {
	t.Helper()
	k := v.Kin(lexicon(t), q)
	if k == nil {
		t.Fatalf("the lexicon knows no word of %q", q)
	}
	t.Cleanup(k.Close)
	return k
}

// known is one word of the lexicon.
type known struct {
	vec    []float32
	weight float64
}

func wordOf(t testing.TB, s string) known {
	t.Helper()
	l := lexicon(t)
	n := l.Numbers(s)
	if len(n) != 1 {
		t.Fatalf("%q is %d words", s, len(n))
	}
	w := known{vec: make([]float32, l.Dims())}
	w.weight = float64(l.Vector(n[0], w.vec))
	return w
}

func (w known) cos(o known) float64 {
	sum := 0.0
	for i := range w.vec {
		sum += float64(w.vec[i]) * float64(o.vec[i])
	}
	return sum
}

// A page of three words, and what it is worth to questions.
func TestKinByHand(t *testing.T) {
	tr := newTree(t, map[string]string{"p.md": "---\ntitle: car\n---\nengine highway\n"})
	v := fresh(t, open(t, static(t)), tr)
	row := rowOf(t, v, "p.md")
	car, engine, highway := wordOf(t, "car"), wordOf(t, "engine"), wordOf(t, "highway")
	worth := func(q string) float64 { // of a word that the page lacks, times its weight
		w := wordOf(t, q)
		best := max(w.cos(car), w.cos(engine), w.cos(highway))
		return w.weight * max(0, best-kinZero) / (1 - kinZero)
	}
	weight := func(q ...string) (sum float64) {
		for _, q := range q {
			sum += wordOf(t, q).weight
		}
		return sum
	}
	if worth("vehicle") == 0 || worth("汽车") == 0 || worth("theology") != 0 {
		t.Fatal("the words were chosen badly")
	}
	for q, want := range map[string]float64{
		"vehicle":              worth("vehicle") / weight("vehicle"),
		"汽车":                   worth("汽车") / weight("汽车"),
		"car":                  0, // it has the word: BM25 counts it
		"car engine highway":   0,
		"theology":             0, // nothing is nearer than kinZero
		"vehicle car":          worth("vehicle") / weight("vehicle", "car"),
		"theology vehicle":     worth("vehicle") / weight("vehicle", "theology"),
		"vehicle vehicle":      worth("vehicle") / weight("vehicle"),
		"the vehicle of 汽车 is": (worth("vehicle") + worth("汽车")) / weight("vehicle", "汽车"),
	} {
		if got := kin(t, v, q).Score(row); math.Abs(got-want) > 1e-6 {
			t.Errorf("%q: %v, want %v", q, got, want)
		}
	}
	if v.Kin(lexicon(t), "the of and") != nil || v.Kin(lexicon(t), "") != nil {
		t.Error("a question without words has kin")
	}
}

// Of a long question the weightiest words are compared, and all of them weigh.
func TestKinOfALongQuestion(t *testing.T) {
	v := fresh(t, open(t, static(t)), newTree(t, map[string]string{"p.md": "car engine highway\n"}))
	q := "vehicle theology molecule violin glacier senate dolphin mortgage sonnet tariff galaxy vaccine cathedral tunnel walnut"
	k := kin(t, v, q)
	if len(k.words) != kinWords {
		t.Fatalf("%d words are compared", len(k.words))
	}
	total := 0.0
	for _, w := range strings.Fields(q) {
		total += wordOf(t, w).weight
	}
	near(t, "total", k.total, total)
	for i := 1; i < len(k.worth); i++ {
		if k.worth[i] > k.worth[i-1] {
			t.Errorf("words are not ordered by weight: %v", k.worth)
		}
	}
	if got := k.Score(rowOf(t, v, "p.md")); got < 0 || got > 1 {
		t.Errorf("score %v", got)
	}
}

// Only ranked pages have words; sessions are scored turn by turn instead.
func TestKinOfWhatIsNoPage(t *testing.T) {
	v := fresh(t, open(t, static(t)), newTree(t, map[string]string{
		sessionFile("s"): talk("kim", "car", "user: car"), "old.md": "---\nstatus: archived\n---\ncar\n", "empty.md": "", "bin.md": "car\x00",
	}))
	k := kin(t, v, "vehicle")
	v.walk(func(row uint32, _ *table, _ uint32) bool {
		if got := k.Score(row); got != 0 {
			t.Errorf("%s: %v", v.path(row), got)
		}
		return true
	})
}

// A page with more words than a row keeps keeps some of each language.
func TestKinOfAPageWithVeryManyWords(t *testing.T) {
	l := lexicon(t)
	var numbers []uint32
	for b := appendWords(nil, l, page.Parse("p.md", []byte(manyWords(t)))); len(b) > 0; {
		d, w := binary.Uvarint(b)
		b = b[w:]
		if len(numbers) > 0 {
			d += uint64(numbers[len(numbers)-1])
		}
		numbers = append(numbers, uint32(d))
	}
	if len(numbers) != maxKin || !slices.IsSorted(numbers) || len(slices.Compact(slices.Clone(numbers))) != maxKin {
		t.Fatalf("%d words are kept", len(numbers))
	}
	chinese := l.Numbers("数据库")[0]
	if first, last := numbers[0], numbers[maxKin-1]; first > 1000 || last < chinese {
		t.Errorf("words %d to %d are kept", first, last)
	}
}

// manyWords is a text of two languages with more words than a row keeps: all
// pairs of some characters, and of some letters.
func manyWords(t *testing.T) string {
	var b strings.Builder
	for r := rune(0x4e00); r < 0x9000; r++ {
		b.WriteString(string(r) + " ")
	}
	for x := 'a'; x <= 'z'; x++ {
		for y := 'a'; y <= 'z'; y++ {
			fmt.Fprintf(&b, "%c%c ", x, y)
		}
	}
	for _, w := range strings.Fields(vocabulary) {
		fmt.Fprintf(&b, "%s %ss ", w, w)
	}
	if n := len(lexicon(t).Numbers(b.String())); n <= maxKin {
		t.Fatalf("only %d words", n)
	}
	return b.String()
}

// related is what some questions give every page, to the last bit.
func related(t testing.TB, v *View) string {
	var b strings.Builder
	for _, q := range []string{"stone database", "vehicle", "rock 迁移 gem", "orders 石头"} {
		k := v.Kin(lexicon(t), q)
		v.All(func(row uint32) bool {
			fmt.Fprintf(&b, "%s %s %x\n", q, v.path(row), math.Float64bits(k.Score(row)))
			return true
		})
		k.Close()
	}
	return b.String()
}

// Neither batches, folds, nor the order of asking are seen in a score.
func TestKinDoesNotDependOnBatches(t *testing.T) {
	tr := newTree(t, corpus(60)).settled()
	ix := open(t, static(t))
	v := fresh(t, ix, tr)
	want := related(t, v)
	if !strings.Contains(want, " 3f") {
		t.Fatal("nothing is related")
	}
	setBatch(t, 3)
	setTail(t, 5)
	ix = open(t, static(t))
	pages := corpus(60)
	tr = newTree(t, nil).settled()
	n := 0
	for p, s := range pages {
		tr.write(t, p, s)
		if n++; n%7 == 0 {
			syncIn(t, ix, tr)
		}
	}
	if related(t, fresh(t, ix, tr)) != want {
		t.Error("pages that came in batches are scored otherwise")
	}
	syncWith(t, ix, tr, SyncOptions{Compact: true})
	v = view(t, ix)
	if related(t, v) != want {
		t.Error("folded pages are scored otherwise")
	}
	k := kin(t, v, "stone database")
	scores := map[uint32]float64{}
	v.All(func(row uint32) bool { scores[row] = k.Score(row); return true })
	other := kin(t, v, "stone database")
	for row := int(v.Nodes()) - 1; row >= 0; row-- {
		if v.alive(uint32(row)) && other.Score(uint32(row)) != scores[uint32(row)] {
			t.Errorf("row %d is scored otherwise from the end", row)
		}
	}
}

// Questions asked at once share caches one after the other and nothing else.
func TestKinAtOnce(t *testing.T) {
	v := fresh(t, open(t, static(t)), newTree(t, corpus(40)))
	want := related(t, v)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 3 {
				if related(t, v) != want {
					t.Error("another answer")
				}
			}
		})
	}
	wg.Wait()
}

// Which words rows keep is the generation's matter: one with vectors has them
// in every row, whoever wrote it, and one without gets them with its vectors.
func TestRowsKeepWordsWithVectors(t *testing.T) {
	dir := t.TempDir()
	tr := newTree(t, map[string]string{"a.md": "car\n"}).settled()
	score := func(e llm.Embedder, path string) float64 {
		t.Helper()
		ix, err := Open(Options{Dir: dir, Embedder: e})
		must(t, err)
		v := fresh(t, ix, tr)
		defer ix.Close()
		sound(t, ix, tr)
		return kin(t, v, "vehicle").Score(rowOf(t, v, path))
	}
	if got := score(nil, "a.md"); got != 0 {
		t.Errorf("without an embedder: %v", got)
	}
	want := score(static(t), "a.md")
	if want == 0 {
		t.Error("with an embedder rows have no words")
	}
	tr.write(t, "b.md", "---\ntitle: b\n---\nCar.\n")
	tr.write(t, "a.md", "car \n") // touched: its row is made again
	if got := score(nil, "b.md"); got != want {
		t.Errorf("a page added without an embedder: %v, want %v", got, want)
	}
	for _, p := range []string{"a.md", "b.md"} {
		if got := score(static(t), p); got != want {
			t.Errorf("%s: %v, want %v", p, got, want)
		}
	}
	ix := openIn(t, dir, llmtest.Hash(16))
	if rep := syncIn(t, ix, tr); rep.Rebuilt == "" {
		t.Error("another embedder built nothing anew")
	}
}

// The numbers of words are baked into rows: another lexicon needs another
// termsVersion, which is then written down here with it.
func TestTermsVersionGoesWithTheLexicon(t *testing.T) {
	if termsVersion != 7 || !strings.HasPrefix(llm.LexiconVersion, "8bec40977070") {
		t.Errorf("terms %d, lexicon %s", termsVersion, llm.LexiconVersion)
	}
}

// FuzzRest: no bytes behind the strings of a row make its readers panic.
func FuzzRest(f *testing.F) {
	session := page.Parse(page.Path(sessionFile("s")), []byte(talk("kim", "T", "/Al: quartz", "user: opal opal?")))
	f.Add(appendTurns(nil, session))
	f.Add(appendTurns(nil, session)[:50])
	f.Add(appendWords(nil, lexicon(f), page.Parse("p.md", []byte("car engine 数据库"))))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, rest []byte) {
		meta := appendMeta(nil, pageMeta{title: "t", agent: "kim", tags: []string{"x"}, rest: rest})
		if string(metaRest(meta)) != string(rest) || string(metaField(meta, metaAgent)) != "kim" {
			t.Error("the rest is not where it was put")
		}
		if whole := decodeMeta(rest); string(whole.rest) != string(metaRest(rest)) || whole.agent != string(metaField(rest, metaAgent)) {
			t.Error("a field read alone differs from the row decoded")
		}
		tb, err := openTable(encodeTable([]*record{
			{file: page.File{Path: "p.md"}, flags: flagRanked, meta: meta, chunks: []uint32{0, vecNone}},
			{file: page.File{Path: page.Path(sessionFile("s"))}, flags: flagRanked | flagSession, meta: meta, chunks: []uint32{7, 1 << 30}},
			{file: page.File{Path: page.Path(sessionFile("t"))}, flags: flagRanked | flagSession, meta: rest},
		}, nil))
		must(t, err)
		empty, err := openTable(encodeTable(nil, nil))
		must(t, err)
		v := &View{m: &manifest{}, base: tb, tail: empty}
		v.overlay()
		useEverything(v)
	})
}

// BenchmarkKin is one question over 60 pages of 300 words: what a search pays.
// Row unpacks each word that no page had before; a page alone allocates nothing.
func BenchmarkKin(b *testing.B) {
	l := lexicon(b)
	var all []string // words that the lexicon knows
	for _, w := range strings.Fields(vocabulary) {
		if len(l.Numbers(w)) == 1 {
			all = append(all, w)
		}
	}
	pages := map[string]string{}
	for i := range 60 {
		var s strings.Builder
		for j := range 300 {
			fmt.Fprintf(&s, "%s%s ", all[(i*31+j*j)%len(all)], []string{"", "s", "ing", "er", "ed"}[(i+j)%5])
		}
		pages[fmt.Sprintf("p%d.md", i)] = s.String()
	}
	v := fresh(b, open(b, static(b)), newTree(b, pages).settled())
	q := "how do vehicles cross the frozen river between mountain villages during winter storms"
	b.Run("question", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			k := v.Kin(l, q)
			for row := range uint32(60) {
				k.Score(row)
			}
			k.Close()
		}
	})
	b.Run("page", func(b *testing.B) {
		k := v.Kin(l, q)
		defer k.Close()
		b.ReportAllocs()
		for b.Loop() {
			k.Score(0)
		}
	})
}

const vocabulary = `apple arrow autumn bakery balcony banana barrel basket beach bottle bread bridge bronze brush bucket butter
	cabin candle canvas carpet castle cellar chair cheese cherry church circle cloud coffee copper corner cotton cradle curtain
	desert dinner doctor dragon drawer eagle eleven engine farmer feather fence finger flower forest fountain garden ginger glass
	gold grape guitar hammer harbor harvest helmet hockey honey horse hotel island jacket jewel jungle kettle kitchen ladder lake
	lantern lemon letter library lion lizard market marble meadow medal mirror monkey mountain museum napkin needle ocean olive
	orange orchard painter palace paper parrot pencil pepper piano pillow pirate planet pocket potato prince pumpkin rabbit river
	rocket saddle sailor salmon school shadow shelter silver spider spoon station stone storm summer sweater table temple thunder
	ticket tiger tomato tower train tulip tunnel turtle valley velvet village violin wagon walnut water whale window winter wolf`
