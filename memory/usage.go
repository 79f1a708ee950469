package memory

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"brain/page"
)

// A search warms the facts that it returned: heat = heat × 2^(-days/30) + 1. Only the
// policy hybrid-v1 asks for it, so it is counted only under it and under its shadow, and
// only where somebody asked: putting facts into a context counts for nothing. The file
// of a fact knows nothing of it. Form and formula are DeerMem's, and the heat that it
// left in agents/<agent>/.metadata is where ours begins.

const leftBehind = ".metadata"

// Heat is what searches left of warmth in a fact.
type Heat struct {
	Heat  float64   `json:"accessHeat"` // at Last
	Count int       `json:"accessCount"`
	Last  time.Time `json:"lastAccessedAt,omitzero"`
}

// at is the heat at a time. Without a time at which it was true it is none.
func (h Heat) at(now time.Time) float64 {
	if h.Last.IsZero() {
		return 0
	}
	return h.Heat * halved(h.Last, now, heatHalfLife)
}

// hit is the heat after a search found the fact.
func (h Heat) hit(now time.Time) Heat {
	count := h.Count
	if count < math.MaxInt {
		count++
	}
	return Heat{Heat: h.at(now) + 1, Count: count, Last: now.UTC().Truncate(time.Microsecond)}
}

// UnmarshalJSON reads each part by itself: what is no number from 0, or no time, is none.
func (h *Heat) UnmarshalJSON(raw []byte) error {
	type sound Heat
	if json.Unmarshal(raw, (*sound)(h)) == nil && h.Heat >= 0 && h.Count >= 0 && isWritable(h.Last) {
		h.Last = h.Last.UTC()
		return nil
	}
	*h = Heat{}
	var parts map[string]json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	var heat float64
	if json.Unmarshal(parts["accessHeat"], &heat) == nil && heat > 0 {
		h.Heat = heat
	}
	var count int
	if json.Unmarshal(parts["accessCount"], &count) == nil && count > 0 {
		h.Count = count
	}
	var at string
	if json.Unmarshal(parts["lastAccessedAt"], &at) == nil {
		if t, ok := page.ParseDate(at); ok && isWritable(t) {
			h.Last = t.UTC()
		}
	}
	return nil
}

// isWritable reports whether JSON has a form for a time in UTC.
func isWritable(t time.Time) bool { return t.UTC().Year() > 0 && t.UTC().Year() < 10000 }

// heat is what is known of an agent's facts.
func (s *sidecars) heat() map[string]Heat {
	if s.base == "" {
		return nil
	}
	dir, err := os.OpenRoot(filepath.Join(s.base, s.agent))
	if err == nil {
		defer dir.Close()
	}
	var heat map[string]Heat
	if errors.Is(err, fs.ErrNotExist) {
		heat, err = s.heatLeft()
	} else if err == nil {
		heat, err = s.readHeat(dir)
	}
	s.say("read their heat", err)
	return heat
}

// readHeat reads our file, or else DeerMem's.
func (s *sidecars) readHeat(dir *os.Root) (heat map[string]Heat, err error) {
	if err := readSidecar(dir, usageFile, &heat); err != nil || heat != nil {
		return heat, err
	}
	return s.heatLeft()
}

func (s *sidecars) heatLeft() (heat map[string]Heat, err error) {
	brain, err := os.OpenRoot(s.st.Dir())
	if err != nil {
		return nil, err
	}
	defer brain.Close()
	err = readSidecar(brain, filepath.Join("agents", s.agent, leftBehind, usageFile), &heat)
	return heat, err
}

// hit warms facts that a search returned, as far as they are still there. where says
// where a fact lies by what the searcher has read. Facts that are gone are dropped on
// the way, so that the file never has more than the agent.
func (s *sidecars) hit(ctx context.Context, ids []string, where func(id string) (page.Path, bool), now time.Time) {
	if s.base == "" || len(ids) == 0 {
		return
	}
	s.say("note a search", s.locked(ctx, func(dir *os.Root) error {
		heat, err := s.readHeat(dir)
		if errors.Is(err, errSidecar) {
			s.say("heat is counted anew", err)
			err = nil
		}
		if err != nil {
			return err
		}
		if heat == nil {
			heat = map[string]Heat{}
		}
		maps.DeleteFunc(heat, func(id string, _ Heat) bool {
			_, known := where(id)
			return !known && !s.isThere(id, where)
		})
		warmed := false
		for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
			if s.isThere(id, where) {
				heat[id], warmed = heat[id].hit(now), true
			}
		}
		if !warmed {
			return nil
		}
		return writeSidecar(dir, usageFile, heat)
	}))
}

// isThere looks on disk. What cannot be looked at is not gone.
func (s *sidecars) isThere(id string, where func(id string) (page.Path, bool)) bool {
	p, ok := where(id)
	if !ok {
		var err error
		if p, err = FactPath(s.agent, id); err != nil {
			return false
		}
	}
	_, err := os.Lstat(filepath.Join(s.st.Dir(), filepath.FromSlash(string(p))))
	return !errors.Is(err, fs.ErrNotExist)
}
