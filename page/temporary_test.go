package page

import "testing"

func TestTemporary(t *testing.T) {
	for raw, want := range map[string]bool{
		"---\ntemporary: true\n---\nx":                true,
		"---\nTemporary: \"yes\" # for now\n---\nx":   true,
		"---\nephemeral: 2026-03-01\n---\nx":          true,
		"---\ntags: [Ephemeral, work]\n---\nx":        true,
		"---\ntags:\n  - 临时\n---\nx":                  true,
		"---\ntemporary: false\n---\nx":               false,
		"---\ntemporary:\n---\nx":                     false,
		"---\nephemeral: no # it stays\n---\nx":       false,
		"---\ntags: [temporary-staff]\n---\nx":        false,
		"---\ntitle: Temporary\n---\ntemporary: true": false,
	} {
		if got := Parse("a.md", []byte(raw)).Temporary(); got != want {
			t.Errorf("%q: %t", raw, got)
		}
	}
}
