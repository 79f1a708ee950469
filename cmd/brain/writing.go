package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"brain/page"
	"brain/store"
)

// writing is a page that is about to be written.
type writing struct {
	reason string
	raw    []byte
	title  string
	spot   page.Spot
	path   page.Path // "" lets spot decide
}

// writing makes the page that the flags and the text describe.
func (f *addFlags) writing(body, agent string, now time.Time) (*writing, error) {
	f.kind = strings.ToLower(strings.TrimSpace(f.kind))
	w := &writing{reason: "add", spot: page.Spot{Type: f.kind, Source: f.source, Issue: f.issue, Title: f.title, Day: now}}
	if f.path != "" {
		var err error
		if w.path, err = page.ParsePath(withMD(f.path)); err != nil {
			return nil, err
		}
	}
	if err := ordinary(f.kind); err != nil {
		return nil, err
	}
	if ready := page.Parse("page.md", []byte(body)); len(ready.Keys) > 0 {
		return f.finished(w, body, ready)
	}
	return w, f.draft(w, body, agent, now)
}

// ordinary refuses the types that are more than a page.
func ordinary(kind string) error {
	if kind == "fact" || kind == "session" {
		return usage("--type: a "+kind+" has a form of its own that add does not write", "use note, decision, lesson, requirement, entity, experience or skill")
	}
	return nil
}

func withMD(path string) string {
	if strings.HasSuffix(strings.ToLower(path), ".md") {
		return path
	}
	return path + ".md"
}

// finished takes a text with front matter as it is.
func (f *addFlags) finished(w *writing, body string, p *page.Page) (*writing, error) {
	if f.title+f.kind+f.source != "" || len(f.tags)+len(f.aliases)+len(f.links)+len(f.facts) > 0 {
		return nil, usage("the text has front matter already, which says title, type, source, tags, aliases, links and facts", "leave the flags out, or the front matter")
	}
	w.raw, w.title = []byte(body), p.Title
	w.spot.Title, w.spot.Type, w.spot.Source = p.Title, p.Type, p.Source
	if err := ordinary(p.Type); err != nil {
		return nil, err
	}
	return w, folderName("source", p.Source)
}

// draft formats a page.
func (f *addFlags) draft(w *writing, body, agent string, now time.Time) error {
	d := page.Draft{Title: f.title, Type: f.kind, Source: f.source, Tags: f.tags, Aliases: f.aliases, CreatedBy: agent, Created: now.UTC().Truncate(time.Second), Body: body}
	if d.Title == "" {
		d.Title = titleOf(body)
	}
	if strings.TrimSpace(d.Title) == "" {
		return usage("brain add: no text and no title", "say what the page is to hold")
	}
	if d.Type == "" {
		d.Type = "note"
	}
	for _, l := range f.links {
		link, err := parseLink(l)
		if err != nil {
			return err
		}
		d.Links = append(d.Links, link)
	}
	for _, s := range f.facts {
		fact, err := parseFact(s)
		if err != nil {
			return err
		}
		d.Facts = append(d.Facts, fact)
	}
	raw, err := page.Format(d)
	w.raw, w.title = raw, d.Title
	w.spot.Title, w.spot.Type = d.Title, d.Type
	return err
}

// factJSON is a fact with the keys that it has in front matter.
type factJSON struct {
	Text         string `json:"text"`
	EventType    string `json:"event_type"`
	AttributedTo string `json:"attributed_to"`
	At           string `json:"at"`
	Metric       string `json:"metric"`
	Value        string `json:"value"`
	Unit         string `json:"unit"`
	Period       string `json:"period"`
	ValidFrom    string `json:"valid_from"`
	ValidUntil   string `json:"valid_until"`
	Supersedes   string `json:"supersedes"`
}

// parseFact reads the text of a fact, or a JSON object.
func parseFact(s string) (page.Fact, error) {
	if !strings.HasPrefix(strings.TrimSpace(s), "{") {
		return page.Fact{Text: strings.TrimSpace(s)}, nil
	}
	var j factJSON
	d := json.NewDecoder(strings.NewReader(s))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return page.Fact{}, usage(fmt.Sprintf("--fact: %s: %v", clip(s), err), `write {"text":"…","metric":"…","value":"…"}; doc/format.md has the keys`)
	}
	return page.Fact{Text: j.Text, EventType: j.EventType, AttributedTo: j.AttributedTo, At: j.At, Metric: j.Metric, Value: j.Value,
		Unit: j.Unit, Period: j.Period, ValidFrom: j.ValidFrom, ValidUntil: j.ValidUntil, Supersedes: j.Supersedes}, nil
}

