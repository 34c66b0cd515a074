// Package server is the Dialpoint service: it holds what listeners bind and answers what to dial, over Connect, gRPC
// and gRPC-Web.
//
// A process that only serves gives [New] a configuration and calls [Server.ListenAndServe]. A dashboard written in Go
// can embed the service instead: it describes its listener with [WithListener], mounts [Server.Handler] in its own
// mux, and says with [Server.SetBind] what its socket is bound to.
package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"dialpoint/server/config"
	"dialpoint/server/listener"
)

// Server answers for a set of listeners. It is safe for concurrent use.
type Server struct {
	log      *slog.Logger
	registry *listener.Registry
	health   *health
	handler  http.Handler
	// draining ends when the server stops: calls that wait and watches end with it.
	draining context.Context
	drain    context.CancelFunc

	// loader and config are nil in a server that is embedded, reloaded where nobody wants to know.
	loader   *config.Loader
	config   *config.Config
	reloaded func(*config.Config)
}

// New is a server that is not serving yet. Without [WithConfig] or [WithListener] it has no listeners. An error is the
// fault of a listener's description or of the configuration, and says whose.
func New(options ...Option) (*Server, error) {
	draining, drain := context.WithCancel(context.Background())
	server := &Server{
		log:      slog.New(slog.DiscardHandler),
		registry: listener.NewRegistry(listener.FirstRevision(time.Now())),
		draining: draining,
		drain:    drain,
	}
	server.health = newHealth(draining, server.registry)
	var described []listener.Config
	for _, option := range options {
		if err := option.apply(server, &described); err != nil {
			return nil, err
		}
	}
	if err := server.registry.Configure(described); err != nil {
		return nil, err
	}
	server.log.Info("listeners configured", "count", len(described), "revision", server.registry.Snapshot().Revision)
	server.handler = server.routes()
	return server, nil
}

// Handler serves every RPC, health and reflection. It can be mounted in a mux of the embedding program: all its paths
// begin with the full name of a service, such as "/dialpoint.v1.EndpointService/". It works on HTTP/1.1 and HTTP/2;
// gRPC needs the latter.
func (s *Server) Handler() http.Handler { return s.handler }

// Listeners is what is known of each listener now, by name.
func (s *Server) Listeners() []listener.Listener { return s.registry.Snapshot().List() }

// SetBind says what a listener's socket is bound to, in place of what its description says. The server never changes
// it. The host is what the operator wrote, as read by [rules.ParseBindHost], not what the socket's address reads: a
// socket bound to 0.0.0.0 calls itself [::]. A name that is not there and a bad host or port are errors. The zero Bind
// takes back what was said before, so that the description counts again.
func (s *Server) SetBind(name string, bind Bind) error {
	if bind == (Bind{}) {
		return s.change(func() error {
			s.registry.Withdraw(name)
			return nil
		})
	}
	parsed, err := bind.parse("report")
	if err != nil {
		if name == "" {
			name = listener.DefaultName
		}
		return fmt.Errorf("bind of listener %q: %w", name, err)
	}
	return s.change(func() error { return s.registry.Report(name, parsed) })
}

// Close ends every watch and every call that waits. A server that was closed stays closed. [Server.Serve] does this by
// itself; an embedding program calls it before it shuts its own HTTP server down.
func (s *Server) Close() { s.drain() }

// change runs one change of the registry and logs what came of it.
func (s *Server) change(change func() error) error {
	before := s.registry.Snapshot()
	if err := change(); err != nil {
		return err
	}
	after := s.registry.Snapshot()
	for _, now := range after.List() {
		if now.Revision > before.Revision {
			s.log.Info("listener changed", "listener", now.Name, "bind_host", now.Bind.Text, "bind_port", now.Bind.Port,
				"bound", now.IsBound(), "override", now.Override.Text, "revision", now.Revision)
		}
	}
	for _, was := range before.List() {
		if _, kept := after.Get(was.Name); !kept {
			s.log.Info("listener removed", "listener", was.Name, "revision", after.Revision)
		}
	}
	return nil
}
