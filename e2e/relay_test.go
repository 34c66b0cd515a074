//go:build e2e

package e2e_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// relay stands between a child and a service, and sees each call that is passed on.
type relay struct {
	// address is of the same kind as the service's.
	address string
	// calls yields one value a call.
	calls chan struct{}
}

func newRelay(t *testing.T, address string) *relay {
	t.Helper()
	scheme, target, _ := strings.Cut(address, "://")
	network, own := "unix", target+".relay"
	if scheme == "http" {
		network, own = "tcp", "127.0.0.1:0"
	}
	listener, err := net.Listen(network, own)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{address: scheme + "://" + listener.Addr().String(), calls: make(chan struct{}, 1000)}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			child, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { r.pass(t, child, network, target) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		running.Wait()
	})
	return r
}

// pass carries one connection both ways until the child closes it.
func (r *relay) pass(t *testing.T, child net.Conn, network, target string) {
	t.Helper()
	defer func() { _ = child.Close() }()
	service, err := net.Dial(network, target)
	if err != nil {
		t.Error(err)
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(child, service)
		_ = child.Close()
	})
	buffer := make([]byte, 64<<10)
	for err == nil {
		var n int
		if n, err = child.Read(buffer); n > 0 {
			_, writeErr := service.Write(buffer[:n])
			err = errors.Join(err, writeErr)
			if bytes.HasPrefix(buffer[:n], []byte("POST ")) {
				r.calls <- struct{}{}
			}
		}
	}
	_ = service.Close()
	back.Wait()
}
