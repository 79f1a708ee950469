package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"brain/llm"
)

// Schema is the form of an answer in the conformance suite.
const Schema = `{"type":"object","required":["items"],"additionalProperties":false,` +
	`"properties":{"items":{"type":"array","items":{"type":"string"}}}}`

const (
	said   = `{"items": ["用 PostgreSQL 15", "the heron is grey"]}`
	system = "You extract what is worth keeping. 只输出 JSON。"
	asks   = "user: 我们决定用 PostgreSQL 15。\nuser: \"The heron\" is <grey> & tall\n"
)

// TestCompleter checks that what open returns keeps the contract of llm.Completer. It
// must ask chat, by the address or the transport in the options, with these options.
func TestCompleter(t *testing.T, open func(t *testing.T, chat *Chat, o llm.ServerOptions) llm.Completer) {
	for _, c := range completions() {
		t.Run(c.name, func(t *testing.T) {
			chat := NewChat(t, c.serves, c.replies...)
			c.check(t, chat, open(t, chat, c.with(chat)))
		})
	}
	for _, c := range patience() {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				chat := newChat(c.serves, c.replies)
				o := c.with(chat)
				o.URL, o.Transport = "http://in.memory", chat.Transport()
				c.check(t, chat, open(t, chat, o))
			})
		})
	}
	plain := func(t *testing.T, replies ...Reply) (*Chat, llm.Completer) {
		chat := NewChat(t, ChatOptions{}, replies...)
		return chat, open(t, chat, completion{}.with(chat))
	}
	t.Run("the question arrives as it was asked", func(t *testing.T) {
		chat, c := plain(t, Reply{Text: said})
		testQuestion(t, chat, c)
	})
	t.Run("concurrent use", func(t *testing.T) {
		_, c := plain(t, concurrentReplies()...)
		testTogether(t, c)
	})
	t.Run("canceled before", func(t *testing.T) {
		chat, c := plain(t, Reply{Text: said})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := c.Complete(ctx, ask(0))
		if !errors.Is(err, llm.Canceled) || !errors.Is(err, context.Canceled) || len(chat.Asked()) > 0 {
			t.Errorf("error %v, %d questions arrived", err, len(chat.Asked()))
		}
	})
	t.Run("canceled meanwhile", func(t *testing.T) {
		gate := NewGate()
		_, c := plain(t, Reply{Text: said, Gate: gate})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-gate.Came()
			cancel()
		}()
		if _, err := c.Complete(ctx, ask(0)); !errors.Is(err, llm.Canceled) || !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("info", func(t *testing.T) {
		_, c := plain(t)
		if i := c.Info(); i.Provider == "" || i.Model != Model || !i.Remote || i.Window != 0 && i.Window != 8192 {
			t.Errorf("%+v", i)
		}
	})
}

// completion is one row of the suite.
type completion struct {
	name    string
	serves  ChatOptions
	replies []Reply
	options llm.ServerOptions
	most    int // tokens of the answer

	want    string    // the answer …
	class   llm.Class // … or the failure
	message string    // in the error
	asked   int       // questions that arrived
	took    [2]time.Duration
}

func (c completion) with(chat *Chat) llm.ServerOptions {
	o := c.options
	o.URL = chat.URL
	if o.Model == "" {
		o.Model = Model
	}
	if o.Backoff == 0 {
		o.Backoff = time.Millisecond
	}
	return o
}

func ask(most int) llm.Request {
	return llm.Request{System: system, User: asks, Schema: json.RawMessage(Schema), MaxTokens: most}
}

