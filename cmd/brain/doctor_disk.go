package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brain/text"
)

// disk is what the system tells of the file system under a folder. A number that
// it does not tell is 0.
type disk struct {
	free, total       int64  // bytes; free for who is not root
	inodes, allInodes int64  // files that can still be made, and that can be at all
	kind              string // as the system calls it: ext4, nfs4, fuse.sshfs
}

// Room below which a write or a sync may fail halfway. A twentieth of a large disk
// is much, so there it counts only while it is little in bytes.
const (
	lowDisk   = 500 << 20
	scarce    = 20 // one part in so many
	muchSpace = 10 << 30
)

// low says what there is too little of, or "".
func (d *disk) low() string {
	switch {
	case d.free < lowDisk, d.total > 0 && d.free < d.total/scarce && d.free < muchSpace:
		return text.Size(d.free) + " free"
	case d.allInodes > 0 && d.inodes < d.allInodes/scarce:
		return fmt.Sprintf("only %d more files fit (inodes)", d.inodes)
	}
	return ""
}

func examineDisk(x *examination, name, dir string) {
	d, err := diskOf(dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return
	case err != nil:
		x.fail(name, fmt.Errorf("%s: %w", dir, err))
		return
	}
	net := networkDisk(d.kind)
	switch low := d.low(); {
	case low != "":
		x.warn(name, dir+": "+low, "make room: `du -xh "+quoted(dir)+" | sort -h | tail` shows what takes it")
	case net && name == "index disk":
		x.warn(name, fmt.Sprintf("%s is on a network disk (%s): locks and speed may suffer", dir, d.kind), "put it on a local disk: BRAIN_INDEX_PATH=DIR")
	case net:
		x.warn(name, fmt.Sprintf("%s is on a network disk (%s): other machines may not see the lock of a writer here", dir, d.kind), "write from one machine at a time, or let git carry the pages between them")
	default:
		x.ok(name, text.Size(d.free)+" free"+before(", ", d.kind))
	}
}

// networkKinds are file systems whose files lie on another machine.
var networkKinds = []string{
	"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "webdav", "davfs", "9p", "drvfs", "ceph", "afs", "coda", "lustre", "gpfs", "beegfs", "glusterfs",
	"vboxsf", "prl_fs", "fuse.vmhgfs-fuse", "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "fuse.ceph", "fuse.davfs", "fuse.gvfsd-fuse", "fuse.smbnetfs",
	"fuse.curlftpfs", "fuse.google-drive-ocamlfuse", "fuse.onedriver", "fuse.juicefs", "fuse.goofys", "fuse.gcsfuse",
}

func networkDisk(kind string) bool { return slices.Contains(networkKinds, strings.ToLower(kind)) }

// examineFolder looks whether a sync program copies the folder to other machines,
// and whether its disk tells names apart by case.
func examineFolder(x *examination, o *opened) {
	if who := cloudOf(o.st.Dir(), exists); who != "" {
		x.warn("cloud", fmt.Sprintf("%s is kept in step by %s: it copies pages while they are written, and knows no lock of another machine", o.st.Dir(), who),
			"write from one machine at a time; `brain lint` names its conflict copies")
	} else {
		x.ok("cloud", "no sync program known here copies the folder")
	}
	if who := cloudOf(o.indexDir(), exists); who != "" {
		x.warn("cloud", fmt.Sprintf("the index in %s is copied by %s: it can be damaged by that, and is rebuilt anyway", o.indexDir(), who), "put it elsewhere: BRAIN_INDEX_PATH=DIR")
	}
	if ignoresCase(o.root.Settings()) {
		x.ok("case", "the disk ignores case: README.md and readme.md are one page")
	}
}

// clouds are sync programs, by the folder that they make: its name, or how it
// begins. On macOS newer ones lie below Library/CloudStorage.
var clouds = []struct{ folder, name string }{
	{"Dropbox", "Dropbox"},
	{"Mobile Documents", "iCloud"},
	{"iCloudDrive", "iCloud"},
	{"iCloud Drive", "iCloud"},
	{"OneDrive", "OneDrive"},
	{"Google Drive", "Google Drive"},
	{"GoogleDrive", "Google Drive"},
	{"My Drive", "Google Drive"},
	{"Nextcloud", "Nextcloud"},
	{"ownCloud", "ownCloud"},
	{"pCloudDrive", "pCloud"},
	{"Nutstore", "Nutstore (坚果云)"},
	{"坚果云", "Nutstore (坚果云)"},
	{"我的坚果云", "Nutstore (坚果云)"},
	{"BaiduSyncdisk", "Baidu (百度网盘)"},
	{"CloudStorage", "a cloud provider"},
}

// cloudMarks are files that a sync program puts at the top of what it copies.
var cloudMarks = []struct{ file, name string }{
	{".stfolder", "Syncthing"},
	{".dropbox", "Dropbox"},
	{".dropbox.cache", "Dropbox"},
	{".nextcloudsync.log", "Nextcloud"},
	{".owncloudsync.log", "ownCloud"},
	{".tmp.driveupload", "Google Drive"},
}

// cloudOf names the sync program that copies a folder, or "". has asks whether a
// file exists.
func cloudOf(dir string, has func(string) bool) string {
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		for _, m := range cloudMarks {
			if has(filepath.Join(at, m.file)) {
				return m.name
			}
		}
		for _, c := range clouds {
			if cloudFolder(filepath.Base(at), c.folder) {
				return c.name
			}
		}
	}
	return ""
}

// cloudFolder reports "Dropbox", "Dropbox (Team)", "OneDrive - Contoso",
// "GoogleDrive-ann@example.com", and not "Dropbox-notes".
func cloudFolder(name, folder string) bool {
	rest, ok := strings.CutPrefix(name, folder)
	return ok && (rest == "" || strings.HasPrefix(rest, " (") || strings.HasPrefix(rest, " - ") ||
		strings.HasPrefix(rest, "-") && (strings.Contains(rest, "@") || rest == "-Personal"))
}

// ignoresCase asks for a file under its name in capitals.
func ignoresCase(file string) bool {
	a, err := os.Stat(file)
	if err != nil {
		return false
	}
	b, err := os.Stat(filepath.Join(filepath.Dir(file), strings.ToUpper(filepath.Base(file))))
	return err == nil && os.SameFile(a, b)
}
