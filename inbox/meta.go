package inbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"brain/page"
)

// The states of a session.
const (
	Pending   = "pending"   // something in it was not compiled yet
	Compiling = "compiling" // somebody does so now
	Done      = "done"      // all of it was compiled
	Failed    = "failed"    // it could not be, and is not tried again by itself
	Cancelled = "cancelled" // it is not wanted
)

const (
	metaFile   = "meta.json"
	metaTemp   = "meta.new.json"
	metaFormat = 1
)

// Meta is where a session stands: its meta.json.
type Meta struct {
	Format  int       `json:"format"`
	Session string    `json:"session"`
	Agent   string    `json:"agent"`
	User    string    `json:"user"`
	Title   string    `json:"title"`
	Source  string    `json:"source,omitempty"`
	State   string    `json:"state"`
	Created time.Time `json:"created_at"` // when brain first heard of it
	Updated time.Time `json:"updated_at"` // when it was last added to
	Turns   int       `json:"turns"`
	Bytes   int64     `json:"bytes"` // of messages.jsonl, by which a crash between the two files shows

	Since     time.Time      `json:"pending_since,omitzero"` // when the first turn came that is not compiled yet
	Compiled  int            `json:"compiled"`               // turns 1 to Compiled have been: the watermark
	Snapshots []int          `json:"snapshots,omitempty"`    // numbers of turns with which a snapshot ended, ascending, above Compiled
	Signals   []string       `json:"signals,omitempty"`      // see Signals, of the turns behind Compiled
	Masked    map[string]int `json:"masked,omitempty"`       // secrets that were masked at the door, by their kind
	Private   int            `json:"private,omitempty"`      // private spans that were removed there
	Injected  int            `json:"injected,omitempty"`     // frames of injected memory that were removed there

	Attempts int         `json:"attempts,omitempty"` // to compile it, that failed since it last went well
	Error    string      `json:"error,omitempty"`    // of the last attempt
	RetryAt  time.Time   `json:"retry_at,omitzero"`  // it is not due before
	Nothing  bool        `json:"nothing,omitempty"`  // it was compiled, and nothing was worth keeping
	Pages    []page.Path `json:"pages,omitempty"`    // made of it, or that gained it as a source
	Writer   *Writer     `json:"writer,omitempty"`   // who compiles it now

	Path    page.Path `json:"-"` // of the session, as a page
	Problem string    `json:"-"` // why meta.json does not count and this was told from the turns; else ""
}

// Writer is who compiles a session. That it still does is told by its lock alone.
type Writer struct {
	Lease string    `json:"lease"` // a random word, by which a lease knows that it still counts
	PID   int       `json:"pid"`
	Host  string    `json:"host,omitempty"`
	Since time.Time `json:"since"`
	Turns int       `json:"turns"`         // that it took
	More  time.Time `json:"more,omitzero"` // when the first turn came that it did not take
}

// errBehind is that messages.jsonl has another size than meta.json says.
var errBehind = errors.New("it is behind the turns")

// Meta tells where one session stands; see List.
func (ib *Box) Meta(ctx context.Context, id string) (Meta, error) {
	p, err := ib.find(id)
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return Meta{}, fmt.Errorf("look at session %q: %w", id, err)
	}
	m, err := ib.look(p)
	if err != nil {
		return m, fmt.Errorf("look at session %q: %w", id, err)
	}
	return m, nil
}

// List tells where each session stands, in the order of their paths. A
// meta.json that is broken, absent or behind the turns does not count: what it
// should say is told from the turns, and Problem says why. The next Add to that
// session puts it right.
func (ib *Box) List(ctx context.Context) ([]Meta, error) {
	var out []Meta
	paths, err := ib.all()
	if err != nil {
		return nil, fmt.Errorf("list sessions of %s: %w", ib.dir, err)
	}
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("list sessions of %s: %w", ib.dir, err)
		}
		m, err := ib.look(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err != nil {
			m.Path, m.Session, m.Problem = p, p.Stem(), err.Error()
		}
		out = append(out, m)
	}
	return out, nil
}

// look reads meta.json, and the turns only when it does not count.
func (ib *Box) look(p page.Path) (Meta, error) {
	turns, err := ib.root.Lstat(string(p))
	if err != nil {
		return Meta{}, err
	}
	m, err := ib.readMeta(p, turns.Size())
	if err == nil || errors.Is(err, ErrNewer) {
		return m, err
	}
	e, err := ib.evidence(p)
	if err != nil {
		return Meta{}, err
	}
	if m, err = ib.meta(p, e); errors.Is(err, ErrNewer) {
		return m, err
	}
	return m, nil
}

// meta gives what meta.json says of a session that was read, or else what it
// should say; lost is why it does not count.
func (ib *Box) meta(p page.Path, e evidence) (m Meta, lost error) {
	m, lost = ib.readMeta(p, int64(len(e.Raw)))
	if lost == nil && m.Turns != len(e.Turns) {
		lost = fmt.Errorf("%s: %w: it tells of %d turns, there are %d", metaFile, errBehind, m.Turns, len(e.Turns))
	}
	if lost == nil || errors.Is(lost, ErrNewer) {
		return m, lost
	}
	return ib.told(p, e, m, lost), lost
}

