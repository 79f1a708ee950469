package page

import (
	"slices"
	"strings"
	"sync"
)

// An amount is said of a thing by a verb, and there are several for one amount:
//
//	Messages are kept for seven days.     Messages are deleted after thirty days.
//	The siesta takes an hour.             The siesta lasts two hours.
//	阿宁身高一米七八。                      阿宁的个子是一米七二。
//
// Which ones say the same depends on the kind of amount: a time that something is "kept" is the
// time after which it is "deleted". Words of one frame are such, and may stand for each
// other beside an amount of the frame's kind. No other word may: it could be another thing.

// frames are the words that say one thing of an amount, English ones by their stem.
var frames = []struct {
	of   string // the dimensions, or "money" and "time" for all of theirs
	said string
}{
	{"time", `take last require need run go goes continue spend duration length long 花 花费 用 用时 耗时 历时 持续 长达 要 需 需要 走 得 时长 费时 才能`},
	{"time", `keep retain store hold preserve save stay remain delete remove purge clear drop erase discard wipe retention
		保留 存 留 存放 存储 删 删除 清 清掉 清理 清除 清空 删掉 销毁 丢弃`},
	{"time", `expire lapse invalid 过期 失效 作废 到期`},
	{"time", `wait 等 等待`},
	{"time", `old age aged 岁 年龄 年纪`},
	{"time", `work employ stay join serve 工作 干 做 任职 待 呆`},
	{"time", `warranty guarantee 保修 保修期 质保 质保期`},
	{"time", `valid last validity 有效 有效期 保质期`},
	{"m", `tall high stand height measure 身高 个子 个头 身长 高 高度`},
	{"m", `long length measure 长 长度`}, {"m", `wide width measure 宽 宽度`}, {"m", `deep depth 深 深度`},
	{"m", `away far distance lie distant from 距离 相距 距 离 到 远 隔 路程`},
	{"m", `run jog cover walk hike ride swim 跑 走 跑步`},
	{"g", `weigh weight heavy 重 体重 重量 净重`},
	{"money", `cost price charge sell worth fee rate go goes bill 价格 价钱 售价 卖 收 收费 要 要价 标价 定价 费用 单价 花`},
	{"money", `cost price pay spend buy fee bill 花 花费 付 交 缴 买 价格 价钱 费用 花了`},
	{"money", `earn make pay salary wage income bring 挣 赚 拿 工资 月薪 薪水 收入 薪资`},
	{"money", `budget allot allocate limit cap 预算 拨 批`},
	{"m2", `area size cover measure floor 面积 占地`},
	{"B", `size weigh large big occupy take 大小 占 占用 体积`},
	{"l", `hold contain take capacity volume 容量 装 盛`},
	{"deg", `temperature set heat keep 温度 气温 设 设定 保持`},
	{"clock", `open start begin commence kick-off resume 开门 开始 开 开场 起 开张 上班`},
	{"clock", `close shut end finish stop over 关门 结束 关 下班 收摊 散`},
	{"clock", `leave depart set go goes head start take-off 出发 发车 起飞 走 动身 开 出门`},
	{"clock", `arrive land reach come get in 到 到达 抵达 落地 进站 回`},
	{"clock", `get up rise wake bed out awake 起床 起 起来 醒 醒来`},
	{"clock", `sleep asleep bed go goes fall turn 睡 睡觉 入睡 上床 躺下 就寝`},
	{"clock", `hold happen occur place take start begin schedule set 举行 召开 进行 开始 开 定`},
	{"clock", `eat have serve 吃 开饭`},
	{"n", `run finish complete do 跑 完成 做 参加`},
	{"n", `deploy run launch operate host 部署 跑 运行 启动 起 开`},
	{"n", `employ have staff count 雇 有`},
	{"n", `own have keep raise possess 养 有 拥有`},
	{"n", `seat hold fit accommodate contain take room capacity 容纳 坐 装 坐得下 装得下`},
	{"n", `handle process serve sustain support cope 处理 承受 支持 扛`},
	{"n", `speak know master 会 懂 讲 说 掌握`},
	{"n", `allow permit accept let 允许 准许 许可`},
	{"n", `read finish 读 看 看完 读完`},
	{"n", `smoke drink take eat consume have swallow 抽 喝 吃 服`},
	{"n", `retry repeat attempt try 重试 重复 尝试`},
}

