package main_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// parent is a 'dialpoint report' or 'dialpoint serve' that runs, as a rule with a dashboard below it.
type parent struct {
	process        *exec.Cmd
	stdin          io.WriteCloser
	stdout, stderr *transcript
}

// start starts a dialpoint. It is killed should it outlive the test; its dashboard ends with its standard input.
func (h home) start(t *testing.T, env []string, args ...string) *parent {
	t.Helper()
	return startParent(t, h.command(t, env, args...))
}

func startParent(t *testing.T, command *exec.Cmd) *parent {
	t.Helper()
	p := &parent{process: command, stdout: newTranscript(), stderr: newTranscript()}
	command.Stdout, command.Stderr = p.stdout, p.stderr
	var err error
	p.stdin, err = command.StdinPipe()
	mustDo(t, err)
	mustDo(t, command.Start())
	t.Cleanup(func() { _ = p.stdin.Close() })
	return p
}

// line lets the dashboard's next step "line" go on.
func (p *parent) line(t *testing.T) {
	t.Helper()
	_, err := io.WriteString(p.stdin, "\n")
	mustDo(t, err)
}

// says waits until a text is there so often on one of the outputs.
func says(t *testing.T, output *transcript, text string, count int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	mustDo(t, output.await(ctx, regexp.MustCompile(regexp.QuoteMeta(text)), count))
}

func (p *parent) signal(t *testing.T, signal syscall.Signal) {
	t.Helper()
	mustDo(t, p.process.Process.Signal(signal))
}

// end is the exit code. Everything that the process has started must be gone by then, or have closed standard error.
func (p *parent) end(t *testing.T) int {
	t.Helper()
	return exitCodeOf(t, p.process.Wait())
}

// wantEnd checks exit code and standard output, and that standard error holds a text, or nothing.
func (p *parent) wantEnd(t *testing.T, code int, stdout, stderr string) {
	t.Helper()
	got := p.end(t)
	if got != code || p.stdout.String() != stdout || !strings.Contains(p.stderr.String(), stderr) || stderr == "" && p.stderr.String() != "" {
		t.Errorf("exit %d, want %d\nstandard output %q\nwant %q\nstandard error %q\nwant %q", got, code, p.stdout, stdout, p.stderr, stderr)
	}
}

// announcedPort is the port in the announcement of that number, from 1.
func (p *parent) announcedPort(t *testing.T, number int) uint32 {
	t.Helper()
	announcement := regexp.MustCompile(`HERMES_DASHBOARD_READY port=(\d+)\r?\n`)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	mustDo(t, p.stdout.await(ctx, announcement, number))
	port, err := strconv.ParseUint(announcement.FindAllStringSubmatch(p.stdout.String(), -1)[number-1][1], 10, 16)
	mustDo(t, err)
	return uint32(port)
}

// wantBound checks that the next update is about a listener that is bound to this.
func (w *watcher) wantBound(t *testing.T, host string, port uint32) *dialpointv1.Endpoints {
	t.Helper()
	return wantBoundBy(t, w.next(t), host, port)
}

// wantNextBound is wantBound where another instance had the listener before. That nothing was bound in between is an update
// of its own, unless the next one is there before it is read.
func (w *watcher) wantNextBound(t *testing.T, host string, port uint32) {
	t.Helper()
	update := w.next(t)
	if update.GetUnavailable().GetReason() == "LISTENER_NOT_BOUND" {
		update = w.next(t)
	}
	wantBoundBy(t, update, host, port)
}

func wantBoundBy(t *testing.T, update *dialpointv1.WatchEndpointsResponse, host string, port uint32) *dialpointv1.Endpoints {
	t.Helper()
	found := update.GetEndpoints()
	if why := found.GetExplanation(); why.GetBindHost() != host || why.GetBindPort() != port {
		t.Fatalf("the next update is %v, want it bound to %s, port %d", update, host, port)
	}
	return found
}

func (w *watcher) wantUnbound(t *testing.T) {
	t.Helper()
	if update := w.next(t); update.GetUnavailable().GetReason() != "LISTENER_NOT_BOUND" {
		t.Fatalf("the next update is %v, want LISTENER_NOT_BOUND", update)
	}
}

// wantWithdrawn checks that a parent takes its report back as it ends well, and ends the watch that was told so.
func (p *parent) wantWithdrawn(t *testing.T, w *watcher) {
	t.Helper()
	w.wantUnbound(t)
	if code := p.end(t); code != 0 {
		t.Errorf("exit %d\n%s", code, p.stderr)
	}
	w.stop(t)
}

// unboundService is one that knows nothing of its listener, and a watch of it that has shown that.
func (h home) unboundService(t *testing.T, args ...string) (*service, *watcher) {
	t.Helper()
	s := h.serve(t, []string{"DIALPOINT_LOG_LEVEL=debug"}, args...)
	w := h.watch(t, nil)
	w.wantUnbound(t)
	return s, w
}

// leave ends a watch of a service that has ended. Whether its last change was shown before that is left to chance.
func (w *watcher) leave(t *testing.T) {
	t.Helper()
	mustDo(t, w.process.Process.Signal(syscall.SIGINT))
	_, err := io.Copy(io.Discard, w.output)
	mustDo(t, err)
	_ = w.process.Wait()
}

// stop ends a watch, which must have nothing more to show.
func (w *watcher) stop(t *testing.T) {
	t.Helper()
	mustDo(t, w.process.Process.Signal(syscall.SIGINT))
	w.end(t)
}

func readFile(path string) (string, error) {
	text, err := os.ReadFile(path)
	return string(text), err
}

func countOf(output *transcript, text string) int { return strings.Count(output.String(), text) }
