package limit_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"dialpoint/server/limit"
)

// transport is one way on which requests come.
type transport struct {
	name       string
	http2, tls bool
}

var transports = []transport{
	{"HTTP/1.1", false, false},
	{"HTTP/2", true, false},
	{"TLS, HTTP/1.1", false, true},
	{"TLS, HTTP/2", true, true},
}

// pipes is a listener without sockets, so that the time can be the test's: net.Pipe has deadlines, too.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	close    sync.Once
}

func newPipes() *pipes { return &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accepted:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.close.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

func (p *pipes) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accepted <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// certificate is one for example.com, and who trusts it.
var certificate = sync.OnceValues(func() (tls.Certificate, *x509.CertPool) {
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return server.TLS.Certificates[0], roots
})

// open serves on a listener over a transport, and gives a client of it.
func (tr transport) open(t testing.TB, listener net.Listener, dial func(context.Context, string, string) (net.Conn, error), handler http.Handler, configure ...func(*http.Server)) (client *http.Client, url string) {
	t.Helper()
	web := &http.Transport{Protocols: new(http.Protocols), DialContext: dial}
	web.Protocols.SetHTTP1(!tr.http2)
	if !tr.tls {
		web.Protocols.SetUnencryptedHTTP2(tr.http2)
		serveOn(t, listener, handler, configure...)
		t.Cleanup(web.CloseIdleConnections)
		return &http.Client{Transport: web}, "http://example.com"
	}
	web.Protocols.SetHTTP2(tr.http2)
	pair, roots := certificate()
	web.TLSClientConfig = &tls.Config{RootCAs: roots}
	protocols := []string{"http/1.1"}
	if tr.http2 {
		protocols = []string{"h2"}
	}
	serveOn(t, tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: protocols}), handler, configure...)
	t.Cleanup(web.CloseIdleConnections)
	return &http.Client{Transport: web}, "https://example.com"
}

// piped serves without sockets. TLS does without: it says goodbye while it holds a lock, and a pipe takes that only
// when it is read.
func (tr transport) piped(t testing.TB, handler http.Handler, configure ...func(*http.Server)) (client *http.Client, url string) {
	t.Helper()
	listener := newPipes()
	return tr.open(t, listener, listener.DialContext, handler, configure...)
}

// bounded sets what a server should set beside its handlers.
func bounded(web *http.Server) { limit.HTTP2(web.HTTP2) }

// networked serves on loopback.
func (tr transport) networked(t testing.TB, handler http.Handler, configure ...func(*http.Server)) (client *http.Client, url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", listener.Addr().String())
	}
	return tr.open(t, listener, dial, handler, configure...)
}
