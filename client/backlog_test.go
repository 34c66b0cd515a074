//go:build linux

package client_test

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"dialpoint/client"
)

// A socket whose queue is full is there: a call waits for its turn, even one that tries once.
func TestFullQueueIsWaitedFor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	full, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = full.Close() })

	c, err := client.New("unix://" + path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.Patience = -1
	ended := make(chan error, 1)
	go func() {
		_, err := c.Resolve(t.Context(), client.Request{})
		ended <- err
	}()
	select {
	case err := <-ended:
		t.Fatalf("the call did not wait for its turn: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	// Once the one in front is accepted there is room, and the call is heard: what hangs up on it is no full queue.
	for range 2 {
		conn, _, err := syscall.Accept(fd)
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Close(conn)
	}
	if err := <-ended; err == nil {
		t.Error("nobody answered, and the call succeeded")
	}
}
