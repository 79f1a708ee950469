package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"brain/llm"
	"brain/text"

	"github.com/gofrs/flock"
)

// An index is a chain of generations, each an immutable directory:
//
//	LOCK                the writer holds an exclusive flock on it
//	HOLDER              who that is, for messages only
//	CURRENT             one line: the name of the newest generation
//	gen-000000000042/
//	  manifest          versions, totals, files with size and checksum;
//	                    readers hold a shared flock on it, their lease
//	  base, tail        the page table (table.go)
//	  vec/<n>.vec       vectors (vectors.go)
//	  lex/store/        bleve's segments and root.bolt (lexical.go)
//	tmp-43/             the writer's work in progress
//	trash-…/            being deleted
//
// A writer prepares tmp-N+1 beside generation N, linking what did not
// change, syncs every file and then every directory, renames it to gen-N+1,
// and last swaps CURRENT by rename. That rename is the commit. A crash before
// it leaves generation N and litter that the next writer sweeps; a reader
// never waits and never sees a half of anything. Directories called gen-* are
// always complete, because only a complete one is renamed so.
const (
	formatVersion = 1
	genPrefix     = "gen-"
	tmpPrefix     = "tmp-"
	trashPrefix   = "trash-"
	openTries     = 50 // a reader that loses this many races with the collector gives up
)

var (
	ErrNoIndex = errors.New("no index")
	ErrBusy    = errors.New("index is busy")
	ErrNewer   = errors.New("index was made by a newer brain")
)

// manifest describes a generation.
type manifest struct {
	Format     int               `json:"format"`
	Tokenizer  int               `json:"tokenizer"`
	Terms      int               `json:"terms"`
	Generation uint64            `json:"generation"`
	Embedder   string            `json:"embedder"` // fingerprint of the vectors, "" without
	Dims       int               `json:"dims"`
	Scopes     map[string]totals `json:"scopes"` // "" is the shared pages; else an agent, or an agent's sessions (sessionScope)
	Chunks     int               `json:"chunks"`
	Pending    int               `json:"pending"`
	Failed     int               `json:"failed"`
	Text       int64             `json:"text"`            // bytes of the pages
	Epoch      string            `json:"epoch,omitempty"` // writes of several files up to this one are in it (recheck.go)
	Vectors    []vecFile         `json:"vectors"`
	Orphans    []orphan          `json:"orphans,omitempty"`
	Binary     int               `json:"binary,omitempty"` // files that are no text
	Pack       string            `json:"pack,omitempty"`   // digest of the schema pack that its links were typed with
	Files      []fileSum         `json:"files"`
}

// totals are the sums that BM25 needs, over the ranked pages of a scope.
type totals struct {
	Docs  int    `json:"docs"`
	Words uint64 `json:"words"` // in units of termUnit
	Turns int    `json:"turns,omitempty"`
}

type fileSum struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	CRC  uint32 `json:"crc"` // CRC-32C
}

// orphan is a run of vectors without a page, kept for orphanDays.
type orphan struct {
	Vector uint32 `json:"v"`
	Day    int64  `json:"d"` // days since 1970
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (m *manifest) encode() ([]byte, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(b, "\n%08x\n", crc32.Checksum(b, castagnoli)), nil
}

func decodeManifest(b []byte) (*manifest, error) {
	body, sum, ok := strings.Cut(strings.TrimSuffix(string(b), "\n"), "\n")
	if want := fmt.Sprintf("%08x", crc32.Checksum([]byte(body), castagnoli)); !ok || sum != want {
		return nil, fmt.Errorf("manifest: %w: checksum", errDamaged)
	}
	var m manifest
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		return nil, fmt.Errorf("manifest: %w: %v", errDamaged, err)
	}
	return &m, nil
}

// fits says why a generation made by another version cannot be used, or "".
func (m *manifest) fits() (why string, err error) {
	switch {
	case m.Format > formatVersion:
		return "", fmt.Errorf("%w: format %d, this one knows %d", ErrNewer, m.Format, formatVersion)
	case m.Format < formatVersion:
		return fmt.Sprintf("its format is %d, this brain's %d", m.Format, formatVersion), nil
	case m.Tokenizer != text.Version || m.Terms != termsVersion:
		return "it was made by another version of the tokenizer", nil
	}
	return "", nil
}

