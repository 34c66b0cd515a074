package socket_test

import (
	"net"
	"testing"

	"dialpoint/server/socket"
)

func TestListenTCP(t *testing.T) {
	t.Parallel()
	listener, err := socket.ListenTCP(t.Context(), "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { must(t, listener.Close()) })
	conn, err := net.Dial("tcp", listener.Addr().String())
	must(t, err)
	must(t, conn.Close())
	taken := listener.Addr().String()
	_, err = socket.ListenTCP(t.Context(), taken)
	wantError(t, err, "serve.tcp "+taken+": ", "address already in use; choose another with --tcp, or \"none\"")
}

func TestIsLoopback(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"127.0.0.1:1": true, "127.8.9.10:1": true, "[::1]:1": true, "[::ffff:127.0.0.1]:1": true,
		"0.0.0.0:1": false, "[::]:1": false, "10.0.0.1:1": false, "[fe80::1]:1": false, "[::ffff:10.0.0.1]:1": false, ":1": false,
	} {
		address, err := net.ResolveTCPAddr("tcp", text)
		must(t, err)
		if got := socket.IsLoopback(address); got != want {
			t.Errorf("IsLoopback(%s) = %t", text, got)
		}
	}
	for _, address := range []net.Addr{nil, &net.TCPAddr{}, &net.UnixAddr{Name: "/127.0.0.1", Net: "unix"}, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}} {
		if socket.IsLoopback(address) {
			t.Errorf("IsLoopback(%v) = true", address)
		}
	}
}
