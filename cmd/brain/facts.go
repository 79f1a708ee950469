package main

import (
	"context"
	"path/filepath"

	"brain/memory"
	"brain/store"
)

// facts are what the agents of a brain know of its user.
func (a *app) facts(ctx context.Context, o *opened) *memory.Facts {
	return &memory.Facts{
		Store: o.st,
		User:  o.settings.MemoryUser,
		Rules: o.settings.Memory,
		Usage: filepath.Join(o.root.StateDir(), "usage", o.st.Name()),
		Told:  func(r store.Receipt) { a.touch(ctx, o, r) },
	}
}
