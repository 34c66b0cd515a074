package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"connectrpc.com/connect"
)

const (
	// maxResponseBytes bounds one message of the service. Real ones have a few hundred bytes.
	maxResponseBytes = 1 << 20
	// maxHeaderBytes bounds the header of a response.
	maxHeaderBytes = 64 << 10
	// idleTimeout is how long an unused connection is kept: below what servers allow as a rule, so that the client is
	// the one who closes it.
	idleTimeout = 30 * time.Second
	// dialTimeout bounds connecting.
	dialTimeout = 3 * time.Second
	// handshakeTimeout bounds the TLS handshake, which may outlast the call that it was begun for.
	handshakeTimeout = 10 * time.Second
)

// errRedirect ends a call that is answered with a redirect. A credential would go along to wherever it points.
var errRedirect = connect.NewError(connect.CodeFailedPrecondition, errors.New("it answers with a redirect, which is not followed"))

// newHTTPClient has no timeout of its own: one would end every watch, and a resolve may wait for minutes.
func newHTTPClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
}

// newTransport speaks HTTP/1.1, which is faster than HTTP/2 for single small calls and needs no prior knowledge. Its
// Proxy stays nil: the environment's proxy settings are for the children's other traffic.
func (s *service) newTransport() http.RoundTripper {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext:            s.client.ending.of(s.dial),
		DialTLSContext:         s.client.ending.of(s.dialTLS),
		Protocols:              protocols,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// dial connects to the address. A host that swallows the attempt must not keep a call from the next address.
func (s *service) dial(ctx context.Context, network, host string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout}
	if s.address.scheme != schemeUnix {
		return dialer.DialContext(ctx, network, host)
	}
	if s.isDefault {
		if err := checkDirectory(s.address.place); err != nil {
			return nil, err
		}
	}
	return s.dialSocket(ctx)
}

// options hold for every call. Answers are so small that compressing them costs more than it saves.
func options() connect.ClientOption {
	return connect.WithClientOptions(
		connect.WithReadMaxBytes(maxResponseBytes),
		connect.WithAcceptCompression("gzip", nil, nil),
	)
}
