package socket_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"dialpoint/server/socket"
)

const (
	friend   = 65533
	stranger = 65532
	team     = 65531
)

// publicBase is a base that all may pass, wherever other temporary files go.
func publicBase(t *testing.T) string {
	t.Helper()
	dir := baseIn(t, "/tmp")
	must(t, os.Chmod(dir, 0o711))
	return dir
}

// as is what a role says as another user. The test binary lies where that user cannot go, but a process can always start
// itself again.
func as(t *testing.T, user, group uint32, more []uint32, role, path string) string {
	t.Helper()
	p := startAs(t, role, path, func(c *exec.Cmd) {
		c.Path = "/proc/self/exe"
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: group, Groups: more}}
	})
	return p.rest()
}

// needACL skips the test where files have no lists.
func needACL(t *testing.T, dir string) {
	t.Helper()
	if _, err := unix.Lgetxattr(dir, "system.posix_acl_access", nil); errors.Is(err, unix.EOPNOTSUPP) {
		t.Skip("the file system has no access control lists")
	}
}

func wantNoACL(t *testing.T, path string) {
	t.Helper()
	if _, err := unix.Lgetxattr(path, "system.posix_acl_access", nil); !errors.Is(err, unix.ENODATA) {
		t.Errorf("%s has an access control list: %v", path, err)
	}
}

func TestAllow(t *testing.T) {
	t.Parallel()
	needRoot(t)
	path := filepath.Join(publicBase(t), "parent", "d", "s")
	needACL(t, "/tmp")
	listener := open(t, path, socket.Allow{Users: []uint32{friend, 0}, Groups: []uint32{team}})
	if len(listener.Warnings) != 0 {
		t.Errorf("warnings: %q", listener.Warnings)
	}
	tests := map[string]struct {
		user, group uint32
		more        []uint32
		want        string
	}{
		"the user":                     {friend, nobody, nil, "<nil>"},
		"the group":                    {stranger, team, nil, "<nil>"},
		"the group among others":       {stranger, nobody, []uint32{1234, team}, "<nil>"},
		"root":                         {0, 0, nil, "<nil>"},
		"another user":                 {stranger, nobody, nil, "permission denied"},
		"another group of that number": {stranger, friend, nil, "permission denied"},
		"the group of the files":       {stranger, 0, nil, "permission denied"},
		"another user of that number":  {team, nobody, nil, "permission denied"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := as(t, test.user, test.group, test.more, "dialer", path); !strings.HasSuffix(got, test.want) {
				t.Errorf("dialling: %s, want %s", got, test.want)
			}
			if test.user == 0 {
				return
			}
			if got := as(t, test.user, test.group, test.more, "intruder", path); got != "" {
				t.Errorf("may also %s", got)
			}
		})
	}
	wantMode(t, path, fs.ModeSocket|0o660)
	wantMode(t, filepath.Dir(path), fs.ModeDir|0o710)
	wantMode(t, filepath.Dir(filepath.Dir(path)), fs.ModeDir|0o711)
}

// TestAllowEndsWithTheSocket: nobody can pass the directory any more.
func TestAllowEndsWithTheSocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "d", "s")
	must(t, open(t, path, socket.Allow{Users: []uint32{friend}}).Close())
	wantGone(t, path)
	wantMode(t, filepath.Dir(path), fs.ModeDir|0o700)
	wantNoACL(t, filepath.Dir(path))
}

// TestAllowEndsWithASocketThatIsGone: someone has removed it by hand.
func TestAllowEndsWithASocketThatIsGone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "d", "s")
	listener := open(t, path, socket.Allow{Users: []uint32{friend}})
	must(t, os.Remove(path))
	must(t, listener.Close())
	wantMode(t, filepath.Dir(path), fs.ModeDir|0o700)
	wantNoACL(t, filepath.Dir(path))
}

// TestAllowIsTakenBack: after a killed run, by one that allows nobody, and set anew by one that does.
func TestAllowIsTakenBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "d", "s")
	needACL(t, "/tmp")
	for _, next := range []struct {
		allow           socket.Allow
		directory, file fs.FileMode
	}{
		{socket.Allow{}, 0o700, 0o600},
		{socket.Allow{Groups: []uint32{team}}, 0o710, 0o660},
	} {
		killed, got := listenerAt(t, path, fmt.Sprintf("-allow=%d", friend))
		if got != "listening" {
			t.Fatal(got)
		}
		must(t, killed.Process.Kill())
		_ = killed.Wait()
		wantMode(t, filepath.Dir(path), fs.ModeDir|0o710)
		listener := open(t, path, next.allow)
		wantMode(t, filepath.Dir(path), fs.ModeDir|next.directory)
		wantMode(t, path, fs.ModeSocket|next.file)
		if next.allow.Groups == nil {
			wantNoACL(t, filepath.Dir(path))
		}
		must(t, listener.Close())
	}
}

