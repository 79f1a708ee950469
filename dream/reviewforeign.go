package dream

import (
	"strconv"
	"strings"

	"brain/page"
)

// df-memory keeps a list of the same name. Of each entry its paths, with the number of the
// fact, and its quotes are read; the screens of the stage find for themselves what holds:
//
//	## cross-file
//	- **supersede** (cosine 0.953) `a/one.md#0` → `b/two.md#2`: "Limit is 5" → "Limit is 50"
//
// Whether it stands on one line or its quotes on lines below is the same.

// readForeign gives the pairs of a list that is not ours.
func readForeign(raw []byte) (pairs []Pair) {
	for _, entry := range listEntries(string(raw)) {
		places, quotes := factPlaces(entry), quoted(entry)
		if len(places) < 2 || len(quotes) < 2 {
			continue
		}
		p := Pair{Kind: KindContradiction, Screen: "df-memory", A: places[0], B: places[1], Detail: [2]string{quotes[0], quotes[1]}}
		if strings.Contains(strings.ToLower(entry), "duplicate") {
			p.Kind = KindUnsure
		}
		if p.A.Text, p.B.Text = quotes[0], quotes[1]; p.tooLong() {
			continue
		}
		p.arrange()
		pairs = append(pairs, p)
	}
	return pairs
}

// listEntries cuts a text into the entries of its lists, with the lines that are indented
// below each.
func listEntries(s string) (all []string) {
	start, at := -1, 0 // of the entry that is open, and of the line
	shut := func() {
		if start >= 0 {
			all, start = append(all, s[start:at]), -1
		}
	}
	for line := range strings.Lines(s) {
		switch {
		case strings.HasPrefix(line, "- "), strings.HasPrefix(line, "* "):
			shut()
			start = at
		case line[0] != ' ' && line[0] != '\t':
			shut()
		}
		at += len(line)
	}
	shut()
	return all
}

// factPlaces finds the facts that an entry names, "path.md#2".
func factPlaces(entry string) (all []Side) {
	for rest := entry; ; {
		before, after, ok := strings.Cut(rest, ".md#")
		if !ok {
			return all
		}
		n := 0
		for n < len(after) && after[n] >= '0' && after[n] <= '9' {
			n++
		}
		ends := " \t\n`\"'([<|"
		if strings.HasPrefix(after[n:], "`") {
			ends = "`"
		}
		start := strings.LastIndexAny(before, ends) + 1
		path, err := page.ParsePath(before[start:] + ".md")
		if i, bad := strconv.Atoi(after[:n]); err == nil && bad == nil {
			all = append(all, Side{Path: path, Fact: i, Agent: path.Agent()})
		}
		rest = after
	}
}

// quoted finds what stands in quotation marks.
func quoted(entry string) (all []string) {
	shuts := map[rune]rune{'"': '"', '“': '”', '「': '」', '«': '»'}
	for i, skip := 0, 0; i < len(entry); i = skip {
		r := rune(entry[i])
		for _, c := range entry[i:] {
			r = c
			break
		}
		skip = i + len(string(r))
		shut, ok := shuts[r]
		if !ok {
			continue
		}
		if n := strings.IndexRune(entry[skip:], shut); n > 0 {
			all = append(all, entry[skip:skip+n])
			skip += n + len(string(shut))
		} else if n < 0 {
			delete(shuts, r) // nor is one found behind another that opens
		}
	}
	return all
}
