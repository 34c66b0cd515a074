package access

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strconv"
)

// hostBits is how much of an IPv6 address a network leaves to no single host: who has one address of a /64 has them
// all (RFC 6177, section 2).
const hostBits = 64

type connKey struct{}

// unixConn is a connection over a unix socket.
type unixConn struct {
	peer Peer
	// err is why the kernel did not say who the peer is.
	err error
}

// WithConn notes who is at the other end of a connection, if it came over a unix socket. It is for
// [http.Server.ConnContext]. A connection of a server without it counts as TCP, whatever it is.
func WithConn(ctx context.Context, conn net.Conn) context.Context {
	if addr := conn.LocalAddr(); addr == nil || addr.Network() != "unix" {
		return ctx
	}
	// An error must not turn a caller without a user into one over TCP, so that it is kept in place of the peer.
	peer, err := PeerOf(conn)
	return context.WithValue(ctx, connKey{}, &unixConn{peer, err})
}

// unixConnOf is the connection of a request over a unix socket, and nil for any other.
func unixConnOf(ctx context.Context) *unixConn {
	conn, _ := ctx.Value(connKey{}).(*unixConn)
	return conn
}

// localAddr is the address on which a connection over TCP came in, or zero. The server has it from the socket, even
// where that listens on every interface.
func localAddr(ctx context.Context) netip.Addr {
	addr, is := ctx.Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !is {
		return netip.Addr{}
	}
	return addr.AddrPort().Addr().Unmap().WithZone("")
}

// PeerKey names the peer of a request, so that peers can be counted: "uid 1000" over a unix socket, over TCP "loopback" or
// the IP address, and of IPv6 the /64 in which it is, such as "2001:db8::/64". The context is that of a request of a server
// with [WithConn]; the address is [http.Request.RemoteAddr] or the Addr of a [connectrpc.com/connect.Peer]. One that is no
// IP address is returned as it is.
func PeerKey(ctx context.Context, remoteAddr string) string {
	if conn := unixConnOf(ctx); conn != nil {
		return conn.key()
	}
	remote, err := netip.ParseAddrPort(remoteAddr)
	if err != nil {
		return remoteAddr
	}
	addr := remote.Addr().Unmap().WithZone("")
	// All link-local addresses are in one /64, and loopback in none.
	switch {
	case addr.IsLoopback():
		// Every local user has all of its addresses.
		return "loopback"
	case addr.Is4() || addr.IsLinkLocalUnicast():
		return addr.String()
	}
	return netip.PrefixFrom(addr, hostBits).Masked().String()
}

func (c *unixConn) key() string {
	if c.err != nil {
		return "uid unknown"
	}
	return "uid " + strconv.FormatUint(uint64(c.peer.UID), 10)
}
