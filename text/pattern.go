package text

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first used, and not
// whenever the program starts: a question needs none of most of them. An expression
// that is none panics then, as with regexp.MustCompile.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
