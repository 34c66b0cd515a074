package server

import (
	"errors"
	"fmt"
	"log/slog"

	"dialpoint/server/access"
	"dialpoint/server/config"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

var errSameTokens = errors.New("the tokens of child and operator are the same: the roles could not be told apart")

// Option configures a [Server].
type Option interface {
	apply(server *Server, said *statement) error
}

// statement is what the options say together.
type statement struct {
	listeners []listener.Config
	policy    access.Policy
}

type optionFunc func(*Server, *statement) error

func (f optionFunc) apply(server *Server, said *statement) error { return f(server, said) }

// WithLogger sets where the server logs: calls at debug, changes at info, what went wrong at error. Nothing is logged
// without it. No secret is ever logged.
func WithLogger(log *slog.Logger) Option {
	return optionFunc(func(server *Server, _ *statement) error {
		server.log = log
		return nil
	})
}

// WithListener adds a listener that the program describes itself.
func WithListener(description Listener) Option {
	return optionFunc(func(_ *Server, said *statement) error {
		config, err := description.parse()
		said.listeners = append(said.listeners, config)
		return err
	})
}

// WithTokens sets what callers over TCP must show (RFC 6750): a child may resolve and watch, an operator may do everything.
// Each is empty, so that it lets nobody in, or from 16 to 4096 of the characters of a bearer token. They must differ.
// Without this option or another that says who may call, only root and this process's own user can, over a unix socket.
func WithTokens(child, operator string) Option {
	return optionFunc(func(_ *Server, said *statement) (err error) {
		if said.policy.ChildToken, err = parseToken("child", child); err != nil {
			return err
		}
		if said.policy.OperatorToken, err = parseToken("operator", operator); err != nil {
			return err
		}
		if child != "" && child == operator {
			return errSameTokens
		}
		return nil
	})
}

// WithTrustedCallers lets everybody do everything: it is for a program that mounts [Server.Handler] behind a check of its
// own, of who calls. What web pages send is refused all the same.
func WithTrustedCallers() Option {
	return optionFunc(func(_ *Server, said *statement) error {
		said.policy.Trusted = true
		return nil
	})
}

// WithAllowedHosts adds hosts, names or addresses without a port, by which callers may call the service over TCP. Those
// of loopback and the address on which a connection came in need no mention. Any other Host is refused, so that a web
// page cannot call under a name that leads here (DNS rebinding).
func WithAllowedHosts(hosts ...string) Option {
	return optionFunc(func(_ *Server, said *statement) error {
		for _, text := range hosts {
			host, err := rules.ParseHost(text)
			if err != nil {
				return fmt.Errorf("allowed host: %w", err)
			}
			said.policy.AllowedHosts = append(said.policy.AllowedHosts, host.String())
		}
		return nil
	})
}

// WithConfig takes the listeners, the sockets and who may call from a configuration that was loaded, and follows its
// changes while the server serves. Listeners of [WithListener] go with the first change: use one or the other.
func WithConfig(loader *config.Loader, loaded *config.Config) Option {
	return optionFunc(func(server *Server, said *statement) error {
		server.loader = loader
		server.config = loaded
		said.listeners = append(said.listeners, loaded.Listeners...)
		return nil
	})
}

// WithReloaded sets what is called with each configuration that a reload has put in force.
func WithReloaded(reloaded func(*config.Config)) Option {
	return optionFunc(func(server *Server, _ *statement) error {
		server.reloaded = reloaded
		return nil
	})
}

// parseToken reads a token of [WithTokens]. The error does not show it.
func parseToken(role, text string) (rules.Secret, error) {
	if text == "" {
		return rules.Secret{}, nil
	}
	token, err := rules.ParseToken(text)
	if err != nil {
		return token, fmt.Errorf("token of %s: %w", role, err)
	}
	return token, nil
}
