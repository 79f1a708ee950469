package text

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Frames are what surrounds a secret that could look like anything: the lines of
// PEM, the three parts of a JWT, the place of a password in a URL, a header.

func frameShapes() []shape {
	return []shape{
		{anchor: "-----BEGIN ", exact: true, find: privateKey},
		{anchor: "LS0tLS1CRUdJTi", exact: true, find: encodedKey},
		{anchor: "eyJ", exact: true, find: jwt},
		{anchor: "://", exact: true, find: urlPassword},
		{anchor: "authorization", find: authorization},
		{anchor: "bearer ", find: bearer},
		{anchor: "basic ", find: basic},
		{anchor: "-u ", exact: true, find: curlUser},
		{anchor: "--user ", exact: true, find: curlUser},
	}
}

const maxKey = 1 << 14 // bytes of a private key, its end looked for

// privateKey knows a private key in PEM, with its lines as they are, quoted, or
// escaped in JSON. Without an end it lasts as long as its lines do.
func privateKey(m *masker, at int) (kind string, sp Span) {
	head := m.s[at:min(len(m.s), at+80)]
	label, _, ok := strings.Cut(head[len("-----BEGIN "):], "-----")
	if !ok || !strings.Contains(label, "PRIVATE KEY") {
		return "", Span{}
	}
	from := at + len("-----BEGIN "+label+"-----")
	body := m.s[from:min(len(m.s), from+maxKey)]
	if next := strings.Index(body, "-----BEGIN "); next >= 0 {
		body = body[:next]
	}
	closing := "-----END " + label + "-----"
	if end := strings.Index(body, closing); end >= 0 {
		if !hasRun(body[:end], base64Std, 16) {
			return "", Span{} // talk about the lines
		}
		return "private key", Span{at, from + end + len(closing)}
	}
	if end := keyLines(m.s, from); end > from {
		return "private key", Span{at, end}
	}
	return "", Span{}
}

// encodedKey knows a private key in PEM in base64, as Kubernetes keeps it.
func encodedKey(m *masker, at int) (kind string, sp Span) {
	if !m.begins(at) || base64Std.some(m.s, at)-at < 64 {
		return "", Span{}
	}
	head, err := base64.StdEncoding.DecodeString(m.s[at : at+64])
	if err != nil || !strings.Contains(string(head), "PRIVATE KEY") {
		return "", Span{}
	}
	return "private key", Span{at, base64Std.end(m.s, at)}
}

// keyLines gives the end of a key's lines: headers, full lines, one that is
// shorter.
func keyLines(s string, from int) (end int) {
	i := from
	for range 5 {
		next := headerLine(s, lineStart(s, i))
		if next < 0 {
			break
		}
		i = next
	}
	for end = from; ; {
		start := lineStart(s, i)
		next := base64Std.end(s, start)
		switch {
		case start == i && end > from:
			return end
		case next-start >= 16:
			end, i = next, next
		case end > from && next > start && (next == len(s) || strings.IndexByte("\r\n\\\"'", s[next]) >= 0):
			return next
		default:
			return end
		}
	}
}

// headerLine gives the end of a line like "Proc-Type: 4,ENCRYPTED", -1 for none.
func headerLine(s string, i int) (end int) {
	colon := urlSafe.end(s, i)
	if colon == i || !strings.HasPrefix(s[colon:], ": ") {
		return -1
	}
	line := s[colon:min(len(s), colon+100)]
	if n := strings.IndexAny(line, "\n\\"); n >= 0 {
		return colon + n
	}
	return -1
}

// lineStart skips what parts two lines: breaks, also escaped, and what a quote
// or a program puts around a line.
func lineStart(s string, i int) int {
	for i < len(s) {
		switch c := s[i]; {
		case strings.IndexByte(" \t\r\n\"'+>|*#", c) >= 0:
			i++
		case c == '\\' && i+1 < len(s) && strings.IndexByte("nrt\\\n", s[i+1]) >= 0:
			i += 2
		default:
			return i
		}
	}
	return i
}

func hasRun(s string, set *charset, n int) bool {
	for i := 0; i < len(s); i++ {
		end := set.end(s, i)
		if end-i >= n {
			return true
		}
		i = end
	}
	return false
}

const maxHeader = 1 << 11 // bytes of the header of a JWT

// jwt knows three parts of which the first is the header of a JWT.
func jwt(m *masker, at int) (kind string, sp Span) {
	if !m.beginsRun(at) {
		return "", Span{}
	}
	dot := urlSafe.end(m.s[:min(len(m.s), at+maxHeader)], at)
	if dot == len(m.s) || m.s[dot] != '.' || dot-at < 12 {
		return "", Span{}
	}
	end := urlSafe.end(m.s, dot+1)
	if end-dot < 3 || end == len(m.s) || m.s[end] != '.' {
		return "", Span{}
	}
	raw, err := base64.RawURLEncoding.DecodeString(m.s[at:dot])
	var header map[string]any
	if err != nil || json.Unmarshal(raw, &header) != nil || header["alg"] == nil && header["typ"] == nil {
		return "", Span{}
	}
	for end < len(m.s) && m.s[end] == '.' {
		next := urlSafe.end(m.s, end+1)
		if next == end+1 {
			break
		}
		end = next
	}
	return "jwt", Span{at, end}
}

