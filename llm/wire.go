package llm

// What comes over the wire, and what class of failure it is. Both kinds of server
// are reached through the same transport, which turns every answer that is not a
// successful JSON answer into an *httpFailure: a client library would lose the
// status, the pause that the server asks for, or take a web page for bad JSON.

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"brain/text"
)

const (
	// longestAnswer bounds what is read of an answer: 64 vectors of 4,096 numbers are 5 MB.
	longestAnswer = 256 << 20
	// longestReply bounds a reply that is read at once: the longest that Ollama's client
	// takes is 8 MB, and a model that was allowed 4,096 tokens writes 20 kB.
	longestReply = 8_000_000
	// longestMessage bounds what is shown of an answer that is no vector.
	longestMessage = 300
	// mostRead bounds, in bytes, in how much of an answer a message is looked for.
	mostRead = 64 << 10
	// shortestKey is the least that is taken for a secret wherever it stands: servers
	// that need none are given "x" or "none".
	shortestKey = 8
)

// httpFailure is an answer that brings no vectors.
type httpFailure struct {
	status     int
	message    string // of the server, or the begin of what it sent
	foreign    bool   // it was not JSON
	inside     bool   // it came as a success, with the failure in it
	retryAfter time.Duration
}

func (f *httpFailure) Error() string {
	s := fmt.Sprintf("HTTP %d", f.status)
	if f.inside {
		s = "an answer with an error in it"
	}
	switch {
	case f.foreign && f.message != "":
		s += fmt.Sprintf(", not JSON but %q", f.message)
	case f.message != "":
		s += ": " + f.message
	}
	return s
}

// wire is the transport to one server.
type wire struct {
	base http.RoundTripper
	host string // the key is for this host alone
	key  string

	// whole reads a reply to its end before the client library sees it: the libraries
	// take a reply that breaks off for one that ended, and an error in it for a reply.
	whole bool
}

// newClient returns a client for the server at base. It follows no redirect: a model
// server sends none, and the key must not travel.
func newClient(base *url.URL, o ServerOptions) *http.Client {
	return clientOver(&wire{base: o.Transport, host: base.Host, key: o.Key})
}

// newChatClient is newClient for replies that are read whole.
func newChatClient(base *url.URL, o ServerOptions) *http.Client {
	return clientOver(&wire{base: o.Transport, host: base.Host, key: o.Key, whole: true})
}

func clientOver(w *wire) *http.Client {
	return &http.Client{
		Transport:     w,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	if w.key != "" && req.URL.Host == w.host {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+w.key)
	}
	resp, err := w.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body := bufio.NewReader(io.LimitReader(resp.Body, longestAnswer))
	first, err := firstByte(body)
	if err != nil && err != io.EOF {
		resp.Body.Close()
		return nil, err
	}
	isJSON := first == '{' || first == '['
	if resp.StatusCode == http.StatusOK && isJSON && w.whole {
		return w.wholeReply(resp, body)
	}
	if resp.StatusCode == http.StatusOK && isJSON {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{body, resp.Body}
		return resp, nil
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK && first == 0 {
		return nil, io.ErrUnexpectedEOF // promised an answer, sent nothing
	}
	return nil, w.newFailure(resp, body, isJSON)
}

// wholeReply reads a reply to its end.
func (w *wire) wholeReply(resp *http.Response, body io.Reader) (*http.Response, error) {
	defer resp.Body.Close()
	sent, err := io.ReadAll(io.LimitReader(body, longestReply+1))
	switch {
	case err != nil:
		return nil, err
	case len(sent) > longestReply:
		return nil, fmt.Errorf("it is longer than %d MB", longestReply/1_000_000)
	}
	var failed struct {
		Error json.RawMessage `json:"error"`
	}
	// What is no single JSON value is for the library to read or refuse.
	if json.Unmarshal(sent, &failed) == nil && !slices.Contains([]string{"", "null", `""`, "{}", "false"}, string(failed.Error)) {
		f := &httpFailure{status: http.StatusInternalServerError, inside: true, message: shorten(messageOf(sent), w.key)}
		var inner struct{ Code int }
		if json.Unmarshal(failed.Error, &inner) == nil && inner.Code >= 400 {
			f.status = inner.Code
		}
		return nil, f
	}
	resp.Body = io.NopCloser(bytes.NewReader(sent))
	resp.Header = resp.Header.Clone()
	resp.Header.Set("Content-Type", "application/json") // as it is, whatever it was called
	return resp, nil
}

// firstByte returns the first byte that is no white space, without consuming it.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.Peek(1)
		if err != nil {
			return 0, err
		}
		if !unicode.IsSpace(rune(b[0])) {
			return b[0], nil
		}
		if _, err := r.Discard(1); err != nil {
			return 0, err
		}
	}
}

func (w *wire) newFailure(resp *http.Response, body io.Reader, isJSON bool) *httpFailure {
	f := &httpFailure{status: resp.StatusCode, foreign: !isJSON}
	after := resp.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(after); err == nil && seconds > 0 {
		f.retryAfter = time.Duration(min(seconds, 1e6)) * time.Second
	} else if date, err := http.ParseTime(after); err == nil {
		f.retryAfter = time.Until(date)
	}
	// What can be read of the message is enough: the status already tells the failure.
	sent, _ := io.ReadAll(io.LimitReader(body, mostRead))
	f.message = shorten(string(sent), w.key)
	if isJSON {
		f.message = shorten(messageOf(sent), w.key)
	}
	return f
}

