package limit_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/failure"
	"dialpoint/server/limit"
)

const peerHeader = "X-Peer"

func byHeader(r *http.Request) string { return r.Header.Get(peerHeader) }

func isWatch(r *http.Request) limit.Kind {
	if r.URL.Path == dialpointv1connect.EndpointServiceWatchEndpointsProcedure {
		return limit.Stream
	}
	return limit.Call
}

// service answers nothing before it is told to.
type service struct {
	// begun receives a value from each call that was let in.
	begun chan struct{}
	// finish lets all of them end.
	finish  context.Context
	finally context.CancelFunc
	// hold makes a resolve wait as a stream.
	hold bool
}

func newService(t testing.TB) *service {
	t.Helper()
	finish, finally := context.WithCancel(context.Background())
	t.Cleanup(finally)
	return &service{begun: make(chan struct{}, 100), finish: finish, finally: finally}
}

func (s *service) ResolveEndpoints(ctx context.Context, _ *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
	if s.hold {
		if err := limit.Hold(ctx); err != nil {
			return nil, err
		}
	}
	s.begun <- struct{}{}
	select {
	case <-s.finish.Done():
		return &dialpointv1.ResolveEndpointsResponse{}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *service) WatchEndpoints(ctx context.Context, _ *dialpointv1.WatchEndpointsRequest, stream *connect.ServerStream[dialpointv1.WatchEndpointsResponse]) error {
	if err := stream.Send(&dialpointv1.WatchEndpointsResponse{}); err != nil {
		return err
	}
	s.begun <- struct{}{}
	select {
	case <-s.finish.Done():
	case <-ctx.Done():
	}
	return nil
}

// limited serves a service under limits, which end what does not arrive long before patience does.
func limited(t testing.TB, limiter *limit.Limiter, service *service) (url string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(dialpointv1connect.NewEndpointServiceHandler(service))
	return "http://" + serve(t, limit.Patience{Body: time.Hour}.Middleware(limiter.Middleware(mux, byHeader, isWatch)))
}

// caller is an HTTP client that says who it is.
type caller struct {
	*http.Client

	peer string
}

func (c caller) Do(r *http.Request) (*http.Response, error) {
	r.Header.Set(peerHeader, c.peer)
	return c.Client.Do(r)
}

func as(t testing.TB, url, peer string, options ...connect.ClientOption) dialpointv1connect.EndpointServiceClient {
	t.Helper()
	return dialpointv1connect.NewEndpointServiceClient(caller{webClient(t, true), peer}, url, options...)
}

// pending are calls that were let in and are not answered yet.
type pending struct {
	t       testing.TB
	service *service
	group   sync.WaitGroup
}

// pend has the calls answered before the test ends.
func pend(t testing.TB, service *service) *pending {
	t.Helper()
	calls := &pending{t: t, service: service}
	t.Cleanup(calls.end)
	return calls
}

func (p *pending) end() {
	p.service.finally()
	p.group.Wait()
}

func (p *pending) resolve(url, peer string) {
	p.t.Helper()
	client := as(p.t, url, peer)
	p.group.Go(func() {
		if _, err := client.ResolveEndpoints(context.Background(), &dialpointv1.ResolveEndpointsRequest{}); err != nil {
			p.t.Errorf("the call of %s: %v", peer, err)
		}
	})
	<-p.service.begun
}

func (p *pending) watch(url, peer string) {
	p.t.Helper()
	stream, err := as(p.t, url, peer).WatchEndpoints(context.Background(), &dialpointv1.WatchEndpointsRequest{})
	must(p.t, err)
	<-p.service.begun
	p.group.Go(func() {
		for stream.Receive() {
			continue
		}
		if err := stream.Err(); err != nil {
			p.t.Errorf("the watch of %s: %v", peer, err)
		}
		_ = stream.Close()
	})
}

func resolve(t testing.TB, url, peer string, options ...connect.ClientOption) error {
	t.Helper()
	_, err := as(t, url, peer, options...).ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
	return err
}

func watch(t testing.TB, url, peer string, options ...connect.ClientOption) error {
	t.Helper()
	stream, err := as(t, url, peer, options...).WatchEndpoints(t.Context(), &dialpointv1.WatchEndpointsRequest{})
	must(t, err)
	defer func() { _ = stream.Close() }()
	if stream.Receive() {
		return nil
	}
	return stream.Err()
}

// wantExceeded checks an error over a limit in all its parts.
func wantExceeded(t testing.TB, err error, message string) {
	t.Helper()
	failed, ok := connectError(err)
	if !ok || failed.Code() != connect.CodeResourceExhausted {
		t.Fatalf("got %v, want %v", err, connect.CodeResourceExhausted)
	}
	if failed.Message() != message {
		t.Errorf("got message %q, want %q", failed.Message(), message)
	}
	if len(failed.Details()) != 2 {
		t.Fatalf("got %d details, want 2", len(failed.Details()))
	}
	for _, detail := range failed.Details() {
		value, err := detail.Value()
		must(t, err)
		switch value := value.(type) {
		case *errdetails.ErrorInfo:
			if value.GetReason() != limit.ReasonExceeded || value.GetDomain() != failure.Domain {
				t.Errorf("got %v", value)
			}
		case *errdetails.RetryInfo:
			if value.GetRetryDelay().AsDuration() != failure.RetryDelay {
				t.Errorf("got %v", value)
			}
		default:
			t.Errorf("got a detail %v", value)
		}
	}
}
