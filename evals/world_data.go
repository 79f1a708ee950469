package evals

// The names of the world. All are invented; some differ by one letter or one
// character on purpose, some share a first or a family name, since that is
// what real notebooks look like. What relates them is drawn in world.go.

// Domains group the companies and what belongs to them.
const (
	inRobotics = iota
	inEnergy
	inShipping
	inBiology
	inMaps
	inPayments
	inFarming
	inSpeech
	domains
)

// nameRow is one line of a table of names. latin is the name in the other
// language's script, used when a page of that language speaks of it.
type nameRow struct {
	slug, name, latin string
	aliases           []string
	domain            int
}

// people have their pronoun in place of a domain: they work wherever the dice
// say.
type personRow struct {
	slug, name, other string
	aliases           []string
	she               bool
}

const (
	asShe = true
	asHe  = false
)

var peopleEN = []personRow{
	{"mira-castellan", "Mira Castellan", "米拉·卡斯特兰", nil, asShe},
	{"mina-castellan", "Mina Castellan", "", nil, asShe},
	{"tomasz-wierzbowski", "Tomasz Wierzbowski", "", []string{"Tomek"}, asHe},
	{"ngozi-adebanwo", "Ngozi Adebanwo", "恩戈齐", nil, asShe},
	{"siobhan-tallow", "Siobhan Tallow", "", nil, asShe},
	{"arjun-velankar", "Arjun Velankar", "阿俊", nil, asHe},
	{"leila-farrokhan", "Leila Farrokhan", "莱拉", nil, asShe},
	{"kaia-lindmo", "Kaia Lindmo", "", []string{"Kay Lindmo"}, asShe},
	{"ifeanyi-okwudire", "Ifeanyi Okwudire", "", nil, asHe},
	{"rosalind-thackery", "Rosalind Thackery", "", []string{"Rosie Thackery"}, asShe},
	{"rupert-thackery", "Rupert Thackery", "", nil, asHe},
	{"mateus-carvalhinho", "Mateus Carvalhinho", "马特乌斯", nil, asHe},
	{"yuki-hanamori", "Yuki Hanamori", "花森雪", nil, asShe},
	{"oksana-drobyk", "Oksana Drobyk", "", nil, asShe},
	{"farid-benslimat", "Farid Benslimat", "法里德", nil, asHe},
	{"greta-holzapfeld", "Greta Holzapfeld", "", []string{"Dr Holzapfeld"}, asShe},
	{"duncan-mackerlie", "Duncan Mackerlie", "邓肯", nil, asHe},
	{"priya-sundarval", "Priya Sundarval", "", nil, asShe},
	{"elias-norrgrund", "Elias Norrgrund", "", nil, asHe},
	{"anneke-vanderlug", "Anneke Vanderlug", "安妮可", nil, asShe},
	{"tariq-jamshad", "Tariq Jamshad", "", nil, asHe},
	{"juniper-ashgrove", "Juniper Ashgrove", "", []string{"Juno Ashgrove"}, asShe},
	{"caleb-winterbourn", "Caleb Winterbourn", "", nil, asHe},
	{"caleb-winterhurst", "Caleb Winterhurst", "", nil, asHe},
	{"salome-gvazadze", "Salome Gvazadze", "莎洛美", nil, asShe},
	{"hana-kovarnik", "Hana Kovarnik", "", nil, asShe},
	{"obi-nwachinem", "Obi Nwachinem", "", nil, asHe},
	{"beatriz-montalvan", "Beatriz Montalvan", "碧翠丝", nil, asShe},
	{"lucia-quispehuan", "Lucía Quispehuan", "", nil, asShe},
	{"soren-bakkegard", "Søren Bakkegård", "索伦", []string{"Soren"}, asHe},
	{"zofia-malinczak", "Zofia Malińczak", "", nil, asShe},
	{"emeka-ozurumbo", "Emeka Ozurumbo", "", nil, asHe},
	{"ravi-thirunal", "Ravi Thirunal", "拉维", nil, asHe},
	{"ines-cordovil", "Inês Cordovil", "", nil, asShe},
	{"jonas-pfeffinger", "Jonas Pfeffinger", "", []string{"Professor Pfeffinger"}, asHe},
	{"pilar-echavarren", "Pilar Echavarren", "", nil, asShe},
	{"kwabena-asiedwa", "Kwabena Asiedwa", "夸贝纳", nil, asHe},
	{"miriam-edelstock", "Miriam Edelstock", "", []string{"Dr Edelstock"}, asShe},
	{"noor-alkhazin", "Noor Al-Khazin", "努尔", nil, asShe},
	{"bram-oosterlo", "Bram Oosterlo", "", nil, asHe},
	{"fiona-garrowby", "Fiona Garrowby", "", nil, asShe},
	{"fergus-garrowby", "Fergus Garrowby", "", nil, asHe},
	{"thandiwe-mkhaba", "Thandiwe Mkhaba", "坦迪薇", nil, asShe},
	{"viktor-stoyanev", "Viktor Stoyanev", "", nil, asHe},
	{"saoirse-kilbannon", "Saoirse Kilbannon", "", nil, asShe},
	{"dmitri-halvanov", "Dmitri Halvanov", "德米特里", nil, asHe},
	{"amara-soumarel", "Amara Soumarel", "", nil, asShe},
	{"henrik-vassbotten", "Henrik Vassbotten", "", nil, asHe},
	{"laleh-mosharrin", "Laleh Mosharrin", "", nil, asShe},
	{"quentin-applewhait", "Quentin Applewhait", "", []string{"Q. Applewhait"}, asHe},
}

