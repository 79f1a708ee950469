package page

import (
	"strings"
	"testing"
)

func rolesOf(s string) string {
	var out []string
	for _, t := range tokens(s) {
		w := t.text
		switch t.role {
		case value:
			w = "<" + w + ">"
		case negator:
			w = "!" + w
		case light:
			w = "(" + w + ")"
		case qualifier:
			w = "~" + w
		case permit:
			w = "?" + w
		case symbol:
			w = "{" + w + "}"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func TestTokensOfAClaim(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"The limit is 1,000.", "(the) limit (is) <1000 n>"},
		{"limit: 1k", "limit <1000 n>"},
		{"at 3 pm", "at <15:00 clock>"},
		{"at 3pm", "at <15:00 clock>"},
		{"at 3:30 p.m.", "at <15:30 clock>"},
		{"at 15:00", "at <15:00 clock>"},
		{"12 am and 12 pm", "<00:00 clock> and <12:00 clock>"},
		{"下午3点", "<15:00 clock>"},
		{"下午三点半开会", "<15:30 clock> 开 ~会"},
		{"15点30分", "<15:30 clock>"},
		{"2026-03-01", "<2026-03-01 date>"},
		{"2026年3月1日", "<2026-03-01 date>"},
		{"二〇二六年三月一日", "<2026-03-01 date>"},
		{"March 1, 2026", "<2026-03-01 date>"},
		{"1 March 2026", "<2026-03-01 date>"},
		{"Mar 1st", "<--03-01 date>"},
		{"revenue in 2024", "revenue in <2024 date>"},
		{"二十个", "<20 n> 个"},
		{"十二人", "<12 n> 人"},
		{"两百", "<200 n>"},
		{"一千二", "<1200 n>"},
		{"一千零二", "<1002 n>"},
		{"三万五千", "<35000 n>"},
		{"1.5万元", "<15000 cny>"},
		{"百分之二十", "<20 %>"},
		{"20%", "<20 %>"},
		{"20 percent", "<20 %>"},
		{"20 per cent", "<20 %>"},
		{"twenty-five", "<25 n>"},
		{"two hundred and five users", "<205 n> users"},
		{"one of them", "one of them"},
		{"60 s", "<60 s>"},
		{"1 minute", "<60 s>"},
		{"1分钟", "<60 s>"},
		{"100ms", "<0.1 s>"},
		{"$1,000", "<1000 usd>"},
		{"1000 USD", "<1000 usd>"},
		{"Python 3.10", "python <3.10 version>"},
		{"v1.2", "<1.2 version>"},
		{"第二章", "<2 ordinal> 章"},
		{"-5 degrees", "<-5 deg>"},
		{"10.0.0.1", "<10.0.0.1 version>"},
		{"don't", "!dont"},
		{"it is not enabled", "it (is) !not enabled"},
		{"not only fast", "~not ~only fast"},
		{"非常好", "非常 好"},
		{"不启用", "!不 启用"},
		{"不断增加", "不断 增加"},
		{"未来", "未来"},
		{"无论如何", "无论 如 何"},
		{"十分重要", "十 分 重 要"},
		{"十分钟", "<600 s>"},
		{"七八个", "七 八 个"},
		{"a < b", "(a) {<} b"},
		{"tests ✅", "tests {✅}"},
		{"pages 5-10", "pages <5-10 code>"},
		{"Alice's team", "alice team"},
		{"007", "<007 n>"},
		{"", ""},
	} {
		if got := rolesOf(c.in); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
}
