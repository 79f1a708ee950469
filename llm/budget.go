package llm

// What models cost: a limit before, and an account after each request.

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Budget is how much may be asked of models, by all who share it. It is safe for
// concurrent use; its limits must not change while it is used.
type Budget struct {
	Calls  int // requests of Completers, repetitions after a failure not counted; 0: any number
	Tokens int // questions and answers together; 0: any number

	mu       sync.Mutex
	calls    int
	tokens   int
	reserved int // of requests under way
}

// Used tells how much of the budget is used up.
func (b *Budget) Used() (calls, tokens int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls, b.tokens
}

// take reserves one call and as many tokens as it may use at most, or says why not.
func (b *Budget) take(tokens int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Calls > 0 && b.calls >= b.Calls {
		return fmt.Errorf("%d of %d calls were made", b.calls, b.Calls)
	}
	if b.Tokens > 0 && b.tokens+b.reserved+tokens > b.Tokens {
		return fmt.Errorf("%d of %d tokens were used; %d more are needed now", b.tokens+b.reserved, b.Tokens, tokens)
	}
	b.calls++
	b.reserved += tokens
	return nil
}

// settle replaces a reservation by what was used.
func (b *Budget) settle(reserved, used int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved -= reserved
	b.tokens += used
}

// Limited is c within a budget. A request that might exceed it, its answer being as
// long as it may, is not sent: class OverBudget. Nil is no limit.
func Limited(c Completer, b *Budget) Completer {
	if b == nil {
		return c
	}
	return limited{c, b}
}

type limited struct {
	Completer
	budget *Budget
}

func (l limited) Complete(ctx context.Context, r Request) (Completion, error) {
	most := r.tokens() + r.maxTokens()
	if err := l.budget.take(most); err != nil {
		e := &Error{Op: opComplete, Class: OverBudget, Model: l.Info().Model, Cause: err}
		hintAny(e)
		return Completion{}, e
	}
	var c Completion
	defer func() { l.budget.settle(most, c.In+c.Out) }()
	c, err := l.Completer.Complete(ctx, r)
	return c, err
}

// Cost is what one request cost.
type Cost struct {
	At              time.Time // when it began
	Provider, Model string
	In, Out         int // tokens, see Completion
	Took            time.Duration
	Class           Class // of the failure; "" for an answer
}

// Observed is c with an account: seen is told of every request when it is over, failed
// ones included, and must be safe for concurrent use.
func Observed(c Completer, seen func(Cost)) Completer { return observed{c, seen} }

type observed struct {
	Completer
	seen func(Cost)
}

func (o observed) Complete(ctx context.Context, r Request) (Completion, error) {
	at, info := time.Now(), o.Info()
	c, err := o.Completer.Complete(ctx, r)
	o.seen(Cost{At: at, Provider: info.Provider, Model: info.Model, In: c.In, Out: c.Out, Took: c.Took, Class: classOf(err)})
	return c, err
}
