package page

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// styled is one key of a generated page: its lines, and what stands above
// them.
type styled struct{ key, above, text string }

// drawStyled writes a key in one of the ways in which people write it.
func drawStyled(t *rapid.T, key string) styled {
	word := rapid.SampledFrom([]string{"a", "b c", "支付", "x-1", "Zoë", "it's"})
	w, v := word.Draw(t, "w"), word.Draw(t, "v")
	list := []string{
		"%[1]s:\n  - %[2]s\n  - %[3]s # remark\n", "%[1]s:\n- %[2]s\n- \"%[3]s\"\n", "%[1]s: [%[2]s, '备注'] # remark\n",
		"%[1]s: [\n  %[2]s,\n  \"%[3]s\",\n]\n", "%[1]s:\n", "%[1]s: []\n", "%[1]s:\n  # first\n  - %[2]s\n\n  - z\n", "%[1]s: %[2]s, q\n", "%[1]s: \"%[2]s\"\n",
	}
	text := []string{
		"%[1]s: %[2]s\n", "%[1]s:   \"%[2]s\"   # remark\n", "%[1]s: '备注 # 1'\n", "%[1]s: |\n  %[2]s\n\n  # %[3]s\n", "%[1]s: >-\n    %[2]s\n    %[3]s\n",
		"\"%[1]s\": %[2]s\n", "%[1]s: %[2]s\n  %[3]s\n", "%[1]s:\n", "%[1]s: ~\n", "%[1]s: &anchor_%[1]s %[2]s\n", "%[1]s : !!str %[2]s\n", "%[1]s: \"%[2]s\n  %[3]s\"\n", "%[1]s:\n  %[2]s\n",
	}
	other := append([]string{"%[1]s: {a: %[2]s, b: [1, 2]}\n", "%[1]s:\n  a: 1\n  b:\n    - %[2]s\n", "%[1]s:\n  - a: \"[[%[2]s]]\"\n"}, text...)
	forms := other
	switch key {
	case "tags", "aliases", "sources":
		forms = list
	case "title", "status", "slug", "abstract", "created_by":
		forms = text
	case "links":
		forms = []string{"%[1]s:\n  - to: %[2]s\n    type: decided # why\n  - %[3]s\n", "%[1]s: [%[2]s]\n", "%[1]s: \"[[%[2]s]]\"\n", "%[1]s:\n- {to: %[2]s}\n", "%[1]s: [[%[2]s]]\n"}
	case "facts":
		forms = []string{"%[1]s:\n  - text: %[2]s\n    at: 2026-01-02 # when\n  - %[3]s\n", "%[1]s:\n- {text: %[2]s}\n", "%[1]s: [%[2]s, {text: %[3]s, unit: 个}]\n"}
	}
	above := rapid.SampledFrom([]string{"", "", "", "\n", "# 关于\n", "# x: y\n# z\n"}).Draw(t, "above")
	return styled{key, above, fmt.Sprintf(rapid.SampledFrom(forms).Draw(t, "form"), key, w, v)}
}

// drawnPage is a page in pieces.
type drawnPage struct {
	head string // byte order mark and opening fence
	keys []styled
	tail string // closing fence and body
}

func (d drawnPage) String() string {
	var b strings.Builder
	b.WriteString(d.head)
	for _, k := range d.keys {
		b.WriteString(k.above + k.text)
	}
	return b.String() + d.tail
}

func drawPage(t *rapid.T) drawnPage {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"title", "status", "slug", "abstract", "created_by", "tags", "aliases", "sources", "links", "facts", "负责人", "x-key", "Up"}), 1, 7, func(s string) string { return s }).Draw(t, "keys")
	crlf := rapid.Bool().Draw(t, "crlf")
	end := func(s string) string {
		if crlf {
			return strings.ReplaceAll(s, "\n", "\r\n")
		}
		return s
	}
	d := drawnPage{
		head: rapid.SampledFrom([]string{"", "\uFEFF"}).Draw(t, "bom") + end("---\n"),
		tail: end(rapid.SampledFrom([]string{"---", "---\n", "...\n# H\n", "---\n\n# 标题\n\n[[a]] text", "--- \n---\nx: y\n---\n", "---\ncaf\xe9 \n"}).Draw(t, "tail")),
	}
	for _, name := range names {
		k := drawStyled(t, name)
		d.keys = append(d.keys, styled{name, end(k.above), end(k.text)})
	}
	return d
}

func drawChange(t *rapid.T) Change {
	value := rapid.SampledFrom([]string{"new", "a: b", "# c", "标题", "0123", "two words", "no", "it's \"so\"", "- x", "[y]"}).Draw(t, "value")
	list := rapid.SampledFrom([]string{"tags", "aliases", "sources"}).Draw(t, "list")
	text := rapid.SampledFrom([]string{"title", "status", "slug", "created_by", "x-key", "说明"}).Draw(t, "text")
	return rapid.SampledFrom([]Change{
		SetText(text, value), SetText("abstract", value+"\n"+value), AddTo(list, value, "a"), RemoveFrom(list, "a", "Z", "备注"),
		SetList(list, []string{"a", value, "z"}), Unset(list), Unset(text), AddLink(Link{Target: "n/m", Type: "decided"}), AddFact(Fact{Text: value, At: "2026-05-06"}),
		SetFact(0, "status", "superseded"),
	}).Draw(t, "change")
}

