package migrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"brain/memory"
	"brain/page"
	"brain/store"
	"brain/text"
)

// An import looks before it writes. Look reads the whole source and compares it with
// the brain, so that the caller can show what would become of it, or refuse; Run reads
// it once more and writes, some pages at a time, so that others come to write between
// them. Both decide by the same few rules, Run under the brain's lock:
//
//	page    nothing at its path                     written
//	        the same bytes there                    there
//	        other bytes                             different: what is here stays
//	made    its key imported_from is at its path,
//	        or at its path with -2, -3 …            there, or different
//	        other pages there                       written at the first free one
//	fact    its id is there                         there, or different
//	        the agent has one that says the same    dropped: duplicate
//	        else                                    written, and room is made
//
// What was purged is not written again.

// Import is one import.
type Import struct {
	Store    *store.Store
	Facts    *memory.Facts
	Source   *Source
	Read     Reader
	Options  Options
	Agent    string              // gets the facts that are no agent's; "" is page.DefaultAgent
	Told     func(store.Receipt) // is told of each update, once its lock is released; may be nil
	Progress func(done int)      // of pages and facts; may be nil
}

// A slice is what one update writes.
const (
	slicePages = 100
	sliceBytes = 8 << 20
	sliceFacts = 500
)

// File systems take a name of longestName bytes, and below any root a path of
// longestPath.
const (
	longestName = 255
	longestPath = 3000
)

func tooLong(p page.Path) bool {
	return len(p) > longestPath || slices.ContainsFunc(strings.Split(string(p), "/"), func(name string) bool { return len(name) > longestName })
}

// ErrUsers is the error for facts of several users: a brain is one's.
var ErrUsers = errors.New("facts of several users")

// Look tells what Run would do, and writes nothing.
func (im *Import) Look(ctx context.Context) (*Report, error) {
	l := &look{pass: pass{im: im, rep: newReport()}, planned: map[page.Path][]byte{}, agents: map[string]*known{}}
	if err := l.begin(ctx); err != nil {
		return nil, err
	}
	err := im.Read(ctx, im.Source, im.Options, func(it Item) error { return l.take(ctx, it) })
	if err != nil {
		return nil, err
	}
	slices.SortFunc(l.rep.Agents, func(a, b Room) int { return strings.Compare(a.Agent, b.Agent) })
	if slices.Sort(l.rep.Users); len(l.rep.Users) > 1 && im.Options.User == "" {
		return l.rep, fmt.Errorf("%w: %s", ErrUsers, strings.Join(l.rep.Users, ", "))
	}
	return l.rep, nil
}

// pass is what Look and Run share.
type pass struct {
	im   *Import
	rep  *Report
	gone *store.Purges
}

// agent is whose a fact becomes.
func (im *Import) agent(f *Fact) (string, error) {
	name := cmp.Or(im.Agent, page.DefaultAgent)
	if im.Options.KeepAgents && f.Agent != "" {
		name = f.Agent
	}
	return page.AgentName(name)
}

// reading reads a page as it is, or will be.
type reading func(page.Path) ([]byte, error)

// verdict is what becomes of a page or a fact.
type verdict int

const (
	isNew verdict = iota
	isThere
	isDifferent
)

// judge says what becomes of a page, and where: the path that it gets, or has.
func judge(p *Page, read reading) (verdict, page.Path, error) {
	if tooLong(p.Path) {
		return isNew, p.Path, fmt.Errorf("%w: its path, or a name in it, is too long", store.ErrNotPage)
	}
	for n := 1; n <= maxNamesakes; n++ {
		at := numbered(p.Path, n)
		raw, err := read(at)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return isNew, at, nil
		case err != nil:
			return isDifferent, at, err
		case bytes.Equal(raw, p.Raw):
			return isThere, at, nil
		case p.Origin == "" || madeOf(at, raw) == p.Origin:
			return isDifferent, at, nil
		}
	}
	return isDifferent, p.Path, fmt.Errorf("%w: %s, and so do its names up to -%d", store.ErrNotPage, p.Path, maxNamesakes)
}

