// Package graph walks the links between pages and understands relational
// questions. It stores nothing: the index is its Links.
//
// A question meets the graph in one of two ways. If it asks for a relation
// ("who founded Acme", "谁负责支付系统"), Parse makes it a Relation and Answer
// follows edges of that type, in that direction, from the one entity named.
// Otherwise Seeds finds the entities that the question names and Walk goes
// out from them, two hops by default.
//
//	graph.go     Links, Graph, edge types
//	walk.go      the bounded breadth-first walk and its ranking
//	seeds.go     which entities a question names
//	named.go     which page a name or a description means
//	relation.go  Relation, Parse: questions as small values
//	forms.go     questions that are whole sentences
//	lexicon.go   what relations are called, English and Chinese
//	english.go   English questions around a relation word
//	chinese.go   Chinese ones
//	answer.go    a Relation evaluated
//	intent.go    general, relation, person or experience
//	algo.go      shortest path, cycles, DOT
package graph

// Links is where a Graph's edges come from; the index satisfies it. Nodes
// are dense numbers 0..Nodes()-1; a dead number has no edges and no name.
//
// A Links may have three methods besides. Degree(n uint32) int tells a node's
// number of edges without visiting them (both ways, any type, dead ones included
// if need be): it makes a walk three times as fast. Is(n uint32, kind string)
// bool tells whether a page is of a kind (KindOf): persons first on "who".
// Described(description string) []Described finds pages by words of their names:
// "the board meeting of Acme".
type Links interface {
	Nodes() int
	// Edges visits the live edges out of n (or into n when in is set), in a
	// stable order, parallel types kept, until visit returns false. n links
	// to itself are left out.
	Edges(n uint32, in bool, visit func(to uint32, typ string, line int) bool)
	// Resolve gives all nodes with that name, folded with text.Fold, at the
	// best kind: path, file or slug, title, alias. Redirects are followed.
	Resolve(name string) []uint32
}

// Graph answers questions about a brain's links. It holds no state of its
// own and is safe for concurrent use if its Links is.
type Graph struct{ Links }

func New(l Links) *Graph { return &Graph{l} }

// Edge types that have a meaning here. A page may name others.
const (
	Mentions   = "mentions"
	References = "references"
	Decided    = "decided"
	ProducedBy = "produced_by"
	WorksOn    = "works_on"
	BelongsTo  = "belongs_to"
	WorksAt    = "works_at"
	Founded    = "founded"
	InvestedIn = "invested_in"
	Advises    = "advises"
	Attended   = "attended"
	RelatedTo  = "related_to"
	Source     = "source"
	LedRound   = "led_round"
	Introduced = "introduced"
	Supersedes = "supersedes"
	Redirect   = "redirect"
	Alias      = "alias"
)

// plain reports whether a type says no more than "there is a link". All
// others are typed evidence: somebody stated a relation.
func plain(typ string) bool {
	return typ == Mentions || typ == References || typ == ""
}

// Direction is seen from the seed.
type Direction uint8

const (
	Both Direction = iota
	Out            // seed → answer
	In             // answer → seed
)

func (d Direction) String() string {
	return [...]string{"both", "out", "in"}[d]
}

// opposite is the direction to fall back to when d had nothing.
func (d Direction) opposite() Direction {
	return [...]Direction{Both, In, Out}[d]
}
