package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"

	"brain/page"
)

// maxKeys bounds the front matter, in bytes.
const maxKeys = 256 << 10

// key is one key of a file as it stands there.
type key struct {
	name  string
	lines string // with its value, line feed at the end; "" where it must be written anew
	form  string // its lines if brain had written the value
}

// ParseFact reads a file. What is missing or odd is told and read as it is meant; the
// error, which is ErrFact, is for what is no fact at all, or another than its place
// says: that must not count under a wrong name.
func ParseFact(path page.Path, raw []byte) (Fact, []page.Problem, error) {
	r := reader{path: path, fact: Fact{Confidence: DefaultConfidence, read: []key{}}}
	f, err := r.parse(raw)
	if err != nil {
		return Fact{}, nil, fmt.Errorf("read fact %s: %w", path, err)
	}
	return f, r.problems, nil
}

// parseElsewhere reads the file of a fact that lies at a place that says nothing of it.
func parseElsewhere(id string, raw []byte) (Fact, error) {
	at, err := FactPath("", id)
	if err != nil {
		return Fact{}, err
	}
	r := reader{path: at, elsewhere: true, fact: Fact{Confidence: DefaultConfidence, read: []key{}}}
	return r.parse(raw)
}

type reader struct {
	path     page.Path
	fact     Fact
	other    string // categoryExtension
	heading  string // a title among the keys
	problems []page.Problem

	elsewhere bool // the path does not say whose it is
	newer     bool // it is of a form of after ours
}

func notFact(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFact, fmt.Sprintf(format, args...))
}

func (r *reader) problem(n *yaml.Node, code, message, fix string) {
	r.problems = append(r.problems, page.Problem{Line: n.Line + 1, Code: code, Message: message, Fix: fix})
}

func (r *reader) parse(raw []byte) (Fact, error) {
	if !utf8.Valid(raw) {
		return Fact{}, notFact("it is not UTF-8")
	}
	text := lineFeeds(strings.TrimPrefix(string(raw), "\uFEFF"))
	body, line := page.Split([]byte(text))
	if line == 1 {
		return Fact{}, notFact("it has no front matter")
	}
	fenced := strings.TrimSuffix(text[:len(text)-len(body)], "\n")
	block := fenced[strings.IndexByte(fenced, '\n')+1 : strings.LastIndexByte(fenced, '\n')+1]
	if err := r.readKeys(block); err != nil {
		return Fact{}, err
	}
	if strings.Contains(block, "provenance") { // which few facts have
		r.fact.Provenance = page.Parse(r.path, raw).Provenance
	}
	r.readBody(body)
	if r.newer {
		return Fact{}, fmt.Errorf("%w: its schemaVersion is above %s: %w", ErrFact, schemaVersion, ErrNewer)
	}
	if err := r.identify(); err != nil {
		return Fact{}, err
	}
	f, err := r.fact.normal()
	if err != nil {
		return Fact{}, err
	}
	for _, now := range f.keys() {
		for i := range f.read {
			if f.read[i].name == now.name {
				f.read[i].form = now.lines
			}
		}
	}
	return f, nil
}

// readBody reads the heading and the statement. A heading alone is the statement.
func (r *reader) readBody(body string) {
	f := &r.fact
	f.Title, f.Content = r.heading, strings.TrimLeft(body, "\n")
	if rest, ok := strings.CutPrefix(f.Content, "# "); ok {
		f.Title, f.Content, _ = strings.Cut(rest, "\n")
	}
	f.Content = orElse(statement(f.Content), strings.TrimSpace(f.Title))
}

// identify holds what the file says of itself against its place.
func (r *reader) identify() error {
	f, stem := &r.fact, r.path.Stem()
	if f.ID == "" {
		f.ID = stem
		r.problems = append(r.problems, page.Problem{Line: 1, Code: page.CodeMissingKey, Message: "the fact has no id", Fix: "add id: " + stem})
	}
	f.Agent = orElse(f.Agent, r.path.Agent())
	want, err := FactPath(f.Agent, f.ID)
	switch {
	case err != nil:
		return err
	case f.ID != stem:
		return notFact("its id is %s", f.ID)
	case r.elsewhere:
	case want.Agent() != r.path.Agent():
		return notFact("it belongs to the agent %s", want.Agent())
	case !strings.EqualFold(string(want), string(r.path)):
		r.problems = append(r.problems, page.Problem{Line: 1, Code: page.CodePath, Message: "DeerMem does not find the fact here", Fix: "move it to " + string(want)})
	}
	return nil
}