// keeps reports whether all but the text of one key is in got, before and
// behind one place.
func (d drawnPage) keeps(got, key string) bool {
	i := slices.IndexFunc(d.keys, func(k styled) bool { return k.key == key })
	if i >= 0 {
		before, after := drawnPage{d.head, d.keys[:i], d.keys[i].above}, drawnPage{"", d.keys[i+1:], d.tail}
		return strings.HasPrefix(got, before.String()) && strings.HasSuffix(got, after.String())
	}
	for i := range len(d.keys) + 1 {
		before, after := drawnPage{d.head, d.keys[:i], ""}, drawnPage{"", d.keys[i:], d.tail}
		if strings.HasPrefix(got, before.String()) && strings.HasSuffix(got, after.String()) {
			return true
		}
	}
	return false
}

// onlyComments reports that nothing but comments would be left without a key.
func onlyComments(d drawnPage, key string) bool {
	return len(d.keys) == 1 && d.keys[0].key == key && d.keys[0].above != ""
}

// Lines of other keys, comments between keys, fences and body are the same
// bytes in the same order; what is new stands in one place.
func TestSpliceTouchesItsOwnLinesOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, c := drawPage(t), drawChange(t)
		got, err := Splice("x.md", []byte(d.String()), c)
		if err != nil {
			switch {
			case c.op == setFact && !errors.Is(err, ErrDraft): // no fact, or one that is no record
			case onlyComments(d, c.key): // a block of comments is none
			case readSheet("x.md", d.String(), builtinWords).loose && errors.Is(err, ErrSplice): // an anchor with letters that yaml.v3 does not take
			default:
				t.Fatalf("%v\n%s", err, d)
			}
			return
		}
		key := c.key
		if c.op == setFact {
			key = "facts"
		}
		if !d.keeps(string(got), key) {
			t.Fatalf("more than %s has changed:\n%s\nwas\n%s", key, got, d)
		}
		again, err := Splice("x.md", got, c)
		if err != nil || string(again) != string(got) {
			t.Fatalf("the same change again: %v\n%s\nwas\n%s", err, again, got)
		}
	})
}

// A value set and set back reads as at first.
func TestSpliceThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawPage(t)
		key := rapid.SampledFrom([]string{"title", "status", "slug", "created_by", "abstract"}).Draw(t, "key")
		old := ""
		before := readSheet("x.md", d.String(), builtinWords)
		if f := before.speaking(key); f != nil {
			old = f.val.text
		}
		if before.loose || old == "" && onlyComments(d, key) || key != "abstract" && strings.Contains(strings.TrimSpace(old), "\n") {
			return // only running text may span lines
		}
		there, err := Splice("x.md", []byte(d.String()), SetText(key, "在: there"))
		if err != nil {
			t.Fatal(err)
		}
		back, err := Splice("x.md", there, SetText(key, old))
		if err != nil {
			t.Fatal(err)
		}
		a, b := Parse("x.md", []byte(d.String())), Parse("x.md", back)
		if a.Hash() != b.Hash() || a.Title != b.Title || a.CreatedBy != b.CreatedBy {
			t.Fatalf("was\n%s\nis\n%s", d, back)
		}
	})
}

func TestSpliceSeveralChanges(t *testing.T) {
	got, err := Splice("x.md", []byte("# 支付\n"), SetText("title", "支付"), SetText("schema_type", "decision"), AddTo("tags", "a"), AddTo("tags", "b"),
		AddLink(Link{Target: "entities/postgres", Type: "decided"}), AddFact(Fact{Text: "t"}), SetFact(0, "status", "archived"), SetText("created_at", "2026-01-01T00:00:00Z"),
		SetText("status", "stale"), AppendBody("- 完"), Change{})
	want := "---\ntitle: 支付\nschema_type: decision\nstatus: stale\ntags:\n  - a\n  - b\ncreated_at: \"2026-01-01T00:00:00Z\"\nlinks:\n  - to: entities/postgres\n    type: decided\nfacts:\n  - text: t\n    status: archived\n---\n# 支付\n- 完\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if _, err := Splice("sessions/2026-01/s/messages.jsonl", []byte("{}\n"), AppendBody("x")); !errors.Is(err, ErrSplice) {
		t.Errorf("a session: %v", err)
	}
}

