package probe_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"dialpoint/server/probe"
	"dialpoint/server/rules"
	"dialpoint/server/socket/heldport"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// listen opens a socket, which a test that needs IPv6 may have to do without.
func listen(t testing.TB, network, address string) net.Listener {
	t.Helper()
	socket, err := new(net.ListenConfig).Listen(t.Context(), network, address)
	if err != nil && network != "tcp4" {
		t.Skipf("IPv6 is not to be had here: %v", err)
	}
	must(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	return socket
}

// await is what comes next.
func await(t testing.TB, found <-chan string) string {
	t.Helper()
	select {
	case message := <-found:
		return message
	case <-time.After(patience):
		t.Fatal("nothing was found")
		return ""
	}
}

// visits accepts connections until the socket is closed, and hears what each sent and how it ended.
func visits(t testing.TB, socket net.Listener) <-chan string {
	t.Helper()
	heard := make(chan string, 16)
	go func() {
		for {
			conn, err := socket.Accept()
			if err != nil {
				return
			}
			sent, err := io.ReadAll(conn)
			heard <- fmt.Sprintf("%q, %v", sent, err)
			_ = conn.Close()
		}
	}()
	return heard
}

// Sockets of each kind, as dashboards open them on "::".
func TestRealSockets(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		network, host string
		found         string
		// root is what a child dials, without the port.
		root, source string
	}{
		"both families": {"tcp", "[::]", foundIPv4, "ws://127.0.0.1", "flag --bind-host"},
		"IPv6 alone":    {"tcp6", "[::]", foundIPv6, "ws://[::1]", "probe"},
		"IPv4 alone":    {"tcp4", "127.0.0.1", foundIPv4, "ws://127.0.0.1", "flag --bind-host"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			port := rules.Port(heldport.New(t))
			heard := visits(t, listen(t, test.network, fmt.Sprintf("%s:%d", test.host, port)))
			registry := registry(t, bind(t, "::", port))
			log, found := newFindings()
			run(t, probe.New(registry, log))
			if got := await(t, found); got != test.found {
				t.Errorf("%s, want that %s", got, test.found)
			}
			wantAnswer(t, registry, fmt.Sprintf("%s:%d/api/ws by %s", test.root, port, test.source))
			if got := await(t, heard); got != `"", <nil>` || len(heard) > 0 {
				t.Errorf("the dashboard heard %s and %d others, want one connection that is closed at once", got, len(heard))
			}
		})
	}
}

// A dashboard may come later than the service.
func TestSocketThatComesLater(t *testing.T) {
	t.Parallel()
	listen(t, "tcp6", "[::1]:0")
	port := rules.Port(heldport.New(t))
	registry := registry(t, bind(t, "::", port))
	log, found := newFindings()
	prober := probe.New(registry, log)
	looked := make(chan error, 64)
	prober.SetConnect(func(ctx context.Context, address netip.AddrPort) error {
		err := probe.Connect(ctx, address)
		looked <- err
		return err
	})
	run(t, prober)
	for range 4 {
		if err := <-looked; err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("nothing listens, and connecting ended with %v", err)
		}
	}
	wantAnswer(t, registry, fmt.Sprintf("ws://127.0.0.1:%d/api/ws by flag --bind-host", port))
	listen(t, "tcp6", fmt.Sprintf("[::]:%d", port))
	if got := await(t, found); got != foundIPv6 {
		t.Error(got)
	}
	wantAnswer(t, registry, fmt.Sprintf("ws://[::1]:%d/api/ws by probe", port))
}
