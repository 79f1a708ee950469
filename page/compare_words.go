package page

import (
	"strings"
	"sync"
	"unicode/utf8"

	"brain/text"
)

// The words that the screens know. English words stand in any form of their
// stem, unless marked exact; a Chinese word is found in a run of characters,
// the longest first, so that 非常 is no 非 and 不断 no 不.

// lexeme is what is known of a word.
type lexeme struct {
	role    role
	antonym antonym
	weight  weight
	stage   stage
	known   bool
}

// antonym is one side of a group of opposites, +1 and -1, or one state of several;
// group 0 is none.
type antonym struct{ group, side int8 }

// opposed reports whether two words are opposites.
func (a antonym) opposed(b antonym) bool {
	return a.group != 0 && a.group == b.group && a.side != b.side
}

const maxLexeme = 5 // characters of the longest Chinese word below

// negators turn a claim into its opposite. The verbs among them say "not
// allowed": 允许 and "allow" say what a claim without them says.
const (
	negatorsExact = `not no never none nobody nothing neither nor nowhere without cannot
		isnt arent wasnt werent dont doesnt didnt hasnt havent hadnt cant couldnt wont wouldnt shouldnt mustnt neednt aint`
	negatorsStem = `forbid forbidden prohibit ban deny disallow`
	negatorsHan  = `不 没 没有 沒 沒有 无 無 未 非 勿 别 禁止 严禁 嚴禁 不准 不得 不许 不能 不可以 不可 并非 並非 绝不 从不 從不 从未 從未 尚未 不再 毫不 未曾 没人 没有人 無人 无人 并未 從没 从没 切勿`
)

const (
	permitsStem = `allow permit`
	permitsHan  = `允许 允許 准许 许可 可以`
)

// notNegating are pairs in which the first word does not negate.
var notNegating = map[string]bool{
	"not only": true, "no matter": true, "no doubt": true, "no more": true, "no less": true, "no later": true, "not just": true,
	"no fewer": true, "no earlier": true, "not merely": true, "nothing but": true, "nobody but": true, "none but": true,
	"dont just": true, "doesnt just": true, "didnt just": true, "isnt just": true, "dont only": true, "doesnt only": true, "isnt only": true,
	"dont forget": true, "not forget": true, "never forget": true, "dont hesitate": true, "no wonder": true,
	"no problem": true, "no question": true, "without exception": true, "without fail": true, "without doubt": true, "without question": true, "not least": true,
	"no sooner": true, "nothing less": true, "no one but": true, "not to mention": true, "or not": true, "no exception": true,
}

// keptHan are words with a character that negates elsewhere, kept whole.
const keptHan = `非常 非洲 南非 非凡 是非 除非 若非 无非 莫非 非得 非要
	不错 不錯 不断 不斷 不仅 不僅 不但 不过 不過 不同 不少 不久 不管 不论 不論 不只 不止 不妨 不料 不禁 不光 不如 不得不 不愧 不时 不時 不由 不已 不幸 不一 不惜 不免
	不仅仅 不一定 要不要 要不 差不多 了不起 对不起 對不起 来不及 來不及 是不是 能不能 会不会 會不會 可不可以
	有没有 有沒有 没关系 沒關係 没收 沉没 淹没 埋没 出没 没落
	未来 未來 未免 未知 未必 无论 無論 无数 無數 无线 無線 无疑 無疑 无限 無限 无穷 无比 无奈 无所谓 无非是 虚无
	别人 別人 别的 別的 特别 特別 区别 區別 分别 分別 级别 級別 类别 類別 性别 性別 个别 個別 辨别 识别 識別 告别 别名 别墅 差别 莫名
	用户 使用 用于 费用 信用 应用 采用 作用 用途 专用 通用 用量 用法 主要 必要 公开 开放 开发 展开 离开 无人机 无人驾驶 无人值守 不可或缺 必不可少 不可缺少 毫无疑问 无一例外 少不了 离不开 忍不住 免不了 没问题 不亚于 不外乎 不得了 没准 未婚 无糖 无障碍 不动产
	不锈钢 没事 不客气 说不定 不用说 巴不得 恨不得 舍不得 独一无二 无时无刻 不知不觉
	上周 上月 上个月 上季度 上半年 下半年 上次 上学期 上一 上游 上层 上级 本周 本月 中旬 上旬 因为 因為 为了 為了 认为 認為 成为 成為 作为 作為 行为 行為 中午 里程 有效 有限 对外 对象 对话 在于 位置 名字 上班 下班 现场 现金 对方
	最近 最后 最终 最初 最好 去年 前年 今年 明年 四面 一些 一般 一起 一定 一样 一樣 一直 统一 統一 唯一 一旦 一切 一边 一面 一下 一致 进一步 進一步 之一`

