package inbox

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkAFullBox is what a session costs that is refused, or let in, where there
// are many, and what List and Queue cost there.
func BenchmarkAFullBox(b *testing.B) {
	ib := opened(b)
	sayingTo(b, ib, "one", "What is it?")
	files := tree(b, ib)
	const folder = "sessions/2026-03/one/"
	for n := range 5000 {
		id := fmt.Sprintf("s%05d", n)
		state := `"state":"done"`
		if n < 900 {
			state = `"state":"pending"`
		}
		said := strings.ReplaceAll(files[folder+"messages.jsonl"], `"one"`, `"two"`)
		write(b, ib, "sessions/2026-03/"+id+"/messages.jsonl", said)
		write(b, ib, "sessions/2026-03/"+id+"/meta.json", strings.Replace(strings.ReplaceAll(files[folder+"meta.json"], `"one"`, `"`+id+`"`), `"state":"pending"`, state, 1))
	}
	for _, depth := range []int{100, 1000} {
		b.Run(fmt.Sprintf("depth %d", depth), func(b *testing.B) {
			ib.Depth = depth
			for b.Loop() {
				ib.full.Store(nil)
				err := ib.room(Session{}, nil)
				if (err != nil) != (depth == 100) {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("refused again", func(b *testing.B) {
		ib.Depth = 100
		for b.Loop() {
			if ib.room(Session{}, nil) == nil {
				b.Fatal("there is room")
			}
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if all, err := ib.List(ctx); err != nil || len(all) != 5001 {
				b.Fatal(len(all), err)
			}
		}
	})
}
