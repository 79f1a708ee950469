package dream

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// subjectsOf gives what pages speak of: the key, and the paths of the pages.
func (w *world) subjectsOf(taken ...string) map[string][]string {
	w.t.Helper()
	n, err := w.cycle(nil).begin()
	if err != nil {
		w.t.Fatal(err)
	}
	defer n.end()
	v, err := n.view(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	all, err := n.subjects(context.Background(), v, taken)
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string][]string{}
	for _, s := range all {
		for _, l := range s.members {
			out[s.key] = append(out[s.key], string(l.Path))
		}
	}
	return out
}

// lessons writes lessons below an issue each; every text begins with its title, then a line feed.
func (w *world) lessons(source string, from int, texts ...string) (paths []string) {
	for i, text := range texts {
		p := fmt.Sprintf("sources/%s/issues/%02d/lessons.md", source, from+i)
		w.write(p, text)
		paths = append(paths, p)
	}
	return paths
}

func (w *world) entity(slug, title string, more ...string) {
	w.write("entities/"+slug+".md", lines(append(append([]string{"---", "title: " + title, "schema_type: entity"}, more...), "---", "", "About it.")...))
}

func wantSubjects(t *testing.T, got map[string][]string, want map[string][]string) {
	t.Helper()
	for key, paths := range got {
		if !slices.Equal(paths, want[key]) {
			t.Errorf("%s: %v, want %v", key, paths, want[key])
		}
	}
	for key := range want {
		if got[key] == nil {
			t.Errorf("%s is no subject", key)
		}
	}
}

func TestAnEntityIsKnownByAnyName(t *testing.T) {
	w := newWorld(t)
	w.entity("red-hawk", "Kestrel", "aliases: [红隼, alert engine]")
	all := w.lessons("a", 1,
		lessonPage("Mute the siren", "See [[Kestrel]] for that."),
		lessonPage("红隼不能停", "停了就没有告警。"),
		lessonPage("Keep the alert engine small", "It grows."),
		lessonPage("On the wall", "The alert engine hung. Then red-hawk came back."),
		lessonPage("Two of a kind", "Nothing.", "tags: [kestrel]"),
		lessonPage("Only once", "The alert engine is named in passing."),
		lessonPage("Kestrels are birds", "They hover."),
	)
	wantSubjects(t, w.subjectsOf(), map[string][]string{"[[entities/red-hawk]]": all[:5]})
}

func TestWhoDecidedIsNoSubject(t *testing.T) {
	w := newWorld(t)
	w.entity("tobin", "Tobin Askew", "tags: [person]")
	w.entity("acme", "Acme Press")
	for i := range 6 {
		w.write(fmt.Sprintf("sources/a/issues/%d/decisions/1-x.md", i), lines("---", "title: Number "+fmt.Sprint(i), "schema_type: decision",
			"links: [{to: entities/acme.md, type: decided}, {to: entities/tobin.md, type: decided}]", "---", "", "[[Tobin Askew]] decided it. Tobin Askew was sure. Tobin Askew left."))
	}
	wantSubjects(t, w.subjectsOf(), nil)
}

func TestAPageThatIsNotThereYetIsASubject(t *testing.T) {
	w := newWorld(t)
	var texts []string
	for i := range 5 {
		texts = append(texts, lessonPage(fmt.Sprintf("Number %d", i), "Look at [[Redis]] first."))
	}
	all := w.lessons("a", 1, texts...)
	wantSubjects(t, w.subjectsOf(), map[string][]string{"[[Redis]]": all})
	w.entity("redis", "Redis")
	wantSubjects(t, w.subjectsOf("[[Redis]]"), map[string][]string{"[[entities/redis]]": all})
}

func TestAnIssueIsASubject(t *testing.T) {
	w := newWorld(t)
	var all []string
	for i := range 5 {
		p := fmt.Sprintf("sources/a/issues/7/decisions/%d-x.md", i)
		w.write(p, lines("---", fmt.Sprintf("title: Number %d", i), "schema_type: decision", "---", "", "Because."))
		all = append(all, p)
	}
	wantSubjects(t, w.subjectsOf(), map[string][]string{"issue a/7": all})
}

func TestATagIsASubjectWithinItsSource(t *testing.T) {
	w := newWorld(t)
	var here []string
	for i := range 5 {
		text := lessonPage(fmt.Sprintf("Number %d", i), "Nothing.", "tags: [Payments, lesson, 教训, important]")
		here = append(here, w.lessons("a", i, text)...)
		if i < 4 {
			w.lessons("b", i, text)
		}
	}
	wantSubjects(t, w.subjectsOf(), map[string][]string{"tag a/payments": here})
}

