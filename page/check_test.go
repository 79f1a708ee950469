package page

import (
	"strings"
	"testing"
)

func TestCheckNamesLineAndCode(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		code      string // "" for none
		line      int
		part      string // of message or fix
	}{
		{"bounds in the wrong order", "---\nfacts:\n  - text: x\n    valid_from: 2026-02-01\n    valid_until: 2026-01-01\n---\n", CodeBadFact, 3, "valid_until 2026-01-01 lies before valid_from 2026-02-01"},
		{"equal bounds are a day", "---\nfacts:\n  - text: x\n    valid_from: 2026-02-01\n    valid_until: 2026-02-01\n---\n", "", 0, ""},
		{"a skill to be", "---\nstatus: candidate\n---\nA.\n", "", 0, ""},
		{"an unknown status of a fact", "---\nfacts:\n  - text: 事实\n    status: gone\n---\n", CodeBadFact, 3, "write superseded or archived"},
		{"a bound that is no date", "---\nfacts:\n  - text: x\n    valid_from: soon\n---\n", CodeBadFact, 3, `"soon" is not a date`},
		{"at that is no date", "---\nfacts:\n  - text: x\n    at: 明天\n---\n", CodeBadFact, 3, `at: "明天" is not a date`},
		{"a fact without text", "---\nfacts:\n  - metric: size\n    value: 4\n---\n", CodeBadFact, 3, "give it a text"},
		{"a good fact", "---\nfacts:\n  - text: x\n    status: superseded\n---\n", "", 0, ""},
		{"an unknown status", "---\ntitle: A\nStatus: draft\n---\nx\n", CodeBadStatus, 3, `"draft"`},
		{"a known status", "---\nstatus: Archived\n---\nx\n", "", 0, ""},
		{"a long body", "---\ntitle: A\n---\n" + strings.Repeat("字", MaxBody+1), CodeLongBody, 4, "200001 characters"},
		{"a body of many bytes and few characters", strings.Repeat("字", MaxBody), "", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Parse("f.md", []byte(c.raw)).Check()
			if c.code == "" && len(got) == 0 {
				return
			}
			if len(got) != 1 || got[0].Code != c.code || got[0].Line != c.line || !strings.Contains(got[0].Message+got[0].Fix, c.part) {
				t.Errorf("%+v, want %s on line %d with %q", got, c.code, c.line, c.part)
			}
		})
	}
}

func TestLinesOfNames(t *testing.T) {
	for _, c := range []struct {
		name, raw    string
		title, alias int
	}{
		{"front matter", "---\nk: v\ntitle: A\naliases: [B]\n---\n", 3, 4},
		{"heading", "---\nk: v\n---\n\n# A\n", 5, 0},
		{"file name", "text\n", 0, 0},
		{"a title in the body is none", "---\nk: v\n---\ntitle: x\n# H\n", 5, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Parse("f.md", []byte(c.raw))
			if p.TitleLine() != c.title || p.AliasLine() != c.alias {
				t.Errorf("title %d, alias %d", p.TitleLine(), p.AliasLine())
			}
		})
	}
}

// A conflict has all three marks, at the beginnings of lines, outside of code.
// Its marks and the names of its branches are no words; both texts are.
func TestMergeConflicts(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		line      int    // 0: none
		words     string // the text of the page
	}{
		{"P03 in the body", "# T\n\n<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> branch\nend\n", 3, "mine\ntheirs\nend"},
		{"P03 with the common text", "<<<<<<< a\nmine\n||||||| base\nold\n=======\ntheirs\n>>>>>>> b\n", 1, "mine\nold\ntheirs"},
		{"P03 in Chinese, CRLF", "开头\r\n<<<<<<< HEAD\r\n我的\r\n=======\r\n你的\r\n>>>>>>> 分支\r\n", 2, "开头\n我的\n你的"},
		{"P03 in the front matter", "---\ntitle: A\n<<<<<<< HEAD\nstatus: stale\n=======\nstatus: active\n>>>>>>> branch\n---\nbody\n", 3, "body"},
		{"P03 in nothing but the front matter's title", "---\n<<<<<<< HEAD\ntitle: A\n=======\ntitle: B\n>>>>>>> branch\n---\nbody\n", 2, "body"},
		{"P03 from the front matter into the body", "---\ntitle: A\n<<<<<<< HEAD\nk: x\n---\nmine\n=======\nk: y\n---\ntheirs\n>>>>>>> branch\nend\n", 3, "mine\ntheirs\nend"}, // `k: y` is a heading, underlined
		{"P03 over a fence that one side opens", "<<<<<<< HEAD\n```go\nx\n=======\ntext\n>>>>>>> b\n", 1, ""},
		{"shown in a fence", "```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> c\n```\nend\n", 0, "end"},
		{"indented as code", "text\n\n    <<<<<<< HEAD\n    a\n    =======\n    b\n    >>>>>>> c\n", 0, "text"},
		{"one mark is a line of text", "<<<<<<< HEAD\nmine\n", 0, "<<<<<<< HEAD mine"},
		{"a heading underlined", "A heading\n=======\ntext\n", 0, "text"},
		{"a quotation seven deep", ">>>>>>> deep\n", 0, "deep"},
		{"eight signs are no mark", "<<<<<<<< a\n========\n>>>>>>>> b\n", 0, ""},
		{"out of order", "<<<<<<< a\n>>>>>>> b\n", 0, "<<<<<<< a\nb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Parse("f.md", []byte(c.raw))
			line := 0
			for _, pr := range p.Problems {
				if pr.Code == CodeConflict && line == 0 {
					line = pr.Line
				}
			}
			if line != c.line {
				t.Errorf("a conflict on line %d, want %d: %+v", line, c.line, p.Problems)
			}
			if got := strings.TrimSpace(p.Clean().Body); c.words != "" && got != c.words {
				t.Errorf("text %q, want %q", got, c.words)
			}
		})
	}
}

// A thousand beginnings without an end are read once each.
func TestManyMarksAreReadOnce(t *testing.T) {
	raw := strings.Repeat("<<<<<<< HEAD\nx\n", 50_000)
	if p := Parse("f.md", []byte(raw)); len(p.Problems) != 0 {
		t.Errorf("%d problems", len(p.Problems))
	}
}
