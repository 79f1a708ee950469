package dream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"brain/page"
	"brain/store"
)

// Purge takes what a page said out of the list and of the log, before the page itself goes
// for good, with what the undo store holds of them: open pairs that name it go, and of verdicts on them the hashes stay, by which what was
// rejected stays rejected. It is the one thing that changes lines of the log.
func Purge(ctx context.Context, st *store.Store, p page.Path) error {
	names := func(o Pair) bool { return o.A.Path == p || o.B.Path == p }
	err := st.Update(ctx, "contradiction purge", func(tx *store.Tx) error {
		d, err := readDocket(tx.Read, tx.ReadOwn)
		if err != nil {
			return err
		}
		if d.remove(names) > 0 {
			if _, err := d.write(tx); err != nil {
				return err
			}
		}
		if err := purgeKept(tx, p); err != nil {
			return err
		}
		return purgeLog(tx, names)
	})
	if err != nil {
		return fmt.Errorf("purge %s from the contradictions of brain %s: %w", p, st.Name(), err)
	}
	return nil
}

// purgeKept takes the lines that name the page out of the lists of other programs.
func purgeKept(tx *store.Tx, p page.Path) error {
	for n := 1; n <= maxKept; n++ {
		f := store.ReviewOfOld(n)
		raw, err := tx.ReadOwn(f)
		if err != nil || raw == nil {
			return err
		}
		out := string(raw)
		for _, entry := range listEntries(out) {
			if strings.Contains(entry, string(p)) {
				out = strings.ReplaceAll(out, entry, "")
			}
		}
		if out == string(raw) {
			continue
		}
		if err := tx.WriteOwn(f, store.HashOf(raw), []byte(out)); err != nil {
			return err
		}
	}
	return nil
}

func purgeLog(tx *store.Tx, names func(Pair) bool) error {
	raw, err := tx.ReadOwn(store.Verdicts)
	if err != nil || raw == nil {
		return err
	}
	var out bytes.Buffer
	for line := range bytes.Lines(raw) {
		var v Verdict
		if json.Unmarshal(line, &v) == nil && v.Of != nil && names(*v.Of) {
			v = Verdict{Pair: v.Pair, Texts: v.Texts, Keep: v.Keep, At: v.At, By: v.By, Job: v.Job}
			short, err := json.Marshal(v)
			if err != nil {
				return err
			}
			line = append(short, '\n')
		}
		out.Write(line)
	}
	if bytes.Equal(out.Bytes(), raw) {
		return nil
	}
	return tx.WriteOwn(store.Verdicts, store.HashOf(raw), out.Bytes())
}
