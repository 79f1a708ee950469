package dream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"brain/page"
	"brain/store"
)

// The diary has a page for each night in which something was changed, for people who want
// to see it among their notes: diary/2026-03-02.md. It is brain's own output, so it is
// neither ranked nor an input of anything. It names files and what became of them, without
// a word of what they say, and of what belongs to an agent only how much: all agents may
// read it. Names stand as code, so that no link leads from here, and what nothing else links
// to stays an orphan. A second run in one night adds to its list; a page that somebody has
// written into meanwhile is theirs, and brain goes on beside it.

const (
	diaryFolder  = "diary"
	diaryChanged = "## Changed"
	diaryLeft    = "## Left to look at"
	maxDiary     = 100 // lines of what was changed
	diaryMore    = "- and more, which the reports of that night had"
)

// diary writes the page of a night.
func (n *night) diary(ctx context.Context) error {
	if !n.Diary || n.DryRun || !slices.ContainsFunc(n.report.Stages, func(s StageReport) bool { return len(s.Changed) > 0 }) {
		return nil
	}
	day := n.at.Format(time.DateOnly)
	err := n.update(ctx, "diary", func(tx *store.Tx) error {
		path, have, err := diaryPage(tx, day)
		if err != nil {
			return err
		}
		want, err := diaryBytes(n.report, day, have)
		switch {
		case err != nil || string(want) == string(have):
			return err
		case have == nil:
			return tx.Add(path, want)
		}
		return tx.Replace(path, store.HashOf(have), want)
	})
	if err != nil {
		return fmt.Errorf("write the diary: %w", err)
	}
	return nil
}

// diaryPage is the page for a day, and what stands in it: nil while there is none. Where a
// person keeps a diary of the same name, or wrote into ours, it is another one.
func diaryPage(tx *store.Tx, day string) (page.Path, []byte, error) {
	for n := 0; ; n++ {
		at := page.Path(diaryFolder + "/" + day + ".md")
		switch {
		case n == 1:
			at = page.Path(diaryFolder + "/" + day + "-dream.md")
		case n > 1:
			at = page.Path(fmt.Sprintf("%s/%s-dream-%d.md", diaryFolder, day, n))
		}
		have, err := tx.Read(at)
		if errors.Is(err, store.ErrNotFound) {
			return at, nil, nil
		}
		if err != nil || diaryOurs(day, have) {
			return at, have, err
		}
	}
}

// diaryOurs reports whether a page is to the byte what brain writes of its lines.
func diaryOurs(day string, have []byte) bool {
	changed, left := diaryLines(have)
	for _, line := range left {
		name, _, counted := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
		if !counted {
			name = strings.TrimSuffix(name, " failed")
		}
		if !slices.Contains(Stages, name) {
			return false
		}
	}
	ours, err := diaryText(day, changed, left)
	return err == nil && string(ours) == string(have)
}

// diaryBytes is the page after a run, when it was have before.
func diaryBytes(r *Report, day string, have []byte) ([]byte, error) {
	lines, _ := diaryLines(have)
	for _, line := range diaryOf(r) {
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) > maxDiary {
		lines = append(lines[:maxDiary], diaryMore)
	}
	var left []string
	for _, s := range r.Stages {
		if len(s.Left) > 0 {
			left = append(left, fmt.Sprintf("- %s: %d", s.Stage, len(s.Left)))
		}
		if !s.OK {
			left = append(left, fmt.Sprintf("- %s failed", s.Stage))
		}
	}
	return diaryText(day, lines, left)
}

func diaryText(day string, changed, left []string) ([]byte, error) {
	body := diaryChanged + "\n\n" + strings.Join(changed, "\n") + "\n"
	if left != nil {
		body += "\n" + diaryLeft + "\n\n" + strings.Join(left, "\n") + "\n"
	}
	return page.Format(page.Draft{Title: "Night of " + day, Generated: true, Body: body})
}

// diaryLines are the lines of a page under its two headings.
func diaryLines(have []byte) (changed, left []string) {
	_, text, _ := strings.Cut(string(have), "\n"+diaryChanged+"\n")
	first, second, _ := strings.Cut(text, "\n"+diaryLeft+"\n")
	return listed(first), listed(second)
}

func listed(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "- ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// diaryOf are the lines of a run.
func diaryOf(r *Report) (lines []string) {
	ofAgents := 0
	for _, s := range r.Stages {
		for _, c := range s.Changed {
			if page.Path(c.Path).Agent() != "" || page.Path(c.Path).IsSession() {
				ofAgents++
				continue
			}
			what, _, _ := strings.Cut(c.What, ":")
			lines = append(lines, fmt.Sprintf("- `%s`: %s", strings.ReplaceAll(oneLine(c.Path), "`", "'"), oneLine(what)))
		}
	}
	if ofAgents > 0 {
		lines = append(lines, fmt.Sprintf("- what agents know of the user: %d changes", ofAgents))
	}
	return lines
}
