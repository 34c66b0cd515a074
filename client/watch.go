package client

import (
	"context"
	"iter"
	"slices"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// Watch yields the state now, bound or not, then each change of it. An update holds endpoints, or the reason why there
// is nothing to dial now.
//
// A stream that breaks, and a service that stops or is not there, are no end: Watch connects again, after a pause that
// grows while there is no answer, and goes on with the state then, unless that is the one it had. What it yields last is
// an [*Error], with a nil update: once the context is over, and when the service answers with what no new try can mend.
// That is one of the codes invalid_argument, unauthenticated, permission_denied, failed_precondition and unimplemented,
// and before the first update not_found. A listener that is not found any more is an update, and a token that has changed
// since it was refused is worth one more try.
//
// Leaving the loop closes the stream. Ranging over the result again begins anew. Request.Wait and Client.Patience mean
// nothing here: a watch waits anyway.
func (c *Client) Watch(ctx context.Context, request Request) iter.Seq2[*dialpointv1.WatchEndpointsResponse, error] {
	return func(yield func(*dialpointv1.WatchEndpointsResponse, error) bool) {
		watch := &watch{client: c, request: request, away: c.waiting, back: func() {}}
		watch.yield = func(update *dialpointv1.WatchEndpointsResponse) bool { return yield(update, nil) }
		// A nil *Error would be an error.
		if end := watch.run(ctx); end != nil {
			yield(nil, end)
		}
	}
}

// watch is one loop over a watch.
type watch struct {
	client  *Client
	request Request
	// yield reports whether the loop wants more.
	yield func(*dialpointv1.WatchEndpointsResponse) bool
	// away is called with what is wrong before each pause, and back once a service answers.
	away func(*Error)
	back func()
	// impatient ends the watch when no address answers at the first try.
	impatient bool

	pause *backoff
	// last is what was yielded last.
	last *dialpointv1.WatchEndpointsResponse
	// left is set once the loop wants no more.
	left bool
}

// run streams until the watch is over. It returns why, nil where the loop was left.
func (w *watch) run(ctx context.Context) *Error {
	if failure := w.client.ready(); failure != nil {
		return failure
	}
	w.pause = w.client.newBackoff()
	for {
		failure, over := w.round(ctx)
		if over {
			return failure
		}
		w.away(failure)
		if !sleep(ctx, w.pause.next(failure.RetryAfter)) {
			return failure.atLast(ctx, 0)
		}
	}
}

// round streams from one service after another, until one has brought something. It returns why that ended, and
// whether it was the last round.
func (w *watch) round(ctx context.Context) (failure *Error, over bool) {
	var failures []*Error
	for _, service := range w.client.inTurn() {
		heard, failure := w.stream(ctx, service)
		failures = append(failures, failure)
		switch {
		case w.left:
			return nil, true
		case failure.answered && !w.mayMend(failure):
			return failure, true
		case ended(ctx) != nil:
			return unreachable(failures).atLast(ctx, 0), true
		case w.isGone(failure):
			return failure, !w.news(unknownListener(failure))
		case heard:
			w.client.prefer(service.index + 1)
			return failure, false
		}
	}
	return unreachable(failures), w.last == nil && (w.impatient || !slices.ContainsFunc(failures, w.mayMend))
}

// mayMend reports whether a new try may go better. Once a watch has brought something, only the service itself can end
// it: what answers in its place may be gone again when the service is back.
func (w *watch) mayMend(failure *Error) bool {
	switch failure.Code {
	case connect.CodeInvalidArgument, connect.CodeUnauthenticated, connect.CodePermissionDenied,
		connect.CodeFailedPrecondition, connect.CodeUnimplemented:
		return false
	case connect.CodeNotFound:
		return w.last != nil
	default:
		return true
	}
}

// isGone reports whether a service that came back does not know the listener any more.
func (w *watch) isGone(failure *Error) bool {
	return failure.Code == connect.CodeNotFound && failure.Reason == ReasonListenerUnknown
}

func unknownListener(failure *Error) *dialpointv1.WatchEndpointsResponse {
	return &dialpointv1.WatchEndpointsResponse{Update: &dialpointv1.WatchEndpointsResponse_Unavailable{
		Unavailable: &dialpointv1.Unavailable{Reason: string(failure.Reason), Message: failure.Message},
	}}
}

// news yields an update unless it is the one that was yielded last. It reports whether the loop wants more.
func (w *watch) news(update *dialpointv1.WatchEndpointsResponse) bool {
	if !sameAnswer(w.last, update) {
		// The loop may do with its update what it likes.
		w.last = proto.CloneOf(update)
		w.left = !w.yield(update)
	}
	return !w.left
}

// sameAnswer reports whether two updates differ in nothing but the revision, which is a new one when the service has
// started again.
func sameAnswer(last, next *dialpointv1.WatchEndpointsResponse) bool {
	if last.GetEndpoints() == nil || next.GetEndpoints() == nil {
		return proto.Equal(last, next)
	}
	same := proto.CloneOf(last)
	same.GetEndpoints().Revision = next.GetEndpoints().GetRevision()
	return proto.Equal(same, next)
}
