//go:build e2e

package e2e_test

import (
	"context"
	"sync"
	"testing"
	"time"
)

// calling starts the good callers, which end with the test.
func (s *target) calling(t *testing.T) (tcp, unix *caller) {
	t.Helper()
	callers := s.newCallers()
	ctx, stop := context.WithCancel(t.Context())
	var calling sync.WaitGroup
	for _, caller := range callers {
		calling.Go(func() { caller.run(ctx) })
	}
	t.Cleanup(func() {
		stop()
		calling.Wait()
	})
	return callers[0], callers[1]
}

// TestE2EFloodOfOneChild: a child with a token begins more calls than the service answers at a time, and ends none. Nobody
// else notices, not even those who come from the same address.
//
//nolint:paralleltest // It takes what the machine has.
func TestE2EFloodOfOneChild(t *testing.T) {
	allowFiles(t, 12_000)
	s := startTarget(t, nil, "")
	tcp, unix := s.calling(t)
	begun := callHeader(resolveProcedure, typeJSON, s.child, 1000) + "{"
	crowd{"a child's": s.open(t.Context(), t, "tcp", 2000, begun)}.stay(t.Context(), t, s, 12*time.Second)
	tcp.wasAnswered(t)
	unix.wasAnswered(t)
}

// TestE2EMoreConnectionsThanAllowed: those that ask nothing make room for those that do.
//
//nolint:paralleltest // It takes what the machine has.
func TestE2EMoreConnectionsThanAllowed(t *testing.T) {
	allowFiles(t, 12_000)
	const allowed = 1000
	s := startTarget(t, nil, ", limits: {calls: 100, streams: 900, streams_per_peer: 500}")
	tcp, unix := s.calling(t)
	for network, caller := range map[string]*caller{"tcp": tcp, "unix": unix} {
		all := s.open(t.Context(), t, network, 5000, "")
		// Whoever is answered after them has been behind all of them in the queue of the socket.
		caller.forget()
		caller.awaitAsked(50)
		if living := all.living(); living > allowed {
			t.Errorf("%d connections over %s are living, and %d are allowed", living, network, allowed)
		}
		t.Logf("%s: %v", network, sizeOf(t, s.PID()))
		all.close()
	}
	tcp.wasAnswered(t)
	unix.wasAnswered(t)
}
