package page

import (
	"strconv"
	"strings"
	"time"
)

// Renewed are the changes that go with any other of the page: the date of its last
// change, where it keeps dates, and the next revision of a fact that counts them.
func (p *Page) Renewed(now time.Time) []Change {
	var all []Change
	if !p.Created.IsZero() || !p.Updated.IsZero() {
		all = append(all, SetText("updated_at", now.UTC().Format(time.RFC3339)))
	}
	if n, ok := p.revision(); ok && p.Path.Type() == "fact" {
		all = append(all, SetText("revision", strconv.Itoa(n+1)))
	}
	return all
}

func (p *Page) revision() (n int, ok bool) {
	line := p.KeyLine("revision")
	if line == 0 {
		return 0, false
	}
	_, value, _ := strings.Cut(strings.Split(string(p.Raw), "\n")[line-1], ":")
	value, _, _ = strings.Cut(value, " #")
	n, err := strconv.Atoi(strings.Trim(strings.TrimSpace(value), `"'`))
	return n, err == nil
}
