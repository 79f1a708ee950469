package memory_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	yaml "go.yaml.in/yaml/v3"

	"brain/memory"
	"brain/memory/deermemtest"
	"brain/store"
)

// A folder that DeerMem wrote is opened where it is, searched and changed by brain, and
// then read back by the rules that DeerMem documents. The reader below knows those
// rules alone and nothing of package memory:
//
//	a fact is agents/<agent>/facts/<hh>/<id>.md, hh the first two hex digits of SHA-256(id)
//	---, a YAML mapping, ---, a blank line, "# " and the title, a blank line, the content
//	id is the file's stem, agent_name the folder's, user_id makes the bucket's name
//	schemaVersion 2, status active, confidence a number from 0 to 1, revision from 1, a
//	category of the core set, source a mapping, dates as texts
func TestAFolderOfDeerMemsIsUsedWhereItIsAndReadBackByItsRules(t *testing.T) {
	ctx := context.Background()
	tree := deermemtest.New()
	root := t.TempDir()
	if err := tree.Write(root); err != nil {
		t.Fatal(err)
	}
	alice := filepath.Join(root, "users", "alice")
	before := readFiles(t, alice)

	// opened: brain.yml and memory.yml are put beside what is there
	facts := adopt(t, alice)
	if l := list(t, facts, ""); len(l.Facts) != 20 || len(l.Damaged) != 0 {
		t.Fatalf("%d facts, damaged %v", len(l.Facts), l.Damaged)
	}
	if diff := cmp.Diff(before, without(readFiles(t, alice), "brain.yml", "memory.yml")); diff != "" {
		t.Errorf("looking changed:\n%s", diff)
	}

	// searched
	for query, want := range map[string]string{"tabs or spaces": "fact_0dd00001", "北京": "fact_a11ce00a", "ledger maintainer": "fact_0dd00007"} {
		found, err := facts.Search(ctx, "", memory.Search{Query: query, N: 1})
		if err != nil || len(found) != 1 || found[0].ID != want {
			t.Errorf("%q found %+v, %v, want %s", query, found, err, want)
		}
	}

	// changed: one is edited, one confirmed, one goes, one comes
	content, confidence := "Likes tabs, and spaces in YAML", 0.95
	do := func(_ *memory.Delta, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(facts.Update(ctx, "", "fact_0dd00001", memory.Patch{Content: &content, Confidence: &confidence}, memory.If{Revision: 2}))
	do(facts.Confirm(ctx, "", "fact_0dd00003", memory.If{}))
	do(facts.Delete(ctx, "", "fact_0dd00008", memory.If{}))
	do(facts.Add(ctx, "", memory.Fact{ID: "fact_b4a1e000", Content: "Schreibt Deutsch: \"ja\"\n\nund 中文", Category: "sprache", Confidence: 1}))

	// read back
	got := map[string]deerFact{}
	for _, f := range readAsDeerMem(t, alice, "alice") {
		got[f.Agent+"/"+f.ID] = f
	}
	want := map[string]deerFact{}
	for _, f := range tree.Facts {
		if f.Bucket == "alice" && f.File != "" && f.ID != "fact_0dd00008" {
			want[f.Agent+"/"+f.ID] = deerFact{f.Agent, f.ID, f.Category, f.Confidence, f.Content}
		}
	}
	want["__default__/fact_0dd00001"] = deerFact{"__default__", "fact_0dd00001", "preference", 0.95, content}
	want["__default__/fact_b4a1e000"] = deerFact{"__default__", "fact_b4a1e000", "sprache", 1, "Schreibt Deutsch: \"ja\"\n\nund 中文"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read back:\n%s", diff)
	}

	// what was not changed has its bytes, and what was changed its other keys
	after := readFiles(t, alice)
	changed := []string{"brain.yml", "memory.yml", "memory.json", shardOf("fact_0dd00001"), shardOf("fact_0dd00003"), shardOf("fact_0dd00008"), shardOf("fact_b4a1e000")}
	if diff := cmp.Diff(without(before, changed...), without(after, changed...)); diff != "" {
		t.Errorf("the rest changed:\n%s", diff)
	}
	if raw := after[shardOf("fact_0dd00001")]; !strings.Contains(raw, "\ncreatedAt: '2026-10-01T17:56:24.877586Z'\n") || !strings.Contains(raw, "\nrevision: 3\n") || !strings.Contains(raw, "\nexpected_valid_days: 120\n") {
		t.Errorf("the edited fact is\n%s", raw)
	}
	if raw := after[shardOf("fact_0dd00003")]; !strings.Contains(raw, "futureKey:\n  nested:\n  - 1\n  - two\nlabels: [a, b]  # a hand wrote this\n") || !strings.Contains(raw, "\nconfirmationCount: 1\n") || !strings.Contains(raw, "\n# Words for shipping\n") {
		t.Errorf("the confirmed fact is\n%s", raw)
	}
	var m struct {
		Version  string
		Revision int
		User     map[string]struct{ Summary string }
		Facts    any
	}
	if err := json.Unmarshal([]byte(after["memory.json"]), &m); err != nil || m.Version != "2.0" || m.Revision != 41+4 || m.User["topOfMind"].Summary != "Retiring the nightly batch." || m.Facts != nil {
		t.Errorf("memory.json: %v\n%s", err, after["memory.json"])
	}
}

// adopt opens a user's folder as a brain, without moving a file.
func adopt(t *testing.T, dir string) *memory.Facts {
	t.Helper()
	rep, err := store.Init(dir, store.InitOptions{Here: true, Settings: []byte("# settings\n")})
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(rep.Root, rep.Brain)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return &memory.Facts{Store: st, Rules: memory.DefaultRules()}
}

func list(t *testing.T, m *memory.Facts, agent string) *memory.Listing {
	t.Helper()
	l, err := m.List(context.Background(), agent)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// readFiles are all files below a folder but those that brain may lose.
func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".brain" || name == ".txn":
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		raw, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func without(all map[string]string, names ...string) map[string]string {
	rest := map[string]string{}
	for name, content := range all {
		if !slices.Contains(names, name) {
			rest[name] = content
		}
	}
	return rest
}

// shardOf is where a fact of the default agent lies.
func shardOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "agents/__default__/facts/" + hex.EncodeToString(sum[:1]) + "/" + id + ".md"
}

// deerFact is a fact as DeerMem reads it.
type deerFact struct {
	Agent, ID, Category string
	Confidence          float64
	Content             string
}

// readAsDeerMem reads every fact of a user's folder and demands what DeerMem demands.
func readAsDeerMem(t *testing.T, dir, bucket string) (facts []deerFact) {
	t.Helper()
	for name, raw := range readFiles(t, dir) {
		parts := strings.Split(name, "/")
		if len(parts) < 4 || parts[0] != "agents" || parts[2] != "facts" || !strings.HasSuffix(name, ".md") {
			continue
		}
		f, err := parseAsDeerMem(parts[1], bucket, strings.TrimSuffix(parts[len(parts)-1], ".md"), raw)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, raw)
		}
		if sum := sha256.Sum256([]byte(f.ID)); parts[3] != hex.EncodeToString(sum[:1]) {
			t.Errorf("%s lies in the wrong shard", name)
		}
		facts = append(facts, f)
	}
	return facts
}

