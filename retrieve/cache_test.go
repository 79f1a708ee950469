package retrieve

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brain/index"
	"brain/llm"
)

// cachedBrain is a brain whose searcher keeps answers.
func cachedBrain(t testing.TB, pages map[string]string) *brain {
	b := newBrain(t, pages)
	b.sr.Cache = new(Cache)
	return b
}

func wantCached(t *testing.T, a *Answer, want bool) {
	t.Helper()
	if a.Cached != want {
		t.Errorf("%q: cached %v, want %v", a.Query, a.Cached, want)
	}
}

func TestSameQuestionIsAnsweredFromTheCache(t *testing.T) {
	b := cachedBrain(t, fewPages)
	fresh := b.search(Query{Text: "boiler pressure", Budget: 100})
	again := b.search(Query{Text: "boiler pressure", Budget: 100})
	wantCached(t, fresh, false)
	wantCached(t, again, true)
	if again.TookMS >= fresh.TookMS || again.ArmsMS != nil || again.EmbedMS != 0 {
		t.Errorf("took %v ms the first time, then %v; arms %v", fresh.TookMS, again.TookMS, again.ArmsMS)
	}
	fresh.Cached, fresh.TookMS, fresh.ArmsMS, fresh.EmbedMS = again.Cached, again.TookMS, nil, 0
	if !reflect.DeepEqual(fresh, again) {
		t.Errorf("another answer:\n%+v\n%+v", fresh, again)
	}
	wantJSON(t, again)
	b.sr.Cache = nil
	wantCached(t, b.search(Query{Text: "boiler pressure", Budget: 100}), false)
}

// filled is a value of which every field is set, lists and maps with one
// entry.
func filled(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		filled(value)
		v.SetMapIndex(reflect.ValueOf("x"), value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(clock))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				filled(v.Field(i))
			}
		}
	default:
		panic("a field of kind " + v.Kind().String())
	}
}

// shared names what two equal values have in common memory.
func sharedMemory(path string, a, b reflect.Value) (out []string) {
	switch a.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		if a.Pointer() == b.Pointer() {
			return []string{path}
		}
	}
	switch a.Kind() {
	case reflect.Slice:
		return sharedMemory(path+"[]", a.Index(0), b.Index(0))
	case reflect.Pointer:
		return sharedMemory(path, a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			out = append(out, sharedMemory(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))...)
		}
	}
	return out
}

// A field that is added to an answer must be copied too.
func TestAnswersAreCopiedWithAllTheyHold(t *testing.T) {
	a := new(Answer)
	filled(reflect.ValueOf(a).Elem())
	b := a.clone()
	if !reflect.DeepEqual(a, b) {
		t.Errorf("the copy differs:\n%+v\n%+v", a, b)
	}
	if s := sharedMemory("Answer", reflect.ValueOf(a), reflect.ValueOf(b)); s != nil {
		t.Errorf("a copy shares %q", s)
	}
	empty := &Answer{Hits: []Hit{}, Degraded: []Degraded{}}
	wantJSON(t, empty.clone())
}

func TestWhoHasAnAnswerMayChangeIt(t *testing.T) {
	b := cachedBrain(t, fewPages)
	for range 3 {
		a := b.ask("boiler pressure")
		if h := a.Hits[0]; h.Path != "boiler.md" || h.Signals[0].Name == "spoiled" || h.Evidence[0] == "spoiled" {
			t.Fatalf("the cache gave out what a caller changed: %+v", h)
		}
		a.Hits[0].Path, a.Hits[0].Signals[0].Name, a.Hits[0].Evidence[0] = "spoiled", "spoiled", "spoiled"
	}
}

// Every field of a question is part of its key: a question with any other
// filter is another question.
func TestEveryFieldOfAQuestionIsPrinted(t *testing.T) {
	seen := map[string]string{Query{}.String(): "the zero question"}
	typ := reflect.TypeFor[Query]()
	for i := range typ.NumField() {
		if f := typ.Field(i); f.IsExported() {
			var q Query
			filled(reflect.ValueOf(&q).Elem().Field(i))
			if other, ok := seen[q.String()]; ok {
				t.Errorf("%s prints as %s does: %s", f.Name, other, q)
			}
			seen[q.String()] = f.Name
		}
	}
	q := Query{Text: `a "b"`, N: 3, Kinds: []string{"note", "lesson"}, Without: []string{"fact"}, Since: clock, Agent: "ada", Unit: Passages, Budget: 50, Overview: true, Now: clock, Timeout: time.Second}
	const want = `"a \"b\"" n=3 kinds=["note" "lesson"] without=["fact"] since=2026-04-01T12:00:00Z agent="ada" unit=passage budget=50 overview=true day=2026-04-01 timeout=1s`
	if got := q.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, pair := range [][2]Query{
		{{Kinds: []string{"a", "b"}}, {Kinds: []string{`a" "b`}}},
		{{Kinds: []string{"a"}}, {Tags: []string{"a"}}},
		{{Text: "a", Agent: "b"}, {Text: `a" agent="b`}},
	} {
		if pair[0].String() == pair[1].String() {
			t.Errorf("two questions print as %s", pair[0])
		}
	}
}

