package server_test

import (
	"net"
	"runtime"
	"testing"
	"time"
	"weak"

	"dialpoint/server"
)

// tracer is a socket whose last connection can be looked for in memory.
type tracer struct {
	net.Listener

	accepted chan weak.Pointer[traced]
}

type traced struct{ net.Conn }

func (l *tracer) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	accepted := &traced{conn}
	l.accepted <- weak.Make(accepted)
	return accepted, nil
}

// TestClosedConnectionIsForgotten, with all that the server kept for it, while callers may leave theirs open for longer.
func TestClosedConnectionIsForgotten(t *testing.T) {
	t.Parallel()
	service, err := server.New(server.WithListener(wildcard()), withTokens)
	must(t, err)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	listener := &tracer{socket, make(chan weak.Pointer[traced], 1)}
	web := service.ServeHastily(listener, time.Hour)
	t.Cleanup(func() { _ = web.Close() })

	conn, err := net.Dial("tcp", socket.Addr().String())
	must(t, err)
	readState(t, openWatch(t, conn))
	connection := <-listener.accepted
	if connection.Value() == nil {
		t.Fatal("it is not in memory while it is open")
	}
	must(t, conn.Close())
	for begin := time.Now(); connection.Value() != nil; runtime.GC() {
		if time.Since(begin) > time.Minute {
			t.Fatal("it is still in memory")
		}
	}
}
