package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
)

// service answers calls as each test wants. What a test leaves out is unimplemented.
type service struct {
	dialpointv1connect.UnimplementedEndpointServiceHandler
	dialpointv1connect.UnimplementedListenerServiceHandler

	resolve  func(context.Context, *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error)
	watch    func(context.Context, *dialpointv1.WatchEndpointsRequest, *connect.ServerStream[dialpointv1.WatchEndpointsResponse]) error
	get      func(*dialpointv1.GetListenerRequest) (*dialpointv1.GetListenerResponse, error)
	list     func() (*dialpointv1.ListListenersResponse, error)
	report   func(context.Context, *dialpointv1.ReportListenerRequest) (*dialpointv1.ReportListenerResponse, error)
	withdraw func(context.Context, *dialpointv1.WithdrawListenerRequest) error
}

func (s service) ResolveEndpoints(ctx context.Context, request *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
	if s.resolve == nil {
		return s.UnimplementedEndpointServiceHandler.ResolveEndpoints(ctx, request)
	}
	return s.resolve(ctx, request)
}

func (s service) WatchEndpoints(ctx context.Context, request *dialpointv1.WatchEndpointsRequest, stream *connect.ServerStream[dialpointv1.WatchEndpointsResponse]) error {
	if s.watch == nil {
		return s.UnimplementedEndpointServiceHandler.WatchEndpoints(ctx, request, stream)
	}
	return s.watch(ctx, request, stream)
}

func (s service) GetListener(ctx context.Context, request *dialpointv1.GetListenerRequest) (*dialpointv1.GetListenerResponse, error) {
	if s.get == nil {
		return s.UnimplementedListenerServiceHandler.GetListener(ctx, request)
	}
	return s.get(request)
}

func (s service) ListListeners(ctx context.Context, request *dialpointv1.ListListenersRequest) (*dialpointv1.ListListenersResponse, error) {
	if s.list == nil {
		return s.UnimplementedListenerServiceHandler.ListListeners(ctx, request)
	}
	return s.list()
}

func (s service) ReportListener(ctx context.Context, request *dialpointv1.ReportListenerRequest) (*dialpointv1.ReportListenerResponse, error) {
	if s.report == nil {
		return s.UnimplementedListenerServiceHandler.ReportListener(ctx, request)
	}
	return s.report(ctx, request)
}

func (s service) WithdrawListener(ctx context.Context, request *dialpointv1.WithdrawListenerRequest) (*dialpointv1.WithdrawListenerResponse, error) {
	if s.withdraw == nil {
		return s.UnimplementedListenerServiceHandler.WithdrawListener(ctx, request)
	}
	return new(dialpointv1.WithdrawListenerResponse), s.withdraw(ctx, request)
}

func (s service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(dialpointv1connect.NewEndpointServiceHandler(s))
	mux.Handle(dialpointv1connect.NewListenerServiceHandler(s))
	return mux
}

// resolving is a service that answers every resolve with the same endpoints.
func resolving(endpoints *dialpointv1.Endpoints) service {
	return service{resolve: func(context.Context, *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
		return &dialpointv1.ResolveEndpointsResponse{Endpoints: endpoints}, nil
	}}
}

// failing is a service that answers every call with the same error.
func failing(err error) service {
	return service{
		resolve: func(context.Context, *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
			return nil, err
		},
		watch: func(context.Context, *dialpointv1.WatchEndpointsRequest, *connect.ServerStream[dialpointv1.WatchEndpointsResponse]) error {
			return err
		},
		get:  func(*dialpointv1.GetListenerRequest) (*dialpointv1.GetListenerResponse, error) { return nil, err },
		list: func() (*dialpointv1.ListListenersResponse, error) { return nil, err },
		report: func(context.Context, *dialpointv1.ReportListenerRequest) (*dialpointv1.ReportListenerResponse, error) {
			return nil, err
		},
		withdraw: func(context.Context, *dialpointv1.WithdrawListenerRequest) error { return err },
	}
}

