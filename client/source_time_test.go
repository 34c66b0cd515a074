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
)

// TestSourceWaitsForEndpoints: an answer that there are none is not what it waits for, and no update either.
func TestSourceWaitsForEndpoints(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		board := newBoard(unavailable(client.ReasonListenerNotBound))
		time.AfterFunc(3*time.Second, func() { network.serve(t, "a:1", board.service().handler()) })
		time.AfterFunc(20*time.Second, func() { board.post(bound(1)) })
		source := mustSource(t, network.client(t, "http://a:1", 0))
		network.wantElapsed(t, 20*time.Second)
		wantRevision(t, source, 1)
		if hasNotice(source) {
			t.Error("the first value counts as an update")
		}
	})
}

// notBound is a service of a listener that never is. It must be made in the bubble that it is used in, as all channels.
func notBound() http.Handler {
	return newBoard(unavailable(client.ReasonListenerNotBound)).service().handler()
}

func silent() http.Handler { return black }

// TestSourceInVain: it gives up in time, and says what was wrong last.
func TestSourceInVain(t *testing.T) {
	t.Parallel()
	const todo = "; start one with 'dialpoint serve', or say with --addr or DIALPOINT_ADDR where it is"
	forbidden := failing(said(t, connect.CodePermissionDenied, info(client.ReasonPeerForbidden)))
	for name, test := range map[string]struct {
		service            func() http.Handler
		patience, deadline time.Duration
		took               time.Duration
		code               connect.Code
		reason             client.Reason
		message            string
	}{
		"no service":              {nil, 0, 0, 30 * time.Second, connect.CodeUnavailable, "", "no Dialpoint service answers at http://a:1: dial tcp: connect: connection refused, nor at http://b:1: dial tcp: connect: connection refused" + todo + " (tried for 30s)"},
		"no service, patience":    {nil, time.Second, 0, time.Second, connect.CodeUnavailable, "", "nor at http://b:1: dial "},
		"no service, deadline":    {nil, 0, 50 * time.Second, 50 * time.Second, connect.CodeUnavailable, "", "(tried for 50s)"},
		"no service, no patience": {nil, -1, 0, 0, connect.CodeUnavailable, "", "nor at http://b:1: dial "},
		"not bound":               {notBound, 0, 0, 30 * time.Second, connect.CodeUnavailable, client.ReasonListenerNotBound, "m (tried for 30s)"},
		"not bound, deadline":     {notBound, 0, 5 * time.Second, 5 * time.Second, connect.CodeUnavailable, client.ReasonListenerNotBound, "m (tried for 5s)"},
		"not bound, no patience":  {notBound, -1, 0, 0, connect.CodeUnavailable, client.ReasonListenerNotBound, "m"},
		"silent":                  {silent, 0, 0, 30 * time.Second, connect.CodeUnavailable, "", "at http://a:1: it has been silent for 10s, nor at http://b:1: dial "},
		"silent, short":           {silent, 0, 5 * time.Second, 5 * time.Second, connect.CodeUnavailable, "", "at http://a:1: it has not answered yet, nor at http://b:1: it has not answered yet" + todo},
		"silent, no patience":     {silent, -1, 0, client.AnswerTimeout, connect.CodeUnavailable, "", "at http://a:1: it has been silent for 10s, nor at http://b:1: dial "},
		"forbidden":               {forbidden.handler, 0, 0, 0, connect.CodePermissionDenied, client.ReasonPeerForbidden, "do this"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				if test.service != nil {
					network.serve(t, "a:1", test.service())
				}
				caller := network.client(t, "http://a:1,http://b:1", 0)
				caller.Patience = test.patience
				ctx, cancel := t.Context(), func() {}
				if test.deadline > 0 {
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
				}
				defer cancel()
				source, err := caller.Source(ctx, client.Request{})
				network.wantElapsed(t, test.took)
				if failure := asError(t, err); source != nil || failure.Code != test.code || failure.Reason != test.reason {
					t.Errorf("got %v, %v, want %s, %s", source, err, test.code, test.reason)
				}
				if late := test.deadline > 0; errors.Is(err, context.DeadlineExceeded) != late {
					t.Errorf("%v matches context.DeadlineExceeded: %v, want %v", err, !late, late)
				}
				wantMessage(t, err.Error(), test.message)
			})
		})
	}
}

