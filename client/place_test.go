package client_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"syscall"
	"testing"
)

// place is where a service may be, is not at first, and can be stopped and started anew.
type place struct {
	t *testing.T
	// network and where are what a service listens on, address is what clients dial.
	network, where, address string
	stop                    func()
}

// places has one of each kind that a client can dial.
var places = map[string]func(*testing.T) *place{"unix": unixPlace, "tcp": tcpPlace}

func unixPlace(t *testing.T) *place {
	t.Helper()
	where := filepath.Join(t.TempDir(), "s")
	return &place{t: t, network: "unix", where: where, address: "unix://" + where, stop: func() {}}
}

// tcpPlace is a port that is kept from other tests by a socket which is bound to it and does not listen. A socket that
// does may still be bound beside it (SO_REUSEADDR in socket(7)).
func tcpPlace(t *testing.T) *place {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err = syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		t.Fatal(err)
	}
	if err = syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	port, ok := bound.(*syscall.SockaddrInet4)
	if !ok {
		t.Fatalf("bound to a %T", bound)
	}
	where := fmt.Sprintf("127.0.0.1:%d", port.Port)
	return &place{t: t, network: "tcp", where: where, address: "http://" + where, stop: func() {}}
}

// start puts a service there, in place of the one before.
func (p *place) start(handler http.Handler) {
	p.t.Helper()
	p.stop()
	_, p.stop = serve(p.t, mustListen(p.t, p.network, p.where), handler)
}
