package access

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// isInOtherNetwork compares cookies, each of which stands for one namespace for as long as the machine is up. The kernel
// makes the socket that is accepted in the namespace of the one that connects, not of the one that listens
// (unix_stream_connect in net/unix/af_unix.c).
func isInOtherNetwork(accepted int) bool {
	if family, err := unix.GetsockoptInt(accepted, unix.SOL_SOCKET, unix.SO_DOMAIN); err != nil || family != unix.AF_UNIX {
		return false
	}
	theirs, err := networkCookie(accepted)
	ours, ownErr := ownNetworkCookie()
	if errors.Join(err, ownErr) == nil {
		return theirs != ours
	}
	peer, err := unix.GetsockoptUcred(accepted, unix.SOL_SOCKET, unix.SO_PEERCRED)
	return err == nil && isProcessInOtherNetwork(int(peer.Pid))
}

// networkCookie is that of the namespace in which a socket was made. Linux before 5.14 does not tell.
func networkCookie(socket int) (uint64, error) {
	return unix.GetsockoptUint64(socket, unix.SOL_SOCKET, unix.SO_NETNS_COOKIE)
}

// ownNetworkCookie is asked each time: a process that is restored from a checkpoint may find itself in another. A socket
// that somebody else has made and passed on (sd_listen_fds(3)) need not be of this namespace.
func ownNetworkCookie() (uint64, error) {
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = unix.Close(socket) }()
	return networkCookie(socket)
}

// isProcessInOtherNetwork compares the files that stand for the namespaces (namespaces(7)). A process that cannot be seen
// is not known to be elsewhere: one with the PID 0 may be another container of the same pod.
func isProcessInOtherNetwork(pid int) bool {
	theirs, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid), "ns", "net"))
	ours, ownErr := os.Stat("/proc/thread-self/ns/net")
	return errors.Join(err, ownErr) == nil && !os.SameFile(theirs, ours)
}
