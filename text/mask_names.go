package text

import (
	"strings"
	"unicode/utf8"
)

// Most secrets look like nothing; a name beside them tells them.
//
//	DB_PASSWORD=…    "apiKey": "…"    password: …    ?token=…    --password …
//	<password>…</password>    my password for the wiki is …    数据库密码已改为 …
//
// A name is one of a few words at the end of an identifier. Between it and the
// value stands a separator, which says how much the value must look like a
// secret: in code and prose most of what follows is none.

// name is a name that promises a secret.
type name struct {
	kind       string // of the secret
	strict     bool   // people do not choose such secrets: the value must be opaque
	caps       bool   // DB_PASSWORD
	aws        bool   // of the cloud whose keys have 40 characters
	set        bool   // setPassword, .password
	vague      bool   // pass, which has other meanings: only pass: "x"
	quoted     bool   // the identifier stands in quotes
	start, end int
}

func nameShapes() (out []shape) {
	for _, word := range []string{"password", "passwd", "passphrase", "passcode", "pass", "pwd", "pw=", "pw:", "secret", "token", "key", "aws"} {
		out = append(out, shape{anchor: word, find: func(m *masker, at int) (string, Span) { return englishName(m, at, word) }})
	}
	out = append(out, shape{anchor: "IDENTIFIED BY ", exact: true, find: func(m *masker, at int) (string, Span) {
		return m.named(name{kind: "password", start: at, end: at + len("IDENTIFIED BY")})
	}})
	for _, word := range []string{"密码", "密碼", "口令", "密钥", "密鑰", "秘钥", "秘鑰", "私钥", "私鑰", "令牌"} {
		strict := strings.HasSuffix(word, "钥") || strings.HasSuffix(word, "鑰") || word == "令牌"
		out = append(out, shape{anchor: word, exact: true, find: func(m *masker, at int) (string, Span) {
			n := name{kind: "password", strict: strict, start: at, end: at + len(word)}
			switch {
			case word == "令牌":
				n.kind = "token"
			case strict:
				n.kind = "key"
			}
			return m.named(n)
		}})
	}
	return out
}

// qualifiers make a key one that is secret; a public one is none.
var qualifiers = []string{"api", "access", "secret", "private", "account", "auth", "encryption", "signing", "master", "shared", "service", "storage",
	"webhook", "subscription", "hmac", "aes", "jwt", "role", "deploy", "license"}

// harmless are the beginnings of names that end in token and are no secrets.
var harmless = []string{"public", "next", "page", "continuation", "sync", "pad", "eos", "bos", "unk", "cls", "sep", "mask", "special"}

// endings may follow the word in a name: password_confirmation.
var endings = []string{"confirmation", "confirm", "base", "value", "plain", "plaintext"}

// englishName judges a word at a place and its value.
func englishName(m *masker, at int, word string) (kind string, sp Span) {
	word = strings.TrimRight(word, "=:")
	n := name{kind: "password", end: at + len(word)}
	for n.start = at; n.start > m.done && at-n.start < 64 && nameChars[m.s[n.start-1]]; n.start-- {
	}
	if n.start > m.done && n.start < at && m.s[n.start-1] == '\\' && strings.IndexByte("nrt", m.s[n.start]) >= 0 {
		n.start++ // \n in JSON
	}
	first := m.s[n.start:at] // of the identifier
	switch word {
	case "aws":
		if first != "" && alnum[first[len(first)-1]] {
			return "", Span{}
		}
		return m.awsKey(n.end)
	case "key":
		n.kind, n.strict = "key", true
		if !m.qualified(n.start, at) {
			return "", Span{}
		}
	case "token", "secret":
		n.kind, n.strict = word, true
	case "pass":
		n.vague = first == ""
		n.strict = n.vague || m.s[at] >= 'a'
		if first != "" && !borders(first[len(first)-1], m.s[at]) {
			return "", Span{}
		}
	case "pw", "pwd":
		if first != "" && alnum[first[len(first)-1]] && word == "pw" {
			return "", Span{}
		}
	}
	for _, h := range harmless {
		if n.strict && hasWord(first, h) {
			return "", Span{}
		}
	}
	n.caps = m.s[at] < 'a' && m.s[at+1] < 'a' && strings.ToUpper(first) == first
	n.set = first == "" || hasAnchor(first, "set", false) || hasAnchor(first, "with", false) || strings.HasSuffix(first, ".")
	n.aws = hasWord(first, "aws") || n.kind == "key" && hasWord(m.s[max(m.done, at-24):at], "secret")
	if n.end = nameEnd(m.s, n.end); n.end < 0 {
		return "", Span{}
	}
	if kind, sp = m.named(n); sp.End == 0 && n.aws && n.kind == "key" {
		return m.awsKey(n.end)
	}
	return kind, sp
}

