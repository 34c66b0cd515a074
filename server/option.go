package server

import (
	"log/slog"

	"dialpoint/server/config"
	"dialpoint/server/listener"
)

// Option configures a [Server].
type Option interface {
	apply(server *Server, described *[]listener.Config) error
}

type optionFunc func(*Server, *[]listener.Config) error

func (f optionFunc) apply(server *Server, described *[]listener.Config) error {
	return f(server, described)
}

// WithLogger sets where the server logs: calls at debug, changes at info, what went wrong at error. Nothing is logged
// without it. No secret is ever logged.
func WithLogger(log *slog.Logger) Option {
	return optionFunc(func(server *Server, _ *[]listener.Config) error {
		server.log = log
		return nil
	})
}

// WithListener adds a listener that the program describes itself.
func WithListener(description Listener) Option {
	return optionFunc(func(_ *Server, described *[]listener.Config) error {
		config, err := description.parse()
		*described = append(*described, config)
		return err
	})
}

// WithConfig takes the listeners and the sockets from a configuration that was loaded, and follows its changes while
// the server serves. Listeners of [WithListener] go with the first change: use one or the other.
func WithConfig(loader *config.Loader, loaded *config.Config) Option {
	return optionFunc(func(server *Server, described *[]listener.Config) error {
		server.loader = loader
		server.config = loaded
		*described = append(*described, loaded.Listeners...)
		return nil
	})
}

// WithReloaded sets what is called with each configuration that a reload has put in force.
func WithReloaded(reloaded func(*config.Config)) Option {
	return optionFunc(func(server *Server, _ *[]listener.Config) error {
		server.reloaded = reloaded
		return nil
	})
}
