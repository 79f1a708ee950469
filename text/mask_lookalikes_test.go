package text

import (
	"fmt"
	"strings"
	"testing"
)

// lookAlikes resemble secrets, or talk of them. None of them is masked.
var lookAlikes = []string{
	// Digests, ids, numbers.
	"commit 3f786850e387550fdab836ed7e6dc881de23001b",
	"sha256:" + hex64,
	"e3b0c442 98fc1c14 9afbf4c8 996fb924 27ae41e4 649b934c a495991b 7852b855",
	"550e8400-e29b-41d4-a716-446655440000",
	"SK" + hex32, // could be much else
	"SG.1.2.3",
	"h1:Yv0ahTyb6vDmV8N+5bDzvhFA9dSMQPNFJ8d/P9sZ3Q0=",
	"golang.org/x/text v0.22.0 h1:bofq7m3/HAFvbF51jz3Q9wLg3jkvSPuiZu/pD1XwgtM=",
	`"integrity": "sha512-z1r3UOhS7k2s5B9rWqXhkqIYbYxQ8Hq0kYQb2n9GJQw1C3mZQ7u9a8mQ0V3cRl8mZ4oJ6qT5w3rXn0s1yA2bDw=="`,
	"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"1.0.0-rc.1+build.5", "eyJhbGci.eyJzdWIi", "eyJ.not.json", "eyJub3QiOiJqd3QifQ.YWJj.ZGVm",
	"tel. +49 30 901820, ISBN 978-3-16-148410-0, 4012-8888-8888-1881",
	"#ff8800 #1a2b3c4d", "AKIA is how such an id begins; AKIAIOSF is short",
	"getUserAuthenticationTokenFromRequestHeaderOrCookie",
	"TheQuickBrownFoxJumpsOverTheLazyDogAndRunsAway2024",
	"payment-gateway-7d9f8b6c5d-x2x4q", "ip-10-0-12-34.eu-central-1.compute.internal",
	"task-force", "risk-averse-investors-in-2024-and-later-years", "disk-usage-report-2024-01-02-final-version1",
	"sk-cube-grid sk-folding-cube2 sk-fading-circle-animation-delay-100", "desk-lamp-with-a-very-long-name-0123456789",
	"glpat-", "xoxb-", "ghp_", "hf_hub_download", "npm_config_registry=https://registry.npmjs.org/", "npm_package_version", "sk_test_mode", "pypi-AgE",
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DPMRD6OIh65tjkxFNOtGGcWB2gCgPhk anna@laptop",
	pem("PUBLIC KEY", pemBody), pem("CERTIFICATE", pemBody), "client-certificate-data: LS0tLS1CRUdJTi" + "BDRVJUSUZJQ0FURS0tLS0tCk1JSURJVENDQWdtZ0F3SUJBZ0lJ" + rand36,
	"The file begins with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----.",
	"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
	"age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
	"pk_live_" + rand20, // a publishable key

	// URLs and addresses.
	"https://medium.com/@anna/a-story-1234567890ab", "https://example.org:8080/x@y", "http://host:80/?mail=anna@example.org",
	"ssh://git@github.com/a/b.git", "git@github.com:a/b.git", "mailto:anna@example.org", "anna.berg@example.org", "//cdn.example.org/@scope/pkg@1.2.3",
	"https://user@host/", "https://user:password@host/", "postgres://user:${DB_PASSWORD}@db/x", "https://user:<token>@host", "https://user:****@host",
	"https://user:$TOKEN@host/", "see http://a:b and c@d", "https://hooks.slack.com/services/", "https://hooks.slack.com/services/T/B/X",
	"https://example.org/reset?token=", "https://example.org/?page_token=2&sort=name", "https://en.wikipedia.org/wiki/Secret:Agent",

	// What stands for a secret.
	"sk-...", "sk-xxxxxxxxxxxxxxxxxxxxxxxx", "sk-your-api-key-goes-here-please", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	"api_key=<your-api-key>", "api_key: YOUR_API_KEY", "token = YOUR_TOKEN_HERE", "TOKEN=${API_KEY}", "token: $TOKEN", "password=xxxxxxxx", "password=changeme",
	"password: ********", "SECRET_KEY=...", "password: <password>", `"password": "{{ vault_password }}"`, "PASSWORD=%PASSWORD%", "password=[REDACTED]", `"token": "…"`,
	"Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "Authorization: Bearer ${TOKEN}", "Authorization: Bearer YOUR_ACCESS_TOKEN", "Authorization: required", "Authorization: Basic realm=x",
	"Bearer tokens are sent in a header", "the bearer of this letter", "basic authentication", "Basic knowledge of Go",
	"curl -u user:password https://x", "curl -u \"$USER:$PASS\" https://x", "docker run -u 1000:1000 x",

	// Code.
	`token := os.Getenv("TOKEN")`, "const secret = process.env.SECRET", "password = getpass()", "password = getpass.getpass('Password: ')", "token: string", "password?: string;", "password: str = None",
	"password: required", "Password string `json:\"password\"`", "password = request.form['password']", "password: req.body.password,", "login(user, password=password)", "connect(password=cfg.db.password)",
	"if password == \"\" {", "password != confirmation", `{"password": "Password"}`, `"token": "Token"`, `"password": "Enter your password"`, `"password": "Must be at least 8 characters"`,
	`'password' => 'required|min:8'`, "token = next(tokens)", "tokens: 4096", "max_tokens=1024", "token_count = 1234567", "pad_token = '<pad>'", "eos_token: \"</s>\"", "tokenizer = \"cl100k_base\"",
	"publicKeyToken=b77a5c561934e089", "secretName: db-credentials-1", "secret: db-credentials", "secretKeyRef:\n  name: db\n  key: password", "secrets: inherit", "token: ${{ secrets.GITHUB_TOKEN }}", "password_hash = hash(password)", "passwordField.focus()",
	"key: value", "key = 0x1f", "primary_key=True", "api_key = config.api_key", "apiKey: import.meta.env.VITE_KEY", "cache-key: v1-deps-{{ checksum \"go.sum\" }}", "sort_key=lambda x: x[1]", "public_key: " + rand20,
	"PWD=/home/anna", "OLDPWD=/tmp/x1", "pwd: /srv/app2", "password_file: /run/secrets/db_password", "password: !vault secret/db", "PASSWORD=env:DB_PASSWORD", "first_pass = true", "--- PASS: TestIssue11 (0.05s)", "    --- PASS: TestAddrs/127.0.0.1:0 (0.00s)", "PASS: TestUser2Password/ipv6+zone", `"PASS:\x00",`, "pass `spec=True` to it", "the table identified by \"code9\"", "password: db-password", `#define SN_revPassphrase          "id-it-revPass9"`, "pass: 12, fail: 3", "compass=north12345", "bypass=allowed1234",
	"password = None", "password: null", "PASSWORD=", "password=\"\"", "password: |", "token: Optional[str] = None", "const password = ref('')", "password.length >= 8", "password => hash(password)", "String password;", "secret := newSecret()", "var token Token",
	"type=\"password\" name=\"password\"", "label for=\"password\">Password:</label>", "<password></password>", "--password-stdin", "--token TOKEN", "use --password to set it", "--password <password>", "AWS_REGION=eu-central-1 aws s3 cp s3://bucket/key .",

	// Prose.
	"the password policy", "password reset", "The password is wrong.", "The password is required.", "My password is expired!", "a password is at least 12 characters long", "password is SHA-256 hashed", "The password is base64-encoded.", "the token is OAuth2-based", "The password is case-sensitive",
	"Password: required", "Password: incorrect", "Password must be changed", "password for the wiki is stored in 1Password", "the secret is out", "The secret: practice.", "passwords: never reuse them", "tokens and keys", "the key to success is patience", "access key is needed", "The API key is read from the environment.", "his password was leaked", "a pass is needed", "my password is on the list", "The password is the same as before", "the password's strength is low", "| password | string | required |", `the password "is required"`, `field password "required"`, `"password" "token"`, "passwords -> hashes", "login with a password and a code",
	"密码错误", "密码策略", "密码是必填项", "密码为空", "忘记密码：请联系管理员", "密码：必填", "密码是string类型", "密码是 bcrypt 加密的", "密码是用AES加密的", "密码长度为8位", "令牌是JWT格式的", "密钥管理", "密钥为RSA-2048", "口令正确", "私钥保存在保险箱里", "密码改为可选", "重置密码", "密码：******", "密码=${PASSWORD}", "密码已经修改了", "密码是123吗", "密码8位以上", "密码MD5加密后", "密码2024年修改", "密码V2版本", "密码（必填）", "密码（MD5）", "密码OAuth2.0", "密码不是hunter",
}

func TestLookAlikesStay(t *testing.T) {
	n := 0
	for _, s := range lookAlikes {
		n++
		for _, format := range []string{"%s", "Please see %s, and so on.", "x\n%s\ny", `{"text":"%s"}`, "请看%s吧", "（%s）", "```\n%s\n```", "`%s`"} {
			given := fmt.Sprintf(format, s)
			if strings.Contains(format, `"`) {
				given = fmt.Sprintf(format, strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(s))
			}
			if got, found := Mask(given); got != given || found != nil {
				t.Errorf("%q becomes %q, %v", given, got, found)
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d", n)
	}
}
