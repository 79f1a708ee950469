package dream

import "context"

func (n *night) orphans(context.Context) error { return nil }
