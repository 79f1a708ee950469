package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"brain/page"
)

// OwnFile is a file of brain's own that is truth and no page. Only these are
// written besides pages.
type OwnFile string

// The own files. Those of an agent are what older programs kept for it alone.
const (
	Forgotten      OwnFile = "forgotten.jsonl"              // tombstones of what was purged
	Summaries      OwnFile = "memory.json"                  // the user's summaries
	SummariesOfOld OwnFile = "memory.json.v1.bak"           // as they were before they were migrated
	Verdicts       OwnFile = "contradictions-reviews.jsonl" // what people decided on contradictions

	corruptPrefix = string(Summaries) + ".corrupt-"
	reviewPrefix  = "contradictions.md.old"
)

// OverviewOf is the sidecar of a folder below sources/, which tells of the pages in it.
func OverviewOf(folder string) OwnFile { return OwnFile(folder + "/" + overviewFile) }

// overviewFile is the name of a folder's sidecar. Those that people write are never
// touched by who writes one.
const overviewFile = "_overview.md"

// AgentSummaries and AgentSummariesOfOld are those that lie in an agent's folder.
func AgentSummaries(agent string) OwnFile {
	return OwnFile("agents/" + agent + "/" + string(Summaries))
}
func AgentSummariesOfOld(agent string) OwnFile {
	return OwnFile("agents/" + agent + "/" + string(SummariesOfOld))
}

// CorruptSummaries is where summaries go that nobody can read; when is digits, T, Z,
// - and dots, such as 20261130-170712.
func CorruptSummaries(when string) OwnFile { return OwnFile(corruptPrefix + when) }

// ReviewOfOld is where a contradictions.md goes that another program wrote, the n-th
// from 1.
func ReviewOfOld(n int) OwnFile {
	if n <= 1 {
		return reviewPrefix
	}
	return OwnFile(reviewPrefix + "-" + strconv.Itoa(n))
}

func isOwn(name string) bool {
	switch OwnFile(name) {
	case Forgotten, Summaries, SummariesOfOld, Verdicts, reviewPrefix:
		return true
	}
	if n, ok := strings.CutPrefix(name, reviewPrefix+"-"); ok {
		i, err := strconv.Atoi(n)
		return err == nil && i > 1 && strconv.Itoa(i) == n
	}
	if when, ok := strings.CutPrefix(name, corruptPrefix); ok {
		return when != "" && len(when) <= 32 && strings.Trim(when, "0123456789TZ.-") == ""
	}
	if folder, ok := strings.CutSuffix(name, "/"+overviewFile); ok {
		p, err := page.ParsePath(folder + "/x.md")
		return err == nil && string(p) == folder+"/x.md" && strings.HasPrefix(folder, "sources/") && !strings.Contains(folder, "/.")
	}
	rest, ok := strings.CutPrefix(name, "agents/")
	agent, file, nested := strings.Cut(rest, "/")
	if !ok || !nested || OwnFile(file) != Summaries && OwnFile(file) != SummariesOfOld {
		return false
	}
	_, err := page.ParsePath(agent + "/x.md") // as for every folder of the tree
	return err == nil && agent[0] != '.'
}

// checkOwn refuses a name that is no own file's, and one that a link leads to.
func checkOwn(root *os.Root, name string) error {
	if !isOwn(name) {
		return fmt.Errorf("%w: %q is none of brain's own files", ErrNotPage, name)
	}
	return ignoreNotFound(checkFolders(root, name))
}

// ReadOwn returns an own file as it is; nil when there is none.
func (st *Store) ReadOwn(ctx context.Context, f OwnFile) ([]byte, error) {
	if err := errContext(ctx, "read "+string(f)); err != nil {
		return nil, err
	}
	root, err := st.current()
	if err != nil {
		return nil, err
	}
	return readOwn(root, f)
}

