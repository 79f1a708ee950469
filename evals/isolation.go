package evals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brain/llm"
	"brain/page"
	"brain/retrieve"
)

// Two brains stand in one root. The second holds pages full of words that exist
// nowhere else, one word for every place a page can keep one. The first is then
// asked for each of these words in every way there is, and nothing that comes
// back may hold one. Its pages do their best to reach the second brain: they
// link to its titles and paths, and where the system has symbolic links, to its
// files and folders. An agent's facts are planted in the same way beside the
// shared pages.
//
// The same words are asked for where they do live. If one is not found there,
// the test would pass without testing anything, and that is an error.

// secrets are the words, by the place where they stand. None is a word of any
// language, and none begins another.
var secrets = map[string]string{
	"title": "zorvintal", "body": "quexomard", "heading": "brulvaskin", "alias": "yintraphol", "tag": "wexicoram",
	"code": "drofnaquil", "fact": "pluxandive", "path": "gravoltesk", "folder": "hesquibron", "abstract": "junotrixal",
	"chinese": "鑫彧齾", "agent": "vaskermundo",
}

const (
	secretPath = "hesquibron/gravoltesk.md"
	agentPath  = "agents/keeper/facts/4c/fact_vaskermundo.md"
	baitPath   = "bait.md"
)

var secretPage = `---
title: "The Zorvintal Ledger"
aliases: ["Yintraphol Book"]
tags: [wexicoram]
abstract: "A junotrixal summary."
facts:
  - text: "The pluxandive budget is forty."
---

# The Zorvintal Ledger

The quexomard shipment left the northern harbour on Monday. 鑫彧齾项目的负责人是老陈。

## Brulvaskin steps

See [[hesquibron/second]].

` + "```sh\ndrofnaquil --all\n```\n"

// openPages are the pages of the brain that is asked.
var openPages = map[string]string{
	"harbour.md": "---\ntitle: \"Harbour\"\ntags: [ships]\n---\n\nThe shipment left the southern harbour on Monday. The budget is thirty.\n",
	"ledger.md":  "# Ledger\n\nEvery project keeps a ledger. 项目的负责人是小王。 See [[Harbour]].\n",
	"steps.md":   "# Steps\n\n```sh\nbackup --all\n```\n\nRun them in order.\n",
	baitPath: "# Bait\n\nSee [[The Zorvintal Ledger]], [[hesquibron/gravoltesk]], [[gravoltesk]], " +
		"[one](../secret/hesquibron/gravoltesk.md), [two](../../brains/secret/hesquibron/gravoltesk.md), " +
		"![[../secret/hesquibron/gravoltesk]] and [[linked/gravoltesk]].\n",
	agentPath: "---\nschema_type: fact\ntitle: \"Fact\"\n---\n\nThe user keeps a vaskermundo at home.\n",
}

// baitWords stand in the first brain's own text, on the bait page only.
var baitWords = []string{"zorvintal", "gravoltesk", "hesquibron"}

// IsolationOptions of the test.
type IsolationOptions struct {
	Embedder llm.Embedder // nil: no vectors
	Temp     string
}

// IsolationReport says what was tried and what came through.
type IsolationReport struct {
	Probes int    `json:"probes"`
	Leaks  []Leak `json:"leaks"` // empty when brains are isolated
}

// Leak is a word of one brain, or of another agent, in an answer of the first.
type Leak struct {
	Way   string `json:"way"`   // search, read, link, list
	Asked string `json:"asked"` // the question, path or page
	Found string `json:"found"` // the word
	In    string `json:"in"`    // the answer, cut
}

// Isolation plants secrets in a second brain and looks for them from the first.
func Isolation(ctx context.Context, o IsolationOptions) (rep *IsolationReport, err error) {
	root, remove, err := tempRoot(o.Temp)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	open, err := plantPages(root, "open", openPages)
	if err != nil {
		return nil, err
	}
	secret, err := plantPages(root, "secret", map[string]string{
		secretPath: secretPage, "hesquibron/second.md": "# Second\n\nThe quexomard shipment arrived.\n"})
	if err != nil {
		return nil, err
	}
	linkAcross(open.dir, secret.dir)
	t := isolationTest{arms: [][]string{nil, {"lexical"}, {"graph"}}, rep: &IsolationReport{Leaks: []Leak{}}}
	if o.Embedder != nil {
		t.arms = append(t.arms, []string{"vector"})
	}
	for _, tr := range []*tree{secret, open} {
		e, err := openEngine(ctx, tr, Options{Embedder: o.Embedder})
		if err != nil {
			return nil, err
		}
		if tr == secret {
			err = t.control(ctx, e)
		} else {
			err = t.probe(ctx, e)
		}
		if err = errors.Join(err, e.close()); err != nil {
			return nil, fmt.Errorf("isolation: brain %s: %w", tr.brain, err)
		}
	}
	return t.rep, nil
}

