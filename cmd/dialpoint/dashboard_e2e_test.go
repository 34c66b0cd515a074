//go:build e2e

package main_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// container runs a command as process 1 of a process namespace of its own.
func (h home) container(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	needTools(t, "unshare", "sh", "sleep", "grep")
	flags := []string{"--fork", "--pid", "--mount-proc", "--kill-child"}
	if os.Getuid() != 0 {
		flags = append(flags, "--user", "--map-root-user")
	}
	return h.program(t, []string{"DIALPOINT_AUTH_MODE=none"}, "unshare", append(flags, args...)...)
}

// orphans leaves processes behind, some of which end, waits until they have ended and none is a zombie, and says so. The
// ones that go on do not keep the container.
const orphans = `
	for i in 1 2 3 4 5; do (sleep 0.0$i & sleep 600 & ) ; done
	ending() { grep -qszx '0\.0[1-5]' /proc/[0-9]*/cmdline; }
	zombies() { grep -ls 'State:.Z' /proc/[0-9]*/status | wc -l; }
	echo "process 1 is $(cat /proc/1/comm)"
	echo "HERMES_DASHBOARD_READY port=41001"
	dialpoint resolve --wait 1m -o url
	while ending || [ "$(zombies)" != 0 ]; do sleep 0.05; done
	echo "zombies: $(zombies)"
	exit 3
`

// TestE2EProcessOne: the service and a dashboard, as a container runs them. Orphans are reaped, and the container ends with
// the dashboard.
func TestE2EProcessOne(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	got := runToEnd(t, h.container(t, "dialpoint", "serve", "--tcp", "none", "--bind-host", "0.0.0.0", "--bind-port", "0", "--", "sh", "-c", orphans))
	const want = "process 1 is dialpoint\nHERMES_DASHBOARD_READY port=41001\nws://127.0.0.1:41001/api/ws\nzombies: 0\n"
	if got.code != 3 || got.stdout != want {
		t.Errorf("exit %d, want 3, and\n%s\nwant\n%s\n%s", got.code, got.stdout, want, got.stderr)
	}
}

// TestE2EStopProcessOne: SIGTERM from outside, as 'docker stop' sends it, reaches the dashboard and ends the service in
// order.
func TestE2EStopProcessOne(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{
		{"serve", "--tcp", "none"},
		{"report"},
		{"exec", "--on-change", "restart", "--optional", "--wait", "0"},
	} {
		for _, steps := range []string{"wait:4", "orphan wait:4"} {
			t.Run(command[0]+", "+steps, func(t *testing.T) {
				t.Parallel()
				h := newHome(t)
				args := append(append([]string{"dialpoint"}, command...), "--", "dashboard")
				p := startParent(t, h.container(t, append(args, strings.Fields(steps)...)...))
				says(t, p.stdout, "waiting\n", 1)
				first, err := strconv.Atoi(children(t, p.process.Process.Pid))
				mustDo(t, err)
				mustDo(t, syscall.Kill(first, syscall.SIGTERM))
				if code := p.end(t); code != 4 || !strings.Contains(p.stdout.String(), "got terminated\n") {
					t.Errorf("exit %d, want 4\n%s%s", code, p.stdout, p.stderr)
				}
				h.wantNoSocket(t)
			})
		}
	}
}
