// Settings. schema is the one place that knows a key: its kind, default, allowed
// values and meaning. Loading, `brain config`, doc/settings.md and the errors for
// unknown keys are all made from it.

package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"brain/dream"
	"brain/memory"
	"brain/page"
	"brain/store"
	"brain/text"
)

// settings are the effective values.
type settings struct {
	Brain string

	SchemaPack string

	IndexPath    string
	IndexVectors string

	Provider string
	Model    string
	URL      string
	Key      string
	Timeout  time.Duration
	Retries  int
	Batch    int
	Dims     int

	LLM llmSettings

	SearchN       int
	SearchTimeout time.Duration

	CaptureDepth    int
	CaptureDebounce time.Duration
	CaptureMaxWait  time.Duration

	CompileMode     string
	CompilePrompts  string
	CompileLanguage string
	CompileParallel int

	GitMode          string
	GitBranch        string
	GitSessions      string
	GitBatchInterval time.Duration

	AgentsOff  []string
	MemoryUser string
	Memory     memory.Rules

	HookTimeout  time.Duration
	AfterSession string

	Dream dreamSettings
}

// dreamSettings say what the nightly upkeep does.
type dreamSettings struct {
	BudgetCalls  int
	BudgetTokens int
	MinSources   int
	MaxPairs     int
	Layers       bool
	Diary        bool
	FixLint      bool
}

// llmSettings say which model writes, and how much may be asked of it.
type llmSettings struct {
	Provider     string
	Model        string
	URL          string
	Key          string
	Timeout      time.Duration
	Retries      int
	BudgetCalls  int
	BudgetTokens int
}

// setting is one row of the schema.
type setting struct {
	key   string
	kind  string // for people: name, agents, words, path, address, secret, number, fraction, weights, duration, or empty with oneOf
	def   string
	oneOf []string
	min   float64 // of numbers and fractions
	max   float64 // of numbers and fractions; 0 is none
	alias string  // a second environment variable
	doc   string
	field func(*settings) any
}

var noOrYes = []string{"no", "yes"}

