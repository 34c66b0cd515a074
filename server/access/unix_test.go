package access_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dialpoint/server/access"
)

// hiding is a listener whose connections do not show their socket.
type hiding struct{ net.Listener }

func (h hiding) Accept() (net.Conn, error) {
	conn, err := h.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return hidden{conn}, nil
}

type hidden struct{ net.Conn }

// wrapped says what is inside, as a [tls.Conn] does.
type wrapped struct{ hidden }

func (w wrapped) NetConn() net.Conn { return w.Conn }

// endless is wrapped around itself.
type endless struct{ net.Conn }

func (e endless) NetConn() net.Conn { return e }

// unaddressed has no address.
type unaddressed struct{ net.Conn }

func (unaddressed) LocalAddr() net.Addr { return nil }

// accepted is a connection over a socket, as the service has it.
func accepted(t *testing.T, socket net.Listener) net.Conn {
	t.Helper()
	client, err := new(net.Dialer).DialContext(t.Context(), socket.Addr().Network(), socket.Addr().String())
	must(t, err)
	server, err := socket.Accept()
	must(t, err)
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
		_ = socket.Close()
	})
	return server
}

func unixSocket(t *testing.T) net.Listener {
	t.Helper()
	return listen(t, "unix", filepath.Join(t.TempDir(), "s"))
}

func needPeerCredentials(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("this system does not tell who calls")
	}
}

func TestPeerOf(t *testing.T) {
	t.Parallel()
	needPeerCredentials(t)
	conn := accepted(t, unixSocket(t))
	for name, conn := range map[string]net.Conn{
		"bare":           conn,
		"TLS":            tls.Server(conn, &tls.Config{MinVersion: tls.VersionTLS13}),
		"wrapped":        wrapped{hidden{conn}},
		"wrapped in TLS": tls.Server(wrapped{hidden{conn}}, &tls.Config{MinVersion: tls.VersionTLS13}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := access.PeerOf(conn)
			must(t, err)
			if int(got.UID) != os.Geteuid() || int(got.GID) != os.Getegid() || int(got.PID) != os.Getpid() {
				t.Errorf("got %+v, want user %d, group %d, process %d", got, os.Geteuid(), os.Getegid(), os.Getpid())
			}
		})
	}
}

func TestPeerOfRefuses(t *testing.T) {
	t.Parallel()
	needPeerCredentials(t)
	pipe, other := net.Pipe()
	t.Cleanup(func() { _ = pipe.Close(); _ = other.Close() })
	closed := accepted(t, unixSocket(t))
	must(t, closed.Close())
	const noSocket = "no socket is to be found"
	tests := map[string]struct {
		conn net.Conn
		want string
	}{
		"TCP":          {accepted(t, listen(t, "tcp", "127.0.0.1:0")), "it is no unix socket"},
		"TLS over TCP": {tls.Server(accepted(t, listen(t, "tcp", "127.0.0.1:0")), &tls.Config{MinVersion: tls.VersionTLS13}), "it is no unix socket"},
		"a pipe":       {pipe, noSocket},
		"no socket":    {hidden{accepted(t, unixSocket(t))}, noSocket},
		"endless":      {endless{pipe}, noSocket},
		"closed":       {closed, net.ErrClosed.Error()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := access.PeerOf(test.conn)
			if err == nil || !strings.Contains(err.Error(), "peer credentials: ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if got.UID != 0 || got.GID != 0 || got.Groups != nil || got.PID != 0 {
				t.Errorf("got %+v beside the error", got)
			}
		})
	}
}

// A connection of which nothing is known counts as TCP.
func TestWithConnKeepsTheContext(t *testing.T) {
	t.Parallel()
	pipe, other := net.Pipe()
	t.Cleanup(func() { _ = pipe.Close(); _ = other.Close() })
	for name, conn := range map[string]net.Conn{"a pipe": pipe, "no address": unaddressed{pipe}, "TCP": accepted(t, listen(t, "tcp", "127.0.0.1:0"))} {
		if access.WithConn(t.Context(), conn) != t.Context() {
			t.Errorf("%s: something was noted", name)
		}
	}
}

