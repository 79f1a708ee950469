package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// An export must show one moment, and it may not stop those who write. So it
// looks, reads, and looks again: when both looks show the same files, with the
// same sizes, times and identities, no write of a whole update can lie between
// them, and what was read is a state that the brain was in. When they differ it
// begins anew, hashing only what changed. A journal means that an update is half
// done; then the export takes its turn among the writers once, which waits for a
// living one and finishes what a dead one left.

// exportTries is how often an export begins anew in a brain that keeps changing,
// exportPause how long it waits before the second try; each further one waits
// twice as long.
const (
	exportTries = 7
	exportPause = 10 * time.Millisecond
)

// errMoved says that a file is not any more what the first look saw.
var errMoved = errors.New("changed while it was read")

// ExportOptions says how to export.
type ExportOptions struct {
	Force bool      // replace the file, or the export in the folder, that is there
	Leave string    // a folder, absolute, that is left out: the index, where it lies in the brain
	Now   time.Time // for the manifest; zero is the current time
}

// Skipped is a file or folder that an export leaves out; reasons are those of a
// listing, SkipMachinery and SkipSettings.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Export is what an export holds, and what not.
type Export struct {
	Manifest
	Skipped []Skipped // never SkipMachinery, which is everywhere
}

// Export writes the whole brain to a file whose name ends in .tar.gz or .tgz, else
// to a folder. The export appears whole or not at all, readable by its owner
// alone, since it holds sessions. Nothing is changed in the brain. Errors:
// ErrExists, ErrUnreadable when any file cannot be read (an export with a hole is
// none), ErrChanging.
func (st *Store) Export(ctx context.Context, to string, o ExportOptions) (Export, error) {
	ex, err := st.export(ctx, to, o)
	if err != nil {
		err = fmt.Errorf("export brain %s: %w", st.name, err)
	}
	return ex, err
}

func (st *Store) export(ctx context.Context, to string, o ExportOptions) (Export, error) {
	if err := mayReplace(to, o.Force); err != nil {
		return Export{}, err
	}
	known := map[string]*seen{}
	pause := exportPause
	for range exportTries {
		ex, err := st.exportOnce(ctx, to, o, known)
		if !errors.Is(err, errMoved) {
			return ex, err
		}
		if err := st.waitForJournal(ctx); err != nil {
			return Export{}, err
		}
		if err := sleep(ctx, pause); err != nil {
			return Export{}, err
		}
		pause *= 2
	}
	return Export{}, ErrChanging
}

// exportOnce is one try. known are the hashes of earlier ones.
func (st *Store) exportOnce(ctx context.Context, to string, o ExportOptions, known map[string]*seen) (ex Export, err error) {
	root, err := st.current()
	if err != nil {
		return ex, err
	}
	sv, err := st.survey(ctx, root, o.Leave)
	if err != nil {
		return ex, err
	}
	if _, err := root.Lstat(journalName); !errors.Is(err, fs.ErrNotExist) {
		return ex, errors.Join(errMoved, ignoreMissing(err))
	}
	if err := sv.hash(ctx, root, known); err != nil {
		return ex, err
	}
	ex = Export{Manifest: sv.manifest(st, o.Now), Skipped: sv.skipped}
	out, err := newPacker(to)
	if err != nil {
		return ex, err
	}
	defer func() { err = errors.Join(err, out.drop()) }()
	if err := sv.pack(ctx, root, out, &ex.Manifest, known); err != nil {
		return ex, err
	}
	again, err := st.survey(ctx, root, o.Leave)
	if err != nil {
		return ex, err
	}
	if !sv.same(again) {
		return ex, errMoved
	}
	return ex, out.finish(to, o.Force)
}

