package graph

import (
	"testing"

	"brain/graph/graphtest"
	"brain/page"
)

func lexiconOf(t testing.TB, raw string) *Lexicon {
	t.Helper()
	pack, err := page.ParsePack("ops.yml", []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return NewLexicon(pack)
}

const opsPack = `
types:
  runbook: {words: [playbook, 操作手册]}
  adr: {words: [裁决]}
  standup:
  story: {}
  decision: {words: [verdict]}
relations:
  maintains: {verbs: [maintains, looks after, 维护, 照看], nouns: [caretaker, 看管人], inverse: [relies on, 托付给]}
  blocks: {verbs: [block, 卡住]}
  produced_by: {nouns: [scribe]}
`

// A pack's words stand before the built-in ones; where both have a word, the
// built-in meaning is another reading.
func TestPackRelations(t *testing.T) {
	l := lexiconOf(t, opsPack)
	for question, want := range map[string]string{
		"who maintains Gate?":          `in maintains "gate" person`,
		"Who looked after the Gate":    `in maintains "gate" person`,
		"what does Ann maintain":       `out maintains "ann"`,
		"what is maintained by Ann":    `out maintains "ann"`,
		"who is the caretaker of Gate": `in maintains "gate" person`,
		"Gate's caretakers":            `in maintains "gate"`,
		"who does Gate rely on":        `in maintains "gate" person`,
		"谁维护网关？":                       `in maintains "网关" person`,
		"网关由谁维护":                       `in maintains "网关" person`,
		"张三维护了哪些系统":                    `out maintains "张三" project`,
		"网关的看管人是谁":                     `in maintains "网关" person`,
		"what blocks the release":      `in blocks "release"`,
		"谁卡住了发布":                       `in blocks "发布" person`,
		"who is the scribe of Minutes": `out produced_by "minutes" person`,
		"who founded Acme":             `in founded "acme" person`,
		"谁负责网关":                        `in works_on "网关" person`,
		"how do I restore the gate":    "",
		"which runbooks mention Gate":  `in mentions|references "gate" runbook`,
		"提到了网关的操作手册":                   `in mentions|references "网关" runbook`,
	} {
		got := ""
		if r, ok := l.Parse(question); ok {
			got = r.String()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
	r, _ := l.Parse("who maintains Gate?")
	if r.Else == nil || r.Else.Type != WorksOn {
		t.Errorf("the built-in meaning of maintain is gone: %v", r.Else)
	}
	if r, _ := builtin.Parse("who maintains Gate?"); r.Type != WorksOn {
		t.Errorf("without the pack: %v", r)
	}
	if got := l.Intent("谁维护网关？"); got != Relational {
		t.Error(got)
	}
}

func TestPackAnswers(t *testing.T) {
	links := graphtest.Of("ann maintains gate", "bob works_on gate", "cid works_on mill")
	g, l := New(links), lexiconOf(t, opsPack)
	for question, want := range map[string]string{
		"who maintains gate": "ann@1", "who maintains mill": "cid@1", "what does ann look after": "gate@1", "谁维护gate": "ann@1",
	} {
		r, ok := l.Parse(question)
		if got := show(links, g.Answer(r)); !ok || got != want {
			t.Errorf("%s (%v): %s, want %s", question, r, got, want)
		}
	}
}

func TestPackKinds(t *testing.T) {
	l := lexiconOf(t, opsPack)
	for word, want := range map[string]string{
		"runbook": "runbook", "runbooks": "runbook", "playbooks": "runbook", "操作手册": "runbook", "stories": "requirement",
		"adr": "decision", "裁决": "decision", "verdict": "decision", "decision": "decision", "standup": "meeting", "standups": "meeting",
		"company": "company", "会议": "meeting", "skill": "", "entity": "", "tree": "",
	} {
		if got := l.KindOf(word); got != want {
			t.Errorf("%s is of kind %q, want %q", word, got, want)
		}
	}
	if builtin.KindOf("runbook") != "" {
		t.Error("runbook is built in")
	}
}

func FuzzPackParse(f *testing.F) {
	l := lexiconOf(f, opsPack)
	f.Add("who maintains Gate?")
	f.Add("网关由谁维护")
	f.Fuzz(func(t *testing.T, q string) {
		if r, ok := l.Parse(q); ok && r.Seed == "" {
			t.Fatal(r)
		}
	})
}
