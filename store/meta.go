package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Format is the version of the tree's form that this program writes. A brain
// with a higher one is read, never written.
const Format = 1

// What `write` in brain.yml allows.
const (
	WriteYes = "yes"
	WriteNo  = "no"
	WriteAsk = "ask" // commands that a person typed, not jobs
)

// Meta is a brain's brain.yml. It is read tolerantly: unknown keys are left
// alone, a missing file is an ordinary brain of format 1.
type Meta struct {
	Format    int // 0 when the file or the key is absent: read as 1
	ID        string
	Name      string
	CreatedAt string
	Write     string // yes, no or ask; absent: yes, and ask for an adopted vault
	Sources   map[string]any
	// Problem says why the file could not be understood. Such a brain is
	// read-only, because the file might say so.
	Problem string
}

func (m Meta) readOnly() string {
	switch {
	case m.Problem != "":
		return m.Problem
	case m.Format > Format:
		return fmt.Sprintf("%s has format %d, this program knows %d: a newer brain wrote it", brainFile, m.Format, Format)
	case m.Write == WriteNo:
		return brainFile + " says write: no"
	}
	return ""
}

// readMeta reads brain.yml below an open root; openErr is why there is none.
func readMeta(root *os.Root, openErr error, here bool) Meta {
	m := Meta{}
	raw, err := readBrainFile(root, openErr)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		m.Problem = fmt.Sprintf("%s cannot be read: %v", brainFile, err)
	default:
		m = parseMeta(raw)
	}
	if m.Write == "" {
		m.Write = WriteYes
		if here {
			m.Write = WriteAsk
		}
	}
	return m
}

func readBrainFile(root *os.Root, openErr error) ([]byte, error) {
	if openErr != nil {
		return nil, openErr
	}
	f, err := root.OpenFile(brainFile, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("not a regular file"))
	}
	return io.ReadAll(io.LimitReader(f, 1<<20))
}

func parseMeta(raw []byte) Meta {
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		return Meta{Problem: fmt.Sprintf("%s is not valid YAML: %v", brainFile, err)}
	}
	var m Meta
	if len(doc.Content) == 0 {
		return m
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return Meta{Problem: brainFile + " is not a list of keys and values"}
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		m.set(top.Content[i].Value, top.Content[i+1])
	}
	return m
}

func (m *Meta) set(key string, v *yaml.Node) {
	switch key {
	case "format":
		n, err := strconv.Atoi(v.Value)
		if err != nil || n < 0 {
			m.Problem = fmt.Sprintf("%s: format is %q, want a number", brainFile, v.Value)
		}
		m.Format = n
	case "id":
		m.ID = v.Value
	case "name":
		m.Name = v.Value
	case "created_at":
		m.CreatedAt = v.Value
	case "write":
		m.setWrite(v.Value)
	case "sources":
		if err := v.Decode(&m.Sources); err != nil {
			m.Sources = nil // another tool's form; nothing here depends on it
		}
	}
}

func (m *Meta) setWrite(v string) {
	switch strings.ToLower(v) {
	case "yes", "true", "on":
		m.Write = WriteYes
	case "no", "false", "off":
		m.Write = WriteNo
	case "ask":
		m.Write = WriteAsk
	default:
		m.Problem = fmt.Sprintf("%s: write is %q, want yes, no or ask", brainFile, v)
	}
}
