package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/dream"
	"brain/store"
)

func contradictionCommand() *command {
	return &command{
		name: "contradiction", group: groupKeep,
		short: "claims that cannot both hold: see them, settle them",
		long: `` + "`brain dream`" + ` compares what the pages and facts of a brain claim, and lists in contradictions.md what cannot both hold. Nothing is changed before a person decides, here or by editing the pair's line in that file. The claim that is not kept is superseded: its file keeps it, and no answer shows it any more.

A pair has an id made of what the two say and of what they speak of; the beginning of it is enough. Verdicts stand in contradictions-reviews.jsonl and outlive the list: a pair that was rejected (--keep both) does not come back.`,
		examples: []string{"brain contradiction list", "brain contradiction resolve 3fa9 --keep b"},
		sub:      []*command{contradictionListCommand(), contradictionShowCommand(), contradictionResolveCommand(), contradictionUndoCommand()},
	}
}

// pairJSON is a pair, open or decided.
type pairJSON struct {
	ID        string       `json:"id"`
	Kind      string       `json:"kind"`
	Entity    string       `json:"entity"`
	Screen    string       `json:"screen"`
	Strength  float64      `json:"strength"`
	A         sideJSON     `json:"a"`
	B         sideJSON     `json:"b"`
	Suggested string       `json:"suggested"` // a or b of a supersession, else ""
	Answer    string       `json:"answer"`    // written into contradictions.md and not carried out yet
	Verdict   *verdictJSON `json:"verdict"`   // null while it is open
}

type sideJSON struct {
	Text    string   `json:"text"`
	Differs string   `json:"differs"`
	Path    string   `json:"path"`
	Line    int      `json:"line"`
	Date    string   `json:"date"`
	Speaker string   `json:"speaker"`
	Sources []string `json:"sources"`
	Agent   string   `json:"agent"`
}

type verdictJSON struct {
	Keep string `json:"keep"`
	At   string `json:"at"`
	By   string `json:"by"`
	Note string `json:"note"`
	Job  string `json:"job"`
}

func pairOf(p *dream.Pair) pairJSON {
	side := func(s *dream.Side, differs string) sideJSON {
		return sideJSON{s.Text, differs, string(s.Path), s.Line, s.Date, s.Speaker, list(s.Sources), s.Agent}
	}
	return pairJSON{ID: p.ID, Kind: p.Kind, Entity: p.Entity, Screen: p.Screen, Strength: p.Strength,
		A: side(&p.A, p.Detail[0]), B: side(&p.B, p.Detail[1]), Suggested: p.Suggested()}
}

// decidedPair is a pair as it was decided; of a line that somebody wrote by hand the texts alone.
func decidedPair(v *dream.Verdict) pairJSON {
	p := v.Of
	if p == nil {
		p = &dream.Pair{ID: v.Pair, A: dream.Side{Text: v.A}, B: dream.Side{Text: v.B}}
	}
	j := pairOf(p)
	j.Suggested = ""
	j.Verdict = &verdictJSON{v.Keep, stamp(v.At), v.By, v.Note, v.Job}
	return j
}

// reads reports whether the agent that asks may see a pair: facts of an agent are its own. Who
// names no agent, or the default one, sees all.
func (a *app) reads() func(dream.Pair) bool {
	agent := a.agent()
	if agent == defaultAgent {
		agent = ""
	}
	return func(p dream.Pair) bool { return p.Visible(agent) }
}

func contradictionListCommand() *command {
	var all bool
	return &command{
		name: "list", max: 0, schema: "contradiction-list",
		short:    "list the pairs that are open",
		long:     "Lists the open pairs, the strongest evidence first: both claims with the place where they stand and the date, the screen that found them and how strong its evidence is. An answer that was written into contradictions.md is shown; the next `brain dream`, or any of these commands that writes, carries it out. --all also lists those that were decided.",
		examples: []string{"brain contradiction list", "brain contradiction list --all --json"},
		exits:    []exitNote{{exitNegative, "there is none to list"}, {exitNotFound, "no memory root or brain"}},
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&all, "all", false, "also pairs that were decided, with their verdicts")
		},
		run: func(ctx context.Context, a *app, _ []string) error { return a.contradictions(ctx, all) },
	}
}

