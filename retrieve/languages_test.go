package retrieve

import (
	"fmt"
	"testing"
)

// The lexical arm alone must serve every language: what needs a model to be
// found is not found by those who have none.

const longChinese = "去年冬天我们把冷库里的温湿度记录仪全部换成了带有备用电池的型号，因为停电的时候旧设备会丢失最近三个小时的读数，而保险公司要求每一分钟都有据可查。"

func TestChineseFoundByAPieceFromItsMiddle(t *testing.T) {
	b := wordsOnly(t, filler(map[string]string{"notes/logger.md": longChinese}, 20, func(i int) string {
		return fmt.Sprintf("第%d份会议纪要：讨论了办公室搬家和年会安排。", i)
	}))
	for _, piece := range []string{"备用电池", "丢失最近", "读数", "保险"} {
		a := b.words(piece)
		wantFirst(t, a, "notes/logger.md")
		if a.Weak {
			t.Errorf("%q: weak though it stands in the page", piece)
		}
	}
	for name, piece := range map[string]string{
		"absent characters":            "骆驼",
		"absent bigram of known parts": "备读",
		"bigram only across a gap":     "号因", // 型号，因为
	} {
		t.Run(name, func(t *testing.T) { wantNone(t, b.words(piece)) })
	}
}

func TestKoreanJapaneseAndChineseInsideASentence(t *testing.T) {
	pages := filler(map[string]string{
		"ja.md": "昨日の定例会で、ソフトウェア開発チームはリリース手順書を見直すことにした。",
		"ko.md": "어제 회의에서 데이터베이스백업을 매주 금요일로 옮기기로 했다.",
		"zh.md": "他做事总是未雨绸缪，所以停电那天没有人着急。",
		"th.md": "เมื่อวานทีมงานตัดสินใจเปลี่ยนเซิร์ฟเวอร์ใหม่ทั้งหมด",
	}, 12, func(i int) string { return fmt.Sprintf("Minutes number %d of a meeting about chairs.", i) })
	b := wordsOnly(t, pages)
	found := map[string]string{"手順書": "ja.md", "ソフトウェア": "ja.md", "백업": "ko.md", "데이터베이스": "ko.md", "未雨绸缪": "zh.md", "绸缪": "zh.md", "เซิร์ฟเวอร์": "th.md"}
	for text, path := range found {
		wantPaths(t, b.words(text), path)
	}
	for _, text := range []string{"ハードウェアパネル試験", "복원장치", "亡羊补牢", "จักรยาน"} {
		wantNothingSure(t, b.words(text))
	}
	wantNone(t, b.words("亡羊补牢"))
}

func TestKoreanWordOrderDoesNotDecide(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"a.md": "김철수 계약서",
		"b.md": "계약서는 내일 검토한 뒤 김철수 씨에게 보낸다.",
		"c.md": "점심 메뉴는 비빔밥이다.",
	})
	for _, text := range []string{"김철수 계약서", "계약서 김철수"} {
		wantFirst(t, b.words(text), "a.md", "b.md")
	}
	wantNone(t, b.words("박영희 영수증"))
}

func TestCommonCharacterDoesNotBuryTheCompound(t *testing.T) {
	pages := filler(map[string]string{
		"one.md": "今年的碳排放报告已经提交。",
		"two.md": "碳排放核算由第三方完成，报告附后。",
		"hub.md": "碳 碳 碳 碳 碳 碳 碳 碳 碳 碳 碳 碳 排 排 排 排 放 放 放 放",
	}, 60, func(i int) string {
		return fmt.Sprintf("第%d页：碳的第%d种用途，以及碳的来源。", i, i*7)
	})
	b := wordsOnly(t, pages)
	wantFirst(t, b.words("碳排放"), "one.md", "two.md")
	wantNone(t, b.words("氮沉降"))
}

