package access

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func peerOfSocket(fd int) (Peer, error) {
	// The level and the option mean something else on a socket of another family.
	name, err := unix.Getsockname(fd)
	if err != nil {
		return Peer{}, fmt.Errorf("getsockname: %w", err)
	}
	if _, is := name.(*unix.SockaddrUnix); !is {
		return Peer{}, errNotUnix
	}
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return Peer{}, fmt.Errorf("LOCAL_PEERCRED: %w", err)
	}
	if cred.Ngroups < 1 || int(cred.Ngroups) > len(cred.Groups) {
		return Peer{}, fmt.Errorf("LOCAL_PEERCRED: the peer is in %d groups", cred.Ngroups)
	}
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		return Peer{}, fmt.Errorf("LOCAL_PEERPID: %w", err)
	}
	// The first of the groups is the effective one.
	return Peer{UID: cred.Uid, GID: cred.Groups[0], Groups: cred.Groups[1:cred.Ngroups], PID: int32(pid)}, nil
}
