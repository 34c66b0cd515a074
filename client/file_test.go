package client_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"dialpoint/client"
)

// TestUselessFiles: what is no readable file is refused, and waits for nobody. Nobody writes to the pipe.
func TestUselessFiles(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, listenTCP(t), newGate(t, "Bearer abc"))
	for name, test := range map[string]struct {
		prepare func(t *testing.T, path string)
		problem string
	}{
		"directory": {func(t *testing.T, path string) {
			t.Helper()
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "is no regular file"},
		"pipe": {func(t *testing.T, path string) {
			t.Helper()
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "is no regular file"},
		"socket": {func(t *testing.T, path string) {
			t.Helper()
			listener := listenUnix(t)
			t.Cleanup(func() { _ = listener.Close() })
			if err := os.Symlink(listener.Addr().String(), path); err != nil {
				t.Fatal(err)
			}
		}, "is no regular file"},
		"endless": {func(t *testing.T, path string) {
			t.Helper()
			if err := os.Symlink("/dev/zero", path); err != nil {
				t.Fatal(err)
			}
		}, "is no regular file"},
		"below a file": {func(t *testing.T, path string) {
			t.Helper()
			write(t, filepath.Dir(filepath.Dir(path)), "d", "")
		}, "cannot be read: not a directory"},
		"others' file": {func(t *testing.T, path string) {
			t.Helper()
			if os.Geteuid() == 0 {
				t.Skip("root may read any file")
			}
			if err := os.WriteFile(path, []byte("abc"), 0); err != nil {
				t.Fatal(err)
			}
		}, "cannot be read: permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "d")
			if name != "below a file" {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			caller := connectTo(t, address)
			caller.TokenFile = filepath.Join(dir, "f")
			test.prepare(t, caller.TokenFile)
			caller.Waiting = func(err error) { t.Errorf("waits: %v", err) }
			_, err := caller.Resolve(t.Context(), client.Request{})
			wantMisconfigured(t, err, fmt.Sprintf("the given token file %q ", caller.TokenFile)+test.problem+"; put that right")
		})
	}
}

// TestSymbolicLinks: secrets are mounted as links to links, which are swapped as a whole.
func TestSymbolicLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gate := newGate(t, "Bearer one")
	address, _ := serve(t, listenTCP(t), gate)
	caller := connectTo(t, address)
	caller.TokenFile = filepath.Join(dir, "token")
	link := func(target, name string) {
		path := filepath.Join(dir, name)
		if err := os.Symlink(target, path+".new"); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	link("..data/token", "token")
	for _, version := range []string{"one", "two"} {
		if err := os.Mkdir(filepath.Join(dir, version), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, version), "token", version)
		link(version, "..data")
		gate.admit("Bearer " + version)
		if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
			t.Error(err)
		}
	}
}
