// Package index holds everything of a brain that can be recomputed: words,
// vectors, links, names, the page table. Losing it costs time, never content.
//
// Nobody tells the index what changed; it looks (look.go). What it finds goes
// into a new generation beside the current one (draft.go), published by one
// rename (generation.go); readers hold a View of one generation and never
// wait (view.go). The page table (table.go), the words (lexical.go, in bleve)
// and the vectors (vectors.go) of a generation belong together.
package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"brain/text"

	"github.com/gofrs/flock"
)

const tokenizerVersion = text.Version

// Index is one brain's index. It is safe for concurrent use, and any number
// of processes may use the same folder.
type Index struct {
	o    Options
	disk *disk

	mu   sync.Mutex
	view *View // of the newest generation this process has opened; nil until then
}

// Open gives the index in o.Dir, which is created when it does not exist.
// Nothing is built or read yet.
func Open(o Options) (*Index, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("index folder: %w", err)
	}
	return &Index{o: o, disk: &disk{dir: o.Dir}}, nil
}

// Close gives back the generation that the index holds open.
func (ix *Index) Close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.view == nil {
		return nil
	}
	v := ix.view
	ix.view = nil
	return v.Release()
}

// View gives the current generation, as the last writer left it: no look at
// the tree. The caller releases it. ErrNoIndex when nothing was built yet.
func (ix *Index) View() (*View, error) {
	n, err := ix.disk.current()
	if err != nil {
		return nil, err
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.view != nil && ix.view.m.Generation == n && ix.view.stands(ix.disk) {
		return ix.view.retain(), nil
	}
	v, err := openView(ix.disk, ix.o.Vectors)
	if err != nil {
		return nil, err
	}
	if why := v.m.typed(ix.o.Pack.Digest()); why != "" {
		return nil, errors.Join(&rebuildError{why}, v.Release())
	}
	if ix.view != nil {
		if err := ix.view.Release(); err != nil {
			return nil, errors.Join(err, v.Release())
		}
	}
	ix.view = v
	return v.retain(), nil
}

// unusable says why a view that could not be opened calls for building the
// index anew, "" when the error is of another kind.
func unusable(err error) string {
	var re *rebuildError
	switch {
	case err == nil || errors.Is(err, ErrNewer):
		return ""
	case errors.Is(err, ErrNoIndex):
		return "there was no index"
	case errors.As(err, &re):
		return re.why
	case errors.Is(err, errDamaged):
		return err.Error()
	}
	return ""
}

// lock takes the writer's lock. The kernel gives it back when a holder dies,
// and never to anybody else while it lives.
func (ix *Index) lock(ctx context.Context, o SyncOptions, what string) (unlock func() error, err error) {
	l := flock.New(filepath.Join(ix.o.Dir, "LOCK"))
	told := false
	for {
		ok, err := l.TryLock()
		if err != nil {
			return nil, fmt.Errorf("index lock: %w", err)
		}
		if ok {
			break
		}
		h := ix.holder()
		if o.NoWait {
			return nil, &BusyError{Holder: h}
		}
		if o.OnWait != nil && !told {
			o.OnWait(h)
			told = true
		}
		select {
		case <-ctx.Done():
			return nil, &BusyError{Holder: h, Cause: ctx.Err()}
		case <-time.After(10 * time.Millisecond):
		}
	}
	if err := ix.writeHolder(what); err != nil {
		return nil, errors.Join(err, l.Unlock())
	}
	return l.Unlock, nil
}

// BusyError says who holds the index lock.
type BusyError struct {
	Holder Holder
	Cause  error
}

func (e *BusyError) Error() string {
	s := fmt.Sprintf("index is busy: process %d on %s has been writing since %s (%s)",
		e.Holder.PID, e.Holder.Host, e.Holder.Since.Format(time.TimeOnly), e.Holder.What)
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

func (e *BusyError) Is(target error) bool { return target == ErrBusy }
func (e *BusyError) Unwrap() error        { return e.Cause }

// draft is an empty draft on v (nil: anew) for generation gen.
func (ix *Index) draft(v *View, gen uint64) (*draft, error) {
	var fp string
	var dims int
	if ix.o.Embedder != nil {
		info := ix.o.Embedder.Info()
		fp, dims = info.Fingerprint, info.Dims
	}
	b, err := newDraft(ix.disk, v, gen, fp, dims)
	b.m.Pack = ix.o.Pack.Digest()
	return b, err
}

// Remove deletes the whole index. It waits for a writer; readers that have a
// generation open keep it until they release it.
func (ix *Index) Remove(ctx context.Context) error {
	unlock, err := ix.lock(ctx, SyncOptions{}, "remove")
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(ix.o.Dir)
	for _, e := range entries {
		if e.Name() == "LOCK" {
			continue
		}
		if rerr := os.RemoveAll(filepath.Join(ix.o.Dir, e.Name())); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	return errors.Join(err, unlock())
}
