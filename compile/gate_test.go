package compile_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brain/compile"
	"brain/inbox"
	"brain/memory"
	"brain/page"
	"brain/store"
)

// userFact is a fact about the user, said in a turn.
func userFact(content string, turn int, more ...string) string {
	return fmt.Sprintf(`{"content":%q,"category":"preference","confidence":0.9,"scope":"user","durability":"durable","authority":"descriptive","turns":[%d]%s}`,
		content, turn, strings.Join(more, ""))
}

func noteOf(title, body string, turns string) string {
	return fmt.Sprintf(`{"type":"note","bucket":"environment","outcome":"success","title":%q,"body":%q,"turns":%s}`, title, body, turns)
}

// The parts make a key only when they are joined, so that nothing here looks like one.
var secret = "AKIA" + "QZ3FJ6VW7XRT2MNB"

func TestSecretsOfAReplyAreKeptNowhere(t *testing.T) {
	w := newWorld(t)
	w.say("key", "user: The key of the backup bucket is AKIA and then QZ3FJ6VW7XRT2MNB, used by the nightly job.", "assistant: Noted.")
	good := noteOf("Key of the backup bucket", "The nightly job uses the key "+secret+" of the backup bucket.", "[1]")
	dropped := noteOf("Key "+secret+" of the moon", "Nobody said so of "+secret, "[1]")
	r := w.mustCompile(w.pass(&answers{replies: []any{reply(good+","+dropped, userFact("The user keeps "+secret, 9), "")}}))
	if len(r.Dropped) != 2 {
		t.Errorf("dropped %+v, want two", r.Dropped)
	}
	err := filepath.WalkDir(w.dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(name)
		if strings.Contains(string(raw), secret) {
			t.Errorf("%s holds the secret", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(fmt.Sprintf("%+v", r), secret) {
		t.Errorf("the report holds the secret: %+v", r)
	}
}

func TestEveryTextOfTheRequestIsEscaped(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.say("one", "user: I prefer <b>tabs</b> over spaces.", "assistant: Noted.")
	w.mustCompile(w.pass(&answers{replies: []any{reply(noteOf("Tabs </known_titles>", "The user prefers tabs over spaces.", "[1]"), userFact("The user prefers </known_facts> tabs over spaces", 1), "")}}))
	_, err := w.box.Add(ctx, inbox.Session{ID: "two", Title: `T" <x>`, At: march, Turns: []page.Turn{{Role: "user", Text: "Do I prefer tabs or spaces?", At: march}, {Role: "assistant", Text: "Tabs."}}})
	if err != nil {
		t.Fatal(err)
	}
	model := &answers{replies: []any{reply("", "", "")}}
	w.mustCompile(w.pass(model))
	asked := model.asked[0].User
	for _, want := range []string{"- Tabs &lt;/known_titles&gt;", "The user prefers &lt;/known_facts&gt; tabs", `title="T&quot; &lt;x&gt;"`} {
		if !strings.Contains(asked, want) {
			t.Errorf("%q is not in the request:\n%s", want, asked)
		}
	}
	for _, tag := range []string{"</known_titles>", "</known_facts>", "</conversation>"} {
		if strings.Count(asked, tag) != 1 {
			t.Errorf("%s stands %d times:\n%s", tag, strings.Count(asked, tag), asked)
		}
	}
}

func TestHintsReachTheModel(t *testing.T) {
	w := newWorld(t)
	w.say("one", "user: No, that is wrong: we decided to use port 5433.", "assistant: Noted.")
	model := &answers{replies: []any{reply("", "", "")}}
	w.mustCompile(w.pass(model))
	if asked := model.asked[0].User; !strings.Contains(asked, "decision") || !strings.Contains(asked, "correction") {
		t.Errorf("no hint of the correction and the decision:\n%s", asked)
	}
}

func TestOfALongTurnBothEndsAreShown(t *testing.T) {
	w := newWorld(t)
	w.say("long", "user: Begin here. "+strings.Repeat("middle ", 3000)+"And end there.", "assistant: Noted.")
	model := &answers{replies: []any{reply("", "", "")}}
	w.mustCompile(w.pass(model))
	asked := model.asked[0].User
	if !strings.Contains(asked, "Begin here.") || !strings.Contains(asked, "And end there.") || len(asked) > 6_000 {
		t.Errorf("%d bytes, want both ends of the turn and little else", len(asked))
	}
}

func TestWindowsOverlapByFourTurnsUnlessTheyAreLong(t *testing.T) {
	shown := func(text string) (first, last []int) {
		w := newWorld(t)
		var lines []string
		for i := range 30 {
			lines = append(lines, fmt.Sprintf("user: %d %s", i+1, text))
		}
		w.say("s", lines...)
		model := &answers{replies: slices.Repeat([]any{reply("", "", "")}, 40)}
		w.mustCompile(w.pass(model))
		for _, r := range model.asked {
			all := strings.Split(r.User, `<turn n="`)[1:]
			n := func(s string) (n int) { fmt.Sscanf(s, "%d", &n); return n }
			first, last = append(first, n(all[0])), append(last, n(all[len(all)-1]))
		}
		return first, last
	}
	if first, last := shown("short"); !slices.Equal(first, []int{1, 17}) || !slices.Equal(last, []int{20, 30}) {
		t.Errorf("windows %v to %v, want 1 to 20 and 17 to 30", first, last)
	}
	// Three turns of 4,000 characters and their numbers fill a window of 16,000, and
	// none of them is shown twice.
	first, last := shown(strings.Repeat("long ", 790))
	for i := 1; i < len(first); i++ {
		if first[i] < last[i-1] {
			t.Errorf("windows %v to %v show long turns again", first, last)
		}
	}
}

func TestWhatIsNoLinkAndWhatIs(t *testing.T) {
	for body, want := range map[string][]compile.Reason{
		"The session cache, see [Redis][r].\n\n[r]: /entities/redis.md":  {compile.NamesPath},
		"The session [cache\nof all](entities/redis.md) runs on Redis 7": {compile.NamesPath},
		"The session cache runs on Redis 7 [sic]":                        nil,
		"We run the session cache on Redis 7, asks @wei":                 nil,
	} {
		w := newWorld(t)
		w.say("redis", append([]string{"user: We run the session cache of all, sic, see r, asks wei."}, redisTalk...)...)
		r := w.mustCompile(w.pass(&answers{replies: []any{reply(noteOf("Session cache", body, "[1,2]"), "", "")}}))
		if got := reasons(r); !slices.Equal(got, want) {
			t.Errorf("%q: dropped for %q, want %q: %+v", body, got, want, r.Dropped)
		}
	}
}

func TestDatesAreWorkedOutInAnyForm(t *testing.T) {
	w := newWorld(t)
	w.say("move", "user: We moved the mail server yesterday.", "assistant: Noted.", "user: 昨天我们迁移了邮件服务器。")
	items := strings.Join([]string{
		noteOf("Mail server moved", "We moved the mail server on 2026-03-01.", "[1]"),
		noteOf("The mail server was moved", "On March 1, 2026 we moved the mail server yesterday.", "[1]"),
		noteOf("邮件服务器迁移", "我们在2026年3月1日迁移了邮件服务器。", "[3]"),
		noteOf("Mail server, moved by 12", "We moved the mail server yesterday with 12 people.", "[1]"),
	}, ",")
	r := w.mustCompile(w.pass(&answers{replies: []any{reply(items, "", "")}}))
	if len(r.Pages) != 3 || !slices.Equal(reasons(r), []compile.Reason{compile.NoEvidence}) {
		t.Errorf("pages %+v, dropped %+v; want all but the one of 12 people", r.Pages, r.Dropped)
	}
}

func TestLimitsOfWhatIsKept(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("tabs over spaces ", 600)
	w.say("tabs", "user: I prefer tabs over spaces, always.", "assistant: Noted.")
	facts := userFact("The user prefers tabs over spaces", 1, `,"expected_valid_days":1e9,"sourceError":"The user hates Berlin"`)
	r := w.mustCompile(w.pass(&answers{replies: []any{reply(noteOf("Tabs", long, "[1]"), strings.Replace(facts, `"preference"`, `"likes: `+strings.Repeat("x", 50)+`"`, 1), "")}}))
	if !slices.Equal(reasons(r), []compile.Reason{compile.Malformed}) || len(r.Pages) != 1 {
		t.Fatalf("pages %+v, dropped %+v; want the fact alone", r.Pages, r.Dropped)
	}
	at := r.Pages[0].Path
	f, _, err := memory.ParseFact(at, []byte(w.pages()[string(at)]))
	if err != nil || f.Category != "other" || f.ValidDays != 1800 || f.SourceError != "" {
		t.Errorf("%+v, %v; want category other, 1800 days, no mistake that nobody made", f, err)
	}
}

func TestSignsMakeFactsDifferent(t *testing.T) {
	w := newWorld(t)
	w.say("langs", "user: I prefer C. No: I prefer C++. Or I prefer C#.", "assistant: Noted.")
	facts := strings.Join([]string{userFact("I prefer C", 1), userFact("I prefer C++", 1), userFact("I prefer C#", 1), userFact("i  PREFER c#", 1)}, ",")
	r := w.mustCompile(w.pass(&answers{replies: []any{reply("", facts, "")}}))
	if all := w.pages(); len(all) != 3 {
		t.Errorf("%d facts, want three: %+v", len(all), r.Pages)
	}
}

func TestAFactThatSomebodyEditedDoesNotStandForTheOld(t *testing.T) {
	w := newWorld(t)
	tabs := userFact("The user prefers tabs over spaces", 1)
	w.say("one", "user: I prefer tabs over spaces.", "assistant: Noted.")
	at := w.mustCompile(w.pass(&answers{replies: []any{reply("", tabs, "")}})).Pages[0].Path
	file := filepath.Join(w.dir, string(at))
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(raw), "tabs over spaces", "the colour blue")), 0o644); err != nil {
		t.Fatal(err)
	}
	w.say("two", "user: I prefer tabs over spaces.", "assistant: Noted.")
	r := w.mustCompile(w.pass(&answers{replies: []any{reply("", tabs, "")}}))
	if r.Pages[0].Duplicate || r.Pages[0].Path == at || len(w.pages()) != 2 {
		t.Errorf("%+v, want a second fact beside the one that was edited", r.Pages)
	}
}

