package memory

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"brain/page"
)

// sample is a file as DeerMem writes it.
const sample = `---
id: fact_abc12345
category: preference
confidence: 0.9
source:
  type: conversation
  threadId: thread-1
expected_valid_days: 120
schemaVersion: 2
status: active
topics: []
consolidatedFrom: []
createdAt: '2026-11-29T17:56:24.877586Z'
updatedAt: '2026-11-29T17:56:24.877586Z'
revision: 1
user_id: a@b.com
agent_name: __default__
---

# Likes tabs over spaces

Likes tabs over spaces
`

const samplePath page.Path = "agents/__default__/facts/cc/fact_abc12345.md"

var made = time.Date(2026, 11, 29, 17, 56, 24, 877586000, time.UTC)

func sampleFact() Fact {
	return Fact{
		ID: "fact_abc12345", User: "a@b.com", Content: "Likes tabs over spaces", Category: "preference", Confidence: 0.9,
		Source: Source{Type: "conversation", Thread: "thread-1"}, ValidDays: 120, Created: made,
	}
}

func parse(t *testing.T, path page.Path, raw string) (Fact, []page.Problem) {
	t.Helper()
	f, problems, err := ParseFact(path, []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return f, problems
}

func format(t *testing.T, f Fact) string {
	t.Helper()
	raw, err := FormatFact(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestFactIsWrittenAsDeerMemWritesIt(t *testing.T) {
	if got := format(t, sampleFact()); got != sample {
		t.Errorf("%s", cmp.Diff(sample, got))
	}
	f, problems := parse(t, samplePath, sample)
	want := sampleFact()
	want.Agent, want.Title, want.Status, want.Revision, want.Updated = page.DefaultAgent, "Likes tabs over spaces", "active", 1, made
	if diff := cmp.Diff(want, f, cmpopts.IgnoreUnexported(Fact{})); diff != "" || problems != nil {
		t.Errorf("%s %v", diff, problems)
	}
	if got := format(t, f); got != sample {
		t.Errorf("read and written: %s", cmp.Diff(sample, got))
	}
}

func TestEveryKeyHasItsPlace(t *testing.T) {
	f := sampleFact()
	f.Agent, f.User, f.Category, f.Source, f.Confidence = "Coder", "", "knowledge", Source{}, 0
	f.SourceError, f.Topics, f.Merged = "Said spaces: wrong", []string{"编辑器", "yes"}, []string{"fact_00000001", "fact_00000002"}
	f.Confirmed, f.Confirmations = time.Date(2026, 12, 1, 8, 0, 0, 0, time.FixedZone("", 3600)), 2
	f.Provenance = page.Provenance{Session: "s-42", Turns: []int{3, 4}, Ref: "sessions/2026-11/s-42"}
	const want = `---
id: fact_abc12345
category: other
confidence: 0.0
source:
  type: unknown
  threadId: null
expected_valid_days: 120
sourceError: 'Said spaces: wrong'
schemaVersion: 2
categoryExtension: knowledge
status: active
topics:
- 编辑器
- 'yes'
consolidatedFrom:
- fact_00000001
- fact_00000002
createdAt: '2026-11-29T17:56:24.877586Z'
updatedAt: '2026-11-29T17:56:24.877586Z'
revision: 1
consolidatedAt: '2026-11-29T17:56:24.877586Z'
lastConfirmedAt: '2026-12-01T07:00:00Z'
confirmationCount: 2
provenance:
  session_id: s-42
  turns:
  - 3
  - 4
  history_ref: sessions/2026-11/s-42
user_id: null
agent_name: coder
---

# Likes tabs over spaces

Likes tabs over spaces
`
	got := format(t, f)
	if got != want {
		t.Fatalf("%s", cmp.Diff(want, got))
	}
	path, err := FactPath(f.Agent, f.ID)
	if err != nil {
		t.Fatal(err)
	}
	back, problems := parse(t, path, got)
	if back.Category != "knowledge" || back.Confidence != 0 || back.Confirmations != 2 || problems != nil {
		t.Errorf("%+v %v", back, problems)
	}
	p := page.Parse(path, []byte(got))
	if p.Type != "fact" || p.Agent != "coder" || p.Title != "Likes tabs over spaces" || p.Tier() != 3 || !p.Created.Equal(made) ||
		!cmp.Equal(p.Provenance, f.Provenance) || len(p.Links) != 0 || len(p.Problems) != 0 || !strings.HasSuffix(p.Body, "\nLikes tabs over spaces\n") {
		t.Errorf("as a page: %+v", p)
	}
}

func TestFactPath(t *testing.T) {
	for id, hh := range map[string]string{"fact_abc12345": "cc", "fact_0": "94", "note-1": "ea", "A": "55", "fact_deadbeef": "68"} {
		got, err := FactPath("Coder", id)
		if want := page.Path("agents/coder/facts/" + hh + "/" + id + ".md"); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", id, got, err, want)
		}
	}
	if got, err := FactPath("", "A"); got != "agents/__default__/facts/55/A.md" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	for _, id := range []string{"", "a/b", "..", "a.md", "é", "a b", strings.Repeat("a", 129)} {
		if got, err := FactPath("", id); !errors.Is(err, ErrFact) {
			t.Errorf("%q: %s, %v", id, got, err)
		}
	}
	if got, err := FactPath("../x", "a"); !errors.Is(err, page.ErrAgent) {
		t.Errorf("%s, %v", got, err)
	}
}

func TestUserFolder(t *testing.T) {
	for id, want := range map[string]string{
		"alice": "alice", "a@b.com": "a-b-com-fb98d44ad7501a95", "user.name@x": "user-name-x-5949a6ab01d11fee",
		"user-name@x": "user-name-x-c3081889f56f4796", "用户1": "--1-857e3168f4aafbba",
	} {
		if got, err := UserFolder(id); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", id, got, err, want)
		}
	}
	if _, err := UserFolder(""); err == nil {
		t.Error("a user without an id has a folder")
	}
}

func TestFactIDIsAFunctionOfItsParts(t *testing.T) {
	id := FactID("s-42", "likes tabs")
	if id != FactID("s-42", "likes tabs") || id == FactID("s-4", "2likes tabs") || id == FactID("s-42", "likes", " tabs") {
		t.Errorf("%s", id)
	}
	if err := checkID(id); err != nil || len(id) != len("fact_")+16 {
		t.Errorf("%s: %v", id, err)
	}
}

// with is the sample with a line in place of another key's.
func with(key, lines string) string {
	at := strings.Index(sample, "\n"+key+":") + 1
	end := at + strings.IndexByte(sample[at:], '\n') + 1
	return sample[:at] + lines + sample[end:]
}

func TestConfidenceHasOneRule(t *testing.T) {
	for _, c := range []struct {
		line string
		want float64
		told bool
	}{
		{"", 0.5, false}, {"confidence: 0\n", 0, false}, {"confidence: 0.0\n", 0, false}, {"confidence: 1\n", 1, false},
		{"confidence: '0.7'\n", 0.7, false}, {"confidence: true\n", 0.5, true}, {"confidence: high\n", 0.5, true},
		{"confidence:\n", 0.5, true}, {"confidence: .nan\n", 0.5, true}, {"confidence: .inf\n", 0.5, true},
		{"confidence: 1e400\n", 0.5, true}, {"confidence: 1.5\n", 1, true}, {"confidence: -1\n", 0, true}, {"confidence: [1]\n", 0.5, true},
	} {
		f, problems := parse(t, samplePath, with("confidence", c.line))
		if f.Confidence != c.want || len(problems) > 0 != c.told {
			t.Errorf("%q: %v, %v", c.line, f.Confidence, problems)
		}
		again, problems := parse(t, samplePath, format(t, f))
		if again.Confidence != c.want || problems != nil {
			t.Errorf("%q written: %v, %v", c.line, again.Confidence, problems)
		}
	}
}

func TestOddValuesAreReadAsTheyAreMeant(t *testing.T) {
	for _, c := range []struct {
		key, line string
		is        func(Fact) bool
		told      int
	}{
		{"createdAt", "createdAt: 2026-11-29T17:56:24.877586Z\n", func(f Fact) bool { return f.Created.Equal(made) }, 0},
		{"createdAt", "createdAt: 2026-11-29\n", func(f Fact) bool { return f.Created.Equal(made.Truncate(24 * time.Hour)) }, 0},
		{"createdAt", "createdAt: some day\n", func(f Fact) bool { return f.Created.Equal(made) }, 1},
		{"createdAt", "createdAt: ''\n", func(f Fact) bool { return f.Created.Equal(made) }, 0},
		{"expected_valid_days", "expected_valid_days: true\n", func(f Fact) bool { return f.ValidDays == 0 }, 1},
		{"expected_valid_days", "expected_valid_days: 0.5\n", func(f Fact) bool { return f.ValidDays == 0 }, 1},
		{"expected_valid_days", "expected_valid_days: 1e300\n", func(f Fact) bool { return f.ValidDays == 0 }, 1},
		{"expected_valid_days", "expected_valid_days:\n", func(f Fact) bool { return f.ValidDays == 0 }, 0},
		{"revision", "revision: x\n", func(f Fact) bool { return f.Revision == 1 }, 1},
		{"revision", "revision: 7\n", func(f Fact) bool { return f.Revision == 7 }, 0},
		{"topics", "topics: Go\n", func(f Fact) bool { return f.Topics == nil }, 1},
		{"topics", "topics: [Go, null, '1']\n", func(f Fact) bool { return cmp.Equal(f.Topics, []string{"Go", "1"}) }, 0},
		{"category", "category: other\ncategoryExtension: knowledge\n", func(f Fact) bool { return f.Category == "knowledge" }, 0},
		{"category", "category: goal\ncategoryExtension: knowledge\n", func(f Fact) bool { return f.Category == "goal" }, 0},
		{"category", "", func(f Fact) bool { return f.Category == "context" }, 0},
		{"status", "status: archived\n", func(f Fact) bool { return f.Status == "archived" }, 0},
		{"id", "", func(f Fact) bool { return f.ID == "fact_abc12345" }, 1},
		{"agent_name", "agent_name: __DEFAULT__\n", func(f Fact) bool { return f.Agent == "__default__" }, 0},
		{"user_id", "user_id: null\n", func(f Fact) bool { return f.User == "" }, 0},
		{"user_id", "user_id: 1e3\n", func(f Fact) bool { return f.User == "1e3" }, 0},
		{"revision", "revision: 1\nrevision: 2\n", func(f Fact) bool { return f.Revision == 1 }, 1},
	} {
		f, problems := parse(t, samplePath, with(c.key, c.line))
		if !c.is(f) || len(problems) != c.told {
			t.Errorf("%q: %+v, %v", c.line, f, problems)
		}
	}
}

func TestSourceOfOlderFactsIsLifted(t *testing.T) {
	old := strings.Replace(sample, "source:\n  type: conversation\n  threadId: thread-1\n", "source: %s\n", 1)
	for said, want := range map[string]Source{
		"manual": {"manual", ""}, "consolidation": {"consolidation", ""}, "import": {"import", ""}, "unknown": {"unknown", ""},
		"thread-9": {"conversation", "thread-9"}, "null": {"unknown", ""}, "{type: manual}": {"manual", ""}, "{}": {"unknown", ""},
	} {
		f, problems := parse(t, samplePath, fmt.Sprintf(old, said))
		if f.Source != want || problems != nil {
			t.Errorf("%s: %+v, %v", said, f.Source, problems)
		}
	}
}

// A file that people and two programs write to keeps what none of them changed.
func TestWhatDidNotChangeKeepsItsLines(t *testing.T) {
	raw := "\uFEFF" + strings.ReplaceAll(`---
# by hand
mood: {good: yes}   # ours
user_id: a@b.com
id: "fact_abc12345"
scope: user
durability: durable
authority: descriptive
category: preference
source: thread-1
note: |
  line one

  line two
createdAt: 2026-11-29T17:56:24.877586Z
revision: 3
sourceError: 'a long mistake that goes on until the line has more than eighty columns and
  goes on below'
agent_name: __default__
---
# A title of its own

Text
`, "\n", "\r\n")
	want := `---
# by hand
mood: {good: yes}   # ours
id: "fact_abc12345"
category: goal
source: thread-1
note: |
  line one

  line two
createdAt: '2026-11-29T17:56:24.877586Z'
revision: 4
sourceError: 'a long mistake that goes on until the line has more than eighty columns and
  goes on below'
confidence: 0.5
schemaVersion: 2
status: active
topics: []
consolidatedFrom: []
updatedAt: '2026-12-01T00:00:00Z'
user_id: a@b.com
agent_name: __default__
---

# A title of its own

Another text
`
	f, problems := parse(t, samplePath, raw)
	f.Category, f.Revision, f.Content, f.Updated = "goal", 4, "Another text", time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	if got := format(t, f); got != want || problems != nil {
		t.Errorf("%s %v", cmp.Diff(want, got), problems)
	}
}

func TestAnyStatementComesBack(t *testing.T) {
	for said, want := range map[string]string{
		"# Heading first\n\nthen text": "# Heading first\n\nthen text",
		"#":                            "#",
		"a\n---\nb":                    "a\n---\nb",
		"---":                          "---",
		"one\r\ntwo\rthree":            "one\ntwo\nthree",
		"\n\n  用户喜欢 Go \n\n":           "用户喜欢 Go",
		"a\n\n# b\n\nc":                "a\n\n# b\n\nc",
		"```\n# code\n```":             "```\n# code\n```",
		"\u2028x":                      "x",
	} {
		f := sampleFact()
		f.Content = said
		raw := format(t, f)
		back, problems := parse(t, samplePath, raw)
		if back.Content != want || problems != nil || format(t, back) != raw {
			t.Errorf("%q: %q %v\n%s", said, back.Content, problems, raw)
		}
	}
	f := sampleFact()
	f.Content = strings.Repeat("长", 200) + "\nmore"
	back, _ := parse(t, samplePath, format(t, f))
	if back.Title != strings.Repeat("长", 160) || back.Content != f.Content {
		t.Errorf("title of %d letters", utf8.RuneCountInString(back.Title))
	}
}

// A title of control characters alone would be a heading without words.
func TestTitleOfNothingIsTheFirstLine(t *testing.T) {
	for _, c := range [][3]string{
		{"\x01", "Likes tabs\nand more", "Likes tabs"}, {" \x07\n\u2028", "喜欢制表符", "喜欢制表符"}, {"", "\x01\nLikes tabs", "Likes tabs"},
		{strings.Repeat("\x01", 200) + "Tabs", "Likes tabs", "Tabs"},
	} {
		f := sampleFact()
		f.Title, f.Content = c[0], c[1]
		if back, _ := parse(t, samplePath, format(t, f)); back.Title != c[2] || back.Content != c[1] {
			t.Errorf("%q of %q: title %q, content %q", c[0], c[1], back.Title, back.Content)
		}
	}
}

func TestHeadingAloneIsTheStatement(t *testing.T) {
	f, problems := parse(t, samplePath, "---\nid: fact_abc12345\n---\n# Likes tabs")
	if f.Content != "Likes tabs" || f.Confidence != DefaultConfidence || problems != nil {
		t.Errorf("%+v %v", f, problems)
	}
	f, _ = parse(t, samplePath, "---\nid: fact_abc12345\ntitle: Tabs\n---\nLikes tabs")
	if f.Content != "Likes tabs" || f.Title != "Tabs" || strings.Contains(format(t, f), "title:") {
		t.Errorf("%+v", f)
	}
}

func TestWhatIsNoFactIsRefused(t *testing.T) {
	for name, raw := range map[string]string{
		"":                                    sample[4:],
		"no front matter":                     "Likes tabs\n",
		"its front matter is not YAML":        with("category", "category: [\n"),
		"no plain list of keys":               with("topics", "topics: &t []\n"),
		"it is not UTF-8":                     sample + "\xff",
		"it says nothing":                     sample[:strings.Index(sample, "# Likes")],
		"its id is other":                     with("id", "id: other\n"),
		"it belongs to the agent coder":       with("agent_name", "agent_name: coder\n"),
		"letters, digits":                     with("id", "id: a/b\n"),
		"no plain list of keys ":              with("topics", "topics: !!set {a}\n"),
		"no plain list of keys  ":             "---\n{id: fact_abc12345,\n category: x}\n---\ntext",
		"its front matter has 293 KiB":        with("topics", "topics: "+strings.Repeat("x", 300_000)+"\n"),
		"does not end in a name of an agent ": with("agent_name", "agent_name: a/b\n"),
	} {
		_, _, err := ParseFact(samplePath, []byte(raw))
		if err == nil || !errors.Is(err, ErrFact) && !errors.Is(err, page.ErrAgent) {
			t.Errorf("%q: %v", name, err)
		} else if want := strings.TrimSpace(name); errors.Is(err, ErrFact) && !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), string(samplePath)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, problems := parse(t, "agents/__default__/facts/00/fact_abc12345.md", sample); len(problems) != 1 || problems[0].Code != page.CodePath {
		t.Errorf("in another folder: %v", problems)
	}
}

func TestWhatCannotBeReadBackIsNotWritten(t *testing.T) {
	for name, change := range map[string]func(*Fact){
		"it says nothing":         func(f *Fact) { f.Content = " \n" },
		"confidence 1.5":          func(f *Fact) { f.Confidence = 1.5 },
		"confidence NaN":          func(f *Fact) { f.Confidence /= 0 * f.Confidence; f.Confidence *= 0 },
		"it has no time":          func(f *Fact) { f.Created = time.Time{} },
		"a count below zero":      func(f *Fact) { f.ValidDays = -1 },
		"id":                      func(f *Fact) { f.ID = "../x" },
		"is not text":             func(f *Fact) { f.User = "\xff" },
		"no time that a file can": func(f *Fact) { f.Confirmed = made.AddDate(9000, 0, 0) },
	} {
		f := sampleFact()
		change(&f)
		if raw, err := FormatFact(f); !errors.Is(err, ErrFact) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v %s", name, err, raw)
		}
	}
}

