package limit_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/limit"
)

func awaitArriving(t testing.TB, limiter *limit.Limiter, want int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); limiter.Arriving() != want; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d requests are awaited, want %d", limiter.Arriving(), want)
		}
	}
}

// slow sends the bodies of requests once it is told to.
type slow struct {
	next http.RoundTripper
	send chan struct{}
}

type slowBody struct {
	io.ReadCloser

	send chan struct{}
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Body = slowBody{r.Body, s.send}
	return s.next.RoundTrip(r)
}

func (s slowBody) Read(p []byte) (int, error) {
	<-s.send
	return s.ReadCloser.Read(p)
}

const half = "POST " + dialpointv1connect.EndpointServiceResolveEndpointsProcedure +
	" HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"

// Who announces bodies and sends none keeps nobody out, however many they are.
func TestHalfOpenRequestsTakeNoSlots(t *testing.T) {
	t.Parallel()
	const most, many = 4, 50
	limiter := limit.New(limit.Limits{Calls: most})
	service := newService(t)
	service.finally()
	url := limited(t, limiter, service)
	address := strings.TrimPrefix(url, "http://")
	first := dial(t, address)
	_, err := io.WriteString(first, half)
	must(t, err)
	awaitArriving(t, limiter, 1)
	for count := range many {
		conn := dial(t, address)
		_, err := io.WriteString(conn, half)
		must(t, err)
		awaitArriving(t, limiter, min(count+2, most))
		if err := resolve(t, url, ""); err != nil {
			t.Fatalf("a whole request beside half ones: %v", err)
		}
		if arriving := limiter.Arriving(); arriving > most {
			t.Fatalf("%d requests are awaited, want at most %d", arriving, most)
		}
	}
	// The last whole request has ended one more of the others, and is answered.
	awaitArriving(t, limiter, most-1)
	// The one that has had most time is ended.
	wantClosed(t, first)
	awaitUse(t, limiter, 0, 0)
}

// A request that finds no slot once it is here is told what it would have been told before.
func TestRefusedOnArrival(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]connect.ClientOption{
		"Connect":  nil,
		"gRPC":     {connect.WithGRPC()},
		"gRPC-Web": {connect.WithGRPCWeb()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limiter := limit.New(limit.Limits{Calls: 2, Streams: 1})
			service := newService(t)
			url := limited(t, limiter, service)
			send := make(chan struct{})
			client := webClient(t, true)
			client.Transport = slow{client.Transport, send}
			late := dialpointv1connect.NewEndpointServiceClient(caller{client, "late"}, url, options...)
			resolved, watched := make(chan error, 1), make(chan error, 1)
			go func() {
				_, err := late.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Channel: "c"})
				resolved <- err
			}()
			awaitArriving(t, limiter, 1)
			open := pend(t, service)
			open.resolve(url, "a")
			open.resolve(url, "b")
			open.watch(url, "a")
			close(send)
			wantExceeded(t, <-resolved, "serve.limits.calls is 2, and so many calls are in flight; ask again later, or raise it")
			go func() { watched <- watch(t, url, "late", options...) }()
			wantExceeded(t, <-watched, "serve.limits.streams is 1, and so many streams are open; ask again later, or raise it")
			awaitUse(t, limiter, 2, 1)
			awaitArriving(t, limiter, 0)
		})
	}
}

// A stream that finds no slot on arrival is told so as well.
func TestWatchRefusedOnArrival(t *testing.T) {
	t.Parallel()
	limiter := limit.New(limit.Limits{Streams: 1})
	service := newService(t)
	url := limited(t, limiter, service)
	send := make(chan struct{})
	client := webClient(t, true)
	client.Transport = slow{client.Transport, send}
	late := dialpointv1connect.NewEndpointServiceClient(caller{client, "late"}, url)
	watched := make(chan error, 1)
	go func() {
		stream, err := late.WatchEndpoints(t.Context(), &dialpointv1.WatchEndpointsRequest{})
		if err == nil {
			stream.Receive()
			err = stream.Err()
			_ = stream.Close()
		}
		watched <- err
	}()
	awaitArriving(t, limiter, 1)
	pend(t, service).watch(url, "a")
	close(send)
	wantExceeded(t, <-watched, "serve.limits.streams is 1, and so many streams are open; ask again later, or raise it")
}
