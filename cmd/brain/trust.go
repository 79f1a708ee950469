package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/store"
)

func trustCommand() *command {
	var f trustFlags
	return &command{
		name: "trust", group: groupTool, max: 0, schema: "trust",
		short: "allow a root what its settings ask for",
		long: `A memory.yml that came with somebody's files, a cloned repository say, may not name a server elsewhere, the key that is sent there, or a path outside the root: commands refuse until you have said that you trust the root. brain trust shows what the root asks for and asks you. What you allow are those values: when one of them changes, brain refuses again and says what it was.

Whatever runs without being asked, such as hooks, works only in roots that you trust. The list is kept in trusted.json in your configuration folder (BRAIN_CONFIG_DIR, else brain in that of your system).`,
		examples: []string{"brain trust", "brain trust --yes --root ~/memory", "brain trust --list", "brain trust --revoke"},
		exits: []exitNote{
			{exitNotFound, "no memory root"},
			{exitEnvironment, "the list cannot be read or written"},
		},
		flags: f.flags,
		run: func(_ context.Context, a *app, _ []string) error {
			switch {
			case f.list && f.revoke:
				return usage("--list and --revoke", "one at a time")
			case f.list:
				return a.listTrust()
			case f.revoke:
				return a.revokeTrust()
			}
			return a.trust(f.yes)
		},
	}
}

type trustFlags struct{ list, revoke, yes bool }

func (f *trustFlags) flags(fs *pflag.FlagSet) {
	fs.BoolVar(&f.list, "list", false, "show the roots that you trust")
	fs.BoolVar(&f.revoke, "revoke", false, "trust the root no more")
	fs.BoolVar(&f.yes, "yes", false, "do not ask")
}

type trustJSON struct {
	Root    string `json:"root"`
	Trusted bool   `json:"trusted"`
	Asks    []ask  `json:"asks"`
}

func (a *app) trust(yes bool) error {
	r, err := a.root()
	if err != nil {
		return err
	}
	asks, err := a.asks(r)
	if err != nil {
		return err
	}
	f, err := a.readTrust()
	if err != nil {
		return err
	}
	given, known := f.of(r.Dir)
	if !known || !given.allows(asks) {
		if err := a.confirmTrust(r, asks, given, yes); err != nil {
			return err
		}
		if err := a.allow(r, asks); err != nil {
			return err
		}
	}
	if a.global.json {
		return a.json(trustJSON{r.Dir, true, list(asks)})
	}
	return a.print("trusted: %s\n", plain(r.Dir))
}

func (a *app) allow(r store.Root, asks []ask) error {
	allowed := trustedRoot{Root: r.Dir, Allows: map[string]string{}, At: stamp(time.Now())}
	for _, k := range asks {
		allowed.Allows[k.Key] = k.Means
	}
	return a.changeTrust(func(f *trustFile) {
		f.remove(r.Dir)
		f.Roots = append(f.Roots, allowed)
	})
}

// confirmTrust shows what a root asks for and asks the person.
func (a *app) confirmTrust(r store.Root, asks []ask, given trustedRoot, yes bool) error {
	if !a.global.json {
		if err := a.print("%s", asksText(r, asks, given)); err != nil {
			return err
		}
	}
	if yes {
		return nil
	}
	return a.confirm("Trust it?", usage("trust "+r.Dir+": there is nobody to ask", "brain trust --yes"), usage("not trusted", ""))
}

// confirm asks the person a question; nobody and no are the errors when there is nobody
// to ask, and when the answer is not yes.
func (a *app) confirm(question string, nobody, no error) error {
	if !terminal(a.in) || !terminal(a.err) {
		return nobody
	}
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	answer, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil || !strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y") {
		return no
	}
	return nil
}

func asksText(r store.Root, asks []ask, given trustedRoot) string {
	var b strings.Builder
	if len(asks) == 0 {
		fmt.Fprintf(&b, "%s asks for nothing outside of itself.\n", plain(r.Dir))
		return b.String()
	}
	fmt.Fprintf(&b, "%s asks for:\n", plain(r.Dir))
	for _, k := range asks {
		fmt.Fprintf(&b, "  %s = %s\n      %s", k.Key, plain(k.Value), k.Why)
		if k.Means != k.Value {
			fmt.Fprintf(&b, ": %s", plain(k.Means))
		}
		if was, ok := given.Allows[k.Key]; ok && was != k.Means {
			fmt.Fprintf(&b, "; you trusted %s", plain(was))
		}
		fmt.Fprintf(&b, " (%s)\n", plain(k.Origin))
	}
	return b.String()
}

func (a *app) listTrust() error {
	f, err := a.readTrust()
	if err != nil {
		return err
	}
	if a.global.json {
		return a.json(map[string]any{"roots": list(f.Roots)})
	}
	for _, r := range f.Roots {
		if err := a.print("%s  %s\n", plain(r.Root), a.faint(r.At)); err != nil {
			return err
		}
		for _, key := range slices.Sorted(maps.Keys(r.Allows)) {
			if err := a.print("  %s = %s\n", plain(key), plain(r.Allows[key])); err != nil {
				return err
			}
		}
	}
	return nil
}

// revokeTrust works for a root that is gone, too, when --root names it.
func (a *app) revokeTrust() error {
	r, err := a.root()
	if err != nil && a.global.root != "" {
		r, err = store.Root{Dir: a.path(a.global.root)}, nil
	}
	if err != nil {
		return err
	}
	if err := a.changeTrust(func(f *trustFile) { f.remove(r.Dir) }); err != nil {
		return err
	}
	if a.global.json {
		return a.json(trustJSON{r.Dir, false, []ask{}})
	}
	return a.print("not trusted: %s\n", plain(r.Dir))
}
