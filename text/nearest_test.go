package text

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"query", "read", "status", "sync", "embedding.provider"}
	for given, want := range map[string]string{
		"qury": "query", "raed": "read", "synk": "sync", "stauts": "status", "SYNC": "sync", "Embedding.Provider": "embedding.provider",
		"embeding.provider": "embedding.provider", "frobnicate": "", "": "",
	} {
		if got := Nearest(given, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", given, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"检索", "检查", 1}} {
		if got := Distance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
