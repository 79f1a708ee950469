package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"brain/page"
	"brain/store"
)

// What an older DeerMem left. Before each fact had a file they lay
//
//	memory.json                  in a `facts` list, or as a mapping id → {path, contentHash}
//	agents/<agent>/memory.json   in the same of one agent, with summaries of its own
//	agents/lead-agent/facts/…    under the name that the default agent had then
//
// Those of the first and the last are the default agent's. Whoever reads sees them
// among the others, and nothing is written; the first change of the agent's facts
// takes them over with it (adopt.go). What cannot be taken over stops that and stays
// as it is.
//
// A lead-agent of its own has a config.yaml, as its host keeps one, or stands in the
// `ownAgents` of memory.json, where brain notes it as it writes a fact for it.

const (
	leadAgent  = "lead-agent"
	leadFolder = "agents/" + leadAgent
	ownAgents  = "ownAgents"
)

// ErrLegacy is the error for what an older program left when it says another thing than
// what is there: somebody must decide.
var ErrLegacy = errors.New("what an older program left cannot be taken over")

// legacy is what was left for one agent.
type legacy struct {
	agent    string
	user     string         // of whom facts are that do not say so
	facts    []Fact         // each once, as they will be written
	nth      map[string]int // of them, by id
	from     []oldFile      // what they come from
	problems []Damaged      // why they cannot be taken over as they are
}

// oldFile is one file that older facts come from.
type oldFile struct {
	name string
	raw  []byte
	json *manifest // nil for a fact's file, which moves
}

// view is a user's folder as it is read: a brain, or one elsewhere. What is not there
// is nil for own, store.ErrNotFound for page, and nothing for names (store.Store.Names).
type view struct {
	own   func(store.OwnFile) ([]byte, error)
	page  func(page.Path) ([]byte, error)
	names func(folder string) ([]string, error)
}

// viewOf is a brain as it is.
func viewOf(ctx context.Context, st *store.Store) view {
	return view{
		own:   func(f store.OwnFile) ([]byte, error) { return st.ReadOwn(ctx, f) },
		page:  func(p page.Path) ([]byte, error) { return st.Read(ctx, p) },
		names: func(folder string) ([]string, error) { return st.Names(ctx, folder) },
	}
}

// legacyOf looks for what was left for an agent. The error is the disk's; what is wrong
// with the files is in problems.
func legacyOf(v view, agent, user string) (*legacy, error) {
	l := &legacy{agent: agent, user: user, nth: map[string]int{}}
	err := l.readJSON(v, store.AgentSummaries(agent))
	if err != nil || agent != page.DefaultAgent {
		return l, err
	}
	if err := l.readJSON(v, store.Summaries); err != nil {
		return l, err
	}
	bucket, err := v.bucket()
	if err != nil {
		return l, err
	}
	return l, l.readBucket(v, bucket)
}

// bucket is what lies in the folder of lead-agent, if that is the default agent's by
// its earlier name; nil otherwise, and when no facts are there.
func (v view) bucket() ([]string, error) {
	raw, err := v.own(store.Summaries)
	if err != nil || ownsItsName(raw, leadAgent) {
		return nil, err
	}
	names, err := v.names(leadFolder)
	if errors.Is(err, store.ErrNotPage) {
		return nil, nil // a link, or another brain
	}
	if err != nil || slices.Contains(names, leadFolder+"/config.yaml") || !slices.ContainsFunc(names, isBucketFact) {
		return nil, err
	}
	return names, nil
}

func isBucketFact(name string) bool {
	return name == string(store.AgentSummaries(leadAgent)) || strings.HasPrefix(name, leadFolder+"/facts/") && strings.EqualFold(path.Ext(name), ".md")
}

// ownsItsName reports whether memory.json says that an agent is one of its own.
func ownsItsName(raw []byte, agent string) bool {
	if !bytes.Contains(raw, []byte(`"`+ownAgents+`"`)) {
		return false // as nearly always, and at each look
	}
	m, err := parseManifest(raw)
	return err == nil && slices.Contains(m.ownAgents(), agent)
}

func (m *manifest) ownAgents() (names []string) {
	if json.Unmarshal(m.top.get(ownAgents), &names) != nil {
		return nil
	}
	return names
}

func (l *legacy) problem(name string, err error) {
	l.problems = append(l.problems, Damaged{page.Path(name), err})
}

