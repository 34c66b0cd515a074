package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"dialpoint/server/access"
	"dialpoint/server/api"
	"dialpoint/server/limit"
	"dialpoint/server/rules"
	"dialpoint/server/socket"
)

const (
	// headerTimeout bounds how long a connection may take to send a request's header.
	headerTimeout = 10 * time.Second
	// idleTimeout is how long a connection may stay open without a request.
	idleTimeout = 2 * time.Minute
	// pingAfter is how long an HTTP/2 connection may be silent before it is asked whether the peer still lives, and
	// pingTimeout how long the peer has to answer. This ends streams whose peer is gone, and no other.
	pingAfter   = 30 * time.Second
	pingTimeout = 15 * time.Second
	// maxHeader is the size in bytes of the largest request header.
	maxHeader = 16 << 10
	// stopTimeout is how long calls may take to finish once the server stops. It is half of what Docker gives a container
	// before it is killed, so that the sockets are removed by then.
	stopTimeout = 5 * time.Second
)

// Serve answers on the sockets until the context ends, then stops in order: watches and waiting calls are told, no
// connection is accepted any more, other calls have 5 seconds to finish, the unix socket of [Server.Listen] is removed. A
// server of [WithConfig] follows its configuration meanwhile, and where nobody has said whether a socket on :: takes IPv4
// the server tries it out. The error is nil after an orderly stop. A server serves once.
func (s *Server) Serve(ctx context.Context, sockets ...net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer closeAll(sockets)
	web := s.httpServer()
	failed := make(chan error, len(sockets))
	for _, socket := range sockets {
		go func() { failed <- s.serveSocket(web, socket) }()
	}
	var following sync.WaitGroup
	following.Go(func() { s.follow(ctx) })
	following.Go(func() { s.prober.Run(ctx) })
	defer following.Wait()
	defer cancel()

	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	return errors.Join(err, s.stop(web))
}

// ListenAndServe opens the sockets of the configuration and serves on them. See [Server.Listen] and [Server.Serve].
func (s *Server) ListenAndServe(ctx context.Context) error {
	sockets, err := s.Listen(ctx, socket.Sockets{})
	if err != nil {
		return err
	}
	return s.Serve(ctx, sockets...)
}

// Reload reads the configuration again even if no file has changed. It does nothing in a server without one.
func (s *Server) Reload() {
	if s.loader != nil {
		s.loader.Reload()
	}
}

// serveSocket serves until the HTTP server stops, which closes what it accepts from. The file of a unix socket of ours
// stays until Serve closes the socket itself, after the calls.
func (s *Server) serveSocket(web *http.Server, accepting net.Listener) error {
	serve := web.Serve
	switch opened := accepting.(type) {
	case *socket.Unix:
		accepting = opened.UnixListener
	default:
		if s.certificate.isSet() && accepting.Addr().Network() != "unix" {
			serve = func(socket net.Listener) error { return web.ServeTLS(socket, "", "") }
		}
	}
	if err := serve(accepting); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve on %v: %w", accepting.Addr(), err)
	}
	return nil
}

// closeAll closes sockets, most of which an HTTP server has closed before: that is no error here.
func closeAll(sockets []net.Listener) {
	for _, socket := range sockets {
		_ = socket.Close()
	}
}

// httpServer serves HTTP/1.1 and HTTP/2 on one port, the latter without TLS as well. It has no time-out for reading or
// writing a whole call, which would cut streams, and leaves idle connections to [limit.Conns].
func (s *Server) httpServer() *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	http2 := &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout}
	limit.HTTP2(http2)
	return &http.Server{
		Handler:           s.handler,
		Protocols:         &protocols,
		HTTP2:             http2,
		TLSConfig:         s.certificate.config(),
		ReadHeaderTimeout: headerTimeout,
		MaxHeaderBytes:    maxHeader,
		ConnContext:       s.connContext,
		ConnState:         s.conns.ConnState,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// connContext notes what a connection tells of its callers: who they are, and whether they share this machine's loopback.
func (s *Server) connContext(ctx context.Context, conn net.Conn) context.Context {
	if access.IsInOtherNetwork(conn) {
		ctx = api.WithAudience(ctx, rules.Remote)
	}
	return access.WithConn(s.conns.ConnContext(ctx, conn), conn)
}

// stop ends an HTTP server in order, and by force when that takes too long.
func (s *Server) stop(web *http.Server) error {
	s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := web.Shutdown(ctx); err != nil {
		s.log.Warn("calls were cut off: they did not finish in time", "timeout", stopTimeout)
		return web.Close()
	}
	return nil
}
