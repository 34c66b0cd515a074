package client_test

import (
	"net/http"
	"path"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dialpoint/client"
	"dialpoint/server"
)

// newService is a real service of the default listener, which answers everybody.
func newService(tb testing.TB) *server.Server {
	tb.Helper()
	service, err := server.New(server.WithListener(server.Listener{}), server.WithTrustedCallers(), server.WithAllowedHosts("a", "b"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(service.Close)
	return service
}

// holder is what a service knows of its listener: who holds it, on which port. Port 0 is that nobody does.
type holder struct {
	instance string
	port     int
}

func holderOf(service *server.Server) holder {
	known := service.Listeners()[0]
	return holder{known.InstanceID, int(known.Bind.Port)}
}

// journal notes when each procedure was called in a network.
type journal struct {
	network *network
	next    http.Handler

	mu    sync.Mutex
	calls map[string][]time.Duration
}

func (n *network) journal(next http.Handler) *journal {
	return &journal{network: n, next: next, calls: map[string][]time.Duration{}}
}

func (j *journal) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	j.mu.Lock()
	procedure := path.Base(request.URL.Path)
	j.calls[procedure] = append(j.calls[procedure], j.network.elapsed())
	j.mu.Unlock()
	j.next.ServeHTTP(w, request)
}

// of is when a procedure was called up to now.
func (j *journal) of(procedure string) []time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.calls[procedure]
}

// stage is a service in whose place another can step, on the connections that there are.
type stage struct{ now atomic.Pointer[http.Handler] }

func newStage(first http.Handler) *stage {
	stage := new(stage)
	stage.set(first)
	return stage
}

func (s *stage) set(next http.Handler) { s.now.Store(&next) }

func (s *stage) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	(*s.now.Load()).ServeHTTP(w, request)
}

// mustHold has a client hold the listener until the test ends.
func mustHold(t *testing.T, caller *client.Client, report client.Report) *client.Lease {
	t.Helper()
	lease, err := caller.Hold(t.Context(), report)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lease.Close() })
	return lease
}

// wantHeld fails the test unless this is who holds the listener.
func wantHeld(t *testing.T, service *server.Server, instance string, port int) {
	t.Helper()
	if got, want := holderOf(service), (holder{instance, port}); got != want {
		t.Errorf("the listener is held by %v, want %v", got, want)
	}
}

// wantLive fails the test if a lease is over.
func wantLive(t *testing.T, lease *client.Lease) {
	t.Helper()
	select {
	case <-lease.Done():
		t.Errorf("the lease is over: %v", lease.Err())
	default:
		if err := lease.Err(); err != nil {
			t.Errorf("the lease lives and has error %v", err)
		}
	}
}

// at is where a handler answers in a network, at a host.
func (n *network) at(t *testing.T, host string, handler http.Handler) (address string) {
	t.Helper()
	n.serve(t, host+":1", handler)
	return "http://" + host + ":1"
}
