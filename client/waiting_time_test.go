package client_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// pauses are times that lie so far apart, from 0 on and before the end. The last pause goes on.
func pauses(end time.Duration, milliseconds ...int) (times []time.Duration) {
	for at := time.Duration(0); at < end; {
		times = append(times, at)
		at += time.Duration(milliseconds[min(len(times), len(milliseconds))-1]) * time.Millisecond
	}
	return times
}

// TestBackoff: pauses double up to 2 s, and chance decides on half of each.
func TestBackoff(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		chance float64
		want   []time.Duration
	}{
		"shortest": {0, pauses(client.DefaultPatience, 25, 50, 100, 200, 400, 800, 1000)},
		"longest":  {1, pauses(client.DefaultPatience, 50, 100, 200, 400, 800, 1600, 2000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				_, err := network.client(t, "http://a:1", test.chance).Resolve(t.Context(), client.Request{})
				if asError(t, err).Code != connect.CodeUnavailable {
					t.Errorf("got %v, want unavailable", err)
				}
				wantEqual(t, network.tries(), test.want)
			})
		})
	}
}

// TestRetryAfter: the service says how long to stay away, up to 2 s, and chance adds to it.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		asked  time.Duration
		chance float64
		want   []time.Duration
	}{
		"longer than the pause":   {time.Second, 0, pauses(client.DefaultPatience, 1000)},
		"with chance":             {time.Second, 1, pauses(client.DefaultPatience, 1025, 1050, 1100, 1200, 1400, 1800, 2000)},
		"shorter than the pause":  {10 * time.Millisecond, 0, pauses(client.DefaultPatience, 25, 50, 100, 200, 400, 800, 1000)},
		"longer than any pause":   {time.Minute, 0, pauses(client.DefaultPatience, 2000)},
		"in between":              {150 * time.Millisecond, 0, pauses(client.DefaultPatience, 150, 150, 150, 200, 400, 800, 1000)},
		"zero is nothing that is": {0, 0, pauses(client.DefaultPatience, 25, 50, 100, 200, 400, 800, 1000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				var tries []time.Duration
				stopping := said(t, connect.CodeUnavailable, info("SHUTTING_DOWN"), &errdetails.RetryInfo{RetryDelay: durationpb.New(test.asked)})
				network.serve(t, "a:1", service{resolve: func(context.Context, *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
					tries = append(tries, network.elapsed())
					return nil, stopping
				}}.handler())
				_, err := network.client(t, "http://a:1", test.chance).Resolve(t.Context(), client.Request{})
				if failure := asError(t, err); failure.Reason != "SHUTTING_DOWN" || failure.RetryAfter != test.asked {
					t.Errorf("got %v, retry after %s", err, failure.RetryAfter)
				}
				wantEqual(t, tries, test.want)
			})
		})
	}
}

// TestRetryAfterOfSeveral: the longest of them counts.
func TestRetryAfterOfSeveral(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		stopping := said(t, connect.CodeUnavailable, info("SHUTTING_DOWN"), &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)})
		network.serve(t, "a:1", failing(stopping).handler())
		caller := network.client(t, "http://a:1,http://b:1", 0)
		var waits []time.Duration
		caller.Waiting = func(error) { waits = append(waits, network.elapsed()) }
		if _, err := caller.Resolve(t.Context(), client.Request{}); err == nil {
			t.Error("a service that shuts down has answered")
		}
		wantEqual(t, waits, pauses(client.DefaultPatience, 1000))
	})
}

