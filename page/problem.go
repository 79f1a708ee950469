package page

// Problem is a defect of the file that reading tolerated; lint prints it.
type Problem struct {
	Line    int
	Code    string // one of the codes below
	Message string
	Fix     string
}

// The codes of Problem: stable, since settings and scripts name them.
const (
	CodeNotUTF8      = "not-utf8"
	CodeEmpty        = "empty"
	CodeUnclosed     = "front-matter-unclosed"
	CodeTooLarge     = "too-large-block"
	CodeYAML         = "yaml-invalid"
	CodeTitleColon   = "title-colon"
	CodeTab          = "tab-indent"
	CodeDuplicateKey = "duplicate-key"
	CodeBadType      = "bad-type"
	CodeBadDate      = "bad-date"
	CodeTooLong      = "too-long"
	CodePath         = "path-disagrees"
	CodeConflict     = "conflict-markers"
	CodeFence        = "fence-unclosed"
	CodeBadTurn      = "bad-turn"
	CodeUnknownType  = "unknown-type" // these two are for who has a schema pack to say
	CodeMissingKey   = "missing-key"

	// Only Check finds these.
	CodeBadFact   = "bad-fact"
	CodeBadStatus = "unknown-status"
	CodeLongBody  = "long-body"

	// CodeRedirect is that of a stub whose target is a stub itself; who knows
	// the other pages finds it.
	CodeRedirect = "redirect-chain"
)

// Codes tells what each code means, in one line for a person.
var Codes = map[string]string{
	CodeNotUTF8:      "the file is not UTF-8; the bad bytes are read as U+FFFD",
	CodeEmpty:        "the page holds nothing",
	CodeUnclosed:     "the front matter has no closing ---; all of it is read as body",
	CodeTooLarge:     "the front matter is larger than 256 KiB or nests too much; only its simple keys are read",
	CodeYAML:         "the front matter is not valid YAML; its keys are read line by line",
	CodeTitleColon:   "an unquoted value holds a colon that YAML takes for a key's",
	CodeTab:          "the front matter is indented with a tab",
	CodeDuplicateKey: "a key stands twice; the first is used",
	CodeBadType:      "a value has a form that its key cannot have",
	CodeBadDate:      "a date cannot be read",
	CodeTooLong:      "a name is longer than 500 characters; it is cut",
	CodePath:         "the path key differs from where the file lies; the place counts",
	CodeConflict:     "an unresolved merge conflict",
	CodeFence:        "a code fence is never closed; the rest of the page counts as code",
	CodeUnknownType:  "the schema pack does not know the page's schema_type; it is a kind all the same",
	CodeMissingKey:   "the front matter lacks a key that the schema pack requires of the page's type",
	CodeBadTurn:      "a line of a session is no turn, perhaps half written; the others are read",
	CodeBadFact:      "a fact of the front matter has no text, a date that is none, bounds in the wrong order, or an unknown status",
	CodeBadStatus:    "the status is no known word; the page counts as active",
	CodeRedirect:     "a redirect leads to a page that redirects again; after two steps a name is no longer followed",
	CodeLongBody:     "the body is longer than what brain itself would write, 200,000 characters",
}

func (p *Page) problem(line int, code, message, fix string) {
	// A file that is nothing but one defect, repeated, is told once too often
	// after a hundred.
	if len(p.Problems) < 100 {
		p.Problems = append(p.Problems, Problem{Line: line, Code: code, Message: message, Fix: fix})
	}
}
