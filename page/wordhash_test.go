package page

import "testing"

func TestWordHashKnowsATextInAnotherDress(t *testing.T) {
	same := [][]string{
		{"The **limit** is 100.", "the limit is 100", "THE LIMIT IS １００!"},
		{"用户喜欢简短的回答。", "用户喜欢简短的回答"},
	}
	seen := map[string]bool{}
	for _, group := range same {
		want := WordHash(group[0])
		if want == "" || seen[want] {
			t.Errorf("%q: hash %q", group[0], want)
		}
		seen[want] = true
		for _, s := range group[1:] {
			if got := WordHash(s); got != want {
				t.Errorf("%q has another hash than %q", s, group[0])
			}
		}
	}
	for _, s := range []string{"The limit is 1000.", "The limit is not 100.", "1 00"} {
		if seen[WordHash(s)] {
			t.Errorf("%q counts as one of the others", s)
		}
	}
	if WordHash("—!?  ") != "" {
		t.Error("a text without words has a hash")
	}
}