type contradictionListJSON struct {
	Brain   string     `json:"brain"`
	Open    int        `json:"open"`
	Pairs   []pairJSON `json:"pairs"`
	Damaged []int      `json:"damaged"` // lines of contradictions-reviews.jsonl that cannot be read
}

func (a *app) docket(ctx context.Context) (*opened, *dream.Docket, error) {
	o, err := a.open()
	if err != nil {
		return nil, nil, err
	}
	d, err := dream.ReadDocket(ctx, o.st)
	return o, d, err
}

func (a *app) contradictions(ctx context.Context, all bool) error {
	o, d, err := a.docket(ctx)
	if err != nil {
		return err
	}
	j := contradictionListJSON{Brain: o.st.Name(), Pairs: []pairJSON{}, Damaged: list(d.Verdicts.Damaged)}
	sees := a.reads()
	for i := range d.Pairs {
		if sees(d.Pairs[i]) {
			p := pairOf(&d.Pairs[i])
			p.Answer = d.Answers[p.ID].Keep
			j.Pairs = append(j.Pairs, p)
		}
	}
	j.Open = len(j.Pairs)
	if all {
		for _, v := range d.Verdicts.Standing() {
			if v.Of == nil || sees(*v.Of) {
				j.Pairs = append(j.Pairs, decidedPair(&v))
			}
		}
	}
	a.tellDocket(d)
	if a.global.json {
		err = a.json(j)
	} else {
		err = a.printPairs(j.Pairs)
	}
	if err == nil && len(j.Pairs) == 0 {
		return errNegative
	}
	return err
}

// tellDocket warns of what is not as it should be.
func (a *app) tellDocket(d *dream.Docket) {
	if n := len(d.Verdicts.Damaged); n > 0 {
		a.warn("%s cannot be read in %s: line %d; what they decided does not count", count(n, "line"), store.Verdicts, d.Verdicts.Damaged[0])
	}
	if n := len(d.Damaged); n > 0 {
		a.warn("%s of %s do not say what they are named for and are left out; brain dream finds them again", count(n, "pair"), dream.ReviewFile)
	}
	if d.Foreign {
		a.warn("%s was written by another program; the next brain dream keeps it as %s", dream.ReviewFile, store.ReviewOfOld(1))
	}
}

func (a *app) printPairs(pairs []pairJSON) error {
	if len(pairs) == 0 {
		return a.print("no contradictions\n")
	}
	var b strings.Builder
	for i := range pairs {
		if i > 0 {
			b.WriteByte('\n')
		}
		a.writePair(&b, &pairs[i], false)
	}
	return a.print("%s", b.String())
}

// writePair prints a pair for people, whole with all that is known of its claims.
func (a *app) writePair(b *strings.Builder, p *pairJSON, whole bool) {
	fmt.Fprintf(b, "%s", a.bold(plain(p.ID)))
	if p.Kind != "" {
		fmt.Fprintf(b, "  %s%s", plain(p.Kind), a.faint(fmt.Sprintf("  %s %.2f", plain(p.Screen), p.Strength)))
	}
	fmt.Fprintf(b, "%s\n", before("  ", plain(p.Entity)))
	writeSide(b, "a", &p.A, whole)
	writeSide(b, "b", &p.B, whole)
	switch {
	case p.Verdict != nil:
		fmt.Fprintf(b, "  decided %s by %s: keep %s%s\n", date(p.Verdict.At), plain(p.Verdict.By), p.Verdict.Keep, before(", ", plain(p.Verdict.Note)))
	case p.Answer != "":
		fmt.Fprintf(b, "  answered in %s: keep %s; not carried out yet\n", dream.ReviewFile, p.Answer)
	case p.Suggested != "":
		fmt.Fprintf(b, "  suggested: keep %s, which is dated later\n", p.Suggested)
	}
}

func writeSide(b *strings.Builder, name string, s *sideJSON, whole bool) {
	fmt.Fprintf(b, "  %s  %s\n", name, squeeze(s.Text))
	if s.Path == "" {
		return
	}
	about := []string{fmt.Sprintf("%s:%d", plain(s.Path), max(1, s.Line))}
	for _, word := range []string{plain(s.Date), before("by ", plain(s.Speaker)), before("agent ", plain(s.Agent))} {
		if word != "" {
			about = append(about, word)
		}
	}
	fmt.Fprintf(b, "     %s\n", strings.Join(about, " · "))
	if whole && len(s.Sources) > 0 {
		fmt.Fprintf(b, "     sources: %s\n", plain(strings.Join(s.Sources, ", ")))
	}
	if whole && s.Differs != "" && s.Differs != s.Text {
		fmt.Fprintf(b, "     differs: %s\n", squeeze(s.Differs))
	}
}

