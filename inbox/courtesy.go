package inbox

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"brain/text"
)

// What is said to be polite, in English and Chinese. "Yes", "right" and "sounds
// good" are none: they may be the answer that decides. Phrases are written as
// text.Fold leaves them, without apostrophes.

var thanks = phrases(`
ok | okay | okey | k | kk | alright | all right | cool | nice | great | awesome | wonderful
thanks | thank you | thx | ty | cheers | many thanks | thanks so much | thanks a lot | thanks very much
thank you so much | thank you very much | thanks again | much appreciated | appreciated | appreciate it | i appreciate it
got it | gotcha | understood | i see | noted | roger | copy that
好 | 好的 | 好吧 | 好嘞 | 好滴 | 好哒 | 行 | 嗯 | 哦 | 噢 | 喔 | 哈 | 啦 | 了 | 哈哈
谢 | 谢谢 | 谢谢你 | 谢谢您 | 多谢 | 谢了 | 感谢 | 非常感谢 | 十分感谢 | 太感谢了 | 辛苦了 | 麻烦你了 | 麻烦您了
收到 | 明白 | 明白了 | 知道了 | 我知道了 | 了解 | 了解了 | 我明白了 | 懂了 | 我懂了 | 晓得了
謝謝 | 謝謝你 | 謝謝您 | 多謝 | 感謝 | 了解 | 知道了 | 辛苦了`)

var courtesy = phrases(`
you | your | youre | youll | re | very | most | so | welcome | happy | glad | to | help | helped | hear | that | could | be | of | assistance
i | im | was | am | its | is | it | my | pleasure | anytime | any time | no problem | no worries | not a problem | not at all | dont mention it | sure | of course
let me know | just | if | when | whenever | need | needed | want | there | theres | anything | something | else | more | have | any | other | further | question | questions
feel free | please | ask | reach out | here | im here | ill be here | good luck | enjoy | have a | a | the | day | evening | week | and | or | with | for | me | again | take care | bye | goodbye | see you | later | on
不客气 | 不用谢 | 不谢 | 没关系 | 没事 | 没事的 | 没问题 | 应该的 | 随时 | 都可以 | 可以 | 高兴 | 很高兴 | 能 | 帮到 | 帮助 | 帮 | 到 | 为 | 你 | 您 | 我 | 服务 | 效劳 | 乐意 | 很乐意
有 | 任何 | 其他 | 别的 | 什么 | 问题 | 需要 | 如果 | 如有 | 还有 | 的话 | 请 | 请随时 | 告诉 | 找 | 问 | 联系 | 就 | 再 | 都 | 也 | 吧 | 哦 | 呀 | 啊 | 呢 | 的 | 祝 | 愉快 | 顺利 | 一切 | 工作 | 生活 | 再见 | 很 | 欢迎`)

// courtesyMost is how many characters an answer may have that is only polite.
const courtesyMost = 120

// isThanks reports whether a message only acknowledges the one before it.
func isThanks(s string) bool { return madeOf(s, thanks) }

// isCourtesy reports whether an answer says nothing but that thanks are welcome.
func isCourtesy(s string) bool {
	return utf8.RuneCountInString(s) <= courtesyMost && madeOf(s, thanks, courtesy)
}

func phrases(list string) map[string]bool {
	set := map[string]bool{}
	for p := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == '|' || r == '\n' }) {
		if p = strings.TrimSpace(p); p != "" {
			set[p] = true
		}
	}
	return set
}

// madeOf reports whether a text consists of phrases, whatever signs stand between
// them. One without a letter or a digit does.
func madeOf(s string, sets ...map[string]bool) bool {
	const longest = 4 // words
	s = strings.NewReplacer("'", "", "’", "").Replace(text.Fold(s))
	words := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	known := func(p string) bool {
		for _, set := range sets {
			if set[p] {
				return true
			}
		}
		return false
	}
next:
	for len(words) > 0 {
		for n := min(longest, len(words)); n > 0; n-- {
			if known(strings.Join(words[:n], " ")) {
				words = words[n:]
				continue next
			}
		}
		if !inPieces(words[0], known) {
			return false
		}
		words = words[1:]
	}
	return true
}

// inPieces reports whether a word of a script without blanks consists of phrases,
// the longest first.
func inPieces(word string, known func(string) bool) bool {
	if !strings.ContainsFunc(word, text.IsCJK) {
		return false
	}
next:
	for word != "" {
		for end := min(len(word), 24); end > 0; end-- {
			if known(word[:end]) {
				word = word[end:]
				continue next
			}
		}
		return false
	}
	return true
}
