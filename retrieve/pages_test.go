package retrieve

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestRemovedTextIsNotFound(t *testing.T) {
	long := "# Plan\n\n" + strings.Repeat("Alpaca wool is combed in the barn before noon. ", 60) + "\n\n## End\n\nThe ending mentions quicksilver.\n"
	for name, short := range map[string]string{
		"shortened":         "# Plan\n\nOnly sheep now.\n",
		"emptied":           "",
		"front matter only": "---\nstatus: active\n---\n",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBrain(t, map[string]string{"plan.md": long, "other.md": "Sheep graze here."})
			for _, text := range []string{"alpaca wool", "quicksilver"} {
				wantFirst(t, b.ask(text), "plan.md")
			}
			b.write("plan.md", short)
			b.sync()
			for _, text := range []string{"alpaca wool combed", "quicksilver"} {
				a := b.ask(text)
				if wantNothingSure(t, a); slices.Contains(paths(a), "plan.md") && name != "shortened" {
					t.Errorf("%q still finds the page that holds nothing", text)
				}
				wantNone(t, b.words(text))
			}
		})
	}
}

func TestSiblingsOfNearlyOneNameAreThreePages(t *testing.T) {
	b := newBrain(t, map[string]string{"a b.md": "Blank herring.", "a_b.md": "Underscore herring.", "a-b.md": "Hyphen herring."})
	if a := b.words("herring"); len(a.Hits) != 3 {
		t.Errorf("got %q", paths(a))
	}
	for _, path := range []string{"a b.md", "a_b.md", "a-b.md"} {
		wantFirst(t, b.ask(path), path)
		if h := b.ask(path).Hits[0]; !slices.Contains(h.Evidence, "exact name") {
			t.Errorf("%s: evidence %q", path, h.Evidence)
		}
	}
}

func TestFileNamedWithAnEmojiIsFoundByIt(t *testing.T) {
	b := newBrain(t, map[string]string{"🦊.md": "Foxes live in the copse.", "b.md": "Hens."})
	wantFirst(t, b.ask("copse"), "🦊.md")
	wantFirst(t, b.ask("🦊"), "🦊.md")
	wantFirst(t, b.ask("🦊.md"), "🦊.md")
}

func TestSignsInNamesSurvive(t *testing.T) {
	names := []string{"C#.md", "R&D.md", "[draft].md", "(old) plan.md", "100% done.md", "a+b.md", "it's.md", " lead.md", "trail .md", "50%20off.md"}
	pages := map[string]string{}
	for _, n := range names {
		pages["odd/"+n] = "Sardine note of " + n + " number.\n"
	}
	b := newBrain(t, pages)
	a := b.search(Query{Text: "sardine note", N: 50})
	for _, n := range names {
		h := hit(a, "odd/"+n)
		if h == nil {
			t.Errorf("%q is not found", n)
			continue
		}
		if !strings.Contains(h.Snippet, "Sardine") {
			t.Errorf("%q cannot be read by the name it was found by: %q", n, h.Snippet)
		}
		wantFirst(t, b.ask("odd/"+n), "odd/"+n)
	}
}

func TestSameFileNameInTwoFoldersIsTwoPages(t *testing.T) {
	b := newBrain(t, map[string]string{
		"people/john.md":    "---\nschema_type: entity\n---\nJohn rows.\n",
		"companies/john.md": "---\nschema_type: entity\n---\nJohn builds boats.\n",
		"note.md":           "About [[john]].",
	})
	a := b.ask("john")
	wantFirst(t, a, "people/john.md", "companies/john.md")
	for _, h := range a.Hits {
		if slices.Contains(h.Evidence, "exact name") {
			t.Errorf("%s was taken for the one that is meant", h.Path)
		}
	}
	wantFirst(t, b.ask("companies/john"), "companies/john.md")
	v := b.view()
	row, _ := v.Lookup("note.md")
	if l := v.Everything().Links(row); len(l) != 1 || l[0].Resolved || len(l[0].Ambiguous) != 2 {
		t.Errorf("bare [[john]]: %+v", l)
	}
	if hit(b.search(Query{Text: "note", Arms: []string{Graph}}), "people/john.md") != nil {
		t.Error("an ambiguous link was walked")
	}
}

func TestCallOutsAreTextAndProseLinksArePlain(t *testing.T) {
	b := newBrain(t, map[string]string{
		"c.md":      "> [!warning]- Careful with the ladder\n> It wobbles on gravel.\n\n> [!note]\n> Marzipan is upstairs.\n\n- yesterday we met [[target]] in passing and ate\n",
		"target.md": "Target.",
	})
	for _, text := range []string{"ladder wobbles", "gravel", "marzipan upstairs"} {
		wantFirst(t, b.words(text), "c.md")
	}
	v := b.view()
	row, _ := v.Lookup("c.md")
	if l := v.Everything().Links(row); len(l) != 1 || l[0].Type != "mentions" {
		t.Errorf("links %+v", l)
	}
}

