package llm

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Answers as servers give them, word for word where the words decide.
func TestAnswersAreClassified(t *testing.T) {
	for _, c := range []struct {
		server string
		status int
		body   string
		want   Class
	}{
		{"ollama", 404, `{"error":"model \"nope\" not found, try pulling it first"}`, ModelMissing},
		{"ollama", 404, `{"error":"model 'nope' not found"}`, ModelMissing},
		{"ollama", 404, `404 page not found`, NotAServer},
		{"ollama", 400, `{"error":"the input length exceeds the context length"}`, TooLong},
		{"ollama", 400, `{"error":"embedding contains NaN or Inf values"}`, BadVector},
		{"ollama", 500, `{"error":"failed to encode response: json: unsupported value: NaN"}`, BadVector},
		{"ollama", 400, `{"error":"invalid input type"}`, Refused},
		{"ollama", 503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`, Overloaded},
		{"ollama", 500, `{"error":"llama runner process has terminated: exit status 2"}`, ServerFault},
		{"ollama", 401, `{"error":"unauthorized","signin_url":"https://example"}`, Unauthorized},
		{"openai", 401, `{"error":{"message":"Incorrect API key provided","type":"invalid_request_error"}}`, Unauthorized},
		{"openai", 404, `{"error":{"message":"The model 'nope' does not exist","code":"model_not_found"}}`, ModelMissing},
		{"openai", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens, however you requested 9000 tokens"}}`, TooLong},
		{"openai", 429, `{"error":{"message":"Rate limit reached"}}`, Overloaded},
		{"inference server", 413, `{"error":"Input validation error: inputs must have less than 512 tokens. Given: 600"}`, TooLong},
		{"inference server", 422, `{"error":"batch size 64 > maximum allowed batch size 32"}`, Refused},
		{"llama.cpp", 500, `{"error":{"message":"input is too large to process. increase the physical batch size"}}`, TooLong},
		{"fastapi", 404, `{"detail":"Not Found"}`, NotAServer},
		{"proxy", 502, `<html>502 Bad Gateway</html>`, Overloaded},
		{"proxy", 407, `<html>Proxy Authentication Required</html>`, Unauthorized},
		{"proxy", 302, `<a href="/login">Found</a>`, NotAServer},
		{"router", 200, `<!doctype html><title>Router</title>`, NotAServer},
		{"https", 400, "Client sent an HTTP request to an HTTPS server.\n", TLS},
		{"nginx", 400, "<html>The plain HTTP request was sent to HTTPS port</html>", TLS},
		{"web server", 405, `<html>Method Not Allowed</html>`, NotAServer},
		{"web server", 500, `<html>oops</html>`, ServerFault},
	} {
		err := roundTrip(c.status, c.body, nil)
		if got := classify(err); got != c.want {
			t.Errorf("%s %d %s: class %q, want %q", c.server, c.status, c.body, got, c.want)
		}
	}
}

// roundTrip returns what the transport says of an answer.
func roundTrip(status int, body string, header http.Header) error {
	w := &wire{base: fixed{status, body, header}}
	req, err := http.NewRequest(http.MethodPost, "http://server/api/embed", nil)
	if err != nil {
		return err
	}
	resp, err := w.RoundTrip(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	return nil
}

type fixed struct {
	status int
	body   string
	header http.Header
}

func (f fixed) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: f.status, Header: f.header, Body: io.NopCloser(strings.NewReader(f.body))}, nil
}

func TestSuccessPassesUntouched(t *testing.T) {
	const body = " \n {\"embeddings\":[[1]]}"
	w := &wire{base: fixed{200, body, nil}}
	req, err := http.NewRequest(http.MethodGet, "http://server/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	if err != nil || string(bytes.TrimSpace(got)) != strings.TrimSpace(body) {
		t.Errorf("body %q, error %v", got, err)
	}
}

func TestEmptyAnswerIsIncomplete(t *testing.T) {
	if got := classify(roundTrip(200, "", nil)); got != Protocol {
		t.Errorf("class %q, want %q", got, Protocol)
	}
}

func TestForeignTextIsShownOnOneShortLine(t *testing.T) {
	err := roundTrip(400, "first\nsecond\x1b[31m\x00 third "+strings.Repeat("x", 5000), nil)
	if s := err.Error(); strings.ContainsAny(s, "\n\x1b\x00") || len(s) > 500 {
		t.Errorf("message of %d bytes: %q", len(s), s)
	}
}

