package memory

import (
	"io/fs"
	"syscall"
	"time"
)

func accessed(info fs.FileInfo) time.Time {
	return time.Unix(info.Sys().(*syscall.Stat_t).Atim.Unix()).UTC()
}
