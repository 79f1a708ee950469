package main

import (
	"fmt"
	"strings"
)

// contextLines stand around a change.
const contextLines = 3

// maxDiffCells bounds the table of a comparison; beyond it, what differs is shown as one
// change.
const maxDiffCells = 4 << 20

// diffLine is a line of a comparison: kept ' ', gone '-', added '+'.
type diffLine struct {
	sign byte
	text string
}

// unified shows what changes in a file, in the form of diff -u; "" when nothing does.
func unified(name, before, after string) string {
	lines := compareLines(splitLines(before), splitLines(after))
	var b strings.Builder
	for at := 0; ; {
		first := at
		for first < len(lines) && lines[first].sign == ' ' {
			first++
		}
		if first == len(lines) {
			return b.String()
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "--- %s\n+++ %s\n", plain(name), plain(name))
		}
		end := first + 1
		for i := end; i < len(lines) && i <= end+2*contextLines; i++ {
			if lines[i].sign != ' ' {
				end = i + 1
			}
		}
		writeHunk(&b, lines, max(at, first-contextLines), min(end+contextLines, len(lines)))
		at = end
	}
}

func writeHunk(b *strings.Builder, lines []diffLine, from, to int) {
	oldAt, newAt := 1, 1
	for _, l := range lines[:from] {
		if l.sign != '+' {
			oldAt++
		}
		if l.sign != '-' {
			newAt++
		}
	}
	oldN, newN := 0, 0
	for _, l := range lines[from:to] {
		if l.sign != '+' {
			oldN++
		}
		if l.sign != '-' {
			newN++
		}
	}
	if oldN == 0 {
		oldAt--
	}
	if newN == 0 {
		newAt--
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", oldAt, oldN, newAt, newN)
	for _, l := range lines[from:to] {
		text, ended := strings.CutSuffix(l.text, "\n")
		fmt.Fprintf(b, "%c%s\n", l.sign, harmless(text))
		if !ended {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}

// compareLines finds a longest common subsequence between what both begin and end with.
func compareLines(old, now []string) (out []diffLine) {
	start := 0
	for start < min(len(old), len(now)) && old[start] == now[start] {
		start++
	}
	end := 0
	for end < min(len(old), len(now))-start && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
	}
	for _, l := range old[:start] {
		out = append(out, diffLine{' ', l})
	}
	out = append(out, compareMiddle(old[start:len(old)-end], now[start:len(now)-end])...)
	for _, l := range old[len(old)-end:] {
		out = append(out, diffLine{' ', l})
	}
	return out
}

func compareMiddle(old, now []string) (out []diffLine) {
	rows, cols := len(old), len(now)
	if rows*cols > maxDiffCells {
		rows, cols = 0, 0 // nothing in common
	}
	common := make([][]int, rows+1) // common[i][j]: how much old[i:] and now[j:] share
	for i := range common {
		common[i] = make([]int, cols+1)
	}
	for i := rows - 1; i >= 0; i-- {
		for j := cols - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); old[i] == now[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < rows && j < cols {
		switch {
		case old[i] == now[j]:
			out = append(out, diffLine{' ', old[i]})
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			out = append(out, diffLine{'-', old[i]})
			i++
		default:
			out = append(out, diffLine{'+', now[j]})
			j++
		}
	}
	for ; i < len(old); i++ {
		out = append(out, diffLine{'-', old[i]})
	}
	for ; j < len(now); j++ {
		out = append(out, diffLine{'+', now[j]})
	}
	return out
}
