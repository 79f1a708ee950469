package index

import (
	"context"
	"errors"
)

// Purge makes the index anew from the files and removes the generations before,
// so that nothing in it tells of what the files no longer hold. A generation that
// somebody reads goes with the first sync after that.
func (ix *Index) Purge(ctx context.Context, src Source, o SyncOptions) (Report, error) {
	o.Rebuild = true
	rep, err := ix.Sync(ctx, src, o)
	if err != nil {
		return rep, err
	}
	v, err := ix.View() // lets go of the state before
	if err == nil {
		err = v.Release()
	}
	if err != nil {
		return rep, err
	}
	unlock, err := ix.lock(ctx, o, "purge")
	if err != nil {
		return rep, err
	}
	n, err := ix.disk.current()
	if err == nil {
		err = ix.disk.collectBefore(n)
	}
	return rep, errors.Join(err, unlock())
}
