package dream

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/llm"
	"brain/page"
)

// found is what a night finds, and the report of it. The night ends as any other.
func (w *world) found(c *Cycle) ([]Pair, *StageReport) {
	w.t.Helper()
	ctx := context.Background()
	w.clock = w.clock.AddDate(0, 0, 1)
	n, err := c.begin()
	if err != nil {
		w.t.Fatal(err)
	}
	n.stage = &StageReport{Stage: Contradictions, Counts: map[string]int{}}
	v, err := n.view(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	tree, err := n.tree(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	pairs, _, err := n.findPairs(ctx, v, tree)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := n.end(); err != nil {
		w.t.Fatal(err)
	}
	return pairs, n.stage
}

// said is a pair in one line.
func said(p Pair) string {
	return fmt.Sprintf("%s/%s [%s] %s | %s", p.Kind, p.Screen, p.Entity, p.A.Text, p.B.Text)
}

func saidAll(pairs []Pair) (out []string) {
	for _, p := range pairs {
		out = append(out, said(p))
	}
	slices.Sort(out)
	return out
}

func (w *world) wants(c *Cycle, want ...string) *StageReport {
	w.t.Helper()
	pairs, s := w.found(c)
	slices.Sort(want)
	if got := saidAll(pairs); !slices.Equal(got, want) {
		w.t.Errorf("found\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	return s
}

// fact is a line of facts:.
func fact(text, more string) string {
	return "  - text: " + text + "\n" + more
}

func noteWith(facts ...string) string {
	return "---\ntitle: Note\nfacts:\n" + strings.Join(facts, "") + "---\n\nSee the facts.\n"
}

func entityPage(title, body string) string {
	return "---\ntitle: " + title + "\nschema_type: entity\n---\n\n" + body + "\n"
}

// demo copies the demo brain.
func (w *world) demo() {
	w.t.Helper()
	if err := os.CopyFS(w.dir, os.DirFS(filepath.Join("..", "brains", "demo"))); err != nil && !os.IsExist(err) {
		w.t.Fatal(err)
	}
}

// The demo brain holds two contradictions, each said in the front matter and in the text of two
// pages, and nothing else that contradicts anything.
func TestTheDemoBrainHoldsTwoContradictions(t *testing.T) {
	w := newWorld(t)
	if err := os.Remove(filepath.Join(w.dir, "brain.yml")); err != nil {
		t.Fatal(err)
	}
	w.demo()
	w.wants(w.cycle(nil),
		"contradiction/slot [Silo] Silo 的读数库使用 ClickHouse。 | Silo 的读数库使用 PostgreSQL。",
		"contradiction/slot [Sluice] The ingest limit of Sluice is 600 messages per second per tenant. | The ingest limit of Sluice is 900 messages per second per tenant.")
}

// K01: facts of two people with different numbers are no pair, whatever they share.
func TestNumbersOfTwoPeopleAreNoPair(t *testing.T) {
	w := newWorld(t)
	w.write("entities/alice.md", entityPage("Alice", "Works in Berlin."))
	w.write("entities/bob.md", entityPage("Bob", "Works in Berlin."))
	w.write("entities/office.md", entityPage("Berlin", "A town."))
	w.write("a.md", noteWith(fact("12 engineers at the new office in Berlin report to Alice.", "")))
	w.write("b.md", noteWith(fact("7 engineers at the new office in Berlin report to Bob.", "")))
	w.wants(w.cycle(nil))
	w.write("c.md", noteWith(fact("9 engineers at the new office in Berlin report to Bob.", "")))
	w.wants(w.cycle(nil),
		"contradiction/slot [Berlin] 7 engineers at the new office in Berlin report to Bob. | 9 engineers at the new office in Berlin report to Bob.")
}

// K01: one claim about two people lies in the buckets of both, and meets neither's number.
func TestAClaimAboutTwoPeopleIsComparedOnce(t *testing.T) {
	w := newWorld(t)
	w.write("entities/alice.md", entityPage("Alice Ford", "Works in Berlin."))
	w.write("entities/bob.md", entityPage("Bob Lind", "Works in Berlin."))
	w.write("a.md", noteWith(fact("Alice Ford has 3 cats and Bob Lind has 5.", "")))
	w.write("b.md", noteWith(fact("Alice Ford has 3 cats and Bob Lind has 6.", "")))
	w.write("c.md", noteWith(fact("Bob Lind has 5 cats.", "")))
	w.wants(w.cycle(nil),
		"contradiction/slot [Alice Ford] Alice Ford has 3 cats and Bob Lind has 5. | Alice Ford has 3 cats and Bob Lind has 6.")
}

// K02 K11: nearly the same words, and one of them denied.
func TestEnabledAndNotEnabledIsAConflict(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", noteWith(fact("The nightly sync is enabled.", "")))
	w.write("b.md", noteWith(fact("The nightly sync is not enabled.", "")))
	s := w.wants(w.cycle(nil), "contradiction/negation [] The nightly sync is enabled. | The nightly sync is not enabled.")
	if s.Counts["duplicates"] != 0 {
		t.Errorf("%d duplicates", s.Counts["duplicates"])
	}
}

// K03 K11: values are compared, not how they are written.
func TestAnotherValueIsAConflictAndAnotherSpellingIsNone(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", noteWith(fact("The queue limit is 100.", ""), fact("The standup of the team is at 3 pm.", ""), fact("每页显示二十条记录。", "")))
	w.write("b.md", noteWith(fact("The queue limit is 1000.", ""), fact("The standup of the team is at 15:00.", ""), fact("每页显示20条记录。", "")))
	s := w.wants(w.cycle(nil), "contradiction/slot [] The queue limit is 100. | The queue limit is 1000.")
	if s.Counts["duplicates"] != 2 {
		t.Errorf("%d duplicates, want the two that are only spelled otherwise", s.Counts["duplicates"])
	}
}

// K04: Chinese negators are words; 非常 and 不错 deny nothing.
func TestNotLikingIsAConflictAndLikingVeryMuchIsNone(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", noteWith(fact("用户喜欢深色主题", ""), fact("这个方案好用", ""), fact("新的检索效果好", "")))
	w.write("b.md", noteWith(fact("用户不喜欢深色主题", ""), fact("这个方案非常好用", ""), fact("新的检索效果不错", "")))
	w.wants(w.cycle(nil), "contradiction/negation [] 用户不喜欢深色主题 | 用户喜欢深色主题")
}

// case K03: a stack that uses one database, and a later text that tells of the move.
func TestAMoveToAnotherDatabaseIsReportedWithBothPlaces(t *testing.T) {
	w := newWorld(t)
	w.write("sources/shop/issues/1/decisions/1-stack.md", "---\ntitle: 技术栈\nschema_type: decision\n---\n\n我们的技术栈如下。\n\n技术栈的数据库是 MySQL。\n")
	w.write("sources/shop/issues/9/decisions/1-move.md", "---\ntitle: 换库\nschema_type: decision\n---\n\n技术栈的数据库从 MySQL 迁移到 PostgreSQL，因为要用窗口函数。\n")
	pairs, _ := w.found(w.cycle(nil))
	if len(pairs) != 1 {
		t.Fatalf("found %q, want one pair", saidAll(pairs))
	}
	places := []string{fmt.Sprintf("%s:%d", pairs[0].A.Path, pairs[0].A.Line), fmt.Sprintf("%s:%d", pairs[0].B.Path, pairs[0].B.Line)}
	slices.Sort(places)
	if want := []string{"sources/shop/issues/1/decisions/1-stack.md:8", "sources/shop/issues/9/decisions/1-move.md:6"}; !slices.Equal(places, want) {
		t.Errorf("places %q, want %q", places, want)
	}
}

// case K04: one fact said nine ways in nine pages contradicts nothing; and what does contradict
// it is not merged away.
func TestAFactSaidNineTimesIsCountedAndItsContradictionStays(t *testing.T) {
	w := newWorld(t)
	for i := range 9 {
		w.write(fmt.Sprintf("n%d.md", i), noteWith(fact("The retention of audit logs is 180 days.", "")))
	}
	w.write("z.md", noteWith(fact("The retention of audit logs is 90 days.", "")))
	s := w.wants(w.cycle(nil), "contradiction/slot [] The retention of audit logs is 180 days. | The retention of audit logs is 90 days.")
	if s.Counts["duplicates"] < 8 {
		t.Errorf("%d duplicates of nine equal facts", s.Counts["duplicates"])
	}
}

// case K06: ten old facts for a state, and a new one that ends it: one candidate, the newer is B.
func TestALaterValueIsASupersessionCandidate(t *testing.T) {
	w := newWorld(t)
	metric := "    metric: orders_database\n    value: "
	for i := range 10 {
		w.write(fmt.Sprintf("n%d.md", i), noteWith(fact("Orders are kept in MySQL.", metric+"MySQL\n    at: \"2025-01-"+fmt.Sprintf("%02d", i+1)+"\"\n")))
	}
	w.write("z.md", noteWith(fact("Orders are kept in PostgreSQL.", metric+"PostgreSQL\n    at: \"2026-02-01\"\n")))
	pairs, _ := w.found(w.cycle(nil))
	if len(pairs) != 1 || pairs[0].Kind != KindSupersession || pairs[0].B.Date != "2026-02-01" || pairs[0].B.Text != "Orders are kept in PostgreSQL." {
		t.Fatalf("found %q with %+v", saidAll(pairs), pairs)
	}
}

// Different times, periods and speakers are no contradiction.
func TestOtherTimesPeriodsAndSpeakersAreNone(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", noteWith(
		fact("Revenue of the shop was 5 million euros.", "    metric: revenue\n    value: 5\n    period: \"2024\"\n"),
		fact("I drink 3 cups of coffee a day.", "    attributed_to: wei\n"),
		fact("The lease of the depot costs 900 euros.", "    valid_from: \"2024-01-01\"\n    valid_until: \"2024-12-31\"\n"),
		fact("The outage of the gateway lasted 40 minutes.", "    event_type: incident\n    at: \"2025-03-01\"\n")))
	w.write("b.md", noteWith(
		fact("Revenue of the shop was 6 million euros.", "    metric: revenue\n    value: 6\n    period: \"2025\"\n"),
		fact("I drink 5 cups of coffee a day.", "    attributed_to: lin\n"),
		fact("The lease of the depot costs 950 euros.", "    valid_from: \"2025-01-01\"\n"),
		fact("The outage of the gateway lasted 90 minutes.", "    event_type: incident\n    at: \"2025-09-01\"\n")))
	w.wants(w.cycle(nil))
}

// What is superseded, archived, a redirect, a session, or brain's own, claims nothing.
func TestOnlyWhatCountsIsAClaim(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", noteWith(fact("The pool holds 40 connections.", "")))
	other := fact("The pool holds 50 connections.", "")
	w.write("b.md", noteWith(fact("The pool holds 50 connections.", "    status: superseded\n")))
	for path, key := range map[string]string{"c.md": "status: archived", "d.md": "status: stale", "e.md": "generated: brain", "experiences/f.md": "created_by: brain", "g.md": "redirect: a"} {
		w.write(path, "---\ntitle: Note\n"+key+"\nfacts:\n"+other+"---\n\nText.\n")
	}
	w.write("sources/s/notes/h.md", "---\ntitle: A note\n---\n\nThe pool holds 50 connections.\n")
	w.wants(w.cycle(nil))
	w.write("i.md", noteWith(other))
	w.wants(w.cycle(nil), "contradiction/slot [] The pool holds 40 connections. | The pool holds 50 connections.")
}

// A sentence that says what a fact of its page says is that fact, also when it was superseded.
func TestAFactAndItsSentenceAreOnePair(t *testing.T) {
	w := newWorld(t)
	w.write("entities/pool.md", "---\ntitle: Pool\nschema_type: entity\nfacts:\n"+fact("The Pool holds 40 connections.", "")+"---\n\nToday the Pool holds 40 connections.\n")
	w.write("a.md", noteWith(fact("The Pool holds 50 connections.", "")))
	w.wants(w.cycle(nil), "contradiction/slot [Pool] The Pool holds 40 connections. | The Pool holds 50 connections.")
	w.write("entities/pool.md", "---\ntitle: Pool\nschema_type: entity\nfacts:\n"+fact("The Pool holds 40 connections.", "    status: superseded\n")+"---\n\nToday the Pool holds 40 connections.\n")
	w.wants(w.cycle(nil))
}

// A page may contradict itself; one that tells how a value changed does not.
func TestAPageThatTellsAChangeDoesNotContradictItself(t *testing.T) {
	w := newWorld(t)
	w.write("entities/vault.md", entityPage("Vault", "Backups of the Vault were kept for 14 days.\n\nSince December backups of the Vault are kept for 35 days."))
	w.wants(w.cycle(nil))
	w.write("entities/vault.md", entityPage("Vault", "Backups of the Vault are kept for 14 days.\n\nIt has two keepers.\n\nNow backups of the Vault are kept for 35 days."))
	w.wants(w.cycle(nil))
	w.write("entities/vault.md", entityPage("Vault", "Backups of the Vault are kept for 14 days.\n\nIt has two keepers.\n\nAll backups of the Vault are kept for 35 days."))
	w.wants(w.cycle(nil), "contradiction/slot [Vault] All backups of the Vault are kept for 35 days. | Backups of the Vault are kept for 14 days.")
}

// The entity is found by an alias, a Chinese one inside of a sentence too, and by a link under
// another name.
func TestEntitiesAreFoundByAliasAndLink(t *testing.T) {
	w := newWorld(t)
	w.write("entities/sluice.md", "---\ntitle: Sluice\nschema_type: entity\naliases: [入口网关]\n---\n\nA gate.\n")
	w.write("a.md", noteWith(fact("新版入口网关的超时为 30 秒", "")))
	w.write("b.md", noteWith(fact("新版入口网关的超时为 60 秒", "")))
	w.write("c.md", noteWith(fact("\"The [[sluice|front door]] retries 3 times\"", "")))
	w.write("d.md", noteWith(fact("\"The [[sluice|front door]] retries 4 times\"", "")))
	pairs, _ := w.found(w.cycle(nil))
	if len(pairs) != 2 || pairs[0].Entity != "Sluice" || pairs[1].Entity != "Sluice" {
		t.Errorf("found %q, want two of Sluice", saidAll(pairs))
	}
}

// With a bounded number of comparisons a night, every bucket has its turn within a few nights,
// also when the tree changes every day; and then the round is over.
func TestEveryBucketHasItsTurn(t *testing.T) {
	w := newWorld(t)
	const things = 40
	for i := range things {
		name := fmt.Sprintf("Relay%c%c", 'a'+i/26, 'a'+i%26)
		w.write(fmt.Sprintf("entities/r%02d.md", i), entityPage(name, "A relay."))
		w.write(fmt.Sprintf("p/a%02d.md", i), noteWith(fact(name+" waits 3 seconds.", "")))
		w.write(fmt.Sprintf("p/b%02d.md", i), noteWith(fact(name+" waits 4 seconds.", "")))
	}
	for _, edits := range []bool{false, true} {
		c := w.cycle(nil)
		c.State = Folder{filepath.Join(t.TempDir(), "state")}
		c.MaxCompared = things / 4
		seen := map[string]bool{}
		nights := 0
		for ; len(seen) < things && nights < 30; nights++ {
			if edits {
				w.write("diary.md", fmt.Sprintf("Night %d.\n", nights))
			}
			pairs, _ := w.found(c)
			for _, p := range pairs {
				seen[p.Entity] = true
			}
		}
		if len(seen) != things {
			t.Errorf("edits %v: after %d nights %d of %d things were looked at", edits, nights, len(seen), things)
		}
		if edits {
			continue
		}
		for range 2 * nights { // the round ends
			_, s := w.found(c)
			if s.Counts["buckets_waiting"] == 0 {
				return
			}
		}
		t.Error("the round never ends")
	}
}

// K13: a thousand facts, and a model that is asked of a few.
func TestAModelIsNeverAskedOfAllPairs(t *testing.T) {
	w := newWorld(t)
	for i := range 1000 {
		w.write(fmt.Sprintf("f/%03d.md", i), noteWith(fact(fmt.Sprintf("The user has told a story about the %s and the %s of the town", word(i), word(i/7+300)), "")))
	}
	m := judgeModel(func(q question) string { return saysIndependent })
	_, s := w.found(w.cycle(m))
	t.Logf("1,000 facts: %d compared, %d calls", s.Counts["compared"], m.calls)
	if m.calls > mostQuestions || s.Counts["compared"] > 20*1000 {
		t.Errorf("%d calls, %d compared", m.calls, s.Counts["compared"])
	}
}

// word is some word for a number.
func word(i int) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for n := i*2654435761 + 12345; b.Len() < 6; n /= 70 {
		b.WriteByte(consonants[n%14])
		b.WriteByte(vowels[n/14%5])
	}
	return b.String()
}

// judgeModel answers each pair of a question by itself, last pair first.
func judgeModel(says func(question) string) *model {
	return &model{say: func(_ int, r llm.Request) (string, error) {
		var asked struct{ Pairs []question }
		if err := json.Unmarshal([]byte(r.User), &asked); err != nil {
			return "", err
		}
		out := map[string][]judgement{"pairs": {}}
		for _, q := range slices.Backward(asked.Pairs) {
			if verdict := says(q); verdict != "" {
				out["pairs"] = append(out["pairs"], judgement{q.ID, verdict, "so"})
			}
		}
		raw, err := json.Marshal(out)
		return string(raw), err
	}}
}

// greyEmbedder puts all texts that begin alike into the grey zone of a transformer.
type greyEmbedder struct{}

func (greyEmbedder) Info() llm.Info {
	return llm.Info{Fingerprint: "test/grey", Dims: 3, Zero: 0, One: 1, Same: 0.95, Near: 0.92}
}

// Embed gives the first words a direction of their own, and the rest a slight turn.
func (greyEmbedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		words := strings.Fields(s)
		v := make([]float32, 64)
		v[hashOf(words[0])%32] = 0.966 // of the length 1; the rest is 0.26, so that two have a cosine of 0.93
		v[32+hashOf(s)%32] = 0.2586
		out[i] = v
	}
	return out, nil
}

