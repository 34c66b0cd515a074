// Package dashboard is a small stand-in for a Hermes dashboard: a real WebSocket server on a real socket, with the two
// endpoints that children connect to.
//
// It uses github.com/coder/websocket, which is kept up to date, has no dependencies, passes the Autobahn test suite, and
// takes a net/http handler as it is.
package dashboard

import (
	"context"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// The paths of the two endpoints, as a Hermes dashboard has them.
const (
	GatewayPath = "/api/ws"
	SidecarPath = "/api/pub"
)

// patience is how long a child may take for a header or a greeting.
const patience = 10 * time.Second

// Ready is the event that greets every child.
const Ready = "gateway.ready"

// Visit is one child that connected and was greeted.
type Visit struct {
	// Path is the endpoint.
	Path string
	// Host is what the child called the dashboard: the Host header.
	Host string
	// From is the address at the other end of the connection. It is the proxy's when one stands between.
	From string
}

// Dashboard is a running dashboard. Make one with [Listen].
type Dashboard struct {
	server *http.Server
	port   int
	token  string
	visits chan Visit
}

// Listen binds a socket and serves on it until Close. The network is that of [net.Listen]: with "tcp6", a dashboard on
// "[::]:0" takes IPv6 only. Children must bring the token as a query parameter; without a token everyone is let in.
func Listen(ctx context.Context, network, address, token string) (*Dashboard, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, network, address)
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	d := &Dashboard{token: token, visits: make(chan Visit, 16)}
	d.port, _ = strconv.Atoi(port)
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+GatewayPath, d.greet)
	mux.HandleFunc("GET "+SidecarPath, d.greet)
	d.server = &http.Server{Handler: mux, ReadHeaderTimeout: patience}
	go func() { _ = d.server.Serve(listener) }()
	return d, nil
}

// Port is the port that was bound.
func (d *Dashboard) Port() int { return d.port }

// Visits yields the children that connected, in order. It holds 16; a child beyond that is greeted and not counted.
func (d *Dashboard) Visits() <-chan Visit { return d.visits }

// Close stops listening and cuts off requests that are not WebSockets yet.
func (d *Dashboard) Close() error { return d.server.Close() }

// event is a JSON-RPC notification, as a Hermes gateway sends them.
type event struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  struct {
		Type string `json:"type"`
	} `json:"params"`
}

// greet lets a child in, tells it that the gateway is ready, and waits until it goes.
func (d *Dashboard) greet(writer http.ResponseWriter, request *http.Request) {
	if subtle.ConstantTimeCompare([]byte(request.URL.Query().Get("token")), []byte(d.token)) == 0 {
		http.Error(writer, "the token is missing or wrong", http.StatusUnauthorized)
		return
	}
	child, err := websocket.Accept(writer, request, nil)
	if err != nil {
		return
	}
	defer func() { _ = child.CloseNow() }()
	ctx, cancel := context.WithTimeout(request.Context(), patience)
	defer cancel()
	ready := event{Version: "2.0", Method: "event"}
	ready.Params.Type = Ready
	select {
	case d.visits <- Visit{Path: request.URL.Path, Host: request.Host, From: request.RemoteAddr}:
	default:
	}
	if wsjson.Write(ctx, child, ready) == nil {
		<-child.CloseRead(ctx).Done()
	}
}
