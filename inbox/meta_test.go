package inbox

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"brain/page"
	"brain/text"
)

// What the door kept back is counted for the turns that are kept, once, however
// often they are sent.
func TestWhatTheDoorKeptBackIsCountedOnce(t *testing.T) {
	ib := opened(t)
	s := Session{ID: "s", Turns: []page.Turn{
		{ID: "1", Role: "user", Text: "My name <private>is Wei</private> counts."},
		{ID: "2", Role: "user", Text: "The key is ghp_16C7e42F292c6912E7710c838347Ae178B4a, <private>x</private> mind."},
	}}
	added(t, ib, s)
	s.Turns = append(s.Turns, page.Turn{ID: "3", Role: "user", Text: "<private>y</private> and more"})
	for range 2 {
		if a := added(t, ib, s); a.Private != 3 {
			t.Errorf("%+v", a)
		}
	}
	m, err := ib.Meta(ctx, "s")
	if err != nil || m.Private != 3 {
		t.Errorf("%+v, %v", m, err)
	}
	if _, want := text.Mask(s.Turns[1].Text); !maps.Equal(m.Masked, want) {
		t.Errorf("masked %v, want %v", m.Masked, want)
	}
}

// Whatever somebody wrote into meta.json, what waits lies within what was said, and
// can be compiled to its end.
func FuzzHandWrittenMeta(f *testing.F) {
	const common = `"format":1,"session":"s","agent":"__default__","turns":3,"bytes":%d,`
	for _, rest := range []string{
		`"state":"pending","compiled":-4,"snapshots":[9,2,2,-1,1]}`, `"state":"done","compiled":1}`, `"state":"compiling","compiled":0}`, `"state":"compiling","compiled":2,"writer":{}}`,
		`"state":"pending","compiled":3,"snapshots":[3]}`, `"state":"failed","turns":-2}`, `"state":"pending","compiled":1e9}`, `"state":"pending","turns":70,"compiled":50,"snapshots":[60]}`,
		`"state":"pending","pages":["../x"],"retry_at":"9999-12-31T23:59:59Z"}`, `"state":"","compiled":1}`, `"state":"pending","snapshots":null,"signals":[1]}`,
	} {
		f.Add("{" + common + rest)
	}
	f.Fuzz(func(t *testing.T, content string) {
		ib := opened(t)
		a := sayingTo(t, ib, "s", "one", "two", "three")
		m, err := ib.Meta(ctx, "s")
		if err != nil {
			t.Fatal(err)
		}
		write(t, ib, a.Path.Dir()+"/meta.json", strings.Replace(content, "%d", fmt.Sprint(m.Bytes), 1))
		if m, err = ib.Meta(ctx, "s"); err != nil {
			return // of a newer brain
		}
		if _, err := ib.Retry(ctx, []string{"s"}); err != nil {
			t.Fatal(err)
		}
		sayingTo(t, ib, "s", "one", "two", "three", "four")
		next := 0
		due, _, err := ib.Queue(ctx, QueueOptions{All: true})
		if err != nil || len(due) == 0 {
			t.Fatalf("%v, %v", due, err)
		}
		for _, it := range due {
			if it.From > it.To || it.To > 4 || it.From <= next {
				t.Fatalf("%v of 4 turns; %+v", due, m)
			}
			next = it.To
			settle(t, ib, "s", it.To)
		}
		if m := wantState(t, ib, "s", Done); m.Compiled != 4 || next != 4 {
			t.Fatalf("%+v", m)
		}
	})
}
