package client_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	"dialpoint/client"
)

func said(tb testing.TB, code connect.Code, details ...proto.Message) error {
	tb.Helper()
	err := connect.NewError(code, errors.New("do this"))
	for _, message := range details {
		err.AddDetail(detail(tb, message))
	}
	return err
}

func info(reason client.Reason) *errdetails.ErrorInfo {
	return &errdetails.ErrorInfo{Reason: string(reason), Domain: "dialpoint", Metadata: map[string]string{"k": "v"}}
}

func TestErrorsOfTheService(t *testing.T) {
	t.Parallel()
	retry := &errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 1, Nanos: 500_000_000}}
	foreign := &errdetails.ErrorInfo{Reason: "LISTENER_HELD", Domain: "example.com"}
	malformed := &anypb.Any{TypeUrl: "type.googleapis.com/google.rpc.ErrorInfo", Value: []byte{0xff}}
	for name, test := range map[string]struct {
		code    connect.Code
		details []proto.Message
		reason  client.Reason
		retry   time.Duration
	}{
		"unknown listener":       {connect.CodeNotFound, []proto.Message{info("LISTENER_UNKNOWN")}, client.ReasonListenerUnknown, 0},
		"not bound":              {connect.CodeUnavailable, []proto.Message{info("LISTENER_NOT_BOUND"), retry}, client.ReasonListenerNotBound, 1500 * time.Millisecond},
		"not reachable":          {connect.CodeFailedPrecondition, []proto.Message{info("LISTENER_NOT_REACHABLE")}, client.ReasonListenerNotReachable, 0},
		"bad field":              {connect.CodeInvalidArgument, []proto.Message{info("FIELD_INVALID"), &errdetails.BadRequest{}}, client.ReasonFieldInvalid, 0},
		"held":                   {connect.CodeAborted, []proto.Message{info("LISTENER_HELD")}, client.ReasonListenerHeld, 0},
		"no token":               {connect.CodeUnauthenticated, []proto.Message{info("CREDENTIAL_MISSING")}, client.ReasonCredentialMissing, 0},
		"wrong token":            {connect.CodeUnauthenticated, []proto.Message{info("CREDENTIAL_INVALID")}, client.ReasonCredentialInvalid, 0},
		"wrong role":             {connect.CodePermissionDenied, []proto.Message{info("ROLE_FORBIDDEN")}, client.ReasonRoleForbidden, 0},
		"wrong peer":             {connect.CodePermissionDenied, []proto.Message{info("PEER_FORBIDDEN")}, client.ReasonPeerForbidden, 0},
		"wrong host":             {connect.CodePermissionDenied, []proto.Message{info("HOST_FORBIDDEN")}, client.ReasonHostForbidden, 0},
		"browser":                {connect.CodePermissionDenied, []proto.Message{info("ORIGIN_FORBIDDEN")}, client.ReasonOriginForbidden, 0},
		"shutting down":          {connect.CodeUnavailable, []proto.Message{info("SHUTTING_DOWN"), retry}, "SHUTTING_DOWN", 1500 * time.Millisecond},
		"of a newer service":     {connect.CodeAborted, []proto.Message{info("NEW")}, "NEW", 0},
		"no details":             {connect.CodeInternal, nil, "", 0},
		"another domain":         {connect.CodeAborted, []proto.Message{foreign}, "", 0},
		"another domain besides": {connect.CodeAborted, []proto.Message{info("LISTENER_HELD"), foreign}, client.ReasonListenerHeld, 0},
		"malformed detail":       {connect.CodeAborted, []proto.Message{malformed, retry}, "", 1500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := serve(t, listenTCP(t), failing(said(t, test.code, test.details...)).handler())
			for name, call := range calls {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					caller := connectOnce(t, address)
					failure := asError(t, call(t.Context(), caller))
					if failure.Code != test.code || failure.Reason != test.reason || failure.RetryAfter != test.retry {
						t.Errorf("got %s, %q, %s, want %s, %q, %s", failure.Code, failure.Reason, failure.RetryAfter, test.code, test.reason, test.retry)
					}
					if failure.Message != "do this" || failure.Address != caller.Addresses()[0] {
						t.Errorf("got message %q of %s", failure.Message, failure.Address)
					}
				})
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		failure client.Error
		want    string
	}{
		"with a reason": {client.Error{Code: connect.CodeNotFound, Reason: client.ReasonListenerUnknown, Message: "m"}, "not_found (LISTENER_UNKNOWN): m"},
		"without":       {client.Error{Code: connect.CodeUnavailable, Message: "m"}, "unavailable: m"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.failure.Error(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestReasonOf(t *testing.T) {
	t.Parallel()
	held := &client.Error{Reason: client.ReasonListenerHeld}
	for name, test := range map[string]struct {
		err  error
		want client.Reason
	}{
		"nil":     {nil, ""},
		"other":   {errors.New("x"), ""},
		"itself":  {held, client.ReasonListenerHeld},
		"wrapped": {fmt.Errorf("resolve: %w", held), client.ReasonListenerHeld},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := client.ReasonOf(test.err); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestUnwrap: what this package does not read is still there to be read.
func TestUnwrap(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, listenUnix(t), failing(said(t, connect.CodeInvalidArgument, info("FIELD_INVALID"))).handler())
	err := calls["Resolve"](t.Context(), connectTo(t, address))
	inner, found := errors.AsType[*connect.Error](err)
	if !found || inner.Code() != connect.CodeInvalidArgument || len(inner.Details()) != 1 {
		t.Errorf("got %v within %v, want Connect's error with one detail", inner, err)
	}
}

// TestNoService: the error says where nothing answered, and what to do about it.
func TestNoService(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		address func(*testing.T) string
		cause   error
	}{
		"no socket":    {func(t *testing.T) string { t.Helper(); return unixPlace(t).address }, fs.ErrNotExist},
		"stale socket": {staleSocket, syscall.ECONNREFUSED},
		"plain file":   {plainFile, syscall.ECONNREFUSED},
		"closed port":  {func(t *testing.T) string { t.Helper(); return tcpPlace(t).address }, syscall.ECONNREFUSED},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := test.address(t)
			for name, call := range calls {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					err := call(t.Context(), connectOnce(t, address))
					failure := asError(t, err)
					if failure.Code != connect.CodeUnavailable || failure.Reason != "" || !errors.Is(err, test.cause) {
						t.Errorf("got %v, want unavailable for %v", err, test.cause)
					}
					wantMessage(t, err.Error(), "no Dialpoint service answers at "+address+": dial ", "'dialpoint serve'", "--addr", client.AddressEnv)
				})
			}
		})
	}
}

