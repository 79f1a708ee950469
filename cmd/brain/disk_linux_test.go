package main

import "testing"

func TestMountKind(t *testing.T) {
	const mounts = `22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
23 22 0:21 / /home rw shared:1 - nfs4 server:/home rw
24 23 0:22 / /home/wei/far\040away rw - fuse.sshfs wei@far:/ rw
25 22 0:23 / /srv rw - ext4 /dev/vdb rw
26 25 0:24 / /srv rw - tmpfs none rw
a line that is none
`
	for dir, want := range map[string]string{
		"/":                     "ext4",
		"/homework":             "ext4",
		"/home":                 "nfs4",
		"/home/wei/brain":       "nfs4",
		"/home/wei/far away":    "fuse.sshfs",
		"/home/wei/far away/脑":  "fuse.sshfs",
		"/home/wei/far awaymnt": "nfs4",
		"/srv/brain":            "tmpfs", // the later one lies on top
	} {
		if got := mountKind(mounts, dir); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	if got := mountKind("", "/"); got != "" {
		t.Errorf("without mounts: %q", got)
	}
}
