package main

import (
	"fmt"
	"strconv"
	"time"
)

// parseDate reads a date as people give it on a command line: 2026-11-01 (its first
// moment, UTC), RFC 3339, or a time ago: 12h, 7d, 3w, 1y.
func parseDate(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339, "2006-01", "2006"} {
		if t, err := time.Parse(form, text); err == nil {
			return t, nil
		}
	}
	n, err := strconv.Atoi(text[:len(text)-1])
	if err == nil && n >= 0 && n < 100000 {
		switch text[len(text)-1] {
		case 'h':
			return now.Add(-time.Duration(n) * time.Hour), nil
		case 'd':
			return now.AddDate(0, 0, -n), nil
		case 'w':
			return now.AddDate(0, 0, -7*n), nil
		case 'y':
			return now.AddDate(-n, 0, 0), nil
		}
	}
	return time.Time{}, usage(fmt.Sprintf("--%s: %q is no date", flag, text),
		"write 2026-11-01, a time such as 2026-11-01T09:30:00+01:00, or 12h, 7d, 3w, 1y ago")
}
