package index

import (
	"context"
	"time"

	"brain/llm"
	"brain/page"
)

// Source is the tree an index is made of. It is the only thing the index
// knows of a brain; store.Store and the evaluation harness satisfy it.
type Source interface {
	List(ctx context.Context) (page.Listing, error)
	Read(ctx context.Context, p page.Path) ([]byte, error)
}

// Journaled is a Source that is written several files at a time, and tells when.
// While its epoch stays the same no such write has begun or ended; inFlight are
// the paths, sorted, of those that are under way ("" is every path), as in
// page.Listing. It costs next to nothing to ask.
type Journaled interface {
	Epoch(ctx context.Context) (epoch string, inFlight []page.Path, err error)
}

// Partial is a Source that can look at a few paths alone: a listing of those of
// them that are pages now, by the rules of List.
type Partial interface {
	Source
	ListOf(ctx context.Context, paths []page.Path) (page.Listing, error)
}

type Options struct {
	Dir      string       // index folder of the brain: <root>/.brain/index/<brain>
	Embedder llm.Embedder // nil: no vectors
	Vectors  string       // "flat" (default) or "chromem"
	Pack     *page.Pack   // whose words type links; nil: the built-in one's alone
	Progress func(Progress)
}

type Progress struct {
	Stage       string // "index", "vectors"
	Done, Total int    // files, or chunks
	Bytes       int64
}

// Freshness says what a query does about a changed tree.
type Freshness uint8

const (
	Auto  Freshness = iota // sync when at most 64 files changed and the lock is free
	Wait                   // sync whatever changed, wait for the lock
	Never                  // answer from the current generation
)

type Report struct {
	Generation uint64         `json:"generation"`
	Added      int            `json:"added"`
	Changed    int            `json:"changed"`
	Refreshed  int            `json:"refreshed"` // same content, new stat or front matter that does not count
	Moved      int            `json:"moved"`
	Deleted    int            `json:"deleted"`
	Unchanged  int            `json:"unchanged"`
	InFlight   int            `json:"in_flight"` // files that differ and were left as they were, since a write of several was under way
	Embedded   int            `json:"embedded"`  // chunks embedded by this sync
	Reused     int            `json:"reused"`    // chunks whose vector was known
	Pending    int            `json:"pending_embeddings"`
	Failed     int            `json:"failed_embeddings"`
	Skipped    map[string]int `json:"skipped"`
	Unreadable []string       `json:"unreadable"`
	Rebuilt    string         `json:"rebuilt"` // why everything was made anew, or ""
	Bytes      int64          `json:"bytes"`   // text read
	Written    int64          `json:"written"` // bytes of new files (links not counted)
	Took       time.Duration  `json:"-"`
}

type SyncOptions struct {
	NoWait  bool // give up at once with ErrBusy when another process holds the lock
	Rebuild bool
	Compact bool // merge segments
	Pending bool // also embed pending chunks of a remote embedder (all, in slices)
	OnWait  func(Holder)
	// Confirm is for who looks because something is happening just now: a page
	// that is gone, or has become empty, is looked for again after this time, since
	// programs save by deleting and by emptying first. 0: it counts at once.
	Confirm time.Duration
	build   bool // only make an index that can be opened; one that can is enough
}

// Holder says who holds the index lock.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	What  string    `json:"what"`
	Since time.Time `json:"since"`
}

// Staleness says that a view is older than the tree, and why.
type Staleness struct {
	Changed int
	Why     string
	// Unreadable are the parts of the tree that could not be read, as in a Report, where
	// that is all: the view is as the rest of the tree is.
	Unreadable []string
}

// Status is what `brain status` prints of an index.
type Status struct {
	Generation  uint64         `json:"generation"`
	Pages       int            `json:"pages"`
	Ranked      int            `json:"ranked"`
	Chunks      int            `json:"chunks"`
	Vectors     int            `json:"vectors"`
	Pending     int            `json:"pending_embeddings"`
	Failed      int            `json:"failed_embeddings"`
	Links       int            `json:"links"`
	Unresolved  int            `json:"unresolved_links"`
	Segments    int            `json:"segments"`
	Bytes       int64          `json:"bytes"`
	VectorBytes int64          `json:"vector_bytes"`
	Fingerprint string         `json:"embedder"`
	Changed     int            `json:"changed"` // files that differ from the index now
	Skipped     map[string]int `json:"skipped"`
	Unreadable  []string       `json:"unreadable"`
	Lock        *Holder        `json:"lock"`
	Damaged     string         `json:"damaged"`
}

// Finding is a difference between index and tree, or damage.
type Finding struct {
	Path    string `json:"path"`
	Code    string `json:"code"` // missing, extra, differs, damaged
	Message string `json:"message"`
}

// Page is what the index knows of a page without opening its file.
type Page struct {
	Row       uint32
	Path      page.Path
	Title     string
	Type      string
	Status    string
	Source    string
	Agent     string
	Slug      string
	Redirect  string
	Tags      []string
	Aliases   []string
	Tier      int
	Words     int // BM25 length in half words
	Chunks    int
	Turns     int // of a session
	Ranked    bool
	Generated bool // own output of brain's
	Created   time.Time
	Updated   time.Time
	At        time.Time
	Hash      [32]byte
	File      page.File
}
