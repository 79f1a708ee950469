package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"brain/page"
	"brain/store"
)

// User is one user's memory, read whole from a DeerMem root and found sound: only then
// is anything of it written.
type User struct {
	Bucket string   // folder below users/; NoBucket for the root itself
	ID     string   // as the facts name the user; "" when none does
	Left   []string // files of the host's, which stay where they are
	Old    int      // facts of before v2

	facts     []sourceFact
	byID      map[string]int // index in facts by agent/id
	summaries []byte         // memory.json as it will be; nil for none
}

// sourceFact is a fact and its file, as it is in the source where it has the form of v2.
type sourceFact struct {
	path page.Path
	raw  []byte
	fact Fact
}

// ErrChanging is the error for a folder in which somebody writes.
var ErrChanging = fmt.Errorf("%w: stop the program that writes there", store.ErrChanging)

// Read reads a user. id is the raw id if it is known. Errors: ErrCorrupt, ErrLegacy
// for two facts of one id, ErrChanging, fs.ErrNotExist.
func (d *DeerMem) Read(ctx context.Context, bucket, id string) (*User, error) {
	u, err := d.readUser(ctx, bucket, id)
	if err != nil {
		return nil, fmt.Errorf("read user %q of DeerMem root %s: %w", bucket, d.dir, err)
	}
	return u, nil
}

func (d *DeerMem) readUser(ctx context.Context, bucket, id string) (*User, error) {
	f, err := d.folder(bucket)
	if err != nil {
		return nil, err
	}
	defer f.root.Close()
	before, err := f.stamp(ctx)
	if err != nil {
		return nil, err
	}
	u := &User{Bucket: bucket, ID: id, byID: map[string]int{}}
	if err := errors.Join(f.recover(), ctx.Err()); err != nil {
		return nil, err
	}
	err = u.read(f)
	after, stampErr := f.stamp(ctx)
	if stampErr == nil && after != before { // whatever was found wrong may be half of a write
		return nil, ErrChanging
	}
	return u, errors.Join(err, stampErr)
}

func (u *User) read(f *folder) error {
	names, err := f.names("agents")
	if err != nil {
		return err
	}
	v := f.view()
	bucket, err := v.bucket()
	if err != nil {
		return err
	}
	agents := []string{page.DefaultAgent}
	for _, name := range names {
		agent := strings.Split(name, "/")[1]
		switch {
		case !isMemory(name):
			u.leave(name)
			continue
		case agent == leadAgent && bucket != nil:
			continue // the default agent's: see legacyOf
		case isFactName(name):
			if err := u.takeFile(f, name); err != nil {
				return err
			}
		}
		if folded, err := page.AgentName(agent); err != nil || folded != agent {
			return damage("%s: DeerMem has no agent %q", name, agent)
		}
		agents = append(agents, agent)
	}
	slices.Sort(agents)
	for _, agent := range slices.Compact(agents) {
		if err := u.takeOld(v, agent); err != nil {
			return err
		}
	}
	slices.SortFunc(u.facts, func(a, b sourceFact) int { return strings.Compare(string(a.path), string(b.path)) })
	return u.readSummaries(v, agents)
}

// leave notes a file of the host's; what is DeerMem's and can be lost is none.
func (u *User) leave(name string) {
	parts := strings.Split(name, "/")
	if len(parts) > 3 && parts[2] == ".metadata" || strings.HasSuffix(name, "/"+string(store.SummariesOfOld)) {
		return
	}
	u.Left = append(u.Left, name)
}

// takeFile takes in a fact of v2.
func (u *User) takeFile(f *folder, name string) error {
	at, err := page.ParsePath(name)
	if err != nil {
		return damage("%v", err)
	}
	raw, err := f.read(name)
	if err != nil {
		return err
	}
	fact, _, err := ParseFact(at, raw)
	if err != nil {
		return damage("%v", err)
	}
	if fact.Status != active {
		return damage("%s: it is %s", name, fact.Status)
	}
	if fact.User != "" {
		if err := u.isOurs(fact.User); err != nil {
			return damage("%s: %v", name, err)
		}
	}
	return u.take(sourceFact{at, raw, fact})
}

func (u *User) isOurs(id string) error {
	folder, err := UserFolder(id)
	if err == nil && folder != u.Bucket {
		err = fmt.Errorf("it is of the user %q, whose folder is %s", id, folder)
	}
	if err == nil && u.ID == "" {
		u.ID = id
	}
	return err
}

func (u *User) take(s sourceFact) error {
	key := s.fact.Agent + "/" + s.fact.ID
	i, there := u.byID[key]
	switch {
	case !there:
		u.byID[key] = len(u.facts)
		u.facts = append(u.facts, s)
	case !u.facts[i].fact.means(&s.fact):
		return fmt.Errorf("%w: %s is there twice and says two things: %s", ErrLegacy, s.fact.ID, u.facts[i].path)
	}
	return nil
}

// takeOld takes in the facts of before v2.
func (u *User) takeOld(v view, agent string) error {
	l, err := legacyOf(v, agent, u.ID)
	if err != nil {
		return err
	}
	if len(l.problems) > 0 {
		return fmt.Errorf("%s: %w", l.problems[0].Path, l.problems[0].Err)
	}
	for _, fact := range l.facts {
		if fact.User != "" {
			if err := u.isOurs(fact.User); err != nil {
				return damage("%s: %v", fact.ID, err)
			}
		}
		at, err := FactPath(agent, fact.ID)
		if err != nil {
			return err
		}
		raw, err := FormatFact(fact)
		if err != nil {
			return err
		}
		n := len(u.facts)
		if err := u.take(sourceFact{at, raw, fact}); err != nil {
			return err
		}
		u.Old += len(u.facts) - n
	}
	return nil
}

// readSummaries reads memory.json, to which the agents' own summaries of before v2 come.
// One that is of v2 and gains nothing stays as it is, byte for byte.
func (u *User) readSummaries(v view, agents []string) error {
	raw, err := v.own(store.Summaries)
	if err != nil {
		return err
	}
	m := newManifest()
	if raw != nil {
		if m, err = parseManifest(raw); err != nil {
			return err
		}
	}
	changed := raw != nil && m.upgrade()
	for _, agent := range agents {
		l, err := legacyOf(v, agent, "")
		if err != nil {
			return err
		}
		for _, o := range l.from {
			if o.json == nil || o.name == string(store.Summaries) {
				continue
			}
			gained, err := m.gain(o.name, o.json)
			if err != nil {
				return err
			}
			changed = changed || gained
		}
	}
	if u.claim(m) {
		changed = true
	}
	if u.summaries = raw; changed {
		u.summaries = m.bytes()
	}
	return nil
}

// claim notes in a manifest that lead-agent is an agent of its own, if it has facts: the
// config.yaml that said so is the host's and does not come along.
func (u *User) claim(m *manifest) bool {
	has := slices.ContainsFunc(u.facts, func(s sourceFact) bool { return s.fact.Agent == leadAgent })
	if !has || slices.Contains(m.ownAgents(), leadAgent) {
		return false
	}
	m.claim(leadAgent)
	return true
}
