package server

import (
	"context"
	"log/slog"
	"time"

	"connectrpc.com/connect"
)

// logCalls logs each call at debug: what was called and how it ended, never what was asked or answered.
type logCalls struct{ server *Server }

// WrapUnary implements [connect.Interceptor].
func (l logCalls) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		begin := time.Now()
		response, err := next(ctx, request)
		l.log(ctx, request.Spec(), request.Peer(), begin, err)
		return response, err
	}
}

// WrapStreamingHandler implements [connect.Interceptor].
func (l logCalls) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		begin := time.Now()
		err := next(ctx, conn)
		l.log(ctx, conn.Spec(), conn.Peer(), begin, err)
		return err
	}
}

// WrapStreamingClient implements [connect.Interceptor].
func (l logCalls) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (l logCalls) log(ctx context.Context, spec connect.Spec, peer connect.Peer, begin time.Time, err error) {
	code := "ok"
	if err != nil {
		code = connect.CodeOf(err).String()
	}
	l.server.log.LogAttrs(ctx, slog.LevelDebug, "call",
		slog.String("procedure", spec.Procedure),
		slog.String("protocol", peer.Protocol),
		slog.String("peer", peer.Addr),
		slog.String("code", code),
		slog.Duration("took", time.Since(begin)),
	)
}
