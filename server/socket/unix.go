package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// socketMode leaves a socket to its owner alone.
	socketMode = 0o600
	// answerTimeout is how long whoever may be at a socket has to answer.
	answerTimeout = time.Second
)

// Unix is a listening unix socket whose connections are [net.UnixConn]s. Close removes its file, unless another process has
// put its own there meanwhile, and keeps the directory. Closing the listener inside it leaves the file for Close: a server
// that stops accepting can keep its place until its last call is over.
type Unix struct {
	*net.UnixListener

	// Warnings say what serve.unix_allow could not get: plain sentences for the operator.
	Warnings []string

	path      string
	directory *directory
	// file is what was made, and held keeps it from being mistaken for a successor's.
	file  fs.FileInfo
	held  io.Closer
	close sync.Once
}

// ListenUnix listens on the absolute path of a unix socket, which has at most 107 bytes (unix(7)). A stale socket, on which
// nobody answers, is replaced; a live one is refused, as is anything else in its place. Of several starters one wins.
//
// The directory of the socket is made with mode 0700, or must be ours with no permission for anybody else. On the way to
// it there must be no directory in which others than root and we can write, save sticky ones, and no symbolic links but
// root's own.
//
// The socket has mode 0600. Whom allow names can connect as well: an access control list lets them pass the directory and
// use the socket (acl(5)). Where there are no such lists, which is everywhere but on Linux, every local user can connect,
// and a warning says so. A directory can have one socket with allow, since opening another in it takes theirs away.
func ListenUnix(ctx context.Context, path string, allow Allow) (*Unix, error) {
	socket, err := listenUnix(ctx, path, allow)
	if err != nil {
		return nil, fmt.Errorf("serve.unix %s: %w", path, err)
	}
	return socket, nil
}

func listenUnix(ctx context.Context, path string, allow Allow) (*Unix, error) {
	if strings.HasPrefix(path, "@") || strings.HasPrefix(path, "\x00") {
		return nil, errors.New("no permissions guard an abstract socket; choose the path of a file with --unix")
	}
	if !filepath.IsAbs(path) {
		return nil, errors.New("the path must be absolute")
	}
	path = filepath.Clean(path)
	directory, warning, err := reach(filepath.Dir(path), allow)
	if err != nil {
		return nil, err
	}
	socket := &Unix{path: path, directory: directory}
	socket.warn(warning)
	if err := socket.open(ctx, allow); err != nil {
		directory.close()
		return nil, err
	}
	return socket, nil
}

func (u *Unix) warn(warning string) {
	if warning != "" {
		u.Warnings = append(u.Warnings, warning)
	}
}

// open takes the socket's place, while no other starter can.
func (u *Unix) open(ctx context.Context, allow Allow) error {
	if err := u.directory.lock(ctx); err != nil {
		return err
	}
	defer u.directory.unlock()
	if err := clearPlace(ctx, u.directory, u.path); err != nil {
		return err
	}
	if err := u.listen(ctx); err != nil {
		return err
	}
	warning, err := allow.open(u.directory.path, u.path)
	if err != nil {
		return errors.Join(err, u.remove(), u.held.Close(), u.UnixListener.Close())
	}
	u.warn(warning)
	return nil
}

// clearPlace claims the directory, and removes a stale socket from it.
func clearPlace(ctx context.Context, directory *directory, path string) error {
	stale, err := isStale(ctx, path)
	if err != nil {
		return err
	}
	if err := directory.claim(stale); err != nil || !stale {
		return err
	}
	return os.Remove(path)
}

// isStale reports whether a socket is there that nobody answers on. Anything else there is an error.
func isStale(ctx context.Context, path string) (bool, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.Mode().Type() != fs.ModeSocket:
		return false, errors.New("there is something else than a socket; choose another path with --unix, or remove it")
	}
	dialer := net.Dialer{Timeout: answerTimeout}
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
		return false, errors.New("another process already answers there; stop it, or choose another path with --unix")
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return false, fmt.Errorf("there is a socket, which may be in use: %w", err)
	}
	return true, nil
}

func (u *Unix) listen(ctx context.Context) error {
	config := net.ListenConfig{Control: ownersAlone}
	listener, err := config.Listen(ctx, "unix", u.path)
	if err != nil {
		return err
	}
	socket, ok := listener.(*net.UnixListener)
	if !ok {
		return errors.Join(fmt.Errorf("it gave a %T", listener), listener.Close())
	}
	socket.SetUnlinkOnClose(false)
	u.UnixListener = socket
	if err := u.keep(); err != nil {
		return errors.Join(err, os.Remove(u.path), socket.Close())
	}
	return nil
}

// keep gives the file its mode in spite of the umask, and remembers it.
func (u *Unix) keep() (err error) {
	if err := os.Chmod(u.path, socketMode); err != nil {
		return err
	}
	if u.file, err = os.Lstat(u.path); err != nil {
		return err
	}
	u.held, err = hold(u.path)
	return err
}

// Close implements [net.Listener].
func (u *Unix) Close() error {
	var err error
	u.close.Do(func() {
		defer u.directory.close()
		if err = u.directory.lock(context.Background()); err == nil {
			err = u.remove()
		}
		err = errors.Join(err, u.held.Close())
	})
	return errors.Join(err, u.UnixListener.Close())
}

// remove removes the socket's file if it is still ours, once others can no longer reach it. The lock must be held.
func (u *Unix) remove() error {
	now, err := os.Lstat(u.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return u.directory.tighten()
	case err != nil:
		return err
	case !os.SameFile(now, u.file):
		return nil
	}
	return errors.Join(u.directory.tighten(), os.Remove(u.path))
}
