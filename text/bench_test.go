package text

import (
	"strings"
	"testing"
)

// Inputs of about 64 KB, made of real prose so that word lengths, capitals and
// punctuation are as they are in pages.
var benchInputs = map[string]string{
	"en": repeat(`The index is rebuilt when its version changes. A query looks at the
tree first, compares sizes and times, and answers from the current generation when nothing has moved.
Alice, who runs the platform team in Berlin, decided on 3 March that replication (not sharding) solves
the latency problems; she also noted that "writes stay local" until the next release. `),
	"zh": repeat(`索引的版本变化时会重新建立。查询先比较文件的大小和时间，如果没有变化，就直接用当前的一代回答。
平台组的负责人在三月决定，用复制而不是分片来解决延迟问题；她还提到，在下一个版本之前，写入都留在本地。`),
	"mixed": repeat(`用户在 2024 年使用 PostgreSQL 15，连接数上限是 1,000。The café's owner said “naïve” plans fail.
データベースの接続数は100です。데이터베이스의 연결 수는 100입니다. Привет, мир. `),
	"code": repeat(`func (s *HTTPServer) getUserName(ctx context.Context, user_id int64) (string, error) {
	if err := s.db.QueryRow("SELECT name FROM users WHERE id = $1", user_id).Scan(&name); err != nil {
		return "", fmt.Errorf("pkg/server: get user %d: %w", user_id, err)
	}
	return strings.ToLower(name), nil
}
`),
}

func repeat(s string) string { return strings.Repeat(s, 1+1<<16/len(s)) }

func eachInput(b *testing.B, f func(s string)) {
	for _, name := range []string{"en", "zh", "mixed", "code"} {
		s := benchInputs[name]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				f(s)
			}
		})
	}
}

func BenchmarkTerms(b *testing.B) {
	bytes := 0
	eachInput(b, func(s string) {
		Terms(s, func(t Term) { bytes += len(t.Text) })
	})
}

func BenchmarkSentences(b *testing.B) { eachInput(b, func(s string) { Sentences(s) }) }
func BenchmarkTokens(b *testing.B)    { eachInput(b, func(s string) { Tokens(s) }) }
func BenchmarkFold(b *testing.B)      { eachInput(b, func(s string) { Fold(s) }) }

func BenchmarkCutGrapheme(b *testing.B) {
	eachInput(b, func(s string) {
		for i := 0; i < len(s); i += 800 {
			CutGrapheme(s, i)
		}
	})
}

func BenchmarkQuery(b *testing.B) {
	for _, q := range []string{"How many connections does PostgreSQL15 allow?", "数据库的连接数是多少？"} {
		b.Run(q[:3], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Query(q)
			}
		})
	}
}

func BenchmarkStem(b *testing.B) {
	words := strings.FieldsFunc(strings.ToLower(benchInputs["en"]), func(r rune) bool { return r < 'a' || r > 'z' })
	var scratch [64]byte
	for b.Loop() {
		for _, w := range words {
			stem(append(scratch[:0], w...))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(words)), "ns/word")
}
