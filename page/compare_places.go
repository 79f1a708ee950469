package page

import (
	"strings"
	"sync"
)

// Who lives in Germany may live in Frankfurt: of two places one may lie in the other. Which one
// does is not known here, but that a town is no country is. Two of one level are two places.

const (
	continents = `europe asia africa america australia oceania eu emea apac 欧洲 亚洲 非洲 北美 南美 美洲 大洋洲 欧盟 东南亚 东亚`
	countries  = `germany france italy spain portugal switzerland austria belgium netherlands holland denmark sweden norway finland iceland ireland britain uk england scotland
		wales poland czechia hungary romania bulgaria greece turkey ukraine russia estonia latvia lithuania croatia serbia slovenia slovakia usa us canada mexico brazil argentina chile
		colombia peru china japan korea taiwan singapore malaysia indonesia thailand vietnam philippines india pakistan israel egypt morocco kenya nigeria zealand
		中国 美国 英国 德国 法国 意大利 西班牙 葡萄牙 瑞士 奥地利 比利时 荷兰 丹麦 瑞典 挪威 芬兰 冰岛 爱尔兰 波兰 俄罗斯 乌克兰 土耳其 希腊 加拿大 墨西哥 巴西 阿根廷 日本 韩国 新加坡
		马来西亚 印尼 泰国 越南 菲律宾 印度 以色列 埃及 澳大利亚 澳洲 新西兰`
	cities = `北京 上海 广州 深圳 杭州 南京 苏州 成都 武汉 西安 重庆 天津 青岛 大连 厦门 长沙 郑州 合肥 济南 福州 昆明 贵阳 南宁 沈阳 哈尔滨 长春 石家庄 太原 兰州 银川 西宁 乌鲁木齐 拉萨
		海口 三亚 无锡 宁波 温州 佛山 东莞 珠海 香港 澳门 台北 高雄 东京 大阪 京都 首尔 釜山 伦敦 巴黎 柏林 法兰克福 慕尼黑 汉堡 都柏林 阿姆斯特丹 苏黎世 日内瓦 维也纳 罗马 米兰 马德里 巴塞罗那 里斯本
		纽约 旧金山 洛杉矶 西雅图 芝加哥 波士顿 硅谷 多伦多 温哥华 悉尼 墨尔本 曼谷 吉隆坡 雅加达 孟买 班加罗尔 迪拜 莫斯科 布拉格 斯德哥尔摩`
	regions = `california texas florida oregon washington virginia ohio nevada arizona colorado massachusetts bavaria saxony hesse tuscany lombardy catalonia provence ontario quebec
		河北 山西 辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 广东 广西 海南 四川 贵州 云南 陕西 甘肃 青海 宁夏 新疆 西藏 内蒙古 台湾`
)

// levels tells how large a place of a known name is: 0 a town, 1 a part of a country, 2 a country, 3 more.
var levels = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for i, list := range [...]string{cities, regions, countries, continents} {
		for _, w := range strings.Fields(list) {
			m[w] = i
		}
	}
	return m
})

// isPlace reports a town, region or country that is known by name.
func isPlace(t token) bool {
	_, known := levels()[t.text]
	return known
}

// largest is the level of the largest place that is named; one that is not known counts as a town.
func largest(ts []token) (level int) {
	for _, t := range ts {
		level = max(level, levels()[t.text])
	}
	return level
}
