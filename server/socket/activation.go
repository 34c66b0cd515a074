package socket

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/coreos/go-systemd/v22/activation"
	"golang.org/x/sys/unix"
)

// Sockets are those which the process was started with. Either may be nil.
type Sockets struct {
	Unix *net.UnixListener
	TCP  *net.TCPListener
}

// Activated takes over the sockets that systemd, or another program that speaks its protocol (sd_listen_fds(3)), has opened
// for this process: at most one unix socket and one of TCP. There are none unless LISTEN_PID is this process. The file of
// a unix socket stays when it is closed, as it is systemd's. Children inherit neither the sockets nor the variables that
// tell of them, which this unsets: a second call finds nothing. Anything else that was passed is an error, and closes all.
func Activated() (Sockets, error) {
	var sockets Sockets
	var failed error
	for _, file := range activation.Files(true) {
		if err := sockets.adopt(file); err != nil {
			failed = errors.Join(failed, fmt.Errorf("LISTEN_FDS: %s %w", file.Name(), err))
		}
		_ = file.Close()
	}
	if failed != nil {
		closeAll(sockets.All())
		return Sockets{}, failed
	}
	return sockets, nil
}

// All is those there are, the unix socket first.
func (s Sockets) All() []net.Listener {
	var all []net.Listener
	if s.Unix != nil {
		all = append(all, s.Unix)
	}
	if s.TCP != nil {
		all = append(all, s.TCP)
	}
	return all
}

func closeAll(sockets []net.Listener) {
	for _, socket := range sockets {
		_ = socket.Close()
	}
}

// adopt adds a socket that was inherited. Its error goes on from the socket's name.
func (s *Sockets) adopt(file *os.File) error {
	if err := listens(file); err != nil {
		return err
	}
	listener, err := net.FileListener(file)
	if err != nil {
		return fmt.Errorf("is of no kind that can be served: %w; let ListenStream= name a path or a TCP address", err)
	}
	if err := s.add(listener); err != nil {
		return errors.Join(err, listener.Close())
	}
	return nil
}

func (s *Sockets) add(listener net.Listener) error {
	switch listener := listener.(type) {
	case *net.UnixListener:
		if s.Unix != nil {
			return fmt.Errorf("is a second unix socket, %v beside %v; let one ListenStream= name a path", listener.Addr(), s.Unix.Addr())
		}
		if !filepath.IsAbs(listener.Addr().String()) {
			return fmt.Errorf("is the abstract socket %v, which no permissions guard; let ListenStream= name a path", listener.Addr())
		}
		s.Unix = listener
	case *net.TCPListener:
		if s.TCP != nil {
			return fmt.Errorf("is a second TCP socket, %v beside %v; let one ListenStream= name an address", listener.Addr(), s.TCP.Addr())
		}
		s.TCP = listener
	default:
		return fmt.Errorf("is of a kind that cannot be served, %T", listener)
	}
	return nil
}

// listens is the error of a file that is no listening stream socket.
func listens(file *os.File) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return fmt.Errorf("cannot be used: %w", err)
	}
	var kind, listening int
	var failed error
	err = conn.Control(func(fd uintptr) {
		if kind, failed = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TYPE); failed == nil {
			listening, failed = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ACCEPTCONN)
		}
	})
	switch {
	case errors.Join(err, failed) != nil:
		return fmt.Errorf("is no socket: %w", errors.Join(err, failed))
	case kind == unix.SOCK_DGRAM:
		return errors.New("is a datagram socket; use ListenStream=, not ListenDatagram=")
	case kind != unix.SOCK_STREAM:
		return errors.New("is no stream socket; use ListenStream=")
	case listening == 0:
		return errors.New("is a connection, not a socket to accept from; use Accept=no")
	}
	return nil
}
