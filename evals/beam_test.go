package evals

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"brain/compile"
	"brain/dream"
	"brain/inbox"
	"brain/llm"
	"brain/memory"
	"brain/page"
)

// In the conversations of BEAM users contradict or revise what they said before. How
// many of these places reach the list that a person reviews, when the conversations
// are compiled by rules and dreamt of without a model? Nothing is demanded of the
// figure: rules keep what is said in so many words, and most of this is not.
//
//	BRAIN_DATA=…/data go test ./evals -run Beam -v

// beamPair is a line of the set's pairs.jsonl: messages of either side.
type beamPair struct {
	ID, Scope, Label string
	A, B             []string
}

// beam is one conversation as a brain.
type beam struct {
	*engine
	t    *testing.T
	box  *inbox.Box
	made map[string]bool // messages that something was made of
	open [][2][]string   // for each open pair, the messages that its sides come from
}

func TestBeamContradictionsThatAreProposed(t *testing.T) {
	data := os.Getenv("BRAIN_DATA")
	if data == "" {
		t.Skip("BRAIN_DATA does not name the folder of the evaluation data")
	}
	dir := filepath.Join(data, "beam-100k")
	set, err := Load(dir, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pairs, brains := readBeamPairs(t, dir), plantBeam(t, set)
	both, made, proposed := map[string]int{}, map[string]int{}, 0
	of, messages := map[string]int{}, 0
	for scope, b := range brains {
		b.compile()
		b.dream()
		proposed, messages = proposed+len(b.open), messages+len(b.made)
		for _, p := range pairs {
			if p.Scope != scope {
				continue
			}
			of[p.Label]++
			if b.anyMade(p.A) && b.anyMade(p.B) {
				made[p.Label]++
			}
			if b.proposes(p) {
				both[p.Label]++
				t.Logf("%s: both sides stand in the list", p.ID)
			}
		}
	}
	t.Logf("%v pairs of the set; of %d messages something was made, of both sides of %v pairs; both sides of %v stand in a list; %d pairs do in all", of, messages, made, both, proposed)
	if len(of) == 0 || messages == 0 {
		t.Error("nothing was looked at")
	}
}

func readBeamPairs(t *testing.T, dir string) (out []beamPair) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "pairs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var p beamPair
		if err := json.Unmarshal(s.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// plantBeam makes a brain of each conversation, a session a day.
func plantBeam(t *testing.T, set *Set) map[string]*beam {
	t.Helper()
	static, err := llm.Static()
	if err != nil {
		t.Fatal(err)
	}
	trees := map[string]*tree{}
	root, remove, err := tempRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = remove() })
	for _, d := range set.Docs {
		if trees[d.Scope] == nil {
			tr, err := newBrain(root, d.Scope, d.Scope)
			if err != nil {
				t.Fatal(err)
			}
			tr.sessions, trees[d.Scope] = true, tr
		}
	}
	if err := set.plant(t.Context(), trees); err != nil {
		t.Fatal(err)
	}
	out := map[string]*beam{}
	for scope, tr := range trees {
		e, err := openEngine(t.Context(), tr, Options{Embedder: static})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.close() })
		box, err := inbox.Open(tr.dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = box.Close() })
		out[scope] = &beam{engine: e, t: t, box: box, made: map[string]bool{}}
	}
	return out
}

func (b *beam) now() time.Time { return b.engine.t.newest.AddDate(0, 0, 1) }

func (b *beam) compile() {
	items, _, err := b.box.Queue(b.t.Context(), inbox.QueueOptions{All: true})
	if err != nil {
		b.t.Fatal(err)
	}
	b.st.Renew = memory.Renew(b.now)
	pass := &compile.Pass{Store: b.st, Box: b.box, Index: b.ix, Searcher: &b.sr, Now: b.now}
	ran, err := (&compile.Runner{Pass: pass}).Run(b.t.Context(), compile.BySession(items))
	if err != nil || ran.Failed > 0 || ran.Done == 0 {
		b.t.Fatalf("compile: %+v, %v", ran, err)
	}
}

// dream lets the brain dream once, and reads what a person would review.
func (b *beam) dream() {
	state, err := dream.FolderOf(b.engine.t.root, b.engine.t.brain)
	if err != nil {
		b.t.Fatal(err)
	}
	c := &dream.Cycle{Store: b.st, Box: b.box, Index: b.ix, Searcher: &b.sr, Embedder: b.sr.Embedder, Facts: &memory.Facts{Store: b.st, Now: b.now},
		State: state, Now: b.now}
	r, err := c.Run(context.Background())
	if err != nil || !r.OK {
		b.t.Fatalf("dream: %+v, %v", r, err)
	}
	list, err := b.st.List(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, f := range list.Files {
		if !f.Path.IsSession() {
			for _, id := range b.messages(f.Path) {
				b.made[id] = true
			}
		}
	}
	raw, err := os.ReadFile(filepath.Join(b.engine.t.dir, "contradictions.md"))
	if err != nil {
		return // nothing was found
	}
	for _, p := range dream.Open(raw) {
		b.open = append(b.open, [2][]string{b.messages(p.A.Path), b.messages(p.B.Path)})
	}
}

// messages are those that a page was made of.
func (b *beam) messages(p page.Path) (ids []string) {
	raw, err := b.st.Read(b.t.Context(), p)
	if err != nil {
		return nil
	}
	from := page.Parse(p, raw).Provenance
	for path, said := range b.engine.t.turns {
		if filepath.Base(filepath.Dir(string(path))) != from.Session {
			continue
		}
		for _, n := range from.Turns {
			if n >= 1 && n <= len(said) {
				ids = append(ids, said[n-1])
			}
		}
	}
	return ids
}

func (b *beam) anyMade(ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return b.made[id] })
}

func (b *beam) proposes(p beamPair) bool {
	meet := func(some, others []string) bool {
		return slices.ContainsFunc(some, func(id string) bool { return slices.Contains(others, id) })
	}
	return slices.ContainsFunc(b.open, func(o [2][]string) bool {
		return meet(o[0], p.A) && meet(o[1], p.B) || meet(o[0], p.B) && meet(o[1], p.A)
	})
}
