package migrate

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"time"

	"brain/memory"
)

// mem0 keeps statements about a user, which are facts here, and in some set-ups a
// graph, which becomes pages. Its exports differ by where they come from:
//
//	[{"id","memory","user_id","agent_id","run_id","metadata","categories","created_at",…}]
//	{"results":[…],"relations":[{"source","relationship","target"}]}
//	{"count","next","results":[…]}                       a page of the hosted service
//	{"user","categories":[{"id","name"}],"memories":[{"id","content","state","category_ids"}]}
//	{"id","content","metadata","state","categories"}⏎…   memories.jsonl.gz of OpenMemory

func readMem0(ctx context.Context, src *Source, o Options, take func(Item) error) error {
	files, err := src.files(take, ".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz")
	if err != nil {
		return err
	}
	in := &mem0{graph: newGraph("mem0"), o: o, ids: map[string]bool{}, understanding: understanding{src: src}}
	in.take = in.watch(take)
	for _, name := range files {
		if err := src.records(ctx, name, []string{"results", "memories", "relations", "data"}, in.take, in.record); err != nil {
			return err
		}
	}
	if err := in.check(`an object with "memory" or "content"`); err != nil {
		return err
	}
	return in.graph.pages(o, in.take)
}

type mem0 struct {
	understanding
	graph *graph
	o     Options
	take  func(Item) error
	ids   map[string]bool
}

func (in *mem0) record(r *record) error {
	if r.list == "relations" {
		return in.relation(r)
	}
	content := strings.TrimSpace(r.text("memory", "content", "text"))
	if content == "" {
		return in.take(drop(Unknown, string(r.raw), r.where(), "no memory: it has no text"))
	}
	in.n++
	id := r.name("id", "memory_id")
	if in.ids[id] {
		return in.take(drop(Duplicate, content, r.where(), "the same id stands before it"))
	}
	if id != "" {
		in.ids[id] = true
	}
	f := in.fact(r, content)
	if why, detail := in.unwanted(r, f); why != "" {
		return in.take(drop(why, content, r.where(), detail))
	}
	f.ID = memory.FactID("mem0", id)
	if id == "" {
		f.ID = memory.FactID("mem0", "", content)
	}
	if err := in.take(Item{Fact: f}); err != nil {
		return err
	}
	if lost := in.lost(r); lost != "" {
		return in.take(drop(NoPlace, lost, r.where(), ""))
	}
	return nil
}

func (in *mem0) relation(r *record) error {
	from, to := r.text("source"), r.text("target", "destination")
	if from == "" || to == "" {
		return in.take(drop(Broken, string(r.raw), r.where(), "a relation without source or target"))
	}
	in.n++
	n := in.graph.node(from, r.where())
	n.tag(r.text("source_type"))
	n.relate(r.text("relationship", "relation"), to, r.where())
	if t := r.text("target_type"); t != "" {
		in.graph.node(to, r.where()).tag(t)
	}
	return r.leave(in.take, "source", "source_type", "relationship", "relation", "target", "destination", "target_type")
}

// fact is the fact that a memory is.
func (in *mem0) fact(r *record, content string) *Fact {
	meta := r.object("metadata")
	f := &Fact{Agent: r.name("agent_id"), User: r.name("user_id"), Where: r.where()}
	f.Content, f.Confidence = content, memory.DefaultConfidence
	f.Created, f.Updated = r.time("created_at"), r.time("updated_at")
	if c, ok := meta.number("confidence"); ok && c >= 0 && c <= 1 {
		f.Confidence = c
	}
	if categories := in.categories(r, meta); len(categories) > 0 {
		f.Category, f.Topics = categories[0], categories[1:]
	}
	f.Source = memory.Source{Type: "import"}
	if run := r.name("run_id", "session_id"); run != "" {
		f.Source = memory.Source{Type: "conversation", Thread: run}
	}
	if end, from := r.time("expiration_date"), in.from(f); end.After(from) {
		f.ValidDays = max(1, int(math.Ceil(end.Sub(from).Hours()/24)))
	}
	return f
}

// from is when a fact began to hold.
func (in *mem0) from(f *Fact) time.Time {
	if f.Created.IsZero() {
		return in.o.now()
	}
	return f.Created
}

// categories are names; a backup of OpenMemory has them in a list of their own.
func (in *mem0) categories(r *record, meta fields) (all []string) {
	all = r.texts("categories", "name")
	if len(all) == 0 {
		names := map[string]string{}
		var list []fields
		if json.Unmarshal(r.beside["categories"], &list) == nil {
			for _, c := range list {
				names[c.name("id")] = c.text("name")
			}
		}
		for _, id := range r.texts("category_ids", "id") {
			if name := names[id]; name != "" {
				all = append(all, name)
			}
		}
	}
	if len(all) == 0 {
		all = meta.texts("category", "name")
	}
	return all
}

// unwanted says why a memory is not to be taken.
func (in *mem0) unwanted(r *record, f *Fact) (why Reason, detail string) {
	state, end := r.text("state"), r.time("expiration_date")
	switch {
	case state != "" && state != "active":
		return Gone, state
	case !r.time("deleted_at").IsZero():
		return Gone, "deleted"
	case !end.IsZero() && !end.After(in.o.now()):
		return Expired, r.text("expiration_date")
	case in.o.User != "" && f.User != "" && f.User != in.o.User:
		return OtherUser, f.User
	}
	return "", ""
}

// lost is what a memory holds beyond a fact. The score of a search tells of the
// question, not of the memory; the hash is that of its text.
func (in *mem0) lost(r *record) string {
	lost := r.fields.lost("id", "memory_id", "memory", "content", "text", "user_id", "agent_id", "run_id", "session_id", "metadata", "categories",
		"category_ids", "created_at", "updated_at", "expiration_date", "state", "hash")
	if meta := r.object("metadata").lost("category", "confidence"); meta != "" {
		lost = strings.TrimPrefix(lost+", metadata: "+meta, ", ")
	}
	return lost
}
