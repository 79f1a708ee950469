package dream

import (
	"context"
	"fmt"

	"brain/index"
)

// sync has the index know every page, and every vector that can be had. The stage before looked
// at the links, for which the index took in what it found; it counts here.
func (n *night) sync(ctx context.Context) error {
	if _, err := n.view(ctx); err != nil { // also waits for a writer that died in the midst
		return err
	}
	if n.DryRun { // a question would have brought the index so far, too
		n.looked(n.current.Len(), "files")
		n.tellUnread(n.unread)
		return nil
	}
	rep, err := n.Index.Sync(ctx, n.Store, index.SyncOptions{Pending: true})
	if err != nil {
		return fmt.Errorf("sync the index: %w", err)
	}
	n.behind = true
	n.looked(rep.Added+rep.Changed+rep.Refreshed+rep.Moved+rep.Unchanged, "files")
	for key, by := range map[string]int{"taken_in": n.taken, "embedded": rep.Embedded, "pending_embeddings": rep.Pending} {
		if by > 0 {
			n.count(key, by)
		}
	}
	n.tellUnread(rep.Unreadable)
	if rep.Failed > 0 {
		n.failed("%d passages have no vector: the embedder refused them", rep.Failed)
	}
	if rep.Pending > 0 {
		n.left(Left{What: fmt.Sprintf("%d passages wait for their vectors", rep.Pending), Hint: "`brain sync` asks the model server again"})
	}
	return nil
}

func (n *night) tellUnread(parts []string) {
	for _, part := range parts {
		n.failed("%s cannot be read; what the index knows of it stays", part)
	}
}