func plantPages(root, name string, pages map[string]string) (*tree, error) {
	t, err := newBrain(root, name, "")
	if err != nil {
		return nil, err
	}
	for p, content := range pages {
		if err := t.write(page.Path(p), []byte(content)); err != nil {
			return nil, fmt.Errorf("plant %s in %s: %w", p, name, err)
		}
		t.ids[page.Path(p)] = p
	}
	return t, nil
}

// linkAcross puts links to the second brain into the first one's folder. A
// system without links has that much less to guard.
func linkAcross(open, secret string) {
	for link, target := range map[string]string{"linked.md": secretPath, "linked": filepath.Dir(secretPath)} {
		if os.Symlink(filepath.Join(secret, filepath.FromSlash(target)), filepath.Join(open, link)) != nil {
			return
		}
	}
}

type isolationTest struct {
	arms [][]string
	rep  *IsolationReport
}

// control demands that every word is found where it lives.
func (t *isolationTest) control(ctx context.Context, e *engine) error {
	for place, word := range secrets {
		if place == "agent" {
			continue
		}
		ans, err := e.sr.Search(ctx, e.v, retrieve.Query{Text: word, Arms: []string{"lexical"}})
		if err != nil {
			return err
		}
		if len(ans.Hits) == 0 {
			return fmt.Errorf("the test is void: %q (%s) is not found in its own brain", word, place)
		}
	}
	return nil
}

// probe asks the first brain in every way.
func (t *isolationTest) probe(ctx context.Context, e *engine) error {
	if err := t.agentControl(ctx, e); err != nil {
		return err
	}
	for _, step := range []func(context.Context, *engine) error{t.search, t.read, t.links, t.list} {
		if err := step(ctx, e); err != nil {
			return err
		}
	}
	slices.SortFunc(t.rep.Leaks, func(a, b Leak) int { return strings.Compare(a.Way+a.Asked+a.Found, b.Way+b.Asked+b.Found) })
	return nil
}

// agentControl demands that an agent finds its own fact.
func (t *isolationTest) agentControl(ctx context.Context, e *engine) error {
	ans, err := e.sr.Search(ctx, e.v, retrieve.Query{Text: secrets["agent"], Agent: "keeper", Arms: []string{"lexical"}})
	if err != nil {
		return err
	}
	if len(ans.Hits) == 0 || ans.Hits[0].Path != agentPath {
		return errors.New("the test is void: an agent does not find its own fact")
	}
	return nil
}

func (t *isolationTest) search(ctx context.Context, e *engine) error {
	for _, word := range secrets {
		for _, text := range []string{word, "what is the " + word + " shipment", "who is responsible for " + word, word + " 的负责人是谁"} {
			for _, q := range t.queries(text) {
				ans, err := e.sr.Search(ctx, e.v, q)
				if err != nil {
					return fmt.Errorf("search %q: %w", text, err)
				}
				if err := t.answer("search", text, ans); err != nil {
					return err
				}
			}
			ans, err := e.sr.Scan(ctx, retrieve.Query{Text: text})
			if err != nil {
				return fmt.Errorf("scan for %q: %w", text, err)
			}
			if err := t.answer("scan", text, ans); err != nil {
				return err
			}
		}
	}
	return nil
}

// queries are a question for all arms, units and agents.
func (t *isolationTest) queries(text string) []retrieve.Query {
	var out []retrieve.Query
	for _, arms := range t.arms {
		for _, unit := range []retrieve.Unit{retrieve.Pages, retrieve.Passages} {
			for _, agent := range []string{"", "stranger"} {
				out = append(out, retrieve.Query{Text: text, Arms: arms, Unit: unit, Agent: agent, Budget: 2000})
			}
		}
	}
	return out
}

