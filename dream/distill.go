package dream

import "context"

// distill makes little of much, and each of its parts goes on where the one before it
// left off:
//
//	sessions     what was said becomes pages and facts
//	facts        those that grew old, those that say parts of the same, those too many
//	layers       long pages get an abstract and an overview
//	overviews    folders get an overview of their pages
//	experiences  what lessons and decisions on one subject teach together; skills that follow
//
// Layers come before experiences, which look at what their sources say: a source that gains an
// abstract afterwards would have been looked at in vain.
//
// A part that fails does not keep the next one from its work.
func (n *night) distill(ctx context.Context) error {
	for _, part := range []func(context.Context) error{n.sessions, n.facts, n.layers, n.overviews, n.experiences} {
		err := part(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			n.failed("%v", err)
		}
		n.endPart()
	}
	n.stage.Unit = "items"
	return nil
}
