package text

import (
	"strings"
)

// Tokens say what they are by their prefix, which their makers chose so that
// they can be found.

// charset is a set of ASCII characters.
type charset [256]bool

// chars makes a set of characters and ranges: "A-Za-z_". A hyphen stands last.
func chars(list string) *charset {
	var set charset
	for i := 0; i < len(list); i++ {
		if i+2 < len(list) && list[i+1] == '-' {
			for c := list[i]; c <= list[i+2]; c++ {
				set[c] = true
			}
			i += 2
			continue
		}
		set[list[i]] = true
	}
	return &set
}

// end gives the end of the run of such characters that begins at i.
func (c *charset) end(s string, i int) int {
	for i < len(s) && c[s[i]] {
		i++
	}
	return i
}

// some gives the end of the run, or of its first bytes, by which it is judged: of
// a text made of nothing but beginnings each would else be followed to the end.
func (c *charset) some(s string, i int) int {
	return c.end(s[:min(len(s), i+maxLook)], i)
}

// maxLook is how many bytes are looked at before a secret is told. What is one
// is followed to its end.
const maxLook = 256

var (
	alnum     = chars("A-Za-z0-9")
	words     = chars("A-Za-z0-9_")
	urlSafe   = chars("A-Za-z0-9_-") // base64 of URLs
	base64Std = chars("A-Za-z0-9+/=")
	capitals  = chars("A-Z0-9")
	hexDigits = chars("0-9A-Fa-f")
	digits    = chars("0-9")
)

// token is a prefix and what must follow.
type token struct {
	kind, prefix string
	body         *charset
	min          int  // characters after the prefix, fewer than real ones have
	amid         bool // also amid a word: nothing else looks like it
	keep         bool // the prefix is no part of the secret
}

