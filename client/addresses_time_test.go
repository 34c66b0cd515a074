package client_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// TestFirstAddressFails: the call moves on to the next, and those after it stay there.
func TestFirstAddressFails(t *testing.T) {
	t.Parallel()
	stopping := failing(said(t, connect.CodeUnavailable, info("SHUTTING_DOWN")))
	for name, test := range map[string]struct {
		first              http.Handler
		deadline, patience time.Duration
		want               time.Duration
	}{
		"refuses":                    {nil, 0, 0, 0},
		"shuts down":                 {stopping.handler(), 0, 0, 0},
		"page not found":             {answer(http.StatusNotFound, "text/html", "<html>"), 0, 0, 0},
		"silent":                     {black, 0, 0, client.AnswerTimeout},
		"silent, no patience":        {black, 0, -1, client.AnswerTimeout},
		"silent, patience":           {black, 0, 8 * time.Second, 4 * time.Second},
		"silent, deadline":           {black, 5 * time.Second, 0, 2500 * time.Millisecond},
		"silent, deadline, no hurry": {black, time.Hour, 0, client.AnswerTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				if test.first != nil {
					network.serve(t, "a:1", test.first)
				}
				network.serve(t, "b:1", resolving(endpoints(2)).handler())
				caller := network.client(t, "http://a:1,http://b:1", 0)
				caller.Patience = test.patience
				ctx, cancel := t.Context(), func() {}
				if test.deadline > 0 {
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
				}
				defer cancel()
				for range 3 {
					if got, err := caller.Resolve(ctx, client.Request{}); err != nil || got.GetRevision() != 2 {
						t.Errorf("got %v, %v", got, err)
					}
					network.wantElapsed(t, test.want)
				}
			})
		})
	}
}

// TestWaitAtSilentAddress: a service may be silent for as long as it may hold the call, and the next still gets a try
// when that has used up the time.
func TestWaitAtSilentAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		network.serve(t, "a:1", black)
		network.serve(t, "b:1", resolving(endpoints(2)).handler())
		_, err := network.client(t, "http://a:1,http://b:1", 0).Resolve(t.Context(), client.Request{Wait: 30 * time.Second})
		if err != nil {
			t.Error(err)
		}
		network.wantElapsed(t, 30*time.Second+client.AnswerTimeout)
	})
}

// TestBackToTheFirst: the service that answers is the one to stay with, until it does not.
func TestBackToTheFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		stopA := network.serve(t, "a:1", resolving(endpoints(1)).handler())
		stopC := func() {}
		caller := network.client(t, "http://a:1,http://b:1,http://c:1", 0)
		for step, test := range []struct {
			change func()
			want   uint64
		}{
			{func() {}, 1},
			{func() { stopC = network.serve(t, "c:1", resolving(endpoints(3)).handler()) }, 1},
			{stopA, 3},
			{func() { network.serve(t, "a:1", resolving(endpoints(1)).handler()) }, 3},
			{func() { stopC() }, 1},
		} {
			test.change()
			if got, err := caller.Resolve(t.Context(), client.Request{}); err != nil || got.GetRevision() != test.want {
				t.Errorf("step %d: got %v, %v, want revision %d", step, got, err, test.want)
			}
		}
		network.wantElapsed(t, 0)
	})
}

// TestErrorNamesAllAddresses: whatever was wrong with each of them.
func TestErrorNamesAllAddresses(t *testing.T) {
	t.Parallel()
	const (
		refused = "connection refused"
		todo    = "; start one with 'dialpoint serve', or say with --addr or DIALPOINT_ADDR where it is"
	)
	page := answer(http.StatusOK, "text/html", "<html>")
	for name, test := range map[string]struct {
		first, second http.Handler
		deadline      time.Duration
		took          time.Duration
		code          connect.Code
		want          []string
	}{
		"both refuse": {
			nil, nil, 0, 30 * time.Second, connect.CodeUnavailable,
			[]string{"no Dialpoint service answers at http://a:1: ", refused + ", nor at http://b:1: ", refused + todo + " (tried for 30s)"},
		},
		"one silent": {
			nil, black, 0, 30 * time.Second, connect.CodeUnavailable,
			[]string{"at http://a:1: ", refused + ", nor at http://b:1: it has been silent for ", todo},
		},
		"both silent until a deadline": {
			black, black, 4 * time.Second, 4 * time.Second, connect.CodeUnavailable,
			[]string{"at http://a:1: it has been silent for 2s, nor at http://b:1: ", todo + " (tried for 4s)"},
		},
		"given up after the first": {
			nil, black, time.Second, time.Second, connect.CodeUnavailable,
			[]string{refused + ", nor at http://b:1: context deadline exceeded" + todo},
		},
		"one is something else": {
			page, nil, 0, 30 * time.Second, connect.CodeUnavailable,
			[]string{"at http://a:1: ", "text/html", ", nor at http://b:1: ", refused + todo},
		},
		"both are something else": {
			page, http.NotFoundHandler(), 0, 0, connect.CodeUnimplemented,
			[]string{"at http://a:1: ", "text/html", ", nor at http://b:1: ", "404", todo},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				for host, handler := range map[string]http.Handler{"a:1": test.first, "b:1": test.second} {
					if handler != nil {
						network.serve(t, host, handler)
					}
				}
				ctx, cancel := t.Context(), func() {}
				if test.deadline > 0 {
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
				}
				defer cancel()
				_, err := network.client(t, "http://a:1,http://b:1", 0).Resolve(ctx, client.Request{})
				network.wantElapsed(t, test.took)
				if failure := asError(t, err); failure.Code != test.code || errors.Is(err, context.DeadlineExceeded) != (test.deadline > 0) {
					t.Errorf("got %v, want %s, and a deadline only where there was one", err, test.code)
				}
				wantMessage(t, err.Error(), test.want...)
			})
		})
	}
}

