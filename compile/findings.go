package compile

import (
	"encoding/json"
	"strconv"
	"unicode"
	"unicode/utf8"

	"brain/inbox"
	"brain/text"
)

// fromRules makes findings of what the rules found in turns: one page a subject
// and kind, and a fact of what somebody prefers. Where several people speak, each
// says who did: "I" is nobody later.
func fromRules(found []Finding, fed []inbox.Fed) *Found {
	f := &Found{}
	at := map[string]int{} // kind and subject → item
	names := speakers(fed)
	for _, one := range found {
		if name := names[one.Turn]; name != "" {
			one.Text = name + ": " + one.Text
		}
		if one.Kind == Preference || one.Kind == Remember && ofOneself(one.Text) {
			f.Facts = append(f.Facts, userFact(one))
			continue
		}
		key := string(one.Kind) + "\n" + text.Fold(one.Subject)
		if i, ok := at[key]; ok && standsFor(one.Subject) {
			f.Items[i].Title = shorten(oneLine(one.Subject))
			f.Items[i].Body += "\n\n" + one.Text
			f.Items[i].Turns = append(f.Items[i].Turns, one.turns()...)
			continue
		}
		at[key] = len(f.Items)
		f.Items = append(f.Items, ruleItem(one))
	}
	return f
}

// standsFor reports a subject that stands for something; a quantity, which may be that of
// anything, is none.
func standsFor(subject string) bool {
	r, _ := utf8.DecodeRuneInString(subject)
	return subject != "" && !unicode.IsDigit(r)
}

// speakers gives the names of who said what, by turn, where more than one spoke.
func speakers(fed []inbox.Fed) map[int]string {
	of, all := map[int]string{}, map[string]bool{}
	for i := range fed {
		if name := oneLine(fed[i].Speaker); name != "" {
			of[fed[i].N], all[name] = name, true
		}
	}
	if len(all) < 2 {
		return nil
	}
	return of
}

// ruleItem is a page of one finding. What was said is its own title: a subject
// alone says less.
func ruleItem(one Finding) Item {
	it := Item{Type: "note", Title: shorten(oneLine(one.Text)), Body: one.Text, Turns: one.turns()}
	switch one.Kind {
	case Decision:
		it.Type = "decision"
	case Lesson:
		it.Type = "lesson"
	case Correction, Task:
		it.tag = string(one.Kind)
	}
	return it
}

// oneself are words by which somebody speaks of nobody but himself: what is to be
// remembered of a person is that agent's to know, and no page for all.
var oneself = text.Pattern(`(?i)\b(i|i'm|i've|my|me|mine|myself)\b|我(?:[^们們]|$)`)

func ofOneself(s string) bool { return oneself().MatchString(s) }

// userFact labels what was said of oneself: the rules take nothing that is of a task
// alone.
func userFact(one Finding) Fact {
	category := "preference"
	if one.Kind == Remember {
		category = "context"
	}
	return Fact{
		Content: one.Text, Category: category, Confidence: json.RawMessage(strconv.FormatFloat(one.Confidence, 'g', -1, 64)),
		Scope: "user", Durability: "durable", Authority: "descriptive", Turns: one.turns(),
	}
}
