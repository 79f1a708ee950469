package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"brain/index"
	"brain/text"
)

func (a *app) examineIndex(ctx context.Context, x *examination, o *opened) {
	dir := o.indexDir()
	if err := writableDir(dir); err != nil {
		x.broken("index", fmt.Sprintf("%s cannot be written: %v; queries search the files", dir, bare(err)), "check its permissions, or move it: BRAIN_INDEX_PATH=DIR")
		return
	}
	examineDisk(x, "index disk", dir)
	e, err := a.engine(o)
	if err != nil {
		if e != nil {
			x.fail("index", err)
		}
		return // an embedder that cannot be made was named already
	}
	if !e.built() {
		x.ok("index", "not built yet; the first query builds it")
		return
	}
	st, err := e.ix.Status(ctx, o.st)
	switch {
	case err != nil:
		x.fail("index", err)
		return
	case st.Damaged != "":
		x.warn("index", "damaged: "+st.Damaged, "brain sync --rebuild")
	default:
		examinePages(ctx, x, e, &st)
	}
	if e.embedder != nil && st.Pending+st.Failed > 0 {
		x.warn("vectors", fmt.Sprintf("%d pending, %d failed", st.Pending, st.Failed), "brain sync --pending-embeddings")
	}
	if st.Lock != nil {
		x.ok("lock", fmt.Sprintf("held by process %d on %s since %s: %s; queries go on meanwhile", st.Lock.PID, st.Lock.Host, stamp(st.Lock.Since), st.Lock.What))
	} else {
		x.ok("lock", "free")
	}
}

// examinePages is `brain check --deep`. What changed since the last sync is no
// finding: the next query takes it in.
func examinePages(ctx context.Context, x *examination, e *engine, st *index.Status) {
	whole := fmt.Sprintf("generation %d, %s, %s", st.Generation, count(st.Pages, "page"), text.Size(st.Bytes))
	findings, err := e.ix.Check(ctx, e.st, true)
	e.bar.wipe()
	if err != nil {
		x.fail("index", err)
		return
	}
	differ := 0
	for _, f := range findings {
		switch f.Code {
		case "damaged":
			x.broken("index", whole+before("; ", f.Path)+": damaged: "+f.Message, "brain sync --rebuild")
			return
		case "missing", "extra", "differs":
			differ++
		}
	}
	switch {
	case differ > st.Changed:
		x.warn("index", fmt.Sprintf("%s; %s other than their files, which look unchanged", whole, count(differ-st.Changed, "page")), "brain sync --rebuild")
	case st.Changed > 0:
		x.ok("index", fmt.Sprintf("%s; %s since, which the next query takes in", whole, count(st.Changed, "change")))
	default:
		x.ok("index", whole+"; it agrees with the files")
	}
}

// writableDir makes the folder where it is missing and tries to write a file in it.
func writableDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
