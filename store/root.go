package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Root is a memory root: the folder with memory.yml. Its brains are the folders
// under brains/, each known by its folder's name. When a brain.yml stands beside
// memory.yml (an adopted vault), the root folder itself is a brain as well,
// known by the name in that file, else by the folder's name.
type Root struct {
	Dir string // absolute, symlinks resolved
}

// Find walks up from dir to the nearest folder that holds memory.yml.
func Find(dir string) (Root, error) {
	at, err := resolve(dir)
	if err != nil {
		return Root{}, fmt.Errorf("find memory root from %s: %w", dir, err)
	}
	for from := at; ; {
		ok, err := isFile(filepath.Join(at, rootFile))
		if err != nil {
			return Root{}, fmt.Errorf("find memory root from %s: %w", dir, err)
		}
		if ok {
			return Root{Dir: at}, nil
		}
		up := filepath.Dir(at)
		if up == at {
			return Root{}, fmt.Errorf("%w: no %s in %s or above it", ErrNoRoot, rootFile, from)
		}
		at = up
	}
}

// At is the root at dir itself; nothing above it is looked at.
func At(dir string) (Root, error) {
	at, err := resolve(dir)
	if err != nil {
		return Root{}, fmt.Errorf("open memory root %s: %w", dir, err)
	}
	ok, err := isFile(filepath.Join(at, rootFile))
	if err != nil {
		return Root{}, fmt.Errorf("open memory root %s: %w", dir, err)
	}
	if !ok {
		return Root{}, fmt.Errorf("%w: no %s in %s", ErrNoRoot, rootFile, at)
	}
	return Root{Dir: at}, nil
}

// StateDir is the folder of everything that can be rebuilt.
func (r Root) StateDir() string { return filepath.Join(r.Dir, stateDir) }

// MakeState makes the folder for what can be lost.
func (r Root) MakeState() error { return MakeDisposable(r.StateDir()) }

// MakeDisposable makes a folder for its owner alone. A new one tells git from inside
// to leave it alone, so that no file of the user's has to say it.
func MakeDisposable(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	return os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o600)
}

// Settings is the path of memory.yml.
func (r Root) Settings() string { return filepath.Join(r.Dir, rootFile) }

// Brains returns the names of the root's brains, sorted. Every folder under
// brains/ is one, with or without brain.yml and also while it is empty; dot
// folders and names with control characters are not. In an adopted vault, where
// brains/ may be the user's own folder of notes, only those with a brain.yml
// count.
func (r Root) Brains() ([]string, error) {
	here, isHere, err := r.hereName()
	if err != nil {
		return nil, err
	}
	names, err := r.under(isHere)
	if err != nil {
		return nil, err
	}
	if isHere && !slices.Contains(names, here) {
		names = append(names, here)
	}
	slices.Sort(names)
	return names, nil
}

// under returns the brains in brains/, or only those with a brain.yml.
func (r Root) under(declaredOnly bool) ([]string, error) {
	var names []string
	entries, err := os.ReadDir(filepath.Join(r.Dir, brainsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list brains: %w", err)
	}
	for _, e := range entries {
		ok, err := r.isBrain(e, declaredOnly)
		if err != nil {
			return nil, fmt.Errorf("list brains: %w", err)
		}
		if ok {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func (r Root) isBrain(e fs.DirEntry, declaredOnly bool) (bool, error) {
	if checkBrainName(e.Name()) != nil {
		return false, nil
	}
	dir := filepath.Join(r.Dir, brainsDir, e.Name())
	if e.Type()&fs.ModeSymlink != 0 {
		fi, err := os.Stat(dir)
		if err != nil || !fi.IsDir() {
			return false, nil // a dangling link, or a link to a file
		}
	} else if !e.IsDir() {
		return false, nil
	}
	if !declaredOnly {
		return true, nil
	}
	return isFile(filepath.Join(dir, brainFile))
}

// BrainDir returns a brain's folder, links resolved. The name must be one of
// Brains, letter by letter, also on disks that ignore case: a brain under two
// names would have two indexes.
func (r Root) BrainDir(name string) (string, error) {
	if err := checkBrainName(name); err != nil {
		return "", err
	}
	known, err := r.Brains()
	if err != nil {
		return "", err
	}
	if !slices.Contains(known, name) {
		return "", &NoBrainError{Name: name, Known: known}
	}
	here, isHere, err := r.hereName()
	if err != nil {
		return "", err
	}
	if isHere && name == here {
		return r.Dir, nil
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(r.Dir, brainsDir, name))
	if err != nil {
		return "", fmt.Errorf("open brain %s: %w", name, err)
	}
	return dir, nil
}

// hereName is the name of the brain that the root folder itself is.
func (r Root) hereName() (name string, ok bool, err error) {
	ok, err = isFile(filepath.Join(r.Dir, brainFile))
	if err != nil || !ok {
		return "", false, err
	}
	raw, err := os.ReadFile(filepath.Join(r.Dir, brainFile))
	if err == nil {
		name = parseMeta(raw).Name
	}
	if checkBrainName(name) != nil {
		name = hereDefault(r.Dir)
	}
	return name, true, nil
}

func hereDefault(dir string) string {
	if name := filepath.Base(dir); checkBrainName(name) == nil {
		return name
	}
	return "default"
}

// NoBrainError says which brains there are instead.
type NoBrainError struct {
	Name  string
	Known []string
}

func (e *NoBrainError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("%v: %q; there is none yet", ErrNoBrain, e.Name)
	}
	return fmt.Sprintf("%v: %q; there are: %s", ErrNoBrain, e.Name, strings.Join(e.Known, ", "))
}

func (e *NoBrainError) Unwrap() error { return ErrNoBrain }

// created is the form of the names that brain gives. Names that users gave
// their folders are freer: see checkBrainName.
var created = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

func checkBrainName(name string) error {
	if name == "" || name[0] == '.' || !utf8.ValidString(name) ||
		strings.ContainsAny(name, `/\`) || hasControl(name) {
		return fmt.Errorf("%w: %q", ErrBrainName, name)
	}
	return nil
}

func hasControl(s string) bool {
	for _, c := range s {
		if c < 0x20 || c >= 0x7f && c < 0xa0 {
			return true
		}
	}
	return false
}

// Inside reports whether a path of this disk lies in the root, wherever links lead it: to says
// where that is.
func (r Root) Inside(path string) (to string, ok bool) {
	to = Resolved(path)
	rel, err := filepath.Rel(Resolved(r.Dir), to)
	return to, err == nil && filepath.IsLocal(rel)
}

// Resolved follows the links of an absolute path as far as it exists.
func Resolved(path string) string {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

func resolve(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// isFile reports whether a regular file is there; a folder that may not be
// searched is an error, not a no.
func isFile(path string) (bool, error) {
	fi, err := os.Stat(path)
	switch {
	case err == nil:
		return fi.Mode().IsRegular(), nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	default:
		return false, err
	}
}
