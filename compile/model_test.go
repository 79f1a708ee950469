package compile_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"brain/compile"
	"brain/inbox"
	"brain/index"
	"brain/llm"
	"brain/llm/llmtest"
	"brain/page"
	"brain/retrieve"
	"brain/store"
)

// A model server answers well, badly, late, or not at all. Whatever it does, no bad
// finding becomes a page, no good one is lost, and the session ends where it can be
// tried again, or not, as makes sense.

// server is a fake Ollama server that says these things, and a client of it.
func server(t testing.TB, o llm.ServerOptions, says ...llmtest.Reply) (*llmtest.Chat, llm.Completer) {
	t.Helper()
	chat := llmtest.NewChat(t, llmtest.ChatOptions{Thinks: true}, says...)
	o.URL, o.Model, o.Backoff = chat.URL, llmtest.Model, time.Millisecond
	model, err := llm.NewOllamaCompleter(o)
	if err != nil {
		t.Fatal(err)
	}
	return chat, model
}

// inLong is what there is to find in longTalk.
var inLong = inRedis[:5]

// bad are findings of longTalk that must not be kept, with the reasons.
var bad = []struct {
	finding
	why compile.Reason
}{
	{edited(inRedis[1], "7001", "7002"), compile.NoEvidence},
	{edited(inRedis[1], `"title"`, `"path":"skills/x/SKILL.md","title"`), compile.NamesPath},
	{edited(inRedis[2], "30 days", "30 days, see ../../etc/passwd"), compile.NamesPath},
	{edited(inRedis[2], "Backups of the ledger", "[[entities/ledger]] backups"), compile.NamesPath},
	{finding{"items", []int{99}, inRedis[1].json}, compile.InventedTurn},
	{finding{"items", nil, inRedis[1].json}, compile.InventedTurn},
	{edited(inRedis[3], `"note"`, `"skill"`), compile.Malformed},
	{edited(inRedis[4], `"user"`, `"thread"`), compile.NotUsers},
	{edited(inRedis[4], `"durable"`, `"temporary"`), compile.NotDurable},
	{edited(inRedis[4], `"descriptive"`, `"transactional"`), compile.NoAuthority},
	{edited(inRedis[4], `,"authority":"descriptive"`, ""), compile.Unlabelled},
	{edited(inRedis[4], `"durable"`, `"for ever"`), compile.Unlabelled},
	{edited(inRedis[4], "0.9", `"high"`), compile.Unsure},
}

func edited(f finding, old, new string) finding {
	f.json = strings.Replace(f.json, old, new, 1)
	return f
}

// withBad are all good findings with all bad ones between them.
func withBad() (all []finding, why []compile.Reason) {
	for i, b := range bad {
		if i < len(inLong) {
			all = append(all, inLong[i])
		}
		all, why = append(all, b.finding), append(why, b.why)
	}
	return all, why
}

