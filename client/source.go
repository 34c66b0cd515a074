package client

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// Source keeps what to dial at hand. It owns a watch, which it follows in the background until it is closed. Its methods
// may be called by several goroutines at once.
type Source struct {
	current atomic.Pointer[state]
	// away is why no service answers, while none does.
	away    atomic.Pointer[Error]
	updated chan struct{}
	// ready is closed with the first endpoints, done once the watch has ended.
	ready, done chan struct{}
	stop        context.CancelFunc
	closing     sync.Once
}

// state is what a source knows at one time: endpoints, or why there are none. It never changes.
type state struct {
	endpoints *dialpointv1.Endpoints
	err       *Error
}

// Source begins to follow what to dial, and returns once there is something. The deadline of the context, or where it
// has none Client.Patience, bounds that wait and nothing after it. The error is an [*Error]: why there is nothing to dial
// yet, that no service answers, or what ends a watch. Request.Wait means nothing here.
func (c *Client) Source(ctx context.Context, request Request) (*Source, error) {
	if failure := c.ready(); failure != nil {
		return nil, failure
	}
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	source := &Source{updated: make(chan struct{}, 1), ready: make(chan struct{}), done: make(chan struct{}), stop: stop}
	source.current.Store(&state{err: c.unheard()})
	go source.follow(following, c, request)
	begin := time.Now()
	if failure := source.await(ctx, c.giveUpAt(ctx, begin, 0)); failure != nil {
		source.Close()
		return nil, failure.atLast(ctx, time.Since(begin))
	}
	return source, nil
}

// unheard is what there is to say before a service or the network has said anything.
func (c *Client) unheard() *Error {
	var places []string
	for _, service := range c.services {
		places = append(places, tried(service.address, "it has not answered yet"))
	}
	return &Error{Code: connect.CodeUnavailable, Message: noService(places...)}
}

// await returns once there are endpoints, or why there are none in time.
func (s *Source) await(ctx context.Context, giveUp time.Time) *Error {
	timer := time.NewTimer(time.Until(giveUp))
	defer timer.Stop()
	select {
	case <-s.ready:
	case <-s.done:
	case <-timer.C:
	case <-ctx.Done():
	}
	now, away := s.current.Load(), s.away.Load()
	switch {
	case s.isReady() || now.err == nil:
		return nil
	case away != nil:
		return away
	}
	return now.err
}

// Endpoints is what to dial now. It takes no lock and makes no call. While the service cannot be reached it is what the
// service said last. The error is an [*Error]: why there is nothing to dial now, or what has ended the watch; after
// [Source.Close] it is of code canceled.
//
// All callers share the answer, which must not be changed. Its URLs hold a credential: log DisplayUrl, never Url.
func (s *Source) Endpoints() (*dialpointv1.Endpoints, error) {
	now := s.current.Load()
	if now.err != nil {
		return nil, now.err
	}
	return now.endpoints, nil
}

// Updated receives once after one or more changes of what [Source.Endpoints] returns, the first value not counted, the
// end of the watch and [Source.Close] included. Many changes leave one notice: what is read after it is the newest.
func (s *Source) Updated() <-chan struct{} { return s.updated }

// Close ends the watch and waits until it has ended. It may be called more than once, but not by Client.Waiting, which
// the watch waits for.
func (s *Source) Close() {
	s.closing.Do(func() {
		s.stop()
		<-s.done
		s.set(&state{err: &Error{Code: connect.CodeCanceled, Message: "the source is closed"}})
	})
}

// follow keeps the current state up to date until the watch ends.
func (s *Source) follow(ctx context.Context, client *Client, request Request) {
	defer close(s.done)
	watch := &watch{client: client, request: request, impatient: client.Patience < 0}
	watch.yield = func(update *dialpointv1.WatchEndpointsResponse) bool {
		s.set(stateOf(update))
		return !watch.impatient || s.isReady()
	}
	watch.back = func() { s.away.Store(nil) }
	watch.away = func(err *Error) {
		s.away.Store(err)
		client.waiting(err)
	}
	if end := watch.run(ctx); end != nil {
		s.away.Store(nil)
		s.set(&state{err: end})
	}
}

func stateOf(update *dialpointv1.WatchEndpointsResponse) *state {
	if why := update.GetUnavailable(); why != nil {
		return &state{err: &Error{Code: connect.CodeUnavailable, Reason: Reason(why.GetReason()), Message: why.GetMessage()}}
	}
	return &state{endpoints: update.GetEndpoints()}
}

// set is called by one goroutine at a time.
func (s *Source) set(now *state) {
	s.current.Store(now)
	switch {
	case s.isReady():
		select {
		case s.updated <- struct{}{}:
		default:
		}
	case now.endpoints != nil:
		close(s.ready)
	}
}

// isReady reports whether there were endpoints at any time.
func (s *Source) isReady() bool {
	select {
	case <-s.ready:
		return true
	default:
		return false
	}
}