func (c completion) check(t *testing.T, chat *Chat, completer llm.Completer) {
	t.Helper()
	got, err := completer.Complete(t.Context(), ask(c.most))
	if c.class == "" && (err != nil || got.Text != c.want) {
		t.Errorf("%q, error %v; want %q", got.Text, err, c.want)
	}
	if c.class != "" {
		checkFailure(t, got, err, c.class, c.message)
	}
	if n := len(chat.Asked()); n != c.asked {
		t.Errorf("%d questions arrived, want %d", n, c.asked)
	}
	if got.Took < c.took[0] || c.took[1] > 0 && got.Took > c.took[1] {
		t.Errorf("took %v, want %v to %v", got.Took, c.took[0], c.took[1])
	}
	if spoke := c.want != "" || c.class == llm.Truncated || c.class == llm.Misshapen; spoke && (got.In == 0 || got.Out == 0 && c.most != 1) {
		t.Errorf("%d tokens in, %d out; the model has read and written", got.In, got.Out)
	}
}

func checkFailure(t *testing.T, got llm.Completion, err error, class llm.Class, message string) {
	t.Helper()
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || !errors.Is(err, class) {
		t.Fatalf("%q, error %v; want class %q", got.Text, err, class)
	}
	if got.Text != "" {
		t.Errorf("%v, and beside it %q", err, got.Text)
	}
	if s := err.Error(); !strings.Contains(s, message) || !strings.HasPrefix(s, "complete: ") || len(s) > 600 || strings.ContainsAny(s, "\n\x1b") {
		t.Errorf("message %q, want one line of \"complete: …\" with %q", s, message)
	}
	if e.Hint == "" || e.Model == "" {
		t.Errorf("%v: hint %q, model %q; none may be empty", err, e.Hint, e.Model)
	}
}