// deermem 32
func TestWhatAServerSays(t *testing.T) {
	good := replyOf(inLong...)
	mixed, reasons := withBad()
	const prose = "Sure! I looked at the conversation {all of it} and found the following:\n\n"
	for _, c := range []struct {
		name    string
		says    []llmtest.Reply
		retries int
		dropped []compile.Reason

		fails   error // nil: all good findings are kept
		state   string
		waits   bool // for a while
		answers int  // how often it is asked; 0: as often as it says something
	}{
		{name: "good", says: []llmtest.Reply{{Text: good}}},
		{name: "prose around", says: []llmtest.Reply{{Text: prose + good + "\n\nLet me know if I may {help} again."}}},
		{name: "a fence", says: []llmtest.Reply{{Text: prose + "```json\n" + good + "\n```\n"}}},
		{name: "an example before", says: []llmtest.Reply{{Text: `An empty answer would be {"items":[]}. Here: ` + good}}},
		{name: "thinking aloud", says: []llmtest.Reply{{Text: "<think>Perhaps " + replyOf(bad[0].finding) + "? No.</think>\n```json\n" + good + "\n```"}}},
		{name: "thinking apart", says: []llmtest.Reply{{Thinking: "Perhaps " + replyOf(bad[0].finding), Text: good}}},
		{name: "bad findings among good ones", says: []llmtest.Reply{{Text: replyOf(mixed...)}}, dropped: reasons},
		{name: "nothing", says: []llmtest.Reply{{Text: replyOf()}}},
		{name: "prose, then good", says: []llmtest.Reply{{Text: "There is nothing of interest."}, {Text: good}}},
		{name: "another form, then good", says: []llmtest.Reply{{Text: `{"memories":["Redis"]}`}, {Text: good}}},
		{name: "half a stream, then good", says: []llmtest.Reply{{Cut: true, Text: good}, {Text: good}}, retries: 1},
		{name: "never done, then good", says: []llmtest.Reply{{Undone: true, Text: good}, {Text: good}}},
		{name: "busy, then good", says: []llmtest.Reply{{Status: 429, Times: 2}, {Text: good}}, retries: 2, answers: 3},
		{name: "a fault, then good", says: []llmtest.Reply{{Status: 500}, {Text: good}}, retries: 1},

		{name: "too much, then half by half", says: []llmtest.Reply{{Text: good, Reason: "length"}, {Text: replyOf(inLong[0], inLong[4])}, {Text: replyOf(inLong[1:4]...)}}},

		{name: "prose", says: []llmtest.Reply{{Text: prose, Times: -1}}, fails: llm.Misshapen, state: inbox.Failed, answers: 2},
		{name: "half an object", says: []llmtest.Reply{{Text: good[:len(good)/2], Times: -1}}, fails: llm.Misshapen, state: inbox.Failed, answers: 2},
		{name: "facts of no form beside removals", says: []llmtest.Reply{{Text: reply("", `{"content":7}`, `{"id":"fact_1","scope":"user","reason":"wrong"}`), Times: -1}},
			fails: compile.ErrRejected, state: inbox.Failed, answers: 2},
		{name: "too much", says: []llmtest.Reply{{Text: good, Reason: "length", Times: -1}}, fails: llm.Truncated, state: inbox.Failed, answers: 4},
		{name: "never done", says: []llmtest.Reply{{Undone: true, Text: good, Times: -1}}, fails: llm.Protocol, state: inbox.Pending, waits: true, answers: 2},
		{name: "400", says: []llmtest.Reply{{Status: 400, Times: -1}}, retries: 2, fails: llm.Refused, state: inbox.Failed, answers: 1},
		{name: "too long", says: []llmtest.Reply{{Status: 400, Message: "the input length exceeds the context length", Times: -1}},
			retries: 2, fails: llm.TooLong, state: inbox.Failed, answers: 5}, // at first with a larger context, too
		{name: "403", says: []llmtest.Reply{{Status: 403, Times: -1}}, retries: 2, fails: llm.Unauthorized, state: inbox.Pending, answers: 1},
		{name: "404", says: []llmtest.Reply{{Status: 404, Message: "model 'fake' not found", Times: -1}}, retries: 2, fails: llm.ModelMissing, state: inbox.Pending, answers: 1},
		{name: "429", says: []llmtest.Reply{{Status: 429, Times: -1}}, retries: 2, fails: llm.Overloaded, state: inbox.Pending, waits: true, answers: 3},
		{name: "500", says: []llmtest.Reply{{Status: 500, Times: -1}}, retries: 1, fails: llm.ServerFault, state: inbox.Pending, waits: true, answers: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.say("redis", longTalk...)
			chat, model := server(t, llm.ServerOptions{Retries: c.retries}, c.says...)
			reports, errs := w.compile(w.pass(model))
			if asked, want := len(chat.Asked()), cmp.Or(c.answers, len(c.says)); asked != want {
				t.Errorf("it was asked %d times, want %d", asked, want)
			}
			if len(errs) != 1 || !errors.Is(errs[0], c.fails) {
				t.Fatalf("%v, want %v", errs, c.fails)
			}
			if c.fails != nil {
				w.failedAs(c.state, c.waits)
				w.compilesAfterwards(c.state)
				return
			}
			if got := reasonsOf(reports[0]); !slices.Equal(got, sortedReasons(c.dropped)) {
				t.Errorf("dropped for %q, want %q: %+v", got, c.dropped, reports[0].Dropped)
			}
			want := inLong
			if c.name == "nothing" {
				want = nil
			}
			w.says(want...)
			if m := w.state("redis"); m.State != inbox.Done || m.Nothing != (want == nil) || len(m.Pages) != len(want) {
				t.Errorf("%+v, want it done, of %d pages", m, len(want))
			}
		})
	}
}

// failedAs checks that a failure wrote nothing and where it left session "redis".
func (w *world) failedAs(state string, waits bool) {
	w.t.Helper()
	w.says()
	m := w.state("redis")
	if m.State != state || m.Compiled != 0 || m.Attempts != 1 || m.Error == "" || m.RetryAt.After(w.clock) != waits {
		w.t.Errorf("%+v, want it %s, waiting %v", m, state, waits)
	}
}

