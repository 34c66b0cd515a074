package socket

import (
	"context"
	"fmt"
	"net"
)

// ListenTCP listens on host:port. Port 0 is one that is free.
func ListenTCP(ctx context.Context, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve.tcp %s: %w; choose another with --tcp, or \"none\"", address, err)
	}
	return listener, nil
}

// IsLoopback reports whether only this machine can reach the TCP address of a listener. Wildcards are not loopback, nor
// are addresses of other kinds.
func IsLoopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
