package inbox

import (
	"slices"
	"strings"

	"brain/page"
)

// unseen gives the positions of the sent turns that are not among those kept, in
// their order.
//
// A turn with an id is known by it alone. For the others: who sends turns begins
// somewhere in what is kept and goes on behind its end. So turns are followed
// through the kept ones in order as long as each is found further on; the first
// that is not is new. After it, what has a time may still be known, since nobody
// says the same twice at one moment; "yes" without a time is taken as said again.
//
//	kept  yes · done · which? · the red one
//	sent              which? · the red one · sure? · yes
//	new                                      sure? · yes
//
// A turn that was purged has lost its text and keeps its place: it stands for what
// the same speaker says at the same time, or, without a time, for what they say
// when its turn comes. So a replay brings nothing back.
//
//	kept  hi · hello · [purged] · noted · bye
//	sent       hello · heron-42 · noted · bye
//	new
func unseen(kept, sent []page.Turn) (fresh []int) {
	k := know(kept)
	next, follows := k.begin(sent)
	for i := range sent {
		t := &sent[i]
		at, known := k.ids[t.ID]
		if known = known && t.ID != ""; !known && len(fresh) == 0 {
			at, known = k.follow(t, next, follows)
		}
		if !known {
			at, known = k.anywhere(t)
		}
		switch {
		case !known:
			fresh = append(fresh, i)
			k.ids[t.ID] = -1 // should it come twice
		case len(fresh) == 0:
			next, follows = max(next, at+1), true
		}
	}
	return fresh
}

// said is what makes two turns without an id the same; of a purged one, without
// its text, which turns it stands for.
type said struct {
	role, speaker, text string
	second              int64
	nano                int
	timed               bool
}

func saidOf(t *page.Turn) said {
	k := said{role: t.Role, speaker: t.Speaker, text: strings.TrimSpace(t.Text)}
	if !t.At.IsZero() {
		k.timed, k.second, k.nano = true, t.At.Unix(), t.At.Nanosecond()
	}
	return k
}

func (k said) purged() said {
	k.text = Purged
	return k
}

// known are the turns of a session, to be found again.
type known struct {
	turns []page.Turn
	ids   map[string]int
	at    map[said][]int // positions, ascending, that no sent turn has taken
}

func know(kept []page.Turn) known {
	k := known{kept, map[string]int{}, make(map[said][]int, len(kept))}
	for i := range kept {
		t := saidOf(&kept[i])
		k.at[t] = append(k.at[t], i)
		if id := kept[i].ID; id != "" {
			k.ids[id] = i
		}
	}
	return k
}

// take finds a turn from a position on, once. Two that have an id each are not
// the same, whatever they say.
func (k known) take(what said, from int, hasID bool) (int, bool) {
	for n, i := range k.at[what] {
		if i >= from && !(hasID && k.turns[i].ID != "") {
			k.at[what] = slices.Delete(k.at[what], n, n+1)
			return i, true
		}
	}
	return 0, false
}

// follow finds a turn from a position on. When those before it led here, one that
// was purged may be what it was.
func (k known) follow(t *page.Turn, next int, led bool) (int, bool) {
	what, hasID := saidOf(t), t.ID != ""
	if led && next < len(k.turns) && k.standsFor(next, t) {
		return k.take(what.purged(), next, hasID)
	}
	at, ok := k.take(what, next, hasID)
	if !ok && led && !what.timed {
		at, ok = k.take(what.purged(), next, hasID)
	}
	return at, ok
}

// anywhere finds a turn that has a time, wherever it stands.
func (k known) anywhere(t *page.Turn) (int, bool) {
	what := saidOf(t)
	if !what.timed {
		return 0, false
	}
	at, ok := k.take(what, 0, t.ID != "")
	if !ok {
		at, ok = k.take(what.purged(), 0, t.ID != "")
	}
	return at, ok
}

// standsFor reports whether a kept turn was purged and, having no time, stands for
// what a speaker says when its turn comes.
func (k known) standsFor(at int, t *page.Turn) bool {
	was := saidOf(&k.turns[at])
	return was.text == Purged && !was.timed && was == saidOf(t).purged() && (t.ID == "" || k.turns[at].ID == "")
}

// begin finds where in what is kept the sent turns begin. Purged turns count there
// only before one that is known: else a turn that somebody sends alone would never
// be taken for a new one. Only where nothing but purged turns is left do they count
// without that.
func (k known) begin(sent []page.Turn) (next int, found bool) {
	for p := range k.turns {
		for n := 0; ; n++ {
			if n == len(sent) || p+n == len(k.turns) {
				if p == 0 && !slices.ContainsFunc(k.turns, func(t page.Turn) bool { return t.Text != Purged }) && len(sent) > 0 {
					return 0, true
				}
				break
			}
			if k.standsFor(p+n, &sent[n]) {
				continue
			}
			if k.same(p+n, &sent[n]) {
				return p, true
			}
			break
		}
	}
	return 0, false
}

func (k known) same(at int, t *page.Turn) bool {
	was := &k.turns[at]
	if was.ID != "" && t.ID != "" {
		return was.ID == t.ID
	}
	return saidOf(was) == saidOf(t)
}
