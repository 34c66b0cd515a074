package limit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/limit"
)

func connectError(err error) (*connect.Error, bool) { return errors.AsType[*connect.Error](err) }

// awaitUse returns once so many slots are taken: a caller has its answer before its slot is given back.
func awaitUse(t testing.TB, limiter *limit.Limiter, calls, streams int) {
	t.Helper()
	awaitf(t, func() bool {
		gotCalls, gotStreams := limiter.InUse()
		return gotCalls == calls && gotStreams == streams
	}, "%d calls and %d streams in use", calls, streams)
}

func TestEachLimit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		limits  limit.Limits
		calls   []string
		watches []string
		// What each peer is told that asks while those are open; nothing where it is let in.
		callFull, watchFull map[string]string
	}{
		{
			name:   "calls in all",
			limits: limit.Limits{Calls: 4},
			calls:  []string{"a", "a", "b", "c"},
			callFull: map[string]string{
				"a": "serve.limits.calls is 4, of which one caller may have 2, and this one has so many in flight; ask again later, or raise it",
				"b": "serve.limits.calls is 4, and so many calls are in flight; ask again later, or raise it",
				"d": "serve.limits.calls is 4, and so many calls are in flight; ask again later, or raise it",
			},
			watchFull: map[string]string{"a": "", "d": ""},
		},
		{
			name:   "half of the calls is rounded up",
			limits: limit.Limits{Calls: 5},
			calls:  []string{"a", "a", "a"},
			callFull: map[string]string{
				"a": "serve.limits.calls is 5, of which one caller may have 3, and this one has so many in flight; ask again later, or raise it",
			},
			watchFull: map[string]string{"a": ""},
		},
		{
			name:    "streams in all",
			limits:  limit.Limits{Streams: 3, StreamsPerPeer: 2},
			watches: []string{"a", "b", "b"},
			watchFull: map[string]string{
				"a": "serve.limits.streams is 3, and so many streams are open; ask again later, or raise it",
				"b": "serve.limits.streams_per_peer is 2, and this caller has so many streams open; close some, or raise it",
				"c": "serve.limits.streams is 3, and so many streams are open; ask again later, or raise it",
			},
		},
		{
			name:    "streams of one peer",
			limits:  limit.Limits{Streams: 3, StreamsPerPeer: 1},
			watches: []string{"a"},
			watchFull: map[string]string{
				"a": "serve.limits.streams_per_peer is 1, and this caller has so many streams open; close some, or raise it",
				"b": "",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			limiter := limit.New(test.limits)
			service := newService(t)
			url := limited(t, limiter, service)
			open := pend(t, service)
			for _, peer := range test.calls {
				open.resolve(url, peer)
			}
			for _, peer := range test.watches {
				open.watch(url, peer)
			}
			awaitUse(t, limiter, len(test.calls), len(test.watches))
			for peer, message := range test.callFull {
				wantExceeded(t, resolve(t, url, peer), message)
			}
			for peer, message := range test.watchFull {
				if err := watch(t, url, peer); message != "" {
					wantExceeded(t, err, message)
				} else if err != nil {
					t.Errorf("the watch of %s: %v", peer, err)
				}
			}
			open.end()
			awaitUse(t, limiter, 0, 0)
			for _, peer := range test.calls {
				must(t, resolve(t, url, peer))
			}
		})
	}
}

