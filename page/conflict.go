package page

import "strings"

// A merge that nobody finished leaves three marks, each at the beginning of a
// line, with both texts between them (and a fourth, |||||||, before what both
// came from, where git was asked for it):
//
//	<<<<<<< HEAD
//	ours
//	=======
//	theirs
//	>>>>>>> their-branch
//
// Both texts are read, the marks are not: a branch's name is no word of the
// page. One mark alone proves nothing: ======= underlines a heading, >>>>>>> is
// a quotation. So a body has a conflict where all three stand in this order,
// the first of them outside of code, since a page about git shows such marks in
// a fence. No key of a front matter begins with <, so there one mark is enough.

// conflictMark gives the sign of which a line is a mark, else 0.
func conflictMark(line string) byte {
	line = strings.TrimRight(line, "\r")
	if len(line) < 7 || len(line) > 7 && line[7] != ' ' || strings.IndexByte("<|=>", line[0]) < 0 {
		return 0
	}
	for i := 1; i < 7; i++ {
		if line[i] != line[0] {
			return 0
		}
	}
	return line[0]
}

// openConflict reports whether the lines after a <<<<<<< have the two other
// marks before the next one; so many marks in a row are read once.
func openConflict(rest string) bool {
	divided := false
	for line := range strings.Lines(rest) {
		switch conflictMark(strings.TrimRight(line, "\n")) {
		case '<':
			return false
		case '=':
			divided = true
		case '>':
			return divided
		}
	}
	return false
}

// checkConflict looks for marks between the lines of a front matter. A
// conflict that begins there may end in the body.
func (p *Page) checkConflict(block string) {
	if !strings.Contains(block, "<<<<<<<") {
		return
	}
	line := 1
	for l := range strings.Lines(block) {
		line++
		switch conflictMark(strings.TrimRight(l, "\n")) {
		case '<':
			p.torn = true
			p.problem(line, CodeConflict, "merge conflict in the front matter", "keep one side and delete the markers")
		case '>':
			p.torn = false
		}
	}
}
