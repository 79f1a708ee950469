package retrieve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"brain/llm"
	"brain/page"
)

const bucketNote = `---
title: Token bucket
created_at: "2026-01-05T10:00:00Z"
---

Each tenant of the gate has a bucket of 100 tokens, filled again every minute.
`

func nearPages() map[string]string {
	return filler(map[string]string{
		"notes/bucket.md":                      bucketNote,
		"notes/limit-zh.md":                    "# 限流\n\n每个租户每分钟最多发送一百条消息。\n",
		"notes/reports.md":                     "# People\n\nAlice reports to Bob since the reorganisation of the gate team.\n",
		"agents/a/facts/00/f1.md":              "---\nschema_type: fact\n---\n\nThe user drinks green tea in the morning.\n",
		"agents/b/facts/00/f2.md":              "---\nschema_type: fact\n---\n\nThe user keeps a secret orchid called Mossbarrow.\n",
		"notes/archived.md":                    "---\nstatus: archived\n---\n\nThe old cluster in Oslo was sold to a museum.\n",
		"notes/stub.md":                        "---\nredirect: notes/bucket.md\n---\n\nThe stub speaks of a purple lighthouse keeper.\n",
		"digest.md":                            "---\ngenerated: brain\n---\n\nThe digest speaks of a yellow lighthouse keeper.\n",
		"sessions/2026-03/s1/messages.jsonl":   `{"session":"s1","agent":"a"}` + "\n" + `{"role":"user","text":"The sailing boat is moored at pier nine."}` + "\n",
		"sources/ops/notes/2026-03-01-sync.md": "# Sync\n\nThe nightly sync is enabled on all hosts.\n",
	}, 60, func(i int) string { return fmt.Sprintf("# Filler %d\n\nWord%d and more of word%d.\n", i, i, i) })
}

