package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"query", "read", "status", "sync", "embedding.provider"}
	for given, want := range map[string]string{
		"qury": "query", "raed": "read", "synk": "sync", "stauts": "status", "SYNC": "sync", "Embedding.Provider": "embedding.provider",
		"embeding.provider": "embedding.provider", "frobnicate": "", "": "",
	} {
		if got := nearest(given, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", given, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"检索", "检查", 1}} {
		if got := distance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

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
		"memory.agents_off": "coder, 写手", "hook.timeout": "1s", "compile.after_session": "yes",
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
