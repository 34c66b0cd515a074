// Package heldport gives tests ports at which nobody listens but a program that is told to.
package heldport

import (
	"fmt"
	"syscall"
	"testing"
)

// New is a port at which nobody listens. Until the test ends, those who take any port of 127.0.0.1 or of all addresses do
// not get it, and those who name it can listen there if they set SO_REUSEADDR, as Go and most servers do: a socket that is
// bound and does not listen keeps it (socket(7)). Connections to it are refused.
func New(t testing.TB) int {
	t.Helper()
	port, err := hold(t)
	if err != nil {
		t.Fatalf("hold a port: %v", err)
	}
	return port
}

func hold(t testing.TB) (int, error) {
	t.Helper()
	syscall.ForkLock.RLock()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return 0, err
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err = syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, err
	}
	if err = syscall.Bind(socket, new(syscall.SockaddrInet4)); err != nil {
		return 0, err
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		return 0, err
	}
	address, ok := bound.(*syscall.SockaddrInet4)
	if !ok {
		return 0, fmt.Errorf("it is bound to a %T", bound)
	}
	return address.Port, nil
}
