package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"

	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/api"
	"dialpoint/server/listener"
)

const (
	// configService is NOT_SERVING from a failed reload to the next good one.
	configService = "config"
	// listenerService, with a listener's name behind it, is SERVING while that listener is bound.
	listenerService = "listeners/"
)

// health answers grpc.health.v1. A bad reload does not show in the service's own health: a liveness probe must not
// kill a service that answers.
type health struct {
	draining context.Context
	registry *listener.Registry

	mu        sync.Mutex
	configErr error
	watchers  map[*func()]struct{}
}

func newHealth(draining context.Context, registry *listener.Registry) *health {
	return &health{draining: draining, registry: registry, watchers: map[*func()]struct{}{}}
}

// setConfig records how the last reload went, and tells who watches.
func (h *health) setConfig(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.configErr = err
	for onChange := range h.watchers {
		(*onChange)()
	}
}

// Check implements [grpchealth.Checker].
func (h *health) Check(_ context.Context, request *grpchealth.CheckRequest) (*grpchealth.CheckResponse, error) {
	if h.draining.Err() != nil {
		return nil, connect.NewError(connect.CodeUnavailable, errors.New("the service is shutting down"))
	}
	serving, err := h.serving(request.Service)
	if err != nil {
		return nil, err
	}
	if serving {
		return &grpchealth.CheckResponse{Status: grpchealth.StatusServing}, nil
	}
	return &grpchealth.CheckResponse{Status: grpchealth.StatusNotServing}, nil
}

func (h *health) serving(service string) (bool, error) {
	switch service {
	case "", dialpointv1connect.EndpointServiceName, dialpointv1connect.ListenerServiceName:
		return true, nil
	case configService:
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.configErr == nil, nil
	}
	if name, ok := strings.CutPrefix(service, listenerService); ok && name != "" {
		if found, ok := h.registry.Get(name); ok {
			return found.IsBound(), nil
		}
	}
	return false, connect.NewError(connect.CodeNotFound, fmt.Errorf("health of %q is not known: ask for \"\", %q, %q or %q with a listener's name",
		api.Quoted(service), dialpointv1connect.EndpointServiceName, configService, listenerService))
}
