package lint

import "brain/page"

// Severity says how much a finding matters: an error where text is lost or not
// found, a warning where something does not do what its writer meant, a note
// where it only looks so.
type Severity string

const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
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
	ruleUntitled      = "no-title"
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

// Rule is one kind of finding; doc/lint.md has a section for each.
type Rule struct {
	Code     string
	Severity Severity
	What     string // one line
	Help     string // what to do
}

// Rules is the table, in the order in which doc/lint.md tells it.
func Rules() []Rule {
	ours := func(code string, s Severity, help string) Rule {
		return Rule{code, s, page.Codes[code], help}
	}
	return []Rule{
		{ruleUnreadable, Error, "a page or a folder cannot be read", "Give yourself the right to read it."},
		{ruleBinary, Error, "the file is called .md and is not text", "Save it as UTF-8, or give it the name of what it is."},
		{ruleTooLarge, Error, "the file is too large to be a page, and is not read", "Split it, or keep it under another name than .md."},
		{ruleBadName, Warning, "the name of a file or folder cannot be that of a page; it is not read", "Rename it: without control characters and backslashes, in UTF-8."},
		ours(page.CodeNotUTF8, Error, "Convert it: iconv -f latin1 -t utf-8, or whatever it was written in."),
		ours(page.CodeConflict, Error, "Keep one side, or both, and delete the marker lines."),
		ours(page.CodeUnclosed, Error, "Add a line --- after the last key."),
		ours(page.CodeYAML, Error, "Correct the line, or put its value in double quotes."),
		ours(page.CodeTitleColon, Warning, "Put the value in double quotes; --fix does."),
		ours(page.CodeTab, Warning, "Indent with blanks; --fix does."),
		ours(page.CodeTooLarge, Error, "Move the text into the body."),
		ours(page.CodeDuplicateKey, Warning, "Delete one of them; where both say the same, --fix does."),
		ours(page.CodeBadType, Warning, "Write the value in the form that doc/format.md gives for its key."),
		ours(page.CodeBadDate, Warning, "Write it as 2026-01-31 or 2026-01-31T10:00:00Z."),
		ours(page.CodeTooLong, Warning, "Shorten it; the text belongs into the body."),
		ours(page.CodePath, Warning, "Delete the key; --fix does."),
		ours(page.CodeBadStatus, Note, "Write active, archived or stale, or keep the word under another key."),
		ours(page.CodeUnknownType, Warning, "Write a type that the schema pack knows, or add yours to the pack."),
		ours(page.CodeMissingKey, Warning, "Add the key to the front matter."),
		{ruleUntitled, Note, "the page says no title: the name of its file is its title", "Add title: to the front matter, or a heading."},
		ours(page.CodeBadFact, Warning, "Correct the fact; doc/format.md has its form."),
		{ruleFactFile, Error, "a file among an agent's facts is none; it counts as no fact", "Give it the form that doc/format.md has, or put it elsewhere."},
		ours(page.CodeFence, Warning, "Close the fence with as many signs as opened it."),
		ours(page.CodeLongBody, Warning, "Split the page by its headings."),
		ours(page.CodeEmpty, Note, "Write something, or delete the file."),
		ours(page.CodeBadTurn, Warning, "Complete the line, or remove it; the other turns are read."),
		{ruleMissing, Warning, "a link leads to no page", "Make the page, or correct the name."},
		{ruleAmbiguous, Warning, "a link may mean several pages", "Write the path of the one that is meant."},
		{ruleDuplicate, Warning, "several pages bear one title or alias", "Give one of them another title, or an alias of its own."},
		{ruleTwin, Note, "two names differ only in their form", "Make them one page, or tell them apart by more than a sign."},
		{ruleCollision, Error, "two paths differ only in case or Unicode form; on many disks they are one file", "Rename one of them."},
		{ruleDangling, Warning, "a redirect leads to no page, or may mean several", "Name the page that replaced it by its path, or delete the stub."},
		ours(page.CodeRedirect, Warning, "Lead it straight to the last page; --fix does."),
		{ruleRedirectLoop, Error, "redirects lead in a circle; the pages are never found", "Make one of them a page again."},
		{ruleSupersedeLoop, Error, "pages supersede each other in a circle; none is current", "Remove the link from the page that is current."},
		{ruleOrphan, Note, "an overview belongs to a page or folder that is gone", "Delete it."},
		{ruleCopy, Warning, "a sync program kept two versions of a page", "Take over what is missing in the page, then delete the copy."},
		{ruleMemoryFile, Error, "memory.json cannot be understood; the summaries are not known", "Correct it; the next change of a fact or a summary puts it aside and begins a new one."},
		{ruleBrainFile, Error, "brain.yml cannot be understood, or a newer brain wrote it; the brain is read-only", "Correct it, or install the newer brain."},
	}
}

// severityOf is the severity of a rule; one that the table does not know is a
// warning.
func severityOf(code string) Severity {
	for _, r := range Rules() {
		if r.Code == code {
			return r.Severity
		}
	}
	return Warning
}
