package server

import (
	"context"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
)

// statusServiceUnknown is SERVICE_UNKNOWN of grpc.health.v1, which only a watch sends. The library has no name for it.
const statusServiceUnknown grpchealth.Status = 3

// healthWatch is health as a watch shows it. The protocol keeps a watch of an unknown service open, with a status of
// its own, since the service may come to be known; a check of it is an error.
type healthWatch struct{ *health }

var _ grpchealth.Watcher = healthWatch{}

// Check implements [grpchealth.Checker] for what a watch sends.
func (h healthWatch) Check(ctx context.Context, request *grpchealth.CheckRequest) (*grpchealth.CheckResponse, error) {
	response, err := h.health.Check(ctx, request)
	if connect.CodeOf(err) == connect.CodeNotFound {
		return &grpchealth.CheckResponse{Status: statusServiceUnknown}, nil
	}
	return response, err
}

// Watch implements [grpchealth.Watcher].
func (h healthWatch) Watch(_ context.Context, _ *grpchealth.CheckRequest, onChange func()) (func(), error) {
	key := &onChange
	h.mu.Lock()
	h.watchers[key] = struct{}{}
	h.mu.Unlock()
	stopped := make(chan struct{})
	go h.relay(onChange, stopped)
	return func() {
		close(stopped)
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers, key)
	}, nil
}

// relay passes on that a listener changed, or that the server stops.
func (h healthWatch) relay(onChange func(), stopped <-chan struct{}) {
	listeners := h.registry.WatchAll()
	defer listeners.Close()
	// What changed before this watch began was not seen.
	onChange()
	for {
		select {
		case <-listeners.Changed():
			onChange()
		case <-h.draining.Done():
			onChange()
			return
		case <-stopped:
			return
		}
	}
}
