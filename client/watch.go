package client

import (
	"context"
	"iter"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// Watch yields the state now, bound or not, then each change of it. An update holds endpoints, or the reason why there
// is nothing to dial now. Heartbeats are left out, as is any kind of update that this version does not know.
//
// It is one stream: when that ends, for whatever reason, the last thing to be yielded is an [*Error], and a service
// that stops in order gives [connect.CodeUnavailable]. Nothing is retried. Leaving the loop closes the stream. Ranging
// over the result again opens another one. Request.Wait is ignored: a watch waits anyway.
func (c *Client) Watch(ctx context.Context, request Request) iter.Seq2[*dialpointv1.WatchEndpointsResponse, error] {
	return func(yield func(*dialpointv1.WatchEndpointsResponse, error) bool) {
		stream, err := c.endpoints.WatchEndpoints(ctx, request.watch())
		if err != nil {
			yield(nil, c.failure(ctx, err))
			return
		}
		if relay(stream, yield) {
			yield(nil, c.streamEnd(ctx, stream.Err()))
		}
	}
}

// relay yields what a stream brings, and closes it: over HTTP/1.1 that closes the connection, unless the stream has come
// to its end. It reports whether the loop still wants more.
func relay(
	stream *connect.ServerStreamForClient[dialpointv1.WatchEndpointsResponse],
	yield func(*dialpointv1.WatchEndpointsResponse, error) bool,
) bool {
	// What closing could complain about has nothing left to break.
	defer func() { _ = stream.Close() }()
	for stream.Receive() {
		if update := stream.Msg(); isNews(update) && !yield(update, nil) {
			return false
		}
	}
	return true
}

// isNews leaves out heartbeats, whose work is done once they have arrived.
func isNews(update *dialpointv1.WatchEndpointsResponse) bool {
	return update.GetEndpoints() != nil || update.GetUnavailable() != nil
}

// streamEnd is why a stream ended. One that ends without an error has been ended by the service.
func (c *Client) streamEnd(ctx context.Context, err error) *Error {
	if err == nil {
		err = errWatchEnded
	}
	return c.failure(ctx, err)
}