func contradictionShowCommand() *command {
	return &command{
		name: "show", args: "ID", min: 1, max: 1, schema: "contradiction-show",
		short:    "show one pair",
		long:     "Shows a pair, open or decided, with all that is known of its claims: sources, speakers, what differs, the verdict. ID is its id or the beginning of it.",
		examples: []string{"brain contradiction show 3fa91c22b7d0e4aa"},
		exits:    []exitNote{{exitNotFound, "no such pair"}, {exitConflict, "several ids begin so"}},
		run:      func(ctx context.Context, a *app, args []string) error { return a.contradiction(ctx, args[0]) },
	}
}

type contradictionShowJSON struct {
	Brain string   `json:"brain"`
	Pair  pairJSON `json:"pair"`
}

func (a *app) contradiction(ctx context.Context, id string) error {
	o, d, err := a.docket(ctx)
	if err != nil {
		return err
	}
	p, v, err := d.Find(strings.ToLower(strings.TrimSpace(id)), a.reads())
	if err != nil {
		return err
	}
	j := contradictionShowJSON{Brain: o.st.Name()}
	if v != nil {
		j.Pair = decidedPair(v)
	} else {
		j.Pair = pairOf(p)
		j.Pair.Answer = d.Answers[p.ID].Keep
	}
	if a.global.json {
		return a.json(j)
	}
	var b strings.Builder
	a.writePair(&b, &j.Pair, true)
	return a.print("%s", b.String())
}

// deciding are the flags of what decides.
type deciding struct {
	keep, note string
	yes        bool
}

func contradictionResolveCommand() *command {
	var f deciding
	return &command{
		name: "resolve", args: "ID", min: 1, max: 1, schema: "contradiction-change",
		short: "say which claim of a pair holds",
		long: `Settles an open pair. With --keep a or b the other claim is superseded: a fact gets that status, a sentence of a page's text is named in the page's facts with it, a fact of an agent is put away. Its file keeps it, and it is found no more. With --keep both nothing is wrong with the two; the pair does not come back. The claim, the verdict and the list change in one commit, and ` + "`brain contradiction undo`" + ` takes it back.

When the claim does not stand in its page any more, nothing is written and the exit code is 4. Other places that say the same stay, and are named.`,
		examples: []string{"brain contradiction resolve 3fa91c22b7d0e4aa --keep b", `brain contradiction resolve 3fa9 --keep both --note "one per region"`},
		exits:    changing(exitNote{exitNotFound, "no such pair is open"}, exitNote{exitConflict, "several ids begin so, it is decided already, or the claim was changed meanwhile"}),
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&f.keep, "keep", "", "the claim that holds: `WHICH`, a, b or both")
			fs.StringVar(&f.note, "note", "", "why, for whoever reads the verdict: `TEXT`")
			yesFlag(fs, &f.yes)
		},
		run: func(ctx context.Context, a *app, args []string) error {
			return a.resolveContradiction(ctx, &f, args[0])
		},
	}
}

func contradictionUndoCommand() *command {
	var f deciding
	return &command{
		name: "undo", args: "ID", min: 1, max: 1, schema: "contradiction-change",
		short:    "take a verdict back",
		long:     "Takes the verdict on a pair back, whether it came from a command or from contradictions.md: the claim that was superseded returns, and the pair is open again. It does so on the page as it is now, wherever it was moved, so that later changes stay.",
		examples: []string{"brain contradiction undo 3fa9"},
		exits:    changing(exitNote{exitNotFound, "no such pair"}, exitNote{exitConflict, "several ids begin so, nothing was decided on it, or its page is gone"}),
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&f.note, "note", "", "why, for whoever reads the verdict: `TEXT`")
			yesFlag(fs, &f.yes)
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.undoContradiction(ctx, &f, args[0]) },
	}
}

