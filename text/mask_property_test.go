package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// maskText mixes secrets, what stands around them, and what only begins like one.
func maskText() *rapid.Generator[string] {
	pieces := []string{
		"password", "Password", "PASSWORD", "pwd", "pass", "token", "secret", "SECRET_KEY", "api_key", "API key", "apiKey", "private key", "aws", "twilio", "login ",
		"密码", "口令", "密钥", "是", "为", "：", "，", "“", "”", "请记住", "=", " = ", ":", ": ", " is ", " for the ", "==", ":=", "(", ")", "[", "]", "{", "}", "<", ">", "</",
		`"`, `'`, "`", `\"`, `\n`, `\`, "\n", " ", "**", "--", "-", ".", ",", ";", "!", "&", "?", "@", "://", "https://", "user", "a", "Z", "9", "0x", "%3D", "$", "${", "...",
		"hunter2", "letmein", "correct horse battery staple", "required", "xxxxxxxx", rand16, rand36, rand40, hex32, hex40, caps16, "AKIA", "ghp_", "github_pat_", "sk-", "sk-proj-", "sk-ant-", "glpat-", "xoxb-",
		"SG.", "SK", "123456789", ":AA", "AIza", "eyJ", jwtHead, jwtBody, "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "MIIE" + rand40, "Bearer ", "Basic ", "Authorization", "YW5uYTpodW50ZXIyMw==",
		"curl -u ", "sig=", "?sig=", MarkOpen, MarkClose, "[secret: password]", "[secret: github token]", "\xff", "é", "\u3000", "hooks.slack.com/services/", "AGE-SECRET-KEY-1", "LS0tLS1CRUdJTi",
	}
	for _, f := range fakes {
		pieces = append(pieces, f.given)
	}
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 9).Draw(t, "any") == 0 {
			return rapid.String().Draw(t, "s")
		}
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 14).Draw(t, "pieces"), "")
	})
}

// checkMask holds what is promised of every text.
func checkMask(t interface{ Fatalf(string, ...any) }, s string) {
	masked, found := Mask(s)
	n := 0
	for kind, k := range found {
		n += k
		if k < 1 || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz ") != "" || len(kind) > longestKind {
			t.Fatalf("Mask(%q): %d of kind %q", s, k, kind)
		}
	}
	switch {
	case found == nil && masked != s:
		t.Fatalf("Mask(%q) = %q, and nothing found", s, masked)
	case found != nil && (n == 0 || masked == s):
		t.Fatalf("Mask(%q) = %q, found %v", s, masked, found)
	}
	if rest := unmasked(s, masked); rest != "" {
		t.Fatalf("Mask(%q) = %q: %q is not of the text", s, masked, rest)
	}
	if again, more := Mask(masked); again != masked || more != nil {
		t.Fatalf("Mask(%q) = %q, masked again %q, %v", s, masked, again, more)
	}
	if twice, _ := Mask(s); twice != masked {
		t.Fatalf("Mask(%q) = %q, then %q", s, masked, twice)
	}
}

// unmasked follows what was kept through the text; it gives the piece that is
// not found in its turn.
func unmasked(s, masked string) string {
	for len(masked) > 0 {
		piece := masked
		if i := strings.Index(masked, MarkOpen); i >= 0 {
			piece = masked[:i]
			masked = masked[i:]
			if n := markLen(masked); n > 0 {
				masked = masked[n:]
			} else {
				piece, masked = piece+masked[:len(MarkOpen)], masked[len(MarkOpen):]
			}
		} else {
			masked = ""
		}
		i := strings.Index(s, piece)
		if i < 0 {
			return piece
		}
		s = s[i+len(piece):]
	}
	return ""
}

func TestMaskKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkMask(t, maskText().Draw(t, "s")) })
}

// What was looked through for one name serves the next; it finds the same.
func TestClosingQuotesAreFoundInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		far := strings.Repeat("x", 1<<12-3)
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"“", "”", `"`, "'", `\`, `\"`, "\n", "a", "长", "\xe2\x80", far, far + "xx"}), 1, 30).Draw(t, "pieces"), "")
		m := masker{s: s}
		for _, at := range rapid.SliceOfN(rapid.IntRange(0, len(s)-1), 1, 20).Draw(t, "places") {
			open := quoteLen(s[at:])
			if open == 0 {
				continue
			}
			anew := masker{s: s}
			if got, want := m.closing(at, open), anew.closing(at, open); got != want || got > 0 && !closes(s, at, open, got) {
				t.Fatalf("%q at %d: closes at %d, looked at anew %d", s, at, got, want)
			}
		}
	})
}

// closes reports whether the quote that opens at a place closes at another.
func closes(s string, at, open, end int) bool {
	quote := s[at : at+open]
	if c := closingQuotes[quote]; c != "" {
		quote = c
	}
	between := s[at+open : end]
	return strings.HasPrefix(s[end:], quote) && end+len(quote) <= at+open+1<<12 && !strings.Contains(between, "\n")
}

func FuzzMask(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	for _, fake := range fakes {
		f.Add(fake.given)
	}
	for _, s := range lookAlikes {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkMask(t, s) })
}

// Nothing takes endlessly long: each row is half a megabyte of what could.
func TestMaskTakesNoEndlessTime(t *testing.T) {
	for _, s := range []string{
		"password=", "password is ", "password: \"", "token=“", "密码“", "password", "密码是", "key ", "api key ", "token for the ", "a.password ", "p-assword=(", "://", "a://b:", "https://a:b", "a://b:c/", "eyJ", "eyJ.", jwtHead + ".",
		"-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nMIIE", "-----BEGIN PRIVATE KEY-----\nA: b\n", "sk-", "ghp_", "github_pat_", "SG.", ":AA", "SK0", "twilio SK0", "Bearer ", "Basic ", "authorization:", "curl -u ", "curl -u a:", "aws ", "AWS",
		"[secret: ", "[secret: password]", "password=[", "\\", "\"", "'", "password=\\\"", "password=(", "password = a(", "xoxb-a", "hooks.slack.com/services/", "LS0tLS1CRUdJTi", "password&", "password=&a", "a_", "password=<", " ", "密", "pass-", "-pass", "--password ", "&#x3c;", "login password ",
	} {
		Mask(strings.Repeat(s, 1<<19/len(s)))
	}
}

func BenchmarkMask(b *testing.B) {
	found := 0
	eachInput(b, func(s string) {
		_, kinds := Mask(s)
		found += len(kinds)
	})
	if found > 0 {
		b.Fatal("ordinary text was masked")
	}
}
