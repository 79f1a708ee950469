package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brain/store"
)

// The document is the whole of one agent's memory in one JSON value, the form in which
// DeerMem gives it to other programs and takes it back:
//
//	{"version": "2.0", "revision": 7, "lastUpdated": "…",
//	 "user": {"workContext": {"summary": "…", "updatedAt": "…"}, …}, "history": {…},
//	 "facts": [{"id": "fact_abc12345", "content": "…", …}]}
//
// To import one is to make it so: what it says of a fact counts, what it does not name
// goes. All of it happens in one update or nothing does, and nothing is begun before
// the whole document was found sound. An absent list is no empty list: a document
// without `facts` clears nothing, it is refused.

// ErrDocument is the error for what is no such document, or one that cannot be believed.
var ErrDocument = errors.New("not a document of facts")

// Document is one agent's memory.
type Document struct {
	Summaries *Summaries
	Facts     []Fact // by creation, then id
}

// Export gives an agent's whole memory. A file that cannot be read as a fact ends it: a
// backup that silently lacks one is worth less than none.
func (m *Facts) Export(ctx context.Context, agent string) (*Document, error) {
	l, err := m.List(ctx, agent)
	if err != nil {
		return nil, fmt.Errorf("export facts: %w", err)
	}
	if len(l.Damaged) > 0 {
		return nil, fmt.Errorf("export facts: %s: %w: %w", l.Damaged[0].Path, ErrCorrupt, l.Damaged[0].Err)
	}
	raw, err := m.Store.ReadOwn(ctx, store.Summaries)
	if err != nil {
		return nil, fmt.Errorf("export facts: %w", err)
	}
	s, err := readSummaries(raw)
	if err != nil {
		return nil, fmt.Errorf("export facts: %w", err)
	}
	return &Document{s, l.Facts}, nil
}

// MarshalJSON is the form above.
func (d *Document) MarshalJSON() ([]byte, error) {
	raw, err := plainJSON(d.Summaries)
	if err != nil {
		return nil, err
	}
	top, _, err := parseMembers(string(raw))
	if err != nil {
		return nil, err
	}
	facts := []json.RawMessage{}
	for i := range d.Facts {
		raw, err := factObject(&d.Facts[i]).MarshalJSON()
		if err != nil {
			return nil, err
		}
		facts = append(facts, raw)
	}
	if raw, err = plainJSON(facts); err == nil {
		top.set("facts", raw)
	}
	return top.bytes(), err
}

// IsDocument reports whether a file that begins so may be a document.
func IsDocument(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\uFEFF")), jsonSpace), []byte("{"))
}

// CheckDocument says how many facts a document has. Error: ErrDocument.
func CheckDocument(raw []byte) (int, error) {
	d, err := readDocument(raw, "", time.Unix(0, 0).UTC())
	if err != nil {
		return 0, err
	}
	return len(d.facts), nil
}

// ImportOptions say how a document is imported.
type ImportOptions struct {
	IfRevision *int // of memory.json that the document is to replace; nil is any
	Summaries  bool // the user's summaries too, which all agents share
	DryRun     bool
}

// Imported is what an import came to.
type Imported struct {
	*Delta
	Unchanged int // facts that were so already
	Skipped   []Skipped
}

// Skipped is a fact that was not written.
type Skipped struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Of     string `json:"of,omitempty"` // the fact that says the same
}

// Reasons in Skipped.
const (
	SkippedForgotten = "forgotten" // it was purged: it is not written again
	SkippedDuplicate = "duplicate" // another fact says the same
)

