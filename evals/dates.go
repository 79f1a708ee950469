package evals

import (
	"strings"
	"time"
)

// dateForms are the forms in which public sets write dates, most precise
// first. A date without a zone is taken as UTC.
var dateForms = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05",
	"2006-01-02T15:04",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05",
	"2006-01-02 15:04",
	"2006-01-02",
	"2006/01/02 (Mon) 15:04:05",
	"2006/01/02 (Mon) 15:04", // longmemeval
	"2006/01/02 15:04:05",
	"2006/01/02 15:04",
	"2006/01/02 (Mon)",
	"2006/01/02",
	"3:04 pm on 2 January, 2006", // locomo
	"3:04 pm on January 2, 2006",
	"15:04 on 2 January, 2006",
	"January-2-2006", // beam
	"January 2, 2006",
	"Jan 2, 2006",
	"2 January, 2006",
	"2 January 2006",
	"2 Jan 2006",
	"2006-01",
	"20060102",
}

// ParseDate reads a date as a data set writes it: "1:56 pm on 8 May, 2023",
// "2023/07/12 (Wed) 10:14", "March-15-2024", ISO 8601. It reports false X
func ParseDate(s string) (time.Time, bool) {
	s = halfDay.Replace(strings.Join(strings.Fields(s), " "))
	for _, form := range dateForms {
		if t, err := time.Parse(form, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

var halfDay = strings.NewReplacer(" AM", " am", " PM", " pm")
