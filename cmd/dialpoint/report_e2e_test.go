//go:build e2e

package main_test

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// wantHello dials what a watch has shown.
func wantHello(t *testing.T, shown string) {
	t.Helper()
	gateway, err := url.Parse(shown)
	mustDo(t, err)
	conn, err := net.Dial("tcp", gateway.Host)
	mustDo(t, err)
	defer func() { _ = conn.Close() }()
	if got, err := io.ReadAll(conn); string(got) != "hello" || err != nil {
		t.Errorf("%s answers %q, %v", shown, got, err)
	}
}

// TestE2EAsyncio: a Python dashboard that announces its port in pieces is dialled where it listens, and there again when
// it is another one. What asyncio binds to "::" refuses IPv4, whatever the system's settings are.
func TestE2EAsyncio(t *testing.T) {
	t.Parallel()
	needTools(t, "python3")
	program, err := filepath.Abs("testdata/dashboard.py")
	mustDo(t, err)
	for name, test := range map[string]struct {
		host  string
		flags []string
	}{
		"IPv4":          {"0.0.0.0", nil},
		"IPv6":          {"::", []string{"--ipv6-only"}},
		"IPv6 loopback": {"::1", nil},
		"name":          {"localhost", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			_, w := h.unboundService(t)
			args := append([]string{"report", "--ttl", "1h", "--host", test.host}, test.flags...)
			p := h.start(t, nil, append(args, "--", "python3", program, test.host)...)
			first := p.announcedPort(t, 1)
			wantHello(t, w.wantBound(t, test.host, first).GetGateway().GetUrl())
			p.line(t)
			wantHello(t, w.wantBound(t, test.host, p.announcedPort(t, 2)).GetGateway().GetUrl())
			mustDo(t, p.stdin.Close())
			w.wantUnbound(t)
			if code := p.end(t); code != 0 || p.stderr.String() != "" || strings.Count(p.stdout.String(), "\r\n") != 2 {
				t.Errorf("exit %d\n%q\n%s", code, p.stdout, p.stderr)
			}
			w.stop(t)
		})
	}
}

// TestE2EHeadReadsOneLine: in a pipe whose reader has had enough the dashboard ends as it does without report.
func TestE2EHeadReadsOneLine(t *testing.T) {
	t.Parallel()
	needTools(t, "bash", "head")
	h := newHome(t)
	got := h.tool(t, "bash", "-c", `dialpoint report -- dashboard 'out:one\n' bytes:1000000 err:never | head -n 1; echo "${PIPESTATUS[0]}"`)
	if got != "one\n141\n" {
		t.Errorf("it printed %q", got)
	}
}
