package page

import "testing"

// A block that is dropped because it holds no text takes its code spans with
// it; a code span at the end of a block ends where the trimmed block ends.
func TestCodeSpanOfMarks(t *testing.T) {
	for _, body := range []string{"# atop\n\n`atop`\n\n`<?>`\n", "` `", "`- -   `\n", "- `?`   \n", "x `a  ` \n", "`--`"} {
		c := Parse("a.md", []byte(body)).Clean()
		if body[0] == '#' && c.Code != "atop\n" {
			t.Errorf("%q: code %q, want the one span with text", body, c.Code)
		}
	}
}