// compilesAfterwards checks that all is found once the server answers well: of what
// failed when somebody asks for it, of what waits when its time has come.
func (w *world) compilesAfterwards(state string) {
	w.t.Helper()
	w.clock = w.clock.Add(time.Hour)
	_, model := server(w.t, llm.ServerOptions{}, llmtest.Reply{Text: replyOf(inLong...)})
	if state == inbox.Failed {
		if reports, _ := w.compile(w.pass(model)); len(reports) != 0 {
			w.t.Errorf("what failed was tried again by itself: %+v", reports)
		}
		if n, err := w.box.Retry(context.Background(), nil); n != 1 || err != nil || w.state("redis").State != inbox.Pending {
			w.t.Fatalf("retry: %d, %v, %+v", n, err, w.state("redis"))
		}
	}
	w.mustCompile(w.pass(model))
	w.says(inLong...)
	if m := w.state("redis"); m.State != inbox.Done || m.Attempts != 0 || m.Error != "" {
		w.t.Errorf("%+v, want it done, and the failure forgotten", m)
	}
}

// says checks that the pages say what these findings do, and nothing else.
func (w *world) says(all ...finding) {
	w.t.Helper()
	var got, want []string
	for name, raw := range w.pages() {
		got = append(got, bodyOf(page.Parse(page.Path(name), []byte(raw))))
	}
	for _, f := range all {
		key := `"body":"`
		if f.kind == "newFacts" {
			key = `"content":"`
		}
		_, rest, _ := strings.Cut(f.json, key)
		body, _, _ := strings.Cut(rest, `"`)
		want = append(want, body)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.t.Errorf("the pages say %q\nwant %q", got, want)
	}
}

func reasonsOf(r *compile.Report) []compile.Reason { return sortedReasons(reasons(r)) }

func sortedReasons(all []compile.Reason) []compile.Reason { return slices.Sorted(slices.Values(all)) }

// TestASilentServer is a server that takes the question and says nothing: it is given
// up after the time that is set for it, and the session waits (I04).
func TestASilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chat := llmtest.NewScripted(llmtest.Reply{Hang: true})
		w := newWorld(t)
		w.say("redis", longTalk...)
		began := time.Now()
		_, errs := w.compile(w.pass(chat.Chat.Completer(llm.ServerOptions{Timeout: 10 * time.Minute})))
		if len(errs) != 1 || !errors.Is(errs[0], llm.Timeout) {
			t.Fatalf("%v, want that it took too long", errs)
		}
		if took := time.Since(began); took < 10*time.Minute || took > 11*time.Minute {
			t.Errorf("it was given up after %v, want ten minutes", took)
		}
		w.failedAs(inbox.Pending, true)
	})
}

// worksAt names a memory root to the process that works while a model is asked.
const worksAt = "COMPILE_TEST_WORKS_AT"

// While a model thinks, ten minutes as the clock of the other process says, that one
// adds turns and pages, brings the index up to date and asks it; only the session that
// is being compiled it cannot compile as well (A14).
func TestNobodyWaitsForAModel(t *testing.T) {
	w := newWorld(t)
	w.say("redis", longTalk...)
	gate := llmtest.NewGate()
	_, model := server(t, llm.ServerOptions{}, llmtest.Reply{Gate: gate, Text: replyOf(inLong...)})
	done := make(chan *compile.Report)
	go func() {
		defer close(done)
		reports, errs := w.compile(w.pass(model))
		if len(reports) != 1 || errs[0] != nil {
			t.Errorf("%d sessions, %v", len(reports), errs)
			return
		}
		done <- reports[0]
	}()
	<-gate.Came()
	cmd := exec.Command(os.Args[0], "-test.run=^TestProcessThatWorksMeanwhile$")
	cmd.Env = append(os.Environ(), worksAt+"="+w.root)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	gate.Open()
	r := <-done
	if r == nil {
		t.FailNow()
	}
	// What came meanwhile counts: a page that says the same, turns that are new.
	i := slices.IndexFunc(r.Pages, func(m compile.Made) bool { return m.Path == billing })
	if i < 0 || !r.Pages[i].Gained {
		t.Errorf("%+v, want that %s gained a source", r.Pages, billing)
	}
	w.says(inLong...)
	if m := w.state("redis"); m.State != inbox.Pending || m.Compiled != len(longTalk) || m.Turns != len(longTalk)+len(moreTalk) {
		t.Errorf("%+v, want it pending, with %d of %d turns compiled", m, len(longTalk), len(longTalk)+len(moreTalk))
	}
}

