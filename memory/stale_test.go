package memory

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// today is the day of a review.
var today = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// aged is a preference that is some days old today.
func aged(id string, days int, confidence float64) Fact {
	return Fact{ID: id, Category: "preference", Content: "Says " + id, Confidence: confidence, Created: today.AddDate(0, 0, -days), Revision: 1}
}

func but(f Fact, change func(*Fact)) Fact {
	change(&f)
	return f
}

func namesOf(facts []Fact) (out []string) {
	for _, f := range facts {
		out = append(out, f.ID)
	}
	return out
}

// MA03 MA07 deermem 34
func TestAFactIsACandidateOnceItsTimeIsOver(t *testing.T) {
	for _, c := range []struct {
		name string
		fact Fact
		want bool
	}{
		{"ninety days old", aged("a", 90, .8), false},
		{"ninety-one days old", aged("a", 91, .8), true},
		{"expected to hold for long", but(aged("a", 91, .8), func(f *Fact) { f.ValidDays = 120 }), false},
		{"expected to hold a week", but(aged("a", 8, .8), func(f *Fact) { f.ValidDays = 7 }), true},
		{"confirmed lately", but(aged("a", 400, .8), func(f *Fact) { f.Confirmed = today.AddDate(0, 0, -10) }), false},
		{"confirmed long ago", but(aged("a", 400, .8), func(f *Fact) { f.Confirmed = today.AddDate(0, 0, -100) }), true},
		{"changed lately", but(aged("a", 400, .8), func(f *Fact) { f.Updated = today }), true}, // a change confirms nothing
		{"a correction", but(aged("a", 400, .8), func(f *Fact) { f.Category = "correction" }), false},
		{"a Correction", but(aged("a", 400, .8), func(f *Fact) { f.Category = "Correction" }), false},
		{"of no date", but(aged("a", 400, .8), func(f *Fact) { f.Created = time.Time{} }), false},
		{"of the future", aged("a", -400, .8), false},
		{"of a window beyond all calendars", but(aged("a", 400, .8), func(f *Fact) { f.ValidDays = 1<<31 - 1 }), false},
	} {
		if got := len(StaleCandidates([]Fact{c.fact}, DefaultRules(), today)) == 1; got != c.want {
			t.Errorf("%s: candidate %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCandidatesComeInTheOrderInWhichTheirTimeWasOver(t *testing.T) {
	facts := []Fact{aged("a", 100, .8), aged("b", 300, .8), but(aged("c", 95, .8), func(f *Fact) { f.ValidDays = 1 }), aged("d", 10, .8)}
	// Over since 10, 210 and 94 days.
	if got := namesOf(StaleCandidates(facts, DefaultRules(), today)); !slices.Equal(got, []string{"b", "c", "a"}) {
		t.Errorf("%v", got)
	}
	r := DefaultRules()
	r.StaleDays = 200
	if got := namesOf(StaleCandidates(facts, r, today)); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("with 200 days: %v", got)
	}
}

// deermem 35
func TestDaysAreReadFromWhateverAModelWrites(t *testing.T) {
	for raw, want := range map[string]int{
		"30": 30, "1": 1, "1.9": 1, "1e3": 1000, "99999": 3650, "1e300": 3650,
		"0": 0, "-3": 0, "0.5": 0, "true": 0, "null": 0, `"30"`: 0, `"NaN"`: 0, "NaN": 0, "": 0, "[30]": 0, "{}": 0,
		"1e400": 0, "1" + strings.Repeat("0", 400): 0, "-1" + strings.Repeat("0", 400): 0,
	} {
		if got := Days(json.RawMessage(raw), 3650); got != want {
			t.Errorf("%.20s: %d, want %d", raw, got, want)
		}
	}
	if got := Days(json.RawMessage("5000"), MaxValidDays); got != 1800 {
		t.Errorf("a fact is made to hold %d days, want 90 times 20 at most", got)
	}
}

// deermem 35
func TestAFileWhoseWindowCannotBeReadHasNoAge(t *testing.T) {
	old := strings.ReplaceAll(strings.ReplaceAll(sample, "2026-11-29", "2024-11-29"), "lastConfirmedAt", "")
	for window, want := range map[string]bool{
		"120": true, "0": true, "-5": true, "0.5": true, "": true, // the last four: as if there were none
		"true": false, ".nan": false, "soon": false, "1e400": false, "1" + strings.Repeat("0", 400): false, "99999999999": false,
	} {
		f, _ := parse(t, samplePath, strings.Replace(old, "expected_valid_days: 120", "expected_valid_days: "+window, 1))
		if got := len(StaleCandidates([]Fact{f}, DefaultRules(), today)) == 1; got != want {
			t.Errorf("window %.20q: candidate %v, want %v", window, got, want)
		}
	}
	for _, line := range []string{"createdAt: long ago", "createdAt: '2024-11-29T17:56:24.877586Z'\nlastConfirmedAt: 31.2.2024"} {
		f, _ := parse(t, samplePath, strings.Replace(old, "createdAt: '2024-11-29T17:56:24.877586Z'", line, 1))
		if got := StaleCandidates([]Fact{f}, DefaultRules(), today); len(got) != 0 {
			t.Errorf("%s: a candidate", line)
		}
	}
}

// refusals are the refused ids, each with its reason.
func refusals(all []Refusal) (out []string) {
	for _, r := range all {
		out = append(out, strings.Join(r.IDs, "+")+": "+r.Reason)
	}
	return out
}

func removing(ids ...string) (out []StaleRemoval) {
	for _, id := range ids {
		out = append(out, StaleRemoval{id, "it is over"})
	}
	return out
}

// MA02 MA03 deermem 34
func TestOnlyCandidatesAreTakenAway(t *testing.T) {
	facts := []Fact{aged("old", 200, .8), aged("fresh", 10, .8), but(aged("guarded", 200, .8), func(f *Fact) { f.Category = "correction" })}
	proposed := Review{Remove: append(removing("old", "fresh", "guarded", "ghost", "old"), StaleRemoval{"mute", " "})}
	facts = append(facts, aged("mute", 200, .8))
	want := []string{"fresh: it holds until 2026-08-20", "guarded: the category correction is protected", "ghost: there is no such fact", "mute: no reason is given"}
	remove, extend, refused := DefaultRules().review(proposed, facts, today)
	if len(remove) != 1 || remove[0].ID != "old" || len(extend) != 0 || !slices.Equal(refusals(refused), want) {
		t.Errorf("removed %v, extended %v, refused %q\nwant %q", remove, extend, refusals(refused), want)
	}
	off := DefaultRules()
	off.Staleness = false
	want[3] = "mute: reviews are off (memory.staleness)"
	remove, _, refused = off.review(proposed, facts, today)
	if want = append([]string{"old: reviews are off (memory.staleness)"}, want...); len(remove) != 0 || !slices.Equal(refusals(refused), want) {
		t.Errorf("off: removed %v, refused %q\nwant %q", remove, refusals(refused), want)
	}
}

// MA04 deermem 34
func TestOfManyValidRemovalsTheLeastCertainTenAreDone(t *testing.T) {
	var facts []Fact
	proposed := removing("fresh", "ghost")
	for i := range 15 { // more certain first
		id := fmt.Sprintf("f%02d", i)
		facts, proposed = append(facts, aged(id, 200, .95-.01*float64(i))), append(proposed, removing(id)...)
	}
	facts = append(facts, aged("fresh", 1, 0))
	remove, _, refused := DefaultRules().review(Review{Remove: proposed}, facts, today)
	var got []string
	for _, rm := range remove {
		got = append(got, rm.ID)
	}
	if want := strings.Fields("f14 f13 f12 f11 f10 f09 f08 f07 f06 f05"); !slices.Equal(got, want) {
		t.Errorf("removed %v, want %v", got, want)
	}
	if len(refused) != 7 || refused[6].IDs[0] != "f00" || refused[6].Reason != "at most 10 at a time" {
		t.Errorf("refused %q, want two that are no candidates and five that are too many", refusals(refused))
	}
}

// MA05 deermem 34
func TestWhatWasProposedForRemovalIsNotExtendedThoughSpared(t *testing.T) {
	var facts []Fact
	var v Review
	for i := range 11 {
		id := "f" + strconv.Itoa(10+i)
		facts, v.Remove = append(facts, aged(id, 200, .5+.01*float64(i))), append(v.Remove, removing(id)...)
		v.Extend = append(v.Extend, StaleExtension{ID: id, Days: json.RawMessage("30")})
	}
	facts, v.Extend = append(facts, aged("kept", 200, .9)), append(v.Extend, StaleExtension{ID: "kept", Days: json.RawMessage("30")})
	remove, extend, refused := DefaultRules().review(v, facts, today)
	if len(remove) != 10 || !slices.Equal(namesOf(extend), []string{"kept"}) {
		t.Errorf("removed %v, extended %v", remove, namesOf(extend))
	}
	if got := refusals(refused); len(got) != 12 || !slices.Contains(got, "f20: it was proposed for removal") {
		t.Errorf("refused %q", got)
	}
}

// MA02 MA06 deermem 35
func TestAnExtensionCountsFromTodayAndNeverOverflows(t *testing.T) {
	for _, c := range []struct {
		fact Fact
		days string
		want int // 0: refused
	}{
		{aged("a", 200, .8), "30", 230},
		{aged("a", 200, .8), "1", 201},
		{aged("a", 200, .8), "100000", 3650},
		{aged("a", 3640, .8), "30", 3650},
		{aged("a", 200, .8), "0", 0},
		{aged("a", 200, .8), "-1", 0},
		{aged("a", 200, .8), "0.9", 0},
		{aged("a", 200, .8), "true", 0},
		{aged("a", 200, .8), "NaN", 0},
		{aged("a", 200, .8), "1" + strings.Repeat("0", 400), 0},
		{aged("a", 10, .8), "30", 0}, // it is no candidate
		{but(aged("a", 300, .8), func(f *Fact) { f.Confirmed = today.AddDate(0, 0, -100) }), "30", 330},
		{but(aged("a", 9000, .8), func(f *Fact) { f.ValidDays = 4000 }), "30", 0}, // it would hold shorter
	} {
		_, extend, refused := DefaultRules().review(Review{Extend: []StaleExtension{{ID: "a", Days: json.RawMessage(c.days)}}}, []Fact{c.fact}, today)
		switch {
		case c.want == 0 && (len(extend) > 0 || len(refused) != 1):
			t.Errorf("%.10s days more: %+v, %q; want it refused", c.days, extend, refusals(refused))
		case c.want > 0 && (len(extend) != 1 || extend[0].ValidDays != c.want || len(refused) > 0):
			t.Errorf("%.10s days more: %+v, %q; want %d", c.days, extend, refusals(refused), c.want)
		}
	}
	// What is extended is none of those that are asked for, from that moment.
	_, extend, _ := DefaultRules().review(Review{Extend: []StaleExtension{{ID: "a", Days: json.RawMessage("1")}}}, []Fact{aged("a", 200, .8)}, today)
	if again := StaleCandidates(extend, DefaultRules(), today); len(again) != 0 {
		t.Errorf("extended and still a candidate: %+v", again)
	}
}

// changed makes a change of the default agent's facts.
func (w *world) changed(fn func(*Batch) error) *Delta {
	w.t.Helper()
	d, err := w.change(ctx, "test", "", fn)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// MA02 MA03
func TestAReviewTakesFilesAwayAndLetsOthersHoldLonger(t *testing.T) {
	w := newWorld(t)
	over, longer, other := w.add("", "likes tea", .7), w.add("", "likes rye bread", .8), w.add("", "likes milk", .9)
	w.at(100)
	before := w.read(w.file("", other))
	var rep ReviewReport
	d := w.changed(func(b *Batch) (err error) {
		rep, err = b.Review(Review{Remove: removing(over, "ghost"), Extend: []StaleExtension{{ID: longer, Days: json.RawMessage("60")}}})
		return err
	})
	if len(rep.Removed) != 1 || len(rep.Extended) != 1 || rep.Extended[0] != (Extended{longer, 160}) || len(rep.Refused) != 1 {
		t.Errorf("%+v", rep)
	}
	if !slices.Equal(d.Deleted, []string{over}) || !slices.Equal(namesOf(d.Upserted), []string{longer}) {
		t.Errorf("deleted %v, changed %v", d.Deleted, namesOf(d.Upserted))
	}
	f, err := w.Get(ctx, "", longer)
	if err != nil || f.ValidDays != 160 || f.Revision != 2 || !f.Confirmed.IsZero() || f.Created.Equal(f.Updated) {
		t.Errorf("%+v, %v; want it to hold 160 days from its creation, and no confirmation", f, err)
	}
	if l := w.list(""); len(l.Facts) != 2 || w.read(w.file("", other)) != before {
		t.Errorf("%v are left, want two, one of them as it was", namesOf(l.Facts))
	}
}

func TestWhatAModelIsAskedAbout(t *testing.T) {
	w := newWorld(t)
	for _, s := range []string{"tea", "milk", "rye bread"} {
		w.add("", "likes "+s, .8)
	}
	asked := func() int { return len(w.Aged(w.list("").Facts)) }
	if w.at(89); asked() != 0 {
		t.Errorf("after 89 days it is asked about %d", asked())
	}
	if w.at(91); asked() != 3 {
		t.Errorf("after 91 days it is asked about %d, want three", asked())
	}
	w.Rules.Protected = []string{"preference"}
	if asked() != 0 {
		t.Errorf("protected, it is asked about %d", asked())
	}
	w.Rules = DefaultRules()
	w.Rules.Staleness = false
	if asked() != 0 {
		t.Errorf("off, it is asked about %d", asked())
	}
	w.Rules = DefaultRules()
	if _, err := w.Delete(ctx, "", w.list("").Facts[0].ID, If{}); err != nil {
		t.Fatal(err)
	}
	if asked() != 0 {
		t.Errorf("it is asked about %d, which are few", asked())
	}
}
