package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"brain/page"
	"brain/store"
)

type addFlags struct {
	text, file, title, kind, source, issue, path string
	tags, aliases, links                         []string
	yes                                          bool
}

func addCommand() *command {
	var f addFlags
	return &command{
		name: "add", group: groupWrite, args: "[TEXT…]", max: -1, schema: "add",
		short: "write a page",
		long: `Writes a new page from TEXT, --text, --file or standard input, and prints its path. An existing page is never overwritten.

Without --path the place follows from what it is: a decision, requirement or lesson of an issue lies in sources/SOURCE/issues/ISSUE/, an entity in entities/, an experience in experiences/, a skill in skills/NAME/, and everything else in sources/SOURCE/notes/ under the date. A schema pack may have it otherwise, and has types of its own (schema.pack); a type that it does not know is refused. The file's name is made of the title, in its own script. Where a made name is taken, -2, -3 and so on is added; a --path that is taken is a conflict.

A text that begins with front matter is written as it is; flags that say what front matter says (--title, --type, --source, --tag, --alias, --link) cannot be combined with it.`,
		examples: []string{
			`brain add --type decision --source billing --issue 7 --title "Use PostgreSQL" < decision.md`,
			`brain add --type entity --title 支付系统 --alias payments "The system that moves money."`,
			`brain add --path notes/today.md --text "Rotate the keys on Friday." --tag security`,
		},
		exits: []exitNote{
			{exitNotFound, "no memory root or brain, or --file does not exist"},
			{exitConflict, "--path exists, or differs from an existing page only in case"},
			{exitBusy, "another process was writing for more than 30 s"},
			{exitEnvironment, "the disk is full or may not be written"},
		},
		flags: f.flags,
		run: func(ctx context.Context, a *app, args []string) error {
			return a.add(ctx, &f, strings.Join(args, " "))
		},
	}
}

func (f *addFlags) flags(fs *pflag.FlagSet) {
	fs.StringVar(&f.text, "text", "", "the page's `TEXT`, in Markdown")
	fs.StringVar(&f.file, "file", "", "read the text from `FILE` (- is standard input)")
	fs.StringVar(&f.title, "title", "", "`TITLE` (default: the first heading, else the first sentence)")
	fs.StringVar(&f.kind, "type", "", "`TYPE`: note, decision, lesson, requirement, entity, experience, skill, or one of the schema pack (default note)")
	fs.StringVar(&f.source, "source", "", "`SOURCE` the page belongs to, a folder below sources/ (default: default)")
	fs.StringVar(&f.issue, "issue", "", "`ISSUE` of the source that a decision, requirement or lesson belongs to")
	fs.StringVar(&f.path, "path", "", "write it at `PATH` within the brain")
	fs.StringSliceVar(&f.tags, "tag", nil, "`TAGS` of the page")
	fs.StringSliceVar(&f.aliases, "alias", nil, "other `NAMES` of the page")
	fs.StringArrayVar(&f.links, "link", nil, "a link to another page, `TYPE:TARGET`, such as decided:entities/ledger.md; may be repeated")
	fs.BoolVarP(&f.yes, "yes", "y", false, "write without asking where brain.yml says write: ask")
}

type addJSON struct {
	Brain string `json:"brain"`
	Path  string `json:"path"`
	Title string `json:"title"`
	Type  string `json:"schema_type"`
}

func (a *app) add(ctx context.Context, f *addFlags, args string) error {
	body, err := a.content(ctx, f, args)
	if err != nil {
		return err
	}
	for flag, name := range map[string]string{"source": f.source, "issue": f.issue} {
		if err := folderName(flag, name); err != nil {
			return err
		}
	}
	w, err := f.writing(body, a.agent(), time.Now())
	if err != nil {
		return err
	}
	return a.write(ctx, w, f.yes)
}

// content is the text of the page, from the one place that was named.
func (a *app) content(ctx context.Context, f *addFlags, args string) (string, error) {
	given := 0
	for _, b := range []bool{args != "", a.changed("text"), f.file != ""} {
		if b {
			given++
		}
	}
	switch {
	case given > 1:
		return "", usage("brain add: the text is given more than once", "use one of TEXT, --text, --file, standard input")
	case args != "":
		return args, nil
	case a.changed("text"):
		return f.text, nil
	case f.file != "" && f.file != "-":
		return a.fileText(f.file)
	case terminal(a.in):
		return "", usage("brain add: no text", "give TEXT, --text or --file, or pipe it in")
	}
	return a.piped(ctx)
}

// piped reads standard input; Ctrl-C ends the wait for it.
func (a *app) piped(ctx context.Context) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := readText(a.in, "standard input")
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (a *app) fileText(name string) (string, error) {
	file, err := os.Open(a.path(name))
	if err != nil {
		return "", &failure{text: "--file " + name, cause: bare(err)}
	}
	defer file.Close()
	return readText(file, name)
}

// readText reads a text of bounded size that is UTF-8.
func readText(r io.Reader, name string) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(r, store.MaxFile+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", name, bare(err))
	case len(raw) > store.MaxFile:
		return "", &failure{text: "read " + name, cause: store.ErrTooLarge, hint: "split it: a page has at most 4 MiB"}
	case !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0:
		return "", usage("read "+name+": not UTF-8 text", "convert it: iconv -f latin1 -t utf-8")
	}
	return strings.TrimPrefix(string(raw), "\ufeff"), nil
}

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
	if f.title+f.kind+f.source != "" || len(f.tags)+len(f.aliases)+len(f.links) > 0 {
		return nil, usage("the text has front matter already, which says title, type, source, tags, aliases and links", "leave the flags out, or the front matter")
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
	raw, err := page.Format(d)
	w.raw, w.title = raw, d.Title
	w.spot.Title, w.spot.Type = d.Title, d.Type
	return err
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

// write puts the page into the brain and tells where it is.
func (a *app) write(ctx context.Context, w *writing, yes bool) error {
	o, err := a.open()
	if err != nil {
		return err
	}
	pack, err := o.pack()
	if err != nil {
		return err
	}
	if err := obey(pack, w.spot.Type, page.Parse("page.md", w.raw)); err != nil {
		return err
	}
	if err := a.mayWrite(o.st, yes); err != nil {
		return err
	}
	limited, stop := context.WithTimeout(ctx, writeTimeout)
	defer stop()
	var at page.Path
	err = o.st.Update(limited, w.reason, func(tx *store.Tx) error {
		at, err = w.put(limited, o.st, pack, tx)
		return err
	})
	if err != nil {
		return err
	}
	if a.global.json {
		return a.json(addJSON{o.st.Name(), string(at), w.title, w.spot.Type})
	}
	return a.print("%s\n", plain(string(at)))
}

// put writes the page at its path, or at the place it belongs to.
func (w *writing) put(ctx context.Context, st *store.Store, pack *page.Pack, tx *store.Tx) (page.Path, error) {
	if w.path != "" {
		return w.path, tx.Add(w.path, w.raw)
	}
	var pages []page.File
	if pack.Numbered(w.spot) {
		listing, err := st.List(ctx)
		if err != nil {
			return "", err
		}
		pages = listing.Files
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
	if !terminal(a.in) || !terminal(a.err) {
		return usage("write brain "+st.Name()+": brain.yml says write: ask, and there is nobody to ask", "--yes, or `write: yes` in brain.yml")
	}
	fmt.Fprintf(a.err, "brain.yml of %s says write: ask. Write a page there? [y/N] ", plain(st.Name()))
	answer, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil || !strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y") {
		return usage("not written", "")
	}
	return nil
}