func TestClockCountsByDays(t *testing.T) {
	b := cachedBrain(t, fewPages)
	at := func(s string) *Answer {
		now, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return b.search(Query{Text: "boiler", Now: now})
	}
	wantCached(t, at("2026-04-01T00:00:00Z"), false)
	wantCached(t, at("2026-04-01T23:59:59Z"), true)
	wantCached(t, at("2026-04-02T01:00:00+02:00"), true) // still the first of April in UTC
	wantCached(t, at("2026-04-02T00:00:00Z"), false)
}

// A field that is added to Searcher may change answers: then settings must
// print it, and here it must be named.
func TestSettingsKnowWhatASearcherHas(t *testing.T) {
	known := []string{"Brain", "Index", "Source", "Embedder", "Cache", "Lexicon", "Readings"}
	typ := reflect.TypeFor[Searcher]()
	for i := range typ.NumField() {
		if name := typ.Field(i).Name; !slices.Contains(known, name) {
			t.Errorf("does Searcher.%s change answers? then it belongs into settings", name)
		}
	}
}

// tuned is an embedder with other calibration, under its own name or not.
type tunedEmbedder struct {
	llm.Embedder
	zero float64
}

func (e tunedEmbedder) Info() llm.Info {
	i := e.Embedder.Info()
	i.Zero = e.zero
	return i
}

func TestAnotherEmbedderGetsNoScoresOfTheLast(t *testing.T) {
	b := cachedBrain(t, fewPages)
	with := b.ask("boiler pressure")
	wantCached(t, b.ask("boiler pressure"), true)
	b.sr.Embedder = nil
	without := b.ask("boiler pressure")
	wantCached(t, without, false)
	if signal(&with.Hits[0], "cosine") == nil || signal(&without.Hits[0], "cosine") != nil {
		t.Errorf("with an embedder %s\nwithout %s", toldAll(with), toldAll(without))
	}
	b.sr.Embedder = tunedEmbedder{static(), -1}
	tuned := b.ask("boiler pressure")
	wantCached(t, tuned, false)
	if tuned.Hits[0].Score == with.Hits[0].Score {
		t.Errorf("score %v with either calibration", tuned.Hits[0].Score)
	}
	b.sr.Embedder = static()
	if again := b.ask("boiler pressure"); !again.Cached || !reflect.DeepEqual(again.Hits, with.Hits) {
		t.Errorf("cached %v:\n%s\nwant\n%s", again.Cached, toldAll(again), toldAll(with))
	}
}

