package client_test

import (
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"

	"connectrpc.com/connect"

	"dialpoint/client"
)

// gate lets calls through that show the right token, and refuses others as a service does.
type gate struct {
	t    *testing.T
	next http.Handler

	mu sync.Mutex
	// right is the Authorization header that calls must have.
	right string
	// code is that of a refusal, unauthenticated unless said.
	code connect.Code
	// refusing is called before a refusal.
	refusing func()
	// seen is the header of each call.
	seen []string
}

func newGate(t *testing.T, right string) *gate {
	t.Helper()
	return &gate{t: t, next: complete().handler(), right: right, code: connect.CodeUnauthenticated, refusing: func() {}}
}

func (g *gate) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	header := request.Header.Get("Authorization")
	g.mu.Lock()
	g.seen = append(g.seen, header)
	mayPass := header == g.right
	g.mu.Unlock()
	if mayPass {
		g.next.ServeHTTP(w, request)
		return
	}
	g.refusing()
	refusal := connect.NewError(g.code, errors.New("no"))
	refusal.AddDetail(detail(g.t, info(client.ReasonCredentialInvalid)))
	if err := connect.NewErrorWriter().Write(w, request, refusal); err != nil {
		g.t.Error(err)
	}
}

// admit has the gate want another header from now on.
func (g *gate) admit(right string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.right = right
}

// headers are those of all calls up to now.
func (g *gate) headers() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.seen)
}
