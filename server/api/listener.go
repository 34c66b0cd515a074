package api

import (
	"context"

	"google.golang.org/protobuf/types/known/durationpb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/listener"
)

// ListenerService implements the RPCs of dialpoint.v1.ListenerService.
type ListenerService struct {
	registry *listener.Registry
	draining context.Context
}

var _ dialpointv1connect.ListenerServiceHandler = (*ListenerService)(nil)

// NewListenerService answers from a registry, and reports to it until draining ends: after that a report is
// UNAVAILABLE.
func NewListenerService(draining context.Context, registry *listener.Registry) *ListenerService {
	return &ListenerService{registry: registry, draining: draining}
}

// ReportListener begins or renews the lease of an instance.
func (s *ListenerService) ReportListener(ctx context.Context, request *dialpointv1.ReportListenerRequest) (*dialpointv1.ReportListenerResponse, error) {
	if s.draining.Err() != nil {
		return nil, shuttingDown()
	}
	// Who has given up may have withdrawn by now, which this must not undo.
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	report, err := reportOf(request)
	if err != nil {
		return nil, err
	}
	found, err := s.registry.Report(report)
	if err != nil {
		return nil, notReported(report.Name, err)
	}
	return &dialpointv1.ReportListenerResponse{Listener: listenerMessage(found), Ttl: durationpb.New(report.TTL)}, nil
}

// WithdrawListener ends the lease of an instance, even while the service shuts down. That there is none is no error.
func (s *ListenerService) WithdrawListener(_ context.Context, request *dialpointv1.WithdrawListenerRequest) (*dialpointv1.WithdrawListenerResponse, error) {
	if err := checkHolder(request); err != nil {
		return nil, err
	}
	if err := s.registry.Withdraw(request.GetListener(), request.GetInstanceId()); err != nil {
		return nil, notWithdrawn(request.GetListener(), err)
	}
	return &dialpointv1.WithdrawListenerResponse{}, nil
}

// GetListener returns one listener.
func (s *ListenerService) GetListener(_ context.Context, request *dialpointv1.GetListenerRequest) (*dialpointv1.GetListenerResponse, error) {
	found, ok := s.registry.Get(request.GetListener())
	if !ok {
		return nil, unknownListener(request.GetListener())
	}
	return &dialpointv1.GetListenerResponse{Listener: listenerMessage(found)}, nil
}

// ListListeners returns all listeners, by name.
func (s *ListenerService) ListListeners(context.Context, *dialpointv1.ListListenersRequest) (*dialpointv1.ListListenersResponse, error) {
	response := &dialpointv1.ListListenersResponse{}
	for _, found := range s.registry.List() {
		response.Listeners = append(response.Listeners, listenerMessage(found))
	}
	return response, nil
}
