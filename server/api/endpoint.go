package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/durationpb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// maxWait is how long a call may be held until its listener is bound.
const maxWait = 5 * time.Minute

// EndpointService implements the RPCs of dialpoint.v1.EndpointService.
type EndpointService struct {
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
	wait, err := waitOf(request.GetWait())
	if err != nil {
		return nil, err
	}
	endpoints, err := s.resolve(request.GetListener(), caller)
	if wait > 0 && isNotBound(err) {
		endpoints, err = s.resolveWithin(ctx, wait, request.GetListener(), caller)
	}
	if err != nil {
		return nil, err
	}
	return &dialpointv1.ResolveEndpointsResponse{Endpoints: endpoints}, nil
}

func waitOf(wait *durationpb.Duration) (time.Duration, error) {
	if wait == nil {
		return 0, nil
	}
	if err := wait.CheckValid(); err != nil || wait.AsDuration() < 0 || wait.AsDuration() > maxWait {
		return 0, invalidField("wait", fmt.Sprintf("%ds is not from 0 to %v", wait.GetSeconds(), maxWait))
	}
	return wait.AsDuration(), nil
}

// resolve answers from the state now.
func (s *EndpointService) resolve(name string, caller rules.Caller) (*dialpointv1.Endpoints, error) {
	found, ok := s.registry.Snapshot().Get(name)
	if !ok {
		return nil, unknownListener(name)
	}
	return answer(found, caller)
}

// answer applies the rules to a listener.
func answer(found listener.Listener, caller rules.Caller) (*dialpointv1.Endpoints, error) {
	endpoints, err := rules.Resolve(found.Listener, caller)
	if why := (*rules.Unavailable)(nil); errors.As(err, &why) {
		return nil, unavailable(found.Name, why)
	}
	if err != nil {
		return nil, connect.NewError(connect.CodeInternal, err)
	}
	return endpointsMessage(found, endpoints), nil
}

func isNotBound(err error) bool { return connect.CodeOf(err) == connect.CodeUnavailable }

// resolveWithin holds the call until the listener can be resolved, the wait is over, or the service shuts down.
func (s *EndpointService) resolveWithin(ctx context.Context, wait time.Duration, name string, caller rules.Caller) (*dialpointv1.Endpoints, error) {
	held, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(s.draining, cancel)()
	_, _, err := s.registry.Wait(held, name, func(found listener.Listener) bool {
		_, err := answer(found, caller)
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
