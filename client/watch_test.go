package client_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"connectrpc.com/connect"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

func TestWatch(t *testing.T) {
	t.Parallel()
	first, second := bound(1), bound(2)
	down := unavailable(client.ReasonListenerNotBound)
	unknown := new(dialpointv1.WatchEndpointsResponse)
	unknown.ProtoReflect().SetUnknown([]byte{0x7a, 0x00}) // field 15, which no version has yet
	for name, test := range map[string]struct {
		sent, want []*dialpointv1.WatchEndpointsResponse
	}{
		"nothing":                  {nil, nil},
		"state alone":              {[]*dialpointv1.WatchEndpointsResponse{first}, []*dialpointv1.WatchEndpointsResponse{first}},
		"not bound and then bound": {[]*dialpointv1.WatchEndpointsResponse{down, first, second}, []*dialpointv1.WatchEndpointsResponse{down, first, second}},
		"back and forth":           {[]*dialpointv1.WatchEndpointsResponse{first, second, first}, []*dialpointv1.WatchEndpointsResponse{first, second, first}},
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
				seen, wrong, end := collect(t.Context(), connectTo(t, address))
				wantEqual(t, seen, test.want)
				failure := asError(t, wrong)
				if failure.Code != connect.CodeUnavailable || failure.Reason != "" {
					t.Errorf("got %v, want unavailable", failure)
				}
				wantMessage(t, failure.Message, "the service at "+address+" ended the watch")
				if !errors.Is(end, context.Canceled) {
					t.Errorf("the watch ended with %v, want it to go on until its context ended", end)
				}
			})
		}
	}
}

func TestWatchSendsTheRequest(t *testing.T) {
	t.Parallel()
	seen := make(chan *dialpointv1.WatchEndpointsRequest, 1)
	address, _ := serve(t, listenUnix(t), service{watch: func(_ context.Context, request *dialpointv1.WatchEndpointsRequest, _ *updateStream) error {
		seen <- request
		return said(t, connect.CodeInvalidArgument)
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
			address, _ := serve(t, open(t), holding(gone, bound(1)).handler())
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
	address, _ := serve(t, listenUnix(t), holding(gone, bound(1)).handler())
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

// TestWatchMayBeRangedAgain: each loop opens a stream of its own, and begins with the state.
func TestWatchMayBeRangedAgain(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, listenUnix(t), breaking(said(t, connect.CodeUnauthenticated), bound(1), bound(2)).handler())
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
	for name, test := range map[string]struct {
		end    func() error
		reason client.Reason
	}{
		"connection":    {func() error { hangUp(); return nil }, ""},
		"with a reason": {func() error { return said(t, connect.CodeUnavailable, info("SHUTTING_DOWN")) }, "SHUTTING_DOWN"},
		"too many":      {func() error { return said(t, connect.CodeResourceExhausted) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := serve(t, listenTCP(t), service{watch: func(_ context.Context, _ *dialpointv1.WatchEndpointsRequest, stream *updateStream) error {
				if err := stream.Send(bound(1)); err != nil {
					return err
				}
				return test.end()
			}}.handler())
			seen, wrong, end := collect(t.Context(), connectTo(t, address))
			wantEqual(t, seen, []*dialpointv1.WatchEndpointsResponse{bound(1)})
			if client.ReasonOf(wrong) != test.reason || !errors.Is(end, context.Canceled) {
				t.Errorf("got %v and then %v, want the reason %q and the end of the context", wrong, end, test.reason)
			}
		})
	}
}

// TestWatchSurvivesRestarts: it goes on with the state then, and says nothing where that is the one it had.
func TestWatchSurvivesRestarts(t *testing.T) {
	t.Parallel()
	notBound, unknown := unavailable(client.ReasonListenerNotBound), unavailable(client.ReasonListenerUnknown)
	for name, test := range map[string]struct {
		// then is what the service says after the restart, and last what it says after that, so that a watch which
		// has nothing to say about the restart goes on.
		first, then, last *dialpointv1.WatchEndpointsResponse
		want              []*dialpointv1.WatchEndpointsResponse
	}{
		"new state":              {bound(1), bound(2), bound(3), []*dialpointv1.WatchEndpointsResponse{bound(1), bound(2), bound(3)}},
		"same state":             {bound(1), bound(1), bound(3), []*dialpointv1.WatchEndpointsResponse{bound(1), bound(3)}},
		"nothing but a revision": {bound(1), restated(7), bound(8), []*dialpointv1.WatchEndpointsResponse{bound(1), bound(8)}},
		"not bound any more":     {bound(1), notBound, bound(3), []*dialpointv1.WatchEndpointsResponse{bound(1), notBound, bound(3)}},
		"still not bound":        {notBound, notBound, bound(3), []*dialpointv1.WatchEndpointsResponse{notBound, bound(3)}},
		"another reason":         {notBound, unknown, bound(3), []*dialpointv1.WatchEndpointsResponse{notBound, unknown, bound(3)}},
		"a revision from before": {bound(5), bound(2), bound(3), []*dialpointv1.WatchEndpointsResponse{bound(5), bound(2), bound(3)}},
	} {
		for kind, open := range places {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				running := open(t)
				running.start(newBoard(test.first).service().handler())
				again := newBoard(test.then)
				var seen []*dialpointv1.WatchEndpointsResponse
				for update, err := range connectTo(t, running.address).Watch(t.Context(), client.Request{}) {
					if err != nil {
						t.Fatal(err)
					}
					if seen = append(seen, update); len(seen) == 1 {
						running.start(sendingThen(again, test.last).handler())
					}
					if len(seen) == len(test.want) {
						break
					}
				}
				wantEqual(t, seen, test.want)
			})
		}
	}
}

// sendingThen is the service of a board whose answer changes once a watch has sent the first.
func sendingThen(board *board, last *dialpointv1.WatchEndpointsResponse) service {
	return service{watch: func(ctx context.Context, request *dialpointv1.WatchEndpointsRequest, stream *updateStream) error {
		first, _ := board.read()
		if err := stream.Send(first); err != nil {
			return err
		}
		board.post(last)
		return board.service().watch(ctx, request, stream)
	}}
}

// TestListenerGoneAfterRestart: the next reload may bring the listener back, so that its absence is news and no end.
func TestListenerGoneAfterRestart(t *testing.T) {
	t.Parallel()
	unknown := failing(said(t, connect.CodeNotFound, info(client.ReasonListenerUnknown)))
	running := unixPlace(t)
	running.start(newBoard(bound(1)).service().handler())
	back := newBoard(bound(2))
	var waits int
	caller := connectTo(t, running.address)
	caller.Waiting = func(error) {
		// By then the service has said more than once that there is no such listener.
		if waits++; waits == 4 {
			running.start(back.service().handler())
		}
	}
	var seen []*dialpointv1.WatchEndpointsResponse
	for update, err := range caller.Watch(t.Context(), client.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, update); len(seen) == 1 {
			running.start(unknown.handler())
		}
		if update.GetEndpoints().GetRevision() == 2 {
			break
		}
	}
	gone := unavailable(client.ReasonListenerUnknown)
	gone.GetUnavailable().Message = "do this"
	wantEqual(t, seen, []*dialpointv1.WatchEndpointsResponse{bound(1), gone, bound(2)})
}

