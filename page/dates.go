package page

import (
	"strconv"
	"strings"
	"time"
)

// dateKey maps the many names of a date to the three that a page has.
func dateKey(key string) string {
	switch strings.ReplaceAll(strings.ToLower(key), "-", "_") {
	case "created_at", "created", "createdat", "date_created", "creation_date", "created_on":
		return "created"
	case "updated_at", "updated", "updatedat", "date_updated", "modified", "modified_at", "last_modified",
		"lastmodified", "lastmod", "last_updated", "date_modified", "last_modified_at":
		return "updated"
	case "date", "at", "event_date":
		return "at"
	}
	return ""
}

var dateForms = []string{
	time.RFC3339Nano,
	"2006-01-02",
	"2006-01-02 15:04:05",
	"2006-01-02 15:04",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 -0700",
	"2006-01-02 15:04:05 Z07:00",
	"2006-01-02T15:04:05-0700",
	"2006/01/02",
	"2006/1/2",
	"2006-1-2",
	"2006/01/02 15:04:05",
	"2006/01/02 15:04",
	"2006.01.02",
	"2006-01",
	"2006年1月2日",
	"January 2, 2006",
	"Jan 2, 2006",
	"2 January 2006",
	"2 Jan 2006",
	time.RFC1123Z,
	time.RFC1123,
}

// ParseDate reads the forms in use; without a zone it is UTC. Ten or more
// digits are seconds, thirteen or more milliseconds since 1970.
func ParseDate(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if len(s) >= 9 && len(s) <= 14 && strings.Trim(s, "0123456789") == "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return time.Time{}, false
		}
		if len(s) >= 12 {
			return time.UnixMilli(n).UTC(), true
		}
		return time.Unix(n, 0).UTC(), true
	}
	if len(s) > 40 {
		return time.Time{}, false
	}
	for _, form := range dateForms {
		if t, err := time.Parse(form, s); err == nil && t.Year() > 0 {
			return t, true
		}
	}
	return time.Time{}, false
}
