package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// mounted mounts something at the root of an agent, as only root can.
func (a *talkative) mounted(args ...string) {
	a.t.Helper()
	if os.Geteuid() != 0 {
		a.t.Skip("only root can mount a disk for this test")
	}
	if out, err := exec.Command("mount", append(args, a.root)...).CombinedOutput(); err != nil {
		a.t.Skipf("a disk cannot be mounted here: %v: %s", err, out)
	}
	a.t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", a.root).CombinedOutput(); err != nil {
			a.t.Errorf("umount: %v: %s", err, out)
		}
	})
}

// A root that is mounted for reading takes nothing in, and the agent does not notice.
func TestAHookOnAReadOnlyDiskIsSilent(t *testing.T) {
	a := newTalkative(t, 2)
	a.mounted("--bind", a.root)
	if out, err := exec.Command("mount", "-o", "remount,ro,bind", a.root).CombinedOutput(); err != nil {
		t.Skipf("a folder cannot be mounted for reading here: %v: %s", err, out)
	}
	a.call("Stop", a.event(), 0)
	if out, err := exec.Command("mount", "-o", "remount,rw,bind", a.root).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	a.call("Stop", a.event(), 0)
	a.kept()
}

// On a full disk nothing is kept and nothing is lost: once there is room, the next call
// takes in what is missing.
func TestAHookOnAFullDiskGoesOnLater(t *testing.T) {
	a := newTalkative(t, 2)
	a.mounted("-t", "tmpfs", "-o", "size=2m", "tmpfs")
	a.makeRoot()
	a.call("Stop", a.event(), 0)
	filler := filepath.Join(a.root, "filler")
	if err := os.WriteFile(filler, make([]byte, 4<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	a.say(200)
	a.call("Stop", a.event(), 0)
	a.call("SessionEnd", nil, 0)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	a.say(2)
	a.call("Stop", a.event(), 0)
	a.kept()
}
