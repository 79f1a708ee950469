package memory

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
)

// The audit remembers the last evictions, oldest first, as ids and scores: whoever wants
// to know what would have gone under another policy finds it there, and nobody finds in
// it what a fact said. An entry is written once the files are safe, so that it never
// tells of what did not happen; who dies in between leaves an eviction without entry.

// maxAudited bounds the facts that all entries tell of, lest a few large imports make it
// slow: 3 MB.
const maxAudited = 20_000

// record adds evictions to the audit, which keeps the newest max entries.
func (s *sidecars) record(ctx context.Context, evictions []*Eviction, max int) {
	if s.base == "" || len(evictions) == 0 || max == 0 && !s.any() {
		return
	}
	s.say("write the audit of evictions", s.locked(ctx, func(dir *os.Root) error {
		all, _, err := s.readAudit(dir)
		if err != nil {
			return err
		}
		return writeAudit(dir, newest(append(all, evictions...), max))
	}))
}

// newest are the last entries, at most max, and no more than maxAudited allows; a single
// one always.
func newest(all []*Eviction, max int) []*Eviction {
	facts := 0
	for i := len(all) - 1; i >= 0; i-- {
		if facts += len(all[i].Evicted); len(all)-i > max || facts > maxAudited && i < len(all)-1 {
			return all[i+1:]
		}
	}
	return all
}

// scrub takes facts that were deleted out of heat and audit.
func (s *sidecars) scrub(ctx context.Context, ids []string) {
	if len(ids) == 0 || !s.any() {
		return
	}
	gone := map[string]bool{}
	for _, id := range ids {
		gone[id] = true
	}
	s.say("take deleted facts out of heat and audit", s.locked(ctx, func(dir *os.Root) error {
		return errors.Join(s.scrubHeat(dir, gone), s.scrubAudit(dir, gone))
	}))
}

func (s *sidecars) scrubHeat(dir *os.Root, gone map[string]bool) error {
	var heat map[string]Heat
	err := readSidecar(dir, usageFile, &heat)
	if errors.Is(err, errSidecar) {
		s.say("heat is counted anew", err)
		return removeFile(dir, usageFile)
	}
	if err != nil {
		return err
	}
	had := len(heat)
	for id := range gone {
		delete(heat, id)
	}
	switch len(heat) {
	case had:
		return nil
	case 0:
		return removeFile(dir, usageFile)
	}
	return writeSidecar(dir, usageFile, heat)
}

func (s *sidecars) scrubAudit(dir *os.Root, gone map[string]bool) error {
	all, changed, err := s.readAudit(dir)
	if err != nil {
		return err
	}
	for _, e := range all {
		changed = e.forget(gone) || changed
	}
	if !changed {
		return nil
	}
	return writeAudit(dir, slices.DeleteFunc(all, func(e *Eviction) bool { return len(e.Evicted) == 0 }))
}

// forget takes facts out of an entry; what is left says what it would have said without
// them.
func (e *Eviction) forget(gone map[string]bool) (had bool) {
	evicted := len(e.Evicted)
	e.Evicted = slices.DeleteFunc(e.Evicted, func(x Evicted) bool { return gone[x.ID] })
	had = len(e.Evicted) < evicted
	if e.Shadow != nil {
		would := len(e.Shadow.WouldEvict)
		e.Shadow.WouldEvict = slices.DeleteFunc(e.Shadow.WouldEvict, func(id string) bool { return gone[id] })
		had = had || len(e.Shadow.WouldEvict) < would
		e.compare()
	}
	return had
}

// readAudit reads the entries that can be understood; spoilt, there were others.
func (s *sidecars) readAudit(dir *os.Root) (all []*Eviction, spoilt bool, err error) {
	var lines []json.RawMessage
	err = readSidecar(dir, auditFile, &lines)
	if errors.Is(err, errSidecar) {
		s.say("the audit begins anew", err)
		return nil, true, nil
	}
	for _, line := range lines {
		e := new(Eviction)
		if json.Unmarshal(line, e) == nil && len(e.Evicted) > 0 {
			all = append(all, e)
		}
	}
	if spoilt = len(all) < len(lines); spoilt {
		s.say("entries of the audit are dropped", errSidecar)
	}
	return all, spoilt, err
}

func writeAudit(dir *os.Root, all []*Eviction) error {
	if len(all) == 0 {
		return removeFile(dir, auditFile)
	}
	return writeSidecar(dir, auditFile, all)
}
