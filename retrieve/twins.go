package retrieve

// An arm brings a fixed number of pages. Where most of them are copies of one
// page, they become one hit, and the pages behind them that would have had a
// place were never brought. Then the question is asked again, deeper. It costs
// what it cost once more, and happens only where a page has as many copies as
// half of what an arm brings.

// twinsDeeper is how much further the arms reach the next time.
const twinsDeeper = 4

// beyondTwins gives the depth at which to ask again when copies took the
// places of n hits; 0 when they did not.
func (f *found) beyondTwins(grouped []*candidate, n int) int {
	twins := 0
	for _, c := range grouped {
		twins += len(c.twins)
	}
	full := len(f.lexical) == f.depth || len(f.vector) == f.depth
	if len(grouped) >= n || twins < f.depth/2 || !full {
		return 0
	}
	return twinsDeeper * f.depth
}
