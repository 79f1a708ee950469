package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"hash"
	"slices"
	"strings"

	"brain/text"
)

// Two pages are twins when what they say is the same: title, sentences,
// facts and code, whatever their dates, sources, tags or file names are.
// Sentences are matched first, equal with equal; what is left over decides:
//
//	nothing                          duplicate (words)
//	two that contradict each other   contradiction
//	two that say the same, or a few  duplicate (meaning), if the cosine says
//	words that say nothing           so, too
//	anything else                    different: a page that holds another and
//	                                 one more paragraph is no twin of it
//
// A template with other names in it (two pages "Project A status" and
// "Project B status") contradicts nothing, and neither does a list: a page
// that itself gives one slot two values may well get a third elsewhere.

// ComparePages says what two pages are to each other. A zero threshold stands
// for no embedder: then equal words alone make a duplicate.
func ComparePages(a, b *Page, cosine, threshold float64) Verdict {
	return Read(a).Compare(Read(b), CompareOptions{cosine, threshold})
}

// Reading is a page, read for comparisons: who compares one with many reads
// it once. It is only read after, and may be shared.
type Reading struct {
	page   *Page
	title  []token // nil when the page has none of its own
	said   []*Statement
	lists  map[string]bool // slots with several values in this page
	sum    [sha256.Size]byte
	links  []string
	length int  // of the text, in bytes
	whole  bool // all sentences are in said
}

// exactBytes is how much of a page is compared in words; of what lies behind
// only the folded text counts, which is fast.
const exactBytes = 16 << 10

// Read prepares a page. The time is bounded by about 16 KiB of text; of what
// lies behind, and of more than 400 sentences, only equality is seen.
func Read(p *Page) *Reading {
	r := &Reading{page: p, whole: true}
	if p.ownTitle() {
		r.title = tokens(p.Title)
	}
	h := sha256.New()
	for _, c := range p.factClaims() {
		r.say(h, c)
	}
	r.readBody(h)
	if len(r.said) == 0 && r.length == 0 {
		for _, s := range [...]string{p.Abstract, p.Overview, p.Description} {
			r.say(h, Claim{Text: s})
		}
	}
	h.Sum(r.sum[:0])
	if r.titleIsSentence() {
		r.title = nil
	}
	r.links = linkTargets(p)
	r.lists = r.findLists()
	return r
}

// titleIsSentence reports a title that is a sentence of the text, or its
// beginning: made of it, as the title of a note that was given none. It names
// nothing, and sets the page apart from no other.
func (r *Reading) titleIsSentence() bool {
	return len(r.title) > 0 && slices.ContainsFunc(r.said, func(st *Statement) bool {
		n := len(r.title)
		if len(st.all) < n || len(st.all) > n && !strings.HasSuffix(r.page.Title, "…") {
			return false
		}
		return slices.EqualFunc(r.title, st.all[:n], func(a, b token) bool { return a.text == b.text })
	})
}

// readBody takes the sentences of the body in, and code as it stands.
func (r *Reading) readBody(h hash.Hash) {
	p, s := r.page, r.page.scanned()
	titled := false
	for i := range s.blocks {
		b := &s.blocks[i]
		t := s.text[b.t0:b.t1]
		if b.kind == heading && !titled && strings.EqualFold(t, p.Title) {
			titled = true
			continue
		}
		switch {
		case b.kind == code:
			r.whole = r.whole && r.length <= exactBytes
			r.length += len(t)
			r.verbatim(h, t)
		case r.length > exactBytes:
			r.whole = false
			r.length += len(t)
			h.Write([]byte(text.Fold(t)))
		case b.kind == heading:
			r.say(h, Claim{Text: t, Place: Place{p.Path, int(b.line)}})
		default:
			r.saySentences(h, s, i)
		}
	}
}

func (r *Reading) saySentences(h hash.Hash, s *scan, i int) {
	b := &s.blocks[i]
	if b.task {
		box := "[ ]"
		if strings.Contains(strings.ToLower(cut(r.page.Body[b.start:b.end], 16)), "[x]") {
			box = "[x]"
		}
		r.verbatim(h, box)
	}
	for _, c := range r.page.sentenceClaims(s, i) {
		r.say(h, c)
	}
}

// verbatim takes in what counts as it stands: code, and what is too long for
// a sentence. It contradicts nothing.
func (r *Reading) verbatim(h hash.Hash, t string) {
	h.Write([]byte{'\n'})
	h.Write([]byte(t))
	r.said = r.keep(&Statement{Claim: Claim{Text: t}, all: []token{{text: t, stem: t, role: symbol}}})
}

