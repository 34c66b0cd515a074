package socket_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"testing/synctest"

	"golang.org/x/sys/unix"

	"dialpoint/server/socket"
)

func TestUnixSocketIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "parent", "d", "s")
	listener := open(t, path, socket.Allow{})
	wantMode(t, path, fs.ModeSocket|0o600)
	wantMode(t, filepath.Dir(path), fs.ModeDir|0o700)
	wantMode(t, filepath.Dir(filepath.Dir(path)), fs.ModeDir|0o700)
	if len(listener.Warnings) != 0 {
		t.Errorf("warnings: %q", listener.Warnings)
	}
}

// TestUmaskChangesNoMode: neither a wide nor a narrow one.
func TestUmaskChangesNoMode(t *testing.T) {
	t.Parallel()
	for name, umask := range map[string]int{"none": 0, "all": 0o777} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(base(t), "parent", "d", "s")
			if _, got := listenerAt(t, path, "-umask="+strconv.Itoa(umask)); got != "listening" {
				t.Fatal(got)
			}
			wantMode(t, path, fs.ModeSocket|0o600)
			wantMode(t, filepath.Dir(path), fs.ModeDir|0o700)
			wantMode(t, filepath.Dir(filepath.Dir(path)), fs.ModeDir|0o700)
		})
	}
}

// TestModeIsSetBeforeBinding: there is no moment in which the file has another.
func TestModeIsSetBeforeBinding(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can")
	}
	path := filepath.Join(base(t), "s")
	listener, err := (&net.ListenConfig{Control: socket.OwnersAlone}).Listen(t.Context(), "unix", path)
	must(t, err)
	t.Cleanup(func() { must(t, listener.Close()) })
	wantMode(t, path, fs.ModeSocket|0o600)
}

func TestConnectionsHaveAPeer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "s")
	listener := open(t, path, socket.Allow{})
	caller, err := net.Dial("unix", path)
	must(t, err)
	t.Cleanup(func() { must(t, caller.Close()) })
	conn, err := listener.Accept()
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close()) })
	if _, ok := conn.(*net.UnixConn); !ok {
		t.Errorf("the connection is a %T", conn)
	}
}

func TestStaleSocketIsReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "s")
	leaveStale(t, path)
	go answer(open(t, path, socket.Allow{}), "new")
	if got, err := ask(path); got != "new" {
		t.Errorf("%q answers, %v", got, err)
	}
}

// TestSocketOfAKilledProcessIsReplaced: it had no time to clear up, and holds no lock.
func TestSocketOfAKilledProcessIsReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "s")
	killed, got := listenerAt(t, path)
	if got != "listening" {
		t.Fatal(got)
	}
	wantRefused(t, path, "another process already answers there")
	must(t, killed.Process.Kill())
	_ = killed.Wait()
	wantMode(t, path, fs.ModeSocket|0o600)
	open(t, path, socket.Allow{})
}

func TestPlaceIsTaken(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		take func(t *testing.T, path string)
		says string
	}{
		"by someone who answers": {func(t *testing.T, path string) {
			t.Helper()
			live, err := net.Listen("unix", path)
			must(t, err)
			t.Cleanup(func() { _ = live.Close() })
		}, "another process already answers there"},
		"by someone who is too busy to answer": {fill, "which may be in use"},
		"by a datagram socket": {func(t *testing.T, path string) {
			t.Helper()
			live, err := net.ListenPacket("unixgram", path)
			must(t, err)
			t.Cleanup(func() { _ = live.Close() })
		}, "which may be in use"},
		"by a file": {func(t *testing.T, path string) {
			t.Helper()
			must(t, os.WriteFile(path, []byte("precious"), 0o600))
		}, "something else than a socket"},
		"by a directory": {func(t *testing.T, path string) {
			t.Helper()
			mkdir(t, path, 0o700)
		}, "something else than a socket"},
		"by a link to a stale socket": {func(t *testing.T, path string) {
			t.Helper()
			leaveStale(t, path+"2")
			must(t, os.Symlink(path+"2", path))
		}, "something else than a socket"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(base(t), "s")
			test.take(t, path)
			before, err := os.Lstat(path)
			must(t, err)
			wantRefused(t, path, test.says)
			after, err := os.Lstat(path)
			must(t, err)
			if !os.SameFile(before, after) || before.Mode() != after.Mode() {
				t.Errorf("%v became %v", before, after)
			}
		})
	}
}

