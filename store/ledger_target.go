package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ledgerTarget is where the commits of a pass go, and what is there already.
type ledgerTarget struct {
	g      *repository
	ref    string
	branch bool
	own    bool // filters of the repository's configuration may run
	tip    string
	has    map[string]blob
	conv   *conversions     // of a branch; a ref of our own keeps bytes as they are
	oldest time.Time        // of the jobs
	last   map[string]int64 // when paths were committed since, nil until it is asked for
	notes  []string
}

// look finds out what the ref has of the snapshot's paths; those that may not go
// to a branch are dropped from the snapshot.
func (t *ledgerTarget) look(ctx context.Context, s *snapshot) (err error) {
	for _, j := range s.jobs {
		if t.oldest.IsZero() || j.At.Before(t.oldest) {
			t.oldest = j.At
		}
	}
	known := make(map[string]blob, len(s.disk))
	for p, f := range s.disk {
		known[p] = blob{f.oid, f.sum}
	}
	if t.tip, t.has, err = t.g.lookMany(ctx, t.ref, s.paths(), known); err != nil || !t.branch {
		return err
	}
	unknown := slices.DeleteFunc(s.paths(), func(p string) bool { return t.has[p].oid != "" })
	ignored, err := t.g.ignored(ctx, unknown)
	if err != nil {
		return err
	}
	for _, p := range unknown {
		if ignored[p] {
			delete(s.disk, p)
			t.notes = append(t.notes, p+" is not committed: an ignore file of git names it")
		}
	}
	for i, j := range s.jobs {
		s.jobs[i].Changes = slices.DeleteFunc(j.Changes, func(c Change) bool { return ignored[c.Path] })
	}
	t.conv, err = t.g.converting(ctx, s.paths(), t.own)
	return err
}

// file is the entry for a content at a path.
func (t *ledgerTarget) file(ctx context.Context, s *snapshot, path string, h Hash) (gitFile, error) {
	f := gitFile{path: path, mode: s.mode(path), oid: s.object(path, h)}
	f.read = func() ([]byte, error) { return s.read(path, h) }
	oid, err := t.converted(ctx, s, path, h)
	if oid != "" {
		f.oid, f.read = oid, nil
	}
	return f, err
}

// converted is the object that git would make of a content at a path, "" if it
// keeps the bytes.
func (t *ledgerTarget) converted(ctx context.Context, s *snapshot, path string, h Hash) (string, error) {
	if t.conv == nil || !t.conv.looks(path) {
		return "", nil
	}
	raw, err := s.read(path, h)
	if err != nil {
		return "", err
	}
	return t.conv.object(ctx, path, raw)
}

// is reports whether the ref has this content at a path.
func (t *ledgerTarget) is(ctx context.Context, s *snapshot, path string, h Hash) (bool, error) {
	b := t.has[path]
	if h == "" || b.sum == h || t.conv == nil || b.oid == "" {
		return b.sum == h, nil
	}
	if s.object(path, h) == "" {
		return false, nil
	}
	oid, err := t.converted(ctx, s, path, h)
	return oid == b.oid, err
}

// changedSince reports whether a path was committed later than at, to the second.
func (t *ledgerTarget) changedSince(ctx context.Context, path string, at time.Time) (_ bool, err error) {
	if t.tip == "" {
		return false, nil
	}
	if t.last == nil {
		if t.last, err = t.g.lastCommits(ctx, t.tip, t.oldest); err != nil {
			return false, err
		}
	}
	return t.last[path] > at.Unix(), nil
}

// lastCommits tells for each path below the prefix when it was last committed or
// deleted, in Unix seconds, if that was after at: one log for all of them, since a
// job may name ten thousand and each process costs milliseconds. A merge counts
// for what it took from none of its sides.
func (g *repository) lastCommits(ctx context.Context, tip string, at time.Time) (map[string]int64, error) {
	args := []string{"log", "-z", "-c", "--name-only", "--no-renames", "--no-ext-diff", "--format=%x01%ct", "--since=" + at.UTC().Format(time.RFC3339), tip, "--"}
	if g.prefix != "" {
		args = append(args, g.prefix)
	}
	out, err := g.run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	last := map[string]int64{}
	for _, entry := range strings.Split(string(out), "\x01")[1:] {
		seconds, names, _ := strings.Cut(entry, "\x00")
		ct, err := strconv.ParseInt(strings.TrimSpace(seconds), 10, 64)
		if err != nil {
			return nil, err
		}
		for name := range strings.SplitSeq(names, "\x00") {
			if name = strings.TrimPrefix(name, "\n"); name != "" && last[name] == 0 {
				last[name] = ct
			}
		}
	}
	return last, nil
}
