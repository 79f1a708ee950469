package main

import (
	"context"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand() *command {
	return &command{
		name: "completion", group: groupTool, args: "bash|zsh|fish|powershell", min: 1, max: 1, complete: shells,
		short:    "print a shell's completion script",
		long:     "Prints a script that completes commands and flags. Load it from the shell's start-up file.",
		examples: []string{"source <(brain completion bash)", "brain completion fish > ~/.config/fish/completions/brain.fish"},
		run: func(_ context.Context, a *app, args []string) error {
			top := cobraTree(a, table())
			switch args[0] {
			case "bash":
				return top.GenBashCompletionV2(a.out, true)
			case "zsh":
				return top.GenZshCompletion(a.out)
			case "fish":
				return top.GenFishCompletion(a.out, true)
			case "powershell":
				return top.GenPowerShellCompletionWithDesc(a.out)
			}
			return unknownName("shell", args[0], shells)
		},
	}
}
