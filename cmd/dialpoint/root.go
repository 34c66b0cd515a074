package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// lookupEnv is how a command reads the environment. It has the form of [os.LookupEnv].
type lookupEnv func(name string) (value string, set bool)

// newRoot is the whole command line.
func newRoot(env lookupEnv) *cobra.Command {
	root := &cobra.Command{
		Use:   "dialpoint",
		Short: "Tell child processes where to dial, as opposed to where a dashboard binds",
		Long: `Dialpoint tells child processes where to dial, as opposed to where a dashboard binds.

A dashboard binds 0.0.0.0:9119, its children must dial 127.0.0.1:9119. The service holds the bind
configuration, applies the rules, and hands out finished URLs.

Exit codes: 0; 1 failed; 2 usage; 69 service or listener not available; 77 not allowed; 78 configuration.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArguments,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(
		newServe(env),
		newResolve(),
		newWatch(),
		newExec(),
		newReport(env),
		newListeners(),
		newDoctor(env),
		newConfig(env),
		newVersion(),
	)
	root.InitDefaultCompletionCmd()
	checkArguments(root)
	return root
}

// noArguments refuses arguments to a command that takes none. Below the root the first could be a subcommand's name.
func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasAvailableSubCommands():
		return fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
	}
	return fmt.Errorf("%q takes no arguments, and got %q", cmd.CommandPath(), args)
}

// checkArguments makes what is wrong with a command's arguments an error of usage.
func checkArguments(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usageError{err}
			}
			return nil
		}
	}
	for _, child := range cmd.Commands() {
		checkArguments(child)
	}
}
