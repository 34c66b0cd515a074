//go:build e2e

package e2e_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"dialpoint/examples/wildcard/dashboard"
	"dialpoint/examples/wildcard/process"
	"dialpoint/server/socket/heldport"
)

// wildcards are dashboards on a wildcard of which nobody says what families it takes, and what a child must dial.
var wildcards = map[string]struct {
	open       func(t *testing.T) (port int)
	host, dial string
	source     string
}{
	"0.0.0.0":              {goDashboard("tcp4", "0.0.0.0:0"), "0.0.0.0", "127.0.0.1", "file FILE listeners[0].bind.host"},
	":: for both":          {goDashboard("tcp", "[::]:0"), "::", "127.0.0.1", "file FILE listeners[0].bind.host"},
	":: for IPv6 alone":    {goDashboard("tcp6", "[::]:0"), "::", "::1", "probe"},
	":: of Python asyncio": {func(t *testing.T) int { t.Helper(); return asyncioDashboard(t, 0) }, "::", "::1", "probe"},
}

func goDashboard(network, address string) func(t *testing.T) int {
	return func(t *testing.T) int {
		t.Helper()
		d, err := dashboard.Listen(t.Context(), network, address, secret)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		return d.Port()
	}
}

// asyncioDashboard returns once it listens. Port 0 takes a free one.
func asyncioDashboard(t *testing.T, port int) int {
	t.Helper()
	need(t, "python3")
	running := start(t, nil, "python3", filepath.Join("testdata", "dashboard.py"), "::", strconv.Itoa(port))
	line, err := running.Await(waiting(t), &running.Out, "listening on ")
	if err != nil {
		t.Fatal(err)
	}
	bound, err := strconv.Atoi(strings.TrimPrefix(line, "listening on "))
	if err != nil {
		t.Fatal(err)
	}
	return bound
}

// TestE2EProbe dials what was resolved, for each kind of wildcard socket.
func TestE2EProbe(t *testing.T) {
	t.Parallel()
	for name, test := range wildcards {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			port := test.open(t)
			site := newSite(t)
			site.serve(t, fmt.Sprintf("{host: %q, port: %d}", test.host, port))
			awaitDial(t, site.watch(t), test.dial, port)
			site.wantReached(t)
			site.wantExplained(t, map[string]any{
				"rule": "RULE_WILDCARD_TO_LOOPBACK", "source": test.source, "bindHost": test.host, "bindPort": float64(port),
				"dialHost": test.dial, "dialPort": float64(port), "audience": "AUDIENCE_LOCAL", "noProxy": []any{test.dial},
			})
		})
	}
}

// TestE2EProbeOfALateDashboard: who watches is told once the dashboard that the service waits for can be seen.
func TestE2EProbeOfALateDashboard(t *testing.T) {
	t.Parallel()
	port, site := heldport.New(t), newSite(t)
	site.serve(t, fmt.Sprintf(`{host: "::", port: %d}`, port))
	watching := site.watch(t)
	awaitDial(t, watching, "127.0.0.1", port)
	asyncioDashboard(t, port)
	awaitDial(t, watching, "::1", port)
	site.wantReached(t)
	if lines := watching.Out.Lines(); len(lines) != 2 {
		t.Errorf("who watches was told %d times, want twice: %q", len(lines), lines)
	}
}

func (s *site) watch(t *testing.T) *process.Process {
	t.Helper()
	return start(t, nil, dialpoint(t), "watch", "--addr", s.unix)
}

// awaitDial returns once who watches is told to dial that.
func awaitDial(t *testing.T, watching *process.Process, host string, port int) {
	t.Helper()
	if _, err := watching.Await(waiting(t), &watching.Out, "ws://"+net.JoinHostPort(host, strconv.Itoa(port))+"/"); err != nil {
		t.Fatal(err)
	}
}

// wantReached dials both endpoints.
func (s *site) wantReached(t *testing.T) {
	t.Helper()
	for _, endpoint := range [][]string{nil, {"--channel", "chat-1", "--sidecar"}} {
		url := strings.TrimSpace(s.resolve(t, append(endpoint, "-o", "url")...))
		conn, _, err := websocket.Dial(waiting(t), url, nil)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		if _, greeting, err := conn.Read(waiting(t)); err != nil {
			t.Errorf("%s: read %q, %v", url, greeting, err)
		}
		_ = conn.CloseNow()
	}
}

func (s *site) resolve(t *testing.T, args ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), dialpoint(t), append([]string{"resolve", "--addr", s.unix}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(output)
}

// wantExplained checks the explanation, with FILE for the path of the configuration.
func (s *site) wantExplained(t *testing.T, want map[string]any) {
	t.Helper()
	var answer struct {
		Endpoints struct {
			Explanation map[string]any `json:"explanation"`
		} `json:"endpoints"`
	}
	text := strings.ReplaceAll(s.resolve(t, "-o", "json"), filepath.Join(s.dir, "dialpoint.yaml"), "FILE")
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, answer.Endpoints.Explanation); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