// TestRefusedInEachProtocol asks with every protocol, for a call and for a stream, while there is room for neither.
func TestRefusedInEachProtocol(t *testing.T) { //nolint:tparallel // the calls that are open end with the test
	t.Parallel()
	limiter := limit.New(limit.Limits{Calls: 1, Streams: 1})
	service := newService(t)
	url := limited(t, limiter, service)
	open := pend(t, service)
	open.resolve(url, "a")
	open.watch(url, "a")
	const (
		calls   = "serve.limits.calls is 1, and so many calls are in flight; ask again later, or raise it"
		streams = "serve.limits.streams is 1, and so many streams are open; ask again later, or raise it"
	)
	for name, options := range map[string][]connect.ClientOption{
		"Connect":       nil,
		"Connect, JSON": {connect.WithProtoJSON()},
		"gRPC":          {connect.WithGRPC()},
		"gRPC-Web":      {connect.WithGRPCWeb()},
	} {
		t.Run(name, func(t *testing.T) {
			err := resolve(t, url, "b", options...)
			wantExceeded(t, err, calls)
			if failed, _ := connectError(err); failed.Meta().Get("Retry-After") != "1" {
				t.Errorf("got Retry-After %q, want 1", failed.Meta().Get("Retry-After"))
			}
			wantExceeded(t, watch(t, url, "b", options...), streams)
		})
	}
	for _, http2 := range []bool{false, true} { //nolint:paralleltest // the calls that are open end with the test
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			t.Run(fmt.Sprintf("%s, HTTP/2 %t", method, http2), func(t *testing.T) {
				request, err := http.NewRequestWithContext(t.Context(), method, url+"/metrics", strings.NewReader("hello"))
				must(t, err)
				response, err := webClient(t, http2).Do(request)
				must(t, err)
				defer func() { _ = response.Body.Close() }()
				var answer struct {
					Code    string `json:"code"`
					Message string `json:"message"`
				}
				must(t, json.NewDecoder(response.Body).Decode(&answer))
				if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") != "1" ||
					answer.Code != "resource_exhausted" || answer.Message != calls {
					t.Errorf("got %s, %v, %+v", response.Status, response.Header, answer)
				}
			})
		}
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	limiter := limit.New(limit.Limits{Calls: 2, Streams: 1})
	service := newService(t)
	url := limited(t, limiter, service)
	open := pend(t, service)
	open.watch(url, "a")
	if err := watch(t, url, "a"); err == nil {
		t.Fatal("there is one stream too many")
	}
	limiter.Set(limit.Limits{Streams: 3})
	open.watch(url, "a")
	open.watch(url, "b")
	limiter.Set(limit.Limits{Streams: 1, StreamsPerPeer: 1})
	awaitUse(t, limiter, 0, 3)
	wantExceeded(t, watch(t, url, "c"), "serve.limits.streams is 1, and so many streams are open; ask again later, or raise it")
	// What was open ends as it should, and is counted until then.
	open.end()
	awaitUse(t, limiter, 0, 0)
	must(t, watch(t, url, "a"))
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]limit.Limits{
		"nothing said": {},
		"nonsense":     {Calls: -1, Streams: -1, StreamsPerPeer: -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, want := limit.MaxConns(limits, 1<<20), 1024+16384; got != want {
				t.Errorf("got %d, want %d", got, want)
			}
			if got, want := limit.Default(limits), (limit.Limits{Calls: 1024, Streams: 16384, StreamsPerPeer: 4096}); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestMaxConns(t *testing.T) {
	t.Parallel()
	limits := limit.Limits{Calls: 100, Streams: 1000}
	for name, test := range map[string]struct {
		files uint64
		want  int
	}{
		"files are plenty":      {1 << 20, 1100},
		"files have no limit":   {^uint64(0), 1100}, // RLIM_INFINITY
		"files are just enough": {1164, 1100},
		"one file is missing":   {1163, 1099},
		"files are few":         {256, 192},
		"one file is left":      {65, 1},
		"there is none left":    {64, 1},
		"there are none":        {0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := limit.MaxConns(limits, test.files); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func TestLimitsWithinFiles(t *testing.T) {
	t.Parallel()
	said := limit.Limits{Calls: 100, Streams: 1000, StreamsPerPeer: 800}
	for name, test := range map[string]struct {
		files uint64
		want  limit.Limits
	}{
		"enough": {1100 + limit.ReservedFiles, said},
		"few":    {400 + limit.ReservedFiles, limit.Limits{Calls: 100, Streams: 300, StreamsPerPeer: 200}},
		"one":    {1, limit.Limits{Calls: 100, Streams: 1, StreamsPerPeer: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := said.Within(test.files); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestPanicGivesTheSlotBack(t *testing.T) {
	t.Parallel()
	limiter := limit.New(limit.Limits{Calls: 1, Streams: 1})
	for name, fails := range map[string]func(context.Context) error{
		"call":      func(context.Context) error { return nil },
		"held call": limit.Hold,
	} {
		handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if err := fails(r.Context()); err != nil {
				t.Error(err)
			}
			panic(http.ErrAbortHandler) //nolint:forbidigo // that is what the test is about
		})
		address := serve(t, limiter.Middleware(handler, onePeer, noStreams))
		for _, http2 := range []bool{false, true} {
			response, err := webClient(t, http2).Get("http://" + address)
			if err == nil {
				_, err = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
			}
			if err == nil {
				t.Errorf("%s: the handler did not panic", name)
			}
			awaitUse(t, limiter, 0, 0)
		}
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	limiter := limit.New(limit.Limits{Calls: 2, Streams: 3, StreamsPerPeer: 2})
	service := newService(t)
	service.hold = true
	url := limited(t, limiter, service)
	open := pend(t, service)
	open.resolve(url, "a")
	open.resolve(url, "a")
	awaitUse(t, limiter, 0, 2)

	err := resolve(t, url, "a")
	wantExceeded(t, err, "serve.limits.streams_per_peer is 2, and this caller has so many streams open; close some, or raise it")
	if failed, _ := connectError(err); failed.Meta().Get("Retry-After") != "1" {
		t.Errorf("got Retry-After %q, want 1", failed.Meta().Get("Retry-After"))
	}
	open.resolve(url, "b")
	wantExceeded(t, resolve(t, url, "c"), "serve.limits.streams is 3, and so many streams are open; ask again later, or raise it")
	// Those that wait are in nobody's way.
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/nothing", http.NoBody)
	must(t, err)
	response, err := caller{webClient(t, false), "a"}.Do(request)
	must(t, err)
	must(t, response.Body.Close())
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("got %s", response.Status)
	}
	awaitUse(t, limiter, 0, 3)
	open.end()
	awaitUse(t, limiter, 0, 0)
}

func TestHoldCountsOnce(t *testing.T) {
	t.Parallel()
	if err := limit.Hold(t.Context()); err != nil {
		t.Errorf("a context of no call: %v", err)
	}
	limiter := limit.New(limit.Limits{Streams: 1})
	for name, isStream := range map[string]func(*http.Request) limit.Kind{"call": noStreams, "stream": everyStream} {
		contexts := make(chan context.Context, 1)
		handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			for range 3 {
				if err := limit.Hold(r.Context()); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if calls, streams := limiter.InUse(); calls != 0 || streams != 1 {
				t.Errorf("%s: %d calls and %d streams are in use, want 0 and 1", name, calls, streams)
			}
			contexts <- r.Context()
		})
		response, err := webClient(t, false).Get("http://" + serve(t, limiter.Middleware(handler, onePeer, isStream)))
		must(t, err)
		must(t, response.Body.Close())
		awaitUse(t, limiter, 0, 0)
		// A context may outlive its call.
		if err := limit.Hold(<-contexts); err != nil {
			t.Errorf("%s: after its end: %v", name, err)
		}
		awaitUse(t, limiter, 0, 0)
	}
}

// A refusal does not wait for the body: a caller that never sends it is told at once.
func TestRefusedBeforeTheBody(t *testing.T) {
	t.Parallel()
	limiter := limit.New(limit.Limits{Calls: 1})
	service := newService(t)
	url := limited(t, limiter, service)
	open := pend(t, service)
	open.resolve(url, "a")
	half := dialHTTP2(t, strings.TrimPrefix(url, "http://"))
	half.request(http.MethodPost, dialpointv1connect.EndpointServiceResolveEndpointsProcedure, false, "content-type", "application/proto")
	if status := half.status(); status != "429" {
		t.Errorf("got status %s, want 429", status)
	}
}
