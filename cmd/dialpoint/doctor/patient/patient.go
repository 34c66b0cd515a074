// Package patient has dashboards for tests to examine: real sockets, each ill in one way of its own.
package patient

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// headerTimeout is how long a child may take for a header.
const headerTimeout = 10 * time.Second

// Patient is a dashboard that runs until Close.
type Patient struct {
	socket net.Listener
	server *http.Server
	stop   context.CancelFunc
	// authority is the certificate of one that speaks TLS, in PEM.
	authority []byte
}

// Start binds 127.0.0.1, at a port that is free, for a dashboard of some kind:
//
//	close CODE   accepts every WebSocket, and closes it with that code
//	stubborn     accepts every WebSocket, and does not answer when it is closed
//	tls          accepts every WebSocket, over TLS with a certificate of its own authority
//	mutual       the same, to children that have a certificate, too
//	STATUS       answers every request with that HTTP status
//	forged       answers 101 without the proof that it speaks WebSocket
//	garbage      answers what is not HTTP
//	echo         answers what it is sent
//	hangup       closes every connection once it has read from it
//	silent       reads, and answers nothing
func Start(kind string) (*Patient, error) {
	socket, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &Patient{socket: socket, stop: stop}
	p.server = &http.Server{
		ReadHeaderTimeout: headerTimeout,
		ErrorLog:          log.New(io.Discard, "", 0),
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	if raw, found := rawKinds[kind]; found {
		go serveRaw(ctx, socket, raw)
		return p, nil
	}
	if p.server.Handler, err = handler(kind); err != nil {
		stop()
		return nil, errors.Join(err, socket.Close())
	}
	switch kind {
	case "tls":
		socket = p.secure(tls.NoClientCert)
	case "mutual":
		socket = p.secure(tls.RequireAnyClientCert)
	}
	go func() { _ = p.server.Serve(socket) }()
	return p, nil
}

// Port is the port that was bound.
func (p *Patient) Port() string {
	_, port, _ := net.SplitHostPort(p.socket.Addr().String())
	return port
}

// Authority is what signs the certificate of kind tls, in PEM. It is empty in any other.
func (p *Patient) Authority() []byte { return p.authority }

// Close ends the dashboard and its connections.
func (p *Patient) Close() error {
	p.stop()
	if p.server.Handler == nil {
		return p.socket.Close()
	}
	return p.server.Close()
}

// secure is the socket with TLS. The certificate is that of [httptest], which is for 127.0.0.1 and ::1 and signs itself.
func (p *Patient) secure(wants tls.ClientAuthType) net.Listener {
	lender := httptest.NewUnstartedServer(nil)
	lender.StartTLS()
	defer lender.Close()
	p.authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: lender.Certificate().Raw})
	return tls.NewListener(p.socket, &tls.Config{
		Certificates: lender.TLS.Certificates,
		ClientAuth:   wants,
		MinVersion:   tls.VersionTLS12,
	})
}

func handler(kind string) (http.Handler, error) {
	if code, found := strings.CutPrefix(kind, "close "); found {
		number, err := strconv.Atoi(code)
		return closes(websocket.StatusCode(number)), err
	}
	switch kind {
	case "tls", "mutual":
		return closes(websocket.StatusNormalClosure), nil
	case "stubborn":
		return http.HandlerFunc(stubborn), nil
	}
	status, err := strconv.Atoi(kind)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}), err
}

func closes(code websocket.StatusCode) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if child, err := websocket.Accept(w, r, nil); err == nil {
			_ = child.Close(code, "")
		}
	}
}

func stubborn(w http.ResponseWriter, r *http.Request) {
	child, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	<-r.Context().Done()
	_ = child.CloseNow()
}
