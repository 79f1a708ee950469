package compile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"brain/compile"
	"brain/inbox"
	"brain/page"
	"brain/text"
)

// tally counts how rules judged a part of the set.
type tally struct{ taken, right, wanted, found, kinds int }

func (c tally) precision() float64 { return float64(c.right) / float64(max(1, c.taken)) }
func (c tally) recall() float64    { return float64(c.found) / float64(max(1, c.wanted)) }

func (c tally) String() string {
	return fmt.Sprintf("taken %3d, precision %.3f, recall %.3f of %d, kind agrees in %d of %d",
		c.taken, c.precision(), c.recall(), c.wanted, c.kinds, c.found)
}

// said is a session of one turn.
func said(role, words string) []inbox.Fed {
	return []inbox.Fed{{N: 1, Turn: page.Turn{Role: role, Text: words}}}
}

// best is the finding that rules are surest of.
func best(all []compile.Finding) (f compile.Finding) {
	for _, one := range all {
		if one.Confidence > f.Confidence {
			f = one
		}
	}
	return f
}

// The bar of extraction without a model, on the half of the set that was not
// tuned on. Of that half, no text is printed.
func TestRulesReachTheBar(t *testing.T) {
	type part struct {
		half, lang, keep string
	}
	counts := map[part]*tally{}
	add := func(half, lang, keep string, c tally) {
		k := part{half, lang, keep}
		if counts[k] == nil {
			counts[k] = &tally{}
		}
		n := counts[k]
		n.taken += c.taken
		n.right += c.right
		n.wanted += c.wanted
		n.found += c.found
		n.kinds += c.kinds
	}
	for _, c := range ruleCases(t) {
		half := "tuning"
		if c.heldOut() {
			half = "held out"
		}
		all := compile.Rules(said(c.Role, c.Text))
		f := best(all)
		var n tally
		if c.Keep != "" {
			n.wanted++
		}
		if len(all) > 0 {
			n.taken++
			if c.Keep != "" {
				n.right++
				n.found++
			}
			if string(f.Kind) == c.Keep {
				n.kinds++
			}
		}
		add(half, c.Lang, "all", n)
		if c.Keep != "" {
			add(half, c.Lang, c.Keep, n)
		}
		if failed := (c.Keep != "") != (len(all) > 0); failed && !c.heldOut() {
			t.Logf("tuning %s %s: want %q, got %q %.2f: %s", c.ID, c.Role, c.Keep, f.Kind, f.Confidence, c.Text)
		}
	}
	for _, lang := range []string{"en", "zh"} {
		for _, half := range []string{"tuning", "held out"} {
			for _, keep := range append([]string{"all"}, keepKinds...) {
				t.Logf("%s %-8s %-10s %v", lang, half, keep, counts[part{half, lang, keep}])
			}
		}
		if c := counts[part{"held out", lang, "all"}]; c.precision() < 0.95 || c.recall() < 0.6 {
			t.Errorf("%s: precision %.3f and recall %.3f are below 0.95 and 0.6", lang, c.precision(), c.recall())
		}
	}
}

// found is what rules find in a session, as it is fed to them.
func found(s session) []compile.Finding {
	turns := make([]page.Turn, len(s.turns))
	for i, l := range s.turns {
		turns[i] = page.Turn{Role: l.Role, Kind: l.Kind, Text: l.Text, At: l.At}
	}
	return compile.Rules(inbox.Feed(turns, 1, len(turns)))
}

func holds(f compile.Finding, turns []int, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text.Fold(f.Text), text.Fold(w)) {
			return false
		}
	}
	return slices.Contains(turns, f.Turn)
}

// Of two working sessions what an ideal reader keeps is kept, with its dates,
// and of what is overturned the decision that overturned it; what is to be
// dropped is not there, unless only a later turn makes it wrong.
func TestRulesReadSessions(t *testing.T) {
	for _, s := range sessions(t) {
		all := found(s)
		for _, k := range s.want.Keep {
			i := slices.IndexFunc(all, func(f compile.Finding) bool { return holds(f, k.Turns, k.Words) })
			switch {
			case i < 0:
				t.Errorf("%s: %s of turns %v is missing: %q", s.name, k.Kind, k.Turns, k.Words)
			case k.Date != "" && !strings.Contains(all[i].Text, k.Date):
				t.Errorf("%s: turn %d lacks its date %s: %s", s.name, all[i].Turn, k.Date, all[i].Text)
			case len(k.Replaces) > 0 && !slices.Contains(k.Replaces, all[i].Before):
				t.Errorf("%s: turn %d replaces %d, not one of %v", s.name, all[i].Turn, all[i].Before, k.Replaces)
			}
		}
		for _, d := range s.want.Drop {
			i := slices.IndexFunc(all, func(f compile.Finding) bool { return holds(f, d.Turns, d.Words) })
			if i >= 0 && !d.Reversed {
				t.Errorf("%s: turn %d was to be dropped, since %s: %s", s.name, all[i].Turn, d.Why, all[i].Text)
			}
		}
	}
}

func TestRulesKeepNoSmallTalk(t *testing.T) {
	for _, f := range found(session{turns: smallTalk(t)}) {
		t.Errorf("kept of small talk: %s: %s", f.Kind, f.Text)
	}
}
