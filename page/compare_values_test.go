package page

import "testing"

type kindCase struct {
	want Kind
	a, b string
}

func checkKinds(t *testing.T, cases []kindCase) {
	t.Helper()
	for _, c := range cases {
		if got := Compare(claimText(c.a), claimText(c.b), CompareOptions{}); got.Kind != c.want {
			t.Errorf("%s | %s: %v (%.2f), want %v", c.a, c.b, got, got.Strength, c.want)
		}
	}
}

func TestDaysAndHoursOfOneThingContradict(t *testing.T) {
	checkKinds(t, []kindCase{
		{Contradiction, "Lena's sabbatical begins in March.", "Lena's sabbatical begins in August."}, // a month alone
		{Contradiction, "The lease has run since May.", "The lease has run since June."},
		{Different, "Lena's sabbatical begins in March.", "Lena's sabbatical begins on March 4."},
		{Different, "You may start the sabbatical.", "You march at the start of the sabbatical."},
		{Contradiction, "阿宁三月开始休假", "阿宁八月开始休假"},
		{Contradiction, "The contract ends on the 5th of March.", "The contract ends on the 9th of March."},

		{Contradiction, "The housewarming party is on Friday evening.", "The housewarming party is this Saturday afternoon."}, // a part of a day
		{Contradiction, "The housewarming party is on Friday evening.", "The housewarming party is on Friday morning."},
		{Different, "The housewarming party is on Friday evening.", "The housewarming party is on Friday."},
		{Contradiction, "部门聚餐定在本周五晚上", "部门聚餐定在本周六下午"},
		{Different, "部门聚餐定在本周五晚上", "部门聚餐定在下周六下午"},
		{Different, "部门聚餐定在本周五晚上", "部门聚餐定在本周五"},
		{Different, "我们本周五晚上加班", "我们本周六下午加班"},
		{Different, "本周三家客户续约", "本周四家客户续约了三年"},
		{Duplicate, "部门聚餐定在周五晚上八点", "部门聚餐定在周五20:00"},
		{Duplicate, "部门聚餐在星期五晚上", "部门聚餐在周五晚上"},

		{Contradiction, "房租每月 5 号扣款", "房租每个月的扣款日是 20 号"}, // a day of every month
		{Contradiction, "房租每个月在 5 号交", "房租每个月在 20 号交"},
		{Contradiction, "本月的发薪日是 10 号", "本月的发薪日是 15 号"},
		{Different, "每个月在 3 号楼开会", "每个月在 5 号楼开会"},
		{Contradiction, "The rent is due on the 5th.", "The rent is due on the 20th of each month."},
		{Different, "Rent is paid on the 1st.", "Rent is paid on March 1."},
		{Different, "The rent is due in March 2026.", "The rent is due on the 5th."},
		{Different, "The rent is due on the 5th.", "The rent is due in March."},
		{Different, "The rent is due on the 5th.", "The rent is due in 2026."},
		{Different, "The rent is due on the 5th.", "The rent is due on 2026-03-05."},
		{Contradiction, "The rent is due on the 5th.", "The rent is due on 2026-03-07."},
		{Contradiction, "The rent is due on 2026-03-07.", "The rent is due on the 5th."},
		{Contradiction, "The rent is due on March 7.", "The rent is due on the 5th."},
		{Different, "房租在 2026 年 3 月交", "每月的房租在 5 号交"},
		{Different, "Payroll sits on the 5th floor.", "Payroll sits on the 6th floor."},

		{Contradiction, "爸妈的结婚纪念日是五月二日", "爸妈的结婚纪念日是五月九日"}, // there is one
		{Contradiction, "每年五月二日是爸妈的结婚纪念日", "爸妈的结婚纪念日是九月五日"},
		{Different, "五月二日我们见过", "五月九日我们见过"},

		{Contradiction, "The shop opens at 9.", "The shop does not open before 10."}, // an hour as a bound
		{Contradiction, "The shop opens at 9:30.", "The shop does not open until eleven."},
		{Different, "The shop opens at 9.", "The shop does not open before 8."},
		{Different, "The shop opens at 10.", "The shop does not open before 10."},
		{Contradiction, "The shop opens before 10.", "The shop does not open before 10."},
		{Different, "A merge is possible at 9.", "A merge is not possible before 10 reviews."},
		{Contradiction, "面包店早上六点半开门", "面包店八点之前不开门"},
		{Different, "面包店早上九点半开门", "面包店八点之前不开门"},
		{Different, "面包店九点开门", "面包店九点之前不开门"},
	})
}

