package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dialpoint/client"
	"dialpoint/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a service until the test ends.
func serve(t *testing.T) *client.Client {
	t.Helper()
	socket, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	service, err := server.New(server.WithListener(server.Listener{}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Serve(ctx, socket) }()
	child := &client.Client{Addr: "unix://" + socket.Addr().String()}
	t.Cleanup(func() {
		child.Close()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return child
}

// start runs a dashboard, and returns what it prints and how it ends.
func start(ctx context.Context, listen string) (line func() string, ended <-chan error) {
	reader, writer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := dashboard(ctx, writer, listen)
		_ = writer.CloseWithError(err)
		done <- err
	}()
	lines := bufio.NewScanner(reader)
	return func() string { lines.Scan(); return lines.Text() }, done
}

// TestDashboard is found by its children while it lives, on the port that it got.
func TestDashboard(t *testing.T) {
	child := serve(t)
	t.Setenv(client.AddressEnv, child.Addr)
	ctx, stop := context.WithCancel(t.Context())
	line, ended := start(ctx, "0.0.0.0:0")
	said := line()
	endpoints, err := child.Resolve(t.Context(), client.Request{Wait: time.Minute})
	if err != nil {
		t.Fatalf("%v, after %q", err, said)
	}
	address, _, _ := strings.Cut(strings.TrimPrefix(endpoints.GetGateway().GetUrl(), "ws://"), "/")
	_, port, _ := net.SplitHostPort(address)
	if !strings.HasPrefix(address, "127.0.0.1:") || !strings.Contains(said, ":"+port+" as instance "+endpoints.GetInstanceId()) {
		t.Errorf("children dial %s, and it said %q", address, said)
	}
	dialled, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_ = dialled.Close()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := child.Resolve(t.Context(), client.Request{}); client.ReasonOf(err) != client.ReasonListenerNotBound {
		t.Errorf("after its end children are told %v", err)
	}
}

// TestDashboardIsReplaced: it ends, and says by whom.
func TestDashboardIsReplaced(t *testing.T) {
	child := serve(t)
	t.Setenv(client.AddressEnv, child.Addr)
	line, ended := start(t.Context(), "127.0.0.1:0")
	line()
	other, err := child.Hold(t.Context(), client.Report{Port: 9119, InstanceID: "other", Takeover: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	if err := <-ended; client.ReasonOf(err) != client.ReasonListenerHeld || !strings.Contains(err.Error(), `held by instance "other"`) {
		t.Errorf("it ended with %v", err)
	}
}

// TestDashboardCannotListen: what is no address is its own error, and nothing is reported.
func TestDashboardCannotListen(t *testing.T) {
	child := serve(t)
	t.Setenv(client.AddressEnv, child.Addr)
	for _, listen := range []string{"nowhere", "127.0.0.1:70000", "192.0.2.1:0"} {
		if _, ended := start(t.Context(), listen); <-ended == nil {
			t.Errorf("it listens on %s", listen)
		}
	}
	if _, err := child.Resolve(t.Context(), client.Request{}); client.ReasonOf(err) != client.ReasonListenerNotBound {
		t.Errorf("children are told %v", err)
	}
}
