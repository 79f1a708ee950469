package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/page"
	"brain/store"
)

type editFlags struct {
	set, unset, add, remove []string
	append                  []string
	body, file              string
	ifHash                  string
	yes                     bool
}

func editCommand() *command {
	var f editFlags
	return &command{
		name: "edit", group: groupWrite, args: "PATH|NAME", min: 1, max: 1, schema: "edit",
		short: "change a page line by line",
		long: `Changes keys of a page's front matter, or its text. Only the lines that change, change: other keys, comments, order, line endings stay byte for byte. updated_at is renewed where the page keeps dates.

--set KEY=VALUE writes a value, --unset KEY removes a key, --add KEY=VALUE and --remove KEY=VALUE change one entry of a list (tags, aliases, sources). --append adds a paragraph at the end, --body replaces the text; - stands for standard input.

With --if-hash the page must still be what it was: the hash is the file's SHA-256, which read --json and every change print. Otherwise the exit code is 4 and nothing is written. What the schema says may not be changed (a requirement, what a lesson said before) is refused.`,
		examples: []string{
			`brain edit entities/postgres.md --set status=stale --add tags=database`,
			`brain edit 支付系统 --append "2026-12-01 起由新团队维护。"`,
			`brain edit notes/today.md --body - < today.md`,
		},
		exits: changing(),
		flags: func(fs *pflag.FlagSet) {
			fs.StringArrayVar(&f.set, "set", nil, "set `KEY=VALUE` in the front matter; may be repeated")
			fs.StringArrayVar(&f.unset, "unset", nil, "remove `KEY`; may be repeated")
			fs.StringArrayVar(&f.add, "add", nil, "add an entry to a list, `KEY=VALUE`; may be repeated")
			fs.StringArrayVar(&f.remove, "remove", nil, "remove an entry from a list, `KEY=VALUE`; may be repeated")
			fs.StringArrayVar(&f.append, "append", nil, "add `TEXT` as a paragraph at the end of the page (- is standard input); may be repeated")
			fs.StringVar(&f.body, "body", "", "replace the page's text by `TEXT` (- is standard input)")
			fs.StringVar(&f.file, "file", "", "replace the page's text by that of `FILE`")
			fs.StringVar(&f.ifHash, "if-hash", "", "only if the page's file has this `SHA256`")
			yesFlag(fs, &f.yes)
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.edit(ctx, &f, args[0]) },
	}
}

func (a *app) edit(ctx context.Context, f *editFlags, name string) error {
	changes, below, err := a.editChanges(ctx, f)
	if err != nil {
		return err
	}
	if a.changed("if-hash") && !isHash(f.ifHash) {
		return usage(fmt.Sprintf("--if-hash: %q is not a SHA-256 in hex", f.ifHash), "`brain read --json` tells it as hash")
	}
	o, err := a.openToWrite(f.yes)
	if err != nil {
		return err
	}
	p, err := a.found(ctx, o, name)
	if err != nil {
		return err
	}
	e, err := o.st.EditPage(ctx, store.Edit{
		Reason: "edit", Path: p, If: store.Hash(strings.ToLower(f.ifHash)), Now: time.Now(),
		Changes: func(old *page.Page) ([]page.Change, error) {
			if below == "" {
				return changes, nil
			}
			return append(slices.Clone(changes), old.AppendParagraph(below)), nil
		},
		Check: o.allows,
	})
	if errors.Is(err, page.ErrMerge) && p.Type() == "fact" {
		return &failure{cause: err, code: exitUsage, text: "edit", hint: "`brain fact update " + p.Stem() + "` changes a fact; nothing was written"}
	}
	if err != nil {
		return err
	}
	a.touch(ctx, o, e.Receipt)
	return a.printChange(o, p, e)
}

// editChanges reads the flags, in the order of their help; below is a paragraph for the
// end of the page.
func (a *app) editChanges(ctx context.Context, f *editFlags) (all []page.Change, below string, err error) {
	for _, group := range []struct {
		flag   string
		values []string
		change func(key, value string) page.Change
	}{
		{"set", f.set, page.SetText},
		{"add", f.add, func(k, v string) page.Change { return page.AddTo(k, v) }},
		{"remove", f.remove, func(k, v string) page.Change { return page.RemoveFrom(k, v) }},
	} {
		for _, s := range group.values {
			key, value, ok := strings.Cut(s, "=")
			if key = strings.TrimSpace(key); !ok || key == "" {
				return nil, "", usage(fmt.Sprintf("--%s: %q is not KEY=VALUE", group.flag, s), "write --"+group.flag+" status=stale")
			}
			if err := editable(key); err != nil {
				return nil, "", err
			}
			all = append(all, group.change(key, strings.TrimSpace(value)))
		}
	}
	for _, key := range f.unset {
		if err := editable(key); err != nil {
			return nil, "", err
		}
		all = append(all, page.Unset(strings.TrimSpace(key)))
	}
	text, err := a.editText(ctx, f)
	switch {
	case err != nil:
		return nil, "", err
	case a.changed("append"):
		below = text
	case (a.changed("body") || a.changed("file")) && strings.TrimSpace(text) == "":
		return nil, "", usage("brain edit: the new text is empty", "`brain forget` is for a page that is not wanted any more")
	case a.changed("body") || a.changed("file"):
		all = append(all, page.SetBody(text))
	}
	if len(all) == 0 && below == "" {
		err = usage("brain edit: nothing to change", "name a change: --set, --unset, --add, --remove, --append, --body or --file")
	}
	return all, below, err
}

// editable refuses the keys whose values mean more than a line.
func editable(key string) error {
	switch strings.ToLower(strings.TrimSpace(key)) {
	case "redirect", "generated":
		return usage("--set: "+key+" is brain's own to write", "`brain entity merge` makes redirects")
	}
	return nil
}

// editText is the text of --append, --body or --file.
func (a *app) editText(ctx context.Context, f *editFlags) (string, error) {
	given := 0
	for _, flag := range []string{"append", "body", "file"} {
		if a.changed(flag) {
			given++
		}
	}
	switch {
	case given > 1:
		return "", usage("brain edit: --append, --body and --file cannot be combined", "")
	case a.changed("append"):
		return a.paragraphs(ctx, f.append)
	case a.changed("body"):
		return a.orPiped(ctx, f.body)
	case a.changed("file"):
		return a.fileText(ctx, f.file)
	}
	return "", nil
}

// paragraphs puts texts below each other.
func (a *app) paragraphs(ctx context.Context, texts []string) (string, error) {
	var all []string
	for _, t := range texts {
		t, err := a.orPiped(ctx, t)
		if err != nil {
			return "", err
		}
		if t = strings.Trim(t, "\r\n"); t != "" {
			all = append(all, t)
		}
	}
	return strings.Join(all, "\n\n"), nil
}

func isHash(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 64
}

// orPiped is a text given as a flag, - being standard input.
func (a *app) orPiped(ctx context.Context, text string) (string, error) {
	if text == "-" {
		return a.piped(ctx)
	}
	return text, nil
}
