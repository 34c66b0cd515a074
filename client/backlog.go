package client

import (
	"context"
	"errors"
	"net"
	"syscall"
)

// dialSocket connects to a unix socket. While so many others wait to be accepted that there is no room in the queue, the
// kernel refuses at once where TCP would have the caller wait (connect(2), EAGAIN), so that this waits.
func (s *service) dialSocket(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	backoff := s.client.newBackoff()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", s.address.place)
		if err == nil || !errors.Is(err, syscall.EAGAIN) || !sleep(ctx, backoff.next(0)) {
			return conn, err
		}
	}
}
