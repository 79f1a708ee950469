package compile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brain/page"
)

// Turns of a session are named in two places of a page: its provenance, when it
// was made of them, and its sources, when it said the same before.
//
//	provenance: session_id 4f1c, turns [3, 4, 7], history_ref sessions/2026-03/4f1c/messages.jsonl#turn3-7
//	sources:    session:4f1c#turn3-4,7

const sourcePrefix = "session:"

// Source names turns of a session as a source.
func Source(session string, turns []int) string {
	return sourcePrefix + session + "#turn" + ranges(turns)
}

// ParseSource reads what Source wrote; ok is false for a source that is no session.
func ParseSource(s string) (session string, turns []int, ok bool) {
	rest, ok := strings.CutPrefix(s, sourcePrefix)
	session, list, numbered := strings.Cut(rest, "#turn")
	if !ok || !numbered || session == "" {
		return "", nil, false
	}
	for part := range strings.SplitSeq(list, ",") {
		a, b, span := strings.Cut(part, "-")
		from, err := strconv.Atoi(a)
		to := from
		if err == nil && span {
			to, err = strconv.Atoi(b)
		}
		if err != nil || from < 1 || to < from || to-from > maxSpan {
			return "", nil, false
		}
		for n := from; n <= to; n++ {
			turns = append(turns, n)
		}
	}
	return session, turns, true
}

// maxSpan bounds what a hand-written range may stand for.
const maxSpan = 10_000

func provenance(session page.Path, turns []int) page.Provenance {
	ref := string(session)
	if len(turns) > 0 {
		ref += fmt.Sprintf("#turn%d", turns[0])
		if last := turns[len(turns)-1]; last != turns[0] {
			ref += fmt.Sprintf("-%d", last)
		}
	}
	return page.Provenance{Session: session.Stem(), Turns: turns, Ref: ref}
}

// ranges writes ascending numbers as 3-4,7.
func ranges(turns []int) string {
	var parts []string
	for i := 0; i < len(turns); {
		j := i
		for j+1 < len(turns) && turns[j+1] == turns[j]+1 {
			j++
		}
		part := strconv.Itoa(turns[i])
		if j > i {
			part += "-" + strconv.Itoa(turns[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// ordered gives turn numbers ascending, each once.
func ordered(turns []int) []int {
	out := slices.Clone(turns)
	slices.Sort(out)
	return slices.Compact(out)
}

// Origin is where a page, or a source of it, came from.
type Origin struct {
	Session string
	Turns   []int
}

// Origins lists the turns that a page names, those that it is made of first.
func Origins(p *page.Page) (out []Origin) {
	if p.Provenance.Session != "" {
		out = append(out, Origin{p.Provenance.Session, p.Provenance.Turns})
	}
	for _, s := range p.Sources {
		if session, turns, ok := ParseSource(s); ok {
			out = append(out, Origin{session, turns})
		}
	}
	return out
}