func schema() []setting {
	return []setting{
		{key: "brain", kind: "name", def: "", field: func(s *settings) any { return &s.Brain },
			doc: "The brain to use when a command names none. Empty: the only one there is, else `default`."},
		{key: "schema.pack", kind: "path", def: builtinPack, field: func(s *settings) any { return &s.SchemaPack },
			doc: "What kinds of pages and relations a brain has: `problem-tree` is built in; else a YAML file, relative to the root, that extends it, in the form that doc/schema.md gives. Outside the root only after `brain trust`, or by BRAIN_SCHEMA_PACK."},
		{key: "index.path", kind: "path", def: ".brain/index", field: func(s *settings) any { return &s.IndexPath },
			doc: "Folder of the index, relative to the root. It can be deleted and comes back from the files. A local disk is best. Outside the root only after `brain trust`, or by BRAIN_INDEX_PATH."},
		{key: "index.vectors", def: "flat", oneOf: []string{"flat", "chromem"}, field: func(s *settings) any { return &s.IndexVectors },
			doc: "Store of the vectors: `flat` is a memory-mapped file scanned exactly, `chromem` the chromem-go library in memory. Both give the same answers."},
		{key: "embedding.provider", def: "static", oneOf: []string{"static", "ollama", "openai", "off"}, alias: "BRAIN_EMBEDDER", field: func(s *settings) any { return &s.Provider },
			doc: "Who turns text into vectors: `static` is the word table inside the program, `ollama` an Ollama server, `openai` any server with that interface, `off` nobody (words and links only)."},
		{key: "embedding.model", kind: "name", def: "", field: func(s *settings) any { return &s.Model },
			doc: "Model that the server is asked for; `ollama` and `openai` need one."},
		{key: "embedding.url", kind: "address", def: "", field: func(s *settings) any { return &s.URL },
			doc: "Address of the server. Empty: for `ollama` the one on this machine; `openai` needs one. From memory.yml an address elsewhere counts only after `brain trust`; or name it by BRAIN_EMBEDDING_URL."},
		{key: "embedding.key", kind: "secret", def: "", field: func(s *settings) any { return &s.Key },
			doc: "Where the server's key is: `env:NAME`, an environment variable. The key itself never stands in a file."},
		{key: "embedding.timeout", kind: "duration", def: "5m", field: func(s *settings) any { return &s.Timeout },
			doc: "Longest time for one request to the server while indexing: a server may load a model first. A question waits for at most 250 ms and goes on without vectors."},
		{key: "embedding.retries", kind: "number", def: "2", field: func(s *settings) any { return &s.Retries },
			doc: "How often a request to the server is repeated after a failure that may pass. 0 means never."},
		{key: "embedding.batch", kind: "number", def: "64", min: 1, field: func(s *settings) any { return &s.Batch },
			doc: "Most texts in one request. A server that takes fewer is noticed and given fewer."},
		{key: "embedding.dims", kind: "number", def: "0", field: func(s *settings) any { return &s.Dims },
			doc: "Length of the vectors that the server is asked for, for models that can shorten them. 0: as long as the model makes them."},
		{key: "llm.provider", def: "off", oneOf: []string{"off", "ollama", "openai"}, field: func(s *settings) any { return &s.LLM.Provider },
			doc: "Whose model reads what was said and writes what is worth keeping: `off` nobody (rules decide), `ollama` an Ollama server, `openai` any server with that interface. See doc/models.md."},
		{key: "llm.model", kind: "name", def: "", field: func(s *settings) any { return &s.LLM.Model },
			doc: "Model that the server is asked for; `ollama` and `openai` need one."},
		{key: "llm.url", kind: "address", def: "", field: func(s *settings) any { return &s.LLM.URL },
			doc: "Address of the server. Empty: for `ollama` the one on this machine; `openai` needs one. From memory.yml an address elsewhere counts only after `brain trust`; or name it by BRAIN_LLM_URL."},
		{key: "llm.key", kind: "secret", def: "", field: func(s *settings) any { return &s.LLM.Key },
			doc: "Where the server's key is: `env:NAME`, an environment variable. The key itself never stands in a file."},
		{key: "llm.timeout", kind: "duration", def: "5m", field: func(s *settings) any { return &s.LLM.Timeout },
			doc: "Longest time for one request, from connecting to the last word of the answer."},
		{key: "llm.retries", kind: "number", def: "3", field: func(s *settings) any { return &s.LLM.Retries },
			doc: "How often a request is repeated after a failure that may pass: a busy server, a fault, a dropped connection. 0 means never."},
		{key: "llm.budget_calls", kind: "number", def: "0", field: func(s *settings) any { return &s.LLM.BudgetCalls },
			doc: "Most requests of one command. The next one is not sent, and what it was for waits. 0: any number."},
		{key: "llm.budget_tokens", kind: "number", def: "0", field: func(s *settings) any { return &s.LLM.BudgetTokens },
			doc: "Most tokens of one command, questions and answers together. A request that might exceed it is not sent, and what it was for waits. 0: any number."},
		{key: "search.n", kind: "number", def: "10", min: 1, field: func(s *settings) any { return &s.SearchN },
			doc: "Hits of an answer, unless `-n` says otherwise."},
		{key: "search.timeout", kind: "duration", def: "2s", field: func(s *settings) any { return &s.SearchTimeout },
			doc: "Longest time for each of the three arms; one that takes longer is left out and named."},
		{key: "capture.queue_max_depth", kind: "number", def: "1000", field: func(s *settings) any { return &s.CaptureDepth },
			doc: "How many sessions may wait to be compiled. Above it a new one is refused unless it holds a signal, such as a correction or a decision, or is a snapshot; 0: any number."},
		{key: "capture.debounce", kind: "duration", def: "30s", field: func(s *settings) any { return &s.CaptureDebounce },
			doc: "How long a conversation must have been quiet before `brain compile --due` takes it."},
		{key: "capture.max_wait", kind: "duration", def: "5m", field: func(s *settings) any { return &s.CaptureMaxWait },
			doc: "How long the first turn of a conversation waits at most, however busy that is."},
		{key: "compile.mode", def: "auto", oneOf: []string{"auto", "rules", "model"}, field: func(s *settings) any { return &s.CompileMode },
			doc: "Who finds what is worth keeping in a session: `model` the model of llm.*, `rules` the rules inside the program, `auto` the model if one is set and can be reached, else the rules."},
		{key: "compile.prompts", kind: "path", def: "", field: func(s *settings) any { return &s.CompilePrompts },
			doc: "Folder of the prompts, relative to the root, with system.txt or user.txt in the form that doc/compile.md gives. Empty: those inside the program. Outside the root only after `brain trust`, or by BRAIN_COMPILE_PROMPTS."},
		{key: "compile.language", kind: "name", def: "", field: func(s *settings) any { return &s.CompileLanguage },
			doc: "Language in which a model writes what it found. Empty: that of the conversation."},
		{key: "compile.parallel", kind: "number", def: "1", min: 1, field: func(s *settings) any { return &s.CompileParallel },
			doc: "How many sessions are compiled at a time. A model server that answers one request at a time gains nothing from more."},
		{key: "git.mode", def: store.LedgerBatch, oneOf: []string{store.LedgerBatch, store.LedgerPerWrite, "off"}, field: func(s *settings) any { return &s.GitMode },
			doc: "Whether git keeps the versions of what brain writes: `batch` commits 20 writes together, or what is older than git.batch_interval, `per_write` each for itself, `off` none. Outside of a git repository nothing is kept."},
		{key: "git.branch", def: "own", oneOf: []string{"own", store.LedgerCurrent}, field: func(s *settings) any { return &s.GitBranch },
			doc: "Where the commits go in a repository that `brain init` did not make: `own` is the ref refs/brain/ledger, which touches no branch, `current` the branch that is checked out."},
		{key: "git.sessions", def: "no", oneOf: noOrYes, field: func(s *settings) any { return &s.GitSessions },
			doc: "Whether sessions, what was said word for word, are committed too."},
		{key: "git.batch_interval", kind: "duration", def: "5m", field: func(s *settings) any { return &s.GitBatchInterval },
			doc: "How long a write waits for its commit at most, once brain writes or syncs again."},
		{key: "memory.agents_off", kind: "agents", def: "", field: func(s *settings) any { return &s.AgentsOff },
			doc: "Agents that have no memory: nothing that they say is captured, by hooks or `brain inbox add`, no fact of theirs is written, and `brain context` gives them nothing. A list, or names with commas between."},
		{key: "memory.user", kind: "name", def: "", field: func(s *settings) any { return &s.MemoryUser },
			doc: "Whom the facts are about: the id that new fact files bear as user_id, which DeerMem holds against the folder's name. Empty: that of the facts which are there, else the brain's name."},
		{key: "memory.max_facts", kind: "number", def: "100", min: 10, field: func(s *settings) any { return &s.Memory.Max },
			doc: "How many facts an agent keeps. One more, and the one that memory.eviction values least goes."},
		{key: "memory.eviction", def: memory.ByConfidence, oneOf: []string{memory.ByConfidence, memory.Hybrid}, field: func(s *settings) any { return &s.Memory.Policy },
			doc: "What a fact is worth when there are too many: `confidence` its confidence alone, `hybrid-v1` also how lately it was confirmed and how often it was found, by memory.eviction_weights, with a tenth of the places kept for corrections."},
		{key: "memory.eviction_shadow", def: "no", oneOf: noOrYes, field: func(s *settings) any { return &s.Memory.Shadow },
			doc: "Whether, under `confidence`, what `hybrid-v1` would have removed is noted in the audit. Nothing else changes."},
		{key: "memory.eviction_weights", kind: "weights", def: "0.65,0.25,0.10", field: func(s *settings) any { return &s.Memory.Weights },
			doc: "Of `hybrid-v1`: how much confidence, freshness and use count, 1 in total."},
		{key: "memory.audit", kind: "number", def: "200", max: 10000, field: func(s *settings) any { return &s.Memory.Audit },
			doc: "How many evictions are remembered for each agent, by id and score and without a text. 0: none."},
		{key: "memory.near_duplicates", def: "no", oneOf: noOrYes, field: func(s *settings) any { return &s.Memory.NearDuplicates },
			doc: "Whether a new fact that says nearly the same as one of its category, and contradicts it in nothing, is merged into that one. The very same statement is never kept twice."},
		{key: "memory.near_threshold", kind: "fraction", def: "0.7", min: 0.5, max: 1, field: func(s *settings) any { return &s.Memory.NearThreshold },
			doc: "How much of their words two facts must share to say nearly the same: the words that both have, divided by those that one or the other has."},
		{key: "memory.relevance", def: "no", oneOf: noOrYes, field: func(s *settings) any { return &s.Memory.Relevance },
			doc: "Whether facts are ranked by how much of the question they cover, blended with confidence, rather than by BM25, age and confidence. See doc/facts.md."},
		{key: "memory.relevance_weight", kind: "fraction", def: "0.5", max: 1, field: func(s *settings) any { return &s.Memory.RelevanceWeight },
			doc: "With memory.relevance: the part that the question has; the rest is confidence."},
		{key: "memory.diversity", kind: "fraction", def: "0", max: 1, field: func(s *settings) any { return &s.Memory.Diversity },
			doc: "With memory.relevance: how much a fact loses for being like one that is found before it."},
		{key: "memory.staleness", def: "yes", oneOf: noOrYes, field: func(s *settings) any { return &s.Memory.Staleness },
			doc: "Whether a model that reads a session is also asked which of the aged facts still hold."},
		{key: "memory.stale_days", kind: "number", def: "90", min: 30, max: 365, field: func(s *settings) any { return &s.Memory.StaleDays },
			doc: "Days after which a fact has aged, unless it says for how many it holds (`brain fact add --valid-days`). They count from its last confirmation, else from its making."},
		{key: "memory.protected", kind: "words", def: "correction", field: func(s *settings) any { return &s.Memory.Protected },
			doc: "Categories whose facts never age and are never consolidated. A list, or words with commas between."},
		{key: "memory.consolidation", def: "no", oneOf: noOrYes, field: func(s *settings) any { return &s.Memory.Consolidation },
			doc: "Whether a model that reads a session may make one fact of several. What only one of them said may be lost."},
		{key: "memory.injection", def: "yes", oneOf: noOrYes, field: func(s *settings) any { return &s.Memory.Injection },
			doc: "Whether `brain context` gives a block at all."},
		{key: "memory.mode", def: memory.Middleware, oneOf: []string{memory.Middleware, memory.Tool}, field: func(s *settings) any { return &s.Memory.Mode },
			doc: "How an agent comes by its facts: `middleware` has `brain context` give summaries and facts, `tool` the summaries alone, for an agent that searches by itself."},
		{key: "memory.context_tokens", kind: "number", def: "2000", min: 100, max: 8000, field: func(s *settings) any { return &s.Memory.Budget },
			doc: "Tokens that the block of `brain context` may have, by estimate."},
		{key: "memory.guaranteed", kind: "words", def: "correction", field: func(s *settings) any { return &s.Memory.Guaranteed },
			doc: "Categories whose facts stand in the block first, from an allowance of their own. A list, or words with commas between."},
		{key: "memory.guaranteed_tokens", kind: "number", def: "500", min: 50, max: 2000, field: func(s *settings) any { return &s.Memory.GuaranteedBudget },
			doc: "That allowance, in tokens."},
		{key: "hook.timeout", kind: "duration", def: "2s", field: func(s *settings) any { return &s.HookTimeout },
			doc: "Longest time for one call of `brain hook`; then it ends, and the next call goes on where it was. An agent waits for its hooks."},
		{key: "compile.after_session", def: "no", oneOf: noOrYes, field: func(s *settings) any { return &s.AfterSession },
			doc: "Whether the end of a captured session starts `brain compile` in the background."},
		{key: "dream.budget_calls", kind: "number", def: "100", field: func(s *settings) any { return &s.Dream.BudgetCalls },
			doc: "Most requests of one `brain dream` to a model. What is left over waits for the next one. 0: any number; llm.budget_calls counts, too."},
		{key: "dream.budget_tokens", kind: "number", def: "400000", field: func(s *settings) any { return &s.Dream.BudgetTokens },
			doc: "Most tokens of one `brain dream`, questions and answers together. 0: any number; llm.budget_tokens counts, too."},
		{key: "dream.lazy_min_sources", kind: "number", def: strconv.Itoa(dream.DefaultMinSources), min: 2, field: func(s *settings) any { return &s.Dream.MinSources },
			doc: "How many lessons and decisions on one subject make an experience."},
		{key: "dream.max_pairs", kind: "number", def: strconv.Itoa(dream.DefaultMaxPairs), min: 1, field: func(s *settings) any { return &s.Dream.MaxPairs },
			doc: "Most open pairs in contradictions.md. What is found beyond that comes when others are decided."},
		{key: "dream.layers", def: "yes", oneOf: noOrYes, field: func(s *settings) any { return &s.Dream.Layers },
			doc: "Whether a model writes abstracts and overviews of pages that changed. Without a model there are none."},
		{key: "dream.diary", def: "no", oneOf: noOrYes, field: func(s *settings) any { return &s.Dream.Diary },
			doc: "Whether a page diary/DATE.md tells of each night in which something was changed."},
		{key: "dream.lint_fix", def: "no", oneOf: noOrYes, field: func(s *settings) any { return &s.Dream.FixLint },
			doc: "Whether the lint stage mends what has one right answer, as `brain lint --fix` does."},
	}
}

