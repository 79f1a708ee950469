package compile

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"

	"brain/llm"
	"brain/memory"
)

// Facts that grew old or pile up are asked about with a session, in the same call
// (extract.go). Those of which no session tells are asked about alone, in the same words and
// under the same rules.

//go:embed prompts/review.txt
var reviewSystem string

// reviewKeys are the keys of a reply that speak of known facts.
var reviewKeys = []string{"staleFactsToRemove", "staleFactsToExtend", "factsToConsolidate"}

// ReviewVersion is of what ReviewRequest asks and ReadReview wants.
const ReviewVersion = 1

// ReviewRequest asks what becomes of facts that grew old, and which of a group become one.
// language is that of what is written; "" is theirs.
func ReviewRequest(aged []memory.Fact, groups []memory.Group, language string) (llm.Request, error) {
	schema, err := reviewSchema()
	if err != nil {
		return llm.Request{}, err
	}
	user := agedBlock(aged) + groupsBlock(groups) + "Write in " + escape(cmp.Or(language, "the language of the facts")) +
		`. Return {"staleFactsToRemove": [...], "staleFactsToExtend": [...], "factsToConsolidate": [...]}; each list may be empty.` + "\n"
	return llm.Request{System: reviewSystem, User: user, Schema: schema, MaxTokens: reviewTokens}, nil
}

// reviewSchema is the part of the schema of a reply that is about known facts.
func reviewSchema() (json.RawMessage, error) {
	var all struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(replySchema, &all); err != nil {
		return nil, fmt.Errorf("read the schema of a reply: %w", err)
	}
	some := map[string]json.RawMessage{}
	for _, key := range reviewKeys {
		some[key] = all.Properties[key]
	}
	return json.Marshal(map[string]any{"type": "object", "additionalProperties": false, "required": reviewKeys, "properties": some})
}

// Reviewed is what a reply says of known facts. What is carried out of it is for
// memory.Batch to decide.
type Reviewed struct {
	Review  memory.Review
	Merges  []memory.Consolidation
	Dropped []Dropped // what had no form, or not the labels of a fact
}

// ReadReview reads a reply to ReviewRequest. One that is none, or of which all is of no use,
// is ErrRejected; empty lists are a good answer.
func ReadReview(raw []byte) (*Reviewed, error) {
	var lists map[string]json.RawMessage
	if err := json.Unmarshal(raw, &lists); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRejected, err)
	}
	for _, key := range reviewKeys {
		var list []json.RawMessage
		if json.Unmarshal(lists[key], &list) != nil {
			return nil, fmt.Errorf("%w: %s is no list", ErrRejected, key)
		}
	}
	f := &Found{}
	f.readReview(&answer{Over: lists[reviewKeys[0]], Longer: lists[reviewKeys[1]], Merges: lists[reviewKeys[2]]})
	r := &Reviewed{Review: memory.Review{Remove: f.Over, Extend: f.Longer}, Dropped: f.Dropped}
	for _, m := range f.Merges {
		c, why, detail := m.judged()
		if why != "" {
			r.Dropped = append(r.Dropped, Dropped{Text: beginning(m.Fact.Content), Reason: why, Detail: beginning(detail)})
			continue
		}
		r.Merges = append(r.Merges, c)
	}
	if len(r.Dropped) > 0 && len(r.Review.Remove)+len(r.Review.Extend)+len(r.Merges) == 0 {
		return nil, fmt.Errorf("%w: all of it was dropped, first for %s: %s", ErrRejected, r.Dropped[0].Reason, r.Dropped[0].Detail)
	}
	return r, nil
}
