package llmtest

import (
	"bytes"
	"io"
	"net/http"
)

// Transport carries requests to c without a network. Nothing waits but on channels, so
// that testing/synctest can turn its clock.
func (c *Chat) Transport() http.RoundTripper { return memory{c} }

type memory struct{ handler http.Handler }

func (m memory) RoundTrip(r *http.Request) (*http.Response, error) {
	w := &record{status: http.StatusOK, header: http.Header{}}
	dropped := m.serve(w, r)
	if r.Body != nil {
		if err := r.Body.Close(); err != nil {
			return nil, err
		}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	var body io.Reader = &w.body
	if dropped {
		body = io.MultiReader(body, snapped{})
	}
	return &http.Response{StatusCode: w.status, Status: http.StatusText(w.status), Header: w.header, Body: io.NopCloser(body),
		Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1}, nil
}

// serve reports whether the handler dropped the connection.
func (m memory) serve(w http.ResponseWriter, r *http.Request) (dropped bool) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			dropped = true
		} else if p != nil {
			panic(p)
		}
	}()
	m.handler.ServeHTTP(w, r)
	return false
}

// record keeps what a handler writes.
type record struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (w *record) Header() http.Header         { return w.header }
func (w *record) WriteHeader(status int)      { w.status = status }
func (w *record) Write(b []byte) (int, error) { return w.body.Write(b) }

// snapped is the end of a connection in the middle of a body.
type snapped struct{}

func (snapped) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