// lookupSetting finds the row of a key.
func lookupSetting(key string) (setting, error) {
	rows := schema()
	if i := slices.IndexFunc(rows, func(r setting) bool { return r.key == key }); i >= 0 {
		return rows[i], nil
	}
	var keys []string
	for _, r := range rows {
		keys = append(keys, r.key)
	}
	hint := "see `brain help settings`"
	if near := text.Nearest(key, keys); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return setting{}, usage(fmt.Sprintf("unknown key %q", key), hint)
}

// variables are the environment variables of a setting, the first wins.
func (r setting) variables() []string {
	all := []string{"BRAIN_" + strings.ToUpper(strings.ReplaceAll(r.key, ".", "_"))}
	if r.alias != "" {
		all = append(all, r.alias)
	}
	return all
}

// group is what stands before the dot of a key.
func (r setting) group() string {
	group, _, _ := strings.Cut(r.key, ".")
	return group
}

// allowed describes the values for people.
func (r setting) allowed() string {
	switch {
	case r.oneOf != nil:
		return strings.Join(r.oneOf, ", ")
	case r.max > 0:
		return fmt.Sprintf("number from %v to %v", r.min, r.max)
	case r.kind == "number":
		return fmt.Sprintf("number from %v", r.min)
	case r.kind == "duration":
		return "duration: 250ms, 2s, 5m"
	case r.kind == "secret":
		return "env:NAME"
	case r.kind == "agents":
		return "names of agents"
	case r.kind == "words":
		return "words with commas between"
	case r.kind == "weights":
		return "three numbers from 0, 1 in total: " + r.def
	}
	return r.kind
}

