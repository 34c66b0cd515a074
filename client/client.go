package client

import (
	"context"
	"net/http"
	"os"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
)

// Client calls one Dialpoint service. It may be used by several goroutines at once. Make one with [New].
//
// Its calls last as long as their context allows: give them a deadline. None is retried.
type Client struct {
	address   Address
	http      *http.Client
	endpoints dialpointv1connect.EndpointServiceClient
	listeners dialpointv1connect.ListenerServiceClient
}

// New makes a client of the service at an address, in the form of [ParseAddress]. A blank address means
// [DefaultAddress], with the environment of the process.
//
// It does not connect, so the service need not run yet. The error says what is wrong with the address, and names
// [AddressEnv] when it came from there.
func New(address string) (*Client, error) {
	where, err := locate(address, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	caller := newHTTPClient(where)
	return &Client{
		address:   where,
		http:      caller,
		endpoints: dialpointv1connect.NewEndpointServiceClient(caller, where.baseURL(), options()),
		listeners: dialpointv1connect.NewListenerServiceClient(caller, where.baseURL(), options()),
	}, nil
}

// Address is where the client looks for the service.
func (c *Client) Address() Address { return c.address }

// Close drops the connections that are not in use. It may be called more than once, and the client still works after
// it.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Resolve asks what to dial now. The error is an [*Error].
//
// The URLs of the answer hold a credential: log DisplayUrl, never Url.
func (c *Client) Resolve(ctx context.Context, request Request) (*dialpointv1.Endpoints, error) {
	response, err := c.endpoints.ResolveEndpoints(ctx, request.resolve())
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	if response.GetEndpoints().GetGateway() == nil {
		return nil, c.failure(ctx, errHollow)
	}
	return response.GetEndpoints(), nil
}

// GetListener is what the service knows of one listener. An empty name means "default". The error is an [*Error].
func (c *Client) GetListener(ctx context.Context, name string) (*dialpointv1.Listener, error) {
	response, err := c.listeners.GetListener(ctx, &dialpointv1.GetListenerRequest{Listener: name})
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	if response.GetListener() == nil {
		return nil, c.failure(ctx, errHollow)
	}
	return response.GetListener(), nil
}

// ListListeners is what the service knows of all listeners, by name. The error is an [*Error].
func (c *Client) ListListeners(ctx context.Context) ([]*dialpointv1.Listener, error) {
	response, err := c.listeners.ListListeners(ctx, new(dialpointv1.ListListenersRequest))
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	return response.GetListeners(), nil
}
