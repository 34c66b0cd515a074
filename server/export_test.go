package server

import (
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"connectrpc.com/connect"

	"dialpoint/server/listener"
)

// StopTimeout is how long a stop may take.
const StopTimeout = stopTimeout

// patience is how long a test waits for what must come.
const patience = time.Minute

// AwaitWatches returns once the server has so many watches, held calls included.
func (s *Server) AwaitWatches(t testing.TB, count int) {
	t.Helper()
	s.await(t, func(watches int) bool { return watches >= count })
}

// AwaitNoWatches returns once the server has no watch any more.
func (s *Server) AwaitNoWatches(t testing.TB) {
	t.Helper()
	s.await(t, func(watches int) bool { return watches == 0 })
}

func (s *Server) await(t testing.TB, enough func(watches int) bool) {
	t.Helper()
	begin := time.Now()
	for !enough(s.registry.Watches()) {
		if t.Context().Err() != nil || time.Since(begin) > patience {
			t.Fatalf("there are %d watches", s.registry.Watches())
		}
		runtime.Gosched()
	}
}

// IdleTimeout is how long a connection may be open without a request.
func (s *Server) IdleTimeout() time.Duration { return s.conns.IdleTimeout }

// ServeHastily serves on a socket with a very short time-out for headers and for idle connections.
func (s *Server) ServeHastily(socket net.Listener, timeout time.Duration) *http.Server {
	web := s.httpServer()
	web.ReadHeaderTimeout = timeout
	s.conns.IdleTimeout = timeout
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
	return s.registry.Configure(configs)
}

// RecoverCalls and CatchFaults are what stands around every call and every request.
func (s *Server) RecoverCalls() connect.HandlerOption { return s.recoverCalls() }

// CatchFaults is the latter.
func (s *Server) CatchFaults(next http.Handler) http.Handler { return s.catchFaults(next) }

// HandlerWithin is [Server.Handler] with so much time for the body of a request.
func (s *Server) HandlerWithin(body time.Duration) http.Handler {
	s.patience.Body = body
	return s.routes()
}
