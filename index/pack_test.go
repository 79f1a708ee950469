//go:build unix

package index

import (
	"slices"
	"strings"
	"testing"

	"brain/llm/llmtest"
	"brain/page"
)

// Another schema pack types links otherwise: the index is made anew, once, with a
// reason, and no text is embedded again. A pack that only adds types changes nothing.
func TestAnotherPackRebuilds(t *testing.T) {
	pack := func(raw string) *page.Pack {
		k, err := page.ParsePack("ops.yml", []byte(raw))
		must(t, err)
		return k
	}
	tr := newTree(t, map[string]string{"a.md": "# A\n\nShe maintains [[B]].\n", "b.md": "# B\n\nx\n"}).settled()
	dir := t.TempDir()
	maintains := pack("relations: {maintains: {verbs: [maintains]}}")
	for i, step := range []struct {
		pack    *page.Pack
		typ     string
		rebuilt string
	}{
		{nil, "works_on", "there was no index"},
		{page.ProblemTree(), "works_on", ""},
		{pack("types: {runbook: {}}"), "works_on", ""},
		{maintains, "maintains", "its links were typed with the built-in schema pack"},
		{maintains, "maintains", ""},
		{pack("relations: {cares_for: {verbs: [maintains]}}"), "cares_for", "its links were typed with schema pack ops-"},
		{nil, "works_on", "its links were typed with schema pack ops-"},
	} {
		ix, err := Open(Options{Dir: dir, Embedder: llmtest.Hash(16), Pack: step.pack})
		must(t, err)
		rep, err := ix.Sync(t.Context(), tr, SyncOptions{})
		must(t, err)
		if !strings.HasPrefix(rep.Rebuilt, step.rebuilt) || step.rebuilt == "" && rep.Rebuilt != "" || i > 0 && rep.Embedded > 0 {
			t.Errorf("step %d: %+v", i, rep)
		}
		v, err := ix.View()
		must(t, err)
		row, _ := v.Lookup("a.md")
		links := v.Everything().Links(row)
		if !slices.ContainsFunc(links, func(l Link) bool { return l.Type == step.typ }) {
			t.Errorf("step %d: links %+v", i, links)
		}
		must(t, v.Release())
		found, err := ix.Check(t.Context(), tr, true)
		must(t, err)
		if len(found) > 0 {
			t.Errorf("step %d: %v", i, found)
		}
		must(t, ix.Close())
	}
}
