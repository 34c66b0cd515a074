package main_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestReportHoldRenews: the listener is bound for longer than one report holds, without a gap, until a signal comes.
func TestReportHoldRenews(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			s, w := h.unboundService(t)
			holder := h.start(t, nil, "report", "--host", "0.0.0.0", "--port", "41001", "--ttl", "4s", "--hold", "--instance", "one")
			w.wantBound(t, "0.0.0.0", 41001)
			// One is made four fifths of a third of that after another, or later.
			awaitLog(t, s, "ReportListener", 5)
			holder.signal(t, signal)
			w.wantUnbound(t)
			if code := holder.end(t); code != 0 || holder.stderr.String() != "" || !strings.Contains(holder.stdout.String(), "instance  one\n") {
				t.Errorf("exit %d, want 0 and what was recorded\n%s%s", code, holder.stdout, holder.stderr)
			}
			w.stop(t)
		})
	}
}

// TestReportEnds: a report that nobody renews ends with its lease, be it one that was made once or one whose holder was
// killed.
func TestReportEnds(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, w := h.unboundService(t)
	begin := time.Now()
	h.must(t, nil, "report", "--port", "41001", "--ttl", "1s")
	w.wantBound(t, "127.0.0.1", 41001)
	w.wantUnbound(t)
	if took := time.Since(begin); took < time.Second {
		t.Errorf("a lease of 1s was over after %v", took)
	}
	holder := h.start(t, nil, "report", "--port", "41002", "--ttl", "1s", "--hold")
	w.wantBound(t, "127.0.0.1", 41002)
	mustDo(t, holder.process.Process.Kill())
	killed := time.Now()
	w.wantUnbound(t)
	if took := time.Since(killed); took > 10*time.Second {
		t.Errorf("it was bound for %v after its holder was killed, with a lease of 1s", took)
	}
	_ = holder.process.Wait()
	w.stop(t)
}

// TestReportHoldWithoutAReader: a report that nobody can be told of is withdrawn.
func TestReportHoldWithoutAReader(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve(t, nil)
	read, write, err := os.Pipe()
	mustDo(t, err)
	mustDo(t, read.Close())
	holder := h.command(t, nil, "report", "--port", "41001", "--hold", "--ttl", "1h")
	holder.Stdout = write
	mustDo(t, holder.Start())
	mustDo(t, write.Close())
	// A watch may show nothing of what lasts so shortly.
	awaitLog(t, s, "bind_port=41001 bound=true", 1)
	awaitLog(t, s, "bound=false", 1)
	if code := exitCodeOf(t, holder.Wait()); code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
}

// TestReportIsHeld: a second instance is refused, waits with --wait, or takes over with --takeover. Who has lost the
// listener says to whom.
func TestReportIsHeld(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, w := h.unboundService(t)
	first := h.start(t, nil, "report", "--port", "41001", "--hold", "--ttl", "6s", "--instance", "first")
	w.wantBound(t, "127.0.0.1", 41001)
	for _, hold := range []string{"--hold=false", "--hold"} {
		got := h.run(t, nil, "report", "--port", "41002", hold, "--instance", "second")
		if got.code != 1 || !strings.Contains(got.stderr, "LISTENER_HELD") || !strings.Contains(got.stderr, `instance "first"`) || got.stdout != "" {
			t.Errorf("%s: exit %d, want 1 and who holds it\n%s%s", hold, got.code, got.stdout, got.stderr)
		}
	}
	waiting := h.start(t, nil, "report", "--port", "41003", "--hold", "--wait", "1m", "--instance", "third")
	says(t, waiting.stderr, "still trying", 1)
	second := h.start(t, nil, "report", "--port", "41002", "--hold", "--takeover", "--instance", "second")
	w.wantBound(t, "127.0.0.1", 41002)
	if code := first.end(t); code != 1 || !strings.Contains(first.stderr.String(), `instance "first" has lost its lease`) || !strings.Contains(first.stderr.String(), `instance "second"`) {
		t.Errorf("the first: exit %d, want 1 and who has it now\n%s", code, first.stderr)
	}
	second.signal(t, syscall.SIGTERM)
	w.wantNextBound(t, "127.0.0.1", 41003)
	waiting.signal(t, syscall.SIGTERM)
	w.wantUnbound(t)
	for _, ended := range []*parent{second, waiting} {
		if code := ended.end(t); code != 0 {
			t.Errorf("exit %d, want 0\n%s", code, ended.stderr)
		}
	}
	w.stop(t)
}

// TestReportAfterALongStop: a holder that was stopped is taken for dead. The next one is served as soon as the lease is
// over, and the old one is refused when it goes on.
func TestReportAfterALongStop(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, w := h.unboundService(t)
	old := h.start(t, nil, "report", "--port", "41001", "--hold", "--ttl", "2s", "--instance", "old")
	w.wantBound(t, "127.0.0.1", 41001)
	old.signal(t, syscall.SIGSTOP)
	next := h.start(t, nil, "report", "--port", "41002", "--hold", "--ttl", "1h", "--wait", "1m", "--instance", "new")
	w.wantNextBound(t, "127.0.0.1", 41002)
	old.signal(t, syscall.SIGCONT)
	if code := old.end(t); code != 1 || !strings.Contains(old.stderr.String(), `held by instance "new"`) {
		t.Errorf("the old one: exit %d, want 1 and who has it now\n%s", code, old.stderr)
	}
	next.signal(t, syscall.SIGTERM)
	next.wantWithdrawn(t, w)
}

