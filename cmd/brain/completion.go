package main

import (
	"context"
	"strings"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand() *command {
	return &command{
		name: "completion", group: groupTool, args: "bash|zsh|fish|powershell", min: 1, max: 1, complete: shells, schema: "completion",
		short:    "print a shell's completion script",
		long:     "Prints a script that completes commands and flags. Load it from the shell's start-up file.",
		examples: []string{"source <(brain completion bash)", "brain completion fish > ~/.config/fish/completions/brain.fish"},
		run: func(_ context.Context, a *app, args []string) error {
			var b strings.Builder
			top := cobraTree(&app{}, table())
			generate := map[string]func() error{
				"bash":       func() error { return top.GenBashCompletionV2(&b, true) },
				"zsh":        func() error { return top.GenZshCompletion(&b) },
				"fish":       func() error { return top.GenFishCompletion(&b, true) },
				"powershell": func() error { return top.GenPowerShellCompletionWithDesc(&b) },
			}[args[0]]
			if generate == nil {
				return unknownName("shell", args[0], shells)
			}
			if err := generate(); err != nil {
				return err
			}
			return a.text("script", b.String())
		},
	}
}
