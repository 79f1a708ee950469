package page

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

const talk = Path("sessions/2026-03/4f1c/messages.jsonl")

func parseTalk(lines ...string) *Page { return Parse(talk, []byte(strings.Join(lines, "\n")+"\n")) }

func TestASessionReadAsAPage(t *testing.T) {
	p := parseTalk(
		`{"session":"4f1c","agent":"Coder","user":"wei","title":"Login loop","at":"2026-03-02T08:59:00Z"}`,
		`{"role":"user","speaker":"Wei","at":"2026-03-02T09:00:00Z","text":"The login loops."}`,
		`{"role":"assistant","at":"2026-03-02T09:00:20Z","text":"Which browser?\nAny?"}`,
		`{"text":"Safari."}`,
	)
	if p.Title != "Login loop" || p.Type != "session" || p.Agent != "coder" || p.Status != "active" || len(p.Problems) > 0 {
		t.Errorf("title %q, type %q, agent %q, status %q, problems %v", p.Title, p.Type, p.Agent, p.Status, p.Problems)
	}
	if got, want := p.Body, "Wei (2026-03-02 09:00): The login loops.\n\nassistant (2026-03-02 09:00): Which browser?\nAny?\n\nunknown: Safari."; got != want {
		t.Errorf("body %q, want %q", got, want)
	}
	at := func(s string) time.Time { d, _ := ParseDate(s); return d }
	if !p.At.Equal(at("2026-03-02T08:59:00Z")) || !p.Created.Equal(p.At) || !p.Updated.Equal(at("2026-03-02T09:00:20Z")) {
		t.Errorf("at %v, created %v, updated %v", p.At, p.Created, p.Updated)
	}
	wantTurns(t, p, "2 user Wei: The login loops.", "3 assistant : Which browser?\nAny?", "4  : Safari.")
}

// wantTurns checks lines, roles, speakers and texts, and that each turn can be
// read alone.
func wantTurns(t *testing.T, p *Page, want ...string) {
	t.Helper()
	var got []string
	for i := range p.Turns {
		turn := &p.Turns[i]
		got = append(got, fmt.Sprintf("%d %s %s: %s", turn.Line, turn.Role, turn.Speaker, turn.Text))
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("turns %q, want %q", got, want)
	}
	readAlone(t, p)
}

func readAlone(t interface{ Errorf(string, ...any) }, p *Page) {
	for i := range p.Turns {
		turn := p.Turns[i]
		alone, ok := ReadTurn(p.Raw, turn.Offset)
		if alone.Line, alone.Offset, alone.Start, alone.End = turn.Line, turn.Offset, turn.Start, turn.End; !ok || alone != turn {
			t.Errorf("turn %d read alone is %+v, %v, want %+v", i+1, alone, ok, turn)
		}
		if p.Body[turn.Start:turn.End] != turn.Text {
			t.Errorf("turn %d is not at %d to %d of the body", i+1, turn.Start, turn.End)
		}
	}
}