// contradictionChangeJSON says what a verdict came to.
type contradictionChangeJSON struct {
	Brain   string      `json:"brain"`
	Pair    pairJSON    `json:"pair"`
	Keep    string      `json:"keep"`    // "open" for an undo
	Changed []deedJSON  `json:"changed"` // claims that left the index, or returned
	Also    []placeJSON `json:"also"`    // where the claim is said besides, and stays
	Fell    int         `json:"fell"`    // open pairs of the same claim that are settled with it
	Taken   []string    `json:"taken"`   // ids of answers in contradictions.md that were carried out, too
	Left    []string    `json:"left"`    // and why others were not
	Job     string      `json:"job"`
}

type deedJSON struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

type placeJSON struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

func (a *app) resolveContradiction(ctx context.Context, f *deciding, id string) error {
	if !a.changed("keep") {
		return usage("brain contradiction resolve: which claim holds?", "--keep a, --keep b, or --keep both")
	}
	f.keep = strings.ToLower(strings.TrimSpace(f.keep))
	if err := oneOf("keep", f.keep, dream.KeepA, dream.KeepB, dream.KeepBoth); err != nil {
		return err
	}
	return a.changeContradiction(ctx, f, id, dream.Decide)
}

func (a *app) undoContradiction(ctx context.Context, f *deciding, id string) error {
	return a.changeContradiction(ctx, f, id, dream.Undo)
}

func (a *app) changeContradiction(ctx context.Context, f *deciding, id string, do func(context.Context, *store.Store, dream.Decision) (*dream.Decided, error)) error {
	o, err := a.open()
	if err != nil {
		return err
	}
	if err := a.mayWrite(o.st, f.yes); err != nil {
		return err
	}
	by := a.agent()
	if by == "" {
		by = "command"
	}
	out, err := do(ctx, o.st, dream.Decision{ID: strings.ToLower(strings.TrimSpace(id)), Keep: f.keep, Note: f.note, By: by, At: time.Now(), May: a.reads()})
	if err != nil {
		return err
	}
	a.touch(ctx, o, out.Receipt)
	return a.printDecided(o, out)
}

func (a *app) printDecided(o *opened, out *dream.Decided) error {
	v := &out.Verdict
	j := contradictionChangeJSON{Brain: o.st.Name(), Pair: decidedPair(v), Keep: v.Keep, Changed: []deedJSON{}, Also: []placeJSON{},
		Fell: out.Fell, Taken: []string{}, Left: []string{}, Job: out.Job}
	if v.Keep == dream.KeepOpen {
		j.Pair.Verdict = nil
	}
	for _, d := range v.Did {
		j.Changed = append(j.Changed, deedJSON{string(d.Path), d.Text})
	}
	for _, at := range out.Also {
		j.Also = append(j.Also, placeJSON{string(at.Path), at.Line})
	}
	for _, t := range out.Taken {
		j.Taken = append(j.Taken, t.Pair)
	}
	for _, l := range out.Left {
		j.Left = append(j.Left, l.What)
	}
	if a.global.json {
		return a.json(j)
	}
	for _, at := range j.Also {
		a.note("brain: %s:%d says it, too, and stays", plain(at.Path), at.Line)
	}
	if j.Fell > 0 {
		a.note("brain: %s of the same claim settled with it", count(j.Fell, "other pair"))
	}
	for _, taken := range j.Taken {
		a.note("brain: carried out as %s says: %s", dream.ReviewFile, taken)
	}
	for _, left := range j.Left {
		a.note("brain: %s", plain(left))
	}
	return a.print("%s", j.told())
}

// told is what happened, in a line or two.
func (j *contradictionChangeJSON) told() string {
	line := plain(j.Pair.ID) + ": keep " + j.Keep
	did := "superseded in"
	if j.Keep == dream.KeepOpen {
		line, did = plain(j.Pair.ID)+": open again", "counts again in"
		if j.Pair.A.Path == "" {
			line = plain(j.Pair.ID) + ": taken back; the other claim was purged"
		}
	}
	for _, d := range j.Changed {
		line += fmt.Sprintf("\n%s %s: %s", did, plain(d.Path), squeeze(d.Text))
	}
	if j.Keep == dream.KeepOpen && len(j.Changed) == 0 {
		line += "\nno page was changed: none was superseded for it, or somebody has changed that since"
	}
	return line + "\n"
}
