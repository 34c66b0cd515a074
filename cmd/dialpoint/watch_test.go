package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// watcher is a 'dialpoint watch' that runs.
type watcher struct {
	process *exec.Cmd
	output  io.ReadCloser
	lines   *bufio.Scanner
	stderr  bytes.Buffer
}

func (h home) watch(t *testing.T, env []string, args ...string) *watcher {
	t.Helper()
	w := &watcher{process: h.command(t, env, append([]string{"watch"}, args...)...)}
	w.process.Stderr = &w.stderr
	var err error
	w.output, err = w.process.StdoutPipe()
	mustDo(t, err)
	mustDo(t, w.process.Start())
	w.lines = bufio.NewScanner(w.output)
	return w
}

// next is the next line.
func (w *watcher) next(t *testing.T) *dialpointv1.WatchEndpointsResponse {
	t.Helper()
	if !w.lines.Scan() {
		_ = w.process.Process.Kill()
		_ = w.process.Wait() // Its stderr is written until then.
		t.Fatalf("the watch ended: %v\n%s", w.lines.Err(), &w.stderr)
	}
	update := new(dialpointv1.WatchEndpointsResponse)
	mustDo(t, protojson.Unmarshal(w.lines.Bytes(), update))
	var compact bytes.Buffer
	if err := json.Compact(&compact, w.lines.Bytes()); err != nil || compact.String() != w.lines.Text() {
		t.Errorf("%s is not compact JSON on a line of its own", w.lines.Bytes())
	}
	return update
}

// end reads to the end, where there must be no further line, and is the exit code.
func (w *watcher) end(t *testing.T) int {
	t.Helper()
	for w.lines.Scan() {
		t.Errorf("one more line: %s", w.lines.Bytes())
	}
	return exitCodeOf(t, w.process.Wait())
}

func fileWith(port int) string {
	return fmt.Sprintf("listeners: [{name: default, bind: {host: 0.0.0.0, port: %d}}]\n", port)
}

// TestWatchLines: the state at once, then one line for each change of the answer and none for any other change.
func TestWatchLines(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve(t, []string{"DIALPOINT_CREDENTIAL=s3cret"}, "--config", h.write(t, "dialpoint.yaml", fileWith(9119)))
	w := h.watch(t, nil, "--channel", "chat-1")
	first := w.next(t).GetEndpoints()
	if got, want := first.GetSidecar().GetUrl(), "ws://127.0.0.1:9119/api/pub?token=REDACTED&channel=chat-1"; got != want {
		t.Errorf("first the sidecar %s, want %s", got, want)
	}

	unchanged := fileWith(9119) + "log: {level: debug}\n"
	h.replace(t, "dialpoint.yaml", unchanged)
	awaitLog(t, s, "msg=\"configuration loaded\"", 1)
	h.replace(t, "dialpoint.yaml", fileWith(9200))
	second := w.next(t).GetEndpoints()
	if got, want := second.GetGateway().GetDisplayUrl(), "ws://127.0.0.1:9200/api/ws?token=REDACTED"; got != want {
		t.Errorf("then the gateway %s, want %s", got, want)
	}
	if second.GetRevision() != first.GetRevision()+1 {
		t.Errorf("revision %d after %d, want one step", second.GetRevision(), first.GetRevision())
	}

	h.replace(t, "dialpoint.yaml", fileWith(0))
	if got := w.next(t).GetUnavailable(); got.GetReason() != "LISTENER_NOT_BOUND" {
		t.Errorf("at last %v, want LISTENER_NOT_BOUND", got)
	}

	mustDo(t, w.process.Process.Signal(syscall.SIGINT))
	if code := w.end(t); code != 0 || w.stderr.Len() > 0 {
		t.Errorf("interrupted: exit %d, want 0 in silence\n%s", code, &w.stderr)
	}
}

func TestWatchReveals(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve(t, []string{"DIALPOINT_CREDENTIAL=s3cret"}, "--bind-host", "0.0.0.0")
	w := h.watch(t, nil, "--reveal")
	if got := w.next(t).GetEndpoints().GetGateway().GetUrl(); got != "ws://127.0.0.1:9119/api/ws?token=s3cret" {
		t.Errorf("gateway %s", got)
	}
	mustDo(t, w.process.Process.Signal(syscall.SIGTERM))
	if code := w.end(t); code != 0 {
		t.Errorf("exit %d, want 0", code)
	}
}

// TestWatchOfAClosedPipe: who reads no more ends the watch with the next line.
func TestWatchOfAClosedPipe(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--config", h.write(t, "dialpoint.yaml", fileWith(9119)))
	w := h.watch(t, nil)
	w.next(t)
	mustDo(t, w.output.Close())
	h.replace(t, "dialpoint.yaml", fileWith(9200))
	if err := w.process.Wait(); err == nil {
		t.Error("the watch ended with 0")
	}
}

// TestResolveWaits: a call with wait is held until a reload binds the listener, and answers then.
func TestResolveWaits(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--config", h.write(t, "dialpoint.yaml", fileWith(0)))
	command := h.command(t, nil, "resolve", "--wait", "5m", "-o", "url")
	output, err := command.StdoutPipe()
	mustDo(t, err)
	mustDo(t, command.Start())
	_, err = s.connect(t, s.unix).Resolve(t.Context(), client.Request{Wait: 50 * time.Millisecond})
	wantNotBound(t, err)
	h.replace(t, "dialpoint.yaml", fileWith(9119))
	url, err := io.ReadAll(output)
	mustDo(t, err)
	mustDo(t, command.Wait())
	if string(url) != "ws://127.0.0.1:9119/api/ws\n" {
		t.Errorf("resolve printed %q", url)
	}
}

func wantNotBound(t *testing.T, err error) {
	t.Helper()
	failure, found := errors.AsType[*client.Error](err)
	if !found || failure.Code != connect.CodeUnavailable || failure.Reason != client.ReasonListenerNotBound || failure.RetryAfter <= 0 {
		t.Errorf("got %v, want unavailable, LISTENER_NOT_BOUND and when to ask again", err)
	}
	if err != nil && !strings.Contains(err.Error(), "DIALPOINT_BIND_HOST") {
		t.Errorf("%q does not say what to do", err)
	}
}