// The lengths are those that were seen, less some: makers lengthen their tokens
// but hardly shorten them.
var tokens = []token{
	{kind: "github token", prefix: "ghp_", body: alnum, min: 30, amid: true},
	{kind: "github token", prefix: "gho_", body: alnum, min: 30, amid: true},
	{kind: "github token", prefix: "ghu_", body: alnum, min: 30, amid: true},
	{kind: "github token", prefix: "ghs_", body: alnum, min: 30, amid: true},
	{kind: "github token", prefix: "ghr_", body: alnum, min: 30, amid: true},
	{kind: "github token", prefix: "github_pat_", body: words, min: 20, amid: true},
	{kind: "gitlab token", prefix: "glpat-", body: chars("A-Za-z0-9_.-"), min: 20},
	{kind: "gitlab token", prefix: "gldt-", body: urlSafe, min: 20},
	{kind: "gitlab token", prefix: "glrt-", body: urlSafe, min: 20},
	{kind: "gitlab token", prefix: "glptt-", body: urlSafe, min: 20},
	{kind: "gitlab token", prefix: "glcbt-", body: urlSafe, min: 20},
	{kind: "gitlab token", prefix: "gloas-", body: urlSafe, min: 20},

	{kind: "slack token", prefix: "xoxb-", body: urlSafe, min: 10},
	{kind: "slack token", prefix: "xoxp-", body: urlSafe, min: 10},
	{kind: "slack token", prefix: "xoxa-", body: urlSafe, min: 10},
	{kind: "slack token", prefix: "xoxs-", body: urlSafe, min: 10},
	{kind: "slack token", prefix: "xoxr-", body: urlSafe, min: 10},
	{kind: "slack token", prefix: "xoxo-", body: urlSafe, min: 10},
	{kind: "slack token", prefix: "xoxd-", body: chars("A-Za-z0-9_%+/-"), min: 10},
	{kind: "slack token", prefix: "xoxe-", body: urlSafe, min: 10},
	{kind: "slack token", prefix: "xoxe.xox", body: chars("A-Za-z0-9_.-"), min: 10},
	{kind: "slack token", prefix: "xapp-", body: urlSafe, min: 10},
	{kind: "slack webhook", prefix: "hooks.slack.com/services/", body: chars("A-Za-z0-9_/-"), min: 20, amid: true, keep: true},
	{kind: "slack webhook", prefix: "hooks.slack.com/workflows/", body: chars("A-Za-z0-9_/-"), min: 20, amid: true, keep: true},
	{kind: "slack webhook", prefix: "hooks.slack.com/triggers/", body: chars("A-Za-z0-9_/-"), min: 20, amid: true, keep: true},
	{kind: "webhook", prefix: "discord.com/api/webhooks/", body: chars("A-Za-z0-9_/-"), min: 30, amid: true, keep: true},
	{kind: "webhook", prefix: "discordapp.com/api/webhooks/", body: chars("A-Za-z0-9_/-"), min: 30, amid: true, keep: true},
	{kind: "webhook", prefix: "open.feishu.cn/open-apis/bot/v2/hook/", body: urlSafe, min: 20, amid: true, keep: true},
	{kind: "webhook", prefix: "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", body: urlSafe, min: 20, amid: true, keep: true},

	{kind: "stripe key", prefix: "sk_live_", body: alnum, min: 10},
	{kind: "stripe key", prefix: "sk_test_", body: alnum, min: 10},
	{kind: "stripe key", prefix: "rk_live_", body: alnum, min: 10},
	{kind: "stripe key", prefix: "rk_test_", body: alnum, min: 10},
	{kind: "stripe key", prefix: "whsec_", body: base64Std, min: 20},

	{kind: "anthropic key", prefix: "sk-ant-", body: urlSafe, min: 16},
	{kind: "openrouter key", prefix: "sk-or-v1-", body: urlSafe, min: 16},
	{kind: "groq key", prefix: "gsk_", body: alnum, min: 30},
	{kind: "xai key", prefix: "xai-", body: alnum, min: 30},
	{kind: "perplexity key", prefix: "pplx-", body: alnum, min: 30},
	{kind: "replicate token", prefix: "r8_", body: alnum, min: 30},
	{kind: "nvidia key", prefix: "nvapi-", body: urlSafe, min: 40},
	{kind: "hugging face token", prefix: "hf_", body: alnum, min: 30},

	{kind: "aws access key", prefix: "AKIA", body: capitals, min: 16},
	{kind: "aws access key", prefix: "ASIA", body: capitals, min: 16},
	{kind: "google key", prefix: "AIza", body: urlSafe, min: 35},
	{kind: "google token", prefix: "ya29.", body: chars("A-Za-z0-9_.-"), min: 20},
	{kind: "google token", prefix: "GOCSPX-", body: urlSafe, min: 20},
	{kind: "alibaba key", prefix: "LTAI", body: alnum, min: 16},
	{kind: "tencent key", prefix: "AKID", body: alnum, min: 32},
	{kind: "digitalocean token", prefix: "dop_v1_", body: alnum, min: 40},
	{kind: "digitalocean token", prefix: "doo_v1_", body: alnum, min: 40},
	{kind: "digitalocean token", prefix: "dor_v1_", body: alnum, min: 40},
	{kind: "databricks token", prefix: "dapi", body: hexDigits, min: 32},
	{kind: "supabase token", prefix: "sbp_", body: hexDigits, min: 32},

	{kind: "npm token", prefix: "npm_", body: alnum, min: 30, amid: true},
	{kind: "pypi token", prefix: "pypi-AgE", body: urlSafe, min: 16},
	{kind: "docker token", prefix: "dckr_pat_", body: urlSafe, min: 20, amid: true},
	{kind: "vault token", prefix: "hvs.", body: urlSafe, min: 24},
	{kind: "shopify token", prefix: "shpat_", body: hexDigits, min: 30},
	{kind: "shopify token", prefix: "shpss_", body: hexDigits, min: 30},
	{kind: "shopify token", prefix: "shpca_", body: hexDigits, min: 30},
	{kind: "linear key", prefix: "lin_api_", body: alnum, min: 30, amid: true},
	{kind: "notion token", prefix: "ntn_", body: alnum, min: 40},
	{kind: "grafana token", prefix: "glsa_", body: words, min: 32},
	{kind: "atlassian token", prefix: "ATATT3", body: chars("A-Za-z0-9_=-"), min: 40},
	{kind: "figma token", prefix: "figd_", body: urlSafe, min: 30},
	{kind: "tailscale key", prefix: "tskey-", body: urlSafe, min: 20},
	{kind: "new relic key", prefix: "NRAK-", body: capitals, min: 24},
	{kind: "postman key", prefix: "PMAK-", body: urlSafe, min: 40},
	{kind: "age key", prefix: "AGE-SECRET-KEY-", body: chars("A-Z0-9-"), min: 40, amid: true},
}

// at judges the token whose prefix begins at a place.
func (tk *token) at(m *masker, at int) (kind string, sp Span) {
	if !tk.amid && !m.begins(at) {
		return "", Span{}
	}
	from := at + len(tk.prefix)
	if body := m.s[from:tk.body.some(m.s, from)]; len(body) < tk.min || !opaque(body) || uniform(body) {
		return "", Span{}
	}
	if tk.keep {
		at = from
	}
	end := tk.body.end(m.s, from)
	return tk.kind, Span{at, from + len(strings.TrimRight(m.s[from:end], "."))}
}

func tokenShapes() (out []shape) {
	for i := range tokens {
		out = append(out, shape{anchor: tokens[i].prefix, exact: true, find: tokens[i].at})
	}
	out = append(out,
		shape{anchor: "sk-", exact: true, find: openAI},
		shape{anchor: "SG.", exact: true, find: sendGrid},
		shape{anchor: ":AA", exact: true, find: telegram},
		shape{anchor: "sig=", exact: true, find: azureSignature},
	)
	for c := range hexDigits {
		if hexDigits[c] && (c < 'A' || c > 'F') {
			out = append(out, shape{anchor: "SK" + string(rune(c)), exact: true, find: twilio})
		}
	}
	return out
}

