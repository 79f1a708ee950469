package retrieve

import (
	"testing"

	"brain/graph"
	"brain/index"
	"brain/page"
)

var opsPages = map[string]string{
	"ops/gate.md":     "---\ntitle: Restart of the gate\nschema_type: runbook\n---\nStop the gate, wait, start the gate.\n",
	"notes/gate.md":   "---\ntitle: Gate restart\n---\nRestart: stop the gate, wait, start the gate.\n",
	"people/ann.md":   "---\ntitle: Ann\ntype: person\n---\nAnn maintains [[Gate]]. 她维护[[网关]]。\n",
	"people/bo.md":    "---\ntitle: Bo\ntype: person\n---\nBo works on [[Gate]] and talks of who maintains the gate.\n",
	"systems/gate.md": "---\ntitle: Gate\naliases: [网关]\n---\nLets cars in.\n",
}

// opsBrain is a brain under a schema pack of its own.
func opsBrain(t *testing.T) *brain {
	t.Helper()
	pack, err := page.ParsePack("ops.yml", []byte(`
types:
  runbook: {words: [playbook, on-call guide, 应急操作手册]}
relations:
  maintains: {verbs: [maintains, 维护]}`))
	if err != nil {
		t.Fatal(err)
	}
	b := newBrainWith(t, opsPages, index.Options{Pack: pack})
	b.sr.Lexicon = graph.NewLexicon(pack)
	return b
}

// A question that asks for a type by a word of its pack prefers pages of that type.
func TestPackWordsPreferTheirType(t *testing.T) {
	b, plain := opsBrain(t), wordsOnly(t, opsPages)
	for question, first := range map[string]string{
		"playbook for the restart of the gate": "ops/gate.md", "which playbooks restart the gate": "ops/gate.md",
		"the on-call guide for a gate restart": "ops/gate.md", "哪些应急操作手册说 gate restart": "ops/gate.md",
	} {
		kind := func(b *brain) bool {
			for _, h := range b.search(Query{Text: question}).Hits {
				for _, s := range h.Signals {
					if s.Name == "kind" && s.Note == "runbook" {
						return h.Path == first
					}
				}
			}
			return false
		}
		if !kind(b) || kind(plain) {
			t.Errorf("%s: preferred with the pack: %v, without: %v", question, kind(b), kind(plain))
		}
	}
}

// Links that the pack's verbs typed answer questions with these verbs.
func TestPackRelationsAnswer(t *testing.T) {
	b := opsBrain(t)
	for question, relation := range map[string]string{
		"who maintains Gate?": `in maintains "gate" person`, "谁维护网关？": `in maintains "网关" person`,
	} {
		a := b.search(Query{Text: question, N: 1})
		if a.Relation != relation || a.Hits[0].Path != "people/ann.md" {
			t.Errorf("%s: %s, %v", question, a.Relation, paths(a))
		}
	}
	if a := wordsOnly(t, opsPages).search(Query{Text: "who maintains Gate?"}); a.Relation != `in works_on "gate" person` {
		t.Errorf("without the pack: %s", a.Relation)
	}
}

// An answer is not given again under another pack.
func TestPackIsPartOfTheCacheKey(t *testing.T) {
	b := opsBrain(t)
	b.sr.Cache = &Cache{}
	q := Query{Text: "who maintains Gate?", N: 1}
	if b.search(q); !b.search(q).Cached {
		t.Fatal("not kept")
	}
	b.sr.Lexicon = nil
	if b.search(q).Cached {
		t.Error("an answer of another pack is given")
	}
}