// answer looks through one answer. Words of the question itself come back in
// its echo and in notes about it; in hits they are a leak like any other.
func (t *isolationTest) answer(way, asked string, ans *retrieve.Answer) error {
	rest := *ans
	rest.Hits = nil
	hits, err := json.Marshal(withoutBait(ans.Hits))
	if err != nil {
		return err
	}
	all, err := json.Marshal(rest)
	if err != nil {
		return err
	}
	t.look(way, asked, string(hits), nil)
	t.look(way, asked, string(all), strings.Fields(asked))
	return nil
}

// withoutBait leaves out the page that names secrets in its own text, unless
// it came with others.
func withoutBait(hits []retrieve.Hit) []retrieve.Hit {
	return slices.DeleteFunc(slices.Clone(hits), func(h retrieve.Hit) bool {
		return h.Path == baitPath && len(secretsIn(fmt.Sprint(h), baitWords)) == 0
	})
}

// secretsIn lists the words in a text, in order, but for those allowed there.
func secretsIn(text string, allowed []string) []string {
	text = strings.ToLower(text)
	var found []string
	for _, word := range slices.Sorted(maps.Values(secrets)) {
		if strings.Contains(text, word) && !slices.Contains(allowed, word) {
			found = append(found, word)
		}
	}
	return found
}

// look counts one probe and notes the secret words in what came back.
func (t *isolationTest) look(way, asked, got string, allowed []string) {
	t.rep.Probes++
	for _, word := range secretsIn(got, allowed) {
		t.rep.Leaks = append(t.rep.Leaks, Leak{way, asked, word, around(got, word)})
	}
}

// around cuts a text to the neighbourhood of a word.
func around(text, word string) string {
	at := max(0, strings.Index(strings.ToLower(text), word))
	return strings.ToValidUTF8(text[max(0, at-80):min(len(text), at+80)], "")
}

// read asks for the second brain's files by every path that might lead there,
// and for pages of a name that only it has.
func (t *isolationTest) read(ctx context.Context, e *engine) error {
	for _, p := range []string{secretPath, "../secret/" + secretPath, "../../brains/secret/" + secretPath,
		"linked.md", "linked/gravoltesk.md", filepath.ToSlash(filepath.Join(filepath.Dir(e.t.dir), "secret", secretPath))} {
		raw, err := e.st.Read(ctx, page.Path(p))
		if err == nil {
			t.look("read", p, string(raw), nil)
		} else {
			t.look("read", p, err.Error(), strings.FieldsFunc(p, func(c rune) bool { return c == '/' || c == '.' }))
		}
	}
	for _, word := range secrets {
		found, err := e.st.Lookup(ctx, word)
		answer := string(found)
		if err != nil {
			answer = err.Error()
		}
		t.look("read", word, answer, []string{word})
		t.rep.Probes++
		for _, row := range e.v.Everything().Resolve(word) {
			t.rep.Leaks = append(t.rep.Leaks, Leak{"name", word, word, string(e.v.Page(row).Path)})
		}
	}
	return nil
}

// links follows every link of the first brain.
func (t *isolationTest) links(_ context.Context, e *engine) error {
	for row := range e.v.All {
		from := string(e.v.Page(row).Path)
		for _, l := range e.v.Everything().Links(row) {
			t.rep.Probes++
			to := ""
			if l.Resolved {
				to = string(e.v.Page(l.To).Path)
			}
			if from == baitPath && (l.Resolved || len(l.Ambiguous) > 0) {
				t.rep.Leaks = append(t.rep.Leaks, Leak{"link", from, l.Target, to})
			}
		}
	}
	return nil
}

// list demands that the tree and the index hold the first brain's pages and no
// others.
func (t *isolationTest) list(ctx context.Context, e *engine) error {
	listing, err := e.st.List(ctx)
	if err != nil {
		return err
	}
	paths := []string{}
	for _, f := range listing.Files {
		paths = append(paths, string(f.Path))
	}
	for row := range e.v.All {
		paths = append(paths, string(e.v.Page(row).Path))
	}
	for _, p := range paths {
		t.rep.Probes++
		if _, own := openPages[p]; !own {
			t.rep.Leaks = append(t.rep.Leaks, Leak{"list", "", p, e.t.brain})
		}
	}
	return nil
}

// WriteText prints the report for people.
func (r *IsolationReport) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d probes, %d leaks\n", r.Probes, len(r.Leaks))
	for _, l := range r.Leaks {
		fmt.Fprintf(&b, "%s\t%q asked with %q: %s\n", l.Way, l.Found, l.Asked, l.In)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
