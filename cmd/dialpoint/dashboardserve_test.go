package main_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
)

// serveDashboard starts a service with a dashboard, and waits until that has written a text.
func (h home) serveDashboard(t *testing.T, flags []string, text string, steps ...string) *parent {
	t.Helper()
	args := append([]string{"serve", "--tcp", "none"}, flags...)
	p := h.start(t, nil, append(append(args, "--", "dashboard"), steps...)...)
	says(t, p.stdout, text, 1)
	return p
}

// wantNoSocket checks that a service has ended in order.
func (h home) wantNoSocket(t *testing.T) {
	t.Helper()
	if _, err := os.Lstat(h.socket()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// TestServeEndsAfterTheDashboard: SIGTERM is the dashboard's, whose children are answered until it has ended.
func TestServeEndsAfterTheDashboard(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.serveDashboard(t, []string{"--bind-host", "::", "--bind-port", "0", "--grace", "1m"}, "waiting\n", "out:HERMES_DASHBOARD_READY port=41001\\n", "stay:2")
	w := h.watch(t, nil)
	w.wantBound(t, "::", 41001)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGUSR1, syscall.SIGTERM} {
		p.signal(t, signal)
		says(t, p.stdout, "got "+signal.String()+"\n", 1)
		if got := h.must(t, nil, "resolve", "-o", "url"); got != "ws://127.0.0.1:41001/api/ws\n" {
			t.Errorf("after %v the service answers %q", signal, got)
		}
	}
	p.signal(t, syscall.SIGTERM)
	if code := p.end(t); code != 0 || countOf(p.stdout, "got terminated\n") != 2 {
		t.Errorf("exit %d\n%s%s", code, p.stdout, p.stderr)
	}
	h.wantNoSocket(t)
	w.leave(t)
}

// TestServeEndsWithTheDashboard, however that ends.
func TestServeEndsWithTheDashboard(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		flags, steps []string
		signal       syscall.Signal
		code         int
	}{
		"in order":          {nil, []string{"line", "exit:0"}, 0, 0},
		"with a code":       {nil, []string{"line", "exit:5"}, 0, 5},
		"killed":            {nil, []string{"line", "die:9"}, 0, 137},
		"after SIGTERM":     {nil, []string{"wait:6"}, syscall.SIGTERM, 6},
		"not after SIGTERM": {[]string{"--grace", "100ms"}, []string{"stay:2"}, syscall.SIGTERM, 137},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			p := h.serveDashboard(t, test.flags, "started\n", append([]string{"out:HERMES_DASHBOARD_READY port=41001\\nstarted\\n"}, test.steps...)...)
			w := h.watch(t, nil)
			w.wantBound(t, "127.0.0.1", 41001)
			if test.signal != 0 {
				says(t, p.stdout, "waiting\n", 1)
				p.signal(t, test.signal)
			} else {
				p.line(t)
			}
			if code := p.end(t); code != test.code {
				t.Errorf("exit %d, want %d\n%s", code, test.code, p.stderr)
			}
			says(t, p.stderr, "bind_port=0 bound=false", 1)
			h.wantNoSocket(t)
			w.leave(t)
		})
	}
}

// TestServeReloadsForTheDashboard: SIGHUP is for the service alone. What the dashboard has bound stays as it was,
// also where the listener was gone for a while, and nothing is bound once it has ended.
func TestServeReloadsForTheDashboard(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	file := func(listener string) string { return "listeners: [{name: " + listener + ", auth: {mode: none}}]\n" }
	h.write(t, "dialpoint.yaml", file("default, bind: {host: 0.0.0.0, port: 0}"))
	p := h.serveDashboard(t, []string{"--config", "dialpoint.yaml"}, "waiting\n", "out:HERMES_DASHBOARD_READY port=41001\\n", "wait:0")
	w := h.watch(t, nil)
	w.wantBound(t, "0.0.0.0", 41001)
	p.signal(t, syscall.SIGHUP)
	says(t, p.stderr, "configuration unchanged", 1)

	h.replace(t, "dialpoint.yaml", file("default, bind: {host: 10.0.0.7, port: 0, tls: true}"))
	says(t, p.stderr, "takes effect when the dashboard is started again", 1)
	if got := h.must(t, nil, "resolve", "-o", "url"); got != "ws://127.0.0.1:41001/api/ws\n" {
		t.Errorf("another host is configured, and what the dashboard has bound is dialled at %q", got)
	}
	h.replace(t, "dialpoint.yaml", file("other"))
	if update := w.next(t); update.GetUnavailable().GetReason() != "LISTENER_UNKNOWN" {
		t.Errorf("without the listener: %v", update)
	}
	says(t, p.stderr, "the dashboard cannot be dialled", 1)
	h.replace(t, "dialpoint.yaml", file("default, bind: {host: 0.0.0.0, port: 9119}"))
	for update := w.next(t); update.GetEndpoints().GetExplanation().GetBindPort() != 41001; update = w.next(t) {
		t.Logf("between: %v", update)
	}
	p.signal(t, syscall.SIGTERM)
	if code := p.end(t); code != 0 || strings.Contains(p.stdout.String(), "hangup") {
		t.Errorf("exit %d\n%s", code, p.stdout)
	}
	w.wantUnbound(t)
	w.stop(t)
}

// TestServeWithoutAReader of its log goes on, and so does the dashboard.
func TestServeWithoutAReader(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	read, write, err := os.Pipe()
	mustDo(t, err)
	mustDo(t, read.Close())
	command := h.command(t, nil, "serve", "--tcp", "none", "--", "dashboard", "out:HERMES_DASHBOARD_READY port=41001\\n", "run:dialpoint resolve --wait 1m -o url", "exit:8")
	command.Stderr = write
	output, err := command.Output()
	mustDo(t, write.Close())
	if code := exitCodeOf(t, err); code != 8 || string(output) != readyAt41001+"ws://127.0.0.1:41001/api/ws\n" {
		t.Errorf("exit %d, and %q", code, output)
	}
}
