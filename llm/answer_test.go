package llm

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const itemsSchema = `{"type":"object","required":["items"],"properties":{
	"items":{"type":"array"},"note":{"type":["string","null"]},"sure":{"type":"number"},"count":{"type":"integer"},"ok":{"type":"boolean"},"any":{}},
	"additionalProperties":false}`

const good = `{"items": [{"text": "用 PostgreSQL 15", "turns": [1, 2]}]}`

// Also behind thoughts, in a fence (I05).
func TestAnswerIsFound(t *testing.T) {
	for name, reply := range map[string]string{
		"alone":                  good,
		"white space":            "\n\t " + good + "\n",
		"byte order mark":        "\ufeff" + good,
		"prose around":           "Sure! Here is the object:\n" + good + "\nLet me know if you need more.",
		"中文说明":                   "好的，结果如下：" + good + "。以上。",
		"fence":                  "```json\n" + good + "\n```",
		"fence without language": "Answer:\n```\n" + good + "\n```\nDone.",
		"half a fence":           "```json\n" + good,
		"decoy before":           `An item looks like {"text": "x", "turns": [1]}. ` + good,
		"decoy of another type":  `{"items": "none yet"} ` + good,
		"decoy inside a fence":   "```json\n{\"error\": null}\n```\n" + good,
		"braces in prose":        "The set {a, b} and f(x) { return } " + good,
		"quote and brace":        `He said: {"unclosed ` + good,
		"broken before":          `{"items": [1, 2,]} {'items': []} {items: []} {"items": [NaN]} ` + good,
		"cut off before":         `{"items": [{"text": "x` + "\n" + good,
		"second answer after":    good + ` {"items": ["another"]}`,
		"think":                  "<think>Maybe {\"items\": [\"draft\"]}?</think>\n" + good,
		"THINK, with attributes": "<Think duration=\"3\">{\"items\": []}</THINK >" + good,
		"thinking":               "<thinking>{\"items\": []}</thinking>" + good,
		"reasoning":              "<reasoning>\n{\"items\": []}\n</reasoning>\n\n" + good,
		"think in think":         "<think>a<think>{\"items\": []}</think>{\"items\": [2]}</think>" + good,
		"two blocks":             "<think>{\"items\": []}</think><reasoning>{\"items\": []}</reasoning>" + good,
		"beginning not sent":     "Let me see. {\"items\": [\"draft\"]} No.\n</think>\n" + good,
		"end not sent":           "<think>First {\"items\": [\"draft\"]}, better: " + good,
		"brackets":               "[THINK]{\"items\": []}[/THINK]" + good,
		"triangles":              "◁think▷{\"items\": []}◁/think▷" + good,
		"begin of thought":       "<|begin_of_thought|>{\"items\": []}<|end_of_thought|>" + good,
		"harmony": "<|channel|>analysis<|message|>We need {\"items\": []}<|end|><|start|>assistant" +
			"<|channel|>final<|message|>" + good + "<|return|>",
		"harmony, two thoughts": "<|channel|>analysis<|message|>{\"items\": []}<|end|><|channel|>commentary<|message|>{\"items\": []}<|end|>" +
			"<|channel|>final <|constrain|>json<|message|>" + good,
		"harmony without marks": "analysisWe need {\"items\": [1]}assistantfinal" + good,
		"answer, then thoughts": good + "<think>was that right? {\"items\": []}",
		"a mark is mentioned":   "I use no <think> block. " + good,
	} {
		got, err := Answer(reply, json.RawMessage(itemsSchema))
		if err != nil || string(got) != good {
			t.Errorf("%s: %q, error %v", name, got, err)
		}
	}
}

func TestTagsInsideTheAnswerAreText(t *testing.T) {
	for _, want := range []string{
		`{"items": ["he wrote </think> and <think> { \" }"]}`,
		`{"items": ["<|channel|>final ` + "```json" + ` assistantfinal"]}`,
	} {
		for _, before := range []string{"", "<think>x</think>", "Well, "} {
			if got, err := Answer(before+want, json.RawMessage(itemsSchema)); err != nil || string(got) != want {
				t.Errorf("%q before: %q, error %v", before, got, err)
			}
		}
	}
}

