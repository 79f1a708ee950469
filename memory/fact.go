// Package memory keeps what an agent holds to be true of its user: facts, one
// short statement a file, in the form of DeerMem, so that a folder that DeerMem
// wrote can be used as it is, and one that brain wrote by DeerMem.
package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"brain/page"
	"brain/store"
)

// A fact file: front matter, the title as a heading, the statement.
//
//	---
//	id: fact_abc12345
//	category: preference
//	…
//	user_id: a@b.com
//	agent_name: __default__
//	---
//
//	# Likes tabs over spaces
//
//	Likes tabs over spaces
//
// It is a page like any other (page.Parse gives type, agent, title and text),
// read more closely: its keys are DeerMem's, and writing it again moves none of
// them. A key that says what it said when the file was read keeps its lines,
// whatever their form; new ones stand behind it, user and agent last.

// ErrFact is the error for a file that is no fact, or one that cannot be written.
var ErrFact = errors.New("not a fact")

// Categories are those that DeerMem knows. Any other word is a category all the same:
// in the file it is `other`, and its own name stands in categoryExtension.
var Categories = []string{"preference", "correction", "context", "goal", "behavior", "cognitive", "identity", "constraint", "decision", "other"}

// DefaultConfidence is that of a fact which states none, or none that is a number.
const DefaultConfidence = 0.5

const (
	active        = "active"
	schemaVersion = "2"
	maxTitle      = 160 // characters
	maxID         = 128 // bytes
)

// Fact is one statement. The zero value of a field that a file need not have leaves
// its key out, unless the field says otherwise.
type Fact struct {
	ID         string  // letters, digits, _ and -; the file's name without .md
	Agent      string  // whose it is; "" is page.DefaultAgent
	User       string  // of whom, as the host names them; "" is written null
	Title      string  // the heading; "" is written as the first line of Content
	Content    string  // written without blanks around it and with LF
	Category   string  // any word; "" is context
	Confidence float64 // 0 to 1; zero is none at all, not the default
	Source     Source
	Status     string // "" is active; DeerMem deletes what is not
	Revision   int    // at least 1

	Created, Updated time.Time // each is written as the other where it is zero
	ValidDays        int       // after which it should be looked at again
	SourceError      string    // the mistake that a correction replaces
	Topics           []string
	Merged           []string  // consolidatedFrom: ids of the facts that became this one
	MergedAt         time.Time // written as Updated where it is zero and Merged is not
	Confirmed        time.Time // lastConfirmedAt
	Confirmations    int
	Provenance       page.Provenance // a key of ours, as pages have it

	ageless bool // its dates or days are there and cannot be read: nobody knows how old it is

	lead string // of the file it was read from: comments before the first key
	read []key  // and its keys in order; nil for a fact that was not read

	hash store.Hash
}

// Hash is that of the fact's file as it was read or written, for If; "" for a fact that
// was neither.
func (f *Fact) Hash() store.Hash { return f.hash }

// Source says where a fact came from.
type Source struct {
	Type   string // conversation, manual, consolidation, import, unknown ("")
	Thread string // "" is written null
}

// FactID makes an id of what a fact is made from: the same parts give the same id, so
// that the same said twice is one file. It has 16 digits where DeerMem's random ids
// have 8, since two statements of one id would be taken for one.
func FactID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return "fact_" + hex.EncodeToString(h.Sum(nil)[:8])
}

// FactPath is where an agent's fact lies: agents/<agent>/facts/<hh>/<id>.md, hh the
// first two hex digits of the id's SHA-256. "" is the default agent.
func FactPath(agent, id string) (page.Path, error) {
	if agent == "" {
		agent = page.DefaultAgent
	}
	agent, err := page.AgentName(agent)
	if err != nil {
		return "", fmt.Errorf("place of fact %q: %w", id, err)
	}
	if err := checkID(id); err != nil {
		return "", err
	}
	return page.ParsePath("agents/" + agent + "/facts/" + shard(id) + "/" + id + ".md")
}

func shard(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:1])
}

func checkID(id string) error {
	if id == "" || len(id) > maxID || strings.IndexFunc(id, notIDRune) >= 0 {
		return fmt.Errorf("%w: id %q: want 1 to %d letters, digits, _ and -", ErrFact, id, maxID)
	}
	return nil
}

