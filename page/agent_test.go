package page

import (
	"errors"
	"strings"
	"testing"
)

func TestAgentName(t *testing.T) {
	for name, want := range map[string]string{
		"Coder": "coder", " Robin ": "robin", "代码助手": "代码助手", "a.b_c-d": "a.b_c-d", "__default__": "__default__",
		"ÉLAN": "élan", "two words": "two words", strings.Repeat("a", 64): strings.Repeat("a", 64),
		"": "", " ": "", ".": "", "..": "", ".git": "", "a/b": "", `a\b`: "", "../x": "", "a\x00b": "", "a\x1b[31m": "", "a\nb": "",
		"a\u202eb": "", "a\u2066b": "", "a\u2028b": "", "a\u0085b": "", "a\xff": "", strings.Repeat("a", 65): "", strings.Repeat("代", 22): "",
	} {
		got, err := AgentName(name)
		if got != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, ErrAgent) {
			t.Errorf("AgentName(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
}
