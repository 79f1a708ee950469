package llmtest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"brain/llm/llmtest"
)

func TestParseScript(t *testing.T) {
	o, replies, err := llmtest.ParseScript(`
=== server window=2048 thinks key=k refuses=json_schema,max_tokens
=== match="the \"heron\"" times=2
{"items": [
  "用 PostgreSQL 15"
]}

===
=== status=429 retry-after=7
slow down
=== cut undone  hang thinking="well, well" reason=length raw={} type=text/plain times=-1
two
lines
`)
	if err != nil {
		t.Fatal(err)
	}
	wantOptions := llmtest.ChatOptions{Window: 2048, Thinks: true, Key: "k", Refuses: []string{"json_schema", "max_tokens"}}
	want := []llmtest.Reply{
		{Match: `the "heron"`, Times: 2, Text: "{\"items\": [\n  \"用 PostgreSQL 15\"\n]}"},
		{},
		{Status: 429, RetryAfter: "7", Message: "slow down"},
		{Cut: true, Undone: true, Hang: true, Thinking: "well, well", Reason: "length", Raw: "{}", Type: "text/plain", Times: -1, Text: "two\nlines"},
	}
	if diff := cmp.Diff(wantOptions, o) + cmp.Diff(want, replies); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"text", "=== colour=red", "=== server colour=red", "=== status=many", "=== server window=wide"} {
		if _, _, err := llmtest.ParseScript(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// A question without a reply must show in a test, not pass for a model without ideas.
func TestQuestionWithoutReplyFails(t *testing.T) {
	s := llmtest.NewScripted(llmtest.Reply{Match: "heron", Text: "{}"})
	if _, err := s.Complete(t.Context(), request("the wren")); err == nil {
		t.Error("a reply for another question was given")
	}
	if _, err := s.Complete(t.Context(), request("the heron")); err != nil {
		t.Error(err)
	}
	if _, err := s.Complete(t.Context(), request("the heron")); err == nil {
		t.Error("a reply was given twice")
	}
	if asked := s.Asked(); len(asked) != 3 || asked[1].User != "the heron" {
		t.Errorf("%+v", asked)
	}
}
