// Package page reads and writes one Markdown page: front matter, body, links,
// cleaned text, chunks, content hash.
//
// A page is read once, front to back. Parse splits the front matter off and
// reads it (frontmatter.go, yaml.go), then one scan of the body (scan.go,
// inline.go) yields at the same time the cleaned text, the blocks it is made
// of, the links and the tags. Clean and Chunks only arrange what that scan
// found; they keep offsets into the body, so that a passage can be shown as
// written. A full Markdown tree (goldmark) would cost four times as much and
// be thrown away at once.
package page

import (
	"strings"
	"time"
	"unicode/utf8"

	"brain/text"
)

// Page is one Markdown file, read tolerantly: a bad front matter block never
// loses the body. It is a value; nothing in it refers to the disk. After
// Parse it is only read, so several goroutines may share it.
type Page struct {
	Path     Path
	Raw      []byte // the file, byte for byte
	Body     string // what follows the front matter, as written (BOM removed, line endings kept)
	BodyLine int    // 1-based line of the file on which Body begins

	Title       string   // front matter, else first heading, else the file name without .md
	Type        string   // schema_type, else type, else by place in the tree (see Path.Type); lower case
	Status      string   // active (default), archived, stale, merged; as written, folded
	Source      string   // front matter, else sources/<source>/ of the path
	Sources     []string // who else said the same; its links are in Links, too
	CreatedBy   string
	Tags        []string // front matter and #tags of the body
	Aliases     []string
	Slug        string
	Redirect    string    // a redirect stub names the page that replaced it
	Abstract    string    // L0
	Overview    string    // L1
	LayersOf    string    // layers_of: the two were written by brain, see doc/format.md
	Description string    // description, summary or desc of the front matter: searched, never shown as abstract
	Generated   bool      // `generated: brain`, or another program's list at ReviewPath: never ranked
	Created     time.Time // zero when absent or unreadable
	Updated     time.Time
	At          time.Time // `date`/`at`: when what it tells happened
	Links       []Link    // front matter, then body, in order
	Facts       []Fact
	ExternalIDs []string // ids that other systems have for it, "system:id"
	Provenance  Provenance
	Keys        []string  // front matter keys in order, known or not
	Problems    []Problem // what the reader had to forgive
	Agent       string    // whose page it is, "" for one that belongs to all
	Turns       []Turn    // of a session

	words    *relationWords // that give links their types
	declared declared       // what the front matter says itself, for the hash
	found    *scan          // what the scan of the body found
	torn     bool           // a merge conflict begins in the front matter and ends in the body
	gone     Gone           // what of the body is superseded
	standing string         // the body without that, when there is any
}

// declared holds what the file itself says, before the place in the tree and
// the body fill the gaps: the part of the hash that a move must not change.
type declared struct {
	title, typ, status, source string
	tags                       []string
	links                      int    // how many of Links stand in the front matter
	plain                      []Link // these as the built-in pack reads them, nil when it was the one
}

// Provenance names the session and the turns a page was made from.
type Provenance struct {
	Session string
	Turns   []int
	Ref     string
}

// Fact is one entry of `facts:`. Live reports whether it counts.
type Fact struct {
	Text, EventType, AttributedTo                 string
	Metric, Value, Unit, Period                   string
	At, ValidFrom, ValidUntil, Supersedes, Status string
	Line                                          int
}

// Live reports whether the fact still counts: it was neither superseded nor
// archived. Whether it is valid on a given day is the caller's question.
func (f Fact) Live() bool {
	return !strings.EqualFold(f.Status, "superseded") && !strings.EqualFold(f.Status, "archived")
}

// LinkKind says how a link stands in the page.
type LinkKind uint8

const (
	Wiki        LinkKind = iota // [[Page]]
	Embed                       // ![[Page]]
	Markdown                    // [label](page.md)
	Mention                     // @slug
	FrontMatter                 // links: in the front matter
	List                        // - relation [[Page]]
)

