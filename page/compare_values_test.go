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
