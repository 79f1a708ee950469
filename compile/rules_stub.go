package compile

import (
	"brain/inbox"
	"time"
)

type Kind string

const (
	Remember   Kind = "remember"
	Decision   Kind = "decision"
	Preference Kind = "preference"
	Correction Kind = "correction"
	Lesson     Kind = "lesson"
	Task       Kind = "task"
)

type Finding struct {
	Kind       Kind
	Turn       int
	Text       string
	Subject    string
	Confidence float64
}

func Rules(fed []inbox.Fed) []Finding        { return nil }
func absolute(s string, at time.Time) string { return s }
