package dream

import "context"

func (n *night) distill(context.Context) error { return nil }
