package inbox

import (
	"slices"
	"strings"

	"brain/page"
	"brain/text"
)

// Of a conversation with an agent only what people said and what they were
// answered is extracted from. Tools, machinery and small talk stay evidence:
//
//	user       Please look at the log.        fed
//	assistant  (asks for a tool)              tools
//	tool       4,000 lines                    output
//	assistant  The disk is full.              fed
//	user       ok, thanks!                    thanks
//	assistant  You're welcome!                reply
//
// A conversation of people among themselves is fed whole, since there nobody
// merely answers.

// Fed is a turn that is given to whoever extracts from a session.
type Fed struct {
	N int // its number in the session, from 1
	page.Turn
}

// Why turns are not fed.
const (
	DropTools   = "tools"   // an assistant's that asks for tools
	DropOutput  = "output"  // what a tool returned
	DropSystem  = "system"  // of the machinery
	DropHidden  = "hidden"  // never shown to the user
	DropUploads = "uploads" // nothing but a list of uploaded files
	DropThanks  = "thanks"  // nothing but "ok, thanks"
	DropReply   = "reply"   // the answer to one of those two
	DropPurged  = "purged"  // its text is gone
	DropUnasked = "unasked" // in a session in which nobody but the agent said anything
)

// Feed gives the turns from…to of a session, counted from 1, that are worth
// extracting from, in order. It takes all turns of the session, so that what is
// fed does not depend on where it is cut. Lists of uploaded files are taken out of
// the text.
func Feed(turns []page.Turn, from, to int) []Fed {
	fed, _ := Sift(turns, from, to)
	return fed
}

// Sift is Feed that also tells how many of the turns it dropped, by reason.
func Sift(turns []page.Turn, from, to int) (fed []Fed, dropped map[string]int) {
	dropped = map[string]int{}
	judged, why := Judge(turns)
	for n := max(from, 1); n <= min(to, len(turns)); n++ {
		if why[n-1] != "" {
			dropped[why[n-1]]++
			continue
		}
		fed = append(fed, Fed{n, judged[n-1]})
	}
	return fed, dropped
}

// Judge tells of each turn of a session why it is not fed, "" when it is, and gives
// the turns as they are fed.
func Judge(turns []page.Turn) (judged []page.Turn, why []string) {
	judged, why = slices.Clone(turns), make([]string, len(turns))
	s := sieve{people: amongPeople(turns)}
	asked := false
	for i := range judged {
		why[i] = s.next(&judged[i])
		asked = asked || why[i] == "" && !isAssistant(&judged[i])
	}
	for i := range why {
		if why[i] == "" && !asked {
			why[i] = DropUnasked
		}
	}
	return judged, why
}

// sieve goes through the turns of a session in order.
type sieve struct {
	people bool
	before string // why the user's last turn was dropped, until it was answered
}

// next tells why a turn is dropped, "" when it is fed, and takes lists of uploads
// out of it.
func (s *sieve) next(t *page.Turn) (why string) {
	switch role := roleOf(t.Role); {
	case t.Text == Purged:
		return DropPurged
	case t.Kind == page.Hidden:
		return DropHidden
	case s.people:
		return ""
	case role == "tool":
		return DropOutput
	case role == "system":
		return DropSystem
	case role == "assistant":
		return s.answer(t)
	}
	t.Text = strings.TrimSpace(uploads().ReplaceAllString(t.Text, ""))
	switch {
	case t.Text == "":
		why = DropUploads
	case isThanks(t.Text):
		why = DropThanks
	}
	s.before = why
	return why
}

// answer judges an assistant's turn. What answers a list of files tells of files
// that nobody asked about; what answers thanks is dropped only when it is nothing
// but polite, for now and then an answer comes late.
func (s *sieve) answer(t *page.Turn) (why string) {
	if t.Kind == page.AsksTools || isCall(t.Text) {
		return DropTools
	}
	before := s.before
	s.before = ""
	if before == DropUploads || before == DropThanks && isCourtesy(t.Text) {
		return DropReply
	}
	return ""
}

func isAssistant(t *page.Turn) bool { return roleOf(t.Role) == "assistant" }

// isPerson reports whether a turn is neither an agent's nor its machinery's. A role
// that nobody knows is a person's.
func isPerson(t *page.Turn) bool {
	switch roleOf(t.Role) {
	case "assistant", "tool", "system":
		return false
	}
	return true
}

// amongPeople reports whether no turn is an agent's or its machinery's.
func amongPeople(turns []page.Turn) bool {
	for i := range turns {
		if !isPerson(&turns[i]) {
			return false
		}
	}
	return true
}

// uploads are the blocks in which a host lists the files that came with a message.
var uploads = text.Pattern(`(?is)<uploaded_files(?:\s[^<>]*)?>.*?</uploaded_files\s*>|<current_uploads(?:\s[^<>]*)?>.*?</current_uploads\s*>`)

// A call for a tool that a host did not take for one stands in the text, as the
// model wrote it: nothing else stands before it, or after it.
var (
	callBegins = text.Pattern(`^(?i:<tool_calls?>|<function_calls?>|<\|tool_calls?|<\|python_tag\|>|\[TOOL_CALLS\]|<invoke name=|\{\s*"(?:tool_calls|function_call)"\s*:|\[?\s*\{\s*"type"\s*:\s*"(?:tool_use|function)")`)
	callEnds   = text.Pattern(`(?i:</tool_calls?>|</function_calls?>|<\|tool_calls?_end\|>|</invoke>)$`)
)

func isCall(s string) bool {
	s = strings.TrimSpace(s)
	return callBegins().MatchString(s) || callEnds().MatchString(s)
}
