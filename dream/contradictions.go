package dream

import "context"

func (n *night) contradictions(context.Context) error { return nil }
