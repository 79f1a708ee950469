package store

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// InitOptions says what Init makes.
type InitOptions struct {
	Brain    string    // name of the brain; "" is default, or whatever is there already
	Here     bool      // the folder itself is the brain: an existing vault
	Given    bool      // another program gave the name: any that a folder may have will do
	Write    string    // yes, no or ask for brain.yml; "" is yes, and ask with Here
	Now      time.Time // for created_at; zero is the current time
	Settings []byte    // content of memory.yml, comments and all
}

// InitReport says what Init did. Paths are relative to the root.
type InitReport struct {
	Root    Root
	Brain   string // the brain's name; "" when nothing was named or made
	Dir     string // its folder, absolute
	Created []string
	Changed []string // .gitignore, when a line was added to it
}

// Init makes a memory root at dir with one brain, or, when dir lies inside a
// root, adds the named brain to that root. What exists is left as it is, so a
// second call changes nothing. With Here, dir itself becomes root and brain:
// memory.yml and brain.yml are put beside the user's files and nothing else is
// touched; elsewhere .gitignore gains a line for .brain/ unless it has one.
func Init(dir string, o InitOptions) (InitReport, error) {
	rep, err := initRoot(dir, o)
	if err != nil {
		return rep, fmt.Errorf("init memory root %s: %w", dir, err)
	}
	return rep, nil
}

func initRoot(dir string, o InitOptions) (rep InitReport, err error) {
	if err := o.check(); err != nil {
		return rep, err
	}
	_, missing := os.Lstat(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return rep, err
	}
	if rep.Root, err = rootFor(dir, o.Here); err != nil {
		return rep, err
	}
	if at, err := resolve(dir); missing != nil && o.Brain == "" && err == nil && at != rep.Root.Dir {
		err = fmt.Errorf("%w: it lies in the memory root %s; --brain NAME adds a brain there", ErrExists, rep.Root.Dir)
		return rep, errors.Join(err, os.Remove(dir))
	}
	here, isHere, err := rep.Root.hereName()
	if err != nil {
		return rep, err
	}
	if o.Here && !isHere {
		if err := rep.Root.mayBecomeBrain(); err != nil {
			return rep, err
		}
	}
	known, err := rep.Root.Brains()
	if err != nil {
		return rep, err
	}
	if err := rep.create(rootFile, o.Settings); err != nil {
		return rep, err
	}
	if !isHere && !o.Here {
		if err := rep.ignoreState(); err != nil {
			return rep, err
		}
	}
	switch {
	case isHere && (o.Here && o.Brain == "" || o.Brain == here):
		rep.Brain, rep.Dir = here, rep.Root.Dir
		return rep, nil
	case isHere && o.Here:
		return rep, fmt.Errorf("%w: this folder is the brain %q", ErrExists, here)
	case o.Here:
		return rep, rep.brain(hereCreated(rep.Root.Dir, o.Brain), ".", o)
	case o.Brain == "" && len(known) > 0:
		return rep, nil
	case o.Brain == "":
		o.Brain = "default"
	}
	return rep, rep.brain(o.Brain, filepath.Join(brainsDir, o.Brain), o)
}

// mayBecomeBrain refuses to turn a root that holds brains into one itself: their
// pages would become its own. In a folder that is no root yet, brains/ is just
// a folder of notes.
func (r Root) mayBecomeBrain() error {
	isRoot, err := isFile(r.Settings())
	if err != nil {
		return err
	}
	held, err := r.under(!isRoot)
	if err == nil && len(held) > 0 {
		err = fmt.Errorf("%w: the brain %q below %s; a root that holds brains cannot become one itself", ErrExists, held[0], brainsDir)
	}
	return err
}

func (o InitOptions) check() error {
	if o.Given {
		if err := checkBrainName(o.Brain); err != nil {
			return err
		}
	} else if o.Brain != "" && !created.MatchString(o.Brain) {
		return fmt.Errorf("%w: %q; want lower-case letters, digits, - and _, at most 64", ErrBrainName, o.Brain)
	}
	if !slices.Contains([]string{"", WriteYes, WriteNo, WriteAsk}, o.Write) {
		return fmt.Errorf("write is %q, want yes, no or ask", o.Write)
	}
	return nil
}

// rootFor is the root that dir lies in, else dir itself.
func rootFor(dir string, here bool) (Root, error) {
	at, err := resolve(dir)
	if err != nil || here {
		return Root{Dir: at}, err
	}
	r, err := Find(at)
	if errors.Is(err, ErrNoRoot) {
		return Root{Dir: at}, nil
	}
	return r, err
}

// hereCreated is the name that an adopted vault's brain.yml gets.
func hereCreated(dir, asked string) string {
	if asked != "" {
		return asked
	}
	if name := filepath.Base(dir); created.MatchString(name) {
		return name
	}
	return "default"
}

// brain makes a brain in the folder rel of the root.
func (rep *InitReport) brain(name, rel string, o InitOptions) error {
	dir := filepath.Join(rep.Root.Dir, rel)
	_, missing := os.Lstat(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if o.Write == "" {
		o.Write = WriteYes
		if o.Here {
			o.Write = WriteAsk
		}
	}
	rep.Brain, rep.Dir = name, dir
	err := rep.create(filepath.Join(rel, brainFile), brainYAML(name, o))
	if err != nil && missing != nil {
		err = errors.Join(err, os.Remove(dir)) // a folder below brains/ is a brain
	}
	return err
}

func brainYAML(name string, o InitOptions) []byte {
	return fmt.Appendf(nil, `# One brain: this folder and all Markdown below it.
format: %d
id: %q
name: %q
created_at: %q
# May jobs that nobody watches write here? yes, no, or ask: only commands
# that a person gives.
write: %s
sources: {}
`, Format, rand.Text(), name, o.Now.UTC().Format(time.RFC3339), o.Write)
}

// create writes a file that must appear whole or not at all, and leaves one
// that is there alone.
func (rep *InitReport) create(rel string, content []byte) error {
	name := filepath.Join(rep.Root.Dir, rel)
	if _, err := os.Lstat(name); err == nil {
		return nil
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer root.Close()
	temp := ".brain-" + rand.Text()
	if err := writeSynced(root, temp, content, 0); err != nil {
		return errors.Join(err, ignoreMissing(root.Remove(temp)))
	}
	err = moveNew(root, temp, filepath.Base(name))
	if errors.Is(err, fs.ErrExist) {
		return root.Remove(temp) // another init was faster
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	rep.Created = append(rep.Created, filepath.ToSlash(rel))
	return syncFolder(root, ".")
}

// ignoreState sees to it that git leaves .brain/ alone.
func (rep *InitReport) ignoreState() error {
	const name, line = ".gitignore", stateDir + "/"
	full := filepath.Join(rep.Root.Dir, name)
	raw, err := os.ReadFile(full)
	if errors.Is(err, fs.ErrNotExist) {
		return rep.create(name, []byte(line+"\n"))
	}
	if err != nil {
		return err
	}
	end := "\n"
	for have := range bytes.Lines(raw) {
		if bytes.HasSuffix(have, []byte("\r\n")) {
			end = "\r\n"
		}
		if s := string(bytes.Trim(have, "/ \t\r\n")); s == stateDir {
			return nil
		}
	}
	add := line + end
	if len(raw) > 0 && !bytes.HasSuffix(raw, []byte("\n")) {
		add = end + add
	}
	f, err := os.OpenFile(full, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(add)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	rep.Changed = append(rep.Changed, name)
	return nil
}