var peopleZH = []personRow{
	{"shen-yanqiu", "沈砚秋", "Shen Yanqiu", []string{"Autumn Shen"}, asShe},
	{"chen-ruoxi", "陈若溪", "Chen Ruoxi", nil, asShe},
	{"chen-ruoxi-b", "陈若曦", "Chen Ruoxi (Hangzhou)", nil, asShe},
	{"zhou-qihang", "周启航", "Zhou Qihang", []string{"Sailor Zhou"}, asHe},
	{"zhou-qihang-b", "周启杭", "Zhou Qihang (Ningbo)", nil, asHe},
	{"ouyang-ji", "欧阳霁", "Ouyang Ji", nil, asHe},
	{"situ-lan", "司徒澜", "Situ Lan", nil, asShe},
	{"murong-jing", "慕容靖", "Murong Jing", []string{"老慕"}, asHe},
	{"wei-xiaofeng", "韦晓枫", "Wei Xiaofeng", nil, asShe},
	{"qin-shusheng", "覃树声", "Qin Shusheng", nil, asHe},
	{"ayinur-taxi", "阿依努尔·塔西", "Aynur Tashi", []string{"阿依努尔"}, asShe},
	{"zhaxi-luosang", "扎西洛桑", "Tashi Lobsang", nil, asHe},
	{"lin-qiwu", "林栖梧", "Lin Qiwu", []string{"Phoenix Lin"}, asShe},
	{"jiang-huaijin", "蒋怀瑾", "Jiang Huaijin", nil, asHe},
	{"xu-nianci", "许念慈", "Xu Nianci", nil, asShe},
	{"guo-rucheng", "郭汝城", "Guo Rucheng", nil, asHe},
	{"tang-zhixing", "唐知行", "Tang Zhixing", []string{"唐工"}, asHe},
	{"lu-boyuan", "陆泊远", "Lu Boyuan", nil, asHe},
	{"gu-weilan", "顾微澜", "Gu Weilan", []string{"Willa Gu"}, asShe},
	{"su-he", "苏禾", "Su He", nil, asShe},
	{"qin-lingsheng", "秦岭生", "Qin Lingsheng", nil, asHe},
	{"bai-lunong", "白露浓", "Bai Lunong", nil, asShe},
	{"pan-ruogu", "潘若谷", "Pan Ruogu", []string{"老潘"}, asHe},
	{"tan-yining", "谭以宁", "Tan Yining", nil, asShe},
	{"tan-yining-b", "谭以凝", "Tan Yining (Suzhou)", nil, asShe},
	{"shao-qianfan", "邵千帆", "Shao Qianfan", nil, asHe},
	{"ge-yunsheng", "葛云笙", "Ge Yunsheng", nil, asShe},
	{"ding-yiwei", "丁一苇", "Ding Yiwei", []string{"Reed Ding"}, asHe},
	{"fang-luming", "方鹿鸣", "Fang Luming", nil, asHe},
	{"yin-cailan", "尹采蓝", "Yin Cailan", nil, asShe},
	{"li-musheng", "黎暮生", "Li Musheng", nil, asHe},
	{"shi-jingwen", "石敬文", "Shi Jingwen", nil, asHe},
	{"xiong-keyin", "熊可音", "Xiong Keyin", []string{"小熊"}, asShe},
	{"zeng-wangshu", "曾望舒", "Zeng Wangshu", nil, asShe},
	{"xiahou-yue", "夏侯岳", "Xiahou Yue", nil, asHe},
	{"luo-xitian", "罗喜田", "Luo Xitian", nil, asHe},
	{"luo-xitian-b", "罗熹恬", "Luo Xitian (Dalian)", nil, asShe},
	{"shi-nanqiao", "施南乔", "Shi Nanqiao", nil, asShe},
	{"meng-haochuan", "孟浩川", "Meng Haochuan", nil, asHe},
	{"tang-muqing", "汤沐晴", "Tang Muqing", []string{"Sunny Tang"}, asShe},
	{"qiao-musen", "乔木森", "Qiao Musen", nil, asHe},
	{"qiao-musheng", "乔沐生", "Qiao Musheng", nil, asHe},
	{"duan-qinghe", "段青禾", "Duan Qinghe", nil, asShe},
	{"wenren-yu", "闻人语", "Wenren Yu", nil, asShe},
	{"hou-lixia", "侯立夏", "Hou Lixia", nil, asHe},
	{"helan-zhou", "贺兰舟", "Helan Zhou", nil, asHe},
	{"zhuang-xiaoxiu", "庄晓岫", "Zhuang Xiaoxiu", nil, asShe},
	{"lei-yimo", "雷以默", "Lei Yimo", nil, asHe},
	{"moqi-xiang", "万俟湘", "Moqi Xiang", nil, asShe},
	{"gong-shiguang", "龚拾光", "Gong Shiguang", []string{"老龚"}, asHe},
}

