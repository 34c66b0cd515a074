package main_test

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const readyAt41001 = "HERMES_DASHBOARD_READY port=41001\n"

// forAnHour is for reports that must not end by themselves.
var forAnHour = []string{"report", "--ttl", "1h", "--host", "0.0.0.0"}

func (h home) reportDashboard(t *testing.T, flags []string, steps ...string) *parent {
	t.Helper()
	args := append(append(append([]string{}, forAnHour...), flags...), "--", "dashboard")
	return h.start(t, nil, append(args, steps...)...)
}

// TestReportDashboard: bound as soon as the line has ended, however it comes, bound anew to another port, and unbound with
// the end of the dashboard.
func TestReportDashboard(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, w := h.unboundService(t)
	p := h.reportDashboard(t, nil, "out:starting\\nHERMES_DASH", "line", "out:BOARD_READY po", "line", "out:rt=41001\\r\\n", "line",
		"out:"+"HERMES_DASHBOARD_READY port=41001\\nHERMES_BACKEND_READY port=41002\\n", "line", "err:bye\\n", "exit:7")
	says(t, p.stdout, "HERMES_DASH", 1)
	p.line(t)
	says(t, p.stdout, "READY po", 1)
	p.line(t)
	w.wantBound(t, "0.0.0.0", 41001)
	p.line(t)
	w.wantBound(t, "0.0.0.0", 41002)
	p.line(t)
	w.wantUnbound(t)
	p.wantEnd(t, 7, "starting\nHERMES_DASHBOARD_READY port=41001\r\n"+readyAt41001+"HERMES_BACKEND_READY port=41002\n", "bye\n")
	w.stop(t)
}

// TestReportDashboardIsDialled: what children get is where a dashboard on port 0 listens.
func TestReportDashboardIsDialled(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, w := h.unboundService(t)
	p := h.reportDashboard(t, nil, "listen", "wait:0")
	port := p.announcedPort(t, 1)
	w.wantBound(t, "0.0.0.0", port)
	conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(int(port)))
	mustDo(t, err)
	if got, err := io.ReadAll(conn); string(got) != "hello" || err != nil {
		t.Errorf("it answers %q, %v", got, err)
	}
	mustDo(t, conn.Close())
	says(t, p.stdout, "waiting", 1)
	p.signal(t, syscall.SIGTERM)
	p.wantWithdrawn(t, w)
}

// TestReportDashboardDies: nothing is left of the report, whichever way the dashboard ends.
func TestReportDashboardDies(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		steps []string
		code  int
	}{
		"in order":       {[]string{"exit:0"}, 0},
		"with a code":    {[]string{"exit:3"}, 3},
		"of SIGTERM":     {[]string{"die:15"}, 128 + 15},
		"of SIGKILL":     {[]string{"die:9"}, 128 + 9},
		"without output": {[]string{"close", "line", "exit:4"}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			_, w := h.unboundService(t)
			p := h.reportDashboard(t, nil, append([]string{"out:HERMES_DASHBOARD_READY port=41001\\n", "line"}, test.steps...)...)
			w.wantBound(t, "0.0.0.0", 41001)
			p.line(t)
			if name == "without output" {
				p.line(t)
			}
			w.wantUnbound(t)
			p.wantEnd(t, test.code, readyAt41001, "")
			w.stop(t)
		})
	}
}

// TestReportDashboardWithoutALineEnd: the last line counts once the output has ended.
func TestReportDashboardWithoutALineEnd(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, w := h.unboundService(t)
	p := h.reportDashboard(t, nil, "out:HERMES_DASHBOARD_READY port=41001", "close", "line", "exit:0")
	w.wantBound(t, "0.0.0.0", 41001)
	p.line(t)
	w.wantUnbound(t)
	p.wantEnd(t, 0, "HERMES_DASHBOARD_READY port=41001", "")
	w.stop(t)
}

// TestReportIsKilled: the lease ends what its holder cannot, and a new one is served.
func TestReportIsKilled(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"at the end of the lease": nil, "before, with takeover": {"--takeover"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			_, w := h.unboundService(t)
			ttl := "1s"
			if flags != nil {
				ttl = "1h"
			}
			old := h.start(t, nil, "report", "--ttl", ttl, "--", "dashboard", "out:HERMES_DASHBOARD_READY port=41001\\n", "line")
			w.wantBound(t, "127.0.0.1", 41001)
			mustDo(t, old.process.Process.Kill())
			killed := time.Now()
			next := h.reportDashboard(t, flags, "out:HERMES_DASHBOARD_READY port=41002\\n", "line")
			w.wantNextBound(t, "0.0.0.0", 41002)
			if took := time.Since(killed); took > 10*time.Second {
				t.Errorf("the next dashboard was served %v after the end of the one before", took)
			}
			mustDo(t, old.stdin.Close())
			_ = old.process.Wait()
			next.line(t)
			next.wantWithdrawn(t, w)
		})
	}
}