func TestAmountsAreReadInEveryUnit(t *testing.T) {
	checkKinds(t, []kindCase{
		{Contradiction, "阿宁的身高是一米七八", "阿宁的身高是172厘米"},
		{Duplicate, "阿宁的身高是一米七八", "阿宁的身高是178厘米"},
		{Contradiction, "这块布长一米五", "这块布长一米八"},
		{Duplicate, "午休半个钟头", "午休30分钟"},
		{Contradiction, "午休半个小时", "午休一个半小时"},
		{Duplicate, "午休一个半小时", "午休90分钟"},
		{Contradiction, "这只鸡重两斤半", "这只鸡重三斤"},
		{Duplicate, "这只鸡重两斤半", "这只鸡重1.25公斤"},
		{Contradiction, "咖啡一杯三块五", "咖啡一杯四块"},
		{Duplicate, "全程1小时50分", "全程一百一十分钟"},
		{Duplicate, "全程一小时二十分钟", "全程80分钟"},
		{Different, "桌上有三块电池和两节", "桌上有三块电池"},
		{Contradiction, "The siesta takes half an hour.", "The siesta takes 90 minutes."},
		{Duplicate, "The siesta takes an hour and a half.", "The siesta takes 90 minutes."},
		{Duplicate, "The siesta takes one and a half hours.", "The siesta takes 90 minutes."},
		{Duplicate, "The siesta takes 1 hour 30 minutes.", "The siesta takes 90 minutes."},
		{Contradiction, "The siesta takes one hour.", "The siesta takes two hours."},
		{Duplicate, "The siesta takes three quarters of an hour.", "The siesta takes 45 minutes."},
		{Contradiction, "The parrot is fed twice a day.", "The parrot is fed three times a day."},
		{Contradiction, "The parrot is fed three times a day.", "The parrot is fed just once a day."},
		{Duplicate, "The box holds a dozen eggs.", "The box holds 12 eggs."},
		{Contradiction, "The box holds half a dozen eggs.", "The box holds a dozen eggs."},
		{Different, "Bo earns 30 euros an hour.", "Bo earns 30 euros a day."},
		{Duplicate, "硬盘用掉了四分之三", "硬盘用掉了75%"},
		{Contradiction, "硬盘用掉了四分之三", "硬盘用掉了一半"},
		{Contradiction, "A third of the seats are taken.", "Two thirds of the seats are taken."},
		{Different, "The trial lasts 18 months.", "The trial lasts one and a half years."},
		{Contradiction, "The trial lasts 18 months.", "The trial lasts two years."},
		{Different, "The trial lasts 30 days.", "The trial lasts one month."},
		{Contradiction, "The trial lasts 30 days.", "The trial lasts three months."},
		{Different, "试用期半年", "试用期六个月"},
		{Contradiction, "试用期半年", "试用期三个月"},
		{Contradiction, "The flat has 60 square metres.", "The flat has 85 square metres."},
		{Contradiction, "院子有三亩", "院子有五亩"},
		{Contradiction, "The tank holds 40 litres.", "The tank holds 55 litres."},
		{Duplicate, "The route is 5 miles.", "The route is 8.04672 km."},
		{Contradiction, "锅炉设在 60 度", "锅炉设在 75 度"},
		{Contradiction, "网关跑的是 14 版本", "网关跑的是 16 版本"},
		{Different, "The gate needs version 3.", "The gate needs version 3.2."},
		{Contradiction, "The gate needs version 3.1.", "The gate needs version 3.2."},
		{Contradiction, "The cabin has one bed.", "The cabin has three beds."},
		{Different, "One day the cabin burned.", "Two days the cabin burned."},
		{Different, "One of the cabins has beds.", "Two of the cabins have beds."},
		{Different, "三角形的边长", "四角形的边长"},
		{Contradiction, "楼下咖啡两块五毛", "楼下咖啡三块"},
	})
}

