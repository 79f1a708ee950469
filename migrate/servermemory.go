package migrate

import (
	"context"
	"strings"
)

// MCP's server-memory keeps a graph as JSON lines:
//
//	{"type":"entity","name":"Ann","entityType":"person","observations":["Builds pumps."]}
//	{"type":"relation","from":"Ann","to":"Acme","relationType":"works_at"}
//
// What its tool read_graph prints, {"entities":[…],"relations":[…]}, is read as well, and
// the dates and tags that offshoots of it keep.

func readServerMemory(ctx context.Context, src *Source, o Options, take func(Item) error) error {
	files, err := src.files(take, ".jsonl", ".json", ".ndjson")
	if err != nil {
		return err
	}
	g, u := newGraph("server-memory"), &understanding{src: src}
	take = u.watch(take)
	for _, name := range files {
		err := src.records(ctx, name, []string{"entities", "relations"}, take, func(r *record) error {
			ok, err := g.takeRecord(r, take)
			if ok {
				u.n++
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := u.check(`a line {"type":"entity",…} or {"type":"relation",…}`); err != nil {
		return err
	}
	return g.pages(o, take)
}

// takeRecord adds an entity or a relation; ok is whether it is one.
func (g *graph) takeRecord(r *record, take func(Item) error) (ok bool, err error) {
	kind := r.text("type")
	switch {
	case kind == "entity" || kind == "" && r.list == "entities":
		return g.takeEntity(r, take)
	case kind == "relation" || kind == "" && r.list == "relations":
		from, to := r.text("from"), r.text("to")
		if from == "" || to == "" {
			return false, take(drop(Broken, string(r.raw), r.where(), "a relation without from or to"))
		}
		g.node(from, r.where()).relate(r.text("relationType"), to, r.where())
		return true, r.leave(take, "type", "from", "to", "relationType")
	}
	return false, take(drop(Unknown, string(r.raw), r.where(), "neither an entity nor a relation"))
}

func (g *graph) takeEntity(r *record, take func(Item) error) (ok bool, err error) {
	name := r.text("name")
	if name == "" {
		return false, take(drop(Broken, string(r.raw), r.where(), "an entity without a name"))
	}
	n := g.node(name, r.where())
	for _, tag := range append(r.texts("entityType", "name"), r.texts("tags", "name")...) {
		n.tag(tag)
	}
	for _, s := range r.texts("observations", "content") {
		n.say(s)
	}
	if t := r.time("createdAt", "created_at", "timestamp"); n.created.IsZero() {
		n.created = t
	}
	if t := r.time("lastModified", "updatedAt", "updated_at", "lastUpdated"); t.After(n.updated) {
		n.updated = t
	}
	return true, r.leave(take, "type", "name", "entityType", "tags", "observations", "createdAt", "created_at", "timestamp",
		"lastModified", "updatedAt", "updated_at", "lastUpdated")
}

// tag adds a tag, in one word.
func (n *node) tag(s string) {
	if s = strings.Join(strings.Fields(s), "-"); s != "" && !n.seen["#"+s] {
		n.seen["#"+s] = true
		n.tags = append(n.tags, s)
	}
}

// leave drops what a record holds that was not taken.
func (r *record) leave(take func(Item) error, known ...string) error {
	if lost := r.lost(known...); lost != "" {
		return take(drop(NoPlace, lost, r.where(), ""))
	}
	return nil
}
