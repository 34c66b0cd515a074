package api_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"testing"

	"connectrpc.com/connect"
	"go.uber.org/goleak"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/api"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const firstRevision = 100

// service is both services over one registry, behind a real server.
type service struct {
	registry  *listener.Registry
	drain     context.CancelFunc
	server    *httptest.Server
	endpoints dialpointv1connect.EndpointServiceClient
	listeners dialpointv1connect.ListenerServiceClient
}

// serve starts a service whose callers seem to come as the middleware says. Nil leaves the connection as it is.
func serve(t *testing.T, middleware func(http.Handler) http.Handler, configs ...listener.Config) *service {
	t.Helper()
	draining, drain := context.WithCancel(t.Context())
	registry := listener.NewRegistry(firstRevision)
	configure(t, registry, configs...)
	mux := http.NewServeMux()
	mux.Handle(dialpointv1connect.NewEndpointServiceHandler(api.NewEndpointService(draining, registry)))
	mux.Handle(dialpointv1connect.NewListenerServiceHandler(api.NewListenerService(draining, registry)))
	handler := http.Handler(mux)
	if middleware != nil {
		handler = middleware(mux)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(registry.Close)
	t.Cleanup(server.Close)
	t.Cleanup(drain)
	return &service{
		registry: registry, drain: drain, server: server,
		endpoints: dialpointv1connect.NewEndpointServiceClient(server.Client(), server.URL),
		listeners: dialpointv1connect.NewListenerServiceClient(server.Client(), server.URL),
	}
}

// overUnix is the service's client over a unix socket.
func (s *service) overUnix(t *testing.T) dialpointv1connect.EndpointServiceClient {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	socket, err := net.Listen("unix", path)
	must(t, err)
	server := &httptest.Server{Listener: socket, Config: &http.Server{Handler: s.server.Config.Handler}}
	server.Start()
	t.Cleanup(server.Close)
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return dialpointv1connect.NewEndpointServiceClient(&http.Client{Transport: transport}, "http://localhost")
}

// from makes callers seem to come from one address and to have reached the service on another.
func from(peer, reached string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			local := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(reached))
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
			r.RemoteAddr = peer
			next.ServeHTTP(w, r)
		})
	}
}

func configure(t *testing.T, registry *listener.Registry, configs ...listener.Config) {
	t.Helper()
	must(t, registry.Configure(configs))
}

// bound is the default listener on a host and port 9119, with the credential "t".
func bound(t *testing.T, host string) listener.Config {
	t.Helper()
	config, err := boundTo(host)
	must(t, err)
	return config
}

func boundTo(host string) (listener.Config, error) {
	parsed, err := rules.ParseBindHost(host)
	return listener.Config{Name: listener.DefaultName, Listener: rules.Listener{
		Bind: rules.Bind{Text: host, Host: parsed, Source: "flag --bind-host", Port: 9119},
		Auth: rules.Auth{Mode: rules.AuthToken, Credential: rules.NewSecret("t")},
	}}, err
}

// unbound is the default listener of which nothing is known.
func unbound() listener.Config { return listener.Config{Name: listener.DefaultName} }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// reasonOf is the reason in an error's ErrorInfo.
func reasonOf(t *testing.T, err error) string {
	t.Helper()
	info, found := detail[*errdetails.ErrorInfo](err)
	if !found {
		t.Fatalf("error %v has no ErrorInfo", err)
	}
	if info.GetDomain() != "dialpoint" {
		t.Errorf("domain = %q, want dialpoint", info.GetDomain())
	}
	return info.GetReason()
}

// detail is an error's detail of one type.
func detail[Message proto.Message](err error) (Message, bool) {
	var none Message
	failure := new(connect.Error)
	if !errors.As(err, &failure) {
		return none, false
	}
	for _, detail := range failure.Details() {
		value, err := detail.Value()
		if err != nil {
			continue
		}
		if message, ok := value.(Message); ok {
			return message, true
		}
	}
	return none, false
}
