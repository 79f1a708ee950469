package memory

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var clock = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// statements are statements about one user as an agent makes them, of words that are as
// unequally frequent as in a language: most begin alike, half are Chinese.
func statements(n int) []*Fact {
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.1, 8, 20000)
	verbs := []string{"prefers", "works with", "decided against", "learned about"}
	zhVerbs := []string{"喜欢", "使用", "决定不用", "了解"}
	facts := make([]*Fact, n)
	for i := range facts {
		var b strings.Builder
		if i%2 == 0 {
			fmt.Fprintf(&b, "User %s", verbs[r.IntN(len(verbs))])
			for range 4 + r.IntN(16) {
				fmt.Fprintf(&b, " w%d", z.Uint64())
			}
		} else {
			fmt.Fprintf(&b, "用户%s", zhVerbs[r.IntN(len(zhVerbs))])
			for range 8 + r.IntN(24) {
				b.WriteRune(rune(0x4E00 + z.Uint64()%6000))
			}
		}
		facts[i] = &Fact{ID: fmt.Sprintf("fact_%05d", i), Content: b.String(), Category: Categories[i%len(Categories)],
			Confidence: float64(r.IntN(101)) / 100, Created: clock.AddDate(0, 0, -r.IntN(500))}
	}
	return facts
}

func BenchmarkSearch(b *testing.B) {
	var c corpus
	for _, f := range statements(10000) {
		c.add(f)
	}
	for name, question := range map[string]string{
		"rare": "w4711 w12000", "usual": "what does the user prefer, w12 or w90?", "all": "user w0 w1 w2 w3 w4 w5 prefers 用户喜欢",
		"zh": "用户喜欢什么", "nothing": "zyxwv", "stops": "who am I",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n = len(c.search(question, "", -1, clock))
			}
			b.ReportMetric(float64(n), "found")
		})
		b.Run(name+"/first10", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.search(question, "", 10, clock)
			}
		})
	}
}

func BenchmarkAddAndRemove(b *testing.B) {
	facts := statements(10000)
	var c corpus
	for _, f := range facts {
		c.add(f)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		c.remove(c.docs[i%len(c.docs)])
		c.add(facts[i%len(facts)])
		i++
	}
}
