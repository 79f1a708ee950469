package inbox

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"brain/page"
)

// grown reports how the turns of a file differ from those of its beginning, other than
// by more turns: "" when they do not. A later line may tell that what was said before
// it was part of a request (AsksTools). What a text says last may go on.
func grown(format Format, short, long []Session) string {
	later := map[string][]page.Turn{}
	order := map[string]int{}
	key := func(s *Session, all []Session) string {
		if format == Codex || format == Text {
			return "" // one session, whose id may come later
		}
		return s.ID
	}
	for i := range long {
		k := key(&long[i], long)
		if _, ok := order[k]; !ok {
			order[k] = i
		}
		later[k] = append(later[k], long[i].Turns...)
	}
	for i := range short {
		s := &short[i]
		k := key(s, short)
		for n, t := range s.Turns {
			if len(later[k]) == 0 {
				return "a turn is gone: " + shownTurn(t)
			}
			l := later[k][0]
			later[k] = later[k][1:]
			if t.Kind == "" && l.Kind == page.AsksTools {
				t.Kind = l.Kind
			}
			if format == Text && n == len(s.Turns)-1 && strings.HasPrefix(l.Text, t.Text) {
				t.Text = l.Text
			}
			if t != l {
				return "a turn changed: " + shownTurn(t) + "to " + shownTurn(l)
			}
		}
	}
	return ""
}

func TestTheBeginningOfAFileGivesTheBeginningOfItsTurns(t *testing.T) {
	for _, c := range readCases {
		t.Run(c.name, func(t *testing.T) {
			o := c.o
			o.Format = c.format
			long, skipped, err := readAllSessions(o, c.input)
			if err != nil {
				t.Fatal(err)
			}
			for cut := range len(c.input) {
				if c.format == Text && c.input[cut] != '\n' {
					continue // half a line of text is a line
				}
				short, s, err := readAllSessions(o, c.input[:cut])
				if err != nil {
					t.Fatalf("cut at %d: %v", cut, err)
				}
				if diff := grown(c.format, short, long); diff != "" {
					t.Fatalf("cut at %d: %s", cut, diff)
				}
				if s.N > skipped.N+1 {
					t.Fatalf("cut at %d: %d lines set aside, %d of the whole", cut, s.N, skipped.N)
				}
			}
		})
	}
}

// FuzzReadSessions holds each reader to what every caller relies on, whatever the bytes.
func FuzzReadSessions(f *testing.F) {
	for i := range readCases {
		f.Add(byte(i%len(Formats)), []byte(readCases[i].input), uint16(i*37))
		for n, format := range Formats {
			if format == readCases[i].format {
				f.Add(byte(n), []byte(readCases[i].input), uint16(i*37))
			}
		}
	}
	f.Fuzz(func(t *testing.T, format byte, input []byte, cut uint16) {
		o := ReadOptions{Format: Formats[int(format)%len(Formats)]}
		all, skipped, err := readAllSessions(o, string(input))
		again, skippedAgain, errAgain := readAllSessions(o, string(input))
		if !reflect.DeepEqual(all, again) || !reflect.DeepEqual(skipped, skippedAgain) || (err == nil) != (errAgain == nil) {
			t.Fatal("read twice, the same bytes gave something else")
		}
		bytes := 0
		for _, s := range all {
			if !validID().MatchString(s.ID) {
				t.Errorf("the id %q cannot be one", s.ID)
			}
			if len(s.Turns) == 0 {
				t.Error("a session without a turn")
			}
			for _, turn := range s.Turns {
				if bytes += len(turn.Text) + len(turn.Speaker) + len(turn.Role); strings.TrimSpace(turn.Text) == "" {
					t.Error("a turn without text")
				}
				if _, _, err := (&Box{}).prepare(Session{Turns: []page.Turn{turn}}); err != nil {
					t.Errorf("a turn that Add refuses: %v", err)
				}
			}
		}
		// A mark is longer than the block that it stands for by a little, and a line without
		// UTF-8 grows by two bytes for each that is bad.
		if bytes > 4*len(input)+64 {
			t.Errorf("%d bytes of text out of %d", bytes, len(input))
		}
		if o.Format == Auto || o.Format == Text && !utf8.Valid(input) || int(cut) >= len(input) || err != nil {
			return
		}
		if o.Format == Text {
			cut = uint16(strings.LastIndexByte(string(input[:cut]), '\n') + 1)
		}
		short, _, err := readAllSessions(o, string(input[:cut]))
		if diff := grown(o.Format, short, all); err != nil || diff != "" {
			t.Errorf("cut at %d: %s, %v", cut, diff, err)
		}
	})
}
