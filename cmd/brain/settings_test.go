package main

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"brain/memory"
)

// Every row of the schema accepts its default, is loaded from each layer and is shown.
func TestEveryKeyThroughEveryLayer(t *testing.T) {
	sample := map[string]string{
		"brain": "work", "index.path": "elsewhere", "index.vectors": "chromem", "embedding.provider": "off",
		"embedding.model": "m", "embedding.url": "http://127.0.0.1:1", "embedding.key": "env:K", "embedding.timeout": "3s",
		"capture.queue_max_depth": "0", "capture.debounce": "1s", "capture.max_wait": "1m",
		"compile.mode": "rules", "compile.prompts": "prompts", "compile.language": "zh", "compile.parallel": "2",
		"llm.provider": "ollama", "llm.model": "m", "llm.url": "http://127.0.0.1:1", "llm.key": "env:K", "llm.timeout": "3s", "llm.retries": "0",
		"llm.budget_calls": "5", "llm.budget_tokens": "100000",
		"embedding.retries": "0", "embedding.batch": "7", "embedding.dims": "256", "search.n": "3", "search.timeout": "1s",
		"schema.pack": "packs/ours.yml", "git.mode": "off", "git.branch": "current", "git.sessions": "yes", "git.batch_interval": "1m",
		"memory.agents_off": "coder, 写手", "memory.user": "a@b.com", "memory.max_facts": "10", "memory.eviction": "hybrid-v1", "memory.eviction_shadow": "yes",
		"memory.eviction_weights": "0.5,0.25,0.25", "memory.audit": "0", "memory.near_duplicates": "yes", "memory.near_threshold": "0.9",
		"memory.relevance": "yes", "memory.relevance_weight": "0", "memory.diversity": "0.3", "memory.staleness": "no", "memory.stale_days": "365",
		"memory.protected": "correction, 身份", "memory.consolidation": "yes", "memory.injection": "no", "memory.mode": "tool",
		"memory.context_tokens": "8000", "memory.guaranteed": "goal", "memory.guaranteed_tokens": "50",
		"hook.timeout": "1s", "compile.after_session": "yes",
		"dream.budget_calls": "0", "dream.budget_tokens": "0", "dream.lazy_min_sources": "2", "dream.max_pairs": "7", "dream.layers": "no", "dream.diary": "yes",
		"dream.lint_fix": "yes",
	}
	for _, r := range schema() {
		text, ok := sample[r.key]
		if !ok {
			t.Errorf("%s: no sample", r.key)
			continue
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, settingsFile), []byte(r.key+": "+text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		file, ignored, err := fileEntries(dir)
		if err != nil || len(ignored) > 0 {
			t.Fatalf("%s: %v %v", r.key, ignored, err)
		}
		env := func(name string) (string, bool) { return text, name == r.variables()[0] }
		fromEnv, _ := envEntries(env, nil)
		for origin, layer := range map[string][]entry{filepath.Join(dir, settingsFile) + ":1": file, "env " + r.variables()[0]: fromEnv} {
			l, err := loadSettings(dir, layer)
			if err != nil {
				t.Errorf("%s from %s: %v", r.key, origin, err)
				continue
			}
			for _, v := range l.values {
				want := value{v.Key, v.Default, "default", v.Default}
				if v.Key == r.key {
					want.Value, want.Origin = text, origin
				}
				if v != want {
					t.Errorf("%s from %s: got %+v, want %+v", r.key, origin, v, want)
				}
			}
		}
	}
}

// What memory.yml says, and what it leaves out, are the rules of the facts.
func TestRulesOfFactsFromSettings(t *testing.T) {
	got, err := rulesFrom(t, "")
	if want := memory.DefaultRules(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("defaults: %+v (%v), want %+v", got, err, want)
	}
	got, err = rulesFrom(t, `
memory:
  max_facts: 500
  eviction: hybrid-v1
  eviction_shadow: true
  eviction_weights: [0.5, 0.3, 0.2]
  protected: []
  guaranteed: [correction, 身份]
  injection: false
`)
	want := memory.DefaultRules()
	want.Max, want.Policy, want.Shadow, want.Weights = 500, memory.Hybrid, true, [3]float64{.5, .3, .2}
	want.Protected, want.Guaranteed, want.Injection = nil, []string{"correction", "身份"}, false
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
}

// MP03
func TestRulesOfFactsOutOfRange(t *testing.T) {
	for _, line := range []string{
		"max_facts: 9", "max_facts: 1.5", "max_facts: ''", "eviction: lru", "eviction_shadow: maybe", "audit: 10001", "audit: -1",
		"eviction_weights: 0.5,0.3,0.1", "eviction_weights: 0.5,0.5", "eviction_weights: 1.5,-0.5,0", "eviction_weights: NaN,0.5,0.5", "eviction_weights: ''",
		"near_threshold: 0.49", "near_threshold: 1.1", "near_threshold: NaN", "relevance_weight: -0.1", "diversity: 2", "stale_days: 29", "stale_days: 366",
		"context_tokens: 99", "context_tokens: 8001", "guaranteed_tokens: 49", "guaranteed_tokens: 2001", "mode: passive", "injection: perhaps", "protected: {a: b}",
	} {
		_, err := rulesFrom(t, "memory:\n  "+line+"\n")
		if err == nil || judge(err).code != exitUsage {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// What a setting accepts at its ends, the rules accept, and nothing beyond.
func TestEndsOfTheRules(t *testing.T) {
	for _, r := range schema() {
		if !strings.HasPrefix(r.key, "memory.") || r.kind != "number" && r.kind != "fraction" {
			continue
		}
		step := map[string]float64{"number": 1, "fraction": 0.01}[r.kind]
		inside, beyond := []float64{r.min}, []float64{r.min - step}
		if r.max > 0 {
			inside, beyond = append(inside, r.max), append(beyond, r.max+step)
		}
		check := func(x float64) error {
			s := settings{Memory: memory.DefaultRules()}
			switch field := r.field(&s).(type) {
			case *int:
				*field = int(x)
			case *float64:
				*field = x
			}
			return s.Memory.Check()
		}
		for _, x := range inside {
			if err := check(x); err != nil {
				t.Errorf("%s: %v: %v", r.key, x, err)
			}
		}
		for _, x := range beyond {
			if check(x) == nil {
				t.Errorf("%s: %v is taken by the rules", r.key, x)
			}
		}
	}
}

func rulesFrom(t *testing.T, text string) (memory.Rules, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, settingsFile), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	file, ignored, err := fileEntries(dir)
	if err != nil || len(ignored) > 0 {
		return memory.Rules{}, err
	}
	l, err := loadSettings(dir, file)
	if err != nil {
		return memory.Rules{}, err
	}
	return l.Memory, nil
}

// Names of agents are a list in YAML, or words with commas between.
func TestAgentsInSettings(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "[]": "", "coder": "coder", "[Coder, 写手]": "coder 写手", "'coder, , Writer '": "coder writer",
		"\n  - coder\n  - b c": "coder b c",
		"[[a]]":                "!", "[a, {b: c}]": "!", "a/b": "!", "['a,b']": "!", "[a, .b]": "!",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, settingsFile), []byte("memory.agents_off: "+text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		file, _, err := fileEntries(dir)
		l := &loaded{}
		if err == nil {
			l, err = loadSettings(dir, file)
		}
		got := "!"
		if err == nil {
			got = strings.Join(l.AgentsOff, " ")
		}
		if got != want {
			t.Errorf("%s: %q (%v), want %q", text, got, err, want)
		}
	}
}

func TestAddressesOfThisMachine(t *testing.T) {
	for address, want := range map[string]bool{
		"http://127.0.0.1:11434": true, "http://localhost:1/v1": true, "localhost:11434": true, "[::1]:80": true, "::1": true,
		"http://127.9.9.9": true, "0.0.0.0:11434": true, "http://LOCALHOST": true,
		"http://10.0.0.1": false, "https://api.openai.com": false, "http://localhost.example.com": false,
		"http://127.0.0.1.example.com": false, "http://example.com#localhost": false, "http://2130706433": false,
	} {
		if got := loopback(address); got != want {
			t.Errorf("loopback(%q) = %t", address, got)
		}
	}
}

func TestPathsInsideTheRoot(t *testing.T) {
	root := filepath.FromSlash("/r/oot")
	for path, want := range map[string]bool{
		".brain/index": true, "a/../b": true, "/r/oot/x": true, ".": true,
		"..": false, "../oot2": false, "/r/oot2": false, "/": false, "a/../../b": false,
	} {
		if got := within(root, filepath.FromSlash(path)); got != want {
			t.Errorf("within(%q) = %t", path, got)
		}
	}
}

func TestUnsafeSettingsAreNotQuoted(t *testing.T) {
	for _, text := range []string{"key: sk-verysecret", "url: 'http://u:sk-verysecret@127.0.0.1'", "url: 'ftp://u:sk-verysecret@127.0.0.1'"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, settingsFile), []byte("embedding:\n  "+text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		file, _, err := fileEntries(dir)
		if err == nil {
			_, err = loadSettings(dir, file)
		}
		var f *failure
		if !errors.As(err, &f) || judge(err).code != exitUsage {
			t.Fatalf("%s: %v", text, err)
		}
		if got := f.Error() + f.hint; strings.Contains(got, "sk-verysecret") {
			t.Errorf("%s: the error shows the secret: %s", text, got)
		}
	}
}
