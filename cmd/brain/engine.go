package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brain/graph"
	"brain/index"
	"brain/llm"
	"brain/retrieve"
	"brain/store"
)

// engine is a brain with its index open.
type engine struct {
	*opened
	ix       *index.Index
	embedder llm.Embedder
	lexicon  *graph.Lexicon // nil with the built-in schema pack
	bar      *progress
}

// engine opens the index of a brain and the embedder that the settings name, once a
// command: a second one would hold on to a generation that the first removes. It
// builds nothing.
func (a *app) engine(o *opened) (*engine, error) {
	if o.running != nil {
		return o.running, nil
	}
	embedder, err := a.embedder(&o.settings.settings)
	if err != nil {
		return nil, err
	}
	pack, err := o.pack()
	if err != nil {
		return nil, err
	}
	e := &engine{opened: o, embedder: embedder, bar: a.progress(o.st.Name())}
	if pack.Name != builtinPack {
		e.lexicon = graph.NewLexicon(pack)
	}
	if err := o.makeIndexDir(); err != nil {
		return e, err
	}
	ix, err := index.Open(index.Options{
		Dir:      o.indexDir(),
		Embedder: embedder,
		Vectors:  o.settings.IndexVectors,
		Pack:     pack,
		Progress: e.bar.show,
	})
	if err != nil {
		return e, err
	}
	e.ix, o.running = ix, e
	a.closers = append(a.closers, ix.Close)
	return e, nil
}

// makeIndexDir makes what the brain's index lies in.
func (o *opened) makeIndexDir() error {
	if o.aside != "" {
		return nil
	}
	return errors.Join(o.root.MakeState(), store.MakeDisposable(filepath.Dir(o.indexDir())))
}

// indexAside lets a command that changes nothing make an index in a folder of its own, for as long
// as it runs, where that of the brain cannot be written.
func (a *app) indexAside(o *opened) error {
	why := o.makeIndexDir()
	if why == nil {
		why = writableDir(o.indexDir())
	}
	if why == nil {
		return nil
	}
	dir, err := os.MkdirTemp("", "brain-index-")
	if err != nil {
		return errors.Join(why, err)
	}
	a.closers = append(a.closers, func() error { return os.RemoveAll(dir) })
	a.warn("the index is made for this run alone: %s", plain(why.Error()))
	o.aside = dir
	return nil
}

// indexDir is the folder of the brain's index.
func (o *opened) indexDir() string {
	if o.aside != "" {
		return filepath.Join(o.aside, o.st.Name())
	}
	dir := filepath.FromSlash(o.settings.IndexPath)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(o.root.Dir, dir)
	}
	return filepath.Join(dir, o.st.Name())
}

// checkIndexDir refuses to keep the index among the pages: who deletes an index must
// not delete a page, and who copies a brain need not copy an index.
func (o *opened) checkIndexDir() error {
	dir := resolved(o.root.Dir, o.indexDir())
	for _, pages := range []string{filepath.Join(o.root.Dir, "brains"), o.st.Dir()} {
		rel, err := filepath.Rel(resolved(o.root.Dir, pages), dir)
		if err == nil && filepath.IsLocal(rel) && !slices.ContainsFunc(strings.Split(rel, string(filepath.Separator)), hidden) {
			return usage("index.path: "+o.settings.IndexPath+" lies among the pages of a brain", "name a folder outside of them, such as .brain/index")
		}
	}
	return nil
}

func hidden(folder string) bool { return len(folder) > 1 && folder[0] == '.' }

// embedder makes the embedder of the settings; nil when it is off.
func (a *app) embedder(s *settings) (llm.Embedder, error) {
	key, err := secret(a.env, "embedding.key", s.Key)
	if err != nil {
		return nil, err
	}
	o := llm.ServerOptions{URL: s.URL, Model: s.Model, Key: key, Timeout: s.Timeout, Retries: s.Retries, MaxBatch: s.Batch, Dims: s.Dims}
	switch s.Provider {
	case "ollama":
		return llm.NewOllama(llm.OllamaOptions(o))
	case "openai":
		return llm.NewOpenAI(llm.OpenAIOptions(o))
	case "off":
		return nil, nil
	}
	return llm.Static()
}

// completer makes the model that writes, within the budget of one command; nil when it
// is off.
func (a *app) completer(s *settings) (llm.Completer, error) {
	key, err := secret(a.env, "llm.key", s.LLM.Key)
	if err != nil {
		return nil, err
	}
	o := llm.ServerOptions{URL: s.LLM.URL, Model: s.LLM.Model, Key: key, Timeout: s.LLM.Timeout, Retries: s.LLM.Retries}
	var c llm.Completer
	switch s.LLM.Provider {
	case "ollama":
		c, err = llm.NewOllamaCompleter(o)
	case "openai":
		c, err = llm.NewOpenAICompleter(o)
	}
	if err != nil || c == nil {
		return nil, err
	}
	return llm.Limited(c, &llm.Budget{Calls: s.LLM.BudgetCalls, Tokens: s.LLM.BudgetTokens}), nil
}

// first gives a leased state of the index as it is; where there is none, or none
// that can be used, it is built, and fresh says so.
func (a *app) first(ctx context.Context, e *engine) (v *index.View, fresh bool, err error) {
	e.bar.first = !e.built()
	announced := e.bar.first
	v, built, err := e.ix.First(ctx, e.st, index.SyncOptions{OnWait: a.indexWaiting(e.st.Name())})
	e.bar.wipe()
	e.bar.first = false
	if err == nil && built != "" && !announced {
		a.warn("the index of brain %s was rebuilt: %s", plain(e.st.Name()), plain(built))
	}
	return v, built != "", err
}

// view gives a leased state of the index, as fresh as asked; the caller releases it.
func (a *app) view(ctx context.Context, e *engine, f index.Freshness) (*index.View, *index.Staleness, error) {
	v, fresh, err := a.first(ctx, e)
	if err != nil || fresh {
		return v, nil, err
	}
	change, err := e.ix.Look(ctx, e.st, v)
	if errors.Is(err, store.ErrUnreadable) {
		return v, &index.Staleness{Why: err.Error()}, nil // what is known of a tree stays, also while it is away
	}
	if err != nil {
		return nil, nil, errors.Join(err, v.Release())
	}
	v, stale, err := e.ix.Refresh(ctx, e.st, v, change, f)
	e.bar.wipe()
	return v, stale, err
}

// built reports whether an index is there, usable or not.
func (e *engine) built() bool {
	v, err := e.ix.View()
	if err != nil {
		return !errors.Is(err, index.ErrNoIndex)
	}
	return v.Release() == nil
}

func (e *engine) searcher() *retrieve.Searcher {
	return &retrieve.Searcher{Brain: e.st.Name(), Index: e.ix, Source: e.st, Embedder: e.embedder, Lexicon: e.lexicon}
}
