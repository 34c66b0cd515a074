package client

import (
	"context"
	"time"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// silenceTimeout is how long a stream may bring nothing, not even a heartbeat, before it counts as broken. A service
// sends a heartbeat after 15 seconds.
const silenceTimeout = 45 * time.Second

// stream yields what one stream brings. It reports whether that was anything, and why it ended.
func (w *watch) stream(ctx context.Context, service *service) (heard bool, failure *Error) {
	failure = service.authorized(ctx, ctx, func(ctx context.Context) *Error {
		brought, failure := w.once(ctx, service)
		heard = heard || brought
		return failure
	})
	return heard, failure
}

// once is one try of a stream. The first message has to come as soon as any answer.
func (w *watch) once(ctx context.Context, service *service) (heard bool, failure *Error) {
	streaming, stop := context.WithCancel(ctx)
	defer stop()
	limit := answerTimeout
	silence := time.AfterFunc(limit, stop)
	defer silence.Stop()
	stream, err := service.endpoints.WatchEndpoints(streaming, w.request.watch())
	if err != nil {
		return false, service.streamEnd(ctx, streaming, limit, err)
	}
	// What closing could complain about has nothing left to break.
	defer func() { _ = stream.Close() }()
	for stream.Receive() {
		// The time that the loop takes for an update is no silence of the service.
		silence.Stop()
		heard, limit = true, silenceTimeout
		if !w.receive(service, stream.Msg()) {
			break
		}
		silence.Reset(limit)
	}
	return heard, service.streamEnd(ctx, streaming, limit, stream.Err())
}

// receive takes one message of a stream. It reports whether the loop wants more.
func (w *watch) receive(service *service, update *dialpointv1.WatchEndpointsResponse) bool {
	w.client.prefer(service.index)
	w.pause.reset()
	w.back()
	isNews := update.GetEndpoints() != nil || update.GetUnavailable() != nil
	return !isNews || w.news(update)
}

// streamEnd is why a stream ended. One that ends without an error has been ended by the service, and one that ends with
// its own context but not the caller's was silent for too long.
func (s *service) streamEnd(ctx, streaming context.Context, limit time.Duration, err error) *Error {
	switch {
	case streaming.Err() != nil && ended(ctx) == nil:
		return s.silent(limit)
	case err == nil:
		return s.failure(ctx, errWatchEnded)
	}
	return s.failure(ctx, err)
}
