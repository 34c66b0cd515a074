package server_test

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dialpoint/server"
)

// listenOn opens the sockets of a configuration whose unix socket is at path.
func listenOn(t *testing.T, path, tcp string) ([]net.Listener, error) {
	t.Helper()
	service, _ := fromConfig(t, fmt.Sprintf("serve: {unix: %q, tcp: %q}\n", path, tcp)+first)
	return service.Listen(t.Context())
}

func opened(t *testing.T, path string) net.Listener {
	t.Helper()
	sockets, err := listenOn(t, path, "none")
	must(t, err)
	return sockets[0]
}

func TestUnixSocketIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "s")
	socket := opened(t, path)
	t.Cleanup(func() { _ = socket.Close() })
	for name, want := range map[string]fs.FileMode{filepath.Dir(path): 0o700, path: 0o600} {
		info, err := os.Lstat(name)
		must(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("mode of %s = %o, want %o", name, got, want)
		}
	}
}

func TestUnixSocketNeedsASafeDirectory(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mode fs.FileMode
		user int
		says string
	}{
		"our own":                           {0o700, os.Geteuid(), ""},
		"our own, which others may list":    {0o755, os.Geteuid(), ""},
		"where others may add files alone":  {0o777 | fs.ModeSticky, os.Geteuid(), ""},
		"where the group may replace files": {0o770, os.Geteuid(), "others may write to the directory"},
		"where all may replace files":       {0o707, os.Geteuid(), "others may write to the directory"},
		"another user's":                    {0o700, 65534, "belongs to user 65534"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := filepath.Join(t.TempDir(), "d")
			must(t, os.Mkdir(directory, 0o700))
			must(t, os.Chmod(directory, test.mode))
			if err := os.Chown(directory, test.user, -1); err != nil {
				t.Logf("only root can give a directory away: %v", err)
				return
			}
			sockets, err := listenOn(t, filepath.Join(directory, "s"), "none")
			for _, socket := range sockets {
				must(t, socket.Close())
			}
			if got := fmt.Sprint(err); (err == nil) != (test.says == "") || !strings.Contains(got, test.says) && err != nil {
				t.Errorf("error = %v, want %q", err, test.says)
			}
		})
	}
}

func TestStaleUnixSocketIsReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	must(t, err)
	stale.SetUnlinkOnClose(false)
	must(t, stale.Close())
	must(t, opened(t, path).Close())
}

func TestUnixSocketIsRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		inPlace func(t *testing.T, path string)
		says    string
	}{
		"when someone answers": {func(t *testing.T, path string) {
			t.Helper()
			live, err := net.Listen("unix", path)
			must(t, err)
			t.Cleanup(func() { _ = live.Close() })
		}, "another process already answers there"},
		"when a file is there": {func(t *testing.T, path string) {
			t.Helper()
			write(t, path, "precious")
		}, "something else than a socket"},
		"when a directory is there": {func(t *testing.T, path string) {
			t.Helper()
			must(t, os.Mkdir(path, 0o700))
		}, "something else than a socket"},
		"when a link is there": {func(t *testing.T, path string) {
			t.Helper()
			must(t, os.Symlink(path+"2", path))
		}, "something else than a socket"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "s")
			test.inPlace(t, path)
			_, err := listenOn(t, path, "none")
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("error = %v, want one that says %q of %s", err, test.says, path)
			}
			if _, err := os.Lstat(path); err != nil {
				t.Errorf("what was there is gone: %v", err)
			}
		})
	}
}

func TestUnixSocketIsRemovedOnlyByItsOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	socket := opened(t, path)
	must(t, os.Remove(path))
	write(t, path, "another's")
	must(t, socket.Close())
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("another's file was removed: %v", err)
	}
}

func TestAllSocketsOrNone(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	path := filepath.Join(t.TempDir(), "s")
	_, err = listenOn(t, path, taken.Addr().String())
	if err == nil || !strings.Contains(err.Error(), "serve.tcp "+taken.Addr().String()) {
		t.Errorf("error = %v, want one of serve.tcp", err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("the unix socket was left behind")
	}
}

func TestListenNeedsAConfiguration(t *testing.T) {
	t.Parallel()
	service, err := server.New()
	must(t, err)
	if _, err := service.Listen(t.Context()); err == nil {
		t.Error("a server without a configuration has no sockets to open")
	}
}