var greyFacts = []string{"Kestrel sings in the morning", "Kestrel hums before breakfast", "Kestrel is heard early"}

func (w *world) grey(m llm.Completer) *Cycle {
	for i, f := range greyFacts {
		w.write(fmt.Sprintf("g%d.md", i), noteWith(fact(f, "")))
	}
	w.write("entities/kestrel.md", entityPage("Kestrel", "A bird."))
	c := w.cycle(m)
	c.Embedder = greyEmbedder{}
	return c
}

// K05: the grey zone goes to the model in one batch, and answers are matched by id, in whatever
// order they come.
func TestTheGreyZoneIsAskedInBatchesAndMatchedByID(t *testing.T) {
	w := newWorld(t)
	asked := map[string]int{}
	m := judgeModel(func(q question) string {
		asked[q.ID]++
		if strings.Contains(q.A.Text+q.B.Text, "morning") && strings.Contains(q.A.Text+q.B.Text, "hums") {
			return saysContradiction
		}
		return saysIndependent
	})
	c := w.grey(m)
	w.wants(c, "contradiction/meaning [Kestrel] Kestrel hums before breakfast | Kestrel sings in the morning")
	if m.calls != 1 {
		t.Errorf("%d calls for three pairs", m.calls)
	}
	w.write("other.md", "A page more.\n")
	w.wants(c, "contradiction/meaning [Kestrel] Kestrel hums before breakfast | Kestrel sings in the morning")
	if m.calls != 1 {
		t.Errorf("a pair whose words are the same was asked again: %d calls", m.calls)
	}
	w.write("more.md", noteWith(fact("Kestrel whistles at dawn", "")))
	w.found(c)
	if m.calls != 2 {
		t.Errorf("%d calls after a claim came, want one more", m.calls)
	}
	for id, times := range asked {
		if times > 1 || len(asked) != 6 {
			t.Errorf("pair %s was asked %d times, %d pairs of 6", id, times, len(asked))
		}
	}
}

