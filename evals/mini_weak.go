package evals

import (
	"maps"
	"slices"

	"brain/page"
)

// weakPlaces is how far down an agent looks: a question whose page comes later
// was not answered, and the mark is right.
const weakPlaces = 3

// plantWorld writes the world as a brain of a temporary root.
func plantWorld(root string) (*tree, error) {
	t, err := newBrain(root, "world", "")
	if err != nil {
		return nil, err
	}
	pages := World(WorldSeed).Pages
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		p, err := page.ParsePath(name)
		if err != nil {
			return nil, err
		}
		if err := t.write(p, pages[name]); err != nil {
			return nil, err
		}
		t.ids[p], t.paths[name] = name, p
	}
	return t, nil
}
