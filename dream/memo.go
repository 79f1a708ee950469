package dream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"brain/llm"
)

// What models answered is remembered, a line each, so that nobody pays twice for the same
// question. A reply that says that there is nothing is one like any other. One that was
// refused is asked for again, but not every night: after one, then two, then four.

const (
	memoFile = "replies.jsonl"
	// keepUnused is after how many runs that asked for others of its kind a reply goes that
	// none of them wanted: what it was about has changed.
	keepUnused = 90
	// pause is the first pause after a refusal, less than a day so that a night is never
	// too early by minutes; it doubles maxDoubled times.
	pause      = 20 * time.Hour
	maxDoubled = 5
)

var (
	// ErrNoModel is the error for a question where there is no model.
	ErrNoModel = errors.New("there is no model to ask")
	// ErrDry is the error for a question of a dry run.
	ErrDry = errors.New("a dry run asks no model")
	// ErrRejected is a reply that was of no use.
	ErrRejected = errors.New("the model's reply cannot be used")
	// ErrNotYet is the error for a question whose reply was refused lately.
	ErrNotYet = errors.New("the model's reply was refused lately, and it is asked again another night")
)

// reply is a line of the file; the last one of a key counts.
type reply struct {
	Key     string          `json:"key"`
	Kind    string          `json:"kind"`
	At      time.Time       `json:"at"`
	Reply   json.RawMessage `json:"reply,omitempty"`
	Refused int             `json:"refused,omitempty"` // times in a row; with a Reply 0
	Unused  int             `json:"unused,omitempty"`  // runs in a row that asked for others of its kind

	used bool // in this run
}

// memo is what was answered.
type memo struct {
	dir     Folder
	replies map[string]*reply
	asked   map[string]bool // kinds, in this run
	file    *os.File        // nil: nothing was added in this run
}

// readMemo reads what is there. Lines that cannot be read, such as the last one of a process
// that was killed, are passed over.
func readMemo(dir Folder) *memo {
	m := &memo{dir: dir, replies: map[string]*reply{}, asked: map[string]bool{}}
	raw, err := readFile(dir, memoFile)
	if err != nil {
		return m
	}
	for line := range bytes.Lines(raw) {
		r := &reply{}
		if json.Unmarshal(line, r) == nil && r.Key != "" {
			m.replies[r.Key] = r
		}
	}
	return m
}

// of is what is known of a question.
func (m *memo) of(kind, key string) *reply {
	m.asked[kind] = true
	r := m.replies[key]
	if r != nil {
		r.used = true
	}
	return r
}

// keep writes a reply down at once: it was paid for, and the process may be killed.
func (m *memo) keep(r *reply) error {
	m.replies[r.Key] = r
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if m.file == nil {
		if m.file, err = appendTo(m.dir, memoFile); err != nil {
			return fmt.Errorf("keep a model's reply: %w", err)
		}
		line = append([]byte("\n"), line...) // the last line may be half of one
	}
	_, err = m.file.Write(append(line, '\n'))
	return err
}

// save writes the file anew where that makes a difference.
func (m *memo) save() (err error) {
	changed := m.file != nil
	if changed {
		err = m.file.Close()
	}
	for key, r := range m.replies {
		switch {
		case !m.asked[r.Kind], r.used && r.Unused == 0:
			continue
		case r.used:
			r.Unused = 0
		default:
			r.Unused++
		}
		if changed = true; r.Unused > keepUnused {
			delete(m.replies, key)
		}
	}
	if err != nil || !changed {
		return err
	}
	var out bytes.Buffer
	for _, key := range slices.Sorted(maps.Keys(m.replies)) {
		line, err := json.Marshal(m.replies[key])
		if err != nil {
			return err
		}
		out.Write(append(line, '\n'))
	}
	return writeFile(m.dir, memoFile, out.Bytes())
}

// ask puts a question to the model, unless the same was answered before; known says that it
// was. kind groups questions, and version is of what its prompt and its check want: raised
// when they change. check looks at a reply before it counts.
//
// ErrRejected and ErrNotYet are of this question alone. ErrNoModel, ErrDry and the
// *llm.Error of a server or a budget are of all that follow: nobody is asked any more in this
// run. What failed is noted in the report here, and what waits, too; the caller goes on
// without.
func (n *night) ask(ctx context.Context, kind string, version int, r llm.Request, check func(json.RawMessage) error) (answer json.RawMessage, known bool, err error) {
	if n.Completer == nil {
		return nil, false, ErrNoModel
	}
	key := n.question(kind, version, r)
	was := n.memo.of(kind, key)
	switch {
	case was != nil && was.Refused == 0:
		return was.Reply, true, nil
	case was != nil && n.at.Before(was.At.Add(pause<<min(was.Refused-1, maxDoubled))):
		n.later()
		n.count("refused_lately", 1)
		return nil, false, ErrNotYet
	case n.DryRun:
		n.count("would_ask", 1)
		return nil, false, ErrDry
	case n.mute != nil:
		return nil, false, n.wait()
	}
	got, err := n.Completer.Complete(ctx, r)
	if !errors.Is(err, llm.OverBudget) { // nobody was asked
		n.stage.Cost.add(Cost{1, got.In, got.Out})
	}
	if err == nil {
		if err = check(json.RawMessage(got.Text)); err != nil {
			err = fmt.Errorf("%w: %w", ErrRejected, err)
		}
	}
	switch {
	case err == nil:
		return json.RawMessage(got.Text), false, n.memo.keep(&reply{Key: key, Kind: kind, At: n.at, Reply: json.RawMessage(got.Text), used: true})
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	case !ofReply(err):
		return nil, false, n.silence(err)
	}
	refused := 1
	if was != nil {
		refused = was.Refused + 1
	}
	n.later()
	n.failed("%s: %v", kind, err)
	return nil, false, errors.Join(fmt.Errorf("%w: %w", ErrRejected, err), n.memo.keep(&reply{Key: key, Kind: kind, At: n.at, Refused: refused, used: true}))
}

// question is what an answer depends on.
func (n *night) question(kind string, version int, r llm.Request) string {
	h := sha256.New()
	add(h, []byte(kind), number(int64(version)), []byte(n.report.Mode), []byte(r.System), []byte(r.User), r.Schema)
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// ofReply reports a failure of this question or its answer; the next may be answered all the same.
func ofReply(err error) bool {
	for _, target := range []error{ErrRejected, llm.TooLong, llm.Refused, llm.Truncated, llm.Misshapen, llm.Protocol} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// silence ends the asking of this run: the budget is used up, which is no failure, or the
// server fails.
func (n *night) silence(err error) error {
	n.mute = err
	return n.wait()
}

// wait notes a question that waits for another night, and why.
func (n *night) wait() error {
	n.later()
	n.count("waiting_for_model", 1)
	if reason := n.mute.Error(); !errors.Is(n.mute, llm.OverBudget) && !slices.Contains(n.stage.Failures, reason) {
		n.failed("%s", reason)
	}
	return n.mute
}
