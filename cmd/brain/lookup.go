package main

import (
	"context"
	"errors"
	"strings"

	"brain/index"
	"brain/page"
	"brain/store"
)

// lookup finds the page that a person names. The files decide first: the exact path,
// the same in another Unicode form, the same in another case, with or without .md. Only
// what is no path is looked up in the index, where titles, aliases, slugs and redirects
// are known. A path may be that of another agent's page: who knows it may read it.
func (a *app) lookup(ctx context.Context, e *engine, v *index.View, name string) (page.Path, error) {
	p, err := e.st.Lookup(ctx, name)
	if err == nil || errors.Is(err, store.ErrAmbiguous) || errors.Is(err, store.ErrUnreadable) {
		return p, err
	}
	return a.fromIndex(v, name, err)
}

// lookupOpening is lookup for a command that needs the index only for names that are no
// paths.
func (a *app) lookupOpening(ctx context.Context, o *opened, name string) (page.Path, error) {
	p, err := o.st.Lookup(ctx, name)
	if err == nil || (!errors.Is(err, store.ErrNotFound) && !errors.Is(err, page.ErrPath)) {
		return p, err
	}
	if why := refused(ctx, o.st, name); why != nil {
		return "", why
	}
	if strings.ContainsRune(name, 0) || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "../") {
		return "", err
	}
	e, openErr := a.engine(o)
	if openErr != nil {
		return "", errors.Join(err, openErr)
	}
	v, _, openErr := a.view(ctx, e, index.Auto)
	if openErr != nil {
		return "", errors.Join(err, openErr)
	}
	defer v.Release()
	return a.fromIndex(v, name, err)
}

// fromIndex resolves a name by the index, among the pages that the agent sees; none is
// the error for a name nobody bears.
func (a *app) fromIndex(v *index.View, name string, none error) (page.Path, error) {
	rows := v.For(a.self()).Resolve(strings.TrimSpace(name))
	switch len(rows) {
	case 0:
		return "", none
	case 1:
		return v.Page(rows[0]).Path, nil
	}
	many := &store.AmbiguousError{Name: name}
	for _, row := range rows {
		many.Candidates = append(many.Candidates, v.Page(row).Path)
	}
	return "", many
}

// refused says why what stands at a path is no page, where something does.
func refused(ctx context.Context, st *store.Store, name string) error {
	p, err := page.ParsePath(withMD(name))
	if err != nil {
		return nil
	}
	_, err = st.Read(ctx, p)
	if errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrNotPage) {
		return err
	}
	return nil
}
