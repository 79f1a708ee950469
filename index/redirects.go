package index

// RedirectCycles gives the stubs that redirect to each other in a circle, in the
// order in which they do. Links do not tell of them: what a link means
// is where a redirect leads, and these lead nowhere.
func (v *View) RedirectCycles() [][]uint32 {
	next := map[uint32]uint32{}
	var stubs []uint32 // by path
	v.walk(func(row uint32, t *table, n uint32) bool {
		if t.flags(n)&flagRedirect != 0 {
			if to := v.Everything().named(t.redirect(n)); len(to) == 1 {
				next[row] = to[0]
				stubs = append(stubs, row)
			}
		}
		return true
	})
	var out [][]uint32
	round := map[uint32]int{} // in which round a stub was met
	for i, start := range stubs {
		at, ok := start, true
		for ok && round[at] == 0 {
			round[at] = i + 1
			at, ok = next[at]
		}
		if ok && round[at] == i+1 {
			out = append(out, circle(next, at))
		}
	}
	return out
}

func circle(next map[uint32]uint32, from uint32) []uint32 {
	out := []uint32{from}
	for at := next[from]; at != from; at = next[at] {
		out = append(out, at)
	}
	return out
}
