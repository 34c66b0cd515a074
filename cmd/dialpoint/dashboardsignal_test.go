package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// underReport runs a dashboard without a service, and waits until it waits for signals.
func (h home) underReport(t *testing.T, steps ...string) *parent {
	t.Helper()
	p := h.start(t, nil, append([]string{"report", "--", "dashboard"}, steps...)...)
	says(t, p.stdout, "waiting\n", 1)
	return p
}

// TestSignalsPass to the dashboard, each as often as it came, and its end decides.
func TestSignalsPass(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.underReport(t, "stay:2")
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGINT, syscall.SIGQUIT} {
		p.signal(t, signal)
		says(t, p.stdout, "got "+signal.String()+"\n", 1)
	}
	for count := 1; count <= 2; count++ {
		p.signal(t, syscall.SIGTERM)
		says(t, p.stdout, "got terminated\n", count)
	}
	p.wantEnd(t, 0, "waiting\ngot hangup\ngot user defined signal 1\ngot interrupt\ngot quit\ngot terminated\ngot terminated\n", "")
}

// TestSignalsThatStayHere: they are about this process's own output, child and runtime. One that comes after them has to
// pass first.
func TestSignalsThatStayHere(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.underReport(t, "wait:0")
	for _, signal := range []syscall.Signal{syscall.SIGPIPE, syscall.SIGCHLD, syscall.SIGURG, syscall.SIGWINCH} {
		p.signal(t, signal)
	}
	says(t, p.stdout, "got window changed\n", 1)
	p.signal(t, syscall.SIGTERM)
	p.wantEnd(t, 0, "waiting\ngot window changed\ngot terminated\n", "")
}

// TestSignalAtAnyMoment: from the start of the process on, SIGTERM ends it and leaves nothing behind. What it has started
// keeps standard error open, for whose end the test waits.
func TestSignalAtAnyMoment(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, command := range [][]string{{"report"}, {"serve", "--tcp", "none"}} {
		for delay := range 25 {
			p := h.start(t, nil, append(command, "--", "dashboard", "wait:0")...)
			<-time.After(time.Duration(delay) * 2 * time.Millisecond)
			p.signal(t, syscall.SIGTERM)
			switch code := p.end(t); code {
			case -1, 0, 128 + int(syscall.SIGTERM):
			default:
				t.Errorf("%s, after %d ms: exit %d\n%s%s", command[0], 2*delay, code, p.stdout, p.stderr)
			}
		}
	}
}

// TestIgnoredSignal: what nohup has ignored is ignored by the dashboard, too, and is not passed on.
func TestIgnoredSignal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, command := range [][]string{{"report"}, {"exec", "--on-change", "ignore", "--optional", "--wait", "0"}} {
		args := append([]string{"ignore", "dialpoint"}, command...)
		p := startParent(t, h.program(t, nil, "under", append(args, "--", "dashboard", "ignored", "line", "wait:0")...))
		says(t, p.stdout, "SIGHUP is ignored: true\n", 1)
		// It is not caught at all, so that the next signal is the next to be seen.
		p.signal(t, syscall.SIGHUP)
		p.line(t)
		says(t, p.stdout, "waiting\n", 1)
		p.signal(t, syscall.SIGTERM)
		if code := p.end(t); code != 0 || p.stdout.String() != "SIGHUP is ignored: true\nwaiting\ngot terminated\n" {
			t.Errorf("%s: exit %d\n%s%s", command[0], code, p.stdout, p.stderr)
		}
	}
}

// TestStoppedChildIsReplaced: one that is stopped can end in order when another is to take its place.
func TestStoppedChildIsReplaced(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serveFile(t, 9119)
	p := h.start(t, nil, "exec", "--on-change", "restart", "--grace", "1m", "--", "dashboard", "pid", "wait:5")
	says(t, p.stdout, "waiting\n", 1)
	mustDo(t, syscall.Kill(firstPID(t, p), syscall.SIGSTOP))
	h.replace(t, "dialpoint.yaml", fileWith(9443))
	says(t, p.stdout, "got terminated\n", 1)
	says(t, p.stdout, "waiting\n", 2)
	p.signal(t, syscall.SIGTERM)
	if code := p.end(t); code != 5 {
		t.Errorf("exit %d, want 5\n%s", code, p.stderr)
	}
}

// firstPID is the number on the first line of an output.
func firstPID(t *testing.T, p *parent) int {
	t.Helper()
	says(t, p.stdout, "\n", 1)
	text, _, _ := strings.Cut(p.stdout.String(), "\n")
	pid, err := strconv.Atoi(text)
	mustDo(t, err)
	return pid
}

// TestOrphansAreReaped: processes that are left to this one do not stay behind as zombies, and their end is not taken for
// the dashboard's.
func TestOrphansAreReaped(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lets another process than 1 have orphans")
	}
	h := newHome(t)
	for _, command := range [][]string{{"report"}, {"exec", "--on-change", "ignore", "--optional", "--wait", "0"}, {"serve", "--tcp", "none"}} {
		t.Run(command[0], func(t *testing.T) {
			t.Parallel()
			args := append([]string{"reaper", "dialpoint"}, command...)
			p := startParent(t, h.program(t, nil, "under", append(args, "--", "dashboard", "pid", "orphan", "orphan", "out:ready\\n", "line", "wait:0")...))
			dashboard := firstPID(t, p)
			says(t, p.stdout, "ready\n", 1)
			only := fmt.Sprint(dashboard)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			for children(t, p.process.Process.Pid) != only {
				select {
				case <-time.After(10 * time.Millisecond):
				case <-ctx.Done():
					t.Fatalf("the children are %q, want only %s", children(t, p.process.Process.Pid), only)
				}
			}
			p.line(t)
			says(t, p.stdout, "waiting\n", 1)
			p.signal(t, syscall.SIGTERM)
			if code := p.end(t); code != 0 {
				t.Errorf("exit %d\n%s", code, p.stderr)
			}
		})
	}
}

// children are a process's children, zombies included.
func children(t *testing.T, pid int) string {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	mustDo(t, err)
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			all = append(all, strings.Fields(string(text))...)
		}
	}
	return strings.Join(all, " ")
}