func damage(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

// readJSON reads the facts of one JSON file. memory.json counts only when it is of before
// v2; one that nobody can read is told of by whoever reads the summaries.
func (l *legacy) readJSON(v view, f store.OwnFile) error {
	raw, err := v.own(f)
	if err != nil || raw == nil {
		return err
	}
	m, err := parseManifest(raw)
	switch {
	case f == store.Summaries && (err != nil || !m.isOld()):
		return nil
	case err != nil:
		l.problem(string(f), err)
		return nil
	}
	l.from = append(l.from, oldFile{string(f), raw, m})
	var facts []json.RawMessage
	var mapped map[string]json.RawMessage
	switch given := m.top.get("facts"); {
	case given == nil:
	case json.Unmarshal(given, &facts) == nil:
		l.readList(string(f), facts, parsedTime(m.top.text("lastUpdated")))
	case json.Unmarshal(given, &mapped) == nil:
		return l.readMapping(v, string(f), mapped)
	default:
		l.problem(string(f), damage("its facts are neither a list nor a mapping"))
	}
	return nil
}

// readList reads facts that stand in the JSON. One without a time is as old as the file
// says it is, so that every look sees the same.
func (l *legacy) readList(name string, facts []json.RawMessage, since time.Time) {
	if since.IsZero() {
		since = time.Unix(0, 0).UTC()
	}
	for i, raw := range facts {
		f, err := factFrom(raw, l.agent, l.user, since)
		if err != nil {
			l.problem(name, damage("facts[%d]: %v", i, err))
			continue
		}
		if f.ID == "" {
			f.ID = l.freeID(&f)
		}
		l.take(name, f)
	}
}

// freeID makes an id of what a fact says. The same said twice, with all that belongs to
// it, is one fact.
func (l *legacy) freeID(f *Fact) string {
	for n := 1; ; n++ {
		parts := []string{ContentKey(f.Content)}
		if n > 1 {
			parts = append(parts, strconv.Itoa(n))
		}
		id := FactID(parts...)
		if i, there := l.nth[id]; !there || l.facts[i].means(f) {
			return id
		}
	}
}

// take takes a fact in. Two of one id are one if they mean the same.
func (l *legacy) take(name string, f Fact) {
	i, there := l.nth[f.ID]
	switch {
	case !there:
		l.nth[f.ID] = len(l.facts)
		l.facts = append(l.facts, f)
	case !l.facts[i].means(&f):
		l.problem(name, fmt.Errorf("%w: %s stands there twice and says two things", ErrLegacy, f.ID))
	}
}

// means reports whether two states of a fact differ at most in when, for whom and under
// which heading they were written.
func (f *Fact) means(o *Fact) bool {
	a, errA := f.normal()
	b, errB := o.normal()
	if errA != nil || errB != nil || a.Content != b.Content {
		return false
	}
	passed := []string{"id", "createdAt", "updatedAt", "revision", "consolidatedAt", "user_id", "agent_name"}
	ka, kb := a.keys(), b.keys()
	for i := range ka {
		if ka[i] != kb[i] && !slices.Contains(passed, ka[i].name) {
			return false
		}
	}
	return f.sameExtras(o)
}

// readMapping reads facts that had a file each and stood in the JSON by its place and hash.
func (l *legacy) readMapping(v view, name string, mapped map[string]json.RawMessage) error {
	for _, id := range slices.Sorted(maps.Keys(mapped)) {
		at, hash, err := mappedFile(path.Dir(name), mapped[id])
		if err != nil {
			l.problem(name, damage("fact %q: %v", id, err))
			continue
		}
		raw, err := v.page(at)
		switch {
		case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrNotPage):
			l.problem(name, damage("fact %q should be %s: %v", id, at, err))
		case err != nil:
			return err
		case hash != "" && hash != "sha256:"+string(store.HashOf(raw)):
			l.problem(string(at), damage("it is not the file that %s names: its hash differs", name))
		default:
			l.takeFile(at, id, raw)
		}
	}
	return nil
}

func mappedFile(folder string, entry json.RawMessage) (page.Path, string, error) {
	var e struct{ Path, ContentHash string }
	if err := json.Unmarshal(entry, &e); err != nil || e.Path == "" {
		return "", "", errors.New("it has no path")
	}
	if !filepath.IsLocal(filepath.FromSlash(e.Path)) {
		return "", "", fmt.Errorf("its path %q leads out of the folder", e.Path)
	}
	at, err := page.ParsePath(path.Join(folder, e.Path))
	return at, e.ContentHash, err
}

// takeFile takes in a fact that has a file, at another place or of another agent.
func (l *legacy) takeFile(at page.Path, id string, raw []byte) {
	f, err := parseElsewhere(id, raw)
	if err != nil {
		l.problem(string(at), damage("%v", err))
		return
	}
	to, err := FactPath(l.agent, id)
	if err != nil {
		l.problem(string(at), damage("%v", err))
		return
	}
	if to == at {
		return // it is there already
	}
	f.Agent = l.agent
	l.from = append(l.from, oldFile{name: string(at), raw: raw})
	l.take(string(at), f)
}

// readBucket reads the facts that lie under the default agent's earlier name. Nothing
// else may lie there but what DeerMem counts: what it is nobody knows.
func (l *legacy) readBucket(v view, names []string) error {
	for _, name := range names {
		at, err := page.ParsePath(name)
		switch {
		case isBucketFact(name) && err == nil:
			raw, err := v.page(at)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if errors.Is(err, store.ErrNotPage) {
				l.problem(name, damage("%v", err))
				continue
			}
			if err != nil {
				return err
			}
			l.takeFile(at, at.Stem(), raw)
		case name == string(store.AgentSummaries(leadAgent)):
			if err := l.readJSON(v, store.AgentSummaries(leadAgent)); err != nil {
				return err
			}
		case name == string(store.AgentSummariesOfOld(leadAgent)), strings.HasPrefix(name, leadFolder+"/.metadata/"), strings.HasSuffix(name, "/"):
		default:
			l.problem(name, damage("it is no fact, and %s is taken for the earlier name of the default agent: move it away, or give that agent its config.yaml", leadAgent))
		}
	}
	return nil
}
