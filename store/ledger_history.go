package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"brain/page"
)

// The history of a page has two sources: the commits of the ledger, with those
// of the branch that is checked out where the repository is the user's own, and
// the jobs that no commit has yet. What is on disk and in neither was written by
// hand since.

// Version is one state of a page.
type Version struct {
	Commit  string    // "" for what git does not have
	Jobs    []string  // the updates that made it; none for an edit by hand
	At      time.Time // of the write; of a commit that the user made, its author's date
	Author  string    // of the commit
	Reason  string    // of the job, or the commit's first line
	Hand    bool      // made by hand
	Path    page.Path // where the page was
	Removed bool      // the page was taken away
	Agent   string    // as the page says: created_by
	Session string    // as the page says: provenance
	Lost    bool      // the bytes of this state cannot be had

	oid string
	sum Hash
	raw []byte
}

// History is what is known of a page's past, newest first.
type History struct {
	Path     page.Path
	Versions []Version
	Without  string // why git could not be asked, or ""
}

// History tells the versions of the page at a path, also of one that is gone, and
// follows it to the names it had before. Error: ErrNotFound for a path that
// nothing is known of.
func (st *Store) History(ctx context.Context, p page.Path) (History, error) {
	h := History{Path: p}
	err := st.history(ctx, &h)
	if err == nil && len(h.Versions) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return h, fmt.Errorf("history of %s: %w", p, err)
	}
	return h, nil
}

func (st *Store) history(ctx context.Context, h *History) error {
	jobs, err := st.Jobs(0)
	if err != nil {
		return err
	}
	ids, err := st.undo.dirtyIDs()
	if err != nil {
		return err
	}
	disk, at, err := st.onDisk(h.Path)
	if err != nil {
		return err
	}
	g, err := st.historian(ctx)
	if s, ok := errors.AsType[*skipped](err); ok || errors.Is(err, errNoGit) || errors.Is(err, errNoRepository) {
		h.Without = err.Error()
		if ok {
			h.Without = s.why
		}
	} else if err != nil {
		return err
	}
	dirty := func(j Job) bool { return h.Without != "" || slices.Contains(ids, j.ID) }
	pending, before := jobVersions(jobs, h.Path, dirty)
	var commits []Version
	if g != nil {
		if commits, err = g.past(ctx, before, jobs); err != nil {
			return err
		}
	}
	recorded := func(v Version) bool {
		return slices.ContainsFunc(commits, func(c Version) bool { return slices.Contains(c.Jobs, v.Jobs[0]) })
	}
	h.Versions = append(slices.DeleteFunc(pending, recorded), commits...)
	st.fill(h, jobs, disk)
	h.addHand(disk, at)
	return nil
}

// addHand adds what is on disk, if nothing that is known made it.
func (h *History) addHand(disk []byte, at time.Time) {
	if disk == nil || len(h.Versions) > 0 && h.Versions[0].sum == HashOf(disk) {
		return
	}
	v := Version{At: at, Hand: true, Reason: "edit by hand", Path: h.Path, sum: HashOf(disk), raw: disk}
	v.read()
	h.Versions = slices.Insert(h.Versions, 0, v)
}

