package store

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	if v := g.version(ctx); v.before(2, 20) {
		return &skipped{fmt.Sprintf("git %s is too old, it takes 2.20", v)}
	}
	return err
}

// gitVersion is that of a git, the zero value when it does not tell.
type gitVersion struct{ major, minor int }

func (v gitVersion) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

// before reports whether a git is known to be older.
func (v gitVersion) before(major, minor int) bool {
	return v.major > 0 && (v.major < major || v.major == major && v.minor < minor)
}

func (g *repository) version(ctx context.Context) gitVersion {
	out, _ := g.run(ctx, nil, "version")
	var v gitVersion
	if n, _ := fmt.Sscanf(string(out), "git version %d.%d", &v.major, &v.minor); n != 2 {
		return gitVersion{}
	}
	return v
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
	var out bytes.Buffer
	err := g.runTo(ctx, in, &out, args...)
	return out.Bytes(), err
}

// runTo is run for output that is not to be held whole.
func (g *repository) runTo(ctx context.Context, in io.Reader, out io.Writer, args ...string) error {
	flags := gitFlags
	if args[0] != "check-ignore" { // which knows no such flag
		flags = append(slices.Clone(flags), "--literal-pathspecs")
	}
	cmd := exec.CommandContext(ctx, g.bin, slices.Concat(flags, args)...)
	cmd.Dir = g.top
	cmd.Env = gitEnv(cmd.Environ())
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &said
	cmd.WaitDelay = time.Second
	cmd.Cancel = func() error {
		// Asked to end, git removes its lock files; killed, it leaves them.
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	err := cmd.Run()
	if late := tooLong(ctx, "git"); late != nil {
		return late
	}
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		text, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return &gitError{args[0], cmd.ProcessState.ExitCode(), text}
	}
	return err
}

// tooLong is the error of work whose context ended, a *skipped at its deadline.
func tooLong(ctx context.Context, what string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", &skipped{what + " takes too long"}, ctx.Err())
	}
	return ctx.Err()
}

// read runs a command and lets take read its output as it comes.
func (g *repository) read(ctx context.Context, in string, take func(r *bufio.Reader) error, args ...string) error {
	r, w := io.Pipe()
	ran := make(chan error, 1)
	go func() {
		err := g.runTo(ctx, strings.NewReader(in), w, args...)
		w.CloseWithError(err)
		ran <- err
	}()
	err := take(bufio.NewReader(r))
	r.CloseWithError(err) // so that git ends, too
	if failed := <-ran; err == nil {
		err = failed
	}
	return err
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
	at = make(map[string]blob, len(paths))
	err = g.objects(ctx, names, func(i int, o object, r io.Reader) error {
		switch {
		case i == 0:
			tip = o.oid
		case o.kind == "blob": // and not a folder where a file is meant
			sum, err := hashFrom(r)
			at[paths[i-1]] = blob{o.oid, sum}
			return err
		}
		return nil
	})
	return tip, at, err
}

// many is from how many paths on one walk through the trees costs less than a
// look-up for each.
const many = 500

// lookMany is look for many paths, and passes over the contents of those that have
// an object which is known.
func (g *repository) lookMany(ctx context.Context, ref string, paths []string, known map[string]blob) (tip string, at map[string]blob, err error) {
	if len(paths) < many {
		return g.look(ctx, ref, paths)
	}
	tip, _, err = g.look(ctx, ref, nil)
	at = make(map[string]blob, len(paths))
	if err != nil || tip == "" {
		return tip, at, err
	}
	has, err := g.listTree(ctx, tip, paths)
	if err != nil {
		return tip, at, err
	}
	var unknown, oids []string
	for _, p := range paths {
		switch oid := has[p]; {
		case oid == "":
		case oid == known[p].oid:
			at[p] = known[p]
		default:
			unknown, oids = append(unknown, p), append(oids, oid)
		}
	}
	return tip, at, g.objects(ctx, oids, func(i int, o object, r io.Reader) error {
		sum, err := hashFrom(r)
		at[unknown[i]] = blob{o.oid, sum}
		return err
	})
}

// listTree tells the objects of the paths that a commit has: of those in the
// prefix by one walk, which may also meet others.
func (g *repository) listTree(ctx context.Context, tip string, paths []string) (map[string]string, error) {
	args := []string{"ls-tree", "-r", "-z", tip}
	if g.prefix != "" {
		args = append(args, g.prefix)
		for _, p := range paths {
			if !strings.HasPrefix(p, g.prefix) {
				args = append(args, p)
			}
		}
	}
	has := map[string]string{}
	return has, g.read(ctx, "", func(r *bufio.Reader) error {
		for {
			entry, err := r.ReadString(0)
			if errors.Is(err, io.EOF) && entry == "" {
				return nil
			}
			head, name, _ := strings.Cut(strings.TrimSuffix(entry, "\x00"), "\t")
			f := strings.Fields(head)
			if err != nil || len(f) != 3 {
				return fmt.Errorf("read git's answer %q: %w", entry, err)
			}
			has[name] = f[2]
		}
	}, args...)
}

// objects reads objects by their names and gives each that there is to take, with
// its place among the names. What take leaves of r is passed over.
func (g *repository) objects(ctx context.Context, names []string, take func(i int, o object, r io.Reader) error) error {
	if len(names) == 0 {
		return nil
	}
	return g.read(ctx, strings.Join(names, "\n")+"\n", func(r *bufio.Reader) error {
		for i := range names {
			o, err := readHead(r)
			if err == nil && o.oid != "" {
				body := io.LimitReader(r, o.size)
				err = take(i, o, body)
				if _, rest := io.Copy(io.Discard, body); err == nil {
					err = rest
				}
				if _, end := r.ReadByte(); err == nil {
					err = end
				}
			}
			if err != nil {
				return fmt.Errorf("read git's answer: %w", err)
			}
		}
		return nil
	}, "cat-file", "--batch", "--buffer")
}

// object is one of git's; the zero value is one that it does not have.
type object struct {
	oid, kind string
	size      int64
}

// readHead reads the first line of one answer of cat-file --batch.
func readHead(r *bufio.Reader) (o object, err error) {
	head, err := r.ReadString('\n')
	if err != nil || strings.HasSuffix(head, " missing\n") {
		return object{}, err
	}
	if n, err := fmt.Sscanf(head, "%s %s %d\n", &o.oid, &o.kind, &o.size); n != 3 {
		return object{}, fmt.Errorf("%q: %w", head, err)
	}
	return o, nil
}

// hashFrom is the hash of what a reader gives.
func hashFrom(r io.Reader) (Hash, error) {
	sum := sha256.New()
	_, err := io.Copy(sum, r)
	return Hash(hex.EncodeToString(sum.Sum(nil))), err
}

// hasGit reports whether git can be run.
func hasGit() bool {
	_, err := exec.LookPath("git")
	return err == nil
}