// The short name of a company is an alias only where it stands among them.
var companiesEN = []nameRow{
	{"larkfold", "Larkfold Robotics", "云雀坳机器人", []string{"Larkfold"}, inRobotics},
	{"cobblewick-automation", "Cobblewick Automation", "", nil, inRobotics},
	{"emberlock", "Emberlock Storage", "", []string{"Emberlock"}, inEnergy},
	{"saltmarrow-shipping", "Saltmarrow Shipping", "盐髓航运", nil, inShipping},
	{"quernholm", "Quernholm Ferries", "", []string{"Quernholm"}, inShipping},
	{"petrelline-biologics", "Petrelline Biologics", "", nil, inBiology},
	{"wayfennel", "Wayfennel Maps", "茴路地图", []string{"Wayfennel"}, inMaps},
	{"dunmarrow-survey", "Dunmarrow Survey", "", nil, inMaps},
	{"pennywhist", "Pennywhist Payments", "便士惠", []string{"Pennywhist"}, inPayments},
	{"furrowgate-irrigation", "Furrowgate Irrigation", "", nil, inFarming},
	{"mossbarrow", "Mossbarrow Farms", "", []string{"Mossbarrow"}, inFarming},
	{"murmurfield", "Murmurfield Speech", "", []string{"Murmurfield"}, inSpeech},
}

var companiesZH = []nameRow{
	{"luzhai", "鹿砦机器人", "Luzhai Robotics", []string{"鹿砦"}, inRobotics},
	{"qingxiu", "青岫储能", "Qingxiu Storage", []string{"青岫"}, inEnergy},
	{"shuochuan", "朔川电力", "Shuochuan Power", nil, inEnergy},
	{"yuao", "榆澳航运", "Yuao Lines", []string{"榆澳"}, inShipping},
	{"tingyan", "汀砚生物", "Tingyan Bio", []string{"汀砚"}, inBiology},
	{"liaoan", "蓼岸制剂", "Liaoan Formulations", nil, inBiology},
	{"huaitu", "槐图测绘", "Huaitu Mapping", []string{"槐图"}, inMaps},
	{"zhuan", "铢安支付", "Zhuan Pay", []string{"铢安"}, inPayments},
	{"jianzhou", "简舟清算", "Jianzhou Clearing", nil, inPayments},
	{"hexi", "禾隰农业", "Hexi Agriculture", []string{"禾隰"}, inFarming},
	{"lingyue", "聆岳语音", "Lingyue Voice", []string{"聆岳"}, inSpeech},
	{"xubai", "絮白声学", "Xubai Acoustics", nil, inSpeech},
}