// onDisk reads the page as it is; what is not there is nil.
func (st *Store) onDisk(p page.Path) (raw []byte, at time.Time, err error) {
	root, err := st.current()
	if err != nil {
		return nil, at, err
	}
	fi, err := root.Lstat(string(p))
	if err == nil {
		at = fi.ModTime()
		raw, err = readRegular(root, string(p))
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(notFound(err), ErrNotFound) {
		return nil, at, nil
	}
	return raw, at, err
}

// historian is the repository to ask for history.
func (st *Store) historian(ctx context.Context) (*historian, error) {
	g, err := findRepository(ctx, st.dir)
	if err != nil {
		return nil, err
	}
	h := &historian{repository: g}
	for _, ref := range []string{LedgerRef, "HEAD"} {
		tip, _, err := g.look(ctx, ref, nil)
		if err != nil {
			return nil, err
		}
		if tip != "" {
			h.tips = append(h.tips, tip)
		}
	}
	return h, nil
}

type historian struct {
	*repository
	tips []string
}

// jobVersions are the versions that jobs made of the page that is now at p,
// newest first, and the path that it had before all of them. Of a job that took
// one page away and made another, the one is taken for the other's past.
func jobVersions(jobs []Job, p page.Path, take func(Job) bool) (all []Version, before page.Path) {
	for _, j := range jobs {
		i := slices.IndexFunc(j.Changes, func(c Change) bool { return c.Path == string(p) })
		if i < 0 || !take(j) {
			continue
		}
		c := j.Changes[i]
		all = append(all, Version{Jobs: []string{j.ID}, At: j.At, Reason: j.Reason, Path: p, Removed: c.After == "", sum: c.After})
		if c.Before == "" {
			p = movedFrom(j, c)
		}
	}
	return all, p
}

// movedFrom is the path at which a page was that a job made, else the same.
func movedFrom(j Job, made Change) page.Path {
	if _, err := page.ParsePath(made.Path); err != nil || j.Purged {
		return page.Path(made.Path) // an own file, such as the tombstones of a first purge
	}
	var removed []Change
	for _, c := range j.Changes {
		if c.After == "" && c.Before != "" && !isOwn(c.Path) {
			removed = append(removed, c)
		}
	}
	for _, c := range removed {
		if c.Before == made.After || len(removed) == 1 {
			return page.Path(c.Path)
		}
	}
	return page.Path(made.Path)
}

// logFormat begins each commit with a byte that no path and no message has.
const logFormat = "--format=%x01%H%x00%at%x00%an <%ae>%x00%B"

// past are the versions that commits have, newest first. git follows a page by
// its likeness; where it changed too much on the way, the jobs know the move.
func (g *historian) past(ctx context.Context, p page.Path, jobs []Job) (all []Version, err error) {
	for {
		more, err := g.versions(ctx, p)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
		oldest := p
		if len(more) > 0 {
			oldest = more[len(more)-1].Path
		}
		i := slices.IndexFunc(jobs, func(j Job) bool { return movedTo(j, oldest) })
		if i < 0 {
			return all, nil
		}
		_, p = jobVersions(jobs[i:i+1], oldest, func(Job) bool { return true })
		jobs = jobs[i+1:]
	}
}

// movedTo reports whether a job gave a page this path.
func movedTo(j Job, p page.Path) bool {
	return slices.ContainsFunc(j.Changes, func(c Change) bool {
		return c.Path == string(p) && c.Before == "" && movedFrom(j, c) != p
	})
}

// versions are those that commits have of one path and those that git finds it to
// come from, newest first.
func (g *historian) versions(ctx context.Context, p page.Path) ([]Version, error) {
	if len(g.tips) == 0 {
		return nil, nil
	}
	args := slices.Concat([]string{"log", "-z", "--follow", "-M", "--raw", "--no-abbrev", "--no-ext-diff", "--no-textconv", logFormat}, g.tips, []string{"--", g.prefix + string(p)})
	out, err := g.run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	var all []Version
	for _, entry := range strings.Split(string(out), "\x01")[1:] {
		v, copied, ok := g.version(entry)
		if n := len(all); ok && n > 0 && all[n-1].oid == v.oid && all[n-1].Path == v.Path && !v.Removed {
			all[n-1] = v // the user committed what the ledger has, or the other way round
		} else if ok {
			all = append(all, v)
		}
		if copied {
			break // what is older is another page's past
		}
	}
	return all, g.contents(ctx, all)
}

// version reads one entry of git's log; copied says that the page began as a copy.
func (g *historian) version(entry string) (v Version, copied, ok bool) {
	f := strings.SplitN(entry, "\x00", 5)
	if len(f) < 5 {
		return v, false, false
	}
	seconds, err := strconv.ParseInt(f[1], 10, 64)
	raw := strings.Split(strings.Trim(f[4], "\x00\n"), "\x00")
	change := strings.Fields(strings.TrimLeft(raw[0], ":"))
	if err != nil || len(raw) < 2 || len(change) < 5 {
		return v, false, false // a commit that only leads here
	}
	v = Version{Commit: f[0], At: time.Unix(seconds, 0).UTC(), Author: f[2], Reason: title(f[3]), oid: change[3]}
	v.Path = page.Path(strings.TrimPrefix(raw[len(raw)-1], g.prefix))
	v.Removed = change[4] == "D"
	ours := false
	for line := range strings.SplitSeq(f[3], "\n") {
		if id, ok := strings.CutPrefix(line, trailerJob); ok {
			v.Jobs = append(v.Jobs, id)
			ours = true
		}
	}
	v.Hand = strings.Contains(f[3], trailerHand) || !ours && v.Author != ledgerName
	return v, strings.HasPrefix(change[4], "C"), true
}

// contents reads the bytes of versions.
func (g *historian) contents(ctx context.Context, all []Version) error {
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = v.oid
	}
	if len(names) == 0 {
		return nil
	}
	for i := range all {
		all[i].Lost = !all[i].Removed
	}
	return g.objects(ctx, names, func(i int, _ object, r io.Reader) (err error) {
		v := &all[i]
		if v.Removed {
			return nil
		}
		v.raw, err = io.ReadAll(r)
		v.sum, v.Lost = HashOf(v.raw), false
		v.read()
		return err
	})
}