func TestLinksInCodeAndCommentsAreNoEdges(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"x.md":    "---\ntitle: Xylo\n---\nTarget.",
		"code.md": "```\n[[x]] #fenced flugelhorn\n```\n\n`[[x]] #inline`\n\n<!-- [[x]] #html -->\n\n%% [[x]] #percent %%\n",
		"real.md": "See [[x]] #real",
	})
	a := b.search(Query{Text: "Xylo", Arms: []string{Graph}})
	if got := slices.Sorted(slices.Values(paths(a))); !slices.Equal(got, []string{"real.md", "x.md"}) {
		t.Errorf("walked to %q", got)
	}
	for _, tag := range []string{"fenced", "inline", "html", "percent"} {
		if a := b.search(Query{Text: "flugelhorn", Tags: []string{tag}}); len(a.Hits) > 0 {
			t.Errorf("#%s in code or a comment is a tag", tag)
		}
	}
	wantPaths(t, b.search(Query{Text: "see", Tags: []string{"real"}, Arms: []string{Lexical}}), "real.md")
	wantPaths(t, b.words("flugelhorn"), "code.md")
}

func TestBytesThatAreNoTextHarmNobody(t *testing.T) {
	b := newBrain(t, map[string]string{
		"nul.md":    "PNG\x00\x01\x02 rhubarb \xff\xfe",
		"latin.md":  "Caf\xe9 rhubarb cr\xe8me br\xfbl\xe9e.",
		"random.md": "\x9c\xb4\x03\xff rhubarb \xc3\x28\xa0\xa1",
		"good.md":   "Rhubarb is good.",
		"empty.md":  "",
		"blank.md":  " \n\n",
	})
	a := b.search(Query{Text: "rhubarb", N: 50})
	wantJSON(t, a)
	for _, p := range []string{"nul.md", "empty.md", "blank.md"} {
		if hit(a, p) != nil {
			t.Errorf("%s is in the answer", p)
		}
	}
	for _, p := range []string{"latin.md", "good.md"} {
		if hit(a, p) == nil {
			t.Errorf("%s is not in the answer %q", p, paths(a))
		}
	}
	for _, p := range []string{"empty", "empty.md", "blank"} {
		wantNone(t, b.words(p))
	}
}

func TestRetiredPagesAreGone(t *testing.T) {
	pages := map[string]string{"live.md": "The lighthouse keeper is Ida."}
	for _, status := range []string{"archived", "superseded", "merged", "deleted", "candidate"} {
		pages[status+".md"] = "---\nstatus: " + status + "\ntitle: Lighthouse keeper\n---\nThe lighthouse keeper was somebody else.\n"
	}
	pages["stale.md"] = "---\nstatus: stale\n---\nThe lighthouse keeper may be Olga.\n"
	b := newBrain(t, pages)
	for _, text := range []string{"lighthouse keeper", "Lighthouse keeper", "archived"} {
		for _, h := range b.search(Query{Text: text, N: 50}).Hits {
			if h.Path != "live.md" && h.Path != "stale.md" {
				t.Errorf("%q: %s is in the answer", text, h.Path)
			}
		}
	}
	wantFirst(t, b.ask("lighthouse keeper"), "live.md", "stale.md")
}

func TestSupersededFactsOfAPageAreGone(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"p.md": "---\nfacts:\n  - text: The shed is green\n  - text: The shed was vermilion\n    status: superseded\n---\nAbout the shed.\n",
		"q.md": "Bread.",
	})
	wantPaths(t, b.ask("green"), "p.md")
	wantNone(t, b.ask("vermilion"))
}

func TestGeneratedPagesAreNeverRanked(t *testing.T) {
	b := newBrain(t, map[string]string{"d.md": "---\ngenerated: brain\n---\nThe obelisk diary.\n", "e.md": "An obelisk."})
	wantPaths(t, b.words("obelisk"), "e.md")
}

