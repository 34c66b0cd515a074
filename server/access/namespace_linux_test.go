package access_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"dialpoint/server/access"
)

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
func elsewhere(t *testing.T, do func()) {
	t.Helper()
	needRoot(t)
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := syscall.Unshare(syscall.CLONE_NEWNET)
		if err == nil {
			do()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Skipf("no network namespace can be made here: %v", err)
	}
}

// Where the socket was made counts, and not where its listener was, which may have come from another process.
func TestIsInOtherNetworkBySocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	var passedOn, loopback net.Listener
	elsewhere(t, func() { passedOn, loopback = listen(t, "unix", path), listen(t, "tcp", "127.0.0.1:0") })
	if access.IsInOtherNetwork(accepted(t, passedOn)) {
		t.Error("a caller of this network is taken for one of the listener's")
	}

	socket := unixSocket(t)
	var caller net.Conn
	elsewhere(t, func() {
		var err error
		caller, err = new(net.Dialer).DialContext(t.Context(), "unix", socket.Addr().String())
		must(t, err)
		overTCP, err := new(net.Dialer).DialContext(t.Context(), "tcp", loopback.Addr().String())
		if err == nil {
			t.Errorf("another loopback is reached: %v", overTCP.RemoteAddr())
		}
	})
	conn, err := socket.Accept()
	must(t, err)
	t.Cleanup(func() { _ = caller.Close(); _ = conn.Close(); _ = socket.Close(); _ = loopback.Close() })
	for name, conn := range map[string]net.Conn{"bare": conn, "wrapped": wrapped{hidden{conn}}} {
		if !access.IsInOtherNetwork(conn) {
			t.Errorf("%s: a caller of another network is taken for one of this", name)
		}
	}
	if access.IsInOtherNetwork(hidden{conn}) {
		t.Error("something is known of a connection that hides its socket")
	}
}
