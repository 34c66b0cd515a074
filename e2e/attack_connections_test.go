//go:build e2e

package e2e_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

// networks are those on which the service listens.
var networks = []string{"tcp", "unix"}

// connect opens a connection to the service. Closing it leaves nothing of it, not even a port in TIME_WAIT. While the
// queue of the unix socket is full the kernel says EAGAIN, where TCP would wait: so this waits, as clients do.
func (s *target) connect(ctx context.Context, network string) (net.Conn, error) {
	address := strings.TrimPrefix(s.tcp, "http://")
	if network == "unix" {
		address = s.socket
	}
	for {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
			err = tcp.SetLinger(0)
		}
		if !errors.Is(err, syscall.EAGAIN) {
			return conn, err
		}
		<-time.After(time.Millisecond)
	}
}

// connections are open at one time.
type connections []net.Conn

// open opens so many connections, and writes the same to each.
func (s *target) open(ctx context.Context, t *testing.T, network string, count int, text string) connections {
	t.Helper()
	var all connections
	for range count {
		conn, err := s.connect(ctx, network)
		if err == nil {
			all = append(all, conn)
			_, err = io.WriteString(conn, text)
		}
		if ctx.Err() != nil {
			break
		}
		if err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("connection %d on %s: %v", len(all), network, err)
			break
		}
	}
	return all
}

func (c connections) close() {
	for _, conn := range c {
		_ = conn.Close()
	}
}

// living counts those that the service has not closed. It drops what has come.
func (c connections) living() int {
	count := 0
	for _, conn := range c {
		if isLiving(conn) {
			count++
		}
	}
	return count
}

func isLiving(conn net.Conn) bool {
	raw, err := conn.(syscall.Conn).SyscallConn() //nolint:forcetypeassert // every connection of this machine is one
	if err != nil {
		return false
	}
	buffer := make([]byte, 4<<10)
	living := false
	_ = raw.Read(func(fd uintptr) bool {
		n := 1
		for err == nil && n > 0 {
			n, _, err = syscall.Recvfrom(int(fd), buffer, syscall.MSG_DONTWAIT)
		}
		living = errors.Is(err, syscall.EAGAIN)
		return true
	})
	return living
}