// TestHeldCallIsNotMovedOn: a service that holds a call until its caller gives up is no reason to look elsewhere.
func TestHeldCallIsNotMovedOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		network.serve(t, "a:1", black)
		network.serve(t, "b:1", resolving(endpoints(2)).handler())
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_, err := network.client(t, "http://a:1,http://b:1", 0).Resolve(ctx, client.Request{Wait: time.Minute})
		network.wantElapsed(t, 20*time.Second)
		if asError(t, err).Code != connect.CodeDeadlineExceeded {
			t.Errorf("got %v, want deadline_exceeded", err)
		}
		wantMessage(t, err.Error(), "the call to http://a:1 was given up")
	})
}

// TestWhatTheDeadlineEnds: a service that came late and holds the call answers, and a connection that is not there yet
// does not.
func TestWhatTheDeadlineEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		start   func(*testing.T, *network)
		code    connect.Code
		message string
	}{
		"hold": {
			func(t *testing.T, network *network) { t.Helper(); network.serve(t, "a:1", black) },
			connect.CodeDeadlineExceeded, "the call to http://a:1 was given up: context deadline exceeded",
		},
		"connecting": {
			func(_ *testing.T, network *network) { network.listen("a:1") },
			connect.CodeUnavailable, "no Dialpoint service answers at http://a:1: dial tcp: connect: connection refused; start one",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				time.AfterFunc(2*time.Second, func() { test.start(t, network) })
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				_, err := network.client(t, "http://a:1", 0).Resolve(ctx, client.Request{Wait: time.Minute})
				network.wantElapsed(t, 20*time.Second)
				if asError(t, err).Code != test.code || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v, want %s for the deadline", err, test.code)
				}
				wantMessage(t, err.Error(), test.message)
			})
		})
	}
}

// TestAnswersAreNotRepeated: what a service says counts, whatever another may say.
func TestAnswersAreNotRepeated(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]error{
		"not bound": said(t, connect.CodeUnavailable, info(client.ReasonListenerNotBound)),
		"unknown":   said(t, connect.CodeNotFound, info(client.ReasonListenerUnknown)),
		"internal":  said(t, connect.CodeInternal),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				network.serve(t, "a:1", failing(answer).handler())
				_, err := network.client(t, "http://a:1,http://b:1", 0).Resolve(t.Context(), client.Request{})
				if asError(t, err).Message != "do this" || len(network.tries()) != 1 {
					t.Errorf("got %v after %d connections, want the first answer", err, len(network.tries()))
				}
				network.wantElapsed(t, 0)
			})
		})
	}
}

// TestWatchMovesOn: to the next address when a stream breaks or none comes, without a pause between addresses that were
// not heard.
func TestWatchMovesOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first http.Handler
		want  time.Duration
	}{
		"refuses":      {nil, 0},
		"no service":   {http.NotFoundHandler(), 0},
		"silent":       {black, client.AnswerTimeout},
		"too many":     {failing(said(t, connect.CodeResourceExhausted)).handler(), 0},
		"breaks off":   {watching(bound(1)).handler(), 25 * time.Millisecond},
		"falls silent": {holding(make(chan struct{}, 1), bound(1)).handler(), client.SilenceTimeout + 25*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				if test.first != nil {
					network.serve(t, "a:1", test.first)
				}
				network.serve(t, "b:1", service{
					watch: newBoard(bound(2)).service().watch,
					resolve: func(context.Context, *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
						return &dialpointv1.ResolveEndpointsResponse{Endpoints: endpoints(2)}, nil
					},
				}.handler())
				caller := network.client(t, "http://a:1,http://b:1", 0)
				for update, err := range caller.Watch(t.Context(), client.Request{}) {
					if err != nil {
						t.Error(err)
					}
					if update.GetEndpoints().GetRevision() == 2 {
						break
					}
				}
				network.wantElapsed(t, test.want)
				// The calls that follow go where the watch was heard last.
				tries := len(network.tries())
				if got, err := caller.Resolve(t.Context(), client.Request{}); err != nil || got.GetRevision() != 2 || len(network.tries()) != tries+1 {
					t.Errorf("got %v, %v after %d more connections", got, err, len(network.tries())-tries)
				}
			})
		})
	}
}

// TestWatchWithoutAnyService: where all addresses belong to others, no new try can mend it.
func TestWatchWithoutAnyService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		network.serve(t, "a:1", http.NotFoundHandler())
		network.serve(t, "b:1", answer(http.StatusUnauthorized, "text/html", "<html>"))
		end := firstUpdate(t.Context(), network.client(t, "http://a:1,http://b:1", 0))
		if asError(t, end).Code != connect.CodeUnauthenticated {
			t.Errorf("got %v, want the last of both", end)
		}
		wantMessage(t, end.Error(), "at http://a:1: ", "404", ", nor at http://b:1: ", "401")
		network.wantElapsed(t, 0)
	})
}

// TestWatchEndNamesAllAddresses: also where the context ends amid a round.
func TestWatchEndNamesAllAddresses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		network.serve(t, "b:1", black)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		end := firstUpdate(ctx, network.client(t, "http://a:1,http://b:1", 0))
		network.wantElapsed(t, time.Second)
		if asError(t, end).Code != connect.CodeUnavailable || !errors.Is(end, context.DeadlineExceeded) {
			t.Errorf("got %v, want it unavailable for the deadline", end)
		}
		wantMessage(t, end.Error(), "at http://a:1: dial tcp: connect: connection refused, nor at http://b:1: context deadline exceeded")
	})
}
