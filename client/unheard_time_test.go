package client_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dialpoint/client"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
)

// TestHoldThatNobodyAnsweredIsWithdrawn: the report may have got in, and its dashboard is gone.
func TestHoldThatNobodyAnsweredIsWithdrawn(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*http.Request){
		"silent":   func(request *http.Request) { <-request.Context().Done() },
		"hangs up": func(*http.Request) { hangUp() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network, service := newNetwork(), newService(t)
				var got atomic.Int32
				network.serve(t, "a:1", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path != dialpointv1connect.ListenerServiceReportListenerProcedure {
						service.Handler().ServeHTTP(w, r)
						return
					}
					service.Handler().ServeHTTP(httptest.NewRecorder(), r)
					got.Add(1)
					end(r)
				}))
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := network.client(t, "http://a:1", 0).Hold(ctx, client.Report{InstanceID: "gone", Port: 9119, TTL: time.Hour})
				if err == nil || got.Load() == 0 {
					t.Fatalf("the error is %v after %d reports", err, got.Load())
				}
				if found := service.Listeners()[0]; found.IsBound() || found.InstanceID != "" {
					t.Errorf("the listener is held by %q, whose dashboard is gone", found.InstanceID)
				}
			})
		})
	}
}