// TestPatience: a call gives up at the moment that it is to give up at.
func TestPatience(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		patience, deadline, wait time.Duration
		service                  http.Handler
		want                     time.Duration
		code                     connect.Code
	}{
		"no service":                       {0, 0, 0, nil, 30 * time.Second, connect.CodeUnavailable},
		"no service, patience":             {5 * time.Second, 0, 0, nil, 5 * time.Second, connect.CodeUnavailable},
		"no service, deadline":             {0, 40 * time.Second, 0, nil, 40 * time.Second, connect.CodeUnavailable},
		"no service, deadline wins":        {time.Hour, 7 * time.Second, time.Minute, nil, 7 * time.Second, connect.CodeUnavailable},
		"no service, wait":                 {0, 0, time.Minute, nil, time.Minute, connect.CodeUnavailable},
		"no service, patience, long wait":  {time.Second, 0, time.Minute, nil, time.Minute, connect.CodeUnavailable},
		"no service, short wait":           {0, 0, time.Second, nil, 30 * time.Second, connect.CodeUnavailable},
		"no service, no patience":          {-1, 0, 0, nil, 0, connect.CodeUnavailable},
		"no service, wait, no patience":    {-1, 0, time.Minute, nil, 0, connect.CodeUnavailable},
		"no service, deadline, impatience": {-1, time.Minute, 0, nil, 0, connect.CodeUnavailable},
		"silent":                           {0, 0, 0, black, 30 * time.Second, connect.CodeUnavailable},
		"silent, patience":                 {3 * time.Second, 0, 0, black, 3 * time.Second, connect.CodeUnavailable},
		"silent, no patience":              {-1, 0, 0, black, client.AnswerTimeout, connect.CodeUnavailable},
		"silent, wait":                     {0, 0, time.Minute, black, time.Minute + client.AnswerTimeout, connect.CodeUnavailable},
		"silent, wait, no patience":        {-1, 0, time.Minute, black, time.Minute + client.AnswerTimeout, connect.CodeUnavailable},
		"silent, deadline":                 {0, 4 * time.Second, 0, black, 4 * time.Second, connect.CodeDeadlineExceeded},
		"silent, later deadline":           {0, 24 * time.Second, 0, black, 24 * time.Second, connect.CodeUnavailable},
		"silent, wait, deadline":           {0, 24 * time.Second, time.Minute, black, 24 * time.Second, connect.CodeDeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				if test.service != nil {
					network.serve(t, "a:1", test.service)
				}
				caller := network.client(t, "http://a:1", 0)
				caller.Patience = test.patience
				ctx, cancel := t.Context(), func() {}
				if test.deadline > 0 {
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
				}
				defer cancel()
				_, err := caller.Resolve(ctx, client.Request{Wait: test.wait})
				network.wantElapsed(t, test.want)
				if failure := asError(t, err); failure.Code != test.code {
					t.Errorf("got %v, want %s", err, test.code)
				}
				if late := test.deadline > 0 && test.patience >= 0; errors.Is(err, context.DeadlineExceeded) != late {
					t.Errorf("%v matches context.DeadlineExceeded: %v, want %v", err, !late, late)
				}
			})
		})
	}
}

// TestErrorAfterWaiting: it says what was wrong, how long it was, and what to do.
func TestErrorAfterWaiting(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		deadline time.Duration
		service  http.Handler
		want     string
	}{
		"no service":            {0, nil, "no Dialpoint service answers at http://a:1: dial tcp: connect: connection refused; start one with 'dialpoint serve', or say with --addr or DIALPOINT_ADDR where it is (tried for 30s)"},
		"deadline":              {1499 * time.Millisecond, nil, "connection refused; start one with 'dialpoint serve', or say with --addr or DIALPOINT_ADDR where it is (tried for 1s)"},
		"silent":                {0, black, "the service at http://a:1 has been silent for 9.925s; see whether it still runs (tried for 30s)"},
		"silent, short":         {5 * time.Second, black, "the call to http://a:1 was given up: context deadline exceeded"},
		"silent, then deadline": {15 * time.Second, black, "the service at http://a:1 has been silent for 10s; see whether it still runs (tried for 15s)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				if test.service != nil {
					network.serve(t, "a:1", test.service)
				}
				ctx, cancel := t.Context(), func() {}
				if test.deadline > 0 {
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
				}
				defer cancel()
				_, err := network.client(t, "http://a:1", 0).Resolve(ctx, client.Request{})
				wantMessage(t, asError(t, err).Message, test.want)
			})
		})
	}
}

