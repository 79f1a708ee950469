package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// git is asked through its command line, in a way that nothing of the user's
// takes part: no hook, no signing, no editor, no prompt, no pager, no background
// work, and none of the variables by which a git above us would lead us to
// another repository.

// repository is a git repository with a work tree, as seen from a folder in it.
type repository struct {
	bin    string
	top    string            // folder of the work tree
	dir    string            // what git keeps of this work tree: HEAD, index
	prefix string            // the folder that was asked for within top: "", or ends in /
	sha256 bool              // its object names are SHA-256, else SHA-1
	config map[string]string // the keys of configKeys that are set
}

const (
	ledgerKey  = "brain.ledger" // in the configuration of a repository that brain made
	configKeys = `^(brain\.ledger|user\.name|user\.email|core\.autocrlf)$`
)

var (
	errNoGit        = errors.New("git was not found")
	errNoRepository = errors.New("not in a git repository")
)

// skipped says why the ledger leaves its work for later. It is no failure.
type skipped struct{ why string }

func (e *skipped) Error() string { return e.why }

// gitError is a command of git that failed.
type gitError struct {
	command string
	code    int
	text    string // what git said, its first line
}

func (e *gitError) Error() string {
	return fmt.Sprintf("git %s: exit status %d: %s", e.command, e.code, e.text)
}

// gitFlags stand before every command.
var gitFlags = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false",
	"-c", "commit.gpgSign=false", "-c", "log.showSignature=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	"--no-pager",
}

// gitEnv is the environment of git made from ours. What tells where the
// configuration lies, and where git's own programs do, stays.
func gitEnv(ours []string) []string {
	keep := []string{"GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
		"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"}
	env := slices.DeleteFunc(slices.Clone(ours), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == "LC_ALL" || name == "LANGUAGE" || strings.HasPrefix(name, "GIT_") && !slices.Contains(keep, name)
	})
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=:", "GIT_ASKPASS=true", "GIT_OPTIONAL_LOCKS=0",
		"GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1") // an object that is missing is not fetched by a command of the repository's choice
}

