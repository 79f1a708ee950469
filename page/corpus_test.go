package page

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"
)

type corpusPage struct{ Path, Text string }

// corpus reads one of the public trees, if it is there.
func corpus(tb testing.TB, name string) []corpusPage {
	tb.Helper()
	dir := os.Getenv("BRAIN_CORPORA")
	if dir == "" {
		tb.Skip("BRAIN_CORPORA names no folder of corpora")
	}
	f, err := os.Open(dir + "/" + name + ".jsonl.gz")
	if err != nil {
		tb.Skip(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	var out []corpusPage
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		var p corpusPage
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
			tb.Fatal(err)
		}
		out = append(out, p)
	}
	if err := sc.Err(); err != nil {
		tb.Fatal(err)
	}
	return out
}

func BenchmarkPages(b *testing.B) {
	for _, name := range []string{"cpp-docs", "dendron-site", "oi-wiki-zh"} {
		b.Run(name, func(b *testing.B) { benchmarkPages(b, corpus(b, name)) })
	}
}

func benchmarkPages(b *testing.B, pages []corpusPage) {
	size, raw := 0, make([][]byte, len(pages))
	for i, p := range pages {
		raw[i] = []byte(p.Text)
		size += len(raw[i])
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		chunks, bytes := 0, 0
		for i := range raw {
			p := Parse(Path(pages[i].Path), raw[i])
			c := p.Clean()
			bytes += len(c.Body)
			chunks += len(p.Chunks())
		}
		b.ReportMetric(float64(chunks), "chunks")
		b.ReportMetric(float64(bytes), "clean-bytes")
	}
	b.ReportMetric(float64(len(pages)), "pages")
}