// TestProcessThatWorksMeanwhile is the other process.
func TestProcessThatWorksMeanwhile(t *testing.T) {
	if os.Getenv(worksAt) == "" {
		t.Skip("only as the other process of TestNobodyWaitsForAModel")
	}
	w := reopened(t, os.Getenv(worksAt))
	w.clock = w.clock.Add(10 * time.Minute)
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	w.say("redis", slices.Concat(longTalk, moreTalk)...)
	w.say("other", redisTalk...)
	raw, err := page.Format(page.Draft{Title: "Where billing listens", Type: "note", Created: march, At: march, Body: "The billing service listens on port 7001."})
	if err == nil {
		err = w.st.Update(ctx, "add", func(tx *store.Tx) error { return tx.Add(billing, raw) })
	}
	if err == nil {
		_, err = w.ix.Sync(ctx, w.st, index.SyncOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	answer, err := w.pass(nil).Searcher.Ask(ctx, retrieve.Query{Text: "billing service port", N: 10}, index.Wait, index.SyncOptions{})
	if err != nil || !slices.ContainsFunc(answer.Hits, func(h retrieve.Hit) bool { return h.Path == string(billing) }) {
		t.Errorf("%v, %v; want %s", answer, err, billing)
	}
	if _, err := w.box.Take(ctx, "redis"); !errors.Is(err, inbox.ErrBusy) {
		t.Errorf("take: %v, want that another process compiles it", err)
	}
	if l, err := w.box.Take(ctx, "other"); err != nil || l.Release() != nil {
		t.Errorf("take another: %v", err)
	}
}

// What an empty finding is titled like a page does to it: nothing (L10).
func TestAnEmptyFindingOverwritesNothing(t *testing.T) {
	w := newWorld(t)
	w.say("redis", longTalk...)
	_, model := server(t, llm.ServerOptions{}, llmtest.Reply{Text: replyOf(inLong...)})
	w.mustCompile(w.pass(model))
	before := w.pages()
	w.say("again", longTalk...)
	_, model = server(t, llm.ServerOptions{}, llmtest.Reply{Text: replyOf(edited(inRedis[1], "The billing service listens on port 7001.", ""))})
	if r := w.mustCompile(w.pass(model)); !slices.Equal(reasons(r), []compile.Reason{compile.Malformed}) {
		t.Errorf("dropped %+v, want the empty one", r.Dropped)
	}
	if after := w.pages(); !maps.Equal(before, after) {
		t.Errorf("%v\nwant %v", after, before)
	}
}

func TestAReplayIsNotCompiledAgain(t *testing.T) {
	w := newWorld(t)
	w.say("redis", longTalk...)
	chat, model := server(t, llm.ServerOptions{}, llmtest.Reply{Text: replyOf(inLong...)})
	w.mustCompile(w.pass(model))
	before, meta := w.pages(), w.state("redis")
	w.say("redis", longTalk...)
	w.say("redis", longTalk[:3]...)
	if reports, _ := w.compile(w.pass(model)); len(reports) != 0 || len(chat.Asked()) != 1 {
		t.Errorf("%d sessions were compiled, the model was asked %d times", len(reports), len(chat.Asked()))
	}
	if after := w.state("redis"); after.Turns != meta.Turns || !maps.Equal(before, w.pages()) {
		t.Errorf("%d turns, want %d; pages %v", after.Turns, meta.Turns, w.pages())
	}
}

// A pass compiles several sessions at once. Those that say the same become one page.
func TestSessionsCompiledAtOnceMeet(t *testing.T) {
	w := newWorld(t)
	const sessions = 16
	for i := range sessions {
		w.say(fmt.Sprintf("s%d", i), longTalk...)
	}
	items, _, err := w.box.Queue(context.Background(), inbox.QueueOptions{All: true})
	if err != nil || len(items) != sessions {
		t.Fatalf("%d items, %v", len(items), err)
	}
	c := w.pass(&listener{finds: inLong})
	var wg sync.WaitGroup
	for _, it := range items {
		wg.Go(func() {
			if r, err := c.Session(context.Background(), it); err != nil || len(r.Pages) != len(inLong) || len(r.Notes) > 0 {
				t.Errorf("%v: %+v", err, r)
			}
		})
	}
	wg.Wait()
	w.says(inLong...)
	for name, raw := range w.pages() {
		p := page.Parse(page.Path(name), []byte(raw))
		want := sessions
		if p.Type == "fact" {
			want = 1 // said again is not confirmed
		}
		if got := compile.Origins(p); len(got) != want {
			t.Errorf("%s is of %d sessions, want %d: %v", name, len(got), want, got)
		}
	}
}
