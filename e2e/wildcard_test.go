//go:build e2e

package e2e_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dialpoint/examples/wildcard/dashboard"
	"dialpoint/examples/wildcard/process"
	"dialpoint/examples/wildcard/tinyproxy"
)

// binds are the dashboards of these tests, and what a child must dial. In a URL, and in the proxy's log, IPv6 has
// brackets.
var binds = map[string]struct{ network, bind, inURL, dial, config string }{
	"0.0.0.0":       {"tcp4", "0.0.0.0:0", "0.0.0.0", "127.0.0.1", `{host: 0.0.0.0, port: %d}`},
	":: IPv6 alone": {"tcp6", "[::]:0", "[::]", "[::1]", `{host: "::", port: %d, ipv6_only: true}`},
}

// children are programs that read HERMES_TUI_GATEWAY_URL, and whose WebSockets honour the proxy variables.
var children = map[string]func(t *testing.T) []string{
	"node": func(t *testing.T) []string {
		t.Helper()
		return []string{"node", filepath.Join(nodeDir(t), "child.mjs")}
	},
	"python": func(t *testing.T) []string {
		t.Helper()
		need(t, "python3")
		return []string{"python3", filepath.Join("testdata", "child.py")}
	},
}

// scene is one dashboard, one proxy and one child.
type scene struct {
	dashboard *dashboard.Dashboard
	proxy     *tinyproxy.Proxy
	child     []string
	// env is the child's: it is behind the proxy, and NO_PROXY names nothing of these tests.
	env []string
}

// TestE2EWildcard reproduces https://github.com/NousResearch/hermes-agent/issues/58993, and its counterpart on IPv6.
func TestE2EWildcard(t *testing.T) {
	t.Parallel()
	for bindName, bind := range binds {
		for childName, child := range children {
			t.Run(bindName+"/"+childName, func(t *testing.T) {
				t.Parallel()
				d, err := dashboard.Listen(t.Context(), bind.network, bind.bind, secret)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = d.Close() }()
				proxy := startProxy(t)
				scene := &scene{dashboard: d, proxy: proxy, child: child(t), env: proxied(proxy.URL, "elsewhere.example")}
				scene.failsWith(t, bind.inURL)
				scene.goesThroughProxyTo(t, bind.dial)
				scene.connectsThroughDialpoint(t, fmt.Sprintf(bind.config, d.Port()))
			})
		}
	}
}

// failsWith: with the bind host in its URL the child's connection goes to the proxy, and fails there.
func (s *scene) failsWith(t *testing.T, host string) {
	t.Helper()
	child := s.dial(t, host)
	if code := exitCode(t, child); code != 1 || !strings.Contains(child.Out.String()+child.Err.String(), "gateway websocket connection failed") {
		t.Errorf("dialling %s: exit code %d, want that it fails\n%s%s", host, code, &child.Out, &child.Err)
	}
	log := requests(t, s.proxy)
	want := []string{s.connect(host), fmt.Sprintf("Proxying refused on filtered domain %q", strings.Trim(host, "[]"))}
	if !slices.Equal(log, want) {
		t.Errorf("the proxy logged %q, want %q", log, want)
	}
	if len(s.dashboard.Visits()) > 0 {
		t.Errorf("the dashboard was reached: %v", <-s.dashboard.Visits())
	}
}

// goesThroughProxyTo: the proxy is a real one, and catches the right address, too, where NO_PROXY lacks it.
func (s *scene) goesThroughProxyTo(t *testing.T, host string) {
	t.Helper()
	s.connected(t, s.dial(t, host), host)
	if log := requests(t, s.proxy); !slices.Equal(log, []string{s.connect(host)}) {
		t.Errorf("the proxy logged %q, want %q", log, s.connect(host))
	}
}

// connectsThroughDialpoint: the same child in the same environment, but started by dialpoint exec.
func (s *scene) connectsThroughDialpoint(t *testing.T, config string) {
	t.Helper()
	site := newSite(t)
	site.serve(t, config)
	resolve := exec.CommandContext(t.Context(), dialpoint(t), "resolve", "--addr", site.unix, "-o", "url")
	url, err := resolve.Output()
	if err != nil {
		t.Fatal(err)
	}
	_, host, _ := strings.Cut(string(url), "://")
	host, _, _ = strings.Cut(host, fmt.Sprintf(":%d/", s.dashboard.Port()))
	child := start(t, append(s.env, "DIALPOINT_ADDR="+site.unix), dialpoint(t), append([]string{"exec", "--"}, s.child...)...)
	s.connected(t, child, host)
	if log := requests(t, s.proxy); len(log) > 0 {
		t.Errorf("the proxy logged %q, want that the child connects directly", log)
	}
}

// dial starts the child with a URL that was put together from a host.
func (s *scene) dial(t *testing.T, host string) *process.Process {
	t.Helper()
	url := fmt.Sprintf("HERMES_TUI_GATEWAY_URL=ws://%s:%d%s?token=%s", host, s.dashboard.Port(), dashboard.GatewayPath, secret)
	return start(t, append(s.env, url), s.child[0], s.child[1:]...)
}

// connected checks that a child has reached the dashboard, under a host.
func (s *scene) connected(t *testing.T, child *process.Process, host string) {
	t.Helper()
	if code := exitCode(t, child); code != 0 || !strings.Contains(child.Out.String(), dashboard.Ready) {
		t.Errorf("exit code %d, want that it connects\n%s%s", code, &child.Out, &child.Err)
	}
	select {
	case visit := <-s.dashboard.Visits():
		if want := fmt.Sprintf("%s:%d", host, s.dashboard.Port()); visit.Host != want || visit.Path != dashboard.GatewayPath {
			t.Errorf("the dashboard was called %s%s, want %s%s", visit.Host, visit.Path, want, dashboard.GatewayPath)
		}
	default:
		t.Error("the dashboard was not reached")
	}
}

// connect is how a request for the dashboard stands in the proxy's log.
func (s *scene) connect(host string) string {
	return fmt.Sprintf("CONNECT %s:%d HTTP/1.1", host, s.dashboard.Port())
}
