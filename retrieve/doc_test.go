package retrieve

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// tuned are the constants that doc/ranking.md explains.
var tuned = map[string]any{
	"rrfK": rrfK, "rrfShare": rrfShare, "rrfRelation": rrfRelation, "bm25Share": bm25Share, "cosineShare": cosineShare,
	"phraseShare": phraseShare, "phraseDepth": phraseDepth, "phraseBytes": kib(phraseBytes), "passageBytes": kib(passageBytes),
	"hubBoost": hubBoost, "sourcesBoost": sourcesBoost, "signalDepth": signalDepth,
	"hotAlpha": hotAlpha, "hotHalfLife": days(hotHalfLife), "boostMin": boostMin, "boostMax": boostMax, "boostFloor": boostFloor,
	"fusedFloor": fusedFloor, "floorKeep": floorKeep, "scoreGrid": scoreGrid, "weakCosine": weakCosine, "weakKin": weakKin, "weakPassage": weakPassage,
	"weakPhrase": weakPhrase, "weakNamed": weakNamed, "weakRelated": weakRelated, "weakBelow": weakBelow, "weakCovered": weakCovered,
	"typoLetters": typoLetters, "typoWords": typoWords, "typoChoices": typoChoices, "typoWeight": typoWeight, "typoCommon": typoCommon,
	"answeredWords": answeredWords, "looseAnswer": looseAnswer, "kinShare": kinShare, "kinEnd": kinEnd, "kinDepth": kinDepth, "nameShare": nameShare,
	"joinShare": joinShare, "joinHub": joinHub, "joinCap": joinCap, "joinFrom": joinFrom, "joinTo": joinTo, "joinBytes": kib(joinBytes),
	"kindShare": kindShare, "kindDepth": kindDepth, "dateShare": dateShare, "dateTurns": dateTurns, "dateAfter": days(dateAfter), "passageShare": passageShare,
	"turnOwn": turnOwn, "turnAround": turnAround, "turnSession": turnSession, "turnEnough": turnEnough,
	"turnSpeaker": turnSpeaker, "turnRole": turnRole, "turnAsks": turnAsks, "sessionCap": sessionCap, "sessionsOf": sessionsOf,
	"armDepth": armDepth, "armTimeout": armTimeout, "embedTimeout": embedTimeout,
	"windowWords": windowWords, "snippetRunes": snippetRunes, "pairGap": pairGap,
}

func kib(n int) string            { return fmt.Sprintf("%d KiB", n>>10) }
func days(d time.Duration) string { return fmt.Sprintf("%d days", d/(24*time.Hour)) }

func rankingDoc(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../doc/ranking.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// weightNames reads the constants of weights.go.
func weightNames(t *testing.T) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "weights.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
			for _, s := range g.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

func TestEveryConstantStandsInTheDocumentWithItsValue(t *testing.T) {
	doc := rankingDoc(t)
	for _, name := range weightNames(t) {
		if _, ok := tuned[name]; !ok {
			t.Errorf("%s of weights.go is explained nowhere: give it a row in doc/ranking.md", name)
		}
	}
	for name, value := range tuned {
		if row := fmt.Sprintf("| `%s` | %v | ", name, value); !strings.Contains(doc, row) {
			t.Errorf("doc/ranking.md has no row that begins %q", row)
		}
	}
	for _, name := range regexp.MustCompile("(?m)^\\| `([a-zA-Z0-9]+)` \\| [0-9]").FindAllStringSubmatch(doc, -1) {
		if _, ok := tuned[name[1]]; !ok {
			t.Errorf("doc/ranking.md explains %s, which does not exist", name[1])
		}
	}
	for intent, w := range weightsByIntent {
		if row := fmt.Sprintf("| %s | %v | %v | %v | ", intent, w.lexical, w.vector, w.graph); !strings.Contains(doc, row) {
			t.Errorf("doc/ranking.md has no row that begins %q", row)
		}
	}
	for _, line := range []string{
		fmt.Sprintf("weight · %d / (%d + rank)", rrfK+1, rrfK),
		fmt.Sprintf("+ %.1f · BM25 / ideal", bm25Share),
		fmt.Sprintf("+ %.1f · calibrated cosine", cosineShare),
		fmt.Sprintf("+ %.1f · share of phrases", phraseShare),
		fmt.Sprintf("together between %v and %v", boostMin, boostMax),
		fmt.Sprintf("in steps of %v", scoreGrid),
	} {
		if !strings.Contains(doc, line) {
			t.Errorf("doc/ranking.md does not say %q", line)
		}
	}
}

func TestEverySignalStandsInTheDocument(t *testing.T) {
	doc := rankingDoc(t)
	seen := map[string]string{"boost.clamp": "mul", "scan.covered": "add"}
	b := theDemo(t)
	for _, text := range goldenQueries {
		for _, h := range b.ask(text).Hits {
			for _, s := range h.Signals {
				seen[s.Name] = s.Op
			}
		}
	}
	for name, op := range seen {
		row := regexp.MustCompile("(?m)^\\| .*`" + regexp.QuoteMeta(name) + "`.* \\| " + op + " \\| ")
		if !row.MatchString(doc) {
			t.Errorf("doc/ranking.md has no row for signal %s (%s)", name, op)
		}
	}
}
