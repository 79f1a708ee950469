// What a memory.yml may decide that came with somebody's files: nothing outside of
// them. What else it asks for counts once the person has said `brain trust`, which is
// kept here, in the person's own configuration folder:
//
//	trusted.json   {"format":1,"roots":[{"root":"/w/notes","allows":{"embedding.url":"https://…"},"at":"…"}]}
//
// The values themselves are kept, not only that there was a yes: when a later pull
// changes one of them, brain asks again and can say what changed.

package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"brain/store"
)

// ask is one thing that a found settings file wants and may not decide.
type ask struct {
	Key    string `json:"key"`
	Value  string `json:"value"`  // as it stands there
	Means  string `json:"means"`  // where it leads: of a path the folder behind all links
	Why    string `json:"why"`    // "a server that is not on this machine"
	Origin string `json:"origin"` // FILE:LINE
}

// trustedRoot is what the person allowed one root.
type trustedRoot struct {
	Root   string            `json:"root"`
	Allows map[string]string `json:"allows"` // key → ask.Means
	At     string            `json:"at"`
}

type trustFile struct {
	Format int           `json:"format"`
	Roots  []trustedRoot `json:"roots"`
}

const trustFormat = 1

// of finds what a root is allowed.
func (f *trustFile) of(root string) (trustedRoot, bool) {
	i := slices.IndexFunc(f.Roots, func(r trustedRoot) bool { return r.Root == root })
	if i < 0 {
		return trustedRoot{}, false
	}
	return f.Roots[i], true
}

func (f *trustFile) remove(root string) {
	f.Roots = slices.DeleteFunc(f.Roots, func(r trustedRoot) bool { return r.Root == root })
}

// allows reports whether all that is asked for was allowed as it is now.
func (r trustedRoot) allows(asks []ask) bool {
	return !slices.ContainsFunc(asks, func(k ask) bool { return r.Allows[k.Key] != k.Means })
}

// trusted reports whether the person has trusted a root and nothing that it asks for
// has changed since. Whatever runs without being asked (hooks, context, a server)
// works in trusted roots only.
func (a *app) trusted(r store.Root) (bool, error) {
	asks, err := a.asks(r)
	if err != nil {
		return false, err
	}
	f, err := a.readTrust()
	if err != nil {
		return false, err
	}
	given, ok := f.of(r.Dir)
	return ok && given.allows(asks), nil
}

// asks is what the settings file of a root asks for, by itself and together with the
// environment: a key that it names matters only when there is a server to send it to.
func (a *app) asks(r store.Root) ([]ask, error) {
	file, _, err := fileEntries(r.Dir)
	if err != nil {
		return nil, err
	}
	env, _ := envEntries(a.env, a.environ())
	alone, err := loadSettings(r.Dir, file)
	if err != nil {
		return nil, err
	}
	all, err := loadSettings(r.Dir, file, env, a.flagEntries())
	if err != nil {
		return nil, err
	}
	asks := alone.asks
	for _, k := range all.asks {
		if !slices.Contains(asks, k) {
			asks = append(asks, k)
		}
	}
	return asks, nil
}

// checkTrust refuses what a settings file asks for and was not allowed.
func (a *app) checkTrust(r store.Root, asks []ask) error {
	if len(asks) == 0 {
		return nil
	}
	f, err := a.readTrust()
	if err != nil {
		return err
	}
	given, _ := f.of(r.Dir)
	for _, k := range asks {
		was, ok := given.Allows[k.Key]
		if ok && was == k.Means {
			continue
		}
		text := fmt.Sprintf("settings: %s: %s: %s names %s", k.Origin, k.Key, show(k.Value), k.Why)
		if ok {
			text += "; you trusted " + was
		}
		row, err := lookupSetting(k.Key)
		if err != nil {
			return err
		}
		return &failure{code: exitUsage, text: text,
			hint: fmt.Sprintf("`brain trust` shows what this root asks for and allows it; or say it yourself: %s=%s", row.variables()[0], k.Value)}
	}
	return nil
}

// configDir is the person's own folder for this program. A process without a home
// has none: it trusts nothing.
func (a *app) configDir() (string, error) {
	if dir, _ := a.env("BRAIN_CONFIG_DIR"); dir != "" {
		return a.path(dir), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", &failure{code: exitEnvironment, text: "find your configuration folder", cause: err, hint: "set BRAIN_CONFIG_DIR"}
	}
	return filepath.Join(dir, "brain"), nil
}

func (a *app) readTrust() (*trustFile, error) {
	dir, err := a.configDir()
	if err != nil {
		return &trustFile{Format: trustFormat}, nil
	}
	f, err := readTrustFile(filepath.Join(dir, "trusted.json"))
	if err != nil {
		return nil, &failure{code: exitEnvironment, text: "read which roots are trusted", cause: err,
			hint: "mend the file, or delete it and trust your roots again"}
	}
	return f, nil
}

// readTrustFile believes only a file that nobody else can write.
func readTrustFile(name string) (*trustFile, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &trustFile{Format: trustFormat}, nil
	}
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("%s: others may write it (mode %04o)", name, info.Mode().Perm())
	}
	raw, err := readSettings(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &trustFile{}
	if err := json.Unmarshal(raw, f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if f.Format != trustFormat {
		return nil, fmt.Errorf("%s: format %d, this program knows %d", name, f.Format, trustFormat)
	}
	return f, nil
}

// changeTrust changes the file, one process at a time.
func (a *app) changeTrust(change func(*trustFile)) (err error) {
	dir, err := a.configDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, "trusted.lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	f, err := a.readTrust()
	if err != nil {
		return err
	}
	change(f)
	slices.SortFunc(f.Roots, func(x, y trustedRoot) int { return strings.Compare(x.Root, y.Root) })
	raw, err := json.MarshalIndent(f, "", "\t")
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, "trusted.json"), append(raw, '\n'), 0o600)
}

// replaceFile writes a file, whole or not at all.
func replaceFile(name string, content []byte, mode fs.FileMode) error {
	temp := name + "." + rand.Text()
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}