// spelled is a value in the one spelling that brain has: YAML's true and false are yes
// and no.
func (r setting) spelled(text string) string {
	if slices.Equal(r.oneOf, noOrYes) {
		switch strings.ToLower(text) {
		case "true":
			return "yes"
		case "false":
			return "no"
		}
	}
	return text
}

// list reports whether a YAML list means its entries with commas between.
func (r setting) list() bool { return r.kind == "agents" || r.kind == "words" || r.kind == "weights" }

// put checks a value and stores it.
func (r setting) put(s *settings, given string) error {
	if r.oneOf != nil && !slices.Contains(r.oneOf, given) {
		return r.refuse(given, text.Nearest(given, r.oneOf))
	}
	switch field := r.field(s).(type) {
	case *string:
		if err := r.checkText(given); err != nil {
			return err
		}
		*field = given
	case *int:
		n, err := strconv.Atoi(given)
		if err != nil || !r.within(float64(n)) {
			return r.refuse(given, "")
		}
		*field = n
	case *bool:
		*field = given == "yes"
	case *float64:
		x, err := strconv.ParseFloat(given, 64)
		if err != nil || !r.within(x) {
			return r.refuse(given, "")
		}
		*field = x
	case *[3]float64:
		w, err := weights(given)
		if err != nil {
			return r.refuse(given, "")
		}
		*field = w
	case *time.Duration:
		d, err := time.ParseDuration(given)
		if err != nil || d <= 0 {
			near := ""
			if n, err := strconv.Atoi(given); err == nil && n > 0 {
				near = given + "s"
			}
			return r.refuse(given, near)
		}
		*field = d
	case *[]string:
		words := listed(given)
		for i, name := range words {
			if r.kind != "agents" {
				break
			}
			var err error
			if words[i], err = page.AgentName(name); err != nil {
				return r.refuse(given, "")
			}
		}
		*field = words
	}
	return nil
}

