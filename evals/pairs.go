package evals

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"brain/page"
)

// Pairs of statements with a label tell how well contradictions are found
// without a model. Each pair is compared as two claims of one subject; its
// score is the strength of the screen that fired, 0 when none did. Nothing of
// ids, labels or other fields reaches the comparison.
//
// Two figures matter, and they are not the same:
//
//	average precision  how well the strengths rank contradictions before all
//	                   else; what is too weak to be called one counts
//	false alarms       of a hundred pairs that are none, how many are called
//	                   one at the default setting: what a person has to read
//	                   in vain
//
// Many pairs have the same score, most of them 0. They are one step of the
// curve: all are taken or none, and the precision is that after the step.
// So the order of the file decides nothing, and a screen that never fires gets
// the share of contradictions in the set.
//
//	average precision = Σ over the distinct scores (recall − recall before) · precision

// PairOptions choose the pairs of a set; the zero value takes all.
type PairOptions struct {
	Pairs string   // a file instead of pairs.jsonl: as given, else inside the set
	Where []string // filters, "key=value,value*"
	By    string   // also each group of this field: label, lang, kind
}

// PairReport is what the screens make of a set of pairs.
type PairReport struct {
	Set       string  `json:"set"`
	Threshold float64 `json:"threshold"` // the strength from which a pair is called a contradiction
	PairFigures
	By     string        `json:"by,omitempty"`
	Groups []PairFigures `json:"groups"` // empty unless asked for
}

// PairFigures are those of a set or of a group of it. A share of nothing is null.
type PairFigures struct {
	Value            string         `json:"value,omitempty"` // of the field that makes the group
	N                int            `json:"n"`
	Contradictions   int            `json:"contradictions"` // by their label
	AveragePrecision *float64       `json:"average_precision"`
	Found            int            `json:"found"`        // contradictions called so
	FalseAlarms      int            `json:"false_alarms"` // other pairs called so
	AlarmsPer100     *float64       `json:"false_alarms_per_100"`
	Precision        *float64       `json:"precision"`
	Recall           *float64       `json:"recall"`
	Screens          map[string]int `json:"screens"` // how often each fired, of the pairs called a contradiction
}

// scoredPair is a pair after its comparison.
type scoredPair struct {
	score         float64
	contradiction bool // by its label
	screen        page.Screen
	group         string
}

// called reports whether the pair is called a contradiction at the default setting.
func (p scoredPair) called() bool { return p.score >= page.Convincing }

// Pairs compares the pairs of the set in dir.
func Pairs(dir string, o PairOptions) (*PairReport, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", dir, err)
	}
	file, err := setFile(dir, o.Pairs, "pairs.jsonl")
	if err != nil {
		return nil, err
	}
	scored, err := scorePairs(file, o)
	if err != nil {
		return nil, err
	}
	r := &PairReport{Set: filepath.Base(abs), Threshold: page.Convincing, PairFigures: figuresOf(scored), By: o.By, Groups: []PairFigures{}}
	if o.By == "" {
		return r, nil
	}
	groups := map[string][]scoredPair{}
	for _, p := range scored {
		groups[p.group] = append(groups[p.group], p)
	}
	for value, ps := range groups {
		f := figuresOf(ps)
		f.Value = value
		r.Groups = append(r.Groups, f)
	}
	slices.SortFunc(r.Groups, func(a, b PairFigures) int { return strings.Compare(a.Value, b.Value) })
	return r, nil
}

// scorePairs reads the file and compares each pair that passes the filters.
func scorePairs(file string, o PairOptions) (out []scoredPair, err error) {
	where, err := parseFilters(o.Where)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	err = eachRecord(file, func(_ int, r record) error {
		for key := range r {
			seen[key] = true
		}
		a, b, label := r.text("a"), r.text("b"), r.text("label")
		if a == "" || b == "" || label == "" {
			return fmt.Errorf("%w: a pair needs the texts a and b and a label", ErrData)
		}
		if !where.keep(r) {
			return nil
		}
		v := page.Compare(page.Claim{Text: a}, page.Claim{Text: b}, page.CompareOptions{})
		out = append(out, scoredPair{v.Strength, label == "contradiction", v.Screen, r.text(o.By)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if f, none := where.unmatched(seen); none {
		return nil, fmt.Errorf("%w: filter %s: no pair of %s has a field %q", ErrUsage, f, file, f.Key)
	}
	if o.By != "" && !seen[o.By] {
		return nil, fmt.Errorf("%w: no pair of %s has a field %q", ErrUsage, file, o.By)
	}
	return out, nil
}

func figuresOf(ps []scoredPair) PairFigures {
	f := PairFigures{N: len(ps), Screens: map[string]int{}}
	for _, p := range ps {
		if p.contradiction {
			f.Contradictions++
		}
		if !p.called() {
			continue
		}
		f.Screens[string(p.screen)]++
		if p.contradiction {
			f.Found++
		} else {
			f.FalseAlarms++
		}
	}
	f.AveragePrecision = averagePrecision(ps, f.Contradictions)
	f.AlarmsPer100 = shareOf(100*f.FalseAlarms, f.N-f.Contradictions)
	f.Precision = shareOf(f.Found, f.Found+f.FalseAlarms)
	f.Recall = shareOf(f.Found, f.Contradictions)
	return f
}

func shareOf(n, of int) *float64 {
	if of == 0 {
		return nil
	}
	s := float64(n) / float64(of)
	return &s
}

// averagePrecision of a ranking with ties, as in the comment above.
func averagePrecision(ps []scoredPair, contradictions int) *float64 {
	if contradictions == 0 {
		return nil
	}
	ranked := slices.Clone(ps)
	slices.SortFunc(ranked, func(a, b scoredPair) int { return cmp.Compare(b.score, a.score) })
	sum, found, before := 0.0, 0, 0
	for i, p := range ranked {
		if p.contradiction {
			found++
		}
		if i+1 < len(ranked) && ranked[i+1].score == p.score {
			continue
		}
		sum += float64(found-before) / float64(contradictions) * float64(found) / float64(i+1)
		before = found
	}
	return &sum
}

// WriteText prints the report for people.
func (r *PairReport) WriteText(w io.Writer) error {
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "%s\tn\tcontradictions\taverage precision\tfalse alarms per 100\tprecision\trecall\t\n", cmp.Or(r.By, "set"))
	for _, f := range append(slices.Clone(r.Groups), r.PairFigures) {
		name := f.Value
		if f.Value == "" && (r.By == "" || f.N == r.N) {
			name = r.Set
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t\n", orNone(name), f.N, f.Contradictions,
			figure(f.AveragePrecision), figure(f.AlarmsPer100), figure(f.Precision), figure(f.Recall))
	}
	tw.Flush() // to memory: it cannot fail
	fmt.Fprintf(&b, "\ncalled a contradiction, from a strength of %.2f: %d right, %d wrong", r.Threshold, r.Found, r.FalseAlarms)
	for _, s := range slices.Sorted(maps.Keys(r.Screens)) {
		fmt.Fprintf(&b, "   %s %d", s, r.Screens[s])
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

func figure(f *float64) string {
	if f == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", *f)
}