// K06: duplicate, supersede, independent; a word that is none of these is unsure, and so is a
// pair without an answer, and nobody is shown what is unsure.
func TestAnAnswerThatIsNoneOfOursIsUnsure(t *testing.T) {
	for verdict, want := range map[string]struct {
		pairs  int
		counts map[string]int
	}{
		saysDuplicate:     {0, map[string]int{"duplicates": 3}},
		saysSupersede:     {3, nil},
		saysContradiction: {3, nil},
		saysIndependent:   {0, nil},
		saysUnsure:        {0, map[string]int{"unsure": 3}},
		"conflict!":       {0, map[string]int{"unsure": 3}},
		"":                {0, map[string]int{"unsure": 3}},
	} {
		w := newWorld(t)
		pairs, s := w.found(w.grey(judgeModel(func(question) string { return verdict })))
		if len(pairs) != want.pairs || s.Counts["unsure"] != want.counts["unsure"] || s.Counts["duplicates"] != want.counts["duplicates"] {
			t.Errorf("%q: %d pairs, counts %v", verdict, len(pairs), s.Counts)
		}
	}
}

// A reply that is empty, or drops half of the pairs, is a failure, and the pairs are asked of
// again; one that drops fewer holds for those that it names, and the others have their turn.
func TestPairsThatAModelLeavesOutAreNotAnswered(t *testing.T) {
	for named, want := range map[int]struct{ failures, waiting, askedAgain, pairs int }{
		0: {1, 3, 3, 0},
		1: {1, 3, 3, 0},
		2: {0, 1, 1, 2},
	} {
		w := newWorld(t)
		asked := 0
		room := named
		m := judgeModel(func(question) string {
			asked++
			if room--; room < 0 {
				return ""
			}
			return saysContradiction
		})
		c := w.grey(m)
		pairs, s := w.found(c)
		if len(pairs) != want.pairs || len(s.Failures) != want.failures || s.Counts["waiting"] != want.waiting {
			t.Errorf("%d of 3 named: %d pairs, failures %q, counts %v", named, len(pairs), s.Failures, s.Counts)
		}
		asked, room = 0, 3
		if pairs, s = w.found(c); asked != want.askedAgain || len(pairs) != 3 || len(s.Failures) > 0 {
			t.Errorf("%d of 3 named, the next night: %d asked of again, %d pairs, failures %q", named, asked, len(pairs), s.Failures)
		}
	}
}