// say takes one claim in.
func (r *Reading) say(h hash.Hash, c Claim) {
	if c.tooLong() {
		r.length += len(c.Text)
		r.verbatim(h, text.Fold(c.Text))
		return
	}
	st := State(c)
	if len(st.all) == 0 {
		return
	}
	r.length += len(c.Text)
	for _, t := range st.all {
		h.Write([]byte(t.text))
		h.Write([]byte{' '})
	}
	for _, s := range [...]string{c.Speaker, c.Time, c.Slot.Metric, c.Slot.Value, c.Slot.Unit, c.Slot.Period, c.Slot.Date} {
		if s != "" {
			h.Write([]byte(text.Fold(s)))
			h.Write([]byte{'\n'})
		}
	}
	r.said = r.keep(st)
}

func (r *Reading) keep(st *Statement) []*Statement {
	if len(r.said) >= maxClaims {
		r.whole = false
		return r.said
	}
	return append(r.said, st)
}

// Compare says what two pages are to each other; the kind does not depend on
// their order. Of a contradiction, Overlap is that of the two claims.
func (r *Reading) Compare(o *Reading, opt CompareOptions) Verdict {
	if bytes.Compare(r.sum[:], o.sum[:]) > 0 {
		v := o.Compare(r, opt)
		v.Detail[0], v.Detail[1] = v.Detail[1], v.Detail[0]
		v.Texts[0], v.Texts[1] = v.Texts[1], v.Texts[0]
		v.Places[0], v.Places[1] = v.Places[1], v.Places[0]
		return v
	}
	v := Verdict{Cosine: opt.Cosine}
	if r.length == 0 && len(r.title) == 0 || o.length == 0 && len(o.title) == 0 {
		return v
	}
	v.Overlap = r.overlap(o)
	sameTitle, sameLinks := r.sameTitle(o), slices.Equal(r.links, o.links)
	if r.sum == o.sum && sameTitle && sameLinks && (r.length > 0 || len(r.title) > 0 && len(o.title) > 0) {
		v.Kind, v.Screen = Duplicate, ByWords
		return v
	}
	left, right, ordered := leftOver(r.said, o.said)
	if !parallel(r.title, o.title) {
		if c, ok := r.contradiction(o, left, right); ok {
			c.Cosine = opt.Cosine
			return c
		}
	}
	close := opt.Threshold > 0 && opt.Cosine >= opt.Threshold && v.Overlap >= minOverlap
	if close && r.whole && o.whole && sameTitle && sameLinks && ordered && sameSaid(left, right, opt) {
		v.Kind, v.Screen = Duplicate, ByMeaning
	}
	return v
}

// Text gives the beginning of what the page says, sentence by sentence, for
// an embedder: no more sentences than fit into max bytes.
func (r *Reading) Text(max int) string {
	var b strings.Builder
	for _, st := range r.said {
		if b.Len()+len(st.Claim.Text) > max {
			break
		}
		line(&b, st.Claim.Text)
	}
	return b.String()
}

// overlap is the share of words that two pages have in common, of the longer.
func (r *Reading) overlap(o *Reading) float64 {
	a, b := newBag(r.words()), newBag(o.words())
	return share(a.common(b), len(a), len(b))
}

// words gives what counts of all sentences.
func (r *Reading) words() (out []token) {
	for _, st := range r.said {
		out = append(out, st.strict...)
	}
	return out
}

// sameTitle reports titles of the same words; one page may have none, when
// the title of the other says nothing that its text does not.
func (r *Reading) sameTitle(o *Reading) bool {
	switch {
	case len(r.title) > 0 && len(o.title) > 0:
		return sameStems(r.title, o.title)
	case len(r.title) > 0:
		return r.repeatsTitle()
	case len(o.title) > 0:
		return o.repeatsTitle()
	}
	return true
}

func (r *Reading) repeatsTitle() bool {
	words := r.words()
	return !slices.ContainsFunc(r.title, func(t token) bool { return t.role != light && !hasStem(words, t.stem) })
}

// parallel reports titles of one pattern with other names in it. Other dates
// are no other names: notes of two days speak of one thing.
func parallel(a, b []token) bool {
	if len(a) != len(b) {
		return false
	}
	d := align(a, b)
	named := false
	for _, c := range d.chunks {
		if c.a1-c.a0 != c.b1-c.b0 {
			return false
		}
		named = named || slices.ContainsFunc(a[c.a0:c.a1], func(t token) bool { return t.dim != aDate })
	}
	return named && d.shared > 0
}

