package main

import "brain/page"

// severity says how much a finding matters: an error where text is lost or not
// found, a warning where something does not do what its writer meant, a note
// where it only looks so.
type severity string

const (
	severityError   severity = "error"
	severityWarning severity = "warning"
	severityNote    severity = "note"
)

// Rules that need more than one page. Those of a page alone are page's.
const (
	ruleUnreadable    = "unreadable"
	ruleBinary        = "binary"
	ruleTooLarge      = "too-large"
	ruleBadName       = "bad-name"
	ruleOrphan        = "orphaned-sidecar"
	ruleCopy          = "conflict-copy"
	ruleBrainFile     = "brain-file"
	ruleFactFile      = "fact-file"
	ruleMemoryFile    = "memory-file"
	ruleCollision     = "name-collision"
	ruleTwin          = "name-twin"
	ruleDuplicate     = "duplicate-name"
	ruleMissing       = "missing-link"
	ruleAmbiguous     = "ambiguous-link"
	ruleDangling      = "dangling-redirect"
	ruleRedirectLoop  = "redirect-loop"
	ruleSupersedeLoop = "supersedes-loop"
)

// lintRule is one kind of finding; doc/lint.md has a section for each.
type lintRule struct {
	code string
	severity
	what string // one line
	help string // what to do
}

// lintRules is the table, in the order in which doc/lint.md tells it.
func lintRules() []lintRule {
	ours := func(code string, s severity, help string) lintRule {
		return lintRule{code, s, page.Codes[code], help}
	}
	return []lintRule{
		{ruleUnreadable, severityError, "a page or a folder cannot be read", "Give yourself the right to read it."},
		{ruleBinary, severityError, "the file is called .md and is not text", "Save it as UTF-8, or give it the name of what it is."},
		{ruleTooLarge, severityError, "the file is too large to be a page, and is not read", "Split it, or keep it under another name than .md."},
		{ruleBadName, severityWarning, "the name of a file or folder cannot be that of a page; it is not read", "Rename it: without control characters and backslashes, in UTF-8."},
		ours(page.CodeNotUTF8, severityError, "Convert it: iconv -f latin1 -t utf-8, or whatever it was written in."),
		ours(page.CodeConflict, severityError, "Keep one side, or both, and delete the marker lines."),
		ours(page.CodeUnclosed, severityError, "Add a line --- after the last key."),
		ours(page.CodeYAML, severityError, "Correct the line, or put its value in double quotes."),
		ours(page.CodeTitleColon, severityWarning, "Put the value in double quotes; --fix does."),
		ours(page.CodeTab, severityWarning, "Indent with blanks; --fix does."),
		ours(page.CodeTooLarge, severityError, "Move the text into the body."),
		ours(page.CodeDuplicateKey, severityWarning, "Delete one of them; where both say the same, --fix does."),
		ours(page.CodeBadType, severityWarning, "Write the value in the form that doc/format.md gives for its key."),
		ours(page.CodeBadDate, severityWarning, "Write it as 2026-01-31 or 2026-01-31T10:00:00Z."),
		ours(page.CodeTooLong, severityWarning, "Shorten it; the text belongs into the body."),
		ours(page.CodePath, severityWarning, "Delete the key; --fix does."),
		ours(page.CodeBadStatus, severityNote, "Write active, archived or stale, or keep the word under another key."),
		ours(page.CodeUnknownType, severityWarning, "Write a type that the schema pack knows, or add yours to the pack."),
		ours(page.CodeMissingKey, severityWarning, "Add the key to the front matter."),
		ours(page.CodeBadFact, severityWarning, "Correct the fact; doc/format.md has its form."),
		{ruleFactFile, severityError, "a file among an agent's facts is none; it counts as no fact", "Give it the form that doc/format.md has, or put it elsewhere."},
		ours(page.CodeFence, severityWarning, "Close the fence with as many signs as opened it."),
		ours(page.CodeLongBody, severityWarning, "Split the page by its headings."),
		ours(page.CodeEmpty, severityNote, "Write something, or delete the file."),
		ours(page.CodeBadTurn, severityWarning, "Complete the line, or remove it; the other turns are read."),
		{ruleMissing, severityWarning, "a link leads to no page", "Make the page, or correct the name."},
		{ruleAmbiguous, severityWarning, "a link may mean several pages", "Write the path of the one that is meant."},
		{ruleDuplicate, severityWarning, "several pages bear one title or alias", "Give one of them another title, or an alias of its own."},
		{ruleTwin, severityNote, "two names differ only in their form", "Make them one page, or tell them apart by more than a sign."},
		{ruleCollision, severityError, "two paths differ only in case or Unicode form; on many disks they are one file", "Rename one of them."},
		{ruleDangling, severityWarning, "a redirect leads to no page, or may mean several", "Name the page that replaced it by its path, or delete the stub."},
		ours(page.CodeRedirect, severityWarning, "Lead it straight to the last page; --fix does."),
		{ruleRedirectLoop, severityError, "redirects lead in a circle; the pages are never found", "Make one of them a page again."},
		{ruleSupersedeLoop, severityError, "pages supersede each other in a circle; none is current", "Remove the link from the page that is current."},
		{ruleOrphan, severityNote, "an overview belongs to a page or folder that is gone", "Delete it."},
		{ruleCopy, severityWarning, "a sync program kept two versions of a page", "Take over what is missing in the page, then delete the copy."},
		{ruleMemoryFile, severityError, "memory.json cannot be understood; the summaries are not known", "Correct it; the next change of a fact or a summary puts it aside and begins a new one."},
		{ruleBrainFile, severityError, "brain.yml cannot be understood, or a newer brain wrote it; the brain is read-only", "Correct it, or install the newer brain."},
	}
}

// severityOf is the severity of a rule; one that the table does not know is a
// warning.
func severityOf(code string) severity {
	for _, r := range lintRules() {
		if r.code == code {
			return r.severity
		}
	}
	return severityWarning
}
