package compile

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain is a sentence in the form that shapes are matched with: lower case,
// simplified characters, contractions written out, words and marks one space
// apart, a run of Han characters one word. Each byte knows where it comes from.
//
//	We’ve decided: use `pgx`，for now!   we have decided : use ¤ , for now .
//	我們決定改用 Redis。                  我们决定改用 redis .
type plain struct {
	s      string
	at     []int // of each byte of s, and of its end: the byte of the sentence
	starts []int // where a clause begins
	work   int   // steps of shapes tried on it
}

// name is a quoted span or piece of code in the plain form.
const name = "¤"

// normal gives the plain form of a sentence whose quoted spans are opaque.
func normal(hidden string) *plain {
	p := &plain{}
	b := plainer{}
	for i := 0; i < len(hidden); {
		r, size := utf8.DecodeRuneInString(hidden[i:])
		if hidden[i] == opaque {
			for size = 1; i+size < len(hidden) && hidden[i+size] == opaque; {
				size++
			}
			b.word(name, i, i+size)
			i += size
			continue
		}
		r = narrow(r)
		switch {
		case unicode.Is(unicode.Han, r):
			b.han(simple(r), i, i+size)
		case strings.HasPrefix(hidden[i:], "--") && wordLength(hidden[i+2:]) > 1: // a flag
			size = 2 + wordLength(hidden[i+2:])
			b.latin(hidden[i:i+size], i)
		case isWord(r):
			size = wordLength(hidden[i:])
			b.latin(hidden[i:i+size], i)
		default:
			if m := mark(r, hidden[i:]); m != "" {
				b.word(m, i, i+size)
			}
			b.broken = true
		}
		i += size
	}
	b.at = append(b.at, len(hidden))
	p.s, p.at = string(b.s), b.at
	p.clauses()
	return p
}

// plainer writes a plain form.
type plainer struct {
	s      []byte
	at     []int
	inHan  bool // a Han character came last
	broken bool // and something after it
}

func (b *plainer) add(w string, from, to int) {
	b.s = append(b.s, w...)
	for k := range len(w) {
		b.at = append(b.at, min(from+k, max(from, to-1)))
	}
}

func (b *plainer) word(w string, from, to int) {
	if len(b.s) > 0 {
		b.add(" ", from, from)
	}
	b.add(w, from, to)
	b.inHan = false
}

func (b *plainer) han(r rune, from, to int) {
	if b.inHan && !b.broken {
		b.add(string(r), from, to)
		return
	}
	b.word(string(r), from, to)
	b.inHan, b.broken = true, false
}

// latin writes a word, and what it is the contraction of.
func (b *plainer) latin(w string, from int) {
	w = strings.ToLower(strings.ReplaceAll(strings.Map(narrow, w), "’", "'"))
	if full, ok := contractions[w]; ok {
		w = full
	} else if head, ok := strings.CutSuffix(w, "n't"); ok {
		w = head + " not"
	}
	for one := range strings.FieldsSeq(w) {
		b.word(one, from, from+1)
	}
}

// narrow makes full-width forms ASCII.
func narrow(r rune) rune {
	if 0xFF01 <= r && r <= 0xFF5E {
		return r - 0xFEE0
	}
	return r
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("$€£¥%&@#~=<>^|\\", r)
}

// wordLength is the length of the word at the beginning of s, with what joins
// its parts: don't, pkg/store, v1.2, 10:30, C++, --fast.
func wordLength(s string) int {
	n := 0
	for n < len(s) {
		raw, size := utf8.DecodeRuneInString(s[n:])
		r := narrow(raw)
		if unicode.Is(unicode.Han, r) || s[n] == opaque {
			break
		}
		next, _ := utf8.DecodeRuneInString(s[n+size:])
		joined := isWord(next) && !unicode.Is(unicode.Han, next)
		if !isWord(r) && !(strings.ContainsRune("'’-_./+", r) && joined) && r != '+' &&
			!(strings.ContainsRune(":,", raw) && n > 0 && isDigit(s[n-1]) && unicode.IsDigit(next)) {
			break
		}
		n += size
	}
	return max(n, 1)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// mark is how a mark of punctuation reads; most do not count.
func mark(r rune, rest string) string {
	switch r {
	case ',', ';', ':', '?', '(', ')':
		return string(r)
	case '.':
		if strings.HasPrefix(rest, "..") {
			return ","
		}
		if strings.Trim(rest, " .!?)'\"") != "" {
			return "" // of an abbreviation: a full stop ends the sentence
		}
		return "."
	case '!', '。', '！', '｡':
		return "."
	case '？':
		return "?"
	case '，', '…', '—', '–', '→':
		return ","
	case '；':
		return ";"
	case '：':
		return ":"
	case '（', '[', '【':
		return "("
	case '）', ']', '】':
		return ")"
	case '-':
		if strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "--") {
			return ","
		}
	}
	return ""
}