// readKeys reads the front matter. Its lines are kept, so it must be one that can be
// taken apart: a key a line, and none that refers to another.
func (r *reader) readKeys(block string) error {
	if len(block) > maxKeys {
		return notFact("its front matter has %d KiB", len(block)>>10)
	}
	root, err := parseYAML(block)
	if err != nil {
		return notFact("its front matter is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if root == nil {
		return nil
	}
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || refers(root) {
		return notFact("its front matter is no plain list of keys")
	}
	lines := strings.SplitAfter(block, "\n")
	for i := 0; i < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		end := len(lines)
		if i+2 < len(root.Content) {
			end = root.Content[i+2].Line - 1
		}
		if k.Kind != yaml.ScalarNode || k.Column != 1 || k.Line > end {
			return notFact("its front matter is no plain list of keys")
		}
		if i == 0 {
			r.fact.lead = strings.Join(lines[:k.Line-1], "")
		}
		r.readKey(key{name: k.Value, lines: strings.Join(lines[k.Line-1:end], "")}, k, v)
	}
	if r.other != "" && r.fact.Category == "other" {
		r.fact.Category = r.other
	}
	return nil
}

func parseYAML(block string) (root *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil { // yaml.v3 has let some of its own slip
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(block), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// value is what a key says, in JSON.
func (k key) value() (v any, ok bool) {
	root, err := parseYAML(k.lines)
	if err != nil || root == nil || root.Kind != yaml.MappingNode || len(root.Content) < 2 {
		return nil, false
	}
	return jsonValue(root.Content[1]), true
}

// jsonValue is a YAML value in JSON; what JSON cannot say is its text.
func jsonValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		o := object{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			o = append(o, member{n.Content[i].Value, jsonValue(n.Content[i+1])})
		}
		return o
	case yaml.SequenceNode:
		all := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			all = append(all, jsonValue(c))
		}
		return all
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
	}
	return n.Value
}

// refers reports anchors, aliases and explicit tags.
func refers(n *yaml.Node) bool {
	return n.Anchor != "" || n.Kind == yaml.AliasNode || n.Style&yaml.TaggedStyle != 0 || slices.ContainsFunc(n.Content, refers)
}

func (r *reader) readKey(k key, name, v *yaml.Node) {
	if slices.ContainsFunc(r.fact.read, func(have key) bool { return have.name == k.name }) {
		r.problem(name, page.CodeDuplicateKey, "the key "+k.name+" stands twice", "delete one of them")
		return
	}
	switch k.name {
	case "scope", "durability", "authority", "content":
		return // how it was judged, and what the body says: not for the file
	case "title":
		r.heading = r.text(k.name, v)
		return
	}
	if !r.readText(k.name, v) && !r.readTime(&k, v) && !r.readNumber(&k, v) {
		r.readRecord(k.name, v)
	}
	r.fact.read = append(r.fact.read, k)
}

func (r *reader) readText(name string, v *yaml.Node) bool {
	f := &r.fact
	into := map[string]*string{"id": &f.ID, "category": &f.Category, "categoryExtension": &r.other, "status": &f.Status,
		"sourceError": &f.SourceError, "user_id": &f.User, "agent_name": &f.Agent}[name]
	if into == nil {
		return false
	}
	*into = r.text(name, v)
	return true
}

// text is a scalar's spelling, "" for null.
func (r *reader) text(name string, v *yaml.Node) string {
	switch {
	case v.Kind != yaml.ScalarNode:
		r.problem(v, page.CodeBadType, "the value of "+name+" is no text", "write one value")
		return ""
	case v.ShortTag() == "!!null":
		return ""
	}
	return v.Value
}