// urlPassword knows user:password@ in a URL. An @ in the path is none, but what
// follows the user and is no port is a password with a slash in it.
func urlPassword(m *masker, at int) (kind string, sp Span) {
	if at == m.done || !alnum[m.s[at-1]] {
		return "", Span{}
	}
	from := at + len("://")
	end := from
	for end < len(m.s) && end-from < maxLook && !endsURL(m.s[end:]) {
		end++
	}
	colon, path := strings.IndexByte(m.s[from:end], ':'), strings.IndexAny(m.s[from:end], "/?#@")
	if colon < 0 || path >= 0 && path < colon {
		return "", Span{}
	}
	from += colon + 1
	host := strings.IndexAny(m.s[from:end], "/?#")
	if host < 0 {
		host = end - from
	}
	pass := strings.LastIndexByte(m.s[from:from+host], '@')
	if pass < 0 && digits.end(m.s, from) != from+host {
		pass = strings.IndexByte(m.s[from:end], '@')
	}
	if pass <= 0 || isReference(m.s[from:from+pass], equals, false) || strings.Trim(m.s[from:from+pass], "*.xX") == "" {
		return "", Span{}
	}
	switch strings.ToLower(m.s[from : from+pass]) {
	case "password", "passwd", "passwort", "your-password", "your_password", "yourpassword", "mypassword", "my-password":
		return "", Span{} // it stands for one
	}
	return "password", Span{from, from + pass}
}

// endsURL reports whether a URL ends before s.
func endsURL(s string) bool {
	if s[0] < utf8.RuneSelf {
		return s[0] <= ' ' || s[0] == 0x7f || strings.IndexByte("\"'`<>\\", s[0]) >= 0 || strings.HasPrefix(s, "://") || strings.HasPrefix(s, MarkOpen)
	}
	return endsWord(s)
}

// authorization knows the header, in HTTP, JSON and code.
func authorization(m *masker, at int) (kind string, sp Span) {
	i := skipAny(m.s, at+len("authorization"), "\\\"'`]*")
	quoted := strings.ContainsAny(m.s[at:i], "\"'")
	i = skipAny(m.s, i, " ")
	if i == len(m.s) || m.s[i] != ':' && m.s[i] != '=' && !(m.s[i] == ',' && quoted) {
		return "", Span{}
	}
	i = skipAny(m.s, i+1, "\\\"'`*= ")
	word := alnum.end(m.s, i)
	if word < len(m.s) && m.s[word] == ' ' && word-i <= 10 {
		i = skipAny(m.s, word, " ")
	}
	return m.credential(i, 8)
}

// bearer knows a token behind the word, wherever it stands.
func bearer(m *masker, at int) (kind string, sp Span) {
	if !m.begins(at) {
		return "", Span{}
	}
	return m.credential(skipAny(m.s, at+len("bearer "), " "), 16)
}

func (m *masker) credential(i, least int) (kind string, sp Span) {
	end := credentials.some(m.s, i)
	for end > i && strings.IndexByte(".:", m.s[end-1]) >= 0 {
		end--
	}
	v := m.s[i:end]
	if len(v) < least || !opaque(v) || uniform(v) || isWordy(v, 4) || isReference(v, equals, m.closes(end)) || strings.Contains(v, "://") || strings.Contains(strings.TrimRight(v, "="), "=") {
		return "", Span{}
	}
	if kind, sp := m.tokenAt(i); sp.End >= end {
		return kind, sp
	}
	if end-i > maxLook/2 {
		end = credentials.end(m.s, i)
	}
	return "authorization", Span{i, end}
}

var credentials = chars("A-Za-z0-9._~+/=:-")

// basic knows a user and a password in base64.
func basic(m *masker, at int) (kind string, sp Span) {
	i := at + len("basic ")
	end := base64Std.some(m.s, i)
	if end-i < 6 || !m.begins(at) {
		return "", Span{}
	}
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(m.s[i:end], "="))
	if err != nil || strings.IndexByte(string(raw), ':') < 0 || !utf8.Valid(raw) || strings.ContainsFunc(string(raw), isControl) {
		return "", Span{}
	}
	return "authorization", Span{i, end}
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// curlUser knows curl -u user:password.
func curlUser(m *masker, at int) (kind string, sp Span) {
	line := m.s[max(m.done, at-200):at]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if !hasWord(line, "curl") && !hasWord(line, "wget") && !hasWord(line, "http") {
		return "", Span{}
	}
	i := skipAny(m.s, at+strings.IndexByte(m.s[at:], ' '), " \\\"'")
	user := i
	for user < len(m.s) && user-i < 64 && m.s[user] != ':' && m.s[user] > ' ' {
		user++
	}
	if user == len(m.s) || m.s[user] != ':' || user == i {
		return "", Span{}
	}
	v := value{start: user + 1, sep: equals}
	v.end = m.wordEnd(v.start)
	v.text = m.s[v.start:v.end]
	return m.judge(name{kind: "password"}, v)
}

// skipAny skips, at most a few, characters of a set.
func skipAny(s string, i int, set string) int {
	for n := 0; i < len(s) && n < 8 && strings.IndexByte(set, s[i]) >= 0; n++ {
		i++
	}
	return i
}
