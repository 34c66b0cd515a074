package access

import (
	"context"

	"connectrpc.com/connect"
)

// Interceptor refuses procedures to callers whose role is too low, with the role that [Gate.Middleware] gave them.
// Where the middleware did not run, everybody is [Nobody]. A call that a new policy has ended fails with its refusal.
func (g *Gate) Interceptor() connect.Interceptor { return interceptor{g} }

type interceptor struct{ gate *Gate }

// WrapUnary implements [connect.Interceptor].
func (i interceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		if refused := i.check(ctx, request.Spec(), request.Peer()); refused != nil {
			return nil, refused.err()
		}
		response, err := next(ctx, request)
		// What was answered meanwhile may be for those alone whom the new policy lets in.
		if refused := revokedOf(ctx); refused != nil {
			return nil, refused.err()
		}
		return response, err
	}
}

// WrapStreamingHandler implements [connect.Interceptor].
func (i interceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		if refused := i.check(ctx, conn.Spec(), conn.Peer()); refused != nil {
			return refused.err()
		}
		err := next(ctx, revocable{conn, ctx})
		if refused := revokedOf(ctx); refused != nil && err != nil {
			return refused.err()
		}
		return err
	}
}

// WrapStreamingClient implements [connect.Interceptor].
func (i interceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (i interceptor) check(ctx context.Context, spec connect.Spec, peer connect.Peer) *refusal {
	refused := authorize(RoleOf(ctx), spec.Procedure)
	if refused != nil {
		i.gate.logRefused(ctx, refused, spec.Procedure, peer.Addr)
	}
	return refused
}

// revocable is a stream on which nothing is sent any more once a new policy has ended it.
type revocable struct {
	connect.StreamingHandlerConn

	ctx context.Context
}

// Send implements [connect.StreamingHandlerConn].
func (r revocable) Send(message any) error {
	if refused := revokedOf(r.ctx); refused != nil {
		return refused.err()
	}
	return r.StreamingHandlerConn.Send(message)
}
