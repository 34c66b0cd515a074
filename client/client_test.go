package client_test

import (
	"cmp"
	"context"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// wantEqual fails the test unless two messages, or slices of them, are equal.
func wantEqual(tb testing.TB, got, want any) {
	tb.Helper()
	if diff := gocmp.Diff(want, got, protocmp.Transform()); diff != "" {
		tb.Errorf("-want +got:\n%s", diff)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for kind, open := range listen {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			address, _ := serve(t, open(t), resolving(endpoints(7)).handler())
			got, err := connectTo(t, address).Resolve(t.Context(), client.Request{})
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, got, endpoints(7))
		})
	}
}

func TestResolveSendsTheRequest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		request client.Request
		want    *dialpointv1.ResolveEndpointsRequest
	}{
		"zero": {client.Request{}, &dialpointv1.ResolveEndpointsRequest{}},
		"all fields": {
			client.Request{Listener: "l", Channel: "c", Audience: dialpointv1.Audience_AUDIENCE_REMOTE, Wait: 1500 * time.Millisecond},
			&dialpointv1.ResolveEndpointsRequest{
				Listener: "l", Channel: "c", Audience: dialpointv1.Audience_AUDIENCE_REMOTE,
				Wait: &durationpb.Duration{Seconds: 1, Nanos: 500_000_000},
			},
		},
		"a bad wait is left to the service": {
			client.Request{Wait: -time.Second},
			&dialpointv1.ResolveEndpointsRequest{Wait: &durationpb.Duration{Seconds: -1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := make(chan *dialpointv1.ResolveEndpointsRequest, 1)
			address, _ := serve(t, listenUnix(t), service{resolve: func(_ context.Context, request *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
				seen <- request
				return &dialpointv1.ResolveEndpointsResponse{Endpoints: endpoints(1)}, nil
			}}.handler())
			if _, err := connectTo(t, address).Resolve(t.Context(), test.request); err != nil {
				t.Fatal(err)
			}
			wantEqual(t, <-seen, test.want)
		})
	}
}

func TestGetListener(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, listenUnix(t), service{get: func(request *dialpointv1.GetListenerRequest) (*dialpointv1.GetListenerResponse, error) {
		return &dialpointv1.GetListenerResponse{Listener: &dialpointv1.Listener{Name: request.GetListener(), Bind: &dialpointv1.Bind{Host: "::0"}}}, nil
	}}.handler())
	got, err := connectTo(t, address).GetListener(t.Context(), "chat")
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, got, &dialpointv1.Listener{Name: "chat", Bind: &dialpointv1.Bind{Host: "::0"}})
}

func TestListListeners(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]*dialpointv1.Listener{
		"two":  {{Name: "a", Revision: 3}, {Name: "b", Revision: 1}},
		"none": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := serve(t, listenUnix(t), service{list: func() (*dialpointv1.ListListenersResponse, error) {
				return &dialpointv1.ListListenersResponse{Listeners: want}, nil
			}}.handler())
			got, err := connectTo(t, address).ListListeners(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, got, want)
		})
	}
}

// calls is every single call of a client, without its answer.
var calls = map[string]func(context.Context, *client.Client) error{
	"Resolve": func(ctx context.Context, caller *client.Client) error {
		_, err := caller.Resolve(ctx, client.Request{})
		return err
	},
	"GetListener": func(ctx context.Context, caller *client.Client) error {
		_, err := caller.GetListener(ctx, "")
		return err
	},
	"ListListeners": func(ctx context.Context, caller *client.Client) error {
		_, err := caller.ListListeners(ctx)
		return err
	},
	"Watch": func(ctx context.Context, caller *client.Client) error {
		_, wrong, end := collect(ctx, caller)
		return cmp.Or(wrong, end)
	},
	"Source": func(ctx context.Context, caller *client.Client) error {
		source, err := caller.Source(ctx, client.Request{})
		if err == nil {
			source.Close()
		}
		return err
	},
	"Report": func(ctx context.Context, caller *client.Client) error {
		_, err := caller.Report(ctx, client.Report{Port: 9119})
		return err
	},
	"Withdraw": func(ctx context.Context, caller *client.Client) error {
		return caller.Withdraw(ctx, "", "i")
	},
	"Hold": func(ctx context.Context, caller *client.Client) error {
		lease, err := caller.Hold(ctx, client.Report{Port: 9119})
		if err == nil {
			err = lease.Close()
		}
		return err
	},
}

// collect ranges over a watch until it ends or waits for the first time. It returns what the watch brought, what it
// waited for, and its end.
func collect(ctx context.Context, caller *client.Client) (seen []*dialpointv1.WatchEndpointsResponse, wrong, end error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	caller.Waiting = func(err error) {
		wrong = err
		cancel()
	}
	for update, err := range caller.Watch(ctx, client.Request{}) {
		if err != nil {
			end = err
			continue
		}
		seen = append(seen, update)
	}
	return seen, wrong, end
}

// TestHollowAnswers: a caller that got no error has what it asked for.
func TestHollowAnswers(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, listenUnix(t), service{
		resolve: func(context.Context, *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
			return &dialpointv1.ResolveEndpointsResponse{Endpoints: &dialpointv1.Endpoints{}}, nil
		},
		get: func(*dialpointv1.GetListenerRequest) (*dialpointv1.GetListenerResponse, error) {
			return &dialpointv1.GetListenerResponse{}, nil
		},
	}.handler())
	for _, name := range []string{"Resolve", "GetListener"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failure := asError(t, calls[name](t.Context(), connectTo(t, address)))
			if failure.Code != connect.CodeInternal {
				t.Errorf("code %s, want internal", failure.Code)
			}
			wantMessage(t, failure.Message, address, "its answer is empty")
		})
	}
}

// TestClose: connections end there, and the client does not.
func TestClose(t *testing.T) {
	t.Parallel()
	listener := &counting{Listener: listenUnix(t)}
	address, _ := serve(t, listener, resolving(endpoints(1)).handler())
	caller := connectTo(t, address)
	for round := range int32(3) {
		if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
			t.Fatal(err)
		}
		if got := listener.accepted.Load(); got != round+1 {
			t.Errorf("%d connections, want a new one after each Close", got)
		}
		caller.Close()
		caller.Close()
	}
}

// TestServiceRestarts: a client outlives the service it first spoke to.
func TestServiceRestarts(t *testing.T) {
	t.Parallel()
	first := listenUnix(t)
	address, stop := serve(t, first, resolving(endpoints(1)).handler())
	caller := connectOnce(t, address)
	if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
		t.Fatal(err)
	}
	stop()
	if _, err := caller.Resolve(t.Context(), client.Request{}); err == nil {
		t.Fatal("a stopped service answered")
	}
	serve(t, mustListen(t, "unix", first.Addr().String()), resolving(endpoints(2)).handler())
	got, err := caller.Resolve(t.Context(), client.Request{})
	if err != nil || got.GetRevision() != 2 {
		t.Errorf("after the restart: got %v, %v, want revision 2", got, err)
	}
}

func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	const callers, each = 16, 20
	address, _ := serve(t, listenTCP(t), resolving(endpoints(1)).handler())
	caller := connectTo(t, address)
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for range each {
				if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}
