// Package migrate takes in what other memories kept. A reader for each of their
// formats turns a source into a stream of items, and one writer puts those into a
// brain:
//
//	folder or file  →  Reader  →  Page | Fact | Dropped  →  Writer  →  brain
//
// A page that is Markdown already keeps its bytes and its path, so that it can be
// compared with where it came from; what is no page there (the lines of a graph) is
// made one. What has no place here is an item, too: it is dropped by name, with the
// file and the line and the reason, and never in silence.
//
// Nothing that exists is overwritten, and the same source once more writes nothing: a
// page is known by its path or by its key imported_from, a fact by its id.
package migrate

import (
	"context"
	"errors"
	"time"

	"brain/memory"
	"brain/page"
)

// ErrFormat is the error for a source that is none of its format; the message names
// the file and, where there are lines, the line.
var ErrFormat = errors.New("not of this format")

// Item is what a reader found: one of the three.
type Item struct {
	Page    *Page
	Fact    *Fact
	Dropped *Dropped
}

// Page is a page to be.
type Page struct {
	Path page.Path // where it belongs
	Raw  []byte
	// Origin is what it is made of, as its key imported_from says: "server-memory:
	// Ann". It may get another name than Path, and is known by this. "" is a page
	// that is known by its path.
	Origin string
	Where  string // file:line
}

// Fact is a fact to be. Its id follows from what it was called there.
type Fact struct {
	memory.Fact
	Agent string // whose it was there, "" when nobody's: see Options.KeepAgents
	User  string // of whom it is, as the source names them
	Where string
}

// Dropped is what is not taken in.
type Dropped struct {
	Reason Reason `json:"reason"`
	What   string `json:"what"`   // a path, a name, the beginning of a text
	Where  string `json:"where"`  // file, or file:line
	Detail string `json:"detail"` // what Reason leaves open; may be ""
}

// Reason is why something is not taken in.
type Reason string

// The reasons. NotMarkdown to Hidden are about files, the others about what stands in
// them.
const (
	NotMarkdown Reason = "not-markdown"
	TooLarge    Reason = "too-large"
	NotText     Reason = "not-text"
	Link        Reason = "link"
	Special     Reason = "special"
	Hidden      Reason = "hidden"
	Unreadable  Reason = "unreadable"
	BadName     Reason = "bad-name"
	Derived     Reason = "derived"
	Settings    Reason = "settings"
	Session     Reason = "session"
	Broken      Reason = "broken"
	Unknown     Reason = "unknown"
	NoPlace     Reason = "no-place"
	AsText      Reason = "as-text"
	Forgotten   Reason = "forgotten"
	Gone        Reason = "gone"
	Expired     Reason = "expired"
	Duplicate   Reason = "duplicate"
	Different   Reason = "different"
	OtherAgent  Reason = "other-agent"
	OtherUser   Reason = "other-user"
	NotWritable Reason = "not-writable"
	Evicted     Reason = "evicted"
)

// Phrase says a reason to people.
func (r Reason) Phrase() string {
	if s := phrases[r]; s != "" {
		return s
	}
	return string(r)
}

var phrases = map[Reason]string{
	NotMarkdown: "no Markdown",
	TooLarge:    "larger than a page may be (4 MiB)",
	NotText:     "not UTF-8 text",
	Link:        "a link, and links are not followed",
	Special:     "no regular file",
	Hidden:      "hidden, or of a program",
	Unreadable:  "could not be read",
	BadName:     "its name cannot be that of a page",
	Derived:     "made of other files, and made anew here",
	Settings:    "settings or bookkeeping of the other program",
	Session:     "a conversation: `brain inbox add` takes it in",
	Broken:      "not to be read",
	Unknown:     "of an unknown kind",
	NoPlace:     "has no place here",
	AsText:      "stays as text",
	Forgotten:   "was purged from this brain",
	Gone:        "was deleted, archived or forgotten there",
	Expired:     "has expired",
	Duplicate:   "the brain says it already",
	Different:   "the brain has another text of it, which stays",
	OtherAgent:  "belongs to one agent (--agents keep takes it)",
	OtherUser:   "is of another user",
	NotWritable: "cannot be a page or a fact",
	Evicted:     "did not fit beside better facts",
}

// Options say how a source is read; the zero value is the default.
type Options struct {
	// KeepAgents takes what belongs to an agent as that agent's. Else pages of one
	// agent are dropped, and facts go to the one on whose behalf the import runs.
	KeepAgents bool
	// User is whose facts are taken, as the source names them; "" is of whom they are,
	// if that is one.
	User string
	// Pack places the pages that are made; nil is the built-in one.
	Pack *page.Pack
	// Now is when it is; zero is the clock's.
	Now time.Time
}

// Reader reads a source of one format and hands over what it finds, in an order that
// is the same each time. It ends with the first error of take. A source that is none
// of the format at all is ErrFormat.
type Reader func(ctx context.Context, src *Source, o Options, take func(Item) error) error

// Format is a format that is read.
type Format struct {
	Name  string // as it is typed
	About string // what it is, and what --from names
	Read  Reader
}

// Formats are all of them.
func Formats() []Format {
	return []Format{
		{"df-memory", "a memory root or brain of df-memory", readDFMemory},
		{"gbrain", "a folder of pages of gbrain", readGBrain},
		{"basic-memory", "a project folder of Basic Memory", readBasicMemory},
		{"server-memory", "the JSON lines of MCP's server-memory, a file or a folder of them", readServerMemory},
		{"mem0", "an export of mem0 or OpenMemory (JSON, JSON lines, .gz), a file or a folder of them", readMem0},
	}
}

// found and drop make items.

func found(p *Page) Item { return Item{Page: p} }

func drop(why Reason, what, where, detail string) Item {
	return Item{Dropped: &Dropped{Reason: why, What: clip(what), Where: where, Detail: clip(detail)}}
}

func (o *Options) pack() *page.Pack {
	if o.Pack == nil {
		return page.ProblemTree()
	}
	return o.Pack
}

func (o *Options) now() time.Time {
	if o.Now.IsZero() {
		return time.Now()
	}
	return o.Now
}
