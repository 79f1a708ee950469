package inbox

import "brain/page"

// Fed is a turn that is given to whoever extracts from a session.
type Fed struct {
	N int // its number in the session, from 1
	page.Turn
}

// Feed gives the turns from…to of a session, counted from 1, that are worth
// extracting from.
func Feed(turns []page.Turn, from, to int) (out []Fed) {
	for n := max(1, from); n <= min(to, len(turns)); n++ {
		out = append(out, Fed{n, turns[n-1]})
	}
	return out
}
