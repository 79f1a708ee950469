package compile

import (
	"strings"

	"brain/text"
)

// What a later sentence does to what was found before it: it takes it back, or
// decides the same anew. Both need to be plain. "Forget that" speaks of the
// last thing said, so it counts when that is one finding; "forget about the
// port" counts when one finding speaks of a port.

// The cues of taking back, in the notation of rules_shape.go: an X is what is
// taken back.
const englishRetractions = `
verb = forget/scratch/disregard/ignore/strike/cancel/undo/scrap/drop/delete/erase/retract/revert/discard/remove/kill
said = what_i_said/what_i_just_said/what_i_wrote/my_last_message/my_previous_message/the_previous_message/the_above/the_last_message
	/the_previous_decision/that_decision/that_note/this_decision/that_last_part/the_last_part
retract 1 - forget/scratch/disregard/strike/scrap/retract about? that/it/this/that_one/this_one/the_last_one $
retract 1 - <verb> about? <said> $
retract 1 - <verb> about? what_i_said/what_i_just_said/the_bit/the_part/what_we_said/the_thing about X $
retract 1 - <verb> about? the X decision/plan/note/rule/idea/part/thing/bit/preference $
retract 1 - forget/scrap about X $
retract 1 - i/we take_that/take_it back
retract 1 - never_mind/nevermind/nvm that/about_that? $
retract 1 - do_not remember/note/save/store/keep/record that/it/this/<said> $
retract 1 - just_kidding/i_was_kidding/only_kidding/i_am_kidding/we_are_kidding/jk $
retract 1 - i/we have? changed my_mind/our_mind/our_minds about X $
retract 1 - i/we have? changed my_mind/our_mind/our_minds $
retract 1 - the X decision is/was off/cancelled/void/reverted/withdrawn/no_longer_valid
`

const chineseRetractions = `
那 = 刚才/前面/上面/之前/刚刚/上一条/上一句/那条/这条/那个/这个/那句/这句/它/上一个
retract 1 - 算了/还是算了/当我没说/不用记了/别记了/不用记/别记/开玩笑的/我开玩笑的/开个玩笑/我改主意了/改主意了/我收回/撤回/当我没讲/就当我没说 $
retract 1 - 忘了/忘掉/忽略/无视/撤回/收回/撤销/取消/作废 <那> 的? 话/说的/那句/那条/决定/记录/消息/内容 吧? $
retract 1 - 忘了/忘掉/收回/撤回 <那> 吧? $
retract 1 - <那> 说的? 不算/不作数/作废 了/吧? $
retract 1 - 把? <那> 说的/那条/那句/的? 话/决定/记录/那条/那句 不算/作废/取消/撤回/撤销/收回/不作数/忘了/忘掉/删掉/划掉 了/吧? $
retract 1 - X 的? 决定/方案/计划/约定/事/那条/规定 作废/取消/撤销/不算了/不作数/推翻 了/吧? $
retract 1 - 忘了/忘掉/取消/作废/撤回 关于 X 的 话/决定/事/说法/那条/内容/部分 吧? $
`

// retract looks whether a sentence takes back what was found, and does so.
func (r *ruling) retract(s *sentence, who string) {
	if s.role != "user" || s.asks() {
		return
	}
	unbound := retractions().unbound(s.plain.s)
	for _, at := range s.places() {
		for _, c := range retractions().at(s.plain.s, at.at, unbound) {
			f, ok := c.match(s.plain, at.at)
			if !ok || hasAny(s.plain.s[:f.from], notOurs()...) != "" {
				continue
			}
			var e *ruled
			if f.bounded && !vague(s.plain.s[f.object[0]:f.object[1]]) {
				e = r.about(s.plain.s[f.object[0]:f.object[1]])
			} else {
				e = r.latest(who)
			}
			if e != nil {
				e.gone = true
			}
			return
		}
	}
}

// about gives the one finding that holds all words of a phrase.
func (r *ruling) about(phrase string) (only *ruled) {
	for _, e := range r.found {
		switch {
		case e.gone || !holds(e.Text, phrase):
		case only != nil:
			return nil
		default:
			only = e
		}
	}
	return only
}

// holds reports whether a text has every word of a phrase in some form.
func holds(s, phrase string) bool {
	has := map[string]bool{}
	text.Terms(s, func(t text.Term) { has[string(t.Text)] = true })
	found := map[int]bool{}
	for _, t := range text.Query(phrase) {
		found[t.Word] = found[t.Word] || has[t.Text]
	}
	for _, ok := range found {
		if !ok {
			return false
		}
	}
	return len(found) > 0
}

// latest gives what "that" means: the last finding of the turn, else the only
// one of the speaker's turn before.
func (r *ruling) latest(who string) *ruled {
	mine := []int{}
	for _, h := range r.turns {
		if h.who == who {
			mine = append(mine, h.n)
		}
	}
	for back := 1; back <= 2 && back <= len(mine); back++ {
		var of []*ruled
		for _, e := range r.found {
			if !e.gone && e.Turn == mine[len(mine)-back] && e.who == who {
				of = append(of, e)
			}
		}
		switch {
		case len(of) == 0:
		case back == 1:
			return of[len(of)-1]
		case len(of) == 1:
			return of[0]
		default:
			return nil
		}
	}
	return nil
}

// replace looks for an earlier decision on the same subject, or on what this
// one turns away from, and puts the later one in its stead; true when f needs
// not be added.
func (r *ruling) replace(f *ruled, role string) bool {
	for i := len(r.found) - 1; i >= 0; i-- {
		e := r.found[i]
		if e.gone || e.Kind != Decision {
			continue
		}
		subject := foldedSubject(e.Subject)
		same := subject != "" && subject == foldedSubject(f.Subject)
		left := subject != "" && strings.Contains(f.left, subject) && hasAny(f.left, subject) != ""
		switch {
		case !same && !left:
			continue
		case role != "user": // an agent repeats what was agreed
			return true
		}
		e.gone = true
		f.before, f.Before = e.Text, e.Turn
		return false
	}
	return false
}

// What a decision replaced is told behind it.
const (
	beforeMark    = "before: "
	beforeMarkHan = "此前："
)

// told is a finding as it is given out.
func (f *ruled) told() Finding {
	one := f.Finding
	switch {
	case f.before == "":
	case strings.ContainsFunc(one.Text, isHan):
		one.Text += glue(one.Text) + beforeMarkHan + f.before
	default:
		one.Text += glue(one.Text) + beforeMark + f.before
	}
	return one
}
