package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"brain/store"
)

// A linked worktree of git (git worktree add) is a second checkout of a repository. Its
// .git is a file that names a folder of the main checkout, and that folder names it:
//
//	wt/.git                          gitdir: /w/main/.git/worktrees/wt
//	/w/main/.git/worktrees/wt/gitdir /w/wt/.git
//	                      commondir  ../..
//
// git itself is not asked: to start it takes longer than all else that a hook does.

// mainCheckout gives the folder that stands in the main checkout for one in a linked
// worktree, or the nearest above it that is there.
func mainCheckout(dir string) (string, bool) {
	for at := dir; ; at = filepath.Dir(at) {
		if main, ok := linkedTo(at); ok {
			rel, err := filepath.Rel(at, dir)
			return nearestFolder(filepath.Join(main, rel)), err == nil
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
}

// linkedTo gives the main checkout of the worktree whose top is a folder.
func linkedTo(top string) (main string, ok bool) {
	name, ok := strings.CutPrefix(gitLine(filepath.Join(top, ".git")), "gitdir: ")
	if !ok {
		return "", false
	}
	git := absolute(top, name)
	if filepath.Base(filepath.Dir(git)) != "worktrees" { // a submodule
		return "", false
	}
	// Anybody can write a .git; that of the main checkout must know it.
	back, err := os.Stat(absolute(git, gitLine(filepath.Join(git, "gitdir"))))
	if err != nil {
		return "", false
	}
	if own, err := os.Stat(filepath.Join(top, ".git")); err != nil || !os.SameFile(own, back) {
		return "", false
	}
	common := absolute(git, gitLine(filepath.Join(git, "commondir")))
	if filepath.Base(common) != ".git" { // a bare repository has no checkout
		return "", false
	}
	return filepath.Dir(common), true
}

// gitLine is the one line of a small file of git, "" when there is none.
func gitLine(name string) string {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 16<<10 {
		return ""
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(raw), "\r\n")
}

func absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// nearestFolder is a folder, or the nearest above it that is there.
func nearestFolder(dir string) string {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil && info.IsDir() || at == filepath.Dir(at) || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return at
		}
	}
}

// rootOfSession finds the trusted root that a session has been going to.
func (a *app) rootOfSession(id string) (store.Root, bool) {
	f, err := a.readTrust()
	if err != nil || id == "" {
		return store.Root{}, false
	}
	var found store.Root
	var last time.Time
	for _, r := range f.Roots {
		name := filepath.Join(r.Root, ".brain", hookDir, bookmarkFile(id))
		if info, err := os.Lstat(name); err == nil && info.ModTime().After(last) {
			if at, err := store.At(r.Root); err == nil {
				found, last = at, info.ModTime()
			}
		}
	}
	return found, !last.IsZero()
}