// TestWatchEndsForGood: with each code that no new try can mend, before and after the first update, and no other.
func TestWatchEndsForGood(t *testing.T) {
	t.Parallel()
	always := []connect.Code{
		connect.CodeInvalidArgument, connect.CodeUnauthenticated, connect.CodePermissionDenied,
		connect.CodeFailedPrecondition, connect.CodeUnimplemented,
	}
	for code := connect.CodeCanceled; code <= connect.CodeUnauthenticated; code++ {
		after := slices.Contains(always, code)
		before := after || code == connect.CodeNotFound
		for name, test := range map[string]struct {
			updates []*dialpointv1.WatchEndpointsResponse
			want    bool
		}{
			"before": {[]*dialpointv1.WatchEndpointsResponse{heartbeat()}, before},
			"after":  {[]*dialpointv1.WatchEndpointsResponse{bound(1)}, after},
		} {
			t.Run(code.String()+"/"+name, func(t *testing.T) {
				t.Parallel()
				address, _ := serve(t, listenUnix(t), breaking(said(t, code), test.updates...).handler())
				seen, wrong, end := collect(t.Context(), connectTo(t, address))
				if name == "after" {
					wantEqual(t, seen, test.updates)
				}
				if ended := wrong == nil; ended != test.want {
					t.Fatalf("ended for good: %v with %v, want %v", ended, end, test.want)
				}
				if test.want && asError(t, end).Code != code {
					t.Errorf("got %v, want %s", end, code)
				}
			})
		}
	}
}

// TestOnlyTheServiceEndsAWatch: what answers in its place while it restarts does not.
func TestOnlyTheServiceEndsAWatch(t *testing.T) {
	t.Parallel()
	running := tcpPlace(t)
	running.start(newBoard(bound(1)).service().handler())
	caller := connectTo(t, running.address)
	var instead error
	caller.Waiting = func(err error) {
		if asError(t, err).Code == connect.CodeUnimplemented {
			instead = err
			running.start(newBoard(bound(2)).service().handler())
		}
	}
	for update, err := range caller.Watch(t.Context(), client.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		if update.GetEndpoints().GetRevision() == 2 {
			break
		}
		running.start(answer(http.StatusNotFound, "text/html", "<html>"))
	}
	wantMessage(t, asError(t, instead).Message, "see whether it is a Dialpoint service that listens there")
}

// TestUpdatesBelongToTheLoop: what it does to them changes nothing for the watch.
func TestUpdatesBelongToTheLoop(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, listenUnix(t), breaking(said(t, connect.CodeUnauthenticated), bound(1), restated(2), bound(3)).handler())
	var seen []uint64
	for update, err := range connectTo(t, address).Watch(t.Context(), client.Request{}) {
		if err != nil {
			break
		}
		seen = append(seen, update.GetEndpoints().GetRevision())
		update.GetEndpoints().GetGateway().Url = "REDACTED"
	}
	wantEqual(t, seen, []uint64{1, 3})
}
