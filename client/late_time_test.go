package client_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	"dialpoint/client"
	"dialpoint/server"
)

// lateReports handles each report after so long, even where its caller has gone.
func lateReports(service *server.Server, after time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if isReport(request) {
			pass(after)
		}
		service.Handler().ServeHTTP(w, request.WithContext(context.WithoutCancel(request.Context())))
	})
}

func isReport(request *http.Request) bool {
	return strings.HasSuffix(request.URL.Path, "/ReportListener")
}

// TestHoldIsGivenUpAmidAReport: it must not get in after the withdrawal.
func TestHoldIsGivenUpAmidAReport(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"cancelled": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(100*time.Millisecond, cancel)
			return ctx, cancel
		},
		"deadline": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 100*time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network, service := newNetwork(), newService(t)
				caller := network.client(t, network.at(t, "a", lateReports(service, 500*time.Millisecond)), 0)
				ctx, cancel := end(t.Context())
				defer cancel()
				_, err := caller.Hold(ctx, client.Report{Port: 9119, TTL: time.Hour})
				network.wantElapsed(t, 500*time.Millisecond)
				if !errors.Is(err, ctx.Err()) {
					t.Errorf("the error is %v, want that it was %v", err, ctx.Err())
				}
				pass(time.Second)
				wantHeld(t, service, "", 0)
			})
		})
	}
}

// TestNoReportAfterTheEnd: one that comes to nothing then is not followed by one to the next service.
func TestNoReportAfterTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, service := newNetwork(), newService(t)
		first, second := newStage(service.Handler()), newStage(service.Handler())
		addresses := network.at(t, "a", first) + "," + network.at(t, "b", second)
		lease := mustHold(t, network.client(t, addresses, 0), client.Report{Port: 9119})
		first.set(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
			if isReport(request) {
				pass(time.Second)
			}
			hangUp()
		}))
		second.set(lateReports(service, time.Second))
		pass(5*time.Second + 100*time.Millisecond)
		if err := lease.Close(); err != nil {
			t.Error(err)
		}
		network.wantElapsed(t, 6*time.Second)
		pass(2 * time.Second)
		wantHeld(t, service, "", 0)
	})
}

// TestRefusedAfterTheEnd: a lease that was given up is not lost as well.
func TestRefusedAfterTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, service := newNetwork(), newService(t)
		stage := newStage(service.Handler())
		lease := mustHold(t, network.client(t, network.at(t, "a", stage), 0), client.Report{Port: 9119})
		held := refusing(t, connect.CodeAborted, client.ReasonListenerHeld)
		stage.set(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			pass(500 * time.Millisecond)
			held.ServeHTTP(w, request)
		}))
		pass(5*time.Second + 100*time.Millisecond)
		if err := lease.Close(); err != nil {
			t.Error(err)
		}
		if err := lease.Err(); err != nil {
			t.Errorf("it is closed, and lost: %v", err)
		}
	})
}
