package store

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Commits are made by git fast-import, whatever their number in one process: it
// takes contents and trees from one stream, touches no index and no work tree,
// and reads only the folders that change. The stream lies complete in a file
// before git begins, so that our death in the middle makes no half commit. A ref
// is moved afterwards, from the value that was seen to the new one or not at all.

// gitFile is what a commit says of one path within the work tree.
type gitFile struct {
	path string
	mode string // 100644 or 100755
	oid  string // "" removes the file
	// read gives its bytes when they are written; nil where git has the object.
	read func() ([]byte, error)
}

// gitCommit is a commit to be made on top of another.
type gitCommit struct {
	author  string    // Name <address>
	at      time.Time // of the writing; the commit itself is made now
	now     time.Time
	message string
	files   []gitFile
}

// ledgerName signs what brain commits.
const ledgerName = "brain <brain@localhost>"

// write makes commits, the first on top of parent ("" for none), and returns
// their names. They belong to no ref. stream is a file for its use.
func (g *repository) write(ctx context.Context, stream, parent string, commits []gitCommit) (oids []string, err error) {
	f, err := os.OpenFile(stream, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(stream)) }()
	w := bufio.NewWriter(f)
	if err := errors.Join(g.stream(ctx, w, parent, commits), w.Flush()); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil, err
	}
	out, err := g.run(ctx, f, "fast-import", "--quiet")
	if err != nil {
		return nil, err
	}
	if oids = strings.Fields(string(out)); len(oids) != len(commits) {
		return nil, fmt.Errorf("git fast-import made %d commits of %d", len(oids), len(commits))
	}
	return oids, nil
}

// stream writes the commits in fast-import's language. The ref that it wants to
// work on is deleted before it is ever stored.
func (g *repository) stream(ctx context.Context, w *bufio.Writer, parent string, commits []gitCommit) error {
	const ref = "refs/brain/next"
	fmt.Fprintf(w, "feature done\n")
	for i, c := range commits {
		fmt.Fprintf(w, "commit %s\nmark :%d\n", ref, i+1)
		fmt.Fprintf(w, "author %s %d +0000\ncommitter %s %d +0000\n", c.author, c.at.Unix(), ledgerName, c.now.Unix())
		fmt.Fprintf(w, "data %d\n%s\n", len(c.message), c.message)
		if i == 0 && parent != "" {
			fmt.Fprintf(w, "from %s\n", parent)
		}
		for _, f := range c.files {
			if err := errors.Join(tooLong(ctx, "reading"), f.stream(w)); err != nil {
				return err
			}
		}
	}
	for i := range commits {
		fmt.Fprintf(w, "get-mark :%d\n", i+1)
	}
	_, err := fmt.Fprintf(w, "reset %s\nfrom %s\n\ndone\n", ref, g.noObject())
	return err
}

// stream writes a file with its bytes, of which no more than one's are held.
func (f gitFile) stream(w *bufio.Writer) error {
	switch {
	case f.oid == "":
		fmt.Fprintf(w, "D %s\n", gitQuote(f.path))
	case f.read == nil:
		fmt.Fprintf(w, "M %s %s %s\n", f.mode, f.oid, gitQuote(f.path))
	default:
		raw, err := f.read()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "M %s inline %s\ndata %d\n", f.mode, gitQuote(f.path), len(raw))
		w.Write(raw)
		w.WriteByte('\n')
	}
	return nil
}

