package evals

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write what the chosen test records anew; review its diff")

// Two tests here write files with -update: the golden rankings, which any change
// of the engine may move, and the judgements, which none may. They are never
// written together.
func TestMain(m *testing.M) {
	flag.Parse()
	if run := flag.Lookup("test.run").Value.String(); *update && choosesBoth(run) {
		fmt.Fprintf(os.Stderr, "-update with -run %q would write rankings and judgements at once: -run Mini or -run Relations\n", run)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

func choosesBoth(run string) bool {
	first, _, _ := strings.Cut(run, "/")
	re, err := regexp.Compile(first)
	return err == nil && re.MatchString("TestMiniIsAsRecorded") && re.MatchString("TestRelationsAreDerived")
}

func TestUpdateWritesOneRecord(t *testing.T) {
	for run, both := range map[string]bool{"": true, ".": true, "Test": true, "Mini|Relations": true, "Mini": false, "Relations": false, "TestMini.*/x": false} {
		if choosesBoth(run) != both {
			t.Errorf("-run %q: chooses both %v", run, !both)
		}
	}
}

// Rankings of the demo brain, and the counts, are as recorded. A change that
// moves them on purpose runs `go test ./evals -run Mini -update` and explains
// the diff.
func TestMiniIsAsRecorded(t *testing.T) {
	rep, err := Mini(t.Context(), MiniOptions{Root: "..", Embedder: staticEmbedder(t), Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		b, err := rep.Got.encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(miniGolden, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, c := range rep.Changed {
		t.Error(c)
	}
}

// What is not recorded is still counted: without vectors there are other
// rankings.
func TestMiniWithoutAnEmbedder(t *testing.T) {
	rep, err := Mini(t.Context(), MiniOptions{Root: "..", Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(rep.Changed, func(c string) bool { return strings.HasPrefix(c, "embedder: none, ") }) {
		t.Errorf("changed: %q", rep.Changed)
	}
	validReport(t, rep)
	all := rep.Got.relation(tunedHalf, anyLanguage)
	qs := readQuestions(t, relationsData+"queries.jsonl")
	if n := all.N + rep.Got.relation(untunedHalf, anyLanguage).N; n != len(qs) {
		t.Errorf("%d of %d relational questions are counted", n, len(qs))
	}
	if all.Answers == 0 || all.Answers > all.AnswersOf || all.Pages > all.PagesOf {
		t.Errorf("tuned: %s", all)
	}
	var good, nonsense int
	for _, c := range rep.Got.Marks {
		good, nonsense = good+c.GoodOf, nonsense+c.NonsenseOf
	}
	if g, n := len(readQuestions(t, weakData+"good.jsonl")), len(readQuestions(t, weakData+"nonsense.jsonl")); g != good || n != nonsense {
		t.Errorf("%d of %d good and %d of %d nonsense questions are counted", good, g, nonsense, n)
	}
	var b strings.Builder
	if err := rep.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"untuned", "to refuse: 0 of ", "answers@5", "looks strong"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// validReport holds the report as JSON against the schema that the program ships.
func validReport(t *testing.T, rep *MiniReport) {
	t.Helper()
	const name = "../cmd/brain/schemas/eval-mini.schema.json"
	s, err := jsonschema.NewCompiler().Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%v\n%s", err, raw)
	}
}

// The counts of a few made-up replies, by hand: en-rel-003 is untuned, the others
// are not.
func TestMiniCountsRelations(t *testing.T) {
	w := &writtenSet{
		relations: []written{{ID: "en-rel-001", Lang: "en"}, {ID: "en-rel-002", Lang: "en"}, {ID: "en-rel-003", Lang: "en"}, {ID: "zh-rel-001", Lang: "zh"}},
		refuse:    []written{{ID: "en-rel-001"}, {ID: "en-rel-003"}, {ID: "zh-rel-001"}},
		judged: map[string]map[string]int{
			"en-rel-001": {"a.md": 2, "b.md": 2, "c.md": 1},
			"en-rel-002": {"a.md": 2, "b.md": 2},
			"en-rel-003": {"a.md": 2},
			"zh-rel-001": {"a.md": 2, "c.md": 1},
		},
		replies: map[string]reply{
			"en-rel-001": {ranked: []string{"c.md", "x.md", "a.md"}, as: "in founded"},
			"en-rel-002": {ranked: []string{"1", "2", "3", "4", "a.md", "b.md"}},
			"en-rel-003": {as: "out founded"}, // found nothing
			"zh-rel-001": {ranked: []string{"c.md"}, as: "in founded"},
		},
	}
	counts, shares := w.relationCounts()
	wantCounts := []RelationCounts{
		{Half: "tuned", Lang: "en", N: 2, Related: 1, Pages: 3, PagesOf: 5, Answers: 2, AnswersOf: 4},
		{Half: "tuned", Lang: "zh", N: 1, Related: 1, Pages: 1, PagesOf: 2, AnswersOf: 1},
		{Half: "untuned", Lang: "en", N: 1, Related: 1, PagesOf: 1, AnswersOf: 1},
		{Half: "untuned", Lang: "zh"},
	}
	if !slices.Equal(counts, wantCounts) {
		t.Errorf("counts\n%+v\nwant\n%+v", counts, wantCounts)
	}
	wantShares := []RelationShares{ // of en: (2/3 + 1/2) / 2 and (1/2 + 1/2) / 2
		{"tuned", "en", 2, .5833, .5}, {"tuned", "zh", 1, .5, 0}, {"tuned", "all", 3, .5556, .3333},
		{"untuned", "en", 1, 0, 0}, {"untuned", "zh", 0, 0, 0}, {"untuned", "all", 1, 0, 0},
	}
	if !slices.Equal(shares, wantShares) {
		t.Errorf("shares\n%+v\nwant\n%+v", shares, wantShares)
	}
	c, tuned := w.refuseCounts()
	if got, want := c.wrongly(tuned), "refuse: 3 of 3 questions were read as a relation, none may be: en-rel-001 zh-rel-001; 1 of the untuned half"; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// Here en-rel-003 and zh-rel-002 are.
func TestMiniCountsMarks(t *testing.T) {
	w := &writtenSet{
		nonsense: []written{{ID: "en-rel-001", Tree: "demo"}, {ID: "en-rel-002", Tree: "demo"}, {ID: "en-rel-003", Tree: "demo"}},
		good: []written{
			{ID: "zh-rel-001", Tree: "demo", Want: "a.md"}, {ID: "en-rel-005", Tree: "demo", Want: "a.md"},
			{ID: "", Tree: "demo", Want: "a.md"}, {ID: "zh-rel-002", Tree: "world", Want: "a.md"},
		},
		replies: map[string]reply{
			"en-rel-001": {weak: true}, "en-rel-002": {}, "en-rel-003": {weak: true},
			"zh-rel-001": {ranked: []string{"1", "2", "a.md"}, weak: true},
			"en-rel-005": {ranked: []string{"a.md"}},
			"":           {ranked: []string{"1", "2", "3", "a.md"}, weak: true}, // too far down: the mark is right
			"zh-rel-002": {ranked: []string{"a.md"}, weak: true},
		},
	}
	got := w.markCounts(&tree{brain: "demo"}, &tree{brain: "world"})
	want := []MarkCounts{
		{Tree: "demo", Half: "tuned", Strong: 1, NonsenseOf: 2, Weak: 1, Found: 2, GoodOf: 3},
		{Tree: "demo", Half: "untuned", NonsenseOf: 1},
		{Tree: "world", Half: "tuned"},
		{Tree: "world", Half: "untuned", Weak: 1, Found: 1, GoodOf: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// Of the half that nobody tunes on, the golden file holds no question.
func TestMiniNamesNoUntunedQuestion(t *testing.T) {
	raw, err := os.ReadFile(miniGolden)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{relationsData + "queries.jsonl", relationsData + "refuse.jsonl", weakData + "good.jsonl", weakData + "nonsense.jsonl"} {
		for _, q := range readQuestions(t, file) {
			if Untuned(q.ID) && bytes.Contains(raw, []byte(q.ID)) {
				t.Errorf("%s names %s", miniGolden, q.ID)
			}
		}
	}
}

func TestMiniNeedsTheDemoBrain(t *testing.T) {
	_, err := Mini(t.Context(), MiniOptions{Root: t.TempDir()})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "brains/demo") {
		t.Errorf("error %v", err)
	}
}

func TestGoldenDifferences(t *testing.T) {
	old := Golden{
		Rows:      []GoldenRow{{Arms: []string{"lexical"}, N: 2, Metrics: Metrics{R1: 0.5}}},
		Questions: []GoldenQuestion{{"q1", false, []string{"a.md", "b.md"}}, {"q2", true, []string{"c.md"}}},
		Weak:      WeakShares{NonsenseOf: 1, Confident: []string{}},
		Relations: []RelationCounts{{Half: "untuned", Lang: "zh", N: 3, Pages: 4, PagesOf: 5, Answers: 1, AnswersOf: 3}},
		Refuse:    RefuseCounts{N: 7},
	}
	if got := old.differences(old); len(got) > 0 {
		t.Errorf("the same differs: %v", got)
	}
	now := Golden{
		Rows:      []GoldenRow{{Arms: []string{"lexical"}, N: 2, Metrics: Metrics{R1: 1}}},
		Questions: []GoldenQuestion{{"q1", false, []string{"b.md", "a.md"}}, {"q3", false, nil}},
		Weak:      WeakShares{NonsenseOf: 1, Confident: []string{"n1"}},
		Relations: []RelationCounts{{Half: "untuned", Lang: "zh", N: 3, Pages: 4, PagesOf: 5, Answers: 2, AnswersOf: 3}},
		Refuse:    RefuseCounts{N: 7, Related: 1},
		Marks:     []MarkCounts{{Tree: "demo", Half: "tuned", Strong: 1, NonsenseOf: 2, Weak: 3, Found: 4, GoodOf: 5}},
	}
	want := `lexical r@1: 1.0000, recorded 0.5000
nonsense answered without a mark: [n1], recorded []
q1: [b.md a.md], recorded [a.md b.md]
q2: recorded and not asked
q3: [], recorded []
refuse: 1 of 7 read as a relation, recorded 0 of 7 read as a relation
relations untuned zh: 2 of 3 answers and 4 of 5 pages among the first 5, 0 of 3 questions read as a relation, recorded 1 of 3 answers and 4 of 5 pages among the first 5, 0 of 3 questions read as a relation
weak tuned demo: 1 of 2 nonsense questions look strong, 3 of 4 good ones weak (5 asked), recorded none`
	if got := strings.Join(old.differences(now), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