var fundsEN = []nameRow{
	{"cairnmoss", "Cairnmoss Capital", "石苔资本", []string{"Cairnmoss"}, inEnergy},
	{"ninth-heron", "Ninth Heron Partners", "", []string{"Ninth Heron"}, inRobotics},
	{"oatfield-seed", "Oatfield Seed Fund", "", nil, inFarming},
	{"brackwater", "Brackwater Ventures", "", []string{"Brackwater"}, inShipping},
	{"lanternfish", "Lanternfish Fund", "灯鱼基金", nil, inBiology},
	{"slate-orchard", "Slate Orchard Capital", "", []string{"Slate Orchard"}, inPayments},
}

var fundsZH = []nameRow{
	{"xianshi", "衔石创投", "Xianshi Ventures", []string{"衔石"}, inRobotics},
	{"taijie", "苔阶资本", "Taijie Capital", nil, inEnergy},
	{"yuxie", "雨歇投资", "Yuxie Investments", []string{"雨歇"}, inFarming},
	{"tinglu", "汀鹭基金", "Tinglu Fund", nil, inBiology},
	{"zhewei", "折苇资本", "Zhewei Capital", []string{"折苇"}, inPayments},
	{"muxidu", "木樨渡基金", "Muxidu Fund", nil, inSpeech},
}

var projectsEN = []nameRow{
	{"gantrykit", "Gantrykit", "", nil, inRobotics},
	{"palletwise", "Palletwise", "", []string{"the pallet planner"}, inRobotics},
	{"project-nettle", "Project Nettle", "荨麻计划", []string{"Nettle"}, inRobotics},
	{"coilsong", "Coilsong", "", nil, inEnergy},
	{"ampherd", "Ampherd", "赶电", nil, inEnergy},
	{"tidewicket", "Tidewicket", "", []string{"the berth booking system"}, inShipping},
	{"reefledger", "Reefledger", "", nil, inShipping},
	{"project-samphire", "Project Samphire", "海蓬计划", []string{"Samphire"}, inShipping},
	{"enzymill", "Enzymill", "", nil, inBiology},
	{"broodlab", "Broodlab", "", nil, inBiology},
	{"contourist", "Contourist", "", nil, inMaps},
	{"plumbtrail", "Plumbtrail", "铅垂", nil, inMaps},
	{"project-cairnbook", "Project Cairnbook", "", []string{"Cairnbook"}, inMaps},
	{"coinhutch", "Coinhutch", "", nil, inPayments},
	{"tallywhack", "Tallywhack", "", []string{"the fraud scorer"}, inPayments},
	{"furrowscan", "Furrowscan", "", nil, inFarming},
	{"sproutlog", "Sproutlog", "苗志", nil, inFarming},
	{"project-dewpond", "Project Dewpond", "", []string{"Dewpond"}, inFarming},
	{"hushnet", "Hushnet", "", nil, inSpeech},
	{"echoframe", "Echoframe", "回声框", nil, inSpeech},
}

var projectsZH = []nameRow{
	{"jianxing", "拣星", "Jianxing", []string{"分拣系统"}, inRobotics},
	{"diexiang", "叠箱计划", "Project Diexiang", nil, inRobotics},
	{"guichao", "归巢调度", "Guichao", nil, inRobotics},
	{"xulan", "蓄岚", "Xulan", []string{"电池管理平台"}, inEnergy},
	{"qingwang", "晴网计划", "Project Qingwang", nil, inEnergy},
	{"xuefeng", "削峰台账", "Xuefeng Ledger", nil, inEnergy},
	{"boyun", "泊云", "Boyun", []string{"泊位系统"}, inShipping},
	{"chaoqian", "潮签", "Chaoqian", nil, inShipping},
	{"meizhou", "酶舟", "Meizhou", nil, inBiology},
	{"lengquan", "冷泉计划", "Project Lengquan", []string{"冷泉"}, inBiology},
	{"guanfeng", "罐封线", "Guanfeng Line", nil, inBiology},
	{"ceying", "测影", "Ceying", nil, inMaps},
	{"jiezhuang", "界桩库", "Jiezhuang", nil, inMaps},
	{"zhulian", "铢链", "Zhulian", nil, inPayments},
	{"duizhangou", "对账鸥", "Duizhang Gull", []string{"对账系统"}, inPayments},
	{"yeqing", "夜清计划", "Project Yeqing", nil, inPayments},
	{"dimo", "滴墨", "Dimo", []string{"灌溉控制器"}, inFarming},
	{"miaoce", "苗册", "Miaoce", nil, inFarming},
	{"tingyu", "听雨", "Tingyu", []string{"转写引擎"}, inSpeech},
	{"jingbai", "静白计划", "Project Jingbai", nil, inSpeech},
}