// typed says why the links of a generation are not those that a pack of this
// digest gives, or "".
func (m *manifest) typed(pack string) string {
	if m.Pack == pack {
		return ""
	}
	before := "the built-in schema pack"
	if m.Pack != "" {
		before = "schema pack " + m.Pack
	}
	return "its links were typed with " + before
}

// lexicon gives the words whose numbers the rows of a generation keep: all
// rows do when it has an embedder, whoever writes them, else none.
func (m *manifest) lexicon() (*llm.Lexicon, error) {
	if m.Embedder == "" {
		return nil, nil
	}
	return llm.Words()
}

func genName(n uint64) string { return fmt.Sprintf("%s%012d", genPrefix, n) }

func genNumber(name string) (uint64, bool) {
	s, ok := strings.CutPrefix(name, genPrefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil && name == genName(n) // a number cut short is another generation's
}

// disk does the file operations whose order makes a crash harmless. Tests
// record the order through trace and stop the process in the middle.
type disk struct {
	dir   string
	trace func(op, path string)
}

func (d *disk) note(op, path string) {
	if d.trace != nil {
		d.trace(op, path)
	}
}

// writeFile writes a new file and syncs it.
func (d *disk) writeFile(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(b); err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	d.note("file", path)
	return err
}

// link makes dst another name of src, or a synced copy where the file system
// has no links.
func (d *disk) link(src, dst string) error {
	err := os.Link(src, dst)
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return err
	}
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err == nil {
		err = out.Sync()
	}
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	d.note("file", dst)
	return err
}

func (d *disk) syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = syncDirectory(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	d.note("dir", path)
	return err
}

func (d *disk) rename(from, to string) error {
	d.note("rename", to)
	return os.Rename(from, to)
}

