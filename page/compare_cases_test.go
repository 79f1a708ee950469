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

		{Contradiction, "我们的周报没有附件。", "我们的周报有两份扫描的附件。"}, // who denies a thing denies every one of its kind
		{Contradiction, "The van has no spare wheel.", "The van has a spare wheel under the rear seat."},
		{Different, "Guests can book rooms.", "Guests cannot book smoking rooms."},
		{Different, "The van has no spare wheel.", "The trailer of Ada has a spare wheel."},
		{Different, "没有标签的箱子，收货时退回。", "收货的箱子必须有标签。"},
		{Contradiction, "The archive requires a badge.", "The archive opens without a badge."},
		{Contradiction, "进机房必须登记。", "进机房不用登记。"},
		{Different, "Ada needs a ladder.", "Ada has no ladder."},
		{Different, "小沈需要梯子。", "小沈没有梯子。"},
		{Contradiction, "A review is needed before publishing a recipe.", "You can publish a recipe without a review."},
		{Contradiction, "Ada has no idea how the oven works.", "Ada knows how the oven works."},
		{Contradiction, "The choir is no longer rehearsed by Ada.", "The choir is rehearsed by Ada."},
		{Different, "She sings neither in May nor in June.", "She does not sing in May."},

		{Contradiction, "The greenhouse is already heated.", "The greenhouse is still waiting for its boiler."}, // stages
		{Contradiction, "新仓库已经验收。", "新仓库还在打地基。"},
		{Contradiction, "The harvest has not started.", "The harvest is finished."},
		{Contradiction, "The ferry line was discontinued.", "The ferry line still carries mail."},
		{Different, "The north greenhouse is already heated.", "The south greenhouse is still waiting for its boiler."},
		{Different, "The parcel already went to Oslo.", "The parcel still waits in Bergen for Ada."},
		{Different, "The greenhouse is already heated.", "The greenhouse is already painted."},

		{Contradiction, "The lighthouse is inspected every week.", "The lighthouse is inspected monthly."}, // how often
		{Contradiction, "水塔每天检查。", "水塔每月检查。"},
		{Duplicate, "每周五检查水塔。", "每周五检查水塔"},
		{Different, "The weekly market is noisy and cheap.", "The monthly market is noisy and cheap."},
		{Contradiction, "Otto is out of work.", "Otto is employed."}, // phrases
		{Contradiction, "The grill is out of order.", "The grill is working."},
		{Contradiction, "He is a widower and single.", "He is a widower and married."},

		{Contradiction, "Our largest tenant is Brightwater.", "Our largest tenant is Stonegate."}, // the only one
		{Contradiction, "The only key is in the Blue Room.", "The only key is in the Tower."},
		{Contradiction, "Otto's only hobby is chess.", "Otto's only hobby is pottery."},
		{Different, "Our tenant is Brightwater.", "A tenant of ours is Stonegate."},
		{Different, "The only key is bent.", "The only key is heavy."},
		{Contradiction, "The mill is in Utrecht.", "The mill is in Arnhem."}, // places
		{Different, "The mill is in France.", "The mill is in Lyon."},
		{Contradiction, "The mill is in France.", "The mill is in Spain."},
		{Different, "仓库位于浙江。", "仓库位于杭州。"},
		{Contradiction, "打印机在成都。", "打印机在昆明。"},
		{Different, "小沈在开会。", "小沈在写信。"},
		{Contradiction, "护照放在抽屉里。", "护照放在书架上。"},
		{Contradiction, "这封信是老周写的。", "这封信是老吴写的。"}, // who did it
		{Different, "他是昨晚到的。", "他是坐船到的。"},
		{Contradiction, "灯塔的负责人是王小明。", "灯塔的负责人是李建国。"}, // names with a word of time in them
		{Contradiction, "灯塔的负责人是曾志伟。", "灯塔的负责人是莫大林。"},
		{Different, "明天小王值班。", "后天小李值班。"},
		{Contradiction, "Only members may borrow tools.", "Every visitor may borrow tools."}, // only and all
		{Contradiction, "只有店长能退款。", "所有店员都能退款。"},
		{Different, "Only members may borrow tools.", "All members may borrow tools."},
		{Contradiction, "Ada prefers trains over planes.", "Ada prefers planes over trains."},
		{Different, "The fee is 5 for children.", "The fee is 9 for adults."},
		{Different, "The choir already has a tenor.", "The choir still needs a pianist."},
		{Different, "Ada deletes old drafts every Sunday.", "Ada still uses the old typewriter."},
		{Different, "The bakery is closed on Mondays.", "The bakery is still closed."},
		{Different, "The Budapest office is downtown.", "The Budapest office is sunlit."},
		{Different, "The bakery closes at 18:00.", "The bakery is still crowded in the evening."},
		{Different, "Ada has already paid the deposit.", "Ada still owes the rent for March."},
		{Different, "小沈已经交了押金。", "小沈还欠三月份的房租。"},
		{Different, "Bob has no children.", "Bob teaches children at the village school."},
		{Different, "小沈没有孩子。", "小沈在村小教孩子画画。"},
		{Contradiction, "Bob has no children.", "Bob has children from his first marriage."},
		{Different, "At least one mill is Dutch.", "At least one mill is Belgian."},
		{Different, "小沈最近的爱好是钓鱼。", "小沈最近的爱好是摄影。"},
		{Different, "这张桌子是木头做的。", "这张桌子是爷爷做的。"},
		{Different, "手机是公司发的。", "手机是上个月发的。"},
		{Different, "Only Ada speaks Polish in the Riga office.", "Everyone speaks English in the Riga office."},
		{Different, "Temporary files are deleted after the run.", "Temporary files are not kept after the run."},
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
