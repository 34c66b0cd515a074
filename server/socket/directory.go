package socket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	directoryMode = 0o700
	// othersWrite is the permission of group and others to put files into a directory, and othersPass theirs to reach
	// the files in it.
	othersWrite = 0o022
	othersPass  = 0o011
	others      = 0o077

	// lockTimeout is far above what a starter needs, the time for whoever may be at a socket to answer included.
	lockTimeout = 5 * time.Second
	lockRetry   = 5 * time.Millisecond
)

// directory is one on the way to a socket. It is held open, so that what was checked is what is used.
type directory struct {
	fd   int
	path string
	stat unix.Stat_t
}

// openDirectory opens a name in the directory at, but follows no symbolic link.
func openDirectory(at int, name, path string, flags int) (*directory, error) {
	fd, err := unix.Openat(at, name, flags|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, pathError("open", path, err)
	}
	d := &directory{fd: fd, path: path}
	if err := d.look(); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *directory) close() { _ = unix.Close(d.fd) }

func (d *directory) look() error { return pathError("stat", d.path, unix.Fstat(d.fd, &d.stat)) }

// trusted is the error of a directory in which others than root and we can replace what lies on the way to the socket.
func (d *directory) trusted() error {
	if d.stat.Uid != 0 && int(d.stat.Uid) != os.Geteuid() {
		return fmt.Errorf("the directory %s on the way there belongs to user %d, who could put another socket there; "+
			"choose a path with --unix that goes through directories of root and your own", d.path, d.stat.Uid)
	}
	if d.stat.Mode&othersWrite != 0 && d.stat.Mode&unix.S_ISVTX == 0 {
		return fmt.Errorf("others may write to the directory %s on the way there (mode %04o); "+
			"take that away with chmod go-w, or choose another path with --unix", d.path, d.stat.Mode&0o7777)
	}
	return nil
}

// rootsAlone reports whether nobody but root can change what is in a directory.
func (d *directory) rootsAlone() bool { return d.stat.Uid == 0 && d.stat.Mode&othersWrite == 0 }

// own is the error of a directory that is not ours.
func (d *directory) own() error {
	if int(d.stat.Uid) == os.Geteuid() {
		return nil
	}
	return fmt.Errorf("the directory %s belongs to user %d; choose a path with --unix whose directory is your own, "+
		"or does not exist yet", d.path, d.stat.Uid)
}

// lock waits until no other starter is at work in the directory (flock(2)). The lock ends with unlock, close or the
// process, and leaves no file behind.
func (d *directory) lock(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, lockTimeout,
		fmt.Errorf("another process has held the lock of the directory %s for %v; stop it, or choose another directory with --unix", d.path, lockTimeout))
	defer cancel()
	retry := time.NewTicker(lockRetry)
	defer retry.Stop()
	for {
		err := unix.Flock(d.fd, unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return d.look()
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return pathError("flock", d.path, err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-retry.C:
		}
	}
}

func (d *directory) unlock() { _ = unix.Flock(d.fd, unix.LOCK_UN) }

// claim makes the directory its owner's alone, or refuses to. One that others may pass is taken for ours only when a stale
// socket lies in it, which a server with [Allow] leaves behind when it is killed: any other may be in use for something
// else.
func (d *directory) claim(stale bool) error {
	open := d.stat.Mode & others
	if open == 0 || stale && open&^othersPass == 0 {
		return d.tighten()
	}
	return fmt.Errorf("the directory %s is open to others (mode %04o); choose a path with --unix whose directory does not exist yet, "+
		"or, if it is for this alone, chmod 700 it", d.path, d.stat.Mode&0o7777)
}

// tighten takes the mode back before the list: without its list, a file's mode would give the owner's group what the mask
// gave those who were named.
func (d *directory) tighten() error {
	if err := unix.Fchmod(d.fd, directoryMode); err != nil {
		return pathError("chmod", d.path, err)
	}
	return removeACL(d.path)
}

func pathError(operation, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: operation, Path: path, Err: err}
}
