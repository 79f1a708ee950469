package inbox

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"brain/page"

	"pgregory.net/rapid"
)

// saying draws what somebody, or some program, might say.
func saying() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"yes", "ok", "\u2028", "a\u2028b\u2029c", "\ufeffbom", "👩‍👩‍👧🇩🇪", "line\nline\r\nline", `{"text":"no"}`, `"`, `\`, "\\u0000",
			"<b>&amp;</b>", "[[Page]] and ![[other#x]]", "中文，句子。", "\x00", "\xff\xfe", "  blanks  ", "\u0085", "\U0010FFFF", "\uFFFD"}),
		rapid.Map(rapid.IntRange(1, 60_000), func(n int) string { return strings.Repeat("long 文 ", n) }),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
}

func anyTurn() *rapid.Generator[page.Turn] {
	return rapid.Custom(func(t *rapid.T) page.Turn {
		turn := page.Turn{
			Role:    rapid.SampledFrom([]string{"user", "assistant", "system", "", "Ω"}).Draw(t, "role"),
			Speaker: rapid.OneOf(rapid.Just(""), rapid.StringN(0, 8, -1)).Draw(t, "speaker"),
			Text:    saying().Draw(t, "text"),
		}
		if rapid.Bool().Draw(t, "timed") {
			turn.At = time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nano"))
		}
		return turn
	})
}

// What was added, in whatever portions and however often, reads back as it was
// said, once.
func TestWhatIsAddedReadsBack(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		sub := filepath.Join(dir, strconv.Itoa(n))
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		ib, err := Open(sub)
		if err != nil {
			t.Fatal(err)
		}
		defer ib.Close()
		all := rapid.SliceOfN(anyTurn(), 1, 8).Draw(t, "turns")
		var want []page.Turn
		for _, turn := range all {
			turn.Text = strings.TrimSpace(clean(turn.Text))
			turn.Role, turn.Speaker = clean(turn.Role), clean(turn.Speaker)
			if turn.Text != "" {
				want = append(want, turn)
			}
		}
		s := Session{ID: "s", Agent: "Coder", User: rapid.String().Draw(t, "user"), Title: rapid.String().Draw(t, "title"), At: noon}
		for _, k := range rapid.SliceOfN(rapid.IntRange(1, len(all)), 0, 3).Draw(t, "portions") {
			s.Turns = all[:k]
			if _, err := ib.Add(ctx, s); err != nil && !errors.Is(err, ErrInvalid) { // no turn with text yet
				t.Fatal(err)
			}
		}
		s.Turns = all
		a, err := ib.Add(ctx, s)
		if len(want) == 0 {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := a.Path
		if a, err := ib.Add(ctx, s); err != nil || a.Turns != 0 {
			t.Fatalf("added again: %+v, %v", a, err)
		}
		raw, err := os.ReadFile(filepath.Join(sub, string(path)))
		if err != nil {
			t.Fatal(err)
		}
		p := page.Parse(path, raw)
		if len(p.Problems) > 0 {
			t.Fatalf("problems %v in\n%s", p.Problems, raw)
		}
		if len(p.Turns) != len(want) || p.Agent != "coder" || !p.At.Equal(noon) {
			t.Fatalf("%d turns of %q at %v, want %d; the file is\n%s", len(p.Turns), p.Agent, p.At, len(want), raw)
		}
		for i := range want {
			got := p.Turns[i]
			if got.Role != want[i].Role || got.Speaker != want[i].Speaker || got.Text != want[i].Text || !got.At.Equal(want[i].At) {
				t.Fatalf("turn %d is %+v, want %+v", i+1, got, want[i])
			}
			if p.Body[got.Start:got.End] != got.Text {
				t.Fatalf("turn %d is not at its place in the body", i+1)
			}
		}
		back, _, err := ib.Read(ctx, "s")
		if err != nil || back.User != clean(s.User) || back.Title != clean(s.Title) || len(back.Turns) != len(want) {
			t.Fatalf("read %+v, %v", back, err)
		}
	})
}
