package graph

import (
	"testing"

	"brain/graph/graphtest"
)

// company is a small brain: people, companies, a merged stub on each side.
func company() *graphtest.Links {
	l := graphtest.Of(
		"alice founded acme",
		"alice mentions acme",
		"bob works_at acme",
		"carol works_at acme",
		"carol works_on payments",
		"bob works_on billing",
		"acme works_at dave", // "Team: [[dave]]" on the company's page: direction not stated
		"sequoia invested_in acme",
		"report produced_by bob",
		"report mentions payments",
		"payments belongs_to acme",
		"erin works_at acme-old",
		"frank-old works_at acme",
		"frank",
		"alice mentions kickoff",
		"bob attended kickoff",
	)
	l.Redirect(l.Node("acme-old"), l.Node("acme"))
	l.Redirect(l.Node("frank-old"), l.Node("frank"))
	l.Page("orgs/globex.md", "Globex Inc")
	l.Edge(l.Node("alice"), Advises, l.Node("orgs/globex"), 1)
	l.Page("sys/pay.md", "支付系统")
	l.Edge(l.Node("carol"), WorksOn, l.Node("sys/pay"), 1)
	return l
}

func TestAnswer(t *testing.T) {
	l := company()
	g := New(l)
	for _, test := range []struct{ question, want string }{
		{"Who founded Acme?", "alice@1"},
		// Asked direction, then through a stub, then the other direction.
		{"Who works at Acme?", "carol@1 bob@1 erin@2 frank@2 dave@1!"},
		{"who works at acme-old", "carol@1 bob@1 erin@2 frank@2 dave@1!"},
		{"where does bob work", "acme@1"},
		{"where does erin work", "acme@2"},
		{"where does frank work", "acme@2"},
		{"where does dave work", "acme@1!"},
		{"who produced the report", "bob@1"},
		{"what did bob write", "report@1"},
		{"who advises Globex", "alice@1"},
		{"谁负责支付", "carol@1"},
		{"支付系统的负责人是谁", "carol@1"},
		{"who at acme works on payments", "carol@1"},
		{"who at acme works on billing", "bob@1"},
		{"who works at the big acme", "carol@1 bob@1 erin@2 frank@2 dave@1!"},
		{"backlinks of report", ""},
		{"backlinks of payments", "carol@1 report@1"},
		{"who founded nowhere", ""},
		{"who advises acme", "alice@1~"},
		// A direct link; then what lies between.
		{"what connects alice and acme", "acme@1"},
		{"what connects alice and bob", "acme@2 kickoff@2"},
		{"how are sequoia and report connected", "acme@3 bob@3 payments@3 carol@4"},
		{"what connects alice and nowhere", ""},
	} {
		r, ok := Parse(test.question)
		if !ok {
			t.Errorf("%s: not understood", test.question)
			continue
		}
		if got := show(l, g.Answer(r)); got != test.want {
			t.Errorf("%s (%v)\n got %s\nwant %s", test.question, r, got, test.want)
		}
	}
}

func TestAnswerChains(t *testing.T) {
	l := company()
	g := New(l)
	ask := func(question string, node string) string {
		r, _ := Parse(question)
		for _, a := range g.Answer(r) {
			if a.Node == l.Node(node) {
				return chain(l, a.Via)
			}
		}
		return "none"
	}
	for _, test := range []struct{ question, node, want string }{
		{"who works at acme", "bob", "acme <-works_at- bob"},
		{"who works at acme", "dave", "acme -works_at-> dave"},
		{"who works at acme", "erin", "acme <-redirect- acme-old <-works_at- erin"},
		{"who works at acme", "frank", "acme <-works_at- frank-old -redirect-> frank"},
		{"what connects alice and bob", "acme", "alice -founded-> acme <-works_at- bob"},
	} {
		if got := ask(test.question, test.node); got != test.want {
			t.Errorf("%s, %s:\n got %s\nwant %s", test.question, test.node, got, test.want)
		}
	}
}