// gitAbove reports whether git would find a repository for a folder: a look
// without git, which most brains outside of one never need.
func gitAbove(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// findRepository finds the repository that a folder lies in. Errors:
// errNoRepository, errNoGit, *skipped for one that cannot be used.
func findRepository(ctx context.Context, dir string) (*repository, error) {
	if !gitAbove(dir) {
		return nil, errNoRepository
	}
	bin, err := exec.LookPath("git")
	if err != nil {
		return nil, errNoGit
	}
	g := &repository{bin: bin, top: dir}
	out, err := g.run(ctx, nil, "rev-parse", "--show-object-format", "--show-toplevel", "--absolute-git-dir", "--show-prefix")
	if err != nil {
		return nil, g.unusable(ctx, err)
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) != 5 {
		return nil, &skipped{fmt.Sprintf("git does not tell where the repository of %s is", dir)}
	}
	g.sha256, g.top, g.dir, g.prefix = lines[0] == "sha256", filepath.FromSlash(lines[1]), filepath.FromSlash(lines[2]), lines[3]
	return g, g.configure(ctx)
}

// unusable says why there is no repository that the ledger could use.
func (g *repository) unusable(ctx context.Context, err error) error {
	e, ok := errors.AsType[*gitError](err)
	if !ok {
		return err
	}
	switch {
	case strings.Contains(e.text, "not a git repository"):
		return errNoRepository
	case strings.Contains(e.text, "must be run in a work tree"):
		return &skipped{"the repository is bare"}
	case strings.Contains(e.text, "dubious ownership"):
		return &skipped{"the repository belongs to another user (dubious ownership)"}
	}
	return g.tooOld(ctx, err)
}

// tooOld puts the blame for a failure on a git that is older than 2.20, where it
// may lie.
func (g *repository) tooOld(ctx context.Context, err error) error {
	out, _ := g.run(ctx, nil, "version")
	var major, minor int
	if n, _ := fmt.Sscanf(string(out), "git version %d.%d", &major, &minor); n == 2 && (major < 2 || major == 2 && minor < 20) {
		return &skipped{fmt.Sprintf("git %d.%d is too old, it takes 2.20", major, minor)}
	}
	return err
}

func (g *repository) configure(ctx context.Context) error {
	g.config = map[string]string{}
	out, err := g.run(ctx, nil, "config", "-z", "--get-regexp", configKeys)
	if e, ok := errors.AsType[*gitError](err); ok && e.code == 1 {
		return nil // none is set
	}
	for pair := range strings.SplitSeq(string(out), "\x00") {
		key, value, _ := strings.Cut(pair, "\n")
		g.config[key] = value
	}
	return err
}

// made reports whether `brain init` made the repository.
func (g *repository) made() bool { return g.config[ledgerKey] == "true" }

// busy says what is going on in the repository that the ledger must not disturb
// or believe: while git itself exchanges the files, none of them is an edit.
func (g *repository) busy() string {
	for _, sign := range []struct{ name, what string }{
		{"rebase-merge", "a rebase is in progress"},
		{"rebase-apply", "a rebase is in progress"},
		{"MERGE_HEAD", "a merge is in progress"},
		{"CHERRY_PICK_HEAD", "a cherry-pick is in progress"},
		{"REVERT_HEAD", "a revert is in progress"},
		{"sequencer", "a cherry-pick or revert is in progress"},
		{"BISECT_LOG", "a bisect is in progress"},
	} {
		if _, err := os.Lstat(filepath.Join(g.dir, sign.name)); err == nil {
			return sign.what
		}
	}
	if g.indexLocked() {
		return indexLocked
	}
	return ""
}

const indexLocked = "another git is at work (index.lock is present)"

// indexLocked reports whether another git has the index. Programs that show its
// status have it for a moment every few seconds; such a moment is waited for.
func (g *repository) indexLocked() bool {
	const moment = 200 * time.Millisecond
	for end := time.Now().Add(moment); ; time.Sleep(moment / 20) {
		fi, err := os.Lstat(filepath.Join(g.dir, "index.lock"))
		if err != nil {
			return false
		}
		if now := time.Now(); now.After(end) || now.Sub(fi.ModTime()) > 10*moment {
			return true
		}
	}
}

// branch is the full name of the branch that is checked out, born or not.
func (g *repository) branch(ctx context.Context) (string, error) {
	out, err := g.run(ctx, nil, "symbolic-ref", "-q", "HEAD")
	if e, ok := errors.AsType[*gitError](err); ok && e.code == 1 {
		return "", &skipped{"HEAD is detached: no branch is checked out"}
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

// run runs a command at the top of the work tree and returns its output. When
// ctx's deadline ends it, the error is a *skipped.
func (g *repository) run(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	flags := gitFlags
	if args[0] != "check-ignore" { // which knows no such flag
		flags = append(slices.Clone(flags), "--literal-pathspecs")
	}
	cmd := exec.CommandContext(ctx, g.bin, slices.Concat(flags, args)...)
	cmd.Dir = g.top
	cmd.Env = gitEnv(cmd.Environ())
	cmd.Stdin = in
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.WaitDelay = time.Second
	cmd.Cancel = func() error {
		// Asked to end, git removes its lock files; killed, it leaves them.
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	err := cmd.Run()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("%w: %w", &skipped{"git takes too long"}, ctx.Err())
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		text, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return out.Bytes(), &gitError{args[0], cmd.ProcessState.ExitCode(), text}
	}
	return out.Bytes(), err
}

// blob is a file in a commit; the zero value is none.
type blob struct {
	oid string
	sum Hash // of its bytes
}

// look finds the commit that a ref names, "" while there is none, and the files
// at paths in it.
func (g *repository) look(ctx context.Context, ref string, paths []string) (tip string, at map[string]blob, err error) {
	names := []string{ref + "^{commit}"}
	for _, p := range paths {
		names = append(names, ref+":"+p)
	}
	found, err := g.objects(ctx, names)
	if err != nil {
		return "", nil, err
	}
	at = make(map[string]blob, len(paths))
	for i, p := range paths {
		if o := found[i+1]; o.oid != "" {
			at[p] = blob{o.oid, HashOf(o.raw)}
		}
	}
	return found[0].oid, at, nil
}

// object is one of git's; the zero value is one that it does not have.
type object struct {
	oid string
	raw []byte
}

// objects reads objects by their names.
func (g *repository) objects(ctx context.Context, names []string) ([]object, error) {
	out, err := g.run(ctx, strings.NewReader(strings.Join(names, "\n")+"\n"), "cat-file", "--batch", "--buffer")
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(bytes.NewReader(out))
	found := make([]object, len(names))
	for i := range found {
		if found[i].oid, found[i].raw, err = readObject(r); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// readObject reads one answer of cat-file --batch; oid is "" for what is missing.
func readObject(r *bufio.Reader) (oid string, raw []byte, err error) {
	head, err := r.ReadString('\n')
	if err != nil {
		return "", nil, fmt.Errorf("read git's answer: %w", err)
	}
	if strings.HasSuffix(head, " missing\n") {
		return "", nil, nil
	}
	var kind string
	var size int
	if n, err := fmt.Sscanf(head, "%s %s %d\n", &oid, &kind, &size); n != 3 {
		return "", nil, fmt.Errorf("read git's answer %q: %w", head, err)
	}
	raw = make([]byte, size+1)
	if _, err := io.ReadFull(r, raw); err != nil {
		return "", nil, fmt.Errorf("read git's answer: %w", err)
	}
	return oid, raw[:size], nil
}

// hasGit reports whether git can be run.
func hasGit() bool {
	_, err := exec.LookPath("git")
	return err == nil
}
