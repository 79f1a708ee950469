package page

import "testing"

func TestFilesStayWithAPageThatMoves(t *testing.T) {
	files := map[string]bool{"x/img.png": true, "x/files/a b.pdf": true, "logo.svg": true, "x/图.png": true}
	there := func(p string) bool { return files[p] }
	for _, c := range []struct {
		to        Path
		raw, want string
	}{
		{"y/p.md", "![p](img.png) [f](./files/a%20b.pdf) [l](../logo.svg \"t\")", "![p](../x/img.png) [f](../x/files/a%20b.pdf) [l](../logo.svg \"t\")"},
		{"p.md", "![p](img.png#f) ![图](图.png) ![u](<files/a b.pdf>)", "![p](x/img.png#f) ![图](x/图.png) ![u](<x/files/a b.pdf>)"},
		{"x/q/p.md", "![p](./img.png)\r\n", "![p](../img.png)\r\n"},
		{"x/q.md", "![p](./img.png)", "![p](./img.png)"},
		{"y/p.md", "![p](none.png) ![w](https://a.b/c.png) ![r](/logo.svg) ![[img.png]] `![p](img.png)`", "![p](none.png) ![w](https://a.b/c.png) ![r](/logo.svg) ![[img.png]] `![p](img.png)`"},
		{"y/p.md", "---\ntitle: a\n---\n\n![p][d] ![p][d]\n\n[d]: img.png\n", "---\ntitle: a\n---\n\n![p][d] ![p][d]\n\n[d]: ../x/img.png\n"},
	} {
		got, err := Move{From: "x/p.md", To: c.to}.RefileMoved([]byte(c.raw), there)
		if err != nil || string(got) != c.want {
			t.Errorf("to %s: %q, %v\nwant %q", c.to, got, err, c.want)
		}
	}
}
