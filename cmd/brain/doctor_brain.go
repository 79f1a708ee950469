package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"brain/page"
	"brain/store"
)

// examineBrain looks at the files of a brain and at the folder they lie in.
func examineBrain(ctx context.Context, x *examination, o *opened) {
	listing, err := o.st.List(ctx)
	switch {
	case err != nil:
		x.fail("brain", err)
	case len(listing.Unreadable) > 0:
		x.warn("brain", fmt.Sprintf("%s: %s; cannot be read: %s", o.st.Name(), count(len(listing.Files), "page"), strings.Join(listing.Unreadable, ", ")), "give yourself the right: chmod -R u+rX "+quoted(o.st.Dir()))
	default:
		x.ok("brain", fmt.Sprintf("%s: %s in %s", o.st.Name(), count(len(listing.Files), "page"), o.st.Dir()))
	}
	examineWrite(x, o)
	examineRights(x, o)
	examineWriter(x, o.st)
	examineSessions(x, o.st.Dir())
	examineClock(x, listing.Files, o.indexDir())
	examineRepository(x, o.st.Dir())
	examineDisk(x, "disk", o.st.Dir())
	examineFolder(x, o)
}

func examineWrite(x *examination, o *opened) {
	switch why := o.st.ReadOnly(); {
	case why != "" && o.st.Meta().Write == store.WriteNo && o.st.Meta().Problem == "":
		x.ok("write", why)
	case why != "":
		x.warn("write", "read-only: "+why, "correct brain.yml, or install the newer brain")
	default:
		x.ok("write", o.st.Meta().Write)
	}
}

// examineRights tries what a write needs: the root's own folder, the brain's, and
// what stands there already, which another user may have made.
func examineRights(x *examination, o *opened) {
	need := []string{o.root.StateDir()}
	if _, err := os.Lstat(o.root.StateDir()); errors.Is(err, fs.ErrNotExist) {
		need[0] = o.root.Dir
	}
	if o.st.ReadOnly() == "" {
		need = append(need, o.st.Dir())
		for _, name := range []string{".txn", filepath.Join(".txn", "LOCK")} {
			if own := filepath.Join(o.st.Dir(), name); exists(own) {
				need = append(need, own)
			}
		}
	}
	for _, path := range need {
		if err := mayWriteTo(path); err != nil {
			x.broken("rights", fmt.Sprintf("%s cannot be written: %v", path, bare(err)), writeHint(path, err))
			return
		}
	}
	x.ok("rights", "what a write needs may be written")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func writeHint(path string, err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "sudo chown -R \"$(id -un)\" " + quoted(path) + ", or chmod -R u+rwX " + quoted(path)
	}
	return "mount the disk for writing, or move the root"
}

// quoted makes a path one word of a shell command.
func quoted(path string) string {
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !strings.ContainsRune("/._-+,@%", r) && !isWordRune(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

func isWordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// longWrite is how long the lock of a tree may be held: writes take milliseconds.
const longWrite = 10 * time.Minute

// examineWriter tells who writes the tree, and what a writer that died left.
func examineWriter(x *examination, st *store.Store) {
	f, err := st.InFlight()
	if err != nil {
		x.fail("writer", fmt.Errorf("look at %s: %w", f.Lock, err))
		return
	}
	switch {
	case f.Writer != nil && !f.Writer.Since.IsZero() && x.now.Sub(f.Writer.Since) > longWrite:
		x.warn("writer", fmt.Sprintf("%v holds the lock; a write takes moments", *f.Writer), fmt.Sprintf("look what it does; if it hangs: kill %d (its write is taken back)", f.Writer.PID))
	case f.Writer != nil:
		x.ok("writer", fmt.Sprintf("%v; others wait for it", *f.Writer))
	case f.Left != nil:
		x.warn("writer", fmt.Sprintf("nobody; left over from process %d on %s (%s), which died writing", f.Left.PID, f.Left.Host, f.Left.Reason), "`brain sync` or the next write clears it up")
	default:
		x.ok("writer", "nobody writes")
	}
	if !f.Cut() {
		x.ok("journal", "no write was cut short")
		return
	}
	if f.Writer == nil && f.Damaged != nil {
		x.broken("journal", f.Damaged.Error(), "nothing is written until then: the files are in "+quoted(filepath.Dir(f.Lock)))
		return
	}
	what := count(len(f.Temps), "temporary file") + " of a writer that died"
	if f.Journal {
		what = fmt.Sprintf("a write was cut short (%s): it is finished or taken back as a whole", filepath.Join(filepath.Dir(f.Lock), "JOURNAL"))
	}
	x.warn("journal", what, "`brain sync` or the next write mends it")
}

// examineSessions checks that what was said is for its owner alone.
func examineSessions(x *examination, dir string) {
	top := filepath.Join(dir, "sessions")
	if !exists(top) || runtime.GOOS == "windows" {
		return
	}
	open, first := 0, ""
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read was told with the brain
		}
		info, err := d.Info()
		if err == nil && info.Mode().Type()&^fs.ModeDir == 0 && info.Mode().Perm()&0o077 != 0 {
			if open++; first == "" {
				first = path
			}
		}
		return nil
	})
	switch {
	case err != nil:
		x.fail("sessions", err)
	case open > 0:
		x.warn("sessions", fmt.Sprintf("others on this machine may look into %s, such as %s", count(open, "entry"), first), "chmod -R go-rwx "+quoted(top))
	default:
		x.ok("sessions", "private")
	}
}

