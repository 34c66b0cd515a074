package access

import "net"

// IsInOtherNetwork reports whether the caller on a connection that was accepted from a unix socket is in another network
// namespace than this process (network_namespaces(7)), so that loopback is not the same for both: in another container, as
// a rule, into which the socket is shared.
//
// On Linux 5.14 and later that is known of every caller, of other users and other PID namespaces too. It goes by the
// namespace in which the caller made its socket: one who enters another afterwards (setns(2)) counts where it was. Older
// kernels show it only of a process that this one may look into under /proc (PTRACE_MODE_READ of ptrace(2)), and by where
// that process is now.
//
// Whatever is not known counts as the same namespace, and so does any other connection. Other systems have no such
// namespaces.
func IsInOtherNetwork(conn net.Conn) bool {
	raw, err := rawConn(conn)
	if err != nil {
		return false
	}
	var is bool
	if err := raw.Control(func(fd uintptr) { is = isInOtherNetwork(int(fd)) }); err != nil {
		return false
	}
	return is
}