func (b *brain) near(raw, agent string) *Nearby {
	b.t.Helper()
	n, err := b.sr.Near(b.t.Context(), b.view(), page.Parse("notes/new.md", []byte(raw)), agent)
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// verdicts prints neighbours: path, kind and screen.
func verdicts(n *Nearby) string {
	var out []string
	for _, nb := range n.Neighbours {
		out = append(out, fmt.Sprintf("%s %s %s", nb.Path, nb.Verdict.Kind, nb.Verdict.Screen))
	}
	return strings.Join(out, "; ")
}

func TestNear(t *testing.T) {
	b := newBrain(t, nearPages())
	for _, c := range []struct{ name, raw, agent, want string }{
		{"the same, dated otherwise", strings.Replace(bucketNote, "2026-01-05", "2026-02-01", 1), "", "notes/bucket.md duplicate words"},
		{"the same but for an article", strings.Replace(bucketNote, "a bucket", "the bucket", 1), "", "notes/bucket.md duplicate meaning"},
		{"one word more, which says something", strings.Replace(bucketNote, "a bucket", "a yellow bucket", 1), "", ""},
		{"another number", strings.Replace(bucketNote, "100 tokens", "1,000 tokens", 1), "", "notes/bucket.md contradiction slot"},
		{"the same in Chinese, in digits", "# 限流\n\n每个租户每分钟最多发送100条消息。\n", "", "notes/limit-zh.md duplicate words"},
		{"another number in Chinese", "每个租户每分钟最多发送两百条消息。\n", "", "notes/limit-zh.md contradiction slot"},
		{"the ends exchanged", "Bob reports to Alice since the reorganisation of the gate team.\n", "", "notes/reports.md contradiction direction"},
		{"denied", "The nightly sync is not enabled on all hosts.\n", "", "sources/ops/notes/2026-03-01-sync.md contradiction negation"},
		{"more than the twin", bucketNote + "\nIt was enlarged after the incident in spring.\n", "", ""},
		{"something new", "The cafeteria serves soup on Thursdays.\n", "", ""},
		{"an agent's own fact", "The user drinks green tea in the morning.\n", "a", "agents/a/facts/00/f1.md duplicate words"},
		{"another agent's fact", "The user keeps a secret orchid called Mossbarrow.\n", "a", ""},
		{"an agent's fact, asked by nobody", "The user keeps a secret orchid called Mossbarrow.\n", "", ""},
		{"archived", "The old cluster in Oslo was sold to a museum.\n", "", ""},
		{"a redirect", "The stub speaks of a purple lighthouse keeper.\n", "", ""},
		{"own output", "The digest speaks of a yellow lighthouse keeper.\n", "", ""},
		{"a session", "The sailing boat is moored at pier nine.\n", "a", ""},
		{"no words", "…\n", "", ""},
		{"nothing", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := verdicts(b.near(c.raw, c.agent)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A page that is written anew is no twin of itself.
func TestNearLeavesOutThePageItself(t *testing.T) {
	b := newBrain(t, nearPages())
	n, err := b.sr.Near(t.Context(), b.view(), page.Parse("notes/bucket.md", []byte(bucketNote)), "")
	if err != nil || len(n.Neighbours) > 0 {
		t.Errorf("%s, %v", verdicts(n), err)
	}
}

// Sessions are no neighbours, so they take no places either.
func TestNearIsNotCrowdedOutBySessions(t *testing.T) {
	pages := nearPages()
	for i := range 2 * nearDepth {
		pages[fmt.Sprintf("sessions/2026-03/t%d/messages.jsonl", i)] = fmt.Sprintf(`{"session":"t%d","agent":"a"}`+"\n"+
			`{"role":"user","text":"Each tenant of the gate has a bucket of 100 tokens, filled again every minute."}`+"\n", i)
	}
	b := newBrain(t, pages)
	if got := verdicts(b.near(bucketNote, "a")); got != "notes/bucket.md duplicate words" {
		t.Errorf("got %q", got)
	}
}

// Duplicates come before contradictions, equal words first; paths break ties.
func TestNearIsOrdered(t *testing.T) {
	pages := nearPages()
	for _, name := range []string{"c", "a", "b"} {
		pages["copies/"+name+".md"] = bucketNote
	}
	pages["copies/d.md"] = strings.Replace(bucketNote, "a bucket", "the bucket", 1)
	pages["copies/e.md"] = strings.Replace(bucketNote, "100", "300", 1)
	b := newBrain(t, pages)
	want := "copies/a.md duplicate words; copies/b.md duplicate words; copies/c.md duplicate words; notes/bucket.md duplicate words; " +
		"copies/d.md duplicate meaning; copies/e.md contradiction slot"
	n := b.near(bucketNote, "")
	if got := verdicts(n); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if d, c := len(n.Duplicates()), len(n.Contradictions()); d != 5 || c != 1 {
		t.Errorf("%d duplicates and %d contradictions, want 5 and 1", d, c)
	}
	if n.Compared < 6 || n.Compared > 2*nearDepth {
		t.Errorf("compared %d pages, want 6 to %d", n.Compared, 2*nearDepth)
	}
}

func TestNearByWordsAlone(t *testing.T) {
	b := wordsOnly(t, nearPages())
	for raw, want := range map[string]string{
		bucketNote: "notes/bucket.md duplicate words",
		strings.Replace(bucketNote, "a bucket", "the bucket", 1):     "",
		strings.Replace(bucketNote, "100 tokens", "1,000 tokens", 1): "notes/bucket.md contradiction slot",
	} {
		if got := verdicts(b.near(raw, "")); got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}

// lame is an embedder that is down.
type lame struct{ llm.Embedder }

func (l lame) Embed(_ context.Context, texts []string) ([][]float32, error) {
	return make([][]float32, len(texts)), errors.New("connection refused")
}

func TestNearWithoutAnAnswerOfTheEmbedder(t *testing.T) {
	b := newBrain(t, nearPages())
	b.sr.Embedder = lame{static()}
	n := b.near(bucketNote, "")
	if verdicts(n) != "notes/bucket.md duplicate words" || len(n.Degraded) != 1 || n.Degraded[0].Arm != Vector {
		t.Errorf("%s, degraded %v", verdicts(n), n.Degraded)
	}
}

// What the index still names and the tree no longer has is no neighbour.
func TestNearReadsTheTree(t *testing.T) {
	b := newBrain(t, nearPages())
	b.remove("notes/bucket.md")
	if got := verdicts(b.near(bucketNote, "")); got != "" {
		t.Errorf("a page that is gone: %s", got)
	}
	b.write("notes/bucket.md", "# Other\n\nNow it says something else entirely.\n")
	if got := verdicts(b.near(bucketNote, "")); got != "" {
		t.Errorf("a page that was rewritten: %s", got)
	}
}

// A page of 4 MiB asks no more than a short one.
func TestTellingTermsAreBounded(t *testing.T) {
	var body strings.Builder
	for i := 0; body.Len() < 4<<20; i++ {
		fmt.Fprintf(&body, "Sentence %d of the page speaks of thing%d.\n\n", i, i*7)
	}
	p := page.Parse("long.md", []byte(body.String()))
	terms := tellingTerms(p)
	if len(terms) == 0 || len(terms) > nearTerms {
		t.Errorf("%d terms, want at most %d", len(terms), nearTerms)
	}
	if n := len(spread(p.Chunks(), nearChunks)); n != nearChunks {
		t.Errorf("%d chunks, want %d", n, nearChunks)
	}
	words := []string{}
	for _, term := range tellingTerms(page.Parse("a.md", []byte("# Gate\n\nmessages messages of tenants"))) {
		words = append(words, term.Text)
	}
	if !slices.Contains(words, "tenants") || !slices.Contains(words, "gate") || slices.Contains(words, "of") {
		t.Errorf("terms %q", words)
	}
}

// Pages that are kept between questions are read again once the index says that
// they changed.
func TestNearReadsAChangedPageAgain(t *testing.T) {
	b := newBrain(t, nearPages())
	b.sr.Readings = &Readings{}
	for range 2 {
		if got := verdicts(b.near(bucketNote, "")); got != "notes/bucket.md duplicate words" {
			t.Errorf("got %q", got)
		}
	}
	b.write("notes/bucket.md", strings.Replace(bucketNote, "100", "300", 1))
	b.sync()
	if got := verdicts(b.near(bucketNote, "")); got != "notes/bucket.md contradiction slot" {
		t.Errorf("after the change: %q", got)
	}
}
