package llm_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"brain/llm"
	"brain/llm/llmtest"
)

func TestBudgetOfCallsStopsBeforeTheNext(t *testing.T) {
	s := llmtest.NewScripted(llmtest.Reply{Text: answer}, llmtest.Reply{Status: 403}, llmtest.Reply{Text: answer})
	b := &llm.Budget{Calls: 2}
	c := llm.Limited(s, b)
	if _, err := c.Complete(t.Context(), request(10, 100)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Complete(t.Context(), request(10, 100)); !errors.Is(err, llm.Unauthorized) {
		t.Fatal(err) // a call that failed is a call
	}
	_, err := c.Complete(t.Context(), request(10, 100))
	if !errors.Is(err, llm.OverBudget) || err.Error() != "complete: fake: the budget is used up: 2 of 2 calls were made" {
		t.Errorf("error %v", err)
	}
	if calls, tokens := b.Used(); calls != 2 || tokens == 0 || len(s.Asked()) != 2 {
		t.Errorf("%d calls, %d tokens used; %d questions arrived", calls, tokens, len(s.Asked()))
	}
}

// The estimate of the question and the longest answer must fit; then what was used counts.
func TestBudgetOfTokensIsNeverExceeded(t *testing.T) {
	s := llmtest.NewScripted(llmtest.Reply{Text: answer, Times: -1})
	b := &llm.Budget{Tokens: 1000}
	c := llm.Limited(s, b)
	_, err := c.Complete(t.Context(), request(100, 900))
	if !errors.Is(err, llm.OverBudget) || !strings.Contains(err.Error(), "0 of 1000 tokens were used; 1032 more are needed now") {
		t.Errorf("error %v", err)
	}
	made := 0
	for range 50 {
		got, err := c.Complete(t.Context(), request(100, 100))
		if errors.Is(err, llm.OverBudget) {
			break
		}
		if err != nil || got.In != 100 || got.Out != llmtest.Tokens(answer) {
			t.Fatalf("%+v, error %v", got, err)
		}
		made++
	}
	each := 100 + llmtest.Tokens(answer)
	if want := (1000-232)/each + 1; made != want {
		t.Errorf("%d requests of %d tokens, want %d", made, each, want)
	}
	if calls, tokens := b.Used(); calls != made || tokens != made*each {
		t.Errorf("%d calls and %d tokens were counted for %d of %d", calls, tokens, made, each)
	}
}

func TestBudgetIsSharedByAllAtOnce(t *testing.T) {
	b := &llm.Budget{Calls: 30, Tokens: 20_000}
	s := llmtest.NewScripted(llmtest.Reply{Text: answer, Times: -1})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 10 {
				if _, err := llm.Limited(s, b).Complete(t.Context(), request(100, 100)); err != nil && !errors.Is(err, llm.OverBudget) {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if calls, _ := b.Used(); calls != 30 || len(s.Asked()) != 30 {
		t.Errorf("%d calls counted, %d arrived, want 30", calls, len(s.Asked()))
	}
}

// What is under way counts as if it used all it may.
func TestBudgetKnowsWhatIsUnderWay(t *testing.T) {
	gate := llmtest.NewGate()
	s := llmtest.NewScripted(llmtest.Reply{Text: answer, Gate: gate}, llmtest.Reply{Text: answer})
	c := llm.Limited(s, &llm.Budget{Tokens: 1500})
	done := make(chan error)
	go func() {
		_, err := c.Complete(t.Context(), request(100, 800))
		done <- err
	}()
	<-gate.Came()
	if _, err := c.Complete(t.Context(), request(100, 800)); !errors.Is(err, llm.OverBudget) {
		t.Errorf("beside another: %v", err)
	}
	gate.Open()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := c.Complete(t.Context(), request(100, 800)); err != nil {
		t.Errorf("after the other: %v", err)
	}
}

func TestWithoutBudgetNothingIsLimited(t *testing.T) {
	for _, b := range []*llm.Budget{nil, {}} {
		s := llmtest.NewScripted(llmtest.Reply{Text: answer, Times: -1})
		for range 5 {
			if _, err := llm.Limited(s, b).Complete(t.Context(), request(1000, 4000)); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestCostsOfEachRequestAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.NewScripted(llmtest.Reply{Text: answer}, llmtest.Reply{Status: 403}, llmtest.Reply{Text: "no"}, llmtest.Reply{Hang: true})
		var costs []llm.Cost
		c := llm.Observed(s, func(c llm.Cost) { costs = append(costs, c) })
		start := time.Now()
		for range 4 {
			_, _ = c.Complete(t.Context(), request(100, 100)) // the failures are what is told
		}
		var classes []llm.Class
		for _, cost := range costs {
			classes = append(classes, cost.Class)
			if cost.Provider != "scripted" || cost.Model != llmtest.Model || cost.At.Before(start) {
				t.Errorf("%+v", cost)
			}
		}
		if want := []llm.Class{"", llm.Unauthorized, llm.Misshapen, llm.Timeout}; !slices.Equal(classes, want) {
			t.Fatalf("classes %q, want %q", classes, want)
		}
		if c := costs[0]; c.In != 100 || c.Out != llmtest.Tokens(answer) {
			t.Errorf("an answer: %+v", c)
		}
		if c := costs[1]; c.In+c.Out != 0 {
			t.Errorf("refused: %+v", c)
		}
		if c := costs[3]; c.In < 100 || c.Out != 0 || c.Took < 5*time.Minute {
			t.Errorf("silence: %+v", c)
		}
	})
}
