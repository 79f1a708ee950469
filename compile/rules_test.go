package compile_test

import (
	"fmt"
	"testing"

	"brain/compile"
	"brain/inbox"
	"brain/page"
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
func said(role, text string) []inbox.Fed {
	return []inbox.Fed{{N: 1, Turn: page.Turn{Role: role, Text: text}}}
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
