package dream

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"brain/index"
	"brain/lint"
	"brain/store"
)

// maxFindings is how many findings a report names: what a person reads in the morning.
// `brain lint` has all of them.
const maxFindings = 20

// lint looks for mistakes, as `brain lint` does, and with FixLint mends those that have one
// right answer.
func (n *night) lint(ctx context.Context) error {
	inputs, err := n.lintInputs(ctx)
	if err != nil {
		return err
	}
	if n.unchanged("lint", inputs) {
		n.skip("lint")
		return nil
	}
	r, err := n.lintLook(ctx)
	if err != nil {
		return err
	}
	n.looked(r.Pages, "pages")
	if n.FixLint && len(r.Mends()) > 0 {
		if r, err = n.mend(ctx, r); err != nil {
			return err
		}
	}
	n.found(r.Findings)
	return nil
}

// lintInputs is a digest of all that lint looks at.
func (n *night) lintInputs(ctx context.Context) ([]byte, error) {
	tree, err := n.tree(ctx)
	if err != nil {
		return nil, err
	}
	listing, err := n.Store.List(ctx) // of which skipped files and folders are no part of the tree
	if err != nil {
		return nil, err
	}
	summaries, err := n.Store.ReadOwn(ctx, store.Summaries)
	if err != nil {
		summaries = []byte(err.Error()) // a finding
	}
	rest, err := json.Marshal([]any{listing.Skipped, listing.Unreadable, n.Store.Meta(), n.pack().Digest()})
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	add(h, tree, rest, summaries)
	return h.Sum(nil), nil
}

func (n *night) lintLook(ctx context.Context) (*lint.Result, error) {
	r, err := lint.Look(ctx, lint.Options{
		Store: n.Store, Pack: n.pack(),
		View: func(ctx context.Context) (*index.View, error) { return n.view(ctx) },
	})
	if err == nil && r.Unchecked != nil {
		n.failed("links and names are not checked: %v", r.Unchecked)
	}
	return r, err
}

// mend mends, or in a dry run tells what it would; it gives what is found then.
func (n *night) mend(ctx context.Context, r *lint.Result) (*lint.Result, error) {
	done := r.Mends()
	if n.DryRun {
		n.mended(done)
		return r, nil
	}
	done, err := r.Mend(ctx, n.update)
	n.mended(done)
	if err != nil || len(done) == 0 {
		return r, err
	}
	inputs, err := n.lintInputs(ctx)
	if err != nil {
		return nil, err
	}
	n.unchanged("lint", inputs) // what is found from here on is found in the tree of now
	return n.lintLook(ctx)
}

// mended tells what changed in each page.
func (n *night) mended(all []lint.Mended) {
	for len(all) > 0 {
		end := slices.IndexFunc(all, func(m lint.Mended) bool { return m.Path != all[0].Path })
		if end < 0 {
			end = len(all)
		}
		var codes []string
		for _, m := range all[:end] {
			if !slices.Contains(codes, m.Code) {
				codes = append(codes, m.Code)
			}
		}
		n.changed(all[0].Path, "mended: "+strings.Join(codes, ", "))
		n.count("mended", end)
		all = all[end:]
	}
}

// found counts findings by severity and by rule, and names the worst.
func (n *night) found(all []lint.Finding) {
	for _, f := range all {
		n.count(string(f.Severity)+"s", 1)
		n.count(f.Code, 1)
	}
	worst := worstOf(all, maxFindings)
	for _, f := range worst {
		n.left(Left{Path: f.Path, Line: f.Line, What: f.Code + ": " + f.Message, Hint: f.Fix})
	}
	if more := len(all) - len(worst); more > 0 {
		n.left(Left{What: fmt.Sprintf("%d more findings", more), Hint: "`brain lint` lists all of them"})
	}
}

// worstOf gives at most n findings, errors first. Those of one severity take turns by rule,
// so that a thousand missing links do not hide the one redirect that leads nowhere.
func worstOf(all []lint.Finding, n int) []lint.Finding {
	type ranked struct {
		lint.Finding
		grade, turn int
	}
	grades := []lint.Severity{lint.Error, lint.Warning, lint.Note}
	turns := map[string]int{}
	order := make([]ranked, len(all))
	for i, f := range all {
		order[i] = ranked{f, slices.Index(grades, f.Severity), turns[f.Code]}
		turns[f.Code]++
	}
	slices.SortStableFunc(order, func(a, b ranked) int { return cmp.Or(a.grade-b.grade, a.turn-b.turn) })
	order = order[:min(n, len(order))]
	slices.SortStableFunc(order, func(a, b ranked) int { return cmp.Or(a.grade-b.grade, cmp.Compare(a.Path, b.Path), a.Line-b.Line) })
	worst := make([]lint.Finding, len(order))
	for i, r := range order {
		worst[i] = r.Finding
	}
	return worst
}