// tokenAt gives the token that begins at a place, whatever stands around it.
func (m *masker) tokenAt(at int) (kind string, sp Span) {
	for i := range tokens {
		if tk := &tokens[i]; !tk.keep && strings.HasPrefix(m.s[at:], tk.prefix) {
			if kind, sp = tk.at(m, at); sp.End > 0 {
				return kind, sp
			}
		}
	}
	switch {
	case strings.HasPrefix(m.s[at:], "sk-"):
		return openAI(m, at)
	case strings.HasPrefix(m.s[at:], "SG."):
		return sendGrid(m, at)
	case strings.HasPrefix(m.s[at:], "eyJ"):
		return jwt(m, at)
	}
	return "", Span{}
}

// openAI knows sk-…, sk-proj-… and the many who took the form over. Hyphens may
// be in it, so one part must be random, or all of it long: sk-cube-grid2 is a
// class of CSS.
func openAI(m *masker, at int) (kind string, sp Span) {
	body := m.s[at+len("sk-") : urlSafe.some(m.s, at)]
	if len(body) < 20 || !m.beginsRun(at) || uniform(body) || !opaque(body) {
		return "", Span{}
	}
	known := strings.HasPrefix(body, "proj-") || strings.HasPrefix(body, "svcacct-") || strings.HasPrefix(body, "admin-")
	for part := range strings.FieldsFuncSeq(body, func(r rune) bool { return r == '-' || r == '_' }) {
		if known || len(part) >= 16 && opaque(part) {
			return "openai key", Span{at, urlSafe.end(m.s, at)}
		}
	}
	return "", Span{}
}

// sendGrid knows SG.x.y.
func sendGrid(m *masker, at int) (kind string, sp Span) {
	from := at + len("SG.")
	dot := urlSafe.some(m.s, from)
	if !m.begins(at) || dot-from < 16 || dot == len(m.s) || m.s[dot] != '.' {
		return "", Span{}
	}
	end := urlSafe.end(m.s, dot+1)
	if end-dot-1 < 32 || !opaque(m.s[at:end]) || uniform(m.s[dot+1:end]) {
		return "", Span{}
	}
	return "sendgrid key", Span{at, end}
}

// beginsRun reports whether no word, not even one joined by hyphens, stands
// before a place.
func (m *masker) beginsRun(i int) bool {
	return m.begins(i) && (i == m.done || m.s[i-1] != '-' && m.s[i-1] != '_')
}

// telegram knows the token of a bot: its number, and 35 characters that begin
// with AA.
func telegram(m *masker, at int) (kind string, sp Span) {
	start := at
	for start > m.done && at-start < 11 && digits[m.s[start-1]] {
		start--
	}
	n := at - start
	if n < 8 || n > 10 {
		return "", Span{}
	}
	end := urlSafe.end(m.s, at+1)
	if end-at-1 < 32 || uniform(m.s[at+1:end]) {
		return "", Span{}
	}
	return "telegram token", Span{start, end}
}

// twilio knows SK and 32 hexadecimal digits, which could be much else, behind
// the word.
func twilio(m *masker, at int) (kind string, sp Span) {
	end := hexDigits.some(m.s, at+len("SK"))
	if end-at != len("SK")+32 || !m.begins(at) || uniform(m.s[at+2:end]) || !hasWord(m.s[max(m.done, at-120):at], "twilio") {
		return "", Span{}
	}
	return "twilio key", Span{at, end}
}

// azureSignature knows what makes a URL of Azure's storage worth stealing.
func azureSignature(m *masker, at int) (kind string, sp Span) {
	from := at + len("sig=")
	end := from
	for end < len(m.s) && (base64Std[m.s[end]] || m.s[end] == '%') {
		end++
	}
	if at == m.done || strings.IndexByte("?&;", m.s[at-1]) < 0 || end-from < 40 || uniform(m.s[from:end]) {
		return "", Span{}
	}
	return "azure key", Span{from, end}
}

// opaque reports whether no words are seen in s: it has a digit, or letters of
// both cases.
func opaque(s string) bool {
	var digit, upper, lower bool
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digit = true
		case c >= 'A' && c <= 'Z':
			upper = true
		case c >= 'a' && c <= 'z':
			lower = true
		}
	}
	return digit || upper && lower
}

// uniform reports whether s is made of very few characters, or mostly of one, as
// what stands in for a secret is, xxxxxxxx, XXXX-XXXX, 0000, and the base64 of an
// empty place.
func uniform(s string) bool {
	var count [256]int
	n, most := 0, 0
	for i := range len(s) {
		if count[s[i]]++; count[s[i]] == 1 {
			n++
		}
		most = max(most, count[s[i]])
	}
	return n <= 2 || len(s) >= 12 && (n <= 4 || most*2 >= len(s))
}
