package compile

import "sync"

// The tables of both languages, read once.
var (
	cueTables      = sync.OnceValue(func() *tables { return newTables(englishLists+englishCues, chineseLists+chineseCues) })
	retractions    = sync.OnceValue(func() *tables { return newTables(englishRetractions, chineseRetractions) })
	openings       = sync.OnceValue(func() map[string][]string { return byFirst(englishOpenings, chineseOpenings) })
	questionStarts = sync.OnceValue(func() map[string][]string { return byFirst(questionWordsEnglish, questionWordsChinese) })
	vagueStarts    = sync.OnceValue(func() map[string][]string { return byFirst(englishVagueStarts, chineseVagueStarts) })
	pastStarts     = sync.OnceValue(func() map[string][]string { return byFirst(englishPast, chinesePast) })
	reactions      = sync.OnceValue(func() map[string][]string { return byFirst(englishReactions, chineseReactions) })
	reasons        = sync.OnceValue(func() map[string][]string { return byFirst(englishReasons, chineseReasons) })

	platitudes      = sync.OnceValue(func() []string { return phrases(englishPlatitudes, chinesePlatitudes) })
	feelings        = sync.OnceValue(func() []string { return phrases(englishFeelings, chineseFeelings) })
	meeting         = sync.OnceValue(func() []string { return phrases(englishMeeting, chineseMeeting) })
	notOurs         = sync.OnceValue(func() []string { return phrases(englishNotOurs, chineseNotOurs) })
	otherPeople     = sync.OnceValue(func() []string { return phrases(englishOthers, chineseOthers) })
	farWords        = sync.OnceValue(func() []string { return phrases(englishFar, chineseFar) })
	future          = sync.OnceValue(func() []string { return phrases(englishFuture, chineseFuture) })
	unfinished      = sync.OnceValue(func() []string { return phrases(englishUnfinished, chineseUnfinished) })
	harmlessWords   = sync.OnceValue(func() []string { return phrases(englishHarmless, chineseHarmless) })
	timeConditions  = sync.OnceValue(func() []string { return phrases(englishTimes, chineseTimes) })
	conditionWords  = sync.OnceValue(func() []string { return phrases(englishConditions, chineseConditions) })
	laterConditions = sync.OnceValue(func() []string { return phrases(englishLater, chineseLater) })
	takenBack       = sync.OnceValue(func() []string { return phrases(englishTakenBack, chineseTakenBack) })
	aboutWords      = sync.OnceValue(func() []string { return phrases(englishAbout, chineseAbout) })
	statingWords    = sync.OnceValue(func() []string { return phrases(englishStating, chineseStating) })
)
