package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"brain/index"
	"brain/text"
)

func statusCommand() *command {
	return &command{
		name: "status", group: groupKeep, max: 0, schema: "status",
		short:    "what the brain and its index hold, and what is pending",
		long:     "Prints where root, brain and index are, how many pages, chunks, vectors and links the index holds, how many files differ from it now, what is skipped and why, and who holds the lock, how many of the agent's sessions are compiled, wait or failed, how many facts each agent has, or the one that --agent names, how the last Dream ended, and how many contradictions are open. Nothing is written and nothing is waited for.",
		examples: []string{"brain status", "brain status --json"},
		exits:    []exitNote{{exitNotFound, "no memory root or brain"}, {exitEnvironment, "the brain's folder cannot be read"}},
		run:      func(ctx context.Context, a *app, _ []string) error { return a.status(ctx) },
	}
}

type statusJSON struct {
	Root     string         `json:"root"`
	Brain    string         `json:"brain"`
	Folder   string         `json:"folder"`
	Write    string         `json:"write"`
	ReadOnly string         `json:"read_only"` // why, or ""
	IndexDir string         `json:"index_folder"`
	Sessions map[string]int `json:"sessions"` // of the agent, by state
	Facts    map[string]int `json:"facts"`    // files of facts, by agent
	Index    *index.Status  `json:"index"`    // null while there is none
	Dream    *lastDreamJSON `json:"dream"`    // the last one; null while there was none
	Open     int            `json:"open_contradictions"`
}

func (a *app) status(ctx context.Context) error {
	o, err := a.open()
	if err != nil {
		return err
	}
	e, err := a.engine(o)
	if err != nil {
		return err
	}
	s := statusJSON{o.root.Dir, o.st.Name(), o.st.Dir(), o.st.Meta().Write, o.st.ReadOnly(), o.indexDir(), map[string]int{}, nil, nil, nil, 0}
	if s.Dream, s.Open, err = o.dreamt(ctx); err != nil {
		a.warn("contradictions are not counted: %s", plain(err.Error()))
	}
	box, err := a.box(o)
	if err != nil {
		return err
	}
	sessions, err := a.ourSessions(ctx, box)
	if err != nil {
		return err
	}
	for _, m := range sessions {
		s.Sessions[m.State]++
	}
	if s.Facts, err = o.factFiles(ctx); err != nil {
		return err
	}
	if a.agent() != "" { // it does not see others counted
		maps.DeleteFunc(s.Facts, func(agent string, _ int) bool { return agent != a.self() })
	}
	if e.built() {
		st, err := e.ix.Status(ctx, e.st)
		if err != nil {
			return err
		}
		st.Unreadable = list(st.Unreadable)
		if st.Skipped == nil {
			st.Skipped = map[string]int{}
		}
		s.Index = &st
	}
	if a.global.json {
		return a.json(s)
	}
	return a.print("%s", s.text())
}

// factFiles counts the files of facts, by agent. None of them is opened.
func (o *opened) factFiles(ctx context.Context) (map[string]int, error) {
	l, err := o.st.ListIn(ctx, "agents")
	n := map[string]int{}
	for _, f := range l.Files {
		if f.Path.Type() == "fact" {
			n[f.Path.Agent()]++
		}
	}
	return n, err
}

// tallied is a count in parts: "5: 3 done, 2 pending".
func tallied(parts map[string]int, part func(name string, n int) string) string {
	total, all := 0, []string{}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		total += parts[name]
		all = append(all, part(plain(name), parts[name]))
	}
	return fmt.Sprintf("%d: %s", total, strings.Join(all, ", "))
}

func (s *statusJSON) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "root      %s\nbrain     %s (%s)\nwrite     %s%s\n", plain(s.Root), plain(s.Brain), plain(s.Folder), s.Write, before("; read-only: ", plain(s.ReadOnly)))
	if len(s.Sessions) > 0 {
		fmt.Fprintf(&b, "sessions  %s\n", tallied(s.Sessions, func(state string, n int) string { return fmt.Sprintf("%d %s", n, state) }))
	}
	if len(s.Facts) > 0 {
		fmt.Fprintf(&b, "facts     %s\n", tallied(s.Facts, func(agent string, n int) string { return fmt.Sprintf("%s %d", agent, n) }))
	}
	if d := s.Dream; d != nil {
		fmt.Fprintf(&b, "dream     %s\n", d.text())
	}
	if s.Open > 0 {
		fmt.Fprintf(&b, "open      %s: brain contradiction list\n", count(s.Open, "contradiction"))
	}
	fmt.Fprintf(&b, "index     %s\n", plain(s.IndexDir))
	i := s.Index
	if i == nil {
		b.WriteString("          not built yet; the first query builds it\n")
		return b.String()
	}
	fmt.Fprintf(&b, "          generation %d, %s, %s\n", i.Generation, count(i.Segments, "segment"), text.Size(i.Bytes))
	fmt.Fprintf(&b, "pages     %d, of which %d can be found; %d files differ from the index now\n", i.Pages, i.Ranked, i.Changed)
	fmt.Fprintf(&b, "chunks    %d, vectors %d (%s, %s), pending %d, failed %d\n", i.Chunks, i.Vectors, text.Size(i.VectorBytes), show(i.Fingerprint), i.Pending, i.Failed)
	fmt.Fprintf(&b, "links     %d, of which %d lead nowhere yet\n", i.Links, i.Unresolved)
	writeCounts(&b, "skipped", i.Skipped)
	writeUnreadable(&b, i.Unreadable)
	if i.Lock != nil {
		fmt.Fprintf(&b, "lock      process %d on %s: %s since %s\n", i.Lock.PID, plain(i.Lock.Host), plain(i.Lock.What), stamp(i.Lock.Since))
	}
	if i.Damaged != "" {
		fmt.Fprintf(&b, "damaged   %s; the next sync repairs it\n", plain(i.Damaged))
	}
	return b.String()
}