// leftOver takes away the sentences that both have, and reports whether those
// stand in the same order.
func leftOver(a, b []*Statement) (left, right []*Statement, ordered bool) {
	at := make(map[string][]int, len(b))
	for j, st := range b {
		k := st.identity()
		at[k] = append(at[k], j)
	}
	taken := make([]bool, len(b))
	ordered = true
	last := -1
	for _, st := range a {
		places := at[st.identity()]
		if len(places) == 0 {
			left = append(left, st)
			continue
		}
		j := places[0]
		at[st.identity()] = places[1:]
		taken[j] = true
		ordered = ordered && j > last
		last = j
	}
	for j, st := range b {
		if !taken[j] {
			right = append(right, st)
		}
	}
	return left, right, ordered
}

// sameSaid reports whether the sentences left over say the same, one by one
// in order, but for a few words on one side that say nothing.
func sameSaid(left, right []*Statement, opt CompareOptions) bool {
	if len(left) != len(right) {
		return len(left) == 0 && trifles(right) || len(right) == 0 && trifles(left)
	}
	for i := range left {
		if v := left[i].Compare(right[i], opt); v.Kind != Duplicate {
			return false
		}
	}
	return true
}

// trifles reports whether sentences are no more than a few plain words.
func trifles(sts []*Statement) bool {
	const words = 4
	n := 0
	for _, st := range sts {
		n += len(st.strict)
		if slices.ContainsFunc(st.strict, func(t token) bool { return t.role != plain || t.antonym.group != 0 }) || len(st.strict) == 0 {
			return false
		}
	}
	return n <= words
}

// linkTargets gives where the links of a page lead, in order.
func linkTargets(p *Page) (out []string) {
	for _, l := range p.Links {
		if l.Kind == Wiki || l.Kind == Embed {
			out = append(out, text.Fold(l.Target))
		}
	}
	for _, mark := range [...]string{"](", "]: "} {
		for rest := p.Body; ; {
			_, after, found := strings.Cut(rest, mark)
			if !found {
				break
			}
			end := strings.IndexAny(after, ") \t\r\n")
			if end < 0 {
				end = len(after)
			}
			out = append(out, after[:end])
			rest = after
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// contradiction finds the best pair of sentences that contradict each other.
func (r *Reading) contradiction(o *Reading, left, right []*Statement) (best Verdict, found bool) {
	by := sharing(right)
	for _, a := range left {
		for _, j := range by.near(a) {
			v := a.Compare(right[j], CompareOptions{})
			if v.Kind != Contradiction || v.Screen == BySlot && (r.lists[a.slot()] || o.lists[right[j].slot()]) {
				continue
			}
			if !found || v.Overlap > best.Overlap {
				best, found = v, true
			}
		}
	}
	return best, found
}

// slot is a sentence without its values.
func (a *Statement) slot() string {
	var b strings.Builder
	for _, t := range a.core {
		if t.role == value {
			b.WriteString(string(t.dim))
		} else {
			b.WriteString(t.stem)
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// findLists names the slots to which the page gives several values.
func (r *Reading) findLists() map[string]bool {
	first := map[string]string{}
	lists := map[string]bool{}
	for _, st := range r.said {
		if !slices.ContainsFunc(st.core, func(t token) bool { return t.role == value }) {
			continue
		}
		slot, key := st.slot(), st.identity()
		if had, ok := first[slot]; ok && had != key {
			lists[slot] = true
		}
		first[slot] = cmp.Or(first[slot], key)
	}
	return lists
}

// shared finds the sentences that share words with one, without comparing all.
type shared struct {
	by  map[string][]int32
	sts []*Statement
	hit []int
}

func sharing(sts []*Statement) *shared {
	s := &shared{by: map[string][]int32{}, sts: sts, hit: make([]int, len(sts))}
	for j, st := range sts {
		for _, t := range st.core {
			if l := s.by[t.stem]; t.role != value && (len(l) == 0 || l[len(l)-1] != int32(j)) {
				s.by[t.stem] = append(l, int32(j))
			}
		}
	}
	return s
}

// near gives the sentences that share most words with st: at most 8, and
// such as could pass a screen.
func (s *shared) near(st *Statement) (out []int) {
	const most, share = 8, 0.5
	clear(s.hit)
	for _, t := range st.core {
		for _, j := range s.by[t.stem] {
			if s.hit[j]++; s.hit[j] == 1 {
				out = append(out, int(j))
			}
		}
	}
	out = slices.DeleteFunc(out, func(j int) bool {
		return float64(s.hit[j]) < share*float64(min(words(st.core), words(s.sts[j].core)))
	})
	slices.SortFunc(out, func(i, j int) int { return cmp.Or(cmp.Compare(s.hit[j], s.hit[i]), cmp.Compare(i, j)) })
	return out[:min(most, len(out))]
}

// words counts what is no value.
func words(ts []token) (n int) {
	for _, t := range ts {
		if t.role != value {
			n++
		}
	}
	return n
}