// stuck is a service that answers nothing until the caller has gone. It tells when a call has arrived.
func stuck(arrived chan<- struct{}) service {
	wait := func(ctx context.Context) error {
		arrived <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	return service{
		resolve: func(ctx context.Context, _ *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
			return nil, wait(ctx)
		},
		watch: func(ctx context.Context, _ *dialpointv1.WatchEndpointsRequest, _ *connect.ServerStream[dialpointv1.WatchEndpointsResponse]) error {
			return wait(ctx)
		},
		report: func(ctx context.Context, _ *dialpointv1.ReportListenerRequest) (*dialpointv1.ReportListenerResponse, error) {
			return nil, wait(ctx)
		},
		withdraw: func(ctx context.Context, _ *dialpointv1.WithdrawListenerRequest) error { return wait(ctx) },
	}
}

// endpoints differ in their port from one revision to the next. The first is 9119.
func endpoints(revision uint64) *dialpointv1.Endpoints {
	bare := fmt.Sprintf("ws://127.0.0.1:%d/api/ws", 9118+revision)
	return &dialpointv1.Endpoints{
		Listener: "default",
		Gateway:  &dialpointv1.Endpoint{Url: bare + "?token=t", DisplayUrl: bare + "?token=REDACTED", BareUrl: bare},
		Revision: revision,
	}
}

// listen opens a socket of each kind that a client can dial.
var listen = map[string]func(testing.TB) net.Listener{"unix": listenUnix, "tcp": listenTCP}

func listenUnix(tb testing.TB) net.Listener {
	tb.Helper()
	return mustListen(tb, "unix", filepath.Join(tb.TempDir(), "s"))
}

func listenTCP(tb testing.TB) net.Listener {
	tb.Helper()
	return mustListen(tb, "tcp", "127.0.0.1:0")
}

func mustListen(tb testing.TB, network, address string) net.Listener {
	tb.Helper()
	listener, err := new(net.ListenConfig).Listen(tb.Context(), network, address)
	if err != nil {
		tb.Fatal(err)
	}
	return listener
}

// serve answers on a listener until the test ends, and returns the address to dial. What it returns second stops it
// sooner.
func serve(tb testing.TB, listener net.Listener, handler http.Handler) (address string, stop func()) {
	tb.Helper()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(shutting{listener}) }()
	stop = func() {
		if err := server.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			tb.Error(err)
		}
	}
	tb.Cleanup(func() {
		stop()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			tb.Errorf("serve: %v", err)
		}
	})
	return addressOf(listener), stop
}

// shutting is a socket that is closed for everybody. A process that is being started holds it as well, until it has become
// another program: until then callers would not be refused, and nobody could listen in its place.
type shutting struct{ net.Listener }

func (s shutting) Close() error {
	if socket, is := s.Listener.(syscall.Conn); is {
		if conn, err := socket.SyscallConn(); err == nil {
			_ = conn.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_RDWR) })
		}
	}
	return s.Listener.Close()
}

func addressOf(listener net.Listener) string {
	if address := listener.Addr(); address.Network() == "unix" {
		return "unix://" + address.String()
	}
	return "http://" + listener.Addr().String()
}

// connectTo makes a client that is closed when the test ends.
func connectTo(tb testing.TB, address string) *client.Client {
	tb.Helper()
	caller, err := client.New(address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(caller.Close)
	return caller
}

// connectOnce makes a client that does not wait for a service.
func connectOnce(tb testing.TB, address string) *client.Client {
	tb.Helper()
	caller := connectTo(tb, address)
	caller.Patience = -1
	return caller
}

// asError fails the test unless err holds a client's error.
func asError(tb testing.TB, err error) *client.Error {
	tb.Helper()
	failure, found := errors.AsType[*client.Error](err)
	if !found {
		tb.Fatalf("got %v (%T), want a *client.Error", err, err)
	}
	return failure
}

// wantMessage fails the test unless the text holds all of the parts.
func wantMessage(tb testing.TB, text string, parts ...string) {
	tb.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			tb.Errorf("message %q lacks %q", text, part)
		}
	}
}

func detail(tb testing.TB, message proto.Message) *connect.ErrorDetail {
	tb.Helper()
	made, err := connect.NewErrorDetail(message)
	if err != nil {
		tb.Fatal(err)
	}
	return made
}