// completions are answers and refusals that need no patience.
func completions() []completion {
	say := func(text string) []Reply { return []Reply{{Text: text}} }
	long := strings.Repeat("and so on, ", 4000)
	return []completion{
		{name: "good answer", replies: say(said), want: said, asked: 1},
		{name: "prose around", replies: say("Here you are:\n\n" + said + "\n\nAnything else?"), want: said, asked: 1},
		{name: "thoughts in the answer", replies: say("<think>Perhaps {\"items\": []}?</think>\n" + said), want: said, asked: 1},
		{name: "thoughts beside the answer", serves: ChatOptions{Thinks: true}, replies: []Reply{{Thinking: `{"items": []}`, Text: said}}, want: said, asked: 1},
		{name: "thoughts without end", replies: say("<think>Perhaps {\"items\": []}? No: " + said), want: said, asked: 1},
		{name: "fence", replies: say("```json\n" + said + "\n```"), want: said, asked: 1},
		{name: "decoy before", replies: say(`For {"example": true} I give ` + said), want: said, asked: 1},
		{name: "another content type", replies: []Reply{{Text: said, Type: "text/plain"}}, want: said, asked: 1},
		{name: "key", serves: ChatOptions{Key: "secret"}, replies: say(said), options: llm.ServerOptions{Key: "secret"}, want: said, asked: 1},

		{name: "no JSON", replies: say("I cannot do that."), class: llm.Misshapen, message: "no whole JSON object", asked: 1},
		{name: "broken JSON", replies: say(said[:len(said)-1]), class: llm.Misshapen, asked: 1},
		{name: "other keys", replies: say(`{"facts": []}`), class: llm.Misshapen, message: `no "items"`, asked: 1},
		{name: "misshapen is not asked again", replies: say("no"), options: llm.ServerOptions{Retries: 5}, class: llm.Misshapen, asked: 1},
		{name: "empty", replies: say(""), options: llm.ServerOptions{Retries: 5}, class: llm.Protocol, message: "empty", asked: 1},
		{name: "thoughts alone", serves: ChatOptions{Thinks: true}, replies: []Reply{{Thinking: said}}, class: llm.Protocol, message: "empty", asked: 1},
		{name: "too long", replies: say(said + long), most: 200, class: llm.Truncated, asked: 1},
		{name: "cut off by the length", replies: say(said), most: 6, class: llm.Truncated, asked: 1},
		{name: "told to be cut off", replies: []Reply{{Text: said, Reason: "length"}}, class: llm.Truncated, asked: 1},
		{name: "not done", replies: []Reply{{Text: said, Undone: true}}, class: llm.Protocol, asked: 1},
		{name: "half an answer", replies: []Reply{{Text: said, Cut: true}}, class: llm.Protocol, message: "EOF", asked: 1},
		{name: "half an answer, then a whole one", replies: []Reply{{Text: said, Cut: true}, {Text: said}}, options: llm.ServerOptions{Retries: 1}, want: said, asked: 2},
		{name: "flood", replies: []Reply{{Raw: `{"pad":"` + strings.Repeat("x", 9_000_000) + `"}`}}, options: llm.ServerOptions{Retries: 5}, class: llm.Protocol, message: "8 MB", asked: 1},
		{name: "nonsense", replies: []Reply{{Raw: `{"message": nonsense` + long}}, class: llm.Protocol, asked: 1},
		{name: "another object", replies: []Reply{{Raw: `{"hello":"world"}`}}, class: llm.Protocol, asked: 1},
		{name: "other types", replies: []Reply{{Raw: `{"message":7,"choices":7,"done":true}`}}, class: llm.Protocol, asked: 1},
		{name: "an error inside", replies: []Reply{{Raw: `{"error":{"message":"out of memory"}}`}}, class: llm.ServerFault, message: "out of memory", asked: 1},
		{name: "no error inside", replies: []Reply{{Raw: `{"error":null,"done":true,"message":{"content":"{\"items\":[]}"},` +
			`"choices":[{"finish_reason":"stop","message":{"content":"{\"items\":[]}"}}]}`}}, want: `{"items":[]}`, asked: 1},
		{name: "busy inside", replies: []Reply{{Raw: `{"error":{"message":"slow down","code":429}}`}, {Text: said}}, options: llm.ServerOptions{Retries: 1}, want: said, asked: 2},
		{name: "web page", serves: ChatOptions{Website: true}, class: llm.NotAServer, message: "It works"},
		{name: "web page instead of an answer", replies: []Reply{{Raw: "<html>log in</html>", Type: "text/html"}}, class: llm.NotAServer, message: "log in", asked: 1},
		{name: "no such model", replies: say(said), options: llm.ServerOptions{Model: "nope"}, class: llm.ModelMissing, message: "nope", asked: 1},
		{name: "wrong key", serves: ChatOptions{Key: "secret"}, options: llm.ServerOptions{Key: "guess", Retries: 5}, class: llm.Unauthorized, message: "401"},

		refusal(400, "bad request", llm.Refused, 1), refusal(422, "unprocessable", llm.Refused, 1),
		refusal(401, "who are you", llm.Unauthorized, 1), refusal(403, "not for you", llm.Unauthorized, 1),
		refusal(400, "the prompt is longer than the context length", llm.TooLong, 1), refusal(404, "model 'fake' not found", llm.ModelMissing, 1),
		refusal(429, "slow down", llm.Overloaded, 4), refusal(502, "", llm.Overloaded, 4), refusal(503, "loading model", llm.Overloaded, 4),
		refusal(504, "", llm.Overloaded, 4), refusal(500, "out of memory", llm.ServerFault, 4),
		{name: "busy, never asked again", replies: []Reply{{Status: 429}, {Text: said}}, class: llm.Overloaded, asked: 1},
		{name: "busy, then good", replies: []Reply{{Status: 429}, {Status: 503}, {Text: said}}, options: llm.ServerOptions{Retries: 2}, want: said, asked: 3},
		{name: "a fault, then good", replies: []Reply{{Status: 500}, {Text: said}}, options: llm.ServerOptions{Retries: 1}, want: said, asked: 2},
		{name: "busy, then refused", replies: []Reply{{Status: 503}, {Status: 403, Times: -1}}, options: llm.ServerOptions{Retries: 5}, class: llm.Unauthorized, asked: 2},
	}
}

