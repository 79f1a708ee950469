package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"brain/page"
	"brain/store"
)

// A DeerMem root is read, one user after the other, and never written:
//
//	users/<bucket>/memory.json
//	users/<bucket>/agents/<agent>/facts/<hh>/<id>.md
//	memory.json, agents/…                             of nobody in particular, as older ones have it
//
// A user's folder has the form of a brain, so that what is of v2 is taken as it is, byte
// for byte, and what is older as legacyOf reads it. Everything else is the host's and
// stays where it is.

// DeerMem is a root of DeerMem.
type DeerMem struct {
	dir  string
	root *os.Root
}

// OpenDeerMem opens a root.
func OpenDeerMem(dir string) (*DeerMem, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open DeerMem root %s: %w", dir, err)
	}
	return &DeerMem{dir, root}, nil
}

func (d *DeerMem) Close() error { return d.root.Close() }

// NoBucket stands for the root itself, where older programs kept the memory of a user
// who had no name.
const NoBucket = ""

// Buckets are the folders of the users who have a memory, by name.
func (d *DeerMem) Buckets() (all []string, err error) {
	there, err := d.holdsMemory(NoBucket)
	if err == nil && there {
		all = append(all, NoBucket)
	}
	entries, listErr := fs.ReadDir(d.root.FS(), "users")
	if !errors.Is(listErr, fs.ErrNotExist) {
		err = errors.Join(err, listErr)
	}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		there, one := d.holdsMemory(e.Name())
		if err = errors.Join(err, one); there {
			all = append(all, e.Name())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("list the users of DeerMem root %s: %w", d.dir, err)
	}
	return all, nil
}

func bucketFolder(bucket string) string {
	if bucket == NoBucket {
		return "."
	}
	return "users/" + bucket
}