// reachedHan are words that begin with the last character of a kept one: 花生不过敏 denies 过敏, and
// 不过 does not stand in it.
const reachedHan = `过敏 过期 过滤 过时 过关 过审 过户 同意 同步 断开 断电 管理 管用 收到 收取 收集 免费 免签 免税 禁用 禁止 一致 一样 错过 如实 久留`

// qualifiers narrow or weaken what is said. A claim that has one more of them
// says something else, though it is no contradiction.
const (
	qualifiersExact = `only almost nearly except unless if some all every each most many few several any both half
		may might could should must can would will was were had did been already yet still once soon
		sometimes often usually always rarely seldom hardly barely maybe perhaps probably possibly likely
		before after until since while but than more less about approximately around over under least`
	qualifiersHan = `只 仅 仅仅 僅 除了 除 几乎 幾乎 可能 也许 也許 或许 或許 应该 應該 应当 必须 必須 会 會 将 將 曾 曾经 已 已经 已經
		有时 有時 经常 經常 偶尔 偶爾 大多 大多数 部分 所有 全部 一些 如果 若 大约 大約 约 左右 以上 以下 之前 之后 以后 以前 至少 最多 不一定 未必 才 都 每 每个 每個 各 了 过`
)

// littles say nothing by themselves: one of two statements may have one more.
// Softs count only where both have them: of 100 requests and a limit of 100
// requests both speak of requests.
const (
	littleExact = `has have had having there in on at of for with by per we our us they them their you your i my me it its he she him her his
		this that these those which who and as so also then now currently presently please hereby`
	littleHan = `有 在 个 個 一共 总共 总计 共计 共 现 现有 现在 目前 当前 如今 我们 咱们 他们 她们 它们 我 您 你 他 她 它 上 里 中 内 于 於 对 對 为 為
		也 就 要 用 需要 需 须 还 還 正在 正 名 位 次 台 条 條 项 項 份`
	softStem = `old consist contain include comprise last take cost length size number count amount total quota limit maximum minimum max min schedule plan set period duration term offer serve provide`
	softHan  = `期限 时长 周期 上限 下限 日期 日子 时间 最大 最小 最多 至多 不超过 不能超过 不得超过 封顶 至少 最少 不少于 不低于 开 长度 長度 数量 數量 大小 人数 人數 总数 總數 额度 額度 限 限制 定于 定在 安排`
)

const (
	lightExact = `a an the is are am be being there do does s`
	lightHan   = `的 是`
)