// refusal is a server that says the same for ever, asked by one who would try three
// times more.
func refusal(status int, message string, class llm.Class, asked int) completion {
	return completion{name: fmt.Sprintf("%d %s", status, message), replies: []Reply{{Status: status, Message: message, Times: -1}},
		options: llm.ServerOptions{Retries: 3}, class: class, message: message, asked: asked}
}

// patience are rows that wait, under a fake clock.
func patience() []completion {
	s := time.Second
	return []completion{
		{name: "silence", replies: []Reply{{Hang: true}}, options: llm.ServerOptions{Timeout: 10 * time.Minute, Retries: 5},
			class: llm.Timeout, message: "10m0s", asked: 1, took: [2]time.Duration{10 * time.Minute, 10*time.Minute + 5*s}},
		{name: "silence, unless told otherwise", replies: []Reply{{Hang: true}},
			class: llm.Timeout, message: "5m0s", asked: 1, took: [2]time.Duration{5 * time.Minute, 5*time.Minute + 5*s}},
		{name: "pauses double", replies: []Reply{{Status: 503, Times: 4}, {Text: said}}, options: llm.ServerOptions{Retries: 4, Backoff: s},
			want: said, asked: 5, took: [2]time.Duration{15 * s / 2, 15 * s}},
		{name: "pauses end", replies: []Reply{{Status: 503, Times: -1}}, options: llm.ServerOptions{Retries: 10, Backoff: s},
			class: llm.Overloaded, asked: 11, took: [2]time.Duration{(31 + 5*30) * s / 2, (31 + 5*30) * s}},
		{name: "the server names a pause", replies: []Reply{{Status: 429, RetryAfter: "7"}, {Text: said}}, options: llm.ServerOptions{Retries: 1},
			want: said, asked: 2, took: [2]time.Duration{7 * s, 7 * s}},
		{name: "the server names a day", replies: []Reply{{Status: 429, RetryAfter: "86400"}, {Text: said}}, options: llm.ServerOptions{Retries: 1},
			want: said, asked: 2, took: [2]time.Duration{30 * s, 30 * s}},
	}
}

func testQuestion(t *testing.T, chat *Chat, c llm.Completer) {
	got, err := c.Complete(t.Context(), ask(300))
	if err != nil || got.Text != said {
		t.Fatalf("%q, error %v", got.Text, err)
	}
	q := chat.Asked()[0]
	if q.System != system || q.User != asks || q.Model != Model || q.MaxTokens != 300 {
		t.Errorf("asked %+v", q)
	}
	if q.Temperature == nil || *q.Temperature != 0 {
		t.Errorf("temperature %v, want 0", q.Temperature)
	}
	var sent, want any
	if json.Unmarshal(q.Schema, &sent) != nil || json.Unmarshal([]byte(Schema), &want) != nil || fmt.Sprint(sent) != fmt.Sprint(want) {
		t.Errorf("schema %s, want %s", q.Schema, Schema)
	}
	if got.In != Tokens(system)+Tokens(asks) || got.Out != Tokens(said) {
		t.Errorf("%d tokens in, %d out; the server counts %d and %d", got.In, got.Out, Tokens(system)+Tokens(asks), Tokens(said))
	}
}

func concurrentReplies() (replies []Reply) {
	for i := range 8 {
		replies = append(replies, Reply{Match: fmt.Sprintf("question %d.", i), Text: fmt.Sprintf(`{"items": ["answer %d"]}`, i), Times: -1})
	}
	return replies
}

func testTogether(t *testing.T, c llm.Completer) {
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 5 {
				got, err := c.Complete(t.Context(), llm.Request{User: fmt.Sprintf("question %d.", i), Schema: json.RawMessage(Schema)})
				if want := fmt.Sprintf(`{"items": ["answer %d"]}`, i); err != nil || got.Text != want {
					t.Errorf("%q, error %v; want %q", got.Text, err, want)
				}
				c.Info()
			}
		})
	}
	group.Wait()
}
