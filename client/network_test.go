package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dialpoint/client"
)

// network is what clients reach within a synctest bubble: pipes in place of sockets, since whoever waits for a socket
// holds the clock. The whole of net/http and Connect is above it.
type network struct {
	began time.Time

	mu        sync.Mutex
	listeners map[string]*pipeListener
	// dialled is when anyone dialled, since the network began.
	dialled []time.Duration
}

func newNetwork() *network {
	return &network{began: time.Now(), listeners: map[string]*pipeListener{}}
}

// client is a client in this network whose chances all come out the same, from 0 to 1.
func (n *network) client(t *testing.T, addr string, chance float64) *client.Client {
	t.Helper()
	caller := &client.Client{Addr: addr}
	client.Stage(caller, n.transport(caller), func() float64 { return chance })
	t.Cleanup(caller.Close)
	return caller
}

func (n *network) transport(caller *client.Client) func(client.Address) http.RoundTripper {
	return func(address client.Address) http.RoundTripper {
		_, host, _ := strings.Cut(address.String(), "://")
		return &http.Transport{DialContext: client.Telling(caller, func(ctx context.Context, _, _ string) (net.Conn, error) {
			return n.dial(ctx, host)
		})}
	}
}

// pipe is an end of a connection that fails as a socket does when this side has closed it.
type pipe struct{ net.Conn }

func (p pipe) Read(buffer []byte) (int, error) {
	n, err := p.Conn.Read(buffer)
	if errors.Is(err, io.ErrClosedPipe) {
		err = net.ErrClosed
	}
	return n, err
}

// dial refuses where nobody listens, as a system does.
func (n *network) dial(ctx context.Context, host string) (net.Conn, error) {
	n.mu.Lock()
	n.dialled = append(n.dialled, n.elapsed())
	listener := n.listeners[host]
	n.mu.Unlock()
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	if listener == nil {
		return nil, refused
	}
	near, far := net.Pipe()
	select {
	case listener.incoming <- far:
		return pipe{near}, nil
	case <-listener.closed:
		return nil, refused
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: ctx.Err()}
	}
}

// tries is when clients dialled.
func (n *network) tries() []time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dialled
}

// elapsed is the time since the network began.
func (n *network) elapsed() time.Duration { return time.Since(n.began) }

// serve answers at a host until the test ends, or the function that is returned is called.
func (n *network) serve(t *testing.T, host string, handler http.Handler) (stop func()) {
	t.Helper()
	_, stop = serve(t, n.listen(host), handler)
	return stop
}

func (n *network) listen(host string) net.Listener {
	listener := &pipeListener{network: n, host: host, incoming: make(chan net.Conn), closed: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listeners[host] = listener
	return listener
}

// pipeListener takes the connections to one host.
type pipeListener struct {
	network  *network
	host     string
	incoming chan net.Conn
	closing  sync.Once
	closed   chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.incoming:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.closing.Do(func() {
		l.network.mu.Lock()
		defer l.network.mu.Unlock()
		close(l.closed)
		if l.network.listeners[l.host] == l {
			delete(l.network.listeners, l.host)
		}
	})
	return nil
}

func (l *pipeListener) Addr() net.Addr { return pipeAddr(l.host) }

// pipeAddr is the address of a host in a network of pipes.
type pipeAddr string

func (pipeAddr) Network() string  { return "pipe" }
func (a pipeAddr) String() string { return string(a) }

// black takes requests and never answers. The server looks whether the caller is still there once the body is read.
var black = http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
	_, _ = io.Copy(io.Discard, request.Body)
	<-request.Context().Done()
})

// pass lets time go by.
func pass(duration time.Duration) { <-time.After(duration) }

// wantElapsed fails the test unless this is how long ago the network began.
func (n *network) wantElapsed(t *testing.T, want time.Duration) {
	t.Helper()
	if got := n.elapsed(); got != want {
		t.Errorf("after %v, want it after %v", got, want)
	}
}
