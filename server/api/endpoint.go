package api

import (
	"context"
	"fmt"
	"time"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// maxWait is how long a call may be held until its listener is bound.
const maxWait = 5 * time.Minute

// EndpointService implements the RPCs of dialpoint.v1.EndpointService.
type EndpointService struct {
	// Hold is asked before a call is held until its listener is bound. Its error, if it has one, is the answer. Nil lets
	// every call be held.
	Hold func(context.Context) error

	registry *listener.Registry
	draining context.Context
}

var _ dialpointv1connect.EndpointServiceHandler = (*EndpointService)(nil)

// NewEndpointService answers from a registry. Calls that wait and watches end when draining does, with UNAVAILABLE.
func NewEndpointService(draining context.Context, registry *listener.Registry) *EndpointService {
	return &EndpointService{registry: registry, draining: draining}
}

// ResolveEndpoints answers what the caller must dial now, or once the listener is bound.
func (s *EndpointService) ResolveEndpoints(ctx context.Context, request *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
	caller, err := callerOf(ctx, request)
	if err != nil {
		return nil, err
	}
	wait, err := durationOf("wait", request.GetWait(), 0, maxWait)
	if err != nil {
		return nil, err
	}
	endpoints, err := s.resolve(request.GetListener(), caller)
	if wait > 0 && isNotBound(err) {
		endpoints, err = s.held(ctx, wait, request.GetListener(), caller)
	}
	if err != nil {
		return nil, err
	}
	return &dialpointv1.ResolveEndpointsResponse{Endpoints: endpoints}, nil
}

// resolve answers from the state now.
func (s *EndpointService) resolve(name string, caller rules.Caller) (*dialpointv1.Endpoints, error) {
	found, ok := s.registry.Get(name)
	if !ok {
		return nil, unknownListener(name)
	}
	endpoints, err := answer(found, caller)
	if err != nil {
		return nil, unresolved(err)
	}
	return endpoints, nil
}

// answer applies the rules to a listener. The error is that of [rules.Resolve], with the listener's name.
func answer(found listener.Listener, caller rules.Caller) (*dialpointv1.Endpoints, error) {
	endpoints, err := rules.Resolve(found.Listener, caller)
	if err != nil {
		return nil, fmt.Errorf("listener %q: %w", found.Name, err)
	}
	return endpointsMessage(found, endpoints), nil
}

// held holds the call if it may be.
func (s *EndpointService) held(ctx context.Context, wait time.Duration, name string, caller rules.Caller) (*dialpointv1.Endpoints, error) {
	if s.Hold != nil {
		if err := s.Hold(ctx); err != nil {
			return nil, err
		}
	}
	return s.resolveWithin(ctx, wait, name, caller)
}

// resolveWithin holds the call until the listener can be resolved, the wait is over, or the service shuts down.
func (s *EndpointService) resolveWithin(ctx context.Context, wait time.Duration, name string, caller rules.Caller) (*dialpointv1.Endpoints, error) {
	held, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(s.draining, cancel)()
	_, _, err := s.registry.Wait(held, name, func(found listener.Listener) bool {
		_, err := rules.Resolve(found.Listener, caller)
		return !isNotBound(err)
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && s.draining.Err() != nil:
		return nil, shuttingDown()
	}
	return s.resolve(name, caller)
}