func TestNoAnswerIsSaidAsSuch(t *testing.T) {
	for name, c := range map[string]struct{ reply, why string }{
		"empty":                      {"", "it is empty"},
		"blank":                      {" \n", "it is empty"},
		"prose":                      {"I cannot do that.", "no whole JSON object in 17 bytes"},
		"an array":                   {`["items"]`, "no whole JSON object"},
		"another object":             {`{"result": []}`, `no "items"`},
		"wrapped":                    {`{"answer": ` + good + `}`, `no "items"`},
		"in other letters":           {`{"Items": []}`, `no "items"`},
		"another type":               {`{"items": {}}`, `"items" is not of type array`},
		"null":                       {`{"items": null}`, `"items" is not of type array`},
		"a wrong optional":           {`{"items": [], "note": 3}`, `"note" is not of type string or null`},
		"no whole number":            {`{"items": [], "count": 1.5}`, `"count" is not of type integer`},
		"text for a number":          {`{"items": [], "sure": "0.9"}`, `"sure" is not of type number`},
		"text for a truth":           {`{"items": [], "ok": "true"}`, `"ok" is not of type boolean`},
		"cut off":                    {good[:len(good)-1], `no "items"`},
		"comma at the end":           {`{"items": [],}`, "no whole JSON object"},
		"single quotes":              {`{'items': []}`, "no whole JSON object"},
		"comment":                    {`{"items": [] /* none */}`, "no whole JSON object"},
		"thoughts alone":             {"<think>" + good + "</think> I found nothing.", "no whole JSON object"},
		"thoughts without an answer": {good + "</think>", "no whole JSON object"},
		"line break in a string":     {"{\"items\": [\"a\nb\"]}", "no whole JSON object"},
	} {
		got, err := Answer(c.reply, json.RawMessage(itemsSchema))
		if !errors.Is(err, Misshapen) || !strings.Contains(err.Error(), c.why) || got != nil {
			t.Errorf("%s: %q, error %v; want one with %q", name, got, err, c.why)
		}
		if c.reply != "" && len(c.reply) > 5 && err != nil && strings.Contains(err.Error(), c.reply) {
			t.Errorf("%s: the error quotes the reply: %v", name, err)
		}
	}
}

func TestOptionalKeysMayHaveEachOfTheirTypes(t *testing.T) {
	for _, reply := range []string{
		`{"items": [], "note": null}`, `{"items": [], "note": "x"}`, `{"items":[],"sure":-1.5e3,"count":0,"ok":false,"any":[{}],"more":1}`,
	} {
		if _, err := Answer(reply, json.RawMessage(itemsSchema)); err != nil {
			t.Errorf("%s: %v", reply, err)
		}
	}
}

func TestKeysThatTheCallerCanDoWithoutAreNotAskedFor(t *testing.T) {
	const schema = `{"type":"object","required":["items","more"],"properties":{"items":{"type":"array"},"more":{"type":"object"}}}`
	for _, reply := range []string{`{"items": []}`, `{"items": [], "more": null}`, `{"items": [], "more": 7}`, `{"items": [], "more": {}}`} {
		if got, err := Answer(`{"more": {}} `+reply, json.RawMessage(schema), "more"); err != nil || string(got) != reply {
			t.Errorf("%s: %s, %v", reply, got, err)
		}
		if _, err := Answer(reply, json.RawMessage(schema)); (err == nil) != (reply == `{"items": [], "more": {}}`) {
			t.Errorf("%s, where more is required: %v", reply, err)
		}
	}
}

func TestWithoutSchemaAnyObjectAnswers(t *testing.T) {
	for _, schema := range []string{"", `{}`, `{"type":"object"}`} {
		if got, err := Answer(`x {"a": 1}`, json.RawMessage(schema)); err != nil || string(got) != `{"a": 1}` {
			t.Errorf("schema %q: %q, error %v", schema, got, err)
		}
	}
	for _, schema := range []string{`{`, `[]`, `{"properties":{"a":{"type":3}}}`} {
		if _, err := Answer(good, json.RawMessage(schema)); !errors.Is(err, BadOption) {
			t.Errorf("schema %q: error %v", schema, err)
		}
	}
}

