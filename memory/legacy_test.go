package memory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brain/memory/deermemtest"
	"brain/page"
	"brain/store"
)

// viewOfFiles shows files as a folder.
func viewOfFiles(files map[string]string) view {
	return view{
		own: func(o store.OwnFile) ([]byte, error) {
			if raw, ok := files[string(o)]; ok {
				return []byte(raw), nil
			}
			return nil, nil
		},
		page: func(p page.Path) ([]byte, error) {
			if raw, ok := files[string(p)]; ok {
				return []byte(raw), nil
			}
			return nil, store.ErrNotFound
		},
		names: func(folder string) (all []string, _ error) {
			for name := range files {
				if strings.HasPrefix(name, folder+"/") {
					all = append(all, name)
				}
			}
			slices.Sort(all)
			return all, nil
		},
	}
}

// left is what was left for an agent, a line a fact, then a line a problem.
func left(t *testing.T, files map[string]string, agent string) []string {
	t.Helper()
	l, err := legacyOf(viewOfFiles(files), agent, "alice")
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, f := range l.facts {
		out = append(out, fmt.Sprintf("%s %s/%s %v %s %s: %s", f.ID, f.User, f.Agent, f.Confidence, f.Source.word(), timeText(f.Created), f.Content))
	}
	for _, p := range l.problems {
		kind := "damage"
		if errors.Is(p.Err, ErrLegacy) {
			kind = "conflict"
		} else if !errors.Is(p.Err, ErrCorrupt) {
			t.Errorf("%s: %v is of no kind", p.Path, p.Err)
		}
		out = append(out, string(p.Path)+": "+kind)
	}
	return out
}

func wantLeft(t *testing.T, files map[string]string, agent string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), left(t, files, agent)); diff != "" {
		t.Error(diff)
	}
}

// deermem 8, MV01
func TestFactsInAMemoryJSONOfBeforeV2AreTheDefaultAgents(t *testing.T) {
	files := map[string]string{"memory.json": `{"version": "1.0", "lastUpdated": "2026-03-09T12:00:00Z", "facts": [
		{"id": "fact_1", "content": " Likes tea ", "confidence": 2, "source": "thread-3", "createdAt": "2026-01-02T03:04:05Z"},
		{"content": "Likes milk", "category": ""}]}`}
	wantLeft(t, files, page.DefaultAgent,
		"fact_1 alice/__default__ 1 thread-3 2026-01-02T03:04:05Z: Likes tea",
		FactID("likes milk")+" alice/__default__ 0.5 unknown 2026-03-09T12:00:00Z: Likes milk")
	wantLeft(t, files, "coder")
}

func TestWhetherAMemoryJSONIsOfBeforeV2(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"version": "2.0", "revision": 3}`: false,
		`{"version": "2.0", "facts": []}`:   true,
		`{"version": "2.0", "facts": {}}`:   true,
		`{"version": "1.0"}`:                true,
		`{"version": 2.0}`:                  true,
		`{"user": {}}`:                      true,
		"\uFEFF" + `{"version": "1.0"}`:     true,
		`# notes`:                           false, // no JSON: see the summaries
		`[]`:                                false,
	} {
		l, err := legacyOf(viewOfFiles(map[string]string{"memory.json": raw}), page.DefaultAgent, "")
		if err != nil || len(l.problems) > 0 || len(l.from) > 0 != want {
			t.Errorf("%s: of before v2 %v, want %v (%v %v)", raw, len(l.from) > 0, want, l.problems, err)
		}
	}
}

const oldFact = "---\nid: fact_1\nconfidence: 0.75\ncreatedAt: '2026-01-02T03:04:05Z'\nlabel: kept\nuser_id: bob\nagent_name: lead-agent\n---\n\n# Likes tea\n\nLikes tea\n"

func TestAMappingNamesFilesByPathAndHash(t *testing.T) {
	mapping := func(path, hash string) map[string]string {
		return map[string]string{"facts/one.md": "no fact", "facts/fact_1.md": oldFact,
			"memory.json": fmt.Sprintf(`{"facts": {"fact_1": {"path": %q, "contentHash": %q}}}`, path, hash)}
	}
	hash := "sha256:" + string(store.HashOf([]byte(oldFact)))
	fact := "fact_1 bob/__default__ 0.75 unknown 2026-01-02T03:04:05Z: Likes tea"
	wantLeft(t, mapping("facts/fact_1.md", hash), page.DefaultAgent, fact)
	wantLeft(t, mapping("facts/fact_1.md", ""), page.DefaultAgent, fact)
	wantLeft(t, mapping("facts/fact_1.md", "sha256:00"), page.DefaultAgent, "facts/fact_1.md: damage")
	wantLeft(t, mapping("facts/one.md", ""), page.DefaultAgent, "facts/one.md: damage")
	for _, path := range []string{"", "facts/gone.md", "../facts/fact_1.md", "/etc/fact_1.md", "facts", `..\fact_1.md`} {
		wantLeft(t, mapping(path, ""), page.DefaultAgent, "memory.json: damage")
	}
}

