package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Class says what kind of failure an *Error is, which decides the next step: wait,
// start a server, pull a model, change a setting, or leave one text out. A Class is
// itself an error, so that errors.Is(err, llm.ModelMissing) works.
type Class string

// Each class reads as the middle of a message: "embed: MODEL at SERVER: CLASS: cause".
const (
	Down         Class = "the server does not answer"                   // refused, unknown host, no route
	NotAServer   Class = "what answers is not a model server"           // a web page, plain text, another protocol
	TLS          Class = "no secure connection"                         // certificate, http against https
	Unauthorized Class = "the server refuses access"                    // 401, 403, 407
	ModelMissing Class = "the server does not have the model"           // 404
	TooLong      Class = "the text is longer than the model takes"      // after halving it as often as is sensible
	Refused      Class = "the server refuses the request"               // any other 4xx
	Overloaded   Class = "the server is busy"                           // 429, 502, 503, 504 after all retries
	ServerFault  Class = "the server failed"                            // any other 5xx
	Protocol     Class = "the answer is incomplete"                     // cut short, unreadable, fewer vectors than texts
	BadVector    Class = "the answer holds an unusable vector"          // NaN, Inf, all zero, another size
	Truncated    Class = "the answer is longer than allowed"            // cut off at Request.MaxTokens or at the end of the window
	Misshapen    Class = "the answer has not the form that was asked"   // no JSON object with the keys of the schema
	OverBudget   Class = "the budget is used up"                        // before the request that would exceed it
	Timeout      Class = "the server took too long"                     // the request's limit or the caller's deadline
	Canceled     Class = "canceled"                                     // by the caller
	Damaged      Class = "the built-in word table is damaged"           // the binary was not built from matching files
	BadOption    Class = "the setting for the model server is unusable" // no model named, an address that is none
)

// Error returns the class as a phrase.
func (c Class) Error() string { return string(c) }

// Error is a failure of a model or its server.
type Error struct {
	Op     string // what was tried: "embed", "complete"; "" before anything was
	Class  Class
	Server string // base address, without credentials; "" for what is built in
	Model  string
	Cause  error  // what happened, in the words of the server or the network; may be nil
	Hint   string // the next step for a person, one line; may be ""
}

// Error returns what was asked, of whom, and the cause; the hint is not part of it.
func (e *Error) Error() string {
	var parts []string
	if e.Op != "" {
		parts = append(parts, e.Op)
	}
	of := e.Model
	if e.Server != "" {
		of += " at " + e.Server
	}
	if of != "" {
		parts = append(parts, strings.TrimSpace(of))
	}
	parts = append(parts, string(e.Class))
	if e.Cause != nil {
		parts = append(parts, e.Cause.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause, so that errors.Is finds context.DeadlineExceeded and the like.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is this error's Class.
func (e *Error) Is(target error) bool {
	c, ok := target.(Class)
	return ok && c == e.Class
}

// classOf returns the class of an *Error and "" for anything else.
func classOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ""
}

// badOption is a setting that was refused before any request.
func badOption(format string, args ...any) *Error {
	return &Error{Class: BadOption, Cause: fmt.Errorf(format, args...)}
}

// ended is the error for a context that is over.
func ended(cause error) *Error {
	if errors.Is(cause, context.DeadlineExceeded) {
		return &Error{Class: Timeout, Cause: cause}
	}
	return &Error{Class: Canceled, Cause: cause}
}
