package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brain/page"
	"brain/store"
)

// Summary is what is known of one side of a user, in a few sentences.
type Summary struct {
	Text    string
	Updated time.Time // zero while there is none
}

// MarshalJSON is the form of the file.
func (s Summary) MarshalJSON() ([]byte, error) {
	return object{{"summary", s.Text}, {"updatedAt", timeText(s.Updated)}}.MarshalJSON()
}

// Summaries are all that are known of a user, shared by all agents. Where nothing was
// written yet the version is "1.0" and the revision 0.
type Summaries struct {
	Version  string
	Revision int       // grows by one with each change of facts or summaries
	Updated  time.Time // of the last
	// Sections are user and history, each with all of SummaryNames and what else the
	// file has there.
	Sections map[string]map[string]Summary

	manifest *manifest
}

// Get is one summary.
func (s *Summaries) Get(n SummaryName) Summary { return s.Sections[n.Section][n.Key] }

// Check reports a section that holds no summaries, and into which none can be written.
// Error: ErrCorrupt.
func (s *Summaries) Check() error {
	for _, name := range []string{"user", "history"} {
		if _, err := s.manifest.section(name); err != nil {
			return err
		}
	}
	return nil
}

// Names are SummaryNames, then what else the file has.
func (s *Summaries) Names() []SummaryName {
	names := SummaryNames()
	for _, section := range slices.Sorted(maps.Keys(s.Sections)) {
		for _, key := range slices.Sorted(maps.Keys(s.Sections[section])) {
			if n := (SummaryName{section, key}); !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}

// MarshalJSON gives memory.json with all summaries, those without text as well. Keys that
// are not known are kept, but for facts, which are none of it.
func (s *Summaries) MarshalJSON() ([]byte, error) {
	full := &manifest{top: append(members{}, s.manifest.top...)}
	full.top.remove("facts")
	full.top.set("version", quoted(s.Version))
	full.top.set("revision", fmt.Append(nil, s.Revision))
	full.top.set("lastUpdated", quoted(timeText(s.Updated)))
	full.complete()
	return full.top.bytes(), nil
}

// SummaryPatch is what summaries are to say: section → key → text. Those that it does
// not name stay.
type SummaryPatch map[string]map[string]string

// Summaries reads memory.json. One that nobody can read is ErrCorrupt and never an empty
// memory; the next write puts it aside.
func (m *Facts) Summaries(ctx context.Context) (*Summaries, error) {
	raw, err := m.Store.ReadOwn(ctx, store.Summaries)
	if err != nil {
		return nil, err
	}
	return readSummaries(raw)
}

// readSummaries reads memory.json; nil is that there is none.
func readSummaries(raw []byte) (*Summaries, error) {
	if raw == nil {
		s := newManifest().summaries()
		s.Version = "1.0"
		return s, nil
	}
	m, err := parseManifest(raw)
	if err != nil {
		return nil, err
	}
	return m.summaries(), nil
}

// SetSummaries changes summaries; one that says so already stays, with its date. What is
// taken for granted is the revision of memory.json, nil nothing. Two changes of one
// revision are never made of each other: the second is a *RevisionError. Other errors:
// ErrSummary.
func (m *Facts) SetSummaries(ctx context.Context, p SummaryPatch, ifRevision *int) (*Delta, error) {
	d, err := m.change(ctx, "summary set", "", func(b *Batch) error {
		if err := b.expect(ifRevision); err != nil {
			return err
		}
		return b.PatchSummaries(p)
	})
	if err != nil {
		return nil, fmt.Errorf("set summaries: %w", err)
	}
	return d, nil
}

// PatchSummaries stages a change of summaries. Error: ErrSummary.
func (b *Batch) PatchSummaries(p SummaryPatch) error {
	raw, err := b.tx.ReadOwn(store.Summaries)
	if err != nil {
		return err
	}
	m, err := parseManifest(raw)
	if err != nil {
		m = newManifest() // as the one that will be begun
	}
	for n, text := range p.all() {
		if err := m.mayHave(n, text); err != nil {
			return err
		}
	}
	b.edits = append(b.edits, func(m *manifest) (bool, error) { return m.apply(p, b.now) })
	return nil
}

// ErrSummary is the error for what no summary can be.
var ErrSummary = errors.New("not a summary")

// all are the texts of a patch in order, in the form in which they are kept.
func (p SummaryPatch) all() iter.Seq2[SummaryName, string] {
	return func(yield func(SummaryName, string) bool) {
		for _, section := range slices.Sorted(maps.Keys(p)) {
			for _, key := range slices.Sorted(maps.Keys(p[section])) {
				if !yield(SummaryName{section, key}, statement(p[section][key])) {
					return
				}
			}
		}
	}
}

// mayHave refuses a summary that no memory has, nor this file, and what is no text.
func (m *manifest) mayHave(n SummaryName, text string) error {
	section, _ := m.section(n.Section)
	switch known := slices.Contains(SummaryNames(), n); {
	case !known && (!isSection(n.Section) || section.get(n.Key) == nil):
		return fmt.Errorf("%q: %w", n.String(), ErrSummary)
	case !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0:
		return fmt.Errorf("%s: %w: %.40q is not text", n, ErrSummary, text)
	}
	return nil
}

// apply changes summaries. changed is false when all of them said so before.
func (m *manifest) apply(p SummaryPatch, now time.Time) (changed bool, err error) {
	for n, text := range p.all() {
		if err := m.mayHave(n, text); err != nil {
			return false, err
		}
		other, err := m.patch(n, text, now)
		if err != nil {
			return false, err
		}
		changed = changed || other
	}
	return changed, nil
}

// clear leaves no summary that says anything, also of those that only this file has.
func (m *manifest) clear(now time.Time) (changed bool, err error) {
	for section, of := range m.summaries().Sections {
		for key, s := range of {
			if s.Text == "" {
				continue
			}
			if _, err := m.patch(SummaryName{section, key}, "", now); err != nil {
				return false, err
			}
			changed = true
		}
	}
	return changed, nil
}

// changeManifest stages what fn makes of memory.json, if it says that it changed it.
func changeManifest(tx *store.Tx, now time.Time, fn func(*manifest) (changed bool, err error)) error {
	raw, err := tx.ReadOwn(store.Summaries)
	if err != nil {
		return err
	}
	m, aside, err := readable(tx, raw, now)
	if err != nil {
		return err
	}
	if m.isOld() {
		return fmt.Errorf("memory.json: %w: it has the form of before version 2 and has to be migrated first", ErrUnsupported)
	}
	changed, err := fn(m)
	if err != nil || !changed && !aside {
		return err
	}
	return tx.WriteOwn(store.Summaries, hashOf(raw), m.bytes())
}

func hashOf(raw []byte) store.Hash {
	if raw == nil {
		return ""
	}
	return store.HashOf(raw)
}

// Renew is what store.Store.Renew is set to: the revision of memory.json grows by one
// with every update that touches a fact or memory.json, whoever makes it. An undo that
// puts back an older memory.json goes on from the revision before it, so that a revision
// that somebody holds is never met again. The form of before v2 is left alone, until it
// is migrated. Asked twice in one update it counts once.
func Renew(now func() time.Time) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		if !tx.TouchedOwn(store.Summaries) && !slices.ContainsFunc(tx.Touched(), belowFacts) {
			return nil
		}
		if err := renew(tx, now()); err != nil {
			return fmt.Errorf("renew memory.json: %w", err)
		}
		return nil
	}
}

