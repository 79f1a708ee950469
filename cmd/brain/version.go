package main

import (
	"context"
	"embed"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"
)

// Copies of the texts that go with the program: embedding cannot reach above this
// folder, so a test keeps them equal to the originals.
//
//go:embed licenses/*
var licenses embed.FS

func versionCommand() *command {
	var full bool
	return &command{
		name: "version", group: groupTool, short: "version, and the licences of what is inside", schema: "version",
		long:     "Prints version, revision, Go version and platform. --licenses prints the licence texts and notices of the program and of the word table inside it.",
		examples: []string{"brain version", "brain version --licenses"},
		flags:    func(fs *pflag.FlagSet) { fs.BoolVar(&full, "licenses", false, "print licence texts and notices") },
		run: func(_ context.Context, a *app, _ []string) error {
			if full {
				return a.printLicenses()
			}
			return a.printVersion()
		},
	}
}

type versionJSON struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// build tells what the toolchain wrote into the binary.
func build() versionJSON {
	v := versionJSON{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if m := info.Main.Version; m != "" && m != "(devel)" {
		v.Version = m
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Revision = s.Value
		}
	}
	return v
}

func (a *app) printVersion() error {
	v := build()
	if a.global.json {
		return a.json(v)
	}
	line := fmt.Sprintf("brain %s %s %s", v.Version, v.Go, v.Platform)
	if v.Revision != "" {
		line += " " + v.Revision[:min(12, len(v.Revision))]
	}
	return a.print("%s\n", line)
}

func (a *app) printLicenses() error {
	entries, err := licenses.ReadDir("licenses")
	if err != nil {
		return err
	}
	texts := map[string]string{}
	for _, e := range entries {
		raw, err := licenses.ReadFile("licenses/" + e.Name())
		if err != nil {
			return err
		}
		texts[e.Name()] = string(raw)
	}
	if a.global.json {
		return a.json(texts)
	}
	for _, e := range entries {
		if err := a.print("== %s ==\n\n%s\n", e.Name(), strings.TrimSpace(texts[e.Name()])+"\n"); err != nil {
			return err
		}
	}
	return nil
}
