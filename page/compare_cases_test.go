package page

import "testing"

// Pairs as a memory holds them, each for one rule: what is said in another
// order, what is another thing, what was and is no more.
func TestWhatContradictsAndWhatOnlyLooksSo(t *testing.T) { // K03 K11
	for _, c := range []struct {
		want Kind
		a, b string
	}{
		{Contradiction, "the limit is 100", "the limit is 1000"}, // K11
		{Contradiction, "the sync is enabled", "the sync is not enabled"},
		{Duplicate, "the meeting is at 3 pm", "the meeting is at 15:00"},
		{Contradiction, "技术栈的数据库是 MySQL。", "技术栈的数据库是 PostgreSQL。"}, // K03
		{Contradiction, "技术栈使用 MySQL 数据库。", "技术栈的数据库从 MySQL 迁移到 PostgreSQL,因为写入太慢。"},

		{Contradiction, "For admins, two-factor login is disabled.", "Two-factor login is enabled for admins."}, // another order
		{Contradiction, "There are 8 people in the rotation.", "The rotation has six people."},
		{Contradiction, "The password has at least 12 characters.", "The minimum password length is 16 characters."},
		{Contradiction, "发布分支的冒烟测试通过。", "冒烟测试在发布分支上失败。"},
		{Different, "Alice reports to Bob", "Bob does not report to Alice"},

		{Contradiction, "用户对花生过敏。", "用户对花生不过敏。"}, // 不 and 过敏, not 不过
		{Contradiction, "老板同意这个方案。", "老板不同意这个方案。"},
		{Contradiction, "停车免费。", "停车不免费。"},
		{Different, "方案不错,不过太贵。", "方案不错,太贵。"},

		{Different, "The test cluster has 3 nodes.", "The production cluster has 9 nodes."}, // another thing
		{Different, "Dark mode is enabled on the web client.", "Dark mode is disabled on the iOS client."},
		{Different, "会员免运费。", "非会员不免运费。"},
		{Different, "The public API is stable.", "The private API is stable."},
		{Contradiction, "The repo is public.", "The repo is private."},

		{Different, "Before the upgrade a sync takes 40 s.", "After the upgrade a sync takes 12 s."}, // another time
		{Different, "The limit was 100.", "The limit is 250 now."},
		{Different, "The API did not require a token until May.", "The API requires a token."},
		{Different, "The team no longer uses Jira, it uses Linear.", "The team uses Linear."},
		{Different, "上周处理了 30 单。", "本周处理了 45 单。"},

		{Different, "Deploys take 5 to 10 minutes.", "Deploys take 7 minutes."}, // both can be
		{Different, "The cap is 50 connections.", "The tenant uses 12 connections."},
		{Different, "The disk of the gate has 500 GB.", "The disk of the gate has 120 GB left."},
		{Different, "The volume has 2 GB.", "The volume has 2048 MB."},
		{Duplicate, "商店晚8点关门。", "商店 20:00 关门。"},
		{Duplicate, "The bag holds two dozen eggs.", "The bag holds 24 eggs."},
		{Different, "The timeout is 30 seconds", "The timeout is 3 retries"},

		{Contradiction, "The weekly deploy is on Tuesday.", "The weekly deploy is on Thursday."}, // days
		{Contradiction, "每周的例行发布在周二。", "每周的例行发布在星期四。"},
		{Duplicate, "会议在周二。", "会议在星期二。"},
		{Different, "We met on Tuesday.", "We met on Thursday."},
		{Contradiction, "The flight to Oslo leaves on May 3.", "The flight to Oslo is on May 5."},
		{Contradiction, "工资每月 25 号发。", "工资每月 28 号发。"},

		{Contradiction, "The owner of the billing service is Alice.", "Bob is the owner of the billing service."}, // one at a time
		{Contradiction, "The data platform is owned by the infra team.", "The data platform is owned by the analytics team."},
		{Contradiction, "小沈住在杭州。", "小沈住在南京。"},
		{Contradiction, "支付服务由小王负责。", "小李负责支付服务。"},
		{Contradiction, "The user's cat is called Miso.", "The user's cat is called Toro."},
		{Different, "Alice and Bob own the gate.", "Carol and Dan own the gate."},
		{Different, "Bob is an owner of the gate.", "Alice is an owner of the gate."},
		{Different, "用户喜欢喝茶。", "用户喜欢喝咖啡。"},
		{Different, "今天小王值班。", "明天小李值班。"},
		{Contradiction, "阿宁是小何的师傅。", "小何是阿宁的师傅。"},
		{Different, "阿宁是小何的朋友。", "小何是阿宁的朋友。"},
	} {
		if got := Compare(claimText(c.a), claimText(c.b), CompareOptions{}); got.Kind != c.want {
			t.Errorf("%s | %s: %v (%.2f), want %v", c.a, c.b, got, got.Strength, c.want)
		}
	}
}

// What nearly fires ranks below what fires, and above what has nothing to it.
func TestStrengthRanksWhatIsNoContradiction(t *testing.T) {
	strength := func(a, b string) float64 {
		return Compare(claimText(a), claimText(b), CompareOptions{}).Strength
	}
	fires := strength("The gate is open for all tenants", "The gate is not open for all tenants")
	nearly := strength("The gate is open for all tenants", "The door is not open for all tenants")
	nothing := strength("The gate is open for all tenants", "The gate is open for all tenants of the north")
	if fires < Convincing || nearly >= Convincing || nearly <= nothing || nothing != 0 {
		t.Errorf("fires %.2f, nearly %.2f, nothing %.2f", fires, nearly, nothing)
	}
	// One sentence alone is no evidence: a word that both have, or a pair that shares nothing.
	for _, c := range [][2]string{
		{"nobody has the key of the gate", "nobody has the key of the gate on Mondays"},
		{"the herons never fish", "wrens sing"},
	} {
		if s := strength(c[0], c[1]); s != 0 {
			t.Errorf("%q: %.2f", c, s)
		}
	}
}