// gitQuote is a path in C's notation.
func gitQuote(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

// noObject is the name that stands for no object.
func (g *repository) noObject() string {
	if g.sha256 {
		return strings.Repeat("0", 64)
	}
	return strings.Repeat("0", 40)
}

// oid is the name of the object that holds these bytes as they are.
func (g *repository) oid(raw []byte) string {
	head := fmt.Appendf(nil, "blob %d\x00", len(raw))
	if g.sha256 {
		sum := sha256.Sum256(append(head, raw...))
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum(append(head, raw...))
	return hex.EncodeToString(sum[:])
}

// emptyTree is the name of the tree without files, which git knows without
// having it.
func (g *repository) emptyTree() string {
	if g.sha256 {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// errRefMoved says that a ref is no longer where it was seen.
var errRefMoved = errors.New("the branch moved meanwhile")

// move sets a ref to a commit if it still is where it was seen ("" for nowhere),
// else the error is errRefMoved.
func (g *repository) move(ctx context.Context, ref, to, from, why string) error {
	old := from
	if old == "" {
		old = g.noObject()
	}
	_, err := g.run(ctx, nil, "update-ref", "-m", why, ref, to, old)
	if e, ok := errors.AsType[*gitError](err); ok && strings.Contains(e.text, "cannot lock ref") {
		return fmt.Errorf("%w: %s", errRefMoved, e.text)
	}
	return err
}

// mirror makes the user's index say of exactly these files what the commit that
// is about to become their branch's says, so that their status shows nothing and
// their next commit keeps the files. A path that they have staged something else
// for is left alone and returned.
func (g *repository) mirror(ctx context.Context, tip string, files []gitFile) (left []string, err error) {
	if tip == "" {
		tip = g.emptyTree()
	}
	args := []string{"diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", tip, "--"}
	for _, f := range files {
		if len(files) > 200 {
			break // all of the index is compared: less work than to name so many
		}
		args = append(args, f.path)
	}
	out, err := g.run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	staged := stagedFiles(string(out))
	var info bytes.Buffer
	for _, f := range files {
		switch oid, ok := staged[f.path]; {
		case ok && oid != f.oid && !(f.oid == "" && oid == g.noObject()):
			left = append(left, f.path)
		case f.oid == "":
			fmt.Fprintf(&info, "0 %s\t%s\x00", g.noObject(), f.path)
		default:
			fmt.Fprintf(&info, "%s %s\t%s\x00", f.mode, f.oid, f.path)
		}
	}
	if info.Len() == 0 {
		return left, nil
	}
	return left, g.updateIndex(ctx, info.Bytes())
}

// unmirror gives the index back the entries of the ref where it has those that a
// pass put there which died before it moved the ref. The user has staged nothing
// there; left alone, such entries would pass for theirs for ever.
func (g *repository) unmirror(ctx context.Context, ref string, ours map[string]string) error {
	if len(ours) == 0 {
		return nil
	}
	tip, _, err := g.look(ctx, ref, nil)
	if err != nil {
		return err
	}
	if tip == "" {
		tip = g.emptyTree()
	}
	out, err := g.run(ctx, nil, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", tip, "--")
	if err != nil {
		return err
	}
	var info bytes.Buffer
	parts := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		f := strings.Fields(strings.TrimPrefix(parts[i], ":"))
		oid, ok := ours[parts[i+1]]
		if !ok || len(f) < 5 || f[3] != oid && !(oid == "" && f[3] == g.noObject()) {
			continue
		}
		mode := f[0]
		if f[2] == g.noObject() {
			mode = "0"
		}
		fmt.Fprintf(&info, "%s %s\t%s\x00", mode, f[2], parts[i+1])
	}
	if info.Len() == 0 {
		return nil
	}
	return g.updateIndex(ctx, info.Bytes())
}

// updateIndex sets entries of the index under git's own lock, for which it waits a
// moment.
func (g *repository) updateIndex(ctx context.Context, info []byte) error {
	for {
		_, err := g.run(ctx, bytes.NewReader(info), "update-index", "-z", "--index-info")
		if e, ok := errors.AsType[*gitError](err); !ok || !strings.Contains(e.text, "index.lock': File exists") {
			return err
		}
		if g.indexLocked() {
			return &skipped{indexLocked}
		}
	}
}

// stagedFiles reads raw differences: for each path the object that the index has.
func stagedFiles(raw string) map[string]string {
	staged := map[string]string{}
	parts := strings.Split(raw, "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		if f := strings.Fields(parts[i]); len(f) >= 5 {
			staged[parts[i+1]] = f[3]
		}
	}
	return staged
}

// conversions tells which files git would not keep byte for byte on a branch:
// those with a filter, or with line endings to be changed.
type conversions struct {
	g      *repository
	attr   map[string]map[string]string // of each path, those that are set
	done   map[string]string            // path NUL hash → object
	barred map[string]bool              // filters that must not run

	unscoped bool // git does not tell whose they are
}

// converting asks for the attributes of paths. Unless own is set, filters that the
// repository's own configuration names are barred.
func (g *repository) converting(ctx context.Context, paths []string, own bool) (*conversions, error) {
	c := &conversions{g: g, attr: map[string]map[string]string{}, done: map[string]string{}, barred: map[string]bool{}}
	if !own {
		if err := c.bar(ctx); err != nil {
			return nil, err
		}
	}
	return c, g.read(ctx, strings.Join(paths, "\x00")+"\x00", c.take,
		"check-attr", "-z", "--stdin", "filter", "text", "eol", "crlf", "ident", "working-tree-encoding")
}

// take reads what check-attr says: path, attribute, value, path, attribute …
func (c *conversions) take(r *bufio.Reader) error {
	for {
		var say [3]string
		for i := range say {
			part, err := r.ReadString(0)
			if errors.Is(err, io.EOF) && i == 0 && part == "" {
				return nil
			}
			if err != nil {
				return fmt.Errorf("read git's answer: %w", err)
			}
			say[i] = strings.TrimSuffix(part, "\x00")
		}
		if say[2] == "unspecified" || say[2] == "unset" {
			continue
		}
		if c.attr[say[0]] == nil {
			c.attr[say[0]] = map[string]string{}
		}
		c.attr[say[0]][say[1]] = say[2]
	}
}

// bar finds the filters that are not the user's own. A filter is a command, and git
// takes it from the repository's configuration as well: whoever unpacked a
// repository of somebody else's never said that its commands may run. Where git
// does not tell whose a filter is, none may.
func (c *conversions) bar(ctx context.Context) error {
	scopes, err := c.g.filters(ctx, "--show-scope")
	if e, ok := errors.AsType[*gitError](err); ok && e.code == exitUnknownFlag {
		c.unscoped = true
		scopes, err = c.g.filters(ctx)
	}
	for i := 0; i < len(scopes); i++ {
		if !c.unscoped {
			if i++; i == len(scopes) || scopes[i-1] != "local" && scopes[i-1] != "worktree" {
				continue
			}
		}
		key, _, _ := strings.Cut(scopes[i], "\n")
		if dot := strings.LastIndexByte(key, '.'); dot > len("filter.") {
			c.barred[key[len("filter."):dot]] = true
		}
	}
	return err
}

// exitUnknownFlag is what git exits with for a flag that it does not know.
const exitUnknownFlag = 129

// filters are the settings of filters that run commands: key, newline, value, or
// with --show-scope the scope and those, in turn.
func (g *repository) filters(ctx context.Context, flags ...string) ([]string, error) {
	args := append([]string{"config", "-z", "--includes"}, flags...)
	out, err := g.run(ctx, nil, append(args, "--get-regexp", `^filter\..*\.(clean|process)$`)...)
	if e, ok := errors.AsType[*gitError](err); ok && e.code == 1 {
		return nil, nil // there are none
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), err
}

// object is the name of the object that `git add` would make of these bytes at a
// path, by the user's own filters; "" if it keeps them as they are.
func (c *conversions) object(ctx context.Context, path string, raw []byte) (string, error) {
	if !c.changes(path, raw) {
		return "", nil
	}
	if name := c.attr[path]["filter"]; c.barred[name] {
		whose := "is a command that the repository itself names"
		if c.unscoped {
			whose = "may be a command that the repository itself names (a git before 2.26 does not tell)"
		}
		return "", &skipped{fmt.Sprintf("the filter %s of %s %s, and the root is not trusted", name, path, whose)}
	}
	key := path + "\x00" + c.g.oid(raw)
	if c.done[key] == "" {
		out, err := c.g.run(ctx, bytes.NewReader(raw), "hash-object", "-w", "--path="+path, "--stdin")
		if _, ok := errors.AsType[*gitError](err); ok {
			return "", &skipped{fmt.Sprintf("git's filter for %s fails: %v", path, err)}
		}
		if err != nil {
			return "", err
		}
		c.done[key] = strings.TrimSpace(string(out))
	}
	return c.done[key], nil
}

// looks reports whether it depends on a file's bytes whether they are changed.
func (c *conversions) looks(path string) bool { return c.always(path) || c.lines(path) }

func (c *conversions) changes(path string, raw []byte) bool {
	return c.always(path) || c.lines(path) && bytes.IndexByte(raw, '\r') >= 0
}

// always reports whether any bytes at a path may be changed.
func (c *conversions) always(path string) bool {
	a := c.attr[path]
	return a["filter"] != "" || a["ident"] != "" || a["working-tree-encoding"] != ""
}

// lines reports whether the ends of lines may be.
func (c *conversions) lines(path string) bool {
	a := c.attr[path]
	return a["text"] != "" || a["crlf"] != "" || a["eol"] != "" ||
		c.g.config["core.autocrlf"] == "true" || c.g.config["core.autocrlf"] == "input"
}

// ignored are those of the paths that the user's ignore files name, unless the
// index has them all the same. git compares each path that it is asked for with
// all of the index, so first it is asked without.
func (g *repository) ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	named, err := g.checkIgnore(ctx, paths, "--no-index")
	if err != nil || len(named) == 0 {
		return nil, err
	}
	named, err = g.checkIgnore(ctx, named)
	names := map[string]bool{}
	for _, n := range named {
		names[n] = true
	}
	return names, err
}

func (g *repository) checkIgnore(ctx context.Context, paths []string, flags ...string) (names []string, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	var ask strings.Builder
	for _, p := range paths {
		ask.WriteString("./" + p + "\x00") // so that no name is taken for a pattern
	}
	out, err := g.run(ctx, strings.NewReader(ask.String()), append([]string{"check-ignore", "-z", "--stdin"}, flags...)...)
	if e, ok := errors.AsType[*gitError](err); ok && e.code == 1 {
		return nil, nil
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" {
			names = append(names, strings.TrimPrefix(name, "./"))
		}
	}
	return names, err
}