// TestSourceSaysWhatWasWrongLast: whether the service answers counts as it is at the end.
func TestSourceSaysWhatWasWrongLast(t *testing.T) {
	t.Parallel()
	forbidden := failing(said(t, connect.CodePermissionDenied, info(client.ReasonPeerForbidden)))
	for name, test := range map[string]struct {
		// first is there until 5 s, then from 8 s on.
		first, then func() http.Handler
		reason      client.Reason
	}{
		"service is away":                    {notBound, nil, ""},
		"service has come back with no news": {notBound, notBound, client.ReasonListenerNotBound},
		"service has come and refuses":       {nil, forbidden.handler, client.ReasonPeerForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				if test.first != nil {
					time.AfterFunc(5*time.Second, network.serve(t, "a:1", test.first()))
				}
				if test.then != nil {
					time.AfterFunc(8*time.Second, func() { network.serve(t, "a:1", test.then()) })
				}
				_, err := network.client(t, "http://a:1", 0).Source(t.Context(), client.Request{})
				if client.ReasonOf(err) != test.reason {
					t.Errorf("got %v, want the reason %q", err, test.reason)
				}
			})
		})
	}
}

// TestSourceIsCanceled: at once, with what it was waiting for.
func TestSourceIsCanceled(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		service func() http.Handler
		message string
	}{
		"no service": {nil, "no Dialpoint service answers at http://a:1: dial "},
		"silent":     {silent, "no Dialpoint service answers at http://a:1: it has not answered yet"},
		"not bound":  {notBound, "canceled (LISTENER_NOT_BOUND): m"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				if test.service != nil {
					network.serve(t, "a:1", test.service())
				}
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(4*time.Second+time.Millisecond, cancel)
				_, err := network.client(t, "http://a:1", 0).Source(ctx, client.Request{})
				network.wantElapsed(t, 4*time.Second+time.Millisecond)
				if asError(t, err).Code != connect.CodeCanceled || !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want it canceled", err)
				}
				wantMessage(t, err.Error(), test.message)
			})
		})
	}
}

// TestUpdatedHoldsOneNotice: of any number of changes, after which the newest is there.
func TestUpdatedHoldsOneNotice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		board := newBoard(bound(1))
		network.serve(t, "a:1", board.service().handler())
		source := mustSource(t, network.client(t, "http://a:1", 0))
		for revision := uint64(2); revision <= 5; revision++ {
			board.post(bound(revision))
			synctest.Wait()
			wantRevision(t, source, revision)
		}
		if !hasNotice(source) || hasNotice(source) {
			t.Error("want one notice of four changes")
		}
	})
}

// TestSourceStaysWithTheLast: for as long as the service is away, and no longer.
func TestSourceStaysWithTheLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		stop := network.serve(t, "a:1", newBoard(bound(1)).service().handler())
		source := mustSource(t, network.client(t, "http://a:1", 1))
		stop()
		pass(time.Hour)
		wantRevision(t, source, 1)
		if hasNotice(source) {
			t.Error("that the service is away counts as an update")
		}
		network.serve(t, "a:1", newBoard(bound(2)).service().handler())
		back := network.elapsed()
		<-source.Updated()
		if late := network.elapsed() - back; late > 2*time.Second {
			t.Errorf("the new endpoints came %v after the service", late)
		}
		wantRevision(t, source, 2)
	})
}

// TestCloseWhileTheServiceHangs: nothing has to come from it.
func TestCloseWhileTheServiceHangs(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]time.Duration{
		"in a stream":              time.Second,
		"in a silent stream":       client.SilenceTimeout - 1,
		"while it is tried again":  client.SilenceTimeout + time.Second,
		"between one try and next": client.SilenceTimeout + client.AnswerTimeout + 30*time.Millisecond,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				stop := network.serve(t, "a:1", holding(make(chan struct{}, 1), bound(1)).handler())
				source := mustSource(t, network.client(t, "http://a:1", 0))
				time.AfterFunc(client.SilenceTimeout, func() {
					stop()
					network.serve(t, "a:1", black)
				})
				pass(after)
				source.Close()
				network.wantElapsed(t, after)
				if _, err := source.Endpoints(); asError(t, err).Code != connect.CodeCanceled {
					t.Errorf("got %v, want it canceled", err)
				}
			})
		})
	}
}
