package inbox

import (
	"bytes"
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

// Pending is the state of a session of which nothing has been made yet. Turns
// that are added make a session pending again.
const Pending = "pending"

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
	State   string    `json:"state"`
	Created time.Time `json:"created_at"` // when brain first heard of it
	Updated time.Time `json:"updated_at"` // when it was last added to
	Turns   int       `json:"turns"`
	Bytes   int64     `json:"bytes"` // of messages.jsonl, by which a crash between the two files shows

	Path    page.Path `json:"-"` // of the session, as a page
	Problem string    `json:"-"` // why meta.json does not count and this was told from the turns; else ""
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
	m, _ = ib.meta(p, e)
	return m, nil
}

// meta gives what meta.json says of a session that was read, or else what it
// should say; lost is why it does not count.
func (ib *Box) meta(p page.Path, e evidence) (m Meta, lost error) {
	m, lost = ib.readMeta(p, int64(len(e.Raw)))
	if lost == nil {
		return m, nil
	}
	now := Meta{
		Format: metaFormat, Session: p.Stem(), Agent: e.Agent, User: e.head.User, Title: e.head.Title, State: Pending,
		Created: m.Created, Updated: e.mod.UTC(), Turns: len(e.Turns), Bytes: int64(len(e.Raw)), Path: p, Problem: lost.Error(),
	}
	for _, t := range []time.Time{e.Created, now.Updated} {
		if now.Created.IsZero() {
			now.Created = t
		}
	}
	return now, lost
}

func (ib *Box) newMeta(s Session) Meta {
	now := ib.now().UTC()
	return Meta{
		Format: metaFormat, Session: s.ID, Agent: s.Agent, User: s.User, Title: s.Title,
		State: Pending, Created: now, Updated: now, Turns: len(s.Turns),
	}
}

// readMeta reads the meta.json of a session whose messages.jsonl has a size.
// With an error m is what could be read.
func (ib *Box) readMeta(p page.Path, size int64) (m Meta, err error) {
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
	case m.Bytes != size:
		return m, fmt.Errorf("%s: it is of %d bytes of turns, there are %d", metaFile, m.Bytes, size)
	}
	return m, nil
}

// writeMeta replaces the meta.json of a session's folder.
func (ib *Box) writeMeta(folder string, m Meta) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return fmt.Errorf("write %s: %w", path.Join(folder, metaFile), err)
	}
	temp := path.Join(folder, metaTemp)
	if err := ib.root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := ib.writeNew(temp, b.Bytes()); err != nil {
		return err
	}
	if err := ib.root.Rename(temp, path.Join(folder, metaFile)); err != nil {
		return err
	}
	return ib.sync(folder)
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
