//go:build !linux

package socket

import (
	"errors"
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// searchOnly opens a directory that we may pass, but need not be able to list (open(2), O_SEARCH).
const searchOnly = unix.O_SEARCH

// ownersAlone does nothing: only Linux takes a mode before a socket is bound. Until it is set, the directory keeps others
// away.
func ownersAlone(_, _ string, _ syscall.RawConn) error { return nil }

// hold has nothing to do: the file systems of macOS do not use the number of an inode again.
func hold(string) (io.Closer, error) { return io.NopCloser(nil), nil }

// setACL is not supported: the lists of other systems are of other kinds.
func setACL(string, entry, Allow) error { return errors.ErrUnsupported }

func removeACL(string) error { return nil }