// staleSocket is what a service leaves that was killed.
func staleSocket(t *testing.T) string {
	t.Helper()
	listener := listenUnix(t)
	unix, ok := listener.(*net.UnixListener)
	if !ok {
		t.Fatalf("got a %T", listener)
	}
	unix.SetUnlinkOnClose(false)
	if err := (shutting{listener}).Close(); err != nil {
		t.Fatal(err)
	}
	return addressOf(listener)
}

func plainFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return "unix://" + path
}

// TestSocketOfAnotherUser: whoever runs the tests may be root, whom no file mode stops, so the system's refusal is made
// by hand.
func TestSocketOfAnotherUser(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", syscall.EACCES)}
	failure := client.Failure(t.Context(), connectTo(t, "unix:///run/d.sock"), connect.NewError(connect.CodeUnavailable, refused))
	if failure.Code != connect.CodePermissionDenied {
		t.Errorf("code %s, want permission_denied", failure.Code)
	}
	wantMessage(t, failure.Message, "unix:///run/d.sock", "permission denied", "call as the user who runs the service")
}

// TestContextEnds: a caller recognises that it was its own context that ended the call.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(context.Context) (context.Context, context.CancelFunc)
		code connect.Code
		want error
	}{
		"deadline": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, 50*time.Millisecond)
			}, connect.CodeDeadlineExceeded, context.DeadlineExceeded,
		},
		"deadline before the call": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithDeadline(ctx, time.Unix(0, 0))
			}, connect.CodeDeadlineExceeded, context.DeadlineExceeded,
		},
		"cancel": {context.WithCancel, connect.CodeCanceled, context.Canceled},
	} {
		for _, method := range []string{"Resolve", "Watch"} {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				arrived := make(chan struct{}, 1)
				address, _ := serve(t, listenUnix(t), stuck(arrived).handler())
				ctx, cancel := test.end(t.Context())
				defer cancel()
				if errors.Is(test.want, context.Canceled) {
					go func() { <-arrived; cancel() }()
				}
				err := calls[method](ctx, connectTo(t, address))
				if failure := asError(t, err); failure.Code != test.code || !errors.Is(err, test.want) {
					t.Errorf("got %v, want code %s and %v", err, test.code, test.want)
				}
			})
		}
	}
}

