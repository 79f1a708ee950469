package main

import (
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"

	"brain/llm"
	"brain/store"
)

// costLine is a line of .brain/costs.jsonl: what one request to a model cost. No word of
// the question or the answer is in it. doc/models.md gives the form.
type costLine struct {
	At       time.Time `json:"at"`
	Provider string    `json:"provider"`
	Model    string    `json:"model"`
	In       int       `json:"in"`
	Out      int       `json:"out"`
	TookMS   int64     `json:"took_ms"`
	Class    llm.Class `json:"class"` // of the failure, "" for an answer
}

// accounted notes what c costs beside the root's index. A note that cannot be made is a
// warning, once: the answer is there and paid for.
func (a *app) accounted(r store.Root, c llm.Completer) llm.Completer {
	var once sync.Once
	return llm.Observed(c, func(cost llm.Cost) {
		if err := noteCost(r, cost); err != nil {
			once.Do(func() { a.warn("what the model costs is not noted: %s", plain(err.Error())) })
		}
	})
}

// noteCost adds a line by one write at the end of the file, so that the lines of several
// processes do not mix. The name of the model may come from a stranger's settings: a link
// in place of the file must not carry it elsewhere.
func noteCost(r store.Root, c llm.Cost) error {
	line, err := json.Marshal(costLine{c.At.UTC().Round(0), c.Provider, c.Model, c.In, c.Out, c.Took.Milliseconds(), c.Class})
	if err != nil {
		return err
	}
	state, err := openState(r)
	if err != nil {
		return err
	}
	defer state.Close()
	f, err := openPlain(state, "costs.jsonl", os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