var teamsEN = []nameRow{
	{"gripper-guild", "Gripper Guild", "", nil, inRobotics},
	{"night-dispatch", "Night Dispatch", "", nil, inRobotics},
	{"cell-yard", "Cell Yard", "", nil, inEnergy},
	{"dock-crew", "Dock Crew", "", nil, inShipping},
	{"assay-bench", "Assay Bench", "", nil, inBiology},
	{"contour-desk", "Contour Desk", "", nil, inMaps},
	{"ledger-room", "Ledger Room", "", nil, inPayments},
	{"accent-lab", "Accent Lab", "", nil, inSpeech},
}

var teamsZH = []nameRow{
	{"zhuaqu", "抓取组", "Grasping Group", nil, inRobotics},
	{"diaodu", "夜间调度组", "Night Grid Group", nil, inEnergy},
	{"bowei", "泊位组", "Berth Group", nil, inShipping},
	{"zhiji", "制剂班", "Dosage Shift", nil, inBiology},
	{"waiye", "外业组", "Field Group", nil, inMaps},
	{"qingsuan", "清算组", "Clearing Group", nil, inPayments},
	{"guangai", "灌溉组", "Irrigation Group", nil, inFarming},
	{"shengxue", "声学组", "Acoustics Group", nil, inSpeech},
}

var decisionsEN = []nameRow{
	{"grip-force-cap", "Grip force is capped at forty newtons", "", nil, inRobotics},
	{"aisle-one-way", "Aisles become one-way for robots at night", "", nil, inRobotics},
	{"eighty-percent", "Packs leave the yard at eighty percent charge", "", nil, inEnergy},
	{"no-berth-holds", "A berth is never held longer than six hours", "", nil, inShipping},
	{"paper-manifest", "Paper manifests stay for one more season", "", nil, inShipping},
	{"two-assays", "Every batch gets two assays by two people", "", nil, inBiology},
	{"freezer-spare", "One freezer in eight stays empty", "", nil, inBiology},
	{"metric-only", "Contours are drawn in metres only", "", nil, inMaps},
	{"retire-tiles", "Tiles older than three years are retired", "", nil, inMaps},
	{"refund-window", "Refunds are open for forty-five days", "", nil, inPayments},
	{"no-night-batch", "No settlement batch runs between two and four", "", nil, inPayments},
	{"valve-default", "Valves fall shut when power is lost", "", nil, inFarming},
	{"keep-raw-audio", "Raw audio is deleted after nine days", "", nil, inSpeech},
	{"accent-quota", "Each accent gets at least sixty hours", "", nil, inSpeech},
}

var decisionsZH = []nameRow{
	{"jiazhua-tuichi", "夹爪一律改用软垫", "", nil, inRobotics},
	{"xianghao-guize", "箱号改为十二位", "", nil, inRobotics},
	{"sishiwu-du", "电池超过四十五度即停充", "", nil, inEnergy},
	{"bu-zuo-sanji", "不做第三级调峰", "", nil, inEnergy},
	{"chaowei-lianwang", "潮位数据每五分钟取一次", "", nil, inShipping},
	{"daibo-shoufei", "待泊超过八小时开始收费", "", nil, inShipping},
	{"lengku-fenqu", "冷库按批次分区", "", nil, inBiology},
	{"biaoqian-shuangyu", "标签一律双语", "", nil, inBiology},
	{"zuobiao-tongyi", "坐标系统一为一套", "", nil, inMaps},
	{"shuangren-fuhe", "大额转账必须双人复核", "", nil, inPayments},
	{"quxiao-zhizhi", "取消纸质回单", "", nil, inPayments},
	{"yejian-guangai", "灌溉只在夜间进行", "", nil, inFarming},
	{"lixian-shibie", "识别模型离线运行", "", nil, inSpeech},
	{"zaosheng-shangxian", "噪声样本不超过三成", "", nil, inSpeech},
}

