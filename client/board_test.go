package client_test

import (
	"context"
	"sync"
	"time"

	"connectrpc.com/connect"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// heartbeatAfter is how long a real service lets a watch be silent.
const heartbeatAfter = 15 * time.Second

// board is a service whose answer can be changed while it is watched. Like the real one it sends the state first, skips
// to the newest state for a slow reader, and sends heartbeats.
type board struct {
	mu      sync.Mutex
	now     *dialpointv1.WatchEndpointsResponse
	changed chan struct{}
}

func newBoard(first *dialpointv1.WatchEndpointsResponse) *board {
	return &board{now: first, changed: make(chan struct{})}
}

// post changes the answer.
func (b *board) post(update *dialpointv1.WatchEndpointsResponse) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = update
	close(b.changed)
	b.changed = make(chan struct{})
}

// read is the answer, and a channel that is closed with the next change.
func (b *board) read() (now *dialpointv1.WatchEndpointsResponse, changed <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now, b.changed
}

func (b *board) service() service {
	return service{watch: func(ctx context.Context, _ *dialpointv1.WatchEndpointsRequest, stream *updateStream) error {
		for {
			now, changed := b.read()
			if err := stream.Send(now); err != nil {
				return err
			}
			if err := beat(ctx, changed, stream); err != nil {
				return err
			}
		}
	}}
}

// beat sends heartbeats until there is a change.
func beat(ctx context.Context, changed <-chan struct{}, stream *updateStream) error {
	for {
		silence := time.NewTimer(heartbeatAfter)
		select {
		case <-changed:
			silence.Stop()
			return nil
		case <-ctx.Done():
			silence.Stop()
			return ctx.Err()
		case <-silence.C:
			if err := stream.Send(heartbeat()); err != nil {
				return err
			}
		}
	}
}

type updateStream = connect.ServerStream[dialpointv1.WatchEndpointsResponse]

// watching is a service whose watches bring these updates, and then end in order.
func watching(updates ...*dialpointv1.WatchEndpointsResponse) service {
	return service{watch: func(_ context.Context, _ *dialpointv1.WatchEndpointsRequest, stream *updateStream) error {
		return sendAll(stream, updates)
	}}
}

// holding is a service whose watches bring these updates, and then last until the watcher has gone. It tells when.
func holding(gone chan<- struct{}, updates ...*dialpointv1.WatchEndpointsResponse) service {
	return service{watch: func(ctx context.Context, _ *dialpointv1.WatchEndpointsRequest, stream *updateStream) error {
		defer func() { gone <- struct{}{} }()
		if err := sendAll(stream, updates); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}}
}

// breaking is a service whose watches bring these updates, and then end with an error.
func breaking(err error, updates ...*dialpointv1.WatchEndpointsResponse) service {
	return service{watch: func(_ context.Context, _ *dialpointv1.WatchEndpointsRequest, stream *updateStream) error {
		if err := sendAll(stream, updates); err != nil {
			return err
		}
		return err
	}}
}

func sendAll(stream *updateStream, updates []*dialpointv1.WatchEndpointsResponse) error {
	for _, update := range updates {
		if err := stream.Send(update); err != nil {
			return err
		}
	}
	return nil
}

// bound is the update of a listener that can be dialled, another one for each revision.
func bound(revision uint64) *dialpointv1.WatchEndpointsResponse {
	return updateOf(endpoints(revision))
}

func updateOf(endpoints *dialpointv1.Endpoints) *dialpointv1.WatchEndpointsResponse {
	return &dialpointv1.WatchEndpointsResponse{Update: &dialpointv1.WatchEndpointsResponse_Endpoints{Endpoints: endpoints}}
}

// restated is the same answer as bound(1), under another revision.
func restated(revision uint64) *dialpointv1.WatchEndpointsResponse {
	same := bound(1)
	same.GetEndpoints().Revision = revision
	return same
}

func unavailable(reason client.Reason) *dialpointv1.WatchEndpointsResponse {
	return &dialpointv1.WatchEndpointsResponse{Update: &dialpointv1.WatchEndpointsResponse_Unavailable{
		Unavailable: &dialpointv1.Unavailable{Reason: string(reason), Message: "m"},
	}}
}

func heartbeat() *dialpointv1.WatchEndpointsResponse {
	return &dialpointv1.WatchEndpointsResponse{Update: &dialpointv1.WatchEndpointsResponse_Heartbeat{Heartbeat: new(dialpointv1.Heartbeat)}}
}