func renew(tx *store.Tx, now time.Time) error {
	before, err := tx.OwnBefore(store.Summaries)
	if err != nil {
		return err
	}
	raw := before
	if tx.TouchedOwn(store.Summaries) {
		if raw, err = tx.ReadOwn(store.Summaries); err != nil {
			return err
		}
	}
	m, _, err := readable(tx, raw, now)
	if err != nil {
		return err
	}
	next := min(manifestRevision(before)+1, maxRevision)
	if m.isOld() || m.revision() >= next && tx.TouchedOwn(store.Summaries) {
		return nil
	}
	m.stamp(next, now)
	return tx.RenewOwn(store.Summaries, hashOf(raw), m.bytes())
}

// belowFacts reports whether a path is below agents/<agent>/facts/.
func belowFacts(p page.Path) bool {
	parts := strings.SplitN(string(p), "/", 4)
	return len(parts) == 4 && parts[0] == "agents" && parts[2] == "facts"
}

// readable is memory.json as it was read, or a new one. What nobody can read is copied
// aside, for good: an undo of the update lets the copy be. Error: ErrNewer.
func readable(tx *store.Tx, raw []byte, now time.Time) (m *manifest, aside bool, err error) {
	if raw == nil {
		return newManifest(), false, nil
	}
	if m, err := parseManifest(raw); err == nil && m.isNewer() {
		return nil, false, fmt.Errorf("memory.json is of version %s: %w", m.top.text("version"), ErrNewer)
	} else if err == nil {
		return m, false, nil
	}
	for at := now.UTC(); ; at = at.Add(time.Microsecond) {
		to := store.CorruptSummaries(at.Format("20060102-150405.000000"))
		there, err := tx.ReadOwn(to)
		if err != nil {
			return nil, false, err
		}
		if there == nil {
			err = tx.RenewOwn(to, "", raw)
			tx.Note(fmt.Sprintf("memory.json could not be understood: it was put aside as %s, and a new one begun", to))
		}
		if there == nil || bytes.Equal(there, raw) {
			return newManifest(), true, err
		}
	}
}