var docsEN = []nameRow{
	{"gripper-wear-report", "Gripper wear report", "", nil, inRobotics},
	{"charge-curve-handbook", "Charge curve handbook", "", nil, inEnergy},
	{"harbour-depth-atlas", "Harbour depth atlas", "", nil, inShipping},
	{"demurrage-study", "Demurrage study", "", nil, inShipping},
	{"enzyme-yield-handbook", "Enzyme yield handbook", "", nil, inBiology},
	{"benchmark-index", "Index of benchmarks and boundary stones", "", nil, inMaps},
	{"chargeback-review", "Chargeback review of the second quarter", "", nil, inPayments},
	{"soil-moisture-primer", "Soil moisture primer", "", nil, inFarming},
	{"greenhouse-logbook", "Greenhouse logbook guide", "", nil, inFarming},
	{"dialect-word-list", "Dialect word list", "", nil, inSpeech},
	{"microphone-audit", "Microphone audit", "", nil, inSpeech},
}

var docsZH = []nameRow{
	{"fenjian-baipishu", "分拣效率白皮书", "", nil, inRobotics},
	{"rongliang-baogao", "电芯容量衰减报告", "", nil, inEnergy},
	{"hangdao-shouce", "航道水深手册", "", nil, inShipping},
	{"wending-yanjiu", "制剂稳定性研究", "", nil, inBiology},
	{"peiyangji-qingdan", "培养基配方清单", "", nil, inBiology},
	{"waiye-guifan", "外业操作规范", "", nil, inMaps},
	{"fengkong-nianbao", "风控年报", "", nil, inPayments},
	{"duizhang-zhinan", "对账差错指南", "", nil, inPayments},
	{"yanjiandi-diaocha", "盐碱地调查", "", nil, inFarming},
	{"fangyan-yuliao", "方言语料说明", "", nil, inSpeech},
	{"huisheng-ceping", "回声消除测评", "", nil, inSpeech},
}

var notesEN = []nameRow{
	{"harbour-fair", "Notes from the harbour fair", "", nil, inShipping},
	{"reading-club", "Reading club in spring", "", nil, inSpeech},
	{"canteen-talk", "Overheard in the canteen", "", nil, inRobotics},
	{"visitor-list", "Visitors of the open day", "", nil, inEnergy},
	{"press-cuttings", "Press cuttings of the week", "", nil, inPayments},
	{"train-ride", "Thoughts on a long train ride", "", nil, inMaps},
	{"who-is-who", "Names I keep mixing up", "", nil, inBiology},
	{"summer-walk", "The summer walk", "", nil, inFarming},
	{"panel-questions", "Questions after the panel", "", nil, inEnergy},
	{"photo-captions", "Captions for the group photos", "", nil, inRobotics},
	{"lost-and-found", "Lost and found after the workshop", "", nil, inSpeech},
	{"lunch-draw", "Results of the lunch draw", "", nil, inPayments},
	{"birthday-cards", "Birthday cards to write", "", nil, inBiology},
}

var notesZH = []nameRow{
	{"chashuijian", "茶水间见闻", "", nil, inPayments},
	{"zhanhui-suiji", "展会随记", "", nil, inRobotics},
	{"dushuhui", "读书会名单与书目", "", nil, inSpeech},
	{"jiabin-zuoci", "开放日嘉宾座次", "", nil, inEnergy},
	{"jianbao", "本周剪报", "", nil, inShipping},
	{"lvtu", "出差路上的杂记", "", nil, inMaps},
	{"rongyi-hunxiao", "容易混淆的名字", "", nil, inBiology},
	{"qiuyou", "秋游照片说明", "", nil, inFarming},
	{"wenda", "圆桌会后的提问", "", nil, inPayments},
	{"mingpian", "收到的名片", "", nil, inShipping},
	{"jieshu", "借书登记", "", nil, inBiology},
	{"chouqian", "午餐抽签结果", "", nil, inSpeech},
	{"xiezao", "给同行写的贺卡", "", nil, inFarming},
}

// redirects are stubs of pages that were merged: path, title, target's slug.
var redirects = [][3]string{
	{"people/autumn-shen.md", "Autumn Shen (old page)", "shen-yanqiu"},
	{"companies/larkfold-labs.md", "Larkfold Labs", "larkfold"},
}
