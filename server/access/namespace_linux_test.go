package access_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"dialpoint/server/access"
)

// The main thread does not end with what runs on it, so that a test must not take it elsewhere: the main goroutine keeps it.
func init() { runtime.LockOSThread() } //nolint:gochecknoinits // Later it may run on another thread.

// inNamespaces lets a process start in namespaces of its own. Who is not root needs a user namespace for that.
func inNamespaces(command *exec.Cmd, flags uintptr) {
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	if os.Geteuid() != 0 && flags != 0 {
		command.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
}

// sharedSocket is one that every user may connect to.
func sharedSocket(t *testing.T) net.Listener {
	t.Helper()
	directory, err := os.MkdirTemp("", "dp") //nolint:usetesting // No other user may pass through the tests' own.
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	must(t, os.Chmod(directory, 0o755))
	socket := listen(t, "unix", filepath.Join(directory, "s"))
	must(t, os.Chmod(socket.Addr().String(), 0o666))
	return socket
}

func TestIsInOtherNetwork(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		flags uintptr
		who   string
		want  bool
	}{
		"same network":                       {0, "", false},
		"another user":                       {0, "65533:65533:", false},
		"another PID namespace":              {syscall.CLONE_NEWPID, "", false},
		"another network":                    {syscall.CLONE_NEWNET, "", true},
		"another network, user":              {syscall.CLONE_NEWNET, "65533:65533:", true},
		"another network, PIDs":              {syscall.CLONE_NEWNET | syscall.CLONE_NEWPID, "", true},
		"another network, PIDs, mounts, IPC": {syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC, "", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.who != "" {
				needRoot(t)
			}
			seen := make(chan bool, 1)
			web := webServer(access.NewGate(discard, access.Policy{AllowUsers: []uint32{stranger}}))
			web.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
				seen <- access.IsInOtherNetwork(conn)
				return access.WithConn(ctx, conn)
			}
			socket := sharedSocket(t)
			serve(t, web, socket)
			caller := process(t, "-access.call", socket.Addr().String(), "-access.become", test.who)
			inNamespaces(caller, test.flags)
			if err := caller.Start(); err != nil {
				t.Skipf("no such namespace can be made here: %v", err)
			}
			must(t, caller.Wait())
			if got := <-seen; got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}

// elsewhere does something in a network namespace of its own. The thread ends with it, since nothing else may run there.
func elsewhere(t *testing.T, do func() error) {
	t.Helper()
	needRoot(t)
	var unshared error
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		if unshared = syscall.Unshare(syscall.CLONE_NEWNET); unshared != nil {
			done <- nil
			return
		}
		done <- do()
	}()
	must(t, <-done)
	if unshared != nil {
		t.Skipf("no network namespace can be made here: %v", unshared)
	}
}

// Where the caller's socket was made counts, and not where its listener was.
func TestIsInOtherNetworkBySocket(t *testing.T) {
	t.Parallel()
	needCookies(t)
	path := filepath.Join(t.TempDir(), "s")
	socket := unixSocket(t)
	var (
		passedOn         net.Listener
		caller, datagram net.Conn
	)
	elsewhere(t, func() (err error) {
		if passedOn, err = net.Listen("unix", path); err != nil {
			return err
		}
		// Loopback is down there.
		if datagram, err = net.ListenUDP("udp4", nil); err != nil {
			return err
		}
		caller, err = net.Dial("unix", socket.Addr().String())
		return err
	})
	if access.IsInOtherNetwork(accepted(t, passedOn)) {
		t.Error("a caller of this network counts as one of its listener's")
	}
	conn, err := socket.Accept()
	must(t, err)
	t.Cleanup(func() { _ = caller.Close(); _ = datagram.Close(); _ = conn.Close(); _ = socket.Close() })
	for name, test := range map[string]struct {
		conn net.Conn
		want bool
	}{
		"bare":       {conn, true},
		"wrapped":    {wrapped{hidden{conn}}, true},
		"no socket":  {hidden{conn}, false},
		"not a unix": {datagram, false},
	} {
		if got := access.IsInOtherNetwork(test.conn); got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
	}
	must(t, conn.Close())
	if access.IsInOtherNetwork(conn) {
		t.Error("something is known of a connection that is closed")
	}
}

// needCookies skips a test on Linux before 5.14.
func needCookies(t *testing.T) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	_, err = unix.GetsockoptUint64(pair[0], unix.SOL_SOCKET, unix.SO_NETNS_COOKIE)
	must(t, errors.Join(unix.Close(pair[0]), unix.Close(pair[1])))
	if err != nil {
		t.Skipf("SO_NETNS_COOKIE: %v", err)
	}
}

// BenchmarkIsInOtherNetwork is what a connection costs once.
func BenchmarkIsInOtherNetwork(b *testing.B) {
	socket := listen(b, "unix", b.TempDir()+"/s")
	client, err := net.Dial("unix", socket.Addr().String())
	must(b, err)
	server, err := socket.Accept()
	must(b, err)
	b.Cleanup(func() { _ = client.Close(); _ = server.Close(); _ = socket.Close() })
	b.ReportAllocs()
	for b.Loop() {
		if access.IsInOtherNetwork(server) {
			b.Fatal("this process is taken for another network's")
		}
	}
}