func TestCompoundsPathsAndFlagsFoundWholeAndByTheirParts(t *testing.T) {
	pages := filler(map[string]string{
		"hyphen.md": "The write-ahead journal is kept for a week.",
		"snake.md":  "Raise max_open_segments before the night run.",
		"path.md":   "Look into /srv/queue/spool.conf for the limits.",
		"flag.md":   "Start it with `--dry-run-first` on the staging host.",
		"camel.md":  "The handler is called retryBudgetExceeded there.",
	}, 20, func(i int) string { return fmt.Sprintf("Page %d about bread, cheese and wine.", i) })
	b := wordsOnly(t, pages)
	for text, path := range map[string]string{
		"write-ahead": "hyphen.md", "ahead": "hyphen.md", "write ahead": "hyphen.md",
		"max_open_segments": "snake.md", "segments": "snake.md", "max open segments": "snake.md",
		"/srv/queue/spool.conf": "path.md", "spool.conf": "path.md", "spool": "path.md",
		"--dry-run-first": "flag.md", "dry-run-first": "flag.md",
		"retryBudgetExceeded": "camel.md", "retry budget": "camel.md", "retrybudgetexceeded": "camel.md",
	} {
		a := b.words(text)
		wantFirst(t, a, path)
		if a.Weak {
			t.Errorf("%q: weak", text)
		}
	}
	for _, text := range []string{"undo_log_purge", "--force-unlock", "/opt/ledger.toml"} {
		wantNone(t, b.words(text))
	}
}

func TestLongQuestionSharesOnlySomeOfItsWords(t *testing.T) {
	pages := filler(map[string]string{
		"ru.md": "Резервное копирование базы запускается каждую ночь и хранится тридцать дней.",
		"zh.md": "发票须在出差结束后五个工作日内提交，由财务部审核报销。",
		"ja.md": "出張旅費の精算は、帰社後五日以内に経理部へ提出してください。",
		"ko.md": "출장 경비 정산은 복귀 후 닷새 안에 재무팀에 제출해야 한다.",
	}, 30, func(i int) string { return fmt.Sprintf("Page %d: 野餐 плавание 水泳 등산 garden.", i) })
	b := wordsOnly(t, pages)
	for text, path := range map[string]string{
		"Подскажите пожалуйста, как часто у нас запускается копирование и сколько времени всё это лежит?": "ru.md",
		"请问一下，我上个星期刚刚出差回来，那些发票到底应该什么时候交给谁呢？":                                                              "zh.md",
		"すみません、先週の出張から戻ったのですが、旅費はいつまでにどこへ出せばよいのでしょうか？":                                                    "ja.md",
		"지난주에 출장 다녀왔는데 경비는 언제까지 누구한테 제출해야 하는지 알려 주실 수 있나요?":                                               "ko.md",
	} {
		a := b.words(text)
		if len(a.Hits) == 0 || a.Hits[0].Path != path {
			t.Errorf("%q: got %q, want %s first", text, paths(a), path)
		}
	}
	for _, text := range []string{
		"Где купить щенка таксы с родословной недорого?", "怎样给小猫修剪指甲才不会弄疼它？", "ギターの弦を張り替える手順を教えてください", "강아지 털갈이 시기에는 어떻게 빗겨야 하나요?",
	} {
		wantNothingSure(t, b.words(text))
	}
}

func TestQuestionWithoutWordsIsExplained(t *testing.T) {
	b := newBrain(t, map[string]string{"a.md": "The first page of this tree, and of it.", "b.md": "。、！ 🦊 and so on: the fox."})
	for _, text := range []string{"。、！？「」", "🦊🎉👩‍👩‍👧", "the of and", "的了吗", "", "  \t ", "?!…"} {
		a := b.ask(text)
		wantNone(t, a)
		if len(a.Degraded) > 0 {
			t.Errorf("%q: degraded %v", text, a.Degraded)
		}
	}
	wantFirst(t, b.ask("fox"), "b.md")
}

func TestFullWidthMatchesHalfWidthAndIsShownAsWritten(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"full.md": "型番はＡＢＣ１２３です。",
		"half.md": "Order number ABC123 was late.",
		"kana.md": "ﾊﾞｯｸｱｯﾌﾟは毎晩です。",
		"none.md": "Nothing of the kind.",
	})
	for _, text := range []string{"ABC123", "ＡＢＣ１２３", "abc123"} {
		a := b.words(text)
		wantFirst(t, a, "full.md", "half.md")
		if h := hit(a, "full.md"); h == nil || h.Snippet != "型番はＡＢＣ１２３です。" {
			t.Errorf("%q: snippet of full.md: %+v", text, h)
		}
	}
	a := b.words("バックアップ")
	wantPaths(t, a, "kana.md")
	if a.Hits[0].Snippet != "ﾊﾞｯｸｱｯﾌﾟは毎晩です。" {
		t.Errorf("snippet %q is not what the page says", a.Hits[0].Snippet)
	}
	wantNone(t, b.words("ＸＹＺ９８７"))
}
