package compile_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"brain/compile"
	"brain/inbox"
	"brain/llm"
)

// answering is a model that says what a function says.
type answering func(llm.Request) (string, error)

func (a answering) Info() llm.CompleterInfo { return llm.CompleterInfo{Provider: "test", Model: "one"} }

func (a answering) Complete(_ context.Context, r llm.Request) (llm.Completion, error) {
	said, err := a(r)
	return llm.Completion{Text: said, In: 10, Out: 1}, err
}

// atStrike are three conversations, of which the second speaks of a strike.
func atStrike(w *world) [][]inbox.Item {
	w.say("a-first", "user: Remember that the cellar is damp.")
	w.say("b-second", "user: Remember that the strike ended.")
	w.say("c-third", "user: Remember that the roof is sound.")
	items, _, err := w.box.Queue(w.t.Context(), inbox.QueueOptions{All: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return compile.BySession(items)
}

// states tells of done, failed and pending sessions.
func (w *world) states() (out []string) {
	for _, id := range []string{"a-first", "b-second", "c-third"} {
		out = append(out, string(w.state(id).State))
	}
	return out
}

func TestOneSessionThatFailsDoesNotStopTheOthers(t *testing.T) {
	w := newWorld(t)
	model := answering(func(r llm.Request) (string, error) {
		if strings.Contains(r.User, "strike") {
			return "", &llm.Error{Op: "complete", Class: llm.Refused}
		}
		return reply("", "", ""), nil
	})
	var told []string
	r := &compile.Runner{Pass: w.pass(model), Fallback: true, Told: func(rep *compile.Report, err error) error {
		told = append(told, rep.Session)
		return nil
	}}
	ran, err := r.Run(t.Context(), atStrike(w))
	if err != nil || ran.Done != 2 || ran.Failed != 1 || ran.Stopped != nil || !errors.Is(ran.Failure, llm.Refused) {
		t.Errorf("%+v, %v; want two done, one failed", ran, err)
	}
	if want := []string{"done", "failed", "done"}; !slices.Equal(w.states(), want) {
		t.Errorf("states %v, want %v", w.states(), want)
	}
	if len(told) != 3 {
		t.Errorf("told of %v", told)
	}
}

func TestAModelThatMayNotBeAskedEndsTheRun(t *testing.T) {
	w := newWorld(t)
	asked := 0
	model := answering(func(llm.Request) (string, error) {
		asked++
		return "", &llm.Error{Op: "complete", Class: llm.Unauthorized}
	})
	r := &compile.Runner{Pass: w.pass(model), Fallback: true}
	ran, err := r.Run(t.Context(), atStrike(w))
	if err != nil || asked != 1 || ran.Done != 0 || ran.Failed != 0 || !errors.Is(ran.Stopped, llm.Unauthorized) {
		t.Errorf("%+v, %v, asked %d times; want one question, and no session that failed", ran, err, asked)
	}
	if want := []string{"pending", "pending", "pending"}; !slices.Equal(w.states(), want) {
		t.Errorf("states %v, want %v", w.states(), want)
	}
}

// Rules take over only where no model answered at all.
func TestRulesTakeOverOnlyAtFirst(t *testing.T) {
	down := &llm.Error{Op: "complete", Class: llm.Down}
	for _, c := range []struct {
		name    string
		answers int // before it is gone
		falls   bool
		want    []string
	}{
		{"never there", 0, true, []string{"done", "done", "done"}},
		{"never there, and rules are not wanted", 0, false, []string{"pending", "pending", "pending"}},
		{"gone after the first", 1, true, []string{"done", "pending", "pending"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			left := c.answers
			model := answering(func(llm.Request) (string, error) {
				if left--; left < 0 {
					return "", down
				}
				return reply("", "", ""), nil
			})
			fell := 0
			r := &compile.Runner{Pass: w.pass(model), Fallback: c.falls, FellBack: func(error) { fell++ }}
			if _, err := r.Run(t.Context(), atStrike(w)); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(w.states(), c.want) {
				t.Errorf("states %v, want %v", w.states(), c.want)
			}
			if want := c.falls && c.answers == 0; (fell == 1) != want {
				t.Errorf("rules took over %d times", fell)
			}
		})
	}
}
