package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"brain/page"
)

func TestWhatWasPurgedIsKnownByItsHashes(t *testing.T) {
	st, _ := newBrain(t)
	add(t, st, "notes/heron.md", "---\ntitle: Heron\nfacts:\n  - text: The heron nests in May.\n---\nThe pond is **deep**.\n")
	add(t, st, "notes/kept.md", "# Kept\n\nThe pond is shallow.\n")
	if f, err := st.Forgotten(t.Context()); err != nil || f.Path("notes/heron.md") || f.Text("The pond is deep.") || f.Text("") {
		t.Fatalf("before any purge: %v", err)
	}
	purgePage(t, st, "notes/heron.md")
	talk := page.Path("sessions/2026-03/s1/messages.jsonl")
	said := page.Parse(talk, []byte(`{"text":"yes"}`+"\n"+`{"text":"The vault opens at nine."}`+"\n"+`{"text":"好的"}`+"\n"+`{"text":"密码是蓝色的鸟"}`+"\n"))
	if err := st.BurySession(t.Context(), said, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	f, err := st.Forgotten(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[page.Path]bool{"notes/heron.md": true, talk: true, "notes/kept.md": false, "sessions/2026-03/s2/messages.jsonl": false} {
		if f.Path(p) != want {
			t.Errorf("path %s: %v", p, !want)
		}
	}
	for s, want := range map[string]bool{
		"The pond is deep.": true, "the POND, is _deep_": true, "The heron nests in May.": true, "Heron": true, // a page's, however short
		"The vault opens at nine.": true, "the vault opens at nine": true, "密码是蓝色的鸟。": true,
		"yes": false, "Yes!": false, "好的": false, "The pond is shallow.": false, "": false, "?!": false,
	} {
		if f.Text(s) != want {
			t.Errorf("text %q: %v", s, !want)
		}
	}
}

func TestABrokenLineOfTombstonesHidesNoOther(t *testing.T) {
	st, _ := newBrain(t)
	add(t, st, "a.md", "The first secret page.\n")
	add(t, st, "b.md", "The second secret page.\n")
	purgePage(t, st, "a.md")
	name := filepath.Join(st.Dir(), string(Forgotten))
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	broken := string(raw) + "[]\n{\"kind\":\"page\",\"path\":7}\n\n{}\n" + string(raw[:40]) // the last as a crash leaves it
	if err := os.WriteFile(name, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	purgePage(t, st, "b.md")
	f, err := st.Forgotten(t.Context())
	if err != nil || !f.Path("a.md") || !f.Path("b.md") || !f.Text("the first secret page") || !f.Text("the second secret page") || f.Path("") {
		t.Errorf("%+v, %v", f, err)
	}
}
