package client

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
)

// answerTimeout is how long a service has to answer, beyond what a request lets it wait. One that takes longer is
// treated as one that is not there: it may be stopped, or be no Dialpoint service at all.
const answerTimeout = 10 * time.Second

// service is the calls to one address.
type service struct {
	client *Client
	// index is the place of the address among those of the client.
	index   int
	address Address
	// isDefault is set where nobody named the address.
	isDefault bool
	http      *http.Client
	endpoints dialpointv1connect.EndpointServiceClient
	listeners dialpointv1connect.ListenerServiceClient
}

func (c *Client) newService(index int, address Address) *service {
	s := &service{client: c, index: index, address: address, isDefault: c.isAtDefaultSocket()}
	transport := s.newTransport()
	if c.transport != nil {
		transport = c.transport(address)
	}
	s.http = newHTTPClient(transport)
	s.endpoints = dialpointv1connect.NewEndpointServiceClient(s.http, address.baseURL(), options())
	s.listeners = dialpointv1connect.NewListenerServiceClient(s.http, address.baseURL(), options())
	return s
}

// attempt makes one call. It ends with its context, or when the service has been silent for as long as the limit.
func (s *service) attempt(ctx context.Context, limit, hold time.Duration, do attempt) *Error {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.authorized(ctx, bounded, func(bounded context.Context) *Error {
		return s.once(ctx, bounded, limit, hold, do)
	})
}

// once is one try of a call.
func (s *service) once(ctx, bounded context.Context, limit, hold time.Duration, do attempt) *Error {
	var connected atomic.Bool
	err := do(httptrace.WithClientTrace(bounded, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}), s, hold)
	switch {
	case err == nil:
		return nil
	case bounded.Err() != nil && ended(ctx) == nil:
		return s.silent(limit)
	}
	failure := s.failure(ctx, err)
	// A service that holds a call is there, whether or not the caller stays for its answer.
	if hold > 0 && ended(ctx) != nil && connected.Load() {
		failure.answered = true
	}
	return failure
}