// TestReportOutlivesTheService: a service that starts again is told again.
func TestReportOutlivesTheService(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first, w := h.unboundService(t)
	holder := h.start(t, nil, "report", "--port", "41001", "--hold")
	w.wantBound(t, "127.0.0.1", 41001)
	w.stop(t)
	mustDo(t, first.stop())
	says(t, holder.stderr, "still trying", 1)
	second := h.serve(t, nil)
	awaitLog(t, second, "bound=true", 1)
	w = h.watch(t, nil)
	w.wantBound(t, "127.0.0.1", 41001)
	holder.signal(t, syscall.SIGTERM)
	holder.wantWithdrawn(t, w)
}

// TestReportWithoutAService: one that is gone at the end is no reason to fail, since the report ends by itself.
func TestReportWithoutAService(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s, w := h.unboundService(t)
	holder := h.start(t, nil, "report", "--port", "41001", "--hold")
	w.wantBound(t, "127.0.0.1", 41001)
	mustDo(t, s.stop())
	holder.signal(t, syscall.SIGTERM)
	if code := holder.end(t); code != 0 || !strings.Contains(holder.stderr.String(), "could not be withdrawn") {
		t.Errorf("exit %d, want 0 and that it could not be withdrawn\n%s", code, holder.stderr)
	}
	w.stop(t)
}

// TestReportShowsNoCredential, wherever it comes from, but in the URLs.
func TestReportShowsNoCredential(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]func(h home) (env, args []string){
		"file": func(h home) (env, args []string) {
			return nil, []string{"--credential-file", h.write(t, "token", marker+"\n")}
		},
		"variable": func(home) (env, args []string) { return []string{"DIALPOINT_CREDENTIAL=" + marker}, nil },
		"named file": func(h home) (env, args []string) {
			return []string{"DIALPOINT_CREDENTIAL_FILE=" + h.write(t, "token", marker)}, nil
		},
		"session token": func(home) (env, args []string) { return []string{"HERMES_DASHBOARD_SESSION_TOKEN=" + marker}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			s, w := h.unboundService(t)
			env, args := say(h)
			holder := h.start(t, env, append([]string{"report", "--port", "41001", "--hold", "-o", "json"}, args...)...)
			w.wantBound(t, "127.0.0.1", 41001)
			if got, want := h.must(t, nil, "resolve", "-o", "url"), "ws://127.0.0.1:41001/api/ws?token="+marker+"\n"; got != want {
				t.Errorf("url %q, want %q", got, want)
			}
			seen := map[string]string{
				"arguments": cmdline(t, holder.process.Process.Pid),
				"listeners": h.must(t, nil, "listeners", "-o", "json") + h.must(t, nil, "listeners"),
			}
			holder.signal(t, syscall.SIGTERM)
			w.wantUnbound(t)
			_ = holder.end(t)
			w.stop(t)
			seen["report"] = holder.stdout.String() + holder.stderr.String()
			seen["log"] = s.log.String()
			for where, text := range seen {
				if strings.Contains(text, marker) || text == "" {
					t.Errorf("%s shows the credential, or nothing at all:\n%s", where, text)
				}
			}
		})
	}
}

// TestBadCredentialOfAReport is found before anything is reported, and not quoted.
func TestBadCredentialOfAReport(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	lines := h.write(t, "lines", marker+"\nsecond line\n")
	empty := h.write(t, "empty", "\n")
	long := h.write(t, "long", strings.Repeat(marker, 5000))
	for name, test := range map[string]struct {
		env, args []string
		says      string
	}{
		"two lines":     {nil, []string{"--credential-file", lines}, "--credential-file"},
		"two, variable": {[]string{"DIALPOINT_CREDENTIAL=" + marker + "\nx"}, nil, "env DIALPOINT_CREDENTIAL"},
		"empty":         {nil, []string{"--credential-file", empty}, "it holds no credential"},
		"long":          {nil, []string{"--credential-file", long}, "too long for a credential"},
		"not there":     {nil, []string{"--credential-file", h.path("nothing")}, "it cannot be read: no such file"},
		"a directory":   {nil, []string{"--credential-file", h.path("home")}, "it is no regular file"},
	} {
		for _, how := range [][]string{{"--port", "41001"}, {"--", "dashboard", "out:started"}} {
			args := append(append([]string{"report"}, test.args...), how...)
			if got := h.run(t, test.env, args...); got.code != 78 || !strings.Contains(got.stderr, test.says) || strings.Contains(got.stderr+got.stdout, marker) || got.stdout != "" {
				t.Errorf("%s, %s: exit %d, want 78 and %q\n%s%s", name, how, got.code, test.says, got.stdout, got.stderr)
			}
		}
	}
}

func cmdline(t *testing.T, pid int) string {
	t.Helper()
	arguments, err := readFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	mustDo(t, err)
	return arguments
}
