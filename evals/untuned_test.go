package evals

import "testing"

// The split must never move: a question that changes sides has been seen.
func TestUntuned(t *testing.T) {
	want := map[string]bool{"en-rel-001": false, "en-rel-002": false, "en-rel-003": true, "en-rel-004": true, "en-rel-005": false, "zh-rel-001": false, "zh-rel-002": true, "zh-rel-003": true, "": false}
	for id, w := range want {
		if Untuned(id) != w {
			t.Errorf("%s: untuned %v", id, !w)
		}
	}
}
