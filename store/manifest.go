package store

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// An export is a brain as it stood at one moment, in a form that proves itself:
//
//	brain-export.json   the Manifest: every file with its size and SHA-256
//	brain/…             the files, byte for byte
//
// either as a folder or as a .tar.gz. In an archive the manifest comes first: who
// reads it knows what may follow, and how much of it, before the first byte of a
// file. Nothing that the manifest does not name is ever written anywhere.

const (
	// ExportFormat is the version of that form which this program writes.
	ExportFormat = 1

	manifestName = "brain-export.json"
	exportedTree = "brain"

	// maxManifest bounds what is read before anything is known: some 300,000
	// files.
	maxManifest = 64 << 20

	// An archive of text grows four to ten times. One that claims to grow more
	// than bombRatio times, beyond a size that any disk has room for, is there to
	// fill the disk.
	bombFloor = 1 << 30
	bombRatio = 200
)

// Manifest says what an export holds.
type Manifest struct {
	Format  int              `json:"format"`      // ExportFormat
	Tree    int              `json:"tree_format"` // of the brain's files, see Format
	Brain   string           `json:"brain"`
	ID      string           `json:"id"`
	Made    time.Time        `json:"made"`
	Count   int              `json:"count"` // of files
	Bytes   int64            `json:"bytes"`
	Folders []ExportedFolder `json:"folders"` // "." is the brain's own
	Files   []ExportedFile   `json:"files"`
}

// ExportedFolder is a folder of an export. Paths are relative to the brain, modes
// octal: "0755".
type ExportedFolder struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
}

// ExportedFile is a file of an export.
type ExportedFile struct {
	Path   string    `json:"path"`
	Size   int64     `json:"size"`
	SHA256 string    `json:"sha256"`
	Mode   string    `json:"mode"`
	Mtime  time.Time `json:"mtime"`
}

func octal(m fs.FileMode) string { return fmt.Sprintf("%04o", m.Perm()) }

// fileMode is the mode that a file gets: its own, without what would let
// strangers write it or the owner not read it, and in a session without
// anybody else.
func (e ExportedFile) fileMode() fs.FileMode { return restoredMode(e.Path, e.Mode, 0o600) }

func (e ExportedFolder) folderMode() fs.FileMode { return restoredMode(e.Path, e.Mode, 0o700) }

func restoredMode(name, mode string, least fs.FileMode) fs.FileMode {
	m, err := strconv.ParseUint(mode, 8, 12)
	if err != nil {
		m = 0 // parseManifest has refused it
	}
	keep := fs.FileMode(0o775)
	if name == "sessions" || strings.HasPrefix(name, "sessions/") {
		keep = 0o700
	}
	return fs.FileMode(m)&keep | least
}

// notExported says why a path below a brain is no part of an export, or "". Export
// leaves such a file out and names it; an import that holds one is refused.
func notExported(name string) (reason string) {
	if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) || !utf8.ValidString(name) || hasControl(name) {
		return SkipBadName
	}
	parts := strings.Split(name, "/")
	if len(parts) > maxDepth+1 {
		return SkipTooDeep
	}
	for i, part := range parts {
		switch form := fold(part); {
		case form == txnDir || form == stateDir || form == ".git" || form == "git~1":
			return SkipMachinery
		case form == brainFile && i > 0:
			return SkipOtherBrain
		case form == rootFile && i == 0:
			return SkipSettings
		}
	}
	return ""
}

// Reasons in Skipped beside those of a listing.
const (
	SkipMachinery = "machinery" // .txn, .brain and .git: not content
	SkipSettings  = "settings"  // memory.yml: of the root, not of the brain
)

// bytes is the manifest as it is written.
func (m *Manifest) bytes() ([]byte, error) {
	raw, err := json.MarshalIndent(m, "", "\t")
	if err == nil && len(raw) >= maxManifest {
		err = fmt.Errorf("%w: %d files are too many for one export", ErrTooLarge, m.Count)
	}
	return append(raw, '\n'), err
}

