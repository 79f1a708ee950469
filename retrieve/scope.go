package retrieve

import (
	"slices"

	"brain/index"
)

// scope is the links of a brain as one agent may see them. Another agent's
// page is no step of a walk, makes no name ambiguous and counts in no degree:
// whether it exists cannot be told from an answer.
type scope struct {
	*index.View
	agent string
}

func (s scope) hidden(row uint32) bool {
	owner := s.Agent(row)
	return owner != "" && owner != s.agent
}

// Edges implements graph.Links.
func (s scope) Edges(row uint32, in bool, visit func(to uint32, typ string, line int) bool) {
	s.View.Edges(row, in, func(to uint32, typ string, line int) bool {
		return s.hidden(to) || visit(to, typ, line)
	})
}

// Degree is how linked a page is, as far as a walk wants to know.
func (s scope) Degree(row uint32) int { return s.View.Degree(row, hubDegree, s.hidden) }

// hubDegree is beyond what tells one hub from another.
const hubDegree = 256

// Resolve implements graph.Links.
func (s scope) Resolve(name string) []uint32 {
	return slices.DeleteFunc(s.View.Resolve(name), s.hidden)
}