// Servers quote the key that they refuse, and what they were asked.
func TestWhatAServerQuotesHoldsNoSecret(t *testing.T) {
	const own, shaped = "Kessel-Run-12-parsecs", "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ"
	long := strings.Repeat("长", longestMessage-20) + " "
	for _, quoted := range []string{own, shaped} {
		for _, c := range []struct {
			status int
			body   string
			class  Class
		}{
			{401, `{"error":"wrong key ` + quoted + `"}`, Unauthorized},
			{403, `{"error":{"message":"wrong key: ` + quoted + `."}}`, Unauthorized},
			{400, `{"odd":"` + quoted + `"}`, Refused},
			{400, `{"error":"` + long + quoted + `"}`, Refused}, // the bound falls within it
			{429, `{"error":"slow down, ` + quoted + `"}`, Overloaded},
			{500, "<html>" + quoted + "</html>", ServerFault},
			{404, `{"error":"model \"nope\" not found for ` + quoted + `"}`, ModelMissing},
			{200, `{"error":{"code":401,"message":"wrong key ` + quoted + `"}}`, Unauthorized},
			{200, `<html>` + quoted, NotAServer},
		} {
			w := &wire{base: fixed{c.status, c.body, nil}, key: own, whole: true}
			_, err := w.RoundTrip(&http.Request{URL: &url.URL{Host: "server"}, Header: http.Header{}})
			if err == nil || strings.Contains(err.Error(), quoted[:len(quoted)/2]) || classify(err) != c.class {
				t.Errorf("%d %s: %v, class %q, want %q", c.status, c.body, err, classify(err), c.class)
			} else if !strings.Contains(err.Error(), "[secret: ") {
				t.Errorf("%d %s: %v", c.status, c.body, err)
			}
		}
	}
	if got := shorten("a short key, ab, is part of words", "ab"); !strings.Contains(got, "ab, is") {
		t.Error(got)
	}
}

func TestKeyStaysWithItsHost(t *testing.T) {
	var sent []string
	w := &wire{base: spy(func(r *http.Request) { sent = append(sent, r.Header.Get("Authorization")) }), host: "mine:1", key: "secret"}
	for _, address := range []string{"http://mine:1/", "http://other:1/"} {
		req, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.RoundTrip(req); err == nil {
			t.Error("the spy answered with success")
		}
	}
	if want := "Bearer secret|"; strings.Join(sent, "|") != want {
		t.Errorf("sent %q, want %q", sent, want)
	}
}

type spy func(*http.Request)

func (s spy) RoundTrip(r *http.Request) (*http.Response, error) {
	s(r)
	return nil, io.ErrUnexpectedEOF
}

// What the server names is kept to; a pause of our own is drawn from its upper half.
func TestPauseFollowsTheServer(t *testing.T) {
	named := &Error{Cause: roundTrip(429, `{}`, http.Header{"Retry-After": {"7"}})}
	dated := &Error{Cause: roundTrip(429, `{}`, http.Header{"Retry-After": {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)}})}
	past := &Error{Cause: roundTrip(429, `{}`, http.Header{"Retry-After": {time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)}})}
	long := &Error{Cause: roundTrip(503, `{}`, http.Header{"Retry-After": {"86400"}})}
	silent := &Error{Cause: roundTrip(503, `{}`, nil)}
	for _, c := range []struct {
		err         *Error
		try         int
		least, most time.Duration
	}{
		{silent, 0, time.Second / 2, time.Second}, {silent, 2, 2 * time.Second, 4 * time.Second},
		{silent, 60, longestBackoff / 2, longestBackoff}, {past, 0, time.Second / 2, time.Second},
		{named, 0, 7 * time.Second, 7 * time.Second}, {named, 3, 7 * time.Second, 7 * time.Second},
		{long, 0, longestBackoff, longestBackoff}, {dated, 0, longestBackoff, longestBackoff},
	} {
		different := map[time.Duration]bool{}
		for range 50 {
			got := pause(time.Second, c.try, c.err)
			if different[got] = true; got < c.least || got > c.most {
				t.Errorf("%v, repetition %d: %v, want %v to %v", c.err, c.try, got, c.least, c.most)
			}
		}
		if c.least < c.most && len(different) < 2 {
			t.Errorf("%v, repetition %d: always the same pause", c.err, c.try)
		}
	}
}

func TestCutPointKeepsCharactersWhole(t *testing.T) {
	for _, text := range []string{strings.Repeat("数据", 40), strings.Repeat("word ", 20), strings.Repeat("x", 70) + " y", "🙂🙂🙂"} {
		at := cutPoint(text)
		if a, b := text[:at], text[at:]; a == "" || b == "" || strings.ToValidUTF8(a, "?") != a || strings.ToValidUTF8(b, "?") != b {
			t.Errorf("%q is cut into %q and %q", text, a, b)
		}
	}
}