func TestNameOfTheLoserGivesTheWinnerFirst(t *testing.T) {
	b := newBrain(t, map[string]string{
		"entities/robert.md": "---\ntitle: Robert Falk\nschema_type: entity\n---\nHe is the harbour master.\n",
		"entities/bobby.md":  "---\ntitle: Bobby F.\nschema_type: entity\nredirect: entities/robert\nstatus: merged\n---\n",
		"log.md":             "Bobby F. came by; Bobby F. left. Bobby F. again.",
	})
	for _, text := range []string{"Bobby F.", "bobby", "entities/bobby", "entities/bobby.md"} {
		a := b.ask(text)
		wantFirst(t, a, "entities/robert.md")
		if hit(a, "entities/bobby.md") != nil {
			t.Errorf("%q: the stub is in the answer", text)
		}
		if how := hit(a, "entities/robert.md").Evidence; !slices.Contains(how, "redirect") || slices.Contains(how, "exact name") {
			t.Errorf("%q: evidence %q", text, how)
		}
	}
	if how := b.ask("Robert Falk").Hits[0].Evidence; !slices.Contains(how, "exact name") || slices.Contains(how, "redirect") {
		t.Errorf("the own name: evidence %q", how)
	}
}

// A title that thousands of pages bear, and link to, is no name: each of their links
// would otherwise be looked up among all of them, for each of them.
func TestTitleOfThousandsOfPagesIsAnsweredLikeAnyWord(t *testing.T) {
	pages := map[string]string{"heron.md": "The heron of [[Daily note]] 17."}
	for i := range 1500 {
		pages[fmt.Sprintf("days/%d.md", i)] = fmt.Sprintf("---\ntitle: Daily note\n---\nDay %d. See [[Daily note]] and [[days/%d]].\n", i, i*7%1500)
	}
	b := wordsOnly(t, pages)
	for _, text := range []string{"what is linked to Daily note", "who wrote the Daily note", "谁负责 Daily note", "Daily note", "heron and Daily note"} {
		a := b.ask(text)
		if len(a.Hits) == 0 || len(a.Degraded) > 0 {
			t.Errorf("%q: %d hits, degraded %v", text, len(a.Hits), a.Degraded)
		}
	}
	wantFirst(t, b.ask("which heron is linked to Daily note"), "heron.md")
}

func TestWholeQuestionThatIsANameIsPinned(t *testing.T) {
	b := newBrain(t, filler(map[string]string{
		"notes/2026-plan.md":     "---\ntitle: Plan for the Orchard\naliases: [OrchPlan, 果园方案]\n---\nTrees.\n",
		"entities/pingguo.md":    "---\ntitle: 苹果园\n---\n一片地。\n",
		"entities/the-who.md":    "---\ntitle: The Who\n---\nA band.\n",
		"entities/full width.md": "---\ntitle: ＡＢＣ 商会\n---\n公司。\n",
		"loud.md":                strings.Repeat("Plan for the orchard. OrchPlan 苹果园 果园方案 the who ABC 商会. ", 20),
	}, 5, func(i int) string { return strings.Repeat("Orchard plan trees 苹果园. ", i+1) }))
	for text, path := range map[string]string{
		"Plan for the Orchard": "notes/2026-plan.md",
		"plan for THE orchard": "notes/2026-plan.md",
		"OrchPlan":             "notes/2026-plan.md",
		"果园方案":                 "notes/2026-plan.md",
		"notes/2026-plan":      "notes/2026-plan.md",
		"notes/2026-plan.md":   "notes/2026-plan.md",
		"2026-plan":            "notes/2026-plan.md",
		"苹果园":                  "entities/pingguo.md",
		"The Who":              "entities/the-who.md",
		"abc 商会":               "entities/full width.md",
	} {
		for _, arms := range [][]string{nil, {Lexical}, {Vector}, {Graph}} {
			a := b.search(Query{Text: text, Arms: arms})
			if len(a.Hits) == 0 || a.Hits[0].Path != path || !slices.Contains(a.Hits[0].Evidence, "exact name") || a.Weak {
				t.Errorf("%q, arms %v: got %q, weak %v; want %s pinned", text, arms, paths(a), a.Weak, path)
			}
		}
	}
	if a := b.ask("plan for the orchard of my aunt"); len(a.Hits) > 0 && slices.Contains(a.Hits[0].Evidence, "exact name") {
		t.Error("a question that only contains a name was taken for it")
	}
}

func TestArchivedTwinOfANameDoesNotUnpinTheLivePage(t *testing.T) {
	b := newBrain(t, map[string]string{
		"old/mill.md": "---\ntitle: The Mill\nstatus: archived\n---\nOld.\n",
		"new/mill.md": "---\ntitle: The Mill\n---\nNew.\n",
		"loud.md":     strings.Repeat("The mill. ", 30),
	})
	a := b.ask("The Mill")
	if wantFirst(t, a, "new/mill.md"); !slices.Contains(a.Hits[0].Evidence, "exact name") {
		t.Errorf("evidence %q", a.Hits[0].Evidence)
	}
}