// TestEndSeenByTheServiceFirst: both ends count, and the service's clock may be the faster one.
func TestEndSeenByTheServiceFirst(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code        connect.Code
		match, miss error
	}{
		"deadline": {connect.CodeDeadlineExceeded, context.DeadlineExceeded, context.Canceled},
		"cancel":   {connect.CodeCanceled, context.Canceled, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := serve(t, listenUnix(t), failing(said(t, test.code)).handler())
			err := calls["Resolve"](t.Context(), connectTo(t, address))
			if !errors.Is(err, test.match) || errors.Is(err, test.miss) {
				t.Errorf("got %v, want it to match %v alone", err, test.match)
			}
		})
	}
}

// TestDeadlineSeenByTheDiallerFirst: a dialler may report the deadline before the context does.
func TestDeadlineSeenByTheDiallerFirst(t *testing.T) {
	t.Parallel()
	failure := client.Failure(late{t.Context()}, connectTo(t, "http://127.0.0.1:1"), connect.NewError(connect.CodeUnavailable, os.ErrDeadlineExceeded))
	if !errors.Is(failure, context.DeadlineExceeded) {
		t.Errorf("got %v, want it to match context.DeadlineExceeded", failure)
	}
}

// late is a context whose deadline has passed and whose timer has not fired yet.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Unix(0, 0), true }

// TestOtherServers: what answers is no Dialpoint service, such as the dashboard itself.
func TestOtherServers(t *testing.T) {
	t.Parallel()
	const asks = "see whether it is a Dialpoint service that listens there"
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		code    connect.Code
		message string
	}{
		"page":           {answer(http.StatusOK, "text/html", "<html>"), connect.CodeUnknown, asks},
		"page not found": {answer(http.StatusNotFound, "text/html", "<html>"), connect.CodeUnimplemented, asks},
		"JSON not found": {answer(http.StatusNotFound, "application/json", `{"detail":"Not Found"}`), connect.CodeUnimplemented, asks},
		"login":          {answer(http.StatusUnauthorized, "application/json", `{"detail":"secret"}`), connect.CodeUnauthenticated, asks},
		"bad gateway":    {answer(http.StatusBadGateway, "text/plain", "x"), connect.CodeUnavailable, asks},
		"hangs up":       {func(http.ResponseWriter, *http.Request) { hangUp() }, connect.CodeUnavailable, "see whether the service still runs"},
		"resets":         {reset, connect.CodeUnavailable, "see whether the service still runs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := serve(t, listenTCP(t), test.handler)
			for name, call := range calls {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					failure := asError(t, call(t.Context(), connectOnce(t, address)))
					if failure.Code != test.code || failure.Reason != "" {
						t.Errorf("got %v, want code %s and no reason", failure, test.code)
					}
					wantMessage(t, failure.Message, address, test.message)
					if strings.Contains(failure.Message, "Post") {
						t.Errorf("message %q shows the request", failure.Message)
					}
				})
			}
		})
	}
}

// TestErrorWithoutText: where another server says nothing that Connect understands, the code has to do.
func TestErrorWithoutText(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, listenTCP(t), answer(http.StatusNotFound, "application/json", `{"detail":"Not Found"}`))
	failure := asError(t, calls["Resolve"](t.Context(), connectTo(t, address)))
	wantMessage(t, failure.Message, "the call to "+address+" failed: unimplemented; ")
}

func answer(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// hangUp ends a handler and its connection, as the end of the process would.
func hangUp() {
	panic(http.ErrAbortHandler) //nolint:forbidigo // it is how net/http wants to be told
}

// reset ends a connection the hard way.
func reset(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