// opposites are groups of words, one side and the other.
var opposites = []struct{ plus, minus string }{
	{"enable enabled activate activated active on online 启用 啟用 开启 開啟 打开 打開 激活 开通 启动 上线 在线",
		"disable disabled deactivate deactivated inactive off offline 停用 禁用 关闭 關閉 关掉 下线 离线 停止"},
	{"open opened", "close closed shut"},
	{"increase raise rise grow higher high up above more faster gain 上升 增加 增长 增長 提高 上涨 上漲 升高 高于 超过 多于 加快",
		"decrease reduce lower low drop fall shrink down below less fewer slower lose 下降 减少 減少 降低 下跌 降低 低于 少于 减慢"},
	{"accept approve pass succeed success successful 接受 批准 通过 通過 成功 同意 支持",
		"reject decline refuse fail failure failed unsuccessful 拒绝 拒絕 被拒 驳回 失败 失敗 反对 反對"},
	{"start begin started 开始 開始", "stop end stopped ended 结束 結束"},
	{"true yes correct right 真 正确 正確", "false wrong incorrect 假 错误 錯誤"},
	{"public 公开 公開", "private 私有 私密 保密"},
	{"required mandatory 必填 必需 必选", "optional 可选 選填 选填"},
	{"add added install include 添加 安装 安裝 包含 包括", "remove removed delete uninstall exclude 删除 刪除 卸载 移除 排除"},
	{"buy bought 买 購買 购买 买入", "sell sold 卖 出售 卖出"},
	{"win won 赢 获胜", "lost defeat 输 失利"},
	{"sync synchronous 同步", "async asynchronous 异步 異步"},
	{"automatic automatically 自动 自動", "manual manually 手动 手動"},
	{"empty 空", "full 满"},
	{"safe 安全", "dangerous 危险 危險"},
	{"internal 内部", "external 外部"},
	{"early earlier 早", "late later 晚"},
	{"hot", "cold"},
	{"love like 喜欢 喜歡", "hate dislike 讨厌 討厭"},
	{"join joined hire hired 加入 入职 在职", "leave left quit resign fire fired 离开 離職 离职 退出"},
	{"good 好", "bad 坏 壞"},
	{"present", "absent"},
	{"encrypted 加密", "plaintext unencrypted 明文"},
	{"valid 有效", "invalid expired 无效 無效 过期 失效"},
	{"mutable writable 可写", "immutable readonly read-only 只读"},
	{"full-time 全职", "part-time 兼职"},
	{"permanent 永久", "temporary 临时"},
	{"normal healthy working fixed repaired 正常 健康 修好 修复", "abnormal broken faulty degraded 异常 故障 损坏 坏了"},
	{"visible shown 可见 显示", "hidden invisible 隐藏"},
	{"locked 锁定", "unlocked 解锁"},
	{"connect connected 连接 连通", "disconnect disconnected 断开"},
	{"remote remotely 远程", "onsite on-site 驻场"},
	{"free 免费", "chargeable 收费 付费"},
	{"stable 稳定", "unstable flaky 不稳"},
	{"optimistic 乐观", "pessimistic 悲观"},
	{"rich wealthy 富裕 富有", "poor 贫穷 贫困"},
	{"strong 强大", "weak 薄弱 弱小"},
	{"big large huge", "small little tiny"},
	{"long tall taller", "short shorter"},
	{"tab", "space"},
	{"older elder 年长", "younger 年轻"},
	{"cheaper", "pricier"},
	{"stronger", "weaker"},
	{"bigger larger", "smaller"},
	{"warmer hotter", "colder cooler"},
	{"heavier", "lighter"},
	{"easy simple 容易 简单", "difficult hard complicated 困难 复杂"},
	{"fast quick quickly rapidly 快速 迅速", "slow slowly 缓慢"},
	{"light 浅色", "dark 深色"},
	{"indoors inside 室内", "outdoors outside 室外"},
	{"happy glad 高兴 开心 愉快", "sad unhappy 伤心 难过 悲伤"},
	{"clean 干净 清洁", "dirty 肮脏"},
	{"wet", "dry"},
	{"asleep sleeping", "awake"},
	{"forward", "backward backwards"},
	{"left-handed 左撇子", "right-handed 右撇子"},
	{"employed 在职 有工作", "unemployed jobless 失业 待业 无业"},
	{"alive living 在世 健在", "dead deceased 去世 过世 已故 离世"},
	{"recovered cured 康复 痊愈", "sick ill ailing 生病 患病 病重"},
	{"settled 付清 已付 结清 还清", "unpaid overdue outstanding 未付 拖欠 逾期"},
	{"confirmed 确认 敲定", "unconfirmed tentative 待定 未定"},
	{"known 已知 查明 查清", "unknown unclear 未知 不明"},
	{"innocent 无罪", "guilty 有罪"},
	{"refundable 可退", "non-refundable nonrefundable 不可退"},
	{"mild", "spicy"},
	{"urgent 紧急", "low-priority 不急"},
	{"up-to-date 最新", "outdated stale 过时 陈旧"},
	{"agree agreed 赞成", "disagree disagreed"},
	{"advantage strength 优势 优点 长处", "disadvantage weakness 劣势 缺点 短处"},
	{"improve improved better 进步 改善 提升 好转", "worsen deteriorate worse 退步 恶化"},
	{"expand extend widen 扩大 扩张", "shrink narrow 缩小 收缩"},
	{"strengthen 加强 增强 强化", "weaken 削弱 减弱 弱化"},
	{"profit surplus 盈利 盈余", "loss deficit 亏损 赤字"},
	{"import 进口", "export 出口"},
	{"legal lawful 合法", "illegal 非法 违法"},
	{"generous 大方 慷慨", "stingy 小气 吝啬"},
	{"diligent hardworking 勤劳 勤快 勤奋", "lazy 懒惰 偷懒"},
	{"remember 记得 记住", "forget 忘记 忘了"},
	{"familiar 熟悉 了解", "unfamiliar 陌生"},
	{"equal same identical 相同 一致", "unequal different 不同 有别"},
	{"crowded busy 忙 繁忙 热闹", "deserted idle 空闲 清闲 冷清"},
	{"expensive costly 昂贵", "cheap inexpensive 便宜"},
	{"thick", "thin"},
	{"major majority 多数", "minor minority 少数"},
	{"upstairs 楼上", "downstairs 楼下"},
	{"arrive arrived arrival 到达 抵达", "depart departed departure 出发 启程"},
	{"borrow 借入", "lend 借出"},
	{"merged 合并", "unmerged split 拆分"},
	{"online-only 线上", "offline-only 线下"},
	{"上架 在售", "下架 停售"},
	{"开业 营业", "停业 歇业"},
	{"vegetarian vegan 吃素 素食", "carnivore 吃荤"},
}

