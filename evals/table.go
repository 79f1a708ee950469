package evals

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteTable prints the rows for people: quality, then cost.
func (r *Run) WriteTable(w io.Writer) error {
	var b strings.Builder
	if len(r.Rows) > 0 {
		head := r.Fusion()
		fmt.Fprintf(&b, "set %s   unit %s   scope %s   n %d   k %d\n", r.Set, head.Unit, head.Scope, head.N, head.K)
		fmt.Fprintf(&b, "left out: %d without evidence, %d without a judged document, %d without a scope\n\n",
			head.Skipped.NoEvidence, head.Skipped.NoQrel, head.Skipped.NoScope)
		r.qualityTable(&b)
		c := head.Index
		fmt.Fprintf(&b, "\nindex: %d files in %.2f s (%.0f files/s, %.1f MB/s), %.1f MB for %.1f MB of text; peak memory %s\n",
			c.Files, c.Seconds, c.FilesPerSecond(), c.MBPerSecond(), float64(c.Bytes)/1e6, float64(c.TextBytes)/1e6, memoryText(head.Memory))
		fmt.Fprintf(&b, "embedder %s   settings %s\n", orNone(r.Settings.Embedder), head.Digest)
	}
	for _, n := range r.Warnings {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Run) qualityTable(b *strings.Builder) {
	tw := tabwriter.NewWriter(b, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "arms\t")
	for _, n := range MetricNames {
		fmt.Fprintf(tw, "%s\t", headings[n])
	}
	fmt.Fprint(tw, "p50 ms\tp95\tp99\tembed p50\tp95\t\n")
	for _, row := range r.Rows {
		fmt.Fprintf(tw, "%s\t", strings.Join(row.Arms, "+"))
		for _, f := range row.Metrics.fields() {
			fmt.Fprintf(tw, "%.3f\t", *f)
		}
		l, e := row.LatencyMS, row.EmbedMS
		fmt.Fprintf(tw, "%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t\n", l.P50, l.P95, l.P99, e.P50, e.P95)
	}
	tw.Flush() // to memory: it cannot fail
}

// headings are the metrics as papers write them.
var headings = map[string]string{
	"r@1": "R@1", "r@5": "R@5", "r@10": "R@10", "any@1": "any@1", "any@5": "any@5",
	"all@5": "all@5", "all@10": "all@10", "mrr@10": "MRR@10", "ndcg@10": "nDCG@10",
}

func memoryText(bytes int64) string {
	if bytes == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
