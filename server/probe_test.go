package server_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server"
	"dialpoint/server/socket/heldport"
)

// teapot is a dashboard that serves HTTP, until the test ends or it is shut.
type teapot struct {
	port int
	shut func()
	// visited receives for each connection.
	visited chan struct{}
}

// heldAddress is an address at which nobody listens yet.
func heldAddress(t testing.TB, host string) string {
	t.Helper()
	return net.JoinHostPort(host, strconv.Itoa(heldport.New(t)))
}

func openDashboard(t testing.TB, network, address string) teapot {
	t.Helper()
	socket, err := new(net.ListenConfig).Listen(t.Context(), network, address)
	if err != nil && network == "tcp6" {
		t.Skipf("IPv6 is not to be had here: %v", err)
	}
	must(t, err)
	visited := make(chan struct{}, 64)
	web := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }),
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			visited <- struct{}{}
			return ctx
		},
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = web.Serve(socket)
	}()
	shut := func() {
		_ = web.Close()
		<-ended
	}
	t.Cleanup(shut)
	bound, err := netip.ParseAddrPort(socket.Addr().String())
	must(t, err)
	return teapot{int(bound.Port()), shut, visited}
}

// wantDashboard dials a URL that was resolved, as a child does.
func wantDashboard(t testing.TB, gateway string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.Replace(gateway, "ws://", "http://", 1), nil)
	must(t, err)
	response, err := overHTTP1(t).Do(request)
	if err != nil {
		t.Errorf("%s: %v", gateway, err)
		return
	}
	must(t, response.Body.Close())
	if response.StatusCode != http.StatusTeapot {
		t.Errorf("%s: somebody else answers: %s", gateway, response.Status)
	}
}

// answersOf is what a service tells a local child, one answer after the other, the present one first.
func answersOf(t testing.TB, service *running) (next func() *dialpointv1.Endpoints) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	stream, err := service.endpoints(t).WatchEndpoints(ctx, &dialpointv1.WatchEndpointsRequest{})
	must(t, err)
	t.Cleanup(func() { _ = stream.Close() })
	return func() *dialpointv1.Endpoints {
		t.Helper()
		for stream.Receive() {
			if endpoints := stream.Msg().GetEndpoints(); endpoints != nil {
				return endpoints
			}
		}
		t.Fatal(stream.Err())
		return nil
	}
}

// until is the first answer with a dial host.
func until(t testing.TB, next func() *dialpointv1.Endpoints, dialHost string) *dialpointv1.Endpoints {
	t.Helper()
	for {
		if endpoints := next(); endpoints.GetExplanation().GetDialHost() == dialHost {
			return endpoints
		}
	}
}

// A URL that was resolved leads to the dashboard, whatever kind of wildcard socket that has and however it was said.
func TestResolvedURLLeadsToTheDashboard(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ network, host, dialHost, source string }{
		"IPv4":          {"tcp4", "0.0.0.0", "127.0.0.1", "default"},
		"both families": {"tcp", "::", "127.0.0.1", "default"},
		"IPv6 alone":    {"tcp6", "::", "::1", "probe"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			port := openDashboard(t, test.network, heldAddress(t, test.host)).port
			service := start(t, server.WithListener(server.Listener{Bind: server.Bind{Host: test.host, Port: port}, Credential: "t"}))
			endpoints := until(t, answersOf(t, service), test.dialHost)
			wantDashboard(t, endpoints.GetGateway().GetUrl())
			why := endpoints.GetExplanation()
			if why.GetSource() != test.source || why.GetRule() != dialpointv1.Rule_RULE_WILDCARD_TO_LOOPBACK {
				t.Errorf("explanation = %v", why)
			}
			if entries := why.GetNoProxy(); len(entries) != 1 || entries[0] != test.dialHost {
				t.Errorf("no_proxy = %q", entries)
			}
		})
	}
}

