package api

import (
	"context"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server/listener"
)

// reader is the far end of a stream. While it is stalled, whoever sends to it waits.
type reader struct {
	watch *listener.Watch
	ctx   context.Context //nolint:containedctx // It stands for the stream's.
	end   context.CancelFunc

	mu  sync.Mutex
	got []*dialpointv1.WatchEndpointsResponse
	// stalled is closed when the reader goes on. Nil while it reads.
	stalled chan struct{}
}

func newReader(watch *listener.Watch) *reader {
	ctx, end := context.WithCancel(context.Background())
	return &reader{watch: watch, ctx: ctx, end: end}
}

// Send implements updates.
func (r *reader) Send(update *dialpointv1.WatchEndpointsResponse) error {
	r.mu.Lock()
	r.got = append(r.got, proto.CloneOf(update))
	stalled := r.stalled
	r.mu.Unlock()
	if stalled == nil {
		return nil
	}
	select {
	case <-stalled:
		return nil
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}

func (r *reader) stall() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stalled == nil {
		r.stalled = make(chan struct{})
	}
}

func (r *reader) resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stalled != nil {
		close(r.stalled)
		r.stalled = nil
	}
}

func (r *reader) isStalled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stalled != nil
}

// history is what came, without the heartbeats.
func (r *reader) history() []*dialpointv1.WatchEndpointsResponse {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.got), func(update *dialpointv1.WatchEndpointsResponse) bool {
		return update.GetHeartbeat() != nil
	})
}

// check looks at the whole history. Who is not stalled has the newest state.
func (r *reader) check(t *rapid.T, upToDate bool) {
	history := r.history()
	var revision uint64
	for i, update := range history {
		if i > 0 && sameAnswer(history[i-1], update) {
			t.Errorf("%v came twice", update)
		}
		endpoints := update.GetEndpoints()
		if endpoints == nil {
			continue
		}
		if endpoints.GetRevision() <= revision {
			t.Errorf("revision %d came after %d", endpoints.GetRevision(), revision)
		}
		revision = endpoints.GetRevision()
		for _, url := range []string{endpoints.GetGateway().GetUrl(), endpoints.GetSidecar().GetUrl()} {
			if url == "" || strings.Contains(url, "0.0.0.0") || strings.Contains(url, "[::]") {
				t.Errorf("url = %q", url)
			}
		}
	}
	if newest := stateNow(t, r.watch); upToDate && !sameAnswer(history[len(history)-1], newest) {
		t.Errorf("the newest state, %v, did not arrive after %v", newest, history)
	}
}
