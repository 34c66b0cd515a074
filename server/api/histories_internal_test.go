package api

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// Promises 1 and 4 of the project in histories by chance, as who watches sees them: the state comes first, revisions
// come in order and none twice, the newest always arrives, no URL holds a wildcard, and a renewal wakes nobody.
func TestPromisesHoldInEveryHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rapid.SyncTest(t, func(t *rapid.T) {
			history := newHistory(t)
			defer history.close()
			t.Repeat(rapid.StateMachineActions(history))
			for _, reader := range history.readers {
				reader.resume()
			}
			synctest.Wait()
			for _, reader := range history.readers {
				reader.check(t, true)
			}
		})
	})
}

type history struct {
	registry  *listener.Registry
	listeners *ListenerService
	endpoints *EndpointService
	readers   []*reader
	following sync.WaitGroup
}

func newHistory(t *rapid.T) *history {
	registry := listener.NewRegistry(1)
	h := &history{
		registry:  registry,
		listeners: NewListenerService(t.Context(), registry),
		endpoints: NewEndpointService(t.Context(), registry),
	}
	h.Reload(t)
	return h
}

func (h *history) close() {
	for _, reader := range h.readers {
		reader.end()
	}
	h.following.Wait()
	h.registry.Close()
}

// Reload puts the default listener on some port, or on none, or takes it away.
func (h *history) Reload(t *rapid.T) {
	var configs []listener.Config
	if rapid.IntRange(0, 5).Draw(t, "keep") > 0 {
		host, err := rules.ParseBindHost("::")
		if err != nil {
			t.Fatal(err)
		}
		configs = []listener.Config{{Name: "default", Listener: rules.Listener{
			Bind: rules.Bind{Text: "::", Host: host, Port: rules.Port(rapid.IntRange(0, 2).Draw(t, "port"))},
		}}}
	}
	if err := h.registry.Configure(configs); err != nil {
		t.Fatal(err)
	}
}

// Report begins, renews or takes over a lease, or is refused.
func (h *history) Report(t *rapid.T) {
	request := reportFor(
		time.Duration(rapid.IntRange(1, 40).Draw(t, "seconds"))*time.Second,
		rapid.SampledFrom([]string{"x", "y"}).Draw(t, "instance"),
		rapid.Uint32Range(1, 2).Draw(t, "port"),
	)
	request.Bind.Host = rapid.SampledFrom([]string{"", "0.0.0.0", "192.0.2.5"}).Draw(t, "host")
	request.Credential = rapid.SampledFrom([]string{"", "c"}).Draw(t, "credential")
	request.Takeover = rapid.Bool().Draw(t, "takeover")
	h.call(t, request)
}

func (h *history) call(t *rapid.T, request *dialpointv1.ReportListenerRequest) {
	if _, err := h.listeners.ReportListener(t.Context(), request); err != nil && !strings.Contains(err.Error(), "listener \"default\"") {
		t.Error(err)
	}
}

// Renew says the same again, if anything was said.
func (h *history) Renew(t *rapid.T) {
	found, _ := h.registry.Snapshot().Get("")
	if found.InstanceID == "" {
		t.Skip("nothing to renew")
	}
	synctest.Wait()
	var before, after []int
	for _, reader := range h.readers {
		before = append(before, len(reader.history()))
	}
	request := reportFor(time.Duration(rapid.IntRange(1, 40).Draw(t, "seconds"))*time.Second, found.InstanceID, uint32(found.Bind.Port))
	request.Bind.Host, request.Credential = found.Bind.Text, found.Auth.Credential.Reveal()
	h.call(t, request)
	synctest.Wait()
	for _, reader := range h.readers {
		after = append(after, len(reader.history()))
	}
	if !slices.Equal(before, after) {
		t.Errorf("a renewal was told: %v became %v", before, after)
	}
}

// Withdraw ends a lease, or is refused.
func (h *history) Withdraw(t *rapid.T) {
	request := &dialpointv1.WithdrawListenerRequest{InstanceId: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "instance")}
	if _, err := h.listeners.WithdrawListener(t.Context(), request); err != nil && !strings.Contains(err.Error(), "listener \"default\"") {
		t.Error(err)
	}
}

// Pass lets time go by, so that leases end and heartbeats are due.
func (h *history) Pass(t *rapid.T) {
	<-time.After(time.Duration(rapid.IntRange(0, 40).Draw(t, "seconds")) * time.Second)
}

// Watch opens one more stream.
func (h *history) Watch(t *rapid.T) {
	reader := newReader(h.registry.Watch(""))
	h.readers = append(h.readers, reader)
	h.following.Go(func() {
		_ = h.endpoints.follow(reader.ctx, reader.watch, rapidCaller, reader)
		reader.watch.Close()
	})
	synctest.Wait()
	if first := reader.history(); len(first) != 1 || !proto.Equal(first[0], stateNow(t, reader.watch)) {
		t.Errorf("the state did not come first: %v", first)
	}
}

var rapidCaller = rules.Caller{Audience: rules.Local, Channel: "c"}

// Stall makes a reader stop reading, and Resume makes it go on.
func (h *history) Stall(t *rapid.T) { h.pick(t).stall() }

// Resume is the end of Stall.
func (h *history) Resume(t *rapid.T) { h.pick(t).resume() }

func (h *history) pick(t *rapid.T) *reader {
	if len(h.readers) == 0 {
		t.Skip("nobody watches")
	}
	return rapid.SampledFrom(h.readers).Draw(t, "reader")
}

// Check looks at what each reader has got so far.
func (h *history) Check(t *rapid.T) {
	synctest.Wait()
	for _, reader := range h.readers {
		reader.check(t, !reader.isStalled())
	}
}

func stateNow(t *rapid.T, watch *listener.Watch) *dialpointv1.WatchEndpointsResponse {
	update, err := updateNow(watch, rapidCaller)
	if err != nil {
		t.Fatal(err)
	}
	return update
}