func TestATotalAndAPartThatIsDoneBothHold(t *testing.T) {
	checkKinds(t, []kindCase{
		{Different, "Otto's sailing course has twelve lessons in total.", "Otto has been to seven lessons of his sailing course."},
		{Contradiction, "Otto's sailing course has twelve lessons in total.", "Otto's sailing course has nine lessons in total."},
		{Different, "The hike has ten stages.", "She has already finished four stages of the hike."},
		{Different, "The series has ten books altogether.", "Lia has read four books of the series."},
		{Contradiction, "Lia has read four books of the series so far.", "Lia has read six books of the series so far."},
		{Different, "这门课一共十二节", "这门课已经上了七节"},
		{Contradiction, "这门课一共十二节", "这门课总共十节"},
		{Different, "Option 2 is cheap.", "Option 3 is cheap."},
		{Different, "Example 1 has an error in the loop.", "Example 2 has an error in the loop."},
		{Different, "图 3 画的是缓存", "图 4 画的是缓存"},
		{Different, "方案 2 的成本最低", "方案 3 的成本最低"},
		{Contradiction, "会议室有 3 张桌子", "会议室有 5 张桌子"},
		{Contradiction, "The team has 3 desks.", "The team has 5 desks."},
		{Contradiction, "Class starts at 9.", "Class starts at 10."},
		{Contradiction, "Free plan: 5 seats.", "Free plan: 3 seats."},
	})
}

func TestVerbsOfOneAmountStandForEachOther(t *testing.T) {
	checkKinds(t, []kindCase{
		{Contradiction, "告警在 Loki 里保留七天就清掉", "Loki 里的告警要存满三十天才会删"},
		{Different, "告警在 Loki 里保留七天就清掉", "Loki 里的日志要存满三十天才会删"},
		{Contradiction, "Traces are kept for seven days.", "Traces are deleted after thirty days."},
		{Different, "Traces are kept for seven days.", "Metrics are deleted after thirty days."},
		{Different, "A backup takes two hours.", "A backup is kept for thirty days."},
		{Contradiction, "The siesta takes an hour.", "The siesta lasts two hours."},
		{Different, "The siesta takes an hour in Anna's team.", "The siesta lasts two hours in Ben's team."},
		{Different, "The iOS build takes ten minutes.", "The web build lasts twenty minutes."},
		{Different, "The starter plan costs 9 euros.", "The team plan charges 19 euros."},
		{Contradiction, "The starter plan costs 9 euros.", "The starter plan is priced at 19 euros."},
		{Different, "She bought the bike for 300 euros.", "She sold the bike for 500 euros."},
		{Contradiction, "阿宁身高一米七八", "阿宁的个子是一米七二"},
		{Different, "阿宁身高一米七八", "阿强的个子是一米七二"},
		{Different, "这张桌子长一米八", "这张桌子宽八十厘米"},
		{Contradiction, "这趟车早上七点发车", "这趟车早上八点出发"},
		{Different, "这趟车早上七点发车", "这趟车早上八点到达"},
		{Contradiction, "The library opens at 9.", "The library starts at 11."},
		{Different, "The library opens at 9.", "The library closes at 11."},
		{Contradiction, "Bo gets up at 6 on weekdays.", "On weekdays Bo wakes at 8."},
		{Different, "Bo gets up at 6.", "Bo goes to bed at 10."},
		{Contradiction, "Mara has run four relays so far.", "So far Mara has only finished two relays."},
		{Contradiction, "推荐服务部署了六个副本", "推荐服务只跑着三个副本"},
		{Different, "测试环境部署了六个副本", "生产环境跑着三个副本"},
		{Contradiction, "从家走到码头要五分钟", "从家到码头得花半个钟头"},
		{Different, "门票成人五十元", "门票儿童二十元"},
		{Contradiction, "The hall seats 200 people.", "The hall has room for 350 people."},
		{Different, "The hall seats 200 people.", "The annex has room for 350 people."},
		{Contradiction, "顾问费一天收八百元", "顾问费一天要价一千二百元"},
		{Different, "A backup takes two hours.", "A backup expires after thirty days."},
		{Different, "The plan tracks 30 parcels for Anna.", "The plan tracks 50 parcels for Ben."},
		{Contradiction, "She tracks 30 parcels a week.", "She tracks 50 parcels a week."},
		{Different, "Track 3 is closed for repairs.", "Track 5 is closed for repairs."},
		{Contradiction, "A cold night costs 40 euros at the inn.", "A cold night is priced at 55 euros at the inn."},
		{Different, "A night costs 40 euros on weekdays.", "A night is priced at 55 euros on weekends."},
		{Different, "The gym is open until ten on weekdays.", "The gym is open until six on holidays."},
		{Contradiction, "The cache is kept for 10 minutes.", "The cache is cleared after an hour."},
		{Different, "A session expires after 10 minutes.", "A session is deleted after thirty days."},
		{Different, "A log is archived after a week.", "A log is deleted after a year."},
		{Different, "The cache takes 10 MB.", "The log occupies 50 MB."},
		{Contradiction, "The free plan includes 5 seats.", "Free plan: 3 seats."},
	})
}

