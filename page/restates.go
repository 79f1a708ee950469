package page

// Restates reports whether two pages are nearly one, as copies are that went their own
// ways for a while: what makes a duplicate, and also pages of one title that have nine
// words in ten in common and contradict each other in nothing. share is how many of the
// words they have in common, of the longer. Nothing may be dropped for it: a person looks.
func (r *Reading) Restates(o *Reading, opt CompareOptions) (share float64, ok bool) {
	const enough = 12 // words: of fewer, nine in ten are all
	v := r.Compare(o, opt)
	switch v.Kind {
	case Duplicate:
		return v.Overlap, true
	case Contradiction:
		return v.Overlap, false
	}
	near := opt.Threshold == 0 || opt.Cosine >= opt.Threshold
	long := min(len(r.words()), len(o.words())) >= enough && 10*min(r.length, o.length) >= 9*max(r.length, o.length)
	return v.Overlap, near && long && v.Overlap >= minOverlap && r.sameTitle(o)
}
