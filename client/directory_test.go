package client_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"connectrpc.com/connect"

	"dialpoint/client"
)

// strangers are directories of the default socket that somebody else may have made, and how they are refused. All of
// them hold a socket that answers.
var strangers = map[string]struct {
	change  func(t *testing.T, dir string)
	problem string
}{
	"group may write":  {changeMode(0o770), "can be written to by others (mode 0770)"},
	"others may write": {changeMode(0o702), "can be written to by others (mode 0702)"},
	"sticky":           {changeMode(0o777 | os.ModeSticky), "can be written to by others (mode 0777)"},
	"another user's":   {changeOwner(1), "belongs to user 1"},
	"symbolic link": {func(t *testing.T, dir string) {
		t.Helper()
		if err := os.Rename(dir, dir+".away"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(dir+".away", dir); err != nil {
			t.Fatal(err)
		}
	}, "is no directory but a symbolic link"},
}

func changeMode(mode os.FileMode) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
}

func changeOwner(uid int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if os.Geteuid() != 0 {
			t.Skip("only root gives a directory away")
		}
		if err := os.Chown(dir, uid, -1); err != nil {
			t.Fatal(err)
		}
	}
}

// serveByDefault answers at the default socket of a runtime directory, and returns the socket's directory.
func serveByDefault(t *testing.T, runtime string) (dir string) {
	t.Helper()
	dir = filepath.Join(runtime, "dialpoint")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	listener := mustListen(t, "unix", filepath.Join(dir, "dialpoint.sock"))
	if unix, ok := listener.(*net.UnixListener); ok {
		// A test may have moved the file.
		unix.SetUnlinkOnClose(false)
	}
	serve(t, listener, complete().handler())
	return dir
}

// TestDefaultSocketOfAStranger: it is not dialled, unless somebody has named it.
func TestDefaultSocketOfAStranger(t *testing.T) {
	for name, test := range strangers {
		t.Run(name, func(t *testing.T) {
			runtime := t.TempDir()
			t.Setenv("XDG_RUNTIME_DIR", runtime)
			dir := serveByDefault(t, runtime)
			test.change(t, dir)
			for name, call := range patientCalls {
				t.Run(name, func(t *testing.T) {
					err := call(t.Context(), connectTo(t, ""))
					if failure := asError(t, err); failure.Code != connect.CodePermissionDenied || failure.Reason != "" {
						t.Errorf("got %v, want permission_denied", err)
					}
					wantMessage(t, err.Error(), fmt.Sprintf("the directory %s of the default socket ", dir), test.problem,
						"; remove it, or if that is the service you mean, say so with --addr or DIALPOINT_ADDR")
					address := "unix://" + filepath.Join(dir, "dialpoint.sock")
					if err := call(t.Context(), connectTo(t, address)); err != nil {
						t.Errorf("by name: %v", err)
					}
					t.Setenv(client.AddressEnv, address)
					if err := call(t.Context(), connectTo(t, "")); err != nil {
						t.Errorf("by the environment: %v", err)
					}
				})
			}
		})
	}
}

// TestDefaultSocketOfOurOwn is one that nobody else can have made.
func TestDefaultSocketOfOurOwn(t *testing.T) {
	for _, mode := range []os.FileMode{0o700, 0o755, 0o711, 0o750} {
		t.Run(mode.String(), func(t *testing.T) {
			runtime := t.TempDir()
			t.Setenv("XDG_RUNTIME_DIR", runtime)
			changeMode(mode)(t, serveByDefault(t, runtime))
			if err := calls["Resolve"](t.Context(), connectTo(t, "")); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDefaultSocketComesLate: a directory that is not there is none of a stranger's, and is looked at once it is.
func TestDefaultSocketComesLate(t *testing.T) {
	for name, test := range map[string]struct {
		mode os.FileMode
		want connect.Code
	}{
		"ours":       {0o700, 0},
		"a stranger": {0o777, connect.CodePermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			runtime := t.TempDir()
			t.Setenv("XDG_RUNTIME_DIR", runtime)
			dir := serveByDefault(t, runtime)
			if err := os.Rename(dir, dir+".later"); err != nil {
				t.Fatal(err)
			}
			caller := connectTo(t, "")
			var waited int
			caller.Waiting = func(err error) {
				if waited++; waited > 1 {
					return
				}
				wantMessage(t, err.Error(), "no Dialpoint service answers at unix://"+dir, "no such file")
				changeMode(test.mode)(t, dir+".later")
				if err := os.Rename(dir+".later", dir); err != nil {
					t.Error(err)
				}
			}
			err := calls["Resolve"](t.Context(), caller)
			switch {
			case waited == 0:
				t.Error("it did not wait")
			case test.want == 0 && err != nil:
				t.Error(err)
			case test.want != 0 && asError(t, err).Code != test.want:
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
