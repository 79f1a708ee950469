package lint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"brain/memory"
	"brain/page"
	"brain/store"
	"brain/text"
)

// tree checks what lies in the brain: files that ought to be pages and are not,
// and paths that another disk would not tell apart.
func (l *look) tree(ctx context.Context, listing page.Listing) error {
	l.collisions()
	for _, f := range l.files {
		if isConflictCopy(f.Path.Stem()) {
			l.add(string(f.Path), 0, ruleCopy, "a sync program kept this beside the page that it is a version of", "take over what is missing there, then delete this file")
		}
	}
	if len(l.Only) > 0 {
		return nil
	}
	for _, p := range listing.Unreadable {
		l.add(p, 0, ruleUnreadable, "cannot be read", "check its permissions")
	}
	l.brainFile()
	if err := l.memoryFile(ctx); err != nil {
		return err
	}
	if listing.Skipped[store.SkipTooLarge]+listing.Skipped[store.SkipBadName]+listing.Skipped[store.SkipSidecar] == 0 {
		return nil
	}
	passed, err := l.Store.Passed(ctx, store.SkipTooLarge, store.SkipBadName, store.SkipSidecar)
	if err != nil {
		return err
	}
	for _, s := range passed {
		l.passed(s)
	}
	return nil
}

// passed tells of a file that the walk passed over.
func (l *look) passed(s store.Skip) {
	switch s.Reason {
	case store.SkipTooLarge:
		limit, bytes := int64(store.MaxFile), ""
		if page.Path(s.Path).IsSession() {
			limit = store.MaxSession
		}
		if info, err := os.Lstat(filepath.Join(l.Store.Dir(), filepath.FromSlash(s.Path))); err == nil {
			bytes = text.Size(info.Size()) + ": "
		}
		l.add(s.Path, 0, ruleTooLarge, fmt.Sprintf("%smore than a page may have (%s): it is not read", bytes, text.Size(limit)), "split it, or give it another name than .md")
	case store.SkipBadName:
		l.add(s.Path, 0, ruleBadName, "its name cannot be that of a page: it is not read", "rename it: no control characters, no backslashes, UTF-8")
	case store.SkipSidecar:
		if owner, orphan := l.orphan(s.Path); orphan {
			l.add(s.Path, 0, ruleOrphan, "it is the overview of "+owner+", which is gone", "delete it")
		}
	}
}

// orphan names what an overview belongs to, and whether that is gone.
func (l *look) orphan(sidecar string) (owner string, orphan bool) {
	if path.Base(sidecar) == "_overview.md" {
		owner = strings.TrimSuffix(sidecar, "_overview.md")
		for _, f := range l.all {
			if strings.HasPrefix(string(f.Path), owner) {
				return "", false
			}
		}
		return "the folder " + owner, true
	}
	owner = strings.TrimSuffix(sidecar, ".overview.md") + ".md"
	return owner, !l.chosen[page.Path(owner)]
}

var yamlLine = text.Pattern(`line (\d+)`)

// brainFile checks brain.yml.
func (l *look) brainFile() {
	m := l.Store.Meta()
	why := m.Problem
	if why == "" && m.Format > store.Format {
		why = l.Store.ReadOnly()
	}
	if why == "" {
		return
	}
	line := 0
	if found := yamlLine().FindStringSubmatch(why); found != nil {
		line, _ = strconv.Atoi(found[1])
	}
	l.add("brain.yml", line, ruleBrainFile, why, "correct it: until then nothing is written here")
}

// memoryFile checks memory.json.
func (l *look) memoryFile(ctx context.Context) error {
	s, err := (&memory.Facts{Store: l.Store}).Summaries(ctx)
	if err == nil {
		err = s.Check()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, memory.ErrCorrupt):
		l.add(string(store.Summaries), 0, ruleMemoryFile, err.Error(), "correct it: the next change of a fact or a summary puts a file aside that is no JSON")
	case err != nil:
		l.add(string(store.Summaries), 0, ruleUnreadable, cause(err).Error(), "check its permissions")
	}
	return l.leftOut(ctx)
}

// leftOut checks what is left out of the agents' facts and is no page either: links, pipes,
// and facts of before version 2 that cannot be taken over. Folders that cannot be read are
// told of as such.
func (l *look) leftOut(ctx context.Context) error {
	m := &memory.Facts{Store: l.Store}
	agents, err := m.Agents(ctx)
	if err != nil {
		return ctx.Err()
	}
	told := map[page.Path]bool{}
	for _, f := range l.all {
		told[f.Path] = true
	}
	for _, agent := range agents {
		list, err := m.List(ctx, agent)
		if err != nil {
			continue // its folder is told of
		}
		for _, d := range list.Damaged {
			if told[d.Path] || !errors.Is(d.Err, memory.ErrFact) && !errors.Is(d.Err, memory.ErrCorrupt) {
				continue
			}
			told[d.Path] = true
			l.add(string(d.Path), 0, ruleFactFile, d.Err.Error(), "give it the form of doc/format.md, as a regular file, or put it elsewhere")
		}
	}
	return ctx.Err()
}

// collisions finds pages whose paths are one path where case does not count, or
// where names are kept composed.
func (l *look) collisions() {
	first := map[string][]page.Path{}
	for _, f := range l.all {
		key := oneFile(string(f.Path))
		first[key] = append(first[key], f.Path)
	}
	for _, paths := range first {
		for i, p := range paths {
			other := paths[0]
			if i == 0 {
				other = paths[len(paths)-1]
			}
			if other != p && l.chosen[p] {
				l.add(string(p), 0, ruleCollision, fmt.Sprintf("differs from %s only in case or Unicode form: where that does not count (macOS, Windows) one of them is lost", other), "rename one of them")
			}
		}
	}
}

// oneFile is the form in which two paths are one file on disks that ignore case
// and composition.
func oneFile(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

// conflictCopies are what sync programs put into the name of a second version:
// Syncthing, Dropbox, Nextcloud, in Chinese those and 坚果云.
var conflictCopies = []string{".sync-conflict-", "conflicted copy", "'s conflict)", "_conflict-", "冲突副本", "冲突的副本", "冲突文件"}

func isConflictCopy(stem string) bool {
	for _, c := range conflictCopies {
		if strings.Contains(stem, c) {
			return true
		}
	}
	return false
}
