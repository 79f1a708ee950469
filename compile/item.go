package compile

import (
	"encoding/json"

	"brain/memory"
	"brain/store"
	"brain/text"
)

// Item is something worth keeping, a page to be. Of what a model writes only
// this is read; a key beside these makes an item malformed.
type Item struct {
	Type    string `json:"type"`    // decision, lesson or note
	Bucket  string `json:"bucket"`  // preference, shortcut, place or environment
	Outcome string `json:"outcome"` // success, partial, fail or uncertain; "": none
	Title   string `json:"title"`
	Body    string `json:"body"`
	Turns   []int  `json:"turns"` // in which it was said, from 1

	tag  string   // of what the rules found
	said []string // as it was found: dates and secrets were not seen to yet
}

// Fact is a short statement about the user, with the labels that decide whether
// it is kept. The labels are written nowhere.
type Fact struct {
	Content     string          `json:"content"`
	Category    string          `json:"category"`
	Confidence  json.RawMessage `json:"confidence"` // 0 to 1; anything else drops the fact
	ValidDays   json.RawMessage `json:"expected_valid_days,omitempty"`
	Scope       string          `json:"scope"`      // user, thread or project
	Durability  string          `json:"durability"` // durable or temporary
	Authority   string          `json:"authority"`  // descriptive or transactional
	SourceError string          `json:"sourceError,omitempty"`
	Turns       []int           `json:"turns"`
}

// Removal asks to take a fact away.
type Removal struct {
	ID          string `json:"id"`
	Scope       string `json:"scope"`
	Reason      string `json:"reason"`
	Replacement *int   `json:"replacementFactIndex,omitempty"` // of newFacts, from 0

	Was store.Hash `json:"was,omitempty"` // of the fact's file that the model was shown
}

// Merge asks for one fact in place of several that say parts of the same.
type Merge struct {
	Sources []string `json:"sourceIds"`
	Fact    Fact     `json:"consolidated"`
}

// Found is what extraction came to, before the gate.
type Found struct {
	Items     []Item                  `json:"items"`
	Facts     []Fact                  `json:"newFacts"`
	Removals  []Removal               `json:"factsToRemove"`
	Summaries []Summary               `json:"summaries,omitempty"`
	Over      []memory.StaleRemoval   `json:"staleFactsToRemove,omitempty"`
	Longer    []memory.StaleExtension `json:"staleFactsToExtend,omitempty"`
	Merges    []Merge                 `json:"factsToConsolidate,omitempty"`
	// Dropped is what of a reply had no form.
	Dropped []Dropped `json:"dropped,omitempty"`
}

func (f *Found) drop(text string, why Reason, detail string) {
	f.Dropped = append(f.Dropped, Dropped{Text: beginning(text), Reason: why, Detail: beginning(detail)})
}

// masked is a finding without the secrets that a model put together of what the door
// could not know for one. It is what is kept, from the checkpoint on.
func (it *Item) masked() {
	it.Title, it.Body = mask(it.Title), mask(it.Body)
}

func (f *Fact) masked() {
	f.Content, f.Category, f.SourceError = mask(f.Content), mask(f.Category), mask(f.SourceError)
}

func mask(s string) string {
	s, _ = text.Mask(s)
	return s
}

// beginning is as much of a text as a report shows.
func beginning(s string) string { return text.Clip(mask(s), 100) }
