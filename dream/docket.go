package dream

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"brain/page"
	"brain/store"
)

// A docket is what waits for a decision, and what was decided: contradictions.md with the
// answers that people wrote into it, and the log of verdicts. It is read and written within one
// update, so that a verdict, the claim that it supersedes and the list change together.

// What a decision can fail of.
var (
	ErrNoPair    = errors.New("no such pair")
	ErrManyPairs = errors.New("several pairs begin so")
	ErrKeep      = errors.New("keep is a, b or both")
	ErrClaimGone = errors.New("the claim does not stand there any more")
	ErrUndecided = errors.New("nothing was decided on it")
	ErrDecided   = errors.New("it is decided already")
)

// Docket is what can be seen of it without writing.
type Docket struct {
	Pairs    []Pair           // open, the strongest evidence first
	Answers  map[string]Chose // written into contradictions.md and not taken over yet, by id
	Verdicts *Verdicts
	Damaged  []string // ids in contradictions.md whose claims are not what they were
	Foreign  bool     // contradictions.md is another program's
}

// Chose is an answer in contradictions.md.
type Chose struct {
	Keep string `json:"keep"`
	Note string `json:"note,omitempty"`
}

// ReadDocket reads it as it is now.
func ReadDocket(ctx context.Context, st *store.Store) (*Docket, error) {
	d, err := readDocket(func(p page.Path) ([]byte, error) { return st.Read(ctx, p) },
		func(f store.OwnFile) ([]byte, error) { return st.ReadOwn(ctx, f) })
	if err != nil {
		return nil, fmt.Errorf("contradictions of brain %s: %w", st.Name(), err)
	}
	out := &Docket{Pairs: d.open, Answers: map[string]Chose{}, Verdicts: d.verdicts, Damaged: d.damaged, Foreign: d.foreign}
	for _, p := range d.open {
		if a := d.answers[p.ID]; a.keep != "" {
			out.Answers[p.ID] = Chose{a.keep, a.note}
		}
	}
	return out, nil
}

// docket is the same, to be changed.
type docket struct {
	raw      []byte // contradictions.md; nil when there is none
	foreign  bool
	kept     store.OwnFile // where another program's list was put aside
	noPlace  page.Path     // a person's page that stands in the list's place
	open     []Pair
	answers  map[string]answer
	damaged  []string
	log      []byte // of the verdicts, as it was read
	verdicts *Verdicts
	taken    []Verdict // answers that were carried out
	lost     []lost    // and those that count for nothing any more, since their pairs left the list
}

func readDocket(read func(page.Path) ([]byte, error), own func(store.OwnFile) ([]byte, error)) (*docket, error) {
	return (&docket{verdicts: readVerdicts(nil)}).again(read, own)
}

// again reads it once more, the log only if it is another one: it grows for ever.
func (d *docket) again(read func(page.Path) ([]byte, error), own func(store.OwnFile) ([]byte, error)) (*docket, error) {
	raw, err := read(ReviewFile)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	log, err := own(store.Verdicts)
	if err != nil {
		return nil, err
	}
	verdicts := d.verdicts.clone()
	if !bytes.Equal(log, d.log) {
		verdicts = readVerdicts(log)
	}
	d = &docket{raw: raw, log: log, verdicts: verdicts}
	switch {
	case isReview(raw):
		w := readReviewFile(raw)
		w.prove()
		d.open, d.answers, d.damaged = w.pairs, w.answers, w.damaged
		d.dropEdited()
	case len(bytes.TrimSpace(raw)) == 0: // nobody's
	case page.Parse(ReviewFile, raw).Generated:
		d.foreign, d.open = true, readForeign(raw)
	default:
		d.noPlace = ReviewFile
	}
	for _, p := range d.remove(d.verdicts.rejected) {
		if d.answers[p.ID].keep != KeepBoth {
			d.lose(p, "it was decided already: keep both", "brain contradiction undo "+p.ID+" opens it again")
		}
	}
	slices.SortStableFunc(d.open, strongest)
	return d, nil
}

