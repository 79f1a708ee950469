package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"brain/llm"
	"brain/llm/llmtest"
)

// chats are the two clients that complete.
var chats = []struct {
	name string
	open func(llm.ServerOptions) (llm.Completer, error)
}{
	{"ollama", llm.NewOllamaCompleter},
	{"openai", llm.NewOpenAICompleter},
}

const answer = `{"items": ["a heron"]}`

// request asks for items; its text has so many tokens.
func request(tokens, most int) llm.Request {
	return llm.Request{User: strings.Repeat("word ", tokens*4/5), Schema: json.RawMessage(llmtest.Schema), MaxTokens: most}
}

func TestCompletersKeepTheContract(t *testing.T) {
	for _, p := range chats {
		t.Run(p.name, func(t *testing.T) {
			llmtest.TestCompleter(t, func(t *testing.T, _ *llmtest.Chat, o llm.ServerOptions) llm.Completer {
				c, err := p.open(o)
				if err != nil {
					t.Fatal(err)
				}
				return c
			})
		})
	}
}

func openChat(t *testing.T, open func(llm.ServerOptions) (llm.Completer, error), url string) llm.Completer {
	t.Helper()
	c, err := open(llm.ServerOptions{URL: url, Model: llmtest.Model})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Who cannot be reached is told apart, each with another next step (I08).
func TestUnreachableChats(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	plain := llmtest.NewChat(t, llmtest.ChatOptions{})
	secure := httptest.NewTLSServer(plain)
	secure.Config.ErrorLog = quiet(t)
	t.Cleanup(secure.Close)
	website := llmtest.NewChat(t, llmtest.ChatOptions{Website: true})
	for _, p := range chats {
		steps := map[string]string{}
		for name, c := range map[string]struct {
			url, model string
			class      llm.Class
		}{
			"nobody listens":      {"http://" + closed.Addr().String(), llmtest.Model, llm.Down},
			"wrong port":          {website.URL, llmtest.Model, llm.NotAServer},
			"unknown certificate": {secure.URL, llmtest.Model, llm.TLS},
			"no such model":       {plain.URL, "nope", llm.ModelMissing},
		} {
			completer, err := p.open(llm.ServerOptions{URL: c.url, Model: c.model})
			if err != nil {
				t.Fatal(err)
			}
			_, err = completer.Complete(t.Context(), request(10, 100))
			e := checkError(t, err, c.class, "complete: "+c.model+" at ")
			if other, seen := steps[e.Hint]; seen {
				t.Errorf("%s: %s and %s have the same next step, %q", p.name, name, other, e.Hint)
			}
			steps[e.Hint] = name
		}
	}
}

func TestBadOptionsOfCompleters(t *testing.T) {
	for _, p := range chats {
		for _, o := range []llm.ServerOptions{
			{URL: "http://localhost"}, {URL: "ftp://localhost", Model: "m"}, {URL: "http://user:password@[", Model: "m"},
			{URL: "localhost", Model: "m", Timeout: -1}, {URL: "localhost", Model: "m", Retries: -1},
		} {
			c, err := p.open(o)
			if c != nil || !errors.Is(err, llm.BadOption) || !strings.HasPrefix(err.Error(), "complete: ") || strings.Contains(err.Error(), "password") {
				t.Errorf("%s: %+v: %v, error %v", p.name, o, c, err)
			}
		}
	}
	if _, err := llm.NewOpenAICompleter(llm.ServerOptions{Model: "m"}); !errors.Is(err, llm.BadOption) {
		t.Errorf("openai without an address: %v", err)
	}
}

// The server would cut the beginning off a question that is longer than its context,
// and load the model anew for a context of another size.
func TestOllamaContextHasRoomForAll(t *testing.T) {
	chat := llmtest.NewChat(t, llmtest.ChatOptions{Window: 20_000}, llmtest.Reply{Text: answer, Times: -1})
	c := openChat(t, llm.NewOllamaCompleter, chat.URL)
	for _, step := range []struct{ tokens, most, want int }{
		{100, 100, 4096}, {2800, 300, 4096}, {3000, 1000, 8192}, {100, 100, 8192}, {8000, 1000, 16384}, {14_000, 2000, 20_000}, {10, 10, 20_000},
	} {
		if _, err := c.Complete(t.Context(), request(step.tokens, step.most)); err != nil {
			t.Fatalf("%+v: %v", step, err)
		}
		asked := chat.Asked()
		if got := asked[len(asked)-1]; got.Context != step.want || got.MaxTokens != step.most {
			t.Errorf("%+v: context %d, answer %d", step, got.Context, got.MaxTokens)
		}
	}
	if i := c.Info(); i.Window != 20_000 {
		t.Errorf("%+v", i)
	}
}

// The estimate takes a letter of any alphabet for a quarter of a token; this server
// counts a whole one. What does not fit is never cut off in silence.
func TestOllamaContextGrowsWhereTheEstimateWasShort(t *testing.T) {
	for _, c := range []struct {
		letters int
		class   llm.Class
	}{{9000, ""}, {15_000, ""}, {30_000, llm.TooLong}} {
		chat := llmtest.NewChat(t, llmtest.ChatOptions{Window: 20_000}, llmtest.Reply{Text: answer, Times: -1})
		r := llm.Request{User: strings.Repeat("ж", c.letters), Schema: json.RawMessage(llmtest.Schema), MaxTokens: 100}
		_, err := openChat(t, llm.NewOllamaCompleter, chat.URL).Complete(t.Context(), r)
		if c.class == "" && err != nil || c.class != "" && !errors.Is(err, c.class) {
			t.Errorf("%d letters: error %v", c.letters, err)
		}
		for _, q := range chat.Asked() {
			if q.User != r.User {
				t.Errorf("%d letters: %d arrived", c.letters, len(q.User)/2)
			}
		}
	}
}

func TestOllamaIsNotAskedMoreThanTheModelTakes(t *testing.T) {
	chat := llmtest.NewChat(t, llmtest.ChatOptions{Window: 2048})
	_, err := openChat(t, llm.NewOllamaCompleter, chat.URL).Complete(t.Context(), request(1500, 1000))
	checkError(t, err, llm.TooLong, "it takes 2048 tokens; the question has about 1532 and the answer may have 1000")
	if n := len(chat.Asked()); n > 0 {
		t.Errorf("%d questions arrived", n)
	}
}

// A default is a promise too: 4,096 tokens of answer.
func TestLengthOfAnswerHasADefault(t *testing.T) {
	for _, p := range chats {
		chat := llmtest.NewChat(t, llmtest.ChatOptions{}, llmtest.Reply{Text: answer})
		if _, err := openChat(t, p.open, chat.URL).Complete(t.Context(), request(10, 0)); err != nil {
			t.Fatal(err)
		}
		if got := chat.Asked()[0].MaxTokens; got != 4096 {
			t.Errorf("%s: the answer may have %d tokens", p.name, got)
		}
	}
}

func TestOllamaIsToldNotToThink(t *testing.T) {
	for name, c := range map[string]struct {
		serves llmtest.ChatOptions
		want   []string // what the requests say of thinking
	}{
		"a model that cannot":      {llmtest.ChatOptions{}, []string{"-", "-"}},
		"a model that can":         {llmtest.ChatOptions{Thinks: true}, []string{"false", "false"}},
		"a model that always does": {llmtest.ChatOptions{Thinks: true, Refuses: []string{"think"}}, []string{"false", "-", "-"}},
	} {
		t.Run(name, func(t *testing.T) {
			chat := llmtest.NewChat(t, c.serves, llmtest.Reply{Text: answer, Times: -1})
			completer := openChat(t, llm.NewOllamaCompleter, chat.URL)
			for range 2 {
				if got, err := completer.Complete(t.Context(), request(10, 100)); err != nil || got.Text != answer {
					t.Fatalf("%q, error %v", got.Text, err)
				}
			}
			var got []string
			for _, q := range chat.Asked() {
				if q.Think == nil {
					got = append(got, "-")
				} else {
					got = append(got, fmt.Sprint(*q.Think))
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("said of thinking: %v, want %v", got, c.want)
			}
		})
	}
}

// What a server does not take is left out, and not tried again.
func TestOpenAIDialects(t *testing.T) {
	for name, c := range map[string]struct {
		refuses []string
		asked   int // for two answers
		form    string
		inWords bool // the schema stands in the prompt
		warm    bool
		long    bool
	}{
		"takes all":            {nil, 2, "json_schema", false, false, false},
		"no schema":            {[]string{"json_schema"}, 3, "json_object", true, false, false},
		"no form at all":       {[]string{"json_schema", "json_object"}, 4, "", true, false, false},
		"the long name":        {[]string{"max_tokens"}, 3, "json_schema", false, false, true},
		"its own temperature":  {[]string{"temperature"}, 3, "json_schema", false, true, false},
		"takes hardly a thing": {[]string{"json_schema", "json_object", "max_tokens", "temperature"}, 6, "", true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			chat := llmtest.NewChat(t, llmtest.ChatOptions{Refuses: c.refuses}, llmtest.Reply{Text: answer, Times: -1})
			completer := openChat(t, llm.NewOpenAICompleter, chat.URL)
			for range 2 {
				if got, err := completer.Complete(t.Context(), request(10, 100)); err != nil || got.Text != answer {
					t.Fatalf("%q, error %v", got.Text, err)
				}
			}
			asked := chat.Asked()
			last := asked[len(asked)-1]
			if len(asked) != c.asked || last.Form != c.form || strings.Contains(last.System, `"items"`) != c.inWords ||
				(last.Temperature == nil) != c.warm || (last.Header.Get("Long-Name") != "") != c.long || last.MaxTokens != 100 {
				t.Errorf("%d questions, the last one %+v", len(asked), last)
			}
		})
	}
}

func TestWithoutSchemaSomeObjectIsAskedFor(t *testing.T) {
	for _, p := range chats {
		chat := llmtest.NewChat(t, llmtest.ChatOptions{}, llmtest.Reply{Text: "x " + answer})
		got, err := openChat(t, p.open, chat.URL).Complete(t.Context(), llm.Request{User: "anything, as JSON"})
		if err != nil || got.Text != answer || chat.Asked()[0].Form != "json_object" {
			t.Errorf("%s: %q, error %v, asked %+v", p.name, got.Text, err, chat.Asked()[0])
		}
	}
}

func TestFilteredAnswerIsRefused(t *testing.T) {
	chat := llmtest.NewChat(t, llmtest.ChatOptions{}, llmtest.Reply{Text: answer, Reason: "content_filter", Times: -1})
	_, err := openChat(t, llm.NewOpenAICompleter, chat.URL).Complete(t.Context(), request(10, 100))
	checkError(t, err, llm.Refused, "filter withheld")
}

// The library would tell every server what machine this is.
func TestOpenAIRequestsTellNothingOfTheMachine(t *testing.T) {
	chat := llmtest.NewChat(t, llmtest.ChatOptions{}, llmtest.Reply{Text: answer})
	if _, err := openChat(t, llm.NewOpenAICompleter, chat.URL).Complete(t.Context(), request(10, 100)); err != nil {
		t.Fatal(err)
	}
	for name, values := range chat.Asked()[0].Header {
		if strings.HasPrefix(name, "X-") || strings.HasPrefix(name, "Openai-") || name == "Authorization" {
			t.Errorf("%s: %v", name, values)
		}
	}
}

// The environment is not the library's to read.
func TestOpenAIAsksWhomTheSettingsName(t *testing.T) {
	elsewhere := llmtest.NewChat(t, llmtest.ChatOptions{})
	for name, value := range map[string]string{"OPENAI_BASE_URL": elsewhere.URL, "OPENAI_API_KEY": "sk-mine", "OPENAI_ORG_ID": "org"} {
		t.Setenv(name, value)
	}
	chat := llmtest.NewChat(t, llmtest.ChatOptions{}, llmtest.Reply{Text: answer})
	if _, err := openChat(t, llm.NewOpenAICompleter, chat.URL+"/v1/chat/completions").Complete(t.Context(), request(10, 100)); err != nil {
		t.Fatal(err)
	}
	if h := chat.Asked()[0].Header; h.Get("Authorization") != "" || h.Get("OpenAI-Organization") != "" || len(elsewhere.Asked()) > 0 {
		t.Errorf("sent %v", h)
	}
}