func notIDRune(r rune) bool {
	return !(r == '_' || r == '-' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z')
}

// UserFolder is the name of the folder in which DeerMem keeps a user: the user's id
// with - for what is no letter, digit, _ or -, and a hash where that changed it, so
// that no two users share one.
func UserFolder(id string) (string, error) {
	if id == "" {
		return "", errors.New("folder of a user: the id is empty")
	}
	safe := strings.Map(func(r rune) rune {
		if notIDRune(r) {
			return '-'
		}
		return r
	}, id)
	if safe == id {
		return id, nil
	}
	sum := sha256.Sum256([]byte(id))
	return safe + "-" + hex.EncodeToString(sum[:8]), nil
}

// normal is the fact as it is written: what may be left open is filled in. It is
// refused when a reader would not get it back.
func (f Fact) normal() (Fact, error) {
	agent, err := page.AgentName(orElse(f.Agent, page.DefaultAgent))
	if err != nil {
		return Fact{}, err
	}
	f.Agent = agent
	f.Content = statement(f.Content)
	f.Title = title(f.Title, f.Content)
	f.Category = orElse(strings.TrimSpace(f.Category), "context")
	f.Source.Type = orElse(f.Source.Type, "unknown")
	f.Status = orElse(f.Status, active)
	f.Revision = max(f.Revision, 1)
	f.fillTimes()
	return f, f.check()
}

func (f *Fact) fillTimes() {
	if f.Updated.IsZero() {
		f.Updated = f.Created
	}
	if f.Created.IsZero() {
		f.Created = f.Updated
	}
	if f.MergedAt.IsZero() && len(f.Merged) > 0 {
		f.MergedAt = f.Updated
	}
	for _, t := range f.times() {
		*t = t.UTC().Truncate(time.Microsecond)
	}
}

func (f *Fact) times() []*time.Time {
	return []*time.Time{&f.Created, &f.Updated, &f.MergedAt, &f.Confirmed}
}

func (f *Fact) check() error {
	if err := checkID(f.ID); err != nil {
		return err
	}
	switch {
	case f.Content == "":
		return notFact("it says nothing")
	case !(f.Confidence >= 0 && f.Confidence <= 1):
		return notFact("confidence %v is not between 0 and 1", f.Confidence)
	case f.ValidDays < 0 || f.Confirmations < 0:
		return notFact("a count below zero")
	}
	for _, t := range f.times() {
		if t.Year() < 1 || t.Year() > 9999 {
			return notFact("%v is no time that a file can hold", t)
		}
	}
	for _, s := range slices.Concat([]string{f.Content, f.Title, f.User, f.Category, f.Source.Type, f.Source.Thread, f.Status,
		f.SourceError, f.Provenance.Session, f.Provenance.Ref}, f.Topics, f.Merged) {
		if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
			return notFact("%.40q is not text", s)
		}
	}
	return nil
}

// clone is a copy that shares nothing that can be changed.
func (f Fact) clone() Fact {
	f.Topics, f.Merged, f.Provenance.Turns = slices.Clone(f.Topics), slices.Clone(f.Merged), slices.Clone(f.Provenance.Turns)
	return f
}

// saysTheSame reports whether two states of a fact differ in nothing but revision and
// date.
func (f *Fact) saysTheSame(o *Fact) bool {
	if f.Title != o.Title || f.Content != o.Content {
		return false
	}
	a, b := f.keys(), o.keys()
	for i := range a {
		if a[i] != b[i] && a[i].name != "revision" && a[i].name != "updatedAt" {
			return false
		}
	}
	return f.sameExtras(o)
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// statement gives the text of a fact the form that reading it again gives.
func statement(s string) string { return strings.TrimSpace(lineFeeds(s)) }

func lineFeeds(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// title is what stands in the heading: one line of bounded length. Without one it is the
// first line of the content on which something stands.
func title(given, content string) string {
	if given = oneLine(given); given == "" {
		for line := range strings.Lines(content) {
			if given = oneLine(line); given != "" {
				break
			}
		}
	}
	if r := []rune(given); len(r) > maxTitle {
		given = strings.TrimSpace(string(r[:maxTitle]))
	}
	return given
}

// oneLine takes the ends of lines and other control characters for blanks: what consists
// of them alone is no text.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' { // DeerMem ends a line there
			return ' '
		}
		return r
	}, lineFeeds(s)))
}