// current reads CURRENT: the number of the newest generation.
func (d *disk) current() (uint64, error) {
	b, err := os.ReadFile(filepath.Join(d.dir, "CURRENT"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, ErrNoIndex
	}
	if err != nil {
		return 0, err
	}
	n, ok := genNumber(strings.TrimSpace(string(b)))
	if !ok {
		return 0, fmt.Errorf("CURRENT: %w: %.40q", errDamaged, b)
	}
	return n, nil
}

// highest gives the largest number of a generation that is there, current or
// not; 0 without any.
func (d *disk) highest() (uint64, error) {
	entries, err := os.ReadDir(d.dir)
	top := uint64(0)
	for _, e := range entries {
		if n, ok := genNumber(e.Name()); ok {
			top = max(top, n)
		}
	}
	return top, err
}

// publish makes a finished work directory generation n and the current one.
func (d *disk) publish(tmp string, n uint64) error {
	for _, sub := range []string{"lex/store", "lex", "vec", ""} {
		if err := d.syncDir(filepath.Join(tmp, sub)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := d.rename(tmp, filepath.Join(d.dir, genName(n))); err != nil {
		return err
	}
	if err := d.syncDir(d.dir); err != nil {
		return err
	}
	next := filepath.Join(d.dir, "CURRENT.tmp")
	if err := d.writeFile(next, []byte(genName(n)+"\n")); err != nil {
		return err
	}
	if err := d.rename(next, filepath.Join(d.dir, "CURRENT")); err != nil {
		return err
	}
	return d.syncDir(d.dir)
}

// sweep removes what a writer that died left behind. The caller holds LOCK.
func (d *disk) sweep(current uint64) error {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		n, isGen := genNumber(e.Name())
		switch {
		case isGen && n > current,
			strings.HasPrefix(e.Name(), tmpPrefix), strings.HasPrefix(e.Name(), trashPrefix), e.Name() == "CURRENT.tmp":
			if err := os.RemoveAll(filepath.Join(d.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// collect removes generations that nobody reads: all but the current one and
// the one before it, which a reader may be opening just now.
func (d *disk) collect(current uint64) error { return d.collectBefore(max(current, 1) - 1) }

// collectBefore removes the generations below a number that nobody reads; it is at
// most that of the current one. A reader that was about to open one of them opens
// the current one instead.
func (d *disk) collectBefore(first uint64) error {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		n, ok := genNumber(e.Name())
		if !ok || n >= first {
			continue
		}
		path := filepath.Join(d.dir, e.Name())
		lease := flock.New(filepath.Join(path, "manifest"), flock.SetFlag(os.O_RDONLY))
		if free, err := lease.TryLock(); err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && !free {
			continue
		}
		trash := filepath.Join(d.dir, trashPrefix+e.Name())
		err := os.Rename(path, trash)
		if err == nil {
			err = os.RemoveAll(trash)
		}
		if uerr := lease.Unlock(); err == nil {
			err = uerr
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lease opens the current generation's manifest and holds a shared lock on
// it, so that the collector leaves the directory alone.
func (d *disk) lease() (uint64, *manifest, *flock.Flock, error) {
	for range openTries {
		n, err := d.current()
		if err != nil {
			return 0, nil, nil, err
		}
		path := filepath.Join(d.dir, genName(n), "manifest")
		l := flock.New(path, flock.SetFlag(os.O_RDONLY))
		ok, err := l.TryRLock()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		if err != nil || !ok {
			if now, cerr := d.current(); cerr == nil && now == n && err != nil {
				return n, nil, nil, fmt.Errorf("%s: %w: manifest is missing", genName(n), errDamaged)
			}
			time.Sleep(time.Millisecond)
			continue
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // collected between CURRENT and the lock
			if err := l.Unlock(); err != nil {
				return 0, nil, nil, err
			}
			continue
		}
		if err == nil {
			var m *manifest
			if m, err = decodeManifest(b); err == nil && m.Generation != n {
				err = fmt.Errorf("manifest: %w: of generation %d", errDamaged, m.Generation)
			}
			if err == nil {
				return n, m, l, nil
			}
		}
		return n, nil, nil, errors.Join(fmt.Errorf("%s: %w", genName(n), err), l.Unlock())
	}
	return 0, nil, nil, fmt.Errorf("%s: no generation could be opened in %d tries", d.dir, openTries)
}

// checkSizes compares the files of a generation with its manifest.
func (m *manifest) checkSizes(dir string) error {
	for _, f := range m.Files {
		st, err := os.Stat(filepath.Join(dir, f.Name))
		if err != nil {
			return fmt.Errorf("%s: %w: %v", f.Name, errDamaged, err)
		}
		if st.Size() != f.Size {
			return fmt.Errorf("%s: %w: %d bytes, manifest says %d", f.Name, errDamaged, st.Size(), f.Size)
		}
	}
	return nil
}

// sumFiles fills in the manifest's list from what lies in dir, taking over
// the checksums of files that were linked from the generation before.
func (m *manifest) sumFiles(dir string, before *manifest) (written int64, err error) {
	known := map[string]fileSum{}
	if before != nil {
		for _, f := range before.Files {
			known[f.Name] = f
		}
	}
	m.Files = nil
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		st, err := e.Info()
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if k, ok := known[name]; ok && k.Size == st.Size() && immutable(name) && links(st) > 1 {
			m.Files = append(m.Files, k)
			return nil
		}
		sum, err := crcFile(path)
		if err != nil {
			return err
		}
		written += st.Size()
		m.Files = append(m.Files, fileSum{name, st.Size(), sum})
		return nil
	})
	sort.Slice(m.Files, func(i, j int) bool { return m.Files[i].Name < m.Files[j].Name })
	return written, err
}

// immutable reports whether a file of that name never changes its content
// from one generation to the next.
func immutable(name string) bool {
	return name == "base" || strings.HasSuffix(name, ".vec") || strings.HasSuffix(name, ".zap")
}

func crcFile(path string) (uint32, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	h := crc32.New(castagnoli)
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{f}, make([]byte, 1<<18)); err != nil {
		return 0, err
	}
	return h.Sum32(), nil
}
