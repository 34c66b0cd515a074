package server

import (
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"
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

// ServeHastily serves on a socket with a very short time-out for headers and for idle connections.
func (s *Server) ServeHastily(socket net.Listener, timeout time.Duration) *http.Server {
	web := s.httpServer()
	web.ReadHeaderTimeout = timeout
	web.IdleTimeout = timeout
	go func() { _ = web.Serve(socket) }()
	return web
}

// Reconfigure takes all listeners away.
func (s *Server) Reconfigure() error {
	return s.change(func() error { return s.registry.Configure(nil) })
}
