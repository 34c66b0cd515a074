package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	socketDirectoryMode = 0o700
	// othersWrite is the permission of group and others to put files into a directory.
	othersWrite = 0o022
	// socketMode leaves a new socket to its owner alone.
	socketMode = 0o600
	// answerTimeout is how long whoever may be at a socket has to answer.
	answerTimeout = time.Second
)

var errNoConfig = errors.New("the server has no configuration that names sockets: mount its Handler, or give Serve sockets of your own")

// Listen opens the sockets that the configuration names, the unix socket first. All are open, or none. A stale unix
// socket, which nobody answers on, is replaced; a live one is an error, as is anything else in its place.
// A server without [WithConfig] has no sockets of its own, which is an error too.
func (s *Server) Listen(ctx context.Context) ([]net.Listener, error) {
	if s.config == nil {
		return nil, errNoConfig
	}
	var sockets []net.Listener
	open := func(listen func(context.Context, string) (net.Listener, error), address string) error {
		if address == "" {
			return nil
		}
		socket, err := listen(ctx, address)
		if err == nil {
			sockets = append(sockets, socket)
		}
		return err
	}
	err := open(listenUnix, s.config.Serve.Unix)
	if err == nil {
		err = open(listenTCP, s.config.Serve.TCP)
	}
	if err != nil {
		for _, socket := range sockets {
			_ = socket.Close()
		}
		return nil, err
	}
	return sockets, nil
}

func listenTCP(ctx context.Context, address string) (net.Listener, error) {
	socket, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve.tcp %s: %w; choose another with --tcp, or \"none\"", address, err)
	}
	return socket, nil
}

func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	if err := makeDirectory(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("serve.unix %s: %w", path, err)
	}
	if err := clearStale(ctx, path); err != nil {
		return nil, fmt.Errorf("serve.unix %s: %w", path, err)
	}
	config := net.ListenConfig{Control: ownersAlone}
	listener, err := config.Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("serve.unix %s: %w", path, err)
	}
	socket, ok := listener.(*net.UnixListener)
	if !ok {
		_ = listener.Close()
		return nil, fmt.Errorf("serve.unix %s: it gave a %T", path, listener)
	}
	return ownSocket(socket, path)
}

// ownersAlone sets the mode of a socket before it is bound, so that its file has it from the moment it exists.
func ownersAlone(_, _ string, conn syscall.RawConn) error {
	var failed error
	err := conn.Control(func(fd uintptr) { failed = syscall.Fchmod(int(fd), socketMode) })
	return errors.Join(err, failed)
}

// makeDirectory makes the directory of a socket, or checks the one that is there. Who may write to it can put another
// socket in the place of ours, and hand children whatever URLs they like.
func makeDirectory(path string) error {
	if err := os.MkdirAll(path, socketDirectoryMode); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && owner.Uid != 0 && int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("the directory %s belongs to user %d; choose one of your own with --unix", path, owner.Uid)
	}
	if info.Mode().Perm()&othersWrite != 0 && info.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("others may write to the directory %s; take that away with chmod go-w, or choose another with --unix", path)
	}
	return nil
}

// clearStale removes a socket that nobody answers on.
func clearStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return errors.New("there is something else than a socket; choose another path with --unix, or remove it")
	}
	dialer := net.Dialer{Timeout: answerTimeout}
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
		return errors.New("another process already answers there; stop it, or choose another path with --unix")
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return os.Remove(path)
}

// unixSocket removes its file when it closes, unless another process has put its own there meanwhile.
type unixSocket struct {
	*net.UnixListener

	path  string
	file  fs.FileInfo
	close sync.Once
}

func ownSocket(socket *net.UnixListener, path string) (net.Listener, error) {
	socket.SetUnlinkOnClose(false)
	file, err := os.Lstat(path)
	if err != nil {
		_ = socket.Close()
		return nil, err
	}
	return &unixSocket{UnixListener: socket, path: path, file: file}, nil
}

// Close implements [net.Listener].
func (u *unixSocket) Close() error {
	u.close.Do(func() {
		if now, err := os.Lstat(u.path); err == nil && os.SameFile(now, u.file) {
			_ = os.Remove(u.path)
		}
	})
	return u.UnixListener.Close()
}