// The bind is shown as it was said, by whatever way that was.
func TestProbeLeavesTheBindAlone(t *testing.T) {
	t.Parallel()
	port := openDashboard(t, "tcp6", heldAddress(t, "::")).port
	said := server.Bind{Host: "[::]", Port: port}
	ways := map[string]func(t *testing.T) *running{
		"description": func(t *testing.T) *running {
			t.Helper()
			return start(t, server.WithListener(server.Listener{Bind: said}))
		},
		"SetBind": func(t *testing.T) *running {
			t.Helper()
			service := start(t, server.WithListener(server.Listener{}))
			must(t, service.SetBind("", said))
			return service
		},
		"report": func(t *testing.T) *running {
			t.Helper()
			service := start(t, server.WithListener(server.Listener{}))
			_, err := dialpointv1connect.NewListenerServiceClient(overHTTP1(t), service.tcp).ReportListener(t.Context(),
				&dialpointv1.ReportListenerRequest{Bind: &dialpointv1.Bind{Host: said.Host, Port: uint32(port)}, InstanceId: "a"})
			must(t, err)
			return service
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := way(t)
			endpoints := until(t, answersOf(t, service), "::1")
			wantDashboardPort(t, endpoints, port)
			response, err := dialpointv1connect.NewListenerServiceClient(overHTTP1(t), service.tcp).
				GetListener(t.Context(), &dialpointv1.GetListenerRequest{})
			must(t, err)
			if bind := response.GetListener().GetBind(); bind.GetHost() != "[::]" || bind.Ipv6Only != nil || bind.GetPort() != uint32(port) {
				t.Errorf("bind = %v", bind)
			}
		})
	}
}

func wantDashboardPort(t testing.TB, endpoints *dialpointv1.Endpoints, port int) {
	t.Helper()
	wantDashboard(t, endpoints.GetGateway().GetUrl())
	if why := endpoints.GetExplanation(); why.GetBindHost() != "[::]" || why.GetDialPort() != uint32(port) {
		t.Errorf("explanation = %v", why)
	}
}

// A dashboard that was started otherwise is looked at anew when the operator asks for a reload, whether or not the file
// has changed.
func TestReloadProbesAgain(t *testing.T) {
	t.Parallel()
	const configured = "listeners: [{name: default, bind: {host: '::', port: %d}, auth: {mode: none}}]\n"
	reloads := map[string]func(t *testing.T, service *server.Server, file string, port int){
		"the same file": func(t *testing.T, service *server.Server, _ string, _ int) {
			t.Helper()
			service.Reload()
		},
		"a change of something else": func(t *testing.T, _ *server.Server, file string, port int) {
			t.Helper()
			rewrite(t, file, fmt.Sprintf(configured, port)+"log: {level: warn}\n")
		},
	}
	for name, reload := range reloads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dashboard := openDashboard(t, "tcp", heldAddress(t, "::"))
			port := dashboard.port
			service, file := serveConfig(t, fmt.Sprintf(configured, port))
			next := answersOf(t, service)
			<-dashboard.visited
			wantDashboard(t, until(t, next, "127.0.0.1").GetGateway().GetUrl())
			dashboard.shut()
			openDashboard(t, "tcp6", fmt.Sprintf("[::]:%d", port))
			reload(t, service.Server, file, port)
			wantDashboard(t, until(t, next, "::1").GetGateway().GetUrl())
		})
	}
}

// countedSocket counts the connections that it accepts.
type countedSocket struct {
	net.Listener

	accepted atomic.Int64
}

func (c *countedSocket) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.accepted.Add(1)
	}
	return conn, err
}

// A dashboard may serve Dialpoint on its own socket. A probe is then a connection to itself, and no call.
func TestProbeOfTheServiceItself(t *testing.T) {
	t.Parallel()
	opened, err := net.Listen("tcp6", heldAddress(t, "::"))
	if err != nil {
		t.Skipf("IPv6 is not to be had here: %v", err)
	}
	bound, err := netip.ParseAddrPort(opened.Addr().String())
	must(t, err)
	service, err := server.New(withTokens, server.WithListener(server.Listener{Bind: server.Bind{Host: "::", Port: int(bound.Port())}}))
	must(t, err)
	own, other := &countedSocket{Listener: opened}, listenLoopback(t)
	serving := run(t, service, own, other)
	first := until(t, answersOf(t, serving), "::1")
	_, err = serving.endpoints(t).ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
	must(t, err)
	serving.stop()
	must(t, <-serving.ended)
	if accepted := own.accepted.Load(); accepted != 1 {
		t.Errorf("the service was connected to %d times by itself", accepted)
	}
	if now := service.Listeners()[0].Revision; now != first.GetRevision() {
		t.Errorf("revision is %d, and was %d", now, first.GetRevision())
	}
}

func listenLoopback(t testing.TB) net.Listener {
	t.Helper()
	socket, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	return socket
}
