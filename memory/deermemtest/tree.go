// Package deermemtest makes a DeerMem root as DeerMem writes it, byte for byte, for
// tests of what reads one. It knows the form from its description alone and shares no
// code with package memory: what the two agree on is the format.
package deermemtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Fact is one fact of the tree.
type Fact struct {
	Bucket, User string // the folder below users/, and the raw id
	Agent        string // under which a brain holds it: of before v2, after it was taken over
	ID           string
	Category     string // as DeerMem means it: of categoryExtension where there is one
	Confidence   float64
	Content      string
	File         string // path below the bucket; "" for one that stands in a memory.json of before v2
}

// Tree is a DeerMem root: its files by their paths, with /, and what they hold.
type Tree struct {
	Files map[string]string
	Facts []Fact
}

// Buckets are the folders of its users.
var Buckets = []string{"--1-857e3168f4aafbba", "alice"}

// Write puts the files below a folder.
func (t *Tree) Write(dir string) error {
	for name, content := range t.Files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Of are the facts of one agent of one user.
func (t *Tree) Of(bucket, agent string) (facts []Fact) {
	for _, f := range t.Facts {
		if f.Bucket == bucket && f.Agent == agent {
			facts = append(facts, f)
		}
	}
	return facts
}

// New is a root with 50 facts of two users and their three agents:
//
//	alice                  v2: 20 of __default__, 12 of coder, 4 of a lead-agent of its own, and
//	                       2 of coder of before v2, in agents/coder/memory.json
//	用户1                   of before v2: 8 in a list in memory.json, 2 of the default agent
//	                       under its earlier name lead-agent, and in the form of v2 2 of coder
//
// with what hosts keep beside them. Among alice's are files that hands or older programs
// wrote otherwise; see odd.
func New() *Tree {
	t := &Tree{Files: map[string]string{}}
	t.alice()
	t.user1()
	t.Files[".retrieval/memory-fts5.sqlite3"] = "SQLite format 3\x00"
	return t
}

func (t *Tree) alice() {
	const bucket = "alice"
	about := []struct{ category, content string }{
		{"preference", "Prefers PostgreSQL for new services"}, {"preference", "Likes answers in short sentences"},
		{"correction", "The staging host is called ember, not amber"}, {"context", "Works on the billing team in Lisbon"},
		{"goal", "Wants to retire the nightly batch by March"}, {"behavior", "Reviews code before lunch"},
		{"identity", "Is called Alice by everybody"}, {"constraint", "Must not store card numbers"},
		{"decision", "Decided on NATS as the message bus"}, {"preference", "Prefers tea over coffee"},
		{"context", "用户在北京工作"}, {"goal", "Is learning Portuguese"},
	}
	for i, a := range about {
		t.v2(bucket, "alice", "__default__", fmt.Sprintf("fact_a11ce%03x", i), a.category, 0.7+float64(i%3)/10, a.content)
	}
	t.odd(bucket)
	for i := range 12 {
		t.v2(bucket, "alice", "coder", fmt.Sprintf("fact_c0de%04x", i), "context", 0.8, fmt.Sprintf("Service number %d is deployed from its own repository", i+1))
	}
	for i := range 4 {
		t.v2(bucket, "alice", "lead-agent", fmt.Sprintf("fact_1ead%04x", i), "behavior", 0.9, fmt.Sprintf("Plans sprint %d in writing", i+1))
	}
	t.put(bucket, "agents/coder/memory.json", `{"version": "1.0", "lastUpdated": "2026-05-01T08:00:00Z", "facts": [
  {"id": "fact_01dc0de1", "content": "  Debugs with print statements ", "category": "behavior", "confidence": 0.75, "createdAt": "2026-04-30T08:00:00Z", "source": "thread-7"},
  {"id": "fact_01dc0de2", "content": "Keeps dotfiles in git", "category": "knowledge", "confidence": null, "createdAt": "2026-04-30T09:00:00Z", "source": ""}]}`)
	t.has(Fact{bucket, "alice", "coder", "fact_01dc0de1", "behavior", 0.75, "Debugs with print statements", ""})
	t.has(Fact{bucket, "alice", "coder", "fact_01dc0de2", "knowledge", 0.5, "Keeps dotfiles in git", ""})

	t.put(bucket, "memory.json", summaries(41, "Works on billing at a bank.", "Retiring the nightly batch."))
	t.put(bucket, "agents/coder/config.yaml", "name: coder\nmodel: large\n")
	t.put(bucket, "agents/coder/SOUL.md", "# Coder\n\nYou write code.\n")
	t.put(bucket, "agents/coder/.metadata/fact-usage.json", "{\n  \"fact_c0de0000\": {\n    \"accessHeat\": 1.5,\n    \"accessCount\": 2,\n    \"lastAccessedAt\": \"2026-11-20T10:00:00Z\"\n  }\n}")
	t.put(bucket, "agents/coder/.metadata/eviction-audit.json", "[]")
	t.put(bucket, "agents/lead-agent/config.yaml", "name: lead-agent\n")
	t.put(bucket, ".memory.lock", "")
	t.put(bucket, "threads/t1/uploads/plan.txt", "the host's own")
}

// odd are eight facts whose files are read as they are meant: bare times, a BOM, a title
// that is not the content's first line, keys of a later version, content that looks like
// front matter or a heading, a source of one word, and a category of its own.
func (t *Tree) odd(bucket string) {
	add := func(id, category string, confidence float64, content, file string) {
		t.has(Fact{bucket, "alice", "__default__", id, category, confidence, content, place("__default__", id)})
		t.put(bucket, place("__default__", id), file)
	}
	add("fact_0dd00001", "preference", 0.9, "Likes tabs over spaces", `---
id: fact_0dd00001
category: preference
confidence: 0.9
source:
  type: conversation
  threadId: thread-1
expected_valid_days: 120
schemaVersion: 2
status: active
topics: []
consolidatedFrom: []
createdAt: 2026-10-01T17:56:24.877586Z
updatedAt: 2026-10-02T08:00:00Z
revision: 2
user_id: alice
agent_name: __default__
---

# Likes tabs over spaces

Likes tabs over spaces
`)
	add("fact_0dd00002", "context", 0.8, "Uses a Dvorak keyboard", "\uFEFF"+t.file(Fact{User: "alice", Agent: "__default__", ID: "fact_0dd00002", Category: "context", Confidence: 0.8, Content: "Uses a Dvorak keyboard"}))
	add("fact_0dd00003", "correction", 0.95, "Says \"deploy\", never \"release\"", `---
id: fact_0dd00003
category: correction
confidence: 0.95
source:
  type: manual
  threadId: null
sourceError: The assistant said release
schemaVersion: 2
status: active
topics:
- words
- deploy
consolidatedFrom: []
createdAt: '2026-10-03T08:00:00Z'
updatedAt: '2026-10-03T08:00:00Z'
revision: 1
futureKey:
  nested:
  - 1
  - two
labels: [a, b]  # a hand wrote this
user_id: alice
agent_name: __default__
---

# Words for shipping

Says "deploy", never "release"
`)
	add("fact_0dd00004", "context", 0.7, "# Runbook\n\n---\nstep: 1\n---\n\nCall the on-call engineer first.", t.file(Fact{User: "alice", Agent: "__default__", ID: "fact_0dd00004", Category: "context",
		Confidence: 0.7, Content: "# Runbook\n\n---\nstep: 1\n---\n\nCall the on-call engineer first."}))
	add("fact_0dd00005", "knowledge", 0.85, "Knows the ISO 20022 message set", t.file(Fact{User: "alice", Agent: "__default__", ID: "fact_0dd00005", Category: "knowledge", Confidence: 0.85, Content: "Knows the ISO 20022 message set"}))
	add("fact_0dd00006", "goal", 0, "Might move to Porto", t.file(Fact{User: "alice", Agent: "__default__", ID: "fact_0dd00006", Category: "goal", Confidence: 0, Content: "Might move to Porto"}))
	add("fact_0dd00007", "identity", 0.9, "Is the maintainer of the ledger library", `---
id: fact_0dd00007
category: identity
confidence: 0.9
source: thread-9
schemaVersion: 2
status: active
topics: []
consolidatedFrom:
- fact_00000001
- fact_00000002
createdAt: '2026-10-04T08:00:00Z'
updatedAt: '2026-10-05T08:00:00Z'
revision: 3
consolidatedAt: '2026-10-05T08:00:00Z'
lastConfirmedAt: '2026-11-01T08:00:00Z'
confirmationCount: 2
user_id: alice
agent_name: __default__
---

# Is the maintainer of the ledger library

Is the maintainer of the ledger library
`)
	add("fact_0dd00008", "constraint", 0.6, "Meetings only between ten and four, Lisbon time, and never on Fridays unless the on-call engineer asks for one", t.file(Fact{User: "alice", Agent: "__default__",
		ID: "fact_0dd00008", Category: "constraint", Confidence: 0.6, Content: "Meetings only between ten and four, Lisbon time, and never on Fridays unless the on-call engineer asks for one"}))
}

func (t *Tree) user1() {
	const bucket, user = "--1-857e3168f4aafbba", "用户1"
	var list []string
	for i := range 8 {
		f := Fact{bucket, user, "__default__", fmt.Sprintf("fact_01d%05x", i), "preference", 0.5 + float64(i)/20, fmt.Sprintf("喜欢第%d种茶", i+1), ""}
		t.has(f)
		list = append(list, fmt.Sprintf(`    {"id": %q, "content": %q, "category": "preference", "confidence": %v, "createdAt": "2026-03-0%dT12:00:00Z", "source": "thread-3"}`, f.ID, f.Content, f.Confidence, i+1))
	}
	t.put(bucket, "memory.json", "{\n  \"version\": \"1.0\",\n  \"lastUpdated\": \"2026-03-09T12:00:00Z\",\n  \"user\": {\n    \"workContext\": {\"summary\": \"在银行工作\", \"updatedAt\": \"2026-03-09T12:00:00Z\"}\n  },\n  \"facts\": [\n"+strings.Join(list, ",\n")+"\n  ]\n}")
	for i := range 2 {
		id, content := fmt.Sprintf("fact_0ead%04x", i), fmt.Sprintf("每周%d开会", i+1)
		f := Fact{User: user, Agent: "lead-agent", ID: id, Category: "context", Confidence: 0.8, Content: content}
		t.put(bucket, place("lead-agent", id), t.file(f))
		f.Bucket, f.Agent, f.File = bucket, "__default__", place("lead-agent", id)
		t.has(f)
	}
	for i := range 2 {
		t.v2(bucket, user, "coder", fmt.Sprintf("fact_c0de%04x", i), "decision", 0.9, fmt.Sprintf("决定使用方案%d", i+1))
	}
}

// v2 adds a fact as DeerMem writes it.
func (t *Tree) v2(bucket, user, agent, id, category string, confidence float64, content string) {
	f := Fact{bucket, user, agent, id, category, confidence, content, place(agent, id)}
	t.has(f)
	t.put(bucket, f.File, t.file(f))
}

func (t *Tree) has(f Fact) { t.Facts = append(t.Facts, f) }

func (t *Tree) put(bucket, name, content string) { t.Files["users/"+bucket+"/"+name] = content }

// place is agents/<agent>/facts/<hh>/<id>.md.
func place(agent, id string) string {
	sum := sha256.Sum256([]byte(id))
	return "agents/" + agent + "/facts/" + hex.EncodeToString(sum[:1]) + "/" + id + ".md"
}

var core = map[string]bool{"preference": true, "correction": true, "context": true, "goal": true, "behavior": true,
	"identity": true, "constraint": true, "decision": true, "other": true}

// file is a fact's file. None of its texts needs quotes.
func (t *Tree) file(f Fact) string {
	category, extension := f.Category, ""
	if !core[category] {
		category, extension = "other", "categoryExtension: "+f.Category+"\n"
	}
	confidence := fmt.Sprint(f.Confidence)
	if !strings.Contains(confidence, ".") {
		confidence += ".0"
	}
	title, _, _ := strings.Cut(f.Content, "\n")
	day := 1 + len(t.Facts)%28
	return "---\n" +
		"id: " + f.ID + "\n" +
		"category: " + category + "\n" +
		"confidence: " + confidence + "\n" +
		"source:\n  type: conversation\n  threadId: thread-1\n" +
		"schemaVersion: 2\n" + extension +
		"status: active\ntopics: []\nconsolidatedFrom: []\n" +
		fmt.Sprintf("createdAt: '2026-09-%02dT10:00:00.000123Z'\nupdatedAt: '2026-09-%02dT10:00:00.000123Z'\n", day, day) +
		"revision: 1\n" +
		"user_id: " + f.User + "\nagent_name: " + f.Agent + "\n---\n\n" +
		"# " + title + "\n\n" + f.Content + "\n"
}

// summaries is a memory.json of v2.
func summaries(revision int, work, top string) string {
	leaf := func(name, text, end string) string {
		at := ""
		if text != "" {
			at = "2026-11-20T10:00:00.000001Z"
		}
		return fmt.Sprintf("    %q: {\n      \"summary\": %q,\n      \"updatedAt\": %q\n    }%s\n", name, text, at, end)
	}
	return fmt.Sprintf("{\n  \"version\": \"2.0\",\n  \"revision\": %d,\n  \"lastUpdated\": \"2026-11-20T10:00:00.000001Z\",\n  \"user\": {\n", revision) +
		leaf("workContext", work, ",") + leaf("personalContext", "", ",") + leaf("topOfMind", top, "") +
		"  },\n  \"history\": {\n" +
		leaf("recentMonths", "", ",") + leaf("earlierContext", "", ",") + leaf("longTermBackground", "", "") +
		"  }\n}"
}
