package client_test

import (
	"context"
	"testing"
	"time"

	"connectrpc.com/connect"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

type updateStream = connect.ServerStream[dialpointv1.WatchEndpointsResponse]

// watching is a service whose watches bring these updates, and then end in order.
func watching(updates ...*dialpointv1.WatchEndpointsResponse) service {
	return service{watch: func(_ context.Context, _ *dialpointv1.WatchEndpointsRequest, stream *updateStream) error {
		for _, update := range updates {
			if err := stream.Send(update); err != nil {
				return err
			}
		}
		return nil
	}}
}

// holding is a service whose watches bring these updates, and then last until the watcher has gone. It tells when.
func holding(gone chan<- struct{}, updates ...*dialpointv1.WatchEndpointsResponse) service {
	return service{watch: func(ctx context.Context, _ *dialpointv1.WatchEndpointsRequest, stream *updateStream) error {
		defer func() { gone <- struct{}{} }()
		for _, update := range updates {
			if err := stream.Send(update); err != nil {
				return err
			}
		}
		<-ctx.Done()
		return ctx.Err()
	}}
}

func updates(all ...*dialpointv1.Endpoints) []*dialpointv1.WatchEndpointsResponse {
	made := make([]*dialpointv1.WatchEndpointsResponse, len(all))
	for i, endpoints := range all {
		made[i] = &dialpointv1.WatchEndpointsResponse{Update: &dialpointv1.WatchEndpointsResponse_Endpoints{Endpoints: endpoints}}
	}
	return made
}

func unavailable(reason client.Reason) *dialpointv1.WatchEndpointsResponse {
	return &dialpointv1.WatchEndpointsResponse{Update: &dialpointv1.WatchEndpointsResponse_Unavailable{
		Unavailable: &dialpointv1.Unavailable{Reason: string(reason), Message: "m"},
	}}
}

func heartbeat() *dialpointv1.WatchEndpointsResponse {
	return &dialpointv1.WatchEndpointsResponse{Update: &dialpointv1.WatchEndpointsResponse_Heartbeat{Heartbeat: new(dialpointv1.Heartbeat)}}
}

// collect ranges over a watch to its end.
func collect(ctx context.Context, caller *client.Client) (seen []*dialpointv1.WatchEndpointsResponse, errs []error) {
	for update, err := range caller.Watch(ctx, client.Request{}) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		seen = append(seen, update)
	}
	return seen, errs
}

func TestWatch(t *testing.T) {
	t.Parallel()
	first, second := updates(endpoints(1))[0], updates(endpoints(2))[0]
	down := unavailable(client.ReasonListenerNotBound)
	unknown := new(dialpointv1.WatchEndpointsResponse)
	unknown.ProtoReflect().SetUnknown([]byte{0x7a, 0x00}) // field 15, which no version has yet
	for name, test := range map[string]struct {
		sent, want []*dialpointv1.WatchEndpointsResponse
	}{
		"nothing":                  {nil, nil},
		"state alone":              {[]*dialpointv1.WatchEndpointsResponse{first}, []*dialpointv1.WatchEndpointsResponse{first}},
		"not bound and then bound": {[]*dialpointv1.WatchEndpointsResponse{down, first, second}, []*dialpointv1.WatchEndpointsResponse{down, first, second}},
		"heartbeats are left out": {
			[]*dialpointv1.WatchEndpointsResponse{heartbeat(), first, heartbeat(), heartbeat(), second, heartbeat()},
			[]*dialpointv1.WatchEndpointsResponse{first, second},
		},
		"unknown updates are left out": {
			[]*dialpointv1.WatchEndpointsResponse{unknown, first, new(dialpointv1.WatchEndpointsResponse)},
			[]*dialpointv1.WatchEndpointsResponse{first},
		},
	} {
		for kind, open := range listen {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				address, _ := serve(t, open(t), watching(test.sent...).handler())
				seen, errs := collect(t.Context(), connectTo(t, address))
				wantEqual(t, seen, test.want)
				if len(errs) != 1 {
					t.Fatalf("got errors %v, want one at the end", errs)
				}
				if failure := asError(t, errs[0]); failure.Code != connect.CodeUnavailable || failure.Reason != "" {
					t.Errorf("got %v, want unavailable", failure)
				}
				wantMessage(t, errs[0].Error(), "the service at "+address+" ended the watch")
			})
		}
	}
}