func (r setting) within(x float64) bool { return x >= r.min && (r.max == 0 || x <= r.max) }

// listed reads words with commas between.
func listed(text string) (words []string) {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// weights reads the parts of a whole, as the rules want them.
func weights(text string) (w [3]float64, err error) {
	words := listed(text)
	if len(words) != len(w) {
		return w, errors.New("not three")
	}
	for i, word := range words {
		if w[i], err = strconv.ParseFloat(word, 64); err != nil {
			return w, err
		}
	}
	rules := memory.DefaultRules()
	rules.Weights = w
	return w, rules.Check()
}

func (r setting) checkText(text string) error {
	switch {
	case r.kind == "secret" && text != "":
		if name, ok := strings.CutPrefix(text, "env:"); !ok || !variableName(name) {
			return usage(r.key+": the key itself must not stand here", "put it into an environment variable and write "+r.key+": env:NAME")
		}
	case r.kind == "address" && text != "":
		u, err := parseAddress(text)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
			return r.refuse(shown(text), "")
		}
		if u.User != nil {
			return usage(r.key+": a user or password must not stand in an address", "put the key into an environment variable and write "+r.group()+".key: env:NAME")
		}
	case strings.ContainsRune(text, 0):
		return r.refuse(text, "")
	}
	return nil
}