// An answer about pairs that were not asked of says nothing.
func TestAnAnswerForAnotherIDIsIgnored(t *testing.T) {
	w := newWorld(t)
	pairs, s := w.found(w.grey(always(`{"pairs":[{"id":"0123456789abcdef","verdict":"contradiction","reason":"x"}]}`)))
	if len(pairs) != 0 || s.Counts["unsure"] != 3 {
		t.Errorf("%q, counts %v", saidAll(pairs), s.Counts)
	}
}

// K07: without a model the screens decide alone, and what is grey is counted.
func TestWithoutAModelConflictsOfSlotsAreFound(t *testing.T) {
	w := newWorld(t)
	c := w.grey(nil)
	w.write("a.md", noteWith(fact("The queue limit is 100.", "")))
	w.write("b.md", noteWith(fact("The queue limit is 1000.", "")))
	s := w.wants(c, "contradiction/slot [] The queue limit is 100. | The queue limit is 1000.")
	if s.Counts["unsure"] != 3 {
		t.Errorf("counts %v, want 3 unsure", s.Counts)
	}
}

// The budget ends the asking; what was answered is kept, and the rest has its turn.
func TestABudgetThatIsUsedUpLeavesTheRestForAnotherNight(t *testing.T) {
	w := newWorld(t)
	for i := range 12 {
		w.write(fmt.Sprintf("k%02d.md", i), noteWith(fact(fmt.Sprintf("Kestrel %s %s", word(i), word(i+100)), "")))
	}
	answers := judgeModel(func(question) string { return saysIndependent })
	m := &model{}
	m.say = func(call int, r llm.Request) (string, error) {
		if call == 2 || call == 3 {
			return "", &llm.Error{Op: "complete", Class: llm.OverBudget}
		}
		return answers.say(call, r)
	}
	c := w.grey(m)
	_, s := w.found(c)
	waiting := s.Counts["waiting"]
	if waiting == 0 || len(s.Failures) > 0 || len(s.Left) == 0 {
		t.Fatalf("counts %v, failures %q, left %v", s.Counts, s.Failures, s.Left)
	}
	for range 10 {
		if _, s = w.found(c); s.Counts["waiting"] == 0 {
			break
		}
	}
	if s.Counts["waiting"] != 0 {
		t.Errorf("%d of %d pairs still wait", s.Counts["waiting"], waiting)
	}
}