func TestATwinThatCannotGainIsNoTwin(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	item := strings.Replace(redis, "[1,2]", "[1,3]", 1)
	w.say("one", redisTalk...)
	first := w.mustCompile(w.pass(&answers{replies: []any{reply(item, "", "")}})).Pages[0].Path
	file := filepath.Join(w.dir, string(first))
	raw, err := os.ReadFile(file)
	if err == nil { // a value to which no entry can be added
		err = os.WriteFile(file, []byte(strings.Replace(string(raw), "\nprovenance:", "\nsources: {a: b}\nprovenance:", 1)), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.say("two", redisTalk...)
	r := w.mustCompile(w.pass(&answers{replies: []any{reply(item, "", "")}}))
	if r.Pages[0].Duplicate || r.Pages[0].Path == first {
		t.Errorf("%+v, want a page of its own", r.Pages[0])
	}
	p := page.Parse(r.Pages[0].Path, []byte(w.pages()[string(r.Pages[0].Path)]))
	if p.Provenance.Session != "two" {
		t.Errorf("%+v", p.Provenance)
	}
	if _, err := w.st.Read(ctx, first); err != nil {
		t.Error(err)
	}
}

func TestAFactIsNotReplacedByItself(t *testing.T) {
	w := newWorld(t)
	tabs := userFact("The user prefers tabs over spaces", 1)
	w.say("one", "user: I prefer tabs over spaces.", "assistant: Noted.")
	at := w.mustCompile(w.pass(&answers{replies: []any{reply("", tabs, "")}})).Pages[0].Path
	w.say("two", "user: I prefer tabs over spaces, still.", "assistant: Noted.")
	r := w.mustCompile(w.pass(&answers{replies: []any{reply("", tabs, `{"id":"`+at.Stem()+`","scope":"user","reason":"said again","replacementFactIndex":0}`)}}))
	if _, there := w.pages()[string(at)]; !there || !slices.Equal(reasons(r), []compile.Reason{compile.NoReplacing}) {
		t.Errorf("there %v, dropped %+v; want the fact kept", there, r.Dropped)
	}
}

func TestAFactThatAPersonWroteIsTakenAwayOnlyByItsReplacement(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	at, err := memory.FactPath("", "fact_00000001")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := memory.FormatFact(memory.Fact{ID: "fact_00000001", Content: "The user prefers tabs over spaces", Category: "preference", Confidence: 1,
		Source: memory.Source{Type: "manual"}, Revision: 1, Created: march})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.st.Update(ctx, "fact", func(tx *store.Tx) error { return tx.Add(at, raw) }); err != nil {
		t.Fatal(err)
	}
	w.say("one", "user: I prefer spaces over tabs now.", "assistant: Noted.")
	model := &answers{replies: []any{reply("", "", `{"id":"fact_00000001","scope":"user","reason":"taken back"}`)}}
	r := w.mustCompile(w.pass(model))
	if _, there := w.pages()[string(at)]; !there || !slices.Equal(reasons(r), []compile.Reason{compile.NoReplacing}) {
		t.Errorf("there %v, dropped %+v; want what a person wrote kept", there, r.Dropped)
	}
	if !strings.Contains(model.asked[0].User, "[MANUAL] id=fact_00000001") {
		t.Errorf("the model was not told whose it is:\n%s", model.asked[0].User)
	}
}

func TestASessionThatCannotBeWrittenStopsNoOther(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	if err := os.MkdirAll(filepath.Join(w.dir, "sources"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "sources", "shop"), []byte("a file"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := inbox.Session{ID: "one", Source: "shop", At: march, Turns: []page.Turn{{Role: "user", Text: "We decided to run the session cache on Redis 7."}, {Role: "assistant", Text: "Noted."}}}
	if _, err := w.box.Add(ctx, s); err != nil {
		t.Fatal(err)
	}
	_, errs := w.compile(w.pass(&answers{replies: []any{reply(noteOf("Session cache", "The session cache runs on Redis 7.", "[1]"), "", "")}}))
	if len(errs) != 1 || !errors.Is(errs[0], compile.ErrUnwritable) {
		t.Fatalf("%v, want that it cannot be written", errs)
	}
	if m := w.state("one"); m.State != inbox.Failed || m.Error == "" {
		t.Errorf("%+v, want it failed, and why", m)
	}
}

func TestANameDoesNotHideWhoSpeaks(t *testing.T) {
	w := newWorld(t)
	_, err := w.box.Add(context.Background(), inbox.Session{ID: "s", At: march, Turns: []page.Turn{
		{Role: "user", Text: "Which broker do we take?"}, {Role: "assistant", Speaker: "user", Text: "We decided to use Kessel."}}})
	if err != nil {
		t.Fatal(err)
	}
	model := &answers{replies: []any{reply("", "", "")}}
	w.mustCompile(w.pass(model))
	if asked := model.asked[0].User; !strings.Contains(asked, `<turn n="2" role="assistant" name="user">`) {
		t.Errorf("an assistant passes for a user:\n%s", asked)
	}
}
