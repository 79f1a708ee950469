package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"brain/store"
	"brain/text"
)

func blameCommand() *command {
	return &command{
		name: "blame", group: groupFind, args: "PATH[#FACT]", min: 1, max: 1, schema: "blame",
		short: "which version of a page brought a fact or a line",
		long: `Tells for each fact of a page and for each line of its text which version brought it: when, why, for which agent and from which session. A line that was taken out and came back is of the version in which it came back.

#FACT picks some of them: a number is that fact of the page, counted from 1; anything else picks the facts and lines that contain it.`,
		examples: []string{"brain blame entities/postgres.md", "brain blame entities/postgres.md#2", `brain blame "entities/postgres.md#port 5432"`},
		exits: []exitNote{
			{exitNotFound, "no such page, or no such fact on it"},
			{exitConflict, "the name is ambiguous"},
			{exitEnvironment, "git failed, or the page cannot be read"},
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.blame(ctx, args[0]) },
	}
}

// pieceJSON is a fact, or a line of text, where Fact is 0.
type pieceJSON struct {
	Fact    int      `json:"fact"`
	Line    int      `json:"line"`
	Text    string   `json:"text"`
	Version pastJSON `json:"version"`
}

type blameJSON struct {
	Brain  string      `json:"brain"`
	Path   string      `json:"path"`
	NoGit  string      `json:"no_git"` // why git was not asked, or ""
	Pieces []pieceJSON `json:"pieces"`
}

func (a *app) blame(ctx context.Context, arg string) error {
	o, err := a.open()
	if err != nil {
		return err
	}
	name, want := arg, ""
	for i := len(arg); i > 0; i = strings.LastIndexByte(arg[:i], '#') { // a name may hold a # itself
		if _, err := o.st.Lookup(ctx, arg[:i]); err == nil || strings.LastIndexByte(arg[:i], '#') < 0 {
			name, want = arg[:i], strings.TrimPrefix(arg[i:], "#")
			break
		}
	}
	p, err := a.lookupOpening(ctx, o, name)
	if err != nil {
		return err
	}
	h, pieces, err := o.st.Blame(ctx, p)
	if err != nil {
		return err
	}
	j := blameJSON{Brain: o.st.Name(), Path: string(p), NoGit: h.Without, Pieces: []pieceJSON{}}
	for _, piece := range pieces {
		if wanted(&piece, want) {
			j.Pieces = append(j.Pieces, pieceJSON{piece.Fact, piece.Line, piece.Text, versionOf(piece.Version)})
		}
	}
	if want != "" && len(j.Pieces) == 0 {
		return &failure{code: exitNotFound, text: fmt.Sprintf("blame %s: no fact and no line is %q", p, want), hint: "`brain blame " + string(p) + "` lists them all"}
	}
	if a.global.json {
		return a.json(j)
	}
	a.sayWithout(h.Without)
	var b strings.Builder
	for _, piece := range j.Pieces {
		what := fmt.Sprintf("%d", piece.Line)
		if piece.Fact > 0 {
			what += fmt.Sprintf(" fact %d", piece.Fact)
		}
		fmt.Fprintf(&b, "%s: %s\n    %s\n", what, plain(piece.Text), piece.Version.line())
	}
	return a.print("%s", b.String())
}

// wanted reports whether a piece is what stands after the #.
func wanted(p *store.Piece, want string) bool {
	if n, err := strconv.Atoi(want); err == nil {
		return p.Fact == n
	}
	return strings.Contains(text.Fold(p.Text), text.Fold(want))
}
