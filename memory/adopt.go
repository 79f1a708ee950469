package memory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brain/page"
	"brain/store"
)

// What was left of before v2 is taken over by the first update that changes the facts
// of its agent, as part of it: each fact gets its file, each JSON file a copy beside it
// (<name>.v1.bak), and then the JSON says nothing of facts any more or goes. What is
// there already with the same meaning stays; what says otherwise stops all of it, and
// nothing was touched. An undo of the update gives the old files back.

// view is the brain as the update will leave it.
func (b *Batch) view() view {
	v := viewOf(b.ctx, b.m.Store)
	v.own, v.page = b.tx.ReadOwn, b.tx.Read
	return v
}

// takeOver stages that what was left for the batch's agent, and in memory.json, has the
// form of now. It is asked once; facts that the batch changes itself it leaves to it.
func (b *Batch) takeOver() error {
	if b.tookOver {
		return nil
	}
	b.tookOver = true
	if err := b.takeOverShared(); err != nil {
		return err
	}
	l, err := legacyOf(b.view(), b.agent, "")
	if err != nil {
		return err
	}
	if len(l.problems) > 0 && !b.clearing {
		return fmt.Errorf("%s: %w", l.problems[0].Path, l.problems[0].Err)
	}
	if err := b.adopt(l.facts); err != nil {
		return err
	}
	return b.retire(l.from)
}

