package socket_test

import (
	"context"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"dialpoint/server/socket"
)

// nobody is a user and a group who own nothing.
const nobody = 65534

func ctx() context.Context { return context.Background() }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away and be another user")
	}
}

// base is a directory with a short path and no symbolic link in it: that of a socket has room for 107 bytes.
func base(t testing.TB) string {
	t.Helper()
	return baseIn(t, "")
}

func baseIn(t testing.TB, parent string) string {
	t.Helper()
	dir, err := os.MkdirTemp(parent, "dp") //nolint:usetesting // See above.
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	dir, err = filepath.EvalSymlinks(dir)
	must(t, err)
	return dir
}

// mkdir makes a directory with a mode, whatever the umask.
func mkdir(t testing.TB, path string, mode fs.FileMode) string {
	t.Helper()
	must(t, os.Mkdir(path, 0o700))
	must(t, os.Chmod(path, mode))
	return path
}

// open listens until the test ends.
func open(t testing.TB, path string, allow socket.Allow) *socket.Unix {
	t.Helper()
	listener, err := socket.ListenUnix(t.Context(), path, allow)
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// wantRefused tries to listen, and wants an error of the path that says something.
func wantRefused(t testing.TB, path, says string) {
	t.Helper()
	listener, err := socket.ListenUnix(t.Context(), path, socket.Allow{})
	if err == nil {
		_ = listener.Close()
	}
	wantError(t, err, "serve.unix "+path+": ", says)
}

// wantError wants an error that begins with one text and has the other.
func wantError(t testing.TB, err error, begins, has string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), begins) || !strings.Contains(err.Error(), has) {
		t.Errorf("error = %v, want one that begins with %q and says %q", err, begins, has)
	}
}

func wantMode(t testing.TB, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Lstat(path)
	must(t, err)
	if got := info.Mode(); got != want {
		t.Errorf("%s has mode %v, want %v", path, got, want)
	}
}

func wantGone(t testing.TB, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("%s: %v, want that it does not exist", path, err)
	}
}

// leaveStale leaves a socket behind that nobody answers on.
func leaveStale(t testing.TB, path string) {
	t.Helper()
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	must(t, err)
	stale.SetUnlinkOnClose(false)
	shut(t, stale)
}

// shut closes a socket for everybody. A process that is being started holds it as well, until it has become another program.
func shut(t testing.TB, socket *net.UnixListener) {
	t.Helper()
	conn, err := socket.SyscallConn()
	must(t, err)
	must(t, conn.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_RDWR) }))
	must(t, socket.Close())
}

// answer says who it is to all who connect.
func answer(listener net.Listener, name string) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, name)
		_ = conn.Close()
	}
}

// ask is who answers at a unix socket.
func ask(path string) (string, error) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	name, err := io.ReadAll(conn)
	return string(name), err
}
