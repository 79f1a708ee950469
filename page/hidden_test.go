package page

import (
	"strings"
	"testing"

	"brain/text"
)

func TestAHiddenTurnHasANumberAndNoWords(t *testing.T) {
	raw := `{"role":"user","kind":"hidden","text":"CLAUDE.md says zebra"}
{"role":"user","text":"Which port has the cache?"}
{"role":"assistant","kind":"hidden","text":"zebra again"}
{"role":"assistant","text":"Port 6380."}
`
	p := Parse("sessions/2026-03/s/messages.jsonl", []byte(raw))
	if len(p.Turns) != 4 || p.Turns[3].Text != "Port 6380." {
		t.Fatalf("turns %+v, want four, the last that of the port", p.Turns)
	}
	if want := "user: Which port has the cache?\n\nassistant: Port 6380."; p.Body != want {
		t.Errorf("body %q, want %q", p.Body, want)
	}
	for i := range p.Turns {
		p.Turns[i].Terms(func(term text.Term) {
			if string(term.Text) == "zebra" {
				t.Errorf("turn %d is searched by a hidden word", i+1)
			}
		})
	}
	for _, c := range p.Chunks() {
		if strings.Contains(c.Embed, "zebra") || p.Body[c.Start:c.End] == "" {
			t.Errorf("chunk %+v", c)
		}
	}
}
