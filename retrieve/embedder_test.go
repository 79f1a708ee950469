package retrieve

import (
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/index"
	"brain/llm"
	"brain/llm/llmtest"
)

var fewPages = map[string]string{
	"boiler.md": "# Boiler\n\nThe boiler pressure gauge stands at two bar.",
	"garden.md": "# Garden\n\nTomatoes want sun and [[boiler]] water.",
	"stairs.md": "# Stairs\n\nThe stairs are swept on Monday.",
}

// wordsAnswer demands that words and links answered, and that the vector arm
// is named as missing with the given reason.
func wordsAnswer(t *testing.T, a *Answer, reason string) {
	t.Helper()
	wantFirst(t, a, "boiler.md")
	if len(a.Degraded) != 1 || a.Degraded[0].Arm != Vector || !strings.Contains(a.Degraded[0].Reason, reason) {
		t.Errorf("degraded %v, want the vector arm alone: …%s…", a.Degraded, reason)
	}
	for _, h := range a.Hits {
		if signal(&h, "cosine") != nil || signal(&h, "rrf.vector") != nil {
			t.Errorf("%s has a score of the arm that did not answer", h.Path)
		}
	}
}

func TestArmsRunInParallelAndTellTheirTimes(t *testing.T) {
	e := llmtest.Hash(64)
	b := newBrainWith(t, fewPages, index.Options{Embedder: e})
	b.sr.Embedder = llmtest.Slow(e, 200*time.Millisecond)
	a := b.ask("boiler pressure gauge")
	if len(a.Degraded) > 0 {
		t.Fatalf("degraded %v", a.Degraded)
	}
	sum := 0.0
	for _, arm := range AllArms {
		took, ok := a.ArmsMS[arm]
		if !ok {
			t.Errorf("arm %s tells no time: %v", arm, a.ArmsMS)
		}
		sum += took
	}
	if a.ArmsMS[Vector] < a.EmbedMS || a.EmbedMS < 200 {
		t.Errorf("embedding took %v ms of %v", a.EmbedMS, a.ArmsMS)
	}
	if signal(hit(a, "boiler.md"), "cosine") == nil {
		t.Error("the slow answer was thrown away")
	}
}

// Such as one that loads its model for the first question (I07).
func TestModelServerSlowerThanAQuarterSecondIsSkipped(t *testing.T) {
	e := llmtest.Hash(64)
	b := newBrainWith(t, fewPages, index.Options{Embedder: e})
	b.sr.Embedder = llmtest.Slow(e, time.Minute)
	wordsAnswer(t, b.ask("boiler pressure gauge"), embedTimeout.String())
}

func TestNoEmbedderMeansNoVectorArmAndNoComplaint(t *testing.T) {
	b := wordsOnly(t, fewPages)
	a := b.ask("boiler pressure gauge")
	wantFirst(t, a, "boiler.md")
	if len(a.Degraded) > 0 {
		t.Errorf("degraded %v", a.Degraded)
	}
	if a := b.search(Query{Text: "boiler", Arms: []string{Vector}}); len(a.Degraded) > 0 {
		t.Errorf("degraded %v", a.Degraded)
	}
}

// Where there was nothing to embed, no sync makes vectors, so none is asked for.
func TestBrainOfUnknownWordsIsNotToldToSync(t *testing.T) {
	pages := map[string]string{"a.md": "zxqv blorptang"}
	if a := newBrain(t, pages).ask("blorptang"); len(a.Degraded) > 0 || len(a.Hits) != 1 {
		t.Errorf("found %q, degraded %v", paths(a), a.Degraded)
	}
	b := wordsOnly(t, pages)
	b.sr.Embedder = static()
	if a := b.ask("blorptang"); len(a.Degraded) != 1 || !strings.Contains(a.Degraded[0].Reason, "brain sync") {
		t.Errorf("an index without vectors: degraded %v", a.Degraded)
	}
}