var word = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "x", "\x01", "yes", "12", "a: b", "- a", "#", "记住", "a\nb", "'", `"`, "2026-01-02"}))

func TestAFactComesBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := func(name string) string { return strings.ReplaceAll(word.Draw(rt, name), "\x00", "") }
		texts := func(name string) (all []string) {
			for _, s := range rapid.SliceOfN(word, 0, 3).Draw(rt, name) {
				if s = strings.ReplaceAll(s, "\x00", ""); s != "" {
					all = append(all, s)
				}
			}
			return all
		}
		f := Fact{
			ID: "fact_abc12345", User: text("user"), Title: text("title"), Content: "x" + text("content") + "x", Category: text("category"),
			Confidence: rapid.Float64Range(0, 1).Draw(rt, "confidence"), Source: Source{text("type"), text("thread")},
			Created: made.Add(time.Duration(rapid.Int32().Draw(rt, "created")) * time.Microsecond), SourceError: text("error"),
			Topics: texts("topics"), Merged: texts("merged"), ValidDays: rapid.IntRange(0, 9999).Draw(rt, "days"),
			Provenance: page.Provenance{Session: text("session"), Turns: rapid.SliceOfN(rapid.IntRange(1, 99), 0, 3).Draw(rt, "turns")},
		}
		raw, err := FormatFact(f)
		if err != nil {
			rt.Fatal(err)
		}
		back, problems, err := ParseFact(samplePath, raw)
		if err != nil || problems != nil {
			rt.Fatalf("%v %v\n%s", err, problems, raw)
		}
		want, err := f.normal()
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, back, cmpopts.IgnoreUnexported(Fact{}), cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("%s\n%s", diff, raw)
		}
	})
}

