package access_test

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"testing"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
)

// peer is a client, and what it shows of itself.
type peer struct {
	url   string
	unix  string
	http2 bool
	// host is the Host header, that of the URL where it is empty.
	host   string
	header http.Header
}

// shows is the peer with a header. Without values it goes without the header.
func (p peer) shows(name string, values ...string) peer {
	p.header = p.header.Clone()
	if p.header == nil {
		p.header = http.Header{}
	}
	p.header[name] = values
	return p
}

func (p peer) bearer(token string) peer { return p.shows("Authorization", "Bearer "+token) }

// roundTrip adds what the peer shows to each request.
func (p peer) roundTrip(next http.RoundTripper) roundTripper {
	return func(request *http.Request) (*http.Response, error) {
		request = request.Clone(request.Context())
		maps.Copy(request.Header, p.header)
		if p.host != "" {
			request.Host = p.host
		}
		return next.RoundTrip(request)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// web is the peer's HTTP client.
func (p peer) web(t testing.TB) *http.Client {
	t.Helper()
	var protocols http.Protocols
	protocols.SetHTTP1(!p.http2)
	protocols.SetUnencryptedHTTP2(p.http2)
	transport := &http.Transport{Protocols: &protocols}
	if p.unix != "" {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", p.unix)
		}
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: p.roundTrip(transport)}
}

// resolve is the role in which the peer may make a unary call.
func (p peer) resolve(t testing.TB, options ...connect.ClientOption) (string, error) {
	t.Helper()
	client := dialpointv1connect.NewEndpointServiceClient(p.web(t), p.url, options...)
	response, err := client.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
	return response.GetEndpoints().GetListener(), err
}

// watch is the role in which the peer may open a stream.
func (p peer) watch(t testing.TB, options ...connect.ClientOption) (string, error) {
	t.Helper()
	client := dialpointv1connect.NewEndpointServiceClient(p.web(t), p.url, options...)
	stream, err := client.WatchEndpoints(t.Context(), &dialpointv1.WatchEndpointsRequest{})
	if err != nil {
		return "", err
	}
	defer func() { _ = stream.Close() }()
	stream.Receive()
	return stream.Msg().GetEndpoints().GetListener(), stream.Err()
}

// list is the role in which the peer may make a call for operators.
func (p peer) list(t testing.TB, options ...connect.ClientOption) (string, error) {
	t.Helper()
	client := dialpointv1connect.NewListenerServiceClient(p.web(t), p.url, options...)
	response, err := client.ListListeners(t.Context(), &dialpointv1.ListListenersRequest{})
	if err != nil {
		return "", err
	}
	return response.GetListeners()[0].GetName(), nil
}

// send sends what may be no RPC, and reads the answer.
func (p peer) send(t testing.TB, method, path, contentType string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, p.url+path, http.NoBody)
	must(t, err)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := p.web(t).Do(request)
	must(t, err)
	body, err := io.ReadAll(response.Body)
	must(t, err)
	must(t, response.Body.Close())
	return response, string(body)
}