// A closed port, a web page, a certificate, a key, a model: each wants
// another next step, so each is told in other words.
func TestEveryFaultOfAModelServerHasItsOwnReason(t *testing.T) {
	server := llmtest.NewServer(t, llmtest.Faults{})
	open := func(url, key string) llm.Embedder {
		e, err := llm.NewOllama(llm.OllamaOptions{URL: url, Model: llmtest.Model, Key: key, Timeout: 2 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	b := newBrainWith(t, fewPages, index.Options{Embedder: open(server.URL, "")})
	if a := b.ask("boiler pressure gauge"); len(a.Degraded) > 0 || signal(hit(a, "boiler.md"), "cosine") == nil {
		t.Fatalf("the healthy server was not used: %v", a.Degraded)
	}
	reasons := map[string]string{}
	ask := func(name string, e llm.Embedder, want llm.Class) {
		b.sr.Embedder = e
		a := b.ask("boiler pressure gauge")
		wordsAnswer(t, a, string(want))
		if len(a.Degraded) > 0 {
			reasons[a.Degraded[0].Reason] = name
		}
	}
	ask("down", open("http://"+freePort(t), ""), llm.Down)
	server.Set(llmtest.Faults{Website: true})
	ask("a web page", open(server.URL, ""), llm.NotAServer)
	server.Set(llmtest.Faults{})
	ask("https to http", open(strings.Replace(server.URL, "http:", "https:", 1), ""), llm.TLS)
	server.Set(llmtest.Faults{Key: "right"})
	ask("401", open(server.URL, "wrong"), llm.Unauthorized)
	server.Set(llmtest.Faults{Models: map[string]string{}})
	ask("404", open(server.URL, ""), llm.ModelMissing)
	if len(reasons) != 5 {
		t.Errorf("five faults gave %d reasons: %v", len(reasons), reasons)
	}
}

// freePort is an address where nobody listens.
func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

func TestEmbedderOfAnotherSizeOnlyStopsTheVectorArm(t *testing.T) {
	b := newBrainWith(t, fewPages, index.Options{Embedder: llmtest.Hash(300)})
	b.sr.Embedder = llmtest.Hash(3072)
	wordsAnswer(t, b.ask("boiler pressure gauge"), "brain sync")
	if a := b.ask("what is linked to the boiler"); hit(a, "garden.md") == nil || hit(a, "garden.md").Evidence == nil {
		t.Errorf("the graph arm stopped too: %q", paths(a))
	}
	// One command repairs.
	o := b.options
	o.Embedder = b.sr.Embedder
	ix, err := index.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.check(ix.Close()) })
	b.ix, b.sr.Index = ix, ix
	b.sync()
	if a := b.ask("boiler pressure gauge"); len(a.Degraded) > 0 || signal(hit(a, "boiler.md"), "cosine") == nil {
		t.Errorf("after a sync: degraded %v", a.Degraded)
	}
}

// Same name, same size, other vectors: the digest tells them apart, also when
// the server comes to tell it only while it embeds.
func TestModelSwappedUnderItsNameNeverMixesSpaces(t *testing.T) {
	server := llmtest.NewServer(t, llmtest.Faults{})
	open := func() llm.Embedder {
		e, err := llm.NewOllama(llm.OllamaOptions{URL: server.URL, Model: llmtest.Model})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	b := newBrainWith(t, fewPages, index.Options{Embedder: open()})
	other := strings.Repeat("0f", 32)
	t.Run("before the question", func(t *testing.T) {
		server.Set(llmtest.Faults{Models: map[string]string{llmtest.Model + ":latest": other}})
		b.sr.Embedder = open()
		wordsAnswer(t, b.ask("boiler pressure gauge"), "brain sync")
	})
	t.Run("while the question is embedded", func(t *testing.T) {
		server.Set(llmtest.Faults{Models: map[string]string{}})
		b.sr.Embedder = open()
		b.sr.Embedder.Info() // the server does not tell the digest yet
		server.Set(llmtest.Faults{Models: map[string]string{llmtest.Model + ":latest": other}})
		wordsAnswer(t, b.ask("boiler pressure gauge"), "brain sync")
	})
	t.Run("and back", func(t *testing.T) {
		server.Set(llmtest.Faults{})
		b.sr.Embedder = open()
		if a := b.ask("boiler pressure gauge"); len(a.Degraded) > 0 {
			t.Errorf("degraded %v", a.Degraded)
		}
	})
}

// long says that its vectors are seven times as long; what it wraps makes them so.
func TestVectorsThatAreNotUnitLengthRankAlike(t *testing.T) {
	pages := map[string]string{}
	for i, word := range []string{"boiler", "kettle", "gauge", "valve", "pump"} {
		pages[word+".md"] = "The " + strings.Repeat(word+" pressure ", i+1) + "of the house."
	}
	var answers [][]string
	for _, crooked := range []bool{false, true} {
		server := llmtest.NewServer(t, llmtest.Faults{Unnormalised: crooked})
		e, err := llm.NewOllama(llm.OllamaOptions{URL: server.URL, Model: llmtest.Model})
		if err != nil {
			t.Fatal(err)
		}
		b := newBrainWith(t, pages, index.Options{Embedder: e})
		a := b.search(Query{Text: "pressure of the pump", Arms: []string{Vector}})
		for _, h := range a.Hits {
			if s := signal(&h, "rrf.vector"); math.Abs(s.Raw) > 1+1e-6 {
				t.Errorf("%s: cosine %v", h.Path, s.Raw)
			}
		}
		answers = append(answers, paths(a))
	}
	if !slices.Equal(answers[0], answers[1]) || len(answers[0]) == 0 {
		t.Errorf("unit length %q\nsevenfold %q", answers[0], answers[1])
	}
}

func TestEverySizeOfModelIsLearned(t *testing.T) {
	for _, dims := range []int{3, 384, 4096} {
		t.Run(fmt.Sprint(dims), func(t *testing.T) {
			server := llmtest.NewServer(t, llmtest.Faults{Dims: dims})
			e, err := llm.NewOllama(llm.OllamaOptions{URL: server.URL, Model: llmtest.Model})
			if err != nil {
				t.Fatal(err)
			}
			b := newBrainWith(t, fewPages, index.Options{Embedder: e})
			if a := b.ask("boiler pressure gauge"); len(a.Degraded) > 0 || signal(hit(a, "boiler.md"), "rrf.vector") == nil {
				t.Errorf("degraded %v", a.Degraded)
			}
		})
	}
}