func strongest(x, y Pair) int {
	return cmp.Or(cmp.Compare(y.Strength, x.Strength), cmp.Compare(x.ID, y.ID))
}

// write puts the list as it is now in the place of contradictions.md, if that is not what
// it says already. What another program wrote there is kept beside it. A person's page is not
// touched: then there is no list, which is said by noPlace and no error.
func (d *docket) write(tx *store.Tx) (changed bool, err error) {
	if d.noPlace != "" || d.raw == nil && len(d.open) == 0 {
		return false, nil
	}
	d.fit()
	next, err := reviewBytes(d.open, d.answers)
	if err != nil {
		return false, fmt.Errorf("write %s: %w", ReviewFile, err)
	}
	switch {
	case bytes.Equal(next, d.raw):
		return false, nil
	case d.raw == nil:
		return d.add(tx, next)
	case d.foreign:
		if err := d.keepForeign(tx); err != nil {
			return false, err
		}
	}
	return true, tx.Replace(ReviewFile, store.HashOf(d.raw), next)
}

// add writes the first list, unless a page has nearly its name.
func (d *docket) add(tx *store.Tx, list []byte) (bool, error) {
	err := tx.Add(ReviewFile, list)
	if twin := (*store.TwinError)(nil); errors.As(err, &twin) {
		d.noPlace = twin.Existing
		return false, nil
	}
	return err == nil, err
}

// fit takes pairs off the end of the list that have no room in a page, and counts them.
func (d *docket) fit() (without int) {
	room := mostListed
	d.open = slices.DeleteFunc(d.open, func(p Pair) bool {
		size := p.size(d.answers[p.ID])
		if size > room {
			without++
			return true
		}
		room -= size
		return false
	})
	return without
}

// maxKept bounds how many lists of other programs are kept.
const maxKept = 99

func (d *docket) keepForeign(tx *store.Tx) error {
	for n := 1; n <= maxKept; n++ {
		have, err := tx.ReadOwn(store.ReviewOfOld(n))
		switch {
		case err != nil:
			return err
		case have == nil:
			d.kept = store.ReviewOfOld(n)
			return tx.WriteOwn(d.kept, "", d.raw)
		case bytes.Equal(have, d.raw):
			return nil
		}
	}
	return fmt.Errorf("keep the old %s: %w: so do its names up to %s", ReviewFile, store.ErrExists, store.ReviewOfOld(maxKept))
}

func (d *docket) isOpen(id string) bool {
	return slices.ContainsFunc(d.open, func(p Pair) bool { return p.ID == id })
}

// find gives the open pair whose id begins so, of those that may be seen.
func (d *docket) find(prefix string, may func(Pair) bool) (Pair, error) {
	pairs := slices.DeleteFunc(slices.Clone(d.open), func(p Pair) bool { return may != nil && !may(p) })
	i, err := byPrefix(prefix, len(pairs), func(i int) string { return pairs[i].ID })
	if err != nil {
		return Pair{}, err
	}
	return pairs[i], nil
}

// undecided gives the open pair that somebody decides. Of one that is settled it says how.
func (d *docket) undecided(how Decision) (Pair, error) {
	p, err := d.find(how.ID, how.May)
	if !errors.Is(err, ErrNoPair) {
		return p, err
	}
	switch v, none := d.decided(how); {
	case none == nil:
		err = fmt.Errorf("%w: %s: keep %s, on %s by %s", ErrDecided, v.Pair, v.Keep, v.At.Format(time.DateOnly), v.By)
	case errors.Is(none, ErrManyPairs):
		err = none
	}
	return p, err
}

// decided gives the last verdict on the pair that a decision names, of those that may be seen.
func (d *docket) decided(how Decision) (Verdict, error) {
	all := slices.DeleteFunc(d.verdicts.Standing(), func(v Verdict) bool { return how.May != nil && !v.shown(how.May) })
	i, err := byPrefix(how.ID, len(all), func(i int) string { return all[i].Pair })
	if err != nil {
		return Verdict{}, err
	}
	return all[i], nil
}

