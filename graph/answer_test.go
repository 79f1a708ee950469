package graph

import (
	"cmp"
	"slices"
	"strings"
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
		r, ok := builtin.Parse(test.question)
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
		r, _ := builtin.Parse(question)
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

// kinded tells the kind of a page by its folder.
type kinded struct{ *graphtest.Links }

func (k kinded) Is(n uint32, kind string) bool {
	folder, _, _ := strings.Cut(k.Name(n), "/")
	return builtin.KindOf(folder) == kind
}

// Described finds the pages whose path has every word of a description.
func (k kinded) Described(description string) (found []Described) {
	words := strings.Fields(description)
	for n := range uint32(k.Nodes()) {
		have := 0
		for _, w := range words {
			if strings.Contains(k.Name(n), w) {
				have++
			}
		}
		if have > len(words)/2 {
			found = append(found, Described{n, float64(have) / float64(len(words))})
		}
	}
	slices.SortStableFunc(found, func(a, b Described) int { return cmp.Compare(b.Share, a.Share) })
	return found
}

func TestAnswerByKind(t *testing.T) {
	l := graphtest.Of(
		"people/ann works_at companies/acme",
		"people/bob works_at companies/acme",
		"people/cid works_at companies/globex",
		"people/ann founded companies/acme",
		"people/cid founded companies/acme",
		"people/dot advises companies/acme",
		"people/dot advises companies/globex",
		"people/eve advises companies/globex",
		"companies/acme mentions people/eve",
		"people/ann works_on projects/atlas",
		"people/bob works_on projects/atlas",
		"projects/atlas belongs_to companies/acme",
		"people/bob belongs_to teams/core",
		"teams/core belongs_to companies/acme",
		"meetings/acme-board-may mentions companies/acme",
		"meetings/acme-board-may mentions people/dot",
		"meetings/acme-board-may mentions people/eve",
		"people/ann attended meetings/acme-board-may",
		"people/fay mentions meetings/acme-board-may",
		"funds/oak invested_in companies/acme",
	)
	g := New(kinded{l})
	for _, test := range []struct{ question, want string }{
		// Typed edges first; minutes name who was there, and so does who names them.
		{"who attended the board of acme", "people/ann@1 people/dot@1~ people/eve@1~ people/fay@1~"},
		// Two typed answers make the loose ones needless, one does not.
		{"who works at acme", "people/bob@1 people/ann@1"},
		{"who advises acme", "people/dot@1 people/eve@1~"},
		{"which funds backed acme", "funds/oak@1"},
		// A word with two meanings: the kind asked for and the edges decide.
		{"which company owns atlas", "companies/acme@1"},
		{"who owns atlas", "people/bob@1 people/ann@1"},
		{"bob's teams", "teams/core@1"},
		{"which teams does acme have", "teams/core@1 projects/atlas@1"},
		// Two seeds, companions, fellows.
		{"who advises both acme and globex", "people/dot@1"},
		{"which adviser do acme and globex share", "people/dot@1"},
		{"who works with bob on atlas", "people/ann@1"},
		{"who co-founded acme with ann", "people/cid@1"},
		{"ann's co-founders", "people/cid@2"},
		{"who are ann's colleagues", "people/bob@2"},
		{"ann和谁一起创办了acme", "people/cid@1"},
		{"acme和globex共用的顾问是谁", "people/dot@1"},
		{"ann的同事有哪些", "people/bob@2"},
		{"bob在哪个组", "teams/core@1"},
	} {
		r, ok := builtin.Parse(test.question)
		if !ok {
			t.Errorf("%s: not understood", test.question)
			continue
		}
		if got := show(l, g.Answer(r)); got != test.want {
			t.Errorf("%s (%v)\n got %s\nwant %s", test.question, r, got, test.want)
		}
	}
}
