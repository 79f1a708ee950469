package dream

import "context"

func (n *night) lint(context.Context) error { return nil }
