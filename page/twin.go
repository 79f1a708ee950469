package page

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNoTwin is what Gain returns for a page that does not say the same.
var ErrNoTwin = errors.New("it does not say the same")

// Gain is what becomes of a page when another of the same type that says the
// same is not written but counted as one more source of it: it gains that
// source, and the tags, aliases and links of p that it has not. cosine is that
// of a twin by meaning, which the words must still allow; 0 asks for equal
// words. What the merge rule of its type forbids is a *MergeError.
func (k *Pack) Gain(twin Path, raw []byte, p *Page, source string, cosine float64) ([]byte, error) {
	old := Parse(twin, raw)
	if old.Type != p.Type || ComparePages(p, old, cosine, cosine).Kind != Duplicate {
		return nil, fmt.Errorf("%s: %w", twin, ErrNoTwin)
	}
	next, err := Splice(twin, raw, gains(old, p, source)...)
	if err != nil {
		return nil, err
	}
	return next, k.Merge(old.Type).Allows(old, Parse(twin, next))
}

func gains(old, p *Page, source string) []Change {
	all := []Change{AddTo("sources", source)}
	if len(p.Tags) > 0 {
		all = append(all, AddTo("tags", p.Tags...))
	}
	if len(p.Aliases) > 0 {
		all = append(all, AddTo("aliases", p.Aliases...))
	}
	for _, l := range p.Links {
		if l.Kind == FrontMatter && !slices.ContainsFunc(old.Links, func(o Link) bool { return o.Target == l.Target && o.Type == l.Type }) {
			all = append(all, AddLink(l))
		}
	}
	return all
}
