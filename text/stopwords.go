package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Words that a question is made of and an answer is not. They are left out of
// questions only: the index has every word, so that a phrase still counts
// them. The lists are short on purpose; BM25 gives frequent words little
// weight anyhow, and a word too many here is lost for ever.

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// englishStops are folded as Terms folds: "don't" is dont.
var englishStops = wordSet(`
	a an the this that these those there
	and or but if so than then as
	of in on at by to for from with about into
	is are was were be been being am isnt arent wasnt werent
	do does did doing dont doesnt didnt
	has have had having
	can could would should may might will shall cant couldnt wouldnt
	i me my we us our you your he him his she her it its they them their
	who whom whose what which when where why how
	not no any some please tell`)

// Chinese: cut out of a run, longest match first. The bigrams across the cut
// go too; a word in hanKeeps that contains such a character stays.
var hanStops = wordSet(`
	什么 什麼 甚麼 什么样 什麼樣 什么时候 什麼時候 怎么 怎麼 怎样 怎樣 怎么样 怎麼樣 怎么办 怎麼辦 如何
	哪 哪个 哪個 哪些 哪里 哪裡 哪裏 哪儿 哪兒 哪年 哪位 哪种 哪種 哪一 哪一个 哪一個 哪一年 哪一种 哪一種 哪两个 哪兩個
	为什么 為什麼 为何 為何 何时 何時 何地 何处 何處 何人 何种 何種 何年 何者
	谁 誰 多少 多大 多久 多长 多長 几个 幾個 几年 幾年
	是什么 是什麼 是谁 是誰 是否 是不是 有没有 有沒有 有哪些 有什么 有什麼 能不能 可不可以
	请问 請問 告诉我 告訴我 吗 嗎 呢 啊 呀 嘛
	何時 何故`)

// hanParticles join words in a sentence and are part of words elsewhere (有道,
// 和田, 何先生). So they are cut out of runs longer than a word only, unless
// there is nothing else.
var hanParticles = wordSet(`的 了 是 在 有 和 与 與 及 吧 何`)

// longestWord is the length of a run that is taken for a word by itself.
const longestWord = 3

var hanKeeps = wordSet(`
	目的 的确 的確 的士 了解 为了 了不起
	于是 於是 是非 国是 國是
	存在 现在 現在 在线 在線 所在 内在 內在 潜在 潛在 实在 實在 在职 在職 在校
	没有 沒有 所有 拥有 擁有 具有 有限 有效 有关 有關 私有 国有 國有 特有 共有 持有 原有 享有 有机 有機 有利 有害 稀有 固有 占有 有色
	和平 共和 共和国 共和國 和解 和谐 和諧 饱和 飽和 中和 总和 總和 昭和 和服 和声 和聲 温和 溫和 缓和 緩和
	参与 參與 与会 與會 赋予 授与 授與 以及 埃及 普及 涉及 及时 及時 及格 及其
	哪吒 酒吧 贴吧 貼吧 网吧 網吧 啊哈 几何 幾何`)

// Japanese hiragana: a run goes when these words make up all of it. Nothing
// is cut out of a longer run: its characters may be any word's.
var hiraganaStops = wordSet(`
	は が を に の で と も や へ か ね よ な
	です ます でした ました だ である だった
	ですか ますか でしょうか ましたか ました か
	から まで より について における に関 による として とは では には との へ の で
	なに なん なぜ どこ どの どれ どう いつ だれ どのような どんな いくつ いくら
	した して する される された し た て れ る
	この その あの これ それ ください おしえて`)

// Korean: whole words, and endings taken off a word of which two syllables
// remain. The longest ending that fits is taken.
var hangulStops = wordSet(`
	무엇 무엇인가 무엇인가요 무엇입니까 무엇이 무엇을 뭐 뭐야 뭔가 어디 어디서 어디에 어디에서 어디인가 어디인가요 어디입니까
	누구 누구인가 누구인가요 누구입니까 누가 언제 언제인가 언제인가요 왜 어떻게 어떤 어느 몇 얼마 얼마나 무슨
	이 그 저 것 수 등 및 또는 있는 하는 한 된 인가 인가요 입니까 있나요 있습니까 하나요 합니까 는 은`)

var hangulEndings = strings.Fields(`
	은 는 이 가 을 를 의 에 와 과 도 로 만 에서 으로 까지 부터 에게 에는 에서는 으로는
	인가 인가요 입니까 이란 란 이라는 라는`)

var thaiStops = wordSet(`อะไร ที่ไหน เมื่อไร เมื่อไหร่ ใคร อย่างไร ทำไม เท่าไร เท่าไหร่ คือ เป็น ไหม หรือ ของ และ`)

// maxStop is the longest entry of the lists that are matched inside runs.
const maxStop = 12

// stopped marks the characters of a run that a question does without.
func stopped(script class, run []string) []bool {
	out := make([]bool, len(run))
	switch script {
	case han:
		cutHan(run, out)
	case thai:
		cutStops(run, out, thaiStops, nil)
	case hiragana:
		cutStops(run, out, hiraganaStops, nil)
		if slices.Contains(out, false) {
			clear(out)
		}
	case hangul:
		cutHangul(run, out)
	}
	return out
}

func cutHan(run []string, out []bool) {
	cutStops(run, out, hanStops, hanKeeps)
	all := slices.Clone(out)
	cutStops(run, all, hanParticles, hanKeeps)
	if len(run) > longestWord || !slices.Contains(all, false) {
		copy(out, all)
	}
}

// cutStops matches both lists along what is left of the run, longest first.
func cutStops(run []string, out []bool, stops, keeps map[string]bool) {
	for i := 0; i < len(run); {
		if out[i] {
			i++
			continue
		}
		n := min(maxStop, len(run)-i)
		for ; n > 0; n-- {
			w := strings.Join(run[i:i+n], "")
			if keeps[w] {
				break
			}
			if stops[w] {
				for k := i; k < i+n; k++ {
					out[k] = true
				}
				break
			}
		}
		i += max(n, 1)
	}
}

func cutHangul(run []string, out []bool) {
	word := strings.Join(run, "")
	n := 0
	if hangulStops[word] {
		n = len(run)
	}
	for _, e := range hangulEndings {
		k := utf8.RuneCountInString(e)
		if n < k && len(run) >= k+2 && strings.HasSuffix(word, e) {
			n = k
		}
	}
	for i := len(run) - n; i < len(run); i++ {
		out[i] = true
	}
}
