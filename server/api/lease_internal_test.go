package api

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// reportFor is a report of the default listener for a time.
func reportFor(ttl time.Duration, instance string, port uint32) *dialpointv1.ReportListenerRequest {
	return &dialpointv1.ReportListenerRequest{
		Bind: &dialpointv1.Bind{Host: "0.0.0.0", Port: port}, InstanceId: instance, Ttl: durationpb.New(ttl),
	}
}

// Each change of a lease reaches a watch at its very instant, once. Renewals do not, and heartbeats go on.
func TestWatchIsToldOfLeases(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := registryOf(t, 0)
		t.Cleanup(registry.Close)
		service := NewListenerService(t.Context(), registry)
		var sent recorder
		follow(t, registry, &sent)
		report := func(request *dialpointv1.ReportListenerRequest) {
			if _, err := service.ReportListener(t.Context(), request); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		pass := func(d time.Duration) {
			<-time.After(d)
			synctest.Wait()
		}
		report(reportFor(10*time.Second, "a", 1))
		for range 3 {
			pass(9 * time.Second)
			report(reportFor(10*time.Second, "a", 1))
		}
		pass(12 * time.Second)
		report(reportFor(time.Second, "b", 2))
		takeover := reportFor(5*time.Second, "c", 2)
		takeover.Takeover = true
		report(takeover)
		pass(time.Minute)
		const first, second = "ws://127.0.0.1:1/api/ws", "ws://127.0.0.1:2/api/ws"
		sent.want(t,
			[]string{"LISTENER_NOT_BOUND", first, "heartbeat", "heartbeat", "LISTENER_NOT_BOUND", second, second, "LISTENER_NOT_BOUND", "heartbeat", "heartbeat", "heartbeat"},
			seconds(0, 0, 15, 30, 37, 39, 39, 44, 59, 74, 89))
	})
}

func seconds(at ...int) []time.Duration {
	durations := make([]time.Duration, len(at))
	for i := range at {
		durations[i] = time.Duration(at[i]) * time.Second
	}
	return durations
}

// Who is refused is told to come back when the lease ends, but not after more than 15 seconds: the holder may be gone by
// then.
func TestRetryIsTheTimeLeft(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ ttl, after, want time.Duration }{
		"all of it":     {10 * time.Second, 0, 10 * time.Second},
		"some of it":    {10 * time.Second, 7 * time.Second, 3 * time.Second},
		"a nanosecond":  {10 * time.Second, 10*time.Second - 1, 1},
		"more than 15s": {time.Hour, time.Minute, 15 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				registry := registryOf(t, 0)
				t.Cleanup(registry.Close)
				service := NewListenerService(t.Context(), registry)
				if _, err := service.ReportListener(t.Context(), reportFor(test.ttl, "a", 1)); err != nil {
					t.Fatal(err)
				}
				<-time.After(test.after)
				_, err := service.ReportListener(t.Context(), reportFor(time.Second, "b", 1))
				if got := retryDelay(t, err); got != test.want {
					t.Errorf("retry in %v, want %v", got, test.want)
				}
			})
		})
	}
}

func retryDelay(t *testing.T, err error) time.Duration {
	t.Helper()
	failure, is := errors.AsType[*connect.Error](err)
	if !is || failure.Code() != connect.CodeAborted {
		t.Fatalf("error = %v, want ABORTED", err)
	}
	for _, detail := range failure.Details() {
		value, err := detail.Value()
		if retry, is := value.(*errdetails.RetryInfo); is && err == nil {
			return retry.GetRetryDelay().AsDuration()
		}
	}
	t.Fatalf("error %v has no RetryInfo", err)
	return 0
}

// Health and a listing show a lease to its last nanosecond, and not after it.
func TestListingShowsTheLeaseToItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := registryOf(t, 9119)
		t.Cleanup(registry.Close)
		service := NewListenerService(t.Context(), registry)
		reported, err := service.ReportListener(t.Context(), reportFor(time.Minute, "a", 1))
		if err != nil {
			t.Fatal(err)
		}
		ends := time.Now().Add(time.Minute)
		if got := reported.GetListener().GetLeaseExpireTime().AsTime(); !got.Equal(ends) {
			t.Errorf("the lease ends at %v, want %v", got, ends)
		}
		<-time.After(time.Minute - 1)
		if got := onlyListener(t, service); got.GetInstanceId() != "a" || !got.GetLeaseExpireTime().AsTime().Equal(ends) {
			t.Errorf("listener = %v a nanosecond before the end", got)
		}
		<-time.After(1)
		synctest.Wait()
		got := onlyListener(t, service)
		if got.GetInstanceId() != "" || got.GetLeaseExpireTime() != nil || got.GetBindSource() != dialpointv1.BindSource_BIND_SOURCE_CONFIG {
			t.Errorf("listener = %v at the end", got)
		}
	})
}

func onlyListener(t *testing.T, service *ListenerService) *dialpointv1.Listener {
	t.Helper()
	response, err := service.ListListeners(context.Background(), &dialpointv1.ListListenersRequest{})
	if err != nil || len(response.GetListeners()) != 1 {
		t.Fatalf("listeners = %v, error %v", response, err)
	}
	return response.GetListeners()[0]
}
