package evals

import (
	"context"
	"testing"
	"time"

	"brain/page"
	"brain/store"
)

// BenchmarkScaleNear looks for the duplicates of a page of about 1 KB that is
// not written yet: another page's beginning, with a sentence of its own.
func BenchmarkScaleNear(b *testing.B) {
	s := scaled(b)
	st := s.sr.Source.(*store.Store)
	l, err := st.List(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	var pages []*page.Page
	for i := 0; len(pages) < 500 && i < len(l.Files); i += 7 {
		raw, err := st.Read(context.Background(), l.Files[i].Path)
		if err != nil {
			b.Fatal(err)
		}
		if len(raw) > 800 {
			pages = append(pages, page.Parse("notes/new.md", append(raw[:min(len(raw), 1000)], "\n\nWe saw this on Monday.\n"...)))
		}
	}
	i, compared := 0, 0
	s.timed(b, func(string) (time.Duration, error) {
		start := time.Now()
		n, err := s.sr.Near(context.Background(), s.view, pages[i%len(pages)], "")
		if err != nil {
			return 0, err
		}
		i++
		compared += n.Compared
		return time.Since(start), nil
	})
	b.ReportMetric(float64(compared)/float64(i), "pages-compared")
}
