package migrate

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"brain/memory"
	"brain/page"
)

// A tree of df-memory is a brain: its pages have the form and the places that ours
// have, so each is copied as it is. What else lies there is bookkeeping that comes
// back from the pages, or, as sessions, has a door of its own.
//
//	memory.yml                              settings
//	.dfmemory/                              index, costs, sessions
//	brains/<brain>/                         pages, with brain.yml beside them
//	brains/<brain>/events/<month>/ledger.jsonl
//	brains/<brain>/history_index.jsonl
//	brains/<brain>/contradictions-reviews.jsonl

func readDFMemory(ctx context.Context, src *Source, o Options, take func(Item) error) error {
	if err := src.isFolder("a tree of df-memory"); err != nil {
		return err
	}
	prefix, err := dfBrain(src)
	if err != nil {
		return err
	}
	brain, err := src.sub(prefix)
	if err != nil {
		return err
	}
	if err := dfOutside(src, prefix, take); err != nil {
		return err
	}
	return brain.notes(ctx, func(it Item) error {
		if d := it.Dropped; d != nil && d.Reason == NotMarkdown {
			d.Reason, d.Detail = dfBookkeeping(d.Where)
		}
		return take(within(prefix, it))
	}, func(p page.Path, raw []byte) error {
		return take(within(prefix, owned(o, &Page{Path: p, Raw: raw, Where: string(p)})))
	})
}

// dfBrain is the folder of the brain within what was named: itself, or the only one of
// a memory root.
func dfBrain(src *Source) (string, error) {
	if file, _ := src.exists("brain.yml"); file {
		return ".", nil
	}
	entries, err := fs.ReadDir(src.FS, "brains")
	var brains []string
	for _, e := range entries {
		if e.IsDir() && e.Name()[0] != '.' {
			brains = append(brains, e.Name())
		}
	}
	switch {
	case err == nil && len(brains) == 1:
		return "brains/" + brains[0], nil
	case len(brains) > 1:
		return "", fmt.Errorf("%w: %s holds %d brains: name one: %s", ErrFormat, src.Name, len(brains), clip(path.Join(src.Name, "brains", "{"+strings.Join(brains, ",")+"}")))
	}
	for _, dir := range []string{"sources", "entities", "experiences", "skills"} {
		if _, is := src.exists(dir); is {
			return ".", nil
		}
	}
	return "", fmt.Errorf("%w: %s: neither brain.yml nor brains/, sources/ or entities/ is there", ErrFormat, src.Name)
}

// dfOutside drops what lies in the memory root beside the brain, the conversations
// that wait there by name.
func dfOutside(src *Source, prefix string, take func(Item) error) error {
	if err := dfSessions(src, prefix, take); err != nil || prefix == "." {
		return err
	}
	entries, err := fs.ReadDir(src.FS, ".")
	if err != nil {
		return fmt.Errorf("read %s: %w", src.Name, err)
	}
	for _, e := range entries {
		why := NoPlace
		switch name := e.Name(); {
		case name == "brains":
			continue
		case name == "memory.yml" || name == ".gitignore":
			why = Settings
		case name[0] == '.':
			why = Hidden
		}
		if err := take(drop(why, e.Name(), e.Name(), "beside the brain")); err != nil {
			return err
		}
	}
	return nil
}

// dfSessions tells of the conversations of the brain that is read: each brain has a
// folder there.
func dfSessions(src *Source, prefix string, take func(Item) error) error {
	dir := ".dfmemory/inbox/sessions"
	if prefix != "." {
		dir = path.Join(dir, path.Base(prefix))
	}
	if _, is := src.exists(dir); !is {
		return nil
	}
	n := 0
	err := fs.WalkDir(src.FS, dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == page.SessionFile {
			n++
		}
		return nil // what cannot be read is for inbox add to tell
	})
	if err != nil || n == 0 {
		return err
	}
	return take(drop(Session, fmt.Sprintf("conversations: %d", n), dir, "brain inbox add "+path.Join(src.Name, dir)))
}

// dfBookkeeping tells what a file of a brain is that is no page.
func dfBookkeeping(name string) (why Reason, detail string) {
	base := path.Base(name)
	switch {
	case name == "memory.yml" || base == "brain.yml" || base == ".dfmemory-source" || base == ".gitignore":
		return Settings, ""
	case base == "history_index.jsonl":
		return Derived, "the provenance of pages says it"
	case base == "contradictions-reviews.jsonl":
		return NoPlace, "verdicts name facts by their number in a file"
	case strings.HasPrefix(name, "events/") && path.Ext(name) == ".jsonl":
		return NoPlace, "a ledger of events"
	case base == page.SessionFile || path.Ext(base) == ".jsonl" && strings.HasPrefix(name, "sessions/"):
		return Session, ""
	}
	return NotMarkdown, ""
}

// within gives what was found in a folder of the source the place that it has in the
// whole. The path of a page is that within its brain.
func within(prefix string, it Item) Item {
	if prefix == "." {
		return it
	}
	switch {
	case it.Page != nil:
		it.Page.Where = path.Join(prefix, it.Page.Where)
	case it.Fact != nil:
		it.Fact.Where = path.Join(prefix, it.Fact.Where)
	case it.Dropped != nil:
		it.Dropped.Where = path.Join(prefix, it.Dropped.Where)
	}
	return it
}

// owned is the page, or why it is not taken: below agents/ it would be hidden from
// all but one agent, who is not the one that imports.
func owned(o Options, p *Page) Item {
	if p.Path.Agent() == "" {
		return found(p)
	}
	if !o.KeepAgents {
		return drop(OtherAgent, string(p.Path), p.Where, p.Path.Agent())
	}
	_, rest, _ := strings.Cut(string(p.Path)[len("agents/"):], "/")
	agent, err := page.AgentName(p.Path.Agent())
	if err != nil {
		return drop(BadName, string(p.Path), p.Where, err.Error())
	}
	p.Path = page.Path(path.Join("agents", agent, rest))
	if p.Path.Type() != "fact" {
		return found(p)
	}
	f, _, err := memory.ParseFact(p.Path, p.Raw)
	if err != nil {
		return drop(Broken, string(p.Path), p.Where, err.Error())
	}
	return Item{Fact: &Fact{Fact: f, Agent: agent, User: f.User, Where: p.Where}}
}
