package main_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestServeFails: where the service cannot go on, the dashboard has to end, since nobody would tell its children where it
// is.
func TestServeFails(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.serveDashboard(t, []string{"--tcp", "127.0.0.1:0"}, "waiting\n", "wait:5")
	breakSocket(t, p.process.Process.Pid)
	says(t, p.stdout, "got terminated\n", 1)
	if code := p.end(t); code != 1 || !strings.Contains(p.stderr.String(), "dialpoint: serve on ") {
		t.Errorf("exit %d, want 1 and why\n%s", code, p.stderr)
	}
	h.wantNoSocket(t)
}

// breakSocket makes another process's listening socket useless, as no program does by itself: it is taken out of that
// process and shut down (pidfd_getfd(2)).
func breakSocket(t *testing.T, pid int) {
	t.Helper()
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Skipf("the system does not let processes be held: %v", err)
	}
	defer func() { _ = unix.Close(process) }()
	files, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "fd"))
	mustDo(t, err)
	for _, file := range files {
		number, err := strconv.Atoi(file.Name())
		mustDo(t, err)
		taken, err := unix.PidfdGetfd(process, number, 0)
		if errors.Is(err, unix.EBADF) {
			continue // It was closed meanwhile, as connections are.
		}
		if err != nil {
			t.Skipf("the system does not let files of another process be had: %v", err)
		}
		listens, err := unix.GetsockoptInt(taken, unix.SOL_SOCKET, unix.SO_ACCEPTCONN)
		if err == nil && listens == 1 {
			mustDo(t, unix.Shutdown(taken, unix.SHUT_RDWR))
		}
		mustDo(t, unix.Close(taken))
	}
}