// A search that looked at the rest of the reply again for each of its parts would go
// over it tens of thousands of times.
func TestHostileRepliesCostWorkInProportion(t *testing.T) {
	const size = 1 << 16
	f, err := newForm(json.RawMessage(itemsSchema), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"{", `{"`, `{"a":`, `{"a":[`, `{"a":[{},`, `[`, `{"a":{"b":[1,"x",`, `<think>`, `</think>`, `<think>{"a":1}`, `{"items":`, `{"\"`, `{"{`,
		"<think>{", `{"a":"`, `<|channel|>analysis`, `{"a":1}`, `{ `, "◁think▷{\"", `{"items":[]}</think>`, `{"a":"\u00`, `{"a":[1,{"b":"{`,
	} {
		reply := strings.Repeat(part, size/len(part))
		for _, whole := range []string{reply, reply + good, "{" + reply, `{"items":["` + reply, "<think>" + reply} {
			s := newSearch(f, whole)
			s.run()
			if most := 2 * (deepest + 1) * len(whole); s.scanned > most {
				t.Errorf("%.20q…: %d bytes were gone over for %d, want %d at most", whole, s.scanned, len(whole), most)
			}
		}
	}
}

// Whatever is talked around it, the object is found as it was written.
func TestAnswerIsFoundAmongAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(rapid.String(), 0, 5).Draw(t, "items")
		raw, err := json.Marshal(map[string]any{"items": items})
		if err != nil {
			t.Fatal(err)
		}
		noise := rapid.SliceOf(rapid.SampledFrom([]string{
			"Sure. ", "\n", "{", "}", `{"a": 1}`, "```json\n", "[1]", "数据", `{"items": 1}`, "<think>x</think>", "</reasoning>", "\ufeff", `\"`, "{a}",
		}))
		before := strings.Join(noise.Draw(t, "before"), "")
		after := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"}", " ok", "```", `{"items": []}`, "<think>"})).Draw(t, "after"), "")
		got, err := Answer(before+string(raw)+after, json.RawMessage(itemsSchema))
		if err != nil || string(got) != string(raw) {
			t.Fatalf("%q + %s + %q: %q, error %v", before, raw, after, got, err)
		}
	})
}

// The scanner and encoding/json agree on what an object is, up to the depth it allows.
func FuzzScanObject(f *testing.F) {
	for _, s := range []string{
		good, `{}`, `{"a":{"b":[1,-0.5e+3,true,false,null,"\u00e9\n\\"]}} `, `{"a":01}`, `{"a":1.}`, `{"a":.5}`, `{"a":-}`, `{"a":1e}`, `{"a"}`,
		`{"a":1,}`, `{,}`, `{"a":"\x"}`, "{\"a\":\"\n\"}", `{"a":tru}`, `{"a":[1,]}`, `{"a":[}`, `{"a" : [ ] , "b":{ } }`, "{\"\xff\":\"\xc3\"}", `{"a":"\uD8"}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !strings.HasPrefix(s, "{") || strings.Count(s, "{")+strings.Count(s, "[") > deepest {
			return
		}
		end, ok := scanObject(s, 0)
		var want json.RawMessage
		d := json.NewDecoder(strings.NewReader(s))
		err := d.Decode(&want)
		if ok != (err == nil) || ok && string(want) != s[:end] {
			t.Fatalf("%q: %v up to %d, encoding/json says %q, %v", s, ok, end, want, err)
		}
	})
}

func TestDepthIsBounded(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	if _, ok := scanObject(nested(deepest), 0); !ok {
		t.Errorf("%d levels are refused", deepest)
	}
	if _, ok := scanObject(nested(deepest+1), 0); ok {
		t.Errorf("%d levels are taken", deepest+1)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add("<think>{\"items\":1}</think>```json\n" + good)
	f.Add("<|channel|>analysis{\"items\":[]}assistantfinal" + good)
	f.Add(`[think]{"items":[1,{"a":"}"}]}[/think]{"items":[]}`)
	fit, err := newForm(json.RawMessage(itemsSchema), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		s := newSearch(fit, reply)
		if s.run(); s.scanned > 2*(deepest+1)*len(reply) {
			t.Fatalf("%q: %d bytes gone over", reply, s.scanned)
		}
		got, err := Answer(reply, json.RawMessage(itemsSchema))
		if err != nil {
			if !errors.Is(err, Misshapen) || got != nil {
				t.Fatalf("%q, %v", got, err)
			}
			return
		}
		var v struct{ Items *[]any }
		if !strings.Contains(reply, string(got)) || json.Unmarshal(got, &v) != nil || v.Items == nil {
			t.Fatalf("%q gives %q", reply, got)
		}
	})
}