// Link is one link as written, typed; it is resolved by the index.
type Link struct {
	Target   string // as written, percent-decoded, fragment removed
	Fragment string // heading or ^block, without #
	Label    string
	Type     string // edge type: mentions, references, decided, …
	Kind     LinkKind
	Reverse  bool   // the edge runs from the target to this page: "founded by [[Y]]"
	Origin   string // front matter `source` of a link: wikilink, verb, …; else ""
	Line     int    // 1-based line in the file
}

// Parse reads a file. It never fails: what it had to forgive is in Problems.
// File contents that are not UTF-8 are read with the bad bytes replaced.
func Parse(path Path, raw []byte) *Page { return parse(path, raw, builtinWords) }

func parse(path Path, raw []byte, words *relationWords) *Page {
	return read(path, raw, words, (*Page).leaveOut)
}

// parseWhole reads what is superseded, too: for who changes the file.
func parseWhole(path Path, raw []byte, words *relationWords) *Page {
	return read(path, raw, words, func(*Page, *scanner) {})
}

func read(path Path, raw []byte, words *relationWords, leaveOut func(*Page, *scanner)) *Page {
	p := &Page{Path: path, Raw: raw, BodyLine: 1, Status: "active", Agent: path.Agent(), words: words}
	if path.IsSession() {
		p.parseSession(raw)
		return p
	}
	p.readFrontMatter(p.decode(raw))
	p.Generated = p.Generated || path == ReviewPath && listsPairs(p.Body)
	p.declared.links = len(p.Links)
	s := scanFrom(p.Body, p.BodyLine, p.torn, words)
	leaveOut(p, s)
	p.found = s.result()
	p.Links = append(p.Links, p.found.links...)
	p.Problems = append(p.Problems, p.found.problems...)
	p.fillFromBody()
	return p
}

// Split finds the body of a file as Parse does, and the 1-based line on which
// it begins, without reading it: for who only looks for words in it.
func Split(raw []byte) (body string, line int) {
	p := &Page{BodyLine: 1}
	p.cutBody(p.decode(raw))
	return p.Body, p.BodyLine
}

// decode gives the file as UTF-8 without a byte order mark.
func (p *Page) decode(raw []byte) string {
	s := string(raw)
	if !utf8.ValidString(s) {
		p.problem(badLine(s), CodeNotUTF8, "the file is not UTF-8", "save the file as UTF-8")
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.TrimPrefix(s, "\uFEFF")
}

// badLine is the line of the first byte that is not UTF-8.
func badLine(s string) int {
	line := 1
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return line
			}
		}
		if r == '\n' {
			line++
		}
	}
	return line
}

// fillFromBody fills what the front matter leaves open.
func (p *Page) fillFromBody() {
	if p.Title == "" && len(p.found.heads) > 0 {
		p.Title = p.clip(p.found.headText(0), p.BodyLine)
	}
	if p.Title == "" {
		p.Title = p.Path.Stem()
	}
	if p.Type == "" {
		p.Type = p.Path.Type()
	}
	if p.Source == "" {
		p.Source = p.Path.Source()
	}
	p.Tags = p.declared.tags
	if len(p.found.tags) > 0 {
		p.Tags = dedupe(append(p.Tags[:len(p.Tags):len(p.Tags)], p.found.tags...))
	}
	if p.bare() && len(p.Keys) == 0 {
		p.problem(1, CodeEmpty, "the page is empty", "write something or delete the file")
	}
}

// maxName bounds titles, aliases and slugs as read, in characters.
const maxName = 500

func (p *Page) clip(name string, line int) string {
	if len(name) <= maxName || utf8.RuneCountInString(name) <= maxName {
		return name
	}
	p.problem(line, CodeTooLong, "a name of more than 500 characters", "shorten it")
	return name[:text.CutGrapheme(name, byteOffset(name, maxName))]
}

// byteOffset is where the n-th character of s begins.
func byteOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// bare reports whether nothing of the page could be read by a person: no
// text, no facts, no summary.
func (p *Page) bare() bool {
	return strings.TrimSpace(p.Body) == "" && len(p.Facts) == 0 &&
		p.Abstract == "" && p.Overview == "" && p.Description == ""
}