// states are words of which one holds at a time, of more than two.
var states = [][]string{
	{"progress ongoing underway running resumed 进行 进行中 运行 运行中 恢复", "paused suspended halted interrupted hold 暂停 中止 中断 挂起 搁置",
		"done finished complete completed 完成 做完 完工", "cancel cancelled canceled abandoned 取消 作废 放弃", "pending waiting 待定 待办 等待"},
	{"publish published 已发布", "draft 草稿", "archived 归档"},
	{"available in-stock 有货 现货", "sold-out out-of-stock 缺货 售罄 断货"},
	{"deployed 部署", "rolled-back 回滚"},
	{"support supported 支持 赞同", "oppose opposed 反对", "deprecated discontinued 弃用 废弃"},
	{"vacant 空缺 在招 招人 招聘", "occupied filled 招满 招到 占用"},
	{"married 已婚 结婚 成家", "single unmarried 单身 未婚", "divorced 离婚 离异", "widowed 丧偶", "engaged 订婚"},
	{"=hourly", "=daily =nightly", "=weekly", "=fortnightly =biweekly", "=monthly", "=quarterly", "=yearly =annually =annual"},
	{"green 绿色", "red 红色", "yellow amber 黄色", "blue 蓝色", "black 黑色", "white 白色", "brown 棕色", "orange 橙色", "grey gray 灰色", "purple 紫色", "pink 粉色"},
}

// naming are opposites by which things are told apart: the internal API and the
// external API are two. Only said of a thing ("is internal") they oppose.
var naming = sync.OnceValue(func() map[int8]bool {
	groups := map[int8]bool{}
	for i, o := range opposites {
		for _, w := range strings.Fields("public internal early hot permanent automatic sync full-time free long big light indoors major import remote safe new") {
			if strings.HasPrefix(o.plus, w) {
				groups[int8(i+1)] = true
			}
		}
	}
	for i, s := range states {
		if strings.HasPrefix(s[0], "green") || strings.HasPrefix(s[0], "=hourly") {
			groups[int8(len(opposites)+i+1)] = true
		}
	}
	return groups
})

// prefixes make a word's opposite: available, unavailable.
var prefixes = [...]string{"un", "dis", "in", "im", "ir", "il"}

// prefixed reports whether one of two words is the other with such a prefix.
func prefixed(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	const shortest = 4
	head, ok := strings.CutSuffix(b, a)
	if !ok || len(a) < shortest {
		return false
	}
	for _, p := range prefixes {
		if head == p {
			return true
		}
	}
	return false
}

