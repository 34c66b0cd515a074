package access_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/emptypb"

	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/access"
)

// What the interceptor is asked for was not in the table, or nobody has looked at the caller.
func TestInterceptorAlone(t *testing.T) {
	t.Parallel()
	gate := access.NewGate(discard, access.Policy{Trusted: true})
	mux := http.NewServeMux()
	mux.Handle(dialpointv1connect.NewEndpointServiceHandler(role{}, connect.WithInterceptors(gate.Interceptor())))
	socket := listen(t, "tcp", "127.0.0.1:0")
	serve(t, &http.Server{Handler: mux}, socket)
	tcp := peer{url: "http://" + socket.Addr().String()}
	got, err := tcp.resolve(t)
	wantRole(t, got, err, "CREDENTIAL_MISSING")
	got, err = tcp.watch(t)
	wantRole(t, got, err, "CREDENTIAL_MISSING")
}

func TestInventedProcedureIsRefused(t *testing.T) {
	t.Parallel()
	for _, procedure := range []string{"/dialpoint.v1.EndpointService/Invented", "/acme.v1.Service/Call", "/grpc.health.v1.Health/List"} {
		for name, policy := range map[string]access.Policy{"operator": withTokens(), "trusted": {Trusted: true}} {
			t.Run(fmt.Sprint(procedure, " ", name), func(t *testing.T) {
				t.Parallel()
				tcp := inventedOverTCP(t, procedure, policy).bearer(operatorToken)
				unary := connect.NewClient[emptypb.Empty, emptypb.Empty](tcp.web(t), tcp.url+procedure)
				_, err := unary.CallUnary(t.Context(), connect.NewRequest(&emptypb.Empty{}))
				wantRole(t, "", err, "ROLE_FORBIDDEN")
				streamed := connect.NewClient[emptypb.Empty, emptypb.Empty](tcp.web(t), tcp.url+procedure+"Stream")
				stream, err := streamed.CallServerStream(t.Context(), connect.NewRequest(&emptypb.Empty{}))
				must(t, err)
				stream.Receive()
				wantRole(t, "", stream.Err(), "ROLE_FORBIDDEN")
				must(t, stream.Close())
			})
		}
	}
}

// inventedOverTCP serves a procedure that nobody wrote down, as a unary call and as a stream.
func inventedOverTCP(t *testing.T, procedure string, policy access.Policy) peer {
	t.Helper()
	gate := access.NewGate(discard, policy)
	options := connect.WithInterceptors(gate.Interceptor())
	mux := http.NewServeMux()
	mux.Handle(procedure, connect.NewUnaryHandler(procedure, func(context.Context, *connect.Request[emptypb.Empty]) (*connect.Response[emptypb.Empty], error) {
		return nil, errors.New("it was called")
	}, options))
	mux.Handle(procedure+"Stream", connect.NewServerStreamHandler(procedure+"Stream", func(context.Context, *connect.Request[emptypb.Empty], *connect.ServerStream[emptypb.Empty]) error {
		return errors.New("it was called")
	}, options))
	socket := listen(t, "tcp", "127.0.0.1:0")
	serve(t, &http.Server{Handler: gate.Middleware(mux)}, socket)
	return peer{url: "http://" + socket.Addr().String()}
}
