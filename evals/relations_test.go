package evals

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// testdata/relations holds questions about who is what to whom. No judgement in
// it is a matter of taste: derivations.tsv says for each question which
// relations answer it, and qrels.tsv follows from that. The relations of the
// world are known to its generator; those of the demo brain were read from its
// pages and stand in demo.tsv.
//
// A derivation is a set: `in:founded larkfold` are those who founded it,
// `out:founded X` what X founded, `linking X` the pages with a link to X,
// `@people` keeps what lies in that folder; terms are joined from left to right
// by & | -. A page is named by the end of its path.
//
// An answer has grade 2. A page that states a relation which leads to an answer,
// and is none, has grade 1.
const relationsData = "testdata/relations/"

type relational struct {
	ID, Text, Lang, Type, Tree string
	Want                       string // of testdata/weak/good.jsonl
}

func readQuestions(t *testing.T, file string) []relational {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var qs []relational
	ids := map[string]bool{}
	for sc := bufio.NewScanner(bytes.NewReader(raw)); sc.Scan(); {
		var q relational
		d := json.NewDecoder(strings.NewReader(sc.Text()))
		d.DisallowUnknownFields()
		if err := d.Decode(&q); err != nil {
			t.Fatalf("%s: %s: %v", file, sc.Text(), err)
		}
		if ids[q.ID] || q.ID == "" || q.Text == "" || q.Lang != "en" && q.Lang != "zh" || q.Tree != "demo" && q.Tree != "world" {
			t.Errorf("%s: %+v: twice, or without something", file, q)
		}
		ids[q.ID] = true
		qs = append(qs, q)
	}
	return qs
}

// fields reads a table with tabs and a header.
func fields(t *testing.T, file string) [][]string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, line := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n") {
		rows = append(rows, strings.Split(line, "\t"))
		if len(rows[len(rows)-1]) != len(rows[0]) {
			t.Fatalf("%s: %q: another number of fields than the header", file, line)
		}
	}
	return rows[1:]
}

