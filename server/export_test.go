package server

import (
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"dialpoint/server/listener"
)

// StopTimeout is how long a stop may take.
const StopTimeout = stopTimeout

// AwaitWatches returns once the server has so many watches, held calls included.
func (s *Server) AwaitWatches(t testing.TB, count int) {
	t.Helper()
	for s.registry.Watches() < count {
		if t.Context().Err() != nil {
			t.Fatalf("there were %d watches, not %d", s.registry.Watches(), count)
		}
		runtime.Gosched()
	}
}

// AwaitNoWatches returns once the server has no watch any more.
func (s *Server) AwaitNoWatches(t testing.TB) {
	t.Helper()
	for s.registry.Watches() > 0 {
		if t.Context().Err() != nil {
			t.Fatalf("there are still %d watches", s.registry.Watches())
		}
		runtime.Gosched()
	}
}

// ServeHastily serves on a socket with a very short time-out for headers and for idle connections.
func (s *Server) ServeHastily(socket net.Listener, timeout time.Duration) *http.Server {
	web := s.httpServer()
	web.ReadHeaderTimeout = timeout
	web.IdleTimeout = timeout
	go func() { _ = web.Serve(socket) }()
	return web
}

// ServeAttentively serves on a socket with very short times for HTTP/2 pings.
func (s *Server) ServeAttentively(socket net.Listener, pingAfter, pingTimeout time.Duration) *http.Server {
	web := s.httpServer()
	web.HTTP2.SendPingTimeout = pingAfter
	web.HTTP2.PingTimeout = pingTimeout
	go func() { _ = web.Serve(socket) }()
	return web
}

// Reconfigure puts listeners in the place of all that there are.
func (s *Server) Reconfigure(configs ...listener.Config) error {
	return s.change(func() error { return s.registry.Configure(configs) })
}