func (r setting) refuse(text, near string) error {
	hint := "allowed: " + r.allowed()
	if r.kind == "address" {
		hint = "allowed: an address such as http://127.0.0.1:11434"
	}
	if near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return usage(fmt.Sprintf("%s: %q is no value for it", r.key, text), hint)
}

func variableName(s string) bool {
	for i, c := range s {
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// outside says why a value is more than a found settings file may decide, and where it
// leads: to a server elsewhere, a key that is sent there, or a path outside the root.
// "" when it does not.
func (r setting) outside(s *settings, root string) (why, means string) {
	switch r.key {
	case "index.path":
		if to := resolved(root, s.IndexPath); !within(root, s.IndexPath) || !within(root, to) {
			return "a path outside the root", to
		}
	case "schema.pack":
		if to := resolved(root, s.SchemaPack); s.SchemaPack != builtinPack && (!within(root, s.SchemaPack) || !within(root, to)) {
			return "a path outside the root", to
		}
	case "compile.prompts":
		if to := resolved(root, s.CompilePrompts); s.CompilePrompts != "" && (!within(root, s.CompilePrompts) || !within(root, to)) {
			return "a path outside the root", to
		}
	case "embedding.url":
		return serverOutside(s.URL)
	case "embedding.key":
		return keyOutside(s.Key, s.URL)
	case "llm.url":
		return serverOutside(s.LLM.URL)
	case "llm.key":
		return keyOutside(s.LLM.Key, s.LLM.URL)
	}
	return "", ""
}

func serverOutside(url string) (why, means string) {
	if url == "" || loopback(url) {
		return "", ""
	}
	return "a server that is not on this machine", url
}

func keyOutside(key, url string) (why, means string) {
	if key == "" || url == "" || loopback(url) {
		return "", ""
	}
	return "a secret of yours for a server that is not on this machine", key
}

// within reports whether path, relative to root or absolute, stays inside root.
func within(root, path string) bool {
	if !filepath.IsAbs(path) {
		return filepath.IsLocal(filepath.FromSlash(path))
	}
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// resolved follows the symbolic links of a path as far as it exists.
func resolved(root, path string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	return store.Resolved(path)
}

// parseAddress reads a server's address; without a scheme it is http.
func parseAddress(text string) (*url.URL, error) {
	if ip := net.ParseIP(text); ip != nil && ip.To4() == nil {
		text = "[" + text + "]"
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	return url.Parse(text)
}

// shown is an address that is safe to print: what cannot be read may hold a password.
func shown(text string) string {
	if strings.Contains(text, "@") {
		return "…"
	}
	return text
}

// loopback reports whether an address means this machine; one without a host does.
func loopback(address string) bool {
	u, err := parseAddress(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || ip.IsUnspecified()
	}
	return host == "" || strings.EqualFold(host, "localhost")
}

// remembers is nil for an agent that is to have a memory.
func (s *settings) remembers(agent string) error {
	if slices.Contains(s.AgentsOff, agent) {
		return usage("agent "+agent+" has no memory (memory.agents_off)", "")
	}
	return nil
}

// secret reads the key that a setting such as embedding.key points at.
func secret(env func(string) (string, bool), key, at string) (string, error) {
	name, ok := strings.CutPrefix(at, "env:")
	if !ok {
		return "", nil
	}
	value, ok := env(name)
	if !ok || value == "" {
		return "", usage(key+": the environment variable "+name+" is not set", "export "+name+" or remove "+key)
	}
	return value, nil
}

var errSettingsSize = errors.New("larger than 1 MiB")
