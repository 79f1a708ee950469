package index

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// writeHolder leaves a note for those who wait. It proves nothing: the lock
// itself is the kernel's.
func (ix *Index) writeHolder(what string) error {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	b, err := json.Marshal(Holder{PID: os.Getpid(), Host: host, What: what, Since: time.Now().Truncate(time.Second)})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(ix.o.Dir, "HOLDER"), b, 0o600); err != nil {
		return fmt.Errorf("index lock: %w", err)
	}
	return nil
}

// holder reads the note; a missing or torn one gives zero values, since the
// lock may have been taken this very moment.
func (ix *Index) holder() (h Holder) {
	b, err := os.ReadFile(filepath.Join(ix.o.Dir, "HOLDER"))
	if err != nil || json.Unmarshal(b, &h) != nil {
		return Holder{Host: "this machine", What: "unknown", Since: time.Now()}
	}
	return h
}

// held says who is writing just now, nil when nobody is.
func (ix *Index) held() *Holder {
	l := flock.New(filepath.Join(ix.o.Dir, "LOCK"))
	free, err := l.TryRLock()
	if err == nil && free {
		if l.Unlock() == nil {
			return nil
		}
	}
	h := ix.holder()
	return &h
}
