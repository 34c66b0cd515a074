package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"

	"connectrpc.com/connect"
)

var errFault = errors.New("the service has a fault; its log says where")

// recoverCalls answers a call that panics with INTERNAL.
func (s *Server) recoverCalls() connect.HandlerOption {
	return connect.WithRecover(func(_ context.Context, spec connect.Spec, _ http.Header, fault any) error {
		s.logFault(spec.Procedure, fault)
		return connect.NewError(connect.CodeInternal, errFault)
	})
}

// catchFaults ends a request that panics outside of a call. Left to itself, net/http would log the value of the panic.
func (s *Server) catchFaults(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if fault := recover(); fault != nil {
				if fault != http.ErrAbortHandler { //nolint:errorlint // It is compared as net/http does.
					s.logFault("", fault)
				}
				panic(http.ErrAbortHandler) //nolint:forbidigo // This is how a handler cuts a connection.
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// logFault logs where a panic was. Its value may hold what was asked or answered, unless it is the runtime's own.
func (s *Server) logFault(procedure string, fault any) {
	what := fmt.Sprintf("%T", fault)
	if said, is := fault.(runtime.Error); is {
		what = said.Error()
	}
	s.log.Error("fault", slog.String("procedure", procedure), slog.String("what", what), slog.String("stack", string(debug.Stack())))
}
