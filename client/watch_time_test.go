package client_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// TestWatchBacksOff: between rounds that bring nothing, and for ever.
func TestWatchBacksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		end := firstUpdate(ctx, network.client(t, "http://a:1", 1))
		network.wantElapsed(t, time.Hour)
		wantEqual(t, network.tries(), pauses(time.Hour, 50, 100, 200, 400, 800, 1600, 2000))
		if failure := asError(t, end); failure.Code != connect.CodeUnavailable || !errors.Is(end, context.DeadlineExceeded) {
			t.Errorf("got %v, want it unavailable for the deadline", end)
		}
		wantMessage(t, end.Error(), "no Dialpoint service answers at http://a:1: ")
	})
}

// TestMessagesResetTheBackoff: any message does, a heartbeat and one that this version does not know as well.
func TestMessagesResetTheBackoff(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		service service
		// want is the pauses after the service has come.
		want []int
	}{
		"heartbeat":   {watching(heartbeat()), []int{25, 25, 25}},
		"endpoints":   {watching(bound(1)), []int{25, 25, 25}},
		"unavailable": {watching(unavailable(client.ReasonListenerNotBound)), []int{25, 25, 25}},
		"unknown":     {watching(new(dialpointv1.WatchEndpointsResponse)), []int{25, 25, 25}},
		"nothing":     {watching(), []int{200, 400, 800}},
		"refusal":     {failing(said(t, connect.CodeResourceExhausted)), []int{200, 400, 800}},
		"retry after": {
			breaking(said(t, connect.CodeUnavailable, &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)}), heartbeat()),
			[]int{1000, 1000, 1000},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				caller := network.client(t, "http://a:1", 0)
				var waits []time.Duration
				caller.Waiting = func(error) {
					switch waits = append(waits, network.elapsed()); len(waits) {
					case 3:
						network.serve(t, "a:1", test.service.handler())
					case 7:
						cancel()
					}
				}
				for _, err := range caller.Watch(ctx, client.Request{}) {
					if err != nil && !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
				}
				want := []time.Duration{0, 25 * time.Millisecond, 75 * time.Millisecond, 175 * time.Millisecond}
				for _, pause := range test.want {
					want = append(want, want[len(want)-1]+time.Duration(pause)*time.Millisecond)
				}
				wantEqual(t, waits, want)
			})
		})
	}
}

// TestSilentStream: one that brings nothing for 45 seconds is replaced, and heartbeats are enough.
func TestSilentStream(t *testing.T) {
	t.Parallel()
	beats := func(every time.Duration) service {
		return service{watch: func(ctx context.Context, _ *dialpointv1.WatchEndpointsRequest, stream *updateStream) error {
			if err := stream.Send(bound(1)); err != nil {
				return err
			}
			for {
				select {
				case <-time.After(every):
				case <-ctx.Done():
					return ctx.Err()
				}
				if err := stream.Send(heartbeat()); err != nil {
					return err
				}
			}
		}}
	}
	const silent = client.SilenceTimeout
	for name, test := range map[string]struct {
		service service
		want    []time.Duration
	}{
		"nothing comes":            {beats(time.Hour), []time.Duration{0, silent + 25*time.Millisecond, 2 * (silent + 25*time.Millisecond)}},
		"heartbeats come":          {beats(heartbeatAfter), []time.Duration{0}},
		"heartbeats come late":     {beats(silent - 1), []time.Duration{0}},
		"heartbeats come too late": {beats(silent + 1), []time.Duration{0, silent + 25*time.Millisecond, 2 * (silent + 25*time.Millisecond)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				network.serve(t, "a:1", test.service.handler())
				ctx, cancel := context.WithTimeout(t.Context(), 3*silent)
				defer cancel()
				caller := network.client(t, "http://a:1", 0)
				caller.Waiting = func(err error) {
					wantMessage(t, err.Error(), "the service at http://a:1 has been silent for 45s; see whether it still runs")
				}
				var updates int
				for _, err := range caller.Watch(ctx, client.Request{}) {
					if err == nil {
						updates++
					}
				}
				wantEqual(t, network.tries(), test.want)
				if updates != 1 {
					t.Errorf("%d updates, want the unchanged answer once", updates)
				}
			})
		})
	}
}

// TestSlowLoop: the time that a loop takes for an update is no silence of the service, and what it missed meanwhile is
// skipped but for the newest.
func TestSlowLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		board := newBoard(bound(1))
		network.serve(t, "a:1", board.service().handler())
		var seen []uint64
		for update, err := range network.client(t, "http://a:1", 0).Watch(t.Context(), client.Request{}) {
			if err != nil {
				t.Error(err)
			}
			seen = append(seen, update.GetEndpoints().GetRevision())
			if len(seen) == 2 {
				break
			}
			pass(10 * client.SilenceTimeout)
			board.post(bound(2))
		}
		wantEqual(t, seen, []uint64{1, 2})
		wantEqual(t, network.tries(), []time.Duration{0})
	})
}

// TestNoFirstMessage: a service that takes a watch and says nothing counts as away as soon as one that does not answer a
// call.
func TestNoFirstMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		network.serve(t, "a:1", black)
		_, wrong, _ := collect(t.Context(), network.client(t, "http://a:1", 0))
		network.wantElapsed(t, client.AnswerTimeout)
		if asError(t, wrong).Code != connect.CodeUnavailable || errors.Is(wrong, context.DeadlineExceeded) {
			t.Errorf("got %v, want it unavailable for no deadline", wrong)
		}
		wantMessage(t, wrong.Error(), "the service at http://a:1 has been silent for 10s")
	})
}

// TestWatchIsCanceled: at once, wherever it is.
func TestWatchIsCanceled(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(*testing.T, *network){
		"between tries":    func(*testing.T, *network) {},
		"before an answer": func(t *testing.T, network *network) { t.Helper(); network.serve(t, "a:1", black) },
		"in a stream": func(t *testing.T, network *network) {
			t.Helper()
			network.serve(t, "a:1", newBoard(bound(1)).service().handler())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				serve(t, network)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(7*time.Second+time.Millisecond, cancel)
				var end error
				for _, end = range network.client(t, "http://a:1", 0).Watch(ctx, client.Request{}) {
				}
				network.wantElapsed(t, 7*time.Second+time.Millisecond)
				if asError(t, end).Code != connect.CodeCanceled || !errors.Is(end, context.Canceled) {
					t.Errorf("got %v, want it canceled", end)
				}
			})
		})
	}
}

// TestUnknownListenerIsAskedForAgain: with growing pauses, and without a second word about it.
func TestUnknownListenerIsAskedForAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		stop := network.serve(t, "a:1", newBoard(bound(1)).service().handler())
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var tries []time.Duration
		unknown := said(t, connect.CodeNotFound, info(client.ReasonListenerUnknown))
		var seen []string
		for update, err := range network.client(t, "http://a:1", 0).Watch(ctx, client.Request{}) {
			if err != nil {
				break
			}
			seen = append(seen, update.GetUnavailable().GetReason())
			if len(seen) == 1 {
				stop()
				network.serve(t, "a:1", service{watch: func(context.Context, *dialpointv1.WatchEndpointsRequest, *updateStream) error {
					tries = append(tries, network.elapsed()-25*time.Millisecond)
					return unknown
				}}.handler())
			}
		}
		wantEqual(t, seen, []string{"", string(client.ReasonListenerUnknown)})
		wantEqual(t, tries, pauses(10*time.Second-25*time.Millisecond, 50, 100, 200, 400, 800, 1000))
	})
}
