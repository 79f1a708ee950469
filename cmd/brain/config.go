package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"brain/store"
)

func configCommand() *command {
	return &command{
		name: "config", group: groupTool, short: "show settings and where they come from",
		long:     "Shows the effective settings. To change one, edit memory.yml or set its environment variable: `brain help settings`.",
		examples: []string{"brain config list", "brain config get embedding.provider"},
		sub: []*command{
			{
				name: "list", short: "every setting, its value and its origin", schema: "config",
				examples: []string{"brain config list", "brain config list --json"},
				exits:    []exitNote{{exitNotFound, "--root or BRAIN_ROOT names no memory root"}},
				run:      func(_ context.Context, a *app, _ []string) error { return a.configList() },
			},
			{
				name: "get", args: "KEY", min: 1, max: 1, short: "one value", schema: "config-get",
				examples: []string{"brain config get search.n"},
				exits:    []exitNote{{exitNotFound, "--root or BRAIN_ROOT names no memory root"}},
				run:      func(_ context.Context, a *app, args []string) error { return a.configGet(args[0]) },
			},
		},
	}
}

// anywhere loads the settings of the root, if the command runs inside one.
func (a *app) anywhere() (store.Root, *loaded, error) {
	r, err := a.root()
	given, _ := a.env("BRAIN_ROOT")
	if errors.Is(err, store.ErrNoRoot) && a.global.root == "" && given == "" {
		r, err = store.Root{}, nil
	}
	if err != nil {
		return r, nil, err
	}
	l, err := a.settings(r)
	return r, l, err
}

type configJSON struct {
	Root     string  `json:"root"` // "" outside a memory root
	Trusted  bool    `json:"trusted"`
	Settings []value `json:"settings"`
}

func (a *app) configList() error {
	r, l, err := a.anywhere()
	if err != nil {
		return err
	}
	var trusted bool
	if r.Dir != "" {
		if trusted, err = a.trusted(r); err != nil {
			return err
		}
	}
	if a.global.json {
		return a.json(configJSON{r.Dir, trusted, l.values})
	}
	if r.Dir != "" {
		word := map[bool]string{true: "trusted", false: "not trusted"}[trusted]
		if err := a.print("root %s  %s\n", plain(r.Dir), a.faint(word)); err != nil {
			return err
		}
	}
	wide := 0
	for _, v := range l.values {
		wide = max(wide, len(v.Key)+len(" = ")+len(plain(v.Value)))
	}
	for _, v := range l.values {
		line := v.Key + " = " + plain(v.Value)
		if err := a.print("%s%s  %s\n", line, strings.Repeat(" ", wide-len(line)), a.faint(plain(v.Origin))); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) configGet(key string) error {
	if _, err := lookupSetting(key); err != nil {
		return err
	}
	_, l, err := a.anywhere()
	if err != nil {
		return err
	}
	v := l.values[slices.IndexFunc(l.values, func(v value) bool { return v.Key == key })]
	if a.global.json {
		return a.json(v)
	}
	return a.print("%s\n", plain(v.Value))
}