// waitForJournal lets a living writer finish, and finishes what a dead one began.
func (st *Store) waitForJournal(ctx context.Context) error {
	root, err := st.current()
	if err != nil {
		return err
	}
	if _, err := root.Lstat(journalName); err != nil {
		return ignoreMissing(err)
	}
	return st.Update(ctx, "export", func(*Tx) error { return nil })
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// survey is what one walk of an export saw.
type survey struct {
	files   []*seen
	folders []ExportedFolder
	skipped []Skipped
}

// seen is a file as a look saw it.
type seen struct {
	path string
	info fs.FileInfo
	sum  string // SHA-256 in hex; "" until it was read
}

func (s *seen) same(o *seen) bool {
	return s.path == o.path && os.SameFile(s.info, o.info) && s.info.Size() == o.info.Size() &&
		s.info.ModTime().Equal(o.info.ModTime()) && s.info.Mode() == o.info.Mode()
}

func (sv *survey) same(o *survey) bool {
	return slices.Equal(sv.folders, o.folders) && slices.EqualFunc(sv.files, o.files, (*seen).same)
}

func (st *Store) survey(ctx context.Context, root *os.Root, leave string) (*survey, error) {
	sv := &survey{}
	if rel, err := filepath.Rel(st.dir, leave); leave == "" || err != nil {
		leave = ""
	} else {
		leave = filepath.ToSlash(rel)
	}
	if err := sv.folder(ctx, root, ".", leave); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return sv, nil
}

// folder looks at a folder and all below it. What vanishes meanwhile is left out:
// the second look tells.
func (sv *survey) folder(ctx context.Context, root *os.Root, dir, leave string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := root.Lstat(dir)
	if err != nil || !info.IsDir() {
		return ignoreMissing(err)
	}
	names, err := folderNames(root, dir)
	if err != nil {
		return ignoreMissing(err)
	}
	if dir != "." && slices.Contains(names, brainFile) {
		sv.skip(dir, SkipOtherBrain)
		return nil
	}
	sv.folders = append(sv.folders, ExportedFolder{dir, octal(info.Mode())})
	slices.Sort(names)
	for _, name := range names {
		at := path.Join(dir, name)
		if at == leave {
			continue
		}
		if err := sv.entry(ctx, root, at, leave); err != nil {
			return err
		}
	}
	return nil
}

func (sv *survey) entry(ctx context.Context, root *os.Root, at, leave string) error {
	if reason := notExported(at); reason != "" {
		sv.skip(at, reason)
		return nil
	}
	info, err := root.Lstat(at)
	switch {
	case err != nil:
		return ignoreMissing(err)
	case info.IsDir():
		return sv.folder(ctx, root, at, leave)
	case info.Mode().IsRegular():
		sv.files = append(sv.files, &seen{path: at, info: info})
	case info.Mode()&fs.ModeSymlink != 0:
		sv.skip(at, SkipSymlink)
	default:
		sv.skip(at, SkipSpecial)
	}
	return nil
}

func (sv *survey) skip(at, reason string) {
	if reason != SkipMachinery {
		sv.skipped = append(sv.skipped, Skipped{at, reason})
	}
}

// hash reads every file once, but for those that known has from an earlier try.
func (sv *survey) hash(ctx context.Context, root *os.Root, known map[string]*seen) error {
	for _, s := range sv.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if was := known[s.path]; was != nil && was.same(s) {
			s.sum = was.sum
			continue
		}
		sum, err := s.read(root, io.Discard)
		if err != nil {
			return err
		}
		s.sum = sum
		known[s.path] = s
	}
	return nil
}

// read copies the file as it was seen, and gives the hash of what it copied.
func (s *seen) read(root *os.Root, to io.Writer) (sum string, err error) {
	f, err := root.OpenFile(s.path, os.O_RDONLY|openNonblock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errMoved
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil || !s.same(&seen{path: s.path, info: now}) {
		return "", errors.Join(errMoved, err)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(h, to), io.LimitReader(f, s.info.Size()))
	if err != nil {
		return "", fmt.Errorf("copy %s: %w", s.path, err)
	}
	if n < s.info.Size() {
		return "", fmt.Errorf("%s: %w", s.path, errMoved)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (sv *survey) manifest(st *Store, now time.Time) Manifest {
	if now.IsZero() {
		now = time.Now()
	}
	meta := st.Meta()
	m := Manifest{Format: ExportFormat, Tree: max(meta.Format, 1), Brain: st.name, ID: meta.ID,
		Made: now.UTC().Truncate(time.Second), Folders: sv.folders, Files: make([]ExportedFile, 0, len(sv.files))}
	for _, s := range sv.files {
		m.Files = append(m.Files, ExportedFile{s.path, s.info.Size(), s.sum, octal(s.info.Mode()), s.info.ModTime().UTC()})
		m.Bytes += s.info.Size()
	}
	m.Count = len(m.Files)
	m.sorted()
	return m
}

// pack reads every file a second time, into the export; it must be what was hashed.
func (sv *survey) pack(ctx context.Context, root *os.Root, out packer, m *Manifest, known map[string]*seen) error {
	raw, err := m.bytes()
	if err != nil {
		return err
	}
	if err := out.manifest(raw, m.Made); err != nil {
		return err
	}
	for _, e := range m.Folders {
		if err := out.folder(e); err != nil {
			return err
		}
	}
	files := make(map[string]*seen, len(sv.files))
	for _, s := range sv.files {
		files[s.path] = s
	}
	for _, e := range m.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		w, err := out.file(e)
		if err != nil {
			return err
		}
		sum, err := files[e.Path].read(root, w)
		if err == nil && sum != e.SHA256 { // in place, with its time put back
			delete(known, e.Path)
			err = fmt.Errorf("%s: %w", e.Path, errMoved)
		}
		if err := errors.Join(err, w.Close()); err != nil {
			return err
		}
	}
	return nil
}
