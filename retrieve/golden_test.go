package retrieve

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"brain/index"

	"golang.org/x/sync/errgroup"
)

var update = flag.Bool("update", false, "write testdata/golden.txt anew; read the diff before you commit it")

// goldenQueries are questions to the demo of every kind: words, paraphrases,
// both languages and across them, identifiers, names, relations, experience,
// two hops, nonsense.
var goldenQueries = []string{
	// words
	"Sluice ingest limit per tenant messages per second",
	"Kafka readings.v2 partitions retention",
	"postmortem Silo outage February 2026",
	"短信供应商每小时限额",
	"读数库使用什么数据库",
	"值班交接时间和轮换顺序",
	// told in other words
	"How come the little boxes used up their power cell in under three weeks?",
	"What stops a weak device from being destroyed halfway through a firmware upgrade?",
	"为什么三台机器会同时写满磁盘，备份了几份也没用？",
	"打印出来的汉字变成小方块是怎么引起的？",
	// across languages
	"Why was a column store chosen for the sensor readings, and how did the options compare?",
	"At what hours do night alerts become phone calls?",
	"单点登录的客户一直被弹回登录页面，改了哪个 cookie？",
	"怎样更换网关的 TLS 证书而不重启？",
	// identifiers
	"SLC-429 tenant budget exhausted",
	"--budget-fail-open=30s",
	"zk_snapshot_dir_size",
	"Which service listens on port 9460?",
	"短信错误码 E-1603",
	// names
	"Wendy Ye",
	"红隼",
	"欧黛是谁",
	"vault/Kestrel cheat sheet.md",
	"冷链术语",
	"Northquay Seafoods",
	// relations
	"who founded Brinewell",
	"who works on Tern",
	"谁投资了盐井科技",
	"谁负责 Sluice",
	"who attended the board meeting of November 2025",
	// people
	"Who is on call at night?",
	"负责人是谁",
	// experience
	"what did we learn from testing in nicer conditions than real life",
	"上线新限制之前有什么经验",
	"lessons learned from the migration project Halyard",
	// two hops
	"When does the auditor come for the project that Hedda Quillmoor advises?",
	"决定改用 ClickHouse 的人还创立了哪家公司？",
	// nothing of this is there
	"How do I prune a lemon tree in a pot?",
	"红烧肉怎么做才不腻",
	"zxqv blorptang fimmer 8841",
	// nothing to look for
	"the of and",
	"。、！",
	"🦊🦊",
}

func TestGoldenRankingsOnTheDemo(t *testing.T) {
	got := goldenText(theDemo(t))
	file := filepath.Join("testdata", "golden.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(raw), "\n\n")
	for i, block := range strings.Split(got, "\n\n") {
		if i >= len(want) || block != want[i] {
			t.Errorf("ranking changed (if it is better, run with -update)\n--- got\n%s\n--- want\n%s", block, slices.Concat(want, make([]string, i+1))[i])
		}
	}
}

// goldenText prints the first five hits of each question.
func goldenText(b *brain) string {
	var out strings.Builder
	for i, text := range goldenQueries {
		a := b.search(Query{Text: text})
		if i > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(&out, "? %s\n  intent %s", text, a.Intent)
		if a.Relation != "" {
			fmt.Fprintf(&out, ", relation %s", a.Relation)
		}
		if a.Weak {
			out.WriteString(", weak")
		}
		out.WriteString("\n")
		for _, h := range a.Hits[:min(5, len(a.Hits))] {
			fmt.Fprintf(&out, "  %.3f %s (%s)\n", h.Score, h.Path, strings.Join(h.Evidence, "; "))
		}
		if a.Note != "" {
			fmt.Fprintf(&out, "  %s\n", a.Note)
		}
	}
	return out.String()
}

func TestSameAnswersOnEveryRunAndAfterARebuild(t *testing.T) {
	b := demo(t, index.Options{Embedder: static()})
	first := goldenText(b)
	for range 3 {
		if again := goldenText(b); again != first {
			t.Fatal("the same questions were answered differently a second time")
		}
	}
	if err := b.ix.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.sync()
	if rebuilt := goldenText(b); rebuilt != first {
		t.Error("the rebuilt index answers differently")
	}
}

func TestManyQuestionsAtOnceGetTheirOwnAnswers(t *testing.T) {
	b := theDemo(t)
	want := map[string][]Hit{}
	for _, text := range goldenQueries {
		want[text] = b.ask(text).Hits
	}
	v := b.view()
	var g errgroup.Group
	for n := range 8 {
		g.Go(func() error {
			for i := range goldenQueries {
				text := goldenQueries[(i+n*5)%len(goldenQueries)]
				a, err := b.sr.Search(context.Background(), v, Query{Text: text, Now: clock})
				if err != nil {
					return err
				}
				if !reflect.DeepEqual(a.Hits, want[text]) {
					return fmt.Errorf("%q: got %q", text, paths(a))
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

func TestChromemAndFlatRankAlike(t *testing.T) {
	flat := theDemo(t)
	chromem := demo(t, index.Options{Embedder: static(), Vectors: "chromem"})
	for _, arms := range [][]string{nil, {Vector}} {
		for _, text := range goldenQueries {
			q := Query{Text: text, Arms: arms}
			if a, b := paths(flat.search(q)), paths(chromem.search(q)); !slices.Equal(a, b) {
				t.Errorf("%q, arms %v:\n   flat %q\nchromem %q", text, arms, a, b)
			}
		}
	}
}
