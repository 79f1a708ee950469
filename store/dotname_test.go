package store

import (
	"context"
	"testing"

	"brain/page"
)

// A dot in front hides a folder, not a page: a vault may well hold a page
// about the command ".".
func TestPageNamedLikeADotFile(t *testing.T) {
	st, _ := newBrain(t, "common/..md", ".draft.md", ".git/x.md")
	wantPaths(t, st, ".draft.md", "common/..md")
	for _, p := range paths(list(t, st)) {
		if _, err := st.Read(context.Background(), page.Path(p)); err != nil {
			t.Errorf("listed and not readable: %s: %v", p, err)
		}
	}
	if _, err := st.Read(context.Background(), ".git/x.md"); err == nil {
		t.Error("a page in a dot folder was read")
	}
}