// TestCancel: a call that waits ends at once, and says what it waited for.
func TestCancel(t *testing.T) {
	t.Parallel()
	const refused, canceled = "dial tcp: connect: connection refused", "context canceled"
	for name, test := range map[string]struct {
		addr    string
		service http.Handler
		message string
	}{
		"between tries":       {"http://a:1", nil, "no Dialpoint service answers at http://a:1: " + refused},
		"in a try":            {"http://a:1", black, "the call to http://a:1 was given up: " + canceled},
		"in the first of two": {"http://a:1,http://b:1", black, "the call to http://a:1 was given up: " + canceled},
		"in the last of two":  {"http://b:1,http://a:1", black, "at http://b:1: " + refused + ", nor at http://a:1: " + canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				if test.service != nil {
					network.serve(t, "a:1", test.service)
				}
				caller := network.client(t, test.addr, 0)
				ctx, cancel := context.WithCancel(t.Context())
				var late bool
				caller.Waiting = func(error) { late = ctx.Err() != nil }
				time.AfterFunc(3*time.Second+time.Millisecond, cancel)
				_, err := caller.Resolve(ctx, client.Request{})
				network.wantElapsed(t, 3*time.Second+time.Millisecond)
				if failure := asError(t, err); failure.Code != connect.CodeCanceled || !errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v, want it canceled", err)
				}
				wantMessage(t, err.Error(), test.message)
				if late {
					t.Error("Waiting was called when there was nothing to wait for")
				}
			})
		})
	}
}

// TestHoldAcrossRestart: a service that comes back is asked for no more than the rest of the wait.
func TestHoldAcrossRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		// Nothing orders what one service does and what the next does but the clock.
		waits := make(chan time.Duration, 2)
		hold := service{resolve: func(ctx context.Context, request *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
			waits <- request.GetWait().AsDuration()
			select {
			case <-time.After(request.GetWait().AsDuration()):
				return nil, said(t, connect.CodeUnavailable, info(client.ReasonListenerNotBound))
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}
		stop := network.serve(t, "a:1", hold.handler())
		time.AfterFunc(10*time.Second, stop)
		time.AfterFunc(12*time.Second, func() { network.serve(t, "a:1", hold.handler()) })
		_, err := network.client(t, "http://a:1", 0).Resolve(t.Context(), client.Request{Wait: time.Minute})
		if client.ReasonOf(err) != client.ReasonListenerNotBound {
			t.Errorf("got %v, want %s", err, client.ReasonListenerNotBound)
		}
		network.wantElapsed(t, time.Minute)
		// Tried again 25, 75, 175, 375, 775, 1575 and 2575 ms after the stop.
		wantEqual(t, []time.Duration{<-waits, <-waits}, []time.Duration{time.Minute, time.Minute - 12575*time.Millisecond})
	})
}

// TestNothingLeftToHold: a service that comes when the wait is over is asked for the answer that there is.
func TestNothingLeftToHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		request := make(chan *dialpointv1.ResolveEndpointsRequest, 1)
		time.AfterFunc(2*time.Second, func() {
			network.serve(t, "a:1", service{resolve: func(_ context.Context, got *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
				request <- got
				return &dialpointv1.ResolveEndpointsResponse{Endpoints: endpoints(1)}, nil
			}}.handler())
		})
		if _, err := network.client(t, "http://a:1", 0).Resolve(t.Context(), client.Request{Wait: time.Second}); err != nil {
			t.Error(err)
		}
		wantEqual(t, <-request, new(dialpointv1.ResolveEndpointsRequest))
	})
}

// TestWaiting: it hears of each round that failed, before the pause.
func TestWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		caller := network.client(t, "http://a:1", 0)
		var heard []time.Duration
		caller.Waiting = func(err error) {
			heard = append(heard, network.elapsed())
			wantMessage(t, asError(t, err).Message, "no Dialpoint service answers at http://a:1: ")
		}
		time.AfterFunc(time.Second, func() { network.serve(t, "a:1", resolving(endpoints(1)).handler()) })
		if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
			t.Error(err)
		}
		wantEqual(t, heard, pauses(time.Second, 25, 50, 100, 200, 400, 800))
	})
}