// Migrate takes over all that was left of before v2, of every agent, in one update; dry
// only tries. What is there after it, by how it reads, is what was there before. Where
// DeerMem itself was cut short, it has to clear that up first: ErrCorrupt.
func (m *Facts) Migrate(ctx context.Context, dry bool) (*Migrated, error) {
	if _, err := os.Lstat(filepath.Join(m.Store.Dir(), journalFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("migrate facts: %w", cmp.Or(err, damage("%s is there: an update of DeerMem was cut short, and its next start clears that up", journalFile)))
	}
	out := &Migrated{}
	last := func(tx *store.Tx) error {
		out.Summaries = tx.TouchedOwn(store.Summaries)
		return nil
	}
	d, err := m.changeAll(ctx, "migrate deermem", nil, dry, func(b *Batch) error { return b.takeOver() }, last)
	if err != nil {
		return nil, fmt.Errorf("migrate facts: %w", err)
	}
	out.Facts, out.Job = d.Adopted, d.Job
	return out, nil
}

// Agents are those that have a folder in the brain, and the default one, which need not;
// a folder by its earlier name is none of another (legacy.go).
func (m *Facts) Agents(ctx context.Context) ([]string, error) {
	names, err := m.Store.Names(ctx, "agents")
	if err != nil {
		return nil, err
	}
	agents := []string{page.DefaultAgent}
	for _, name := range names {
		agent, _, inside := strings.Cut(strings.TrimPrefix(name, "agents/"), "/")
		if folded, err := page.AgentName(agent); inside && err == nil && folded == agent {
			agents = append(agents, agent)
		}
	}
	earlier, err := viewOf(ctx, m.Store).bucket()
	if err != nil {
		return nil, err
	}
	if earlier != nil {
		agents = slices.DeleteFunc(agents, func(name string) bool { return name == leadAgent })
	}
	slices.Sort(agents)
	return slices.Compact(agents), nil
}

// takeOverShared lets the default agent have what is its own in memory.json before
// another agent's change is written there.
func (b *Batch) takeOverShared() error {
	raw, err := b.tx.ReadOwn(store.Summaries)
	if err != nil || raw == nil || b.agent == page.DefaultAgent {
		return err
	}
	if m, err := parseManifest(raw); err != nil || !m.isOld() {
		return nil // for whoever writes it to tell
	}
	other, err := b.m.Batch(b.ctx, b.tx, page.DefaultAgent)
	if err != nil {
		return err
	}
	if err := other.takeOver(); err != nil {
		return err
	}
	b.adopted += other.adopted
	return nil
}

// adopt stages files for facts that have none.
func (b *Batch) adopt(facts []Fact) error {
	if len(facts) == 0 {
		return nil
	}
	sc, err := b.loaded()
	if err != nil {
		return err
	}
	gone, err := b.m.Store.Forgotten(b.ctx)
	if err != nil {
		return err
	}
	for _, f := range facts {
		if b.staged[f.ID] != nil {
			continue // write does it
		}
		sc.mu.Lock()
		h := sc.byID[f.ID]
		sc.mu.Unlock()
		switch {
		case h != nil && !h.old && h.fact.means(&f):
		case h != nil && !h.old:
			return fmt.Errorf("%w: %s says another thing than %s", ErrLegacy, f.ID, h.path)
		case gone.Text(f.Content):
			b.tx.Note("a fact of before v2 is not taken over, since it was purged: " + f.ID)
		default:
			if err := b.create(f); err != nil {
				return err
			}
			b.adopted++
		}
	}
	return nil
}

// create stages the file of a fact that has none.
func (b *Batch) create(f Fact) (err error) {
	if f.User == "" {
		if f.User, err = b.m.userOf(b.ctx, b.m.Store.Read); err != nil {
			return err
		}
	}
	raw, err := FormatFact(f)
	if err != nil {
		return err
	}
	at, err := FactPath(b.agent, f.ID)
	if err != nil {
		return err
	}
	return b.tx.Add(at, raw)
}

// retire stages what becomes of the files that older facts came from.
func (b *Batch) retire(from []oldFile) error {
	for _, o := range from {
		if o.json == nil {
			if err := b.tx.Remove(page.Path(o.name), store.HashOf(o.raw)); err != nil {
				return err
			}
			continue
		}
		if err := b.keepCopy(o); err != nil {
			return err
		}
	}
	return b.retireJSON(from)
}

// keepCopy stages a copy of a JSON file beside it, which is read back before anything
// else is done. One of an earlier time that says otherwise is not given up.
func (b *Batch) keepCopy(o oldFile) error {
	to := store.OwnFile(o.name + oldSuffix)
	have, err := b.tx.ReadOwn(to)
	if err == nil && have == nil {
		err = b.tx.WriteOwn(to, "", o.raw)
		if err == nil {
			have, err = b.tx.ReadOwn(to)
		}
	}
	if err == nil && !bytes.Equal(have, o.raw) {
		err = fmt.Errorf("%w: %s is there and is no copy of %s: move it away", ErrLegacy, to, o.name)
	}
	return err
}

const oldSuffix = ".v1.bak"

// retireJSON stages memory.json in the form of now, with what the agents' own ones say
// of the user, and that these go.
func (b *Batch) retireJSON(from []oldFile) error {
	claims, err := b.claims()
	if err != nil {
		return err
	}
	if !claims && !slices.ContainsFunc(from, func(o oldFile) bool { return o.json != nil }) {
		return nil
	}
	raw, err := b.tx.ReadOwn(store.Summaries)
	if err != nil {
		return err
	}
	m, changed, err := readable(b.tx, raw, b.now)
	if err != nil {
		return err
	}
	changed = m.upgrade() || changed
	if claims {
		m.claim(b.agent)
		changed = true
	}
	for _, o := range from {
		if o.json == nil || o.name == string(store.Summaries) {
			continue
		}
		if !b.forgetting {
			gained, err := m.gain(o.name, o.json)
			if err != nil {
				return err
			}
			changed = changed || gained
		}
		if err := b.tx.RemoveOwn(store.OwnFile(o.name), store.HashOf(o.raw)); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	return b.tx.WriteOwn(store.Summaries, hashOf(raw), m.bytes())
}

// claims reports whether facts are written for an agent that has the name which the
// default agent once had, and nothing says yet that it is one of its own.
func (b *Batch) claims() (bool, error) {
	if b.agent != leadAgent || b.clearing || len(b.order) == 0 {
		return false, nil
	}
	if raw, err := b.tx.ReadOwn(store.Summaries); err != nil || ownsItsName(raw, leadAgent) {
		return false, err
	}
	names, err := b.m.Store.Names(b.ctx, leadFolder)
	if errors.Is(err, store.ErrNotPage) {
		err = nil
	}
	return !slices.Contains(names, leadFolder+"/config.yaml"), err
}

// claim notes that an agent is one of its own.
func (m *manifest) claim(agent string) {
	list := []byte("[")
	for _, name := range append(m.ownAgents(), agent) {
		list = append(append(list, quoted(name)...), ',')
	}
	m.top.set(ownAgents, append(bytes.TrimSuffix(list, []byte(",")), ']'))
}

// upgrade makes a manifest of before v2 one of v2: without facts, which have files by
// then, and with all summaries that one has. It reports whether it was of before.
func (m *manifest) upgrade() bool {
	if !m.isOld() {
		return false
	}
	m.top.remove("facts")
	m.top.set("version", quoted(manifestVersion))
	m.complete()
	return true
}

// gain takes in what an agent's own memory.json of before v2 says of the user. What is
// said there alone is adopted, what is said here as well stays, and two that say two
// things are for somebody to decide: ErrLegacy. It reports whether anything came.
func (m *manifest) gain(name string, old *manifest) (changed bool, err error) {
	for _, in := range []string{"user", "history"} {
		theirs, err := old.section(in)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		ours, err := m.section(in)
		if err != nil {
			return false, err
		}
		for _, child := range theirs {
			have := ours.get(child.name)
			switch {
			case saysNothing(child.raw) || sameSummary(have, child.raw):
			case !saysNothing(have):
				return false, fmt.Errorf("%w: %s and memory.json say two things of %s.%s", ErrLegacy, name, in, child.name)
			default:
				ours.set(child.name, child.raw)
				changed = true
			}
		}
		if changed {
			m.top.set(in, ours.bytes())
		}
	}
	return changed, nil
}

// saysNothing reports a value in which nothing stands but perhaps a date.
func saysNothing(raw []byte) bool {
	o, _, err := parseMembers(string(raw))
	if err != nil {
		return slices.Contains([]string{"", "null", `""`, "false", "[]"}, string(bytes.TrimSpace(raw)))
	}
	for _, m := range o {
		if m.name != "updatedAt" && !saysNothing(m.raw) {
			return false
		}
	}
	return true
}

// sameSummary reports whether two values are one but for their dates and blanks.
func sameSummary(a, b []byte) bool {
	x, y := undated(a), undated(b)
	return x != nil && bytes.Equal(x, y)
}

func undated(raw []byte) []byte {
	if o, _, err := parseMembers(string(raw)); err == nil {
		o.remove("updatedAt")
		raw = o.bytes()
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return nil
	}
	return b.Bytes()
}
