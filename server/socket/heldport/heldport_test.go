package heldport_test

import (
	"errors"
	"net"
	"strconv"
	"syscall"
	"testing"

	"dialpoint/server/socket/heldport"
)

func TestNew(t *testing.T) {
	t.Parallel()
	port := strconv.Itoa(heldport.New(t))
	if conn, err := net.Dial("tcp", "127.0.0.1:"+port); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v, %v, want it refused", conn, err)
	}
	for _, host := range []string{"127.0.0.1", "0.0.0.0", "::1", "::"} {
		socket, err := net.Listen("tcp", net.JoinHostPort(host, port))
		if errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT) {
			continue // There is no IPv6 here.
		}
		if err != nil {
			t.Error(err)
			continue
		}
		_ = socket.Close()
	}
}

// TestNobodyElseGetsIt asks for more ports than Linux gives to those who take any.
func TestNobodyElseGetsIt(t *testing.T) {
	t.Parallel()
	held := heldport.New(t)
	for range 40_000 {
		socket, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address, ok := socket.Addr().(*net.TCPAddr)
		_ = socket.Close()
		if !ok || address.Port == held {
			t.Fatalf("somebody got %v", socket.Addr())
		}
	}
}