func (r *reader) readTime(k *key, v *yaml.Node) bool {
	f := &r.fact
	into := map[string]*time.Time{"createdAt": &f.Created, "updatedAt": &f.Updated, "consolidatedAt": &f.MergedAt, "lastConfirmedAt": &f.Confirmed}[k.name]
	if into == nil {
		return false
	}
	s := r.text(k.name, v)
	t, ok := page.ParseDate(s)
	if !ok && s != "" {
		f.ageless = f.ageless || k.name == "createdAt" || k.name == "lastConfirmedAt"
		r.problem(v, page.CodeBadDate, fmt.Sprintf("%s: %.40q is not a date", k.name, s), "write it as '2026-01-31T10:00:00Z'")
	}
	*into = t.UTC()
	if ok && v.Style == 0 {
		k.lines = scalarLine(k.name, s) // bare, YAML makes a date of it and no text
	}
	return true
}

func (r *reader) readNumber(k *key, v *yaml.Node) bool {
	var into *int
	switch f := &r.fact; k.name {
	case "confidence":
		r.readConfidence(k, v)
		return true
	case "schemaVersion":
		n, err := number(v)
		r.newer = err == nil && n > 2
		return true
	case "revision":
		into = &f.Revision
	case "expected_valid_days":
		into = &f.ValidDays
	case "confirmationCount":
		into = &f.Confirmations
	default:
		return false
	}
	n, err := number(v)
	if err == nil && n >= 1 && n <= math.MaxInt32 {
		*into = int(n)
		return true
	}
	if v.ShortTag() != "!!null" {
		// Less than a day says nothing. What is no number, or one that no calendar holds,
		// may have meant anything.
		r.fact.ageless = r.fact.ageless || k.name == "expected_valid_days" && (err != nil || n >= 1)
		r.problem(v, page.CodeBadType, "the value of "+k.name+" is no number from 1", "write a whole number")
	}
	if k.name == "revision" {
		k.lines = ""
	}
	return true
}

// readConfidence holds to one rule: what is absent or no number is the default, what
// is beyond the bounds is the bound.
func (r *reader) readConfidence(k *key, v *yaml.Node) {
	n, err := number(v)
	if err != nil {
		n = DefaultConfidence
	}
	r.fact.Confidence = min(max(n, 0), 1)
	if err != nil || n != r.fact.Confidence {
		r.problem(v, page.CodeBadType, "the confidence is no number from 0 to 1", "write confidence: "+floatText(r.fact.Confidence))
		k.lines = ""
	}
}

// number reads a finite number, also one in quotes.
func number(v *yaml.Node) (float64, error) {
	if v.Kind != yaml.ScalarNode || v.ShortTag() == "!!bool" {
		return 0, errors.New("no number")
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(v.Value), 64)
	if err == nil && (math.IsInf(n, 0) || math.IsNaN(n)) {
		err = errors.New("not finite")
	}
	return n, err
}

func (r *reader) readRecord(name string, v *yaml.Node) {
	switch f := &r.fact; name {
	case "source":
		f.Source = r.source(v)
	case "topics":
		f.Topics = r.texts(name, v)
	case "consolidatedFrom":
		f.Merged = r.texts(name, v)
	}
}

// source lifts the one word that older facts have.
func (r *reader) source(v *yaml.Node) (s Source) {
	switch {
	case v.Kind == yaml.MappingNode:
		for i := 0; i < len(v.Content); i += 2 {
			switch name := v.Content[i].Value; name {
			case "type":
				s.Type = r.text("source.type", v.Content[i+1])
			case "threadId":
				s.Thread = r.text("source.threadId", v.Content[i+1])
			}
		}
		return s
	case v.Kind != yaml.ScalarNode:
		r.problem(v, page.CodeBadType, "the source is a list", "write type and threadId")
		return s
	}
	switch word := r.text("source", v); word {
	case "", "manual", "consolidation", "import", "unknown":
		return Source{Type: word}
	default:
		return Source{Type: "conversation", Thread: word}
	}
}

func (r *reader) texts(name string, v *yaml.Node) (all []string) {
	if v.Kind != yaml.SequenceNode {
		if v.ShortTag() != "!!null" {
			r.problem(v, page.CodeBadType, "the value of "+name+" is no list", "write one entry a line")
		}
		return nil
	}
	for _, item := range v.Content {
		if s := r.text("an entry of "+name, item); s != "" {
			all = append(all, s)
		}
	}
	return all
}