// Attributes of which a thing has one at a time: "the owner is Alice".
const (
	attributesStem = `owner database deadline manager boss ceo cto lead maintainer email address birthday capital language default version
		status region host timezone currency license limit timeout port password username editor shell theme branch framework backend city employer on-call oncall host captain chair chairman approver contact supplier vendor provider headquarters
		password colour color size mentor landlord favourite favorite preferred name nickname codename domain os cloud cdn
		wife husband spouse home fiance fiancee girlfriend boyfriend architect secretary treasurer president mayor sponsor publisher insurer airline
		registrar venue operator breed doctor dentist teacher coach runtime engine region hometown nationality`
	attributesHan = `负责人 負責人 数据库 資料庫 默认值 地址 电话 生日 经理 语言 状态 版本 时区 首都 编辑器 框架 密码 上司 老板 职位 所有者 默认 总部 总公司 值班人 值班 联系人 供应商 服务商 主持人 组长 队长 审批人 导师 房东 校长 会长 班主任 主治医生 籍贯 国籍 分支 许可证 最喜欢 最爱 会议室 办公室 座位 车型 车牌 邮箱 账号 手机号 昵称 名字 姓名 域名 代号 平台 操作系统 云厂商 区域 地区 币种 货币 口味 尺码
	血型 星座 专业 学校 公司 部门 岗位 职务 妻子 丈夫 老婆 老公 男友 女友 配偶 首选 牵头人 接口人`
)

// words that tell of a change, from an old state to a new one.
const (
	changesStem = `move migrate switch change replace rename upgrade retire longer instead`
	changesHan  = `迁移 遷移 迁移到 迁到 改用 换成 改为 改成 换到 换为 替换 搬到 转到 转为 不再 弃用`
)

// symmetric relations hold both ways, so that an exchange of their ends
// changes nothing.
const (
	symmetricStem = `and or with marry sibling friend meet met equal same similar connect differ versus vs near together colleague
		neighbour neighbor cousin partner`
	symmetricHan = `和 与 與 跟 同 及 或 结婚 合作 相同 等于 朋友 同事 邻居 相邻 相似 认识`
)

// irregular verbs, a form that has no rule and the one that is compared by. Forms
// that are words of their own ("left", "lost", "found") stay apart.
const irregularForms = `kept:keep held:hold led:lead ran:run wrote:write written:write chose:choose chosen:choose bought:buy sold:sell built:build
	sent:send spent:spend met:meet paid:pay began:begin begun:begin went:go gone:go took:take taken:take gave:give given:give made:make said:say
	told:tell knew:know known:know grew:grow grown:grow broke:break broken:break spoke:speak spoken:speak ate:eat eaten:eat drove:drive driven:drive
	rose:rise risen:rise saw:see seen:see got:get sat:sit stood:stand sang:sing caught:catch taught:teach thought:think brought:bring fought:fight
	slept:sleep lent:lend wore:wear worn:wear won:win shot:shoot froze:freeze frozen:freeze
	retain:keep retains:keep retained:keep reside:live resides:live purchase:buy purchased:buy kids:child kid:child children:child`

var irregulars = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, f := range strings.Fields(irregularForms) {
		form, base, _ := strings.Cut(f, ":")
		m[form] = stemOf(base)
	}
	return m
})

// sameHan are Chinese words that are compared as another one.
var sameHan = map[string]string{"保存": "保留", "留存": "保留", "租金": "房租", "打烊": "关门", "营业": "开门", "雇员": "员工", "职员": "员工"}

const sameHanWords = `保存 留存 保留 租金 房租 打烊 关门 开门 雇员 职员 员工`

type wordLists struct {
	exact, stems, han                       map[string]lexeme
	attributes, changes, symmetric, reached map[string]bool
}