func TestLinesOfASession(t *testing.T) {
	const head, turn = `{"session":"4f1c","title":"T"}`, `{"role":"user","text":"hello"}`
	for _, test := range []struct {
		name, file string
		title      string
		turns      []string
		problems   string // "line code"
	}{
		{"no head", turn + "\n", "user", []string{"1 user : hello"}, ""},
		{"no last line ending", head + "\n" + turn, "T", []string{"2 user : hello"}, ""},
		{"half a line at the end", head + "\n" + turn + "\n" + turn[:20], "T", []string{"2 user : hello"}, "3 bad-turn"},
		{"half a line within", head + "\n" + turn[:20] + "\n" + turn + "\n", "T", []string{"3 user : hello"}, "2 bad-turn"},
		{"half a head", head[:9] + "\n" + turn, "user", []string{"2 user : hello"}, "1 bad-turn"},
		{"blank lines", "\n" + head + "\n\n \t\n" + turn + "\n\n", "T", []string{"5 user : hello"}, ""},
		{"CRLF", head + "\r\n" + turn + "\r\n" + turn + "\r\n", "T", []string{"2 user : hello", "3 user : hello"}, ""},
		{"BOM and head", "\ufeff" + head + "\n" + turn, "T", []string{"2 user : hello"}, ""},
		{"BOM and turn", "\ufeff" + turn + "\n" + turn, "user", []string{"1 user : hello", "2 user : hello"}, ""},
		{"at is a number", `{"at":1700000000,"text":"a"}`, "unknown", []string{"1  : a"}, ""},
		{"at is no date", `{"at":"soon","text":"a"}`, "unknown", []string{"1  : a"}, ""},
		{"at is null", `{"at":null,"text":"a"}`, "unknown", []string{"1  : a"}, ""},
		{"text is null", head + "\n" + `{"role":"user","text":null}` + "\n" + turn, "T", []string{"3 user : hello"}, "2 bad-turn"},
		{"text is a number", head + "\n" + `{"text":5}` + "\n" + turn, "T", []string{"3 user : hello"}, "2 bad-turn"},
		{"text is blank", head + "\n" + `{"text":" \n"}` + "\n" + turn, "T", []string{"3 user : hello"}, ""},
		{"unknown keys", `{"text":"a","tool":{"x":[1]},"n":null}`, "unknown", []string{"1  : a"}, ""},
		{"not an object", "[1]\nnull\n5\n\"a\"\n" + turn, "user", []string{"5 user : hello"}, "1 bad-turn, 2 bad-turn, 3 bad-turn, 4 bad-turn"},
		{"a head after turns", turn + "\n" + head, "user", []string{"1 user : hello"}, ""},
		{"escapes", `{"text":"a\u2028b \ud83d\ude00 \ud800 <&>"}`, "unknown", []string{"1  : a\u2028b 😀 \uFFFD <&>"}, ""},
		{"not UTF-8", "{\"text\":\"a\xff\xfeb\"}\n" + turn, "unknown, user", []string{"1  : a\uFFFD\uFFFDb", "2 user : hello"}, "1 not-utf8"},
		{"no turns", head + "\n", "T", nil, "1 empty"},
		{"nothing", "", "4f1c", nil, "1 empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := Parse(talk, []byte(test.file))
			wantTurns(t, p, test.turns...)
			var problems []string
			for _, pr := range p.Problems {
				problems = append(problems, fmt.Sprintf("%d %s", pr.Line, pr.Code))
			}
			if p.Title != test.title || strings.Join(problems, ", ") != test.problems {
				t.Errorf("title %q, want %q; problems %q, want %q", p.Title, test.title, problems, test.problems)
			}
		})
	}
}

func TestTheTitleOfASessionWithoutOne(t *testing.T) {
	turn := func(speaker, at string) string {
		return fmt.Sprintf(`{"role":"user","speaker":%q,"at":%q,"text":"x"}`, speaker, at)
	}
	for _, test := range []struct{ lines, want string }{
		{turn("Caroline", "2023-05-08T13:56:00Z") + "\n" + turn("Melanie", "2023-05-09T00:00:00Z") + "\n" + turn("Caroline", ""), "Caroline, Melanie, 8 May 2023"},
		{turn("", "") + "\n" + turn("", ""), "user"},
		{turn("a", "") + "\n" + turn("b", "") + "\n" + turn("c", "") + "\n" + turn("d", "") + "\n" + turn("e", ""), "a, b, c, d"},
		{`{"session":"4f1c","at":"2026-03-01"}` + "\n" + turn("a", "2026-03-02"), "a, 1 March 2026"},
		{`{"session":"4f1c","at":"2026-03-01"}`, "1 March 2026"},
	} {
		if got := parseTalk(test.lines).Title; got != test.want {
			t.Errorf("%s\nis called %q, want %q", test.lines, got, test.want)
		}
	}
}

