package main_test

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const oneURL = "ws://127.0.0.1:9119/api/ws\n"

func (h home) serveOne(t *testing.T, args ...string) *service {
	t.Helper()
	return h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, append([]string{"--bind-host", "0.0.0.0"}, args...)...)
}

// wantServeFails runs a service that cannot start, and is its exit code.
func (h home) wantServeFails(t *testing.T, message string, args ...string) {
	t.Helper()
	got := h.run(t, nil, append([]string{"serve", "--tcp", "127.0.0.1:0"}, args...)...)
	if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, message) {
		t.Errorf("exit %d, said %q, want 1 and %q", got.code, got.stderr, message)
	}
}

// TestSocketIsTheOwners: nobody else may connect.
func TestSocketIsTheOwners(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serveOne(t)
	for path, want := range map[string]fs.FileMode{
		h.socket():               fs.ModeSocket | 0o600,
		filepath.Dir(h.socket()): fs.ModeDir | 0o700,
	} {
		info, err := os.Lstat(path)
		mustDo(t, err)
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
	}
}

// TestLiveSocketIsRefused: a second service does not take over from the first.
func TestLiveSocketIsRefused(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serveOne(t)
	before, err := os.Lstat(h.socket())
	mustDo(t, err)
	h.wantServeFails(t, "another process already answers there", "--bind-host", "10.0.0.1")
	after, err := os.Lstat(h.socket())
	mustDo(t, err)
	if !os.SameFile(before, after) {
		t.Error("the socket is another one")
	}
	if got := h.must(t, nil, "resolve", "-o", "url"); got != oneURL {
		t.Errorf("the first service answers %q", got)
	}
}

// TestStaleSocketIsReplaced: a process that was killed leaves its socket behind.
func TestStaleSocketIsReplaced(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first, err := startService(serveCommand(h.dir, h.env()))
	mustDo(t, err)
	first.kill()
	before, err := os.Lstat(h.socket())
	mustDo(t, err)
	if before.Mode().Type() != fs.ModeSocket {
		t.Fatalf("the dead process left %v", before.Mode())
	}
	h.serveOne(t)
	if got := h.must(t, nil, "resolve", "-o", "url"); got != oneURL {
		t.Errorf("the second service answers %q", got)
	}
}

// TestOtherFilesAreLeft: what is no socket is not ours to remove.
func TestOtherFilesAreLeft(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	path := h.write(t, "notes", "keep me")
	h.wantServeFails(t, "there is something else than a socket", "--unix", path)
	text, err := os.ReadFile(path)
	mustDo(t, err)
	if string(text) != "keep me" {
		t.Errorf("the file reads %q", text)
	}
	h.wantServeFails(t, "there is something else than a socket", "--unix", h.path("home"))
}

// TestAnotherSocketIsLeft: a service that ends does not remove what another has put in its place.
func TestAnotherSocketIsLeft(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serveOne(t)
	mustDo(t, os.Remove(h.socket()))
	h.serveOne(t)
	mustDo(t, s.stop())
	if got := h.must(t, nil, "resolve", "-o", "url"); got != oneURL {
		t.Errorf("the second service answers %q", got)
	}
}

// TestTakenPort: both sockets or none.
func TestTakenPort(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	mustDo(t, err)
	t.Cleanup(func() { mustDo(t, taken.Close()) })
	h.wantServeFails(t, "address already in use; choose another with --tcp", "--tcp", taken.Addr().String())
	if _, err := os.Lstat(h.socket()); err == nil {
		t.Error("the socket is still there")
	}
}

// TestPathTooLongForASocket: the kernel would say "invalid argument".
func TestPathTooLongForASocket(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	got := h.run(t, nil, "serve", "--tcp", "127.0.0.1:0", "--unix", h.path(strings.Repeat("d", 107)))
	if got.code != 78 || !strings.Contains(got.stderr, "flag --unix: ") || !strings.Contains(got.stderr, "at most 107 bytes") {
		t.Errorf("exit %d, said %q, want 78 and what is wrong with --unix", got.code, got.stderr)
	}
}
