package api

import (
	"context"
	"errors"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// heartbeatAfter is how long a watch stays silent before it shows that it is alive.
const heartbeatAfter = 15 * time.Second

// updates is where a watch sends to: a stream of the API.
type updates interface {
	Send(update *dialpointv1.WatchEndpointsResponse) error
}

// WatchEndpoints sends the state now, then each change of the answer. A listener that does not exist is an error; one
// that is removed meanwhile is not, since the next reload may bring it back.
func (s *EndpointService) WatchEndpoints(ctx context.Context, request *dialpointv1.WatchEndpointsRequest, stream *connect.ServerStream[dialpointv1.WatchEndpointsResponse]) error {
	caller, err := callerOf(ctx, request)
	if err != nil {
		return err
	}
	watch := s.registry.Watch(request.GetListener())
	defer watch.Close()
	if _, found := watch.Get(); !found {
		return unknownListener(request.GetListener())
	}
	return s.follow(ctx, watch, caller, stream)
}

func (s *EndpointService) follow(ctx context.Context, watch *listener.Watch, caller rules.Caller, stream updates) error {
	silence := time.NewTimer(heartbeatAfter)
	defer silence.Stop()
	var last *dialpointv1.WatchEndpointsResponse
	for {
		// What changed before the end is still told: the last change may be that a dashboard is gone.
		isLast := s.draining.Err() != nil
		next, err := updateNow(watch, caller)
		if err != nil {
			return err
		}
		if !sameAnswer(last, next) {
			last = next
			if err := stream.Send(next); err != nil {
				return err
			}
			silence.Reset(heartbeatAfter)
		}
		if isLast {
			return shuttingDown()
		}
		select {
		case <-watch.Changed():
		case <-silence.C:
			if err := stream.Send(heartbeat()); err != nil {
				return err
			}
			silence.Reset(heartbeatAfter)
		case <-s.draining.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// updateNow is the answer now, as an update. That there is nothing to dial is an answer, and no error.
func updateNow(watch *listener.Watch, caller rules.Caller) (*dialpointv1.WatchEndpointsResponse, error) {
	found, ok := watch.Get()
	if !ok {
		return unavailableUpdate(reasonListenerUnknown, unknownMessage(watch.Name())), nil
	}
	endpoints, err := answer(found, caller)
	if why, ok := errors.AsType[*rules.Unavailable](err); ok {
		return unavailableUpdate(string(why.Reason), err.Error()), nil
	}
	if err != nil {
		return nil, unresolved(err)
	}
	return &dialpointv1.WatchEndpointsResponse{Update: &dialpointv1.WatchEndpointsResponse_Endpoints{Endpoints: endpoints}}, nil
}

func unavailableUpdate(reason, message string) *dialpointv1.WatchEndpointsResponse {
	return &dialpointv1.WatchEndpointsResponse{Update: &dialpointv1.WatchEndpointsResponse_Unavailable{
		Unavailable: &dialpointv1.Unavailable{Reason: reason, Message: message},
	}}
}

func heartbeat() *dialpointv1.WatchEndpointsResponse {
	return &dialpointv1.WatchEndpointsResponse{Update: &dialpointv1.WatchEndpointsResponse_Heartbeat{
		Heartbeat: &dialpointv1.Heartbeat{},
	}}
}

// sameAnswer reports whether two updates differ in nothing but the revision: a listener may change in what does not
// concern this caller.
func sameAnswer(last, next *dialpointv1.WatchEndpointsResponse) bool {
	if last.GetEndpoints() == nil || next.GetEndpoints() == nil {
		return proto.Equal(last, next)
	}
	same := proto.CloneOf(last)
	same.GetEndpoints().Revision = next.GetEndpoints().GetRevision()
	return proto.Equal(same, next)
}