// told is what meta.json should say of the turns. One that is only behind them
// still knows what was compiled; for one that is lost, the checkpoint does. Where that
// tells of other turns, these are all to be compiled.
func (ib *Box) told(p page.Path, e evidence, was Meta, lost error) Meta {
	m, turns, mod := was, len(e.Turns), e.mod.UTC()
	through, others := ib.checkpoint(p, e.Turns)
	switch known := max(0, m.Turns); {
	case !errors.Is(lost, errBehind):
		m = Meta{State: Pending, Created: was.Created, Updated: mod, Compiled: through}
		if m.Compiled >= turns && turns > 0 {
			m.State = Done
		}
	case others:
		m.Compiled, m.Snapshots, m.Nothing, m.Since = 0, nil, false, time.Time{}
		if turns > 0 {
			m.grow(nil, e.Turns, mod)
		}
	case turns > known:
		m.grow(e.Turns[:known], e.Turns[known:], mod)
	}
	m.Format, m.Session, m.Agent, m.User = metaFormat, p.Stem(), e.Agent, e.head.User
	m.Title, m.Source, m.Path, m.Problem = e.head.Title, e.head.Source, p, lost.Error()
	m.Turns, m.Bytes = turns, int64(len(e.Raw))
	for _, t := range []time.Time{e.Created, mod} {
		if m.Created.IsZero() {
			m.Created = t
		}
	}
	m.reach(m.Compiled, e.Turns)
	return m
}

// reach moves the watermark, and with it what is told of the turns behind it.
func (m *Meta) reach(compiled int, turns []page.Turn) {
	m.Compiled = max(0, min(compiled, len(turns)))
	m.Snapshots = slices.DeleteFunc(slices.Clone(m.Snapshots), func(n int) bool { return n <= m.Compiled || n > len(turns) })
	m.Signals = Signals(turns[m.Compiled:])
	if m.Compiled == len(turns) {
		m.Since = time.Time{}
	} else if m.Since.IsZero() {
		m.Since = m.Updated
	}
}

func (ib *Box) newMeta(s Session) Meta {
	now := ib.now().UTC()
	m := Meta{
		Format: metaFormat, Session: s.ID, Agent: s.Agent, User: s.User, Title: s.Title, Source: s.Source,
		State: Pending, Created: now, Updated: now, Turns: len(s.Turns),
	}
	m.reach(0, s.Turns)
	if s.Snapshot {
		m.Snapshots = []int{m.Turns}
	}
	return m
}

// readMeta reads the meta.json of a session whose messages.jsonl has a size.
// With an error m is what could be read. Who died while it compiled compiles no
// more: the session is pending.
func (ib *Box) readMeta(p page.Path, size int64) (m Meta, err error) {
	m, err = ib.parseMeta(p)
	if m.State == Compiling {
		if held, bad := ib.held(leaseFile(p.Stem())); m.Writer == nil || bad == nil && !held {
			m.State, m.Writer = Pending, nil
		}
	}
	if err == nil && m.Bytes != size {
		err = fmt.Errorf("%s: %w: it is of %d bytes of turns, there are %d", metaFile, errBehind, m.Bytes, size)
	}
	return m, err
}

func (ib *Box) parseMeta(p page.Path) (m Meta, err error) {
	m.Path = p
	f, err := ib.open(path.Join(p.Dir(), metaFile), os.O_RDONLY)
	if err != nil {
		return m, err
	}
	defer f.Close()
	raw, _, err := readAll(f)
	if err != nil {
		return m, err
	}
	err = json.Unmarshal(raw, &m)
	switch {
	case m.Format > metaFormat:
		return m, fmt.Errorf("%s: %w: its format is %d, known is %d", metaFile, ErrNewer, m.Format, metaFormat)
	case err != nil:
		return m, fmt.Errorf("%s: %w", metaFile, err)
	case m.Format < 1 || m.State == "":
		return m, fmt.Errorf("%s: format or state is missing", metaFile)
	case !slices.Contains([]string{Pending, Compiling, Done, Failed, Cancelled}, m.State):
		return m, fmt.Errorf("%s: %q is no state", metaFile, m.State)
	}
	m.hold()
	return m, nil
}

// hold brings numbers that somebody wrote by hand to where they can be.
func (m *Meta) hold() {
	m.Turns = max(0, m.Turns)
	m.Compiled = max(0, min(m.Compiled, m.Turns))
	m.Snapshots = slices.DeleteFunc(m.Snapshots, func(n int) bool { return n <= m.Compiled || n > m.Turns })
	slices.Sort(m.Snapshots)
	m.Snapshots = slices.Compact(m.Snapshots)
	if m.Compiled < m.Turns && m.State == Done {
		m.State = Pending
	}
}

// writeMeta replaces the meta.json of a session's folder.
func (ib *Box) writeMeta(folder string, m Meta) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return fmt.Errorf("write %s: %w", path.Join(folder, metaFile), err)
	}
	if m.State != Pending && m.State != Compiling {
		defer ib.full.Store(nil)
	}
	return ib.replace(path.Join(folder, metaTemp), path.Join(folder, metaFile), b.Bytes())
}

// all gives the paths of all sessions in order.
func (ib *Box) all() ([]page.Path, error) {
	var out []page.Path
	months, err := ib.folders(sessionsDir)
	if err != nil {
		return nil, err
	}
	for _, month := range months {
		ids, err := ib.folders(path.Join(sessionsDir, month))
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if p, err := page.ParsePath(path.Join(sessionsDir, month, id, page.SessionFile)); err == nil {
				out = append(out, p)
			}
		}
	}
	slices.SortFunc(out, func(a, b page.Path) int { return strings.Compare(string(a), string(b)) })
	return out, nil
}