// fill listens for one connection and takes it.
func fill(t *testing.T, path string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a full queue looks as if nobody answered")
	}
	// No process may be started in between, which would inherit it.
	syscall.ForkLock.RLock()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	must(t, err)
	t.Cleanup(func() { must(t, unix.Close(fd)) })
	must(t, unix.Bind(fd, &unix.SockaddrUnix{Name: path}))
	must(t, unix.Listen(fd, 0))
	waiting, err := net.Dial("unix", path)
	must(t, err)
	t.Cleanup(func() { must(t, waiting.Close()) })
}

func TestBadPath(t *testing.T) {
	t.Parallel()
	for path, says := range map[string]string{
		"@dialpoint":     "no permissions guard an abstract socket",
		"\x00dialpoint":  "no permissions guard an abstract socket",
		"run/dialpoint":  "must be absolute",
		"":               "must be absolute",
		"/":              "",
		"/dev/null/no/s": "/dev/null is no directory",
	} {
		t.Run(strconv.Quote(path), func(t *testing.T) {
			t.Parallel()
			wantRefused(t, path, says)
		})
	}
}

func TestCloseRemovesTheSocketAndKeepsTheDirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "d", "s")
	listener := open(t, path, socket.Allow{})
	must(t, listener.Close())
	wantGone(t, path)
	wantMode(t, filepath.Dir(path), fs.ModeDir|0o700)
	if err := listener.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closing again: %v, want %v", err, net.ErrClosed)
	}
	open(t, path, socket.Allow{})
}

func TestSocketStaysUntilItIsClosedItself(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "s")
	listener := open(t, path, socket.Allow{})
	must(t, listener.UnixListener.Close())
	wantMode(t, path, fs.ModeSocket|0o600)
	if err := listener.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closing = %v, want %v", err, net.ErrClosed)
	}
	wantGone(t, path)
}

func TestCloseLeavesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "s")
	listener := open(t, path, socket.Allow{})
	must(t, os.Remove(path))
	must(t, os.WriteFile(path, []byte("another's"), 0o600))
	must(t, listener.Close())
	wantMode(t, path, 0o600)
}

func TestCloseNeedsNoFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "s")
	listener := open(t, path, socket.Allow{})
	must(t, os.Remove(path))
	must(t, listener.Close())
}

// TestCloseLeavesASuccessor: one that was started while the last calls of the first ended has a new file, most often with
// the inode of the old.
func TestCloseLeavesASuccessor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "s")
	first := open(t, path, socket.Allow{})
	before, err := os.Lstat(path)
	must(t, err)
	shut(t, first.UnixListener)
	go answer(open(t, path, socket.Allow{}), "second")
	after, err := os.Lstat(path)
	must(t, err)
	t.Logf("same inode: %t", os.SameFile(before, after))
	_ = first.Close()
	if got, err := ask(path); got != "second" {
		t.Errorf("%q answers, %v", got, err)
	}
}

func TestContextEndsTheWait(t *testing.T) {
	t.Parallel()
	dir := base(t)
	lock, err := os.Open(dir)
	must(t, err)
	t.Cleanup(func() { must(t, lock.Close()) })
	must(t, unix.Flock(int(lock.Fd()), unix.LOCK_EX))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = socket.ListenUnix(ctx, filepath.Join(dir, "s"), socket.Allow{})
	wantError(t, err, "serve.unix "+dir, context.Canceled.Error())
}

func TestLockIsNotWaitedForForever(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := base(t)
		lock, err := os.Open(dir)
		must(t, err)
		t.Cleanup(func() { must(t, lock.Close()) })
		must(t, unix.Flock(int(lock.Fd()), unix.LOCK_EX))
		wantRefused(t, filepath.Join(dir, "s"), "another process has held the lock of the directory "+dir+" for 5s")
		wantGone(t, filepath.Join(dir, "s"))
	})
}

// TestCloseWaitsForItsTurn: a starter may be putting its own socket there.
func TestCloseWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(base(t), "s")
		listener := open(t, path, socket.Allow{})
		lock, err := os.Open(filepath.Dir(path))
		must(t, err)
		must(t, unix.Flock(int(lock.Fd()), unix.LOCK_EX))
		closed := make(chan error, 1)
		go func() { closed <- listener.Close() }()
		synctest.Wait()
		wantMode(t, path, fs.ModeSocket|0o600)
		// A process that is being started may hold the file for longer than this one does.
		must(t, unix.Flock(int(lock.Fd()), unix.LOCK_UN))
		must(t, lock.Close())
		must(t, <-closed)
		wantGone(t, path)
	})
}
