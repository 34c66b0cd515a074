package limit_test

import (
	"context"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dialpoint/server/limit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// serve serves on a loopback port until the test ends, HTTP/1.1 and unencrypted HTTP/2.
func serve(t testing.TB, handler http.Handler, configure ...func(*http.Server)) (address string) {
	t.Helper()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	serveOn(t, socket, handler, configure...)
	return socket.Addr().String()
}

func serveOn(t testing.TB, socket net.Listener, handler http.Handler, configure ...func(*http.Server)) {
	t.Helper()
	web := &http.Server{Handler: handler, Protocols: new(http.Protocols), ReadHeaderTimeout: time.Minute, HTTP2: new(http.HTTP2Config)}
	web.Protocols.SetHTTP1(true)
	web.Protocols.SetUnencryptedHTTP2(true)
	for _, change := range configure {
		change(web)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = web.Serve(socket)
	}()
	t.Cleanup(func() {
		_ = web.Close()
		<-done
	})
}

// watched has the connections of a server watched over.
func watched(conns *limit.Conns) func(*http.Server) {
	return func(web *http.Server) {
		web.ConnContext = conns.ConnContext
		web.ConnState = conns.ConnState
	}
}

// webClient speaks one version of HTTP, without a proxy.
func webClient(t testing.TB, http2 bool) *http.Client {
	t.Helper()
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(!http2)
	transport.Protocols.SetUnencryptedHTTP2(http2)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func dial(t testing.TB, address string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", address)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// awaitf returns once a condition holds.
func awaitf(t testing.TB, condition func() bool, format string, values ...any) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !condition(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: "+format, values...)
		}
	}
}
