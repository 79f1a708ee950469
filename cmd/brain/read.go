package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/index"
	"brain/page"
	"brain/store"
	"brain/text"
)

type readFlags struct {
	lines, section string
	index, history bool
}

func readCommand() *command {
	var f readFlags
	return &command{
		name: "read", group: groupFind, args: "PATH|NAME", min: 1, max: 1, schema: "read",
		short: "print a page",
		long: `Prints a page as it is on disk. The page is named by its path within the brain (.md may be left out; Unicode form and case do not matter where only one page fits), or by its title, alias or slug; the name of a merged entity leads to the page that replaced it. A name that fits several pages is reported with the candidates.

On a terminal control characters are left out; into a file or pipe the bytes are exact.`,
		examples: []string{"brain read entities/postgres.md", "brain read PostgreSQL --section History", "brain read notes/long.md --lines 40:60", "brain read entities/postgres --index"},
		exits: []exitNote{
			{exitNegative, "the page, or the part asked for, is empty"},
			{exitNotFound, "no such page, section or brain"},
			{exitConflict, "the name is ambiguous"},
			{exitEnvironment, "the page cannot be read"},
		},
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&f.lines, "lines", "", "only lines `A:B` of the file, from 1; A: and :B are open ends")
			fs.StringVar(&f.section, "section", "", "only the part below this `HEADING`")
			fs.BoolVar(&f.history, "with-history", false, "after the page, the turns of sessions that it came from")
			fs.BoolVar(&f.index, "index", false, "show what the index keeps of the page")
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.read(ctx, &f, args[0]) },
	}
}

// readJSON is a page or a part of it. Text holds the lines From to To of the file.
type readJSON struct {
	Brain   string   `json:"brain"`
	Path    string   `json:"path"`
	Title   string   `json:"title"`
	Type    string   `json:"schema_type"`
	Status  string   `json:"status"`
	Source  string   `json:"source"`
	Tags    []string `json:"tags"`
	Aliases []string `json:"aliases"`
	Updated string   `json:"updated"`
	Hash    string   `json:"hash"` // SHA-256 of the whole file, for edit --if-hash
	From    int      `json:"from"`
	To      int      `json:"to"`
	Lines   int      `json:"lines"`
	Text    string   `json:"text"`
	// Said are the turns that the page came from, with --with-history.
	Said []saidJSON `json:"said"`
}

func (a *app) read(ctx context.Context, f *readFlags, name string) error {
	if f.lines != "" && f.section != "" {
		return usage("--lines and --section cannot be combined", "")
	}
	o, err := a.open()
	if err != nil {
		return err
	}
	path, err := a.lookupOpening(ctx, o, name)
	if err != nil {
		return err
	}
	if f.index {
		return a.readIndex(ctx, o, path)
	}
	raw, err := o.st.Read(ctx, path)
	if err != nil {
		return err
	}
	p := page.Parse(path, raw)
	lines := splitLines(string(raw))
	from, to, err := f.span(p, lines)
	if err != nil {
		return err
	}
	part := strings.Join(lines[from-1:to], "")
	said := []saidJSON{}
	if f.history && !path.IsSession() {
		if said, err = a.said(ctx, o, p); err != nil {
			return err
		}
	}
	switch {
	case a.global.json:
		err = a.json(readJSON{o.st.Name(), string(path), p.Title, p.Type, p.Status, p.Source, list(p.Tags), list(p.Aliases),
			stamp(p.Updated), string(store.HashOf(raw)), from, to, len(lines), part, said})
	case terminal(a.out):
		err = a.print("%s\n", strings.TrimSuffix(harmless(part), "\n"))
	default:
		_, err = a.out.Write([]byte(part))
	}
	if err == nil && !a.global.json {
		err = a.print("%s", tellSaid(said))
	}
	if err == nil && strings.TrimSpace(part) == "" {
		return errNegative
	}
	return err
}

// splitLines cuts after each line feed.
func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if n := len(lines); lines[n-1] == "" {
		lines = lines[:n-1]
	}
	return lines
}

// span gives the lines asked for, from 1, both inclusive; to < from is nothing.
func (f *readFlags) span(p *page.Page, lines []string) (from, to int, err error) {
	switch {
	case f.lines != "":
		from, to, err = parseLines(f.lines, len(lines))
	case f.section != "":
		from, to, err = section(p, f.section, len(lines))
	default:
		from, to = 1, len(lines)
	}
	if from > len(lines) {
		from, to = len(lines)+1, len(lines)
	}
	return from, min(to, len(lines)), err
}

// parseLines reads A:B, A:, :B or A.
func parseLines(s string, last int) (from, to int, err error) {
	a, b, open := strings.Cut(s, ":")
	from, to = 1, last
	if a != "" {
		from, err = strconv.Atoi(a)
	}
	if b != "" && err == nil {
		to, err = strconv.Atoi(b)
	}
	if !open {
		to = from
	}
	if err != nil || from < 1 || b != "" && to < from || a == "" && b == "" {
		return 0, 0, usage(fmt.Sprintf("--lines: %q is no range of lines", s), "write 10:20, 10:, :20 or 10")
	}
	return from, to, nil
}

