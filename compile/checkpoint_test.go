package compile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brain/inbox"
)

// What a person did to the turns of a session that was compiled: the record of what
// was made of them counts only for turns that are still there.
func TestTheRecordIsOfTheTurnsThatAreThere(t *testing.T) {
	const header = `{"session":"h","agent":"__default__","at":"2026-03-02T09:00:00Z"}` + "\n"
	old := []string{"user: We decided to use Kestrel for the queue.", "assistant: Fine."}
	line := func(text string) string {
		return `{"role":"user","at":"2026-03-02T10:00:00Z","text":"` + text + `"}` + "\n"
	}
	grebe := line("We decided to use Firebird for the ledger.")
	for _, c := range []struct {
		name     string
		replace  func(was string) string
		metaLost bool
		add      []string // turns that are added then
		want     string   // the new page, "" for none
	}{
		{"emptied, others added", func(string) string { return "" }, false, []string{"user: We decided to use Firebird for the ledger.", "assistant: Yes."}, "firebird"},
		{"as many others", func(string) string { return header + grebe + line("Yes.") }, false, nil, "firebird"},
		{"more others", func(string) string { return header + line("好") + grebe + line("Yes.") }, false, nil, "firebird"},
		{"one less, another", func(string) string { return header + grebe }, false, nil, "firebird"},
		{"as many others, and no meta.json", func(string) string { return header + grebe + line("Yes.") }, true, nil, "firebird"},
		{"a turn behind", func(was string) string { return was + grebe }, false, nil, "firebird"},
		{"a turn behind, and no meta.json", func(was string) string { return was + grebe }, true, nil, "firebird"},
		{"an empty line behind", func(was string) string { return was + "\n" }, false, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.say("h", old...)
			if r := w.mustCompile(w.pass(nil)); len(r.Pages) != 1 {
				t.Fatalf("%+v", r.Pages)
			}
			before := w.pages()
			file := filepath.Join(w.dir, string(w.state("h").Path))
			was, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(file, []byte(c.replace(string(was))), 0o600)
			}
			if c.metaLost && err == nil {
				err = os.Remove(filepath.Join(filepath.Dir(file), "meta.json"))
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.add != nil {
				w.say("h", c.add...)
			}
			w.clock = w.clock.Add(time.Hour)
			if reports, _ := w.compile(w.pass(nil)); c.want == "" {
				if len(reports) != 0 {
					t.Errorf("compiled once more: %+v", reports[0])
				}
				return
			}
			var made []string
			for p := range w.pages() {
				if _, ok := before[p]; !ok {
					made = append(made, p)
				}
			}
			if len(made) != 1 || !strings.Contains(made[0], c.want) {
				t.Errorf("made %q", made)
			}
			if m := w.state("h"); m.State != inbox.Done || m.Compiled != m.Turns {
				t.Errorf("%s, %d of %d turns", m.State, m.Compiled, m.Turns)
			}
			if reports, _ := w.compile(w.pass(nil)); len(reports) != 0 {
				t.Errorf("compiled once more: %+v", reports[0])
			}
		})
	}
}
