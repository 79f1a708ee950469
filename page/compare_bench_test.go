package page

import (
	"os"
	"strings"
	"testing"
)

// BenchmarkRead reads a page of about 4 KB for comparisons.
func BenchmarkRead(b *testing.B) {
	raw, err := os.ReadFile("../README.md")
	if err != nil {
		b.Fatal(err)
	}
	zh := strings.Repeat("数据库迁移到 PostgreSQL 之后,写入延迟下降了百分之二十,负责人是李四。\n\n", 40)
	for name, text := range map[string]string{"en": string(raw[:4000]), "zh": zh} {
		p := Parse("a.md", []byte(text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Read(p)
			}
		})
	}
}