// TestReportDashboardLosesTheListener: it runs on, and who it lost it to is told once.
func TestReportDashboardLosesTheListener(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, w := h.unboundService(t)
	p := h.start(t, nil, "report", "--ttl", "6s", "--instance", "old", "--", "dashboard",
		"out:HERMES_DASHBOARD_READY port=41001\\n", "line", "out:HERMES_DASHBOARD_READY port=41003\\n", "line", "out:bye\\n", "exit:3")
	w.wantBound(t, "127.0.0.1", 41001)
	next := h.start(t, nil, "report", "--port", "41002", "--hold", "--takeover", "--instance", "new")
	w.wantBound(t, "127.0.0.1", 41002)
	says(t, p.stderr, `held by instance "new"`, 1)
	says(t, p.stderr, "the dashboard runs on", 1)
	p.line(t)
	says(t, p.stdout, "41003", 1)
	p.line(t)
	p.wantEnd(t, 3, readyAt41001+"HERMES_DASHBOARD_READY port=41003\nbye\n", `instance "old" has lost its lease`)
	if said := strings.Count(p.stderr.String(), "dialpoint:"); said != 1 {
		t.Errorf("it was told %d times:\n%s", said, p.stderr)
	}
	next.signal(t, syscall.SIGTERM)
	w.wantUnbound(t)
	_ = next.end(t)
	w.stop(t)
}

// TestReportDashboardBeforeTheService: the dashboard does not wait, and is reported with its newest port as soon as there
// is a service.
func TestReportDashboardBeforeTheService(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.reportDashboard(t, nil, "out:HERMES_DASHBOARD_READY port=41001\\n", "line", "out:HERMES_DASHBOARD_READY port=41002\\n", "line", "exit:3")
	says(t, p.stderr, "still trying to report: unavailable: no Dialpoint service answers", 1)
	p.line(t)
	says(t, p.stdout, "port=41002", 1)
	s := h.serve(t, nil)
	awaitLog(t, s, "bind_port=41002 bound=true", 1)
	p.line(t)
	awaitLog(t, s, "bound=false", 1)
	p.wantEnd(t, 3, readyAt41001+"HERMES_DASHBOARD_READY port=41002\n", "still trying")
	if said := strings.Count(p.stderr.String(), "dialpoint:"); said != 1 {
		t.Errorf("it was told %d times:\n%s", said, p.stderr)
	}
}

// TestReportDashboardAfterTheService: a report that cannot be withdrawn ends by itself, and keeps nobody.
func TestReportDashboardAfterTheService(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s, w := h.unboundService(t)
	p := h.reportDashboard(t, nil, "out:HERMES_DASHBOARD_READY port=41001\\n", "line", "exit:3")
	w.wantBound(t, "0.0.0.0", 41001)
	w.stop(t)
	mustDo(t, s.stop())
	p.line(t)
	p.wantEnd(t, 3, readyAt41001, "the report could not be withdrawn, and ends by itself: unavailable")
}

// TestReportDashboardIsRefused: what the operator has to mend is told, and tried again.
func TestReportDashboardIsRefused(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(t, "dialpoint.yaml", "listeners: [{name: other}]\n")
	s := h.serve(t, nil, "--config", "dialpoint.yaml")
	p := h.reportDashboard(t, nil, "out:HERMES_DASHBOARD_READY port=41001\\n", "line")
	says(t, p.stderr, "LISTENER_UNKNOWN", 1)
	h.replace(t, "dialpoint.yaml", "listeners: [{name: default}]\n")
	awaitLog(t, s, "bind_port=41001 bound=true", 1)
	p.line(t)
	awaitLog(t, s, "bound=false", 2)
	if code := p.end(t); code != 0 || strings.Count(p.stderr.String(), "dialpoint:") != 1 {
		t.Errorf("exit %d\n%s", code, p.stderr)
	}
}