// parseManifest reads a manifest and believes nothing of it. packed is the size of
// the archive that it came in, 0 for a folder.
func parseManifest(raw []byte, packed int64) (*Manifest, error) {
	var versions struct {
		Format int `json:"format"`
		Tree   int `json:"tree_format"`
	}
	if err := json.Unmarshal(raw, &versions); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrExportDamaged, manifestName, err)
	}
	if versions.Format > ExportFormat || versions.Tree > Format {
		return nil, fmt.Errorf("%w: export format %d, tree format %d; this program knows %d and %d",
			ErrExportNewer, versions.Format, versions.Tree, ExportFormat, Format)
	}
	var m Manifest
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrExportDamaged, manifestName, err)
	}
	if err := m.check(packed); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrExportRefused, manifestName, err)
	}
	return &m, nil
}

func (m *Manifest) check(packed int64) error {
	if m.Format < 1 {
		return fmt.Errorf("format is %d", m.Format)
	}
	if err := checkBrainName(m.Brain); err != nil {
		return err
	}
	names := make(map[string]bool, len(m.Files)+len(m.Folders)) // whether it is a folder
	for _, e := range m.Folders {
		if err := placed(names, e.Path, e.Mode, true); err != nil {
			return err
		}
	}
	var bytes int64
	for _, e := range m.Files {
		if err := placed(names, e.Path, e.Mode, false); err != nil {
			return err
		}
		if sum, err := hex.DecodeString(e.SHA256); err != nil || len(sum) != 32 || e.SHA256 != strings.ToLower(e.SHA256) {
			return fmt.Errorf("%q: no SHA-256: %q", e.Path, e.SHA256)
		}
		if e.Size < 0 || e.Size > math.MaxInt64-bytes {
			return fmt.Errorf("%q: size %d", e.Path, e.Size)
		}
		bytes += e.Size
	}
	if err := m.belowFolders(names); err != nil {
		return err
	}
	switch {
	case m.Count != len(m.Files) || m.Bytes != bytes:
		return fmt.Errorf("it says %d files of %d bytes and names %d of %d", m.Count, m.Bytes, len(m.Files), bytes)
	case packed > 0 && bytes > bombFloor && bytes/bombRatio > packed:
		return fmt.Errorf("%d bytes would become %d: it is made to fill a disk", packed, bytes)
	}
	return nil
}

// placed checks one path of a manifest and notes it.
func placed(names map[string]bool, name, mode string, folder bool) error {
	if reason := notExported(name); reason != "" {
		return fmt.Errorf("%q may not be in an export: %s", name, reason)
	}
	if _, twice := names[name]; twice {
		return fmt.Errorf("%q stands twice", name)
	}
	if _, err := strconv.ParseUint(mode, 8, 12); err != nil {
		return fmt.Errorf("%q: no mode: %q", name, mode)
	}
	names[name] = folder
	return nil
}

// belowFolders demands that all above a path are folders of the manifest.
func (m *Manifest) belowFolders(names map[string]bool) error {
	check := func(name string) error {
		if dir := path.Dir(name); name != "." && !names[dir] {
			return fmt.Errorf("%q: %q is no folder of the export", name, dir)
		}
		return nil
	}
	for _, e := range m.Folders {
		if err := check(e.Path); err != nil {
			return err
		}
	}
	for _, e := range m.Files {
		if err := check(e.Path); err != nil {
			return err
		}
	}
	if !names["."] {
		return errors.New("the brain's own folder is missing")
	}
	return nil
}

// sorted puts folders before what is in them.
func (m *Manifest) sorted() {
	slices.SortFunc(m.Folders, func(a, b ExportedFolder) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(m.Files, func(a, b ExportedFile) int { return strings.Compare(a.Path, b.Path) })
}