func TestPageThatComesAfterAQuestionIsFound(t *testing.T) {
	b := cachedBrain(t, fewPages)
	for range 2 {
		wantNone(t, b.words("flywheel"))
	}
	q := Query{Text: "flywheel", Arms: []string{Lexical}, Now: clock}
	ask := func(f index.Freshness) *Answer {
		a, err := b.sr.Ask(t.Context(), q, f, index.SyncOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	wantCached(t, ask(index.Auto), true)
	b.write("new.md", "The flywheel was balanced.")
	if a := ask(index.Never); a.Stale == nil || len(a.Hits) > 0 {
		t.Errorf("stale %+v, hits %q", a.Stale, paths(a))
	}
	a := ask(index.Auto)
	wantCached(t, a, false)
	wantPaths(t, a, "new.md")
	b.write("new.md", "The flywheel was taken away, and nobody knows where to.")
	a = ask(index.Auto)
	wantCached(t, a, false)
	if len(a.Hits) != 1 || !strings.Contains(a.Hits[0].Snippet, "taken away") {
		t.Errorf("hits %+v", a.Hits)
	}
}

// An index that was deleted and built again counts its generations from one.
func TestIndexThatWasBuiltAgainHasNoOldAnswers(t *testing.T) {
	b := cachedBrain(t, fewPages)
	wantFirst(t, b.ask("boiler pressure"), "boiler.md")
	generation := b.ask("boiler pressure").Generation
	b.remove("boiler.md")
	b.check(b.ix.Remove(t.Context()))
	b.sync()
	a := b.ask("boiler pressure")
	wantCached(t, a, false)
	if a.Generation != generation || hit(a, "boiler.md") != nil {
		t.Errorf("generation %d, before %d; hits %q", a.Generation, generation, paths(a))
	}
}

func TestDegradedAndStaleAnswersAreNotKept(t *testing.T) {
	b := cachedBrain(t, fewPages)
	b.sr.Embedder = failing{static()}
	for range 2 {
		if a := b.ask("boiler pressure"); a.Cached || len(a.Degraded) != 1 {
			t.Errorf("cached %v, degraded %v", a.Cached, a.Degraded)
		}
	}
	b.sr.Embedder = static()
	b.write("new.md", "The flywheel was balanced.")
	for range 2 {
		if a := b.first("boiler pressure", index.Never); a.Cached || a.Stale == nil {
			t.Errorf("cached %v, stale %+v", a.Cached, a.Stale)
		}
	}
	b.remove("new.md")
	if a := b.first("boiler pressure", index.Never); a.Cached || a.Stale != nil {
		t.Errorf("cached %v, stale %+v", a.Cached, a.Stale)
	}
	if a := b.first("boiler pressure", index.Never); !a.Cached || a.Stale != nil {
		t.Errorf("cached %v, stale %+v", a.Cached, a.Stale)
	}
	b.remove("boiler.md") // shown by what the index knows of it
	for range 2 {
		wantCached(t, b.ask("boiler valve"), false)
	}
}

// failing is an embedder that is down.
type failing struct{ llm.Embedder }

func (failing) Embed(context.Context, []string) ([][]float32, error) {
	return make([][]float32, 1), fmt.Errorf("down")
}

func entries(n int, size int64) *Cache { return &Cache{Entries: n, Bytes: size} }

func keyOf(i int) cacheKey { return cacheKey{query: fmt.Sprint("q", i)} }

func TestWhatWasUsedLeastRecentlyGoesFirst(t *testing.T) {
	c := entries(3, 0)
	keep := func(i int) { c.keep(keyOf(i), &Answer{Query: fmt.Sprint(i)}, nil) }
	have := func() (out []int) {
		for i := range 9 {
			if e := c.byKey[keyOf(i)]; e != nil {
				out = append(out, i)
			}
		}
		return out
	}
	keep(1)
	keep(2)
	keep(3)
	c.get(keyOf(1), clock)
	keep(4)
	if got := have(); !slices.Equal(got, []int{1, 3, 4}) {
		t.Errorf("kept %v", got)
	}
	keep(3) // again: no second entry
	keep(5)
	if got := have(); !slices.Equal(got, []int{3, 4, 5}) {
		t.Errorf("kept %v", got)
	}
	c.drop(keyOf(4))
	if got := have(); !slices.Equal(got, []int{3, 5}) || c.used.Len() != 2 {
		t.Errorf("kept %v", got)
	}
}

func TestCacheIsBoundedByBytes(t *testing.T) {
	answer := &Answer{Hits: []Hit{{Text: strings.Repeat("x", 10000)}}}
	c := entries(0, 35000) // room for three
	for i := range 10 {
		c.keep(keyOf(i), answer, nil)
		if c.bytes > 35000 || c.used.Len() > 3 || c.used.Len() != len(c.byKey) {
			t.Fatalf("%d entries, %d bytes", c.used.Len(), c.bytes)
		}
	}
	if c.used.Len() != 3 || c.get(keyOf(9), clock) == nil || c.get(keyOf(6), clock) != nil {
		t.Errorf("%d entries", c.used.Len())
	}
	c.keep(keyOf(10), &Answer{Hits: []Hit{{Text: strings.Repeat("x", 40000)}}}, nil)
	if c.used.Len() != 3 || c.get(keyOf(10), clock) != nil {
		t.Errorf("an answer larger than the cache: %d entries", c.used.Len())
	}
	for i := range 10 {
		c.drop(keyOf(i))
	}
	if c.bytes != 0 || len(c.byKey) != 0 {
		t.Errorf("%d bytes in an empty cache", c.bytes)
	}
}

func TestNoCacheIsNoTrouble(t *testing.T) {
	var c *Cache
	c.keep(keyOf(1), &Answer{}, nil)
	c.drop(keyOf(1))
	if c.get(keyOf(1), clock) != nil {
		t.Error("an answer from nowhere")
	}
}

func TestCacheServesManyAtOnce(t *testing.T) {
	b := cachedBrain(t, fewPages)
	b.sr.Cache.Entries = 4
	other := *b.sr
	other.Embedder = nil
	questions := []string{"boiler", "stairs", "pressure", "Monday", "swept"}
	want := map[string][]string{}
	for _, q := range questions {
		want[q] = paths(b.words(q))
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 40 {
				text := questions[(i*worker+i)%len(questions)]
				sr := []*Searcher{b.sr, &other}[i%2]
				v, err := b.ix.View()
				if err != nil {
					t.Error(err)
					return
				}
				a, v, err := sr.AskView(t.Context(), v, Query{Text: text, Arms: []string{Lexical}, Now: clock}, index.Never)
				if err != nil {
					t.Error(err)
					return
				}
				if !slices.Equal(paths(a), want[text]) {
					t.Errorf("%q: %q, want %q", text, paths(a), want[text])
				}
				for j := range a.Hits {
					a.Hits[j].Signals[0].Value = 0
					a.Hits[j].Path = ""
				}
				if err := v.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := b.sr.Cache.used.Len(); n > 4 {
		t.Errorf("%d entries", n)
	}
}

// BenchmarkCachedAnswer is a question that was asked before: printing its key
// and copying ten hits.
func BenchmarkCachedAnswer(b *testing.B) {
	br := demo(b, index.Options{Embedder: static()})
	br.sr.Cache = new(Cache)
	v := br.view()
	q := Query{Text: goldenQueries[0], Now: clock}
	b.ReportAllocs()
	for b.Loop() {
		a, err := br.sr.Search(b.Context(), v, q)
		if err != nil || len(a.Hits) == 0 {
			b.Fatal(err)
		}
	}
}
