package main_test

import (
	"bufio"
	"io"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

// lines reads what a process prints, line by line.
type lines struct{ scanner *bufio.Scanner }

// linesOf starts a process.
func linesOf(t *testing.T, command *exec.Cmd) lines {
	t.Helper()
	output, err := command.StdoutPipe()
	mustDo(t, err)
	mustDo(t, command.Start())
	return lines{bufio.NewScanner(io.Reader(output))}
}

// want reads these lines, and no others between them.
func (l lines) want(t *testing.T, want ...string) {
	t.Helper()
	for _, line := range want {
		if !l.scanner.Scan() {
			t.Fatalf("the output ended before %q: %v", line, l.scanner.Err())
		}
		if got := l.scanner.Text(); got != line {
			t.Fatalf("line %q, want %q", got, line)
		}
	}
}

func urlAt(port string) string { return "ws://127.0.0.1:" + port + "/api/ws" }

// serveFile serves a configuration file without a credential.
func (h home) serveFile(t *testing.T, port int) {
	t.Helper()
	h.write(t, "dialpoint.yaml", fileWith(port))
	h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--config", "dialpoint.yaml")
}

// The lines come from the children in turn: the first has ended before the second has begun.
func TestOnChangeRestart(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serveFile(t, 9119)
	parent := h.command(t, nil, "exec", "--on-change", "restart", "--", "child", "wait", "5")
	lines := linesOf(t, parent)
	lines.want(t, "start "+urlAt("9119"))
	h.replace(t, "dialpoint.yaml", fileWith(9443))
	lines.want(t, "got terminated", "start "+urlAt("9443"))
	h.replace(t, "dialpoint.yaml", fileWith(9444))
	lines.want(t, "got terminated", "start "+urlAt("9444"))
	mustDo(t, parent.Process.Signal(syscall.SIGTERM))
	lines.want(t, "got terminated")
	if code := exitCodeOf(t, parent.Wait()); code != 5 {
		t.Errorf("exit %d, want the last child's 5", code)
	}
}

func TestOnChangeRestartOutlivesTheService(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--bind-host", "0.0.0.0")
	parent := h.command(t, nil, "exec", "--on-change", "restart", "--", "child", "wait", "0")
	lines := linesOf(t, parent)
	lines.want(t, "start "+urlAt("9119"))
	mustDo(t, first.stop())
	h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--bind-host", "0.0.0.0", "--bind-port", "9443")
	lines.want(t, "got terminated", "start "+urlAt("9443"))
	mustDo(t, parent.Process.Signal(syscall.SIGTERM))
	lines.want(t, "got terminated")
	mustDo(t, parent.Wait())
}

// A child that does not end is killed, and only then is there another.
func TestOnChangeRestartKillsAfterTheGracePeriod(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serveFile(t, 9119)
	parent := h.command(t, nil, "exec", "--on-change", "restart", "--grace", "100ms", "--", "child", "deaf")
	lines := linesOf(t, parent)
	lines.want(t, "start "+urlAt("9119"))
	h.replace(t, "dialpoint.yaml", fileWith(9443))
	lines.want(t, "start "+urlAt("9443"))
	second, err := strconv.Atoi(children(t, parent.Process.Pid))
	mustDo(t, err)
	mustDo(t, syscall.Kill(second, syscall.SIGKILL))
	if code := exitCodeOf(t, parent.Wait()); code != 128+int(syscall.SIGKILL) {
		t.Errorf("exit %d, want that of the child that was killed", code)
	}
}

// Who is told to end must not come back, whatever changes meanwhile. The grace period is long enough for both signals to
// be seen within it.
func TestOnChangeRestartEndsForGood(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serveFile(t, 9119)
	parent := h.command(t, nil, "exec", "--on-change", "restart", "--grace", "10s", "--", "child", "stay")
	lines := linesOf(t, parent)
	lines.want(t, "start "+urlAt("9119"))
	h.replace(t, "dialpoint.yaml", fileWith(9443))
	lines.want(t, "got terminated")
	mustDo(t, parent.Process.Signal(syscall.SIGTERM))
	lines.want(t, "got terminated")
	if code := exitCodeOf(t, parent.Wait()); code != 128+int(syscall.SIGKILL) {
		t.Errorf("exit %d, want that of the child that was killed", code)
	}
}

func TestOnChangeSignal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serveFile(t, 9119)
	parent := h.command(t, nil, "exec", "--on-change", "signal=USR1", "--", "child", "wait", "3")
	lines := linesOf(t, parent)
	lines.want(t, "start "+urlAt("9119"))
	h.replace(t, "dialpoint.yaml", fileWith(9443))
	lines.want(t, "got user defined signal 1")
	mustDo(t, parent.Process.Signal(syscall.SIGTERM))
	lines.want(t, "got terminated")
	if code := exitCodeOf(t, parent.Wait()); code != 3 {
		t.Errorf("exit %d, want 3", code)
	}
}

// A change is followed by a signal that passes through: nothing may have come between.
func TestOnChangeIgnorePassesSignalsThrough(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serveFile(t, 9119)
	parent := h.command(t, nil, "exec", "--on-change", "ignore", "--", "child", "wait", "0")
	lines := linesOf(t, parent)
	lines.want(t, "start "+urlAt("9119"))
	h.replace(t, "dialpoint.yaml", fileWith(9443))
	connect := h.watch(t, nil)
	for connect.next(t).GetEndpoints().GetExplanation().GetBindPort() != 9443 {
		continue
	}
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGUSR2, syscall.SIGINT, syscall.SIGWINCH} {
		mustDo(t, parent.Process.Signal(signal))
		lines.want(t, "got "+signal.String())
	}
	mustDo(t, parent.Process.Signal(syscall.SIGTERM))
	lines.want(t, "got terminated")
	mustDo(t, parent.Wait())
	mustDo(t, connect.process.Process.Signal(syscall.SIGINT))
	_ = connect.end(t)
}