func TestLinksInTurns(t *testing.T) {
	p := parseTalk(
		`{"session":"4f1c"}`,
		`{"text":"See [[Login]] and ![[Scheme]], not [this](page.md), @her or `+"`[[code]]`"+`.\n\nAnd [[Cookies#SameSite|the rule]]."}`,
		`{"text":"nothing"}`,
		`{"text":"[[Login]]"}`,
	)
	var got []string
	for _, l := range p.Links {
		got = append(got, fmt.Sprintf("%d %s#%s", l.Line, l.Target, l.Fragment))
	}
	if want := "2 Login#, 2 Scheme#, 2 Cookies#SameSite, 4 Login#"; strings.Join(got, ", ") != want {
		t.Errorf("links %s, want %s", strings.Join(got, ", "), want)
	}
}

func TestReadTurnAtAWrongPlace(t *testing.T) {
	raw := []byte(`{"session":"4f1c"}` + "\n" + `{"text":"a"}` + "\n" + `{"te`)
	for _, offset := range []int{-1, 0, 5, 18, 20, 32, len(raw) - 1, len(raw), len(raw) + 9} {
		if turn, ok := ReadTurn(raw, offset); ok {
			t.Errorf("at %d: %+v", offset, turn)
		}
	}
	if turn, ok := ReadTurn(raw, 19); !ok || turn.Text != "a" {
		t.Errorf("%+v, %v", turn, ok)
	}
}

// The pieces of a session's turns lie end to end and are short.
func TestChunksOfASession(t *testing.T) {
	word := rapid.OneOf(rapid.SampledFrom([]string{"word ", "文字，", "句子。", "\n\n", "👩‍👩‍👧", "\u2028", "e\u0301", "[[Page]] "}),
		rapid.Map(rapid.IntRange(1, 2000), func(n int) string { return strings.Repeat("x", n) }))
	said := rapid.Map(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return strings.Repeat(word.Draw(t, "word"), rapid.IntRange(1, 300).Draw(t, "times"))
	}), 1, 4), func(parts []string) string { return strings.Join(parts, "") })
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		for _, text := range rapid.SliceOfN(said, 1, 4).Draw(t, "turns") {
			lines = append(lines, fmt.Sprintf(`{"speaker":"Wei","text":"%s"}`, strings.ReplaceAll(text, "\n", `\n`)))
		}
		p := parseTalk(lines...)
		readAlone(t, p)
		chunks := p.Chunks()
		for n := range p.Turns {
			at := p.Turns[n].Start
			for len(chunks) > 0 && chunks[0].Turn == n+1 {
				c := chunks[0]
				chunks = chunks[1:]
				piece := p.Body[c.Start:c.End]
				if c.Start != at || c.Line != p.Turns[n].Line || c.Embed != "Wei: "+piece {
					t.Fatalf("turn %d: %+v, want one that begins at %d", n+1, c, at)
				}
				if size := utf8.RuneCountInString(piece); size < 1 || size > targetChunk || !utf8.ValidString(piece) {
					t.Fatalf("turn %d: a chunk of %d characters", n+1, size)
				}
				at = c.End
			}
			if at != p.Turns[n].End {
				t.Fatalf("turn %d: its chunks end at %d of %d", n+1, at, p.Turns[n].End)
			}
		}
		if len(chunks) > 0 {
			t.Fatalf("chunks of no turn: %+v", chunks)
		}
	})
}

func TestSessionPaths(t *testing.T) {
	p, err := SessionPath("4f1c", time.Date(2026, 3, 1, 1, 0, 0, 0, time.FixedZone("", 2*3600)))
	if err != nil || p != "sessions/2026-02/4f1c/messages.jsonl" || p.Stem() != "4f1c" || p.Type() != "session" {
		t.Errorf("%q, %v, stem %q, type %q", p, err, p.Stem(), p.Type())
	}
	for _, id := range []string{"", "..", "a/b", "a\\b", "a\n"} {
		if p, err := SessionPath(id, time.Time{}); err == nil {
			t.Errorf("id %q gives %q", id, p)
		}
	}
	for path, want := range map[Path]bool{
		talk: true, "sessions/x/y/messages.jsonl": true, "sessions/2026-03/messages.jsonl": false, "sessions/2026-03/4f1c/x/messages.jsonl": false,
		"notes/2026-03/4f1c/messages.jsonl": false, "sessions/2026-03/4f1c/notes.md": false, "sessions/2026-03/4f1c/meta.json": false,
	} {
		if path.IsSession() != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}
