package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"brain/page"
	"brain/store"
	"brain/text"
)

// Source is what is read: a folder, or one file of it. It is never written, no link
// in it is followed, and nothing that stands in the place of a file is waited for.
type Source struct {
	FS   fs.FS
	File string // of FS; "" is the whole folder
	Name string // as the caller named it
}

// OpenSource opens a folder or a file. The name itself may be a link: whoever gives it
// means what it leads to.
func OpenSource(name string) (*Source, io.Closer, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	dir, file := name, ""
	if !fi.IsDir() {
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			return nil, nil, err
		}
		dir, file = filepath.Split(real)
		if dir == "" {
			dir = "."
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	return &Source{FS: folder{root}, File: file, Name: name}, root, nil
}

// folder is a folder on disk whose files are opened without waiting: a pipe has its
// place in no source.
type folder struct{ *os.Root }

func (f folder) Open(name string) (fs.File, error) {
	file, err := f.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	fi, err := file.Stat()
	if err == nil && !fi.IsDir() && !fi.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("no regular file")}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// sub is a folder of the source as a source.
func (s *Source) sub(dir string) (*Source, error) {
	in, err := fs.Sub(s.FS, dir)
	if err != nil {
		return nil, err
	}
	return &Source{FS: in, Name: path.Join(s.Name, dir)}, nil
}

// exists reports what stands at a name: a file, a folder, or neither.
func (s *Source) exists(name string) (file, dir bool) {
	fi, err := fs.Lstat(s.FS, name)
	return err == nil && fi.Mode().IsRegular(), err == nil && fi.IsDir()
}

// isFolder refuses a file where a folder is meant.
func (s *Source) isFolder(what string) error {
	if s.File != "" {
		return fmt.Errorf("%w: %s is a file: %s is a folder", ErrFormat, s.Name, what)
	}
	return nil
}

// entry is a file or folder that a walk comes to.
type entry struct {
	name string // relative to the source
	fs.DirEntry
}

// walk visits what a folder holds, by name. see decides: what it does not want it
// drops, and false keeps the walk out of a folder. Links, pipes and folders whose
// names begin with a dot are dropped here, for all formats alike.
func (s *Source) walk(ctx context.Context, take func(Item) error, see func(entry) (enter bool, err error)) error {
	return fs.WalkDir(s.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			if name == "." {
				return fmt.Errorf("read %s: %w", s.Name, err)
			}
			return take(drop(Unreadable, name, name, cause(err)))
		}
		if name == "." {
			return nil
		}
		why := Reason("")
		switch hidden := d.Name()[0] == '.' || d.Name() == "node_modules"; {
		case d.Type()&fs.ModeSymlink != 0:
			why = Link
		case !d.IsDir() && !d.Type().IsRegular():
			why = Special
		case d.IsDir() && hidden:
			why = Hidden
		}
		if why == "" {
			enter, err := see(entry{name, d})
			if err == nil && d.IsDir() && !enter {
				return fs.SkipDir
			}
			return err
		}
		if err := take(drop(why, name, name, "")); err != nil || !d.IsDir() {
			return err
		}
		return fs.SkipDir
	})
}

// notes visits the Markdown files of a folder and drops all other files. A folder in
// which there is none is ErrFormat.
func (s *Source) notes(ctx context.Context, take func(Item) error, use func(p page.Path, raw []byte) error) error {
	n := 0
	err := s.walk(ctx, take, func(e entry) (bool, error) {
		if e.IsDir() {
			return true, nil
		}
		return true, s.note(e.name, take, func(p page.Path, raw []byte) error {
			n++
			return use(p, raw)
		})
	})
	if err == nil && n == 0 {
		err = fmt.Errorf("%w: %s: no page is there", ErrFormat, s.Name)
	}
	return err
}

// note reads one file as a page.
func (s *Source) note(name string, take func(Item) error, use func(p page.Path, raw []byte) error) error {
	p, bad := pagePath(name)
	if bad != nil {
		return take(Item{Dropped: bad})
	}
	raw, bad := s.read(name)
	if bad != nil {
		return take(Item{Dropped: bad})
	}
	return use(p, raw)
}

// pagePath is the path of a Markdown file that a brain would show.
func pagePath(name string) (page.Path, *Dropped) {
	base := path.Base(name)
	if !strings.EqualFold(path.Ext(base), ".md") {
		return "", drop(NotMarkdown, name, name, "").Dropped
	}
	if base == "_overview.md" || strings.HasSuffix(base, ".overview.md") {
		return "", drop(Derived, name, name, "an overview of another page").Dropped
	}
	p, err := page.ParsePath(name)
	if err != nil {
		return "", drop(BadName, name, name, err.Error()).Dropped
	}
	return p, nil
}

// read gives the bytes of a file that can be a page.
func (s *Source) read(name string) ([]byte, *Dropped) {
	file, err := s.FS.Open(name)
	if err != nil {
		return nil, drop(Unreadable, name, name, cause(err)).Dropped
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, store.MaxFile+1))
	switch {
	case err != nil:
		return nil, drop(Unreadable, name, name, cause(err)).Dropped
	case len(raw) > store.MaxFile:
		return nil, drop(TooLarge, name, name, "").Dropped
	}
	if line, what := notText(raw); what != "" {
		return nil, drop(NotText, name, at(name, line), what).Dropped
	}
	return raw, nil
}

// notText says what bytes are that are no UTF-8 text, and on which line that shows;
// "" for a text.
func notText(raw []byte) (line int, what string) {
	if bytes.HasPrefix(raw, []byte{0xff, 0xfe}) || bytes.HasPrefix(raw, []byte{0xfe, 0xff}) {
		return 1, "UTF-16; convert it: iconv -f utf-16 -t utf-8"
	}
	if i := bytes.IndexByte(raw, 0); i >= 0 {
		return lineOf(raw, i), "binary"
	}
	if utf8.Valid(raw) {
		return 0, ""
	}
	i := 0
	for i < len(raw) {
		r, n := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	return lineOf(raw, i), "another encoding; convert it: iconv -f cp1252 -t utf-8"
}

func lineOf(raw []byte, i int) int { return 1 + bytes.Count(raw[:i], []byte("\n")) }

// at names a line of a file; 0 is the file.
func at(name string, line int) string {
	if line == 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, line)
}

// cause is an error without the path that its reader knows.
func cause(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return err.Error()
}

// maxTold bounds how much of a text is repeated in a report, in bytes.
const maxTold = 200

// clip is the beginning of a text, on one line.
func clip(s string) string {
	s = text.Clip(s, 4*maxTold)
	return text.Clip(strings.Join(strings.Fields(s), " "), maxTold)
}