func parseAsDeerMem(agent, bucket, stem, raw string) (deerFact, error) {
	raw = strings.TrimPrefix(raw, "\uFEFF")
	rest, ok := strings.CutPrefix(raw, "---\n")
	front, body, found := strings.Cut(rest, "\n---\n")
	if !ok || !found {
		return deerFact{}, fmt.Errorf("no front matter")
	}
	var keys map[string]any
	if err := yaml.Unmarshal([]byte(front), &keys); err != nil {
		return deerFact{}, err
	}
	text := func(name string) string { s, _ := keys[name].(string); return s }
	f := deerFact{Agent: agent, ID: text("id"), Category: text("category")}
	confidence, isNumber := keys["confidence"].(float64)
	f.Confidence = confidence
	core := []string{"preference", "correction", "context", "goal", "behavior", "identity", "constraint", "decision", "other"}
	_, isMapping := keys["source"].(map[string]any)
	_, isWord := keys["source"].(string)
	revision, _ := keys["revision"].(int)
	topics, hasTopics := keys["topics"].([]any)
	switch {
	case f.ID != stem:
		return f, fmt.Errorf("its id is %q", f.ID)
	case text("agent_name") != agent:
		return f, fmt.Errorf("it belongs to %q", text("agent_name"))
	case text("user_id") != bucket: // which needs no other letters
		return f, fmt.Errorf("it is of %q", text("user_id"))
	case keys["schemaVersion"] != 2 || text("status") != "active" || revision < 1:
		return f, fmt.Errorf("version %v, status %v, revision %v", keys["schemaVersion"], keys["status"], keys["revision"])
	case !isNumber || confidence < 0 || confidence > 1:
		return f, fmt.Errorf("confidence %v", keys["confidence"])
	case !slices.Contains(core, f.Category):
		return f, fmt.Errorf("category %q", f.Category)
	case !isMapping && !isWord || !hasTopics:
		return f, fmt.Errorf("source %v, topics %v", keys["source"], topics)
	case keys["createdAt"] == nil || keys["updatedAt"] == nil:
		return f, fmt.Errorf("it has no dates")
	}
	if f.Category == "other" && text("categoryExtension") != "" {
		f.Category = text("categoryExtension")
	}
	lines := strings.Split(strings.TrimLeft(body, "\n"), "\n")
	if !strings.HasPrefix(lines[0], "# ") {
		return f, fmt.Errorf("it has no title")
	}
	if lines = lines[1:]; len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	f.Content = strings.TrimRight(strings.Join(lines, "\n"), "\n")
	return f, nil
}