// Import makes an agent's memory what a document says. Facts that it does not name go;
// those that it does are restored over whatever they say now, under revisions that grow;
// so an old backup is as good as a new one. A section of summaries that the document has
// is replaced whole. Errors: ErrDocument, before anything is read; *RevisionError when
// memory.json is not at the revision that was asked for; store.ErrConflict when somebody
// wrote while this did.
func (m *Facts) Import(ctx context.Context, agent string, raw []byte, o ImportOptions) (*Imported, error) {
	doc, err := readDocument(raw, agent, m.now().UTC().Truncate(time.Microsecond))
	if err != nil {
		return nil, fmt.Errorf("import facts: %w", err)
	}
	if err := m.warm(ctx, agent); err != nil {
		return nil, fmt.Errorf("import facts: %w", err)
	}
	in := &Imported{}
	in.Delta, err = m.changeAll(ctx, "import facts", []string{agent}, o.DryRun, func(b *Batch) error {
		*in = Imported{}
		return in.into(b, doc, o)
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("import facts: %w", err)
	}
	return in, nil
}

// into stages that the batch's agent has the facts of a document and no others. What
// goes makes room first, then what is there changes, and then the rest comes: so no
// fact is taken for the twin of one that is about to say something else.
func (in *Imported) into(b *Batch, doc *document, o ImportOptions) error {
	if err := b.expect(o.IfRevision); err != nil {
		return err
	}
	gone, err := b.m.Store.Forgotten(b.ctx)
	if err != nil {
		return err
	}
	all, err := b.All()
	if err != nil {
		return err
	}
	have := map[string]Fact{}
	for _, f := range all {
		if have[f.ID] = f; !doc.ids[f.ID] {
			if err := b.Remove(f.ID); err != nil {
				return err
			}
		}
	}
	var fresh []Fact
	for _, f := range doc.facts {
		old, there := have[f.ID]
		switch {
		case gone.Text(f.Content):
			in.Skipped = append(in.Skipped, Skipped{ID: f.ID, Reason: SkippedForgotten})
		case !there:
			fresh = append(fresh, f)
		default:
			if err := b.Put(old.restored(f)); err != nil {
				return err
			}
			if b.staged[f.ID] == nil {
				in.Unchanged++
			}
		}
	}
	for _, f := range fresh {
		_, _, err := b.Add(f, AddOptions{Exempt: true})
		if twin, is := errors.AsType[*DuplicateError](err); is {
			in.Skipped = append(in.Skipped, Skipped{ID: f.ID, Reason: SkippedDuplicate, Of: twin.ID})
		} else if err != nil {
			return err
		}
	}
	if o.Summaries && len(doc.sections) > 0 {
		b.edits = append(b.edits, func(m *manifest) (bool, error) { return m.replace(doc.sections) })
	}
	_, err = b.Fit()
	return err
}

// expect checks the revision of memory.json that a change was made from; nil is any.
func (b *Batch) expect(revision *int) error {
	raw, err := b.tx.OwnBefore(store.Summaries)
	if err != nil {
		return err
	}
	if have := manifestRevision(raw); revision != nil && have != *revision {
		return &RevisionError{Want: *revision, Have: have}
	}
	return nil
}

// restored is a fact as a document has it, in the file that is there: the keys that
// only the file has stay, and those that say the same stay as they are spelled.
func (f Fact) restored(doc Fact) Fact {
	read := slices.Clone(f.read)
	for _, k := range doc.unknown() {
		i := slices.IndexFunc(read, named(k.name))
		switch {
		case i < 0:
			read = append(read, k)
		case !(&Fact{read: []key{k}}).sameExtras(&Fact{read: read[i : i+1]}):
			read[i].lines = k.lines
		}
	}
	doc.read, doc.lead = read, f.lead
	return doc
}

// document is one that was read and found sound.
type document struct {
	facts    []Fact
	ids      map[string]bool
	sections map[string]json.RawMessage // user and history, if it has them
}

// readDocument holds a document against all that it must be before anything is done.
// Its error wraps ErrDocument and names the fact.
func readDocument(raw []byte, agent string, now time.Time) (*document, error) {
	refuse := func(format string, args ...any) (*document, error) {
		return nil, fmt.Errorf("%w: %w", ErrDocument, fmt.Errorf(format, args...))
	}
	s := strings.Trim(strings.TrimPrefix(string(raw), "\uFEFF"), jsonSpace)
	top, end, err := parseMembers(s)
	switch {
	case !utf8.Valid(raw):
		return refuse("it is not UTF-8")
	case err != nil:
		return refuse("%w", err)
	case end != len(s):
		return refuse("something follows the object")
	}
	if _, err := (jsonReader{keys: map[string]json.RawMessage{"revision": top.get("revision")}}).revision("revision", 0); err != nil {
		return refuse("its revision is %.40s, want a whole number from 0", top.get("revision"))
	}
	var facts []json.RawMessage
	if list := top.get("facts"); list == nil || json.Unmarshal(list, &facts) != nil || facts == nil {
		return refuse("it has no list of facts; an empty one clears them")
	}
	d := &document{ids: map[string]bool{}, sections: map[string]json.RawMessage{}}
	for i, raw := range facts {
		f, err := factFrom(raw, agent, "", now)
		if err != nil {
			return refuse("facts[%d]: %w", i, err)
		}
		if f.ID != "" && d.ids[f.ID] {
			return refuse("facts[%d]: the id %s is there twice", i, f.ID)
		}
		if f.ID != "" {
			d.ids[f.ID] = true
		}
		d.facts = append(d.facts, f)
	}
	for _, name := range []string{"user", "history"} {
		raw := top.get(name)
		if raw == nil || string(raw) == "null" {
			continue
		}
		section, err := normalSection(name, raw)
		if err != nil {
			return refuse("%q: %w", name, err)
		}
		d.sections[name] = section
	}
	return d, nil
}

// normalSection is a section with all summaries that every memory has, those without a
// text empty. What else is in it stays.
func normalSection(name string, raw []byte) (json.RawMessage, error) {
	section, _, err := parseMembers(string(raw))
	if err != nil {
		return nil, err
	}
	for _, n := range SummaryNames() {
		if n.Section != name {
			continue
		}
		child, _, err := parseMembers(string(section.get(n.Key)))
		if err != nil { // none, or no object
			child = members{}
		}
		child.set("summary", quoted(child.text("summary")))
		child.set("updatedAt", quoted(child.text("updatedAt")))
		section.set(n.Key, child.bytes())
	}
	return section.bytes(), nil
}
