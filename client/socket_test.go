package client_test

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"

	"dialpoint/client"
)

// asked is a listener of another kind that can be asked for its socket, as those of some libraries can.
type asked struct {
	net.Listener
	syscall.Conn
}

func askable(socket net.Listener) net.Listener {
	conn, _ := socket.(syscall.Conn)
	return asked{socket, conn}
}

// wrapped is a listener that hides its socket, as those of some libraries do.
type wrapped struct{ net.Listener }

// TestReportOf: port, and whether IPv4 is refused, are the socket's own. The host is what the operator wrote.
func TestReportOf(t *testing.T) {
	t.Parallel()
	no, yes := new(false), new(true)
	for name, test := range map[string]struct {
		network, address, host string
		wrap                   func(net.Listener) net.Listener
		only                   *bool
		tls                    bool
	}{
		"loopback":                  {"tcp", "127.0.0.1:0", "127.0.0.1", nil, nil, false},
		"loopback by name":          {"tcp", "localhost:0", "localhost", nil, nil, false},
		"IPv6 loopback":             {"tcp", "[::1]:0", "::1", nil, nil, false},
		"IPv6 loopback, IPv6 only":  {"tcp6", "[::1]:0", "::1", nil, nil, false},
		"IPv4 wildcard":             {"tcp4", "0.0.0.0:0", "0.0.0.0", nil, nil, false},
		"wildcard, dual":            {"tcp", "0.0.0.0:0", "0.0.0.0", nil, no, false},
		"nothing":                   {"tcp", ":0", "", nil, no, false},
		"IPv6 wildcard, dual":       {"tcp", "[::]:0", "::", nil, no, false},
		"IPv6 wildcard, IPv6 only":  {"tcp6", "[::]:0", "[::]", nil, yes, false},
		"can be asked":              {"tcp6", "[::]:0", "::", askable, yes, false},
		"cannot be asked":           {"tcp6", "[::]:0", "::", func(l net.Listener) net.Listener { return wrapped{l} }, nil, false},
		"cannot be asked, loopback": {"tcp", "127.0.0.1:0", "127.0.0.1", func(l net.Listener) net.Listener { return wrapped{l} }, nil, false},
		"TLS":                       {"tcp6", "[::]:0", "::", func(l net.Listener) net.Listener { return tls.NewListener(l, new(tls.Config)) }, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socket := listenOrSkip(t, test.network, test.address)
			port := netip.MustParseAddrPort(socket.Addr().String()).Port()
			if test.wrap != nil {
				socket = test.wrap(socket)
			}
			got, err := client.ReportOf(socket, test.host)
			if err != nil {
				t.Fatal(err)
			}
			if want := (client.Report{Host: test.host, Port: int(port), TLS: test.tls}); got.Host != want.Host || got.Port != want.Port || got.TLS != want.TLS {
				t.Errorf("got %v, TLS %v, want %v, TLS %v", got, got.TLS, want, want.TLS)
			}
			wantEqual(t, got.IPv6Only, test.only)
		})
	}
}

// listenOrSkip opens a socket of a kind that this machine may not have.
func listenOrSkip(t *testing.T, network, address string) net.Listener {
	t.Helper()
	socket, err := new(net.ListenConfig).Listen(t.Context(), network, address)
	if err != nil && strings.Contains(network+address, "6") || err != nil && strings.Contains(address, "::") {
		t.Skip("without IPv6: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	return socket
}

// TestReportOfNoTCPSocket: what has no port cannot be reported, and what is closed cannot be asked.
func TestReportOfNoTCPSocket(t *testing.T) {
	t.Parallel()
	closed := listenOrSkip(t, "tcp", "[::]:0")
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	unix := listenUnix(t)
	t.Cleanup(func() { _ = unix.Close() })
	for name, test := range map[string]struct {
		socket net.Listener
		want   []string
	}{
		"unix":         {unix, []string{"unix socket \"" + unix.Addr().String() + `" has no port`, "report a TCP socket"}},
		"wrapped unix": {wrapped{unix}, []string{"unix socket \""}},
		"pipe":         {newNetwork().listen("a:1"), []string{`pipe socket "a:1" has no port`}},
		"closed":       {closed, []string{"the socket at [::]:", "does not say whether it refuses IPv4", "use of closed network connection"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := client.ReportOf(test.socket, "::")
			if err == nil || got != (client.Report{}) {
				t.Fatalf("got %v, %v", got, err)
			}
			wantMessage(t, err.Error(), test.want...)
			if _, again := client.Hold(t.Context(), test.socket, "::"); again == nil || again.Error() != err.Error() {
				t.Errorf("Hold fails with %v, want %v", again, err)
			}
		})
	}
}

// TestHoldSocket: whatever a real socket is bound to, what its children are told to dial answers.
func TestHoldSocket(t *testing.T) {
	for name, test := range map[string]struct{ network, address, host, dial string }{
		"loopback":            {"tcp", "127.0.0.1:0", "127.0.0.1", "127.0.0.1"},
		"IPv6 loopback":       {"tcp", "[::1]:0", "::1", "[::1]"},
		"wildcard":            {"tcp", "0.0.0.0:0", "0.0.0.0", "127.0.0.1"},
		"IPv4 wildcard":       {"tcp4", "0.0.0.0:0", "0.0.0.0", "127.0.0.1"},
		"IPv6 wildcard":       {"tcp", "[::]:0", "::", "127.0.0.1"},
		"IPv6 wildcard alone": {"tcp6", "[::]:0", "::", "[::1]"},
		"nothing":             {"tcp", ":0", "", "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			socket := listenOrSkip(t, test.network, test.address)
			answers, _ := serve(t, socket, http.NotFoundHandler())
			address, _ := serve(t, listenUnix(t), newService(t).Handler())
			t.Setenv(client.AddressEnv, address)
			lease, err := client.Hold(t.Context(), socket, test.host, func(report *client.Report) { report.Credential = "k" })
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = lease.Close() }()
			endpoints, err := connectTo(t, address).Resolve(t.Context(), client.Request{})
			if err != nil {
				t.Fatal(err)
			}
			port := answers[strings.LastIndexByte(answers, ':'):]
			if got, want := endpoints.GetGateway().GetUrl(), "ws://"+test.dial+port+"/api/ws?token=k"; got != want {
				t.Errorf("children dial %s, want %s", got, want)
			}
			if warnings := endpoints.GetExplanation().GetWarnings(); slices.ContainsFunc(warnings, func(text string) bool { return strings.Contains(text, "ipv6") }) {
				t.Errorf("warned of %q", warnings)
			}
			dialled, err := new(net.Dialer).DialContext(t.Context(), "tcp", test.dial+port)
			if err != nil {
				t.Fatalf("children cannot connect: %v", err)
			}
			_ = dialled.Close()
		})
	}
}