// aheadOfClock is how far in the future a file may be: clocks of two machines
// differ.
const aheadOfClock = 5 * time.Minute

// examineClock compares the clock with what was written before.
func examineClock(x *examination, files []page.File, indexDir string) {
	const setIt = "set it: sudo timedatectl set-ntp true (macOS: sudo sntp -sS time.apple.com)"
	if x.now.Year() < 2020 {
		x.broken("clock", "it says "+stamp(x.now)+": dates of pages and facts will be wrong", setIt)
		return
	}
	if info, err := os.Stat(filepath.Join(indexDir, "CURRENT")); err == nil && info.ModTime().Sub(x.now) > aheadOfClock {
		x.warn("clock", fmt.Sprintf("it says %s, the index was written at %s", stamp(x.now), stamp(info.ModTime())), setIt)
		return
	}
	var late []page.File
	for _, f := range files {
		if time.Unix(0, f.Mtime).Sub(x.now) > aheadOfClock {
			late = append(late, f)
		}
	}
	if len(late) > 0 {
		path := string(late[0].Path)
		x.warn("clock", fmt.Sprintf("it says %s; %s changed after that, such as %s at %s", stamp(x.now), count(len(late), "page"), path, stamp(time.Unix(0, late[0].Mtime))),
			"if the clock is right: touch "+quoted(path)+"; else "+setIt)
		return
	}
	x.ok("clock", stamp(x.now))
}

// inProgress are the marks of what git has not finished, in its folder.
var inProgress = []struct{ name, what, end string }{
	{"MERGE_HEAD", "a merge", "merge --continue, or --abort"},
	{"rebase-merge", "a rebase", "rebase --continue, or --abort"},
	{"rebase-apply", "a rebase", "rebase --continue, or --abort"},
	{"CHERRY_PICK_HEAD", "a cherry-pick", "cherry-pick --continue, or --abort"},
	{"REVERT_HEAD", "a revert", "revert --continue, or --abort"},
	{"BISECT_LOG", "a bisect", "bisect reset"},
}

// examineRepository looks whether git is in the middle of something around the
// brain: nothing is recorded then, and pages may hold conflict markers.
func examineRepository(x *examination, dir string) {
	top, gitDir := repository(dir)
	if gitDir == "" {
		return
	}
	for _, p := range inProgress {
		if exists(filepath.Join(gitDir, p.name)) {
			x.warn("repository", p.what+" is in progress in "+top+": nothing is recorded until it is over", "git -C "+quoted(top)+" "+p.end+"; then `brain lint`")
			return
		}
	}
	if lock := filepath.Join(gitDir, "index.lock"); exists(lock) {
		x.warn("repository", "git runs just now in "+top+", or died: "+lock+" is there", "if no git runs: rm "+quoted(lock))
		return
	}
	x.ok("repository", top)
}

// repository finds the work tree around a folder and git's own folder for it.
func repository(dir string) (top, gitDir string) {
	for at := dir; ; at = filepath.Dir(at) {
		mark := filepath.Join(at, ".git")
		info, err := os.Stat(mark)
		switch {
		case err == nil && info.IsDir():
			return at, mark
		case err == nil: // of a linked work tree, a file that names the folder
			raw, err := os.ReadFile(mark)
			if to, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "gitdir: "); err == nil && ok {
				if !filepath.IsAbs(to) {
					to = filepath.Join(at, to)
				}
				return at, to
			}
		}
		if at == filepath.Dir(at) {
			return "", ""
		}
	}
}