func TestAFactThatLiesInItsPlaceAlreadyIsNotLeftOver(t *testing.T) {
	place, err := FactPath("", "fact_1")
	if err != nil {
		t.Fatal(err)
	}
	wantLeft(t, map[string]string{string(place): oldFact, "memory.json": `{"facts": {"fact_1": {"path": "` + string(place) + `"}}}`}, page.DefaultAgent)
}

// deermem 19
func TestTheSameIDTwiceIsOneFactIfBothMeanTheSame(t *testing.T) {
	files := map[string]string{
		"memory.json":                    `{"facts": [{"id": "fact_1", "content": "Likes tea", "confidence": 0.75, "createdAt": "2026-01-02T03:04:05Z"}]}`,
		"agents/__default__/memory.json": `{"facts": [{"id": "fact_1", "content": "Likes tea ", "confidence": 0.75, "createdAt": "2025-01-02T03:04:05Z"}]}`,
	}
	wantLeft(t, files, page.DefaultAgent, "fact_1 alice/__default__ 0.75 unknown 2025-01-02T03:04:05Z: Likes tea")
	files["memory.json"] = strings.Replace(files["memory.json"], "tea", "milk", 1)
	wantLeft(t, files, page.DefaultAgent, "fact_1 alice/__default__ 0.75 unknown 2025-01-02T03:04:05Z: Likes tea", "memory.json: conflict")
}

func TestWhatIsNoFactIsToldAndTheOthersCount(t *testing.T) {
	wantLeft(t, map[string]string{"memory.json": `{"facts": [7, {"content": " "}, {"id": "../x", "content": "y"}, {"content": "Likes tea", "id": "fact_1"}]}`},
		page.DefaultAgent, "fact_1 alice/__default__ 0.5 unknown 1970-01-01T00:00:00Z: Likes tea", "memory.json: damage", "memory.json: damage", "memory.json: damage")
	wantLeft(t, map[string]string{"memory.json": `{"facts": "all"}`}, page.DefaultAgent, "memory.json: damage")
	wantLeft(t, map[string]string{"agents/coder/memory.json": `nothing`}, "coder", "agents/coder/memory.json: damage")
}

// MV02, MV03, deermem 8, 16
func TestTheEarlierNameOfTheDefaultAgentIsTakenOverUnlessItIsAnAgentOfItsOwn(t *testing.T) {
	const place = "agents/lead-agent/facts/9e/fact_1.md"
	bucket := func(more ...string) map[string]string {
		files := map[string]string{place: oldFact}
		for i := 0; i+1 < len(more); i += 2 {
			files[more[i]] = more[i+1]
		}
		return files
	}
	fact := "fact_1 bob/__default__ 0.75 unknown 2026-01-02T03:04:05Z: Likes tea"
	wantLeft(t, bucket(), page.DefaultAgent, fact)
	wantLeft(t, bucket(), leadAgent)
	wantLeft(t, bucket("agents/lead-agent/.metadata/fact-usage.json", "{}"), page.DefaultAgent, fact)
	wantLeft(t, bucket("agents/lead-agent/config.yaml", ""), page.DefaultAgent)
	wantLeft(t, bucket("memory.json", `{"version": "2.0", "ownAgents": ["lead-agent"]}`), page.DefaultAgent)
	wantLeft(t, bucket("memory.json", `{"version": "2.0", "ownAgents": ["coder"]}`), page.DefaultAgent, fact)
	wantLeft(t, bucket("agents/lead-agent/notes.txt", "what is this"), page.DefaultAgent, fact, "agents/lead-agent/notes.txt: damage")
	wantLeft(t, map[string]string{"agents/lead-agent/notes.txt": "no facts here"}, page.DefaultAgent)

	old := `{"facts": [{"id": "fact_2", "content": "Likes milk"}]}`
	milk := "fact_2 alice/__default__ 0.5 unknown 1970-01-01T00:00:00Z: Likes milk"
	wantLeft(t, bucket("agents/lead-agent/memory.json", old), page.DefaultAgent, fact, milk)
	owned := bucket("agents/lead-agent/memory.json", old, "agents/lead-agent/config.yaml", "")
	wantLeft(t, owned, page.DefaultAgent)
	wantLeft(t, owned, leadAgent, strings.Replace(milk, "__default__", leadAgent, 1))
}

func TestAllThatTheTreeHoldsOfBeforeV2IsFound(t *testing.T) {
	tree := deermemtest.New()
	for _, bucket := range deermemtest.Buckets {
		files := map[string]string{}
		for name, content := range tree.Files {
			if rest, ok := strings.CutPrefix(name, "users/"+bucket+"/"); ok {
				files[rest] = content
			}
		}
		for _, agent := range []string{"__default__", "coder", "lead-agent"} {
			want := map[string]string{}
			for _, f := range tree.Of(bucket, agent) {
				if !strings.HasPrefix(f.File, "agents/"+agent+"/") {
					want[f.ID] = f.Content
				}
			}
			l, err := legacyOf(viewOfFiles(files), agent, "")
			if err != nil || len(l.problems) > 0 {
				t.Fatal(l.problems, err)
			}
			got := map[string]string{}
			for _, f := range l.facts {
				got[f.ID] = f.Content
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s:\n%s", bucket, agent, diff)
			}
		}
	}
}
