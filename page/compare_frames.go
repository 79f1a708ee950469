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

// frames are the words that say one thing of an amount, English ones by their stem. A frame holds only what cannot
// both be true of one thing with two amounts: who starts at eight may leave at five, and what cost
// a hundred may be worth two. A verb with + says nothing alone: "goes to bed", "gets up".
var frames = []struct {
	of   string // the dimensions, or "money" and "time" for all of theirs
	said string
}{
	{"time", `take require need spend duration length long 花 花费 费 用 用时 耗时 要 需 需要 走 得 时长 费时 才能`},
	{"time", `take last run go goes continue duration length long 历时 持续 长达 时长`},
	{"time", `keep retain store hold preserve stay remain delete remove purge clear drop erase discard wipe retention
		保留 存 留 存放 存储 删 删除 清 清掉 清理 清除 清空 删掉 销毁 丢弃`},
	{"time", `expire lapse invalid 过期 失效 作废 到期`},
	{"time", `wait 等 等待`},
	{"time", `old age aged 岁 年龄 年纪`},
	{"time", `work employ 工作 干 做 任职`}, {"time", `待 呆`},
	{"time", `warranty guarantee 保修 保修期 质保 质保期`},
	{"time", `valid validity 有效 有效期 保质期`},
	{"m", `tall high stand height 身高 个子 个头 身长 高 高度`},
	{"m", `long length 长 长度`}, {"m", `wide width 宽 宽度`}, {"m", `deep depth 深 深度`},
	{"m", `away far distance lie distant from 距离 相距 距 离 到 远 隔 路程`},
	{"m", `run jog 跑 跑步`}, {"m", `走 走路 步行`},
	{"g", `weigh weight heavy 重 体重 重量 净重`},
	{"money", `cost price charge fee rate go goes bill 价格 价钱 售价 收 收费 要 要价 费用 单价`}, {"money", `标价 定价`},
	{"money", `cost price pay buy fee bill 付 交 缴 买 价格 价钱 费用`},
	{"money", `cost price spend buy fee bill 花 花费 买 价格 价钱 费用 花了`},
	{"money", `earn make income bring 挣 赚 收入`}, {"money", `earn make salary wage 挣 赚 拿 工资 月薪 薪水 薪资`},
	{"money", `budget allot allocate 预算 拨 批`}, {"money", `limit cap`},
	{"m2", `area size cover measure floor 面积 占地`},
	{"B", `size weigh large big occupy take 大小 占 占用 体积`},
	{"l", `hold take capacity volume 容量 能装 可装`},
	{"deg", `set heat keep 设 设定 保持`}, {"deg", `temperature keep 温度 气温 保持`},
	{"clock", `open start begin commence 开门 开始 开 开张`}, {"clock", `start begin commence kick-off 开始 开 开场 起`},
	{"clock", `close shut end finish over 关门 结束 关 收摊 散`},
	{"clock", `leave depart 出发 发车 走 动身 开 出门`}, {"clock", `depart take-off 起飞 开`},
	{"clock", `arrive land reach come 到 到达 抵达 落地 进站`},
	{"clock", `+get up rise wake awake 起床 起 起来 醒 醒来`},
	{"clock", `sleep asleep bed +go +goes +to +fall +turn 睡 睡觉 入睡 上床 躺下 就寝`},
	{"clock", `hold happen occur place +take start begin schedule set 举行 召开 进行 开始 开 定`},
	{"clock", `eat have serve 吃 开饭`},
	{"n", `run finish complete 跑 完成`},
	{"n", `deploy run operate host 部署 跑 运行`},
	{"n", `employ have staff count 雇 有`},
	{"n", `own have possess 有 拥有`}, {"n", `keep raise have 养 有`},
	{"n", `seat hold fit accommodate take room capacity 容纳 能坐 可坐 能装 可装 坐得下 装得下`},
	{"n", `handle process serve 处理`}, {"n", `handle sustain support cope 承受 支持 扛`},
	{"n", `speak know master 会 懂 讲 说 掌握`},
	{"n", `allow permit accept let 允许 准许 许可`},
	{"n", `读 看`}, {"n", `finish 读完 看完`},
	{"n", `smoke consume 抽`}, {"n", `drink consume have 喝`}, {"n", `eat consume have 吃`}, {"n", `take swallow 吃 服`},
	{"n", `retry repeat 重试 重复`}, {"n", `attempt try 尝试`},
}

// asides are adverbs that say nothing of what the amount belongs to.
const asides = `just only merely simply actually really exactly precisely usually normally typically generally still already altogether overall entire entirely full fully whole
	about far so 就 才 便 都 只 仅 仅仅 满 整 足 整整 足足 一般 通常 正好 刚好 足有 掉 完 着 会 得 能 可以 只要 只需 需要 得要 了 为 是 有 约 大约 好`

type frameTable struct {
	of     map[string]uint64    // the frames of a word
	says   map[string]uint64    // those of which it says the amount without another word
	dims   map[dimension]uint64 // the frames of a dimension
	asides map[string]bool
}

var frameWords = sync.OnceValue(func() frameTable {
	f := frameTable{of: map[string]uint64{}, says: map[string]uint64{}, dims: map[dimension]uint64{}, asides: stemSet(asides)}
	kinds := map[string][]dimension{"time": {"s", "month", "year"}, "money": {"cny", "usd", "eur", "gbp", "jpy", "hkd", "krw", "chf", "inr", "rub"}}
	for i, frame := range frames {
		for _, w := range strings.Fields(frame.said) {
			w, helps := strings.CutPrefix(w, "+")
			f.of[stemOf(w)] |= 1 << i
			if !helps {
				f.says[stemOf(w)] |= 1 << i
			}
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
	for _, side := range [...][]token{left, right} {
		said := uint64(0)
		for _, t := range side {
			set &= f.of[t.stem]
			said |= f.says[t.stem]
		}
		if len(side) > 0 {
			set &= said
		}
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
