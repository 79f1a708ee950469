package memory

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// Inputs that broke other memories, as far as they are about facts.

// K03, K11: what differs in a value, a negation or a status stays apart, and what is the
// same but for how it is written does not.
func TestK11ContradictionsAreNotMerged(t *testing.T) {
	for _, c := range []struct {
		old, new string
		apart    bool
	}{
		{"the request limit of the staging server is 100", "the request limit of the staging server is 1000", true},
		{"the nightly backup of the staging server is enabled", "the nightly backup of the staging server is not enabled", true},
		{"夜间备份已启用 在测试服务器上", "夜间备份已停用 在测试服务器上", true},
		{"用户的项目使用 MySQL 数据库", "用户的项目使用 PostgreSQL 数据库", true},
		{"the weekly meeting of the team in the big room starts at 3 pm on Monday", "the weekly meeting of the team in the big room starts at 15:00 on Monday", false},
		{"the user likes short answers in German very much", "the user likes short answers in German so much", false},
		{"用户喜欢简短的中文回答和代码示例", "用户喜欢简短的中文回答和代码示例。", false},
	} {
		w := newWorld(t)
		w.Rules.NearDuplicates = true
		w.add("", c.old, 0.9)
		d, err := w.Add(ctx, "", Fact{Content: c.new, Category: "preference", Confidence: 0.8})
		apart := err == nil && d.Merged == "" && len(w.list("").Facts) == 2
		if apart != c.apart || err != nil && !errors.Is(err, ErrDuplicate) {
			t.Errorf("%q and %q: apart %v (%v), want %v", c.old, c.new, apart, err, c.apart)
		}
	}
}

// K04, K05: the same said nine times, in other case, width and blanks, is one fact.
func TestK04TheSameSaidNineTimesIsOneFact(t *testing.T) {
	w := newWorld(t)
	stored := 0
	for _, s := range []string{
		"Deploys happen on Fridays", "deploys happen on fridays", "DEPLOYS HAPPEN ON FRIDAYS", " Deploys happen on Fridays ", "Deploys  happen on Fridays",
		"Deploys happen\non Fridays", "Deploys happen on Ｆridays", "deploys Happen on Fridays\n", "\tDeploys happen on Fridays",
	} {
		switch _, err := w.Add(ctx, "", Fact{Content: s}); {
		case err == nil:
			stored++
		case !errors.Is(err, ErrDuplicate):
			t.Errorf("%q: %v", s, err)
		}
	}
	if l := w.list(""); stored != 1 || len(l.Facts) != 1 {
		t.Errorf("stored %d: %q", stored, contents(l.Facts))
	}
}

// K06: of ten old facts about a state and one that ends it, the new one is found first.
func TestK06TheNewestFactAboutAStateComesFirst(t *testing.T) {
	for _, c := range []struct{ old, new, question string }{
		{"The user works from the office in Bern in month %d", "The user works from the office in Basel now", "where does the user work from, which office"},
		{"用户在第%d个月住在北京", "用户现在住在上海", "用户住在哪里"},
	} {
		w := newWorld(t)
		for i := range 10 {
			w.at(float64(i * 15))
			w.add("", fmt.Sprintf(c.old, i+1), 0.9)
		}
		w.at(400)
		w.add("", c.new, 0.9)
		found, err := w.Search(ctx, "", Search{Query: c.question})
		if err != nil || len(found) == 0 || found[0].Content != c.new {
			t.Errorf("%q: %v %v", c.question, found, err)
		}
	}
}

// K10: an agent's name in another case is the same agent. (That a fact which ends before
// it begins is refused is page's to test.)
func TestK10AnAgentInAnotherCaseIsTheSame(t *testing.T) {
	w := newWorld(t)
	id := w.add("Reviewer", "Likes tabs", 0.9)
	if _, err := w.Add(ctx, "REVIEWER", Fact{Content: "likes tabs"}); !errors.Is(err, ErrDuplicate) {
		t.Errorf("%v", err)
	}
	if _, err := w.Delete(ctx, " reviewer", id, If{}); err != nil {
		t.Error(err)
	}
	agents, err := w.Agents(ctx)
	if err != nil || slices.Contains(agents, "Reviewer") || slices.Contains(agents, "REVIEWER") {
		t.Errorf("%q %v", agents, err)
	}
}