// ReviewPath is the list of contradictions: brain's own output, that of another program of the
// same name, or a person's page, which is like any other.
const ReviewPath = Path("contradictions.md")

// listsPairs reports df-memory's list of contradictions: by one of its headings, or an entry
// that names two facts of pages, "notes/queue.md#2".
func listsPairs(body string) bool {
	for line := range strings.Lines(body) {
		switch strings.TrimRight(line, " \t\r\n") {
		case "## intra-file", "## cross-file":
			return true
		}
		entry := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || line[0] == ' ' || line[0] == '\t'
		if entry && factsNamed(line) >= 2 {
			return true
		}
	}
	return false
}

// factsNamed counts what is written path.md#2. A link to a heading is another thing, also to one
// that begins with a number.
func factsNamed(line string) (n int) {
	for {
		_, rest, ok := strings.Cut(line, ".md#")
		if !ok {
			return n
		}
		line = strings.TrimLeft(rest, "0123456789")
		if len(line) < len(rest) && (line == "" || strings.IndexByte("` :\t\r\n", line[0]) >= 0) {
			n++
		}
	}
}

// Ranked reports whether the page may appear in answers: not generated by
// brain, not a redirect stub, not empty. A page without a body that has at
// least a title or an alias of its own is not empty: it can be named.
func (p *Page) Ranked() bool {
	if p.Generated || p.Redirect != "" || p.Status == "merged" {
		return false
	}
	return !p.bare() || p.declared.title != "" || len(p.Aliases) > 0 || p.declared.links > 0
}

// Retired reports whether a status takes a page out of every answer: it is over, or, of a
// skill that was only proposed, not yet there. Words that people use for work in progress
// ("draft", "open") do not.
func Retired(status string) bool {
	switch status {
	case "archived", "superseded", "merged", "deleted", Candidate:
		return true
	}
	return false
}

// Candidate is the status of a page that waits for a person to activate it.
const Candidate = "candidate"

// Tier is the trust tier that breaks ties, best first: skill 0, experience 1,
// what people curate 2, fact and anything else 3, session 4.
func (p *Page) Tier() int {
	switch strings.ToLower(p.Type) {
	case "skill":
		return 0
	case "experience":
		return 1
	case "decision", "lesson", "note", "requirement", "entity":
		return 2
	case "session":
		return 4
	}
	return 3
}

// NameKind says where a name comes from; a lower kind resolves first.
type NameKind uint8

const (
	NamePath  NameKind = iota // the path without .md
	NameFile                  // the file name without .md; the folder's name for a SKILL.md
	NameSlug                  // slug of the front matter
	NameTitle                 // the title, wherever it came from
	NameAlias                 // one of aliases
)

// Name is one name by which a page can be linked or asked for, as written.
type Name struct {
	Text string
	Kind NameKind
}

// Names lists the page's names, best kind first, for the resolution of links.
func (p *Page) Names() []Name {
	names := make([]Name, 0, 4+len(p.Aliases))
	if p.Path.IsSession() {
		return append(names, Name{p.Path.Dir(), NamePath}, Name{p.Path.Stem(), NameFile}, Name{p.Title, NameTitle})
	}
	names = append(names, Name{trimMD(string(p.Path)), NamePath}, Name{p.Path.Stem(), NameFile})
	if dir := p.Path.Dir(); dir != "" && p.Path.Stem() == "SKILL" {
		names = append(names, Name{dir[strings.LastIndexByte(dir, '/')+1:], NameFile})
	}
	if p.Slug != "" {
		names = append(names, Name{p.Slug, NameSlug})
	}
	if p.Title != "" {
		names = append(names, Name{p.Title, NameTitle})
	}
	for _, a := range p.Aliases {
		names = append(names, Name{a, NameAlias})
	}
	return names
}

// dedupe drops later spellings of a name that differ by case alone.
func dedupe(names []string) []string {
	out := names[:0:0]
next:
	for _, n := range names {
		for _, have := range out {
			if strings.EqualFold(n, have) {
				continue next
			}
		}
		out = append(out, n)
	}
	return out
}
