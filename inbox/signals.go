package inbox

import "brain/page"

// Signals gives the kinds of signals in turns.
func Signals(turns []page.Turn) []string { return nil }