// asides are adverbs that say nothing of what the amount belongs to.
const asides = `just only merely simply actually really exactly precisely usually normally typically generally still already altogether overall entire entirely full fully whole
	about far so up 就 才 便 都 只 仅 仅仅 满 整 足 整整 足足 一般 通常 正好 刚好 足有 掉 完 着 会 得 能 可以 只要 只需 需要 得要 了 为 是 有 约 大约 好`

type frameTable struct {
	of     map[string]uint64    // the frames of a word
	dims   map[dimension]uint64 // the frames of a dimension
	asides map[string]bool
}

var frameWords = sync.OnceValue(func() frameTable {
	f := frameTable{of: map[string]uint64{}, dims: map[dimension]uint64{}, asides: stemSet(asides)}
	kinds := map[string][]dimension{"time": {"s", "month", "year"}, "money": {"cny", "usd", "eur", "gbp", "jpy", "hkd", "krw", "chf", "inr", "rub"}}
	for i, frame := range frames {
		for _, w := range strings.Fields(frame.said) {
			f.of[stemOf(w)] |= 1 << i
		}
		dims := kinds[frame.of]
		if dims == nil {
			dims = []dimension{dimension(frame.of)}
		}
		for _, d := range dims {
			f.dims[d] |= 1 << i
		}
	}
	return f
})

// framesHan are the Chinese words of frames that are kept whole.
func framesHan() string {
	var words []string
	for _, frame := range frames {
		for _, w := range strings.Fields(frame.said) {
			if w[0] >= 0x80 && len(w) > len("字") {
				words = append(words, w)
			}
		}
	}
	return strings.Join(words, " ")
}

// framesOf are the frames whose words a statement has, of the dimensions of its values, and how
// many of its words are such or asides.
func (a *Statement) framesOf() (set uint64, n int) {
	if a.values == 0 {
		return 0, 0
	}
	f := frameWords()
	dims := uint64(0)
	for _, t := range a.core {
		if t.role == value {
			dims |= a.framesAt(t)
		}
	}
	for _, t := range a.core {
		if t.role == value {
			continue
		}
		said := f.of[t.stem] & dims
		if set |= said; t.weight == full && (said != 0 || f.asides[t.stem]) {
			n++
		}
	}
	return set, n
}

// framesAt are the frames that fit a value. An hour is often only a number: "at nine".
func (a *Statement) framesAt(t token) uint64 {
	dims := frameWords().dims
	if t.dim == aCount && strings.HasSuffix(strings.TrimRight(a.Claim.Text[:t.start], " "), " at") {
		return dims[aCount] | dims[aClock]
	}
	return dims[t.dim]
}

// dropFrame drops the words that say one thing of amounts such as x and y, where all that is left on
// both sides are such words.
func (c *contrast) dropFrame(x, y token) {
	f := frameWords()
	aside := func(t token) bool {
		return t.role != value && f.asides[t.stem] && (t.antonym.group == 0 || t.text == "满") // a full hour is no opposite of an empty one
	}
	left, right := slices.DeleteFunc(slices.Clone(c.left), aside), slices.DeleteFunc(slices.Clone(c.right), aside)
	set := c.a.framesAt(x) & c.b.framesAt(y)
	switch {
	case len(left) == 0 && len(right) > 0:
		set &= c.a.softFrames()
	case len(right) == 0 && len(left) > 0:
		set &= c.b.softFrames()
	}
	c.left, c.right = left, right
	for _, t := range slices.Concat(left, right) {
		set &= f.of[t.stem]
	}
	if set != 0 {
		c.left, c.right = nil, nil
	}
}

// softFrames are the frames of the words that count only where both statements have them: "costs".
func (a *Statement) softFrames() (set uint64) {
	for _, t := range a.core {
		if t.weight == soft {
			set |= frameWords().of[t.stem]
		}
	}
	return set
}
