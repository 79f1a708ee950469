package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"brain/text"
)

// settingsFile is the file that makes a folder a memory root.
const settingsFile = "memory.yml"

// value is an effective setting and where it came from: "default", a file, "env NAME"
// or "flag --name".
type value struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Origin  string `json:"origin"`
	Default string `json:"default"`
}

// entry is one setting of a layer: the file, the environment, the flags.
type entry struct {
	key, text string
	origin    string
	found     bool // not the user's own word: from a file found by walking up, or the default, which a link may lead astray
}

// loaded is the result: the values, where each came from, and which of them a found
// file may decide only in a trusted root.
type loaded struct {
	settings
	values []value
	asks   []ask
}

// loadSettings puts the layers over the defaults, the later one winning. root may be
// "". What is in asks must not be used before checkTrust has seen it.
func loadSettings(root string, layers ...[]entry) (*loaded, error) {
	l := &loaded{}
	rows := schema()
	last := make([]entry, len(rows))
	for i, r := range rows {
		if err := r.put(&l.settings, r.def); err != nil {
			return nil, err
		}
		last[i] = entry{key: r.key, text: r.def, origin: "default", found: true}
	}
	for _, e := range slices.Concat(layers...) {
		i := slices.IndexFunc(rows, func(r setting) bool { return r.key == e.key })
		e.text = rows[i].spelled(e.text)
		if err := rows[i].put(&l.settings, e.text); err != nil {
			return nil, at(e.origin, err)
		}
		last[i] = e
	}
	for i, r := range rows {
		if why, means := r.outside(&l.settings, root); why != "" && last[i].found {
			l.asks = append(l.asks, ask{r.key, last[i].text, means, why, last[i].origin})
		}
		l.values = append(l.values, value{r.key, last[i].text, last[i].origin, r.def})
	}
	return l, nil
}

func show(text string) string {
	if text == "" {
		return "empty"
	}
	return text
}

// at puts the place of a setting before its error.
func at(origin string, err error) error {
	if f, ok := errors.AsType[*failure](err); ok {
		return &failure{code: f.code, text: "settings: " + origin + ": " + f.text, hint: f.hint}
	}
	return fmt.Errorf("settings: %s: %w", origin, err)
}

// fileEntries reads memory.yml of a root. The second result lists keys of another
// program's file that have no meaning here.
func fileEntries(root string) (entries []entry, ignored []string, err error) {
	name := filepath.Join(root, settingsFile)
	raw, err := readSettings(name)
	if err != nil {
		return nil, nil, &failure{text: "settings: " + name, cause: err}
	}
	flat, err := flatten(raw)
	if err != nil {
		return nil, nil, &failure{code: exitUsage, text: "settings: " + name + place(err), hint: "see `brain help settings` for the form of the file"}
	}
	if isDFMemory(flat) {
		flat, ignored = mapDFMemory(flat)
	}
	for _, f := range flat {
		origin := fmt.Sprintf("%s:%d", name, f.line)
		r, err := lookupSetting(f.key)
		if err != nil {
			return nil, nil, at(origin, err)
		}
		text := f.text
		if r.list() && f.list {
			if f.words == nil {
				return nil, nil, at(origin, r.refuse(text, ""))
			}
			text = strings.Join(f.words, ", ")
		}
		entries = append(entries, entry{key: r.key, text: text, origin: origin, found: true})
	}
	return entries, ignored, nil
}

// place turns "yaml: line 3: …" into ":3: …".
func place(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		return ":" + rest
	}
	return ": " + text
}

// readSettings reads a regular file of bounded size.
func readSettings(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, bare(err)
	}
	if !info.Mode().IsRegular() {
		return nil, usage("not a regular file", "")
	}
	if info.Size() > 1<<20 {
		return nil, errSettingsSize
	}
	raw, err := os.ReadFile(name)
	return raw, bare(err)
}

// bare drops operation and path from a file error whose message names them already.
func bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// flatKey is one setting as written: nested keys joined by dots.
type flatKey struct {
	key, text string
	line      int
	list      bool
	words     []string // of a list that holds nothing else
}

// flatten reads YAML maps of plain values. Nesting and dots mean the same.
func flatten(raw []byte) ([]flatKey, error) {
	d := yaml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\ufeff"))))
	var doc yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("one YAML document expected")
	}
	var flat []flatKey
	err := flattenNode(doc.Content[0], "", &flat)
	return flat, err
}

func flattenNode(n *yaml.Node, key string, flat *[]flatKey) error {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if n.Content[i].Kind != yaml.ScalarNode {
				return fmt.Errorf("line %d: a key must be a word", n.Content[i].Line)
			}
			if key != "" {
				name = key + "." + name
			}
			if err := flattenNode(n.Content[i+1], name, flat); err != nil {
				return err
			}
		}
		return nil
	case yaml.ScalarNode:
		if key == "" && n.Tag == "!!null" {
			return nil
		}
		if key == "" {
			return fmt.Errorf("line %d: lines of the form `key: value` expected", n.Line)
		}
		text := n.Value
		if n.Tag == "!!null" {
			text = ""
		}
		return addFlat(flat, flatKey{key: key, text: text, line: n.Line})
	case yaml.SequenceNode:
		if key != "" {
			return addFlat(flat, flatKey{key: key, text: "a list", line: n.Line, list: true, words: words(n)})
		}
	}
	return fmt.Errorf("line %d: lines of the form `key: value` expected", n.Line)
}

// words are the elements of a list that holds nothing but words, else nil.
func words(list *yaml.Node) []string {
	all := []string{}
	for _, n := range list.Content {
		if n.Kind != yaml.ScalarNode || strings.Contains(n.Value, ",") {
			return nil
		}
		all = append(all, n.Value)
	}
	return all
}

func addFlat(flat *[]flatKey, f flatKey) error {
	for _, other := range *flat {
		if other.key == f.key {
			return fmt.Errorf("line %d: %s stands twice (first in line %d)", f.line, f.key, other.line)
		}
	}
	*flat = append(*flat, f)
	return nil
}

// envEntries reads the environment. A variable that looks like a misspelt one is
// returned as a warning: it would be ignored in silence.
func envEntries(env func(string) (string, bool), environ []string) (entries []entry, warnings []string) {
	known := []string{"BRAIN_ROOT", "BRAIN_AGENT", "BRAIN_DEBUG", "BRAIN_CONFIG_DIR", hookMarker, jobMarker}
	for _, r := range schema() {
		known = append(known, r.variables()...)
		for _, name := range slices.Backward(r.variables()) {
			if text, ok := env(name); ok && text != "" {
				entries = append(entries, entry{key: r.key, text: text, origin: "env " + name})
			}
		}
	}
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "BRAIN_") || slices.Contains(known, name) {
			continue
		}
		if near := text.Nearest(name, known); near != "" && text.Distance([]rune(name), []rune(near)) <= 2 {
			warnings = append(warnings, fmt.Sprintf("%s is set, but there is no such setting; did you mean %s?", name, near))
		}
	}
	return entries, warnings
}
