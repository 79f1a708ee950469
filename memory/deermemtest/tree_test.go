package deermemtest

import (
	"strings"
	"testing"
)

func TestTheTreeHoldsFiftyFactsOfTwoUsersAndThreeAgents(t *testing.T) {
	tree := New()
	users, agents, ids := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range tree.Facts {
		users[f.User], agents[f.Agent], ids[f.Bucket+f.Agent+f.ID] = true, true, true
		if content := tree.Files["users/"+f.Bucket+"/"+f.File]; f.File != "" && !strings.HasSuffix(content, "\n\n"+f.Content+"\n") {
			t.Errorf("%s ends\n%s", f.File, content)
		}
	}
	if len(tree.Facts) != 50 || len(ids) != 50 || len(users) != 2 || len(agents) != 3 {
		t.Errorf("%d facts, %d ids, users %v, agents %v", len(tree.Facts), len(ids), users, agents)
	}
}

func TestAFactLiesInTheShardOfItsID(t *testing.T) {
	for id, hh := range map[string]string{"fact_abc12345": "cc", "fact_0": "94", "note-1": "ea", "A": "55", "fact_deadbeef": "68"} {
		if got, want := place("coder", id), "agents/coder/facts/"+hh+"/"+id+".md"; got != want {
			t.Errorf("%s lies at %s, want %s", id, got, want)
		}
	}
}