func demoPages(t *testing.T) map[string][]byte {
	t.Helper()
	pages := map[string][]byte{}
	demo := os.DirFS("../brains/demo")
	err := fs.WalkDir(demo, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".md") {
			pages[name], err = fs.ReadFile(demo, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// truth is what holds in a tree, and which page links which.
type truth struct {
	relations []Relation
	linking   map[string][]string
	paths     []string
}

func newTruth(pages map[string][]byte, relations []Relation) *truth {
	ps, names := parsed(pages)
	tr := &truth{relations: relations, linking: map[string][]string{}, paths: slices.Sorted(maps.Keys(pages))}
	for _, path := range tr.paths {
		to, _ := linkedBy(ps[path], names)
		for _, o := range to {
			tr.linking[o] = append(tr.linking[o], path)
		}
	}
	return tr
}

func truths(t *testing.T) map[string]*truth {
	w := World(WorldSeed)
	demo := demoPages(t)
	var relations []Relation
	for _, f := range fields(t, relationsData+"demo.tsv") {
		r := Relation{f[0], f[1], f[2], f[3]}
		for _, p := range []string{r.From, r.To, r.Page} {
			if demo[p] == nil {
				t.Errorf("demo.tsv: no page %s", p)
			}
		}
		relations = append(relations, r)
	}
	return map[string]*truth{"world": newTruth(w.Pages, w.Relations), "demo": newTruth(demo, relations)}
}

// answers maps each answer to the pages that state what leads to it.
type answers map[string]map[string]bool

func (a answers) add(answer string, stated ...string) {
	if a[answer] == nil {
		a[answer] = map[string]bool{}
	}
	for _, s := range stated {
		a[answer][s] = true
	}
}

func (tr *truth) named(name string) (string, error) {
	for _, cut := range []string{"/", "-"} {
		var hits []string
		for _, p := range tr.paths {
			if strings.HasSuffix("/"+p, cut+name+".md") {
				hits = append(hits, p)
			}
		}
		if len(hits) == 1 {
			return hits[0], nil
		}
	}
	return "", fmt.Errorf("no page, or several: %q", name)
}

// term evaluates `@folder in:type … name` from right to left.
func (tr *truth) term(words []string) (answers, error) {
	start, err := tr.named(words[len(words)-1])
	if err != nil {
		return nil, err
	}
	set := answers{start: {}}
	for _, op := range slices.Backward(words[:len(words)-1]) {
		next := answers{}
		typ, isIn := strings.CutPrefix(op, "in:")
		out, isOut := strings.CutPrefix(op, "out:")
		folder, isFolder := strings.CutPrefix(op, "@")
		for a, stated := range set {
			was := slices.Collect(maps.Keys(stated))
			switch {
			case isFolder && strings.HasPrefix(a, folder+"/"):
				next.add(a, was...)
			case op == "linking":
				for _, p := range tr.linking[a] {
					next.add(p, was...)
				}
			}
			for _, r := range tr.relations {
				switch {
				case isIn && r.Type == typ && r.To == a:
					next.add(r.From, append(was, r.Page)...)
				case isOut && r.Type == out && r.From == a:
					next.add(r.To, append(was, r.Page)...)
				}
			}
		}
		set = next
	}
	return set, nil
}

func (tr *truth) derive(expr string) (answers, error) {
	var set answers
	op := "|"
	words := strings.Fields(expr)
	for len(words) > 0 {
		end := slices.IndexFunc(words, func(w string) bool { return w == "&" || w == "|" || w == "-" })
		if end < 0 {
			end = len(words)
		}
		term, err := tr.term(words[:end])
		if err != nil {
			return nil, err
		}
		next := answers{}
		for a, stated := range set {
			if op == "|" || op == "&" && term[a] != nil || op == "-" && term[a] == nil {
				next.add(a, slices.Collect(maps.Keys(stated))...)
			}
		}
		for a, stated := range term {
			if op == "|" || op == "&" && set[a] != nil {
				next.add(a, slices.Collect(maps.Keys(stated))...)
			}
		}
		set = next
		if words = words[end:]; len(words) > 0 {
			op, words = words[0], words[1:]
		}
	}
	return set, nil
}

// judged are the lines of qrels.tsv of one question.
func (a answers) judged(id string) string {
	grades := map[string]int{}
	for answer, stated := range a {
		grades[answer] = 2
		for s := range stated {
			grades[s] = max(grades[s], 1)
		}
	}
	var b strings.Builder
	for _, g := range []int{2, 1} {
		for _, p := range slices.Sorted(maps.Keys(grades)) {
			if grades[p] == g {
				fmt.Fprintf(&b, "%s\t%s\t%d\n", id, p, g)
			}
		}
	}
	return b.String()
}

// The judgements are what the derivations say. `-update` writes them anew.
func TestRelationsAreDerived(t *testing.T) {
	qs := readQuestions(t, relationsData+"queries.jsonl")
	derivations := map[string]string{}
	for _, f := range fields(t, relationsData+"derivations.tsv") {
		derivations[f[0]] = f[1]
	}
	if len(derivations) != len(qs) {
		t.Errorf("%d derivations of %d questions", len(derivations), len(qs))
	}
	trees := truths(t)
	var b strings.Builder
	b.WriteString("query-id\tdoc-id\tgrade\n")
	for _, q := range qs {
		got, err := trees[q.Tree].derive(derivations[q.ID])
		if err != nil || len(got) == 0 || len(got) > 10 {
			t.Errorf("%s %q: %d answers, error %v", q.ID, q.Text, len(got), err)
		}
		b.WriteString(got.judged(q.ID))
	}
	if *update {
		if err := os.WriteFile(relationsData+"qrels.tsv", []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(relationsData + "qrels.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if string(raw) != b.String() {
		t.Error("qrels.tsv is not what the derivations say; -update writes it")
	}
}

// The sets are large enough and evenly made.
func TestRelationsCounts(t *testing.T) {
	qs := readQuestions(t, relationsData+"queries.jsonl")
	n := map[string]int{}
	texts := map[string]bool{}
	for _, q := range qs {
		n["all"]++
		n[q.Tree]++
		n[q.Lang]++
		n[q.Type]++
		if Untuned(q.ID) {
			n["untuned"]++
		}
		if texts[q.Tree+q.Text] {
			t.Errorf("asked twice: %s %q", q.ID, q.Text)
		}
		texts[q.Tree+q.Text] = true
	}
	for what, least := range map[string]int{
		"all": 240, "demo": 80, "world": 160, "en": n["all"] * 4 / 10, "zh": n["all"] * 4 / 10,
		"mentions": 6, "references": 6, "decided": 6, "produced_by": 6, "works_on": 6, "belongs_to": 6, "works_at": 6,
		"founded": 6, "invested_in": 6, "advises": 6, "attended": 6, "co": 6, "two-seeds": 6,
	} {
		if n[what] < least {
			t.Errorf("%s: %d questions, at least %d wanted", what, n[what], least)
		}
	}
	if n["untuned"]*10 < n["all"]*4 || n["untuned"]*10 > n["all"]*6 {
		t.Errorf("untuned: %d of %d", n["untuned"], n["all"])
	}
}

// Questions that look relational and are not: what is denied, counted or dated.
func TestRelationsToRefuse(t *testing.T) {
	n := map[string]int{}
	for _, q := range readQuestions(t, relationsData+"refuse.jsonl") {
		n[q.Lang]++
		n[q.Tree]++
		if q.Type != "refuse" {
			t.Errorf("%s: type %q", q.ID, q.Type)
		}
	}
	if n["en"] < 15 || n["zh"] < 15 || n["demo"] < 8 {
		t.Errorf("counts %v", n)
	}
}
