package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dialpoint/client"
	"dialpoint/server/config"
)

// settings is the flags of every command that loads a configuration.
type settings struct {
	env lookupEnv
	cmd *cobra.Command
}

func (s *settings) register(cmd *cobra.Command) {
	s.cmd = cmd
	flags := cmd.Flags()
	flags.String("config", "", "configuration file, .yaml, .toml or .json (env DIALPOINT_CONFIG; default: ./dialpoint.*, then the user's and /etc's)")
	flags.String("unix", "", "unix socket to serve on, \"none\" for off (env DIALPOINT_UNIX)")
	flags.String("tcp", "", "TCP address to serve on, \"none\" for off (env DIALPOINT_TCP; default 127.0.0.1:9118)")
	flags.Bool("tcp-plaintext", false, "allow a TCP address that others can reach, without TLS: the network is trusted")
	flags.String("bind-host", "", "host that the dashboard binds (env DIALPOINT_BIND_HOST)")
	flags.String("bind-port", "", "port that the dashboard binds, 0 for not known yet (env DIALPOINT_BIND_PORT)")
	flags.String("override", "", "what children must dial: host, host:port or URL (env DIALPOINT_OVERRIDE)")
	flags.String("advertise", "", "what callers outside this machine must dial: host, host:port or URL (env DIALPOINT_ADVERTISE)")
}

// load reads the configuration. Every error is one of configuration.
func (s *settings) load() (*config.Loader, *config.Config, error) {
	loader := config.NewLoader(s.sources())
	loaded, err := loader.Load()
	if err != nil {
		return nil, nil, configError{err}
	}
	return loader, loaded, nil
}

func (s *settings) sources() config.Sources {
	given := map[string]string{}
	s.cmd.Flags().Visit(func(flag *pflag.Flag) { given[flag.Name] = flag.Value.String() })
	// Without a directory of the user's own, the others are searched.
	userConfigDir, _ := os.UserConfigDir()
	sources := config.Sources{
		Path:        given["config"],
		Flags:       given,
		LookupEnv:   s.env,
		DefaultUnix: client.DefaultSocket(s.env),
		SearchDirs:  config.SearchDirs(userConfigDir),
	}
	delete(given, "config")
	return sources
}
