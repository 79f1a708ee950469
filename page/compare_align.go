package page

import (
	"strings"
	"sync"
	"unicode"
)

// What differs between two rows of words: the longest common subsequence
// parts them into what is shared and chunks that stand for each other.
//
//	limit is  100  per tenant
//	limit is 1000  per user
//	         ~~~~      ~~~~~~

type diff struct {
	a, b   []token
	shared int
	chunks []chunk
}

// chunk is a[a0:a1] in the place of b[b0:b1]; one of them may be empty.
type chunk struct{ a0, a1, b0, b1 int }

// align compares by stems.
func align(a, b []token) *diff {
	d := &diff{a: a, b: b}
	head := 0
	for head < len(a) && head < len(b) && a[head].stem == b[head].stem {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail].stem == b[len(b)-1-tail].stem {
		tail++
	}
	d.shared = head + tail
	d.middle(head, len(a)-tail, len(b)-tail)
	return d
}

// middle aligns a[from:endA] with b[from:endB], which neither begin nor end alike.
func (d *diff) middle(from, endA, endB int) {
	n, m := endA-from, endB-from
	if n*m > mostCells {
		d.close(chunk{from, endA, from, endB})
		return
	}
	width := m + 1
	length := make([]uint16, (n+1)*width) // of the common subsequence from here on
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if d.a[from+i].stem == d.b[from+j].stem {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	c := chunk{from, from, from, from}
	for i, j := 0, 0; i < n || j < m; {
		switch {
		case i < n && j < m && d.a[from+i].stem == d.b[from+j].stem:
			d.close(c)
			d.shared++
			i, j = i+1, j+1
			c = chunk{from + i, from + i, from + j, from + j}
		case j == m || i < n && length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
			c.a1 = from + i
		default:
			j++
			c.b1 = from + j
		}
	}
	d.close(c)
}

// mostCells bounds the table: longer texts are compared as one chunk.
const mostCells = 1 << 20

func (d *diff) close(c chunk) {
	if c.a1 > c.a0 || c.b1 > c.b0 {
		d.chunks = append(d.chunks, c)
	}
}

// agree is the share of words in common, of the longer row, when n words of
// each that are known to differ do not count.
func (d *diff) agree(n int) float64 {
	longer := max(len(d.a), len(d.b)) - n
	if longer <= 0 {
		return 0
	}
	return float64(d.shared) / float64(longer)
}

// numberedName reports whether a word is of letters and digits: router-37, gpt-4, S3.
func numberedName(t token) bool {
	return t.role == plain && strings.ContainsFunc(t.text, unicode.IsLetter) && strings.ContainsFunc(t.text, unicode.IsDigit)
}

// compatible reports whether two dates may be the same: one knows more of it.
func compatible(x, y string) bool {
	x, y = strings.TrimSuffix(x, " "+string(aDate)), strings.TrimSuffix(y, " "+string(aDate))
	if strings.HasPrefix(y, "---") {
		x, y = y, x
	}
	if strings.HasPrefix(x, "---") && !strings.HasPrefix(y, "---") { // a day of any month
		y = monthAndDay(y)
		return len(y) < len("-01-02") || x[len("---"):] == y[len("-01-"):]
	}
	if strings.HasPrefix(x, "--") != strings.HasPrefix(y, "--") { // one has no year
		x, y = monthAndDay(x), monthAndDay(y)
	}
	return strings.HasPrefix(x, y) || strings.HasPrefix(y, x)
}

// sameDay reports whether two weekdays may be one: only one has a part of the day, or each of them is "Fridays".
func sameDay(x, y string) bool {
	day, part, _ := strings.Cut(strings.TrimSuffix(x, " "+string(aWeekday)), " ")
	other, otherPart, _ := strings.Cut(strings.TrimSuffix(y, " "+string(aWeekday)), " ")
	return strings.TrimSuffix(day, "s") == strings.TrimSuffix(other, "s") && (part == "" || otherPart == "")
}

func monthAndDay(s string) string {
	if strings.HasPrefix(s, "--") {
		return s[1:]
	}
	return s[min(len("2026"), len(s)):]
}

var numbered = sync.OnceValue(func() map[string]bool {
	return stemSet(`issue pr ticket bug case step chapter section page room line item version phase milestone sprint week day
		port id adr rfc task part volume figure table level stage round test experiment server node user order release gate flight
		rack shelf unit lot invoice build run
		example option method approach variant scheme plan listing appendix exercise question answer scenario class group team zone area district lane platform
		track terminal building block apartment bed seat lesson topic rule article clause paragraph footnote edition episode season scene verse batch
		candidate sample draft proposal theorem equation formula migration track attachment annex exhibit grade tier hall dock pier bay slot`)
})

// numberedBefore are Chinese words behind which a number is a name: 图 3, 方案 2.
var numberedBefore = wordSet(`图 表 方案 例 例子 示例 选项 步骤 附录 附件 公式 场景 案例 题目 习题 练习 问题 阶段 实验 样本 样品 工单 单元 教室 会议室 机房 机柜 线路 房间 档 编号 提案 草案
	清单 条款 定理 批次 版块 关卡 情况 路线 站台 登机口 泊位 库房 展厅 车间 小组 分区 任务 需求 缺陷`)

var numberedHan = wordSet(`号 號 章 节 節 期 版 题 題 届 屆`)

// onceOnly are words of what has one date.
var onceOnly = sync.OnceValue(func() map[string]bool {
	return stemSet(`deadline due schedule launch expire born birthday found establish release ship until since move joined plan
		begin start end finish open close freeze hold weekly monthly daily every each anniversary wedding appointment renew renewal
		leave depart arrive fly land occur visit retire cutover kickoff interview hire promote marry graduate sign merge complete deliver upgrade trip exam
		birth debut premiere inauguration commencement christening baptism funeral engagement farewell housewarming surgery payday payroll rent salary wage mortgage
		instalment subscription invoice sabbatical enrol vote election eviction eclipse`)
})

// dayWords say of a date what it says itself.
var dayWords = sync.OnceValue(func() map[string]bool {
	return merge(stemSet(`day date month year week`), wordSet(`日 号 天 月 年 日子`))
})

// spans are times of which a rate is: per minute, 每秒.
var spans = sync.OnceValue(func() map[string]bool {
	return merge(stemSet(`second minute hour day week month quarter year night`), wordSet(`秒 分 时 天 日 周 月 季 年 分钟 小时`))
})

// periods are spans of which this one is not the last one.
var periods = sync.OnceValue(func() map[string]bool {
	return stemSet(`week month year quarter season time morning afternoon evening night summer winter spring autumn weekend semester`)
})

var onceOnlyHan = strings.Fields(`截止 到期 定于 定在 生日 出生 成立 发布 上线 推迟 计划 过期 开始 结束 举行 召开 例会 例行 每周 每月 每年 封版 开学 婚礼 预约 日期 周年 入职 签署 签订 毕业 结婚 搬家 交付
	验收 起飞 出发 到达 抵达 开业 开幕 开工 生效 退休 面试 体检 发货 续约 续费 放假 考试 预产期 纪念日 忌日 诞辰 订婚 满月酒 葬礼 追悼会 首映 首演 闭幕 竣工 奠基 典礼 乔迁
	手术 开庭 交房 交稿 截稿 休假 返校 报到 扣款 还款 扣费 缴费 放款 发薪 发工资 出账 结算 每个月 每个星期 每逢 每晚 每天 每日`)

func stemSet(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[stemOf(w)] = true
	}
	return m
}

// spell writes words one after the other.
func spell(ts []token) string {
	var b strings.Builder
	for i, t := range ts {
		if i > 0 && !(t.han && ts[i-1].han) {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}