func TestHoursInWordsAndRates(t *testing.T) {
	checkKinds(t, []kindCase{
		{Contradiction, "The daily standup starts at quarter past nine.", "The daily standup starts at ten."},
		{Different, "The train leaves at half past six.", "The train leaves at 6:30."},
		{Contradiction, "The train leaves at twenty past six in the evening.", "The train leaves at 7 pm."},
		{Different, "The train leaves at a quarter to seven.", "The train leaves at 6:45."},
		{Contradiction, "我家到公司有三公里", "我家离公司五公里"},
		{Different, "The rate limit is 60 requests per minute.", "The rate limit is 1 request per second."},
		{Contradiction, "My flight to Rome lands at 14:20.", "My flight to Rome arrives at 16:05."},
		{Different, "My flight to Rome departs at 12:20.", "My flight to Rome arrives at 16:05."},
		{Contradiction, "Peter weighs 82 kilos.", "Peter's weight is 95 kg."},
		{Contradiction, "他体重七十五公斤", "他体重一百六十斤"},
		{Different, "The tram leaves at twenty past six.", "The tram leaves at 18:20."},
		{Contradiction, "The tram leaves at twenty past six in the morning.", "The tram leaves at 18:20."},
		{Contradiction, "The tram leaves at half past six.", "The tram leaves at eight."},
		{Duplicate, "The tram leaves at 6:20 in the evening.", "The tram leaves at 18:20."},
		{Different, "导出的上限是每分钟 60 次", "导出的上限是每秒 1 次"},
		{Contradiction, "导出的上限是每分钟 60 次", "导出的上限是每分钟 90 次"},
		{Contradiction, "码头离车站三公里", "码头到车站五公里"},
		{Different, "Half of ten to twelve people left.", "Ten to eight people left."},
		{Different, "Office rents in Berlin rose by five to ten percent.", "Office rents in Berlin rose by seven percent."}, // a range
		{Different, "Office rents in Berlin rose by 5 to 10 percent.", "Office rents in Berlin rose by 7 percent."},
		{Different, "The queue is cut by ten to twelve items.", "The queue is cut by eleven items."},
		{Contradiction, "The gate closes at noon.", "The gate closes at 17:30."}, // an hour with a name
		{Contradiction, "The bar is open until midnight.", "The bar is open until 2 am."},
		{Duplicate, "The gate closes at noon.", "The gate closes at 12:00."},
		{Duplicate, "The gate closes at midnight.", "The gate closes at 24:00."},
		{Different, "The midnight train leaves at one.", "The noon train leaves at two."},
		{Contradiction, "仓库正午关门", "仓库下午五点关门"},
		{Different, "仓库中午关门", "仓库12点半关门"},
		{Different, "The gate closes at ten to six.", "The gate closes at 17:50."},
		{Contradiction, "The gate closes at ten to six, and nobody waits.", "The gate closes at 17:30, and nobody waits."},
		{Contradiction, "The gate closes by ten to six in the evening on Sundays.", "The gate closes by 17:30 on Sundays."},
		{Different, "The gate closes at a quarter to six on Sundays.", "The gate closes at 17:45 on Sundays."},
	})
}