var nameChars = chars("A-Za-z0-9_.-")

// borders reports whether a word of an identifier may begin with c after b.
func borders(b, c byte) bool {
	return b == '_' || b == '-' || b == '.' || b >= 'a' && c < 'a' || digits[b]
}

// nameEnd gives the end of an identifier behind its word, -1 when the word is
// not its last.
func nameEnd(s string, i int) int {
	for n := 0; n < 2 && i < len(s) && digits[s[i]]; n++ {
		i++
	}
	j := i
	if j < len(s) && (s[j] == '_' || s[j] == '-') {
		j++
	}
	for _, e := range endings {
		if hasAnchor(s[j:], e, false) {
			i = j + len(e)
			break
		}
	}
	if i < len(s) && (words[s[i]] || s[i] == '-' && i+1 < len(s) && words[s[i+1]]) {
		return -1
	}
	return i
}

// qualified reports whether the word before "key" makes it one that is secret:
// api_key, apiKey, API key.
func (m *masker) qualified(start, at int) bool {
	first := strings.TrimRight(m.s[start:at], "_-.")
	if first == "" {
		first = m.s[max(m.done, start-16):start]
		if !strings.HasSuffix(first, " ") {
			return false
		}
		first = strings.TrimSuffix(first, " ")
		for i := len(first); i >= 0; i-- {
			if i == 0 || !nameChars[first[i-1]] {
				first = first[i:]
				break
			}
		}
	}
	if hasWord(first, "public") {
		return false
	}
	for _, q := range qualifiers {
		if len(first) >= len(q) && foldsTo(first[len(first)-len(q):], q) {
			return true
		}
	}
	return false
}

// sep is what stands between a name and a value.
type sep int

const (
	none   sep = iota
	equals     // name=value: settings, shells, URLs
	spaced     // name = value: code, mostly
	colon      // name: value
	says       // the password is value
	zh         // 密码是value
	joined     // 密码value
	flag       // --name value
	markup     // <name>value</name>
	call       // name("value"), set("name", "value")
)

// named judges the value that a name has.
func (m *masker) named(n name) (kind string, sp Span) {
	sep, i := m.separator(&n)
	if sep == none {
		return "", Span{}
	}
	v := m.value(i, sep, n.strict)
	if v.end == 0 || n.vague && (!v.quoted || sep != colon && sep != equals) {
		return "", Span{}
	}
	return m.judge(n, v)
}

// separator finds what stands behind a name, and where the value begins.
func (m *masker) separator(n *name) (sep, int) {
	s := m.s
	i := skipAny(s, n.end, "\\\"'`*])")
	n.quoted = i > n.end && strings.IndexByte("\"'`", s[i-1]) >= 0
	if i < len(s) && s[i] == '>' && n.start > m.done && s[n.start-1] == '<' {
		return markup, i + 1
	}
	at := m.blank(i)
	switch rest := s[at:]; {
	case rest == "":
		return none, 0
	case s[n.start] == '-' && at > i && !n.quoted:
		return flag, at
	case rest[0] == '=':
		return m.equalSign(i, at)
	case strings.HasPrefix(rest, ":="):
		return spaced, at + 2
	case rest[0] == ':':
		if strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, "://") {
			return none, 0
		}
		return m.typed(at + 1)
	case strings.HasPrefix(rest, "："):
		return zh, at + len("：")
	case strings.HasPrefix(rest, "＝"):
		return equals, at + len("＝")
	case rest[0] == '(' && at == i && n.set, rest[0] == ',' && n.quoted && n.caps:
		return call, at + 1
	}
	if to := m.chinese(at); to > 0 {
		return zh, to
	}
	switch english := s[n.start] < utf8.RuneSelf; {
	case !english && (alnum[s[at]] || quoteLen(s[at:]) > 0):
		return joined, at
	case english && (at > i || i > n.end):
		return m.english(n, i, at)
	}
	return none, 0
}

// equalSign tells what the equals sign at a place is, with a blank before it or
// not: = == === => =~ are all seen before literals.
func (m *masker) equalSign(i, at int) (sep, int) {
	to := skipAny(m.s, at, "=>~")
	if to-at > 3 {
		return none, 0
	}
	if at > i || to-at > 1 || m.blank(to) > to {
		return spaced, to
	}
	return equals, to
}

// typed looks behind a colon: in password: string = "x" a type follows.
func (m *masker) typed(i int) (sep, int) {
	at := m.blank(i)
	end := typeName.end(m.s, at)
	if eq := m.blank(end); end > at && eq < len(m.s) && eq > end && m.s[eq] == '=' {
		return m.equalSign(end, eq)
	}
	return colon, i
}