func TestATellingWordOfTitlesIsASubject(t *testing.T) {
	w := newWorld(t)
	english := w.lessons("a", 1,
		lessonPage("Timeouts hide behind retries", "A."), lessonPage("A timeout needs a number", "B."), lessonPage("Never a timeout without a log", "C."),
		lessonPage("The timeout of the proxy", "D."), lessonPage("Which timeout was it?", "E."))
	chinese := w.lessons("b", 1,
		lessonPage("报告字体的教训", "甲。"), lessonPage("缺字体就失败", "乙。"), lessonPage("字体要打进镜像", "丙。"), lessonPage("换字体以后", "丁。"), lessonPage("字体的版权", "戊。"))
	// What they share besides says nothing: the commonest words, and what the pages are.
	w.lessons("c", 1, lessonPage("Lesson of the last week", "F."), lessonPage("Lesson of the first week", "G."), lessonPage("Lesson of the best week", "H."), lessonPage("Lesson of the long week", "I."), lessonPage("Lesson of the next week", "J."))
	wantSubjects(t, w.subjectsOf(), map[string][]string{"word timeout": english, "word 字体": chinese})
}

func TestARareNameInTheTextsIsASubject(t *testing.T) {
	w := newWorld(t)
	var texts []string
	for i := range 5 {
		texts = append(texts, lessonPage(fmt.Sprintf("Number %d", i), "We put PgBouncer before it. Without PgBouncer it died of connections, every time."))
	}
	all := w.lessons("a", 1, texts...)
	wantSubjects(t, w.subjectsOf(), map[string][]string{"word pgbouncer": all})
}

// Most specific first, and a wider subject besides only with enough pages of its own.
func TestTheMostSpecificSubjectWins(t *testing.T) {
	w := newWorld(t)
	w.entity("kestrel", "Kestrel")
	tagged := func(i int) string {
		return lessonPage(fmt.Sprintf("Number %d", i), "See [[Kestrel]].", "tags: [sms]")
	}
	plain := func(i int) string { return lessonPage(fmt.Sprintf("Number %d", i), "See [[Kestrel]].") }
	sms := w.lessons("a", 1, tagged(1), tagged(2), tagged(3), tagged(4), tagged(5))
	rest := w.lessons("a", 6, plain(6), plain(7), plain(8), plain(9))
	wantSubjects(t, w.subjectsOf(), map[string][]string{"tag a/sms": sms})
	rest = append(rest, w.lessons("a", 10, plain(10))...)
	both := map[string][]string{"tag a/sms": sms, "[[entities/kestrel]]": append(slices.Clone(sms), rest...)}
	wantSubjects(t, w.subjectsOf(), both)
	// What has an experience keeps it.
	w = newWorld(t)
	w.entity("kestrel", "Kestrel")
	sms = w.lessons("a", 1, tagged(1), tagged(2), tagged(3), tagged(4), tagged(5))
	all := append(slices.Clone(sms), w.lessons("a", 6, plain(6))...)
	wantSubjects(t, w.subjectsOf("[[entities/kestrel]]"), map[string][]string{"[[entities/kestrel]]": all})
}

// Nothing is learned from what is over, what belongs to one agent, and what is no lesson.
func TestOnlyLessonsThatHoldCount(t *testing.T) {
	w := newWorld(t)
	w.entity("kestrel", "Kestrel")
	w.lessons("a", 1, lessonPage("Number 1", "[[Kestrel]]"), lessonPage("Number 2", "[[Kestrel]]"), lessonPage("Number 3", "[[Kestrel]]"), lessonPage("Number 4", "[[Kestrel]]"))
	w.write("sources/a/issues/5/lessons.md", lessonPage("Number 5", "[[Kestrel]]", "status: archived"))
	w.write("agents/marlin/notes.md", lessonPage("Number 6", "[[Kestrel]]"))
	w.write("notes/a.md", lines("---", "title: Number 7", "schema_type: note", "---", "", "[[Kestrel]]"))
	w.write("experiences/a.md", lines("---", "title: Number 8", "schema_type: experience", "---", "", "[[Kestrel]]"))
	w.write("sources/a/issues/9/lessons.md", lessonPage("Number 9", "[[Kestrel]]", "generated: brain"))
	wantSubjects(t, w.subjectsOf(), nil)
}

// Documents are no lessons: nothing is made of a manual.
func TestDocumentsTeachNothing(t *testing.T) {
	w := newWorld(t)
	for i := range 12 {
		w.write(fmt.Sprintf("docs/page-%d.md", i), lines(fmt.Sprintf("# TiKV parameter %d", i), "", "The TiKV timeout of TiKV. See [[TiKV]]."))
	}
	before := w.tree()
	if r := w.dream(w.cycle(nil), Distill); w.tree() != before || !r.OK {
		t.Errorf("%v", w.experiences())
	}
}

func TestAMergedEntityIsOneSubject(t *testing.T) {
	w := newWorld(t)
	w.entity("paygate", "Paygate")
	w.write("entities/pg.md", lines("---", "title: PG", "schema_type: entity", "status: merged", "redirect: entities/paygate", "---"))
	w.lessons("a", 1, lessonPage("Number 1", "[[entities/pg]]"), lessonPage("Number 2", "[[Paygate]]"), lessonPage("Number 3", "[[entities/pg]]"), lessonPage("Number 4", "[[Paygate]]"), lessonPage("Number 5", "[[Paygate]]"))
	got := w.subjectsOf("[[entities/pg]]")
	if len(got) != 1 || len(got["[[entities/paygate]]"]) != 5 {
		t.Errorf("%v", got)
	}
}