// source gives the bytes of the sentence from which a stretch of s comes.
func (p *plain) source(from, to int) (int, int) {
	for from < to && p.s[from] == ' ' {
		from++
	}
	for from < to && p.s[to-1] == ' ' {
		to--
	}
	return p.at[from], p.at[to]
}

// clauses finds where clauses begin: at the beginning, behind a mark, and at
// words that join one clause to another.
func (p *plain) clauses() {
	p.starts = []int{0}
	for i := 0; i < len(p.s); {
		end := p.wordEnd(i)
		switch w := p.s[i:end]; {
		case strings.Contains(",;:.()", w):
			p.starts = append(p.starts, min(end+1, len(p.s)))
		case joiners[w]:
			p.starts = append(p.starts, i, min(end+1, len(p.s)))
		}
		i = end + 1
	}
	sort.Ints(p.starts)
}

// wordEnd is the end of the word at i.
func (p *plain) wordEnd(i int) int {
	if n := strings.IndexByte(p.s[i:], ' '); n >= 0 {
		return i + n
	}
	return len(p.s)
}

var joiners = wordSet(`and but so then because since while plus therefore hence though although`)

// contractions written out. 'd is would: of "had" the shapes know no use.
var contractions = pairs(`
i'm=i_am im=i_am i've=i_have ive=i_have i'll=i_will i'd=i_would
we're=we_are we've=we_have weve=we_have we'll=we_will we'd=we_would
you're=you_are you've=you_have you'll=you_will you'd=you_would they're=they_are they've=they_have they'll=they_will they'd=they_would
it's=it_is it'll=it_will it'd=it_would that's=that_is thats=that_is that'll=that_will that'd=that_would there's=there_is here's=here_is
he's=he_is she's=she_is he'll=he_will she'll=she_will he'd=he_would she'd=she_would he've=he_have what's=what_is who's=who_is where's=where_is how's=how_is
let's=let_us lets=let_us cannot=can_not can't=can_not cant=can_not won't=will_not wont=will_not shan't=shall_not
dont=do_not doesnt=does_not didnt=did_not isnt=is_not wasnt=was_not arent=are_not havent=have_not hasnt=has_not shouldnt=should_not wouldnt=would_not couldnt=could_not
gonna=going_to wanna=want_to gotta=got_to should've=should_have could've=could_have would've=would_have pls=please plz=please
favourite=favorite standardise=standardize standardised=standardized`)

func pairs(list string) map[string]string {
	m := map[string]string{}
	for _, one := range strings.Fields(list) {
		k, v, _ := strings.Cut(one, "=")
		m[k] = strings.ReplaceAll(v, "_", " ")
	}
	return m
}

// traditional characters of the words in rules_zh.go and their simplified ones.
const traditional = `記记決决們们這这個个請请幫帮註注備备別别總总後后從从現现話话習习慣惯喜喜歡欢討讨厭厌願愿應应該该對对錯错誤误說说糾纠訂订測测試试驗验發发現现結结論论題题問问為为導导致致
經经驗验訓训還还沒没無无將将會会選选擇择採采換换遷迁轉转棄弃統统約约確确認认標标準准達达協协議议麼么嗎吗幾几誰谁哪哪裡里裏里兒儿當当過过來来時时間间實实現现寫写創创建建刪删除除
關关閉闭開开啟启動动線线佈布署署優优化化復复修修補补齊齐畢毕導导入入進进級级構构調调處处理理務务碼码檔档數数據据庫库鏈链網网頁页環环變变讓让給给與与於于兩两點点種种條条樣样覺觉傾倾
團团隊队組组員员項项開开會会議议長长簡简潔洁繁繁體体語语語语詞词稱称呼呼叫叫號号碼码絕绝對对禁禁止止許许須须盡尽量量儘尽儘尽傳传媽妈爺爷嗎吗帳账賬账僅仅並并雖虽場场財财訊讯産产產产
顯显類类歸归納纳終终於于審审閱阅檢检查查驅驱擊击斷断響响聽听據据説说諾诺講讲讀读謂谓輯辑專专業业單单雙双雜杂難难簽签筆笔箋笺蹤踪鎖锁錄录銷销設设計计頻频頓顿願愿風风饋馈駁驳骨骨`

var simplified = func() map[rune]rune {
	m, last := map[rune]rune{}, rune(0)
	for _, r := range traditional {
		switch {
		case r == '\n':
		case last == 0:
			last = r
		default:
			if last != r {
				m[last] = r
			}
			last = 0
		}
	}
	return m
}()

func simple(r rune) rune {
	if s, ok := simplified[r]; ok {
		return s
	}
	return r
}
