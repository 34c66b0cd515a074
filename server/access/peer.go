package access

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"syscall"
)

// maxWrappers bounds how many connections may be wrapped around a socket. TLS is one.
const maxWrappers = 8

var errNotUnix = errors.New("it is no unix socket")

// Peer is the process at the other end of a unix socket, as the kernel knew it when it connected.
type Peer struct {
	// UID and GID are the effective ids. One that has no number in this process's user namespace reads as the overflow
	// id, 65534 unless the machine says otherwise (user_namespaces(7)).
	UID, GID uint32
	// Groups are the supplementary groups. They are empty where the kernel does not tell, which Linux does from 4.13 on.
	Groups []uint32
	// PID is 0 for a process of another PID namespace. It may be another process by now: good for a log alone.
	PID int32
}

// PeerOf asks the kernel who connected to a unix socket: with SO_PEERCRED and SO_PEERGROUPS on Linux (unix(7)), with
// LOCAL_PEERCRED and LOCAL_PEERPID on macOS (unix(4)). The connection may be wrapped, as in a [crypto/tls.Conn]. It is
// an error if the kernel does not say, if the connection is not over a unix socket, and on any other system.
func PeerOf(conn net.Conn) (Peer, error) {
	var (
		peer   Peer
		failed error
	)
	raw, err := rawConn(conn)
	if err == nil {
		err = raw.Control(func(fd uintptr) { peer, failed = peerOfSocket(int(fd)) })
	}
	if err = errors.Join(err, failed); err != nil {
		return Peer{}, fmt.Errorf("peer credentials: %w", err)
	}
	return peer, nil
}

// rawConn is the socket inside a connection.
func rawConn(conn net.Conn) (syscall.RawConn, error) {
	for range maxWrappers {
		if socket, is := conn.(syscall.Conn); is {
			return socket.SyscallConn()
		}
		wrapper, is := conn.(interface{ NetConn() net.Conn })
		if !is {
			break
		}
		conn = wrapper.NetConn()
	}
	return nil, fmt.Errorf("no socket is to be found in a %T", conn)
}

// isIn reports whether the peer is a member of one of the groups.
func (p Peer) isIn(groups []uint32) bool {
	isOne := func(id uint32) bool { return slices.Contains(groups, id) }
	return isOne(p.GID) || slices.ContainsFunc(p.Groups, isOne)
}
