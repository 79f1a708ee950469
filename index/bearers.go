package index

import (
	"brain/page"
	"brain/text"
)

// Bearers visits the pages that bear a name, stubs too, and how they bear it:
// unlike Resolve also those whose claim is weaker than another's. A page that
// bears it in several ways is visited for each.
func (v *Linked) Bearers(name string, visit func(row uint32, kind page.NameKind)) {
	h := nameHash(text.Fold(name))
	for _, part := range []struct {
		base uint32
		t    *table
	}{{0, v.base}, {v.nbase, v.tail}} {
		part.t.named(h, func(n uint32, kind page.NameKind) {
			if row := part.base + n; v.Sees(row) {
				visit(row, kind)
			}
		})
	}
}
