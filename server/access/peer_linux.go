package access

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	sizeofGID = 4
	// commonGroups is how many groups are asked for at first. Few users are in more.
	commonGroups = 32
)

func peerOfSocket(fd int) (Peer, error) {
	// On a socket of another family, SO_PEERCRED succeeds with ids that mean nothing.
	family, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return Peer{}, fmt.Errorf("SO_DOMAIN: %w", err)
	}
	if family != unix.AF_UNIX {
		return Peer{}, errNotUnix
	}
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return Peer{}, fmt.Errorf("SO_PEERCRED: %w", err)
	}
	groups, err := peerGroups(fd)
	if err != nil {
		return Peer{}, fmt.Errorf("SO_PEERGROUPS: %w", err)
	}
	return Peer{UID: cred.Uid, GID: cred.Gid, Groups: groups, PID: cred.Pid}, nil
}

// peerGroups are the supplementary groups. The user database is not asked: a process may have left its user's groups,
// or be in others.
func peerGroups(fd int) ([]uint32, error) {
	groups := make([]uint32, commonGroups)
	count, err := getGroups(fd, groups)
	if errors.Is(err, unix.ERANGE) {
		groups = make([]uint32, count)
		count, err = getGroups(fd, groups)
	}
	if errors.Is(err, unix.ENOPROTOOPT) {
		return nil, nil // Linux before 4.13: the primary group alone counts.
	}
	if err != nil {
		return nil, err
	}
	return groups[:count], nil
}

// getGroups fills a list that is not empty, and returns how many groups there are. The error is ERANGE if those are
// more than fit. Package unix has no such function.
func getGroups(fd int, groups []uint32) (int, error) {
	size := uint32(len(groups) * sizeofGID) //nolint:gosec // A process has 65536 groups at most (NGROUPS_MAX).
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_PEERGROUPS,
		uintptr(unsafe.Pointer(&groups[0])), uintptr(unsafe.Pointer(&size)), 0) //nolint:gosec // The kernel's way.
	if errno != 0 {
		return int(size / sizeofGID), errno
	}
	return int(size / sizeofGID), nil
}
