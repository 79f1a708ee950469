package text

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
)

// Fake secrets are put together here from parts, so that no file holds one whole:
// hosting services look for them.
const (
	rand16 = "Q7xT2mVb" + "9Kd4LpZw"
	rand20 = rand16 + "h3Rf"
	rand36 = rand20 + "8sJn5Gy6" + "Yc1WqEa0"
	rand40 = rand36 + "tUiO"
	hex16  = "9f86d081" + "884c7d65"
	hex32  = hex16 + "9a2feaa0" + "c55ad015"
	hex40  = hex32 + "a3bf4f1b"
	hex64  = hex32 + "a3bf4f1b" + "2b0b822c" + "d15d6c15" + "b0f00a08"
	caps16 = "J7QX2MVB" + "9KD4LPZW"
)

var (
	jwtHead = "eyJhbGciOiJI" + "UzI1NiIsInR5cCI6IkpXVCJ9"
	jwtBody = "eyJzdWIiOiIx" + "MjM0NTY3ODkwIn0"
	pemBody = strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"+rand16+rand16+"\n", 3) + "k9Qz==\n"
)

func pem(label, body string) string {
	return "-----BEGIN " + label + "-----\n" + body + "-----END " + label + "-----"
}

// fakes are secrets by shape: what is given, what of it must not be left, and of
// which kind it is.
var fakes = []struct{ kind, given, secret string }{
	{"aws access key", "AKIA" + caps16, ""},
	{"aws access key", "ASIA" + caps16, ""},
	{"aws secret key", "aws_secret_access_key = " + "wJalrXUtn/FEMI7K" + "MDENG+bPxRfiCYzEk2" + "LmQ9xZ", "wJalrXUtn"},
	{"aws secret key", "AWS secret key " + "wJalrXUtn/FEMI7K" + "MDENG+bPxRfiCYzEk2" + "LmQ9xZ", "wJalrXUtn"},
	{"github token", "ghp_" + rand36, ""},
	{"github token", "gho_" + rand36, ""},
	{"github token", "ghu_" + rand36, ""},
	{"github token", "ghs_" + rand36, ""},
	{"github token", "ghr_" + rand36, ""},
	{"github token", "github_pat_" + "11ABCDEFG0" + rand20 + "_" + rand36, ""},
	{"gitlab token", "glpat-" + rand20, ""},
	{"gitlab token", "glpat-" + rand16 + "-_" + rand20 + ".01." + "0w1abcdef", ""},
	{"slack token", "xoxb-" + "123456789012-1234567890123-" + rand20, ""},
	{"slack token", "xoxp-" + "123456789012-" + rand20, ""},
	{"slack token", "xoxa-2-" + rand20, ""},
	{"slack token", "xoxs-" + "123456789012-" + rand20, ""},
	{"slack token", "xapp-1-" + "A0123456789-" + rand20, ""},
	{"slack webhook", "https://hooks.slack.com/services/" + "T0123ABCD/B0123ABCD/" + rand20, rand20},
	{"webhook", "https://discord.com/api/webhooks/" + "123456789012345678/" + rand40, rand40},
	{"stripe key", "sk_live_" + rand20, ""},
	{"stripe key", "rk_live_" + rand20, ""},
	{"stripe key", "sk_test_" + rand20, ""},
	{"stripe key", "whsec_" + rand36, ""},
	{"openai key", "sk-" + rand40, ""},
	{"openai key", "sk-proj-" + rand16 + "-_" + rand36, ""},
	{"openai key", "sk-" + hex32, ""},
	{"openrouter key", "sk-or-v1-" + hex64, ""},
	{"anthropic key", "sk-ant-api03-" + rand36 + "-" + rand36 + "AA", ""},
	{"google key", "AIza" + "Sy" + rand36[:33], ""},
	{"google token", "ya29." + "a0Af" + rand36 + "-_x", ""},
	{"google token", "GOCSPX-" + rand20 + "_-x", ""},
	{"npm token", "npm_" + rand36, ""},
	{"pypi token", "pypi-AgE" + "IcHlwaS5vcmc" + rand40, ""},
	{"hugging face token", "hf_" + "QxTmVbKdLpZwhRfsJ" + "nGyYcWqEatUiOzXcV", ""},
	{"sendgrid key", "SG." + rand20 + "_a." + rand40 + "-_x", ""},
	{"twilio key", "Twilio key SK" + hex32, hex32},
	{"telegram token", "123456789" + ":AAF" + rand36[:32], ""},
	{"digitalocean token", "dop_v1_" + hex64, ""},
	{"azure key", "AccountName=shop;AccountKey=" + rand40 + rand40 + "ab12+/==" + ";EndpointSuffix=core.windows.net", rand40},
	{"azure key", "https://shop.blob.core.windows.net/c?sv=2024-01-01&sig=" + rand40 + "%3D&se=2030", rand40},
	{"age key", "AGE-SECRET-KEY-1" + caps16 + caps16 + caps16 + "QQQQQQQQQQ", ""},
	{"jwt", jwtHead + "." + jwtBody + "." + rand40, ""},
	{"private key", pem("RSA PRIVATE KEY", pemBody), pemBody},
	{"private key", pem("OPENSSH PRIVATE KEY", pemBody), pemBody},
	{"private key", pem("PGP PRIVATE KEY BLOCK", "Version: 1\n\n"+pemBody), pemBody},
	{"private key", strings.ReplaceAll(pem("PRIVATE KEY", pemBody), "\n", `\n`), rand16},
	{"private key", "-----BEGIN EC PRIVATE KEY-----\n" + pemBody, rand16},
	{"private key", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\n" + pemBody, rand16},
	{"password", "postgres://app:" + "pw9x-Zq@db.internal:5432/main", "pw9x-Zq"},
	{"password", "https://anna:" + "hunter2@example.org/x", "hunter2"},
	{"password", "redis://:" + "s3cr3t!!@cache:6379", "s3cr3t!!"},
	{"password", "amqp://u:" + "a/b#c@mq:5672", "a/b#c"},
	{"authorization", "Authorization: Bearer " + rand36, rand36},
	{"authorization", "Authorization: Basic " + "YW5uYTpodW50" + "ZXIyMw==", "YW5uYTpodW50"},
	{"authorization", `{"Authorization": "Bearer ` + rand36 + `"}`, rand36},
	{"password", "curl -u anna:" + "hunter2 https://example.org", "hunter2"},

	// By the name beside them.
	{"password", "password=" + "hunter2", "hunter2"},
	{"password", "PASSWORD: " + "hunter2", "hunter2"},
	{"password", `"password": "` + `correct horse battery staple"`, "horse"},
	{"password", "DB_PASSWORD='" + "let me#in9'", "in9"},
	{"password", "my password is " + "hunter2!", "hunter2"},
	{"password", "The password for the staging wiki is " + "Tr0ub4dor&3.", "Tr0ub4dor"},
	{"password", "Our password is `" + "swordfish`", "swordfish"},
	{"password", "MYSQL_PWD=" + "letmein", "letmein"},
	{"password", "mysql --password " + "hunter2 -h db", "hunter2"},
	{"password", "mysql --password=" + "hunter2 -h db", "hunter2"},
	{"password", "<password>" + "hunter2</password>", "hunter2"},
	{"password", `const dbPassword string = "` + `hunter2"`, "hunter2"},
	{"password", "Server=db;User Id=sa;Password=" + "Zq9!x;Encrypt=yes", "Zq9!x"},
	{"password", "https://example.org/login?user=anna&password=" + "hunter2&x=1", "hunter2"},
	{"password", "密码是 " + "hunter2", "hunter2"},
	{"password", "口令：" + "hunter2", "hunter2"},
	{"password", "数据库的密码已经改为" + "Abc12345，别忘了", "Abc12345"},
	{"password", "密码是“" + "swordfish”", "swordfish"},
	{"password", "密码：" + "123456", "123456"},
	{"password", "账号anna 密码" + "Abc12345", "Abc12345"},
	{"password", "WiFi密码（" + "hunter2）", "hunter2"},
	{"password", "token和密码分别是" + "hunter2", "hunter2"},
	{"password", "| password | " + "hunter2 |", "hunter2"},
	{"password", "the password's " + "hunter2", "hunter2"},
	{"password", "password -> " + "hunter2", "hunter2"},
	{"password", "CREATE ROLE a PASSWORD '" + "hunter2'", "hunter2"},
	{"password", "CREATE USER a IDENTIFIED BY '" + "hunter2'", "hunter2"},
	{"password", "machine x login anna password " + "hunter2", "hunter2"},
	{"password", "DB_PASS=" + "letmein", "letmein"},
	{"password", `auth: { user: "x", pass: "` + `Abc12345!" }`, "Abc12345"},
	{"password", "postgres://user:" + "pw@host", ":pw@"},
	{"aws secret key", "Secret access key: " + "wJalrXUtn/FEMI7K" + "MDENG+bPxRfiCYzEk2" + "LmQ9xZ", "wJalrXUtn"},
	{"private key", "client-key-data: LS0tLS1CRUdJTi" + "BSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVBNXg5" + rand36, rand36},
	{"token", "令牌是" + rand20, rand20},
	{"key", "密钥为" + rand20, rand20},
	{"key", `"api_key": "` + rand20 + `"`, rand20},
	{"key", "apiKey: '" + hex32 + "'", hex32},
	{"key", "X-Api-Key: " + rand20, rand20},
	{"key", "The API key for the map is " + rand20, rand20},
	{"token", "export TOKEN=" + rand20, rand20},
	{"token", "//registry.npmjs.org/:_authToken=" + "d1e2f3a4-0000-4b5c-9d8e-112233445566", "d1e2f3a4"},
	{"token", "https://example.org/?token=" + rand20 + "&page=2", rand20},
	{"secret", "JWT_SECRET=" + "supersecretvalue", "supersecret"},
	{"secret", "client_secret: " + rand20, rand20},
	{"secret", `os.environ["APP_SECRET"] = "` + rand20 + `"`, rand20},
	{"key", `t.Setenv("API_KEY", "` + rand20 + `")`, rand20},
}

func TestSecretsAreMasked(t *testing.T) {
	kinds := map[string]bool{}
	for _, f := range fakes {
		kinds[f.kind] = true
		secret := f.secret
		if secret == "" {
			secret = f.given
		}
		got, found := Mask(f.given)
		if strings.Contains(got, secret) || found[f.kind] != 1 || len(found) != 1 || !strings.Contains(got, MarkOpen+f.kind+MarkClose) {
			t.Errorf("%s: %q becomes %q, %v", f.kind, f.given, got, found)
		}
	}
	if len(fakes) < 40 || len(kinds) < 18 {
		t.Errorf("%d secrets of %d kinds", len(fakes), len(kinds))
	}
}

// places are where people and programs put a secret.
var places = []struct{ name, format string }{
	{"a sentence", "Please remember that %s is what you need."},
	{"the end of a line", "see\n%s\nnext"},
	{"after a colon", "here: %s, and so on"},
	{"JSON", `{"role":"user","text":"use %s","n":1}`},
	{"escaped JSON", `{"text":"line\n%s\nline\t\"x\""}`},
	{"Chinese without spaces", "请看这里的%s请记住"},
	{"full-width punctuation", "请用（%s）。"},
	{"Chinese quotes", "用“%s”登录"},
	{"a block of code", "```sh\n$ run %s\n```"},
	{"a code span", "Use `%s` there."},
	{"bold", "Use **%s** there."},
	{"HTML", "<td>%s</td>"},
	{"a table", "| x | %s |"},
	{"a list", "- %s\n- b"},
	{"kana", "これは%sです"},
	{"a wide space", "用\u3000%s\u3000吧"},
	{"accents", "clé %s é"},
	{"invalid bytes", "\xff%s\xfe"},
}

func TestSecretsAreMaskedWhereverTheyStand(t *testing.T) {
	for _, p := range places {
		for _, f := range fakes {
			secret := f.secret
			if secret == "" {
				secret = f.given
			}
			given := f.given
			if strings.Contains(p.format, `{"`) {
				given = strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(given)
				secret = strings.ReplaceAll(secret, "\n", `\n`)
			}
			if got, found := Mask(fmt.Sprintf(p.format, given)); strings.Contains(got, secret) || len(found) != 1 {
				t.Errorf("%s: %q becomes %q, %v", p.name, fmt.Sprintf(p.format, given), got, found)
			}
		}
	}
}

// What has no frame of its own stands in URLs, escapes, colours.
func TestTokensAreMaskedInURLs(t *testing.T) {
	for _, f := range fakes {
		if f.secret != "" || strings.Contains(f.given, "\n") {
			continue
		}
		for _, format := range []string{"https://example.org/?x=1&t=%s&y=2", "https://example.org/?t=%s#top", "x%%3D%s%%26", `a\u0026t=%s`, `\u003d%s\u0026`, "\x1b[31m%s\x1b[0m", "x=%s;", "(%s)", "t=%s\r\n"} {
			if got, found := Mask(fmt.Sprintf(format, f.given)); strings.Contains(got, f.given[:len(f.given)-4]) || len(found) != 1 {
				t.Errorf("%q becomes %q, %v", fmt.Sprintf(format, f.given), got, found)
			}
		}
	}
}

// What surrounds a secret stays readable.
func TestMarksStandInPlace(t *testing.T) {
	for _, test := range []struct{ given, want string }{
		{"export TOKEN=ghp_" + rand36 + " # mine", "export TOKEN=[secret: github token] # mine"},
		{"postgres://app:" + "pw9x@db:5432/main", "postgres://app:[secret: password]@db:5432/main"},
		{"https://ghp_" + rand36 + ":x-oauth-basic@github.com", "https://[secret: github token]:[secret: password]@github.com"},
		{`{"user":"anna","password":"` + `hunter2","n":1}`, `{"user":"anna","password":"[secret: password]","n":1}`},
		{`{\"password\":\"` + `hunter2\",\"n\":1}`, `{\"password\":\"[secret: password]\",\"n\":1}`},
		{"我的密码是" + "hunter2请记住", "我的密码是[secret: password]请记住"},
		{"密码：" + "hunter2，谢谢", "密码：[secret: password]，谢谢"},
		{"f(password=" + "hunter2)", "f(password=[secret: password])"},
		{"password=" + "hunter2, user=anna", "password=[secret: password], user=anna"},
		{"Password=" + "a,b;c9;Server=x", "Password=[secret: password];Server=x"},
		{"**Password:** " + "hunter2\n", "**Password:** [secret: password]\n"},
		{"**Password**: `" + "hunter2`.", "**Password**: `[secret: password]`."},
		{"Authorization: Bearer " + rand36 + "\nHost: x", "Authorization: Bearer [secret: authorization]\nHost: x"},
		{"curl -u anna:" + "hunter2 https://x", "curl -u anna:[secret: password] https://x"},
		{"https://hooks.slack.com/services/" + "T0123ABCD/B0123ABCD/" + rand20, "https://hooks.slack.com/services/[secret: slack webhook]"},
		{"a\n" + pem("RSA PRIVATE KEY", pemBody) + "\nb", "a\n[secret: private key]\nb"},
		{"a\n-----BEGIN RSA PRIVATE KEY-----\n" + pemBody + "\nThat was the key.", "a\n[secret: private key]\n\nThat was the key."},
		{"-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(rand36+"\n", 3) + "Thanks for all.", "[secret: private key]\nThanks for all."},
		{"x AKIA" + caps16 + " y glpat-" + rand20 + " z", "x [secret: aws access key] y [secret: gitlab token] z"},
		{"ghp_" + rand36 + ",ghp_" + rand36, "[secret: github token],[secret: github token]"},
		{"Password: " + "swordfish\n", "Password: [secret: password]\n"},
	} {
		if got, _ := Mask(test.given); got != test.want {
			t.Errorf("%q becomes\n%q, want\n%q", test.given, got, test.want)
		}
	}
}

// Every prefix of the table, with as many characters as it asks for.
func TestEachPrefixIsMasked(t *testing.T) {
	for _, tk := range tokens {
		var body strings.Builder
		for i := 0; body.Len() < tk.min; i++ {
			if c := "7Qx2TmVb9KdLpZwhRf3sJnGy"[i*7%24]; tk.body[c] {
				body.WriteByte(c)
			}
		}
		for _, format := range []string{"%s", "我的%s吧", "x %s.", "a=%s\n"} {
			got, found := Mask(fmt.Sprintf(format, tk.prefix+body.String()))
			if strings.Contains(got, body.String()) || found[tk.kind] != 1 {
				t.Errorf("%s%s becomes %q, %v", tk.prefix, body.String(), got, found)
			}
		}
		if short := tk.prefix + body.String()[1:]; tk.prefix != "LTAI" {
			if got, _ := Mask(short); got != short {
				t.Errorf("%s becomes %q", short, got)
			}
		}
	}
}

// doc/privacy.md names every kind, and none that there is not.
func TestKindsAreToldInTheDocument(t *testing.T) {
	raw, err := os.ReadFile("../doc/privacy.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	_, table, _ := strings.Cut(string(raw), "| kind | known by |")
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for i, name := range strings.Split(cells[1], "`") {
				told[name] = i%2 == 1 || told[name]
			}
		}
	}
	kinds := map[string]bool{}
	for _, f := range fakes {
		kinds[f.kind] = true
	}
	for _, tk := range tokens {
		kinds[tk.kind] = true
	}
	for kind := range kinds {
		if !told[kind] {
			t.Errorf("%s is not told", kind)
		}
	}
	for name, quoted := range told {
		if quoted && !kinds[name] {
			t.Errorf("%s is told and not there", name)
		}
	}
}

func TestSecretsAreCounted(t *testing.T) {
	_, found := Mask("ghp_" + rand36 + " gho_" + rand36 + " AKIA" + caps16 + " and password=" + "hunter2")
	if want := map[string]int{"github token": 2, "aws access key": 1, "password": 1}; !maps.Equal(found, want) {
		t.Errorf("%v, want %v", found, want)
	}
	if s, found := Mask("nothing"); s != "nothing" || found != nil {
		t.Errorf("%q, %v", s, found)
	}
}
