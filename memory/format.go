package memory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FormatFact writes a fact as DeerMem does: the same fact gives the same bytes, and
// ParseFact reads it back. A fact that was read keeps what did not change.
func FormatFact(f Fact) ([]byte, error) {
	id := f.ID
	f, err := f.normal()
	if err == nil && f.read == nil && f.Created.IsZero() {
		err = notFact("it has no time")
	}
	if err != nil {
		return nil, fmt.Errorf("write fact %q: %w", id, err)
	}
	var b strings.Builder
	b.WriteString("---\n" + f.lead)
	fresh := f.keys()
	last := fresh[len(fresh)-2:] // user_id and agent_name
	write := func(k key) {
		if i := slices.IndexFunc(fresh, named(k.name)); i >= 0 && (k.lines == "" || k.form != fresh[i].lines) {
			k = fresh[i]
		}
		b.WriteString(k.lines)
	}
	for _, k := range f.read {
		if !slices.ContainsFunc(last, named(k.name)) {
			write(k)
		}
	}
	for _, k := range fresh {
		if i := slices.IndexFunc(f.read, named(k.name)); i < 0 {
			b.WriteString(k.lines)
		} else if slices.ContainsFunc(last, named(k.name)) {
			write(f.read[i])
		}
	}
	b.WriteString("---\n\n# " + f.Title + "\n\n" + f.Content + "\n")
	return []byte(b.String()), nil
}

func named(name string) func(key) bool { return func(k key) bool { return k.name == name } }

// keys are the lines of every key in DeerMem's order, "" for one that is left out.
func (f *Fact) keys() []key {
	category, other := f.Category, ""
	if !slices.Contains(Categories, category) {
		category, other = "other", category
	}
	return []key{
		{name: "id", lines: scalarLine("id", f.ID)},
		{name: "category", lines: scalarLine("category", category)},
		{name: "confidence", lines: "confidence: " + floatText(f.Confidence) + "\n"},
		{name: "source", lines: "source:\n  type: " + scalar(f.Source.Type, 8, 4) + "\n  threadId: " + orNull(f.Source.Thread, 12, 4) + "\n"},
		{name: "expected_valid_days", lines: countLine("expected_valid_days", f.ValidDays)},
		{name: "sourceError", lines: textLine("sourceError", f.SourceError)},
		{name: "schemaVersion", lines: "schemaVersion: " + schemaVersion + "\n"},
		{name: "categoryExtension", lines: textLine("categoryExtension", other)},
		{name: "status", lines: scalarLine("status", f.Status)},
		{name: "topics", lines: listLines("topics", f.Topics)},
		{name: "consolidatedFrom", lines: listLines("consolidatedFrom", f.Merged)},
		{name: "createdAt", lines: timeLine("createdAt", f.Created)},
		{name: "updatedAt", lines: timeLine("updatedAt", f.Updated)},
		{name: "revision", lines: countLine("revision", f.Revision)},
		{name: "consolidatedAt", lines: timeLine("consolidatedAt", f.MergedAt)},
		{name: "lastConfirmedAt", lines: timeLine("lastConfirmedAt", f.Confirmed)},
		{name: "confirmationCount", lines: countLine("confirmationCount", f.Confirmations)},
		{name: "provenance", lines: f.provenanceLines()},
		{name: "user_id", lines: "user_id: " + orNull(f.User, 9, 2) + "\n"},
		{name: "agent_name", lines: scalarLine("agent_name", f.Agent)},
	}
}

func scalarLine(name, s string) string { return name + ": " + scalar(s, len(name)+2, 2) + "\n" }

func textLine(name, s string) string {
	if s == "" {
		return ""
	}
	return scalarLine(name, s)
}

func countLine(name string, n int) string {
	if n == 0 {
		return ""
	}
	return name + ": " + strconv.Itoa(n) + "\n"
}

// timeLine quotes a time, which YAML would take for more than text.
func timeLine(name string, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return scalarLine(name, timeText(t))
}

// timeText is Python's spelling of a time in UTC, "" of none.
func timeText(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case t.Nanosecond() == 0:
		return t.UTC().Format("2006-01-02T15:04:05Z")
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000Z")
}

func listLines(name string, items []string) string {
	if len(items) == 0 {
		return name + ": []\n"
	}
	var b strings.Builder
	b.WriteString(name + ":\n")
	for _, s := range items {
		b.WriteString("- " + scalar(s, 2, 2) + "\n")
	}
	return b.String()
}

func (f *Fact) provenanceLines() string {
	p := f.Provenance
	var b strings.Builder
	if p.Session != "" {
		b.WriteString("  session_id: " + scalar(p.Session, 14, 4) + "\n")
	}
	if len(p.Turns) > 0 {
		b.WriteString("  turns:\n")
	}
	for _, n := range p.Turns {
		b.WriteString("  - " + strconv.Itoa(n) + "\n")
	}
	if p.Ref != "" {
		b.WriteString("  history_ref: " + scalar(p.Ref, 15, 4) + "\n")
	}
	if b.Len() == 0 {
		return ""
	}
	return "provenance:\n" + b.String()
}

func orNull(s string, column, indent int) string {
	if s == "" {
		return "null"
	}
	return scalar(s, column, indent)
}

// floatText is Python's spelling of a number from 0 to 1, made a float for YAML 1.1.
func floatText(x float64) string {
	form := byte('f')
	if x != 0 && x < 1e-4 {
		form = 'e'
	}
	s := strconv.FormatFloat(x, form, -1, 64)
	switch mantissa, exponent, found := strings.Cut(s, "e"); {
	case strings.Contains(mantissa, "."):
		return s
	case found:
		return mantissa + ".0e" + exponent
	}
	return s + ".0"
}
