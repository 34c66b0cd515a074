package server_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"runtime"
	"syscall"
	"testing"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server"
)

// The main thread does not end with what runs on it, so that a test must not take it elsewhere: the main goroutine keeps it.
func init() { runtime.LockOSThread() } //nolint:gochecknoinits // Later it may run on another thread.

// dialElsewhere dials from a thread in a network namespace of its own, which ends with that.
func dialElsewhere(ctx context.Context, unix string) (conn net.Conn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if err = syscall.Unshare(syscall.CLONE_NEWNET); err == nil {
			conn, err = new(net.Dialer).DialContext(ctx, "unix", unix)
		}
	}()
	<-done
	return conn, err
}

// TestCallerOfAnotherNetwork, as in another container into which the socket is shared: loopback is not its own.
func TestCallerOfAnotherNetwork(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make a network namespace")
	}
	advertised := wildcard()
	advertised.Advertise = "edge.example"
	tests := map[string]struct {
		listener server.Listener
		asked    dialpointv1.Audience
		url      string
	}{
		"wildcard":                     {wildcard(), dialpointv1.Audience_AUDIENCE_UNSPECIFIED, ""},
		"wildcard, says it is local":   {wildcard(), dialpointv1.Audience_AUDIENCE_LOCAL, "ws://127.0.0.1:9119/api/ws?token=t"},
		"advertised":                   {advertised, dialpointv1.Audience_AUDIENCE_UNSPECIFIED, "ws://edge.example:9119/api/ws?token=t"},
		"advertised, says it is local": {advertised, dialpointv1.Audience_AUDIENCE_LOCAL, "ws://127.0.0.1:9119/api/ws?token=t"},
	}
	for name, test := range tests {
		for version, http2 := range map[string]bool{"HTTP1": false, "HTTP2": true} {
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				service := start(t, server.WithListener(test.listener))
				client := dialpointv1connect.NewEndpointServiceClient(clientElsewhere(t, http2, service.unix), "http://unix")
				response, err := client.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Audience: test.asked})
				if got := response.GetEndpoints().GetGateway().GetUrl(); got != test.url {
					t.Errorf("got %q, error %v, want %q", got, err, test.url)
				}
				if test.url == "" && connect.CodeOf(err) != connect.CodeFailedPrecondition {
					t.Errorf("error %v, want %v", err, connect.CodeFailedPrecondition)
				}
			})
		}
	}
}

// clientElsewhere skips the test where no network namespace can be made.
func clientElsewhere(t *testing.T, http2 bool, unix string) *http.Client {
	t.Helper()
	conn, err := dialElsewhere(t.Context(), unix)
	if err != nil {
		t.Skipf("no network namespace can be made here: %v", err)
	}
	var protocols http.Protocols
	protocols.SetHTTP1(!http2)
	protocols.SetUnencryptedHTTP2(http2)
	transport := &http.Transport{
		Protocols:   &protocols,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return conn, nil },
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