// TestLiveSocketKeepsItsAllowance: a second starter that allows nobody changes nothing.
func TestLiveSocketKeepsItsAllowance(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "d", "s")
	needACL(t, "/tmp")
	open(t, path, socket.Allow{Users: []uint32{friend}})
	wantRefused(t, path, "another process already answers there")
	wantMode(t, filepath.Dir(path), fs.ModeDir|0o710)
	wantMode(t, path, fs.ModeSocket|0o660)
}

// TestMoreThanAListCanHold: what cannot be opened to all who are named is not opened at all.
func TestMoreThanAListCanHold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "d", "s")
	needACL(t, "/tmp")
	many := make([]uint32, 1<<14)
	for i := range many {
		many[i] = uint32(i)
	}
	_, err := socket.ListenUnix(t.Context(), path, socket.Allow{Users: many})
	wantError(t, err, "serve.unix "+path+": ", "to serve.unix_allow: setxattr "+path)
	wantGone(t, path)
	wantMode(t, filepath.Dir(path), fs.ModeDir|0o700)
}

// TestInheritedList: a directory may hand down a list to what is made in it, which the modes must keep at bay.
func TestInheritedList(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := publicBase(t)
	needACL(t, dir)
	list := []byte{
		2, 0, 0, 0,
		1, 0, 7, 0, 0xff, 0xff, 0xff, 0xff,
		2, 0, 7, 0, 0xfd, 0xff, 0, 0, // friend
		4, 0, 7, 0, 0xff, 0xff, 0xff, 0xff,
		0x10, 0, 7, 0, 0xff, 0xff, 0xff, 0xff,
		0x20, 0, 7, 0, 0xff, 0xff, 0xff, 0xff,
	}
	must(t, unix.Setxattr(dir, "system.posix_acl_default", list, 0))
	path := filepath.Join(dir, "d", "s")
	open(t, path, socket.Allow{})
	wantMode(t, filepath.Dir(path), fs.ModeDir|0o700)
	wantMode(t, path, fs.ModeSocket|0o600)
	wantNoACL(t, filepath.Dir(path))
	if got := as(t, friend, nobody, nil, "dialer", path); !strings.HasSuffix(got, "permission denied") {
		t.Errorf("dialling: %s", got)
	}
}

// TestNobodyCanGetThere: the socket is open to some, but the way to it is not.
func TestNobodyCanGetThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "d", "s")
	listener := open(t, path, socket.Allow{Users: []uint32{friend}})
	if !slices.ContainsFunc(listener.Warnings, func(warning string) bool {
		return strings.Contains(warning, "nobody but its owner can pass the directory ")
	}) {
		t.Errorf("warnings: %q", listener.Warnings)
	}
}

// TestFileSystemWithoutLists: ramfs has none.
func TestFileSystemWithoutLists(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := mkdir(t, filepath.Join(publicBase(t), "ram"), 0o700)
	if err := unix.Mount("ramfs", dir, "ramfs", 0, "mode=755"); err != nil {
		t.Skipf("ramfs cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	path := filepath.Join(dir, "d", "s")
	listener := open(t, path, socket.Allow{Users: []uint32{friend}})
	want := "there are no access control lists in " + filepath.Dir(path) + ", so every local user may connect"
	if len(listener.Warnings) != 1 || !strings.HasPrefix(listener.Warnings[0], want) {
		t.Errorf("warnings: %q, want %q", listener.Warnings, want)
	}
	wantMode(t, filepath.Dir(path), fs.ModeDir|0o711)
	wantMode(t, path, fs.ModeSocket|0o666)
	for _, user := range []uint32{friend, stranger} {
		if got := as(t, user, nobody, nil, "dialer", path); got != "<nil>" {
			t.Errorf("dialling as %d: %s", user, got)
		}
		if got := as(t, user, nobody, nil, "intruder", path); got != "" {
			t.Errorf("%d may also %s", user, got)
		}
	}
	must(t, listener.Close())
	wantMode(t, filepath.Dir(path), fs.ModeDir|0o700)
}