// What is read can be written, and says the same when it is read again.
func FuzzFact(f *testing.F) {
	f.Add(sample)
	f.Add(with("topics", "topics: [a, b]\nx: |+\n  y\n\n"))
	f.Add("\uFEFF---\r\nid: fact_abc12345\r\n# c\r\n? x\r\n: y\r\n---\r\n# a\r\n\r\n# b\r\n---\r\n")
	f.Add(with("confidence", "confidence: .inf\ncreatedAt: 2026-01-02\n"))
	f.Fuzz(func(t *testing.T, raw string) {
		first, _, err := ParseFact(samplePath, []byte(raw))
		if err != nil {
			return
		}
		written, err := FormatFact(first)
		if err != nil {
			t.Fatalf("%v\n%q", err, raw)
		}
		second, _, err := ParseFact(samplePath, written)
		if err != nil {
			t.Fatalf("%v\n%q\n%q", err, raw, written)
		}
		if diff := cmp.Diff(first, second, cmpopts.IgnoreUnexported(Fact{})); diff != "" {
			t.Fatalf("%s\n%q\n%q", diff, raw, written)
		}
		if again, err := FormatFact(second); err != nil || string(again) != string(written) {
			t.Fatalf("%v\n%q\n%q", err, written, again)
		}
	})
}