func readOwn(root *os.Root, f OwnFile) (raw []byte, err error) {
	if err = checkOwn(root, string(f)); err == nil {
		raw, err = readRegular(root, string(f))
	}
	if err := ignoreNotFound(notFound(err)); err != nil {
		return nil, fmt.Errorf("read %s: %w", f, err)
	}
	return raw, nil
}

// ReadOwn returns an own file as it will be after this update; nil when there
// is none.
func (tx *Tx) ReadOwn(f OwnFile) ([]byte, error) {
	c := tx.at[string(f)]
	switch {
	case c == nil || tx.done:
		return readOwn(tx.root.Root, f)
	case c.After == "":
		return nil, nil
	}
	raw, err := tx.root.ReadFile(c.Temp)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f, err)
	}
	return raw, nil
}

// OwnBefore returns an own file as it was before this update; nil when there was
// none.
func (tx *Tx) OwnBefore(f OwnFile) ([]byte, error) {
	if tx.done {
		return nil, ErrTxDone
	}
	return readOwn(tx.root.Root, f)
}

// TouchedOwn reports whether this update has changed an own file so far.
func (tx *Tx) TouchedOwn(f OwnFile) bool {
	c := tx.at[string(f)]
	return c != nil && c.changes()
}

// WriteOwn replaces an own file whose content had the hash was ("": there was
// none); any other is a *ConflictError.
func (tx *Tx) WriteOwn(f OwnFile, was Hash, content []byte) error {
	if err := tx.writeOwn(f, was, content); err != nil {
		return fmt.Errorf("write %s: %w", f, err)
	}
	return nil
}

// RenewOwn is WriteOwn for what has to change with any change. It is part of the
// update, and of the ledger; undo of the update passes over it, and the bytes
// before are not kept. A file that the update has written besides is undone as
// it was written.
func (tx *Tx) RenewOwn(f OwnFile, was Hash, content []byte) error {
	ours, written := false, Hash("")
	if c := tx.at[string(f)]; c != nil && c.changes() && !c.Renewed {
		ours, written = true, cmp.Or(c.Written, c.After)
	}
	if err := tx.writeOwn(f, was, content); err != nil {
		return fmt.Errorf("renew %s: %w", f, err)
	}
	c := tx.at[string(f)]
	c.Renewed, c.Written = !ours, written
	return nil
}

// RemoveOwn takes away an own file whose content had the hash was.
func (tx *Tx) RemoveOwn(f OwnFile, was Hash) error {
	err := tx.expectOwn(f, was)
	if err == nil && was != "" {
		err = tx.drop(page.Path(f), was)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", f, err)
	}
	return nil
}

func (tx *Tx) writeOwn(f OwnFile, was Hash, content []byte) error {
	if err := tx.expectOwn(f, was); err != nil {
		return err
	}
	return tx.put(string(f), was, content)
}

// expectOwn checks that an own file has the content that a change was made from.
func (tx *Tx) expectOwn(f OwnFile, was Hash) error {
	if tx.done {
		return ErrTxDone
	}
	raw, err := tx.ReadOwn(f)
	if err != nil {
		return err
	}
	have := Hash("")
	if raw != nil {
		have = HashOf(raw)
	}
	if have != was {
		return &ConflictError{Path: string(f), Want: was, Have: have}
	}
	return nil
}

// Append adds lines to an own file of lines. A last line that a crash or an
// editor left without its end is ended first, so that two never become one.
func (tx *Tx) Append(f OwnFile, lines ...[]byte) error {
	raw, err := tx.ReadOwn(f)
	if err != nil {
		return err
	}
	was := Hash("")
	if raw != nil {
		was = HashOf(raw)
	}
	out := bytes.Clone(raw)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	for _, l := range lines {
		if bytes.IndexByte(l, '\n') >= 0 {
			return errors.New("append to " + string(f) + ": a line with a line break in it")
		}
		out = append(append(out, l...), '\n')
	}
	return tx.WriteOwn(f, was, out)
}