// fill reads the bytes of versions that only jobs have: what a later job
// replaced, or what is on disk.
func (st *Store) fill(h *History, jobs []Job, disk []byte) {
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.Commit != "" || v.Removed {
			continue
		}
		v.Lost = true
		if v.sum == HashOf(disk) {
			v.raw, v.Lost = disk, false
		}
		for _, j := range jobs {
			for _, c := range j.Changes {
				if v.Lost && c.Before == v.sum && c.Image != "" {
					raw, err := st.undo.bytes(j.ID, c)
					v.raw, v.Lost = raw, err != nil
				}
			}
		}
		v.read()
	}
}

// read takes from the page's front matter who it was written for.
func (v *Version) read() {
	if v.Lost {
		return
	}
	p := page.Parse(v.Path, v.raw)
	v.Agent, v.Session = p.CreatedBy, p.Provenance.Session
}

// HoldingCommits are the commits, of every ref of the repository, that brought
// the text of the page at a path, newest first: under this name or, byte for
// byte, another. former are names that it had before, of which git may not know
// that they are its. Who wants the text gone from git has to rewrite these.
func (st *Store) HoldingCommits(ctx context.Context, p page.Path, former ...page.Path) ([]string, error) {
	fail := func(err error) ([]string, error) {
		return nil, fmt.Errorf("look for commits that hold %s: %w", p, err)
	}
	g, err := findRepository(ctx, st.dir)
	if errors.Is(err, errNoGit) || errors.Is(err, errNoRepository) {
		return nil, nil
	}
	if err != nil {
		return fail(err)
	}
	log := []string{"log", "--all", "--full-history", "-m", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--format=%x01%H%x00"}
	paths := append(slices.Clone(log), "--", g.prefix+string(p))
	for _, f := range former {
		paths = append(paths, g.prefix+string(f))
	}
	out, err := g.run(ctx, nil, paths...)
	if err != nil {
		return fail(err)
	}
	_, blobs := holding(string(out), nil)
	if len(blobs) == 0 {
		return nil, nil
	}
	for _, b := range blobs {
		log = append(log, "--find-object="+b)
	}
	if out, err = g.run(ctx, nil, log...); err != nil {
		return fail(err)
	}
	commits, _ := holding(string(out), blobs)
	return commits, nil
}

// holding reads a raw log: the commits that brought one of the blobs (nil: any),
// and the blobs that they brought.
func holding(log string, wanted []string) (commits, blobs []string) {
	for _, entry := range strings.Split(log, "\x01")[1:] {
		parts := strings.Split(entry, "\x00")
		for _, part := range parts[1:] {
			change := strings.Fields(strings.TrimSpace(part))
			if len(change) < 5 || !strings.HasPrefix(change[0], ":") || change[4] == "D" {
				continue
			}
			if wanted != nil && !slices.Contains(wanted, change[3]) {
				continue
			}
			blobs = append(blobs, change[3])
			if !slices.Contains(commits, parts[0]) {
				commits = append(commits, parts[0])
			}
		}
	}
	slices.Sort(blobs)
	return commits, slices.Compact(blobs)
}

// LedgerState is what doctor and status tell of the ledger.
type LedgerState struct {
	Mode       string    `json:"mode"`       // batch, per_write, off
	Repository string    `json:"repository"` // its work tree, "" for none
	Ref        string    `json:"ref"`        // where commits go, "" while they cannot
	Dirty      int       `json:"dirty"`      // updates that are not committed
	Oldest     time.Time `json:"oldest"`     // of them
	Blocked    string    `json:"blocked"`    // why nothing could be committed now, or ""
	Limits     string    `json:"limits"`     // what this git cannot do, or ""
}

// LedgerState looks without changing anything.
func (st *Store) LedgerState(ctx context.Context) (LedgerState, error) {
	s := LedgerState{Mode: st.Ledger.Mode}
	if s.Mode == "" {
		s.Mode = "off"
		return s, nil
	}
	ids, err := st.undo.dirtyIDs()
	if err != nil {
		return s, err
	}
	if s.Dirty = len(ids); s.Dirty > 0 {
		s.Oldest = jobAt(ids[0])
	}
	g, err := findRepository(ctx, st.dir)
	if err == nil {
		s.Repository = g.top
		s.Ref, err = st.ledgerRef(ctx, g)
		if why := g.busy(); why != "" {
			s.Blocked = why
		}
		if v := g.version(ctx); v.before(2, 26) && s.Ref != LedgerRef {
			s.Limits = fmt.Sprintf("git %s does not tell whose a filter of .gitattributes is (2.26 does): none runs unless the root is trusted", v)
		}
	}
	switch k, ok := errors.AsType[*skipped](err); {
	case ok:
		s.Blocked = k.why
	case errors.Is(err, errNoGit), errors.Is(err, errNoRepository):
		s.Blocked = err.Error()
	case err != nil:
		return s, fmt.Errorf("look at the ledger of brain %s: %w", st.name, err)
	}
	return s, nil
}