// byPrefix finds the one of n ids that begins so, or is it.
func byPrefix(prefix string, n int, id func(int) string) (int, error) {
	found := -1
	for i := range n {
		switch {
		case id(i) == prefix:
			return i, nil
		case len(prefix) > 0 && len(prefix) < len(id(i)) && id(i)[:len(prefix)] == prefix:
			if found >= 0 && id(found) != id(i) {
				return 0, fmt.Errorf("%w: %q", ErrManyPairs, prefix)
			}
			found = i
		}
	}
	if found < 0 {
		return 0, fmt.Errorf("%w: %q", ErrNoPair, prefix)
	}
	return found, nil
}

// Find gives an open pair, or the last verdict on one that was decided, by the beginning of
// its id. There is none that may not be seen.
func (d *Docket) Find(prefix string, may func(Pair) bool) (*Pair, *Verdict, error) {
	pairs := slices.DeleteFunc(slices.Clone(d.Pairs), func(p Pair) bool { return !may(p) })
	verdicts := slices.DeleteFunc(d.Verdicts.Standing(), func(v Verdict) bool { return !v.shown(may) })
	i, err := byPrefix(prefix, len(pairs)+len(verdicts), func(i int) string {
		if i < len(pairs) {
			return pairs[i].ID
		}
		return verdicts[i-len(pairs)].Pair
	})
	switch {
	case err != nil:
		return nil, nil, err
	case i < len(pairs):
		return &pairs[i], nil, nil
	}
	return nil, &verdicts[i-len(pairs)], nil
}

// remove takes pairs off the list and gives them.
func (d *docket) remove(is func(Pair) bool) (gone []Pair) {
	d.open = slices.DeleteFunc(d.open, func(p Pair) bool {
		if !is(p) {
			return false
		}
		gone = append(gone, p)
		return true
	})
	return gone
}

// Decision is what somebody decides.
type Decision struct {
	ID   string // or the beginning of it
	Keep string // KeepA, KeepB or KeepBoth
	Note string
	By   string
	At   time.Time
	May  func(Pair) bool // who may see the pair; nil is everybody. Others are told that there is none.
}

// Decided says what came of it.
type Decided struct {
	store.Receipt
	Verdict Verdict
	Also    []Place   // where the claim that was not kept is said besides, and stays
	Fell    int       // other open pairs that may be seen and were settled with it
	Taken   []Verdict // answers that stood in contradictions.md and were taken over
	Left    []Left    // and those that could not be
}

// Place is where something stands.
type Place struct {
	Path page.Path `json:"path"`
	Line int       `json:"line"`
}

// Decide settles an open pair, in one update: the verdict, the claim that is not kept, the list.
func Decide(ctx context.Context, st *store.Store, how Decision) (*Decided, error) {
	if how.Keep != KeepA && how.Keep != KeepB && how.Keep != KeepBoth {
		return nil, fmt.Errorf("%w: %q", ErrKeep, how.Keep)
	}
	return changeDocket(ctx, st, "contradiction resolve", func(tx *store.Tx, d *docket, out *Decided) error {
		p, err := d.undecided(how)
		if err != nil {
			return err
		}
		delete(d.answers, p.ID) // what is said now counts
		before, _ := inOrder(append([]choice{{p, how}}, d.answered(how.At)...))
		for _, c := range before {
			if c.ID == p.ID {
				break
			}
			if _, err := d.carryOut(tx, c); err != nil {
				return err
			}
		}
		how.ID = p.ID
		if p, err = d.undecided(how); err != nil {
			return err
		}
		var fell []Pair
		out.Verdict, out.Also, fell, err = d.decide(tx, p, how)
		out.Fell = len(slices.DeleteFunc(fell, func(o Pair) bool { return how.May != nil && !how.May(o) }))
		return err
	}, how)
}

