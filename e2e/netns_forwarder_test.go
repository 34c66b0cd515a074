//go:build e2e

package e2e_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// forwarder passes connections on, as Docker's proxy does for a published port.
type forwarder struct {
	listener net.Listener
	dial     func() (net.Conn, error)
	running  sync.WaitGroup
}

// start forwards until the test ends.
func (f *forwarder) start(t *testing.T) {
	t.Helper()
	f.running.Go(func() {
		for {
			conn, err := f.listener.Accept()
			if err != nil {
				return
			}
			f.running.Go(func() { f.pass(t, conn) })
		}
	})
	t.Cleanup(func() {
		_ = f.listener.Close()
		f.running.Wait()
	})
}

// pass carries a connection both ways until one end closes it.
func (f *forwarder) pass(t *testing.T, front net.Conn) {
	t.Helper()
	defer func() { _ = front.Close() }()
	back, err := f.dial()
	if err != nil {
		t.Error(err)
		return
	}
	var returning sync.WaitGroup
	returning.Go(func() {
		_, _ = io.Copy(front, back)
		_ = front.Close()
	})
	_, _ = io.Copy(back, front)
	_ = back.Close()
	returning.Wait()
}