var typeName = chars("A-Za-z0-9_.[]|?*")

// english reads what stands between name and value in prose: password is, API
// key for the map is, password's, password "x"; and password string = in code.
func (m *masker) english(n *name, i, at int) (sep, int) {
	rest := m.s[at:min(len(m.s), at+64)]
	for _, mark := range []string{"->", "→", "|"} {
		if to := len(mark); strings.HasPrefix(rest, mark) {
			return says, at + to
		}
	}
	switch to := verbLen(rest); {
	case strings.HasPrefix(m.s[n.end:], "'s ") || strings.HasPrefix(m.s[n.end:], "’s "):
		return says, n.end + strings.IndexByte(m.s[n.end:], ' ')
	case at == i:
		return none, 0
	case to > 0:
		return says, at + to
	case !n.quoted && quoteLen(rest) > 0 && at == i+1:
		return spaced, at
	case hasWord(m.s[max(m.done, n.start-80):n.start], "login "):
		return says, at // as in .netrc
	}
	for _, word := range []string{"for ", "of ", "to ", "on "} {
		if hasAnchor(rest, word, false) {
			return forWhat(rest, at)
		}
	}
	end := typeName.end(rest, 0)
	if eq := m.blank(at + end); end > 0 && eq > at+end && eq < len(m.s) && m.s[eq] == '=' {
		return m.equalSign(at+end, eq)
	}
	return none, 0
}

// forWhat reads: for the staging wiki is.
func forWhat(rest string, at int) (sep, int) {
	for range 5 {
		end := phrase.end(rest, 0)
		switch {
		case end == 0 || end == len(rest):
			return none, 0
		case rest[end] == ':':
			return colon, at + end + 1
		case rest[end] != ' ':
			return none, 0
		}
		at, rest = at+end+1, rest[end+1:]
		if to := verbLen(rest); to > 0 {
			return says, at + to
		}
	}
	return none, 0
}

var phrase = chars("A-Za-z0-9_./'-")

// verbLen gives the length of "is " and its like at the beginning of s.
func verbLen(s string) int {
	for _, verb := range []string{"is now ", "is still ", "is: ", "is ", "was ", "becomes ", "will be "} {
		if hasAnchor(s, verb, false) {
			return len(verb)
		}
	}
	return 0
}

// chinese gives the end of 现在是, 已改为 and their like, 0 for none.
func (m *masker) chinese(i int) int {
	for range 4 {
		i = m.blank(i)
		for _, verb := range chineseVerbs {
			if strings.HasPrefix(m.s[i:], verb) {
				i = m.blank(i + len(verb))
				for _, c := range []string{":", "："} {
					i += len(m.s[i:]) - len(strings.TrimPrefix(m.s[i:], c))
				}
				return i
			}
		}
		before := i
		for _, adverb := range chineseAdverbs {
			if strings.HasPrefix(m.s[i:], adverb) {
				i += len(adverb)
				break
			}
		}
		if i == before {
			return 0
		}
	}
	return 0
}

var (
	chineseVerbs = []string{"就是", "是", "设置为", "設置為", "设定为", "設定為", "设为", "設為", "设成", "設成", "修改为", "修改為", "改为了", "改为", "改為", "改成了", "改成",
		"换成了", "换成", "換成", "更新为", "更新為", "重置为", "重置為", "变成", "变为", "等于", "为", "為"}
	chineseAdverbs = []string{"现在", "現在", "目前", "已经", "已經", "已", "被", "都", "也", "就", "仍然", "仍", "还", "還", "统一", "默认", "默認", "暂时", "初始", "应该", "分别"}
)

// blank skips blanks within a line, also wide ones.
func (m *masker) blank(i int) int {
	for i < len(m.s) {
		switch r, size := utf8.DecodeRuneInString(m.s[i:]); r {
		case ' ', '\t', '\u00a0', '\u3000':
			i += size
		default:
			return i
		}
	}
	return i
}

// awsKey knows the secret key of AWS, 40 characters near its name.
func (m *masker) awsKey(i int) (kind string, sp Span) {
	for end := min(len(m.s), i+64); i < end; i++ {
		if m.s[i] == '[' {
			break
		}
		run := awsChars.end(m.s, i)
		if run-i >= 20 {
			if body := m.s[i:run]; run-i == 40 && mixed(body) {
				return "aws secret key", Span{i, run}
			}
			break
		}
		i = run
	}
	return "", Span{}
}

var awsChars = chars("A-Za-z0-9/+")

// mixed reports whether s has a digit and letters of both cases.
func mixed(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.ToLower(s) != s && strings.ToUpper(s) != s
}
