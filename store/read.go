package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"brain/page"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Read returns a page's bytes: those of a regular file, reached without any
// link, at most MaxFile long (a session's MaxSession). Opening never waits, whatever stands at the path.
// Errors: ErrNotFound; ErrNotPage for a link, a fifo, a folder, another brain's
// file or a path into a dot folder; ErrTooLarge; else the system's.
//
// What .brainignore hides can be read by its exact path; Lookup is the gate for
// names from outside.
func (st *Store) Read(ctx context.Context, p page.Path) ([]byte, error) {
	if err := errContext(ctx, "read "+string(p)); err != nil {
		return nil, err
	}
	root, err := st.current()
	if err != nil {
		return nil, err
	}
	raw, err := readPage(root, p)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p, err)
	}
	return raw, nil
}

func readPage(root *os.Root, p page.Path) ([]byte, error) {
	fi, err := lstatPage(root, p)
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(string(p), os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, notFound(err)
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !now.Mode().IsRegular() || fi.Mode().Type() != 0 {
		return nil, fmt.Errorf("%w: it was replaced while it was opened", ErrNotPage)
	}
	return readAll(f, now.Size(), maxSize(p))
}

// readAll reads a file that may grow meanwhile.
func readAll(f *os.File, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, size, limit)
	}
	buf := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	n, err := buf.ReadFrom(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, fmt.Errorf("%w: the limit is %d bytes", ErrTooLarge, limit)
	}
	return buf.Bytes(), nil
}

// lstatPage finds the regular file at a path: no link on the way, no dot
// folder, no other brain.
func lstatPage(root *os.Root, p page.Path) (fs.FileInfo, error) {
	if err := checkParents(root, p); err != nil {
		return nil, err
	}
	fi, err := root.Lstat(string(p))
	if err != nil {
		return nil, notFound(err)
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: it is a %s", ErrNotPage, describe(fi.Mode()))
	}
	return fi, nil
}

// checkParents checks the folders above a path as far as they exist.
func checkParents(root *os.Root, p page.Path) error {
	if _, err := page.ParsePath(string(p)); err != nil {
		return err
	}
	for _, part := range strings.Split(p.Dir(), "/") {
		if part != "" && part[0] == '.' {
			return fmt.Errorf("%w: %s is hidden", ErrNotPage, part)
		}
	}
	return checkFolders(root, string(p))
}

// checkFolders checks the folders above a file as far as they exist.
func checkFolders(root *os.Root, name string) error {
	for i, c := range []byte(name) {
		if c != '/' {
			continue
		}
		parent := name[:i]
		fi, err := root.Lstat(parent)
		if err != nil {
			return notFound(err)
		}
		if !fi.IsDir() {
			return fmt.Errorf("%w: %s is a %s", ErrNotPage, parent, describe(fi.Mode()))
		}
		if _, err := root.Lstat(parent + "/" + brainFile); err == nil {
			return fmt.Errorf("%w: %s is another brain", ErrNotPage, parent)
		}
	}
	return nil
}

func describe(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "folder"
	case m.IsRegular():
		return "file"
	case m&fs.ModeSymlink != 0:
		return "symlink"
	case m&fs.ModeNamedPipe != 0:
		return "fifo"
	case m&fs.ModeSocket != 0:
		return "socket"
	}
	return "special file"
}

func notFound(err error) error {
	if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return err
}

func ignoreNotFound(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// IsBinary reports whether a file's bytes are not text: a NUL anywhere. Such a
// file may be called .md (UTF-16, a renamed image) and is no page. A session's
// file is one all the same: a power cut may leave NULs in one line.
func IsBinary(raw []byte) bool { return bytes.IndexByte(raw, 0) >= 0 }

// AmbiguousError lists the pages that a name might mean.
type AmbiguousError struct {
	Name       string
	Candidates []page.Path
}

func (e *AmbiguousError) Error() string {
	names := make([]string, len(e.Candidates))
	for i, c := range e.Candidates {
		names[i] = string(c)
	}
	return fmt.Sprintf("%v %q: %s", ErrAmbiguous, e.Name, strings.Join(names, ", "))
}

func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }

