package evals

import (
	"fmt"
	"strings"
)

// Filter keeps records by one field: its value must be among Values, or begin
// with one that ends in "*". A list matches when one of its items does.
type Filter struct {
	Key    string
	Values []string
}

// ParseFilter reads "key=value,value…". A value that ends in "*" stands for
// all that begin so; "key=" asks for records where the field is empty.
func ParseFilter(s string) (Filter, error) {
	key, values, ok := strings.Cut(s, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		return Filter{}, fmt.Errorf("%w: filter %q: want key=value,value", ErrUsage, s)
	}
	f := Filter{Key: key}
	for v := range strings.SplitSeq(values, ",") {
		f.Values = append(f.Values, strings.TrimSpace(v))
	}
	return f, nil
}

func (f Filter) String() string { return f.Key + "=" + strings.Join(f.Values, ",") }

func (f Filter) keeps(r record) bool {
	for _, have := range r.values(f.Key) {
		for _, want := range f.Values {
			if prefix, wild := strings.CutSuffix(want, "*"); have == want || wild && strings.HasPrefix(have, prefix) {
				return true
			}
		}
	}
	return false
}

// filters keep a record that passes every one of them.
type filters []Filter

func parseFilters(specs []string) (filters, error) {
	var fs filters
	for _, s := range specs {
		f, err := ParseFilter(s)
		if err != nil {
			return nil, err
		}
		fs = append(fs, f)
	}
	return fs, nil
}

func (fs filters) keep(r record) bool {
	for _, f := range fs {
		if !f.keeps(r) {
			return false
		}
	}
	return true
}

// unmatched returns the first filter whose field no record had.
func (fs filters) unmatched(seen map[string]bool) (Filter, bool) {
	for _, f := range fs {
		if !seen[f.Key] {
			return f, true
		}
	}
	return Filter{}, false
}