// maxNamesakes is how many pages of one name are looked at.
const maxNamesakes = 999

func numbered(p page.Path, n int) page.Path {
	if n == 1 {
		return p
	}
	return page.Path(strings.TrimSuffix(string(p), ".md") + "-" + strconv.Itoa(n) + ".md")
}

// madeOf is what a page says it was imported from.
func madeOf(at page.Path, raw []byte) string {
	if !bytes.Contains(raw, []byte(originKey)) {
		return ""
	}
	return strings.Join(page.Values(at, raw, originKey), " ")
}

// forgotten reports a page that was purged, under its path or by what it says.
func (p *pass) forgotten(at page.Path, raw []byte) bool {
	if p.gone.Path(at) {
		return true
	}
	if p.gone.Empty() {
		return false
	}
	said := page.Parse(at, raw)
	return p.gone.Text(said.Title) || p.gone.Text(said.Body) || slices.ContainsFunc(said.Facts, func(f page.Fact) bool { return p.gone.Text(f.Text) })
}

// isOfItem reports an error that is about one page or fact, not about the brain.
func isOfItem(err error) bool {
	for _, target := range []error{store.ErrNotPage, store.ErrTooLarge, store.ErrTwin, store.ErrExists, memory.ErrFact, memory.ErrEmpty, page.ErrAgent} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// look is a pass that only compares.
type look struct {
	pass
	planned map[page.Path][]byte // what this pass would have written
	names   map[string]page.Path // of pages that are there or planned, folded
	agents  map[string]*known
}

// known are the facts that an agent has, or would have.
type known struct {
	ids  map[string]string // id → content key
	keys map[string]string // content key → id
}

func (l *look) begin(ctx context.Context) (err error) {
	if l.gone, err = l.im.Store.Forgotten(ctx); err != nil {
		return err
	}
	files, err := l.im.Store.List(ctx)
	if err != nil {
		return err
	}
	l.names = make(map[string]page.Path, len(files.Files))
	for _, f := range files.Files {
		l.names[foldPath(f.Path)] = f.Path
	}
	return nil
}

// foldPath is what two spellings of a path have in common on disks that ignore case.
func foldPath(p page.Path) string { return norm.NFC.String(strings.ToLower(string(p))) }

func (l *look) take(ctx context.Context, it Item) error {
	switch {
	case it.Page != nil:
		l.rep.Pages.Found++
		return l.page(ctx, it.Page)
	case it.Fact != nil:
		l.rep.Facts.Found++
		return l.fact(ctx, it.Fact)
	}
	l.rep.drop(*it.Dropped)
	return nil
}

func (l *look) page(ctx context.Context, p *Page) error {
	v, at, err := judge(p, func(at page.Path) ([]byte, error) {
		if raw, ok := l.planned[at]; ok {
			return raw, nil
		}
		return l.im.Store.Read(ctx, at)
	})
	if twin := l.names[foldPath(at)]; err == nil && v == isNew && twin != "" {
		err = &store.TwinError{Path: at, Existing: twin}
	}
	if err == nil && v == isNew && !l.forgotten(at, p.Raw) {
		if l.names[foldPath(at)] = at; p.Origin != "" {
			l.planned[at] = p.Raw
		}
		l.secrets(string(p.Raw))
	}
	return l.pageIs(p, v, at, err)
}

// pageIs counts a page.
func (p *pass) pageIs(in *Page, v verdict, at page.Path, err error) error {
	twin, isTwin := errors.AsType[*store.TwinError](err)
	switch {
	case err != nil && !isOfItem(err):
		return err
	case isTwin:
		p.rep.Pages.Different++
		p.rep.drop(*drop(Different, string(in.Path), in.Where, "it is called "+string(twin.Existing)).Dropped)
	case err != nil:
		p.rep.drop(*drop(NotWritable, string(in.Path), in.Where, err.Error()).Dropped)
	case v == isThere:
		p.rep.Pages.There++
	case v == isDifferent:
		p.rep.Pages.Different++
		p.rep.drop(*drop(Different, string(at), in.Where, "").Dropped)
	case p.forgotten(at, in.Raw):
		p.rep.drop(*drop(Forgotten, "a page", in.Where, "").Dropped) // what it says is not to be kept here either
	default:
		p.rep.Pages.Written++
		if at != in.Path {
			p.rep.Renamed = append(p.rep.Renamed, Renamed{in.Path, at})
		}
	}
	return nil
}

func (l *look) secrets(s string) {
	_, found := text.Mask(s)
	for kind, n := range found {
		l.rep.Secrets[kind] += n
	}
}

func (l *look) fact(ctx context.Context, f *Fact) error {
	agent, err := l.im.agent(f)
	if err != nil {
		return l.factIs(f, isDifferent, "", err)
	}
	l.rep.user(f.User)
	have, err := l.known(ctx, agent)
	if err != nil {
		return err
	}
	key := memory.ContentKey(f.Content)
	if was, ok := have.ids[f.ID]; ok {
		return l.factIs(f, sameOr(was == key), "", nil)
	}
	if taken, err := l.taken(ctx, agent, f.ID); err != nil || taken {
		return l.factIs(f, isDifferent, "", err)
	}
	if twin := have.keys[key]; twin != "" {
		return l.factIs(f, isNew, twin, nil)
	}
	written := f.Fact
	written.Agent = agent
	if written.Created.IsZero() {
		written.Created = l.im.Options.now()
	}
	if _, err := memory.FormatFact(written); err != nil {
		return l.factIs(f, isNew, "", err)
	}
	if !l.gone.Text(f.Content) {
		have.ids[f.ID], have.keys[key] = key, f.ID
		l.rep.room(agent).Come++
		l.secrets(f.Content)
	}
	return l.factIs(f, isNew, "", nil)
}

func sameOr(same bool) verdict {
	if same {
		return isThere
	}
	return isDifferent
}

// taken reports a file of that id which is no fact that counts: an archived one, or one
// that is damaged.
func (l *look) taken(ctx context.Context, agent, id string) (bool, error) {
	at, err := memory.FactPath(agent, id)
	if err != nil {
		return false, err
	}
	_, err = l.im.Store.Read(ctx, at)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// known are the facts of an agent, read once.
func (l *look) known(ctx context.Context, agent string) (*known, error) {
	if have := l.agents[agent]; have != nil {
		return have, nil
	}
	list, err := l.im.Facts.List(ctx, agent)
	if err != nil {
		return nil, err
	}
	have := &known{map[string]string{}, map[string]string{}}
	for i := range list.Facts {
		f := &list.Facts[i]
		key := memory.ContentKey(f.Content)
		have.ids[f.ID], have.keys[key] = key, f.ID
	}
	l.agents[agent] = have
	room := l.rep.room(agent)
	room.Have, room.Max = len(list.Facts), l.im.Facts.Rules.Max
	return have, nil
}

// factIs counts a fact; twin is the id of one that says the same.
func (p *pass) factIs(f *Fact, v verdict, twin string, err error) error {
	switch {
	case err != nil && !isOfItem(err):
		return err
	case err != nil:
		p.rep.drop(*drop(NotWritable, f.Content, f.Where, err.Error()).Dropped)
	case twin != "":
		p.rep.drop(*drop(Duplicate, f.Content, f.Where, twin).Dropped)
	case v == isThere:
		p.rep.Facts.There++
	case v == isDifferent:
		p.rep.Facts.Different++
		p.rep.drop(*drop(Different, f.Content, f.Where, f.ID).Dropped)
	case p.gone.Text(f.Content):
		p.rep.drop(*drop(Forgotten, "a fact", f.Where, "").Dropped)
	default:
		p.rep.Facts.Written++
	}
	return nil
}