// Lookup finds the page of a name given from outside: a path within the brain,
// with or without .md. The exact path wins, then one equal in NFC, then one
// equal without regard to case. Only pages that List would list are found.
// Errors: *AmbiguousError, page.ErrPath, ErrNotFound, and ErrUnreadable when the
// page may be in a part of the tree that could not be read.
func (st *Store) Lookup(ctx context.Context, name string) (page.Path, error) {
	tries, err := spellings(name)
	if err != nil {
		return "", err
	}
	root, err := st.current()
	if err != nil {
		return "", err
	}
	for _, p := range tries {
		if isListed(root, p) {
			return p, nil
		}
	}
	found, err := st.List(ctx) // the rare case: worth one walk
	if err != nil {
		return "", err
	}
	for _, form := range []func(string) string{norm.NFC.String, fold} {
		for _, p := range tries {
			if hits := matching(found.Files, form, string(p)); len(hits) == 1 {
				return hits[0], nil
			} else if len(hits) > 1 {
				return "", &AmbiguousError{Name: name, Candidates: hits}
			}
		}
	}
	if len(found.Unreadable) > 0 {
		return "", fmt.Errorf("look up %q in brain %s: not among the pages that could be read: %s: %w",
			name, st.name, strings.Join(found.Unreadable, ", "), ErrUnreadable)
	}
	return "", fmt.Errorf("look up %q in brain %s: %w", name, st.name, ErrNotFound)
}

// spellings are the paths that a name can be: as it is, with .md, and as the
// folder of a session.
func spellings(name string) ([]page.Path, error) {
	var tries []page.Path
	if isMarkdown(path.Base(name)) || page.Path(name).IsSession() {
		p, err := page.ParsePath(name)
		if err != nil {
			return nil, fmt.Errorf("look up %q: %w", name, err)
		}
		tries = append(tries, p)
	}
	if session := page.Path(name + "/" + page.SessionFile); session.IsSession() {
		tries = append(tries, session)
	}
	p, err := page.ParsePath(name + ".md")
	if err != nil {
		return nil, fmt.Errorf("look up %q: %w", name, err)
	}
	return append(tries, p), nil
}

func matching(files []page.File, form func(string) string, name string) []page.Path {
	want := form(name)
	var hits []page.Path
	for _, f := range files {
		if form(string(f.Path)) == want {
			hits = append(hits, f.Path)
		}
	}
	return hits
}

// isListed reports whether List would list a path, letter by letter: a disk
// that ignores case has the file under other spellings too. What cannot be told
// is left to the walk.
func isListed(root *os.Root, p page.Path) bool {
	fi, err := lstatPage(root, p)
	if err != nil || fi.Size() > maxSize(p) {
		return false
	}
	if reason, err := hidden(root, p); reason != "" || err != nil {
		return false
	}
	folder := "."
	for part := range strings.SplitSeq(string(p), "/") {
		names, err := folderNames(root, folder)
		if err != nil || !slices.Contains(names, part) {
			return false
		}
		folder = path.Join(folder, part)
	}
	return true
}

// hidden says why a walk would not come to a path, by its name and by the
// .brainignore files above it; "" when it would.
func hidden(root *os.Root, p page.Path) (reason string, err error) {
	var ig *ignores
	parts := strings.Split(string(p), "/")
	if len(parts)-1 > maxDepth {
		return SkipTooDeep, nil
	}
	prefix := ""
	for i, part := range parts {
		k := dir
		if i == len(parts)-1 {
			k = file
		}
		if reason := skipReason(part, k); reason != "" {
			return reason, nil
		}
		if ig, err = loadIgnoresAt(root, prefix, ig); err != nil {
			return "", err
		}
		if ig.match(prefix+part, k == dir) {
			return SkipIgnored, nil
		}
		prefix += part + "/"
	}
	return "", nil
}

func loadIgnoresAt(root *os.Root, prefix string, up *ignores) (*ignores, error) {
	name := prefix + ignoreFile
	fi, err := root.Lstat(name)
	if err != nil {
		return up, ignoreMissing(err)
	}
	if !fi.Mode().IsRegular() {
		return up, nil
	}
	f, err := root.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return up, ignoreMissing(err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxIgnore))
	return parseIgnores(raw, prefix, up), err
}

func folderNames(root *os.Root, folder string) ([]string, error) {
	f, err := root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// fold is the form in which two names are twins: NFC, case folded.
func fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
