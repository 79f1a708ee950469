package page

import (
	"errors"
	"slices"
	"testing"
)

func TestATwinGainsASourceAndWhatItHasNot(t *testing.T) {
	raw := []byte("---\ntitle: Cache\nschema_type: decision\nsources:\n  - team\ntags:\n  - db\n---\n\nWe use Redis as the cache.\n")
	p := Parse("b.md", []byte("---\ntitle: Cache\nschema_type: decision\ntags: [db, infra]\nlinks:\n  - to: entities/redis.md\n    type: references\n---\n\nWe use Redis as the cache.\n"))
	next, err := ProblemTree().Gain("a.md", raw, p, "session:4f1c#turn3", 0)
	if err != nil {
		t.Fatal(err)
	}
	twin := Parse("a.md", next)
	if want := []string{"team", "session:4f1c#turn3"}; !slices.Equal(twin.Sources, want) {
		t.Errorf("sources %q, want %q", twin.Sources, want)
	}
	if want := []string{"db", "infra"}; !slices.Equal(twin.Tags, want) {
		t.Errorf("tags %q, want %q", twin.Tags, want)
	}
	if len(twin.Links) != 1 || twin.Links[0].Target != "entities/redis.md" {
		t.Errorf("links %v, want the one of the other page", twin.Links)
	}
	again, err := ProblemTree().Gain("a.md", next, p, "session:4f1c#turn3", 0)
	if err != nil || string(again) != string(next) {
		t.Errorf("gaining the same again: %v\n%s", err, again)
	}
}

func TestNoTwinGainsNothing(t *testing.T) {
	raw := []byte("---\ntitle: Cache\nschema_type: decision\n---\n\nWe use Redis as the cache.\n")
	for name, other := range map[string]string{
		"another type":  "---\ntitle: Cache\nschema_type: lesson\n---\n\nWe use Redis as the cache.\n",
		"another value": "---\ntitle: Cache\nschema_type: decision\n---\n\nWe use Memcached as the cache.\n",
		"one more":      "---\ntitle: Cache\nschema_type: decision\n---\n\nWe use Redis as the cache.\n\nIt holds sessions for two days.\n",
	} {
		if _, err := ProblemTree().Gain("a.md", raw, Parse("b.md", []byte(other)), "s", 0); !errors.Is(err, ErrNoTwin) {
			t.Errorf("%s: %v, want ErrNoTwin", name, err)
		}
	}
}