// startTLS serves TLS over a socket, and is an HTTP client that trusts it.
func startTLS(t *testing.T, socket net.Listener, policy access.Policy, settings *tls.Config) *http.Client {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	must(t, web.Listener.Close())
	web.Listener = socket
	web.Config = webServer(access.NewGate(discard, policy))
	web.TLS = settings
	web.StartTLS()
	t.Cleanup(web.Close)
	client := web.Client()
	if transport, is := client.Transport.(*http.Transport); is {
		transport.TLSClientConfig.Certificates = web.TLS.Certificates
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, socket.Addr().Network(), socket.Addr().String())
		}
	}
	return client
}

func post(t *testing.T, client *http.Client, url string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+resolvePath, http.NoBody)
	must(t, err)
	request.Header.Set("Content-Type", "application/proto")
	response, err := client.Do(request)
	must(t, err)
	must(t, response.Body.Close())
	return response
}

// The kernel knows the peer under TLS as well.
func TestUnixUnderTLS(t *testing.T) {
	t.Parallel()
	needPeerCredentials(t)
	client := startTLS(t, unixSocket(t), access.Policy{}, nil)
	if response := post(t, client, "https://example.com"); response.StatusCode != http.StatusOK {
		t.Errorf("status %d", response.StatusCode)
	}
}

// A certificate says that a caller may connect, and nothing of its role.
func TestCertificateIsNoToken(t *testing.T) {
	t.Parallel()
	seen := make(chan int, 1)
	client := startTLS(t, listen(t, "tcp", "127.0.0.1:0"), withTokens(), &tls.Config{
		MinVersion: tls.VersionTLS13,
		ClientAuth: tls.RequireAnyClientCert,
		VerifyConnection: func(state tls.ConnectionState) error {
			seen <- len(state.PeerCertificates)
			return nil
		},
	})
	if response := post(t, client, "https://127.0.0.1"); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("status %d", response.StatusCode)
	}
	if <-seen != 1 {
		t.Error("the client showed no certificate")
	}
}

// No credentials, no service, whatever else the caller shows. Health is no exception.
func TestUnixWithoutCredentials(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		policy access.Policy
		want   string
	}{
		"tokens":  {withTokens(), "PEER_FORBIDDEN"},
		"allowed": {access.Policy{AllowUsers: []uint32{0}, AllowGroups: []uint32{0}}, "PEER_FORBIDDEN"},
		"trusted": {access.Policy{Trusted: true}, "operator"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socket := unixSocket(t)
			serve(t, webServer(access.NewGate(discard, test.policy)), hiding{socket})
			client := peer{url: "http://unix", unix: socket.Addr().String()}.bearer(operatorToken)
			got, err := client.resolve(t)
			wantRole(t, got, err, test.want)
			response, body := client.send(t, http.MethodPost, "/grpc.health.v1.Health/Check", "application/proto")
			if want := map[bool]int{true: 200, false: 403}[test.policy.Trusted]; response.StatusCode != want {
				t.Errorf("health is answered %d: %s", response.StatusCode, body)
			}
		})
	}
}

// A program that embeds the handler and does not use WithConn has callers without a user: they need a token.
func TestUnixWithoutWithConn(t *testing.T) {
	t.Parallel()
	socket := unixSocket(t)
	web := webServer(access.NewGate(discard, withTokens()))
	web.ConnContext = nil
	serve(t, web, socket)
	client := peer{url: "http://localhost", unix: socket.Addr().String()}
	got, err := client.resolve(t)
	wantRole(t, got, err, "CREDENTIAL_MISSING")
	got, err = client.bearer(childToken).resolve(t)
	wantRole(t, got, err, "child")
	got, err = withHost(client.bearer(childToken), "unix").resolve(t)
	wantRole(t, got, err, "HOST_FORBIDDEN")
}
