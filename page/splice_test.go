package page

import (
	"errors"
	"strings"
	"testing"
)

// Each case is a page, a change, and the page that is expected; "" for one
// that is refused, or the same page again for one that changes nothing.
func TestSplice(t *testing.T) {
	fact := Fact{Text: "40 GB", Metric: "size"}
	for _, c := range []struct {
		name, raw string
		change    Change
		want      string
	}{
		// One value.
		{"a value in its line", "---\ntitle: a\nstatus: active\nx: 1\n---\nb", SetText("status", "archived"), "---\ntitle: a\nstatus: archived\nx: 1\n---\nb"},
		{"the comment at its end stays", "---\nstatus: active   # 张三 said so\n---\n", SetText("status", "stale"), "---\nstatus: stale   # 张三 said so\n---\n"},
		{"blanks around it stay", "---\nstatus :   active  \n---\n", SetText("status", "stale"), "---\nstatus :   stale  \n---\n"},
		{"the value it has", "---\nstatus: 'active'\n---\n", SetText("status", "active"), "---\nstatus: 'active'\n---\n"},
		{"a value that needs quotes", "---\ntitle: a\n---\n", SetText("title", "支付: a #1"), "---\ntitle: \"支付: a #1\"\n---\n"},
		{"a quoted value", "---\ntitle: \"a # b\" # c\n---\n", SetText("title", "d"), "---\ntitle: d # c\n---\n"},
		{"a value over lines", "---\ntitle: a\n  b\n\n  c\n# d\nx: y\n---\n", SetText("title", "z"), "---\ntitle: z\n# d\nx: y\n---\n"},
		{"quotes over lines", "---\ntitle: \"a\n  b\" # c\nx: y\n---\n", SetText("title", "z"), "---\ntitle: z # c\nx: y\n---\n"},
		{"a block for a line", "---\nabstract: |\n  a\n  # b\n\n# c\nx: y\n---\n", SetText("abstract", "z"), "---\nabstract: z\n\n# c\nx: y\n---\n"},
		{"a line for a block", "---\nabstract: a # c\nx: y\n---\n", SetText("abstract", "甲\n\n乙"), "---\nabstract: |- # c\n  甲\n\n  乙\nx: y\n---\n"},
		{"a folded block", "---\noverview: >-\n  a\n  b\ntags: [x]\n---\n", SetText("overview", "c\nd"), "---\noverview: |-\n  c\n  d\ntags: [x]\n---\n"},
		{"a value below its key", "---\ntitle:\n  a\nx: y\n---\n", SetText("title", "b"), "---\ntitle: b\nx: y\n---\n"},
		{"no value", "---\ntitle:\nx: y\n---\n", SetText("title", "b"), "---\ntitle: b\nx: y\n---\n"},
		{"no value but a comment", "---\ntitle:  # none\nx: y\n---\n", SetText("title", "b"), "---\ntitle: b  # none\nx: y\n---\n"},
		{"null", "---\ntitle: ~\nx: y\n---\n", SetText("title", "b"), "---\ntitle: b\nx: y\n---\n"},
		{"a list where a value is wanted", "---\ntitle:\n- a\n- b\nx: y\n---\n", SetText("title", "b"), "---\ntitle: b\nx: y\n---\n"},
		{"a key in another case", "---\nTITLE: a\n---\n", SetText("title", "b"), "---\nTITLE: b\n---\n"},
		{"a quoted key", "---\n\"title\": a\n'status': active\n---\n", SetText("status", "stale"), "---\n\"title\": a\n'status': stale\n---\n"},
		{"a key that stands twice", "---\ntitle: a\ntitle: b\n---\n", SetText("title", "c"), "---\ntitle: c\ntitle: b\n---\n"},
		{"a key that stands twice in two cases", "---\nTitle: a\ntitle: b\n---\n", SetText("title", "c"), "---\nTitle: c\ntitle: b\n---\n"},
		{"a key of somebody else", "---\n负责人: 张三\n---\n", SetText("负责人", "李四"), "---\n负责人: 李四\n---\n"},
		{"an unknown key is found as written before any other case", "---\nOwner: a\nowner: b\n---\n", SetText("owner", "c"), "---\nOwner: a\nowner: c\n---\n"},
		{"type stands for schema_type", "---\ntype: note\n---\n", SetText("schema_type", "lesson"), "---\ntype: lesson\n---\n"},
		{"schema_type speaks before type", "---\ntype: x\nschema_type: note\n---\n", SetText("schema_type", "lesson"), "---\ntype: x\nschema_type: lesson\n---\n"},
		{"the date that is read", "---\ncreated: 2026-01-01\nmodified: 2026-01-02\n---\n", SetText("updated_at", "2026-02-03T00:00:00Z"), "---\ncreated: 2026-01-01\nmodified: \"2026-02-03T00:00:00Z\"\n---\n"},
		{"a date that is none stays", "---\ndate: soon\n---\n", SetText("at", "2026-02-03"), "---\ndate: soon\nat: \"2026-02-03\"\n---\n"},
		{"no date", "---\ntitle: a\n---\n", SetText("at", "soon"), ""},
		{"an anchor that nobody needs", "---\ntitle: &t a\n---\n", SetText("title", "b"), "---\ntitle: b\n---\n"},
		{"an anchor that somebody needs", "---\ntitle: &t a\nslug: *t\n---\n", SetText("title", "b"), ""},
		{"an anchor that would mean another value", "---\nx: &t 1\ntitle: &t a\nslug: *t\n---\n", SetText("title", "b"), ""},
		{"an alias", "---\ntitle: &t a\nslug: *t\n---\n", SetText("slug", "b"), "---\ntitle: &t a\nslug: b\n---\n"},
		{"a key that comes from elsewhere", "---\nbase: &b {title: a}\n<<: *b\n---\n", SetText("title", "c"), ""},
		{"a complex key below is not swallowed", "---\ntitle: a\n? [b]\n: c\nx: y\n---\n", Unset("title"), "---\n? [b]\n: c\nx: y\n---\n"},
		{"a source that is a link", "---\nsource: \"[[A]]\"\n---\n", SetText("source", "x"), ""},
		{"the block as one mapping", "---\n{title: x, tags: [a]}\n---\n", SetText("title", "y"), ""},
		{"a key on the line of another", "---\na: {title: x}\n---\n", SetText("title", "z"), "---\na: {title: x}\ntitle: z\n---\n"},

		// A key that is not there.
		{"in its place", "---\ntitle: a\n# of tags\ntags: [b]\nmine: c\n---\n", SetText("status", "stale"), "---\ntitle: a\nstatus: stale\n# of tags\ntags: [b]\nmine: c\n---\n"},
		{"before all others", "---\n# head\ntags: [b]\n---\n", SetText("title", "a"), "---\ntitle: a\n# head\ntags: [b]\n---\n"},
		{"behind a list", "---\ntags:\n- a\n- b\n\nfacts: []\n---\n", SetText("created_by", "me"), "---\ntags:\n- a\n- b\ncreated_by: me\n\nfacts: []\n---\n"},
		{"one of somebody else at the end", "---\ntitle: a\nx: |\n  y\n---\n", SetText("z", "1"), "---\ntitle: a\nx: |\n  y\nz: \"1\"\n---\n"},
		{"in an empty block", "---\n---\nb\n", SetText("title", "a"), "---\ntitle: a\n---\nb\n"},
		{"behind the comments of a block", "---\n# a: b\n\"x\": z\n# c\n---\n", SetText("title", "a"), "---\n# a: b\n\"x\": z\ntitle: a\n# c\n---\n"},
		{"above a heading between rules", "---\n# H\n---\n", SetText("title", "a"), "---\ntitle: a\n---\n---\n# H\n---\n"},
		{"above what may be meant as front matter", "---\ntitle: a\njunk\nmore junk\n---\n", SetText("title", "a"), ""},
		{"in a page without front matter", "# H\n", SetText("title", "a"), "---\ntitle: a\n---\n# H\n"},
		{"in an empty page", "", SetText("title", "a"), "---\ntitle: a\n---\n"},
		{"behind the byte order mark", "\uFEFF# H\r\n", SetText("title", "a"), "\uFEFF---\r\ntitle: a\r\n---\r\n# H\r\n"},
		{"in a page that begins with a rule", "---\n\nNo keys here.\n\n---\n", SetText("title", "a"), "---\ntitle: a\n---\n---\n\nNo keys here.\n\n---\n"},
		{"in a page that is a rule", "---", SetText("title", "a"), "---\ntitle: a\n---\n---"},
		{"in a block that is never closed", "---\ntitle: a\n\nText.\n", SetText("status", "stale"), ""},

		// How lines end.
		{"CRLF", "---\r\ntitle: a\r\ntags: [x]\r\n---\r\nb\r\n", SetText("status", "stale"), "---\r\ntitle: a\r\nstatus: stale\r\ntags: [x]\r\n---\r\nb\r\n"},
		{"mixed", "---\ntitle: a\r\nx: y\n---\r\nb", SetText("title", "c"), "---\ntitle: c\r\nx: y\n---\r\nb"},
		{"a fence of dots at the end of the file", "---\ntitle: a\n...", SetText("title", "b"), "---\ntitle: b\n..."},
		{"a lone carriage return", "---\ntitle: a\rb: c\nx: y\n---\n", SetText("x", "z"), ""},
		{"a block that is not UTF-8", "---\ntitle: caf\xe9\n---\n", SetText("status", "stale"), ""},
		{"a body that is not UTF-8", "---\ntitle: a\n---\ncaf\xe9", SetText("title", "b"), "---\ntitle: b\n---\ncaf\xe9"},

		// Blocks that are no YAML.
		{"a title with a colon, mended", "---\ntitle: a: b\nx: y # c\n---\n", SetText("title", "a: c"), "---\ntitle: \"a: c\"\nx: y # c\n---\n"},
		{"beside a title with a colon", "---\ntitle: a: b\nstatus: active\n---\n", SetText("status", "stale"), "---\ntitle: a: b\nstatus: stale\n---\n"},
		{"a new key beside it", "---\ntitle: a: b\ntags: [x]\n---\n", SetText("status", "archived"), "---\ntitle: a: b\nstatus: archived\ntags: [x]\n---\n"},
		{"tabs", "---\ntitle: a\ntags:\n\t- x\n---\n", SetText("title", "b"), "---\ntitle: b\ntags:\n\t- x\n---\n"},
		{"a list indented with a tab", "---\ntitle: a\ntags:\n\t- x\n---\n", AddTo("tags", "z"), "---\ntitle: a\ntags:\n\t- x\n\t- z\n---\n"},
		{"a merge conflict", "---\n<<<<<<< a\ntitle: a\n=======\ntitle: b\n>>>>>>> b\n---\n", SetText("title", "c"), ""},

		// Removed keys.
		{"unset", "---\ntitle: a\ntags:\n  - x\n  - y # z\n# c\nx: y\n---\nb", Unset("tags"), "---\ntitle: a\n# c\nx: y\n---\nb"},
		{"unset the last", "---\ntitle: a\n---\nb", Unset("title"), "---\n---\nb"},
		{"unset a key that stands twice", "---\ntitle: a\nx: y\ntitle: b\n---\n", Unset("title"), "---\nx: y\n---\n"},
		{"unset what is not there", "---\ntitle: a\n---\n", Unset("slug"), "---\ntitle: a\n---\n"},
		{"an empty text", "---\ntitle: a\nslug: b\n---\n", SetText("slug", " "), "---\ntitle: a\n---\n"},

		// Lists.
		{"add to a block", "---\ntags:\n  - a # 1\n  # between\n  - b\n# below\nx: y\n---\n", AddTo("tags", "c d", "A"), "---\ntags:\n  - a # 1\n  # between\n  - b\n  - c d\n# below\nx: y\n---\n"},
		{"add to a block that is not indented", "---\ntags:\n- a\nx: y\n---\n", AddTo("tags", "2"), "---\ntags:\n- a\n- \"2\"\nx: y\n---\n"},
		{"add to a line", "---\ntags: [a, \"b, c\"] # d\n---\n", AddTo("tags", "标签", "e:f"), "---\ntags: [a, \"b, c\", 标签, \"e:f\"] # d\n---\n"},
		{"add to brackets over lines", "---\ntags: [\n  a, # one\n  b,\n]\nx: y\n---\n", AddTo("tags", "c"), "---\ntags: [\n  a, # one\n  b, c,\n]\nx: y\n---\n"},
		{"add to empty brackets", "---\ntags: []\n---\n", AddTo("tags", "c"), "---\ntags: [c]\n---\n"},
		{"add to names on a line", "---\ntags: a, b # c\nx: y\n---\n", AddTo("tags", "d"), "---\ntags: # c\n  - a\n  - b\n  - d\nx: y\n---\n"},
		{"add to nothing", "---\ntags:\nx: y\n---\n", AddTo("tags", "d"), "---\ntags:\n  - d\nx: y\n---\n"},
		{"add to a quoted value", "---\naliases: 'a, b'\n---\n", AddTo("aliases", "c"), "---\naliases:\n  - 'a, b'\n  - c\n---\n"},
		{"add to a list that is not there", "---\ntitle: a\n---\n", AddTo("sources", "agent-3"), "---\ntitle: a\nsources:\n  - agent-3\n---\n"},
		{"add to sources that are a link", "---\nsources: [[A]]\n---\n", AddTo("sources", "agent-3"), "---\nsources:\n  - [[A]]\n  - agent-3\n---\n"},
		{"add what is there, folded", "---\ntags: [ＦＯＯ]\n---\n", AddTo("tags", "foo", "#Foo"), "---\ntags: [ＦＯＯ]\n---\n"},
		{"add to the other name of a list", "---\ntag: a\n---\n", AddTo("tags", "b"), "---\ntag:\n  - a\n  - b\n---\n"},
		{"add to a mapping", "---\ntags: {a: b}\n---\n", AddTo("tags", "c"), ""},
		{"remove from a block", "---\ntags:\n  - a\n  # of b\n  - B # x\n  - c\n---\n", RemoveFrom("tags", "b"), "---\ntags:\n  - a\n  # of b\n  - c\n---\n"},
		{"remove the first of a line", "---\ntags: [a, b, c]\n---\n", RemoveFrom("tags", "a"), "---\ntags: [b, c]\n---\n"},
		{"remove from a line", "---\ntags: [a, b, c]\n---\n", RemoveFrom("tags", "b", "c"), "---\ntags: [a]\n---\n"},
		{"remove the last one there is", "---\ntitle: x\ntags: [a]\n---\n", RemoveFrom("tags", "A"), "---\ntitle: x\n---\n"},
		{"remove what is not there", "---\ntags: [a]\n---\n", RemoveFrom("tags", "b"), "---\ntags: [a]\n---\n"},
		{"remove under both names", "---\ntags: [a, b]\ntag: [b, c]\n---\n", RemoveFrom("tags", "b"), "---\ntags: [a]\ntag: [c]\n---\n"},
		{"set a list", "---\ntags:\n  - a # 1\n  - b\n  - c # 3\n---\n", SetList("tags", []string{"a", "x", "z", "c"}), "---\ntags:\n  - a # 1\n  - x\n  - z\n  - c # 3\n---\n"},
		{"set a list in brackets", "---\ntags: [ a,  b ]\n---\n", SetList("tags", []string{"x", "b"}), "---\ntags: [ x,  b ]\n---\n"},
		{"set an empty list", "---\ntitle: t\ntags: [a]\n---\n", SetList("tags", nil), "---\ntitle: t\n---\n"},
		{"set a list of somebody else", "---\n读者: [a]\n---\n", SetList("读者", []string{"b, c"}), "---\n读者: [\"b, c\"]\n---\n"},
		{"a list in a list", "---\nx:\n- - a\n  - b\n- c\n---\n", AddTo("x", "d"), "---\nx:\n- - a\n  - b\n- c\n- d\n---\n"},

		// Links and facts.
		{"a first link", "---\ntitle: a\n---\n", AddLink(Link{Target: "b/c", Type: "decided"}), "---\ntitle: a\nlinks:\n  - to: b/c\n    type: decided\n---\n"},
		{"a further link", "---\nlinks:\n- to: a\n  note: x # y\nz: 1\n---\n", AddLink(Link{Target: "b", Fragment: "H", Origin: "verb"}), "---\nlinks:\n- to: a\n  note: x # y\n- to: \"b#H\"\n  source: verb\nz: 1\n---\n"},
		{"a link beside names", "---\nlinks: [a, \"[[b]]\"]\n---\n", AddLink(Link{Target: "c"}), "---\nlinks: [a, \"[[b]]\", {to: c}]\n---\n"},
		{"a link beside one", "---\nlinks: \"[[a]]\" # x\n---\n", AddLink(Link{Target: "c"}), "---\nlinks: # x\n  - \"[[a]]\"\n  - to: c\n---\n"},
		{"a link beside an unquoted one", "---\nlinks: [[a]]\n---\n", AddLink(Link{Target: "c"}), "---\nlinks:\n  - [[a]]\n  - to: c\n---\n"},
		{"a link that is there", "---\nlinks: [a]\n---\n", AddLink(Link{Target: "a"}), "---\nlinks: [a]\n---\n"},
		{"a link that would be read as another", "---\ntitle: a\n---\n", AddLink(Link{Target: "甲|乙"}), ""},
		{"the last key of a block with junk", "---\ntitle: a\njunk\n---\nb", Unset("title"), ""},
		{"a link to the web", "---\ntitle: a\n---\n", AddLink(Link{Target: "https://x"}), ""},
		{"a first fact", "---\ntitle: a\nprovenance: {session_id: s}\n---\n", AddFact(fact), "---\ntitle: a\nfacts:\n  - text: \"40 GB\"\n    metric: size\nprovenance: {session_id: s}\n---\n"},
		{"a fact beside one", "---\nfacts: 我们用 PostgreSQL\n---\n", AddFact(fact), "---\nfacts:\n  - 我们用 PostgreSQL\n  - text: \"40 GB\"\n    metric: size\n---\n"},
		{"a fact that is there", "---\nfacts: [{text: 40 GB, metric: size}]\n---\n", AddFact(fact), "---\nfacts: [{text: 40 GB, metric: size}]\n---\n"},
		{"a fact superseded", "---\nfacts:\n  - text: a # 1\n    value: x\n  - text: b\n---\n", SetFact(0, "status", "superseded"), "---\nfacts:\n  - text: a # 1\n    value: x\n    status: superseded\n  - text: b\n---\n"},
		{"its key in place", "---\nfacts:\n  - text: a\n    mine: m\n    status: archived\n---\n", SetFact(0, "at", "2026-01-01"), "---\nfacts:\n  - text: a\n    at: \"2026-01-01\"\n    mine: m\n    status: archived\n---\n"},
		{"its key changed", "---\nfacts:\n- status: archived # why\n  text: a\n---\n", SetFact(0, "status", "superseded"), "---\nfacts:\n- status: superseded # why\n  text: a\n---\n"},
		{"its key removed", "---\nfacts:\n- text: a\n  status: archived\n- b\n---\n", SetFact(0, "status", ""), "---\nfacts:\n- text: a\n- b\n---\n"},
		{"its first key removed", "---\nfacts:\n- status: archived\n  text: a\n---\n", SetFact(0, "status", ""), "---\nfacts:\n- text: a\n---\n"},
		{"a fact of text alone", "---\nfacts:\n  - a # x\n  - b\n---\n", SetFact(1, "status", "superseded"), "---\nfacts:\n  - a # x\n  - text: b\n    status: superseded\n---\n"},
		{"a fact in braces", "---\nfacts:\n  - {text: a, value: \"1\"}\n---\n", SetFact(0, "status", "superseded"), "---\nfacts:\n  - {text: a, value: \"1\", status: superseded}\n---\n"},
		{"facts on a line", "---\nfacts: [a, {text: b, status: archived}]\n---\n", SetFact(1, "status", "superseded"), "---\nfacts: [a, {text: b, status: superseded}]\n---\n"},
		{"a text on a line", "---\nfacts: [a, b]\n---\n", SetFact(1, "status", "superseded"), "---\nfacts: [a, {text: b, status: superseded}]\n---\n"},
		{"the second of three, one of which is none", "---\nfacts:\n  - text: a\n  - value: x\n  - text: b\n---\n", SetFact(1, "status", "superseded"), "---\nfacts:\n  - text: a\n  - value: x\n  - text: b\n    status: superseded\n---\n"},
		{"an unknown status", "---\nfacts: [a]\n---\n", SetFact(0, "status", "gone"), ""},
		{"a fact that is not there", "---\nfacts: [a]\n---\n", SetFact(1, "status", "archived"), ""},
		{"a text of its own", "---\nfacts:\n  - a # x\n---\n", SetFact(0, "text", "b"), "---\nfacts:\n  - b # x\n---\n"},

		// The body.
		{"append", "---\ntitle: a\n---\nb\n", AppendBody("\n- 丙"), "---\ntitle: a\n---\nb\n\n- 丙\n"},
		{"append to a last line without end", "a\r\nb", AppendBody("c\nd"), "a\r\nb\r\nc\r\nd\r\n"},
		{"append behind a fence without end", "---\ntitle: a\n---", AppendBody("b"), "---\ntitle: a\n---\nb\n"},
		{"append to what is not UTF-8", "caf\xe9\n", AppendBody("b"), "caf\xe9\nb\n"},
		{"append what would close the block", "---\ntitle: a\n", AppendBody("x\n---\n"), ""},
		{"append what would be a block", "---\n", AppendBody("title: a\n---\n"), ""},
		{"set the body", "---\ntitle: a\n---\n\nb\nc\n", SetBody("# H\n"), "---\ntitle: a\n---\n\n# H\n"},
		{"set a first body", "---\ntitle: a\n---\n", SetBody("b"), "---\ntitle: a\n---\n\nb\n"},
		{"set a body that would be a block", "b\n", SetBody("---\ntitle: a\n---\n"), ""},
		{"set the body of a block that is never closed", "---\ntitle: a\n", SetBody("b"), ""},
		{"set the body there is", "---\ntitle: a\n---\n\nb\n", SetBody("b"), "---\ntitle: a\n---\n\nb\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Splice("notes/x.md", []byte(c.raw), c.change)
			switch {
			case c.want == "" && err == nil:
				t.Errorf("not refused:\n%s", got)
			case c.want == "" && (!errors.Is(err, ErrSplice) || !strings.Contains(err.Error(), "line ")):
				t.Errorf("error %v, want ErrSplice with a line", err)
			case c.want != "" && err != nil:
				t.Error(err)
			case string(got) != c.want:
				t.Errorf("got\n%q\nwant\n%q", got, c.want)
			}
		})
	}
}
