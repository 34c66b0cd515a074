package access_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/access"
	"dialpoint/server/failure"
	"dialpoint/server/rules"
)

const (
	childToken    = "child-0123456789"
	operatorToken = "operator-0123456789"
	resolvePath   = dialpointv1connect.EndpointServiceResolveEndpointsProcedure
)

var discard = slog.New(slog.DiscardHandler)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// withTokens is a policy with both tokens.
func withTokens() access.Policy {
	return access.Policy{ChildToken: rules.NewSecret(childToken), OperatorToken: rules.NewSecret(operatorToken)}
}

// handler serves what the real one does, behind a gate.
func handler(gate *access.Gate) http.Handler {
	options := connect.WithInterceptors(gate.Interceptor())
	reflector := grpcreflect.NewStaticReflector(dialpointv1connect.EndpointServiceName)
	mux := http.NewServeMux()
	mux.Handle(dialpointv1connect.NewEndpointServiceHandler(role{}, options))
	mux.Handle(dialpointv1connect.NewListenerServiceHandler(role{}, options))
	mux.Handle(grpchealth.NewHandler(watchedOnce{grpchealth.NewStaticChecker()}, options))
	mux.Handle(grpcreflect.NewHandlerV1(reflector, options))
	mux.Handle(grpcreflect.NewHandlerV1Alpha(reflector, options))
	return gate.Middleware(mux)
}

// watchedOnce is health that can be watched and never changes.
type watchedOnce struct{ *grpchealth.StaticChecker }

func (watchedOnce) Watch(context.Context, *grpchealth.CheckRequest, func()) (func(), error) {
	return func() {}, nil
}

// webServer serves a gate's handler over HTTP/1.1 and HTTP/2.
func webServer(gate *access.Gate) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:     handler(gate),
		Protocols:   &protocols,
		ConnContext: access.WithConn,
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
}

// serve serves on a socket until the test ends.
func serve(t testing.TB, web *http.Server, socket net.Listener) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = web.Serve(socket)
	}()
	t.Cleanup(func() {
		_ = web.Close()
		<-done
	})
}

// process is the test binary in another part.
func process(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	must(t, err)
	command := exec.CommandContext(t.Context(), binary, arguments...)
	command.Stderr = os.Stderr
	// The race detector would wait for a second before it lets the process end.
	command.Env = append(command.Environ(), "GORACE=atexit_sleep_ms=0")
	return command
}

func listen(t testing.TB, network, address string) net.Listener {
	t.Helper()
	socket, err := net.Listen(network, address)
	must(t, err)
	return socket
}

// overTCP serves a policy on loopback, and is the client of it.
func overTCP(t testing.TB, policy access.Policy) peer {
	t.Helper()
	socket := listen(t, "tcp", "127.0.0.1:0")
	serve(t, webServer(access.NewGate(discard, policy)), socket)
	return peer{url: "http://" + socket.Addr().String()}
}

// overUnix serves a policy on a unix socket, and is the client of it.
func overUnix(t testing.TB, policy access.Policy) peer {
	t.Helper()
	socket := listen(t, "unix", filepath.Join(t.TempDir(), "s"))
	serve(t, webServer(access.NewGate(discard, policy)), socket)
	return peer{url: "http://unix", unix: socket.Addr().String()}
}

// reasonOf is the reason in an error's details, if it is one of ours.
func reasonOf(err error) string {
	failed, is := errors.AsType[*connect.Error](err)
	if !is {
		return ""
	}
	for _, detail := range failed.Details() {
		value, err := detail.Value()
		if info, is := value.(*errdetails.ErrorInfo); err == nil && is && info.GetDomain() == failure.Domain {
			return info.GetReason()
		}
	}
	return ""
}

// codes are the codes of the contract.
var codes = map[string]connect.Code{
	"CREDENTIAL_MISSING": connect.CodeUnauthenticated,
	"CREDENTIAL_INVALID": connect.CodeUnauthenticated,
	"ROLE_FORBIDDEN":     connect.CodePermissionDenied,
	"PEER_FORBIDDEN":     connect.CodePermissionDenied,
	"HOST_FORBIDDEN":     connect.CodePermissionDenied,
	"ORIGIN_FORBIDDEN":   connect.CodePermissionDenied,
}

// wantRole checks what came of a call: a role, or a reason with its code.
func wantRole(t testing.TB, got string, err error, want string) {
	t.Helper()
	code, isReason := codes[want]
	switch {
	case isReason && (reasonOf(err) != want || connect.CodeOf(err) != code):
		t.Errorf("role %q, error %v with reason %q; want %v with %s", got, err, reasonOf(err), code, want)
	case !isReason && (err != nil || got != want):
		t.Errorf("role %q, error %v; want role %q", got, err, want)
	}
}
