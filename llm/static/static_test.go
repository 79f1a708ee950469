package static_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"brain/llm/static"
)

const (
	artefactName = "enzh-static-256.semb"
	lookupName   = "enzh-static-256.lookup"
)

var openFiles = sync.OnceValues(func() (files [2][]byte, err error) {
	for i, name := range []string{artefactName, lookupName} {
		if files[i], err = os.ReadFile(name); err != nil {
			return files, err
		}
	}
	return files, nil
})

func open(t testing.TB) *static.Table {
	t.Helper()
	files, err := openFiles()
	if err != nil {
		t.Fatal(err)
	}
	table, err := static.Open(files[0], files[1])
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestLookupFileIsCurrent(t *testing.T) {
	files, err := openFiles()
	if err != nil {
		t.Fatal(err)
	}
	want, err := static.BuildLookup(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(files[1], want) {
		t.Errorf("%s does not belong to %s: run go generate ./llm", lookupName, artefactName)
	}
}

// The answers of the first reader of the format, which shares no code with this one.
func TestKnownAnswers(t *testing.T) {
	data, err := os.ReadFile("../testdata/static.json")
	if err != nil {
		t.Fatal(err)
	}
	var known []struct {
		Text   string
		Tokens []int32
		Vector []float64 // the first four components
	}
	if err := json.Unmarshal(data, &known); err != nil {
		t.Fatal(err)
	}
	if len(known) < 12 {
		t.Fatalf("%d known answers", len(known))
	}
	table := open(t)
	for _, k := range known {
		if got := table.Tokens(k.Text); !slices.Equal(got, k.Tokens) {
			t.Errorf("%q: tokens %v, want %v", k.Text, got, k.Tokens)
		}
		v := table.Vector(k.Text)
		if len(k.Tokens) == 0 {
			if v != nil {
				t.Errorf("%q: a vector without tokens", k.Text)
			}
			continue
		}
		for i, want := range k.Vector {
			if math.Abs(float64(v[i])-want) > 2e-6 {
				t.Errorf("%q: vector %v…, want %v…", k.Text, v[:4], k.Vector)
				break
			}
		}
	}
}

func TestTokensAgreeWithTheReference(t *testing.T) {
	table, ref := open(t), newReference(t)
	for _, text := range []string{
		"", " ", "'", "''a", "a'", "a'b'c", "it''s", "'s", "9's", "don\u2019t", "x\u2019", "ab'9", "a'z9",
		"systemd-journald", "wi-fi 802.11ac", "GPT4o", "x86_64", "ABCÄbc", "İi İ'll", "ＡＢＣ１２３", "ｉｔ＇ｓ",
		"\xff", "a\xffb", "\xe4\xb8", "\xe4\xb8\xad\xe4", "中\xff文", "\xe2\x80", "\xc4", "中\u0301文",
		"a\u0301bc", "㎏ ﬁ ① ℃ ㍿ ﷺ", "数据库", "数據庫", "中a文1国", "\u4dff\u4e00\u9fff\ua000",
		strings.Repeat("数据库迁移", 300), strings.Repeat("abc", 500), strings.Repeat("0", 500),
	} {
		if got, want := table.Tokens(text), ref.tokens(text); !slices.Equal(got, want) {
			t.Errorf("%q: tokens %v, want %v", text, got, want)
		}
	}
}

func TestLongHanRunIsReadToItsEnd(t *testing.T) {
	table := open(t)
	one := table.Tokens("数据库")
	if len(one) != 1 {
		t.Fatalf("数据库 has tokens %v, want one", one)
	}
	for _, words := range []int{1364, 1365, 1366, 5000} { // 4,095 characters are 1,365 of them
		tokens := table.Tokens(strings.Repeat("数据库", words))
		if len(tokens) != words || !slices.Equal(slices.Compact(tokens), one) {
			t.Errorf("%d words: %d tokens, want as many of %v", words, len(tokens), one)
		}
	}
}

func TestLongTextIsItsParts(t *testing.T) {
	table := open(t)
	sentence := "The rollback of 数据库迁移 isn't done； we don’t ｓｈｉｐ "
	once := table.Tokens(sentence)
	const times = 20_000
	got := table.Tokens(strings.Repeat(sentence, times))
	if len(got) != times*len(once) {
		t.Fatalf("%d tokens, want %d", len(got), times*len(once))
	}
	for i := range times {
		if part := got[i*len(once):][:len(once)]; !slices.Equal(part, once) {
			t.Fatalf("repetition %d: tokens %v, want %v", i, part, once)
		}
	}
	short, long := table.Vector(sentence), table.Vector(strings.Repeat(sentence, times))
	if !slices.Equal(short, long) {
		t.Errorf("a text and its repetition differ: %v… and %v…", short[:3], long[:3])
	}
}

func TestTextWithoutSpaceIsBounded(t *testing.T) {
	table := open(t)
	for _, unit := range []string{"a", "7", "'", "ä", "e\u0301", "\u0301", "\xff", "\xe4", "数", "，", "数，", "ﷺ"} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		if v := table.Vector(text); v != nil {
			checkUnit(t, unit, v)
		}
	}
}

func checkUnit(t *testing.T, what string, v []float32) {
	t.Helper()
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if len(v) != 256 || math.Abs(square-1) > 1e-5 {
		t.Errorf("%.20q: %d components, squared length %v", what, len(v), square)
	}
}

func TestVectorIgnoresOrder(t *testing.T) {
	table := open(t)
	a, b := table.Vector("dogs chase 猫 and birds"), table.Vector("猫 birds and chase dogs")
	if !slices.Equal(a, b) {
		t.Errorf("%v… and %v…", a[:3], b[:3])
	}
}

// A sum of many large rows leaves the 32-bit lanes; the exact sum is the reference's.
func TestManyRowsDoNotOverflow(t *testing.T) {
	table, ref := open(t), newReference(t)
	for _, times := range []int{1, 100, 500, 10_000} {
		text := strings.Repeat("postgresql 数据库 kubernetes 鿿 ", times)
		got, want := table.Vector(text), ref.vector(text)
		for i := range got {
			if math.Abs(float64(got[i])-want[i]) > 1e-6 {
				t.Fatalf("%d times: component %d is %v, want %v", times, i, got[i], want[i])
			}
		}
	}
}

func TestVectorAllocatesItsResultOnly(t *testing.T) {
	table := open(t)
	for _, c := range []struct {
		unit string
		want float64
	}{
		{"We agreed to migrate the database next week. ", 1},
		{"我们同意迁移数据库，下周。", 2}, // the full-width comma wakes the normaliser's own buffer
	} {
		text := strings.Repeat(c.unit, 10)
		// The least of many: the pool of scratch space may be emptied at any time.
		least := math.Inf(1)
		for range 50 {
			least = min(least, testing.AllocsPerRun(1, func() { table.Vector(text) }))
		}
		if least != c.want {
			t.Errorf("%q…: %v allocations, want %v", c.unit, least, c.want)
		}
	}
}

func TestOpenRefusesDamagedFiles(t *testing.T) {
	files, err := openFiles()
	if err != nil {
		t.Fatal(err)
	}
	artefact, lookup := files[0], files[1]
	header := func(old, new string) []byte {
		out := slices.Clone(artefact[:400])
		if !bytes.Contains(out, []byte(old)) {
			t.Fatalf("no %q in the header", old)
		}
		return append(bytes.Replace(out, []byte(old), []byte(new), 1), artefact[400:]...)
	}
	for _, c := range []struct {
		name             string
		artefact, lookup []byte
		want             string
	}{
		{"empty artefact", nil, lookup, "SEMB1"},
		{"another file", []byte("hello, world, hello"), lookup, "SEMB1"},
		{"cut in the header", artefact[:100], lookup, "cut off"},
		{"cut in the rows", artefact[:len(artefact)-1], lookup, "announces"},
		{"bad header", header(`{"name"`, `["name"`), lookup, "header"},
		{"other dimensions", header(`"dim": 256`, `"dim": 512`), lookup, "512 dimensions"},
		{"other bits", header(`"bits": 4`, `"bits": 8`), lookup, "8 bits"},
		{"empty lookup", artefact, nil, "SLOOK1"},
		{"cut lookup", artefact, lookup[:len(lookup)-1], "bytes, want"},
	} {
		if _, err := static.Open(c.artefact, c.lookup); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, seed := range []string{"How do I reset?", "数据库迁移", "İ’s ﬁ\xe4\xb8", "a'b 中1", "\u0301\u0301"} {
		f.Add(seed)
	}
	table, ref := open(f), newReference(f)
	f.Fuzz(func(t *testing.T, text string) {
		got := table.Tokens(text)
		if again := table.Tokens(text); !slices.Equal(got, again) {
			t.Fatalf("tokens %v, then %v", got, again)
		}
		if want := ref.tokens(text); len(text) < 4095 && !slices.Equal(got, want) {
			t.Fatalf("tokens %v, want %v", got, want)
		}
		if v := table.Vector(text); v != nil {
			checkUnit(t, text, v)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	files, err := openFiles()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := static.Open(files[0], files[1]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVector(b *testing.B) {
	table := open(b)
	for name, text := range map[string]string{
		"query-5-words": "How do I reset my password?",
		"english-216": strings.Repeat("We agreed to migrate the billing database to PostgreSQL next sprint "+
			"because the current cluster cannot keep up. ", 12),
		"chinese-264": strings.Repeat("我们同意在下个迭代把计费数据库迁移到新的集群，因为当前集群无法满足性能要求。", 12),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			tokens := len(table.Tokens(text))
			for b.Loop() {
				table.Vector(text)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*tokens), "ns/token")
		})
	}
}
