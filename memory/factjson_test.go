package memory

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func fromJSON(t *testing.T, raw string) Fact {
	t.Helper()
	f, err := factFrom(json.RawMessage(raw), "", "", noon)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return f
}

func toJSON(t *testing.T, f Fact) string {
	t.Helper()
	raw, err := plainJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// MS26, deermem 1.2
func TestASourceIsOneWordInJSON(t *testing.T) {
	for word, s := range map[string]Source{
		"thread-1":      {Type: "conversation", Thread: "thread-1"},
		"manual":        {Type: "manual"},
		"consolidation": {Type: "consolidation"},
		"import":        {Type: "import"},
		"unknown":       {Type: "unknown"},
	} {
		if got := s.word(); got != word {
			t.Errorf("%+v is shown as %q, want %q", s, got, word)
		}
		if got := sourceOf(word); got != s {
			t.Errorf("%q is read as %+v, want %+v", word, got, s)
		}
	}
	for raw, want := range map[string]Source{
		`"  "`:                                   {Type: "unknown"},
		`7`:                                      {Type: "unknown"},
		`null`:                                   {Type: "unknown"},
		`{"type":"manual"}`:                      {Type: "manual"},
		`{"threadId":"t","type":"conversation"}`: {Type: "conversation", Thread: "t"},
	} {
		if got := fromJSON(t, `{"content":"x","source":`+raw+`}`).Source; got != want {
			t.Errorf("source %s is read as %+v, want %+v", raw, got, want)
		}
	}
}

// MS31, MX02
func TestAConfidenceThatIsNoNumberIsTheDefault(t *testing.T) {
	digits := strings.Repeat("9", 400)
	for raw, want := range map[string]float64{
		`0`: 0, `0.25`: .25, `"0.8"`: .8, `1.7`: 1, `-3`: 0,
		`null`: .5, `true`: .5, `"high"`: .5, `"NaN"`: .5, `[]`: .5, digits: .5, `1e400`: .5, `-` + digits: .5,
	} {
		if got := fromJSON(t, `{"content":"x","confidence":`+raw+`}`).Confidence; got != want {
			t.Errorf("confidence %.20s is read as %v, want %v", raw, got, want)
		}
	}
	if got := fromJSON(t, `{"content":"x"}`).Confidence; got != .5 {
		t.Errorf("no confidence is read as %v", got)
	}
}

// MX02
func TestWhatAnOldFactLacksGetsItsDefault(t *testing.T) {
	got := fromJSON(t, `{"id":" fact_1 ","content":"  Likes tea \r\n","category":" ","createdAt":"","expected_valid_days":0.5,"topics":"none","sourceError":7}`)
	want := Fact{ID: "fact_1", Content: "Likes tea", Confidence: .5, Source: Source{Type: "unknown"}, Revision: 1, Created: noon}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Fact{})); diff != "" {
		t.Error(diff)
	}
}

// MX01, MX05
func TestWhatIsNoFactInJSONIsRefused(t *testing.T) {
	for _, raw := range []string{
		`"Likes tea"`, `[]`, `null`, `{}`, `{"content":7}`, `{"content":" \n "}`,
		`{"content":"x","id":"a/b"}`, `{"content":"x","id":"../x"}`,
		`{"content":"x","revision":-1}`, `{"content":"x","revision":0}`, `{"content":"x","revision":1.5}`, `{"content":"x","revision":true}`,
		`{"content":"x","status":"archived"}`, `{"content":"x\u0000y"}`,
	} {
		if f, err := factFrom(json.RawMessage(raw), "", "", noon); !errors.Is(err, ErrFact) {
			t.Errorf("%s is read as %+v, %v", raw, f, err)
		}
	}
}

func TestAFactComesBackFromJSONWithAllItsKeys(t *testing.T) {
	const file = `---
id: fact_abc12345
category: other
confidence: 0.0
source:
  type: conversation
  threadId: thread-1
expected_valid_days: 120
sourceError: said spaces
schemaVersion: 2
categoryExtension: 知识
status: active
topics:
- tabs
consolidatedFrom:
- fact_1
createdAt: '2026-11-29T17:56:24.877586Z'
updatedAt: '2026-11-29T18:00:00Z'
revision: 3
consolidatedAt: '2026-11-29T18:00:00Z'
lastConfirmedAt: '2026-11-30T09:00:00Z'
confirmationCount: 2
provenance:
  session_id: s-1
  turns:
  - 4
labels: {"place":["home","wörk"],"since":2024}
mood: 'no'
when: '2026-11-29'
user_id: null
agent_name: __default__
---

# Tabs

Likes <tabs> over spaces

- really
`
	f, _, err := ParseFact("agents/__default__/facts/cc/fact_abc12345.md", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	got, err := FormatFact(fromJSON(t, toJSON(t, f)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file, string(got)); diff != "" {
		t.Error(diff)
	}
	const want = `{"id":"fact_abc12345","content":"Likes <tabs> over spaces\n\n- really","category":"知识","confidence":0,"source":"thread-1","title":"Tabs",` +
		`"sourceError":"said spaces","expected_valid_days":120,"status":"active","topics":["tabs"],"consolidatedFrom":["fact_1"],` +
		`"createdAt":"2026-11-29T17:56:24.877586Z","updatedAt":"2026-11-29T18:00:00Z","revision":3,"consolidatedAt":"2026-11-29T18:00:00Z",` +
		`"lastConfirmedAt":"2026-11-30T09:00:00Z","confirmationCount":2,"provenance":{"session_id":"s-1","turns":[4]},` +
		`"labels":{"place":["home","wörk"],"since":2024},"mood":"no","when":"2026-11-29"}`
	if diff := cmp.Diff(want, toJSON(t, f)); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownKeysOfAnyKindSurviveJSON(t *testing.T) {
	const raw = `{"id":"fact_1","content":"x","a":"plain","b":" \"quoted\": #","c":[1,2.5,null,true,"<b>\n"],"d":{"k":{"x":"\u2028"}},"e":false,"f":null,"odd key: #":1e5,"scope":{"userId":"u"}}`
	f := fromJSON(t, raw)
	file, err := FormatFact(f)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := FactPath("", f.ID)
	f, problems, err := ParseFact(p, file)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %v\n%s", err, problems, file)
	}
	var want, got map[string]any
	if err := errors.Join(json.Unmarshal([]byte(raw), &want), json.Unmarshal([]byte(toJSON(t, f)), &got)); err != nil {
		t.Fatal(err)
	}
	delete(want, "scope") // the caller's, not the document's
	for name, value := range want {
		if diff := cmp.Diff(value, got[name]); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
