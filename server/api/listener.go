package api

import (
	"context"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/listener"
)

// ListenerService implements the RPCs of dialpoint.v1.ListenerService that read. Those that report answer
// UNIMPLEMENTED.
type ListenerService struct {
	dialpointv1connect.UnimplementedListenerServiceHandler

	registry *listener.Registry
}

var _ dialpointv1connect.ListenerServiceHandler = (*ListenerService)(nil)

// NewListenerService answers from a registry.
func NewListenerService(registry *listener.Registry) *ListenerService {
	return &ListenerService{registry: registry}
}

// GetListener returns one listener.
func (s *ListenerService) GetListener(_ context.Context, request *dialpointv1.GetListenerRequest) (*dialpointv1.GetListenerResponse, error) {
	found, ok := s.registry.Snapshot().Get(request.GetListener())
	if !ok {
		return nil, unknownListener(request.GetListener())
	}
	return &dialpointv1.GetListenerResponse{Listener: listenerMessage(found)}, nil
}

// ListListeners returns all listeners, by name.
func (s *ListenerService) ListListeners(context.Context, *dialpointv1.ListListenersRequest) (*dialpointv1.ListListenersResponse, error) {
	response := &dialpointv1.ListListenersResponse{}
	for _, found := range s.registry.Snapshot().List() {
		response.Listeners = append(response.Listeners, listenerMessage(found))
	}
	return response, nil
}
