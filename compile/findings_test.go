package compile_test

import (
	"context"
	"strings"
	"testing"

	"brain/inbox"
	"brain/page"
)

func TestAmongPeopleItIsSaidWhoSpoke(t *testing.T) {
	w := newWorld(t)
	_, err := w.box.Add(context.Background(), inbox.Session{ID: "friends", At: march, Turns: []page.Turn{
		{Role: "user", Speaker: "Nate", Text: "I prefer oat milk in my coffee.", At: march},
		{Role: "user", Speaker: "Joanna", Text: "We decided to rent the flat in Harbour Street.", At: march},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.mustCompile(w.pass(nil))
	all := ""
	for _, raw := range w.pages() {
		all += raw
	}
	for _, want := range []string{"Nate: I prefer oat milk in my coffee.", "Joanna: We decided to rent the flat in Harbour Street."} {
		if !strings.Contains(all, want) {
			t.Errorf("no page says %q:\n%s", want, all)
		}
	}
}

func TestOfOneUserAndAnAssistantNobodyIsNamed(t *testing.T) {
	w := newWorld(t)
	w.say("tabs", "user: I prefer tabs over spaces in Go files.", "assistant: Noted.", "user: 我们决定把缓存换成 Redis。")
	r := w.mustCompile(w.pass(nil))
	if len(r.Pages) != 2 {
		t.Fatalf("%+v, want a fact and a decision", r.Pages)
	}
	for path, raw := range w.pages() {
		if strings.Contains(raw, "user:") {
			t.Errorf("%s names a role:\n%s", path, raw)
		}
	}
}

func TestWhatIsToBeRememberedOfAPersonIsAFactOfTheAgent(t *testing.T) {
	w := newWorld(t)
	w.sayAs("coder", "salary", "user: Remember that my parking space is number 14.", "user: Remember that the upload limit is 200 MB.",
		"user: 记住：我的工位在三楼。", "user: 记住：我们的上传上限是 200 MB。")
	r := w.mustCompile(w.pass(nil))
	var facts, pages []string
	for _, m := range r.Pages {
		if m.Type == "fact" {
			facts = append(facts, string(m.Path))
		} else {
			pages = append(pages, m.Title)
		}
	}
	if len(facts) != 2 || len(pages) != 2 || !strings.HasPrefix(facts[0], "agents/coder/facts/") {
		t.Errorf("facts %v, pages %q; want two of each", facts, pages)
	}
}

func TestWhatASessionSaysTwiceOtherwiseIsNamed(t *testing.T) {
	w := newWorld(t)
	w.say("limit", "user: Remember that the upload limit is 200 MB.", "assistant: Noted.", "user: Remember that the upload limit is 500 MB.")
	r := w.mustCompile(w.pass(nil))
	if len(r.Pages) != 2 || len(r.Pages[1].Against) != 1 || r.Pages[1].Against[0].Path != r.Pages[0].Path {
		t.Errorf("%+v, want that the second is against the first", r.Pages)
	}
}
