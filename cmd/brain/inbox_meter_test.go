package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

// Of a file the bar shows how much is read; of a pipe nobody knows how much there is.
func TestInboxAddShowsHowFarItIs(t *testing.T) {
	for want, files := range map[string][]conversationFile{
		"add KiB  ███████░░░░░░░░░░░░░░░░░░░░░░░ 1/4": {{size: 3 << 10}, {size: 1 << 10}},
		"": {{size: 3 << 10}, {size: -1}},
	} {
		var shown bytes.Buffer
		in := &intake{bar: &progress{w: &shown, bar: true, last: time.Unix(1, 0)}, size: sizeOf(files)}
		if _, err := io.CopyN(io.Discard, metered{strings.NewReader(strings.Repeat("x", 4<<10)), &in.done}, 1<<10); err != nil {
			t.Fatal(err)
		}
		in.show()
		if got := strings.TrimPrefix(shown.String(), "\r\x1b[K"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