// messageOf finds the message in {"error": "…"}, {"error": {"message": "…"}},
// {"message": "…"} or {"detail": "…"}; else it is the whole text.
func messageOf(sent []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(sent, &fields) != nil {
		return string(sent)
	}
	for _, name := range []string{"error", "message", "detail"} {
		var message string
		if json.Unmarshal(fields[name], &message) == nil && message != "" {
			return message
		}
		var inner struct{ Message string }
		if json.Unmarshal(fields[name], &inner) == nil && inner.Message != "" {
			return inner.Message
		}
	}
	return string(sent)
}

// shorten makes one printable line of what a stranger sent. He may quote the key that
// he was sent, or any secret of the question; errors are kept and printed.
func shorten(said, key string) string {
	if len(key) >= shortestKey {
		said = strings.ReplaceAll(said, key, text.MarkOpen+"key"+text.MarkClose)
	}
	line := strings.Join(strings.FieldsFunc(said, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	line, _ = text.Mask(line[:min(len(line), mostRead)])
	if runes := []rune(line); len(runes) > longestMessage {
		return string(runes[:longestMessage]) + "…"
	}
	return line
}

// classify tells the class of any error of a request.
func classify(err error) Class {
	if f, ok := errors.AsType[*httpFailure](err); ok {
		return f.class()
	}
	if c := classOf(err); c != "" {
		return c
	}
	var dns *net.DNSError
	var op *net.OpError
	var timeout net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case errors.Is(err, context.Canceled):
		return Canceled
	case isTLS(err):
		return TLS
	case errors.As(err, &dns), errors.As(err, &op) && op.Op == "dial":
		return Down
	case errors.As(err, &timeout) && timeout.Timeout():
		return Timeout
	case greets(err):
		return NotAServer
	case isBadNumber(err):
		return BadVector
	}
	return Protocol
}

// greets tells a server that speaks first, as mail and shell servers do. Which
// of the two errors net/http gives depends on whether the greeting was there
// before the request; neither has a type.
func greets(err error) bool {
	s := err.Error()
	return strings.Contains(s, "malformed HTTP") || strings.Contains(s, "readLoopPeekFailLocked: %!w(<nil>)")
}

func isTLS(err error) bool {
	var verify *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var record tls.RecordHeaderError
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &record) ||
		errors.Is(err, http.ErrSchemeMismatch) || strings.Contains(err.Error(), "tls: ")
}

// isBadNumber tells an answer that is whole but holds what JSON has no number for:
// NaN, Infinity, or more than a float32 can be.
func isBadNumber(err error) bool {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return strings.HasPrefix(wrong.Value, "number")
	}
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	return ok && strings.Contains(syntax.Error(), "looking for beginning of value") || ok && strings.Contains(syntax.Error(), "in numeric literal")
}

// The words by which servers say what their status does not.
var (
	saysTooLong = regexp.MustCompile(`(?i)context (length|size|window)|too (long|large)|input length|than \d+ tokens|` +
		`max\w* (\w+ )?(tokens|sequence length)`)
	saysNaN     = regexp.MustCompile(`\bNaN\b|\bInf\b`)
	saysNoModel = regexp.MustCompile(`(?i)\bmodel\b.*(not found|not exist|not loaded|unknown|no such)|(unknown|no such|invalid) model`)
	saysHTTPS   = regexp.MustCompile(`(?i)HTTP request .*to (an )?HTTPS`)
)

func (f *httpFailure) class() Class {
	switch {
	case f.status == 401 || f.status == 403 || f.status == 407:
		return Unauthorized
	case f.status == 429 || f.status == 502 || f.status == 503 || f.status == 504:
		return Overloaded
	case saysHTTPS.MatchString(f.message):
		return TLS
	case f.foreign && f.status < 500:
		return NotAServer
	case saysNoModel.MatchString(f.message):
		return ModelMissing
	case f.status == 404 || f.status == 405 || f.status < 400:
		return NotAServer
	case saysTooLong.MatchString(f.message):
		return TooLong
	case saysNaN.MatchString(f.message):
		return BadVector
	case f.status < 500:
		return Refused
	}
	return ServerFault
}

// plain strips the method and address that net/http puts before the cause.
func plain(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

// parseServer reads an address that may lack its scheme ("http") and its port.
func parseServer(raw, defaultPort string) (*url.URL, error) {
	given := strings.TrimSpace(raw)
	if ip := net.ParseIP(given); ip != nil && ip.To4() == nil {
		given = "[" + given + "]" // a bare IPv6 address
	}
	if !strings.Contains(given, "://") {
		given = "http://" + given
	}
	u, err := url.Parse(given)
	if err != nil {
		// The error quotes the address, which may hold a password.
		return nil, badOption("the server's address cannot be read")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, badOption("the server's address begins with %q, want http or https", u.Scheme)
	}
	host, port := u.Hostname(), u.Port()
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1" // a server that listens everywhere is reached here
	}
	if port == "" && u.Scheme == "http" {
		port = defaultPort
	}
	if port != "" {
		u.Host = net.JoinHostPort(host, port)
	}
	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

// shown is an address without credentials.
func shown(u *url.URL) string {
	bare := *u
	bare.User = nil
	return bare.String()
}

// decode reads one JSON value that must be whole.
func decode(r io.Reader, into any) error {
	whole, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return json.Unmarshal(bytes.TrimSpace(whole), into)
}