// parseLink reads TYPE:TARGET, or a TARGET alone.
func parseLink(s string) (page.Link, error) {
	typ, target, ok := strings.Cut(s, ":")
	if !ok {
		typ, target = "", s
	}
	l := page.Link{Type: strings.TrimSpace(typ), Target: strings.TrimSpace(target), Kind: page.FrontMatter}
	if l.Target == "" || ok && l.Type == "" {
		return l, usage(fmt.Sprintf("--link: %q has no type or no target", s), "write decided:entities/ledger.md")
	}
	return l, nil
}

// writeTimeout is the longest wait for another writer.
const writeTimeout = 30 * time.Second

// addJSON says what became of a page: where it was written, or which page said the
// same already.
type addJSON struct {
	Brain     string `json:"brain"`
	Path      string `json:"path"` // of the page, or of its twin
	Title     string `json:"title"`
	Type      string `json:"schema_type"`
	Duplicate bool   `json:"duplicate"` // Path is a page that said it before
	Gained    bool   `json:"gained"`    // and has a source now, or a tag, that it had not
	Why       string `json:"why"`
	// Contradicts are pages that say otherwise; both stay.
	Contradicts []contradictsJSON `json:"contradicts"`
	Job         string            `json:"job"`
}

// write puts the page into the brain and tells where it is.
func (a *app) write(ctx context.Context, w *writing, yes, force bool) error {
	o, err := a.open()
	if err != nil {
		return err
	}
	pack, err := o.pack()
	if err != nil {
		return err
	}
	in, err := a.arrive(w, pack, force)
	if err != nil {
		return err
	}
	if err := a.mayWrite(o.st, yes); err != nil {
		return err
	}
	d, err := a.door(ctx, o, force)
	if err != nil {
		return err
	}
	defer d.close()
	if err := d.ask(ctx, in); err != nil {
		return err
	}
	var done *store.Receipt
	err = o.st.Update(ctx, w.reason, func(tx *store.Tx) error {
		done = tx.Receipt()
		return in.put(pack, tx, o.lister(ctx, tx))
	})
	if err != nil {
		return err
	}
	d.close()
	a.touch(ctx, o, *done)
	j := in.json(o.st.Name(), done.Job)
	if a.global.json {
		return a.json(j)
	}
	a.tell(&j, maxTold)
	return a.print("%s\n", plain(j.Path))
}

// maxTold is how many contradictions of one page are worth a line each.
const maxTold = 3

// tell says on standard error what standard output, the path alone, does not: of
// contradictions so many.
func (a *app) tell(j *addJSON, most int) {
	if j.Duplicate {
		gained := ""
		if j.Gained {
			gained = "; it has gained a source"
		}
		a.note("brain: %s says it already: %s%s", plain(j.Path), plain(j.Why), gained)
		a.note("hint: --force writes the page all the same")
	}
	for i, c := range j.Contradicts {
		if i == most {
			a.note("brain: and %d more; --json names them", len(j.Contradicts)-most)
			break
		}
		a.note("brain: %s:%d may contradict it (%s): %s", plain(c.Path), c.Line, c.Screen, plain(c.Theirs))
	}
}

// lister lists the pages that are there, those of the update among them, once the
// place of a page depends on it.
func (o *opened) lister(ctx context.Context, tx *store.Tx) func() ([]page.File, error) {
	var listed []page.File
	return func() ([]page.File, error) {
		if listed == nil {
			l, err := o.st.List(ctx)
			if err != nil {
				return nil, err
			}
			listed = l.Files
		}
		files := listed[:len(listed):len(listed)]
		for _, p := range tx.Written() {
			files = append(files, page.File{Path: p})
		}
		return files, nil
	}
}

// put writes the page at its path, or at the place it belongs to.
func (w *writing) put(pack *page.Pack, tx *store.Tx, listed func() ([]page.File, error)) (page.Path, error) {
	if w.path != "" {
		return w.path, tx.Add(w.path, w.raw)
	}
	var pages []page.File
	if pack.Numbered(w.spot) {
		var err error
		if pages, err = listed(); err != nil {
			return "", err
		}
	}
	path, err := pack.Place(w.spot, pages)
	if err != nil {
		return "", err
	}
	return tx.AddNew(path, w.raw)
}

// mayWrite asks the person where brain.yml says `write: ask`.
func (a *app) mayWrite(st *store.Store, yes bool) error {
	if why := st.ReadOnly(); why != "" {
		return fmt.Errorf("write brain %s: %w: %s", st.Name(), store.ErrReadOnly, why)
	}
	if st.Meta().Write != store.WriteAsk || yes {
		return nil
	}
	return a.confirm("brain.yml of "+plain(st.Name())+" says write: ask. Write a page there?",
		usage("write brain "+st.Name()+": brain.yml says write: ask, and there is nobody to ask", "--yes, or `write: yes` in brain.yml"),
		usage("not written", ""))
}
