package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"brain/store"
)

type addFlags struct {
	text, file, title, kind, source, issue, path string
	tags, aliases, links, facts                  []string
	batch, force, yes                            bool
}

func addCommand() *command {
	var f addFlags
	return &command{
		name: "add", group: groupWrite, args: "[TEXT…]", max: -1, schema: "add",
		short: "write a page",
		long: `Writes a new page from TEXT, --text, --file or standard input, and prints its path. An existing page is never overwritten.

Without --path the place follows from what it is: a decision, requirement or lesson of an issue lies in sources/SOURCE/issues/ISSUE/, an entity in entities/, an experience in experiences/, a skill in skills/NAME/, and everything else in sources/SOURCE/notes/ under the date. A schema pack may have it otherwise, and has types of its own (schema.pack); a type that it does not know is refused. The file's name is made of the title, in its own script. Where a made name is taken, -2, -3 and so on is added; a --path that is taken is a conflict.

A text that begins with front matter is written as it is; flags that say what front matter says (--title, --type, --source, --tag, --alias, --link, --fact) cannot be combined with it.

What the brain says already is not written twice: the page that says it gains a source and is named. What a page contradicts is named as well, and both stay. --force writes in any case. An entity whose name another bears already, in whatever spelling, is a conflict.

--batch reads JSON lines, a page each, with the keys text, title, type, source, issue, path, tags, aliases, links ([{"to","type"}]) and facts (texts, or objects with the keys of a fact). Up to 200 of them are one transaction; a line is acknowledged once it is on disk, and one that cannot be written is reported and stops no other.`,
		examples: []string{
			`brain add --type decision --source billing --issue 7 --title "Use PostgreSQL" < decision.md`,
			`brain add --type entity --title 支付系统 --alias payments "The system that moves money."`,
			`brain add --path notes/today.md --text "Rotate the keys on Friday." --tag security`,
			`brain add --batch < pages.jsonl`,
		},
		exits: []exitNote{
			{exitNotFound, "no memory root or brain, or --file does not exist"},
			{exitConflict, "--path exists or differs from an existing page only in case, or an entity bears the name"},
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
	fs.StringArrayVar(&f.facts, "fact", nil, "a `FACT` that the page states: its text, or a JSON object with the keys of a fact; may be repeated")
	fs.BoolVar(&f.batch, "batch", false, "read pages as JSON lines from --file or standard input")
	fs.BoolVar(&f.force, "force", false, "write also what the brain says already")
	yesFlag(fs, &f.yes)
}

func (a *app) add(ctx context.Context, f *addFlags, args string) error {
	if f.batch {
		return a.addBatch(ctx, f, args)
	}
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
	return a.write(ctx, w, f.yes, f.force)
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
		return a.fileText(ctx, f.file)
	case terminal(a.in):
		return "", usage("brain add: no text", "give TEXT, --text or --file, or pipe it in")
	}
	return a.piped(ctx)
}

// piped reads standard input.
func (a *app) piped(ctx context.Context) (string, error) {
	return await(ctx, func() (string, error) { return readText(a.in, "standard input") })
}

func (a *app) fileText(ctx context.Context, name string) (string, error) {
	return await(ctx, func() (string, error) {
		file, err := os.Open(a.path(name))
		if err != nil {
			return "", &failure{text: "--file " + name, cause: bare(err)}
		}
		defer file.Close()
		return readText(file, name)
	})
}

// await gives what take does. Ctrl-C ends the wait for it: a pipe may have no writer, and
// neither an open nor a read of one can be ended.
func await[T any](ctx context.Context, take func() (T, error)) (T, error) {
	type result struct {
		got T
		err error
	}
	done := make(chan result, 1)
	go func() {
		got, err := take()
		done <- result{got, err}
	}()
	select {
	case r := <-done:
		return r.got, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
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
