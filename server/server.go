// Package server is the Dialpoint service: it holds what listeners bind and answers what to dial, over Connect, gRPC
// and gRPC-Web.
//
// A process that only serves gives [New] a configuration and calls [Server.ListenAndServe]. A dashboard written in Go
// can embed the service instead: it describes its listener with [WithListener], mounts [Server.Handler] in its own
// mux, and says with [Server.SetBind] what its socket is bound to.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"dialpoint/server/access"
	"dialpoint/server/config"
	"dialpoint/server/limit"
	"dialpoint/server/listener"
	"dialpoint/server/probe"
)

// Server answers for a set of listeners. It is safe for concurrent use.
type Server struct {
	log      *slog.Logger
	registry *listener.Registry
	health   *health
	prober   *probe.Prober
	handler  http.Handler

	gate    *access.Gate
	limiter *limit.Limiter
	// guests are those who need no role.
	guests   *limit.Limiter
	conns    *limit.Conns
	patience limit.Patience
	// host is that of the TCP address that the server was started with.
	host        string
	certificate certificate

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
	var said statement
	for _, option := range options {
		if err := option.apply(server, &said); err != nil {
			return nil, err
		}
	}
	if err := server.registry.Configure(said.listeners); err != nil {
		return nil, err
	}
	server.log.Info("listeners configured", "count", len(said.listeners), "revision", server.registry.Snapshot().Revision)
	server.registry.OnChange(server.logChange)
	server.prober = probe.New(server.registry, server.log)
	if err := server.guard(said.policy); err != nil {
		return nil, err
	}
	server.handler = server.routes()
	return server, nil
}

// Handler serves every RPC, health and reflection. It can be mounted in a mux of the embedding program: all its paths
// begin with the full name of a service, such as "/dialpoint.v1.EndpointService/". It works on HTTP/1.1 and HTTP/2;
// gRPC needs the latter.
func (s *Server) Handler() http.Handler { return s.handler }

// Listeners is what is known of each listener now, by name.
func (s *Server) Listeners() []listener.Listener { return s.registry.List() }

// SetBind says what a listener's socket is bound to, in place of what its description says. The server never changes
// it. The host is what the operator wrote, as read by [rules.ParseBindHost], not what the socket's address reads: a
// socket bound to 0.0.0.0 calls itself [::]. A name that is not there and a bad host or port are errors. It ends the
// lease of any other dashboard, and no report takes the listener over while it stands. The zero Bind takes back what was
// said before, so that the description counts again.
func (s *Server) SetBind(name string, bind Bind) error {
	if bind == (Bind{}) {
		return s.withdraw(name)
	}
	parsed, err := bind.parse("report")
	if err != nil {
		if name == "" {
			name = listener.DefaultName
		}
		return fmt.Errorf("bind of listener %q: %w", name, err)
	}
	_, err = s.registry.Report(listener.Report{Name: name, Bind: parsed})
	return err
}

// withdraw takes back what the program itself has said. While a dashboard's own lease is live there is no such thing.
func (s *Server) withdraw(name string) error {
	err := s.registry.Withdraw(name, "")
	if _, held := errors.AsType[*listener.HeldError](err); held {
		return nil
	}
	return err
}

// Close ends every watch and every call that waits, and all leases. A server that was closed stays closed.
// [Server.Serve] does this by itself; an embedding program calls it before it shuts its own HTTP server down.
func (s *Server) Close() {
	s.drain()
	s.registry.Close()
}

// logChange logs what a listener has become.
func (s *Server) logChange(before, after listener.Listener) {
	if after.Name == "" {
		s.log.Info("listener removed", "listener", before.Name)
		return
	}
	s.log.Info("listener changed", "listener", after.Name, "bind_host", after.Bind.Text, "bind_port", after.Bind.Port,
		"bound", after.IsBound(), "override", after.Override.Text, "instance", after.InstanceID, "revision", after.Revision)
}