// Only what changed is looked at when a night is told so.
func TestSinceLeavesOutPairsOfWhichNothingChanged(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", noteWith(fact("The queue limit is 100.", ""), fact("The pool holds 40 connections.", "")))
	w.write("b.md", noteWith(fact("The queue limit is 1000.", "")))
	w.write("c.md", noteWith(fact("The pool holds 50 connections.", "")))
	old := time.Now().Add(-48 * time.Hour)
	for _, name := range []string{"a.md", "b.md"} {
		if err := os.Chtimes(filepath.Join(w.dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	c := w.cycle(nil)
	c.Since = time.Now().Add(-time.Hour)
	w.wants(c, "contradiction/slot [] The pool holds 40 connections. | The pool holds 50 connections.")
}

// serverEmbedder is the same, on a server that may be down.
type serverEmbedder struct {
	greyEmbedder
	texts *int
	err   error
}

func (serverEmbedder) Info() llm.Info {
	i := greyEmbedder{}.Info()
	i.Remote = true
	return i
}

func (e serverEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	*e.texts += len(texts)
	if e.err != nil {
		return make([][]float32, len(texts)), e.err
	}
	return e.greyEmbedder.Embed(ctx, texts)
}

// A server embeds only what shares half of its words with something; where it does not answer,
// words alone decide, and the report says so.
func TestAServerEmbedsTheFewClaimsThatShareWords(t *testing.T) {
	for _, down := range []error{nil, &llm.Error{Op: "embed", Class: llm.Down}} {
		w := newWorld(t)
		w.write("entities/kestrel.md", entityPage("Kestrel", "A bird."))
		for i, f := range []string{"Kestrel sings loudly before every breakfast", "Kestrel sings softly before every breakfast", "Kestrel eats mice"} {
			w.write(fmt.Sprintf("k%d.md", i), noteWith(fact(f, "")))
		}
		c := w.cycle(judgeModel(func(question) string { return saysContradiction }))
		texts := 0
		c.Embedder = serverEmbedder{texts: &texts, err: down}
		pairs, s := w.found(c)
		if texts != 2 || len(pairs) != map[bool]int{true: 1, false: 0}[down == nil] || (len(s.Left) > 0) != (down != nil) || len(s.Failures) > 0 {
			t.Errorf("server down: %v; %d texts, %q, left %v, failures %q", down, texts, saidAll(pairs), s.Left, s.Failures)
		}
	}
}

// A model finds that two claims say the same, and a screen has seen another value: both speak of
// one thing, and differ.
func TestAModelsDuplicateDoesNotCountWhereAScreenSawAnotherValue(t *testing.T) {
	for strength, want := range map[float64]int{0: 0, 0.2: 0, 0.45: 1} {
		n := &night{stage: &StageReport{Counts: map[string]int{}}}
		d := doubt{greyPair: greyPair{verdict: page.Verdict{Strength: strength}}, pairs: make([]Pair, 1)}
		if got := n.decided(nil, d, saysDuplicate); len(got) != want || n.stage.Counts["duplicates"] != 1-want {
			t.Errorf("strength %.2f: %d pairs, counts %v", strength, len(got), n.stage.Counts)
		}
	}
}

// A pair that a model found stays open in a night without one, also where a screen has seen a weak
// sign of it, which alone is no finding: it is by meaning.
func TestWhatAModelFoundStaysInANightWithoutOne(t *testing.T) {
	w := newWorld(t)
	w.write("entities/kestrel.md", entityPage("Kestrel", "A bird."))
	w.write("a.md", noteWith(fact("Kestrel nests in the old barn near the river", "")))
	w.write("b.md", noteWith(fact("Kestrel does not nest near the wide river", "")))
	dream := func(m llm.Completer) []Pair {
		c := w.cycle(m)
		c.Embedder = greyEmbedder{}
		w.dream(c, Contradictions)
		return w.docket().Pairs
	}
	weak := doubt{greyPair: greyPair{verdict: page.Verdict{Screen: page.BySlot, Strength: 0.3}}, pairs: make([]Pair, 1)}
	if got := (&night{}).decided(nil, weak, saysContradiction); len(got) != 1 || got[0].Screen != byMeaning {
		t.Errorf("with a weak sign: %+v", got)
	}
	m := judgeModel(func(question) string { return saysContradiction })
	if open := dream(nil); len(open) != 0 {
		t.Fatalf("without a model: %+v", open)
	}
	open := dream(m)
	if len(open) != 1 {
		t.Fatalf("a model found: %+v", open)
	}
	tree := w.tree()
	for range 2 {
		if dream(nil); w.tree() != tree {
			t.Errorf("a night without a model changed the tree; open: %+v", w.docket().Pairs)
		}
		if dream(m); w.tree() != tree {
			t.Errorf("a night with a model changed the tree; open: %+v", w.docket().Pairs)
		}
	}
}

// What lost in one place may stand in another: that is found in the night that carries the answer
// out, so that the next one has nothing to write.
func TestWhatLostAndStandsElsewhereIsFoundInTheSameNight(t *testing.T) {
	w := newWorld(t)
	w.write("entities/harbor.md", lines("---", "title: harbor", "schema_type: entity", "---", "", "The retry limit of harbor is 70."))
	for _, name := range []string{"one", "two"} {
		w.write("decisions/"+name+".md", lines("---", "title: "+name, "schema_type: decision", "---", "", "The retry limit of harbor is 90. See [[harbor]]."))
	}
	w.dream(w.cycle(nil))
	open := w.docket().Pairs
	if len(open) != 1 {
		t.Fatalf("open: %+v", open)
	}
	keep := KeepA
	if open[0].A.Path != "entities/harbor.md" {
		keep = KeepB
	}
	w.write(string(ReviewFile), strings.Replace(w.read(string(ReviewFile)), "keep ?", "keep "+keep, 1))
	s := stage(t, w.dream(w.cycle(nil)), Contradictions)
	after := w.docket().Pairs
	if s.Counts["answers"] != 1 || len(after) != 1 || after[0].ID != open[0].ID {
		t.Errorf("%v; open: %+v", s.Counts, after)
	}
	tree := w.tree()
	if w.dream(w.cycle(nil)); w.tree() != tree {
		t.Error("the next night changed the tree")
	}
}

// What was proposed is compared again, however many claims came to stand nearer to one of the two.
func TestAnOpenPairIsComparedHoweverFarApart(t *testing.T) {
	b := &bucket{}
	for key := range uint64(20) {
		b.claims = append(b.claims, &claim{key: key, from: &claimPage{}, words: []uint64{1, 2}})
	}
	s := &search{open: map[uint64][]uint64{0: {19}, 19: {0}}}
	for i, far := range map[int]int{0: 19, 19: 0} {
		if got := s.candidates(b, i); !slices.Contains(got, far) {
			t.Errorf("claim %d meets %v, not %d", i, got, far)
		}
	}
	if got := s.candidates(b, 1); slices.Contains(got, 19) {
		t.Errorf("claim 1 meets %v, of which 19 is not near", got)
	}
}
