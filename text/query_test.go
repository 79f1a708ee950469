package text

import (
	"fmt"
	"strings"
	"testing"
)

// asked gives the terms of a question, words apart by a blank, terms of one
// word by |, with weights where they are not 1.
func asked(s string) string {
	var b strings.Builder
	last := 0
	for _, q := range Query(s) {
		switch {
		case b.Len() == 0:
		case q.Word == last:
			b.WriteByte('|')
		default:
			b.WriteByte(' ')
		}
		b.WriteString(q.Text)
		if q.Weight != 1 {
			fmt.Fprintf(&b, ":%.4g", q.Weight)
		}
		last = q.Word
	}
	return b.String()
}

func TestQuery(t *testing.T) {
	form, st := fmt.Sprintf("%.4g", exactWeight), fmt.Sprintf("%.4g", stemWeight)
	part, sub := fmt.Sprintf("%.4g", partWeight), fmt.Sprintf("%.4g", caseWeight)
	for _, k := range []known{
		{"Who is Alice?", "alice:" + form + "|alic:" + st},
		{"the user", "user"},
		{"cats and cats", "cats:" + form + "|cat:" + st},
		{"cats cat", "cats:" + form + "|cat"}, // merged: no word of its own is left
		{"config.yml", "config.yml|config:" + part + "|yml:" + part},
		{"utf8", "utf8|utf:" + part + "|8:" + part},
		{"myDb", "mydb|db:" + sub}, // my is a stop word, as a part too
		{"C#", "c#|c:" + part},
		{"C", "c"},
		{"数据库的连接数是多少？", "数据 据库 连接 接数"},
		{"什么是索引", "索引"},
		{"目的地在哪里", "目的 的地"},
		{"谁发现了埃及", "发现 埃及"},
		{"有道", "有道"},
		{"水", "水"},
		{"为什么延迟高", "延迟 迟高"},
		{"接続数は何ですか", "接続 続数"},
		{"데이터의 연결은 무엇인가요", "데이 이터 연결"},
		{"회의", "회의"},
		{"ราคาเท่าไร", "รา าค คา"},
	} {
		if got := asked(k.in); got != k.want {
			t.Errorf("Query(%q)\n got %s\nwant %s", k.in, got, k.want)
		}
	}
}

func TestQueryOfNothingButStopWords(t *testing.T) {
	for _, s := range []string{"", "to be or not to be", "who", "What's that?", "是什么", "的", "谁", "在哪里",
		"何ですか", "무엇인가요", "。！？", "🎉🇩🇪", "\xff"} {
		if q := Query(s); len(q) != 0 {
			t.Errorf("Query(%q) = %v, want none", s, q)
		}
	}
}

func TestStopWordsAreIndexed(t *testing.T) {
	if got, want := shown("who is the 谁"), "who is the 谁"; got != want {
		t.Errorf("Terms = %s, want %s", got, want)
	}
}

// Every word of a question has a term in a text that writes it another way.
func TestNamesFindTheirOtherSpelling(t *testing.T) {
	for _, pair := range [][2]string{
		{"PostgreSQL15", "we run PostgreSQL 15"},
		{"PostgreSQL 15", "we run PostgreSQL15"},
		{"ABC123", "ＡＢＣ１２３"},
		{"user name", "getUserName"},
		{"データ", "ﾃﾞｰﾀﾍﾞｰｽ"},
		{"1000", "1,000 connections"},
		{"数据库", "我们的数据库很慢"},
		{"데이터베이스", "데이터베이스는 느리다"},
	} {
		indexed, found := termSet(pair[1]), make(map[int]bool)
		for _, q := range Query(pair[0]) {
			found[q.Word] = found[q.Word] || indexed[q.Text]
		}
		for word, ok := range found {
			if !ok {
				t.Errorf("%q is not found in %q: no term of word %d is there", pair[0], pair[1], word)
			}
		}
	}
}

func termSet(s string) map[string]bool {
	set := make(map[string]bool)
	Terms(s, func(t Term) { set[string(t.Text)] = true })
	return set
}