// holdsMemory reports whether a folder holds what DeerMem keeps. Agents that have nothing
// but their settings have no memory.
func (d *DeerMem) holdsMemory(bucket string) (bool, error) {
	f, err := d.folder(bucket)
	if err != nil {
		return false, err
	}
	defer f.root.Close()
	for _, name := range []string{string(store.Summaries), journalFile} {
		if _, err := f.root.Lstat(name); err == nil {
			return true, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	names, err := f.names("agents")
	return slices.ContainsFunc(names, isMemory), err
}

// isMemory reports a file of an agent's that DeerMem keeps.
func isMemory(name string) bool {
	parts := strings.Split(name, "/")
	return len(parts) == 3 && parts[2] == string(store.Summaries) || isFactName(name)
}

func isFactName(name string) bool {
	parts := strings.Split(name, "/")
	return len(parts) > 3 && parts[0] == "agents" && parts[2] == "facts" && strings.EqualFold(path.Ext(name), ".md")
}

// folder is a user's folder as it counts.
type folder struct {
	root *os.Root
	over map[string][]byte // files as an unfinished change is to leave them; nil for none
}

func (d *DeerMem) folder(bucket string) (*folder, error) {
	if strings.ContainsAny(bucket, `/\`) || bucket == "." || bucket == ".." {
		return nil, fmt.Errorf("user %q: %w", bucket, fs.ErrNotExist)
	}
	root, err := d.root.OpenRoot(bucketFolder(bucket))
	if err != nil {
		return nil, fmt.Errorf("user %q: %w", bucket, err)
	}
	return &folder{root: root}, nil
}

// maxSource bounds a file that is read: what is larger is no fact and no summary.
const maxSource = 64 << 20

// read gives a file's bytes; fs.ErrNotExist when there is none. What is no plain file is
// damage: DeerMem writes no links.
func (f *folder) read(name string) ([]byte, error) {
	if raw, ok := f.over[name]; ok {
		if raw == nil {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		return raw, nil
	}
	fi, err := f.root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, damage("%s is no plain file", name)
	case fi.Size() > maxSource:
		return nil, damage("%s has %d MiB", name, fi.Size()>>20)
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxSource+1))
}

// names is like store.Store.Names.
func (f *folder) names(below string) (all []string, err error) {
	err = fs.WalkDir(f.root.FS(), below, func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !e.IsDir() && !f.has(name):
			all = append(all, name)
		}
		return nil
	})
	for name, raw := range f.over {
		if raw != nil && strings.HasPrefix(name, below+"/") {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all, err
}

// has reports whether an unfinished change decides on a file.
func (f *folder) has(name string) bool {
	_, ok := f.over[name]
	return ok
}

// view is the folder as legacyOf reads one.
func (f *folder) view() view {
	return view{
		own: func(o store.OwnFile) ([]byte, error) {
			raw, err := f.read(string(o))
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil
			}
			return raw, err
		},
		page: func(p page.Path) ([]byte, error) {
			raw, err := f.read(string(p))
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("%w: %w", store.ErrNotFound, err)
			}
			return raw, err
		},
		names: f.names,
	}
}

const (
	journalFile    = ".memory.journal.json"
	recoveryFolder = ".recovery"
)

// recover takes into account a change of DeerMem's that was cut short, as DeerMem itself
// would when it starts: one that was prepared is taken back, one that was committed
// stands. What cannot be true is damage.
func (f *folder) recover() error {
	raw, err := f.read(journalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var j struct {
		OperationID      string
		State            string
		AgentName        *string
		ExpectedRevision int
		FactIDs          []string
		OldEntries       map[string]struct{ Path string }
	}
	if err := json.Unmarshal(raw, &j); err != nil {
		return damage("%s: %v", journalFile, err)
	}
	if j.OperationID == "" || j.OperationID == "." || j.OperationID == ".." || strings.ContainsAny(j.OperationID, `/\`) {
		return damage("%s: its operation %q is no plain name", journalFile, j.OperationID)
	}
	switch j.State {
	case "committed":
		return nil
	case "prepared":
	default:
		return damage("%s: its state is %q", journalFile, j.State)
	}
	before := recoveryFolder + "/" + j.OperationID + "/"
	f.over = map[string][]byte{}
	if err := f.restore(string(store.Summaries), before+string(store.Summaries), j.ExpectedRevision == 0); err != nil {
		return err
	}
	for _, id := range j.FactIDs {
		if _, old := j.OldEntries[id]; old {
			continue
		}
		if j.AgentName == nil {
			return damage("%s: it changes facts of no agent", journalFile)
		}
		at, err := FactPath(*j.AgentName, id)
		if err != nil {
			return damage("%s: %v", journalFile, err)
		}
		f.over[string(at)] = nil
	}
	for id, e := range j.OldEntries {
		if err := checkID(id); err != nil {
			return damage("%s: %v", journalFile, err)
		}
		if e.Path == "" {
			continue
		}
		if !filepath.IsLocal(filepath.FromSlash(e.Path)) || strings.Contains(e.Path, `\`) {
			return damage("%s: the path %q leads out of the folder", journalFile, e.Path)
		}
		if err := f.restore(path.Clean(e.Path), before+id+".md", false); err != nil {
			return err
		}
	}
	return nil
}

// restore lets what was saved of a file count in its place. Without that the file is as
// it is, or was new.
func (f *folder) restore(name, saved string, isNew bool) error {
	raw, err := f.read(saved)
	switch {
	case err == nil:
		f.over[name] = raw
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case isNew:
		f.over[name] = nil
	}
	return nil
}

// stamp is the folder's state by its files' sizes and times, to tell whether anybody wrote
// while it was read.
func (f *folder) stamp(ctx context.Context) (string, error) {
	var b strings.Builder
	for _, below := range []string{string(store.Summaries), journalFile, recoveryFolder, "agents"} {
		err := fs.WalkDir(f.root.FS(), below, func(name string, e fs.DirEntry, err error) error {
			if err == nil {
				err = ctx.Err()
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || e.IsDir() {
				return err
			}
			fi, err := e.Info()
			if err == nil {
				fmt.Fprintf(&b, "%s %d %d\n", name, fi.Size(), fi.ModTime().UnixNano())
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return b.String(), nil
}
