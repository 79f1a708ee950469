package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// likes are eight preferences, one said each day from 1 May 2026.
func tastes() (out []Fact) {
	for i, what := range strings.Fields("oranges apples pears plums grapes figs dates lemons") {
		f := Fact{ID: "like" + fmt.Sprint(i+1), Category: "preference", Content: "The user likes " + what, Confidence: .7 + .02*float64(i),
			Created: time.Date(2026, 5, 1+i, 9, 0, 0, 0, time.UTC), Revision: 1}
		out = append(out, f)
	}
	return out
}

func consolidating(r Rules) Rules {
	r.Consolidation = true
	return r
}

// consolidated runs proposals over facts and gives what is merged and what is refused.
func consolidated(r Rules, facts []Fact, all ...Consolidation) (out []Fact, refused []string) {
	w := newMerging(r, facts, today)
	for _, c := range all {
		if f, ok := w.merged(c); ok {
			out = append(out, f)
		}
	}
	return out, refusals(w.refused)
}

func fruits(ids string, content string) Consolidation {
	return Consolidation{Sources: strings.Fields(ids), Content: content, Category: "preference", Confidence: .9}
}

func TestGroupsAreTheLargestCategoriesOfWhichMuchIsKnown(t *testing.T) {
	var facts []Fact
	for category, n := range map[string]int{"preference": 9, "goal": 8, "context": 7, "behavior": 12, "correction": 20, "identity": 10} {
		for i := range n {
			facts = append(facts, Fact{ID: fmt.Sprintf("%s%02d", category, i), Category: category, Created: today.AddDate(0, 0, -i)})
		}
	}
	var got []string
	for _, g := range ConsolidationGroups(facts, DefaultRules()) {
		got = append(got, fmt.Sprintf("%s %d of %d from %s", g.Category, len(g.Facts), g.Size, g.Facts[0].ID))
	}
	want := []string{"behavior 8 of 12 from behavior11", "identity 8 of 10 from identity09", "preference 8 of 9 from preference08"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// MN04 MN05 deermem 36
func TestAMergedFactInheritsFromItsSources(t *testing.T) {
	facts := tastes()
	facts[0].ValidDays, facts[0].SourceError = 20, "oranges are disliked\nall fruit is"
	facts[1].Confirmed, facts[1].SourceError = time.Date(2026, 5, 30, 0, 0, 0, 0, time.UTC), "all fruit is\nno apples"
	facts[2].Topics = []string{"food"}
	got, refused := consolidated(consolidating(DefaultRules()), facts, fruits("like1 like2 like3", "The user likes oranges, apples and pears"))
	// The first is to be looked at 20 days after 1 May, 18 after 3 May: the others later.
	want := []Fact{{
		Content: "The user likes oranges, apples and pears", Category: "preference",
		Confidence: .74, Created: facts[2].Created, Updated: today, MergedAt: today, Revision: 1, ValidDays: 18,
		Source: Source{Type: "consolidation"}, Merged: []string{"like1", "like2", "like3"}, Topics: []string{"food"},
		SourceError: "oranges are disliked\nall fruit is\nno apples",
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Fact{}), cmpopts.EquateApprox(0, 1e-9)); diff != "" || refused != nil {
		t.Errorf("%s%q", diff, refused)
	}
}

// MN05 deermem 36
func TestTheReviewOfAMergedFactIsAtLeastADayAwayAndNeverBeyondTheCap(t *testing.T) {
	for _, c := range []struct{ first, second, want int }{
		{0, 0, 89},         // 90 days from 1 May, seen from 2 May
		{30, 60, 29},       // the earlier
		{1, 60, 1},         // over when the second was said
		{3000, 3650, 1800}, // DeerMem makes none longer
	} {
		facts := tastes()
		facts[0].ValidDays, facts[1].ValidDays = c.first, c.second
		got, _ := consolidated(consolidating(DefaultRules()), facts, fruits("like1 like2", "The user likes oranges and apples"))
		if len(got) != 1 || got[0].ValidDays != c.want {
			t.Errorf("%d and %d days: %+v, want %d", c.first, c.second, got, c.want)
		}
	}
}

// MN02 MN03 deermem 36
func TestProposalsThatMustNotBeCarriedOut(t *testing.T) {
	good := fruits("like1 like2", "The user likes oranges and apples")
	edit := func(change func(*Consolidation)) Consolidation {
		c := good
		change(&c)
		return c
	}
	facts := tastes()
	facts = append(facts, Fact{ID: "rule1", Category: "correction", Content: "The user likes quinces"}, Fact{ID: "goal1", Category: "goal", Content: "The user likes kiwis", Confidence: .9})
	for i := range 8 {
		facts = append(facts, Fact{ID: fmt.Sprintf("b%d", i), Category: "behavior", Content: fmt.Sprintf("The user eats oranges and apples at %d", i), Confidence: .9})
	}
	facts = append(facts, Fact{ID: "said", Category: "context", Content: "The user likes apples and oranges"}, Fact{ID: "like9", Category: "preference", Content: "The user likes melons", Confidence: .7})
	for _, c := range []struct {
		name string
		c    Consolidation
		want string
	}{
		{"one source", edit(func(c *Consolidation) { c.Sources = []string{"like1", "like1"} }), "1 sources, want 2 to 8"},
		{"nine sources", edit(func(c *Consolidation) {
			c.Sources = strings.Fields("like1 like2 like3 like4 like5 like6 like7 like8 like9")
		}), "9 sources, want 2 to 8"},
		{"no such source", edit(func(c *Consolidation) { c.Sources = []string{"like1", "ghost"} }), `there is no fact "ghost"`},
		{"a protected source", edit(func(c *Consolidation) { c.Sources = []string{"like1", "rule1"} }), "rule1: the category correction is protected"},
		{"of a small category", edit(func(c *Consolidation) { c.Sources = []string{"goal1", "like1"} }), "goal1: fewer than 8 facts are of category goal"},
		{"of two categories", edit(func(c *Consolidation) { c.Sources = []string{"like1", "b1"} }), "like1 is of category preference, b1 of behavior"},
		{"unsure", edit(func(c *Consolidation) { c.Confidence = .69 }), "its confidence is 0.69, want at least 0.7"},
		{"empty", edit(func(c *Consolidation) { c.Content = " \n" }), "it says nothing"},
		{"with a number of its own", edit(func(c *Consolidation) { c.Content = "The user likes 3 oranges and apples" }), "no source says 3"},
		{"with much of its own", edit(func(c *Consolidation) { c.Content += ", sails, plays chess and lives in Rome" }), "no source says 5 of its 7 words"},
		{"said by another", edit(func(c *Consolidation) { c.Content = "the user likes  apples and ORANGES" }), "said says that already"},
	} {
		if got, refused := consolidated(consolidating(DefaultRules()), facts, c.c); len(got) > 0 || len(refused) != 1 || !strings.HasSuffix(refused[0], ": "+c.want) {
			t.Errorf("%s: merged %v, refused %q, want %q", c.name, got, refused, c.want)
		}
	}
	if got, refused := consolidated(DefaultRules(), facts, good); len(got) > 0 || len(refused) != 1 || !strings.Contains(refused[0], "is off") {
		t.Errorf("off: merged %v, refused %q", got, refused)
	}
	if got, refused := consolidated(consolidating(DefaultRules()), facts, good); len(got) != 1 || len(refused) > 0 {
		t.Errorf("what stands between them is good: %v, %q", got, refused)
	}
}

// MN03 deermem 36
func TestAMergeIsNoMoreCertainThanItsBestSource(t *testing.T) {
	facts := tastes()
	got, _ := consolidated(consolidating(DefaultRules()), facts, fruits("like1 like3", "The user likes oranges and pears"))
	if len(got) != 1 || got[0].Confidence != facts[2].Confidence {
		t.Errorf("%+v, want the confidence of the pears, %v", got, facts[2].Confidence)
	}
	for i := range facts {
		facts[i].Confidence = .6
	}
	if got, refused := consolidated(consolidating(DefaultRules()), facts, fruits("like1 like3", "The user likes oranges and pears")); len(got) > 0 || len(refused) != 1 {
		t.Errorf("of sources that are not certain: %+v, %q", got, refused)
	}
}

// MN02 deermem 36
func TestThreeMergesAreDoneAndNoFactIsMergedTwice(t *testing.T) {
	got, refused := consolidated(consolidating(DefaultRules()), tastes(),
		fruits("like1 like2", "The user likes oranges and apples"),
		fruits("like2 like3", "The user likes apples and pears"), // overlaps, and is none of the three
		fruits("like3 like4", "The user likes pears and plums"),
		fruits("like5 ghost", "The user likes grapes and ghosts"),
		fruits("like5 like6", "The user likes grapes and figs"),
		fruits("like7 like8", "The user likes dates and lemons"))
	want := []string{"like2+like3: like2 is merged already", `like5+ghost: there is no fact "ghost"`, "like7+like8: at most 3 at a time"}
	if len(got) != 3 || !slices.Equal(refused, want) {
		t.Errorf("merged %v, refused %q, want %q", got, refused, want)
	}
}

// A merge of a category that is protected would never be looked at again.
func TestAMergeIsOfItsSourcesCategoryRatherThanOfAProtectedOne(t *testing.T) {
	for given, want := range map[string]string{"correction": "preference", "": "preference", "taste": "taste"} {
		c := fruits("like1 like2", "The user likes oranges and apples")
		c.Category = given
		if got, _ := consolidated(consolidating(DefaultRules()), tastes(), c); len(got) != 1 || got[0].Category != want {
			t.Errorf("given %q: %+v, want %s", given, got, want)
		}
	}
}

// Case L07: what a model drops is not merged.
func TestWhatAMergeWouldLose(t *testing.T) {
	for _, c := range []struct {
		source, merged string
		lost           bool
	}{
		{"The user likes tea", "The user likes tea, coffee and cake", false},
		{"The user likes tea", "The user likes coffee and cake", true},
		{"User prefers Go for backend services", "User writes backend services in Go", false},
		{"User likes writing backend code in Go", "User prefers Go for backend code", false},
		{"The user runs PostgreSQL 15 on port 5433", "The user runs PostgreSQL 15 on port 5433 and Redis", false},
		{"The user runs PostgreSQL on port 5433", "The user runs PostgreSQL on some port, and Redis", true}, // of its one number nothing is left
		{"The user was in Paris on 3, 4 and 5 May", "The user was in Paris from 3 to 5 May", false},
		{"The user's daughter Mia plays the violin in Hamburg", "The user's daughter plays music", true},
		{"用户喜欢茶", "用户喜欢茶和咖啡", false},
		{"用户喜欢音乐", "用户喜欢茶和咖啡", true},
		{"用户的工位在三楼", "用户的工位在三楼，车位是14号", false},
		{"!", "The user likes tea", false}, // it says nothing that could be lost
	} {
		if lost := loses(c.source, c.merged); (lost != "") != c.lost {
			t.Errorf("%q merged into %q loses %q, want that it loses something: %v", c.source, c.merged, lost, c.lost)
		}
	}
	half := fruits("like1 like2 like3 like4", "The user likes oranges and apples")
	if got, refused := consolidated(consolidating(DefaultRules()), tastes(), half); len(got) > 0 || len(refused) != 1 || !strings.Contains(refused[0], "of like3 it loses") {
		t.Errorf("merged %v, refused %q", got, refused)
	}
}

// deermem 36
func TestAMergeIsAFileInPlaceOfItsSources(t *testing.T) {
	w := newWorld(t)
	w.Rules.Consolidation = true
	var all []string
	for _, f := range tastes() {
		all = append(all, w.add("", f.Content, f.Confidence))
	}
	w.at(3)
	var rep ConsolidationReport
	d := w.changed(func(b *Batch) (err error) {
		rep, err = b.Consolidate([]Consolidation{
			fruits(strings.Join(all[:2], " "), "The user likes oranges and apples"),
			fruits(strings.Join(all[1:3], " "), "The user likes apples and pears"),
			fruits(strings.Join(all[2:4], " "), "The user likes PEARS"),
			fruits(strings.Join(all[4:6], " "), "The user likes grapes"), // as one of them says
		})
		return err
	})
	if len(rep.Merged) != 1 || len(rep.Refused) != 3 || !slices.Equal(rep.Merged[0].From, all[:2]) {
		t.Fatalf("%+v", rep)
	}
	if !slices.Equal(d.Deleted, all[:2]) || len(d.Upserted) != 1 || len(d.Evicted) > 0 {
		t.Errorf("%+v", d)
	}
	raw := w.read(w.file("", rep.Merged[0].ID))
	for _, want := range []string{
		"confidence: 0.72\n", "source:\n  type: consolidation\n", "expected_valid_days: 90\n", "consolidatedFrom:\n- " + all[0] + "\n- " + all[1] + "\n",
		"createdAt: '2026-11-29T12:00:00Z'\n", "consolidatedAt: '2026-12-02T12:00:00Z'\n", "revision: 1\n", "\n# The user likes oranges and apples\n",
	} {
		if !strings.Contains(raw, want) {
			t.Errorf("no %q in\n%s", want, raw)
		}
	}
	if l := w.list(""); len(l.Facts) != 7 || len(l.Damaged) > 0 {
		t.Errorf("%d facts are left, want seven", len(l.Facts))
	}
}

func TestAMergeThatSaysWhatASourceSaysTakesItsPlaceUnderAnotherName(t *testing.T) {
	w := newWorld(t)
	w.Rules.Consolidation = true
	var all []string
	for _, f := range tastes() {
		all = append(all, w.add("", f.Content, f.Confidence))
	}
	both := w.add("", "The user likes oranges and apples", .9)
	var rep ConsolidationReport
	w.changed(func(b *Batch) (err error) {
		rep, err = b.Consolidate([]Consolidation{fruits(both+" "+all[0], "The user likes oranges and apples")})
		return err
	})
	if len(rep.Merged) != 1 || rep.Merged[0].ID == both {
		t.Fatalf("%+v", rep)
	}
	if l := w.list(""); len(l.Facts) != 8 {
		t.Errorf("%d facts are left, want eight", len(l.Facts))
	}
}

// Two files that a hand made may say the same; then one of them is left.
func TestAMergeIsRefusedWhileAFactThatIsNoSourceSaysTheSame(t *testing.T) {
	facts := tastes()
	facts[7].Content = facts[0].Content
	for _, source := range []string{"like1", "like8"} {
		got, refused := consolidated(consolidating(DefaultRules()), facts, fruits(source+" like2", facts[0].Content))
		if len(got) != 0 || len(refused) != 1 {
			t.Errorf("of %s and another: %v, refused %q", source, got, refused)
		}
	}
}