// TestReportDashboardOfAStuckService: one that takes connections and says nothing keeps neither output nor end.
func TestReportDashboardOfAStuckService(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	mustDo(t, os.Mkdir(filepath.Dir(h.socket()), 0o700))
	stuck, err := net.Listen("unix", h.socket())
	mustDo(t, err)
	t.Cleanup(func() { _ = stuck.Close() })
	p := h.reportDashboard(t, nil, "out:HERMES_DASHBOARD_READY port=41001\\n", "line", "out:more\\n", "line", "exit:3")
	says(t, p.stdout, "READY", 1)
	conn, err := stuck.Accept()
	mustDo(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	p.line(t)
	says(t, p.stdout, "more", 1)
	p.line(t)
	begin := time.Now()
	p.wantEnd(t, 3, readyAt41001+"more\n", "")
	// A second for its report, and two for the withdrawal. Who waited for the report to fail would take 7.
	if took := time.Since(begin); took > 6*time.Second {
		t.Errorf("it took %v to end", took)
	}
}

// TestReportDashboardEndsAmidItsReport: one that got in is withdrawn, even if the answer came too late to be heard.
func TestReportDashboardEndsAmidItsReport(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, w := h.unboundService(t)
	release := make(chan struct{})
	slow := h.slowSocket(t, release)
	p := h.reportDashboard(t, []string{"--addr", "unix://" + slow}, "pid", "out:HERMES_DASHBOARD_READY port=41001\\n", "line", "exit:3")
	dashboard := firstPID(t, p)
	w.wantBound(t, "0.0.0.0", 41001)
	p.line(t)
	for syscall.Kill(dashboard, 0) == nil {
		<-time.After(time.Millisecond)
	}
	close(release)
	w.wantUnbound(t)
	if code := p.end(t); code != 3 {
		t.Errorf("exit %d\n%s", code, p.stderr)
	}
	w.stop(t)
}

// slowSocket is a socket by which the service can be called, and does not answer before it may.
func (h home) slowSocket(t *testing.T, release <-chan struct{}) (path string) {
	t.Helper()
	path = filepath.Join(h.runtime, "slow.sock")
	listener, err := net.Listen("unix", path)
	mustDo(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			caller, err := listener.Accept()
			if err != nil {
				return
			}
			service, err := net.Dial("unix", h.socket())
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(service, caller) }()
			go func() {
				<-release
				_, _ = io.Copy(caller, service)
			}()
		}
	}()
	return path
}

// TestReportDashboardOfABadPort is told, and the listener stays as it is.
func TestReportDashboardOfABadPort(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, w := h.unboundService(t)
	p := h.reportDashboard(t, nil, "out:HERMES_DASHBOARD_READY port=70000\\nHERMES_DASHBOARD_READY port=0\\n", "line", "out:HERMES_DASHBOARD_READY port=41001\\n", "line")
	says(t, p.stderr, `announces the port "70000", which is ignored`, 1)
	says(t, p.stderr, `announces the port "0", which is ignored`, 1)
	p.line(t)
	w.wantBound(t, "0.0.0.0", 41001)
	p.line(t)
	w.wantUnbound(t)
	if code := p.end(t); code != 0 {
		t.Errorf("exit %d", code)
	}
	w.stop(t)
}

// TestReportDashboardHost: the flag, then the variables, then what a dashboard binds that was told nothing.
func TestReportDashboardHost(t *testing.T) {
	t.Parallel()
	own, hermes := "DIALPOINT_BIND_HOST= 0.0.0.0 ", `HERMES_DASHBOARD_HOST="::"`
	for name, test := range map[string]struct {
		env, flags []string
		host, url  string
	}{
		"nothing":             {nil, nil, "127.0.0.1", "ws://127.0.0.1:41001/api/ws"},
		"our variable":        {[]string{own, hermes}, nil, "0.0.0.0", "ws://127.0.0.1:41001/api/ws"},
		"that of Hermes":      {[]string{hermes, "DIALPOINT_BIND_HOST= "}, nil, "::", "ws://127.0.0.1:41001/api/ws"},
		"flag":                {[]string{own, hermes}, []string{"--host", "[::1]"}, "[::1]", "ws://[::1]:41001/api/ws"},
		"empty flag":          {[]string{own, hermes}, []string{"--host", ""}, "", "ws://127.0.0.1:41001/api/ws"},
		"IPv6 only":           {nil, []string{"--host", "::", "--ipv6-only"}, "::", "ws://[::1]:41001/api/ws"},
		"not IPv6 only":       {nil, []string{"--host", "::", "--ipv6-only=false"}, "::", "ws://127.0.0.1:41001/api/ws"},
		"TLS":                 {nil, []string{"--tls"}, "127.0.0.1", "wss://127.0.0.1:41001/api/ws"},
		"bad variable unread": {[]string{"DIALPOINT_BIND_HOST=a b"}, []string{"--host", "10.0.0.7"}, "10.0.0.7", "ws://10.0.0.7:41001/api/ws"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			_, w := h.unboundService(t)
			args := append(append([]string{"report"}, test.flags...), "--", "dashboard", "out:HERMES_DASHBOARD_READY port=41001\\n", "line")
			p := h.start(t, test.env, args...)
			if got := w.wantBound(t, test.host, 41001).GetGateway().GetBareUrl(); got != test.url {
				t.Errorf("url %q, want %q", got, test.url)
			}
			p.line(t)
			w.wantUnbound(t)
			if code := p.end(t); code != 0 || p.stderr.String() != "" {
				t.Errorf("exit %d\n%s", code, p.stderr)
			}
			w.stop(t)
		})
	}
}

// TestReadyPatternOfAnotherProgram announces in words of its own.
func TestReadyPatternOfAnotherProgram(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, w := h.unboundService(t)
	p := h.reportDashboard(t, []string{"--ready-pattern", `listening on .*:(\d+)$`}, "out:HERMES_DASHBOARD_READY port=41001\\nlistening on http://0.0.0.0:41002\\n", "line")
	w.wantBound(t, "0.0.0.0", 41002)
	p.line(t)
	p.wantWithdrawn(t, w)
}
