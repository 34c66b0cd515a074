package api_test

import (
	"fmt"
	"strings"
	"testing"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server/rules"
)

// stream is an open watch.
type stream = connect.ServerStreamForClient[dialpointv1.WatchEndpointsResponse]

func watch(t *testing.T, service *service, request *dialpointv1.WatchEndpointsRequest) *stream {
	t.Helper()
	stream, err := service.endpoints.WatchEndpoints(t.Context(), request)
	must(t, err)
	t.Cleanup(func() { _ = stream.Close() })
	return stream
}

func next(t *testing.T, stream *stream) *dialpointv1.WatchEndpointsResponse {
	t.Helper()
	if !stream.Receive() {
		t.Fatalf("the stream ended: %v", stream.Err())
	}
	return stream.Msg()
}

func wantURL(t *testing.T, update *dialpointv1.WatchEndpointsResponse, url string, revision uint64) {
	t.Helper()
	endpoints := update.GetEndpoints()
	if endpoints.GetGateway().GetBareUrl() != url || endpoints.GetRevision() != revision {
		t.Errorf("update = %v, want %s at revision %d", update, url, revision)
	}
}

func wantUnavailable(t *testing.T, update *dialpointv1.WatchEndpointsResponse, reason string) {
	t.Helper()
	if got := update.GetUnavailable(); got.GetReason() != reason || !strings.Contains(got.GetMessage(), `listener "default"`) {
		t.Errorf("update = %v, want unavailable for %s of the default listener", update, reason)
	}
	if strings.Contains(update.String(), "wait") {
		t.Errorf("update = %v: a watch cannot ask with wait", update)
	}
}

func TestWatchSendsStateFirstThenEachChange(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, unbound())
	stream := watch(t, service, &dialpointv1.WatchEndpointsRequest{})
	wantUnavailable(t, next(t, stream), "LISTENER_NOT_BOUND")

	configure(t, service.registry, bound(t, "0.0.0.0"))
	wantURL(t, next(t, stream), "ws://127.0.0.1:9119/api/ws", firstRevision+2)

	moved := bound(t, "192.0.2.5")
	moved.Bind.Port = 9443
	configure(t, service.registry, moved)
	wantURL(t, next(t, stream), "ws://192.0.2.5:9443/api/ws", firstRevision+3)

	configure(t, service.registry)
	wantUnavailable(t, next(t, stream), "LISTENER_UNKNOWN")

	configure(t, service.registry, moved)
	wantURL(t, next(t, stream), "ws://192.0.2.5:9443/api/ws", firstRevision+5)
}

func TestWatchErrors(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, unbound())
	tests := map[string]struct {
		request *dialpointv1.WatchEndpointsRequest
		code    connect.Code
		reason  string
	}{
		"no such listener": {&dialpointv1.WatchEndpointsRequest{Listener: "nobody"}, connect.CodeNotFound, "LISTENER_UNKNOWN"},
		"bad channel":      {&dialpointv1.WatchEndpointsRequest{Channel: "/"}, connect.CodeInvalidArgument, "FIELD_INVALID"},
		"bad audience":     {&dialpointv1.WatchEndpointsRequest{Audience: -1}, connect.CodeInvalidArgument, "FIELD_INVALID"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream := watch(t, service, test.request)
			if stream.Receive() {
				t.Fatalf("update = %v, want an error", stream.Msg())
			}
			if code, reason := connect.CodeOf(stream.Err()), reasonOf(t, stream.Err()); code != test.code || reason != test.reason {
				t.Errorf("code = %v, reason = %q, want %v and %q", code, reason, test.code, test.reason)
			}
		})
	}
}

func TestWatchTellsThatTheServiceStops(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, bound(t, "0.0.0.0"))
	stream := watch(t, service, &dialpointv1.WatchEndpointsRequest{})
	next(t, stream)
	service.drain()
	if stream.Receive() {
		t.Fatalf("update = %v, want the end", stream.Msg())
	}
	if code, reason := connect.CodeOf(stream.Err()), reasonOf(t, stream.Err()); code != connect.CodeUnavailable || reason != "SHUTTING_DOWN" {
		t.Errorf("code = %v, reason = %q", code, reason)
	}
}

func TestWatchOfARemoteCaller(t *testing.T) {
	t.Parallel()
	service := serve(t, from("192.0.2.77:40000", "192.0.2.10:9118"), bound(t, "127.0.0.1"))
	stream := watch(t, service, &dialpointv1.WatchEndpointsRequest{Channel: "c"})
	wantUnavailable(t, next(t, stream), "LISTENER_NOT_REACHABLE")
	configure(t, service.registry, bound(t, "0.0.0.0"))
	update := next(t, stream)
	wantURL(t, update, "ws://192.0.2.10:9119/api/ws", firstRevision+2)
	if got := update.GetEndpoints().GetExplanation().GetRule(); got != dialpointv1.Rule_RULE_WILDCARD_TO_REACHED_ADDRESS {
		t.Errorf("rule = %v", got)
	}
}

func TestWatchLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, bound(t, "0.0.0.0"))
	stream := watch(t, service, &dialpointv1.WatchEndpointsRequest{})
	next(t, stream)
	must(t, stream.Close())
	for service.registry.Watches() > 0 {
		if t.Context().Err() != nil {
			t.Fatal("the watch is still there")
		}
	}
}

// Watch promise: revisions in order, none twice, the newest always arrives.
func TestWatchersSeeRevisionsInOrderAndTheNewest(t *testing.T) {
	t.Parallel()
	const watchers, changes = 8, 200
	service := serve(t, nil, bound(t, "0.0.0.0"))
	seen := make(chan error, watchers)
	for range watchers {
		stream := watch(t, service, &dialpointv1.WatchEndpointsRequest{})
		next(t, stream)
		go func() { seen <- followTo(stream, firstRevision+1+changes) }()
	}
	for i := range changes {
		config := bound(t, "0.0.0.0")
		config.Bind.Port = rules.Port(10000 + i)
		configure(t, service.registry, config)
	}
	for range watchers {
		if err := <-seen; err != nil {
			t.Error(err)
		}
	}
}

// followTo reads a stream up to a revision. The port says which change a message is of.
func followTo(stream *stream, last uint64) error {
	var before uint64
	for stream.Receive() {
		endpoints := stream.Msg().GetEndpoints()
		revision := endpoints.GetRevision()
		if revision <= before {
			return fmt.Errorf("revision %d came after %d", revision, before)
		}
		if got, want := uint64(endpoints.GetExplanation().GetBindPort()), 10000+revision-firstRevision-2; got != want {
			return fmt.Errorf("revision %d has port %d, want %d", revision, got, want)
		}
		if revision == last {
			return nil
		}
		before = revision
	}
	return fmt.Errorf("ended at revision %d of %d: %w", before, last, stream.Err())
}
