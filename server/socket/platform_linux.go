package socket

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// searchOnly opens a directory that we may pass, but need not be able to list (open(2), O_PATH).
const searchOnly = unix.O_PATH

// ownersAlone sets the mode of a socket before it is bound, so that its file has it from the moment it exists, less what
// the umask takes away (unix(7)).
func ownersAlone(_, _ string, conn syscall.RawConn) error {
	var failed error
	err := conn.Control(func(fd uintptr) { failed = unix.Fchmod(int(fd), socketMode) })
	return errors.Join(err, failed)
}

// hold keeps the inode number of a socket's file from being used again (open(2), O_PATH).
func hold(path string) (io.Closer, error) {
	return os.OpenFile(path, unix.O_PATH|unix.O_NOFOLLOW, 0)
}
