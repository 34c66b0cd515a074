package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dialpoint/server/config"
)

func newConfig(env lookupEnv) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check or show the configuration",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigCheck(env), newConfigShow(env))
	return cmd
}

func newConfigCheck(env lookupEnv) *cobra.Command {
	settings := &settings{env: env}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Say whether serve would start with this configuration",
		Long: `Check loads the configuration as serve would, from the same flags, environment and file, and says what is
wrong with it. It exits with 78 when serve would refuse it.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, loaded, err := settings.load()
			if err != nil {
				return err
			}
			for _, warning := range loaded.Warnings {
				cmd.PrintErrf("warning: %s\n", warning)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: good, %d listener(s)\n", fileText(loaded), len(loaded.Listeners))
			return err
		},
	}
	settings.register(cmd)
	return cmd
}

func newConfigShow(env lookupEnv) *cobra.Command {
	settings := &settings{env: env}
	var origin bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print the effective configuration, secrets masked",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, loaded, err := settings.load()
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), settingTable(loaded.Settings, origin))
			return err
		},
	}
	settings.register(cmd)
	cmd.Flags().BoolVar(&origin, "origin", false, "say of each value where it came from")
	return cmd
}

func settingTable(settings []config.Setting, origin bool) string {
	rows := newTable()
	if origin {
		rows.row("KEY", "VALUE", "ORIGIN")
	} else {
		rows.row("KEY", "VALUE")
	}
	for _, setting := range settings {
		cells := []string{setting.Key, orDash(setting.Value)}
		if origin {
			cells = append(cells, setting.Source)
		}
		rows.row(cells...)
	}
	return rows.String()
}

func fileText(loaded *config.Config) string {
	if loaded.File == "" {
		return "no configuration file"
	}
	return loaded.File
}
