package server_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server"
	"dialpoint/server/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// running is a server that serves, and where.
type running struct {
	*server.Server

	unix string
	tcp  string
	stop context.CancelFunc
	// ended receives what Serve returned.
	ended <-chan error
}

// childToken and operatorToken are those of [start].
const (
	childToken    = "the-token-of-a-child"
	operatorToken = "the-token-of-an-operator"
)

var withTokens = server.WithTokens(childToken, operatorToken)

// start serves on a loopback port and a unix socket until the test ends.
func start(t testing.TB, options ...server.Option) *running {
	t.Helper()
	service, err := server.New(append(options, withTokens)...)
	must(t, err)
	unix := filepath.Join(t.TempDir(), "s")
	unixSocket, err := net.Listen("unix", unix)
	must(t, err)
	tcpSocket, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	return run(t, service, unixSocket, tcpSocket)
}

// run serves on sockets, the unix socket first.
func run(t testing.TB, service *server.Server, sockets ...net.Listener) *running {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ended <- service.Serve(ctx, sockets...)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return &running{
		Server: service,
		unix:   sockets[0].Addr().String(),
		tcp:    "http://" + sockets[len(sockets)-1].Addr().String(),
		stop:   stop,
		ended:  ended,
	}
}

// fromConfig is a server with a configuration file, and the path of that file.
func fromConfig(t testing.TB, text string, options ...server.Option) (service *server.Server, file string) {
	t.Helper()
	return fromConfigIn(t, ownDirectory(t), text, options...)
}

// fromConfigIn is the same in a directory that may hold other files already.
func fromConfigIn(t testing.TB, directory, text string, options ...server.Option) (service *server.Server, file string) {
	t.Helper()
	file = filepath.Join(directory, "dialpoint.yaml")
	write(t, file, text)
	write(t, filepath.Join(directory, "child.token"), childToken)
	write(t, filepath.Join(directory, "operator.token"), operatorToken)
	loader := config.NewLoader(config.Sources{Path: file, DefaultUnix: filepath.Join(directory, "s")})
	loaded, err := loader.Load()
	must(t, err)
	service, err = server.New(append(options, server.WithConfig(loader, loaded))...)
	must(t, err)
	return service, file
}

// ownDirectory is one that is fit for a socket and for tokens.
func ownDirectory(t testing.TB) string {
	t.Helper()
	directory := t.TempDir()
	must(t, os.Chmod(directory, 0o700))
	return directory
}

func write(t testing.TB, file, text string) {
	t.Helper()
	must(t, os.WriteFile(file, []byte(text), 0o600))
}

// overHTTP1 and overHTTP2 are clients of one version each, without a proxy.
func overHTTP1(t testing.TB) *http.Client {
	t.Helper()
	return webClient(t, false, "")
}

func overHTTP2(t testing.TB) *http.Client {
	t.Helper()
	return webClient(t, true, "")
}

// webClient dials a unix socket where a path is given.
func webClient(t testing.TB, http2 bool, unix string) *http.Client {
	t.Helper()
	var protocols http.Protocols
	protocols.SetHTTP1(!http2)
	protocols.SetUnencryptedHTTP2(http2)
	transport := &http.Transport{Protocols: &protocols}
	if unix != "" {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", unix)
		}
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: bearer{transport}}
}

// withoutToken is a client that shows only what it is told to.
func withoutToken(client *http.Client) *http.Client {
	if transport, is := client.Transport.(bearer); is {
		return &http.Client{Transport: transport.Transport}
	}
	return client
}

// bearer calls as the operator.
type bearer struct{ *http.Transport }

func (b bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+operatorToken)
	return b.Transport.RoundTrip(request)
}

func (r *running) endpoints(t testing.TB) dialpointv1connect.EndpointServiceClient {
	t.Helper()
	return dialpointv1connect.NewEndpointServiceClient(overHTTP1(t), r.tcp)
}

// gateway is the URL that a local child is given.
func (r *running) gateway(t testing.TB) string {
	t.Helper()
	response, err := r.endpoints(t).ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
	must(t, err)
	return response.GetEndpoints().GetGateway().GetUrl()
}

// wildcard is the listener of the README.
func wildcard() server.Listener {
	return server.Listener{Bind: server.Bind{Host: "0.0.0.0", Port: 9119}, Credential: "t"}
}