// Undo takes the last verdict on a pair back: the claim that left the index returns, and the pair
// is open again. It does so on the page as it is now, whatever was changed there since.
func Undo(ctx context.Context, st *store.Store, how Decision) (*Decided, error) {
	return changeDocket(ctx, st, "contradiction undo", func(tx *store.Tx, d *docket, out *Decided) error {
		was, err := d.decided(how)
		if errors.Is(err, ErrNoPair) {
			if _, open := d.find(how.ID, how.May); open == nil {
				err = fmt.Errorf("%w: %q", ErrUndecided, how.ID)
			}
		}
		if err != nil {
			return err
		}
		out.Verdict, err = d.reopen(tx, was, how, func() (page.Listing, error) { return st.List(ctx) })
		return err
	}, how)
}

// changeDocket runs fn on the docket within one update that is a commit of its own, and takes over what
// people wrote into the list. Who decides is told nothing of pairs that are not for them.
func changeDocket(ctx context.Context, st *store.Store, reason string, fn func(*store.Tx, *docket, *Decided) error, how Decision) (*Decided, error) {
	var out *Decided
	var done *store.Receipt
	err := st.Update(ctx, reason, func(tx *store.Tx) error {
		out, done = &Decided{}, tx.Receipt()
		tx.Alone()
		d, err := readDocket(tx.Read, tx.ReadOwn)
		if err != nil {
			return err
		}
		if err := fn(tx, d, out); err != nil {
			return err
		}
		out.Also = slices.DeleteFunc(out.Also, func(at Place) bool {
			return how.May != nil && !how.May(Pair{A: Side{Path: at.Path}, B: Side{Path: at.Path}})
		})
		if out.Left, err = d.takeAnswers(tx, how.At, how.May); err != nil {
			return err
		}
		taken, lost := d.told(how.May)
		out.Taken, out.Left = taken, append(out.Left, lost...)
		_, err = d.write(tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("contradictions of brain %s: %w", st.Name(), err)
	}
	out.Receipt = *done
	return out, nil
}

// claimError is what came in the way of superseding a claim: its page concerns no other pair.
type claimError struct{ error }

func (e claimError) Unwrap() error { return e.error }

func isEnded(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// decide carries a decision out. fell are the other open pairs that it settles.
func (d *docket) decide(tx *store.Tx, p Pair, how Decision) (v Verdict, also []Place, fell []Pair, err error) {
	loser := p.loser(how.Keep)
	d.remove(func(o Pair) bool { return o.ID == p.ID })
	fell = d.remove(func(o Pair) bool { return o.Texts == p.Texts })
	var did []Deed
	if loser != nil {
		var deed Deed
		var line func(int) int
		if deed, also, line, err = supersede(tx, *loser, how.At); err != nil {
			d.open = append(append(d.open, p), fell...)
			return v, nil, nil, claimError{err}
		}
		did = []Deed{deed}
		was := loser.Path // it may have been moved since the pairs were found
		p.moved(was, deed.Path)
		for _, others := range [...][]Pair{fell, d.open} {
			for i := range others {
				others[i].moved(was, deed.Path)
			}
		}
		key := page.ClaimKey(loser.Text)
		says := func(s Side) bool { return page.ClaimKey(s.Text) == key }
		fell = append(fell, d.remove(func(o Pair) bool { return o.A.same(*loser) || o.B.same(*loser) })...)
		for i := range d.open {
			for _, s := range [...]*Side{&d.open[i].A, &d.open[i].B} {
				if s.Path == loser.Path && s.Line > 0 {
					s.Line = line(s.Line)
				}
				if says(*s) && !slices.Contains(also, Place{s.Path, s.Line}) {
					also = append(also, Place{s.Path, s.Line})
				}
			}
		}
	}
	v = how.verdict(tx, p, did...)
	d.verdicts.add(v)
	fell = append(fell, d.remove(d.verdicts.rejected)...)
	if err := logVerdict(tx, v); err != nil {
		return v, nil, nil, err
	}
	return v, also, fell, d.settle(tx, fell, p, how)
}

// settle says of the pairs that fell with another one what becomes of their answers: one that wanted
// the same came true, another is lost.
func (d *docket) settle(tx *store.Tx, fell []Pair, with Pair, how Decision) error {
	loser := with.loser(how.Keep)
	for _, o := range fell {
		said := d.answers[o.ID]
		drops := o.loser(said.keep)
		if said.keep == "" || (drops == nil) != (loser == nil) || drops != nil && !drops.same(*loser) {
			why := "a claim of it was superseded"
			if loser == nil {
				why = "nothing is wrong with its words"
			}
			if with.ShownTo("") {
				why += ", by the verdict on " + with.ID
			}
			d.lose(o, why, "brain contradiction list --all")
			continue
		}
		delete(d.answers, o.ID)
		v := Decision{Keep: said.keep, Note: said.note, By: "file", At: how.At}.verdict(tx, o)
		d.verdicts.add(v)
		d.taken = append(d.taken, v)
		if err := logVerdict(tx, v); err != nil {
			return err
		}
	}
	return nil
}

// verdict is the decision as the log has it, with what was done.
func (how Decision) verdict(tx *store.Tx, p Pair, did ...Deed) Verdict {
	return Verdict{Pair: p.ID, Texts: p.Texts, Keep: how.Keep, At: how.At.UTC().Truncate(time.Second), By: how.By, Note: flatText(how.Note),
		A: p.A.Text, B: p.B.Text, Job: tx.Job(), Of: &p, Did: did}
}

// moved gives a page of the pair the path that it has now.
func (p *Pair) moved(was, is page.Path) {
	for _, s := range [...]*Side{&p.A, &p.B} {
		if s.Path == was {
			s.Path = is
		}
	}
}

// loser is the side that is not kept, nil for none.
func (p *Pair) loser(keep string) *Side {
	switch keep {
	case KeepA:
		return &p.B
	case KeepB:
		return &p.A
	}
	return nil
}

// reopen takes a verdict back. Of one that lost a page to a purge that is what became of the other
// page's claim, and where nothing did there is nothing to take back.
func (d *docket) reopen(tx *store.Tx, was Verdict, how Decision, files func() (page.Listing, error)) (Verdict, error) {
	if was.Of == nil && len(was.Did) == 0 {
		return was, fmt.Errorf("take back keep %s of the pair %s: %w: nothing is known of its claims any more", was.Keep, was.Pair, ErrClaimGone)
	}
	v := Verdict{Pair: was.Pair, Texts: was.Texts, Keep: KeepOpen, At: how.At.UTC().Truncate(time.Second), By: how.By, Note: flatText(how.Note),
		A: was.A, B: was.B, Job: tx.Job(), Of: was.Of}
	now := map[page.Path]page.Path{} // where pages are that were moved
	for _, deed := range slices.Backward(was.Did) {
		p, err := deed.find(tx, was.Job, files, d.didOthers(was.Pair))
		if err != nil {
			return v, err
		}
		now[deed.Path], deed.Path = p.Path, p.Path
		came, err := deed.undo(tx, p, how.At)
		if err != nil {
			return v, err
		}
		if came {
			v.Did = append(v.Did, deed)
		}
	}
	if was.Of != nil {
		of := *was.Of
		for _, s := range [...]*Side{&of.A, &of.B} {
			to, found := now[s.Path]
			if !found {
				var err error
				if to, err = follow(tx, s.Path, was.Job); err != nil {
					return v, err
				}
			}
			s.Path = to
		}
		v.Of = &of
	}
	d.verdicts.add(v)
	if v.Of != nil && !slices.ContainsFunc(d.open, func(o Pair) bool { return o.ID == was.Pair }) {
		d.open = slices.Insert(d.open, 0, *v.Of) // what was just asked for has its place first
	}
	return v, logVerdict(tx, v)
}

// didOthers is what verdicts that stand on other pairs did.
func (d *docket) didOthers(pair string) (all []Deed) {
	for _, v := range d.verdicts.Standing() {
		if v.Pair != pair {
			all = append(all, v.Did...)
		}
	}
	return all
}
