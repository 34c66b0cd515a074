package probe

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"

	"dialpoint/server/rules"
)

// connectTimeout is how long a loopback address may take to accept or refuse.
const connectTimeout = time.Second

var (
	ipv4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	ipv6 = netip.IPv6Loopback()
)

// connectFunc connects to an address and closes the connection at once. The error is why it could not.
type connectFunc func(context.Context, netip.AddrPort) error

// connect sends nothing, so that to a dashboard it is a caller who thought better of it.
func connect(ctx context.Context, address netip.AddrPort) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address.String())
	if err == nil {
		_ = conn.Close()
	}
	return err
}

// answer is what becomes of a connection.
type answer uint8

const (
	noAnswer answer = iota
	refused
	accepted
)

// ask connects to a port of a loopback address.
func (p *Prober) ask(ctx context.Context, loopback netip.Addr, port rules.Port) answer {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	switch err := p.connect(ctx, netip.AddrPortFrom(loopback, uint16(port))); {
	case err == nil:
		return accepted
	case errors.Is(err, syscall.ECONNREFUSED):
		return refused
	default:
		return noAnswer
	}
}

// outcome is what the answer of 127.0.0.1 alone shows.
func (a answer) outcome() outcome {
	if a == accepted {
		return ipv4Answers
	}
	return nothingKnown
}