// What Format would refuse is refused here.
func TestSpliceKeepsLimits(t *testing.T) {
	for name, c := range map[string]Change{
		"title of 201 characters": SetText("title", strings.Repeat("长", 201)), "title of two lines": SetText("title", "a\nb"), "created_by of 129": SetText("created_by", strings.Repeat("x", 129)),
		"a value with a NUL": SetText("x", "a\x00"), "a value that is not UTF-8": SetText("x", "\xff"), "a tag of two lines": AddTo("tags", "a\nb"), "a fact without text": AddFact(Fact{}),
		"a link without target": AddLink(Link{}), "a list for title": SetList("title", []string{"a"}), "a text for tags": SetText("tag", "a"), "a text for facts": SetText("facts", "a"),
		"no key": SetText("", "a"), "a key with a colon": SetText("a: b", "c"), "a key of two lines": SetText("a\nb", "c"), "a body too long": AppendBody(strings.Repeat("x", MaxBody+1)), "a fact of two lines": SetFact(0, "text", "a\nb"),
	} {
		if _, err := Splice("x.md", []byte("---\nfacts: [a]\n---\n"), c); !errors.Is(err, ErrDraft) {
			t.Errorf("%s: %v, want ErrDraft", name, err)
		}
	}
}

// The order of new keys is the one in which Format writes.
func TestKeyOrderIsThatOfFormat(t *testing.T) {
	d := sampleDraft()
	d.Redirect, d.LayersOf, d.Generated = "x", "y", true
	raw, err := Format(d)
	if err != nil {
		t.Fatal(err)
	}
	if keys := Parse("x.md", raw).Keys; !slices.Equal(keys, keyOrder[:]) {
		t.Errorf("Format writes %q, keyOrder is %q", keys, keyOrder)
	}
}

func FuzzSplice(f *testing.F) {
	for _, raw := range []string{"", "---", "---\n---\n", "---\ntitle: a\n", "---\n{title: x, tags: [a]}\n---\nb", "---\ntitle: &a |+\n  b\n\ntags: [a,\nb]\nx: *a\n...\n", "\uFEFF---\r\ntitle: \"a\\\"b\"\r\n---", "---\n? [a]\n: b\ntitle: c\n---\n",
		"---\ntitle: a: b\ntags:\n\t- x\n---\n", "---\nfacts:\n- {text: a}\n- text: b\n  status: x\n---\n", "---\nlinks: [[a]]\n---\n[[b]]", "---\n<<: &a {title: b}\ntype: c\ndate: d\n---\n", "---\na: 'b\n---\nc'\n---\n", "---\n--- x\ntitle: a\n---\n"} {
		f.Add([]byte(raw), "title", "a: b", uint8(0))
		f.Add([]byte(raw), "tags", "标签", uint8(2))
	}
	if doc, err := os.ReadFile("../doc/format.md"); err == nil {
		f.Add(doc, "status", "stale", uint8(0))
	}
	f.Fuzz(func(t *testing.T, raw []byte, key, value string, which uint8) {
		changes := []Change{SetText(key, value), SetList(key, []string{value, "b"}), AddTo(key, value), RemoveFrom(key, value, "a"), Unset(key),
			AddLink(Link{Target: value}), AddFact(Fact{Text: value}), SetFact(int(which>>4), key, value), AppendBody(value)}
		c := changes[int(which)%len(changes)]
		got, err := Splice("x.md", raw, c)
		if err != nil {
			if !errors.Is(err, ErrSplice) && !errors.Is(err, ErrDraft) {
				t.Fatal(err)
			}
			return
		}
		was, is := readSheet("x.md", string(raw), builtinWords), readSheet("x.md", string(got), builtinWords)
		body := is.src[is.body:]
		if c.op == appendBody {
			if !strings.HasPrefix(body, was.src[was.body:]) && was.body != len(was.src) {
				t.Fatalf("the body is lost:\n%q\nwas\n%q", got, raw)
			}
			return
		}
		if body != was.src[was.body:] {
			t.Fatalf("another body:\n%q\nwas\n%q", got, raw)
		}
		if was.found && strings.Count(is.src[:is.body], "\n---") > strings.Count(was.src[:was.body], "\n---") {
			t.Fatalf("a second block:\n%q\nwas\n%q", got, raw)
		}
		if strings.HasPrefix(string(raw), "\uFEFF") && !strings.HasPrefix(string(got), "\uFEFF") {
			t.Fatal("the byte order mark is gone")
		}
	})
}

func BenchmarkSplice(b *testing.B) {
	d := sampleDraft()
	d.Body = strings.Repeat("A line of text with a [[link]] in it, 还有中文。\n\n", 200)
	raw, err := Format(d)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Splice("x.md", raw, SetText("status", "archived")); err != nil {
			b.Fatal(err)
		}
	}
}

// A block that is no YAML, for an anchor with letters that yaml.v3 does not take, is read line by
// line; a list over several lines ends at its bracket there, too.
func TestSpliceBehindAListThatEndsAtTheMargin(t *testing.T) {
	const page = "---\n负责人: &anchor_负责人 a\ntags: [\n  a,\n  b,\n]\n---\n"
	got, err := Splice("x.md", []byte(page), SetText("abstract", "new"))
	if want := strings.Replace(page, "]\n", "]\nabstract: new\n", 1); err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	got, err = Splice("x.md", []byte(page), Unset("tags"))
	if want := "---\n负责人: &anchor_负责人 a\n---\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