// section finds a heading, folded, and the lines from it to the next heading that is
// not below it.
func section(p *page.Page, heading string, last int) (from, to int, err error) {
	level := 0
	want := text.Fold(strings.TrimLeft(heading, "# "))
	var known []string
	for _, h := range headings(p) {
		if from > 0 && h.level <= level {
			return from, h.line - 1, nil
		}
		if from == 0 && text.Fold(h.text) == want {
			from, level = h.line, h.level
		}
		known = append(known, h.text)
	}
	if from > 0 {
		return from, last, nil
	}
	hint := "headings: " + strings.Join(known, " · ")
	if len(known) == 0 {
		hint = "the page has no headings"
	}
	return 0, 0, &failure{code: exitNotFound, text: fmt.Sprintf("read %s: no heading %q", p.Path, heading), hint: hint}
}

// heading is one line of the form "## Text", outside code fences.
type heading struct {
	level, line int
	text        string
}

func headings(p *page.Page) []heading {
	var all []heading
	fence := ""
	line := p.BodyLine
	for l := range strings.Lines(p.Body) {
		l = strings.TrimRight(l, "\r\n")
		switch mark := fenceMark(l); {
		case fence == "" && mark != "":
			fence = mark
		case fence != "":
			if strings.HasPrefix(mark, fence) {
				fence = ""
			}
		default:
			if text := strings.TrimLeft(l, "#"); len(text) < len(l) && len(l)-len(text) <= 6 && strings.HasPrefix(text, " ") {
				all = append(all, heading{len(l) - len(text), line, strings.Trim(text, "# ")})
			}
		}
		line++
	}
	return all
}

// fenceMark is the row of ` or ~ that opens or closes a code fence.
func fenceMark(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, c := range "`~" {
		if n := len(line) - len(strings.TrimLeft(line, string(c))); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// indexedJSON is what the index keeps of a page.
type indexedJSON struct {
	Path     string   `json:"path"`
	Title    string   `json:"title"`
	Type     string   `json:"schema_type"`
	Status   string   `json:"status"`
	Source   string   `json:"source"`
	Agent    string   `json:"agent"`
	Slug     string   `json:"slug"`
	Redirect string   `json:"redirect"`
	Tags     []string `json:"tags"`
	Aliases  []string `json:"aliases"`
	Tier     int      `json:"tier"`
	Length   int      `json:"length"`
	Chunks   int      `json:"chunks"`
	Ranked   bool     `json:"ranked"`
	Created  string   `json:"created"`
	Updated  string   `json:"updated"`
	At       string   `json:"at"`
	Hash     string   `json:"content_hash"`
	Bytes    int64    `json:"bytes"`
	Modified string   `json:"modified"`
}

func (a *app) readIndex(ctx context.Context, o *opened, path page.Path) error {
	e, err := a.engine(o)
	if err != nil {
		return err
	}
	v, _, err := a.view(ctx, e, index.Auto)
	if err != nil {
		return err
	}
	defer v.Release()
	row, ok := v.Lookup(path)
	if !ok {
		return &failure{code: exitNotFound, text: fmt.Sprintf("read %s: not in the index", path), hint: "run `brain sync`"}
	}
	p := v.Page(row)
	j := indexedJSON{string(p.Path), p.Title, p.Type, p.Status, p.Source, p.Agent, p.Slug, p.Redirect, list(p.Tags), list(p.Aliases),
		p.Tier, p.Words, p.Chunks, p.Ranked, stamp(p.Created), stamp(p.Updated), stamp(p.At), hex.EncodeToString(p.Hash[:]),
		p.File.Size, stamp(time.Unix(0, p.File.Mtime))}
	if a.global.json {
		return a.json(j)
	}
	return a.print(`path          %s
title         %s
schema_type   %s
status        %s
source        %s
agent         %s
slug          %s
redirect      %s
tags          %s
aliases       %s
tier          %d
length        %d half words
chunks        %d
ranked        %t
created       %s
updated       %s
at            %s
content_hash  %s
bytes         %d
modified      %s
`, plain(j.Path), plain(j.Title), plain(j.Type), plain(j.Status), plain(j.Source), plain(j.Agent), plain(j.Slug), plain(j.Redirect),
		plain(strings.Join(j.Tags, ", ")), plain(strings.Join(j.Aliases, ", ")), j.Tier, j.Length, j.Chunks, j.Ranked,
		j.Created, j.Updated, j.At, j.Hash, j.Bytes, j.Modified)
}

// stamp prints a time as RFC 3339, the zero time as nothing.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// list makes JSON say [] rather than null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