func TestWatchSendsTheRequest(t *testing.T) {
	t.Parallel()
	seen := make(chan *dialpointv1.WatchEndpointsRequest, 1)
	address, _ := serve(t, listenUnix(t), service{watch: func(_ context.Context, request *dialpointv1.WatchEndpointsRequest, _ *updateStream) error {
		seen <- request
		return nil
	}}.handler())
	request := client.Request{Listener: "l", Channel: "c", Audience: dialpointv1.Audience_AUDIENCE_LOCAL, Wait: time.Hour}
	for _, err := range connectTo(t, address).Watch(t.Context(), request) {
		_ = asError(t, err)
	}
	wantEqual(t, <-seen, &dialpointv1.WatchEndpointsRequest{Listener: "l", Channel: "c", Audience: dialpointv1.Audience_AUDIENCE_LOCAL})
}

// TestLeavingTheLoopClosesTheStream: the service sees the watcher go, and goleak sees nothing stay.
func TestLeavingTheLoopClosesTheStream(t *testing.T) {
	t.Parallel()
	for kind, open := range listen {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			gone := make(chan struct{}, 1)
			address, _ := serve(t, open(t), holding(gone, updates(endpoints(1))...).handler())
			for update, err := range connectTo(t, address).Watch(t.Context(), client.Request{}) {
				if err != nil || update.GetEndpoints().GetRevision() != 1 {
					t.Errorf("got %v, %v", update, err)
				}
				break
			}
			select {
			case <-gone:
			case <-time.After(time.Minute):
				t.Error("the stream is still open")
			}
		})
	}
}

// TestWatchEndsWithItsContext: the updates that came before are not lost.
func TestWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{}, 1)
	address, _ := serve(t, listenUnix(t), holding(gone, updates(endpoints(1))...).handler())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen int
	for update, err := range connectTo(t, address).Watch(ctx, client.Request{}) {
		if update != nil {
			seen++
			cancel()
			continue
		}
		if failure := asError(t, err); failure.Code != connect.CodeCanceled {
			t.Errorf("got %v, want canceled", failure)
		}
	}
	if <-gone; seen != 1 {
		t.Errorf("saw %d updates, want 1", seen)
	}
}

// TestWatchMayBeRangedAgain: each loop opens a stream of its own.
func TestWatchMayBeRangedAgain(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, listenUnix(t), watching(updates(endpoints(1), endpoints(2))...).handler())
	watch := connectTo(t, address).Watch(t.Context(), client.Request{})
	for range 3 {
		var revisions uint64
		for update, err := range watch {
			if update == nil {
				_ = asError(t, err)
			}
			revisions += update.GetEndpoints().GetRevision()
		}
		if revisions != 3 {
			t.Errorf("revisions add up to %d, want 3", revisions)
		}
	}
}

// TestWatchBreaks: a service that is killed sends no end, and what it sent before still counts.
func TestWatchBreaks(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]func(context.Context, *dialpointv1.WatchEndpointsRequest, *updateStream) error{
		"after an update": func(_ context.Context, _ *dialpointv1.WatchEndpointsRequest, stream *updateStream) error {
			if err := stream.Send(updates(endpoints(1))[0]); err != nil {
				return err
			}
			hangUp()
			return nil
		},
		"with a reason": func(_ context.Context, _ *dialpointv1.WatchEndpointsRequest, stream *updateStream) error {
			if err := stream.Send(updates(endpoints(1))[0]); err != nil {
				return err
			}
			return said(t, connect.CodeUnavailable, info(client.ReasonListenerNotBound))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := serve(t, listenTCP(t), service{watch: handler}.handler())
			seen, errs := collect(t.Context(), connectTo(t, address))
			if len(seen) != 1 || len(errs) != 1 {
				t.Fatalf("got %d updates and errors %v, want one of each", len(seen), errs)
			}
			if failure := asError(t, errs[0]); failure.Code != connect.CodeUnavailable {
				t.Errorf("got %v, want unavailable", failure)
			}
			if name == "with a reason" && client.ReasonOf(errs[0]) != client.ReasonListenerNotBound {
				t.Errorf("got %v, want its reason", errs[0])
			}
		})
	}
}