// lexicon reads the lists through the tokenizer, once.
var lexicon = sync.OnceValue(func() *wordLists {
	l := &wordLists{exact: map[string]lexeme{}, stems: map[string]lexeme{}, han: map[string]lexeme{}}
	l.addHan(keptHan, lexeme{})
	l.reached = map[string]bool{}
	for _, w := range strings.Fields(reachedHan) {
		l.reached[w] = true
	}
	l.attributes = l.set(attributesStem, attributesHan)
	l.changes = l.set(changesStem, changesHan)
	l.symmetric = l.set(symmetricStem, symmetricHan)
	for i, o := range opposites {
		l.addOpposites(o.plus, antonym{int8(i + 1), 1})
		l.addOpposites(o.minus, antonym{int8(i + 1), -1})
	}
	for i, group := range states {
		for k, words := range group {
			l.addOpposites(words, antonym{int8(len(opposites) + i + 1), int8(k + 1)})
		}
	}
	l.addWeights()
	l.addHan(permitsHan, lexeme{role: permit})
	l.addHan(qualifiersHan, lexeme{role: qualifier})
	l.addHan(lightHan, lexeme{role: light})
	l.addHan(negatorsHan, lexeme{role: negator})
	for list, r := range map[string]role{negatorsExact: negator, lightExact: light} {
		for _, w := range strings.Fields(list) {
			l.exact[w] = lexeme{role: r, known: true}
		}
	}
	for _, w := range strings.Fields(qualifiersExact) {
		e := l.stems[w] // more, under: also one of two opposites
		l.exact[w] = lexeme{role: qualifier, antonym: e.antonym, known: true}
	}
	for list, r := range map[string]role{negatorsStem: negator, permitsStem: permit} {
		for _, w := range strings.Fields(list) {
			l.stems[stemOf(w)] = lexeme{role: r, known: true}
		}
	}
	l.addStages()
	return l
})

// addWeights adds the words that carry little. What else is known of a word stays.
func (l *wordLists) addWeights() {
	for list, w := range map[string]weight{littleHan: little, softHan: soft} {
		for _, word := range strings.Fields(list) {
			e := l.han[word]
			e.weight, e.known = w, true
			l.han[word] = e
		}
	}
	for _, word := range strings.Fields(littleExact) {
		l.exact[word] = lexeme{weight: little, antonym: l.stems[stemOf(word)].antonym, known: true} // on: also the opposite of off
	}
	for _, word := range strings.Fields(softStem) {
		e := l.stems[stemOf(word)]
		e.weight, e.known = soft, true
		l.stems[stemOf(word)] = e
	}
	for _, word := range strings.Fields(functionsHan + " " + functionsOfHan + " " + manifoldHan + " " + regions + " " + countries + " " + continents + " " + cities + " " + sameHanWords + " " + markedHan() + " " + framesHan()) {
		if word[0] >= 0x80 && !l.han[word].known {
			l.addHan(word, lexeme{})
		}
	}
}

func (l *wordLists) addHan(list string, e lexeme) {
	e.known = true
	for _, w := range strings.Fields(list) {
		if old, ok := l.han[w]; ok && e.role != plain {
			e := e
			e.antonym, e.weight = old.antonym, old.weight
			l.han[w] = e
			continue
		}
		l.han[w] = e
	}
}

// set is a list of stems and Chinese words; the words are kept whole.
func (l *wordLists) set(stems, han string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(stems) {
		m[stemOf(w)] = true
	}
	for _, w := range strings.Fields(han) {
		m[w] = true
		if _, ok := l.han[w]; !ok {
			l.addHan(w, lexeme{})
		}
	}
	return m
}

func (l *wordLists) addOpposites(list string, a antonym) {
	for _, w := range strings.Fields(list) {
		if word, isExact := strings.CutPrefix(w, "="); isExact { // weekly is not week
			l.exact[word] = lexeme{antonym: a, weight: soft, known: true}
		} else if r, _ := utf8.DecodeRuneInString(w); text.IsCJK(r) {
			l.addHan(w, lexeme{antonym: a})
		} else {
			l.stems[stemOf(w)] = lexeme{antonym: a, known: true}
		}
	}
}

// stemOf is the form by which English words are compared.
func stemOf(w string) string {
	out := w
	text.Terms(w, func(t text.Term) {
		if t.Kind == text.Exact || t.Kind == text.Stem {
			out = string(t.Text)
		}
	})
	return out
}
