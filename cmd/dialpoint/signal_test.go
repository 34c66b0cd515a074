package main_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestStopInOrder: a signal ends the service with 0 and without a trace, while calls are open. Who called waits for the
// next one.
func TestStopInOrder(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			s := h.serve(t, nil)
			w := h.watch(t, nil)
			if got := w.next(t).GetUnavailable().GetReason(); got != "LISTENER_NOT_BOUND" {
				t.Errorf("reason %q", got)
			}
			waiting := h.command(t, nil, "resolve", "--wait", "5m", "-o", "url")
			var said bytes.Buffer
			waiting.Stdout = &said
			mustDo(t, waiting.Start())

			mustDo(t, s.signal(signal))
			mustDo(t, s.wait())
			if _, err := os.Lstat(h.socket()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the socket is still there: %v", err)
			}

			h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--bind-host", "0.0.0.0")
			if got := w.next(t).GetEndpoints().GetGateway().GetUrl(); got != urlAt("9119") {
				t.Errorf("watch: %q", got)
			}
			if err := waiting.Wait(); err != nil || said.String() != urlAt("9119")+"\n" {
				t.Errorf("resolve --wait: %q, %v", &said, err)
			}
			mustDo(t, w.process.Process.Signal(syscall.SIGINT))
			if code := w.end(t); code != 0 || !strings.Contains(w.stderr.String(), "still trying") {
				t.Errorf("watch: exit %d, want 0, and that it still tried\n%s", code, &w.stderr)
			}
		})
	}
}

// TestHangupTwice: SIGHUP ends nothing, however often it comes.
func TestHangupTwice(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(t, "dialpoint.yaml", "listeners: [")
	got := h.run(t, nil, "serve", "--config", "dialpoint.yaml")
	if got.code != 78 {
		t.Fatalf("exit %d with a broken file, want 78", got.code)
	}
	h.write(t, "dialpoint.yaml", fileWith(9119))
	s := h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--config", "dialpoint.yaml")
	h.replace(t, "dialpoint.yaml", "listeners: [")
	awaitLog(t, s, "configuration not loaded", 1)
	for times := 2; times <= 4; times++ {
		mustDo(t, s.signal(syscall.SIGHUP))
		awaitLog(t, s, "configuration not loaded", times)
	}
	if got := h.must(t, nil, "resolve", "-o", "url"); got != "ws://127.0.0.1:9119/api/ws\n" {
		t.Errorf("resolve printed %q", got)
	}
}

// TestHangupWithoutAFile: there is nothing to read, and that is no reason to end.
func TestHangupWithoutAFile(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--bind-host", "0.0.0.0")
	mustDo(t, s.signal(syscall.SIGHUP))
	if got := h.must(t, nil, "resolve", "-o", "url"); got != "ws://127.0.0.1:9119/api/ws\n" {
		t.Errorf("resolve printed %q", got)
	}
}
