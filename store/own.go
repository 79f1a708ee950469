package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// OwnFile is a file of brain's own that is truth and no page. Only these are
// written besides pages.
type OwnFile string

// The own files.
const (
	Forgotten OwnFile = "forgotten.jsonl" // tombstones of what was purged
	Summaries OwnFile = "memory.json"     // the user's summaries
)

func isOwn(name string) bool {
	return slices.Contains([]OwnFile{Forgotten, Summaries}, OwnFile(name))
}

// ReadOwn returns an own file as it will be after this update; nil when there
// is none.
func (tx *Tx) ReadOwn(f OwnFile) (raw []byte, err error) {
	switch c := tx.at[string(f)]; {
	case c == nil || tx.done:
		raw, err = readRegular(tx.root.Root, string(f))
	case c.After == "":
		return nil, nil
	default:
		raw, err = tx.root.ReadFile(c.Temp)
	}
	if err := ignoreNotFound(notFound(err)); err != nil {
		return nil, fmt.Errorf("read %s: %w", f, err)
	}
	return raw, nil
}

// WriteOwn replaces an own file whose content had the hash was ("": there was
// none); any other is a *ConflictError.
func (tx *Tx) WriteOwn(f OwnFile, was Hash, content []byte) error {
	if tx.done {
		return ErrTxDone
	}
	raw, err := tx.ReadOwn(f)
	if err != nil {
		return err
	}
	have := Hash("")
	if raw != nil {
		have = HashOf(raw)
	}
	if have != was {
		return fmt.Errorf("write %s: %w", f, &ConflictError{Path: string(f), Want: was, Have: have})
	}
	if err := tx.put(string(f), was, content); err != nil {
		return fmt.Errorf("write %s: %w", f, err)
	}
	return nil
}

// Append adds lines to an own file of lines. A last line that a crash or an
// editor left without its end is ended first, so that two never become one.
func (tx *Tx) Append(f OwnFile, lines ...[]byte) error {
	raw, err := tx.ReadOwn(f)
	if err != nil {
		return err
	}
	was := Hash("")
	if raw != nil {
		was = HashOf(raw)
	}
	out := bytes.Clone(raw)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	for _, l := range lines {
		if bytes.IndexByte(l, '\n') >= 0 {
			return errors.New("append to " + string(f) + ": a line with a line break in it")
		}
		out = append(append(out, l...), '\n')
	}
	return tx.WriteOwn(f, was, out)
}
